//! What has happened.

use crate::board::Point;
use crate::swap2::Choice;
use parlor_rules::Seat;
use serde::{Deserialize, Serialize};

/// A fact of a game.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub enum Event {
    /// The game begins.
    Begun {
        /// Who opens it: the first player of Swap 2, or without it black.
        opener: Seat,
    },
    /// A stone of the opening lies.
    StonePlaced {
        /// Who laid it.
        seat: Seat,
        /// The column.
        x: u8,
        /// The row.
        y: u8,
        /// Whether the house laid it because the time was up.
        auto: bool,
    },
    /// A choice was made.
    ChoiceMade {
        /// Who made it.
        seat: Seat,
        /// What was chosen.
        #[serde(deserialize_with = "parlor_rules::doc::word")]
        choice: Choice,
        /// Whether the house made it because the time was up.
        auto: bool,
    },
    /// A stone of the game lies. It declines an open offer of the other seat.
    Moved {
        /// Who laid it.
        seat: Seat,
        /// The column.
        x: u8,
        /// The row.
        y: u8,
    },
    /// An offer is open.
    Offered {
        /// Who makes it.
        seat: Seat,
        /// What is offered.
        #[serde(deserialize_with = "parlor_rules::doc::word")]
        offer: Offer,
    },
    /// It was declined.
    Declined {
        /// Who declined.
        seat: Seat,
        /// What was offered.
        #[serde(deserialize_with = "parlor_rules::doc::word")]
        offer: Offer,
    },
    /// Stones of the game were taken back.
    TakenBack {
        /// Who had asked for it.
        seat: Seat,
        /// How many stones, 1 or 2.
        stones: u8,
    },
    /// The game is over.
    Finished {
        /// Who won; none if nobody did.
        winner: Option<Seat>,
        /// How it came about.
        #[serde(deserialize_with = "parlor_rules::doc::word")]
        reason: Reason,
        /// The winning row; empty if it was not won by one.
        line: Vec<Point>,
    },
}

/// What one seat may offer the other.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Offer {
    /// That nobody wins.
    Draw,
    /// That the offerer's last stone be taken back.
    Takeback,
}

impl Offer {
    /// Its word.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Draw => "draw",
            Self::Takeback => "takeback",
        }
    }
}

/// How a game came to its end.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// A row that wins.
    Row,
    /// No point is left to play.
    Full,
    /// Both agreed to a draw.
    Agreed,
    /// Somebody resigned.
    Resigned,
    /// A clock ran out.
    Timeout,
    /// A player was gone for good.
    Left,
    /// The table was closed.
    Closed,
}
