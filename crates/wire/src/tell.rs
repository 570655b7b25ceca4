//! What the server says.

use crate::schema::Fields;
use crate::{Clock, Listed, Me, Offer};
use parlor_rules::Json;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};
use std::sync::Arc;
use ts_rs::TS;

/// What the server says.
#[derive(Clone, Debug, Serialize, JsonSchema, TS)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Tell {
    /// The answer to `hello` and `login`.
    Welcome {
        /// The answer to this.
        id: String,
        /// The version of what is said.
        version: u16,
        /// Who one is.
        me: Me,
        /// What to say `hello` with next time, where it is new. It is told once.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        token: Option<String>,
        /// The tables one sits at.
        tables: Vec<String>,
        /// What time it is here, in milliseconds since 1970.
        now_ms: u64,
    },
    /// The answer to `account`.
    Account {
        /// The answer to this.
        id: String,
        /// Who one is.
        me: Me,
    },
    /// It is done, and as durable as it will be.
    Done {
        /// The answer to this.
        id: String,
    },
    /// It is not done, and nothing has changed.
    Refused {
        /// The answer to this; none if the message had none that could be read.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        id: Option<String>,
        /// A stable name for programs.
        code: String,
        /// A sentence for people.
        text: String,
        /// What else a program may want to know.
        #[serde(default, skip_serializing_if = "Map::is_empty")]
        #[ts(optional, as = "Option<Fields>")]
        facts: Map<String, Value>,
    },
    /// A table is open.
    Created {
        /// The answer to this.
        id: String,
        /// The table.
        table: String,
        /// What lets others in, if it is private.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        key: Option<String>,
    },
    /// One has a chair.
    Seated {
        /// The answer to this.
        id: String,
        /// The table.
        table: String,
        /// The chair, from 0.
        seat: u8,
        /// What lets another program play on this chair, and do nothing else. It is told once.
        token: String,
    },
    /// The answer to `proof`.
    Proof {
        /// The answer to this.
        id: String,
        /// The table.
        table: String,
        /// What the house has committed to for the dice.
        dice: String,
        /// The root of the next deck; none if there are no cards.
        root: Option<String>,
        /// The deck in play, with the cards one may see opened; null before the first.
        #[schemars(with = "Value")]
        #[ts(type = "unknown")]
        hand: Json,
    },
    /// The tables of the lobby.
    Tables {
        /// The answer to this; none if it comes by itself.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        id: Option<String>,
        /// They.
        // Written once for all who look at them.
        #[schemars(with = "Vec<Listed>")]
        #[ts(type = "Array<Listed>")]
        tables: Json,
    },
    /// Who sits at a table; it comes first, and whenever that changes.
    Table {
        /// How it is.
        #[serde(flatten)]
        listed: Listed,
        /// The own chair; none for a watcher.
        you: Option<u8>,
    },
    /// Something has happened at a table.
    Update {
        /// The table.
        #[schemars(with = "String")]
        #[ts(type = "string")]
        table: Arc<str>,
        /// Another number whenever the server has read the table anew: counts of another one say
        /// nothing.
        epoch: u32,
        /// The receiver's own count of updates of this table.
        seq: u64,
        /// What was seen to happen.
        #[schemars(with = "Vec<Value>")]
        #[ts(type = "unknown[]")]
        sights: Arc<[Json]>,
        /// What there is to see. Who has said hello with `views` as false is shown it only where
        /// `sights` do not tell how things came to stand so.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schemars(with = "Option<Value>")]
        #[ts(optional, type = "unknown")]
        view: Option<Json>,
        /// What one may say; none for a watcher.
        #[schemars(with = "Option<Value>")]
        #[ts(type = "unknown")]
        legal: Option<Json>,
        /// The number of the question one is asked.
        ask: Option<u64>,
        /// The clocks.
        clocks: Vec<Clock>,
        /// When the table goes on by itself, in milliseconds since 1970.
        until_ms: Option<u64>,
        /// Whether all clocks stand still.
        paused: bool,
        /// The root of the next deck, where there are cards.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        root: Option<String>,
        /// What time it is here.
        now_ms: u64,
    },
    /// Somebody has said something.
    Chat {
        /// The table.
        table: String,
        /// Who.
        from: String,
        /// What.
        text: String,
        /// When, in milliseconds since 1970.
        at_ms: u64,
    },
    /// The queue has found an opponent.
    Matched {
        /// The table.
        table: String,
        /// The own chair.
        seat: u8,
        /// What lets another program play on this chair, and do nothing else. It is told once.
        token: String,
    },
    /// Somebody proposes something.
    Offered {
        /// The table.
        table: String,
        /// What.
        what: Offer,
        /// The chair of who does.
        by: u8,
    },
    /// Somebody does not want what was proposed.
    Declined {
        /// The table.
        table: String,
        /// What.
        what: Offer,
        /// The chair of who does not.
        by: u8,
    },
    /// One sits there no more, and is told nothing more of it.
    Left {
        /// The table.
        table: String,
        /// A stable name for programs.
        code: String,
        /// A sentence for people.
        text: String,
    },
    /// The server ends the connection.
    Bye {
        /// A stable name for programs.
        code: String,
        /// A sentence for people.
        text: String,
    },
}

/// Most messages are no longer.
const USUAL: usize = 512;

impl Tell {
    /// The message as it goes over the wire: JSON in UTF-8.
    pub fn bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(USUAL);
        serde_json::to_writer(&mut bytes, self).expect("a message is JSON");
        bytes
    }
}
