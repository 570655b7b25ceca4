//! How the tables of each game are spoken with beside the one protocol.

mod backgammon;
mod battle;
mod gomoku;
mod poker;

use parlor_rules::{Json, Object, Refusal, Rules, Seat};
use parlor_wire::dialect::{Dialects, Happened, Story};
use serde::de::DeserializeOwned;

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

/// Tells a story from its beginning, event by event; the moment at which it ends.
fn retell<R: Rules>(
    story: &Story,
    mut each: impl FnMut(&Scene<R>, &R::Event),
) -> Result<Scene<R>, Refusal> {
    let Object(config) = read::<Object<R::Config>>("config", &story.config)?;
    let mut scene = Scene::<R> {
        state: R::open(&config, story.seats)?,
        names: vec![None; usize::from(story.seats)],
        at_ms: 0,
    };
    for (at_ms, happened) in &story.happened {
        scene.at_ms = *at_ms;
        match happened {
            Happened::Sits { seat, name } => scene.seat(*seat, name.clone()),
            Happened::Rises { seat } => scene.seat(*seat, None),
            Happened::Event(event) => {
                let event = read("event", event)?;
                R::apply(&mut scene.state, &event);
                R::stamp(&mut scene.state, &event, *at_ms);
                each(&scene, &event);
            }
        }
    }
    Ok(scene)
}

/// Reads what a table has written.
fn read<T: DeserializeOwned>(what: &str, json: &Json) -> Result<T, Refusal> {
    serde_json::from_str(json.get()).map_err(|error| Refusal::malformed(format!("{what}: {error}")))
}
