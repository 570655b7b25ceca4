//! What is allowed at tables.

use crate::Limit;
use serde::{Deserialize, Serialize};

/// What is allowed at tables, and how long they wait.
///
/// Every field has a default, so that a configuration names only what differs.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// Tables that one account has opened and that go on.
    pub per_account: Limit,
    /// Tables that were opened from one address and go on.
    pub per_address: Limit,
    /// How long a table stays in memory that nobody watches or sits at; one where the game is over is
    /// put away much sooner.
    pub linger_ms: u64,
    /// The longest pause of a house player.
    pub house_pause_ms: u64,
    /// House players that think at one time at tables that were opened from one address.
    pub thinking_per_address: Limit,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            per_account: Limit::at(20),
            per_address: Limit::at(100),
            linger_ms: 60_000,
            house_pause_ms: 2_500,
            thinking_per_address: Limit::at(1),
        }
    }
}

impl Settings {
    /// Nothing is limited: for measuring, and for a machine of one's own.
    pub fn without_limits() -> Self {
        Self {
            per_account: Limit::NONE,
            per_address: Limit::NONE,
            house_pause_ms: 0,
            thinking_per_address: Limit::NONE,
            ..Self::default()
        }
    }
}
