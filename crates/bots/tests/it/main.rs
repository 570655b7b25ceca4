//! The house's players play by the rules, and better than chance.

#[path = "../../../games/tests/it/configs.rs"]
mod configs;
mod strength;
mod table;

use configs::configs;
use parlor_bots::Level;
use parlor_games::{GAMES, find};
use parlor_rules::{Draws, House, Input, Pending, Seat, Seeded, Viewer};
use parlor_testkit::count;
use serde_json::Value;
use serde_json::value::RawValue;
use table::{Guest, SEATS, hand, play, tell};

const HOUSE: Seat = SEATS[0];

#[test]
fn there_is_an_opponent_in_every_game_at_every_level() {
    for game in GAMES {
        for level in Level::ALL {
            assert_eq!(level.to_string().parse(), Ok(level));
            let player = parlor_bots::player(game.key(), level, HOUSE, "");
            assert!(player.is_some(), "{}", game.key());
        }
    }
    assert!(parlor_bots::player("chess", Level::Hard, HOUSE, "").is_none());
    assert!("expert".parse::<Level>().is_err());
}

/// [`Guest::say`] holds every choice against what is legal.
#[test]
fn the_house_plays_by_the_rules_under_all_options() {
    // Where people come and go, tables of many are tried by themselves.
    for game in GAMES.iter().filter(|game| !game.comes_and_goes()) {
        // A house that searches takes longer than a law.
        let fewer = if game.key() == "gomoku" { 400 } else { 50 };
        for (config, in_proof) in configs(game.key()) {
            for level in Level::ALL {
                for i in 0..count(2, in_proof.div_ceil(fewer)) {
                    let seed = format!("{config} {i}");
                    // Against chance, and against itself.
                    let other = (i % 2 == 0).then_some(level);
                    let who = [Some(level), other];
                    let mut guests =
                        [0, 1].map(|i| Guest::new(game.key(), who[i], SEATS[i], &seed));
                    play(game.key(), config, &mut guests, &seed);
                }
            }
        }
    }
}

