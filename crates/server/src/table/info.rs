//! What does not change about a table while it is open.

use parlor_journal::{Effect, Reader};
use parlor_rules::{AnyGame, Json, Refusal, Unit};
use parlor_table::{Header, Options, TableId};
use parlor_wire::Access;
use serde::{Deserialize, Serialize};
use std::net::IpAddr;

/// The kind of the records that are kept beside a table's log.
const TABLE: &str = "table";

/// What is kept of a table beside its log.
#[derive(Clone, Default, Serialize, Deserialize)]
pub(crate) struct Kept {
    #[serde(default)]
    pub(crate) access: Access,
    /// The key of a private table; none if everyone may come in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) key: Option<String>,
    /// The account that opened it; none if the house did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) by: Option<u64>,
}

impl Kept {
    /// Reads what is kept of a table.
    pub(crate) async fn of(log: &dyn Reader, table: &TableId) -> Result<Self, Refusal> {
        let kept = log.record(TABLE, table.as_str()).await?;
        Ok(kept.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default())
    }

    /// Stores it, with the table.
    pub(crate) fn effect(&self, table: &TableId) -> Effect {
        Effect::Put {
            kind: TABLE.to_owned(),
            key: table.to_string(),
            value: Some(parlor_rules::json(self).get().to_owned()),
        }
    }
}

/// What does not change about a table while it is open.
pub(crate) struct TableInfo {
    pub(crate) id: TableId,
    pub(crate) game: String,
    /// The options of the game, in full.
    pub(crate) config: Json,
    /// The options of the table.
    pub(crate) options: Options,
    /// What is played for.
    pub(crate) unit: Unit,
    /// Whether people join and leave while the game goes on.
    pub(crate) open_seating: bool,
    pub(crate) kept: Kept,
    /// The address it was opened from, as long as the server runs.
    pub(crate) from: Option<IpAddr>,
}

impl TableInfo {
    pub(crate) fn new(
        header: &Header,
        game: Option<&dyn AnyGame>,
        kept: Kept,
        from: Option<IpAddr>,
    ) -> Self {
        Self {
            id: header.table.clone(),
            game: header.game.clone(),
            config: header.config.clone(),
            options: header.options.clone(),
            unit: game.map_or(Unit::Chips, AnyGame::unit),
            open_seating: game.is_some_and(AnyGame::comes_and_goes),
            kept,
            from,
        }
    }
}
