//! A game driven by bytes, whatever they are: for fuzzing, and for a short run of the same.
//!
//! The bytes choose who says what: somebody who is asked, or anybody; something legal, something
//! legal with a value bent, or anything; the clock and the house come in between. They are the
//! game's chance, too. After every input the laws are checked that are cheap.

use crate::laws::{Broken, law};
use parlor_rules::draws::DrawFault;
use parlor_rules::{
    AnyGame, AnyState, Chips, Draws, House, Input, Json, Owner, Pending, Seat, Source, json,
};
use serde_json::value::RawValue;
use serde_json::{Value, json};

/// Chance, and choices, from bytes.
pub struct Bytes<'a>(&'a [u8]);

impl<'a> Bytes<'a> {
    /// From these.
    pub fn new(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    /// Whether none are left.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// A number below another; 0 where no bytes are left.
    pub fn choose(&mut self, n: usize) -> usize {
        self.below(n as u32).unwrap_or(0) as usize
    }

    fn one<T: Clone>(&mut self, of: &[T]) -> T {
        of[self.choose(of.len())].clone()
    }
}

impl Source for Bytes<'_> {
    fn below(&mut self, n: u32) -> Result<u32, DrawFault> {
        let long = if n > 256 { 4 } else { 1 };
        let (bytes, rest) = self.0.split_at_checked(long).ok_or(DrawFault::Dry)?;
        self.0 = rest;
        Ok(bytes.iter().fold(0_u32, |sum, byte| sum << 8 | u32::from(*byte)) % n)
    }
}

/// Numbers at limits, and values of other kinds.
fn edge(bytes: &mut Bytes<'_>) -> Value {
    let edges = [
        json!(-1),
        json!(0),
        json!(1),
        json!(0.5),
        json!(7),
        json!(24),
        json!(255),
        json!(256),
        json!(u32::MAX),
        json!(i64::MAX),
        json!(u64::MAX),
        json!(1e300),
        json!(null),
        json!(true),
        json!(""),
        json!("black"),
        json!("AsKs"),
        json!([]),
        json!([null, null, null]),
        json!({}),
    ];
    bytes.one(&edges)
}

/// Changes one part of a value, or takes it away.
pub fn bend(value: &mut Value, bytes: &mut Bytes<'_>) {
    match value {
        Value::Object(fields) if !fields.is_empty() => {
            let keys: Vec<String> = fields.keys().cloned().collect();
            let key = bytes.one(&keys);
            match bytes.choose(8) {
                0 => drop(fields.remove(&key)),
                1 => drop(fields.insert(format!("{key}_"), json!(1))),
                _ => bend(&mut fields[&key], bytes),
            }
        }
        Value::Array(list) if !list.is_empty() => {
            let place = bytes.choose(list.len());
            match bytes.choose(8) {
                0 => drop(list.remove(place)),
                1 => list.push(list[place].clone()),
                _ => bend(&mut list[place], bytes),
            }
        }
        leaf => *leaf = edge(bytes),
    }
}

/// The bytes that are left up to a line's end, if they are JSON; something else otherwise.
fn anything(bytes: &mut Bytes<'_>) -> Json {
    let end = bytes.0.iter().position(|byte| *byte == b'\n').unwrap_or(bytes.0.len());
    let line = std::str::from_utf8(&bytes.0[..end]).ok();
    match line.and_then(|line| RawValue::from_string(line.to_owned()).ok()) {
        Some(json) => {
            bytes.0 = bytes.0.get(end + 1..).unwrap_or_default();
            json.into()
        }
        None => json(&edge(bytes)),
    }
}

fn command(state: &dyn AnyState, seat: Seat, bytes: &mut Bytes<'_>) -> Json {
    let picked = state.legal(seat).pick(&mut Draws::new(bytes));
    match (bytes.choose(8), picked) {
        (0..=5, Some(picked)) => picked,
        (6, Some(picked)) => {
            let mut value: Value = serde_json::from_str(picked.get()).unwrap_or_default();
            bend(&mut value, bytes);
            json(&value)
        }
        _ => anything(bytes),
    }
}

