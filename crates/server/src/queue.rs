//! The queue: who waits for an opponent.
//!
//! Those who want the same game under the same rules can meet: the nearest ratings first, within a
//! distance that grows with the time they wait.

use parlor_host::{Outbox, TableRequest};
use parlor_rules::{Chips, Json};
use parlor_table::TableId;
use parlor_wire::{Access, Level};
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// How far apart two ratings may be at once, and how much more with every second of waiting.
const DISTANCE: f64 = 150.0;
const A_SECOND: f64 = 25.0;

/// The game somebody wants to play.
#[derive(Clone, Debug)]
pub(crate) struct WantedGame {
    pub(crate) game: String,
    /// Its options as they were asked for.
    pub(crate) config: Map<String, Value>,
    /// Its options in full: only those who want the same meet.
    pub(crate) full: Json,
    pub(crate) ranked: bool,
}

impl WantedGame {
    fn same(&self, other: &Self) -> bool {
        self.game == other.game
            && self.ranked == other.ranked
            && self.full.get() == other.full.get()
    }

    /// Asks for a table of this game, by an account or by the house.
    pub(crate) fn request(&self, by: Option<u64>, from: IpAddr) -> TableRequest {
        let Self { game, config, ranked, .. } = self.clone();
        let access = if ranked { Access::Ranked } else { Access::Open };
        TableRequest { game, seats: None, config, options: Map::new(), access, by, from }
    }
}

/// Somebody who waits for an opponent.
#[derive(Clone)]
pub(crate) struct Seek {
    pub(crate) account: u64,
    pub(crate) outbox: Outbox,
    pub(crate) from: IpAddr,
    pub(crate) wanted: WantedGame,
    pub(crate) rating: f64,
    pub(crate) since_ms: u64,
    /// When the house steps in.
    pub(crate) house_at_ms: Option<u64>,
    /// How well it is to play then.
    pub(crate) level: Level,
}

impl Seek {
    fn reach(&self, now_ms: u64) -> f64 {
        DISTANCE + A_SECOND * (now_ms.saturating_sub(self.since_ms) as f64) / 1_000.0
    }
}

/// Two who want the same, or one who has waited long enough for a house player.
pub(crate) type Match = (Seek, Option<Seek>);

/// Somebody who has a seat at a cash game and may be alone there.
pub(crate) struct AloneAtTable {
    pub(crate) table: TableId,
    /// When the house steps in.
    pub(crate) house_at_ms: u64,
    /// How well it is to play then.
    pub(crate) level: Level,
    /// What it brings along.
    pub(crate) chips: Chips,
}

#[derive(Default)]
struct Waiting {
    seeks: Vec<Seek>,
    /// Accounts that were matched and are on the way to their table.
    matched: BTreeSet<u64>,
}

/// All who wait, and all who were matched and are on the way to their table.
#[derive(Default)]
pub(crate) struct Queue {
    waiting: Mutex<Waiting>,
    /// By account, those for whom the house steps in where they sit.
    alone: Mutex<BTreeMap<u64, AloneAtTable>>,
}

impl Queue {
    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn alone(&self) -> MutexGuard<'_, BTreeMap<u64, AloneAtTable>> {
        self.alone.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a seek; false if this account waits already.
    pub(crate) fn join(&self, seek: Seek) -> bool {
        let Waiting { seeks, matched } = &mut *self.waiting();
        seeks.retain(|other| !other.outbox.is_closed());
        let waits = seeks.iter().any(|other| other.account == seek.account);
        if waits || matched.contains(&seek.account) {
            return false;
        }
        seeks.push(seek);
        true
    }

    /// Removes an account's seek; returns whether there was one.
    pub(crate) fn leave(&self, account: u64) -> bool {
        let seeks = &mut self.waiting().seeks;
        let before = seeks.len();
        seeks.retain(|seek| seek.account != account);
        seeks.len() < before
    }

    /// Removes the seek of a connection.
    pub(crate) fn hang_up(&self, outbox: &Outbox) {
        self.waiting().seeks.retain(|seek| seek.outbox.connection() != outbox.connection());
    }

