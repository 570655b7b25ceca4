use parlor_games::{GAMES, find};
use parlor_testkit::count;
use parlor_testkit::laws::{Scenario, hold_over};

/// Options under which a game is tried beside its defaults.
fn configs(key: &str) -> &'static [&'static str] {
    match key {
        "backgammon" => &[
            r#"{"cube":false}"#,
            r#"{"match":3}"#,
            r#"{"match":5,"crawford":false,"opening":1}"#,
            r#"{"beavers":true,"jacoby":true,"automatic_doubles":2,"opening":0}"#,
        ],
        _ => &[],
    }
}

#[test]
fn every_game_obeys_every_law() {
    for game in GAMES {
        for config in configs(game.key()).iter().chain(&["{}"]) {
            let scenario = Scenario { config, ..Scenario::default() };
            let games = count(40, 4_000);
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
