//! Forbidden points, against pictures and against the second judge.

use crate::oracle::{Grid, Verdict, xy};
use parlor_rules::{Draws, Seeded};
use parlor_rules_gomoku::board::{Colour, Lines, Point, Size};
use parlor_rules_gomoku::renju::{Foul, Makes, forbidden, makes};
use parlor_testkit::count;
use std::collections::BTreeMap;

fn told(made: Makes) -> Verdict {
    match made {
        Makes::Five => Verdict::Five,
        Makes::Foul(Foul::Overline) => Verdict::Overline,
        Makes::Foul(Foul::DoubleFour) => Verdict::DoubleFour,
        Makes::Foul(Foul::DoubleThree) => Verdict::DoubleThree,
        Makes::Nothing => Verdict::Allowed,
    }
}

/// A picture in the upper left of a 15 by 15 board: `X`, `O`, `.`, and `*` for the point in
/// question.
fn picture(rows: &[&str]) -> (Lines, Point) {
    let mut grid = Grid::new(Size::USUAL);
    let mut asked = None;
    for (y, row) in rows.iter().enumerate() {
        for (x, cell) in row.chars().enumerate() {
            match cell {
                'X' => grid.set(x as i32, y as i32, Some(Colour::Black)),
                'O' => grid.set(x as i32, y as i32, Some(Colour::White)),
                '*' => asked = Some(Point::new(x as u8, y as u8)),
                _ => {}
            }
        }
    }
    (Lines::of(&grid.board()), asked.expect("a picture has a point in question"))
}

#[track_caller]
fn is(rows: &[&str], verdict: Verdict) {
    let (lines, point) = picture(rows);
    assert_eq!(told(makes(&lines, point)), verdict, "\n{}", rows.join("\n"));
    let (x, y) = xy(point);
    assert_eq!(Grid::of(&lines).verdict(x, y), verdict, "the second judge");
}

#[test]
fn two_open_threes_are_forbidden() {
    // The column ends at the edge, so it never becomes a straight four.
    is(&["...*XX..", "...X....", "...X....", ""], Verdict::Allowed);
    is(&["", "", "...*XX..", "...X....", "...X....", "", ""], Verdict::DoubleThree);
    is(&["", "", "...*X.X..", "...X....", "", "...X....", ""], Verdict::DoubleThree);
}

#[test]
fn a_three_that_is_closed_on_one_side_is_none() {
    is(&["", "", "..O*XX..", "...X....", "...X....", "", ""], Verdict::Allowed);
    // Open on both sides, but too near to the edge and a white stone for a straight four.
    is(&["", "", "*XX..", "X....", "X....", "", ""], Verdict::Allowed);
    is(&["", "O...", ".*XX.O", ".X..", ".X..", "", ""], Verdict::Allowed);
}

#[test]
fn two_fours_are_forbidden_on_two_lines_and_on_one() {
    is(&["", "", "OXXX*..", "....X", "....X", "....X", "....O"], Verdict::DoubleFour);
    is(&["", "", ".X.X*X.X.", ""], Verdict::DoubleFour);
    is(&["", "", ".XX.*X.XX.", ""], Verdict::DoubleFour);
    is(&["", "", ".XXX.*.XXX.", ""], Verdict::DoubleFour);
    // A straight four is one four, though two points complete it.
    is(&["", "", "..XX*X..", ""], Verdict::Allowed);
}

#[test]
fn a_four_and_a_three_are_allowed_and_a_second_three_is_not() {
    is(&["", "", "OXXX*..", "....X", "....X", "", ""], Verdict::Allowed);
    is(&["", "", "", "OXXX*....", "....XX", "....X.X", "", ""], Verdict::DoubleThree);
}

#[test]
fn six_in_a_row_are_forbidden_and_five_is_not_whatever_else_it_makes() {
    is(&["", "XXX*XX.", ""], Verdict::Overline);
    is(&["", "XXX*XXX.", ""], Verdict::Overline);
    is(&["", "XXX*X.", "...X", "...X", "...X", "...X", "...X"], Verdict::Five);
    is(&["", "XXX*X.", "...X", "...X", "...X", "", ""], Verdict::Five);
}

