//! Games in the erased form, as a referee or a table plays them.

use parlor_rules::{AnyGame, Draws, House, Input, Json, Seeded};
use std::hint::black_box;

/// A random game: what is legal, a pick of it, and every command and event as JSON. Gives the number
/// of commands.
pub(crate) fn json_game(game: &dyn AnyGame, config: &Json, chance: &mut Seeded) -> u64 {
    let mut state = game.open(config, 2).expect("the options can be opened");
    let mut input = Input::House(House::Begin {});
    let mut inputs = 0;
    loop {
        let events = state.decide(&input, &mut Draws::new(chance)).expect("a legal command");
        for event in &events {
            state.apply(event).expect("its own event");
        }
        let Some(asked) = state.pending().asked().first().copied() else { break };
        let seat = asked.seat;
        let command = state.legal(seat).pick(&mut Draws::new(chance)).expect("who is asked");
        input = Input::Play { seat, command };
        inputs += 1;
    }
    black_box(state);
    inputs
}
