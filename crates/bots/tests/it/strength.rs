//! The house beats chance, and every level the one below it.

use crate::table::{Match, Mean, Who, contest, poker};
use parlor_bots::Level::{self, Easy, Hard, Medium};
use parlor_testkit::{count, proof};

const CHANCE: Who = None;

/// At least 95 of 100; of few games some more may be lost by bad luck.
fn beats_chance(game: &str, config: &str, games: u32) {
    for level in Level::ALL {
        let Match { games, won, .. } = contest(game, config, [Some(level), CHANCE], games);
        let least = if proof() { games * 95 / 100 } else { games * 9 / 10 };
        assert!(won >= least, "{level}: {won} of {games}");
    }
}

/// Beyond two standard errors. Few games tell only that it is not the other way round.
fn beats(name: &str, mean: Mean) {
    let least = if proof() { 2.0 * mean.error } else { -4.0 * mean.error };
    assert!(mean.of > least, "{name}: {:+.3}, standard error {:.3}", mean.of, mean.error);
}

fn levels(game: &str, config: &str, short: u32, long: u32) {
    for [better, worse] in [[Hard, Medium], [Medium, Easy]] {
        let games = count(short, long);
        let Match { mean, .. } = contest(game, config, [better, worse].map(Some), games);
        beats(&format!("{game}: {better} against {worse}"), mean);
    }
}

#[test]
fn backgammon_beats_chance() {
    beats_chance("backgammon", r#"{"cube":false}"#, count(60, 1_000));
}

#[test]
fn backgammon_levels() {
    levels("backgammon", r#"{"cube":false}"#, 60, 4_000);
}

#[test]
fn backgammon_levels_with_the_cube() {
    levels("backgammon", r#"{"match":5}"#, 10, 1_000);
}

#[test]
fn gomoku_beats_chance() {
    for rule in ["freestyle", "standard", "caro", "caro_overline", "renju"] {
        // Over all rules as many as in the other games.
        let config = format!(r#"{{"rule":"{rule}","swap2Enabled":true}}"#);
        beats_chance("gomoku", &config, count(12, 200));
    }
}

#[test]
fn gomoku_levels() {
    for rule in ["standard", "caro", "renju"] {
        levels("gomoku", &format!(r#"{{"rule":"{rule}","swap2Enabled":true}}"#), 4, 60);
    }
}

#[test]
fn the_battle_beats_chance_as_far_as_it_can() {
    for level in [Hard, Medium] {
        let Match { games, won, lost, .. } =
            contest("battle", "{}", [Some(level), CHANCE], count(300, 3_000));
        assert!(won > 3 * lost && won * 2 > games, "{level}: {won} won, {lost} lost of {games}");
    }
}

/// What who knows how chance lays its cards could win at most: the best answer at every stage. No
/// player wins as often of chance as in the other games.
#[test]
fn nobody_could_beat_chance_in_battle_by_much_more() {
    use parlor_rules_battle::card::{Card, Hand, Layout};
    use parlor_rules_battle::resolve::{Verdict, judge, round};
    use parlor_rules_battle::state::{Config, Stage};
    use std::collections::HashMap;

    /// How likely chance fills the slots from this one on so, with these cards left.
    fn share(layout: &Layout, slot: usize, left: &[Card]) -> f64 {
        let Some(laid) = layout.slots().get(slot).copied() else { return 1.0 };
        let Some(card) = laid else { return 0.25 * share(layout, slot + 1, left) };
        let Some(at) = left.iter().position(|held| *held == card) else { return 0.0 };
        let rest = [&left[..at], &left[at + 1..]].concat();
        0.75 / left.len() as f64 * share(layout, slot + 1, &rest)
    }

    fn best(stage: Stage, layouts: &[(Layout, f64)], known: &mut HashMap<Stage, f64>) -> f64 {
        if let Some(wins) = known.get(&stage) {
            return *wins;
        }
        let config = Config::default();
        let wins = |own: &Layout, known: &mut HashMap<Stage, f64>| -> f64 {
            let against = |(theirs, share): &(Layout, f64)| {
                let hp = round([own, theirs], stage.hp, config.max_hp);
                share
                    * match judge(&config, &Stage { hp, ..stage }) {
                        Verdict::Won(0) => 1.0,
                        Verdict::Won(_) | Verdict::Draw => 0.0,
                        Verdict::Next(next) => best(next, layouts, known),
                    }
            };
            layouts.iter().map(against).sum()
        };
        let most = layouts.iter().map(|(own, _)| wins(own, known)).fold(0.0, f64::max);
        known.insert(stage, most);
        most
    }

    let hand = Hand::default();
    let layouts = hand.layouts().into_iter();
    let layouts: Vec<_> = layouts.map(|layout| (layout, share(&layout, 0, &hand.0))).collect();
    let all: f64 = layouts.iter().map(|(_, share)| share).sum();
    assert!((all - 1.0).abs() < 1e-9, "{all}");
    let most = best(Config::default().start(), &layouts, &mut HashMap::new());
    println!("battle: the best answer to chance wins {:.1} of 100 games", 100.0 * most);
    assert!(most < 0.95);
}

#[test]
fn battle_levels() {
    levels("battle", "{}", 400, 20_000);
}

#[test]
fn nobody_gains_on_the_mix_of_the_battle() {
    use parlor_rules_battle::solve::Solution;
    use parlor_rules_battle::state::Config;
    let solution = Solution::whole(&Config::default());
    let worst = solution.stages().map(|stage| solution.exploitability(stage));
    let worst = worst.fold(0.0, f64::max);
    println!("battle: nobody gains more than {worst:e} on the mix of any stage");
    assert!(worst < 1e-6);
}

#[test]
fn poker_wins_chips_from_chance() {
    for level in Level::ALL {
        let mean = poker("NT", [Some(level), CHANCE], count(1_500, 10_000));
        assert!(mean.of > 20.0, "{level}: {}", mean.of);
        assert!(mean.of > 1.96 * mean.error, "{level}: {} ± {}", mean.of, 1.96 * mean.error);
    }
}

#[test]
fn poker_levels() {
    for [better, worse] in [[Hard, Medium], [Medium, Easy]] {
        let mean = poker("NT", [better, worse].map(Some), count(300, 10_000));
        beats(&format!("poker: {better} against {worse}"), mean);
    }
}

#[test]
fn every_kind_of_poker_wins_chips_from_chance() {
    for variant in ["NS", "PO", "FT", "FO/8", "F7S", "F7S/8", "FR", "N2L1D", "F2L3D", "FB"] {
        for level in Level::ALL {
            let mean = poker(variant, [Some(level), CHANCE], count(40, 400));
            let least = if proof() { 0.0 } else { -4.0 * mean.error };
            assert!(mean.of > least, "{variant} {level}: {}", mean.of);
        }
    }
}
