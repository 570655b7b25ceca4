//! What a client and the server say to each other: JSON texts, one a WebSocket frame.
//!
//! Every type is closed: what is not named here is refused. A client's message is a [`Request`]: it
//! carries an `id` of the client's own, and exactly one answer comes back with the same `id`. All
//! else comes by itself. [`schema`] and [`typescript`] give the same types to other languages.
//!
//! ```
//! use parlor_wire::{Request, Say};
//!
//! let text = r#"{"id":"1","type":"play","table":"t-1","ask":7,"command":{"type":"roll"}}"#;
//! let request = Request::read(text)?;
//! assert_eq!(request.id, "1");
//! assert!(matches!(request.say, Say::Play { ask: Some(7), .. }));
//! # Ok::<(), parlor_rules::Refusal>(())
//! ```

pub mod dialect;
mod level;
mod people;
mod replay;
mod tell;

pub use level::{Level, NoLevel};
pub use people::{Change, Counted, Ended, Leader, Me, Played, Player, Rated};
pub use replay::{Replay, Scene};
pub use tell::Tell;

use parlor_rules::{Chips, Json, Refusal, Unit, json};
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use std::borrow::Cow;
use ts_rs::TS;

/// The version of what is said. A server speaks exactly one.
pub const VERSION: u16 = 1;

/// The longest message a client may send, in bytes.
pub const LONGEST: usize = 4 * 1024;

/// How many letters a name has.
pub const NAME_LENGTH: std::ops::RangeInclusive<usize> = 2..=24;

/// Whether a name may hold this letter. Some letters are nothing to look at.
pub fn fits_a_name(c: char) -> bool {
    let unseen = matches!(c, '\u{115f}' | '\u{1160}' | '\u{3164}' | '\u{ffa0}');
    (c.is_alphanumeric() && !unseen) || matches!(c, ' ' | '-' | '_' | '.')
}

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

/// Fields that only a game or a table knows, in TypeScript.
struct Fields;

impl TS for Fields {
    type WithoutGenerics = Self;
    type OptionInnerType = Self;

    fn name() -> String {
        "Record<string, unknown>".to_owned()
    }

    fn inline() -> String {
        Self::name()
    }

    fn inline_flattened() -> String {
        Self::name()
    }

    fn decl() -> String {
        String::new()
    }

    fn decl_concrete() -> String {
        String::new()
    }
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

/// A message of a client.
#[derive(Clone, Debug, Serialize)]
pub struct Request {
    /// The client's own name for it, at most 64 bytes.
    pub id: String,
    /// What it says.
    #[serde(flatten)]
    pub say: Say,
}

impl Request {
    /// Reads a message.
    pub fn read(text: &str) -> Result<Self, Refusal> {
        if let Some(play) = Play::read(text) {
            return Ok(play);
        }
        let Value::Object(mut map) = dialect::value(text)? else {
            return Err(Refusal::malformed("a message is an object"));
        };
        let id = match map.remove("id") {
            Some(Value::String(id)) if is_id(&id) => id,
            _ => return Err(Refusal::malformed("id: needs a text of 1 to 64 bytes")),
        };
        match serde_json::from_value(Value::Object(map)) {
            Ok(say) => Ok(Self { id, say }),
            Err(error) => {
                let mut refusal = Refusal::malformed(error.to_string());
                refusal.facts.insert("id".to_owned(), id.into());
                Err(refusal)
            }
        }
    }
}

fn is_id(text: &str) -> bool {
    (1..=64).contains(&text.len())
}

/// What is said most, a move, as most write it. What looks otherwise in any way is none, and is read
/// like everything else.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Play<'a> {
    id: &'a str,
    r#type: &'a str,
    table: &'a str,
    #[serde(default)]
    ask: Option<u64>,
    #[serde(borrow)]
    command: &'a RawValue,
    #[serde(default)]
    link: Option<&'a str>,
}

