//! What can happen at a table.

use crate::card::Cards;
use crate::command::Pre;
use crate::notation::Line;
use crate::seats::{Column, Intent};
use crate::variant::{self, NT, Variant};
use parlor_rules::{Chips, Seat};
use serde::{Deserialize, Serialize};

fn holdem() -> &'static Variant {
    &NT
}

fn is_holdem(variant: &&'static Variant) -> bool {
    **variant == NT
}

/// What has happened; lists are in the order of the row of players.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub enum Event {
    /// The table is open.
    Begun {},
    /// Somebody sat down.
    Joined {
        /// Where.
        seat: Seat,
        /// With what.
        chips: Chips,
    },
    /// Somebody added chips.
    Topped {
        /// Who.
        seat: Seat,
        /// How many.
        chips: Chips,
    },
    /// Somebody wants to play, to pause or to leave.
    Wished {
        /// Who.
        seat: Seat,
        /// What.
        intent: Intent,
    },
    /// Somebody has said beforehand what to do; nobody else knows.
    Prepared {
        /// Who.
        seat: Seat,
        /// What.
        pre: Option<Pre>,
    },
    /// Somebody was silent.
    Missed {
        /// Who.
        seat: Seat,
        /// How many turns in a row.
        turns: u8,
    },
    /// Somebody is gone, with these chips.
    Left {
        /// Who.
        seat: Seat,
        /// How many.
        chips: Chips,
    },
    /// A hand begins.
    HandBegun(Begun),
    /// Cards, a bet, a fold, as a hand history writes it; players are numbered by their place in the
    /// row. Of cards to others a viewer sees `????`.
    Act {
        /// What.
        act: Line,
    },
    /// The hand is over.
    HandEnded {
        /// What the players of the hand have now.
        stacks: Vec<Chips>,
        /// What the house took.
        raked: Chips,
    },
    /// The rest of the board of a hand that ended before, as it would have been.
    Rabbit {
        /// The cards.
        cards: Cards,
    },
    /// The table is closed, and everyone has their chips back; a hand in play is void.
    Closed {},
}

/// A hand, as it begins.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Begun {
    /// Its number, from 1.
    pub hand: u64,
    /// The row of players.
    pub row: Vec<Column>,
    /// What is played.
    #[serde(
        default = "holdem",
        deserialize_with = "variant::read",
        skip_serializing_if = "is_holdem"
    )]
    pub variant: &'static Variant,
    /// Who has the button, where no blinds tell it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub button: Option<Seat>,
    /// Whether nobody posts a blind, and the first round of betting is passed over.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub bomb: bool,
}
