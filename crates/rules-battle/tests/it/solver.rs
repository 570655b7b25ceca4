//! Perfect play.

use parlor_rules_battle::card::{Card, Hand, Layout};
use parlor_rules_battle::solve::{Solution, solve};
use parlor_rules_battle::state::{BothDown, Config, Stage};
use parlor_testkit::count;

/// The most that anyone could gain on any mix.
fn worst(solution: &Solution) -> f64 {
    solution.stages().map(|stage| solution.exploitability(stage)).fold(0.0, f64::max)
}

fn near(a: f64, b: f64) -> bool {
    (a - b).abs() < 1e-9
}

#[test]
fn nobody_can_gain_on_any_mix_of_a_whole_match() {
    let config = Config::default();
    let mut solution = Solution::whole(&config);
    let (count, worst) = (solution.stages().count(), worst(&solution));
    let value = solution.solve(&config.start()).value;
    println!("{count} stages, value {value:+.9}, nobody gains more than {worst:.1e}");
    // Three rounds of 100 pairs of HP, and twenty of sudden death with 10 equal pairs.
    assert_eq!(count, 3 * 100 + 20 * 10);
    assert!(worst < 1e-6, "{worst}");
    assert!(near(value, 0.0), "equal hands are a fair match");
}

#[test]
fn nor_of_matches_with_other_options() {
    let doubles = Hand([Card::Attack, Card::Attack, Card::Heal, Card::Counter]);
    for config in [
        Config { both_down: BothDown::SuddenDeath, hp: 3, max_hp: 4, ..Config::default() },
        Config { hands: [doubles, Hand::default()], sudden_death_cap: 3, ..Config::default() },
        Config { rounds: 1, sudden_death_cap: 0, hp: 1, ..Config::default() },
    ] {
        let mut solution = Solution::of(&config);
        solution.solve(&config.start());
        assert!(worst(&solution) < 1e-6, "{config:?}");
    }
}

/// Hands and caps that make values differ by next to nothing, and matrices full of near ties.
#[test]
fn nor_of_matches_that_rounding_could_spoil() {
    use Card::{Attack, Counter, Defense, Heal};
    let hands = [
        Hand::default(),
        Hand([Attack, Attack, Heal, Counter]),
        Hand([Attack, Defense, Heal, Heal]),
        Hand([Attack; 4]),
        Hand([Counter, Counter, Attack, Attack]),
        Hand([Heal, Heal, Heal, Attack]),
        Hand([Defense, Defense, Attack, Counter]),
    ];
    for (i, a) in hands.into_iter().enumerate() {
        for b in hands.into_iter().skip(i) {
            let config = Config {
                hands: [a, b],
                both_down: BothDown::SuddenDeath,
                sudden_death_cap: count(20, 100),
                ..Config::default()
            };
            let solution = Solution::whole(&config);
            let worst = worst(&solution);
            assert!(worst < 1e-6, "{worst} with {a:?} against {b:?}");
        }
    }
}

#[test]
fn a_mix_is_a_mix() {
    let config = Config::default();
    let mut solution = Solution::of(&config);
    solution.solve(&config.start());
    for stage in solution.stages() {
        let solved = solution.get(stage).expect("it is solved");
        for (side, mix) in solved.mixes.iter().enumerate() {
            assert_eq!(mix.len(), solution.layouts(side).len());
            assert!(mix.iter().all(|share| (0.0..=1.0).contains(share)), "{stage:?}");
            assert!(near(mix.iter().sum(), 1.0), "{stage:?}");
        }
        assert!(solved.value.abs() < 1.0 + 1e-9, "{stage:?}: {}", solved.value);
    }
}

#[test]
fn sides_that_change_places_change_what_they_win() {
    let config = Config::default();
    let mut solution = Solution::of(&config);
    for (a, b) in [(10, 9), (5, 8), (2, 1), (1, 10)] {
        let stage = |hp| Stage { round: 2, sudden_death: false, hp };
        let ahead = solution.solve(&stage([a, b])).value;
        let behind = solution.solve(&stage([b, a])).value;
        assert!(near(ahead, -behind), "{a} to {b}: {ahead} and {behind}");
        assert!((a > b) == (ahead > 0.0), "more HP is better: {a} to {b} is worth {ahead}");
    }
}

/// With one round, HP far from their bounds and no sudden death, the value can be told by hand.
#[test]
fn a_match_of_one_attack_each_way() {
    // Four attacks against four defenses: an empty slot of the defender could be hit, three
    // defenses cannot, and the attacker has nothing that a defense could hurt.
    let config = Config {
        hands: [Hand([Card::Attack; 4]), Hand([Card::Defense; 4])],
        rounds: 1,
        sudden_death_cap: 0,
        ..Config::default()
    };
    let mut solution = Solution::of(&config);
    let value = solution.solve(&config.start()).value;
    assert!(near(value, 0.0), "nothing gets through: {value}");

    // Against four counters every attack costs the attacker, and laying nothing costs nothing.
    let config = Config { hands: [Hand([Card::Attack; 4]), Hand([Card::Counter; 4])], ..config };
    let mut solution = Solution::of(&config);
    let solved = solution.solve(&config.start());
    assert!(near(solved.value, 0.0));
    let layouts = solution.layouts(0);
    let laid = layouts.iter().zip(&solved.mixes[0]).filter(|(_, share)| **share > 1e-9);
    assert!(laid.clone().all(|(layout, _)| *layout == Layout::EMPTY));

    // Four heals heal only who is below the most; an attack hurts one who heals, so attacks win.
    let config = Config { hands: [Hand([Card::Attack; 4]), Hand([Card::Heal; 4])], ..config };
    let mut solution = Solution::of(&config);
    assert!(near(solution.solve(&config.start()).value, 1.0));
}

#[test]
fn small_matrix_games_have_their_known_values() {
    let paper_scissors = [0.0, -1.0, 1.0, 1.0, 0.0, -1.0, -1.0, 1.0, 0.0];
    let solved = solve(&paper_scissors, 3);
    assert!(near(solved.value, 0.0));
    assert!(solved.mixes.iter().flatten().all(|share| near(*share, 1.0 / 3.0)));

    // In [[3, -1], [-2, 1]] rows mix 3 to 4 and columns 2 to 5: either way 1/7 is won.
    let solved = solve(&[3.0, -1.0, -2.0, 1.0], 2);
    assert!(near(solved.value, 1.0 / 7.0), "{}", solved.value);
    assert!(near(solved.mixes[0][0], 3.0 / 7.0) && near(solved.mixes[1][0], 2.0 / 7.0));

    // A saddle: the second row, the first column.
    let solved = solve(&[1.0, 5.0, 0.0, 2.0, 3.0, 4.0], 3);
    assert!(near(solved.value, 2.0), "{}", solved.value);
    assert!(near(solved.mixes[0][1], 1.0) && near(solved.mixes[1][0], 1.0));

    // One row, one column, and nothing to choose.
    assert!(near(solve(&[-0.25], 1).value, -0.25));
}
