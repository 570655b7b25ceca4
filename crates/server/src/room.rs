//! A table and everyone around it: one task that drives its [`Place`].

use crate::hall::Hall;
use crate::line::{Frame, Line};
use crate::{bank, now_ms, results};
use parlor_bots::Player;
use parlor_journal::place::{Output, Place, Request};
use parlor_journal::{Append, JournalError, Outcome, hall};
use parlor_rules::{Chips, House, Input, Json, Pending, Refusal, Seat, Stay, Unit, Viewer};
use parlor_table::{Act, Bytes32, Chair, Desk, Stamp, Table, TableId, Update, Who};
use parlor_wire::{Access, Clock, Level, Listed, Offer, Sitting, Tell};
use serde_json::{Map, Value};
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::{mpsc, oneshot, watch};

/// The name of a table in a log.
pub(crate) type Name = TableId;

/// How many bytes of updates an audience can miss and still be told one by one.
const KEPT: usize = 8 * 1024;

/// How long after a failed write the next try is.
const RETRY: Duration = Duration::from_millis(250);

/// Where an answer goes.
pub(crate) type Answer<T> = oneshot::Sender<Result<T, Refusal>>;

/// What is done once an entry is stored, or refused.
type Then = Box<dyn FnOnce(&mut Room, Result<(), Refusal>) + Send>;

/// What a room is told.
pub(crate) enum Message {
    /// Somebody wants a chair, with chips where people bring some.
    Sit {
        who: Who,
        /// Who calls the house, if an account does.
        by: Option<u64>,
        seat: Option<u8>,
        chips: Option<Chips>,
        tip: Option<Bytes32>,
        key: Option<String>,
        answer: Answer<Seat>,
    },
    /// An account says something to the rules.
    Play { account: u64, command: Json, stamp: Stamp, answer: Answer<()> },
    /// An account brings more chips.
    TopUp { account: u64, chips: Chips, answer: Answer<()> },
    /// An account adds to the next shuffle.
    Release { account: u64, link: Bytes32, answer: Answer<()> },
    /// An account gets up, or stops watching with this line.
    Leave { account: u64, line: Option<u64>, answer: Answer<()> },
    /// A connection wants to see it, with the eyes of the account's chair if it has one. Its frames
    /// go there, from now on, after the last update it has seen.
    Attach {
        account: u64,
        key: Option<String>,
        line: Line,
        seen: Option<(u32, u64)>,
        answer: Answer<()>,
    },
    /// A connection is over.
    Detach { line: u64 },
    /// An account wants the same again, or does not.
    Again { account: u64, accept: bool, line: Option<Line>, answer: Answer<Agreed> },
    /// Somebody has said something.
    Chat { account: u64, line: Option<u64>, text: String, answer: Answer<()> },
    /// Somebody asks how it stands, with the eyes of the account's chair if it has one.
    Look { account: Option<u64>, key: Option<String>, answer: Answer<Looked> },
    /// A house player has thought.
    Thought { seat: Seat, ask: u64, command: Json },
    /// What became of an entry.
    Settled(Result<Outcome, JournalError>),
    /// The table is closed from above.
    Close { answer: Answer<()> },
    /// The server stops. What is stored goes on with its next start.
    Stop,
}

/// Whether all want the same again.
pub(crate) enum Agreed {
    /// Others have still to say.
    NotYet,
    /// All do: who sat where, and where to tell them.
    All(Vec<(Who, Vec<Line>)>),
}

/// A table as somebody sees it.
pub(crate) struct Looked {
    pub(crate) seat: Option<Seat>,
    pub(crate) listed: Listed,
    pub(crate) update: Option<Tell>,
    /// The state as a document; it holds everything, and goes to nobody as it is.
    pub(crate) doc: Json,
    /// The names of the people on the chairs.
    pub(crate) names: Vec<Option<String>>,
    pub(crate) proof: Json,
    /// Whether the state is not for these eyes yet.
    pub(crate) behind: bool,
    pub(crate) dice: String,
    pub(crate) root: Option<String>,
}

/// A table from outside.
#[derive(Clone, PartialEq)]
pub(crate) struct Seen {
    pub(crate) chairs: Vec<Chair>,
    pub(crate) here: Vec<bool>,
    pub(crate) watchers: u32,
    pub(crate) over: bool,
    /// Whether anybody is interested.
    pub(crate) lively: bool,
    /// Whether watchers know that it is over.
    pub(crate) late_over: bool,
}

impl Seen {
    /// The chair of an account.
    pub(crate) fn chair(&self, account: u64) -> Option<Seat> {
        chair(&self.chairs, account)
    }
}

fn chair(chairs: &[Chair], account: u64) -> Option<Seat> {
    let own = Chair::Taken(Who::Account(account));
    chairs.iter().position(|chair| *chair == own).map(|seat| Seat::new(seat as u8))
}

fn seats(chairs: &[Chair]) -> impl Iterator<Item = (Seat, &Chair)> {
    (0..).map(Seat::new).zip(chairs)
}

