//! What a player may say.

use crate::board::{Point, Size};
use crate::reject::Reject;
use parlor_rules::{Closed, Faults, Fields, doc};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A command: `{"type":"place_stone","x":7,"y":7}`.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Command {
    /// Lay a stone of the opening.
    PlaceStone {
        /// The column, from 0.
        x: Coordinate,
        /// The row, from 0.
        y: Coordinate,
    },
    /// Choose a colour, or to lay two more stones.
    MakeChoice {
        /// `black`, `white` or `place_more`.
        choice: String,
    },
    /// Lay a stone of the game.
    Move {
        /// The column, from 0.
        x: Coordinate,
        /// The row, from 0.
        y: Coordinate,
    },
    /// Lose the game.
    Resign {},
    /// Offer a draw.
    OfferDraw {},
    /// Answer such an offer.
    AnswerDraw {
        /// Whether it is taken.
        accept: bool,
    },
    /// Ask to take back one's own last stone.
    OfferTakeback {},
    /// Answer such a wish.
    AnswerTakeback {
        /// Whether it is granted.
        accept: bool,
    },
}

/// A number of a column or a row as it came in; whether it is on the board is the board's to say.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Coordinate(f64);

impl Coordinate {
    /// The number, if it is a whole one from 0 and below the size of a board.
    pub fn on(self, size: Size) -> Option<u8> {
        let whole = self.0.fract() == 0.0 && (0.0..f64::from(size.get())).contains(&self.0);
        whole.then_some(self.0 as u8)
    }
}

impl From<u8> for Coordinate {
    fn from(number: u8) -> Self {
        Self(number.into())
    }
}

impl From<i32> for Coordinate {
    fn from(number: i32) -> Self {
        Self(number.into())
    }
}

impl From<f64> for Coordinate {
    fn from(number: f64) -> Self {
        Self(number)
    }
}

impl Serialize for Coordinate {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        if self.0.fract() == 0.0 && self.0.abs() < 1e15 {
            return s.serialize_i64(self.0 as i64);
        }
        s.serialize_f64(self.0)
    }
}

impl<'de> Deserialize<'de> for Coordinate {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        f64::deserialize(d).map(Self)
    }
}

/// The point in this column and row of a board.
pub(crate) fn point(
    x: Coordinate,
    y: Coordinate,
    size: Size,
    phase: &'static str,
) -> Result<Point, Reject> {
    let on_board = x.on(size).zip(y.on(size)).map(|(x, y)| Point { x, y });
    on_board.ok_or(Reject::OutOfBounds { last: size.get() - 1, phase })
}

impl Closed for Command {
    fn take(fields: &mut Fields, faults: &mut Faults) -> Option<Self> {
        const NUMBER: &str = "a number";
        const ACCEPT: &str = "true or false";
        let word = fields.take::<String>("type", "the name of a command", faults)?;
        Some(match word.as_str() {
            "place_stone" | "move" => {
                let x = fields.take("x", NUMBER, faults);
                let y = fields.take("y", NUMBER, faults);
                let (x, y) = (x?, y?);
                if word == "move" { Self::Move { x, y } } else { Self::PlaceStone { x, y } }
            }
            "make_choice" => {
                let wanted = "black, white or place_more";
                Self::MakeChoice { choice: fields.take("choice", wanted, faults)? }
            }
            "resign" => Self::Resign {},
            "offer_draw" => Self::OfferDraw {},
            "answer_draw" => Self::AnswerDraw { accept: fields.take("accept", ACCEPT, faults)? },
            "offer_takeback" => Self::OfferTakeback {},
            "answer_takeback" => {
                Self::AnswerTakeback { accept: fields.take("accept", ACCEPT, faults)? }
            }
            _ => {
                faults.add("type", format!("there is no command {word:?}"));
                return None;
            }
        })
    }
}

impl<'de> Deserialize<'de> for Command {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        doc::closed(d)
    }
}
