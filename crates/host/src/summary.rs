//! A table as others see it.

use crate::{TableInfo, is_person, seat_of, seats};
use parlor_rules::Seat;
use parlor_table::{Chair, Who};
use parlor_wire::{Listed, Sitting};
use std::sync::Arc;

/// A table as the lobby and matchmaking see it.
#[derive(Clone, PartialEq)]
pub struct TableSummary {
    /// The chairs, by seat.
    pub chairs: Arc<[Chair]>,
    pub(crate) names: Arc<[Option<Arc<str>>]>,
    /// The seats whose people are connected, a bit each.
    pub(crate) connected: u32,
    /// How many spectators it has.
    pub watchers: u32,
    /// Whether the game is over.
    pub over: bool,
    /// Whether spectators know that it is over.
    pub spectators_know: bool,
    /// Whether anybody is interested in it.
    pub lively: bool,
}

impl TableSummary {
    /// The seat of an account.
    pub fn seat_of(&self, account: u64) -> Option<Seat> {
        seat_of(&self.chairs, account)
    }

    fn seats(&self) -> impl Iterator<Item = (Seat, &Chair, bool)> {
        let connected = |seat| self.connected & bit(seat) != 0;
        seats(&self.chairs).map(move |(seat, chair)| (seat, chair, connected(seat)))
    }

    /// Returns whether an account is connected and nobody else is, not even the house; none if it does
    /// not sit there or the game is over.
    pub fn is_alone(&self, account: u64) -> Option<bool> {
        let own = self.seat_of(account).filter(|_| !self.over)?;
        let others = self.seats().any(|(seat, chair, connected)| match chair {
            Chair::Taken(Who::Account(_)) => connected && seat != own,
            Chair::Taken(Who::Bot(_)) => true,
            Chair::Open | Chair::Reserved(_) => false,
        });
        Some(self.connected & bit(own) != 0 && !others)
    }

    /// How many seats are free.
    pub fn free_seats(&self) -> usize {
        self.chairs.iter().filter(|chair| **chair == Chair::Open).count()
    }

    /// Returns whether a person who sits there is connected.
    pub fn has_company(&self) -> bool {
        self.seats().any(|(_, chair, connected)| connected && is_person(chair))
    }

    /// The table as lists show it.
    pub fn listed(&self, info: &TableInfo) -> Listed {
        let seats = self.seats().zip(self.names.iter());
        Listed {
            table: info.id.to_string(),
            game: info.game.clone(),
            config: info.config.clone(),
            access: info.kept.access,
            chairs: seats
                .map(|((_, chair, here), name)| seat_view(chair, name.as_deref(), here))
                .collect(),
            watchers: self.watchers,
            over: self.over,
        }
    }
}

/// The bit of a seat.
pub(crate) fn bit(seat: Seat) -> u32 {
    1 << seat.index()
}

/// A chair as lists show it.
pub fn seat_view(chair: &Chair, name: Option<&str>, here: bool) -> Sitting {
    match chair {
        Chair::Open => Sitting::Open {},
        Chair::Reserved(_) => Sitting::Kept {},
        Chair::Taken(Who::Bot(level)) => {
            Sitting::House { level: level.parse().unwrap_or_default() }
        }
        Chair::Taken(Who::Account(_)) => {
            Sitting::Taken { name: name.unwrap_or_default().to_owned(), here }
        }
    }
}
