//! A game without its types: JSON in, JSON out.
//!
//! Everything above the rules holds [`AnyGame`] and [`AnyState`] and so names no game.

use crate::{
    Chips, Draws, Flow, Input, Object, Owner, Pending, Rated, Refusal, Reject, Rules, Seat, Stay,
    Unit, Verdict, Viewer,
};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use std::any::Any;
use std::io::{self, Write};
use std::marker::PhantomData;
use std::ops::RangeInclusive;
use std::sync::Arc;

/// A piece of JSON, as text. Written once, it is shared by all who are shown it, from where it was
/// written.
pub type Json = Arc<RawValue>;

/// Writes a value as JSON.
///
/// # Panics
/// If the value cannot be JSON at all (a map with keys that are no texts): a fault of the program.
pub fn json(value: &(impl Serialize + ?Sized)) -> Json {
    let written = serde_json::value::to_raw_value(value);
    written.expect("rules speak in values that are JSON").into()
}

/// Writes a value as JSON for one who keeps it alone; see [`json`].
///
/// # Panics
/// Where [`json`] does.
pub fn text(value: &(impl Serialize + ?Sized)) -> String {
    serde_json::to_string(value).expect("rules speak in values that are JSON")
}

/// Whether a value is written as this text.
fn is_written(value: &impl Serialize, text: &str) -> bool {
    /// What of the text has still to come.
    struct Rest<'a>(&'a [u8]);
    impl Write for Rest<'_> {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0 = self.0.strip_prefix(bytes).ok_or(io::ErrorKind::InvalidData)?;
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let mut rest = Rest(text.as_bytes());
    serde_json::to_writer(&mut rest, value).is_ok() && rest.0.is_empty()
}

fn read<T: DeserializeOwned>(what: &str, json: &RawValue) -> Result<T, Refusal> {
    serde_json::from_str(json.get()).map_err(|e| Refusal::unread(what, &e))
}

fn read_config<R: Rules>(config: &RawValue) -> Result<R::Config, Refusal> {
    read::<Object<R::Config>>("config", config).map(|Object(config)| config)
}

/// A game in the list of all games.
pub trait AnyGame: Send + Sync {
    /// Its name; see [`Rules::KEY`].
    fn key(&self) -> &'static str;
    /// See [`Rules::EDITION`].
    fn edition(&self) -> u16;
    /// See [`Rules::SEATS`].
    fn seats(&self) -> RangeInclusive<u8>;
    /// See [`Rules::COMES_AND_GOES`].
    fn comes_and_goes(&self) -> bool;
    /// The options in full, with what was not said filled in.
    fn options(&self, config: &RawValue) -> Result<Json, Refusal>;
    /// The options in full of a table that counts for ratings; see [`Rules::ranked`].
    fn ranked(&self, config: &RawValue) -> Result<Json, Refusal>;
    /// See [`Rules::UNIT`].
    fn unit(&self) -> Unit;
    /// Every code it may refuse with, in order of precedence.
    fn codes(&self) -> &'static [&'static str];
    /// What a table with these options is rated as; see [`Rules::rated`].
    fn rated(&self, config: &RawValue) -> Result<Option<Rated>, Refusal>;
    /// What every seat must have to begin a table with these options; see [`Rules::deposit`].
    fn deposit(&self, config: &RawValue) -> Result<Chips, Refusal>;
    /// Opens a table; it has not begun yet.
    fn open(&self, config: &RawValue, seats: u8) -> Result<Box<dyn AnyState>, Refusal>;
    /// Reads a state from a document.
    fn load(&self, config: &RawValue, doc: &RawValue) -> Result<Box<dyn AnyState>, Refusal>;
}

