//! All tables that somebody is interested in, and how to get at them.

use crate::accounts::{Account, Accounts, hex, random};
use crate::room::{self, Message, Name, Out, Room, Seen};
use crate::{Find, Players, now_ms};
use parlor_journal::{Journal, JournalError, Which, hall, heads};
use parlor_rules::{Chips, House, Input, Json, Refusal, Seat, Viewer};
use parlor_table::{Act, Chair, Desk, Keys, NewTable, Options, Stamp, Who};
use parlor_wire::{Access, Listed, Sitting, Tell};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::{mpsc, oneshot, watch};

/// Kinds of records: what is kept of a table beside its log, and the number of the last run.
const TABLE: &str = "table";
const RUN: (&str, &str) = ("server", "run");

/// What is kept of a table beside its log.
#[derive(Clone, Serialize, Deserialize)]
struct Kept {
    /// What lets in who does not sit there; none if everyone may.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    key: Option<String>,
}

/// A table at hand.
#[derive(Clone)]
struct Open {
    inbox: mpsc::UnboundedSender<Message>,
    game: String,
    config: Json,
    key: Option<String>,
}

/// All tables.
pub(crate) struct Hall {
    journal: Arc<dyn Journal>,
    games: Find,
    players: Players,
    pub(crate) accounts: Accounts,
    /// The number of this run.
    epoch: u32,
    open: Mutex<HashMap<Name, Open>>,
    /// Who waits for whom: by game and options, the account and where to tell it.
    queue: Mutex<HashMap<String, (u64, Out)>>,
    /// Counts the changes of the lobby.
    changed: watch::Sender<u64>,
}

fn refuse<T>(code: &'static str, text: impl Into<String>) -> Result<T, Refusal> {
    Err(Refusal::new(code, text))
}

fn gone<E>(_: E) -> Refusal {
    Refusal::new("table_gone", "this table is closed")
}

impl Hall {
    /// All tables of a journal that may still go on.
    pub(crate) fn new(
        journal: Arc<dyn Journal>,
        games: Find,
        players: Players,
    ) -> Result<Self, Refusal> {
        let accounts = Accounts::new(journal.clone())?;
        let now = now_ms();
        let last = journal.record(RUN.0, RUN.1)?.and_then(|last| last.parse::<u32>().ok());
        let epoch = last.unwrap_or(0).wrapping_add(1);
        journal.put_records(vec![(RUN.0.to_owned(), RUN.1.to_owned(), epoch.to_string())])?;
        let hall = Self {
            journal,
            games,
            players,
            accounts,
            epoch,
            open: Mutex::new(HashMap::new()),
            queue: Mutex::new(HashMap::new()),
            changed: watch::channel(0).0,
        };
        let alive = hall.journal.last_alive()?.unwrap_or(now);
        let unfinished: Vec<_> = heads(&*hall.journal, Which::Unfinished).collect();
        for head in unfinished {
            hall.recall(&head?.table, alive)?;
        }
        Ok(hall)
    }

    fn recall(&self, name: &Name, alive_ms: u64) -> Result<(), Refusal> {
        let table = hall::recall(&*self.journal, self.games, name, self.epoch, alive_ms, now_ms())?;
        let kept = self.journal.record(TABLE, name.as_str())?;
        let kept: Option<Kept> = kept.and_then(|text| serde_json::from_str(&text).ok());
        self.add(table, kept.and_then(|kept| kept.key));
        Ok(())
    }

    fn add(&self, table: parlor_table::Table, key: Option<String>) {
        let header = table.header();
        let (name, game, config) =
            (header.table.clone(), header.game.clone(), header.config.clone());
        let inbox = Room::start(table, self.journal.clone(), self.games, self.players);
        self.tables().insert(name, Open { inbox, game, config, key });
        self.lobby_changed();
    }

