//! A table and everyone around it: one task that drives its [`Place`].

mod chairs;
mod eyes;
mod house;
mod inbox;
mod reply;

pub(crate) use inbox::Inbox;
pub(crate) use reply::{Reply, Spoken};

use crate::hall::Hall;
use crate::line::{Frame, Line};
use crate::{bank, now_ms, results};
use inbox::{Letter, Letters};
use parlor_bots::Player;
use parlor_journal::place::{Output, Outputs, Place, Request};
use parlor_journal::{Append, JournalError, Outcome, hall};
use parlor_rules::{Chips, House, Input, Json, Pending, Refusal, Seat, Unit, Viewer};
use parlor_table::{Act, Bytes32, Chair, Desk, Options, Stamp, Table, TableId, Who};
use parlor_wire::{Access, Listed, Sitting, Tell};
use prometheus_client::metrics::counter::Counter;
use smallvec::SmallVec;
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::net::IpAddr;
use std::pin::pin;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::{mpsc, oneshot, watch};
use tokio::time::{Instant, sleep};

/// The name of a table in a log.
pub(crate) type Name = TableId;

/// How many bytes are kept of what happened, for an audience that has missed it.
const KEPT: usize = 2 * 1024;

/// Which part of the usual time a table stays at hand that nobody needs any more.
const SOON: u64 = 30;

/// How long after a failed write the next try is.
const RETRY: Duration = Duration::from_millis(250);

/// Where an answer goes.
pub(crate) type Answer<T> = oneshot::Sender<Result<T, Refusal>>;

/// What is done once an entry is stored, or refused.
enum Then {
    /// Whoever said it is told.
    Reply(Reply),
    Do(Step),
}

/// What a room goes on with.
type Step = Box<dyn FnOnce(&mut Room, Result<(), Refusal>) + Send>;

impl Then {
    fn run(then: impl FnOnce(&mut Room, Result<(), Refusal>) + Send + 'static) -> Self {
        Self::Do(Box::new(then))
    }
}

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
    Play { account: u64, command: Json, stamp: Stamp, reply: Reply },
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
    /// Connections are over, or look elsewhere.
    Detach { lines: Vec<u64> },
    /// An account wants the same again, or does not.
    Again { account: u64, accept: bool, line: Option<Line>, answer: Answer<Agreed> },
    /// There is no other table for who wanted the same again.
    NotAgain,
    /// Somebody has said something.
    Chat { account: u64, line: Option<u64>, text: String, answer: Answer<()> },
    /// Somebody asks how it stands, with the eyes of the account's chair if it has one.
    Look { account: Option<u64>, key: Option<String>, answer: Answer<Looked> },
    /// A house player has thought.
    Thought { seat: Seat, ask: Option<u64>, command: Json },
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
    pub(crate) chairs: Arc<[Chair]>,
    /// Whose people are here: a bit for each seat.
    here: u32,
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

    /// Whether an account is here and nobody else is, not even the house; none if it does not sit at a
    /// table that goes on.
    pub(crate) fn is_alone(&self, account: u64) -> Option<bool> {
        let own = self.chair(account).filter(|_| !self.over)?;
        let mut others = seats(&self.chairs).filter(|(seat, _)| *seat != own);
        let company = others.any(|(seat, chair)| match chair {
            Chair::Taken(Who::Account(_)) => self.is_here(seat),
            Chair::Taken(Who::Bot(_)) => true,
            Chair::Open | Chair::Reserved(_) => false,
        });
        Some(self.is_here(own) && !company)
    }

    fn is_here(&self, seat: Seat) -> bool {
        self.here & bit(seat) != 0
    }

    /// The chairs, and whether their people are here.
    pub(crate) fn people(&self) -> impl Iterator<Item = (&Chair, bool)> {
        seats(&self.chairs).map(|(seat, chair)| (chair, self.is_here(seat)))
    }
}

/// Whether somebody sits there who is not of the house.
pub(crate) fn is_person(chair: &Chair) -> bool {
    matches!(chair, Chair::Taken(Who::Account(_)))
}

