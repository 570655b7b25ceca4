//! What a table is made with.

use crate::keys::Keys;
use crate::log::{Bytes32, TableId};
use crate::options::Options;
use parlor_rules::{AnyGame, Json};
use serde::{Deserialize, Serialize};

/// The first line of a log: what is fixed for as long as the table lasts.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Header {
    /// The name of the table.
    pub table: TableId,
    /// The key of its game.
    pub game: String,
    /// The edition of the game's rules.
    pub edition: u16,
    /// The options of the game.
    pub config: Json,
    /// The number of seats.
    pub seats: u8,
    /// The options of the table.
    pub options: Options,
    /// The time it was made, in milliseconds since 1970.
    pub created_ms: u64,
    /// The commitment to the secret of the dice.
    pub dice: Bytes32,
    /// The root of the first hand's deck; none if there are no cards.
    pub root: Option<Bytes32>,
}

/// What [`Table::open`](crate::Table::open) needs.
pub struct NewTable<'a> {
    /// The name of the table.
    pub table: TableId,
    /// Its game.
    pub game: &'a dyn AnyGame,
    /// The options of the game.
    pub config: Json,
    /// The number of seats.
    pub seats: u8,
    /// The options of the table.
    pub options: Options,
    /// The secrets of the table.
    pub keys: Keys,
    /// The present time.
    pub now_ms: u64,
}
