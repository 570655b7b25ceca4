//! What the three authors may say.

use crate::{Chips, Owner, Seat};
use serde::{Deserialize, Serialize};

/// One input to a game. The JSON is the same in a log and at the referee.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Input<C> {
    /// A seat says something.
    Play {
        /// Who says it.
        seat: Seat,
        /// What it says.
        command: C,
    },
    /// A deadline has passed.
    Expire {
        /// Whose it was.
        // Named, since without it a missing field would be read as the table's.
        #[serde(deserialize_with = "Owner::deserialize")]
        seat: Owner,
    },
    /// The house says something.
    House(House),
}

impl<C> Input<C> {
    /// The same input with its command read as something else.
    pub fn try_map<D, E>(&self, read: impl FnOnce(&C) -> Result<D, E>) -> Result<Input<D>, E> {
        Ok(match self {
            Self::Play { seat, command } => Input::Play { seat: *seat, command: read(command)? },
            Self::Expire { seat } => Input::Expire { seat: *seat },
            Self::House(house) => Input::House(*house),
        })
    }

    /// The seat this input speaks of, if it speaks of one.
    pub fn seat(&self) -> Option<Seat> {
        match self {
            Self::Play { seat, .. } => Some(*seat),
            Self::Expire { seat } => (*seat).into(),
            Self::House(house) => house.seat(),
        }
    }
}

/// What the house may say.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum House {
    /// The game begins: roll or deal.
    Begin {},
    /// Someone sat down with so many chips.
    Joined {
        /// The chair.
        seat: Seat,
        /// What was brought along.
        chips: Chips,
    },
    /// Someone is gone for good.
    Left {
        /// The chair.
        seat: Seat,
    },
    /// Someone added chips.
    Topped {
        /// The chair.
        seat: Seat,
        /// What was added.
        chips: Chips,
    },
    /// The table closes.
    Close {},
}

impl House {
    fn seat(self) -> Option<Seat> {
        match self {
            Self::Joined { seat, .. } | Self::Left { seat } | Self::Topped { seat, .. } => {
                Some(seat)
            }
            Self::Begin {} | Self::Close {} => None,
        }
    }
}
