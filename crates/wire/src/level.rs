//! How well a house player plays.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;
use ts_rs::TS;

/// How well a house player plays. The weaker ones err as people do, not as dice do.
#[derive(
    Clone,
    Copy,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Debug,
    Default,
    Serialize,
    Deserialize,
    JsonSchema,
    TS,
)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// For who has just learnt the rules.
    Easy,
    /// For who plays now and then.
    #[default]
    Medium,
    /// As well as the house can.
    Hard,
}

impl Level {
    /// All of them, the weakest first.
    pub const ALL: [Self; 3] = [Self::Easy, Self::Medium, Self::Hard];

    /// Its word.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Easy => "easy",
            Self::Medium => "medium",
            Self::Hard => "hard",
        }
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A word that is no level.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("a level is easy, medium or hard")]
pub struct NoLevel;

impl FromStr for Level {
    type Err = NoLevel;

    fn from_str(word: &str) -> Result<Self, NoLevel> {
        Self::ALL.into_iter().find(|level| level.name() == word).ok_or(NoLevel)
    }
}