/// The state of a game.
pub trait AnyState: Send + Sync {
    /// How many seats the table has.
    fn seats(&self) -> u8;
    /// Whether some see less than others; see [`Rules::HIDES`].
    fn hides(&self) -> bool;
    /// What follows from an input. Refuses seats that do not exist and deadlines that do not run.
    fn decide(&self, input: &Input<Json>, draws: &mut Draws<'_>) -> Result<Vec<Json>, Refusal>;
    /// Makes an event part of the state; refuses only what is no event of this game at all.
    fn apply(&mut self, event: &RawValue) -> Result<(), Refusal>;
    /// The same for an event whose time is known; see [`Rules::stamp`].
    fn apply_at(&mut self, event: &RawValue, at_ms: u64) -> Result<(), Refusal>;
    /// Decides an input and makes what follows part of the state, which a refusal leaves as it is.
    fn enter(
        &mut self,
        input: &Input<Json>,
        draws: &mut Draws<'_>,
        at_ms: u64,
    ) -> Result<Entered, Refusal>;
    /// Makes what was decided before part of the state.
    fn follow(&mut self, events: Vec<Json>, at_ms: u64) -> Result<Entered, Refusal>;
    /// What the game waits for.
    fn pending(&self) -> Pending;
    /// What a seat may say.
    fn legal(&self, seat: Seat) -> Box<dyn AnyLegal>;
    /// The same as JSON.
    fn legal_json(&self, seat: Seat) -> Json;
    /// What a viewer sees.
    fn view(&self, viewer: Viewer) -> Json;
    /// What a viewer sees of an event, told after it was applied.
    fn sight(&self, event: &RawValue, viewer: Viewer) -> Result<Option<Json>, Refusal>;
    /// All chips on the table.
    fn stake(&self) -> Chips;
    /// Chips that cross the table's edge by this event, told before it is applied.
    fn flows(&self, event: &RawValue) -> Result<Vec<Flow>, Refusal>;
    /// How it ended, once it has.
    fn outcome(&self) -> Option<Json>;
    /// How it ended for a rating; see [`Rules::verdict`].
    fn verdict(&self) -> Option<Verdict>;
    /// The state as a document.
    fn doc(&self) -> Json;
    /// See [`Rules::grace_ms`].
    fn grace_ms(&self) -> Option<u64>;
    /// See [`Rules::stay`].
    fn stay(&self, seat: Seat) -> Stay;
    /// See [`Rules::deck`].
    fn deck(&self) -> u32;
    /// See [`Rules::dealt`].
    fn dealt(&self, viewer: Viewer) -> Vec<u32>;
    /// See [`Rules::resample`].
    fn resample(&self, viewer: Viewer, draws: &mut Draws<'_>) -> Box<dyn AnyState>;
    /// A copy.
    fn copy(&self) -> Box<dyn AnyState>;
    /// A copy that can be shared.
    fn shared(&self) -> Arc<dyn AnyState>;
    /// Whether two states are the same.
    fn same(&self, other: &dyn AnyState) -> bool;
    /// The state with its type, for [`AnyState::same`].
    fn as_any(&self) -> &dyn Any;
}

/// What an entry brings.
#[derive(Default)]
pub struct Entered {
    /// What has happened.
    pub events: Vec<Json>,
    /// Who sees what of it.
    pub sights: Sights,
    /// Chips that cross the table's edge by it.
    pub flows: Vec<Flow>,
}

/// Who sees what of some events: by viewer as [`Viewer::all`] has them, then by event. Where all see
/// the same, it is there once.
#[derive(Default)]
pub struct Sights {
    events: usize,
    seen: Vec<Option<Json>>,
}

impl Sights {
    /// What is seen of each event, viewer by viewer.
    pub fn by_viewer(&self) -> impl DoubleEndedIterator<Item = &[Option<Json>]> {
        self.seen.chunks(self.events.max(1))
    }

    /// What watchers see of each event.
    pub fn watched(&self) -> &[Option<Json>] {
        self.by_viewer().next_back().unwrap_or_default()
    }
}

/// What a seat may say, without its type.
pub trait AnyLegal: Send + Sync {
    /// As JSON.
    fn json(&self) -> Json;
    /// Whether a command is among it; what cannot be read is not.
    fn permits(&self, command: &RawValue) -> bool;
    /// Some command of it, chosen by chance.
    fn pick(&self, draws: &mut Draws<'_>) -> Option<Json>;
}

/// The erased form of a game.
pub struct Erased<R>(PhantomData<fn() -> R>);

impl<R> Erased<R> {
    /// The erased form of `R`.
    pub const fn new() -> Self {
        Self(PhantomData)
    }
}

impl<R> Default for Erased<R> {
    fn default() -> Self {
        Self::new()
    }
}

struct State<R: Rules>(R::State);
struct Legal<R: Rules>(R::Legal);

impl<R: Rules> AnyGame for Erased<R> {
    fn key(&self) -> &'static str {
        R::KEY
    }

    fn edition(&self) -> u16 {
        R::EDITION
    }

    fn comes_and_goes(&self) -> bool {
        R::COMES_AND_GOES
    }

    fn unit(&self) -> Unit {
        R::UNIT
    }

    fn seats(&self) -> RangeInclusive<u8> {
        R::SEATS
    }

    fn ranked(&self, config: &RawValue) -> Result<Json, Refusal> {
        let mut fields: Map<String, Value> = read("config", config)?;
        R::ranked(&mut fields);
        let config = read_config::<R>(&json(&fields))?;
        match R::rated(&config) {
            Some(_) => Ok(json(&config)),
            None => Err(Refusal::new("not_rated", "a table with these options is not rated")),
        }
    }

    fn options(&self, config: &RawValue) -> Result<Json, Refusal> {
        read_config::<R>(config).map(|config| json(&config))
    }

    fn codes(&self) -> &'static [&'static str] {
        R::Reject::CODES
    }

    fn rated(&self, config: &RawValue) -> Result<Option<Rated>, Refusal> {
        Ok(R::rated(&read_config::<R>(config)?))
    }

    fn deposit(&self, config: &RawValue) -> Result<Chips, Refusal> {
        let state = R::open(&read_config::<R>(config)?, *R::SEATS.start())?;
        Ok(R::deposit(&state))
    }

    fn open(&self, config: &RawValue, seats: u8) -> Result<Box<dyn AnyState>, Refusal> {
        if !R::SEATS.contains(&seats) {
            let (least, most) = (R::SEATS.start(), R::SEATS.end());
            let range = if least == most { String::new() } else { format!("{least} to ") };
            let text = format!("{} is for {range}{most} seats, not for {seats}", R::KEY);
            return Err(Refusal::malformed(text));
        }
        let state = R::open(&read_config::<R>(config)?, seats)?;
        Ok(Box::new(State::<R>(state)))
    }

    fn load(&self, config: &RawValue, doc: &RawValue) -> Result<Box<dyn AnyState>, Refusal> {
        let state = R::load(&read_config::<R>(config)?, read("document", doc)?)
            .map_err(|faults| Refusal::document(&faults))?;
        Ok(Box::new(State::<R>(state)))
    }
}

impl<R: Rules> State<R> {
    /// What is refused before the rules are asked, for every game alike.
    fn admit(&self, input: &Input<Json>) -> Result<(), Refusal> {
        let seats = R::seats(&self.0);
        if let Some(seat) = input.seat().filter(|seat| seat.index() >= usize::from(seats)) {
            return Err(Refusal::no_such_seat(seat, seats));
        }
        if let Input::Expire { seat: owner } = input
            && !R::pending(&self.0).owners().contains(owner)
        {
            let text = match owner {
                Owner::Seat(seat) => format!("no time runs for {seat}: it is not asked"),
                Owner::Table => "no deadline of the table runs".to_owned(),
            };
            return Err(Refusal::new("no_deadline", text));
        }
        Ok(())
    }

