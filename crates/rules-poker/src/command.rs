//! What a seat may say.

use crate::seats::Intent;
use parlor_rules::{Chips, Object};
use serde::{Deserialize, Deserializer, Serialize};

/// What a seat may say.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Command {
    /// Give up the hand.
    Fold {},
    /// Bet nothing.
    Check {},
    /// Match the bet, or as much of it as there is.
    Call {},
    /// Bet or raise.
    Raise {
        /// Up to this bet in this round.
        to: Chips,
    },
    /// Show the cards, after the hand.
    Show {},
    /// Play, pause or leave.
    Intent {
        /// What is wanted from now on.
        intent: Intent,
    },
    /// Say beforehand what to do, or take that back.
    Pre {
        /// What.
        pre: Option<Pre>,
    },
}

/// What is done as soon as the turn comes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Pre {
    /// Fold.
    Fold,
    /// Check where that is free, otherwise fold.
    CheckFold,
    /// Check or call, whatever it costs.
    CallAny,
}

impl Pre {
    /// All there are.
    pub const ALL: [Self; 3] = [Self::Fold, Self::CheckFold, Self::CallAny];
}

impl<'de> Deserialize<'de> for Command {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
        enum Read {
            Fold {},
            Check {},
            Call {},
            Raise {
                to: Chips,
            },
            Show {},
            Intent {
                intent: Intent,
            },
            // Named, since without it a missing field would be read as null.
            Pre {
                #[serde(deserialize_with = "Option::deserialize")]
                pre: Option<Pre>,
            },
        }
        let Object(read) = Object::deserialize(d)?;
        Ok(match read {
            Read::Fold {} => Self::Fold {},
            Read::Check {} => Self::Check {},
            Read::Call {} => Self::Call {},
            Read::Raise { to } => Self::Raise { to },
            Read::Show {} => Self::Show {},
            Read::Intent { intent } => Self::Intent { intent },
            Read::Pre { pre } => Self::Pre { pre },
        })
    }
}
