//! Accounts, and what belongs to them: names, passwords and tokens; chips; ratings and histories.
//!
//! All of it are records of the journal. Effects of a table's entry are stored with the entry, or not
//! at all. Nothing here knows of a connection, and nothing reads a clock.

#![warn(clippy::too_many_lines)]

mod accounts;
pub mod bank;
mod chance;
mod kept;
pub mod results;

pub use accounts::{Account, Accounts, Authenticated};
pub use bank::Bank;
pub use chance::{Chance, Fill};
pub use kept::Kept;
pub use results::{Finished, Results};

use parlor_journal::Effect;

/// A record that is to be so from now on, or no more.
pub fn put(kind: &str, key: String, value: Option<String>) -> Effect {
    Effect::Put { kind: kind.to_owned(), key, value }
}
