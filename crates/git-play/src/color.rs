//! White and black, and which seats of the rules they are.

use parlor_rules::Seat;
use parlor_rules_backgammon::state::SEATS;
use serde::{Deserialize, Serialize};
use std::fmt;

/// One of the two players. White moves from index 23 down to 0, black the other way.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Color {
    /// Positive numbers on the board.
    White,
    /// Negative numbers.
    Black,
}

impl Color {
    /// Both, white first as everywhere in the documents.
    pub const BOTH: [Color; 2] = [Self::White, Self::Black];

    /// The seat of the rules: white is seat 1, whose home is at index 0.
    pub fn seat(self) -> Seat {
        match self {
            Self::White => SEATS[1],
            Self::Black => SEATS[0],
        }
    }

    /// The colour of a seat.
    pub fn of(seat: Seat) -> Self {
        if seat == SEATS[1] { Self::White } else { Self::Black }
    }

    /// The opponent.
    pub fn other(self) -> Self {
        match self {
            Self::White => Self::Black,
            Self::Black => Self::White,
        }
    }

    /// In lower case.
    pub fn name(self) -> &'static str {
        match self {
            Self::White => "white",
            Self::Black => "black",
        }
    }

    /// As a sentence begins.
    pub fn title(self) -> &'static str {
        match self {
            Self::White => "White",
            Self::Black => "Black",
        }
    }

    /// The colour with this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::BOTH.into_iter().find(|color| color.name() == name)
    }
}

impl fmt::Display for Color {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Something each colour has.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pair<T> {
    /// White's.
    pub white: T,
    /// Black's.
    pub black: T,
}

impl<T> Pair<T> {
    /// What a colour has.
    pub fn of(&self, color: Color) -> &T {
        match color {
            Color::White => &self.white,
            Color::Black => &self.black,
        }
    }

    /// The same for each colour.
    pub fn from_fn(mut each: impl FnMut(Color) -> T) -> Self {
        Self { white: each(Color::White), black: each(Color::Black) }
    }
}
