//! The table itself.

use parlor_rules::{
    AnyGame, AnyState, Draws, Input, Json, Owner, Pending, Refusal, Seat, Seeded, Viewer, json,
};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

/// What a sender puts on an input.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Stamp {
    /// The sender's name for it: sent twice, it is decided once.
    pub id: Option<String>,
    /// The question it answers; an old question's answer is refused.
    pub ask: Option<u64>,
}

/// One entry of the log: an input, its chance, and what followed.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    /// Its number, from 0 without a gap.
    pub seq: u64,
    /// When it was decided.
    pub at_ms: u64,
    /// The sender's name for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// What came in.
    pub input: Input<Json>,
    /// The numbers drawn for it.
    pub draws: Vec<u32>,
    /// What followed.
    pub events: Vec<Json>,
}

/// What becomes of a submission that is not refused.
#[derive(Debug)]
pub enum Submitted {
    /// Store this, then commit it.
    Entry(Entry),
    /// This id was decided before, as this entry.
    Again {
        /// The entry's number.
        seq: u64,
    },
}

/// What an audience is told.
#[derive(Clone, Debug, Serialize)]
pub struct Update {
    /// Whose eyes it is for.
    pub audience: Viewer,
    /// The audience's own count of its updates, from 1.
    pub seq: u64,
    /// What it saw happen.
    pub sights: Vec<Json>,
    /// What it sees now.
    pub view: Json,
    /// What it may say; nothing for a watcher.
    pub legal: Option<Json>,
    /// The number of the question it is asked; none if it is not asked.
    pub ask: Option<u64>,
}

/// What an audience was told last.
struct Told {
    seq: u64,
    view: Json,
    legal: Option<Json>,
    asked: bool,
    ask: u64,
}

/// A table: a game, who was told what, and which ids were seen.
pub struct Table {
    state: Box<dyn AnyState>,
    head: u64,
    chance: Seeded,
    /// The chance after the entry in flight. Until that entry is committed the table still stands
    /// where it stood, so that trying again cannot roll again.
    in_flight: Option<Seeded>,
    audiences: Vec<(Viewer, Told)>,
    ids: HashMap<String, (u64, String)>,
}

impl Table {
    /// Opens a table; its first input is [`parlor_rules::House::Begin`].
    pub fn open(
        game: &dyn AnyGame,
        config: &Json,
        seats: u8,
        secret: &str,
    ) -> Result<Self, Refusal> {
        let state = game.open(config, seats)?;
        let told = |viewer| {
            let legal = match viewer {
                Viewer::Seat(seat) => Some(state.legal(seat).json()),
                Viewer::Watcher => None,
            };
            Told { seq: 0, view: state.view(viewer), legal, asked: false, ask: 0 }
        };
        let audiences = Viewer::all(seats).map(|viewer| (viewer, told(viewer))).collect();
        Ok(Self {
            head: 0,
            chance: Seeded::new(secret),
            in_flight: None,
            audiences,
            ids: HashMap::new(),
            state,
        })
    }

    /// What the game waits for.
    pub fn pending(&self) -> Pending {
        self.state.pending()
    }

    /// How it ended, once it has.
    pub fn outcome(&self) -> Option<Json> {
        self.state.outcome()
    }

    /// What an audience would be told if it came in now; asking changes nothing.
    pub fn current(&self, audience: Viewer) -> Option<Update> {
        let (_, told) = self.audiences.iter().find(|(viewer, _)| *viewer == audience)?;
        Some(told.update(audience, Vec::new()))
    }

