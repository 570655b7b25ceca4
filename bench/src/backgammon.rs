//! Backgammon: perft and random games, beside bkgm.

use crate::timing::{Contender, compare};
use bkgm::dice::ALL_21;
use bkgm::dice_gen::{DiceGen, FastrandDice};
use bkgm::{ClassicRules, GameState, Position, PositionRules, State};
use parlor_rules_backgammon::board::Board;
use parlor_rules_backgammon::perft::perft;
use parlor_rules_backgammon::plays::RandomPlayer;
use std::hint::black_box;

const ROUNDS: usize = 7;
const DEPTH: usize = 3;
const GAMES: u64 = 2000;

pub(crate) fn run() {
    println!(" perft from the opening, {DEPTH} turns deep, one thread");
    let expected = ours_perft();
    assert_eq!(bkgm_perft(), expected, "both must count the same positions");
    compare(
        ROUNDS,
        "positions",
        vec![
            Contender { name: "parlor", work: Box::new(ours_perft) },
            Contender { name: "bkgm", work: Box::new(bkgm_perft) },
        ],
    );
    println!(" random games to the end, {GAMES} a round, one thread");
    let mut random = Random(20);
    let mut player = RandomPlayer::default();
    let mut bkgm_random = Random(20);
    let mut bkgm_dice = FastrandDice::with_seed(20);
    compare(
        ROUNDS,
        "games",
        vec![
            Contender {
                name: "parlor",
                work: Box::new(|| {
                    for _ in 0..GAMES {
                        black_box(player.game(&mut |n| random.below(n)));
                    }
                    GAMES
                }),
            },
            Contender {
                name: "bkgm",
                work: Box::new(|| {
                    for _ in 0..GAMES {
                        black_box(bkgm_game(&mut bkgm_dice, &mut bkgm_random));
                    }
                    GAMES
                }),
            },
        ],
    );
}

fn ours_perft() -> u64 {
    perft(black_box(&Board::OPENING), DEPTH).iter().map(|count| count.positions).sum()
}

fn bkgm_perft() -> u64 {
    fn visit(position: Position<15>, depth: usize) -> u64 {
        let mut positions = 0;
        for (dice, _) in ALL_21 {
            let next = ClassicRules::legal_positions(position, &dice);
            positions += next.len() as u64;
            if depth > 1 {
                positions += next.iter().map(|&next| visit(next, depth - 1)).sum::<u64>();
            } else {
                black_box(next);
            }
        }
        positions
    }
    visit(black_box(bkgm::variants::BACKGAMMON), DEPTH)
}

fn bkgm_game(dice: &mut FastrandDice, random: &mut Random) -> u32 {
    let mut position = bkgm::variants::BACKGAMMON;
    let mut turns = 0;
    while position.game_state() == GameState::Ongoing {
        let roll = if turns == 0 { dice.roll_mixed() } else { dice.roll() };
        let next = ClassicRules::legal_positions(position, &roll);
        position = next[random.below(next.len() as u32) as usize];
        turns += 1;
    }
    turns
}

/// Splitmix64: quick, and the same games in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, n: u32) -> u32 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        (((z >> 32) * u64::from(n)) >> 32) as u32
    }
}