fn answer<T>(to: Answer<T>, what: Result<T, Refusal>) {
    // Who asked may be gone.
    let _ = to.send(what);
}

/// What a room is beside its table.
#[derive(Clone)]
pub(crate) struct About {
    pub(crate) access: Access,
    /// What lets in who does not sit there; none if everyone may.
    pub(crate) key: Option<String>,
    /// Who has opened it; none if the house has.
    pub(crate) by: Option<u64>,
    /// From where, as long as the server runs.
    pub(crate) from: Option<IpAddr>,
}

/// A room, as its task has it.
pub(crate) struct Room {
    hall: Arc<Hall>,
    about: About,
    name: Name,
    game: String,
    unit: Unit,
    comes_and_goes: bool,
    place: Place<u64>,
    inbox: mpsc::UnboundedSender<Message>,
    seen: watch::Sender<Seen>,
    waiting: HashMap<u64, Then>,
    next: u64,
    there: Vec<(Viewer, Line)>,
    kept: HashMap<Viewer, VecDeque<(u64, Frame)>>,
    bots: HashMap<Seat, Arc<Mutex<Box<dyn Player>>>>,
    /// Chairs that somebody is just sitting down on, or getting up from, and who.
    moving: BTreeMap<Seat, Option<u64>>,
    /// What watchers who are behind have still to be told, and when.
    late: VecDeque<(u64, Frame)>,
    /// Who is here without a connection, and was last heard of when.
    visited: BTreeMap<Seat, u64>,
    /// Who wants the same again, and has said so by which line.
    again: BTreeMap<Seat, Option<Line>>,
    paused: bool,
    beginning: bool,
    /// Since when nobody is there.
    alone_since_ms: Option<u64>,
    /// Held as long as the task runs.
    _alive: mpsc::Sender<()>,
}

/// A room from outside.
pub(crate) struct Door {
    pub(crate) inbox: mpsc::UnboundedSender<Message>,
    pub(crate) seen: watch::Receiver<Seen>,
    pub(crate) game: String,
    pub(crate) config: Json,
    /// The options of the table.
    pub(crate) options: Map<String, Value>,
    pub(crate) about: About,
}

impl Door {
    /// Tells the room something, and waits for its answer.
    pub(crate) async fn ask<T>(
        &self,
        message: impl FnOnce(Answer<T>) -> Message,
    ) -> Result<T, Refusal> {
        let gone = || Refusal::new("table_gone", "this table was just put away; say it again");
        let (answer, answered) = oneshot::channel();
        self.inbox.send(message(answer)).map_err(|_| gone())?;
        answered.await.map_err(|_| gone())?
    }

    /// Says something to the rules.
    pub(crate) async fn play(
        &self,
        account: u64,
        command: Json,
        stamp: Stamp,
    ) -> Result<(), Refusal> {
        self.ask(|answer| Message::Play { account, command, stamp, answer }).await
    }
}

impl Room {
    /// Starts the task of a table.
    pub(crate) fn start(
        hall: &Arc<Hall>,
        table: Table,
        about: About,
        alive: mpsc::Sender<()>,
    ) -> Arc<Door> {
        let (inbox, messages) = mpsc::unbounded_channel();
        let header = table.header();
        let (name, game, config) =
            (header.table.clone(), header.game.clone(), header.config.clone());
        let options = match serde_json::to_value(&header.options) {
            Ok(Value::Object(options)) => options,
            _ => Map::new(),
        };
        let rules = hall.game(&game);
        let (unit, comes_and_goes) =
            rules.map_or((Unit::Chips, false), |rules| (rules.unit(), rules.comes_and_goes()));
        let nobody = Seen {
            chairs: table.chairs().to_vec(),
            here: vec![false; table.chairs().len()],
            watchers: 0,
            over: table.pending() == Pending::Over,
            lively: true,
            late_over: false,
        };
        let (seen, outside) = watch::channel(nobody);
        let mut room = Self {
            place: place(unit, table),
            hall: hall.clone(),
            about: about.clone(),
            name,
            game: game.clone(),
            unit,
            comes_and_goes,
            inbox: inbox.clone(),
            seen,
            waiting: HashMap::new(),
            next: 0,
            there: Vec::new(),
            kept: HashMap::new(),
            bots: HashMap::new(),
            moving: BTreeMap::new(),
            late: VecDeque::new(),
            visited: BTreeMap::new(),
            again: BTreeMap::new(),
            paused: false,
            beginning: false,
            alone_since_ms: None,
            _alive: alive,
        };
        room.publish();
        tokio::spawn(room.run(messages));
        Arc::new(Door { inbox, seen: outside, game, config, options, about })
    }

    /// How long it stays at hand when nobody is interested any more.
    fn linger_ms(&self) -> u64 {
        self.hall.settings.linger_ms
    }

    fn table(&self) -> &Table {
        self.place.table()
    }

