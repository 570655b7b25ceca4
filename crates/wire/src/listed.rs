//! Games and tables as everyone is shown them.

use crate::{Access, Level};
use parlor_rules::{Json, Unit};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use ts_rs::TS;

/// A game that is hosted.
#[derive(Clone, Debug, Serialize, JsonSchema, TS)]
pub struct Game {
    /// Its key.
    pub game: String,
    /// The edition of its rules.
    pub edition: u16,
    /// The least and the most seats.
    pub seats: [u8; 2],
    /// Whether people join and leave while it goes on.
    pub comes_and_goes: bool,
    /// What it is played for.
    #[schemars(with = "String")]
    #[ts(type = "\"chips\" | \"tokens\"")]
    pub unit: Unit,
    /// Whether the house plays it.
    pub house: bool,
    /// Every code its rules may refuse with.
    pub codes: Vec<String>,
    /// Its usual options.
    #[schemars(with = "Map<String, Value>")]
    #[ts(type = "Record<string, unknown>")]
    pub config: Json,
    /// The files its tables have.
    pub files: Vec<String>,
    /// The documents its tables have.
    pub documents: Vec<String>,
}

/// A table as the lobby shows it.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema, TS)]
pub struct Listed {
    /// Its name.
    pub table: String,
    /// The key of its game.
    pub game: String,
    /// The options of the game, in full.
    #[schemars(with = "Map<String, Value>")]
    #[ts(type = "Record<string, unknown>")]
    pub config: Json,
    /// Who finds it.
    pub access: Access,
    /// The chairs.
    pub chairs: Vec<Sitting>,
    /// How many watch.
    pub watchers: u32,
    /// Whether the game is over.
    pub over: bool,
}

/// A chair.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema, TS)]
#[serde(tag = "is", rename_all = "snake_case")]
pub enum Sitting {
    /// For anybody.
    Open {},
    /// Kept for somebody.
    Kept {},
    /// A person's.
    Taken {
        /// The name.
        name: String,
        /// Whether the person is there.
        here: bool,
    },
    /// The house's.
    House {
        /// How well it plays.
        level: Level,
    },
}

/// A seat's clock.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema, TS)]
pub struct Clock {
    /// Whose.
    pub seat: u8,
    /// What is left in reserve.
    pub reserve_ms: u64,
    /// When its time is up; none if none runs.
    pub until_ms: Option<u64>,
}
