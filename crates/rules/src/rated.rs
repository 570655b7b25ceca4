//! What a rating needs to know of a table.

use crate::Seat;
use serde::{Deserialize, Serialize};

/// How a table ended, as far as a rating is concerned.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// This seat won; the others lost.
    Won(Seat),
    /// It was played, and nobody won.
    Drawn,
    /// It counts for nobody: it was closed before it came to anything, or is of no such kind.
    Void,
}

/// What a table is rated as.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Rated {
    /// The rule set: who plays several of them has a rating in each.
    pub set: String,
    /// How it is counted.
    pub scale: Scale,
}

impl Rated {
    /// A rule set counted by Glicko-2.
    pub fn glicko2(set: impl Into<String>) -> Self {
        Self { set: set.into(), scale: Scale::Glicko2 }
    }
}

/// How ratings are counted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Scale {
    /// By Glicko-2.
    Glicko2,
    /// As on FIBS, by the length of the match.
    Fibs {
        /// Points to win the match.
        length: u32,
    },
}
