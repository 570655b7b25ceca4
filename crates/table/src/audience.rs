//! What each audience was told, and what is new to it.

use crate::options::Clock;
use crate::time::{Reading, Times};
use parlor_rules::{AnyState, Json, Owner, Pending, Seat, Viewer};
use serde::{Serialize, Serializer};
use serde_json::value::RawValue;
use std::collections::VecDeque;
use std::fmt;
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
}

/// All audiences of a table.
pub(crate) struct Audiences {
    told: Vec<Told>,
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

/// What an audience was told last.
struct Told {
    viewer: Viewer,
    epoch: u32,
    seq: u64,
    asks: u64,
    question: Question,
    last: Option<Rest>,
}

/// What is kept of an update; the view is written anew for who asks for it.
struct Rest {
    ask: Option<u64>,
    clocks: Arc<[Reading]>,
    until_ms: Option<u64>,
    paused: bool,
}

/// What a seat is asked: the same as long as nothing in it changes.
struct Question {
    of: Option<u64>,
    legal: Option<Json>,
}

impl PartialEq for Question {
    fn eq(&self, other: &Self) -> bool {
        self.of == other.of && self.text() == other.text()
    }
}

impl Question {
    fn text(&self) -> Option<&str> {
        self.legal.as_ref().map(|legal| legal.get())
    }
}

impl Audiences {
    /// Audiences that were told nothing yet. `epoch` is the number of this stay in memory: an ask
    /// of an earlier one never equals an ask of this one.
    pub(crate) fn new(seats: u8, epoch: u32, delay_ms: u64) -> Self {
        let told = |viewer| Told {
            viewer,
            epoch,
            seq: 0,
            // Below 2^53 for every epoch, so that a client's floating numbers hold it.
            asks: u64::from(epoch) << 20,
            question: Question { of: None, legal: None },
            last: None,
        };
        let told = Viewer::all(seats).map(told).collect();
        Self { told, late: VecDeque::new(), shown: None, delay_ms }
    }

    /// Tells everyone how things stand, without a word about how they came to stand so.
    pub(crate) fn settle(&mut self, now: &Stand<'_>) {
        let (sees, clocks) = (sees(now.state), now.times.readings(now.clock));
        for told in &mut self.told {
            let update = told.look(Arc::default(), None, now, &clocks, &sees);
            if told.viewer == Viewer::Watcher && self.delay_ms > 0 {
                self.shown = update.or(self.shown.take());
            }
        }
    }

    /// What is new to whom after an entry that led here from `before`. An audience for which nothing
    /// has changed is told nothing: a gap in its numbers, or an empty update, would tell it that
    /// somebody has made a hidden choice.
    pub(crate) fn tell(
        &mut self,
        sights: Vec<Vec<Option<Json>>>,
        before: &dyn AnyState,
        now: &Stand<'_>,
        at_ms: u64,
    ) -> Vec<Update> {
        let mut updates = Vec::with_capacity(self.told.len());
        let (sees, clocks) = (sees(now.state), now.times.readings(now.clock));
        // Where all see the same it is there once, and not at all where only the desk has entered
        // something.
        let mut all = sights.into_iter().map(|sights| sights.into_iter().flatten().collect());
        let mut sights = Arc::default();
        for told in &mut self.told {
            sights = all.next().unwrap_or(sights);
            let update = told.look(sights.clone(), Some(before), now, &clocks, &sees);
            let Some(update) = update else { continue };
            if told.viewer == Viewer::Watcher && self.delay_ms > 0 {
                self.late.push_back((at_ms.saturating_add(self.delay_ms), update));
            } else {
                updates.push(update);
            }
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
    pub(crate) fn current(&self, audience: Viewer, state: &Settled) -> Option<Update> {
        if audience == Viewer::Watcher && self.delay_ms > 0 {
            return self.shown.clone().map(|shown| Update { sights: Arc::default(), ..shown });
        }
        let told = self.told.iter().find(|told| told.viewer == audience)?;
        told.last.as_ref().map(|last| told.update(last, Arc::default(), View::new(state, audience)))
    }

    /// The number of the question a seat is asked.
    pub(crate) fn ask(&self, seat: Seat) -> Option<u64> {
        self.told.iter().find(|told| told.viewer == Viewer::Seat(seat))?.last.as_ref()?.ask
    }
}

/// What each viewer sees now, written once where all see the same.
fn sees(state: &Settled) -> impl Fn(Viewer) -> View {
    let common = (!state.hides()).then(|| View::new(state, Viewer::Watcher));
    move |viewer| common.clone().unwrap_or_else(|| View::new(state, viewer))
}

impl Told {
    /// Compares what there is to see with what was seen; the update, if anything is new.
    fn look(
        &mut self,
        sights: Arc<[Json]>,
        before: Option<&dyn AnyState>,
        now: &Stand<'_>,
        clocks: &Arc<[Reading]>,
        sees: impl Fn(Viewer) -> View,
    ) -> Option<Update> {
        let Stand { state, pending, times, clock } = *now;
        let view = sees(self.viewer);
        let (legal, of) = match self.viewer {
            Viewer::Watcher => (None, None),
            Viewer::Seat(seat) => {
                let asked = pending.asked().iter().find(|asked| asked.seat == seat);
                (Some(state.legal(seat).json()), asked.map(|asked| asked.of))
            }
        };
        let question = Question { of, legal };
        let same = question == self.question;
        let own = |reading: &Reading| self.viewer == Viewer::Seat(reading.seat);
        // In a simultaneous round another's clock would tell whether that seat has answered.
        let clocks = match pending.secret() {
            false => clocks.clone(),
            true => clocks.iter().copied().filter(own).collect(),
        };
        let (until_ms, paused) = (times.until_ms(Owner::Table, clock), times.paused());
        let seen = |last: &Rest| {
            (&last.clocks, last.until_ms, last.paused) == (&clocks, until_ms, paused)
                && before.is_some_and(|before| before.view(self.viewer).get() == view.get())
        };
        if same && sights.is_empty() && self.last.as_ref().is_some_and(seen) {
            return None;
        }
        self.asks += u64::from(!same);
        self.seq += 1;
        self.question = question;
        let rest = Rest { ask: of.map(|_| self.asks), clocks, until_ms, paused };
        let update = self.update(&rest, sights, view);
        self.last = Some(rest);
        Some(update)
    }

    fn update(&self, rest: &Rest, sights: Arc<[Json]>, view: View) -> Update {
        Update {
            audience: self.viewer,
            epoch: self.epoch,
            seq: self.seq,
            sights,
            view,
            legal: self.question.legal.clone(),
            ask: rest.ask,
            clocks: rest.clocks.clone(),
            until_ms: rest.until_ms,
            paused: rest.paused,
        }
    }
}
