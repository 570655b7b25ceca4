//! Who waits for whom.
//!
//! Whoever wants the same game under the same rules can meet: the nearest rating first, within a
//! distance that grows with the time one waits.

use crate::line::Line;
use parlor_rules::Json;
use parlor_wire::Level;
use serde_json::{Map, Value};
use std::collections::BTreeSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// How far apart two ratings may be at once, and how much more with every second of waiting.
const DISTANCE: f64 = 150.0;
const A_SECOND: f64 = 25.0;

/// What somebody waits for.
#[derive(Clone, Debug)]
pub(crate) struct Sought {
    pub(crate) game: String,
    /// As it was asked for.
    pub(crate) config: Map<String, Value>,
    /// In full: only those who want the same meet.
    pub(crate) full: Json,
    pub(crate) ranked: bool,
}

impl Sought {
    fn same(&self, other: &Self) -> bool {
        self.game == other.game
            && self.ranked == other.ranked
            && self.full.get() == other.full.get()
    }
}

/// Somebody who waits.
#[derive(Clone)]
pub(crate) struct Waiting {
    pub(crate) account: u64,
    pub(crate) line: Line,
    pub(crate) sought: Sought,
    pub(crate) rating: f64,
    pub(crate) since_ms: u64,
    /// When the house steps in.
    pub(crate) house_at_ms: Option<u64>,
    /// How well it is to play then.
    pub(crate) level: Level,
}

impl Waiting {
    fn reach(&self, now_ms: u64) -> f64 {
        DISTANCE + A_SECOND * (now_ms.saturating_sub(self.since_ms) as f64) / 1_000.0
    }
}

/// Who has found whom.
pub(crate) enum Found {
    /// Two who want the same.
    Pair(Box<[Waiting; 2]>),
    /// One who has waited long enough for the house.
    Alone(Box<Waiting>),
}

/// All who wait, and all who have found somebody and are on the way to their table.
#[derive(Default)]
pub(crate) struct Queue(Mutex<(Vec<Waiting>, BTreeSet<u64>)>);

impl Queue {
    fn all(&self) -> MutexGuard<'_, (Vec<Waiting>, BTreeSet<u64>)> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits; false if this account waits already.
    pub(crate) fn join(&self, waiting: Waiting) -> bool {
        let (all, matched) = &mut *self.all();
        all.retain(|other| !other.line.is_closed());
        let waits = all.iter().any(|other| other.account == waiting.account);
        if waits || matched.contains(&waiting.account) {
            return false;
        }
        all.push(waiting);
        true
    }

    /// Waits no more; whether it did.
    pub(crate) fn leave(&self, account: u64) -> bool {
        let (all, _) = &mut *self.all();
        let before = all.len();
        all.retain(|waiting| waiting.account != account);
        all.len() < before
    }

    /// The same, if it waits by this line.
    pub(crate) fn hang_up(&self, line: &Line) {
        self.all().0.retain(|waiting| waiting.line.number() != line.number());
    }

    /// How many wait.
    pub(crate) fn len(&self) -> usize {
        self.all().0.len()
    }

    /// Takes out all who have found somebody by now: of all pairs that may meet, the nearest first.
    pub(crate) fn found(&self, now_ms: u64) -> Vec<Found> {
        let (all, matched) = &mut *self.all();
        all.retain(|waiting| !waiting.line.is_closed());
        let mut found = Vec::new();
        while let Some((a, b)) = nearest(all, now_ms) {
            let second = all.remove(b);
            let first = all.remove(a);
            matched.extend([first.account, second.account]);
            found.push(Found::Pair(Box::new([first, second])));
        }
        let due = |waiting: &mut Waiting| waiting.house_at_ms.is_some_and(|at| at <= now_ms);
        for alone in all.extract_if(.., due) {
            matched.insert(alone.account);
            found.push(Found::Alone(Box::new(alone)));
        }
        found
    }

    /// Somebody who has found somebody has a chair, or none: it may wait again.
    pub(crate) fn settled(&self, account: u64) {
        self.all().1.remove(&account);
    }
}

/// The two that are nearest to each other of those who may meet, by their places, the earlier first.
fn nearest(all: &[Waiting], now_ms: u64) -> Option<(usize, usize)> {
    let mut best: Option<(f64, (usize, usize))> = None;
    for (b, second) in all.iter().enumerate() {
        for (a, first) in all[..b].iter().enumerate() {
            let apart = (first.rating - second.rating).abs();
            let reach = first.reach(now_ms).max(second.reach(now_ms));
            let meets = first.account != second.account && first.sought.same(&second.sought);
            if meets && apart <= reach && best.is_none_or(|(least, _)| apart < least) {
                best = Some((apart, (a, b)));
            }
        }
    }
    best.map(|(_, pair)| pair)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn waiting(account: u64, rating: f64, since_ms: u64, game: &str) -> Waiting {
        let (line, frames) = Line::new(account);
        // A line whose other end is gone is taken out of the queue.
        std::mem::forget(frames);
        let full = parlor_rules::json(&Map::<String, Value>::new());
        let sought = Sought { game: game.to_owned(), config: Map::new(), full, ranked: true };
        Waiting {
            account,
            line,
            sought,
            rating,
            since_ms,
            house_at_ms: None,
            level: Level::default(),
        }
    }

    fn pairs(queue: &Queue, now_ms: u64) -> Vec<[u64; 2]> {
        let found = queue.found(now_ms).into_iter();
        let pair = found.map(|found| match found {
            Found::Pair(pair) => [pair[0].account, pair[1].account],
            Found::Alone(alone) => [alone.account, 0],
        });
        pair.collect()
    }

    #[test]
    fn the_nearest_meet_first_and_the_rest_waits() {
        let queue = Queue::default();
        for (account, rating) in [(1, 1500.0), (2, 1640.0), (3, 1530.0), (4, 1900.0)] {
            assert!(queue.join(waiting(account, rating, 0, "go")));
        }
        assert_eq!(pairs(&queue, 0), [[1, 3]]);
        // 260 apart: 150 at once, and 25 more every second.
        assert_eq!(pairs(&queue, 4_399), [] as [[u64; 2]; 0]);
        assert_eq!(pairs(&queue, 4_400), [[2, 4]]);
        assert_eq!(queue.len(), 0);
    }

    #[test]
    fn nobody_meets_oneself_or_who_wants_something_else() {
        let queue = Queue::default();
        assert!(queue.join(waiting(1, 1500.0, 0, "go")));
        assert!(!queue.join(waiting(1, 1500.0, 0, "chess")));
        assert!(queue.join(waiting(2, 1500.0, 0, "chess")));
        assert!(pairs(&queue, 1_000_000).is_empty());
        assert!(queue.leave(1) && !queue.leave(1));
    }

    #[test]
    fn the_house_steps_in_when_it_was_asked_to() {
        let queue = Queue::default();
        assert!(queue.join(Waiting { house_at_ms: Some(5_000), ..waiting(1, 1500.0, 0, "go") }));
        assert!(pairs(&queue, 4_999).is_empty());
        assert_eq!(pairs(&queue, 5_000), [[1, 0]]);
    }

    #[test]
    fn who_hangs_up_waits_no_more() {
        let queue = Queue::default();
        let (line, frames) = Line::new(7);
        assert!(queue.join(Waiting { line, ..waiting(1, 1500.0, 0, "go") }));
        drop(frames);
        assert!(queue.join(waiting(2, 1500.0, 0, "go")));
        assert!(pairs(&queue, 0).is_empty());
    }
}