    async fn run(mut self, mut messages: mpsc::UnboundedReceiver<Message>) {
        self.tidy();
        loop {
            let now = now_ms();
            let next = if self.paused {
                Some(now + RETRY.as_millis() as u64)
            } else {
                self.table().next_ms()
            };
            let alone = self.alone_since_ms.map(|since| since + self.linger_ms());
            let missed = self.visited.values().min().map(|at| at + self.linger_ms());
            let times = next.into_iter().chain(alone.filter(|at| *at > now)).chain(missed);
            let times = times.chain(self.late.front().map(|(at, _)| *at));
            let over = (self.delay_ms() > 0).then(|| self.table().at_ms() + self.delay_ms());
            let times = times.chain(over.filter(|at| *at > now));
            let wait = times.min();
            let wait = wait.unwrap_or(now + self.linger_ms());
            tokio::select! {
                message = messages.recv() => match message {
                    Some(Message::Stop) | None => return,
                    Some(message) => self.hear(message),
                },
                () = tokio::time::sleep(Duration::from_millis(wait.saturating_sub(now))) => {
                    self.tick();
                    if self.ends() {
                        tracing::debug!(table = %self.name, "put away");
                        return self.hall.forget(&self.name);
                    }
                }
            }
            self.publish();
        }
    }

    /// Whether nobody has been there for long.
    fn is_forlorn(&self) -> bool {
        self.alone_since_ms.is_some_and(|since| since + self.linger_ms() <= now_ms())
    }

    /// Whether it is to be put away: nobody has been there for long, and nobody has a chair to come
    /// back to. A table that could still go on is closed first.
    fn ends(&mut self) -> bool {
        if !self.is_forlorn() || !self.place.idle() {
            return false;
        }
        if self.table().pending() == Pending::Over {
            return self.table().next_ms().is_none();
        }
        let person = |chair: &Chair| matches!(chair, Chair::Taken(Who::Account(_)));
        if !self.table().chairs().iter().any(person) {
            let close = Act::Game(Input::House(House::Close {}));
            self.enter(close, Stamp::default(), Box::new(|_, _| {}));
        }
        false
    }

    fn tick(&mut self) {
        self.miss();
        let now = now_ms();
        if std::mem::take(&mut self.paused) {
            let outputs = self.place.retry(now);
            return self.put_out(outputs);
        }
        for update in self.place.table_mut().late(now) {
            self.tell(update);
        }
        while let Some((_, said)) = self.late.pop_front_if(|(at, _)| *at <= now) {
            let watchers = self.there.iter().filter(|(viewer, _)| *viewer == Viewer::Watcher);
            watchers.for_each(|(_, line)| line.send(said.clone()));
        }
        let outputs = self.place.tick(now);
        self.put_out(outputs);
    }

    fn hear(&mut self, message: Message) {
        match message {
            Message::Sit { who, by, seat, chips, tip, key, answer: to } => {
                match self.free(&who, by, seat, key.as_deref(), chips) {
                    Ok(seat) => self.sit(seat, who, chips, tip, to),
                    Err(refusal) => answer(to, Err(refusal)),
                }
            }
            Message::Play { account, command, stamp, answer: to } => {
                self.by_seat(account, to, |room, seat, to| {
                    let act = Act::Game(Input::Play { seat, command });
                    room.enter(act, stamp, Box::new(|_, done| answer(to, done)));
                });
            }
            Message::TopUp { account, chips, answer: to } => {
                self.by_seat(account, to, |room, seat, to| {
                    let act = Act::Game(Input::House(House::Topped { seat, chips }));
                    room.enter(act, Stamp::default(), Box::new(|_, done| answer(to, done)));
                });
            }
            Message::Release { account, link, answer: to } => {
                self.by_seat(account, to, |room, seat, to| {
                    let act = Act::Desk(Desk::Release { seat, link });
                    room.enter(act, Stamp::default(), Box::new(|_, done| answer(to, done)));
                });
            }
            Message::Leave { account, line, answer: to } => self.leave(account, line, to),
            Message::Attach { account, key, line, seen, answer: to } => {
                let seat = chair(self.table().chairs(), account);
                let may = self.may_see(seat, key.as_deref());
                if may.is_ok() {
                    self.attach(seat.map_or(Viewer::Watcher, Viewer::Seat), line, seen);
                }
                answer(to, may);
            }
            Message::Detach { line } => self.detach(line),
            Message::Again { account, accept, line, answer: to } => {
                let agreed = self.again(account, accept, line);
                answer(to, agreed);
            }
            Message::Chat { account, line, text, answer: to } => {
                let looks = self.there.iter().any(|(_, other)| Some(other.number()) == line);
                let may = match looks || chair(self.table().chairs(), account).is_some() {
                    true => Ok(()),
                    false => Err(Refusal::new("not_here", "watch the table first")),
                };
                if may.is_ok() {
                    self.tell_all(Tell::Chat {
                        table: self.name.to_string(),
                        from: self.hall.accounts.name(account).to_string(),
                        text,
                        at_ms: now_ms(),
                    });
                }
                answer(to, may);
            }
            Message::Look { account, key, answer: to } => {
                let seat = account.and_then(|account| chair(self.table().chairs(), account));
                if let Some(seat) = seat {
                    self.visits(seat);
                }
                let looked = self.may_see(seat, key.as_deref()).map(|()| self.look(seat));
                answer(to, looked);
            }
            Message::Thought { seat, ask, command } => {
                let stamp = Stamp { ask: Some(ask), ..Stamp::default() };
                self.enter(Act::Game(Input::Play { seat, command }), stamp, Box::new(|_, _| {}));
            }
            Message::Settled(outcome) => {
                let outputs = self.place.settled(outcome, now_ms());
                self.put_out(outputs);
                self.tidy();
            }
            Message::Close { answer: to } => {
                let close = Act::Game(Input::House(House::Close {}));
                self.enter(close, Stamp::default(), Box::new(|_, done| answer(to, done)));
            }
            Message::Stop => {}
        }
    }