fn input(state: &dyn AnyState, bytes: &mut Bytes<'_>) -> Input<Json> {
    let pending = state.pending();
    // One chair more than there are.
    let any = Seat::new(bytes.choose(usize::from(state.seats()) + 1) as u8);
    let asked: Vec<Seat> = pending.asked().iter().map(|asked| asked.seat).collect();
    let chips = [-1, 0, 1, 10, 40, 100, 400, 1_000_000].map(Chips::whole);
    match bytes.choose(20) {
        0..=11 if !asked.is_empty() => {
            let seat = bytes.one(&asked);
            Input::Play { seat, command: command(state, seat, bytes) }
        }
        12 | 13 => Input::Play { seat: any, command: command(state, any, bytes) },
        14 => Input::Expire { seat: bytes.one(&[Owner::Table, Owner::Seat(any)]) },
        0..=15 if !pending.owners().is_empty() => {
            Input::Expire { seat: bytes.one(&pending.owners()) }
        }
        16 => Input::House(House::Left { seat: any }),
        17 => Input::House(House::Topped { seat: any, chips: bytes.one(&chips) }),
        18 => Input::House(bytes.one(&[House::Begin {}, House::Close {}])),
        _ => Input::House(House::Joined { seat: any, chips: bytes.one(&chips) }),
    }
}

/// Plays a game with one of these options as the bytes say, as long as there are any; how many inputs
/// were accepted, or the first law found broken.
pub fn obeys(game: &dyn AnyGame, configs: &[&str], bytes: &[u8]) -> Result<u32, Broken> {
    let bytes = &mut Bytes::new(bytes);
    let config = RawValue::from_string(bytes.one(configs).to_owned()).expect("config is JSON");
    let seats: Vec<u8> = game.seats().collect();
    let seats = bytes.one(&seats);
    let Ok(mut state) = game.open(&config, seats) else { return Ok(0) };
    let mut accepted = 0;
    let mut next = Input::House(House::Begin {});
    while !bytes.is_empty() && state.pending() != Pending::Over {
        accepted += u32::from(enters(game, &config, &mut state, &next, bytes)?);
        next = input(&*state, bytes);
    }
    Ok(accepted)
}

/// Sends an input in; whether it was accepted.
fn enters(
    game: &dyn AnyGame,
    config: &RawValue,
    state: &mut Box<dyn AnyState>,
    input: &Input<Json>,
    bytes: &mut Bytes<'_>,
) -> Result<bool, Broken> {
    let mut draws = Draws::new(bytes);
    let decided = state.decide(input, &mut draws);
    let dry = draws.finish().is_err();
    if let Input::Play { seat, command } = input
        && seat.index() < usize::from(state.seats())
    {
        let permitted = state.legal(*seat).permits(command);
        law!(
            PermittedIsAccepted,
            permitted == decided.is_ok(),
            "{seat} saying {command} is permitted: {permitted}, but {decided:?} in {}",
            state.doc()
        );
    }
    let Ok(events) = decided else { return Ok(false) };
    // What was decided by chance that was not there is not played.
    if dry {
        return Ok(false);
    }
    let mut old = state.copy();
    for event in &events {
        let gain: Chips = state.flows(event).expect("its own event").iter().map(|f| f.gain()).sum();
        let stake = state.stake();
        state.apply(event).expect("its own event");
        law!(Conservation, state.stake() - stake == gain, "{event} gives {gain} to {stake}");
    }
    // In another order, and upon another state: it may mean nothing, but does no harm.
    for event in events.iter().rev() {
        law!(ApplyIsTotal, old.apply(event).is_ok(), "{event}");
    }
    let doc = state.doc();
    match game.load(config, &doc) {
        Err(refusal) => law!(JsonRoundTrip, false, "{refusal} in {doc}"),
        Ok(read) => law!(JsonRoundTrip, read.same(&**state), "{doc} reads as {}", read.doc()),
    }
    let (over, pending) = (state.outcome().is_some(), state.pending());
    law!(SomeoneIsAsked, over == (pending == Pending::Over), "over is {over}, but {pending:?}");
    Ok(true)
}