fn bit(seat: Seat) -> u32 {
    1 << seat.index()
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

fn gone() -> Refusal {
    Refusal::new("table_gone", "this table was just put away; say it again")
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

/// A room, as its task has it. What each move needs lies within it: with many tables, every piece of
/// memory of its own is far away.
pub(crate) struct Room {
    hall: Arc<Hall>,
    about: About,
    name: Name,
    game: String,
    entries: Counter,
    unit: Unit,
    comes_and_goes: bool,
    place: Place<u64>,
    inbox: Inbox,
    seen: watch::Sender<Seen>,
    /// What was last said there.
    shown: Seen,
    /// When the last entry went to the journal.
    submitted: Instant,
    /// What is done when something is settled, with its number: seldom more than one.
    waiting: SmallVec<[(u64, Then); 1]>,
    next: u64,
    there: SmallVec<[(Viewer, Line); 2]>,
    kept: SmallVec<[(Viewer, Kept); 2]>,
    bots: HashMap<Seat, Arc<Mutex<Box<dyn Player>>>>,
    /// Chairs that somebody is just sitting down on, or getting up from, and who.
    moving: BTreeMap<Seat, Option<u64>>,
    /// What watchers who are behind have still to be told, and when.
    late: VecDeque<(u64, Frame)>,
    /// Who is here without a connection, and was last heard of when.
    visited: BTreeMap<Seat, u64>,
    /// Who wants the same again, and has said so by which line.
    again: BTreeMap<Seat, Option<Line>>,
    /// Whether all did, and have gone on elsewhere.
    rematched: bool,
    /// What is still to be answered behind what is told.
    answers: SmallVec<[(Spoken, Result<(), Refusal>); 1]>,
    /// Whether somebody was told something that did not go out yet.
    spoke: bool,
    paused: bool,
    beginning: bool,
    /// Since when nobody is there.
    alone_since_ms: Option<u64>,
    /// Held as long as the task runs.
    _alive: mpsc::Sender<()>,
}

/// What an audience has last seen happen.
struct Kept {
    /// The first update of which all is kept.
    from: u64,
    /// What was seen, one behind the other, each with a [`eyes::Mark`] before it: all in one piece of
    /// memory, of which what is forgotten need not be looked at.
    sights: VecDeque<u8>,
}

/// A room from outside.
pub(crate) struct Door {
    pub(crate) inbox: Inbox,
    pub(crate) seen: watch::Receiver<Seen>,
    pub(crate) game: String,
    pub(crate) config: Json,
    /// The options of the table.
    pub(crate) options: Options,
    pub(crate) about: About,
}

impl Door {
    /// Tells the room something, and waits for its answer.
    pub(crate) async fn ask<T>(
        &self,
        message: impl FnOnce(Answer<T>) -> Message,
    ) -> Result<T, Refusal> {
        let (answer, answered) = oneshot::channel();
        self.inbox.send(message(answer))?;
        answered.await.map_err(|_| gone())?
    }

    /// Says something to the rules.
    pub(crate) async fn play(
        &self,
        account: u64,
        command: Json,
        stamp: Stamp,
    ) -> Result<(), Refusal> {
        let play = |answer| Message::Play { account, command, stamp, reply: Reply::Waits(answer) };
        self.ask(play).await
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
        let (inbox, letters) = Inbox::new();
        let header = table.header();
        let (name, game, config) =
            (header.table.clone(), header.game.clone(), header.config.clone());
        let options = header.options.clone();
        let rules = hall.game(&game);
        let (unit, comes_and_goes) =
            rules.map_or((Unit::Chips, false), |rules| (rules.unit(), rules.comes_and_goes()));
        let nobody = Seen {
            chairs: table.chairs().clone(),
            here: 0,
            watchers: 0,
            over: *table.pending() == Pending::Over,
            lively: true,
            late_over: false,
        };
        let (seen, outside) = watch::channel(nobody.clone());
        let mut room = Box::new(Self {
            place: place(unit, table),
            hall: hall.clone(),
            about: about.clone(),
            name,
            game: game.clone(),
            entries: hall.metrics.entries(&game),
            unit,
            comes_and_goes,
            inbox: inbox.clone(),
            seen,
            shown: nobody,
            submitted: Instant::now(),
            waiting: SmallVec::new(),
            next: 0,
            there: SmallVec::new(),
            kept: SmallVec::new(),
            bots: HashMap::new(),
            moving: BTreeMap::new(),
            late: VecDeque::new(),
            visited: BTreeMap::new(),
            again: BTreeMap::new(),
            rematched: false,
            answers: SmallVec::new(),
            spoke: false,
            paused: false,
            beginning: false,
            alone_since_ms: None,
            _alive: alive,
        });
        room.publish();
        tokio::spawn(room.run(letters));
        Arc::new(Door { inbox, seen: outside, game, config, options, about })
    }

    /// How long it stays at hand when nobody is interested any more.
    fn linger_ms(&self) -> u64 {
        self.hall.settings.linger_ms
    }

    /// The same, as things stand: a game that is over, that nobody was here for of late and that
    /// nobody wants again, is read from the log if it is asked for after all.
    fn stays_ms(&self) -> u64 {
        let over = *self.table().pending() == Pending::Over;
        let needed = !over || !self.again.is_empty() || !self.visited.is_empty();
        if needed { self.linger_ms() } else { self.linger_ms() / SOON }
    }

    fn table(&self) -> &Table {
        self.place.table()
    }

    /// Boxed: a task would have room for it twice.
    async fn run(mut self: Box<Self>, mut letters: Letters) {
        self.tidy();
        // It is set anew only for something earlier: when it rings, one sees what there is to do.
        let mut alarm = pin!(sleep(Duration::ZERO));
        let mut rings = 0;
        loop {
            if rings == 0 || !self.flies() {
                let now = now_ms();
                let wait = self.next_ms(now);
                if wait < rings || rings <= now {
                    alarm
                        .as_mut()
                        .reset(Instant::now() + Duration::from_millis(wait.saturating_sub(now)));
                    rings = wait;
                }
            }
            tokio::select! {
                letter = letters.next() => match letter {
                    Letter::Stored => self.settled(Ok(Outcome::Stored)),
                    Letter::Said(message) => match *message {
                        Message::Stop => return,
                        message => self.hear(message),
                    },
                },
                () = &mut alarm => {
                    rings = 0;
                    self.tick();
                    if self.ends() {
                        tracing::debug!(table = %self.name, "put away");
                        return self.hall.forget(&self.name);
                    }
                }
            }
            if !self.flies() {
                self.publish();
            }
            self.speak();
        }
    }

    /// Whether something is on its way to the disk: until it is there, nothing else is due, and what
    /// is new to the lobby waits.
    fn flies(&self) -> bool {
        !self.place.idle() && !self.paused
    }

    /// When there is something to do if nothing is heard.
    fn next_ms(&self, now: u64) -> u64 {
        let next = match self.paused {
            true => Some(now + RETRY.as_millis() as u64),
            false if self.flies() => None,
            false => self.table().next_ms(),
        };
        let alone = self.alone_since_ms.map(|since| since + self.stays_ms());
        let missed = self.visited.values().min().map(|at| at + self.linger_ms());
        let times = next.into_iter().chain(alone.filter(|at| *at > now)).chain(missed);
        let times = times.chain(self.late.front().map(|(at, _)| *at));
        let over = (self.delay_ms() > 0).then(|| self.seen_by_watchers_ms());
        let times = times.chain(over.filter(|at| *at > now));
        times.min().unwrap_or(now + self.linger_ms())
    }

    /// Whether nobody has been there for long.
    fn is_forlorn(&self) -> bool {
        self.alone_since_ms.is_some_and(|since| since + self.stays_ms() <= now_ms())
    }

    /// Whether it is to be put away: nobody has been there for long, and nobody has a chair to come
    /// back to. A table that could still go on is closed first.
    fn ends(&mut self) -> bool {
        if !self.is_forlorn() || !self.place.idle() {
            return false;
        }
        if *self.table().pending() == Pending::Over {
            return self.table().next_ms().is_none();
        }
        if !self.table().chairs().iter().any(is_person) {
            let close = Act::Game(Input::House(House::Close {}));
            self.enter(close, Stamp::default(), Then::run(|_, _| {}));
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
            watchers.for_each(|(_, line)| line.send(&said));
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
            Message::Play { account, command, stamp, reply } => {
                let act = |seat| Act::Game(Input::Play { seat, command });
                self.by_seat(account, stamp, reply, act);
            }
            Message::TopUp { account, chips, answer: to } => {
                let act = |seat| Act::Game(Input::House(House::Topped { seat, chips }));
                self.by_seat(account, Stamp::default(), Reply::Waits(to), act);
            }
            Message::Release { account, link, answer: to } => {
                let act = |seat| Act::Desk(Desk::Release { seat, link });
                self.by_seat(account, Stamp::default(), Reply::Waits(to), act);
            }
            Message::Leave { account, line, answer: to } => self.leave(account, line, to),
            Message::Attach { account, key, line, seen, answer: to } => {
                let seat = chair(self.table().chairs(), account);
                let may = self.may_see(seat, key.as_deref());
                if may.is_ok() {
                    self.attach(seat.map_or(Viewer::Watcher, Viewer::Seat), line, seen);
                    // Whoever is answered finds it in the lobby as it is.
                    self.publish();
                }
                answer(to, may);
            }
            Message::Detach { lines } => self.detach(&lines),
            Message::Again { account, accept, line, answer: to } => {
                let agreed = self.again(account, accept, line);
                answer(to, agreed);
            }
            Message::NotAgain => self.rematched = false,
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
            Message::Thought { seat, ask, command } => self.thought(seat, ask, command),
            Message::Settled(outcome) => self.settled(outcome),
            Message::Close { answer: to } => {
                let close = Act::Game(Input::House(House::Close {}));
                self.enter(close, Stamp::default(), Then::run(|_, done| answer(to, done)));
            }
            Message::Stop => {}
        }
    }

    fn settled(&mut self, outcome: Result<Outcome, JournalError>) {
        if outcome == Ok(Outcome::Stored) {
            self.entries.inc();
            self.hall.metrics.stored(self.submitted.elapsed());
        }
        let over = |room: &Self| *room.table().pending() == Pending::Over;
        let was_over = over(self);
        let outputs = self.place.settled(outcome, now_ms());
        if over(self) && !was_over {
            self.hall.finished(results::Over::of(self.table()));
        }
        self.put_out(outputs);
        self.tidy();
    }

    /// Enters something, and goes on when it is stored or refused.
    fn enter(&mut self, act: Act, stamp: Stamp, then: Then) {
        self.next += 1;
        self.waiting.push((self.next, then));
        let request = Request { to: self.next, act, stamp };
        let outputs = self.place.request(request, now_ms());
        self.put_out(outputs);
    }

    fn reply(&mut self, to: Reply, done: Result<(), Refusal>) {
        match to {
            Reply::Waits(to) => answer(to, done),
            Reply::Line(spoken) => {
                if let Err(refusal) = &done {
                    self.hall.metrics.refused(refusal.code);
                }
                self.answers.push((spoken, done));
            }
        }
    }

    /// Sends what was told, and the answers behind it.
    fn speak(&mut self) {
        for (spoken, done) in self.answers.drain(..) {
            spoken.answer(done);
        }
        if std::mem::take(&mut self.spoke) {
            self.there.iter().for_each(|(_, line)| line.flush());
        }
    }

    fn answer(&mut self, to: u64, done: Result<(), Refusal>) {
        if let Some(at) = self.waiting.iter().position(|(number, _)| *number == to) {
            match self.waiting.remove(at).1 {
                Then::Reply(to) => self.reply(to, done),
                Then::Do(then) => then(self, done),
            }
        }
    }

    fn put_out(&mut self, outputs: Outputs<u64>) {
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

    fn store(&mut self, append: Append) {
        self.submitted = Instant::now();
        let inbox = self.inbox.clone();
        let settled = move |outcome| {
            // The room may be closed by now.
            let _ = inbox.send(Message::Settled(outcome));
        };
        self.hall.journal.submit(append, Box::new(settled));
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
                // The house has to think of it anew.
                self.bots.clear();
                // Nobody looks with the eyes of a chair that is another's now.
                for (seat, chair) in seats(old.table().chairs()) {
                    if self.table().chairs().get(seat.index()) != Some(chair) {
                        self.let_go(seat, "left", "this chair is not yours any more");
                    }
                }
                // Nobody was told how it came to stand so.
                self.there.iter().for_each(|(viewer, line)| self.greet(*viewer, line, None));
                for (viewer, _) in &self.there {
                    if let Viewer::Seat(seat) = viewer {
                        self.place.table_mut().back(*seat);
                    }
                }
                self.spoke = true;
                for request in old.into_waiting() {
                    let outputs = self.place.request(request, now);
                    self.put_out(outputs);
                }
            }
            Err(_) => self.paused = true,
        }
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
