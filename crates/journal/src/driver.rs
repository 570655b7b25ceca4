//! One table with its journal: the path of a move, without threads and without a clock.
//!
//! A [`Driver`] decides one thing at a time. What it decides becomes an entry, and nobody is told
//! anything before that entry is stored. Whoever drives it awaits the journal in between, and so a
//! table has one entry in flight. The terminal, the server and the seeded simulation all do this:
//!
//! ```text
//! while let Some(append) = submission.next(&mut driver, now_ms)? {
//!     let outcome = journal.append(append).await;
//!     let updates = submission.settle(&mut driver, outcome, now_ms)?;
//!     // tell the updates
//! }
//! // answer the sender
//! ```

use crate::{Append, Effect, Journal, JournalError, Outcome};
use parlor_rules::{Flow, Input, Refusal};
use parlor_table::{Act, Desk, PendingEntry, Stamp, Submitted, Table, Update};

/// What an entry does to other records, from the chips it moves and whether it ends the game.
pub type Effects = Box<dyn Fn(&Table, &[Flow], bool) -> Vec<Effect> + Send + Sync>;

/// A commit that took longer counts as a pause: nobody's clock is charged for it.
const SLOW_MS: u64 = 1_000;

/// A table and the entry that is on its way into its log.
pub struct Driver {
    table: Table,
    effects: Effects,
    /// The entry on its way.
    pending: Option<Box<PendingEntry>>,
    /// When the last entry was decided that could not be stored because the journal is paused.
    paused_ms: Option<u64>,
}

/// What is to be done about something that was decided.
#[derive(Debug)]
pub enum Decided {
    /// Append this, then call [`Driver::settle`] with the outcome.
    Append(Append),
    /// It was stored before, under the same id.
    AlreadyDone,
}

/// Why a decided entry is not stored, as far as the table can tell. The table did not change.
#[derive(Clone, PartialEq, Debug)]
pub enum Unsettled {
    /// The entry itself cannot be stored.
    Refused(Refusal),
    /// The journal is paused. The same can be tried again later; nobody's clock is charged for the
    /// time until the next attempt.
    Paused(String),
    /// The log has entries this table does not know, or may have. The table has to be loaded again.
    Stale,
}

impl From<Unsettled> for Refusal {
    fn from(unsettled: Unsettled) -> Self {
        match unsettled {
            Unsettled::Refused(refusal) => refusal,
            Unsettled::Paused(why) => Self::new("paused", why),
            Unsettled::Stale => {
                let text = "somebody else has written this log; open the table again";
                Self::new("stale", text)
            }
        }
    }
}

impl Driver {
    /// A table, with nothing on its way.
    pub fn new(table: Table, effects: Effects) -> Self {
        Self { table, effects, pending: None, paused_ms: None }
    }

    /// The table as everyone has been told of it.
    pub fn table(&self) -> &Table {
        &self.table
    }

    /// The table, for what is not in its log: presence, and the updates of delayed spectators.
    pub fn table_mut(&mut self) -> &mut Table {
        &mut self.table
    }

    /// Whether no entry is on its way.
    pub fn idle(&self) -> bool {
        self.pending.is_none()
    }

    /// Decides something as of `at_ms`. A [`Submission`] says what comes in which order.
    ///
    /// # Panics
    ///
    /// If an entry is on its way.
    pub fn decide(&mut self, act: Act, stamp: &Stamp, at_ms: u64) -> Result<Decided, Refusal> {
        assert!(self.idle(), "a table has one entry in flight");
        let pending = match self.table.submit(act, stamp, at_ms)? {
            Submitted::Again { .. } => return Ok(Decided::AlreadyDone),
            Submitted::Entry(pending) => self.pending.insert(pending),
        };
        Ok(Decided::Append(Append {
            table: self.table.header().table.clone(),
            entry: pending.stored.clone(),
            effects: (self.effects)(&self.table, &pending.flows, pending.over),
            finished: pending.over,
        }))
    }

    /// Takes what became of the entry on its way. Once it is stored, the table moves on and every
    /// audience's update is given.
    pub fn settle(
        &mut self,
        outcome: Result<Outcome, JournalError>,
        now_ms: u64,
    ) -> Result<Vec<Update>, Unsettled> {
        let Some(pending) = self.pending.take() else { return Ok(Vec::new()) };
        let at_ms = pending.stored.at_ms;
        match outcome {
            Ok(Outcome::Stored) => {
                let updates = self.table.commit(*pending).map_err(|_| Unsettled::Stale)?;
                if now_ms.saturating_sub(at_ms) > SLOW_MS {
                    self.table.woke(at_ms, now_ms);
                }
                Ok(updates)
            }
            Ok(Outcome::Overdrawn { key, .. }) => {
                let text = "you do not have the chips for this; take less, or add some first";
                let mut refusal = Refusal::new("overdrawn", text);
                refusal.facts.insert("account".to_owned(), key.into());
                Err(Unsettled::Refused(refusal))
            }
            // After an unsettled commit only the log can tell whether the entry is stored.
            Ok(Outcome::Conflict { .. }) | Err(JournalError::Unsettled(_)) => Err(Unsettled::Stale),
            Err(error @ JournalError::Paused(_)) => {
                self.paused_ms = Some(at_ms);
                Err(Unsettled::Paused(error.to_string()))
            }
            Err(error) => Err(Unsettled::Refused(Refusal::new("not_stored", error.to_string()))),
        }
    }