    /// Enters something, and goes on when it is stored or refused.
    fn enter(&mut self, act: Act, stamp: Stamp, then: Then) {
        self.next += 1;
        self.waiting.insert(self.next, then);
        let request = Request { to: self.next, act, stamp };
        let outputs = self.place.request(request, now_ms());
        self.put_out(outputs);
    }

    fn answer(&mut self, to: u64, done: Result<(), Refusal>) {
        if let Err(refusal) = &done {
            self.hall.metrics.refused(refusal.code);
        }
        if let Some(then) = self.waiting.remove(&to) {
            then(self, done);
        }
    }

    fn put_out(&mut self, outputs: Vec<Output<u64>>) {
        for output in outputs {
            match output {
                Output::Store(append) => self.store(append),
                Output::Tell(update) => self.tell(update),
                Output::Done { to } => self.answer(to, Ok(())),
                Output::Refused { to, refusal } => self.answer(to, Err(refusal)),
                Output::Paused { .. } => self.paused = true,
                Output::Stale => self.reread(),
            }
        }
    }

    fn store(&self, append: Append) {
        let (inbox, hall, began) =
            (self.inbox.clone(), self.hall.clone(), std::time::Instant::now());
        let (name, over) = (self.name.clone(), append.finished);
        let game = self.game.clone();
        self.hall.journal.submit(
            append,
            Box::new(move |outcome| {
                if outcome == Ok(Outcome::Stored) {
                    hall.metrics.stored(&game, began.elapsed());
                    if over {
                        hall.finished(name);
                    }
                }
                // The room may be closed by now.
                let _ = inbox.send(Message::Settled(outcome));
            }),
        );
    }

    /// Somebody else has written the log: it is read again, and what waits is tried there.
    fn reread(&mut self) {
        let now = now_ms();
        let epoch = self.table().current(Viewer::Watcher).map_or(0, |u| u.epoch) + 1;
        match hall::recall(&*self.hall.journal, self.hall.games, &self.name, epoch, now, now) {
            Ok(table) => {
                let new = place(self.unit, table);
                let old = std::mem::replace(&mut self.place, new);
                self.kept.clear();
                for request in old.into_waiting() {
                    let outputs = self.place.request(request, now);
                    self.put_out(outputs);
                }
            }
            Err(_) => self.paused = true,
        }
    }

    // Who sits.

    /// Whether a private table may be seen.
    fn may_see(&self, seat: Option<Seat>, key: Option<&str>) -> Result<(), Refusal> {
        let same = |own: &String| key.is_some_and(|key| crate::guard::same(own, key));
        if seat.is_some() || self.about.key.as_ref().is_none_or(same) {
            return Ok(());
        }
        Err(Refusal::new("private", "this table is private: its key lets you in"))
    }

    /// The chair that is meant, if it is free for this one.
    fn free(
        &self,
        who: &Who,
        by: Option<u64>,
        wanted: Option<u8>,
        key: Option<&str>,
        chips: Option<Chips>,
    ) -> Result<Seat, Refusal> {
        let chairs = self.table().chairs();
        let account = match who {
            Who::Account(number) => Some(*number),
            Who::Bot(_) => None,
        };
        if let Some(seat) = account.and_then(|account| chair(chairs, account)) {
            let text = format!("you sit there already, on chair {}", seat.index());
            return Err(Refusal::new("seated", text));
        }
        if account.is_some() && self.moving.values().any(|moving| *moving == account) {
            return Err(Refusal::new("seated", "you are just sitting down there"));
        }
        // Whoever calls the house to a private table sits there.
        if account.is_some() || by.is_some() {
            self.may_see(by.and_then(|by| chair(chairs, by)), key)?;
        }
        if self.comes_and_goes && chips.is_none() {
            return Err(Refusal::new("no_chips", "say how many chips you bring"));
        }
        let free = |(seat, chair): &(Seat, &Chair)| match chair {
            Chair::Open => !self.moving.contains_key(seat),
            Chair::Reserved(kept) => Some(*kept) == account,
            Chair::Taken(_) => false,
        };
        let wanted =
            |(seat, _): &(Seat, &Chair)| wanted.is_none_or(|w| seat.index() == usize::from(w));
        let found = seats(chairs).filter(wanted).find(free);
        let none = || Refusal::new("no_chair", "there is no free chair there");
        found.map(|(seat, _)| seat).ok_or_else(none)
    }

