//! What each audience was told, and what is new to it.

use crate::options::Clock;
use crate::time::{Reading, Times};
use parlor_rules::{AnyState, Json, Owner, Pending, Seat, Sights, Viewer};
use serde::{Serialize, Serializer};
use serde_json::value::RawValue;
use smallvec::SmallVec;
use std::collections::VecDeque;
use std::fmt;
use std::hash::{DefaultHasher, Hasher as _};
use std::ops::Deref;
use std::sync::{Arc, OnceLock};

/// A state that nobody changes any more.
pub(crate) type Settled = Arc<dyn AnyState>;

/// What there is to see, written down when somebody looks: many keep the score themselves.
#[derive(Clone)]
pub struct View(Arc<Sees>);

struct Sees {
    state: Settled,
    viewer: Viewer,
    written: OnceLock<Json>,
}

impl View {
    fn new(state: &Settled, viewer: Viewer) -> Self {
        Self(Arc::new(Sees { state: state.clone(), viewer, written: OnceLock::new() }))
    }

    /// As JSON.
    pub fn json(&self) -> &Json {
        let Sees { state, viewer, written } = &*self.0;
        written.get_or_init(|| state.view(*viewer))
    }
}

impl Deref for View {
    type Target = RawValue;

    fn deref(&self) -> &RawValue {
        self.json()
    }
}

impl fmt::Debug for View {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.get())
    }
}

impl Serialize for View {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        self.json().serialize(s)
    }
}

/// What an audience is told.
#[derive(Clone, Debug, Serialize)]
pub struct Update {
    /// Whose eyes it is for.
    pub audience: Viewer,
    /// The number of this stay in memory: counts of another one say nothing about this one.
    pub epoch: u32,
    /// The audience's own count of its updates, from 1.
    pub seq: u64,
    /// What it saw happen.
    pub sights: Arc<[Json]>,
    /// What it sees now.
    pub view: View,
    /// What it may say; nothing for a watcher.
    pub legal: Option<Json>,
    /// The number of the question it is asked; none if it is not asked.
    pub ask: Option<u64>,
    /// The clocks it may see.
    pub clocks: Arc<[Reading]>,
    /// When the table goes on by itself; none if no deadline of the table runs.
    pub until_ms: Option<u64>,
    /// Whether clocks and deadlines stand still.
    pub paused: bool,
    /// What tells its question from another.
    #[serde(skip)]
    question: Question,
}

/// All audiences of a table.
pub(crate) struct Audiences {
    told: SmallVec<[Told; 3]>,
    /// The number of this stay in memory.
    epoch: u32,
    /// Updates of watchers who are behind, with the time they are due.
    late: VecDeque<(u64, Update)>,
    /// What such watchers were shown last.
    shown: Option<Update>,
    delay_ms: u64,
}

/// How things stand.
pub(crate) struct Stand<'a> {
    pub(crate) state: &'a Settled,
    pub(crate) pending: &'a Pending,
    pub(crate) times: &'a Times,
    pub(crate) clock: Clock,
}

impl Stand<'_> {
    /// The clocks that a viewer may see, out of all: in a simultaneous round another's clock would
    /// tell whether that seat has answered.
    fn clocks(&self, viewer: Viewer, all: &Arc<[Reading]>) -> Arc<[Reading]> {
        let own = |reading: &Reading| viewer == Viewer::Seat(reading.seat);
        match self.pending.secret() {
            false => all.clone(),
            true => all.iter().copied().filter(own).collect(),
        }
    }

    fn readings(&self) -> Arc<[Reading]> {
        self.times.readings(self.clock)
    }

    /// When the table goes on by itself.
    fn until_ms(&self) -> Option<u64> {
        self.times.until_ms(Owner::Table, self.clock)
    }
}

/// What an audience was told last, as far as it is not how the table stands.
struct Told {
    viewer: Viewer,
    seq: u64,
    asks: u64,
    question: Question,
}

/// What a seat is asked: the same as long as nothing in it changes.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub(crate) struct Question {
    of: Option<u64>,
    /// A hash of what it may say, whose text is written again for who asks for it. If two should meet,
    /// the question keeps its number.
    legal: Option<u64>,
}

impl Audiences {
    /// Audiences that were told nothing yet. `epoch` is the number of this stay in memory: an ask
    /// of an earlier one never equals an ask of this one.
    pub(crate) fn new(seats: u8, epoch: u32, delay_ms: u64) -> Self {
        let told = |viewer| Told {
            viewer,
            seq: 0,
            // Below 2^53 for every epoch, so that a client's floating numbers hold it.
            asks: u64::from(epoch) << 20,
            question: Question::default(),
        };
        let told = Viewer::all(seats).map(told).collect();
        Self { told, epoch, late: VecDeque::new(), shown: None, delay_ms }
    }

    /// Tells everyone how things stand, without a word about how they came to stand so.
    pub(crate) fn settle(&mut self, now: &Stand<'_>) {
        let mut updates = self.news(&Sights::default(), None, now);
        self.note(&updates);
        if self.delay_ms > 0 {
            self.shown = updates.pop_if(|update| update.audience == Viewer::Watcher);
        }
    }

