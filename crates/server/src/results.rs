//! What becomes of a table that is over: histories and ratings.
//!
//! The entry that ends a game leaves a note in its own transaction. Whoever counts takes the note
//! away together with what it has counted, so that every table counts once, whatever crashes.

use crate::accounts::{Account, key, put};
use crate::hall::{Hall, Kept};
use crate::now_ms;
use crate::ratings::{Rating, after, score};
use crate::room::Name;
use parlor_journal::{Effect, hall};
use parlor_rules::{Json, Rated, Refusal, Scale, Seat, Verdict};
use parlor_table::{Chair, Table, Who};
use parlor_wire::{Access, Change, Counted, Ended, Leader, Level, Me, Played, Player as Known};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use tokio::sync::mpsc;

/// Kinds of records.
const DUE: &str = "finished";
const RATING: &str = "rating";
const RATINGS: &str = "ratings";
const HISTORY: &str = "history";

/// A house player's: it plays always the same, and nobody doubts it.
fn of_the_house(level: Level) -> Rating {
    let rating = match level {
        Level::Easy => 1200.0,
        Level::Medium => 1500.0,
        Level::Hard => 1800.0,
    };
    Rating { rating, deviation: 45.0, ..Rating::START }
}

/// Who has played.
#[derive(Clone, Copy)]
enum Player {
    Person(u64),
    House(Level),
}

/// A rating as it is kept.
#[derive(Clone, Serialize, Deserialize)]
struct Record {
    game: String,
    set: String,
    account: u64,
    scale: Scale,
    rating: Rating,
}

impl Record {
    fn shown(&self, now_ms: u64) -> parlor_wire::Rated {
        let deviation = match self.scale {
            Scale::Glicko2 => Some(self.rating.deviation_at(now_ms)),
            Scale::Fibs { .. } => None,
        };
        parlor_wire::Rated {
            game: self.game.clone(),
            set: self.set.clone(),
            rating: self.rating.rating,
            deviation,
            provisional: self.rating.is_provisional(self.scale, now_ms),
            games: self.rating.games,
        }
    }
}

/// The note that a table is over and has yet to be counted.
pub(crate) fn due(table: &Name) -> Effect {
    put(DUE, table.to_string(), Some(String::new()))
}

/// A table that is over, as far as it counts.
pub(crate) struct Over {
    pub(crate) table: Name,
    game: String,
    config: Json,
    chairs: Vec<Chair>,
    verdict: Verdict,
    at_ms: u64,
}

impl Over {
    pub(crate) fn of(table: &Table) -> Self {
        let header = table.header();
        Self {
            table: header.table.clone(),
            game: header.game.clone(),
            config: header.config.clone(),
            chairs: table.chairs().to_vec(),
            verdict: table.verdict().unwrap_or(Verdict::Void),
            at_ms: table.at_ms(),
        }
    }
}

/// How many tables are counted in one go.
const AT_ONCE: usize = 64;

/// Counts tables as they end, those first that ended before this run.
pub(crate) async fn count(hall: Arc<Hall>, mut ended: mpsc::UnboundedReceiver<Over>) {
    let counting = hall.clone();
    tried(crate::blocking(move || counting.count_missed()).await);
    let mut over = Vec::new();
    while ended.recv_many(&mut over, AT_ONCE).await > 0 {
        let (counting, all) = (hall.clone(), std::mem::take(&mut over));
        let counted = crate::blocking(move || {
            all.iter().for_each(|over| tried(counting.count_one(over)));
            Ok(())
        });
        tried(counted.await);
    }
}

/// What could not be counted: its note stays, and is found again with the next start.
fn tried(counted: Result<(), Refusal>) {
    if let Err(refusal) = counted {
        tracing::warn!(code = refusal.code, text = refusal.text, "not counted");
    }
}

fn ended(verdict: Verdict, seat: Seat) -> Ended {
    match verdict {
        Verdict::Won(winner) if winner == seat => Ended::Won,
        Verdict::Won(_) => Ended::Lost,
        Verdict::Drawn => Ended::Drawn,
        Verdict::Void => Ended::Void,
    }
}

impl Hall {
    /// Counts the tables that ended before this run.
    fn count_missed(&self) -> Result<(), Refusal> {
        for (name, _) in self.journal.records(DUE, None, usize::MAX >> 1)? {
            let Ok(name) = name.parse() else { continue };
            let recalled = self.journal.head(&name).map_err(Refusal::from).and_then(|head| {
                hall::recall(&*self.journal, self.games, &name, 0, head.at_ms, head.at_ms)
            });
            tried(recalled.and_then(|table| self.count_one(&Over::of(&table))));
        }
        Ok(())
    }