    fn sit(
        &mut self,
        seat: Seat,
        who: Who,
        chips: Option<Chips>,
        tip: Option<Bytes32>,
        to: Answer<Seat>,
    ) {
        let account = match &who {
            Who::Account(number) => Some(*number),
            Who::Bot(_) => None,
        };
        self.moving.insert(seat, account);
        let seated = move |room: &mut Self, done: Result<(), Refusal>| match (done, chips) {
            (Err(refusal), _) => {
                room.moving.remove(&seat);
                answer(to, Err(refusal));
            }
            (Ok(()), None) => {
                room.moving.remove(&seat);
                room.sat(seat);
                answer(to, Ok(seat));
            }
            (Ok(()), Some(chips)) => {
                let joined = Act::Game(Input::House(House::Joined { seat, chips }));
                room.enter(
                    joined,
                    Stamp::default(),
                    Box::new(move |room, joined| match joined {
                        Ok(()) => {
                            room.moving.remove(&seat);
                            room.sat(seat);
                            answer(to, Ok(seat));
                        }
                        Err(refusal) => room.rise(seat, move || answer(to, Err(refusal))),
                    }),
                );
            }
        };
        let sit = Act::Desk(Desk::Sit { seat, who, tip });
        self.enter(sit, Stamp::default(), Box::new(seated));
    }

    fn sat(&mut self, seat: Seat) {
        if let Some(Chair::Taken(Who::Account(_))) = self.table().chairs().get(seat.index()) {
            self.visits(seat);
        }
    }

    fn rise(&mut self, seat: Seat, then: impl FnOnce() + Send + 'static) {
        self.moving.insert(seat, None);
        let rise = Act::Desk(Desk::Rise { seat });
        self.enter(
            rise,
            Stamp::default(),
            Box::new(move |room, _| {
                room.moving.remove(&seat);
                room.bots.remove(&seat);
                then();
            }),
        );
    }

    /// Does something on the chair of an account.
    fn by_seat<T>(
        &mut self,
        account: u64,
        to: Answer<T>,
        what: impl FnOnce(&mut Self, Seat, Answer<T>),
    ) {
        match chair(self.table().chairs(), account) {
            Some(seat) => {
                self.visits(seat);
                what(self, seat, to);
            }
            None => answer(to, Err(Refusal::new("not_seated", "you do not sit at this table"))),
        }
    }

    /// Somebody is here, if only by messages: for a while, unless a connection looks on.
    fn visits(&mut self, seat: Seat) {
        let looks = |(viewer, _): &(Viewer, Line)| *viewer == Viewer::Seat(seat);
        if !self.there.iter().any(looks) {
            self.visited.insert(seat, now_ms());
            self.place.table_mut().back(seat);
        }
    }

    /// Who has not been heard of for long, and has no connection, is gone.
    fn miss(&mut self) {
        let now = now_ms();
        let linger_ms = self.linger_ms();
        let gone: Vec<Seat> = self
            .visited
            .iter()
            .filter(|(_, at)| **at + linger_ms <= now)
            .map(|(seat, _)| *seat)
            .collect();
        for seat in gone {
            self.visited.remove(&seat);
            self.place.table_mut().gone(seat, now);
        }
    }

    /// Gets up: out of a game that goes on, as its rules have it; before and after it at once.
    fn leave(&mut self, account: u64, line: Option<u64>, to: Answer<()>) {
        let Some(seat) = chair(self.table().chairs(), account) else {
            if let Some(line) = line {
                self.detach(line);
            }
            return answer(to, Ok(()));
        };
        if self.table().pending() == Pending::Over {
            self.let_go(seat, "left", "you have left the table");
            return answer(to, Ok(()));
        }
        let left = Act::Game(Input::House(House::Left { seat }));
        self.enter(
            left,
            Stamp::default(),
            Box::new(move |room, left| {
                room.let_go(seat, "left", "you have left the table");
                match left {
                    Ok(()) => answer(to, Ok(())),
                    // The rules do not know of this seat yet.
                    Err(_) => room.rise(seat, move || answer(to, Ok(()))),
                }
            }),
        );
    }

    /// Tells whoever looks with the eyes of a chair that this is over.
    fn let_go(&mut self, seat: Seat, code: &str, text: &str) {
        let left = Frame::new(Tell::Left {
            table: self.name.to_string(),
            code: code.to_owned(),
            text: text.to_owned(),
        });
        let name = &self.name;
        self.there.retain(|(viewer, line)| {
            let goes = *viewer == Viewer::Seat(seat);
            if goes {
                line.send(left.clone());
                line.looks_away(name);
            }
            !goes
        });
        self.kept.remove(&Viewer::Seat(seat));
        // A table that goes on is not held up by who has left it.
        if self.table().pending() == Pending::Over {
            self.place.table_mut().gone(seat, now_ms());
        }
    }