#[test]
fn four_stones_that_only_six_can_complete_are_no_four() {
    // Filling the gap makes six, so only the column is a four.
    is(&["", "", "..X.*XX", "....X", "....X", "....X", "....O"], Verdict::DoubleFour);
    is(&["", "", ".XX.*XX", "....X", "....X", "....X", "....O"], Verdict::Allowed);
}

#[test]
fn a_three_whose_only_straight_four_is_forbidden_does_not_count() {
    // The row's three can become a straight four at one point only, and there black makes an
    // overline in the column.
    let rows = [
        "......X....",
        "......X....",
        "......X....",
        "..O.*X.X.O.",
        "....X.X....",
        "....X.X....",
        "...........",
        "...........",
    ];
    let mut open = rows;
    open[0] = "...........";
    open[1] = "...........";
    open[2] = "...........";
    is(&open, Verdict::DoubleThree);
    is(&rows, Verdict::Allowed);
}

#[test]
fn white_has_no_forbidden_points_and_an_empty_board_has_none() {
    assert!(forbidden(&Lines::new(Size::USUAL)).is_empty());
    let (lines, _) = picture(&["", "", "...*OO..", "...O....", "...O....", "", ""]);
    assert!(forbidden(&lines).is_empty());
}

/// A position with threes and fours in it: stones near each other, more black than white.
fn position(draws: &mut Draws<'_>, size: Size) -> Grid {
    let mut grid = Grid::new(size);
    let side = u32::from(size.get());
    let clusters = 1 + draws.below(3);
    for _ in 0..clusters {
        let (cx, cy) = (draws.below(side) as i32, draws.below(side) as i32);
        for _ in 0..6 + draws.below(14) {
            let near = |draws: &mut Draws<'_>| draws.below(9) as i32 - 4;
            let (x, y) = (cx + near(draws), cy + near(draws));
            if grid.empty(x, y) {
                let black = draws.below(3) > 0;
                grid.set(x, y, Some(if black { Colour::Black } else { Colour::White }));
            }
        }
    }
    grid
}

#[test]
fn both_judges_agree_on_every_point_of_random_positions() {
    let mut chance = Seeded::new("renju");
    let mut seen: BTreeMap<String, u64> = BTreeMap::new();
    let positions = count(3_000, 100_000);
    for i in 0..positions {
        let size = Size::ALL[if i % 10 == 0 { 1 + (i / 10 % 2) as usize } else { 0 }];
        let grid = position(&mut Draws::new(&mut chance), size);
        let board = grid.board();
        let lines = Lines::of(&board);
        let marked = forbidden(&lines);
        for point in board.free().iter() {
            let (x, y) = xy(point);
            let (fast, slow) = (told(makes(&lines, point)), grid.verdict(x, y));
            assert_eq!(fast, slow, "{x},{y} in position {i}\n{board:?}");
            let foul = !matches!(slow, Verdict::Five | Verdict::Allowed);
            assert_eq!(marked.contains(point), foul, "{x},{y} in position {i}\n{board:?}");
            *seen.entry(format!("{slow:?}")).or_default() += 1;
        }
    }
    println!("{positions} positions: {seen:?}");
    for (verdict, least) in
        [("DoubleThree", 4), ("DoubleFour", 20), ("Overline", 100), ("Five", 20), ("Allowed", 1)]
    {
        let found = seen.get(verdict).copied().unwrap_or(0);
        assert!(found * least >= u64::from(positions), "only {found} times {verdict}: {seen:?}");
    }
}

#[test]
fn some_threes_fall_because_their_straight_four_is_forbidden() {
    // Positions in which two lines look like threes and yet the point is allowed: the recursion
    // is not idle.
    let mut chance = Seeded::new("recursion");
    let mut fell = 0;
    for _ in 0..count(4_000, 40_000) {
        let grid = position(&mut Draws::new(&mut chance), Size::USUAL);
        let lines = Lines::of(&grid.board());
        for point in lines.free().iter() {
            let (x, y) = xy(point);
            let allowed = makes(&lines, point) == Makes::Nothing;
            fell += u32::from(allowed && grid.threes_by_shape(x, y) >= 2);
        }
    }
    println!("{fell} points are allowed only because a three is none");
    assert!(fell > 20, "{fell}");
}
