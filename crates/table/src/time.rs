//! Clocks and deadlines, kept from the times of entries.

use crate::options::Clock;
use parlor_rules::{Owner, Pending, Seat};
use serde::{Deserialize, Serialize};
use smallvec::{SmallVec, smallvec};
use std::sync::Arc;

/// All that runs at a table. Instants are milliseconds since 1970, given from outside.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Times {
    /// Inline for two: every entry copies them.
    seats: SmallVec<[SeatTime; 2]>,
    table: Option<Span>,
    /// Since when everything stands still.
    paused_ms: Option<u64>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
struct SeatTime {
    reserve_ms: u64,
    turn: Option<Span>,
}

/// A stretch of time that runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
struct Span {
    of: u64,
    since_ms: u64,
    /// What the rules allow.
    within_ms: Option<u64>,
}

/// A seat's clock, as its players see it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct Reading {
    /// Who.
    pub seat: Seat,
    /// What is left in reserve.
    pub reserve_ms: u64,
    /// When its time is up; none if none runs.
    pub until_ms: Option<u64>,
}

impl Times {
    /// Nothing runs yet.
    pub fn new(seats: u8, clock: Clock) -> Self {
        let seat = SeatTime { reserve_ms: clock.reserve_ms(), turn: None };
        Self { seats: smallvec![seat; usize::from(seats)], table: None, paused_ms: None }
    }

    /// Brings everything in line with what the game waits for since `now_ms`.
    pub fn follow(&mut self, pending: &Pending, clock: Clock, now_ms: u64) {
        // What begins or ends within a pause does so without the time before.
        if self.paused() {
            self.go_on(now_ms);
            self.pause(now_ms);
        }
        for (time, seat) in self.seats.iter_mut().zip(0..) {
            let asked = pending.asked().iter().find(|asked| asked.seat == Seat::new(seat));
            let goes_on = time.turn.is_some_and(|turn| asked.is_some_and(|a| a.of == turn.of));
            if goes_on {
                continue;
            }
            if let Some(turn) = time.turn.take() {
                let used = now_ms.saturating_sub(turn.since_ms);
                let beyond = used.saturating_sub(clock.free_ms());
                let left = time.reserve_ms.saturating_sub(beyond);
                time.reserve_ms = left.saturating_add(clock.increment_ms());
            }
            let span = |of, within_ms| Span { of, since_ms: now_ms, within_ms };
            time.turn = asked.map(|asked| span(asked.of, asked.within_ms));
        }
        self.table = pending.deadline().map(|deadline| {
            let running = self.table.filter(|span| span.of == deadline.of);
            let within_ms = Some(deadline.within_ms);
            running.unwrap_or(Span { of: deadline.of, since_ms: now_ms, within_ms })
        });
    }

    /// When the time of an owner is up; none if none runs.
    pub fn until_ms(&self, owner: Owner, clock: Clock) -> Option<u64> {
        if self.paused_ms.is_some() {
            return None;
        }
        match owner {
            Owner::Table => self.table.and_then(Span::until_ms),
            Owner::Seat(seat) => {
                let time = self.seats.get(seat.index())?;
                let turn = time.turn?;
                let flag = clock.runs().then(|| {
                    turn.since_ms.saturating_add(clock.free_ms()).saturating_add(time.reserve_ms)
                });
                [turn.until_ms(), flag].into_iter().flatten().min()
            }
        }
    }

    /// Every owner whose time runs, and until when.
    pub fn deadlines(&self, clock: Clock) -> impl Iterator<Item = (Owner, u64)> {
        let seats = (0..self.seats.len()).map(|i| Owner::Seat(Seat::new(i as u8)));
        let owners = seats.chain([Owner::Table]);
        owners.filter_map(move |owner| Some((owner, self.until_ms(owner, clock)?)))
    }

    /// The clocks as players see them.
    pub fn readings(&self, clock: Clock) -> Arc<[Reading]> {
        let seats = (0..self.seats.len()).map(|i| Seat::new(i as u8));
        seats
            .map(|seat| Reading {
                seat,
                reserve_ms: self.seats[seat.index()].reserve_ms,
                until_ms: self.until_ms(Owner::Seat(seat), clock),
            })
            .collect()
    }

    /// Everything stands still from now on.
    pub fn pause(&mut self, now_ms: u64) {
        self.paused_ms.get_or_insert(now_ms);
    }

    /// Everything goes on as if no time had passed.
    pub fn go_on(&mut self, now_ms: u64) {
        if let Some(since) = self.paused_ms.take() {
            self.forgive_since(since, now_ms);
        }
    }

    /// Whether everything stands still.
    pub fn paused(&self) -> bool {
        self.paused_ms.is_some()
    }

    /// Takes the time from then until now out of everything that runs: nobody is charged for it. A
    /// pause takes care of itself when it ends.
    pub fn forgive_since(&mut self, alive_ms: u64, now_ms: u64) {
        if self.paused() {
            return;
        }
        let turns = self.seats.iter_mut().filter_map(|seat| seat.turn.as_mut());
        for span in turns.chain(self.table.as_mut()) {
            let lost = now_ms.saturating_sub(alive_ms.max(span.since_ms));
            span.since_ms = span.since_ms.saturating_add(lost);
        }
    }
}