    /// What follows from an entry for who sits here.
    fn tidy(&mut self) {
        if self.comes_and_goes && self.place.idle() {
            let taken = seats(self.table().chairs())
                .filter(|(seat, chair)| {
                    matches!(chair, Chair::Taken(_)) && !self.moving.contains_key(seat)
                })
                .map(|(seat, _)| (seat, self.table().stay(seat)));
            for (seat, stay) in taken.collect::<Vec<_>>() {
                if stay != Stay::Stays {
                    self.let_go(seat, "left", "you have left the table");
                }
                if stay == Stay::Gone {
                    self.rise(seat, || {});
                }
            }
        }
        self.begin();
        self.seat_bots();
    }

    /// A game begins when its seats are taken, or at once where people come and go.
    fn begin(&mut self) {
        let table = self.table();
        let taken = |chair: &Chair| matches!(chair, Chair::Taken(_));
        let ready = self.comes_and_goes || table.chairs().iter().all(taken);
        let rests = table.pending() == Pending::Rest && table.outcome().is_none();
        if !ready || !rests || self.beginning || !self.place.idle() {
            return;
        }
        self.beginning = true;
        let begin = Act::Game(Input::House(House::Begin {}));
        self.enter(
            begin,
            Stamp::default(),
            Box::new(|room, begun| {
                room.beginning = false;
                // Who cannot pay what everyone puts in makes room for another.
                if let Err(refusal) = begun
                    && refusal.code == "overdrawn"
                    && let Some(account) =
                        refusal.facts.get("account").and_then(|a| a.as_str()?.parse().ok())
                    && let Some(seat) = chair(room.table().chairs(), account)
                {
                    room.let_go(seat, "overdrawn", &refusal.text);
                    room.rise(seat, || {});
                }
            }),
        );
    }

    // Who looks.

    fn attach(&mut self, viewer: Viewer, line: Line, seen: Option<(u32, u64)>) {
        self.there.retain(|(_, other)| other.number() != line.number());
        let there = line.looks_at(&self.name);
        if let Viewer::Seat(seat) = viewer {
            self.visited.remove(&seat);
            match there {
                true => self.place.table_mut().back(seat),
                false => self.place.table_mut().gone(seat, now_ms()),
            }
        }
        if !there {
            return self.tick();
        }
        line.tell(self.about_table(viewer));
        self.greet(viewer, &line, seen);
        self.there.push((viewer, line));
        self.tick();
    }

    fn detach(&mut self, number: u64) {
        let Some(at) = self.there.iter().position(|(_, line)| line.number() == number) else {
            return;
        };
        let (viewer, line) = self.there.remove(at);
        line.looks_away(&self.name);
        if let Viewer::Seat(seat) = viewer
            && !self.there.iter().any(|(other, _)| *other == viewer)
        {
            self.place.table_mut().gone(seat, now_ms());
        }
        self.tick();
    }

    fn here(&self) -> Vec<bool> {
        seats(self.table().chairs()).map(|(seat, _)| self.table().here(seat)).collect()
    }

    /// Tells everyone, and the lobby, who sits and looks here, if that has changed.
    fn publish(&mut self) {
        // Whoever is just sitting down may yet be refused.
        if !self.moving.is_empty() {
            return;
        }
        let (table, there) = (self.table(), &self.there);
        let watchers = there.iter().filter(|(viewer, _)| *viewer == Viewer::Watcher).count() as u32;
        let over = table.pending() == Pending::Over;
        let here = |(seat, chair): (Seat, &Chair)| {
            matches!(chair, Chair::Taken(Who::Account(_))) && table.here(seat)
        };
        let alone = there.is_empty() && (over || !seats(table.chairs()).any(here));
        self.alone_since_ms = alone.then(|| self.alone_since_ms.unwrap_or_else(now_ms));
        let lively = !self.is_forlorn();
        let late_over = over && self.is_over(Viewer::Watcher);
        let (last, here) = (self.seen.borrow().clone(), self.here());
        let now = Seen {
            chairs: self.table().chairs().to_vec(),
            here,
            watchers,
            over,
            lively,
            late_over,
        };
        if now == last {
            return;
        }
        self.seen.send_replace(now);
        self.hall.lobby_changed();
        for (viewer, line) in &self.there {
            line.tell(self.about_table(*viewer));
        }
    }

    fn about_table(&self, viewer: Viewer) -> Tell {
        let you = match viewer {
            Viewer::Seat(seat) => Some(seat.index() as u8),
            Viewer::Watcher => None,
        };
        Tell::Table { listed: self.listed(viewer), you }
    }

