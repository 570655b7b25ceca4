//! All tables that somebody is interested in, and how to get at them.

use crate::accounts::{Accounts, put};
use crate::chance::Chance;
use crate::line::Line;
use crate::metrics::Metrics;
use crate::queue::Queue;
use crate::results::Over;
use crate::room::{self, About, Agreed, Answer, Door, Looked, Message, Name, Room, Seen};
use crate::thinking::Thinking;
use crate::{Find, Parts, Players, Settings, bank, now_ms};
use parlor_journal::{Journal, JournalError, Which, hall, heads};
use parlor_rules::{AnyGame, Chips, Draws, House, Input, Json, Refusal, Seat, Seeded, Unit};
use parlor_table::{Chair, Clock, Keys, NewTable, Options, Who};
use parlor_wire::{Access, Level, Listed, Tell};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use std::collections::{BTreeMap, HashMap};
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::{mpsc, watch};

/// Kinds of records: what is kept of a table beside its log, and the number of the last run.
const TABLE: &str = "table";
const RUN: (&str, &str) = ("server", "run");

/// How long people may think where neither the rules nor who opened the table say anything: the
/// table of somebody who is gone has to come to an end.
const CLOCK: Clock = Clock::Bank { per_move_ms: 60_000, bank_ms: 300_000 };

/// How many tables the lobby shows at most: those with a free chair first.
const LOBBY: usize = 100;

/// What is kept of a table beside its log.
#[derive(Clone, Default, Serialize, Deserialize)]
pub(crate) struct Kept {
    #[serde(default)]
    pub(crate) access: Access,
    /// What lets in who does not sit there; none if everyone may.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    key: Option<String>,
    /// Who has opened it; none if the queue has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    by: Option<u64>,
}

impl Kept {
    pub(crate) fn of(journal: &dyn Journal, name: &Name) -> Result<Self, Refusal> {
        let kept = journal.record(TABLE, name.as_str())?;
        Ok(kept.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default())
    }
}

/// What a new table is to be.
pub(crate) struct Wanted<'a> {
    pub(crate) game: &'a str,
    pub(crate) seats: Option<u8>,
    pub(crate) config: &'a Map<String, Value>,
    pub(crate) options: &'a Map<String, Value>,
    pub(crate) access: Access,
    /// Who opens it; none if the house does, as it does as often as it likes.
    pub(crate) by: Option<u64>,
    /// From where it was asked for.
    pub(crate) from: IpAddr,
    /// Accounts that get a token for their chair there, as often as they stand here.
    pub(crate) guests: &'a [u64],
}

/// A table that was opened.
pub(crate) struct Opened {
    pub(crate) table: Name,
    /// Its key, if it is private.
    pub(crate) key: Option<String>,
    /// The tokens of the guests, in their order.
    pub(crate) tokens: Vec<String>,
}

/// Somebody who is to sit at a new table, and where to tell it.
pub(crate) struct Guest {
    pub(crate) who: Who,
    pub(crate) lines: Vec<Line>,
}

/// All tables.
pub(crate) struct Hall {
    pub(crate) journal: Arc<dyn Journal>,
    pub(crate) games: Find,
    pub(crate) players: Players,
    pub(crate) chance: Chance,
    pub(crate) settings: Settings,
    pub(crate) accounts: Accounts,
    pub(crate) metrics: Metrics,
    pub(crate) queue: Queue,
    pub(crate) thinking: Thinking,
    /// The number of this run.
    epoch: u32,
    open: Mutex<HashMap<Name, Arc<Door>>>,
    /// Counts the changes of the lobby.
    changed: watch::Sender<u64>,
    /// The lobby as it was after so many of them.
    shown: Mutex<(u64, Json)>,
    /// Tables whose game is over go there.
    over: mpsc::UnboundedSender<Over>,
    /// Who is here: by the number of the line, the account and the token it has shown.
    here: Mutex<HashMap<u64, (u64, String, Line)>>,
    /// Held by who looks for a chair, and by whoever opens a table but the house.
    pub(crate) finding: tokio::sync::Mutex<()>,
    opening: Mutex<()>,
    /// Held by every room, so that the end of all can be waited for.
    alive: Mutex<Option<mpsc::Sender<()>>>,
}

