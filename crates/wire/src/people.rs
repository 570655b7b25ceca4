//! Who plays, how well, and what was played.

use crate::Language;
use parlor_rules::Chips;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// Who one is.
#[derive(Clone, Debug, Serialize, JsonSchema, TS)]
pub struct Me {
    /// The number of the account.
    pub account: u64,
    /// Its name.
    pub name: String,
    /// Whether it has no password.
    pub guest: bool,
    /// The language.
    pub language: Language,
    /// Play chips.
    #[schemars(with = "f64")]
    #[ts(type = "number")]
    pub chips: Chips,
    /// Tokens.
    #[schemars(with = "f64")]
    #[ts(type = "number")]
    pub tokens: Chips,
    /// The ratings.
    pub ratings: Vec<Rated>,
}

/// A rating.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema, TS)]
pub struct Rated {
    /// The key of the game.
    pub game: String,
    /// The rules it was won under.
    pub set: String,
    /// The rating itself.
    pub rating: f64,
    /// How far off it may be; none where the scale knows of none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub deviation: Option<f64>,
    /// Whether it is still a guess.
    pub provisional: bool,
    /// How many games it rests on.
    pub games: u32,
}

/// A table that was played to its end.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema, TS)]
pub struct Played {
    /// Its name.
    pub table: String,
    /// The key of its game.
    pub game: String,
    /// When it ended, in milliseconds since 1970.
    pub at_ms: u64,
    /// The own chair.
    pub seat: u8,
    /// The names on the chairs.
    pub names: Vec<String>,
    /// How it ended for oneself.
    pub result: Ended,
    /// What it did to the own rating; none if it did not count.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rating: Option<Change>,
}

/// How a table ended for somebody.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "snake_case")]
pub enum Ended {
    /// Well.
    Won,
    /// Not so well.
    Lost,
    /// Well for nobody.
    Drawn,
    /// It was not played to its end.
    Void,
}

/// What a table did to a rating.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema, TS)]
pub struct Change {
    /// The rules it was played under.
    pub set: String,
    /// Before.
    pub before: f64,
    /// After.
    pub after: f64,
}

/// A place on a leaderboard.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema, TS)]
pub struct Leader {
    /// The name.
    pub name: String,
    /// The rating.
    #[serde(flatten)]
    pub rated: Rated,
}

/// What everyone may know of somebody.
#[derive(Clone, Debug, Serialize, JsonSchema, TS)]
pub struct Player {
    /// The name.
    pub name: String,
    /// The ratings.
    pub ratings: Vec<Rated>,
    /// How they came about, the newest first.
    pub course: Vec<Counted>,
}

/// A table that counted for a rating.
#[derive(Clone, Debug, Serialize, JsonSchema, TS)]
pub struct Counted {
    /// The key of its game.
    pub game: String,
    /// When it ended, in milliseconds since 1970.
    pub at_ms: u64,
    /// What it did to the rating.
    pub rating: Change,
}