    fn listed(&self, viewer: Viewer) -> Listed {
        let watchers = self.there.iter().filter(|(v, _)| *v == Viewer::Watcher).count() as u32;
        let over = self.is_over(viewer);
        let seen = Seen {
            chairs: self.table().chairs().to_vec(),
            here: self.here(),
            watchers,
            over,
            lively: true,
            late_over: false,
        };
        let header = self.table().header();
        self.hall.listed(&self.name, &self.game, &header.config, self.about.access, &seen)
    }

    fn look(&self, seat: Option<Seat>) -> Looked {
        let viewer = seat.map_or(Viewer::Watcher, Viewer::Seat);
        let name = |chair: &Chair| match chair {
            Chair::Taken(Who::Account(number)) => {
                Some(self.hall.accounts.name(*number).to_string())
            }
            Chair::Taken(Who::Bot(_)) | Chair::Open | Chair::Reserved(_) => None,
        };
        let table = self.table();
        let behind = viewer == Viewer::Watcher && self.delay_ms() > 0;
        Looked {
            seat,
            listed: self.listed(viewer),
            update: table.current(viewer).map(|update| self.told(update)),
            doc: table.doc(),
            names: table.chairs().iter().map(name).collect(),
            proof: parlor_rules::json(&table.proof(viewer).filter(|_| !behind)),
            behind,
            dice: table.header().dice.to_string(),
            root: table.chance().next_root().map(|root| root.to_string()),
        }
    }

    /// Tells everyone; watchers who are behind when it is time for them.
    fn tell_all(&mut self, tell: Tell) {
        let said = Frame::new(tell);
        let behind = self.delay_ms() > 0;
        for (viewer, line) in &self.there {
            if *viewer != Viewer::Watcher || !behind {
                line.send(said.clone());
            }
        }
        if behind {
            self.late.push_back((now_ms() + self.delay_ms(), said));
        }
    }

    /// How far watchers are behind.
    fn delay_ms(&self) -> u64 {
        self.table().header().options.watch_delay_ms
    }

    /// Whether the game is over, for these eyes.
    fn is_over(&self, viewer: Viewer) -> bool {
        let over = self.table().pending() == Pending::Over;
        let behind = viewer == Viewer::Watcher;
        over && (!behind || self.table().at_ms() + self.delay_ms() <= now_ms())
    }

    /// Shows a connection how things stand: what it has missed, or the whole.
    fn greet(&self, viewer: Viewer, line: &Line, seen: Option<(u32, u64)>) {
        let Some(current) = self.table().current(viewer) else { return };
        let missed = seen.filter(|(epoch, _)| *epoch == current.epoch).and_then(|(_, seq)| {
            let kept = self.kept.get(&viewer);
            let oldest = kept.and_then(|kept| kept.front()).map_or(current.seq + 1, |(n, _)| *n);
            let frames = kept.into_iter().flatten().filter(|(n, _)| *n > seq);
            (seq.saturating_add(1) >= oldest)
                .then(|| frames.map(|(_, frame)| frame.clone()).collect::<Vec<_>>())
        });
        match missed {
            Some(frames) => frames.into_iter().for_each(|frame| line.send(frame)),
            None => line.tell(self.told(current)),
        }
    }

    fn told(&self, update: Update) -> Tell {
        let clock = |reading: parlor_table::time::Reading| Clock {
            seat: reading.seat.index() as u8,
            reserve_ms: reading.reserve_ms,
            until_ms: reading.until_ms,
        };
        Tell::Update {
            table: self.name.to_string(),
            epoch: update.epoch,
            seq: update.seq,
            sights: update.sights,
            view: update.view,
            legal: update.legal,
            ask: update.ask,
            clocks: update.clocks.into_iter().map(clock).collect(),
            until_ms: update.until_ms,
            paused: update.paused,
            root: self.table().chance().next_root().map(|root| root.to_string()),
            now_ms: now_ms(),
        }
    }

    fn tell(&mut self, update: Update) {
        let (audience, seq) = (update.audience, update.seq);
        let looks = |(viewer, _): &(Viewer, Line)| *viewer == audience;
        if let Viewer::Seat(seat) = audience {
            self.ask_bot(seat, &update);
            let account = matches!(
                self.table().chairs().get(seat.index()),
                Some(Chair::Taken(Who::Account(_)))
            );
            if !account {
                return;
            }
        } else if !self.there.iter().any(looks) {
            // Who comes to watch is shown how it stands.
            self.kept.remove(&audience);
            return;
        }
        let told = Frame::new(self.told(update));
        for (_, line) in self.there.iter().filter(|there| looks(there)) {
            line.send(told.clone());
        }
        let kept = self.kept.entry(audience).or_default();
        kept.push_back((seq, told));
        let mut bytes: usize = kept.iter().map(|(_, frame)| frame.text().len()).sum();
        while bytes > KEPT
            && let Some((_, oldest)) = kept.pop_front()
        {
            bytes -= oldest.text().len();
        }
    }

    // The same again.

