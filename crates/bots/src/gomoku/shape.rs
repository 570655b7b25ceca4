//! What a stone makes on one line, looked up by the five points on each side of it.
//!
//! A shape is named by what one stone more could make of it, so all of them follow from what wins
//! under the rule of the table.

use parlor_rules_gomoku::board::Colour;
use parlor_rules_gomoku::rule::Rule;
use std::sync::LazyLock;

/// What a stone makes on one line, the better the greater. From a two on, each is what one stone
/// more turns into the shape two places above it.
pub(super) type Shape = u8;

/// The ways to a five are stopped by one stone: a four.
pub(super) const FOUR: Shape = 6;
/// One stone cannot stop all of them.
pub(super) const OPEN_FOUR: Shape = 7;
/// It wins.
pub(super) const FIVE: Shape = 8;
/// One stone more makes an open four.
pub(super) const OPEN_THREE: Shape = 5;
/// How many there are.
pub(super) const SHAPES: usize = 9;

/// Five points on each side of a stone, two bits each: the nearest on the left lowest, then those
/// on the right.
pub(super) type Line = u32;

/// What lies on a point, seen by one colour; no bits where nothing does.
pub(super) const MINE: Line = 1;
const THEIRS: Line = 2;
/// Off the board.
pub(super) const OFF: Line = 3;

const SIDE: usize = 5;
const POINTS: usize = 2 * SIDE;
const LINES: usize = 1 << (2 * POINTS);

/// Where the point so many steps away has its bits.
pub(super) const fn bits(steps: i8) -> u32 {
    2 * (if steps < 0 { -steps - 1 } else { steps - 1 + SIDE as i8 }) as u32
}

/// The same line for the other colour.
pub(super) const fn swapped(line: Line) -> Line {
    const MINE_ALL: Line = 0x5_5555;
    (line & MINE_ALL) << 1 | line >> 1 & MINE_ALL
}

/// The shapes of all lines for one colour.
pub(super) type Table = [Shape];

/// The table for a colour under a rule.
pub(super) fn table(rule: Rule, colour: Colour) -> &'static Table {
    static FREESTYLE: LazyLock<Vec<Shape>> = LazyLock::new(|| build(Rule::Freestyle));
    static STANDARD: LazyLock<Vec<Shape>> = LazyLock::new(|| build(Rule::Standard));
    static CARO: LazyLock<Vec<Shape>> = LazyLock::new(|| build(Rule::Caro));
    static CARO_OVERLINE: LazyLock<Vec<Shape>> = LazyLock::new(|| build(Rule::CaroOverline));
    match (rule, colour) {
        (Rule::Freestyle, _) | (Rule::Renju, Colour::White) => &FREESTYLE,
        (Rule::Standard, _) | (Rule::Renju, Colour::Black) => &STANDARD,
        (Rule::Caro, _) => &CARO,
        (Rule::CaroOverline, _) => &CARO_OVERLINE,
    }
}

/// Not looked at yet.
const UNKNOWN: Shape = Shape::MAX;

fn build(rule: Rule) -> Vec<Shape> {
    let mut table = vec![UNKNOWN; LINES];
    // The edge cuts a line off from a point on outwards.
    for (left, right) in (0..=SIDE).flat_map(|left| (0..=SIDE).map(move |right| (left, right))) {
        let edge = |line, (from, count): (usize, usize)| {
            (from + SIDE - count..from + SIDE).fold(line, |line, at| line | OFF << (2 * at))
        };
        let cut = [(0, left), (SIDE, right)].into_iter().fold(0, edge);
        let free: Vec<usize> = (0..POINTS).filter(|at| cut >> (2 * at) & 3 == 0).collect();
        for stones in 0..3u32.pow(free.len() as u32) {
            let lay =
                |(line, rest): (Line, u32), at: &usize| (line | (rest % 3) << (2 * at), rest / 3);
            let (line, _) = free.iter().fold((cut, stones), lay);
            fill(&mut table, rule, line);
        }
    }
    table
}

