//! The battle: rounds resolved, matches through the door, and the whole solution.

use crate::random::Random;
use crate::timing::{Contender, compare};
use cpu_time::ThreadTime;
use parlor_rules::draws::DrawFault;
use parlor_rules::{Draws, Input, Owner, Rules, Source};
use parlor_rules_battle::Battle;
use parlor_rules_battle::card::{Hand, Layout, Name};
use parlor_rules_battle::command::Command;
use parlor_rules_battle::resolve::{Verdict, judge, round};
use parlor_rules_battle::solve::Solution;
use parlor_rules_battle::state::{Config, SEATS, Stage};
use std::hint::black_box;

const ROUNDS: usize = 7;
const RESOLVED: u64 = 5_000_000;
const MATCHES: u64 = 20_000;

pub(crate) fn run() {
    let (config, layouts) = (Config::default(), Hand::default().layouts());
    println!(" rounds of random layouts, one thread");
    let mut random = Random(20);
    let mut doors = Random(20);
    compare(
        ROUNDS,
        "rounds",
        vec![
            Contender {
                name: "resolved",
                work: Box::new(|| resolve(&config, &layouts, &mut random)),
            },
            Contender {
                name: "door",
                work: Box::new(|| {
                    (0..MATCHES).map(|_| door_match(&config, &layouts, &mut doors)).sum()
                }),
            },
        ],
    );
    println!(" the whole solution, one thread");
    let mut best = f64::MAX;
    for _ in 0..ROUNDS {
        let start = ThreadTime::now();
        black_box(Solution::whole(black_box(&config)));
        best = best.min(start.elapsed().as_secs_f64());
    }
    let mut solution = Solution::whole(&config);
    let worst = solution.stages().map(|stage| solution.exploitability(stage));
    let worst = worst.fold(0.0, f64::max);
    let stages = solution.stages().count();
    let value = |solution: &mut Solution, hp| {
        solution.solve(&Stage { round: 1, sudden_death: false, hp }).value
    };
    println!("  {stages} stages in {best:.3} CPU-seconds; nobody gains more than {worst:.1e}");
    println!(
        "  value of a match: {:+.6}; begun with 10 to 9 HP: {:+.6}; with 10 to 8: {:+.6}",
        value(&mut solution, [10, 10]),
        value(&mut solution, [10, 9]),
        value(&mut solution, [10, 8])
    );
}

/// Matches of random layouts, each round resolved and judged.
fn resolve(config: &Config, layouts: &[Layout], random: &mut Random) -> u64 {
    let mut stage = config.start();
    for _ in 0..RESOLVED {
        let pair = [(); 2].map(|()| &layouts[random.below(layouts.len() as u32) as usize]);
        let hp = round(pair, stage.hp, config.max_hp);
        stage = match judge(config, &Stage { hp, ..stage }) {
            Verdict::Next(next) => next,
            Verdict::Won(_) | Verdict::Draw => config.start(),
        };
    }
    black_box(stage);
    RESOLVED
}

/// A match in which every confirmation and every deadline is decided and applied; its rounds.
fn door_match(config: &Config, layouts: &[Layout], random: &mut Random) -> u64 {
    let mut none = NoChance;
    let mut draws = Draws::new(&mut none);
    let mut state = Battle::begin(config, 2, &mut draws).expect("the defaults can be opened");
    let mut rounds = 0;
    while Battle::outcome(&state).is_none() {
        for seat in SEATS {
            let slots = layouts[random.below(layouts.len() as u32) as usize].slots();
            let layout = slots.map(|slot| slot.map(Name::Card));
            let command = Command::LayoutConfirm { layout };
            Battle::play(&mut state, &Input::Play { seat, command }, &mut draws)
                .expect("a layout of the hand");
        }
        for _ in 0..3 {
            Battle::play(&mut state, &Input::Expire { seat: Owner::Table }, &mut draws)
                .expect("a deadline runs");
        }
        rounds += 1;
    }
    black_box(state);
    rounds
}

/// A battle draws nothing.
struct NoChance;

impl Source for NoChance {
    fn below(&mut self, _: u32) -> Result<u32, DrawFault> {
        Err(DrawFault::Dry)
    }
}
