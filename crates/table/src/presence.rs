//! Presence: which players are connected, for every game alike.
//!
//! Presence is not in the log, since connections end with the program that holds them. What follows
//! from it is: a pause, a player who has left for good, a table that is closed.

use crate::act::{Act, Chair, Desk, Who};
use crate::options::Options;
use parlor_rules::{House, Input, Seat};

/// The presence of every seat's player.
#[derive(Clone, Debug)]
pub(crate) struct Presence {
    seats: Vec<Away>,
}

/// How long after a restart anyone may take to come back, whatever the grace.
const RETURN_MS: u64 = 60_000;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Away {
    /// Connected, or nobody's chair.
    No,
    /// Disconnected since then.
    Since(u64),
    /// Not seen since the table came into memory: a stop of the server is no disconnect.
    Unseen(u64),
    /// Disconnected since then, and the rules have been told.
    Told(u64),
}

impl Presence {
    /// Everyone is connected.
    pub(crate) fn new(seats: u8) -> Self {
        Self { seats: vec![Away::No; usize::from(seats)] }
    }

    /// Nobody has been seen yet.
    pub(crate) fn unseen(seats: u8, now_ms: u64) -> Self {
        Self { seats: vec![Away::Unseen(now_ms); usize::from(seats)] }
    }

    /// The last connection of a seat is closed.
    pub(crate) fn gone(&mut self, seat: Seat, now_ms: u64) {
        if let Some(away @ (Away::No | Away::Unseen(_))) = self.seats.get_mut(seat.index()) {
            *away = Away::Since(now_ms);
        }
    }

    /// A seat is connected.
    pub(crate) fn back(&mut self, seat: Seat) {
        if let Some(away) = self.seats.get_mut(seat.index()) {
            *away = Away::No;
        }
    }

    /// Whether the player on a seat is connected.
    pub(crate) fn here(&self, seat: Seat) -> bool {
        self.seats.get(seat.index()) == Some(&Away::No)
    }

    /// Since when no person is connected; none if one is, or if no person sits here.
    fn empty_since_ms(&self, chairs: &[Chair]) -> Option<u64> {
        let people = chairs.iter().zip(&self.seats).filter(|(chair, _)| is_person(chair));
        let mut last = None;
        for (_, away) in people {
            match away {
                Away::No => return None,
                Away::Since(ms) | Away::Unseen(ms) | Away::Told(ms) => last = last.max(Some(*ms)),
            }
        }
        last
    }

    /// The next act that presence brings by now. `grace_ms` is how long a seat may be disconnected
    /// before the rules are told; none if they never are.
    pub(crate) fn due(
        &self,
        chairs: &[Chair],
        paused: bool,
        grace_ms: Option<u64>,
        options: &Options,
        now_ms: u64,
    ) -> Option<Act> {
        let left = self.left_by(chairs, grace_ms).filter(|(_, at)| *at <= now_ms);
        if let Some((seat, _)) = left {
            return Some(Act::Game(Input::House(House::Left { seat })));
        }
        match (self.empty_since_ms(chairs), paused) {
            (None, true) => Some(Act::Desk(Desk::GoOn {})),
            (Some(_), false) => Some(Act::Desk(Desk::Pause {})),
            (Some(since), true) if options.abandoned_ms(since) <= now_ms => {
                Some(Act::Game(Input::House(House::Close {})))
            }
            _ => None,
        }
    }

    /// When presence brings an act if nobody connects or disconnects.
    pub(crate) fn next_ms(
        &self,
        chairs: &[Chair],
        grace_ms: Option<u64>,
        options: &Options,
    ) -> Option<u64> {
        let left = self.left_by(chairs, grace_ms).map(|(_, at)| at);
        let abandoned = self.empty_since_ms(chairs).map(|since| options.abandoned_ms(since));
        left.into_iter().chain(abandoned).min()
    }

    /// The rules have been told that a seat has left.
    pub(crate) fn told(&mut self, seat: Seat) {
        if let Some(away) = self.seats.get_mut(seat.index())
            && let Away::Since(since) | Away::Unseen(since) = *away
        {
            *away = Away::Told(since);
        }
    }

    /// The game begins. A seat that is away is away from it too: the rules are told again.
    pub(crate) fn begun(&mut self) {
        for away in &mut self.seats {
            if let Away::Told(since) = *away {
                *away = Away::Since(since);
            }
        }
    }

    /// The first seat whose grace ends, and when. While nobody is connected the table stands still
    /// and nobody leaves it; otherwise an absent player would win against another.
    fn left_by(&self, chairs: &[Chair], grace_ms: Option<u64>) -> Option<(Seat, u64)> {
        let taken = chairs.iter().zip(&self.seats).filter(|(c, _)| matches!(c, Chair::Taken(_)));
        let is_there = |(chair, away): (&Chair, &Away)| !is_person(chair) || *away == Away::No;
        let grace_ms = grace_ms.filter(|_| taken.into_iter().any(is_there))?;
        let people = chairs.iter().zip(&self.seats).zip(0..).filter(|((c, _), _)| is_person(c));
        let empty = self.empty_since_ms(chairs).is_some();
        let gone = people.filter_map(|((_, away), seat)| match away {
            Away::Since(ms) => Some((Seat::new(seat), ms.saturating_add(grace_ms))),
            // A stop of the server is no disconnect: there is more time to come back, and it is
            // nobody's loss before somebody else is there.
            Away::Unseen(ms) if !empty => {
                Some((Seat::new(seat), ms.saturating_add(grace_ms.max(RETURN_MS))))
            }
            Away::Unseen(_) | Away::No | Away::Told(_) => None,
        });
        gone.min_by_key(|(_, at)| *at)
    }
}

fn is_person(chair: &Chair) -> bool {
    matches!(chair, Chair::Taken(Who::Account(_)))
}
