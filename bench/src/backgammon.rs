//! Backgammon: perft and random games, beside bkgm.

use crate::door::json_game;
use crate::random::Random;
use crate::timing::{Contender, compare};
use bkgm::dice::ALL_21;
use bkgm::{ClassicRules, GameState, Position, PositionRules, State};
use parlor_rules::draws::DrawFault;
use parlor_rules::{Draws, Erased, Input, Rules, Seeded, Series, Source};
use parlor_rules_backgammon::Backgammon;
use parlor_rules_backgammon::board::Board;
use parlor_rules_backgammon::command::{Action, Command, Move};
use parlor_rules_backgammon::perft::perft;
use parlor_rules_backgammon::plays::{Dice, RandomPlayer, for_each_play};
use parlor_rules_backgammon::state::{Config, Phase};
use std::hint::black_box;

const ROUNDS: usize = 7;
const DEPTH: usize = 3;
const GAMES: u64 = 2000;
const DOOR_GAMES: u64 = 500;

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

    println!(" random games to the end through the door, one thread");
    let (mut random, mut chance) = (Random(20), Seeded::new("bench"));
    // Offers are part of what is picked, so the games in JSON are shorter.
    let config = parlor_rules::json(&Config { cube: false, ..Config::default() });
    compare(
        ROUNDS,
        "games",
        vec![
            Contender {
                name: "typed",
                work: Box::new(|| {
                    (0..DOOR_GAMES).for_each(|_| door_game(&mut random));
                    DOOR_GAMES
                }),
            },
            Contender {
                name: "JSON",
                work: Box::new(|| {
                    for _ in 0..DOOR_GAMES / 10 {
                        json_game(&GAME, &config, &mut chance);
                    }
                    DOOR_GAMES / 10
                }),
            },
        ],
    );
}

type Match = Series<Backgammon>;

static GAME: Erased<Match> = Erased::new();

/// Every roll and every turn is decided and applied; the generator chooses what to say.
fn door_game(random: &mut Random) {
    let mut dice = Throws(Random(u64::from(random.below(u32::MAX))));
    let mut state = Match::begin(&Config::default(), 2, &mut Draws::new(&mut dice))
        .expect("the defaults can be opened");
    let mut plays = Vec::new();
    while let Some(asked) = Match::pending(&state).asked().first() {
        let (seat, game) = (asked.seat, state.game());
        let action = match &game.phase {
            Phase::Moving { dice, .. } => {
                plays.clear();
                let roll = Dice::new(dice[0], dice[1]).expect("dice on the table");
                for_each_play(&game.seen_by(seat), roll, |play| plays.push(play));
                let play = &plays[random.below(plays.len() as u32) as usize];
                let moves = play.steps().iter().map(|step| Move::of(seat, *step)).collect();
                Action::Play { moves }
            }
            _ => Action::Roll {},
        };
        let input = Input::Play { seat, command: Command { action, seat } };
        Match::play(&mut state, &input, &mut Draws::new(&mut dice)).expect("a legal play");
    }
    black_box(state);
}

/// Dice from the benchmark's own generator.
struct Throws(Random);

impl Source for Throws {
    fn below(&mut self, n: u32) -> Result<u32, DrawFault> {
        Ok(self.0.below(n))
    }
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
