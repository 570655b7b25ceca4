//! The rules for everyone else: one line of JSON in, one line of JSON out.

use crate::doc::named;
use crate::draws::DrawFault;
use crate::strict;
use crate::{
    AnyGame, AnyState, Draws, Faults, Fields, House, Input, Json, Refusal, Seat, Seeded, Source,
    Tape, Viewer, json, limits,
};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// A game behind one line of JSON in, one line out. Never panics, whatever comes in.
pub struct Referee {
    game: &'static dyn AnyGame,
    config: Json,
    state: Option<Box<dyn AnyState>>,
    chance: Chance,
    /// When the line at hand was said, if it says so.
    at_ms: Option<u64>,
}

/// The next draws: those of the tape, then those of the seed.
#[derive(Clone)]
struct Chance {
    tape: Tape,
    seeded: Seeded,
}

impl Source for Chance {
    fn below(&mut self, n: u32) -> Result<u32, DrawFault> {
        if self.tape.is_empty() { self.seeded.below(n) } else { self.tape.below(n) }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Load {
    state: Json,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct At {
    seat: Seat,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Look {
    #[serde(default = "watcher")]
    seat: Viewer,
}

fn watcher() -> Viewer {
    Viewer::Watcher
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Nothing {}

#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
enum Answer {
    Opened { events: Vec<Json> },
    Loaded(bool),
    Taped(usize),
    Events(Vec<Json>),
    State(Json),
    View(Json),
    Legal(Json),
    Outcome(Option<Json>),
    Error(Refusal),
}

fn body<T: DeserializeOwned>(verb: &str, body: &RawValue) -> Result<T, Refusal> {
    serde_json::from_str(body.get()).map_err(|e| Refusal::unread(verb, &e))
}

impl Referee {
    /// A referee for this game; no table is open yet.
    pub fn new(game: &'static dyn AnyGame) -> Self {
        let chance = Chance { tape: Tape::default(), seeded: Seeded::new("") };
        Self { game, config: json(&Map::new()), state: None, chance, at_ms: None }
    }

    /// The answer to one line, without a line end. What is no UTF-8 is no JSON either.
    pub fn answer(&mut self, line: impl AsRef<[u8]>) -> String {
        let text = str::from_utf8(line.as_ref());
        let text = text.map_err(|e| Refusal::malformed(format!("line: {e}")));
        let answer = text.and_then(|line| self.obey(line)).unwrap_or_else(Answer::Error);
        json(&answer).get().to_owned()
    }

    fn obey(&mut self, line: &str) -> Result<Answer, Refusal> {
        if line.len() > limits::LINE_BYTES {
            let text = format!("a line holds at most {} bytes", limits::LINE_BYTES);
            return Err(Refusal::malformed(text));
        }
        let malformed = |e: serde_json::Error| Refusal::unread("line", &e);
        strict::value(line).map_err(malformed)?;
        let mut fields: BTreeMap<String, Json> = serde_json::from_str(line).map_err(malformed)?;
        let at = fields.remove("at").map(|at| {
            let at = body("at", &at)?;
            named::<u64>("at", at, "a time in milliseconds").map_err(bad)
        });
        self.at_ms = at.transpose()?;
        let (Some((verb, request)), true) = (fields.pop_first(), fields.is_empty()) else {
            return Err(Refusal::malformed("a line is an object with one request in it"));
        };
        if verb != "tape" && !request.get().starts_with('{') {
            return Err(Refusal::malformed(format!("{verb}: an object is needed")));
        }
        match verb.as_str() {
            "open" => self.open(body("open", &request)?),
            "load" => self.load(&body::<Load>("load", &request)?.state),
            "tape" => self.tape(named("tape", body("tape", &request)?, DRAWS).map_err(bad)?),
            "play" | "expire" | "house" => {
                if verb == "house" {
                    one_word(&body("house", &request)?)?;
                }
                self.decide(&body(&verb, &json(&BTreeMap::from([(verb.as_str(), &request)])))?)
            }
            "leave" => self.leave(body::<At>("leave", &request)?.seat),
            "return" => {
                let seat = body::<At>("return", &request)?.seat;
                self.seated(seat).map(|_| Answer::Events(Vec::new()))
            }
            "state" => {
                body::<Nothing>("state", &request)?;
                Ok(Answer::State(self.table()?.doc()))
            }
            "view" => {
                let Look { seat: viewer } = body("view", &request)?;
                if let Viewer::Seat(seat) = viewer {
                    self.seated(seat)?;
                }
                Ok(Answer::View(self.table()?.view(viewer)))
            }
            "legal" => {
                let At { seat } = body("legal", &request)?;
                Ok(Answer::Legal(self.seated(seat)?.legal(seat).json()))
            }
            "outcome" => {
                body::<Nothing>("outcome", &request)?;
                Ok(Answer::Outcome(self.table()?.outcome()))
            }
            other => Err(Refusal::malformed(format!(
                "{other:?} is no request: open, load, tape, play, expire, leave, return, house, \
                 state, view, legal, outcome"
            ))),
        }
    }

    fn table(&self) -> Result<&dyn AnyState, Refusal> {
        let closed = || Refusal::new("not_open", "no table is open: send open or load first");
        self.state.as_deref().ok_or_else(closed)
    }

    fn seated(&self, seat: Seat) -> Result<&dyn AnyState, Refusal> {
        let table = self.table()?;
        if seat.index() >= usize::from(table.seats()) {
            return Err(Refusal::no_such_seat(seat, table.seats()));
        }
        Ok(table)
    }

    fn open(&mut self, open: Value) -> Result<Answer, Refusal> {
        let mut faults = Faults::default();
        let mut fields = Fields::of(open, "open", &mut faults);
        let config = fields.raw("config").unwrap_or_else(|| Value::Object(Map::new()));
        let seed = fields.optional::<String>("seed", "a text", &mut faults);
        let seats = fields.optional("seats", "a number of seats", &mut faults);
        let draws = fields.optional("tape", DRAWS, &mut faults);
        fields.finish(&mut faults);
        if !faults.is_empty() {
            return Err(bad(faults));
        }
        let config = json(&config);
        let state = self.game.open(&config, seats.unwrap_or(*self.game.seats().start()))?;
        // A tape that was sent before is for this table.
        let tape = draws.map_or_else(|| Ok(self.chance.tape.clone()), tape)?;
        let seeded = Seeded::new(seed.as_deref().unwrap_or(""));
        let chance = Chance { tape, seeded };
        let (state, at_ms) = (Some(state), self.at_ms);
        let mut fresh = Self { game: self.game, config, state, chance, at_ms };
        let Answer::Events(events) = fresh.decide(&Input::House(House::Begin {}))? else {
            unreachable!("a decision answers events")
        };
        *self = fresh;
        Ok(Answer::Opened { events })
    }

    fn load(&mut self, doc: &RawValue) -> Result<Answer, Refusal> {
        self.state = Some(self.game.load(&self.config, doc)?);
        Ok(Answer::Loaded(true))
    }

    fn tape(&mut self, draws: Vec<u32>) -> Result<Answer, Refusal> {
        let taped = draws.len();
        self.chance.tape = tape(draws)?;
        Ok(Answer::Taped(taped))
    }

    /// A refusal leaves the state and the draws as they were.
    fn decide(&mut self, input: &Input<Json>) -> Result<Answer, Refusal> {
        let mut chance = self.chance.clone();
        let mut draws = Draws::new(&mut chance);
        let mut state = self.table()?.copy();
        let events = state.decide(input, &mut draws);
        draws.finish().map_err(|fault| Refusal::new("bad_tape", fault.to_string()))?;
        let events = events?;
        for event in &events {
            match self.at_ms {
                Some(at_ms) => state.apply_at(event, at_ms)?,
                None => state.apply(event)?,
            }
        }
        self.chance = chance;
        self.state = Some(state);
        Ok(Answer::Events(events))
    }

    /// Someone is gone. Whether the rules hear of it at once is the game's to say.
    fn leave(&mut self, seat: Seat) -> Result<Answer, Refusal> {
        match self.seated(seat)?.grace_ms() {
            Some(0) => self.decide(&Input::House(House::Left { seat })),
            Some(_) | None => Ok(Answer::Events(Vec::new())),
        }
    }
}

const DRAWS: &str = "a list of draws";

fn bad(faults: Faults) -> Refusal {
    Refusal::malformed(faults.to_string())
}

/// The house says one thing at a time.
fn one_word(house: &Map<String, Value>) -> Result<(), Refusal> {
    const WORDS: [&str; 5] = ["begin", "joined", "left", "topped", "close"];
    let mut said = house.iter();
    match (said.next(), said.next()) {
        (Some((word, Value::Object(_))), None) if WORDS.contains(&word.as_str()) => Ok(()),
        (Some((word, _)), None) if WORDS.contains(&word.as_str()) => {
            Err(Refusal::malformed(format!("house.{word}: needs an object")))
        }
        _ => Err(Refusal::malformed(format!("house: needs one of {}", WORDS.join(", ")))),
    }
}

fn tape(draws: Vec<u32>) -> Result<Tape, Refusal> {
    if draws.len() > limits::TAPE_DRAWS {
        let text = format!("tape: at most {} draws at once", limits::TAPE_DRAWS);
        return Err(Refusal::malformed(text));
    }
    Ok(Tape::new(draws))
}