    fn count_one(&self, over: &Over) -> Result<(), Refusal> {
        let Over { table: name, game, config, chairs, verdict, at_ms } = over;
        let (verdict, at_ms) = (*verdict, *at_ms);
        if self.journal.record(DUE, name.as_str())?.is_none() {
            return Ok(());
        }
        let people: Vec<(Seat, Player)> = (0..)
            .map(Seat::new)
            .zip(chairs)
            .filter_map(|(seat, chair)| match chair {
                Chair::Taken(Who::Account(number)) => Some((seat, Player::Person(*number))),
                Chair::Taken(Who::Bot(level)) => {
                    Some((seat, Player::House(level.parse().unwrap_or_default())))
                }
                Chair::Open | Chair::Reserved(_) => None,
            })
            .collect();
        let named = |player: &Player| match player {
            Player::Person(number) => self.accounts.name(*number).to_string(),
            Player::House(level) => format!("house ({level})"),
        };
        let names: Vec<String> = people.iter().map(|(_, account)| named(account)).collect();
        let ranked = Kept::of(&*self.journal, name)?.access == Access::Ranked;
        let rated = match self.game(game) {
            Some(rules) if ranked => rules.rated(config)?,
            _ => None,
        };
        let mut effects = vec![put(DUE, name.to_string(), None)];
        for (seat, player) in &people {
            let Player::Person(account) = player else { continue };
            let other = match people.as_slice() {
                [a, b] => Some(if a.0 == *seat { b.1 } else { a.1 }),
                _ => None,
            };
            let change = match (&rated, other, score(verdict, *seat)) {
                (Some(rated), Some(other), Some(score)) => {
                    let before = self.rating(game, &rated.set, *account)?;
                    let theirs = match other {
                        Player::Person(other) => self.rating(game, &rated.set, other)?,
                        Player::House(level) => of_the_house(level),
                    };
                    let bot = matches!(other, Player::House(_));
                    let new = after(&before, &theirs, score, rated.scale, at_ms, bot);
                    effects.extend(record(game, rated, *account, new));
                    let set = rated.set.clone();
                    Some(Change { set, before: before.rating, after: new.rating })
                }
                _ => None,
            };
            let played = Played {
                table: name.to_string(),
                game: game.clone(),
                at_ms,
                seat: seat.index() as u8,
                names: names.clone(),
                result: ended(verdict, *seat),
                rating: change,
            };
            // The newest comes first.
            let at = format!("{} {:020} {name}", key(*account), u64::MAX - at_ms);
            effects.push(put(HISTORY, at, Some(parlor_rules::json(&played).get().to_owned())));
        }
        self.journal.post(effects)?;
        Ok(())
    }

    /// The rating of an account; where it starts if there is none yet.
    pub(crate) fn rating(&self, game: &str, set: &str, account: u64) -> Result<Rating, Refusal> {
        let text = self.journal.record(RATING, &format!("{game} {set} {}", key(account)))?;
        let record = text.and_then(|text| serde_json::from_str::<Record>(&text).ok());
        Ok(record.map_or(Rating::START, |record| record.rating))
    }

    /// An account as its owner sees it.
    pub(crate) fn me(&self, account: &Account) -> Result<Me, Refusal> {
        let ratings = self.ratings(account.number, now_ms())?;
        Ok(Me { ratings, ..self.accounts.me(account)? })
    }

    /// All ratings of an account.
    fn ratings(&self, account: u64, now_ms: u64) -> Result<Vec<parlor_wire::Rated>, Refusal> {
        let records = self.with_prefix::<Record>(RATINGS, &format!("{} ", key(account)), 100)?;
        Ok(records.iter().map(|record| record.shown(now_ms)).collect())
    }

    /// The tables an account has played to their ends, the newest first.
    pub(crate) fn history(&self, account: u64, limit: usize) -> Result<Vec<Played>, Refusal> {
        self.with_prefix(HISTORY, &format!("{} ", key(account)), limit)
    }

    /// What everyone may know of somebody: what leaderboards show, and how it came about.
    pub(crate) fn known(&self, name: &str, limit: usize) -> Result<Known, Refusal> {
        let Account { number, name, .. } = self.accounts.by_name(name)?;
        let counted = |played: Played| {
            let Played { game, at_ms, rating, .. } = played;
            rating.map(|rating| Counted { game, at_ms, rating })
        };
        let course = self.history(number, limit)?.into_iter().filter_map(counted).collect();
        Ok(Known { name, ratings: self.ratings(number, now_ms())?, course })
    }

    /// The best under a rule set; who has not played enough to tell stands behind.
    pub(crate) fn leaders(
        &self,
        game: &str,
        set: &str,
        limit: usize,
        now_ms: u64,
    ) -> Result<Vec<Leader>, Refusal> {
        let records = self.with_prefix::<Record>(RATING, &format!("{game} {set} "), usize::MAX)?;
        let mut leaders: Vec<Leader> = records
            .iter()
            .map(|record| Leader {
                name: self.accounts.name(record.account).to_string(),
                rated: record.shown(now_ms),
            })
            .collect();
        let order = |leader: &Leader| (leader.rated.provisional, -leader.rated.rating);
        leaders
            .sort_by(|a, b| order(a).partial_cmp(&order(b)).unwrap_or(std::cmp::Ordering::Equal));
        leaders.truncate(limit);
        Ok(leaders)
    }

    /// The records of a kind whose keys begin so.
    fn with_prefix<T: serde::de::DeserializeOwned>(
        &self,
        kind: &str,
        prefix: &str,
        limit: usize,
    ) -> Result<Vec<T>, Refusal> {
        const PAGE: usize = 512;
        let (mut found, mut last) = (Vec::new(), prefix.to_owned());
        loop {
            let page = self.journal.records(kind, Some(&last), PAGE.min(limit - found.len()))?;
            let Some((key, _)) = page.last() else { return Ok(found) };
            last = key.clone();
            for (key, text) in page {
                if !key.starts_with(prefix) {
                    return Ok(found);
                }
                // What another edition has written is passed over.
                found.extend(serde_json::from_str(&text).ok());
            }
            if found.len() >= limit {
                return Ok(found);
            }
        }
    }
}

/// A rating from now on: by its rule set, and by its account.
fn record(game: &str, rated: &Rated, account: u64, rating: Rating) -> [Effect; 2] {
    let (set, scale) = (rated.set.clone(), rated.scale);
    let record = Record { game: game.to_owned(), set, account, scale, rating };
    let value = Some(parlor_rules::json(&record).get().to_owned());
    let (account, set) = (key(account), &rated.set);
    [
        put(RATING, format!("{game} {set} {account}"), value.clone()),
        put(RATINGS, format!("{account} {game} {set}"), value),
    ]
}
