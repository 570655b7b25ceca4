//! A table and everyone around it: one task that drives its [`Place`].

use crate::accounts::CHIPS;
use crate::{Find, Players, now_ms};
use parlor_bots::Player;
use parlor_journal::place::{Output, Place, Request};
use parlor_journal::{Append, Effect, Journal, JournalError, Outcome, hall};
use parlor_rules::{Flow, FlowKind, House, Input, Json, Pending, Refusal, Seat, Viewer};
use parlor_table::{Act, Chair, Desk, Stamp, Table, TableId, Update, Who};
use parlor_wire::{Clock, Tell};
use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::{mpsc, oneshot};

/// Where frames for a connection go. It is bounded: who does not read is dropped.
pub(crate) type Out = mpsc::Sender<Arc<str>>;

/// How many updates an audience can miss and still be told one by one.
const KEPT: usize = 64;

/// How long after a failed write the next try is.
const RETRY: Duration = Duration::from_millis(250);

/// What a room is told.
pub(crate) enum Message {
    /// Something for the table.
    Enter(Act, Stamp, oneshot::Sender<Result<(), Refusal>>),
    /// A connection wants to see it. Its frames go there, from now on.
    Attach {
        connection: u64,
        viewer: Viewer,
        out: Out,
        /// The last update it has seen.
        seen: Option<(u32, u64)>,
    },
    /// A connection wants to see no more; or who sat there has left, and is waited for no more.
    Detach { connection: u64, left: bool },
    /// Somebody has said something.
    Chat(Arc<str>),
    /// What became of an entry.
    Settled(Result<Outcome, JournalError>),
    /// Somebody asks how it looks from outside.
    Look(oneshot::Sender<Seen>),
    /// The server stops. What is stored goes on with its next start.
    Stop,
}

/// A table from outside.
pub(crate) struct Seen {
    pub(crate) chairs: Vec<(Chair, bool)>,
    pub(crate) watchers: u32,
    pub(crate) over: bool,
}

/// The frame of something said.
pub(crate) fn frame(tell: &Tell) -> Arc<str> {
    parlor_rules::json(tell).get().into()
}

/// What an entry does to the bank: every flow moves chips between a player and the table.
pub(crate) fn effects(table: &Table, flows: &[Flow]) -> Vec<Effect> {
    let at_table = format!("table {}", table.header().table);
    let add = |key: String, amount: i64, floor| Effect::Add {
        kind: CHIPS.to_owned(),
        key,
        amount,
        floor,
    };
    let mut effects = Vec::new();
    for flow in flows {
        let chair = table.chairs().get(flow.seat.index());
        let account = match chair {
            Some(Chair::Taken(Who::Account(number))) => number.to_string(),
            _ => "house".to_owned(),
        };
        let floor = (account != "house").then_some(0);
        let amount = flow.chips.ten_thousandths();
        let other = match flow.kind {
            FlowKind::In => {
                effects.push(add(account, -amount, floor));
                effects.push(add(at_table.clone(), amount, None));
                continue;
            }
            FlowKind::Out => account,
            FlowKind::Raked => "house".to_owned(),
            FlowKind::Burned => "burned".to_owned(),
        };
        effects.push(add(at_table.clone(), -amount, Some(0)));
        effects.push(add(other, amount, None));
    }
    effects
}

/// A room, as its task has it.
pub(crate) struct Room {
    place: Place<u64>,
    journal: Arc<dyn Journal>,
    games: Find,
    players: Players,
    comes_and_goes: bool,
    inbox: mpsc::UnboundedSender<Message>,
    waiting: HashMap<u64, oneshot::Sender<Result<(), Refusal>>>,
    next: u64,
    there: HashMap<u64, (Viewer, Out)>,
    kept: HashMap<Viewer, VecDeque<(u64, Arc<str>)>>,
    bots: HashMap<Seat, Arc<Mutex<Box<dyn Player>>>>,
    paused: bool,
    /// Who gets chips back with the entry that is on its way.
    paid: Vec<Seat>,
}

impl Room {
    /// Starts the task of a table.
    pub(crate) fn start(
        table: Table,
        journal: Arc<dyn Journal>,
        games: Find,
        players: Players,
    ) -> mpsc::UnboundedSender<Message> {
        let (inbox, messages) = mpsc::unbounded_channel();
        let comes_and_goes = games(&table.header().game).is_some_and(|game| game.comes_and_goes());
        let room = Self {
            place: Place::new(table, effects),
            journal,
            games,
            players,
            comes_and_goes,
            inbox: inbox.clone(),
            waiting: HashMap::new(),
            next: 0,
            there: HashMap::new(),
            kept: HashMap::new(),
            bots: HashMap::new(),
            paused: false,
            paid: Vec::new(),
        };
        tokio::spawn(room.run(messages));
        inbox
    }

