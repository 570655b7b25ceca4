//! The task that owns a table.
//!
//! It takes one command after the other. What it decides it appends to the log, and only when that is
//! durable it tells its subscribers and answers. While an append is under way it decides nothing, but
//! it answers questions and takes and drops subscribers.

use crate::alarm::Alarm;
use crate::attendance::Attendance;
use crate::bots::HousePlayers;
use crate::command::{Asked, Envelope, Reply};
use crate::command::{TableAnswer, TableCommand};
use crate::handle::MAILBOX;
use crate::rematch::RematchOffers;
use crate::seating::is_unstored;
use crate::subscribers::Subscribers;
use crate::{
    TableContext, TableHandle, TableInfo, TableSummary, is_person, now_ms, seat_of, seats,
};
use parlor_accounts::{Finished, Kept, bank, results};
use parlor_journal::{Append, Driver, JournalError, Outcome, Submission, Unsettled, store};
use parlor_rules::{House, Input, Pending, Refusal, Viewer, refuse};
use parlor_table::{Act, Desk, Stamp, Table};
use std::collections::VecDeque;
use std::net::IpAddr;
use std::pin::pin;
use std::sync::Arc;
use tokio::sync::{mpsc, watch};
use tokio::time::Instant;

/// How long after a failed write the next attempt is.
const RETRY_MS: u64 = 250;

/// After how long an append hangs: its sender is told that the outcome is not known yet.
const HANGS_MS: u64 = 2_000;

/// A table and everything around it.
pub(crate) struct TableActor {
    pub(crate) context: Arc<TableContext>,
    pub(crate) info: Arc<TableInfo>,
    pub(crate) driver: Driver,
    /// The names of the people on the seats.
    pub(crate) names: Arc<[Option<Arc<str>>]>,
    pub(crate) subscribers: Subscribers,
    pub(crate) attendance: Attendance,
    pub(crate) rematch: RematchOffers,
    pub(crate) bots: HousePlayers,
    pub(crate) summary: watch::Sender<TableSummary>,
    /// Whether somebody is sitting down just now, and may yet be refused.
    pub(crate) seating: bool,
    mailbox: mpsc::Receiver<Envelope>,
    alarm: Alarm,
    /// Commands that came while an append was under way.
    deferred: VecDeque<Envelope>,
    /// The reply channel of the command in hand.
    reply: Option<Reply>,
    /// The sender and id of the command in hand.
    in_hand: Option<(u64, String)>,
    /// Whether the append under way hangs.
    hangs: bool,
    /// Whether somebody else has written the log.
    stale: bool,
    /// When a write is attempted again.
    retry_at_ms: Option<u64>,
    /// Whether something was stored, and what follows from it is still to be done.
    changed: bool,
}

impl TableActor {
    /// A table that is ready to run, and where it is reached.
    pub(crate) async fn new(
        context: &Arc<TableContext>,
        table: Table,
        kept: Kept,
        from: Option<IpAddr>,
    ) -> (Self, TableHandle) {
        let game = (context.games.find)(&table.header().game);
        let info = Arc::new(TableInfo::new(table.header(), game, kept, from));
        let names = context.accounts.names(table.chairs()).await;
        let (sender, mailbox) = mpsc::channel(MAILBOX);
        let (summary, seen) = watch::channel(TableSummary {
            chairs: table.chairs().clone(),
            names: names.clone(),
            connected: 0,
            watchers: 0,
            over: *table.pending() == Pending::Over,
            spectators_know: false,
            lively: true,
        });
        let mut actor = Self {
            driver: driver(&info, table),
            names,
            subscribers: Subscribers::default(),
            attendance: Attendance::new(context.settings.linger_ms),
            rematch: RematchOffers::default(),
            bots: HousePlayers::new(sender.downgrade()),
            summary,
            seating: false,
            mailbox,
            alarm: Alarm::new(),
            deferred: VecDeque::new(),
            reply: None,
            in_hand: None,
            hangs: false,
            stale: false,
            retry_at_ms: None,
            changed: true,
            context: context.clone(),
            info: info.clone(),
        };
        actor.publish();
        (actor, TableHandle { info, mailbox: sender, summary: seen })
    }

    pub(crate) fn table(&self) -> &Table {
        self.driver.table()
    }

    pub(crate) fn is_over(&self) -> bool {
        *self.table().pending() == Pending::Over
    }

