use crate::configs::configs;
use parlor_games::{GAMES, find};
use parlor_testkit::count;
use parlor_testkit::laws::{Scenario, hold_over};

#[test]
fn every_game_obeys_every_law() {
    for game in GAMES {
        for (config, in_proof) in configs(game.key()) {
            let scenario = Scenario { config, ..Scenario::default() };
            let games = count(40, *in_proof);
            let inputs = hold_over(*game, &scenario, config, games);
            println!("{} {config}: {games} games, {inputs} inputs", game.key());
            assert!(inputs >= u64::from(games), "nothing was played");
        }
    }
}

#[test]
fn keys_are_found_and_unique() {
    for game in GAMES {
        assert_eq!(find(game.key()).map(|found| found.key()), Some(game.key()));
        assert_eq!(GAMES.iter().filter(|other| other.key() == game.key()).count(), 1);
    }
    assert!(find("chess").is_none());
}