    fn decided(
        &self,
        input: &Input<Json>,
        draws: &mut Draws<'_>,
    ) -> Result<Vec<R::Event>, Refusal> {
        self.admit(input)?;
        let input = input.try_map(|command| read("command", command))?;
        Ok(R::decide(&self.0, &input, draws)?)
    }

    fn enact(&mut self, event: &R::Event, at_ms: u64) {
        R::apply(&mut self.0, event);
        R::stamp(&mut self.0, event, at_ms);
    }

    /// Makes events part of the state, one after the other, and tells what is seen of them.
    fn unfold(&mut self, facts: &[R::Event], events: Vec<Json>, at_ms: u64) -> Entered {
        let seats = R::seats(&self.0);
        let eyes = || Viewer::all(seats).filter(|viewer| R::HIDES || *viewer == Viewer::Watcher);
        let mut seen = vec![None; eyes().count() * facts.len()];
        let mut flows = Vec::new();
        for (n, (fact, event)) in facts.iter().zip(&events).enumerate() {
            flows.extend(R::flows(&self.0, fact));
            self.enact(fact, at_ms);
            let sight = |viewer| {
                let sight = R::sight(&self.0, fact, viewer)?;
                let same = is_written(&sight, event.get());
                Some(if same { event.clone() } else { json(&sight) })
            };
            for (viewer, seen) in eyes().zip(seen.chunks_mut(facts.len())) {
                seen[n] = sight(viewer);
            }
        }
        Entered { sights: Sights { events: facts.len(), seen }, events, flows }
    }
}

impl<R: Rules> AnyState for State<R> {
    fn seats(&self) -> u8 {
        R::seats(&self.0)
    }

