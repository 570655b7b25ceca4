//! What becomes of a table that is over: histories and ratings.
//!
//! The entry that ends a game leaves a note in its own transaction. Recording the result removes the
//! note in the same transaction, so that every game counts once, whatever crashes.

use crate::accounts::{Account, Accounts, key};
use crate::bank::Bank;
use crate::{Kept, put};
use parlor_journal::store::Find;
use parlor_journal::{Effect, Journal, store};
use parlor_ratings::{Rating, after, score};
use parlor_rules::{Json, Rated, Refusal, Scale, Seat, Unit, Verdict};
use parlor_table::{Chair, Table, TableId, Who};
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

/// The note that a game is over and has still to be recorded.
pub fn due(table: &TableId) -> Effect {
    put(DUE, table.to_string(), Some(String::new()))
}

/// A game that is over, as far as it counts.
pub struct Finished {
    table: TableId,
    game: String,
    config: Json,
    chairs: Vec<Chair>,
    verdict: Verdict,
    at_ms: u64,
}

impl Finished {
    /// The part of a table that is over that counts.
    pub fn of(table: &Table) -> Self {
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

fn ended(verdict: Verdict, seat: Seat) -> Ended {
    match verdict {
        Verdict::Won(winner) if winner == seat => Ended::Won,
        Verdict::Won(_) => Ended::Lost,
        Verdict::Drawn => Ended::Drawn,
        Verdict::Void => Ended::Void,
    }
}

/// Records results, and tells of them.
pub struct Results {
    log: Arc<dyn Journal>,
    games: Find,
    accounts: Arc<Accounts>,
    bank: Arc<Bank>,
}

/// A result that cannot be recorded: its note stays, and is found with the next start.
fn log_failure(recorded: Result<(), Refusal>) {
    if let Err(refusal) = recorded {
        tracing::warn!(code = refusal.code, text = refusal.text, "not recorded");
    }
}

impl Results {
    /// The results of a journal.
    pub fn new(
        log: Arc<dyn Journal>,
        games: Find,
        accounts: Arc<Accounts>,
        bank: Arc<Bank>,
    ) -> Self {
        Self { log, games, accounts, bank }
    }

    /// Records games as they end, those first that ended before this run.
    pub async fn run(self: Arc<Self>, mut finished: mpsc::UnboundedReceiver<Finished>) {
        log_failure(self.record_missed().await);
        while let Some(game) = finished.recv().await {
            log_failure(self.record(&game).await);
        }
    }

    /// Records the games that ended before this run.
    async fn record_missed(&self) -> Result<(), Refusal> {
        for (name, _) in self.log.records(DUE, None, usize::MAX >> 1).await? {
            let Ok(table) = name.parse() else { continue };
            log_failure(self.record_one_missed(&table).await);
        }
        Ok(())
    }

    async fn record_one_missed(&self, table: &TableId) -> Result<(), Refusal> {
        let at_ms = self.log.head(table).await?.at_ms;
        let table = store::recall(&*self.log, self.games, table, 0, at_ms, at_ms).await?;
        self.record(&Finished::of(&table)).await
    }

    async fn record(&self, finished: &Finished) -> Result<(), Refusal> {
        let Finished { table, game, config, chairs, verdict, at_ms } = finished;
        if self.log.record(DUE, table.as_str()).await?.is_none() {
            return Ok(());
        }
        let players: Vec<(Seat, Player)> = players(chairs).collect();
        let mut names = Vec::new();
        for (_, player) in &players {
            names.push(match player {
                Player::Person(number) => self.accounts.name(*number).await.to_string(),
                Player::House(level) => format!("house ({level})"),
            });
        }
        let ranked = Kept::of(&*self.log, table).await?.access == Access::Ranked;
        let rated = match (self.games)(game) {
            Some(rules) if ranked => rules.rated(config)?,
            _ => None,
        };
        let mut effects = vec![put(DUE, table.to_string(), None)];
        for (seat, player) in &players {
            let Player::Person(account) = player else { continue };
            let opponent = match players.as_slice() {
                [a, b] => Some(if a.0 == *seat { b.1 } else { a.1 }),
                _ => None,
            };
            let rating = match (&rated, opponent, score(*verdict, *seat)) {
                (Some(rated), Some(opponent), Some(score)) => {
                    let (change, stored) =
                        self.rate(finished, rated, *account, opponent, score).await?;
                    effects.extend(stored);
                    Some(change)
                }
                _ => None,
            };
            let played = Played {
                table: table.to_string(),
                game: game.clone(),
                at_ms: *at_ms,
                seat: seat.index() as u8,
                names: names.clone(),
                result: ended(*verdict, *seat),
                rating,
            };
            // The newest comes first.
            let at = format!("{} {:020} {table}", key(*account), u64::MAX - at_ms);
            effects.push(put(HISTORY, at, Some(parlor_rules::json(&played).get().to_owned())));
        }
        self.log.post(effects).await?;
        Ok(())
    }

    /// What a game does to the rating of an account.
    async fn rate(
        &self,
        finished: &Finished,
        rated: &Rated,
        account: u64,
        opponent: Player,
        score: f64,
    ) -> Result<(Change, [Effect; 2]), Refusal> {
        let Finished { game, at_ms, .. } = finished;
        let before = self.rating(game, &rated.set, account).await?;
        let theirs = match opponent {
            Player::Person(other) => self.rating(game, &rated.set, other).await?,
            Player::House(level) => of_the_house(level),
        };
        let bot = matches!(opponent, Player::House(_));
        let new = after(&before, &theirs, score, rated.scale, *at_ms, bot);
        let change = Change { set: rated.set.clone(), before: before.rating, after: new.rating };
        Ok((change, record(game, rated, account, new)))
    }

    /// The rating of an account; where it starts if there is none yet.
    pub async fn rating(&self, game: &str, set: &str, account: u64) -> Result<Rating, Refusal> {
        let text = self.log.record(RATING, &format!("{game} {set} {}", key(account))).await?;
        let record = text.and_then(|text| serde_json::from_str::<Record>(&text).ok());
        Ok(record.map_or(Rating::START, |record| record.rating))
    }

    /// An account as its owner sees it.
    pub async fn me(&self, account: &Account, now_ms: u64) -> Result<Me, Refusal> {
        Ok(Me {
            account: account.number,
            name: account.name.clone(),
            guest: account.password.is_none(),
            language: account.language,
            chips: self.bank.balance(Unit::Chips, account.number).await?,
            tokens: self.bank.balance(Unit::Tokens, account.number).await?,
            ratings: self.ratings(account.number, now_ms).await?,
        })
    }

    /// All ratings of an account.
    async fn ratings(&self, account: u64, now_ms: u64) -> Result<Vec<parlor_wire::Rated>, Refusal> {
        let prefix = format!("{} ", key(account));
        let records = self.with_prefix::<Record>(RATINGS, &prefix, 100).await?;
        Ok(records.iter().map(|record| record.shown(now_ms)).collect())
    }

    /// The games an account has played to their ends, the newest first.
    pub async fn history(&self, account: u64, limit: usize) -> Result<Vec<Played>, Refusal> {
        self.with_prefix(HISTORY, &format!("{} ", key(account)), limit).await
    }

    /// What everyone may know of somebody: what leaderboards show, and how it came about.
    pub async fn known(&self, name: &str, limit: usize, now_ms: u64) -> Result<Known, Refusal> {
        let Account { number, name, .. } = self.accounts.by_name(name).await?;
        let counted = |played: Played| {
            let Played { game, at_ms, rating, .. } = played;
            rating.map(|rating| Counted { game, at_ms, rating })
        };
        let history = self.history(number, limit).await?;
        let course = history.into_iter().filter_map(counted).collect();
        Ok(Known { name, ratings: self.ratings(number, now_ms).await?, course })
    }

    /// The best under a rule set; those who have not played enough to tell stand behind.
    pub async fn leaders(
        &self,
        game: &str,
        set: &str,
        limit: usize,
        now_ms: u64,
    ) -> Result<Vec<Leader>, Refusal> {
        let prefix = format!("{game} {set} ");
        let mut records = self.with_prefix::<Record>(RATING, &prefix, usize::MAX).await?;
        let order = |record: &Record| {
            (record.rating.is_provisional(record.scale, now_ms), -record.rating.rating)
        };
        records
            .sort_by(|a, b| order(a).partial_cmp(&order(b)).unwrap_or(std::cmp::Ordering::Equal));
        let mut leaders = Vec::new();
        for record in records.iter().take(limit) {
            let name = self.accounts.name(record.account).await.to_string();
            leaders.push(Leader { name, rated: record.shown(now_ms) });
        }
        Ok(leaders)
    }

    /// The records of a kind whose keys begin so.
    async fn with_prefix<T: serde::de::DeserializeOwned>(
        &self,
        kind: &str,
        prefix: &str,
        limit: usize,
    ) -> Result<Vec<T>, Refusal> {
        const PAGE: usize = 512;
        let (mut found, mut last) = (Vec::new(), prefix.to_owned());
        loop {
            let page = self.log.records(kind, Some(&last), PAGE.min(limit - found.len())).await?;
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

/// Those who have played.
fn players(chairs: &[Chair]) -> impl Iterator<Item = (Seat, Player)> {
    (0..).map(Seat::new).zip(chairs).filter_map(|(seat, chair)| match chair {
        Chair::Taken(Who::Account(number)) => Some((seat, Player::Person(*number))),
        Chair::Taken(Who::Bot(level)) => {
            Some((seat, Player::House(level.parse().unwrap_or_default())))
        }
        Chair::Open | Chair::Reserved(_) => None,
    })
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
