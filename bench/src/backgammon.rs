//! Backgammon: perft and random games, beside bkgm.

use crate::timing::{Contender, compare};
use bkgm::dice::ALL_21;
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
    let expected = our_perft();
    assert_eq!(bkgm_perft(), expected, "both must count the same positions");
    compare(
        ROUNDS,
        "positions",
        vec![
            Contender { name: "parlor", work: Box::new(our_perft) },
            Contender { name: "bkgm", work: Box::new(bkgm_perft) },
        ],
    );
    println!(" random games to the end, {GAMES} a round, one thread");
    let mut random = Random(20);
    let mut player = RandomPlayer::default();
    let mut bkgm_random = Random(20);
    // Games of about the same length show that both play the same game.
    let (mut turns, mut bkgm_turns) = (0, 0);
    compare(
        ROUNDS,
        "games",
        vec![
            Contender {
                name: "parlor",
                work: Box::new(|| {
                    turns += (0..GAMES).map(|_| our_game(&mut player, &mut random)).sum::<u64>();
                    GAMES
                }),
            },
            Contender {
                name: "bkgm",
                work: Box::new(|| {
                    bkgm_turns += (0..GAMES).map(|_| bkgm_game(&mut bkgm_random)).sum::<u64>();
                    GAMES
                }),
            },
        ],
    );
    let mean = |turns: u64| turns as f64 / (ROUNDS as u64 * GAMES) as f64;
    println!("  turns a game: {:.1} and {:.1}", mean(turns), mean(bkgm_turns));
}

fn our_perft() -> u64 {
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

fn our_game(player: &mut RandomPlayer, random: &mut Random) -> u64 {
    let (turns, last) = player.game(&mut |n| random.below(n));
    black_box(last);
    u64::from(turns)
}

fn bkgm_game(random: &mut Random) -> u64 {
    let mut position = bkgm::variants::BACKGAMMON;
    let mut turns = 0;
    while position.game_state() == GameState::Ongoing {
        let throw = random.below(36) as usize;
        let dice = bkgm::Dice::new(throw / 6 + 1, throw % 6 + 1);
        // The first roll decides who begins, so it is never a double.
        if turns == 0 && matches!(dice, bkgm::Dice::Double(_)) {
            continue;
        }
        let next = ClassicRules::legal_positions(position, &dice);
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