    /// Runs until the table is put away or the server stops.
    pub(crate) async fn run(mut self) {
        let stop = self.context.stop.clone();
        let mut stop = pin!(stop.cancelled());
        loop {
            self.follow_up().await;
            self.publish();
            if self.is_abandoned() && Box::pin(self.ends()).await {
                tracing::debug!(table = %self.info.id, "put away");
                return;
            }
            self.alarm.set(self.next_ms());
            tokio::select! {
                biased;
                () = &mut stop => return self.refuse_the_rest(),
                // What is due is not delayed by commands, however many there are.
                () = self.alarm.rings() => self.on_time().await,
                envelope = next(&mut self.deferred, &mut self.mailbox) => match envelope {
                    Some(envelope) => self.handle(envelope).await,
                    None => return,
                },
            }
        }
    }

    /// Refuses the commands that wait when the server stops.
    fn refuse_the_rest(mut self) {
        self.mailbox.close();
        while let Ok(envelope) = self.mailbox.try_recv() {
            self.deferred.push_back(envelope);
        }
        for reply in self.deferred.into_iter().filter_map(|envelope| envelope.reply) {
            // The sender may be gone.
            let _ = reply.send(refuse("stopping", "the server stops"));
        }
    }

    /// When there is something to do if nothing comes in.
    fn next_ms(&self) -> u64 {
        let now = now_ms();
        let entry = self.retry_at_ms.or_else(|| self.table().next_ms());
        let delay_ms = self.info.options.watch_delay_ms;
        let spectators = (delay_ms > 0).then(|| self.table().at_ms().saturating_add(delay_ms));
        entry
            .into_iter()
            .chain(self.attendance.next_ms(self.is_needed()))
            .chain(self.subscribers.next_ms())
            .chain(spectators.filter(|at| *at > now))
            .min()
            .unwrap_or(now + self.context.settings.linger_ms)
    }

    /// Returns whether nobody was here for long.
    pub(crate) fn is_abandoned(&self) -> bool {
        self.attendance.is_abandoned(self.is_needed())
    }

    /// Returns whether the game goes on, or may be played again.
    fn is_needed(&self) -> bool {
        !self.is_over() || !self.rematch.is_empty()
    }

    /// Returns whether the table is to be put away: nobody was there for long, and nobody has a seat to
    /// come back to. A game that could still go on is closed first.
    async fn ends(&mut self) -> bool {
        if self.is_over() {
            return self.table().next_ms().is_none();
        }
        if !self.table().chairs().iter().any(is_person) {
            // What cannot be stored now is attempted again.
            let _ = self.enter(Act::Game(Input::House(House::Close {})), now_ms()).await;
            self.publish();
        }
        false
    }

    /// Does what time brings.
    async fn on_time(&mut self) {
        let now = now_ms();
        for seat in self.attendance.missed(now) {
            self.driver.table_mut().gone(seat, now);
        }
        for update in self.driver.table_mut().late(now) {
            self.tell(update);
        }
        self.subscribers.send_due(now);
        // A refusal is nobody's answer; what is paused is attempted again.
        let _ = self.submit(Submission::time(now)).await;
    }

    /// Answers a question, or does what a command asks for.
    async fn handle(&mut self, envelope: Envelope) {
        let Envelope { received_ms, asked, reply } = envelope;
        let command = match asked {
            Asked::Query(query) => return self.answer_query(*query, reply),
            Asked::Command(command) => command,
        };
        self.reply = reply;
        self.in_hand = sender(&command);
        let answer = self.obey(*command, received_ms).await;
        self.in_hand = None;
        // Presence, and the end of the game, are told before the answer.
        self.publish();
        self.answer(answer);
    }

    /// Answers the sender of the command in hand, once.
    fn answer(&mut self, answer: Result<TableAnswer, Refusal>) {
        if let Some(reply) = self.reply.take() {
            // The sender may be gone.
            let _ = reply.send(answer);
        }
    }