#[test]
fn the_house_plays_the_same_for_the_same_seed() {
    for (game, config) in
        [("backgammon", "{}"), ("battle", "{}"), ("gomoku", r#"{"mode":"ranked"}"#)]
    {
        for level in Level::ALL {
            let whole = || {
                let mut guests = SEATS.map(|seat| Guest::new(game, Some(level), seat, "same"));
                play(game, config, &mut guests, "same").to_string()
            };
            assert_eq!(whole(), whole(), "{game} {level}");
        }
    }
}

#[test]
fn a_table_of_six_plays_every_kind_of_poker_by_the_rules() {
    use parlor_rules::{Chips, Owner};
    for variant in ["NT", "NS", "PO", "FT", "FO/8", "F7S", "F7S/8", "FR", "N2L1D", "F2L3D", "FB"] {
        let config = format!(r#"{{"variants":["{variant}"],"stud_ante":0.5,"runs":2}}"#);
        let config = RawValue::from_string(config).unwrap();
        let mut state = find("poker").unwrap().open(&config, 6).unwrap();
        let mut chance = Seeded::new(variant);
        tell(&mut *state, &Input::House(House::Begin {}), &mut chance);
        let who = [Some(Level::Easy), Some(Level::Medium), Some(Level::Hard), None];
        let mut guests: Vec<Guest> = Vec::new();
        for i in 0..6 {
            let seat = Seat::new(i);
            let chips = Chips::whole(60 + 40 * i64::from(i));
            tell(&mut *state, &Input::House(House::Joined { seat, chips }), &mut chance);
            guests.push(Guest::new("poker", who[usize::from(i) % 4], seat, variant));
        }
        for _ in 0..count(150, 1_500) {
            let pending = state.pending();
            let input = match pending.asked().first() {
                Some(asked) => {
                    let seat = asked.seat;
                    Input::Play { seat, command: guests[seat.index()].say(&*state, seat) }
                }
                None if pending == Pending::Rest => break,
                None => Input::Expire { seat: Owner::Table },
            };
            tell(&mut *state, &input, &mut chance);
        }
        let most = guests.iter().map(|guest| guest.times.most).max().unwrap_or_default();
        println!("poker {variant} at a table of six: at most {:.1} ms", most.as_secs_f64() * 1e3);
    }
}

#[test]
fn the_house_bets_by_the_stakes_of_the_table() {
    use parlor_rules::Chips;
    use std::collections::BTreeSet;
    // What is bet in some hands, in hundredths of the small blind.
    let raises = |level: Level, small: Chips| -> Vec<i64> {
        let (big, stack) = (small * 2, small * 200);
        let blinds = format!(r#""small_blind":{small},"big_blind":{big},"chip":{small}"#);
        let config = format!(r#"{{{blinds},"min_buy_in":{stack},"max_buy_in":{stack}}}"#);
        let config = RawValue::from_string(config).unwrap();
        let deals = (0..60).flat_map(|deal| {
            let seed = format!("stakes {deal}");
            let mut guests = SEATS.map(|seat| Guest::new("poker", Some(level), seat, &seed));
            hand(&config, SEATS, stack, &mut guests, &seed).1
        });
        let bets = deals.filter_map(|said| {
            let said: Value = serde_json::from_str(said.get()).unwrap();
            said["to"].to_string().parse::<Chips>().ok()
        });
        bets.map(|to| to.ten_thousandths() * 100 / small.ten_thousandths()).collect()
    };
    for level in Level::ALL {
        let usual = raises(level, Chips::whole(1));
        assert!(BTreeSet::from_iter(&usual).len() > 1, "{level}: {usual:?}");
        for small in [1_000, 2_500, 50_000, 1_000_000].map(Chips::from_ten_thousandths) {
            assert_eq!(raises(level, small), usual, "{level}, blinds from {small}");
        }
    }
}

#[test]
fn the_house_lays_what_its_mix_says() {
    use parlor_rules_battle::card::Slots;
    use parlor_rules_battle::solve::Solution;
    use parlor_rules_battle::state::Config;
    let config = Config::default();
    let mut solution = Solution::of(&config);
    let mix = solution.solve(&config.start()).mixes[0].clone();
    let game = find("battle").unwrap();
    let mut state = game.open(&parlor_rules::json(&config), 2).unwrap();
    let begin = Input::House(House::Begin {});
    for event in state.decide(&begin, &mut Draws::new(&mut Seeded::new(""))).unwrap() {
        state.apply(&event).unwrap();
    }
    let (view, legal) = (state.view(Viewer::Seat(HOUSE)), state.legal(HOUSE).json());
    let mut house = parlor_bots::player("battle", Level::Hard, HOUSE, "mix").unwrap();
    let times = count(4_000, 100_000);
    let mut laid = vec![0u32; mix.len()];
    for _ in 0..times {
        let command = house.choose(&view, &legal).unwrap();
        let command: Value = serde_json::from_str(command.get()).unwrap();
        let slots: Slots = serde_json::from_value(command["layout"].clone()).unwrap();
        let at = solution.layouts(0).iter().position(|layout| layout.slots() == slots);
        laid[at.expect("a layout of its hand")] += 1;
    }
    for (share, laid) in mix.iter().zip(laid) {
        // Five standard deviations.
        let wanted = share * f64::from(times);
        let near = 5.0 * (wanted * (1.0 - share)).sqrt() + 1e-6;
        assert!((f64::from(laid) - wanted).abs() <= near, "{laid} times, not about {wanted}");
    }
}

#[test]
fn the_house_completes_its_five_and_stops_the_other_s() {
    let game = find("gomoku").unwrap();
    let config = RawValue::from_string(r#"{"rule":"standard"}"#.to_owned()).unwrap();
    // Black, the house, has three in a row and then four; white has four with one end closed.
    let talks = [
        (vec![(7, 7), (3, 3), (8, 7), (4, 3), (0, 14), (5, 3), (2, 3), (6, 3)], (7, 3)),
        (vec![(7, 7), (3, 3), (8, 7), (4, 3), (9, 7), (5, 3), (10, 7), (6, 3)], (6, 7)),
    ];
    for (moves, wanted) in talks {
        let mut state = game.open(&config, 2).unwrap();
        let mut chance = Seeded::new("");
        let begin = Input::House(House::Begin {});
        let moved = moves.iter().enumerate().map(|(i, (x, y))| {
            let command = format!(r#"{{"type":"move","x":{x},"y":{y}}}"#);
            let command = RawValue::from_string(command).unwrap().into();
            Input::Play { seat: Seat::new(i as u8 % 2), command }
        });
        for input in [begin].into_iter().chain(moved) {
            for event in state.decide(&input, &mut Draws::new(&mut chance)).unwrap() {
                state.apply(&event).unwrap();
            }
        }
        for level in Level::ALL {
            let mut house = parlor_bots::player("gomoku", level, HOUSE, "").unwrap();
            let view = state.view(Viewer::Seat(HOUSE));
            let said = house.choose(&view, &state.legal(HOUSE).json()).unwrap();
            let said: Value = serde_json::from_str(said.get()).unwrap();
            let at = (said["x"].as_u64().unwrap(), said["y"].as_u64().unwrap());
            let other_end = (11, 7);
            assert!(at == wanted || wanted == (6, 7) && at == other_end, "{level}: {at:?}");
        }
    }
}
