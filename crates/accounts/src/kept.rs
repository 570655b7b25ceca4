//! The record of a table beside its log.

use crate::put;
use parlor_journal::{Effect, Reader};
use parlor_rules::Refusal;
use parlor_table::TableId;
use parlor_wire::Access;
use serde::{Deserialize, Serialize};

/// The kind of these records.
const TABLE: &str = "table";

/// The record of a table beside its log: who may come in, and who opened it.
#[derive(Clone, Default, Serialize, Deserialize)]
pub struct Kept {
    /// Its kind of access: open, private, or ranked.
    #[serde(default)]
    pub access: Access,
    /// The key of a private table; none if everyone may come in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// The account that opened it; none if the server did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<u64>,
}

impl Kept {
    /// Reads what is kept of a table.
    pub async fn of(log: &dyn Reader, table: &TableId) -> Result<Self, Refusal> {
        let kept = log.record(TABLE, table.as_str()).await?;
        Ok(kept.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default())
    }

    /// Stores it, with the table.
    pub fn effect(&self, table: &TableId) -> Effect {
        put(TABLE, table.to_string(), Some(parlor_rules::json(self).get().to_owned()))
    }
}