    fn again(&mut self, account: u64, accept: bool, line: Option<Line>) -> Result<Agreed, Refusal> {
        let seat = chair(self.table().chairs(), account)
            .ok_or_else(|| Refusal::new("not_seated", "you do not sit at this table"))?;
        if self.comes_and_goes || self.table().pending() != Pending::Over {
            return Err(Refusal::new("not_over", "the game goes on; ask again when it is over"));
        }
        let (table, by) = (self.name.to_string(), seat.index() as u8);
        if !accept {
            self.again.clear();
            self.tell_all(Tell::Declined { table, what: Offer::Rematch, by });
            return Ok(Agreed::NotYet);
        }
        if self.again.insert(seat, line).is_none() {
            self.tell_all(Tell::Offered { table, what: Offer::Rematch, by });
        }
        let people = seats(self.table().chairs()).filter_map(|(seat, chair)| match chair {
            Chair::Taken(who) => Some((seat, who.clone())),
            Chair::Open | Chair::Reserved(_) => None,
        });
        let people: Vec<(Seat, Who)> = people.collect();
        let agrees = |(seat, who): &(Seat, Who)| match who {
            Who::Bot(_) => true,
            Who::Account(_) => self.again.contains_key(seat),
        };
        if !people.iter().all(agrees) {
            return Ok(Agreed::NotYet);
        }
        let said = std::mem::take(&mut self.again);
        // Who looks on from the chair, and who has said so without.
        let lines = |seat: Seat| {
            let own = self.there.iter().filter(|(viewer, _)| *viewer == Viewer::Seat(seat));
            let mut lines: Vec<Line> = own.map(|(_, line)| line.clone()).collect();
            let other = said.get(&seat).cloned().flatten();
            lines.extend(other.filter(|o| lines.iter().all(|line| line.number() != o.number())));
            lines
        };
        Ok(Agreed::All(people.into_iter().map(|(seat, who)| (who, lines(seat))).collect()))
    }

    // House players.

    fn seat_bots(&mut self) {
        let wanted: Vec<(Seat, Level)> = seats(self.table().chairs())
            .filter_map(|(seat, chair)| match chair {
                Chair::Taken(Who::Bot(level)) if !self.bots.contains_key(&seat) => {
                    Some((seat, level.parse().unwrap_or_default()))
                }
                _ => None,
            })
            .collect();
        for (seat, level) in wanted {
            let Ok(seed) = self.hall.chance.hex::<16>() else { continue };
            let Some(player) = (self.hall.players)(&self.game, level, seat, &seed) else {
                continue;
            };
            self.bots.insert(seat, Arc::new(Mutex::new(player)));
            if let Some(update) = self.table().current(Viewer::Seat(seat)) {
                self.ask_bot(seat, &update);
            }
        }
    }

    /// A house player thinks in a thread of its own, takes the time a person would, and answers like
    /// anyone else.
    fn ask_bot(&self, seat: Seat, update: &Update) {
        let (Some(bot), Some(ask), Some(legal)) = (self.bots.get(&seat), update.ask, &update.legal)
        else {
            return;
        };
        let (bot, inbox, view, legal) =
            (bot.clone(), self.inbox.clone(), update.view.clone(), legal.clone());
        let own = update.clocks.iter().find(|reading| reading.seat == seat);
        let until_ms = own.and_then(|reading| reading.until_ms).into_iter().chain(update.until_ms);
        let left_ms = until_ms.min().map_or(u64::MAX, |until| until.saturating_sub(now_ms()));
        let longest_ms = self.hall.settings.house_pause_ms.min(left_ms / 4);
        tokio::spawn(async move {
            let thought = tokio::task::spawn_blocking(move || {
                let mut bot = bot.lock().unwrap_or_else(PoisonError::into_inner);
                let command = bot.choose(&view, &legal)?;
                Some((command, bot.pause_ms()))
            });
            let Ok(Some((command, pause_ms))) = thought.await else { return };
            tokio::time::sleep(Duration::from_millis(pause_ms.min(longest_ms))).await;
            // The room may be closed by now.
            let _ = inbox.send(Message::Thought { seat, ask, command });
        });
    }
}

/// A table whose entries post what they move, and say when the game is over.
fn place(unit: Unit, table: Table) -> Place<u64> {
    Place::new(
        table,
        Box::new(move |table, flows, over| {
            let mut effects = bank::effects(unit, table, flows);
            effects.extend(over.then(|| results::due(&table.header().table)));
            effects
        }),
    )
}

/// The chairs as the lobby shows them.
pub(crate) fn sitting(chair: &Chair, here: bool, name: impl FnOnce(u64) -> String) -> Sitting {
    match chair {
        Chair::Open => Sitting::Open {},
        Chair::Reserved(_) => Sitting::Kept {},
        Chair::Taken(Who::Bot(level)) => {
            Sitting::House { level: level.parse().unwrap_or_default() }
        }
        Chair::Taken(Who::Account(number)) => Sitting::Taken { name: name(*number), here },
    }
}
