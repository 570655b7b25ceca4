//! What a client says.

use crate::Level;
use crate::schema::Fields;
use parlor_rules::{Chips, Json, json};
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};
use ts_rs::TS;

/// The version of what is said. A server speaks exactly one.
pub const VERSION: u16 = 1;

/// What a client says.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema, TS)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub enum Say {
    /// The first message: who is there. With a token the account it belongs to, otherwise a new
    /// guest by this name.
    Hello {
        /// [`VERSION`].
        version: u16,
        /// What an earlier `welcome` gave.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        token: Option<String>,
        /// The name of a new guest.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        name: Option<String>,
        /// The language of a new guest.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        language: Option<Language>,
        /// Whether every update shows the whole; usually so.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        views: Option<bool>,
    },
    /// Asks who one is and what one has; with a language, speaks that from now on.
    Account {
        /// The language.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        language: Option<Language>,
    },
    /// Gives the account a password, so that it can be come back to from elsewhere.
    Claim {
        /// The password.
        password: String,
    },
    /// Signs in to a claimed account, in place of `hello`.
    Login {
        /// [`VERSION`].
        version: u16,
        /// The account's name.
        name: String,
        /// Its password.
        password: String,
        /// As with `hello`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        views: Option<bool>,
    },
    /// Makes the token of this connection worthless.
    Logout {},
    /// Asks for the tables one can sit down at or watch; with `watch` also whenever that changes.
    Lobby {
        /// Whether to be told of changes.
        #[serde(default)]
        #[ts(optional, as = "Option<bool>")]
        watch: bool,
    },
    /// Opens a table.
    Create {
        /// The key of its game.
        game: String,
        /// How many seats; as many as the game needs if it is not said.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        seats: Option<u8>,
        /// The options of the game.
        #[serde(default)]
        #[ts(optional, as = "Option<Fields>")]
        config: Map<String, Value>,
        /// The options of the table.
        #[serde(default)]
        #[ts(optional, as = "Option<Fields>")]
        options: Map<String, Value>,
        /// Who finds it.
        #[serde(default)]
        #[ts(optional, as = "Option<Access>")]
        access: Access,
    },
    /// Sits down.
    Sit {
        /// The table.
        table: String,
        /// The chair, from 0; any if it is not said.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        seat: Option<u8>,
        /// What is brought along, where people bring chips.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(with = "Option<f64>")]
        #[ts(type = "number | null")]
        chips: Option<Chips>,
        /// The key of a private table.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        key: Option<String>,
        /// The end of the hash chain from which one will add to chance, as 64 hex digits.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        tip: Option<String>,
    },
    /// Brings more chips to where one sits.
    TopUp {
        /// The table.
        table: String,
        /// How many.
        #[schemars(with = "f64")]
        #[ts(type = "number")]
        chips: Chips,
    },
    /// Asks the house to take a chair.
    House {
        /// The table.
        table: String,
        /// How well it is to play.
        #[serde(default)]
        level: Level,
        /// The chair; any if it is not said.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        seat: Option<u8>,
        /// What it brings along, where people bring chips.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(with = "Option<f64>")]
        #[ts(type = "number | null")]
        chips: Option<Chips>,
    },
    /// Looks at a table, or takes up one's own seat again after a lost connection. From then on its
    /// updates come; the first shows how it stands, unless `epoch` and `seq` are those of the last
    /// update seen and all since is still known.
    Watch {
        /// The table.
        table: String,
        /// The key of a private table.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        key: Option<String>,
        /// The epoch of the last update seen.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        epoch: Option<u32>,
        /// Its number.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        seq: Option<u64>,
    },
    /// Says something to the rules.
    Play {
        /// The table.
        table: String,
        /// The number of the question it answers, where it answers one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        ask: Option<u64>,
        /// A command of the game.
        #[serde(deserialize_with = "written")]
        #[schemars(with = "Value")]
        #[ts(type = "unknown")]
        command: Json,
        /// What it adds to the dice: the next link of the own hash chain, as 64 hex digits.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        link: Option<String>,
    },
    /// Adds to the next shuffle.
    Release {
        /// The table.
        table: String,
        /// The next link of the own hash chain, as 64 hex digits.
        link: String,
    },
    /// Asks for what is needed to check dice and cards.
    Proof {
        /// The table.
        table: String,
    },
    /// Proposes something to the others at a table.
    Offer {
        /// The table.
        table: String,
        /// What.
        what: Offer,
    },
    /// Answers what another has proposed.
    Answer {
        /// The table.
        table: String,
        /// What.
        what: Offer,
        /// Yes or no.
        accept: bool,
    },
    /// Gets up, or stops watching. Who gets up in the middle of a game loses it; from where people
    /// come and go one takes one's chips along.
    Leave {
        /// The table.
        table: String,
    },
    /// Says something to the people at a table.
    Chat {
        /// The table.
        table: String,
        /// What, at most 200 characters.
        text: String,
    },
    /// Waits for an opponent, or, where people come and go, for a chair.
    Queue {
        /// The key of the game.
        game: String,
        /// Its options; only those who want the same meet.
        #[serde(default)]
        #[ts(optional, as = "Option<Fields>")]
        config: Map<String, Value>,
        /// Whether it counts for ratings; only those who want the same meet.
        #[serde(default)]
        #[ts(optional, as = "Option<bool>")]
        ranked: bool,
        /// What is brought along, where people bring chips.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(with = "Option<f64>")]
        #[ts(type = "number | null")]
        chips: Option<Chips>,
        /// After how many seconds the house steps in; never if it is not said.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        house_after_s: Option<u32>,
        /// How well it is to play then.
        #[serde(default)]
        level: Level,
    },
    /// Waits no more.
    Unqueue {},
    /// Asks for an answer and nothing else.
    Ping {},
}

/// Who finds a table.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "snake_case")]
pub enum Access {
    /// Everyone, in the lobby.
    #[default]
    Open,
    /// Who has its key.
    Private,
    /// Everyone, in the lobby, and it counts for ratings.
    Ranked,
}

/// What people at a table can propose to each other, whatever they play.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "snake_case")]
pub enum Offer {
    /// The same again, at a new table with the chairs exchanged.
    Rematch,
}

/// The language of a person.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "snake_case")]
pub enum Language {
    /// English.
    #[default]
    En,
    /// Russian.
    Ru,
    /// Vietnamese.
    Vi,
}

/// Reads a value and writes it as we write it.
fn written<'de, D: Deserializer<'de>>(d: D) -> Result<Json, D::Error> {
    Value::deserialize(d).map(|value| json(&value))
}
