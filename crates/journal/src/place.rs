//! One table with its journal: the path of a move, without threads and without a clock.
//!
//! A [`Place`] takes requests one by one, hands out at most one entry to be stored, and tells
//! nobody anything before that entry is. A server drives it with tasks and sockets, a simulation
//! with a seed.

use crate::{Append, Effect, JournalError, Outcome};
use parlor_rules::{Flow, Input, Refusal};
use parlor_table::{Act, Desk, Stamp, Stored, Submitted, Table, Update};
use smallvec::{SmallVec, smallvec};
use std::collections::VecDeque;
use std::sync::Arc;

/// Something for a table, and who wants an answer.
#[derive(Clone, Debug)]
pub struct Request<T> {
    /// Whom to answer.
    pub to: T,
    /// What it is.
    pub act: Act,
    /// What the sender put on it.
    pub stamp: Stamp,
}

/// What a place wants to be done, in this order.
#[derive(Debug)]
pub enum Output<T> {
    /// Store this; then come back with [`Place::settled`].
    Store(Append),
    /// Send this to everyone of its audience.
    Tell(Update),
    /// Answer: it is stored. As which entry is nobody's business: the numbers of a log would tell
    /// a player what others have done in secret.
    Done {
        /// Whom.
        to: T,
    },
    /// Answer: it is refused, and nothing has changed.
    Refused {
        /// Whom.
        to: T,
        /// Why.
        refusal: Refusal,
    },
    /// Nothing can be stored: say so, and call [`Place::retry`] when it can.
    Paused {
        /// Why.
        why: String,
    },
    /// The log has entries this place does not know: throw the place away and read it anew. The
    /// request that met it is answered by the new place.
    Stale,
}

/// What a place wants to be done, in this order: seldom more than to tell three audiences and to answer.
pub type Outputs<T> = SmallVec<[Output<T>; 4]>;

/// What an entry does to other records, from the chips it moves and whether the game is over by it.
pub type Effects = Box<dyn Fn(&Table, &[Flow], bool) -> Vec<Effect> + Send>;

/// What came, and when.
type Came<T> = (Request<Option<T>>, u64);

/// A table and what is on its way into its log.
pub struct Place<T> {
    table: Table,
    effects: Effects,
    waiting: VecDeque<Came<T>>,
    flying: Option<(Request<Option<T>>, Arc<Stored>)>,
    paused: Option<Pause>,
}

/// Nothing can be stored.
struct Pause {
    since_ms: u64,
    /// What is in the way; none once nobody waits any more, and the next request is the next try.
    why: Option<String>,
}

/// A commit that took longer is as bad as a pause: nobody is charged for it.
const SLOW_MS: u64 = 1_000;

impl<T: Clone> Place<T> {
    /// A table, with nothing on its way.
    pub fn new(table: Table, effects: Effects) -> Self {
        Self { table, effects, waiting: VecDeque::new(), flying: None, paused: None }
    }

    /// The table as everyone has been told of it.
    pub fn table(&self) -> &Table {
        &self.table
    }

    /// The table, for what is not in its log: who is there, and watchers who are behind.
    pub fn table_mut(&mut self) -> &mut Table {
        &mut self.table
    }

    /// Whether nothing is on its way.
    pub fn idle(&self) -> bool {
        self.flying.is_none() && self.waiting.is_empty()
    }

    /// Takes a request; it is decided when those before it are settled. What time itself brings
    /// needs no request: it comes when it is due.
    pub fn request(&mut self, request: Request<T>, now_ms: u64) -> Outputs<T> {
        let Request { to, act, stamp } = request;
        if resumes(&act) || matches!(act, Act::Game(Input::Expire { .. })) {
            return self.tick(now_ms);
        }
        let request = (Request { to: Some(to), act, stamp }, now_ms);
        if let Some(Pause { why: Some(why), .. }) = &self.paused {
            let why = why.clone();
            self.waiting.push_back(request);
            return smallvec![Output::Paused { why }];
        }
        self.wake(now_ms);
        self.go_on(Some(request), now_ms)
    }

    /// Does what time and presence bring, once nothing else is on its way.
    pub fn tick(&mut self, now_ms: u64) -> Outputs<T> {
        if !self.idle() || matches!(self.paused, Some(Pause { why: Some(_), .. })) {
            return Outputs::new();
        }
        self.wake(now_ms);
        let due = match self.table.resume() {
            Some(_) => None,
            None => {
                let Some((act, stamp)) = self.table.due(now_ms) else { return Outputs::new() };
                Some((Request { to: None, act, stamp }, now_ms))
            }
        };
        self.go_on(due, now_ms)
    }

    /// Tries again after a pause, for which nobody is charged.
    pub fn retry(&mut self, now_ms: u64) -> Outputs<T> {
        self.wake(now_ms);
        self.go_on(None, now_ms)
    }

    fn wake(&mut self, now_ms: u64) {
        if let Some(Pause { since_ms, .. }) = self.paused.take() {
            self.table.woke(since_ms, now_ms);
        }
    }

