//! Tables that run.
//!
//! A table is one task, the actor, which owns its driver and its subscribers. It is reached by a
//! [`TableHandle`], found in the [`TableDirectory`], and opened by the [`TableFactory`]. What it tells
//! goes into the [`Outbox`] of each connection that watches it. Nothing here knows of a socket.

#![warn(clippy::too_many_lines)]

mod actor;
mod alarm;
mod attendance;
mod bots;
mod command;
mod connections;
mod context;
mod directory;
mod epochs;
mod factory;
mod games;
mod handle;
mod info;
mod outbox;
mod permits;
mod rematch;
mod seating;
pub mod secret;
mod settings;
mod subscribers;
mod summary;
mod thinking;
mod watching;

pub use command::{Overview, Pairing, Rematch, SeatRequest, TableDocument, TableProof};
pub use connections::ConnectionRegistry;
pub use context::{OnStored, TableContext};
pub use directory::TableDirectory;
pub use epochs::Epochs;
pub use factory::{Opened, TableFactory, TableRequest};
pub use games::{Games, Players, full_config};
pub use handle::TableHandle;
pub use info::TableInfo;
pub use outbox::{Outbox, Outgoing, Room, SharedMessage};
pub use permits::{KeyedSemaphore, Limit, semaphore};
pub use settings::Settings;
pub use summary::{TableSummary, seat_view};
pub use thinking::BotScheduler;

use parlor_rules::{Refusal, Seat};
use parlor_table::{Chair, Who};
use std::time::{SystemTime, UNIX_EPOCH};

/// The number of a connection.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ConnectionId(pub u64);

/// What time it is, in milliseconds since 1970.
pub fn now_ms() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis() as u64)
}

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
fn is_person(chair: &Chair) -> bool {
    matches!(chair, Chair::Taken(Who::Account(_)))
}

/// The refusal of a table whose task has ended; it is loaded again when it is asked for.
fn gone() -> Refusal {
    Refusal::new("table_gone", "this table was just put away; say it again")
}