    /// How many wait.
    pub(crate) fn len(&self) -> usize {
        self.waiting().seeks.len()
    }

    /// Takes out all who are matched by now: of all pairs that may meet, the nearest first.
    pub(crate) fn matches(&self, now_ms: u64) -> Vec<Match> {
        let Waiting { seeks, matched } = &mut *self.waiting();
        seeks.retain(|seek| !seek.outbox.is_closed());
        let mut found = Vec::new();
        while let Some((a, b)) = nearest(seeks, now_ms) {
            let second = seeks.remove(b);
            let first = seeks.remove(a);
            matched.extend([first.account, second.account]);
            found.push((first, Some(second)));
        }
        let due = |seek: &mut Seek| seek.house_at_ms.is_some_and(|at| at <= now_ms);
        for alone in seeks.extract_if(.., due) {
            matched.insert(alone.account);
            found.push((alone, None));
        }
        found
    }

    /// A matched account has a seat, or none: it may wait again.
    pub(crate) fn settled(&self, account: u64) {
        self.waiting().matched.remove(&account);
    }

    /// Gives back somebody who was matched and for whom no table could be opened.
    pub(crate) fn return_seek(&self, seek: Seek) {
        self.settled(seek.account);
        self.join(seek);
    }

    /// Remembers somebody who has a seat at a cash game, until the house steps in.
    pub(crate) fn remember_alone(&self, account: u64, alone: AloneAtTable) {
        self.alone().insert(account, alone);
    }

    /// Gives back somebody who is not alone now, or not there, but may be later.
    pub(crate) fn return_alone(&self, account: u64, alone: AloneAtTable) {
        self.alone().entry(account).or_insert(alone);
    }

    /// Takes out those for whom the house steps in by now.
    pub(crate) fn take_alone(&self, now_ms: u64) -> Vec<(u64, AloneAtTable)> {
        let due = |_: &u64, alone: &mut AloneAtTable| alone.house_at_ms <= now_ms;
        self.alone().extract_if(.., due).collect()
    }
}

/// The two that are nearest to each other of those who may meet, by their places, the earlier first.
fn nearest(all: &[Seek], now_ms: u64) -> Option<(usize, usize)> {
    let mut best: Option<(f64, (usize, usize))> = None;
    for (b, second) in all.iter().enumerate() {
        for (a, first) in all[..b].iter().enumerate() {
            let apart = (first.rating - second.rating).abs();
            let reach = first.reach(now_ms).max(second.reach(now_ms));
            let meets = first.account != second.account && first.wanted.same(&second.wanted);
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
    use parlor_host::ConnectionId;
    use tokio_util::sync::CancellationToken;

    fn waiting(account: u64, rating: f64, since_ms: u64, game: &str) -> Seek {
        let (outbox, _) = Outbox::new(ConnectionId(account), &CancellationToken::new());
        let full = parlor_rules::json(&Map::<String, Value>::new());
        let wanted = WantedGame { game: game.to_owned(), config: Map::new(), full, ranked: true };
        Seek {
            account,
            outbox,
            from: IpAddr::from([127, 0, 0, 1]),
            wanted,
            rating,
            since_ms,
            house_at_ms: None,
            level: Level::default(),
        }
    }

    fn pairs(queue: &Queue, now_ms: u64) -> Vec<[u64; 2]> {
        let found = queue.matches(now_ms).into_iter();
        let account = |seek: Seek| seek.account;
        found.map(|(first, second)| [first.account, second.map_or(0, account)]).collect()
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
        assert!(queue.join(Seek { house_at_ms: Some(5_000), ..waiting(1, 1500.0, 0, "go") }));
        assert!(pairs(&queue, 4_999).is_empty());
        assert_eq!(pairs(&queue, 5_000), [[1, 0]]);
    }

    #[test]
    fn who_hangs_up_waits_no_more() {
        let queue = Queue::default();
        let one = waiting(1, 1500.0, 0, "go");
        let outbox = one.outbox.clone();
        assert!(queue.join(one));
        outbox.close();
        assert!(queue.join(waiting(2, 1500.0, 0, "go")));
        assert!(pairs(&queue, 0).is_empty());
    }
}