    /// Does what a command asks for.
    async fn obey(
        &mut self,
        command: TableCommand,
        received_ms: u64,
    ) -> Result<TableAnswer, Refusal> {
        use TableCommand::*;
        if self.stale {
            self.reread().await?;
        }
        match command {
            Sit { who, name, by, request } => {
                let seat = self.free_seat(&who, by, &request)?;
                let sitting = self.sit(seat, who, name, request, received_ms);
                Box::pin(sitting).await?;
                return Ok(TableAnswer::Seated(seat));
            }
            Play { account, command, stamp } => {
                let seat = self.seat_of(account)?;
                let act = Act::Game(Input::Play { seat, command });
                self.submit(Submission::new(act, stamp, received_ms)).await?;
            }
            TopUp { account, chips } => {
                let seat = self.seat_of(account)?;
                let act = Act::Game(Input::House(House::Topped { seat, chips }));
                self.enter(act, received_ms).await?;
            }
            Release { account, link } => {
                let seat = self.seat_of(account)?;
                self.enter(Act::Desk(Desk::Release { seat, link }), received_ms).await?;
            }
            Leave { account, connection } => {
                Box::pin(self.leave(account, connection, received_ms)).await?;
            }
            BotMove { seat, question, command } => {
                self.bot_move(seat, question, command, received_ms).await;
            }
            Close => {
                self.enter(Act::Game(Input::House(House::Close {})), received_ms).await?;
            }
        }
        Ok(TableAnswer::Done)
    }

    /// The seat of an account, which was heard of now.
    pub(crate) fn seat_of(&mut self, account: u64) -> Result<parlor_rules::Seat, Refusal> {
        let refusal = || Refusal::new("not_seated", "you do not sit at this table");
        let seat = seat_of(self.table().chairs(), account).ok_or_else(refusal)?;
        self.heard_of(seat);
        Ok(seat)
    }

    /// Enters something that has no sender's mark.
    pub(crate) async fn enter(&mut self, act: Act, received_ms: u64) -> Result<(), Refusal> {
        self.submit(Submission::new(act, Stamp::default(), received_ms)).await
    }

    /// Leads something through the log: what time has brought before it, then itself. Each entry is
    /// decided, durable, and only then told.
    pub(crate) async fn submit(&mut self, mut submission: Submission) -> Result<(), Refusal> {
        if self.stale {
            self.reread().await?;
        }
        self.retry_at_ms = None;
        while let Some(append) = submission.next(&mut self.driver, now_ms())? {
            let was_over = self.is_over();
            let outcome = self.append(append).await;
            match submission.settle(&mut self.driver, outcome, now_ms()) {
                Ok(updates) => updates.into_iter().for_each(|update| self.tell(update)),
                Err(Unsettled::Refused(refusal)) => return Err(refusal),
                Err(Unsettled::Paused(why)) => return Err(self.paused(why)),
                Err(Unsettled::Stale) => {
                    self.stale = true;
                    self.reread().await?;
                    return Err(undecided(self.in_hand.is_some()));
                }
            }
            self.changed = true;
            if self.is_over() && !was_over {
                tracing::info!(table = %self.info.id, "over");
                // It is recorded with the next start otherwise.
                let _ = self.context.finished.send(Finished::of(self.table()));
            }
        }
        Ok(())
    }

    /// The refusal while nothing can be stored; what time brings is attempted again.
    fn paused(&mut self, why: String) -> Refusal {
        self.retry_at_ms = Some(now_ms() + RETRY_MS);
        Refusal::new("paused", why)
    }

    /// Appends an entry and waits until its outcome is certain. Questions are answered meanwhile.
    async fn append(&mut self, append: Append) -> Result<Outcome, JournalError> {
        let (log, started) = (self.context.log.clone(), Instant::now());
        let hangs_at_ms = now_ms() + HANGS_MS;
        let mut stored = log.append(append);
        let outcome = loop {
            if !self.hangs {
                self.alarm.set(hangs_at_ms);
            }
            tokio::select! {
                biased;
                outcome = &mut stored => break outcome,
                Some(envelope) = self.mailbox.recv(), if self.deferred.len() < MAILBOX => {
                    self.receive(envelope);
                }
                () = self.alarm.rings(), if !self.hangs => {
                    if now_ms() >= hangs_at_ms {
                        self.hang();
                    }
                }
            }
        };
        self.hangs = false;
        if outcome == Ok(Outcome::Stored) {
            (self.context.stored)(&self.info.game, started.elapsed());
        }
        outcome
    }

    /// Takes what comes while an append is under way: a query is answered, a command is put aside. Where
    /// the append hangs, a command is refused.
    fn receive(&mut self, envelope: Envelope) {
        let Envelope { received_ms, asked, reply } = envelope;
        let command = match asked {
            Asked::Query(query) => return self.answer_query(*query, reply),
            Asked::Command(command) => command,
        };
        if !self.hangs {
            let asked = Asked::Command(command);
            return self.deferred.push_back(Envelope { received_ms, asked, reply });
        }
        let same = sender(&command).is_some_and(|own| self.in_hand == Some(own));
        let refusal = if same { undecided(true) } else { hanging() };
        if let Some(reply) = reply {
            // The sender may be gone.
            let _ = reply.send(Err(refusal));
        } else if let TableCommand::BotMove { seat, question, command } = *command {
            self.bots.retry(seat, question, command);
        }
    }