    fn tables(&self) -> std::sync::MutexGuard<'_, HashMap<Name, Open>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn lobby_changed(&self) {
        self.changed.send_modify(|count| *count += 1);
    }

    pub(crate) fn changes(&self) -> watch::Receiver<u64> {
        self.changed.subscribe()
    }

    /// A table at hand, or one that was played to its end before this run.
    fn find(&self, table: &str) -> Result<(Name, Open), Refusal> {
        let unknown = || Refusal::new("no_such_table", format!("there is no table {table:?}"));
        let name: Name = table.parse().map_err(|_| unknown())?;
        if !self.tables().contains_key(&name) {
            match self.journal.head(&name) {
                Ok(_) => self.recall(&name, now_ms())?,
                Err(JournalError::Unknown(_)) => return Err(unknown()),
                Err(error) => return Err(error.into()),
            }
        }
        let open = self.tables().get(&name).cloned().ok_or_else(unknown)?;
        Ok((name, open))
    }

    /// Opens a table; its name, and its key if it is private.
    pub(crate) fn create(
        &self,
        game: &str,
        seats: Option<u8>,
        config: &Map<String, Value>,
        options: &Map<String, Value>,
        access: Access,
    ) -> Result<(Name, Option<String>), Refusal> {
        let Some(game) = (self.games)(game) else {
            return refuse("unknown_game", format!("there is no game {game:?}"));
        };
        let options: Options = serde_json::from_value(Value::Object(options.clone()))
            .map_err(|error| Refusal::malformed(format!("options: {error}")))?;
        let usual = if game.comes_and_goes() { *game.seats().end() } else { *game.seats().start() };
        let seats = seats.unwrap_or(usual);
        if !game.seats().contains(&seats) {
            let (least, most) = (game.seats().start().to_owned(), game.seats().end().to_owned());
            return refuse("bad_seats", format!("this game has {least} to {most} seats"));
        }
        let table: Name = format!("t-{}", hex(&random::<6>()?))
            .parse()
            .map_err(|why: &str| Refusal::malformed(why.to_owned()))?;
        let keys = Keys::from_secret(&hex(&random::<32>()?));
        let config = parlor_rules::json(config);
        let new =
            NewTable { table: table.clone(), game, config, seats, options, keys, now_ms: now_ms() };
        let created = hall::create(&*self.journal, new)?;
        let key = match access {
            Access::Open => None,
            Access::Private => Some(hex(&random::<12>()?)),
        };
        let kept = parlor_rules::json(&Kept { key: key.clone() }).get().to_owned();
        self.journal.put_records(vec![(TABLE.to_owned(), table.to_string(), kept)])?;
        self.add(created, key.clone());
        Ok((table, key))
    }

    /// Says something to a table, and waits until it is done.
    async fn enter(&self, open: &Open, act: Act, stamp: Stamp) -> Result<(), Refusal> {
        let (answer, answered) = oneshot::channel();
        open.inbox.send(Message::Enter(act, stamp, answer)).map_err(gone)?;
        answered.await.map_err(gone)?
    }

    async fn look(&self, open: &Open) -> Result<Seen, Refusal> {
        let (answer, answered) = oneshot::channel();
        open.inbox.send(Message::Look(answer)).map_err(gone)?;
        answered.await.map_err(gone)
    }

    /// The chair of an account.
    fn chair(seen: &Seen, account: u64) -> Option<Seat> {
        let own = |(chair, _): &(Chair, bool)| *chair == Chair::Taken(Who::Account(account));
        seen.chairs.iter().position(own).map(|seat| Seat::new(seat as u8))
    }

    fn free(seen: &Seen, wanted: Option<u8>, account: Option<u64>) -> Result<Seat, Refusal> {
        let free = |chair: &Chair| match chair {
            Chair::Open => true,
            Chair::Reserved(kept) => Some(*kept) == account,
            Chair::Taken(_) => false,
        };
        let found = match wanted {
            Some(seat) => seen.chairs.get(usize::from(seat)).filter(|c| free(&c.0)).map(|_| seat),
            None => seen.chairs.iter().position(|(chair, _)| free(chair)).map(|seat| seat as u8),
        };
        found.map(Seat::new).ok_or_else(|| Refusal::new("no_chair", "there is no free chair there"))
    }

    /// Sits down, with chips where people bring some.
    pub(crate) async fn sit(
        &self,
        table: &str,
        account: &Account,
        seat: Option<u8>,
        chips: Option<Chips>,
        key: Option<&str>,
    ) -> Result<Seat, Refusal> {
        let (_, open) = self.find(table)?;
        let seen = self.look(&open).await?;
        if let Some(seat) = Self::chair(&seen, account.number) {
            return refuse("seated", format!("you sit there already, on chair {}", seat.index()));
        }
        if open.key.is_some() && open.key.as_deref() != key {
            return refuse("private", "this table is private: its key lets you in");
        }
        let seat = Self::free(&seen, seat, Some(account.number))?;
        self.take_chair(&open, seat, Who::Account(account.number), chips).await?;
        Ok(seat)
    }

    /// Lets the house take a chair.
    pub(crate) async fn house(
        &self,
        table: &str,
        seat: Option<u8>,
        chips: Option<Chips>,
    ) -> Result<Seat, Refusal> {
        let (_, open) = self.find(table)?;
        let seen = self.look(&open).await?;
        let seat = Self::free(&seen, seat, None)?;
        if (self.players)(&open.game, seat, "").is_none() {
            return refuse("no_house", "the house does not play this game");
        }
        let who = Who::Bot("house".to_owned());
        self.take_chair(&open, seat, who, chips).await?;
        Ok(seat)
    }

    /// Someone takes a chair, with chips where people bring some.
    async fn take_chair(
        &self,
        open: &Open,
        seat: Seat,
        who: Who,
        chips: Option<Chips>,
    ) -> Result<(), Refusal> {
        self.enter(open, room::sit(seat, who), Stamp::default()).await?;
        if let Some(chips) = chips {
            let joined = Act::Game(Input::House(House::Joined { seat, chips }));
            if let Err(refusal) = self.enter(open, joined, Stamp::default()).await {
                let rise = Act::Desk(Desk::Rise { seat });
                self.enter(open, rise, Stamp::default()).await?;
                return Err(refusal);
            }
        }
        self.lobby_changed();
        Ok(())
    }

    /// Shows a table to a connection from now on, with the eyes of the account's chair if it has one.
    pub(crate) async fn watch(
        &self,
        table: &str,
        account: &Account,
        key: Option<&str>,
        connection: u64,
        out: &Out,
        seen_last: Option<(u32, u64)>,
    ) -> Result<(), Refusal> {
        let (name, open) = self.find(table)?;
        let seen = self.look(&open).await?;
        let seat = Self::chair(&seen, account.number);
        if seat.is_none() && open.key.is_some() && open.key.as_deref() != key {
            return refuse("private", "this table is private: its key lets you in");
        }
        let viewer = seat.map_or(Viewer::Watcher, Viewer::Seat);
        let listed = self.listed(&name, &open, &seen);
        let about = Tell::Table {
            listed,
            config: open.config.clone(),
            you: seat.map(|seat| seat.index() as u8),
        };
        // A connection that does not read is dropped elsewhere.
        let _ = out.try_send(room::frame(&about));
        let out = out.clone();
        open.inbox
            .send(Message::Attach { connection, viewer, out, seen: seen_last })
            .map_err(gone)?;
        self.lobby_changed();
        Ok(())
    }

    /// Says something to the rules.
    pub(crate) async fn play(
        &self,
        table: &str,
        account: &Account,
        id: &str,
        ask: Option<u64>,
        command: &Value,
    ) -> Result<(), Refusal> {
        let (_, open) = self.find(table)?;
        let seen = self.look(&open).await?;
        let Some(seat) = Self::chair(&seen, account.number) else {
            return refuse("not_seated", "you do not sit at this table");
        };
        let stamp = Stamp { id: Some(id.to_owned()), ask, contribution: None };
        self.enter(&open, room::play(seat, parlor_rules::json(command)), stamp).await
    }

    /// Gets up, as far as the game lets one.
    pub(crate) async fn leave(
        &self,
        table: &str,
        account: &Account,
        connection: u64,
    ) -> Result<(), Refusal> {
        let (_, open) = self.find(table)?;
        let seen = self.look(&open).await?;
        let seat = Self::chair(&seen, account.number);
        if let Some(seat) = seat {
            let left = Act::Game(Input::House(House::Left { seat }));
            // The chair is free when the rules have let go of it; before a game begins that is now.
            if self.enter(&open, left, Stamp::default()).await.is_err() {
                self.enter(&open, Act::Desk(Desk::Rise { seat }), Stamp::default()).await?;
            }
        }
        open.inbox.send(Message::Detach { connection, left: seat.is_some() }).map_err(gone)?;
        self.lobby_changed();
        Ok(())
    }

    pub(crate) fn detach(&self, table: &str, connection: u64) {
        if let Ok((_, open)) = self.find(table) {
            // The room may be closed by now.
            let _ = open.inbox.send(Message::Detach { connection, left: false });
            self.lobby_changed();
        }
    }

    /// Says something to the people at a table.
    pub(crate) async fn chat(
        &self,
        table: &str,
        account: &Account,
        text: &str,
    ) -> Result<(), Refusal> {
        let (name, open) = self.find(table)?;
        if text.trim().is_empty() || text.chars().count() > 200 {
            return refuse("bad_chat", "say 1 to 200 characters");
        }
        let said = Tell::Chat {
            table: name.to_string(),
            from: account.name.clone(),
            text: text.trim().to_owned(),
            at_ms: now_ms(),
        };
        open.inbox.send(Message::Chat(room::frame(&said))).map_err(gone)
    }

    /// Waits for somebody who wants the same; with two there is a table at once.
    pub(crate) async fn queue(
        &self,
        account: &Account,
        game: &str,
        config: &Map<String, Value>,
        out: &Out,
    ) -> Result<(), Refusal> {
        let wanted = format!("{game} {}", parlor_rules::json(config));
        let other = {
            let mut queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner);
            if queue.values().any(|(waiting, _)| *waiting == account.number) {
                return refuse("queued", "you wait already");
            }
            match queue.remove(&wanted).filter(|(_, out)| !out.is_closed()) {
                Some(other) => other,
                None => {
                    queue.insert(wanted, (account.number, out.clone()));
                    return Ok(());
                }
            }
        };
        let Some(opponent) = self.accounts.account(other.0) else {
            return refuse("no_account", "who waited is gone; wait again");
        };
        let (table, _) = self.create(game, None, config, &Map::new(), Access::Open)?;
        for (who, out) in [(&opponent, &other.1), (account, out)] {
            let seat = self.sit(table.as_str(), who, None, None, None).await?;
            let matched = Tell::Matched { table: table.to_string(), seat: seat.index() as u8 };
            // A connection that does not read is dropped elsewhere.
            let _ = out.try_send(room::frame(&matched));
        }
        Ok(())
    }

    pub(crate) fn unqueue(&self, account: u64) -> bool {
        let mut queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner);
        let before = queue.len();
        queue.retain(|_, (waiting, _)| *waiting != account);
        queue.len() < before
    }

    fn listed(&self, name: &Name, open: &Open, seen: &Seen) -> Listed {
        let sitting = |(chair, here): &(Chair, bool)| match chair {
            Chair::Open => Sitting::Open {},
            Chair::Reserved(_) => Sitting::Kept {},
            Chair::Taken(Who::Bot(_)) => Sitting::House {},
            Chair::Taken(Who::Account(number)) => Sitting::Taken {
                name: self.accounts.account(*number).map_or_else(String::new, |a| a.name),
                here: *here,
            },
        };
        Listed {
            table: name.to_string(),
            game: open.game.clone(),
            chairs: seen.chairs.iter().map(sitting).collect(),
            watchers: seen.watchers,
            over: seen.over,
        }
    }

    /// The tables of the lobby.
    pub(crate) async fn lobby(&self) -> Vec<Listed> {
        let open: Vec<(Name, Open)> =
            self.tables().iter().map(|(name, open)| (name.clone(), open.clone())).collect();
        let mut listed = Vec::new();
        for (name, open) in open.into_iter().filter(|(_, open)| open.key.is_none()) {
            if let Ok(seen) = self.look(&open).await
                && !seen.over
            {
                listed.push(self.listed(&name, &open, &seen));
            }
        }
        listed.sort_by(|a, b| a.table.cmp(&b.table));
        listed
    }

    /// The tables an account sits at.
    pub(crate) async fn tables_of(&self, account: u64) -> Vec<String> {
        let open: Vec<(Name, Open)> =
            self.tables().iter().map(|(name, open)| (name.clone(), open.clone())).collect();
        let mut found = Vec::new();
        for (name, open) in open {
            if let Ok(seen) = self.look(&open).await
                && !seen.over
                && Self::chair(&seen, account).is_some()
            {
                found.push(name.to_string());
            }
        }
        found.sort();
        found
    }

    /// Ends all tables' tasks; what is stored goes on with the next start.
    pub(crate) fn stop(&self) {
        for open in self.tables().values() {
            // It may have ended by itself.
            let _ = open.inbox.send(Message::Stop);
        }
    }

    /// Notes that the program runs.
    pub(crate) fn alive(&self) -> Result<(), Refusal> {
        Ok(self.journal.alive(now_ms())?)
    }

    /// Whether moves can be stored.
    pub(crate) fn is_ready(&self) -> bool {
        self.journal.health() == parlor_journal::Health::Healthy
    }
}
