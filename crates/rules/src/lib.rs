//! What every game is to Parlor.
//!
//! Three authors change a game: a seat, the clock, and the house. All of them enter by
//! [`Rules::decide`], which answers events. Events are stored, and only then given to
//! [`Rules::apply`]. Nothing in this crate reads a clock, a file, a socket or a generator.
//!
//! A game implements [`Rules`]; everything above it holds an [`AnyGame`], which speaks JSON and
//! names no game. [`Referee`] is that form behind one line of JSON in, one line out.

pub mod chips;
pub mod deck;
pub mod doc;
pub mod draws;
pub mod erased;
pub mod input;
pub mod limits;
pub mod pending;
pub mod rated;
pub mod referee;
pub mod refusal;
mod rules;
pub mod seat;
pub mod series;
pub mod strict;
pub mod utc;
pub mod wager;

pub use chips::{Chips, Flow, FlowKind, Unit};
pub use deck::Deck;
pub use doc::{Closed, Fault, Faults, Fields, Object, Word};
pub use draws::{Draws, Seeded, Source, Tape};
pub use erased::{AnyGame, AnyLegal, AnyState, Entered, Erased, Json, Sights, json, text};
pub use input::{House, Input};
pub use pending::{Asked, AskedSeats, Deadline, Pending};
pub use rated::{Rated, Scale, Verdict};
pub use referee::Referee;
pub use refusal::{Refusal, Reject, refuse};
pub use rules::Rules;
pub use seat::{Owner, Seat, Stay, Viewer};
pub use series::{Credit, Loaded, Serial, Series, Standing, Target, Written};
pub use wager::Wager;