    /// Decides an input. Nothing changes until the entry comes back by [`Table::commit`].
    pub fn submit(
        &mut self,
        input: Input<Json>,
        stamp: &Stamp,
        now_ms: u64,
    ) -> Result<Submitted, Refusal> {
        if let Some((seq, body)) = stamp.id.as_ref().and_then(|id| self.ids.get(id)) {
            return if *body == json(&input).get() {
                Ok(Submitted::Again { seq: *seq })
            } else {
                Err(Refusal::new(
                    "id_reused",
                    "this id was used for something else; take a new one",
                ))
            };
        }
        if let (Some(ask), Some(seat)) = (stamp.ask, asked_seat(&input)) {
            let current = self.current(Viewer::Seat(seat)).and_then(|update| update.ask);
            if current != Some(ask) {
                let text = "the question has changed meanwhile; look at the table and answer again";
                return Err(Refusal::new("stale_ask", text));
            }
        }
        let mut chance = self.chance.clone();
        let mut draws = Draws::new(&mut chance);
        let events = self.state.decide(&input, &mut draws)?;
        let draws = draws.finish().map_err(|fault| Refusal::new("no_chance", fault.to_string()))?;
        self.in_flight = Some(chance);
        Ok(Submitted::Entry(Entry {
            seq: self.head,
            at_ms: now_ms,
            id: stamp.id.clone(),
            input,
            draws,
            events,
        }))
    }

    /// Applies a stored entry and tells every audience what is new to it.
    pub fn commit(&mut self, entry: &Entry) -> Result<Vec<Update>, Refusal> {
        if entry.seq != self.head {
            let text = format!("entry {} came where entry {} belongs", entry.seq, self.head);
            return Err(Refusal::new("out_of_order", text));
        }
        let mut sights: Vec<Vec<Json>> = vec![Vec::new(); self.audiences.len()];
        for event in &entry.events {
            self.state.apply(event)?;
            for ((viewer, _), sights) in self.audiences.iter().zip(&mut sights) {
                sights.extend(self.state.sight(event, *viewer)?);
            }
        }
        self.head += 1;
        self.chance = self.in_flight.take().unwrap_or_else(|| self.chance.clone());
        if let Some(id) = &entry.id {
            self.ids.insert(id.clone(), (entry.seq, json(&entry.input).get().to_owned()));
        }
        Ok(self.tell(&entry.input, sights))
    }

    /// An audience for which nothing has changed is told nothing: a gap in its numbers, or an empty
    /// update, would tell it that somebody has made a hidden choice.
    fn tell(&mut self, input: &Input<Json>, sights: Vec<Vec<Json>>) -> Vec<Update> {
        let pending = self.state.pending();
        let mut updates = Vec::new();
        for ((viewer, told), sights) in self.audiences.iter_mut().zip(sights) {
            let view = self.state.view(*viewer);
            let (legal, asked) = match *viewer {
                Viewer::Watcher => (None, false),
                Viewer::Seat(seat) => (
                    Some(self.state.legal(seat).json()),
                    pending.asked().iter().any(|asked| asked.seat == seat),
                ),
            };
            let same_legal =
                legal.as_deref().map(|l| l.get()) == told.legal.as_deref().map(|l| l.get());
            let new_question = asked != told.asked || !same_legal || speaks_to(input, *viewer);
            let changed = !sights.is_empty()
                || view.get() != told.view.get()
                || !same_legal
                || asked != told.asked;
            if !changed {
                continue;
            }
            told.ask += u64::from(new_question);
            told.seq += 1;
            (told.view, told.legal, told.asked) = (view, legal, asked);
            updates.push(told.update(*viewer, sights));
        }
        updates
    }
}

impl Told {
    fn update(&self, audience: Viewer, sights: Vec<Json>) -> Update {
        Update {
            audience,
            seq: self.seq,
            sights,
            view: self.view.clone(),
            legal: self.legal.clone(),
            ask: self.asked.then_some(self.ask),
        }
    }
}

/// Whether an input closes the question a viewer was asked: its own answer, its own time, or a
/// deadline of the table.
fn speaks_to(input: &Input<Json>, viewer: Viewer) -> bool {
    match input {
        Input::Play { seat, .. } => viewer == Viewer::Seat(*seat),
        Input::Expire { seat: Owner::Seat(seat) } => viewer == Viewer::Seat(*seat),
        Input::Expire { seat: Owner::Table } => true,
        Input::House(_) => false,
    }
}

/// The seat whose question an input answers.
fn asked_seat(input: &Input<Json>) -> Option<Seat> {
    match input {
        Input::Play { seat, .. } | Input::Expire { seat: Owner::Seat(seat) } => Some(*seat),
        Input::Expire { seat: Owner::Table } | Input::House(_) => None,
    }
}