pub(crate) fn refuse<T>(code: &'static str, text: impl Into<String>) -> Result<T, Refusal> {
    Err(Refusal::new(code, text))
}

impl Hall {
    /// All tables of a journal that may still go on. Tables that are over by themselves are named to
    /// `over`.
    pub(crate) fn new(
        parts: Parts,
        over: mpsc::UnboundedSender<Over>,
        alive: mpsc::Sender<()>,
    ) -> Result<Arc<Self>, Refusal> {
        let Parts { journal, games, players, chance, settings, .. } = parts;
        let metrics = Metrics::default();
        let accounts = Accounts::new(journal.clone(), chance.clone(), metrics.passwords.clone())?;
        let now = now_ms();
        let last = journal.record(RUN.0, RUN.1)?.and_then(|last| last.parse::<u32>().ok());
        let epoch = last.unwrap_or(0).wrapping_add(1);
        journal.post(vec![put(RUN.0, RUN.1.to_owned(), Some(epoch.to_string()))])?;
        let hall = Arc::new(Self {
            journal,
            games,
            players,
            chance,
            thinking: Thinking::beside_the_rest(settings.thinking_per_address),
            settings,
            accounts,
            metrics,
            queue: Queue::default(),
            epoch,
            open: Mutex::default(),
            changed: watch::channel(1).0,
            shown: Mutex::new((0, Arc::from(RawValue::NULL.to_owned()))),
            over,
            here: Mutex::default(),
            finding: tokio::sync::Mutex::default(),
            opening: Mutex::default(),
            alive: Mutex::new(Some(alive)),
        });
        let alive = hall.journal.last_alive()?.unwrap_or(now);
        let unfinished: Vec<_> = heads(&*hall.journal, Which::Unfinished).collect();
        for head in unfinished {
            hall.recall(&head?.table, alive)?;
        }
        Ok(hall)
    }

