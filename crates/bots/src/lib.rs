//! House players: what a seat sees and may say goes in, a command comes out.
//!
//! A player is given views and legal choices as JSON, the same that a person's client gets. It has
//! no way to the state of a table.

pub mod backgammon;
pub mod battle;
pub mod gomoku;
pub mod poker;

use parlor_rules::{Json, Seat, Seeded};
use serde_json::value::RawValue;

/// Someone who plays for the house.
pub trait Player: Send {
    /// What to say, given what this seat sees and may say; none if there is nothing to say.
    fn choose(&mut self, view: &RawValue, legal: &RawValue) -> Option<Json>;
}

/// The house's player of a game. Where it plays by chance, it plays by this seed, which nobody else
/// may know.
pub fn player(key: &str, seat: Seat, seed: &str) -> Option<Box<dyn Player>> {
    match key {
        "backgammon" => Some(Box::new(backgammon::House::new(seat))),
        "battle" => Some(Box::new(battle::House::new(Seeded::new(seed)))),
        "gomoku" => Some(Box::new(gomoku::House::new(seat))),
        "poker" => Some(Box::new(poker::House::new(seat, Seeded::new(seed)))),
        _ => None,
    }
}