    async fn run(mut self, mut messages: mpsc::UnboundedReceiver<Message>) {
        self.seat_bots();
        loop {
            let now = now_ms();
            let next = if self.paused {
                Some(now + RETRY.as_millis() as u64)
            } else {
                self.place.table().next_ms()
            };
            let wait = next.map_or(Duration::from_secs(60), |at| {
                Duration::from_millis(at.saturating_sub(now))
            });
            tokio::select! {
                message = messages.recv() => match message {
                    Some(Message::Stop) | None => return self.stop(),
                    Some(message) => self.hear(message),
                },
                () = tokio::time::sleep(wait) => self.tick(),
            }
        }
    }

    fn stop(self) {
        let bye = frame(&Tell::Bye {
            code: "stopping".to_owned(),
            text: "the server stops; come back in a moment".to_owned(),
        });
        for (_, out) in self.there.values() {
            // Who does not read hears it from the closed connection.
            let _ = out.try_send(bye.clone());
        }
    }

    fn tick(&mut self) {
        let now = now_ms();
        if std::mem::take(&mut self.paused) {
            let outputs = self.place.retry(now);
            return self.put_out(outputs);
        }
        for update in self.place.table_mut().late(now) {
            self.tell(update);
        }
        let outputs = self.place.tick(now);
        self.put_out(outputs);
    }

    fn hear(&mut self, message: Message) {
        match message {
            Message::Enter(act, stamp, answer) => {
                self.next += 1;
                self.waiting.insert(self.next, answer);
                let request = Request { to: self.next, act, stamp };
                let outputs = self.place.request(request, now_ms());
                self.put_out(outputs);
            }
            Message::Attach { connection, viewer, out, seen } => {
                if let Viewer::Seat(seat) = viewer {
                    self.place.table_mut().back(seat);
                }
                self.greet(viewer, &out, seen);
                self.there.insert(connection, (viewer, out));
                self.tick();
            }
            Message::Detach { connection, left } => {
                if let Some((Viewer::Seat(seat), _)) = self.there.remove(&connection)
                    && !left
                    && !self.there.values().any(|(viewer, _)| *viewer == Viewer::Seat(seat))
                {
                    self.place.table_mut().gone(seat, now_ms());
                }
                self.tick();
            }
            Message::Chat(frame) => {
                self.there.retain(|_, (_, out)| out.try_send(frame.clone()).is_ok());
            }
            Message::Settled(outcome) => {
                let paid = std::mem::take(&mut self.paid);
                let stored = outcome == Ok(Outcome::Stored);
                let outputs = self.place.settled(outcome, now_ms());
                self.put_out(outputs);
                // Where people come and go, who has the chips back has gone.
                if stored && self.comes_and_goes {
                    for seat in paid {
                        self.say(Act::Desk(Desk::Rise { seat }));
                    }
                }
                self.begin();
            }
            Message::Stop => {}
            Message::Look(answer) => {
                // Nobody may be left to hear it.
                let _ = answer.send(self.seen());
            }
        }
    }

    fn seen(&self) -> Seen {
        let here = |seat: usize| {
            let viewer = Viewer::Seat(Seat::new(seat as u8));
            self.there.values().any(|(other, _)| *other == viewer)
        };
        let table = self.place.table();
        let watchers = self.there.values().filter(|(v, _)| *v == Viewer::Watcher).count() as u32;
        let chairs = table.chairs().iter().cloned().enumerate();
        let chairs = chairs.map(|(seat, chair)| (chair, here(seat))).collect();
        Seen { chairs, watchers, over: table.pending() == Pending::Over }
    }

    /// Shows a connection how things stand: what it has missed, or the whole.
    fn greet(&self, viewer: Viewer, out: &Out, seen: Option<(u32, u64)>) {
        let Some(current) = self.place.table().current(viewer) else { return };
        let missed = seen.filter(|(epoch, _)| *epoch == current.epoch).and_then(|(_, seq)| {
            let kept = self.kept.get(&viewer);
            let oldest = kept.and_then(|kept| kept.front()).map_or(current.seq + 1, |(n, _)| *n);
            let frames = kept.into_iter().flatten().filter(|(n, _)| *n > seq);
            (seq + 1 >= oldest).then(|| frames.map(|(_, frame)| frame.clone()).collect::<Vec<_>>())
        });
        match missed {
            Some(frames) => frames.into_iter().for_each(|frame| drop(out.try_send(frame))),
            None => drop(out.try_send(self.frame_of(current))),
        }
    }

    fn frame_of(&self, update: Update) -> Arc<str> {
        let clock = |reading: parlor_table::time::Reading| Clock {
            seat: reading.seat.index() as u8,
            reserve_ms: reading.reserve_ms,
            until_ms: reading.until_ms,
        };
        frame(&Tell::Update {
            table: self.place.table().header().table.to_string(),
            epoch: update.epoch,
            seq: update.seq,
            sights: update.sights,
            view: update.view,
            legal: update.legal,
            ask: update.ask,
            clocks: update.clocks.into_iter().map(clock).collect(),
            until_ms: update.until_ms,
            paused: update.paused,
            now_ms: now_ms(),
        })
    }

