//! Counts all ways a game can go, to check and to time the generator.

use crate::board::Board;
use crate::plays::{Dice, Plays};
use std::hint::black_box;

/// How many positions lie at one depth.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Count {
    /// Distinct positions after every roll and play, each roll counted once.
    pub positions: u64,
    /// The same with each roll counted as often as it comes up in 36 throws.
    pub weighted: u64,
}

/// Plays out all 21 rolls and all their distinct positions, turn by turn, `depth` turns deep, and
/// counts each turn. Not moving is one position; a finished game is not continued.
pub fn perft(board: &Board, depth: usize) -> Vec<Count> {
    let mut counts = vec![Count::default(); depth];
    visit(board, 1, &mut counts);
    counts
}

fn visit(board: &Board, weight: u64, counts: &mut [Count]) {
    let Some((count, deeper)) = counts.split_first_mut() else { return };
    if board.over() {
        return;
    }
    let plays = Plays::of(board);
    for dice in Dice::ALL {
        let weight = weight * dice.weight();
        let mut positions = 0;
        plays.for_each_position(dice, |next| {
            positions += 1;
            // The last boards are only looked at, so that they are really made.
            if deeper.is_empty() {
                black_box(next);
            } else {
                visit(&next.swapped(), weight, deeper);
            }
        });
        count.positions += positions;
        count.weighted += positions * weight;
    }
}
