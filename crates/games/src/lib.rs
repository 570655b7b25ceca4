//! The list of all games and dialects: the one crate that names them all.

mod dialect;

pub use dialect::DIALECTS;

use parlor_rules::{AnyGame, Erased, Series};
use parlor_rules_backgammon::Backgammon;
use parlor_rules_battle::Battle;
use parlor_rules_gomoku::Gomoku;
use parlor_rules_poker::Poker;

/// Every game of the house, in the order in which it is listed.
pub static GAMES: &[&dyn AnyGame] = &[
    &Erased::<Series<Backgammon>>::new(),
    &Erased::<Battle>::new(),
    &Erased::<Series<Gomoku>>::new(),
    &Erased::<Poker>::new(),
];

/// The game with this key.
pub fn find(key: &str) -> Option<&'static dyn AnyGame> {
    GAMES.iter().copied().find(|game| game.key() == key)
}
