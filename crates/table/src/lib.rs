//! One table, without I/O, without a clock and without randomness of its own.
//!
//! One move takes one straight path: [`Table::submit`] decides it and gives an [`Entry`];
//! a [`Journal`] stores the entry; [`Table::commit`] applies it and gives an [`Update`] for every
//! audience that sees something new. [`enter`] walks that path from end to end.

pub mod fair;
mod journal;
pub mod log;
mod table;

pub use journal::{Conflict, Journal, Memory};
pub use table::{Entry, Stamp, Submitted, Table, Update};

use parlor_rules::{Input, Json, Refusal};

/// Walks the one path of a move: decided, stored, and only then applied and told.
pub fn enter(
    table: &mut Table,
    journal: &mut impl Journal,
    input: Input<Json>,
    stamp: &Stamp,
    now_ms: u64,
) -> Result<Vec<Update>, Refusal> {
    match table.submit(input, stamp, now_ms)? {
        Submitted::Again { .. } => Ok(Vec::new()),
        Submitted::Entry(entry) => {
            journal.append(&entry).map_err(|conflict| {
                Refusal::new("not_stored", format!("the move was not stored: {conflict}"))
            })?;
            table.commit(&entry)
        }
    }
}
