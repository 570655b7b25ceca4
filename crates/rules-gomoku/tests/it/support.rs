//! What several tests use.

use parlor_rules::{Draws, Input, Rules, Seat, Seeded, Series, series};
use parlor_rules_gomoku::Gomoku;
use parlor_rules_gomoku::command::Command;
use parlor_rules_gomoku::reject::Reject;
use parlor_rules_gomoku::state::Config;
use serde_json::Value;

pub(crate) type Match = Series<Gomoku>;

/// A table of these options that has begun.
pub(crate) fn table(config: Value) -> series::State<Gomoku> {
    let config: Config = serde_json::from_value(config).unwrap();
    Match::begin(&config, 2, &mut Draws::new(&mut Seeded::new(""))).unwrap()
}

/// A seat says something.
pub(crate) fn say(
    state: &mut series::State<Gomoku>,
    seat: Seat,
    command: Command,
) -> Result<(), Reject> {
    let input = Input::Play { seat, command };
    Match::play(state, &input, &mut Draws::new(&mut Seeded::new(""))).map(|_| ())
}

pub(crate) fn doc(state: &series::State<Gomoku>) -> Value {
    serde_json::to_value(Match::doc(state)).unwrap()
}

/// A random game of these options, stopped after so many inputs or at its end.
pub(crate) fn random_game(config: Value, seed: &str, inputs: u32) -> series::State<Gomoku> {
    let mut state = table(config);
    let mut chance = Seeded::new(seed);
    let mut draws = Draws::new(&mut chance);
    for _ in 0..inputs {
        let pending = Match::pending(&state);
        let Some(asked) = pending.asked().first() else { break };
        let command = Match::pick(&Match::legal(&state, asked.seat), &mut draws).unwrap();
        let input = Input::Play { seat: asked.seat, command };
        Match::play(&mut state, &input, &mut draws).unwrap();
    }
    state
}

/// A text cut at every place, and with every character left out, doubled or replaced.
pub(crate) fn mutations(text: &str) -> Vec<String> {
    let chars: Vec<char> = text.chars().collect();
    let string = |chars: &[char]| chars.iter().collect::<String>();
    let mut all = Vec::new();
    for i in 0..chars.len() {
        all.push(string(&chars[..i]));
        all.push(string(&chars[i..]));
        all.push(format!("{}{}", string(&chars[..i]), string(&chars[i + 1..])));
        all.push(format!("{}{}", string(&chars[..=i]), string(&chars[i..])));
        for c in ['0', '9', ',', ';', '(', '[', ']', '\\', 'A', 'z', '-', ' ', '\n', 'é', '\u{0}']
        {
            all.push(format!("{}{c}{}", string(&chars[..i]), string(&chars[i + 1..])));
        }
    }
    all
}
