//! Audiences: what each was told, and the updates an entry brings them.

use crate::options::{Clock, Options};
use crate::position::Position;
use crate::time::Reading;
use parlor_rules::{AnyState, Json, Owner, Seat, Sights, Viewer};
use serde::{Serialize, Serializer};
use serde_json::value::RawValue;
use std::collections::VecDeque;
use std::fmt;
use std::hash::{DefaultHasher, Hasher as _};
use std::ops::Deref;
use std::sync::{Arc, OnceLock};

/// What a viewer sees, written as JSON when it is first read. A client that keeps the score itself
/// takes no views; a move that no one reads the view of does not pay for writing it.
#[derive(Clone)]
pub struct View(Arc<Sees>);

struct Sees {
    state: Arc<dyn AnyState>,
    viewer: Viewer,
    written: OnceLock<Json>,
}

impl View {
    fn new(state: &Arc<dyn AnyState>, viewer: Viewer) -> Self {
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

/// The audiences of a table.
pub(crate) struct Audiences {
    told: Vec<Told>,
    /// The number of this stay in memory.
    epoch: u32,
    /// Delayed updates of watchers, with the time each is due.
    late: VecDeque<(u64, Update)>,
    /// The last update that delayed watchers were shown.
    shown: Option<Update>,
    delay_ms: u64,
    clock: Clock,
}

/// What of an audience's last update does not follow from the position.
struct Told {
    viewer: Viewer,
    seq: u64,
    asks: u64,
    question: Question,
}

/// What tells one question to a seat from the next: it is the same as long as these are.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub(crate) struct Question {
    of: Option<u64>,
    /// A hash of what the seat may say. If two should collide, the question keeps its number.
    legal: Option<u64>,
}

impl Audiences {
    /// Audiences that were told nothing yet. `epoch` is the number of this stay in memory: the number
    /// of a question of an earlier one never equals one of this.
    pub(crate) fn new(seats: u8, epoch: u32, options: &Options) -> Self {
        let told = |viewer| Told {
            viewer,
            seq: 0,
            // Below 2^53 for every epoch, so that a client's floating numbers hold it.
            asks: u64::from(epoch) << 20,
            question: Question::default(),
        };
        let told = Viewer::all(seats).map(told).collect();
        let Options { clock, watch_delay_ms: delay_ms, .. } = *options;
        Self { told, epoch, late: VecDeque::new(), shown: None, delay_ms, clock }
    }

    /// Notes that every audience knows this position.
    pub(crate) fn settle(&mut self, now: &Position) {
        let mut updates = self.updates(&Sights::default(), None, now);
        self.note(&updates);
        if self.delay_ms > 0 {
            self.shown = updates.pop_if(|update| update.audience == Viewer::Watcher);
        }
    }

    /// The updates of an entry that leads from `before` to `now`. An audience for which nothing
    /// changes gets none: a gap in its numbers, or an empty update, would tell it that somebody
    /// has made a hidden choice.
    pub(crate) fn updates(
        &self,
        sights: &Sights,
        before: Option<&Position>,
        now: &Position,
    ) -> Vec<Update> {
        let (view, readings) = (views(&now.state), now.times.readings(self.clock));
        let until_ms = now.times.until_ms(Owner::Table, self.clock);
        let paused = now.times.paused();
        let mut updates = Vec::with_capacity(self.told.len());
        // Where all see the same it is there once, and not at all where the entry is not the game's.
        let mut by_viewer = sights.by_viewer();
        let mut sights: Arc<[Json]> = Arc::default();
        for told in &self.told {
            if let Some(seen) = by_viewer.next() {
                sights = seen.iter().flatten().cloned().collect();
            }
            let view = view(told.viewer);
            let clocks = visible(&readings, now, told.viewer);
            let (question, legal) = question(told.viewer, now);
            let same = question == told.question;
            let known = |before: &Position| {
                visible(&before.times.readings(self.clock), before, told.viewer) == clocks
                    && before.times.until_ms(Owner::Table, self.clock) == until_ms
                    && before.times.paused() == paused
                    && before.state.view(told.viewer).get() == view.get()
            };
            if same && sights.is_empty() && before.is_some_and(known) {
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
                until_ms,
                paused,
                question,
            });
        }
        updates
    }

    /// Notes updates as told.
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

    /// Notes updates as told. Gives those to send at once and keeps those that are delayed.
    pub(crate) fn tell(&mut self, mut updates: Vec<Update>, at_ms: u64) -> Vec<Update> {
        self.note(&updates);
        if self.delay_ms > 0 {
            let due_ms = at_ms.saturating_add(self.delay_ms);
            let behind = |update: &mut Update| update.audience == Viewer::Watcher;
            self.late.extend(updates.extract_if(.., behind).map(|update| (due_ms, update)));
        }
        updates
    }

    /// The delayed updates that are due by now.
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

    /// What an audience was told last: for all but delayed watchers, the present position.
    pub(crate) fn current(&self, audience: Viewer, now: &Position) -> Option<Update> {
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
            view: View::new(&now.state, audience),
            legal,
            ask: told.ask(),
            clocks: visible(&now.times.readings(self.clock), now, audience),
            until_ms: now.times.until_ms(Owner::Table, self.clock),
            paused: now.times.paused(),
            question,
        })
    }

    /// The number of the question a seat is asked.
    pub(crate) fn ask(&self, seat: Seat) -> Option<u64> {
        self.told.iter().find(|told| told.viewer == Viewer::Seat(seat))?.ask()
    }
}

/// The view of each viewer; one for all where all see the same.
fn views(state: &Arc<dyn AnyState>) -> impl Fn(Viewer) -> View {
    let common = (!state.hides()).then(|| View::new(state, Viewer::Watcher));
    move |viewer| common.clone().unwrap_or_else(|| View::new(state, viewer))
}

/// The clocks that a viewer may see, out of all: in a simultaneous round another's clock would tell
/// whether that seat has answered.
fn visible(all: &Arc<[Reading]>, now: &Position, viewer: Viewer) -> Arc<[Reading]> {
    let own = |reading: &Reading| viewer == Viewer::Seat(reading.seat);
    match now.pending.secret() {
        false => all.clone(),
        true => all.iter().copied().filter(own).collect(),
    }
}

/// What a viewer is asked, and what it may say.
fn question(viewer: Viewer, now: &Position) -> (Question, Option<Json>) {
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
