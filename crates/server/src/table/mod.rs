//! A table: one task that owns it, and what is around it.

mod actor;
mod alarm;
mod attendance;
mod bots;
mod command;
mod handle;
mod info;
mod rematch;
mod seating;
mod subscribers;
mod summary;
mod watching;

pub(crate) use actor::{TableActor, TableContext};
pub(crate) use command::{Looked, LookedAt, Pairing, Part, Rematch, TableAnswer, TableCommand};
pub(crate) use handle::TableHandle;
pub(crate) use info::{Kept, TableInfo};
pub(crate) use summary::{TableSummary, seat_view};

use parlor_rules::{Refusal, Seat};
use parlor_table::{Chair, Who};

/// The seats with their chairs.
fn seats(chairs: &[Chair]) -> impl Iterator<Item = (Seat, &Chair)> {
    (0..).map(Seat::new).zip(chairs)
}

/// The seat of an account.
fn seat_of(chairs: &[Chair], account: u64) -> Option<Seat> {
    seats(chairs)
        .find_map(|(seat, chair)| (*chair == Chair::Taken(Who::Account(account))).then_some(seat))
}

/// Returns whether a person sits there.
pub(crate) fn is_person(chair: &Chair) -> bool {
    matches!(chair, Chair::Taken(Who::Account(_)))
}

/// The refusal of a table whose task has ended; it is loaded again when it is asked for.
fn gone() -> Refusal {
    Refusal::new("table_gone", "this table was just put away; say it again")
}
