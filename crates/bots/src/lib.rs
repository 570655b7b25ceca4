//! House players: what a seat sees and may say goes in, a command comes out.
//!
//! A player is given views and legal choices as JSON, the same that a person's client gets. It has
//! no way to the state of a table. Everything it does by chance comes from its seed: the same seed
//! and the same views give the same commands.

pub mod backgammon;
pub mod battle;
pub mod gomoku;
mod pace;
pub mod poker;

pub use parlor_wire::{Level, NoLevel};

use pace::{Pace, Thought};
use parlor_rules::{Json, Seat, Seeded};
use serde_json::value::RawValue;

/// Someone who plays for the house.
pub trait Player: Send {
    /// What to say, given what this seat sees and may say; none if there is nothing to say.
    fn choose(&mut self, view: &RawValue, legal: &RawValue) -> Option<Json>;

    /// How long a person would have thought about the last choice, at most [`LONGEST_PAUSE_MS`].
    /// Nothing waits here: whoever shows the choice may wait so long.
    fn pause_ms(&mut self) -> u64;
}

/// No pause is longer.
pub const LONGEST_PAUSE_MS: u64 = pace::LONGEST_MS;

/// One who knows a game: what to say, and how much there was to think about.
trait Mind: Send {
    fn think(&mut self, view: &RawValue, legal: &RawValue) -> Option<(Json, Thought)>;
}

/// A mind at its pace.
struct House<M> {
    mind: M,
    pace: Pace,
}

impl<M: Mind> Player for House<M> {
    fn choose(&mut self, view: &RawValue, legal: &RawValue) -> Option<Json> {
        let (command, thought) = self.mind.think(view, legal)?;
        self.pace.thought(thought);
        Some(command)
    }

    fn pause_ms(&mut self) -> u64 {
        self.pace.pause_ms()
    }
}

/// The house's player of a game. Where it plays by chance, it plays by this seed, which nobody else
/// may know.
pub fn player(key: &str, level: Level, seat: Seat, seed: &str) -> Option<Box<dyn Player>> {
    let pace = Pace::new(Seeded::new(&format!("pace {seed}")));
    let chance = Seeded::new(seed);
    Some(match key {
        "backgammon" => at(pace, backgammon::Mind::new(level, seat)),
        "battle" => at(pace, battle::Mind::new(level, chance)),
        "gomoku" => at(pace, gomoku::Mind::new(level, seat, chance)),
        "poker" => at(pace, poker::Mind::new(level, seat, chance)),
        _ => return None,
    })
}

fn at(pace: Pace, mind: impl Mind + 'static) -> Box<dyn Player> {
    Box::new(House { mind, pace })
}
