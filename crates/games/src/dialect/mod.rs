//! How the tables of each game are spoken with beside the one protocol.

mod backgammon;
mod battle;
mod gomoku;
mod poker;

use parlor_rules::{Json, Object, Refusal, Rules, Seat};
use parlor_wire::dialect::{Dialects, Happened, StoryHead};
use serde::de::DeserializeOwned;
use std::ops::ControlFlow;

/// Every dialect of the house.
pub static DIALECTS: Dialects = Dialects {
    sockets: &[battle::SOCKET],
    documents: &[poker::HAND],
    files: &[backgammon::MAT, battle::RECORD, gomoku::SGF, gomoku::PSQ, poker::PHHS, poker::STARS],
};

/// A text file of which there is no more to say.
const PLAIN: &str = "text/plain; charset=utf-8";

/// A moment of a story.
struct Scene<R: Rules> {
    /// The state after what has just happened.
    state: R::State,
    /// Who sits where.
    names: Vec<Option<String>>,
    /// When it happened.
    at_ms: u64,
}

impl<R: Rules> Scene<R> {
    /// The moment at which a story begins.
    fn open(head: &StoryHead) -> Result<Self, Refusal> {
        let Object(config) = read::<Object<R::Config>>("config", &head.config)?;
        let state = R::open(&config, head.seats)?;
        Ok(Self { state, names: vec![None; usize::from(head.seats)], at_ms: 0 })
    }

    /// Takes the next thing that has happened; the event, if it is one.
    fn next(&mut self, at_ms: u64, what: Happened) -> Result<Option<R::Event>, Refusal> {
        self.at_ms = at_ms;
        match what {
            Happened::Sits { seat, name } => self.seat(seat, name),
            Happened::Rises { seat } => self.seat(seat, None),
            Happened::Event(event) => {
                let event = read("event", &event)?;
                R::apply(&mut self.state, &event);
                R::stamp(&mut self.state, &event, at_ms);
                return Ok(Some(event));
            }
        }
        Ok(None)
    }

    fn seat(&mut self, seat: Seat, name: Option<String>) {
        if let Some(chair) = self.names.get_mut(seat.index()) {
            *chair = name;
        }
    }

    /// The chair of the person of this name.
    fn seat_of(&self, who: Option<&str>) -> Option<Seat> {
        let at = self.names.iter().position(|name| name.is_some() && name.as_deref() == who);
        at.map(|at| Seat::new(at as u8))
    }
}

/// Whether a file goes on.
fn until(over: bool) -> ControlFlow<()> {
    if over { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
}

/// Reads what a table has written.
fn read<T: DeserializeOwned>(what: &str, json: &Json) -> Result<T, Refusal> {
    serde_json::from_str(json.get()).map_err(|error| Refusal::malformed(format!("{what}: {error}")))
}