    /// The append under way hangs: whoever waits for it is told, and so is everybody behind.
    fn hang(&mut self) {
        self.hangs = true;
        self.answer(Err(undecided(self.in_hand.is_some())));
        for envelope in std::mem::take(&mut self.deferred) {
            self.receive(envelope);
        }
    }

    /// Reads the log again that somebody else has written.
    async fn reread(&mut self) -> Result<(), Refusal> {
        let table = match Box::pin(self.recalled()).await {
            Ok(table) => table,
            Err(refusal) => return Err(self.paused(refusal.text)),
        };
        self.stale = false;
        self.names = self.context.accounts.names(table.chairs()).await;
        let before = self.table().chairs().clone();
        self.driver = driver(&self.info, table);
        self.subscribers.forget_all();
        // House players have to be asked anew.
        self.bots.clear();
        for (seat, chair) in seats(&before) {
            if self.table().chairs().get(seat.index()) != Some(chair) {
                self.let_go(seat, "left", "this chair is not yours any more");
            }
        }
        // Subscribers have not seen how the table came to this position. Each is shown the whole.
        for (audience, outbox) in self.subscribers.all() {
            self.greet(audience, outbox, None);
        }
        let connected: Vec<Viewer> = self.subscribers.all().map(|(viewer, _)| viewer).collect();
        for viewer in connected {
            if let Viewer::Seat(seat) = viewer {
                self.driver.table_mut().back(seat);
            }
        }
        self.changed = true;
        Ok(())
    }

    async fn recalled(&self) -> Result<Table, Refusal> {
        let epoch = self.context.epochs.next().await?;
        let (log, games, now) = (&*self.context.log, self.context.games.find, now_ms());
        store::recall(log, games, &self.info.id, epoch, now, now).await
    }

    /// Does what follows from what was stored: seats are freed, the game begins, house players are
    /// asked.
    pub(crate) async fn follow_up(&mut self) {
        while std::mem::take(&mut self.changed) {
            let mut seated = Ok(());
            if self.info.open_seating {
                seated = Box::pin(self.free_left_seats()).await;
            }
            if seated.is_ok() && self.may_begin() {
                seated = Box::pin(self.begin()).await;
            }
            self.fill_bots();
            // What could not be stored is attempted again when the alarm rings.
            if seated.as_ref().is_err_and(is_unstored) {
                self.changed = true;
                self.retry_at_ms.get_or_insert(now_ms() + RETRY_MS);
                return;
            }
        }
    }
}

/// A table whose entries post the chips they move, and leave a note when the game is over.
fn driver(info: &TableInfo, table: Table) -> Driver {
    let unit = info.unit;
    let effects = move |table: &Table, flows: &[parlor_rules::Flow], over: bool| {
        let mut effects = bank::effects(unit, table, flows);
        effects.extend(over.then(|| results::due(&table.header().table)));
        effects
    };
    Driver::new(table, Box::new(effects))
}

/// The sender and id of a command that has them.
fn sender(command: &TableCommand) -> Option<(u64, String)> {
    match command {
        TableCommand::Play { account, stamp, .. } => Some((*account, stamp.id.clone()?)),
        _ => None,
    }
}

/// The next command. Those that were put aside come first.
async fn next(
    deferred: &mut VecDeque<Envelope>,
    mailbox: &mut mpsc::Receiver<Envelope>,
) -> Option<Envelope> {
    match deferred.pop_front() {
        Some(envelope) => Some(envelope),
        None => mailbox.recv().await,
    }
}

/// The refusal of a command whose outcome is not known yet. Only a command with an id can be repeated
/// safely.
fn undecided(has_id: bool) -> Refusal {
    let text = match has_id {
        true => {
            "it is not known yet whether this is stored; say it again with the same id to learn"
        }
        false => {
            "it is not known yet whether this is stored; look at the table before you say it again"
        }
    };
    Refusal::new("undecided", text)
}

/// The refusal of a command behind one that hangs.
fn hanging() -> Refusal {
    Refusal::new("paused", "moves cannot be stored just now; say it again in a moment")
}
