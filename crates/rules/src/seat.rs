//! Chairs, and who may look or be waited for.

use serde::de::{Error, Unexpected, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use std::fmt;

/// A chair at a table, stable for the table's life.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize)]
#[serde(transparent)]
pub struct Seat(u8);

impl<'de> Deserialize<'de> for Seat {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        d.deserialize_u8(SeatVisitor)
    }
}

/// Reads a seat, and says so where there is none.
struct SeatVisitor;

impl Visitor<'_> for SeatVisitor {
    type Value = Seat;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the number of a seat")
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<Seat, E> {
        let seat = u8::try_from(number).map(Seat);
        seat.map_err(|_| E::invalid_value(Unexpected::Unsigned(number), &self))
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<Seat, E> {
        match u64::try_from(number) {
            Ok(number) => self.visit_u64(number),
            Err(_) => Err(E::invalid_value(Unexpected::Signed(number), &self)),
        }
    }
}

impl Seat {
    /// The seat with this number, counted from 0.
    pub const fn new(number: u8) -> Self {
        Self(number)
    }

    /// Where this seat stands in a list of seats.
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// All seats of a table for so many.
    pub fn all(seats: u8) -> impl Iterator<Item = Seat> {
        (0..seats).map(Seat)
    }
}

impl fmt::Display for Seat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "seat {}", self.0)
    }
}

/// Whose eyes: a seat's, or those of a watcher who holds none. In JSON a number or null.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(from = "Option<Seat>", into = "Option<Seat>")]
pub enum Viewer {
    /// Sees what its seat may see.
    Seat(Seat),
    /// Sees what everyone may see.
    Watcher,
}

impl Viewer {
    /// Every viewer of a table for so many.
    pub fn all(seats: u8) -> impl Iterator<Item = Viewer> {
        Seat::all(seats).map(Viewer::Seat).chain([Viewer::Watcher])
    }
}

impl From<Option<Seat>> for Viewer {
    fn from(seat: Option<Seat>) -> Self {
        seat.map_or(Self::Watcher, Self::Seat)
    }
}

impl From<Viewer> for Option<Seat> {
    fn from(viewer: Viewer) -> Self {
        match viewer {
            Viewer::Seat(seat) => Some(seat),
            Viewer::Watcher => None,
        }
    }
}

/// Whose deadline: a seat's, or the table's own. In JSON a number or null.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(from = "Option<Seat>", into = "Option<Seat>")]
pub enum Owner {
    /// The time one seat has for its answer.
    Seat(Seat),
    /// The time until the table goes on by itself.
    Table,
}

impl From<Option<Seat>> for Owner {
    fn from(seat: Option<Seat>) -> Self {
        seat.map_or(Self::Table, Self::Seat)
    }
}

impl From<Owner> for Option<Seat> {
    fn from(owner: Owner) -> Self {
        match owner {
            Owner::Seat(seat) => Some(seat),
            Owner::Table => None,
        }
    }
}

impl fmt::Display for Owner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Seat(seat) => seat.fmt(f),
            Self::Table => f.write_str("the table"),
        }
    }
}

/// What a seat is to a game where people come and go.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stay {
    /// One of the players.
    Stays,
    /// On the way out for good: it is shown nothing more, and its chips come back soon.
    Leaves,
    /// Nobody any more, or not yet.
    Gone,
}
