//! What wins, against the second judge.

use crate::oracle::{Grid, xy};
use parlor_rules::{Draws, Seeded};
use parlor_rules_gomoku::board::{Board, Colour, Lines, Point, Size};
use parlor_rules_gomoku::decide::judge;
use parlor_rules_gomoku::event::Reason;
use parlor_rules_gomoku::rule::Rule;
use parlor_testkit::count;

#[test]
fn both_judges_agree_on_every_stone_of_random_boards() {
    let mut chance = Seeded::new("rows");
    let mut wins = [0; 5];
    for i in 0..count(2_000, 40_000) {
        let mut draws = Draws::new(&mut chance);
        let size = Size::ALL[i as usize % 3];
        let mut board = Board::new(size);
        // Dense boards of few colours hold long rows.
        let bias = 2 + draws.below(6);
        for point in size.all() {
            match draws.below(10) {
                0 => {}
                _ if draws.below(bias) == 0 => board.lay(Colour::White, point),
                _ => board.lay(Colour::Black, point),
            }
        }
        let (grid, lines) = (Grid::of(&board), Lines::of(&board));
        for point in size.all() {
            let Some(colour) = board.at(point) else { continue };
            let (x, y) = xy(point);
            for (rule, wins) in Rule::ALL.into_iter().zip(&mut wins) {
                let slow = grid.wins(rule.name(), x, y);
                assert_eq!(rule.wins(&board, colour, point), slow, "{rule:?} {x},{y}\n{board:?}");
                assert_eq!(rule.wins(&lines, colour, point), slow, "{rule:?} {x},{y}\n{board:?}");
                let row = rule.row(&board, colour, point);
                assert_eq!(row.is_some(), slow, "{rule:?} {x},{y}\n{board:?}");
                let Some(row) = row else { continue };
                *wins += 1;
                assert!(row.len() >= 5 && row.contains(&point));
                assert!(row.iter().all(|stone| board.at(*stone) == Some(colour)));
                assert!(row.is_sorted_by_key(|p| (p.x, std::cmp::Reverse(p.y))), "{row:?}");
            }
        }
    }
    println!("rows that win: {wins:?}");
    assert!(wins.iter().all(|wins| *wins > 1_000), "{wins:?}");
}

#[test]
fn a_stone_lifted_leaves_the_board_as_it_was() {
    let mut chance = Seeded::new("lift");
    for size in Size::ALL {
        let mut lines = Lines::new(size);
        let mut draws = Draws::new(&mut chance);
        let mut laid: Vec<(Colour, Point, Lines)> = Vec::new();
        for i in 0..usize::from(size.points()) {
            let free = lines.free();
            let point = free.iter().nth(draws.below(free.len()) as usize).unwrap();
            laid.push((Colour::after(i), point, lines.clone()));
            lines.lay(Colour::after(i), point);
        }
        assert!(lines.is_full() && lines.free().is_empty());
        for (colour, point, before) in laid.into_iter().rev() {
            lines.lift(colour, point);
            // The board itself, and what is kept of its lines.
            assert!(*lines == *before && lines == before && lines == Lines::of(&before));
        }
    }
}

#[test]
fn black_with_forbidden_points_only_has_no_move_and_the_game_is_drawn() {
    // Rows of two throughout, and one gap in a black row of seven; one point is white's.
    let (gap, last) = (Point::new(3, 7), Point::new(14, 14));
    let mut board = Board::new(Size::USUAL);
    for point in Size::USUAL.all().filter(|point| ![gap, last].contains(point)) {
        let black = match (point.x, point.y) {
            (0..7, 7) => true,
            (7, 7) => false,
            (x, y) => (x + 2 * y) % 4 < 2,
        };
        board.lay(if black { Colour::Black } else { Colour::White }, point);
    }
    let end = |rule| judge(rule, &board, Colour::White, last).unwrap();
    assert_eq!(end(Rule::Renju), Some((Reason::Full, Vec::new())));
    assert_eq!(end(Rule::Standard), None, "elsewhere black has a point left");
}