    /// The rules of a game.
    pub(crate) fn game(&self, key: &str) -> Option<&'static dyn AnyGame> {
        (self.games)(key)
    }

    pub(crate) fn known_game(&self, key: &str) -> Result<&'static dyn AnyGame, Refusal> {
        let unknown = || Refusal::new("unknown_game", format!("there is no game {key:?}"));
        self.game(key).ok_or_else(unknown)
    }

    fn recall(self: &Arc<Self>, name: &Name, alive_ms: u64) -> Result<Arc<Door>, Refusal> {
        let table = hall::recall(&*self.journal, self.games, name, self.epoch, alive_ms, now_ms())?;
        let Kept { access, key, by } = Kept::of(&*self.journal, name)?;
        for chair in table.chairs().iter() {
            if let Chair::Taken(Who::Account(account)) = chair {
                // Whoever shows the table need not look it up.
                self.accounts.name(*account);
            }
        }
        self.add(table, About { access, key, by, from: None })
    }

    fn add(
        self: &Arc<Self>,
        table: parlor_table::Table,
        about: About,
    ) -> Result<Arc<Door>, Refusal> {
        let Some(alive) = self.held() else { return refuse("stopping", "the server stops") };
        let name = table.header().table.clone();
        let mut tables = self.tables();
        // Two may have asked for a table that was not at hand.
        if let Some(door) = tables.get(&name).filter(|door| !door.inbox.is_closed()) {
            return Ok(door.clone());
        }
        let door = Room::start(self, table, about, alive);
        tables.insert(name, door.clone());
        drop(tables);
        self.lobby_changed();
        Ok(door)
    }

    pub(crate) fn tables(&self) -> MutexGuard<'_, HashMap<Name, Arc<Door>>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn doors(&self) -> Vec<(Name, Arc<Door>)> {
        self.tables().iter().map(|(name, door)| (name.clone(), door.clone())).collect()
    }

    /// A table is at hand no more.
    pub(crate) fn forget(&self, name: &Name) {
        self.tables().remove(name);
        self.lobby_changed();
    }

    /// A game is over.
    pub(crate) fn finished(&self, over: Over) {
        tracing::info!(table = %over.table, "over");
        // It is counted with the next start otherwise.
        let _ = self.over.send(over);
    }

    pub(crate) fn lobby_changed(&self) {
        self.changed.send_modify(|count| *count += 1);
    }

    pub(crate) fn changes(&self) -> watch::Receiver<u64> {
        self.changed.subscribe()
    }

    /// How many tables are at hand.
    pub(crate) fn count(&self) -> usize {
        self.tables().len()
    }

    /// A table at hand, or one that was played to its end.
    pub(crate) async fn find(self: &Arc<Self>, table: &str) -> Result<Arc<Door>, Refusal> {
        let unknown = || Refusal::new("no_such_table", format!("there is no table {table:?}"));
        let name: Name = table.parse().map_err(|_| unknown())?;
        if let Some(door) = self.tables().get(&name).filter(|door| !door.inbox.is_closed()) {
            return Ok(door.clone());
        }
        let hall = self.clone();
        let recalled = crate::blocking(move || match hall.journal.head(&name) {
            Ok(_) => hall.recall(&name, now_ms()).map(Some),
            Err(JournalError::Unknown(_)) => Ok(None),
            Err(error) => Err(error.into()),
        });
        recalled.await?.ok_or_else(unknown)
    }

    /// Tells a table something, and waits for its answer.
    pub(crate) async fn ask<T>(
        self: &Arc<Self>,
        table: &str,
        message: impl FnOnce(Answer<T>) -> Message,
    ) -> Result<T, Refusal> {
        self.find(table).await?.ask(message).await
    }

    /// How many tables of these may still go on.
    fn opened(&self, whose: impl Fn(&About) -> bool) -> usize {
        let own = |door: &&Arc<Door>| whose(&door.about) && !door.seen.borrow().over;
        self.tables().values().filter(own).count()
    }

    /// Opens a table. It waits for the disk.
    pub(crate) fn create(self: &Arc<Self>, wanted: &Wanted<'_>) -> Result<Opened, Refusal> {
        let game = self.known_game(wanted.game)?;
        let (by, from) = (wanted.by, Some(wanted.from));
        let _turn = by.map(|_| self.opening.lock().unwrap_or_else(PoisonError::into_inner));
        let Settings { tables_per_account, tables_per_address, .. } = self.settings;
        let many = by.is_some()
            && (self.opened(|about| about.by == by) >= tables_per_account
                || self.opened(|about| about.from == from) >= tables_per_address);
        if many {
            return refuse("too_many_tables", "you have opened many tables; close some first");
        }
        let options = Value::Object(wanted.options.clone());
        let mut options: Options = serde_json::from_value(options)
            .map_err(|error| Refusal::malformed(format!("options: {error}")))?;
        let usual = if game.comes_and_goes() { *game.seats().end() } else { *game.seats().start() };
        let seats = wanted.seats.unwrap_or(usual);
        if !game.seats().contains(&seats) {
            let (least, most) = (game.seats().start().to_owned(), game.seats().end().to_owned());
            return refuse("bad_seats", format!("this game has {least} to {most} seats"));
        }
        let config = options_of(game, wanted.config, wanted.access == Access::Ranked)?;
        if !wanted.options.contains_key("clock") && needs_clock(game, &config, seats)? {
            options.clock = CLOCK;
        }
        let table: Name = format!("t-{}", self.chance.hex::<6>()?)
            .parse()
            .map_err(|why: &str| Refusal::malformed(why.to_owned()))?;
        let keys = Keys::from_secret(&self.chance.hex::<32>()?);
        let new =
            NewTable { table: table.clone(), game, config, seats, options, keys, now_ms: now_ms() };
        let key = match wanted.access {
            Access::Open | Access::Ranked => None,
            Access::Private => Some(self.chance.hex::<12>()?),
        };
        let kept = Kept { access: wanted.access, key: key.clone(), by: wanted.by };
        let kept = parlor_rules::json(&kept).get().to_owned();
        let mut effects = vec![put(TABLE, table.to_string(), Some(kept))];
        let mut tokens = Vec::new();
        for account in wanted.guests {
            let (token, stored) = self.accounts.seat_token(*account, table.as_str())?;
            tokens.push(token);
            effects.push(stored);
        }
        let created = hall::create(&*self.journal, new, effects)?;
        tracing::info!(%table, game = game.key(), "opened");
        self.add(created, About { access: wanted.access, key: key.clone(), by, from })?;
        Ok(Opened { table, key, tokens })
    }

    /// Sits down, with chips where people bring some, as far as they have them.
    pub(crate) async fn sit(
        self: &Arc<Self>,
        table: &str,
        account: u64,
        seat: Option<u8>,
        mut chips: Option<Chips>,
        tip: Option<parlor_table::Bytes32>,
        key: Option<String>,
    ) -> Result<Seat, Refusal> {
        let door = self.find(table).await?;
        let game = self.known_game(&door.game)?;
        let deposit = game.deposit(&door.config)?;
        if deposit > Chips::ZERO || chips.is_some() {
            let balance = self.balance(game.unit(), account).await?;
            chips = chips.map(|chips| chips.min(balance));
            if deposit > balance {
                return refuse("overdrawn", "you do not have what is played for at this table");
            }
        }
        let who = Who::Account(account);
        let sit = |answer| Message::Sit { who, by: None, seat, chips, tip, key, answer };
        let seat = self.ask(table, sit).await?;
        self.queue.leave(account);
        Ok(seat)
    }

    /// Lets the house take a chair, as an account has asked it to.
    pub(crate) async fn house(
        self: &Arc<Self>,
        table: &str,
        by: Option<u64>,
        level: Level,
        seat: Option<u8>,
        chips: Option<Chips>,
    ) -> Result<Seat, Refusal> {
        let door = self.find(table).await?;
        if (self.players)(&door.game, level, Seat::new(0), "").is_none() {
            return refuse("no_house", "the house does not play this game");
        }
        let who = Who::Bot(level.name().to_owned());
        let sit = |answer| Message::Sit { who, by, seat, chips, tip: None, key: None, answer };
        self.ask(table, sit).await
    }

    /// Opens a table for people who have found each other, and tells them.
    pub(crate) async fn gather(
        self: &Arc<Self>,
        game: String,
        config: Map<String, Value>,
        options: Map<String, Value>,
        access: Access,
        from: IpAddr,
        guests: Vec<Guest>,
    ) -> Result<Name, Refusal> {
        let hall = self.clone();
        let people: Vec<u64> = guests
            .iter()
            .flat_map(|Guest { who, lines }| match who {
                Who::Account(account) => vec![*account; lines.len()],
                Who::Bot(_) => Vec::new(),
            })
            .collect();
        let Opened { table, key, tokens } = crate::blocking(move || {
            let wanted = Wanted {
                game: &game,
                seats: None,
                config: &config,
                options: &options,
                access,
                by: None,
                from,
                guests: &people,
            };
            hall.create(&wanted)
        })
        .await?;
        let mut tokens = tokens.into_iter();
        let here: Vec<Line> = guests.iter().flat_map(|guest| guest.lines.clone()).collect();
        for Guest { who, lines } in guests {
            let lines: Vec<(Line, String)> = match who {
                Who::Account(_) => lines.into_iter().zip(tokens.by_ref()).collect(),
                Who::Bot(_) => Vec::new(),
            };
            let seated = match &who {
                Who::Bot(level) => {
                    let level = level.parse().unwrap_or_default();
                    self.house(table.as_str(), None, level, None, None).await
                }
                Who::Account(account) => {
                    self.sit(table.as_str(), *account, None, None, None, key.clone()).await
                }
            };
            let seat = match seated {
                Ok(seat) => seat,
                Err(refusal) => {
                    let Refusal { code, text, .. } = refusal;
                    let (table, code) = (table.to_string(), code.to_owned());
                    let left = Tell::Left { table, code, text };
                    lines.iter().for_each(|(line, _)| line.tell(left.clone()));
                    continue;
                }
            };
            let Who::Account(account) = who else { continue };
            for (line, token) in lines {
                self.matched(&table, account, seat, &line, token).await?;
            }
        }
        // Who has a new table is done with the old one.
        self.look_ahead(&here);
        Ok(table)
    }

    /// Looks no more at tables where the game is over, and is known to be; whether there were any.
    pub(crate) fn look_ahead(&self, lines: &[Line]) -> bool {
        let mut old: BTreeMap<Name, Vec<u64>> = BTreeMap::new();
        for line in lines {
            for table in line.tables() {
                old.entry(table).or_default().push(line.number());
            }
        }
        let tables = self.tables();
        let mut any = false;
        for (name, lines) in old {
            if let Some(door) = tables.get(&name).filter(|door| door.seen.borrow().late_over) {
                // The room may be closed by now.
                let _ = door.inbox.send(Message::Detach { lines });
                any = true;
            }
        }
        any
    }

    /// Tells somebody of the chair it has got, and shows the table.
    pub(crate) async fn matched(
        self: &Arc<Self>,
        table: &Name,
        account: u64,
        seat: Seat,
        line: &Line,
        token: String,
    ) -> Result<(), Refusal> {
        let seat = seat.index() as u8;
        line.tell(Tell::Matched { table: table.to_string(), seat, token });
        self.watch(table.as_str(), account, None, line, None).await
    }

    /// A token for an account's chair at a table.
    pub(crate) async fn seat_token(
        self: &Arc<Self>,
        account: u64,
        table: &str,
    ) -> Result<String, Refusal> {
        let (hall, (token, stored)) = (self.clone(), self.accounts.seat_token(account, table)?);
        crate::blocking(move || Ok(hall.journal.post(vec![stored])?)).await?;
        Ok(token)
    }

    /// Shows a table to a connection from now on, with the eyes of the account's chair if it has one.
    pub(crate) async fn watch(
        self: &Arc<Self>,
        table: &str,
        account: u64,
        key: Option<String>,
        line: &Line,
        seen: Option<(u32, u64)>,
    ) -> Result<(), Refusal> {
        let line = line.clone();
        self.ask(table, |answer| Message::Attach { account, key, line, seen, answer }).await
    }

    /// How a table stands, with the eyes of the account's chair if it has one.
    pub(crate) async fn look(
        self: &Arc<Self>,
        table: &str,
        account: Option<u64>,
        key: Option<String>,
    ) -> Result<Looked, Refusal> {
        self.ask(table, |answer| Message::Look { account, key, answer }).await
    }

    /// Wants the same again, or does not; with all agreed there is a new table at once.
    pub(crate) async fn again(
        self: &Arc<Self>,
        table: &str,
        account: u64,
        accept: bool,
        line: Option<Line>,
        from: IpAddr,
    ) -> Result<(), Refusal> {
        if accept && self.tables_of(account).len() >= self.settings.tables_per_account {
            return refuse("too_many_tables", "you sit at many tables; leave some first");
        }
        let again = |answer| Message::Again { account, accept, line, answer };
        let agreed = self.ask(table, again).await?;
        let Agreed::All(people) = agreed else { return Ok(()) };
        let door = self.find(table).await?;
        let config = serde_json::from_str(door.config.get())
            .map_err(|error| Refusal::malformed(error.to_string()))?;
        let mut guests: Vec<Guest> =
            people.into_iter().map(|(who, lines)| Guest { who, lines }).collect();
        // Who was first is second now.
        guests.rotate_left(1);
        let options = match serde_json::to_value(&door.options) {
            Ok(Value::Object(options)) => options,
            _ => Map::new(),
        };
        let (hall, game, access) = (self.clone(), door.game.clone(), door.about.access);
        // It is done to its end, even if who has asked for it last does not wait.
        let gathering = async move {
            let gathered = hall.gather(game, config, options, access, from, guests).await;
            if gathered.is_err() {
                // They may try again; the room may be closed by now.
                let _ = door.inbox.send(Message::NotAgain);
            }
            gathered.map(drop)
        };
        crate::ended(tokio::spawn(gathering)).await
    }

    /// Somebody has said who it is, by this line and with this token.
    pub(crate) fn came(&self, account: u64, token: &str, line: &Line) {
        let mut here = self.here.lock().unwrap_or_else(PoisonError::into_inner);
        here.insert(line.number(), (account, token.to_owned(), line.clone()));
    }

    /// A line is over.
    pub(crate) fn went(&self, line: &Line) {
        self.here.lock().unwrap_or_else(PoisonError::into_inner).remove(&line.number());
    }

    /// Cuts the lines of whose account or token is worth nothing any more, but for one.
    pub(crate) fn cut(&self, whose: impl Fn(u64, &String) -> bool, but: Option<u64>) {
        let here = self.here.lock().unwrap_or_else(PoisonError::into_inner);
        for (number, (account, token, line)) in &*here {
            if Some(*number) != but && whose(*account, token) {
                let (code, text) = ("revoked", "this token is worth nothing any more");
                line.tell(Tell::Bye { code: code.to_owned(), text: text.to_owned() });
                line.cut();
            }
        }
    }

    /// A line is over: all tables it looked at are told.
    pub(crate) fn hang_up(&self, line: &Line) {
        for name in line.hangs_up() {
            if let Some(door) = self.tables().get(&name) {
                // The room may be closed by now.
                let _ = door.inbox.send(Message::Detach { lines: vec![line.number()] });
            }
        }
    }

    pub(crate) fn listed(
        &self,
        name: &Name,
        game: &str,
        config: &Json,
        access: Access,
        seen: &Seen,
    ) -> Listed {
        let name_of = |number| self.accounts.name(number).to_string();
        Listed {
            table: name.to_string(),
            game: game.to_owned(),
            config: config.clone(),
            access,
            chairs: seen
                .people()
                .map(|(chair, here)| room::sitting(chair, here, name_of))
                .collect(),
            watchers: seen.watchers,
            over: seen.over,
        }
    }

    /// The tables of the lobby: those that everyone may find, that go on, and that somebody is
    /// interested in. They are written down when they have changed, however often they are asked for.
    pub(crate) fn lobby(&self) -> Json {
        let mut shown = self.shown.lock().unwrap_or_else(PoisonError::into_inner);
        let count = *self.changed.borrow();
        if shown.0 != count {
            *shown = (count, parlor_rules::json(&self.in_lobby()));
        }
        shown.1.clone()
    }

    fn in_lobby(&self) -> Vec<Listed> {
        let shown =
            |door: &Door, seen: &Seen| door.about.key.is_none() && !seen.over && seen.lively;
        let mut chosen = self.sought(|name, door, seen| {
            let full = !seen.chairs.contains(&Chair::Open);
            shown(door, seen).then(|| (full, name.clone()))
        });
        chosen.truncate(LOBBY);
        let mut names: Vec<Name> = chosen.into_iter().map(|(_, name)| name).collect();
        names.sort();
        let listed = names.into_iter().filter_map(|name| {
            let door = self.tables().get(&name).cloned()?;
            let (seen, access) = (door.seen.borrow(), door.about.access);
            shown(&door, &seen).then(|| self.listed(&name, &door.game, &door.config, access, &seen))
        });
        listed.collect()
    }

    /// All tables at hand, for who runs the house.
    pub(crate) fn all(&self) -> Vec<Listed> {
        let listed = self.doors().into_iter().map(|(name, door)| {
            let seen = door.seen.borrow();
            self.listed(&name, &door.game, &door.config, door.about.access, &seen)
        });
        listed.collect()
    }

    /// What is sought of the tables at hand, where there is something, in its order.
    fn sought<T: Ord>(&self, of: impl Fn(&Name, &Door, &Seen) -> Option<T>) -> Vec<T> {
        let tables = self.tables();
        let found = tables.iter().filter_map(|(name, door)| of(name, door, &door.seen.borrow()));
        let mut found: Vec<T> = found.collect();
        drop(tables);
        found.sort();
        found
    }

    /// The tables an account sits at that go on, with their games.
    pub(crate) fn tables_of(&self, account: u64) -> Vec<(Name, String)> {
        self.sought(|name, door, seen| {
            let sits = !seen.over && seen.chair(account).is_some();
            sits.then(|| (name.clone(), door.game.clone()))
        })
    }

    /// Tables with these options that have a chair and somebody who is there, the fullest first.
    pub(crate) fn with_a_chair(&self, game: &str, config: &Json, access: Access) -> Vec<Name> {
        let usual = Options::default();
        let found = self.sought(|name, door, seen| {
            let same = door.game == game
                && door.about.access == access
                && door.config.get() == config.get()
                && door.options == usual;
            let open = seen.chairs.iter().filter(|chair| **chair == Chair::Open).count();
            let met = seen.people().any(|(chair, here)| here && room::is_person(chair));
            (same && open > 0 && met && !seen.over).then(|| (open, name.clone()))
        });
        found.into_iter().map(|(_, name)| name).collect()
    }

    /// What an account has in the unit of a game.
    pub(crate) async fn balance(
        self: &Arc<Self>,
        unit: Unit,
        account: u64,
    ) -> Result<Chips, Refusal> {
        let hall = self.clone();
        crate::blocking(move || bank::balance(&*hall.journal, unit, account)).await
    }

    /// The number of this run.
    pub(crate) fn epoch(&self) -> u32 {
        self.epoch
    }

    /// What is held by whatever has to end before the server has.
    pub(crate) fn held(&self) -> Option<mpsc::Sender<()>> {
        self.alive.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Ends all tables' tasks; what is stored goes on with the next start.
    pub(crate) fn stop(&self) {
        self.alive.lock().unwrap_or_else(PoisonError::into_inner).take();
        for (_, door) in self.doors() {
            // It may have ended by itself.
            let _ = door.inbox.send(Message::Stop);
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

/// The options of a game in full, as they are played for ratings or not.
pub(crate) fn options_of(
    game: &dyn AnyGame,
    config: &Map<String, Value>,
    ranked: bool,
) -> Result<Json, Refusal> {
    let config = parlor_rules::json(config);
    if ranked { game.ranked(&config) } else { game.options(&config) }
}

/// Whether somebody could think for ever once such a game has begun.
fn needs_clock(game: &dyn AnyGame, config: &Json, seats: u8) -> Result<bool, Refusal> {
    let mut state = game.open(config, seats)?;
    let mut chance = Seeded::new("needs a clock");
    let begin = Input::House(House::Begin {});
    let Ok(events) = state.decide(&begin, &mut Draws::new(&mut chance)) else { return Ok(false) };
    for event in &events {
        state.apply(event)?;
    }
    let pending = state.pending();
    let untimed = pending.asked().iter().any(|asked| asked.within_ms.is_none());
    Ok(untimed && pending.deadline().is_none())
}
