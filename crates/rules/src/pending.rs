//! What a game waits for.

use crate::{Owner, Seat};
use serde::Serialize;

/// What a game waits for. Every owner has at most one deadline, and deadlines are durations: when
/// they started is the table's business.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Pending {
    /// Somebody has to answer, or time has to pass.
    Waiting {
        /// The seats that are asked.
        seats: Vec<Asked>,
        /// After how long the table goes on by itself.
        table_within_ms: Option<u64>,
    },
    /// Nothing is in play; the house has to say something first.
    Rest,
    /// The game is over and stays so.
    Over,
}

/// A seat that is asked.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct Asked {
    /// Who.
    pub seat: Seat,
    /// Within how long; none if the rules set no limit (a table's clock still may).
    pub within_ms: Option<u64>,
}

impl Pending {
    /// One seat is asked, and the rules set it no limit.
    pub fn seat(seat: Seat) -> Self {
        Self::Waiting { seats: vec![Asked { seat, within_ms: None }], table_within_ms: None }
    }

    /// The table goes on by itself.
    pub fn table(within_ms: u64) -> Self {
        Self::Waiting { seats: Vec::new(), table_within_ms: Some(within_ms) }
    }

    /// The seats that are asked.
    pub fn asked(&self) -> &[Asked] {
        match self {
            Self::Waiting { seats, .. } => seats,
            Self::Rest | Self::Over => &[],
        }
    }

    /// Everyone whose time can run out: every seat that is asked, since a table may put any
    /// question on a clock, and the table itself while its deadline runs.
    pub fn owners(&self) -> Vec<Owner> {
        let table = match self {
            Self::Waiting { table_within_ms, .. } => table_within_ms.map(|_| Owner::Table),
            Self::Rest | Self::Over => None,
        };
        self.asked().iter().map(|asked| Owner::Seat(asked.seat)).chain(table).collect()
    }
}