    fn tell(&mut self, update: Update) {
        let (audience, seq) = (update.audience, update.seq);
        if let Viewer::Seat(seat) = audience {
            self.ask_bot(seat, &update);
        }
        let frame = self.frame_of(update);
        let kept = self.kept.entry(audience).or_default();
        kept.push_back((seq, frame.clone()));
        if kept.len() > KEPT {
            kept.pop_front();
        }
        self.there
            .retain(|_, (viewer, out)| *viewer != audience || out.try_send(frame.clone()).is_ok());
    }

    fn answer(&mut self, to: u64, answer: Result<(), Refusal>) {
        if let Some(waiting) = self.waiting.remove(&to) {
            // Who asked may be gone.
            let _ = waiting.send(answer);
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

    fn store(&mut self, append: Append) {
        self.paid = self.paid_by(&append.effects);
        let inbox = self.inbox.clone();
        self.journal.submit(
            append,
            Box::new(move |outcome| {
                // The room may be closed by now.
                let _ = inbox.send(Message::Settled(outcome));
            }),
        );
    }

    /// Who gets chips back by these effects.
    fn paid_by(&self, effects: &[Effect]) -> Vec<Seat> {
        let gets = |account: u64| {
            effects.iter().any(|effect| {
                matches!(effect, Effect::Add { key, amount, .. }
                    if *amount > 0 && *key == account.to_string())
            })
        };
        let chairs = (0..).map(Seat::new).zip(self.place.table().chairs());
        let paid = chairs.filter(|(_, chair)| match chair {
            Chair::Taken(Who::Account(number)) => gets(*number),
            _ => false,
        });
        paid.map(|(seat, _)| seat).collect()
    }

    /// Somebody else has written the log: it is read again, and what waits is tried there.
    fn reread(&mut self) {
        let (name, now) = (self.place.table().header().table.clone(), now_ms());
        let epoch = self.place.table().current(Viewer::Watcher).map_or(0, |u| u.epoch) + 1;
        match hall::recall(&*self.journal, self.games, &name, epoch, now, now) {
            Ok(table) => {
                let old = std::mem::replace(&mut self.place, Place::new(table, effects));
                self.kept.clear();
                for request in old.into_waiting() {
                    let outputs = self.place.request(request, now);
                    self.put_out(outputs);
                }
            }
            Err(_) => self.paused = true,
        }
    }

    /// A game begins when its seats are taken, or at once where people come and go.
    fn begin(&mut self) {
        let table = self.place.table();
        let ready = self.comes_and_goes
            || table.chairs().iter().all(|chair| matches!(chair, Chair::Taken(_)));
        if ready
            && self.place.idle()
            && table.pending() == Pending::Rest
            && table.outcome().is_none()
        {
            self.say(Act::Game(Input::House(House::Begin {})));
        }
        self.seat_bots();
    }

    /// Says something nobody waits for.
    fn say(&mut self, act: Act) {
        let (answer, _) = oneshot::channel();
        self.hear(Message::Enter(act, Stamp::default(), answer));
    }

    fn seat_bots(&mut self) {
        let table = self.place.table();
        let game = table.header().game.clone();
        let seats: Vec<Seat> = (0..)
            .map(Seat::new)
            .zip(table.chairs())
            .filter_map(|(seat, chair)| matches!(chair, Chair::Taken(Who::Bot(_))).then_some(seat))
            .collect();
        for seat in seats {
            if self.bots.contains_key(&seat) {
                continue;
            }
            let Ok(seed) = crate::accounts::random::<16>() else { continue };
            if let Some(player) = (self.players)(&game, seat, &crate::accounts::hex(&seed)) {
                self.bots.insert(seat, Arc::new(Mutex::new(player)));
                if let Some(update) = self.place.table().current(Viewer::Seat(seat)) {
                    self.ask_bot(seat, &update);
                }
            }
        }
    }

    /// A house player thinks in a thread of its own, and answers like anyone else.
    fn ask_bot(&self, seat: Seat, update: &Update) {
        let (Some(bot), Some(ask), Some(legal)) = (self.bots.get(&seat), update.ask, &update.legal)
        else {
            return;
        };
        let (bot, inbox, view, legal) =
            (bot.clone(), self.inbox.clone(), update.view.clone(), legal.clone());
        tokio::task::spawn_blocking(move || {
            let mut bot = bot.lock().unwrap_or_else(PoisonError::into_inner);
            let Some(command) = bot.choose(&view, &legal) else { return };
            let stamp = Stamp { ask: Some(ask), ..Stamp::default() };
            let (answer, _) = oneshot::channel();
            let act = play(seat, command);
            // The room may be closed by now.
            let _ = inbox.send(Message::Enter(act, stamp, answer));
        });
    }
}

/// A seat's command.
pub(crate) fn play(seat: Seat, command: Json) -> Act {
    Act::Game(Input::Play { seat, command })
}

/// Someone takes a chair.
pub(crate) fn sit(seat: Seat, who: Who) -> Act {
    Act::Desk(Desk::Sit { seat, who, tip: None })
}

/// The name of a table in a log.
pub(crate) type Name = TableId;