    fn hides(&self) -> bool {
        R::HIDES
    }

    fn decide(&self, input: &Input<Json>, draws: &mut Draws<'_>) -> Result<Vec<Json>, Refusal> {
        Ok(self.decided(input, draws)?.iter().map(json).collect())
    }

    fn enter(
        &mut self,
        input: &Input<Json>,
        draws: &mut Draws<'_>,
        at_ms: u64,
    ) -> Result<Entered, Refusal> {
        let facts = self.decided(input, draws)?;
        let events = facts.iter().map(json).collect();
        Ok(self.unfold(&facts, events, at_ms))
    }

    fn follow(&mut self, events: Vec<Json>, at_ms: u64) -> Result<Entered, Refusal> {
        let facts: Vec<R::Event> =
            events.iter().map(|event| read("event", event)).collect::<Result<_, _>>()?;
        Ok(self.unfold(&facts, events, at_ms))
    }

    fn apply(&mut self, event: &RawValue) -> Result<(), Refusal> {
        R::apply(&mut self.0, &read("event", event)?);
        Ok(())
    }

    fn apply_at(&mut self, event: &RawValue, at_ms: u64) -> Result<(), Refusal> {
        self.enact(&read("event", event)?, at_ms);
        Ok(())
    }

    fn pending(&self) -> Pending {
        R::pending(&self.0)
    }

    fn legal(&self, seat: Seat) -> Box<dyn AnyLegal> {
        Box::new(Legal::<R>(R::legal(&self.0, seat)))
    }

    fn legal_json(&self, seat: Seat) -> Json {
        json(&R::legal(&self.0, seat))
    }

    fn view(&self, viewer: Viewer) -> Json {
        json(&R::view(&self.0, viewer))
    }

    fn sight(&self, event: &RawValue, viewer: Viewer) -> Result<Option<Json>, Refusal> {
        Ok(R::sight(&self.0, &read("event", event)?, viewer).map(|sight| json(&sight)))
    }

    fn stake(&self) -> Chips {
        R::stake(&self.0)
    }

    fn flows(&self, event: &RawValue) -> Result<Vec<Flow>, Refusal> {
        Ok(R::flows(&self.0, &read("event", event)?))
    }

    fn outcome(&self) -> Option<Json> {
        R::outcome(&self.0).map(|outcome| json(&outcome))
    }

    fn verdict(&self) -> Option<Verdict> {
        R::verdict(&self.0)
    }

    fn doc(&self) -> Json {
        json(&R::doc(&self.0))
    }

    fn grace_ms(&self) -> Option<u64> {
        R::grace_ms(&self.0)
    }

    fn stay(&self, seat: Seat) -> Stay {
        R::stay(&self.0, seat)
    }

    fn deck(&self) -> u32 {
        R::deck(&self.0)
    }

    fn dealt(&self, viewer: Viewer) -> Vec<u32> {
        R::dealt(&self.0, viewer)
    }

    fn resample(&self, viewer: Viewer, draws: &mut Draws<'_>) -> Box<dyn AnyState> {
        Box::new(Self(R::resample(&self.0, viewer, draws)))
    }

    fn copy(&self) -> Box<dyn AnyState> {
        Box::new(Self(self.0.clone()))
    }

    fn shared(&self) -> Arc<dyn AnyState> {
        Arc::new(Self(self.0.clone()))
    }

    fn same(&self, other: &dyn AnyState) -> bool {
        other.as_any().downcast_ref::<R::State>().is_some_and(|other| *other == self.0)
    }

    fn as_any(&self) -> &dyn Any {
        &self.0
    }
}

impl<R: Rules> AnyLegal for Legal<R> {
    fn json(&self) -> Json {
        json(&self.0)
    }

    fn permits(&self, command: &RawValue) -> bool {
        serde_json::from_str(command.get()).is_ok_and(|command| R::permits(&self.0, &command))
    }

    fn pick(&self, draws: &mut Draws<'_>) -> Option<Json> {
        R::pick(&self.0, draws).map(|command| json(&command))
    }
}