impl Span {
    fn until_ms(self) -> Option<u64> {
        self.within_ms.map(|within| self.since_ms.saturating_add(within))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ZERO: Seat = Seat::new(0);
    const ONE: Seat = Seat::new(1);

    fn until(times: &Times, seat: Seat, clock: Clock) -> Option<u64> {
        times.until_ms(Owner::Seat(seat), clock)
    }

    #[test]
    fn a_reserve_shrinks_by_what_is_thought_and_grows_by_the_increment() {
        let clock = Clock::Game { reserve_ms: 60_000, increment_ms: 5_000, delay_ms: 0 };
        let mut times = Times::new(2, clock);
        times.follow(&Pending::seat(ZERO), clock, 1_000);
        assert_eq!(until(&times, ZERO, clock), Some(61_000));
        assert_eq!(until(&times, ONE, clock), None);
        times.follow(&Pending::seat(ONE), clock, 11_000);
        times.follow(&Pending::seat(ZERO), clock, 12_000);
        assert_eq!(until(&times, ZERO, clock), Some(12_000 + 55_000));
    }

    #[test]
    fn a_delay_is_free_in_every_turn() {
        let clock = Clock::Game { reserve_ms: 10_000, increment_ms: 0, delay_ms: 12_000 };
        let mut times = Times::new(2, clock);
        times.follow(&Pending::seat(ZERO), clock, 0);
        assert_eq!(until(&times, ZERO, clock), Some(22_000));
        times.follow(&Pending::seat(ONE), clock, 11_999);
        times.follow(&Pending::seat(ZERO), clock, 20_000);
        assert_eq!(until(&times, ZERO, clock), Some(42_000));
        times.follow(&Pending::seat(ONE), clock, 35_000);
        times.follow(&Pending::seat(ZERO), clock, 40_000);
        assert_eq!(until(&times, ZERO, clock), Some(40_000 + 12_000 + 7_000));
    }

    #[test]
    fn a_bank_is_used_only_beyond_the_time_of_a_move() {
        let clock = Clock::Bank { per_move_ms: 5_000, bank_ms: 30_000 };
        let mut times = Times::new(2, clock);
        times.follow(&Pending::seat(ZERO), clock, 0);
        times.follow(&Pending::seat(ONE), clock, 9_000);
        times.follow(&Pending::seat(ZERO), clock, 10_000);
        assert_eq!(until(&times, ZERO, clock), Some(10_000 + 5_000 + 26_000));
    }

    #[test]
    fn time_per_move_starts_anew_and_the_earlier_limit_counts() {
        let clock = Clock::PerMove { per_move_ms: 5_000 };
        let asked = |of, within_ms| Pending::Waiting {
            seats: smallvec![parlor_rules::Asked { seat: ZERO, of, within_ms }],
            table: None,
            secret: false,
        };
        let mut times = Times::new(1, clock);
        times.follow(&asked(0, None), clock, 0);
        times.follow(&asked(0, None), clock, 4_000);
        assert_eq!(until(&times, ZERO, clock), Some(5_000), "the same question goes on");
        times.follow(&asked(1, Some(2_000)), clock, 4_000);
        assert_eq!(until(&times, ZERO, clock), Some(6_000), "the rules are stricter");
    }

    #[test]
    fn a_deadline_of_the_table_runs_on_until_it_is_another_one() {
        let mut times = Times::new(2, Clock::None);
        times.follow(&Pending::table(1, 20_000), Clock::None, 0);
        times.follow(&Pending::table(1, 20_000), Clock::None, 5_000);
        assert_eq!(times.until_ms(Owner::Table, Clock::None), Some(20_000));
        times.follow(&Pending::table(2, 20_000), Clock::None, 5_000);
        assert_eq!(times.until_ms(Owner::Table, Clock::None), Some(25_000));
    }

    #[test]
    fn nobody_pays_for_a_pause_or_for_time_that_is_forgiven() {
        let clock = Clock::Game { reserve_ms: 10_000, increment_ms: 0, delay_ms: 0 };
        let mut times = Times::new(2, clock);
        times.follow(&Pending::seat(ZERO), clock, 0);
        times.pause(4_000);
        assert_eq!(times.deadlines(clock).count(), 0);
        times.go_on(1_000_000);
        assert_eq!(until(&times, ZERO, clock), Some(1_000_000 + 6_000));
        times.forgive_since(1_001_000, 1_001_500);
        assert_eq!(until(&times, ZERO, clock), Some(1_000_000 + 6_500));
        times.forgive_since(0, 1_001_500);
        assert_eq!(until(&times, ZERO, clock), Some(1_001_500 + 10_000), "never beyond now");
    }

    #[test]
    fn what_begins_within_a_pause_has_its_whole_time_after_it() {
        let mut times = Times::new(2, Clock::None);
        times.pause(1_000);
        times.follow(&Pending::table(1, 10_000), Clock::None, 501_000);
        times.go_on(501_000);
        assert_eq!(times.until_ms(Owner::Table, Clock::None), Some(511_000));
    }
}
