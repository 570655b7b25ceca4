//! A second generator of plays, straight from the rules and with no thought of speed, and positions
//! to try it on.

use parlor_rules_backgammon::board::{BAR, Board, MEN, OFF, PLACES, Side, Step};
use parlor_rules_backgammon::plays::{Dice, for_each_position};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};
use std::collections::HashSet;

/// Men per place of the mover and of the opponent.
type Men = ([u8; PLACES], [u8; PLACES]);

/// Every final position the rules allow.
pub(crate) fn positions(board: &Board, dice: Dice) -> HashSet<Board> {
    plays(board, dice).into_iter().map(|(_, position)| position).collect()
}

/// Every sequence of steps the rules allow, and where it ends.
pub(crate) fn plays(board: &Board, dice: Dice) -> Vec<(Vec<Step>, Board)> {
    let men = (board.places(Side::Own), board.places(Side::Other));
    let orders = if dice.is_double() {
        vec![vec![dice.high(); 4]]
    } else {
        vec![vec![dice.high(), dice.low()], vec![dice.low(), dice.high()]]
    };
    let mut plays = Vec::new();
    for order in &orders {
        walk(men, order, &mut Vec::new(), &mut plays);
    }
    let most = plays.iter().map(|(steps, _)| steps.len()).max().unwrap();
    plays.retain(|(steps, _)| steps.len() == most);
    if most == 1 {
        let highest = plays.iter().map(|(steps, _)| steps[0].die).max().unwrap();
        plays.retain(|(steps, _)| steps[0].die == highest);
    }
    let end = |(own, other)| Board::new(own, other).unwrap();
    plays.into_iter().map(|(steps, men)| (steps, end(men))).collect()
}

/// Collects every sequence of steps that takes the dice in the given order, also those that stop
/// early: they are sorted out by the caller.
fn walk(men: Men, dice: &[u8], steps: &mut Vec<Step>, plays: &mut Vec<(Vec<Step>, Men)>) {
    plays.push((steps.clone(), men));
    let Some((&die, rest)) = dice.split_first() else { return };
    for from in 1..=BAR {
        let step = Step { from, die };
        if let Some((next, _)) = single(men, step) {
            steps.push(step);
            walk(next, rest, steps, plays);
            steps.pop();
        }
    }
}

/// One step by the rules, and whether it hits.
pub(crate) fn single((mut own, mut other): Men, step: Step) -> Option<(Men, bool)> {
    let (from, die) = (usize::from(step.from), usize::from(step.die));
    let bar = usize::from(BAR);
    if own[from] == 0 {
        return None;
    }
    if own[bar] > 0 && from != bar {
        return None;
    }
    let mut hit = false;
    if from > die {
        let to = from - die;
        match other[bar - to] {
            0 => {}
            1 => {
                other[bar - to] = 0;
                other[bar] += 1;
                hit = true;
            }
            _ => return None,
        }
        own[to] += 1;
    } else {
        if own[7..].iter().any(|&men| men > 0) {
            return None;
        }
        if from < die && own[from + 1..].iter().any(|&men| men > 0) {
            return None;
        }
        own[usize::from(OFF)] += 1;
    }
    own[from] -= 1;
    Some(((own, other), hit))
}

/// Random numbers that are the same in every run.
pub(crate) struct Random(ChaCha8Rng);

impl Random {
    pub(crate) fn new(seed: u64) -> Random {
        Random(ChaCha8Rng::seed_from_u64(seed))
    }

    pub(crate) fn below(&mut self, n: u32) -> u32 {
        self.0.next_u32() % n
    }

    pub(crate) fn dice(&mut self) -> Dice {
        Dice::new(self.below(6) as u8 + 1, self.below(6) as u8 + 1).unwrap()
    }

    /// A position of an unfinished game: one half by random play, the other made up.
    pub(crate) fn board(&mut self) -> Board {
        let board = if self.below(2) == 0 { self.played() } else { self.made_up() };
        if board.over() { self.board() } else { board }
    }

    fn played(&mut self) -> Board {
        let mut board = Board::OPENING;
        for _ in 0..self.below(150) {
            let mut next = Vec::new();
            for_each_position(&board, self.dice(), |position| next.push(position));
            let chosen = next[self.below(next.len() as u32) as usize];
            if chosen.over() {
                break;
            }
            board = chosen.swapped();
        }
        board
    }

    /// Men thrown on the board in one of several styles: all over, in the home boards, bearing off
    /// against men on the bar, many blots, few men left.
    fn made_up(&mut self) -> Board {
        let (mut own, mut other) = ([0; PLACES], [0; PLACES]);
        let farthest = [25, 24, 18, 12, 8, 6, 6][self.below(7) as usize];
        let other_farthest = [25, 25, 24, 12, 6][self.below(5) as usize];
        let own_off = [0, 0, 3, 10, 13][self.below(5) as usize];
        let other_off = [0, 0, 5, 12][self.below(4) as usize];
        // How many men are thrown on a point together: ones make blots.
        let own_heap = 1 + self.below(4) as u8;
        let other_heap = 1 + self.below(3) as u8;
        own[0] = own_off;
        other[0] = other_off;
        let (mut own_left, mut other_left) = (MEN - own_off, MEN - other_off);
        while own_left + other_left > 0 {
            if own_left > 0 {
                let place = 1 + self.below(farthest) as usize;
                let heap = own_heap.min(own_left);
                own[place] += heap;
                own_left -= heap;
            }
            if other_left > 0 {
                let place = 1 + self.below(other_farthest) as usize;
                let heap = other_heap.min(other_left);
                // The bar takes what would stand on a point of ours.
                let taken = place < 25 && own[25 - place] > 0;
                other[if taken && self.below(8) == 0 { 25 } else { place }] += heap;
                other_left -= heap;
            }
            // Points held by both go to one side, the other's men are thrown again.
            for point in 1..25 {
                if own[point] > 0 && other[25 - point] > 0 {
                    if self.below(2) == 0 {
                        own_left += std::mem::take(&mut own[point]);
                    } else {
                        other_left += std::mem::take(&mut other[25 - point]);
                    }
                }
            }
        }
        Board::new(own, other).unwrap()
    }
}