    /// What is to be decided next, and as of when: what forgives time, then what was due before the
    /// first message came, then that message. A message counts from when it came, however long it
    /// had to wait.
    fn next(&mut self, new: &mut Option<Came<T>>, due: bool, now_ms: u64) -> Option<Came<T>> {
        let by_itself = |act, stamp| Request { to: None, act, stamp };
        if let Some(act) = self.table.resume() {
            return Some((by_itself(act, Stamp::default()), now_ms));
        }
        let (_, came_ms) = self.waiting.front().or(new.as_ref())?;
        let at_ms = (*came_ms).max(self.table.at_ms());
        match self.table.due(at_ms).filter(|_| due) {
            Some((act, stamp)) => Some((by_itself(act, stamp), at_ms)),
            None => {
                let first = self.waiting.pop_front().or_else(|| new.take());
                first.map(|(request, _)| (request, at_ms))
            }
        }
    }

    /// Decides what waits, and then what is new, up to the first entry that has to be stored.
    fn go_on(&mut self, mut new: Option<Came<T>>, now_ms: u64) -> Outputs<T> {
        let mut outputs = Outputs::new();
        // What time brings and the rules refuse holds nobody up.
        let mut due = true;
        while self.flying.is_none() && self.paused.is_none() {
            let Some((request, at_ms)) = self.next(&mut new, due, now_ms) else { break };
            let to = request.to.clone();
            match self.table.submit(request.act.clone(), &request.stamp, at_ms) {
                Err(refusal) => {
                    due = to.is_some();
                    outputs.extend(to.map(|to| Output::Refused { to, refusal }));
                }
                Ok(Submitted::Again { .. }) => outputs.extend(to.map(|to| Output::Done { to })),
                Ok(Submitted::Entry { stored, flows, over }) => {
                    let stored = Arc::new(stored);
                    outputs.push(Output::Store(Append {
                        table: self.table.header().table.clone(),
                        entry: stored.clone(),
                        effects: (self.effects)(&self.table, &flows, over),
                        finished: over,
                    }));
                    self.flying = Some((request, stored));
                }
            }
        }
        self.waiting.extend(new);
        outputs
    }

    /// What became of the entry that was handed out.
    pub fn settled(&mut self, outcome: Result<Outcome, JournalError>, now_ms: u64) -> Outputs<T> {
        let Some((request, stored)) = self.flying.take() else { return Outputs::new() };
        let to = request.to.clone();
        let mut outputs = match outcome {
            Ok(Outcome::Stored) => match self.table.commit(&stored) {
                Ok(updates) => {
                    if now_ms.saturating_sub(stored.at_ms) > SLOW_MS {
                        self.table.woke(stored.at_ms, now_ms);
                    }
                    let told = updates.into_iter().map(Output::Tell);
                    told.chain(to.map(|to| Output::Done { to })).collect()
                }
                Err(_) => smallvec![Output::Stale],
            },
            Ok(Outcome::Overdrawn { key, .. }) => {
                let text = "you do not have the chips for this; take less, or add some first";
                let mut refusal = Refusal::new("overdrawn", text);
                refusal.facts.insert("account".to_owned(), key.into());
                refused(to, refusal)
            }
            // After an unsettled commit only the log can tell whether it is stored.
            Ok(Outcome::Conflict { .. }) | Err(JournalError::Unsettled(_)) => {
                self.wait_again(request, stored.at_ms);
                return smallvec![Output::Stale];
            }
            Err(error @ JournalError::Paused(_)) => {
                self.wait_again(request, stored.at_ms);
                let why = error.to_string();
                self.paused = Some(Pause { since_ms: stored.at_ms, why: Some(why.clone()) });
                smallvec![Output::Paused { why }]
            }
            Err(error) => refused(to, Refusal::new("not_stored", error.to_string())),
        };
        outputs.extend(self.go_on(None, now_ms));
        outputs
    }

    /// What could not be stored is the first to be tried again.
    fn wait_again(&mut self, request: Request<Option<T>>, came_ms: u64) {
        if !resumes(&request.act) {
            self.waiting.push_front((request, came_ms));
        }
    }

    /// Forgets what still waits: whoever sent it is told that it was not done. The next request is
    /// tried again, and nobody is charged for the time until then.
    pub fn withdraw(&mut self) {
        self.waiting.clear();
        if let Some(pause) = &mut self.paused {
            pause.why = None;
        }
    }

    /// What still waits, for the place that takes over from a stale one.
    pub fn into_waiting(self) -> impl Iterator<Item = Request<T>> {
        let asked = |(Request { to, act, stamp }, _): (Request<Option<T>>, u64)| {
            to.map(|to| Request { to, act, stamp })
        };
        self.waiting.into_iter().filter_map(asked)
    }
}

/// Whether it forgives time. It is never kept waiting: the table remembers that it is due, and it
/// comes before everything else.
fn resumes(act: &Act) -> bool {
    matches!(act, Act::Desk(Desk::Resume { .. }))
}

fn refused<T>(to: Option<T>, refusal: Refusal) -> Outputs<T> {
    to.map(|to| Output::Refused { to, refusal }).into_iter().collect()
}