    /// Ends a pause, if there was one: nobody's clock is charged for the time since.
    fn wake(&mut self, now_ms: u64) {
        if let Some(since_ms) = self.paused_ms.take() {
            self.table.woke(since_ms, now_ms);
        }
    }
}

/// One thing that is submitted to a table, together with what has to be entered before it: first
/// what compensates the clocks after a pause, then what was due by the time it came.
///
/// What came counts from when it came, however long it had to wait.
pub struct Submission {
    /// What came, until it is decided; none if only time is to be entered.
    asked: Option<(Act, Stamp)>,
    came_ms: u64,
    /// Whether what is due still has to be asked for.
    due: bool,
    /// Whether the entry on its way is what time brought, and not what came.
    by_time: bool,
}

impl Submission {
    /// Something that came at this time. What time itself brings needs no submission of its own:
    /// it is entered when it is due, and so as [`Submission::time`].
    pub fn new(act: Act, stamp: Stamp, came_ms: u64) -> Self {
        let brought_by_time =
            matches!(act, Act::Desk(Desk::Resume { .. }) | Act::Game(Input::Expire { .. }));
        let asked = (!brought_by_time).then_some((act, stamp));
        Self { asked, came_ms, due: true, by_time: false }
    }

    /// What time and presence bring by now, and nothing else.
    pub fn time(now_ms: u64) -> Self {
        Self { asked: None, came_ms: now_ms, due: true, by_time: false }
    }

    /// Decides up to the next entry that has to be stored; call [`Submission::settle`] with what
    /// became of it, and then this again. None: all is done. An error is the answer to what came.
    pub fn next(&mut self, driver: &mut Driver, now_ms: u64) -> Result<Option<Append>, Refusal> {
        driver.wake(now_ms);
        while self.due {
            let at_ms = self.came_ms.max(driver.table.at_ms());
            let (act, stamp, at_ms) = if let Some(resume) = driver.table.resume() {
                (resume, Stamp::default(), now_ms)
            } else if let Some((act, stamp)) = driver.table.due(at_ms) {
                (act, stamp, at_ms)
            } else {
                break;
            };
            match driver.decide(act, &stamp, at_ms) {
                Ok(Decided::Append(append)) => {
                    self.by_time = true;
                    return Ok(Some(append));
                }
                Ok(Decided::AlreadyDone) => {}
                // If the rules refuse what time brings, the command is still decided.
                Err(_) => self.due = false,
            }
        }
        self.due = false;
        let Some((act, stamp)) = self.asked.take() else { return Ok(None) };
        self.by_time = false;
        let at_ms = self.came_ms.max(driver.table.at_ms());
        match driver.decide(act, &stamp, at_ms)? {
            Decided::Append(append) => Ok(Some(append)),
            Decided::AlreadyDone => Ok(None),
        }
    }

    /// Takes what became of the entry that [`Submission::next`] gave; see [`Driver::settle`]. An
    /// error is the answer to what came, and ends the submission.
    pub fn settle(
        &mut self,
        driver: &mut Driver,
        outcome: Result<Outcome, JournalError>,
        now_ms: u64,
    ) -> Result<Vec<Update>, Unsettled> {
        match driver.settle(outcome, now_ms) {
            Err(Unsettled::Refused(_)) if self.by_time => {
                self.due = false;
                Ok(Vec::new())
            }
            settled => settled,
        }
    }
}

/// Leads a submission through the journal: each entry is decided, stored, and only then applied and
/// told. What was due before is told as well, also if what came is refused.
pub async fn enter(
    driver: &mut Driver,
    journal: &dyn Journal,
    mut submission: Submission,
    clock: &(dyn Fn() -> u64 + Sync),
    tell: &mut (dyn FnMut(Update) + Send),
) -> Result<(), Refusal> {
    while let Some(append) = submission.next(driver, clock())? {
        let outcome = journal.append(append).await;
        let updates = submission.settle(driver, outcome, clock())?;
        updates.into_iter().for_each(&mut *tell);
    }
    Ok(())
}
