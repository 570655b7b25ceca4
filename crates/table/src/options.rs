//! The options of a table, whatever is played at it.

use serde::{Deserialize, Serialize};

/// The options of a table. Names carry their units.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Options {
    /// How long a player may think.
    pub clock: Clock,
    /// How long a seat may be gone before the rules hear of it; none is what the game says.
    pub disconnect_grace_ms: Option<u64>,
    /// How long everyone may be gone before the table is closed.
    pub abandon_after_s: u64,
    /// How far watchers are behind.
    pub watch_delay_ms: u64,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            clock: Clock::None,
            disconnect_grace_ms: None,
            abandon_after_s: 600,
            watch_delay_ms: 0,
        }
    }
}

impl Options {
    /// When a table that is empty since then is closed.
    pub(crate) fn abandoned_ms(&self, since_ms: u64) -> u64 {
        since_ms.saturating_add(self.abandon_after_s.saturating_mul(1_000))
    }
}

/// How long a player may think. Every kind is the same mechanism: some time is free for every
/// turn, what is used beyond it comes out of a reserve, and a turn may add to the reserve.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Clock {
    /// As long as the rules of the game allow.
    #[default]
    None,
    /// So long for every turn.
    PerMove {
        /// How long.
        per_move_ms: u64,
    },
    /// So long for the whole game.
    Game {
        /// For all turns together.
        reserve_ms: u64,
        /// Added after every turn.
        #[serde(default)]
        increment_ms: u64,
        /// Free at the beginning of every turn.
        #[serde(default)]
        delay_ms: u64,
    },
    /// So long for every turn, and a bank for the hard ones.
    Bank {
        /// For every turn.
        per_move_ms: u64,
        /// For all turns together, beyond that.
        bank_ms: u64,
    },
}

impl Clock {
    /// Whether there is a limit at all.
    pub fn runs(self) -> bool {
        self != Self::None
    }

    /// What a seat has in reserve at the beginning.
    pub fn reserve_ms(self) -> u64 {
        match self {
            Self::None | Self::PerMove { .. } => 0,
            Self::Game { reserve_ms, .. } => reserve_ms,
            Self::Bank { bank_ms, .. } => bank_ms,
        }
    }

    /// What costs nothing in every turn.
    pub fn free_ms(self) -> u64 {
        match self {
            Self::None => 0,
            Self::Game { delay_ms, .. } => delay_ms,
            Self::PerMove { per_move_ms } | Self::Bank { per_move_ms, .. } => per_move_ms,
        }
    }

    /// What every turn adds to the reserve.
    pub fn increment_ms(self) -> u64 {
        match self {
            Self::Game { increment_ms, .. } => increment_ms,
            _ => 0,
        }
    }
}
