//! Who is at a table, and since when nobody is.

use crate::now_ms;
use parlor_rules::Seat;
use std::collections::BTreeMap;

/// Which part of the usual time a table stays in memory that nobody needs any more.
const SOON: u64 = 30;

/// Presence beside connections, and how long a table stays in memory.
pub(crate) struct Attendance {
    linger_ms: u64,
    /// Seats whose people act without a connection (over HTTP), and when they were last heard of.
    polled: BTreeMap<Seat, u64>,
    /// Since when nobody is there.
    alone_since_ms: Option<u64>,
}

impl Attendance {
    pub(crate) fn new(linger_ms: u64) -> Self {
        Self { linger_ms, polled: BTreeMap::new(), alone_since_ms: None }
    }

    /// Notes that the person of a seat was heard of without a connection.
    pub(crate) fn polls(&mut self, seat: Seat) {
        self.polled.insert(seat, now_ms());
    }

    /// Notes that the person of a seat has a connection, or is gone.
    pub(crate) fn forget(&mut self, seat: Seat) {
        self.polled.remove(&seat);
    }

    /// Takes out the seats that were not heard of for long.
    pub(crate) fn missed(&mut self, now_ms: u64) -> Vec<Seat> {
        let missed = |_: &Seat, at: &mut u64| *at + self.linger_ms <= now_ms;
        self.polled.extract_if(.., missed).map(|(seat, _)| seat).collect()
    }

    /// Notes whether nobody is there.
    pub(crate) fn set_alone(&mut self, alone: bool) {
        self.alone_since_ms = alone.then(|| self.alone_since_ms.unwrap_or_else(now_ms));
    }

    /// How long a table stays in memory without anybody; a game that is over and was not heard of can
    /// be read from the log if it is asked for after all.
    fn stays_ms(&self, needed: bool) -> u64 {
        let needed = needed || !self.polled.is_empty();
        if needed { self.linger_ms } else { self.linger_ms / SOON }
    }

    /// Returns whether nobody was there for long.
    pub(crate) fn is_abandoned(&self, needed: bool) -> bool {
        self.alone_since_ms.is_some_and(|since| since + self.stays_ms(needed) <= now_ms())
    }

    /// When there is something to do, if nothing else happens.
    pub(crate) fn next_ms(&self, needed: bool) -> Option<u64> {
        let now = now_ms();
        let alone = self.alone_since_ms.map(|since| since + self.stays_ms(needed));
        let missed = self.polled.values().min().map(|at| at + self.linger_ms);
        alone.filter(|at| *at > now).into_iter().chain(missed).min()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seat_that_is_not_heard_of_is_missed_once() {
        let mut attendance = Attendance::new(1_000);
        attendance.polls(Seat::new(1));
        let now = now_ms();
        assert!(attendance.next_ms(true).is_some_and(|at| at >= now));
        assert_eq!(attendance.missed(now), []);
        assert_eq!(attendance.missed(now + 2_000), [Seat::new(1)]);
        assert_eq!(attendance.missed(now + 2_000), []);
        assert_eq!(attendance.next_ms(true), None);
    }

    #[test]
    fn a_table_that_nobody_needs_is_abandoned_sooner() {
        let mut attendance = Attendance::new(60_000);
        assert!(!attendance.is_abandoned(false));
        attendance.alone_since_ms = Some(now_ms() - 10_000);
        assert!(attendance.is_abandoned(false) && !attendance.is_abandoned(true));
        attendance.polls(Seat::new(0));
        assert!(!attendance.is_abandoned(false), "somebody may come back");
        attendance.set_alone(false);
        attendance.set_alone(true);
        attendance.forget(Seat::new(0));
        assert!(!attendance.is_abandoned(false), "it begins anew");
    }
}
