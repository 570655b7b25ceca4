//! `parlor perft backgammon` and `parlor legal backgammon`.

use crate::game;
use anyhow::{Context as _, Result, ensure};
use parlor_rules_backgammon::board::Board;
use parlor_rules_backgammon::plays::{Dice, for_each_play};
use parlor_rules_backgammon::{notation, perft, position_id};
use std::io::{Write, stdout};

/// Deeper than this nobody waits for.
const DEEPEST: usize = 6;

fn start(key: &str, position: Option<&str>) -> Result<Board> {
    ensure!(game(key)?.key() == "backgammon", "{key} has no such command; backgammon has");
    match position {
        None => Ok(Board::OPENING),
        Some(id) => position_id::decode(id).context("--position"),
    }
}

/// Counts positions, a line a depth as soon as it is known.
pub(crate) fn perft(key: &str, depth: usize, position: Option<&str>) -> Result<()> {
    let board = start(key, position)?;
    ensure!((1..=DEEPEST).contains(&depth), "--depth is 1 to {DEEPEST}");
    for depth in 1..=depth {
        let counts = perft::perft(&board, depth);
        let Some(perft::Count { positions, weighted }) = counts.last() else { continue };
        writeln!(stdout(), "depth {depth} positions {positions} weighted {weighted}")?;
    }
    Ok(())
}

/// Prints every distinct final position of a roll.
pub(crate) fn legal(key: &str, position: Option<&str>, dice: &str) -> Result<()> {
    let board = start(key, position)?;
    let digits: Vec<u8> = dice.bytes().map(|b| b.wrapping_sub(b'0')).collect();
    let dice = match digits[..] {
        [a, b] => Dice::new(a, b),
        _ => None,
    };
    let dice = dice.context("--dice is two digits from 1 to 6, as 31")?;
    let mut lines = String::new();
    for_each_play(&board, dice, |play| {
        let id = position_id::encode(play.board());
        lines += &format!("{id}\t{}\n", notation::write(&board, play.steps()));
    });
    stdout().write_all(lines.as_bytes())?;
    Ok(())
}
