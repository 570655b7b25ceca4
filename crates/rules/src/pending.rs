//! What a game waits for.

use crate::{Owner, Seat};
use serde::Serialize;
use smallvec::{SmallVec, smallvec};

/// What a game waits for. Every owner has at most one deadline, and deadlines are durations: when
/// they started is the table's business.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Pending {
    /// Somebody has to answer, or time has to pass.
    Waiting {
        /// The seats that are asked.
        seats: AskedSeats,
        /// When the table goes on by itself.
        table: Option<Deadline>,
        /// Whether it is a secret who of the seats has answered already.
        secret: bool,
    },
    /// Nothing is in play; the house has to say something first.
    Rest,
    /// The game is over and stays so.
    Over,
}

/// The seats that are asked: most games ask one or two.
pub type AskedSeats = SmallVec<[Asked; 2]>;

/// A seat that is asked.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct Asked {
    /// Who.
    pub seat: Seat,
    /// Which question, where a seat may be asked again without a break: another number is another
    /// question, and its time starts anew.
    pub of: u64,
    /// Within how long; none if the rules set no limit (a table's clock still may).
    pub within_ms: Option<u64>,
}

/// When the table goes on by itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct Deadline {
    /// Which deadline: another number is another one, and its time starts anew.
    pub of: u64,
    /// After how long.
    pub within_ms: u64,
}

impl Pending {
    /// One seat is asked, and the rules set it no limit.
    pub fn seat(seat: Seat) -> Self {
        let seats = smallvec![Asked { seat, of: 0, within_ms: None }];
        Self::Waiting { seats, table: None, secret: false }
    }

    /// The table goes on by itself.
    pub fn table(of: u64, within_ms: u64) -> Self {
        let table = Some(Deadline { of, within_ms });
        Self::Waiting { seats: AskedSeats::new(), table, secret: false }
    }

    /// The seats that are asked.
    pub fn asked(&self) -> &[Asked] {
        match self {
            Self::Waiting { seats, .. } => seats,
            Self::Rest | Self::Over => &[],
        }
    }

    /// Whether it is a secret who has answered already.
    pub fn secret(&self) -> bool {
        matches!(self, Self::Waiting { secret: true, .. })
    }

    /// The deadline of the table, if one runs.
    pub fn deadline(&self) -> Option<Deadline> {
        match self {
            Self::Waiting { table, .. } => *table,
            Self::Rest | Self::Over => None,
        }
    }

    /// Everyone whose time can run out: every seat that is asked, since a table may put any
    /// question on a clock, and the table itself while its deadline runs.
    pub fn owners(&self) -> Vec<Owner> {
        let table = self.deadline().map(|_| Owner::Table);
        self.asked().iter().map(|asked| Owner::Seat(asked.seat)).chain(table).collect()
    }
}