/// The points of a line where nothing lies.
fn empty(line: Line) -> impl Iterator<Item = u32> {
    (0..POINTS as u32).map(|at| 2 * at).filter(move |at| line >> at & 3 == 0)
}

fn fill(table: &mut [Shape], rule: Rule, line: Line) -> Shape {
    if table[line as usize] != UNKNOWN {
        return table[line as usize];
    }
    let fives = |line: Line| empty(line).filter(|at| wins(rule, line | MINE << at)).count();
    let shape = if wins(rule, line) {
        FIVE
    } else {
        match fives(line) {
            0 => {
                let next = empty(line).map(|at| fill(table, rule, line | MINE << at)).max();
                next.unwrap_or(0).saturating_sub(2)
            }
            2.. if empty(line).all(|at| fives(line | THEIRS << at) > 0) => OPEN_FOUR,
            _ => FOUR,
        }
    };
    table[line as usize] = shape;
    shape
}

/// Whether the stone in the middle wins.
fn wins(rule: Rule, line: Line) -> bool {
    let run = |from: usize| {
        let mine = |at: &usize| line >> (2 * at) & 3 == MINE;
        (from..from + SIDE).take_while(mine).count()
    };
    let (left, right) = (run(0), run(SIDE));
    let stopped = |run: usize, from: usize| run < SIDE && line >> (2 * (from + run)) & 3 == THEIRS;
    let blocked = stopped(left, 0) && stopped(right, SIDE);
    match (left + right + 1, rule) {
        (0..5, _) => false,
        (5, Rule::Caro | Rule::CaroOverline) => !blocked,
        (5, _) => true,
        (_, Rule::Freestyle | Rule::CaroOverline) => true,
        (_, Rule::Standard | Rule::Caro | Rule::Renju) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The shape of a line like `..xx*x.o..`, `*` the stone, `#` the edge.
    fn shape(rule: Rule, text: &str) -> Shape {
        let middle = text.find('*').unwrap() as i8;
        let mut line = 0;
        for steps in (-5..=5).filter(|steps| *steps != 0) {
            let at = text.chars().nth((middle + steps).max(0) as usize);
            let what = match at.filter(|_| middle + steps >= 0) {
                Some('x') => MINE,
                Some('o') => THEIRS,
                Some('.') => 0,
                _ => OFF,
            };
            line |= what << bits(steps);
        }
        table(rule, Colour::White)[line as usize]
    }

    #[test]
    fn shapes_are_what_players_call_them() {
        let standard = |text| shape(Rule::Standard, text);
        assert_eq!(standard("....xx*xx...."), FIVE);
        assert_eq!(standard("...xxx*xx..."), 0);
        assert_eq!(shape(Rule::Freestyle, "...xxx*xx..."), FIVE);
        assert_eq!(standard("....xx*x...."), OPEN_FOUR);
        assert_eq!(standard("...oxx*x...."), FOUR);
        assert_eq!(standard("#xx*x."), FOUR);
        assert_eq!(standard(".....x*x....."), OPEN_THREE);
        assert_eq!(standard("...ox.*x....."), OPEN_THREE - 1);
        assert_eq!(standard(".....*x......"), OPEN_THREE - 2);
    }

    #[test]
    fn caro_stops_a_row_at_both_ends() {
        let caro = |text| shape(Rule::Caro, text);
        assert_eq!(caro("...oxx*xxo..."), 0);
        assert_eq!(caro("...oxx*xx...."), FIVE);
        assert_eq!(caro("#xx*xxo"), FIVE);
        // One end stopped, and the other next to be.
        assert_eq!(caro("..o.xx*x.o.."), FOUR);
        assert_eq!(caro("....xx*x...."), OPEN_FOUR);
        assert_eq!(shape(Rule::CaroOverline, "..oxxx*xxo.."), FIVE);
    }
}