    /// What is new to whom after an entry that leads here from `before`. An audience for which nothing
    /// changes is told nothing: a gap in its numbers, or an empty update, would tell it that somebody
    /// has made a hidden choice.
    pub(crate) fn news(
        &self,
        sights: &Sights,
        before: Option<&Stand<'_>>,
        now: &Stand<'_>,
    ) -> Vec<Update> {
        let (sees, clocks) = (sees(now.state), now.readings());
        let mut updates = Vec::with_capacity(self.told.len());
        // Where all see the same it is there once, and not at all where only the desk has entered
        // something.
        let mut all = sights.by_viewer().map(|sights| {
            let seen: SmallVec<[Json; 2]> = sights.iter().flatten().cloned().collect();
            Arc::from(&*seen)
        });
        let mut sights: Arc<[Json]> = Arc::default();
        for told in &self.told {
            sights = all.next().unwrap_or(sights);
            let view = sees(told.viewer);
            let clocks = now.clocks(told.viewer, &clocks);
            let (question, legal) = question(told.viewer, now);
            let same = question == told.question;
            let seen = |before: &Stand<'_>| {
                before.clocks(told.viewer, &before.readings()) == clocks
                    && before.until_ms() == now.until_ms()
                    && before.times.paused() == now.times.paused()
                    && before.state.view(told.viewer).get() == view.get()
            };
            if same && sights.is_empty() && before.is_some_and(seen) {
                continue;
            }
            updates.push(Update {
                audience: told.viewer,
                epoch: self.epoch,
                seq: told.seq + 1,
                sights: sights.clone(),
                view,
                legal,
                ask: question.of.map(|_| told.asks + u64::from(!same)),
                clocks,
                until_ms: now.until_ms(),
                paused: now.times.paused(),
                question,
            });
        }
        updates
    }

    /// Notes what they are told.
    fn note(&mut self, updates: &[Update]) {
        for update in updates {
            let same = |told: &&mut Told| told.viewer == update.audience;
            if let Some(told) = self.told.iter_mut().find(same) {
                told.asks += u64::from(told.question != update.question);
                told.question = update.question;
                told.seq = update.seq;
            }
        }
    }

    /// Notes that they are told, and gives what is to be sent at once.
    pub(crate) fn tell(&mut self, mut updates: Vec<Update>, at_ms: u64) -> Vec<Update> {
        self.note(&updates);
        if self.delay_ms > 0 {
            let due_ms = at_ms.saturating_add(self.delay_ms);
            let behind = |update: &mut Update| update.audience == Viewer::Watcher;
            self.late.extend(updates.extract_if(.., behind).map(|update| (due_ms, update)));
        }
        updates
    }

    /// The updates of watchers that are due by now.
    pub(crate) fn due(&mut self, now_ms: u64) -> Vec<Update> {
        let due = self.late.iter().take_while(|(at, _)| *at <= now_ms).count();
        let due: Vec<Update> = self.late.drain(..due).map(|(_, update)| update).collect();
        self.shown = due.last().or(self.shown.as_ref()).cloned();
        due
    }

    /// When the next one is due.
    pub(crate) fn next_ms(&self) -> Option<u64> {
        self.late.front().map(|(at, _)| *at)
    }

    /// What an audience was told last, which is how things stand.
    pub(crate) fn current(&self, audience: Viewer, now: &Stand<'_>) -> Option<Update> {
        if audience == Viewer::Watcher && self.delay_ms > 0 {
            return self.shown.clone().map(|shown| Update { sights: Arc::default(), ..shown });
        }
        let told = self.told.iter().find(|told| told.viewer == audience)?;
        let (question, legal) = question(audience, now);
        Some(Update {
            audience,
            epoch: self.epoch,
            seq: told.seq,
            sights: Arc::default(),
            view: View::new(now.state, audience),
            legal,
            ask: told.ask(),
            clocks: now.clocks(audience, &now.readings()),
            until_ms: now.until_ms(),
            paused: now.times.paused(),
            question,
        })
    }

    /// The number of the question a seat is asked.
    pub(crate) fn ask(&self, seat: Seat) -> Option<u64> {
        self.told.iter().find(|told| told.viewer == Viewer::Seat(seat))?.ask()
    }
}

/// What each viewer sees now, written once where all see the same.
fn sees(state: &Settled) -> impl Fn(Viewer) -> View {
    let common = (!state.hides()).then(|| View::new(state, Viewer::Watcher));
    move |viewer| common.clone().unwrap_or_else(|| View::new(state, viewer))
}

/// What a viewer is asked, and what it may say.
fn question(viewer: Viewer, now: &Stand<'_>) -> (Question, Option<Json>) {
    let Viewer::Seat(seat) = viewer else { return (Question::default(), None) };
    let asked = now.pending.asked().iter().find(|asked| asked.seat == seat);
    let legal = now.state.legal_json(seat);
    let mut stands_for = DefaultHasher::new();
    stands_for.write(legal.get().as_bytes());
    let of = asked.map(|asked| asked.of);
    (Question { of, legal: Some(stands_for.finish()) }, Some(legal))
}

impl Told {
    /// The number of the question; none if none is asked.
    fn ask(&self) -> Option<u64> {
        self.question.of.map(|_| self.asks)
    }
}
