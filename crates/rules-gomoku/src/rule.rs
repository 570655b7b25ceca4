//! What wins.

use crate::board::{Board, Colour, FIVE, LONG, Point, Stones, Way};
use serde::{Deserialize, Serialize};

/// The rule by which a row wins.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Rule {
    /// Five or more.
    Freestyle,
    /// Exactly five.
    Standard,
    /// Exactly five, not blocked at both ends by the opponent; the edge does not block.
    Caro,
    /// The same, and six or more.
    CaroOverline,
    /// Black: exactly five, and some points are forbidden. White: five or more.
    Renju,
}

impl Rule {
    /// All of them.
    pub const ALL: [Self; 5] =
        [Self::Freestyle, Self::Standard, Self::Caro, Self::CaroOverline, Self::Renju];

    /// Its word.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Freestyle => "freestyle",
            Self::Standard => "standard",
            Self::Caro => "caro",
            Self::CaroOverline => "caro_overline",
            Self::Renju => "renju",
        }
    }

    /// The rule with this word.
    pub fn named(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|rule| rule.name() == word)
    }

    /// Whether the stone on this point wins for its colour.
    #[inline(always)]
    pub fn wins(self, stones: &impl Stones, colour: Colour, point: Point) -> bool {
        let runs = stones.runs(colour, point);
        runs != 0 && self.wins_by(runs, stones, colour, point)
    }

    /// The same, once it is known that there is a run of five or more.
    #[inline(always)]
    fn wins_by(self, runs: u8, stones: &impl Stones, colour: Colour, point: Point) -> bool {
        match self {
            Self::Freestyle => true,
            Self::Standard => runs & FIVE != 0,
            Self::Renju => runs & FIVE != 0 || colour == Colour::White,
            Self::CaroOverline if runs & LONG != 0 => true,
            Self::Caro | Self::CaroOverline => Way::ALL.into_iter().any(|way| {
                let five = stones.run(colour, way, point) == FIVE;
                five && !blocked(stones.board(), colour, way, point)
            }),
        }
    }

    /// The winning row that the stone on this point is part of, by columns from the left, in one
    /// column from the bottom; the first way if there are several.
    pub fn row(self, board: &Board, colour: Colour, point: Point) -> Option<Vec<Point>> {
        let way = Way::ALL.into_iter().find(|way| {
            let run = board.run(colour, *way, point);
            match self {
                Self::Freestyle => run != 0,
                Self::Standard => run == FIVE,
                Self::Renju => run == FIVE || run == LONG && colour == Colour::White,
                Self::CaroOverline if run == LONG => true,
                Self::Caro | Self::CaroOverline => {
                    run == FIVE && !blocked(board, colour, *way, point)
                }
            }
        })?;
        let (before, after) = board.reach(colour, way, point);
        let mut row: Vec<Point> =
            (-before..=after).filter_map(|steps| way.step(point, steps)).collect();
        row.sort_by_key(|point| (point.x, std::cmp::Reverse(point.y)));
        Some(row)
    }
}

/// Whether the run through a point has a stone of the other colour at both ends.
fn blocked(board: &Board, colour: Colour, way: Way, point: Point) -> bool {
    let (before, after) = board.reach(colour, way, point);
    [-before - 1, after + 1]
        .into_iter()
        .all(|end| way.step(point, end).is_some_and(|end| board.has(!colour, end)))
}
