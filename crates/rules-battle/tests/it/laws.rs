//! The laws of every game, with players who come and go, and the bound of a match without a word.

use crate::support::{Match, ONE, ZERO};
use parlor_rules::{Draws, Erased, Input, Owner, Rules, Seeded};
use parlor_rules_battle::Battle;
use parlor_rules_battle::state::{Config, SEATS};
use parlor_testkit::count;
use parlor_testkit::laws::{Scenario, hold_over};

static BATTLE: Erased<Battle> = Erased::new();

#[test]
fn the_laws_hold_while_people_leave_and_tables_close() {
    for config in ["{}", r#"{"show_confirmed":true,"hp":2}"#, r#"{"early_finalize":false}"#] {
        let scenario =
            Scenario { config, open_house: true, timeouts_every: 1, ..Scenario::default() };
        let inputs = hold_over(&BATTLE, &scenario, config, count(150, 10_000));
        assert!(inputs > 500, "too little was played: {inputs}");
    }
}

/// The round in play, at most one more, and the PREP of the one after: 4 + 4 + 1.
const DEADLINES: u32 = 9;

#[test]
fn timeouts_alone_end_every_match_within_nine_deadlines() {
    let mut most = 0;
    for seed in 0..count(300, 20_000) {
        let mut chance = Seeded::new(&format!("timeouts {seed}"));
        let mut draws = Draws::new(&mut chance);
        let mut game = Match::new(Config { rounds: 1 + draws.below(5), ..Config::default() });
        for _ in 0..draws.below(40) {
            let seat = SEATS[draws.below(2) as usize];
            let said = Battle::pick(&Battle::legal(&game.state, seat), &mut draws);
            let input = match said {
                Some(command) if draws.below(4) > 0 => Input::Play { seat, command },
                _ => Input::Expire { seat: Owner::Table },
            };
            if game.end().is_none() {
                game.enter(&input).unwrap();
            }
        }
        let mut deadlines = 0;
        while game.end().is_none() {
            game.expire();
            deadlines += 1;
        }
        assert!(deadlines <= DEADLINES, "{deadlines} from seed {seed}");
        most = most.max(deadlines);
    }
    assert_eq!(most, DEADLINES, "the bound is met");
}

#[test]
fn the_clocks_of_seats_alone_bring_a_round_to_its_reveal() {
    let mut game = Match::usual();
    game.draft(ZERO, "attack - -");
    for seat in [ONE, ZERO] {
        game.enter(&Input::Expire { seat: Owner::Seat(seat) }).unwrap();
    }
    assert!(Battle::pending(&game.state).asked().is_empty());
    assert_eq!(game.state.afk, [0, 1]);
}
