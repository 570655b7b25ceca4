//! One table, without I/O, without a clock and without randomness of its own.
//!
//! A move takes one path. [`Table::submit`] decides it and gives an entry to be stored. A journal
//! stores the entry. [`Table::commit`] applies it and gives an [`Update`] for every audience that
//! sees something new.

#![warn(clippy::too_many_lines)]

pub mod act;
mod admit;
mod audience;
pub mod audit;
pub mod fair;
mod header;
mod ids;
mod keys;
pub mod log;
pub mod options;
mod position;
mod presence;
pub mod proof;
mod replay;
mod table;
pub mod time;

pub use act::{Act, Chair, Desk, Who};
pub use audience::{Update, View};
pub use header::{Header, NewTable};
pub use keys::Keys;
pub use log::{Bytes32, Sealed, Stored, TableId, Tail};
pub use options::{Clock, Options};
pub use replay::{Eyes, Replay, Scene};
pub use table::{PendingEntry, Stamp, Submitted, Table};
