use crate::Sitting;
use parlor_rules::Json;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};
use ts_rs::TS;

/// What somebody has seen of a table, or a part of it.
#[derive(Clone, Debug, Serialize, JsonSchema, TS)]
pub struct Replay {
    /// Its name.
    pub table: String,
    /// The key of its game.
    pub game: String,
    /// The options of the game, in full.
    #[schemars(with = "Map<String, Value>")]
    #[ts(type = "Record<string, unknown>")]
    pub config: Json,
    /// Whether the game is over.
    pub over: bool,
    /// The number of the first of these scenes, from 0.
    pub from: u32,
    /// How many scenes there are so far.
    pub count: u32,
    /// The scenes, in order.
    pub scenes: Vec<Scene>,
}

/// What somebody saw at one moment.
#[derive(Clone, Debug, Serialize, JsonSchema, TS)]
pub struct Scene {
    /// When, in milliseconds since 1970.
    pub at_ms: u64,
    /// The own chair then; none: watching.
    pub you: Option<u8>,
    /// The chairs then. Everybody counts as being there.
    pub chairs: Vec<Sitting>,
    /// What was seen to happen.
    #[schemars(with = "Vec<Value>")]
    #[ts(type = "unknown[]")]
    pub sights: Vec<Json>,
    /// All there was to see then.
    #[schemars(with = "Value")]
    #[ts(type = "unknown")]
    pub view: Json,
}
