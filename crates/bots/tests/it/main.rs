//! The house's players play by the rules, and better than chance.

use parlor_games::{GAMES, find};
use parlor_rules::{AnyGame, Draws, House, Input, Json, Pending, Seat, Seeded, Viewer};
use parlor_testkit::count;
use serde_json::Value;
use serde_json::value::RawValue;

const HOUSE: Seat = Seat::new(0);

/// Plays the house in seat 0 against a player of random legal moves; the outcome.
fn against_chance(game: &dyn AnyGame, config: &str, seed: &str) -> Value {
    let config = RawValue::from_string(config.to_owned()).unwrap();
    let mut state = game.open(&config, 2).unwrap();
    let mut chance = Seeded::new(seed);
    let mut house =
        parlor_bots::player(game.key(), HOUSE, seed).expect("the house plays every game");
    let mut next: Input<Json> = Input::House(House::Begin {});
    loop {
        let mut draws = Draws::new(&mut chance);
        let events = state.decide(&next, &mut draws);
        let events = events.unwrap_or_else(|refusal| panic!("{next:?}: {refusal}"));
        for event in &events {
            state.apply(event).unwrap();
        }
        let pending = state.pending();
        if pending == Pending::Over {
            return serde_json::from_str(state.outcome().unwrap().get()).unwrap();
        }
        next = match pending.asked().first() {
            None => Input::Expire { seat: pending.owners()[0] },
            Some(asked) => {
                let seat = asked.seat;
                let legal = state.legal(seat);
                let command = if seat == HOUSE {
                    house.choose(&state.view(Viewer::Seat(seat)), &legal.json())
                } else {
                    legal.pick(&mut Draws::new(&mut chance))
                };
                let command = command.expect("who is asked has something to say");
                assert!(legal.permits(&command), "{seat} may not say {command}");
                Input::Play { seat, command }
            }
        };
    }
}

#[test]
fn there_is_an_opponent_in_every_game() {
    for game in GAMES {
        assert!(parlor_bots::player(game.key(), HOUSE, "").is_some(), "{}", game.key());
    }
    assert!(parlor_bots::player("chess", HOUSE, "").is_none());
}

