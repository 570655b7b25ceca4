use parlor_rules::{AnyGame, Erased, Series};
use parlor_testkit::highcard::HighCard;
use parlor_testkit::laws::{Scenario, hold_over};
use parlor_testkit::pennies::Pennies;
use parlor_testkit::{count, transcripts};

static PENNIES: Erased<Series<Pennies>> = Erased::new();
static HIGHCARD: Erased<HighCard> = Erased::new();

#[test]
fn pennies_obeys_every_law() {
    for config in ["{}", r#"{"series":2}"#, r#"{"wins":1,"ante":0.5,"series":3}"#] {
        let scenario = Scenario { config, open_house: true, ..Scenario::default() };
        let inputs = hold_over(&PENNIES, &scenario, config, count(150, 10_000));
        assert!(inputs > 500, "too little was played: {inputs}");
    }
}

#[test]
fn the_vectors_of_pennies_hold() {
    let found = transcripts::run(&PENNIES);
    assert_eq!(found.failures, Vec::<String>::new());
    assert!(found.files.iter().all(|files| *files > 0), "a kind is missing: {:?}", found.files);
}

#[test]
fn high_card_obeys_every_law() {
    for (config, seats) in [("{}", 2), (r#"{"ante":0.3333,"hands":4}"#, 3), (r#"{"hands":25}"#, 6)]
    {
        let scenario = Scenario { config, seats, open_house: true, ..Scenario::default() };
        let inputs = hold_over(&HIGHCARD, &scenario, config, count(100, 5_000));
        assert!(inputs > 500, "too little was played: {inputs}");
    }
}

#[test]
fn the_vectors_of_high_card_hold() {
    let found = transcripts::run(&HIGHCARD);
    assert_eq!(found.failures, Vec::<String>::new());
    assert!(found.files.iter().all(|files| *files > 0), "a kind is missing: {:?}", found.files);
    for code in HIGHCARD.codes() {
        assert!(found.codes.contains(*code), "no vector is refused {code}");
    }
}
