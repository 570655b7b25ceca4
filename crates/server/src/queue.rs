//! Who waits for whom.
//!
//! Whoever wants the same game under the same rules can meet: the nearest rating first, within a
//! distance that grows with the time one waits.

use crate::accounts::Account;
use crate::hall::{Guest, Hall, Wanted, refuse};
use crate::line::Line;
use crate::now_ms;
use crate::room::Name;
use parlor_rules::{Chips, Json, Refusal};
use parlor_table::Who;
use parlor_wire::{Access, Level};
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// How far apart two ratings may be at once, and how much more with every second of waiting.
const DISTANCE: f64 = 150.0;
const A_SECOND: f64 = 25.0;

/// How many house players sit down where somebody is alone and people come and go.
const COMPANY: usize = 3;

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
    /// From where.
    pub(crate) from: IpAddr,
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

/// Somebody who has a chair where people come and go, and may be alone there.
pub(crate) struct Seated {
    pub(crate) table: Name,
    /// When the house steps in.
    pub(crate) house_at_ms: u64,
    /// How well it is to play then.
    pub(crate) level: Level,
    /// What it brings along.
    pub(crate) chips: Chips,
}

/// All who wait, and all who have found somebody and are on the way to their table.
#[derive(Default)]
pub(crate) struct Queue {
    all: Mutex<(Vec<Waiting>, BTreeSet<u64>)>,
    /// By their accounts, those for whom the house steps in where they sit.
    seated: Mutex<BTreeMap<u64, Seated>>,
}

impl Queue {
    fn all(&self) -> MutexGuard<'_, (Vec<Waiting>, BTreeSet<u64>)> {
        self.all.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn seated(&self) -> MutexGuard<'_, BTreeMap<u64, Seated>> {
        self.seated.lock().unwrap_or_else(PoisonError::into_inner)
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

impl Hall {
    /// Brings together who has found somebody in the queue.
    pub(crate) async fn match_up(self: &Arc<Self>) {
        for found in self.queue.found(now_ms()) {
            let (first, second) = match found {
                Found::Pair(pair) => {
                    let [first, second] = *pair;
                    (first, Some(second))
                }
                Found::Alone(alone) => (*alone, None),
            };
            let accounts = [Some(first.account), second.as_ref().map(|second| second.account)];
            let Sought { game, config, ranked, .. } = first.sought.clone();
            let from = first.from;
            let guest = |waiting: Waiting| Guest {
                who: Who::Account(waiting.account),
                lines: vec![waiting.line],
            };
            let level = first.level.name().to_owned();
            let house = Guest { who: Who::Bot(level), lines: Vec::new() };
            let guests = vec![guest(first), second.map_or(house, guest)];
            let access = if ranked { Access::Ranked } else { Access::Open };
            let gathered = self.gather(game, config, Map::new(), access, from, guests);
            if let Err(refusal) = gathered.await {
                tracing::warn!(code = refusal.code, text = refusal.text, "no table for a match");
            }
            accounts.into_iter().flatten().for_each(|account| self.queue.settled(account));
        }
        let now = now_ms();
        let due = |_: &u64, seated: &mut Seated| seated.house_at_ms <= now;
        let due: Vec<_> = self.queue.seated().extract_if(.., due).collect();
        for (account, seated) in due {
            if let Some(seated) = self.keep_company(account, seated).await {
                self.queue.seated().entry(account).or_insert(seated);
            }
        }
    }

    /// The house sits down with somebody who is alone. Who is not, or not there, may be later, and the
    /// wish is given back.
    async fn keep_company(self: &Arc<Self>, account: u64, seated: Seated) -> Option<Seated> {
        let door = self.tables().get(&seated.table).cloned()?;
        let alone = door.seen.borrow().is_alone(account)?;
        if !alone {
            return Some(seated);
        }
        let Seated { table, level, chips, .. } = seated;
        for _ in 0..COMPANY {
            match self.house(table.as_str(), None, level, None, Some(chips)).await {
                Err(Refusal { code, text, .. }) if code != "no_chair" => {
                    tracing::warn!(code, text, "no company for who is alone");
                }
                _ => {}
            }
        }
        None
    }

    /// Takes a chair where people come and go: at a table that has one, or at a new one. If nobody
    /// else sits there after so many seconds, the house sits down.
    pub(crate) async fn take_any_chair(
        self: &Arc<Self>,
        me: &Account,
        sought: Sought,
        chips: Option<Chips>,
        house: Option<(u64, Level)>,
        line: &Line,
        from: IpAddr,
    ) -> Result<(), Refusal> {
        let Some(chips) = chips else { return refuse("no_chips", "say how many chips you bring") };
        let Sought { game, config, full, .. } = sought;
        let unit = self.known_game(&game)?.unit();
        let chips = chips.min(self.balance(unit, me.number).await?);
        // One after the other: two who look at the same time find each other.
        let turn = self.finding.lock().await;
        let mut tables = self.with_a_chair(&game, &full, Access::Open);
        let own = self.tables_of(me.number);
        tables.retain(|name| !own.iter().any(|(own, _)| own == name));
        let mut found = None;
        for name in tables {
            match self.sit(name.as_str(), me.number, None, Some(chips), None, None).await {
                Ok(seat) => {
                    found = Some((name, seat));
                    break;
                }
                Err(refusal) if refusal.code == "no_chair" => {}
                Err(refusal) => return Err(refusal),
            }
        }
        let (table, seat) = match found {
            Some(found) => found,
            None => {
                let (hall, by) = (self.clone(), Some(me.number));
                let created = crate::blocking(move || {
                    let (options, access) = (&Map::new(), Access::Open);
                    let (game, config) = (&*game, &config);
                    let (seats, guests) = (None, &[]);
                    hall.create(&Wanted { game, seats, config, options, access, by, from, guests })
                });
                let name = created.await?.table;
                let seat =
                    self.sit(name.as_str(), me.number, None, Some(chips), None, None).await?;
                (name, seat)
            }
        };
        drop(turn);
        if let Some((house_at_ms, level)) = house {
            let seated = Seated { table: table.clone(), house_at_ms, level, chips };
            self.queue.seated().insert(me.number, seated);
        }
        let token = self.seat_token(me.number, table.as_str()).await?;
        self.matched(&table, me.number, seat, line, token).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::line::Ear;

    fn waiting(account: u64, rating: f64, since_ms: u64, game: &str) -> Waiting {
        let line = Line::new(account, Ear::Translator(Mutex::default()));
        let full = parlor_rules::json(&Map::<String, Value>::new());
        let sought = Sought { game: game.to_owned(), config: Map::new(), full, ranked: true };
        Waiting {
            account,
            line,
            from: IpAddr::from([127, 0, 0, 1]),
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
        let one = waiting(1, 1500.0, 0, "go");
        let line = one.line.clone();
        assert!(queue.join(one));
        line.hangs_up();
        assert!(queue.join(waiting(2, 1500.0, 0, "go")));
        assert!(pairs(&queue, 0).is_empty());
    }
}