#[test]
fn the_house_beats_chance_at_backgammon() {
    let games = count(100, 1_000);
    let game = find("backgammon").unwrap();
    let won = (0..games)
        .filter(|i| against_chance(game, r#"{"cube":false}"#, &i.to_string())["winner"] == 0)
        .count();
    println!("{won} of {games}");
    assert!(won as u32 * 100 >= games * 93, "{won} of {games}");
}

#[test]
fn the_house_plays_money_and_matches_to_the_end() {
    let game = find("backgammon").unwrap();
    for config in ["{}", r#"{"match":5}"#, r#"{"beavers":true,"jacoby":true}"#] {
        for i in 0..count(20, 200) {
            let outcome = against_chance(game, config, &format!("{config} {i}"));
            assert!(outcome["match"]["winner"].is_number(), "{outcome}");
        }
    }
}

#[test]
fn the_house_beats_chance_in_battle() {
    let games = count(300, 3_000);
    let game = find("battle").unwrap();
    let (mut won, mut lost) = (0, 0);
    for i in 0..games {
        let outcome = against_chance(game, "{}", &i.to_string());
        won += u32::from(outcome["winner"] == 0);
        lost += u32::from(outcome["winner"] == 1);
    }
    println!("{won} won, {lost} lost of {games}");
    assert!(won > 3 * lost && won * 2 > games, "{won} won, {lost} lost of {games}");
}

#[test]
fn the_house_fights_under_any_options() {
    let game = find("battle").unwrap();
    for config in [
        r#"{"hp":3,"both_down":"sudden_death","early_finalize":false}"#,
        r#"{"hands":[["attack","attack","heal","counter"],["defense","heal","heal","heal"]]}"#,
        r#"{"rounds":1,"sudden_death_cap":1,"stake":0,"show_confirmed":true}"#,
    ] {
        for i in 0..count(5, 50) {
            let outcome = against_chance(game, config, &i.to_string());
            assert!(outcome["reason"] == "normal" || outcome["reason"] == "draw", "{outcome}");
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
    let mut house = parlor_bots::player("battle", HOUSE, "mix").unwrap();
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
fn the_house_beats_chance_at_gomoku() {
    let games = count(20, 300);
    let game = find("gomoku").unwrap();
    for rule in ["freestyle", "standard", "caro", "caro_overline", "renju"] {
        let config = format!(r#"{{"rule":"{rule}","swap2Enabled":true}}"#);
        let wins = |i: &u32| against_chance(game, &config, &format!("{rule} {i}"))["winner"] == 0;
        let won = (0..games).filter(wins).count();
        println!("{rule}: {won} of {games}");
        assert_eq!(won as u32, games, "{rule}");
    }
}

#[test]
fn the_house_plays_a_series_of_gomoku_on_every_board() {
    let game = find("gomoku").unwrap();
    for size in [15, 19, 20] {
        let config = format!(r#"{{"mode":"ranked","board_size":{size},"first_mover":"white"}}"#);
        for i in 0..count(4, 40) {
            let outcome = against_chance(game, &config, &format!("{size} {i}"));
            assert_eq!(outcome["match"]["winner"], 0, "{outcome}");
            assert_eq!(outcome["match"]["score"][0], 2, "{outcome}");
        }
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
            let command = RawValue::from_string(command).unwrap();
            Input::Play { seat: Seat::new(i as u8 % 2), command }
        });
        for input in [begin].into_iter().chain(moved) {
            for event in state.decide(&input, &mut Draws::new(&mut chance)).unwrap() {
                state.apply(&event).unwrap();
            }
        }
        let mut house = parlor_bots::player("gomoku", HOUSE, "").unwrap();
        let view = state.view(Viewer::Seat(HOUSE));
        let said = house.choose(&view, &state.legal(HOUSE).json()).unwrap();
        let said: Value = serde_json::from_str(said.get()).unwrap();
        let at = (said["x"].as_u64().unwrap(), said["y"].as_u64().unwrap());
        let other_end = (11, 7);
        assert!(at == wanted || wanted == (6, 7) && at == other_end, "{at:?}, not {wanted:?}");
    }
}

#[test]
fn the_house_wins_chips_from_chance_at_poker() {
    let per_hundred = poker("NT", count(400, 10_000));
    assert!(per_hundred > 20.0, "{per_hundred}");
}

#[test]
fn the_house_plays_every_kind_of_poker_better_than_chance() {
    for variant in ["NS", "PO", "FT", "FO/8", "F7S", "F7S/8", "FR", "N2L1D", "F2L3D", "FB"] {
        let per_hundred = poker(variant, count(60, 1_000));
        assert!(per_hundred > 0.0, "{variant}: {per_hundred}");
    }
}

/// What the house wins of chance, in big blinds a hundred hands.
fn poker(variant: &str, hands: u32) -> f64 {
    use parlor_rules::{Chips, House as Said, Owner};
    let game = find("poker").unwrap();
    let config = format!(r#"{{"sit_out_after":0,"variants":["{variant}"],"stud_ante":0.5}}"#);
    let config = RawValue::from_string(config).unwrap();
    let mut chance = Seeded::new("poker");
    let mut house = parlor_bots::player("poker", HOUSE, "poker").unwrap();
    let mut won = 0.0;
    for hand in 0..hands {
        // Fresh stacks for every hand, the button in turn.
        let mut state = game.open(&config, 2).unwrap();
        let mut tell = |input: &Input<Json>, state: &mut Box<dyn parlor_rules::AnyState>| {
            let events = state.decide(input, &mut Draws::new(&mut chance)).unwrap();
            events.iter().for_each(|event| state.apply(event).unwrap());
        };
        tell(&Input::House(Said::Begin {}), &mut state);
        for seat in [hand % 2, 1 - hand % 2].map(|seat| Seat::new(seat as u8)) {
            tell(&Input::House(Said::Joined { seat, chips: Chips::whole(200) }), &mut state);
        }
        let hands_of = |state: &dyn parlor_rules::AnyState| -> Value {
            serde_json::from_str(state.doc().get()).unwrap()
        };
        let button = Seat::new((hand % 2) as u8);
        let mut dice = Seeded::new(&hand.to_string());
        tell(&Input::Expire { seat: Owner::Table }, &mut state);
        while let Some(asked) = state.pending().asked().first() {
            let legal = state.legal(asked.seat);
            let command = if asked.seat == HOUSE {
                house.choose(&state.view(Viewer::Seat(HOUSE)), &legal.json()).unwrap()
            } else {
                // Chance speaks of cards only: who leaves cannot lose.
                loop {
                    let said = legal.pick(&mut Draws::new(&mut dice)).unwrap();
                    if !said.get().contains("intent") {
                        break said;
                    }
                }
            };
            assert!(legal.permits(&command), "{command}");
            tell(&Input::Play { seat: asked.seat, command }, &mut state);
        }
        let doc = hands_of(&*state);
        won += doc["finishingStacks"][HOUSE.index()].as_f64().unwrap() - 200.0;
        assert_ne!(doc["finishingStacks"], Value::Null, "{button}");
    }
    let per_hundred = won / 2.0 / f64::from(hands) * 100.0;
    println!("{variant}: {per_hundred:.0} big blinds a hundred hands over {hands}");
    per_hundred
}
