//! What a seat may say.

use crate::card::Cards;
use crate::seats::Intent;
use parlor_rules::{Chips, Closed, Faults, Fields, doc};
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
    /// Bring in, with the lowest open card.
    BringIn {},
    /// Give cards away to get others; none to keep all.
    Discard {
        /// Which.
        cards: Cards,
    },
    /// Show the cards, after the hand: all, or some.
    Show {
        /// Which; all if it is not said.
        #[serde(skip_serializing_if = "Option::is_none")]
        cards: Option<Cards>,
    },
    /// See the rest of the board, after a hand that ended before.
    Rabbit {},
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

const WORDS: &str = "fold, check, call, raise, bring_in, discard, show, rabbit, intent or pre";

impl Closed for Command {
    fn take(fields: &mut Fields, faults: &mut Faults) -> Option<Self> {
        let word: String = fields.take("type", WORDS, faults)?;
        match word.as_str() {
            "fold" => Some(Self::Fold {}),
            "check" => Some(Self::Check {}),
            "call" => Some(Self::Call {}),
            "raise" => fields.take("to", "an amount", faults).map(|to| Self::Raise { to }),
            "bring_in" => Some(Self::BringIn {}),
            "discard" => {
                let cards = fields.take("cards", "cards as AsKd, or nothing", faults);
                cards.map(|cards| Self::Discard { cards })
            }
            "show" => {
                let cards = fields.optional("cards", "cards as As, or nothing for all", faults);
                Some(Self::Show { cards })
            }
            "rabbit" => Some(Self::Rabbit {}),
            "intent" => {
                let intent = fields.take("intent", "a number from 0 to 3", faults);
                intent.map(|intent| Self::Intent { intent })
            }
            "pre" => {
                let pre = fields.take("pre", "fold, check_fold, call_any or null", faults);
                pre.map(|pre| Self::Pre { pre })
            }
            word => {
                faults.add("type", format!("there is no {word:?}; say {WORDS}"));
                None
            }
        }
    }
}

impl<'de> Deserialize<'de> for Command {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        doc::closed(d)
    }
}