impl Play<'_> {
    fn read(text: &str) -> Option<Request> {
        // A list of the same values would be read too.
        if !text.starts_with('{') {
            return None;
        }
        let Play { id, r#type, table, ask, command, link } = serde_json::from_str(text).ok()?;
        if r#type != "play" || !is_id(id) {
            return None;
        }
        let (table, link) = (table.to_owned(), link.map(str::to_owned));
        let command = match is_plain(command.get()) {
            true => command.to_owned().into(),
            false => json(&dialect::value(command.get()).ok()?),
        };
        Some(Request { id: id.to_owned(), say: Say::Play { table, ask, command, link } })
    }
}

/// Reads a value and writes it as we write it.
fn written<'de, D: Deserializer<'de>>(d: D) -> Result<Json, D::Error> {
    Value::deserialize(d).map(|value| json(&value))
}

/// Whether some JSON is certainly written as we write it: an object of words, small numbers and the
/// like, its fields in their order and without a gap.
fn is_plain(text: &str) -> bool {
    fn word(text: &str) -> Option<(&str, &str)> {
        let (word, rest) = text.strip_prefix('"')?.split_once('"')?;
        word.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_').then_some((word, rest))
    }
    fn value(text: &str) -> Option<&str> {
        if let Some((_, rest)) = word(text) {
            return Some(rest);
        }
        let (value, rest) = text.split_at(text.find([',', '}'])?);
        let number = || {
            let digits = value.bytes().all(|b| b.is_ascii_digit());
            digits && (1..=9).contains(&value.len()) && (value == "0" || !value.starts_with('0'))
        };
        (matches!(value, "true" | "false" | "null") || number()).then_some(rest)
    }
    fn fields(mut text: &str) -> Option<bool> {
        let mut last = "";
        loop {
            let (name, rest) = word(text)?;
            let rest = value(rest.strip_prefix(':')?)?;
            if name <= last {
                return None;
            }
            match rest.strip_prefix(',') {
                Some(next) => (text, last) = (next, name),
                None => return Some(rest == "}"),
            }
        }
    }
    text.strip_prefix('{').and_then(fields).unwrap_or(false)
}

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

impl JsonSchema for Request {
    fn schema_name() -> Cow<'static, str> {
        "Request".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let mut schema = Say::json_schema(generator);
        let says = schema.get_mut("oneOf").and_then(Value::as_array_mut);
        for say in says.into_iter().flatten() {
            say["properties"]["id"] = serde_json::json!({
                "description": "The client's own name for it.",
                "type": "string",
                "minLength": 1,
                "maxLength": 64,
            });
            if let Some(required) = say["required"].as_array_mut() {
                required.push("id".into());
            }
        }
        schema.insert("description".to_owned(), "A message of a client.".into());
        schema
    }
}

/// The types as one JSON Schema, whose `$defs` are what a client says (`Request`), what the server
/// says (`Tell`), and what stands in them or is answered over HTTP.
pub fn schema() -> Value {
    let mut generator = SchemaSettings::draft2020_12().into_generator();
    let any =
        ["Request", "Tell"].map(|name| serde_json::json!({ "$ref": format!("#/$defs/{name}") }));
    generator.subschema_for::<Request>();
    generator.subschema_for::<Tell>();
    generator.subschema_for::<Game>();
    generator.subschema_for::<Leader>();
    generator.subschema_for::<Played>();
    generator.subschema_for::<Player>();
    generator.subschema_for::<Replay>();
    serde_json::json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Parlor",
        "description": "What a client and the server say to each other.",
        "anyOf": any,
        "$defs": generator.take_definitions(true),
    })
}

/// The types in TypeScript.
pub fn typescript() -> String {
    let exported = [
        Access::decl(),
        Change::decl(),
        Clock::decl(),
        Counted::decl(),
        Ended::decl(),
        Game::decl(),
        Language::decl(),
        Leader::decl(),
        Level::decl(),
        Listed::decl(),
        Me::decl(),
        Offer::decl(),
        Played::decl(),
        Player::decl(),
        Rated::decl(),
        Replay::decl(),
        "type Request = { id: string } & Say;".to_owned(),
        Say::decl(),
        Scene::decl(),
        Sitting::decl(),
        Tell::decl(),
    ];
    let types = exported.map(|decl| format!("export {decl}\n"));
    // JSON has one kind of number.
    let types = types.join("\n").replace("bigint", "number");
    format!("// Generated from the wire crate: `make types`.\n\n{types}")
}
