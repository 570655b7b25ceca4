//! Damaged documents: refused by `load`, saved by `recover`, and never a panic.

use crate::support::{Match, doc, random_game, say, table};
use parlor_rules::{Draws, Rules, Seat, Seeded};
use parlor_rules_gomoku::command::Command;
use parlor_rules_gomoku::recover::recover;
use parlor_rules_gomoku::state::Config;
use parlor_testkit::count;
use serde_json::{Value, json};

/// A document in which the second player has laid the fourth stone.
fn opening() -> Value {
    let mut state = table(json!({"swap2Enabled": true, "players": ["ada", "bob"]}));
    let place = |x: u8, y: u8| Command::PlaceStone { x: x.into(), y: y.into() };
    for (x, y) in [(7, 7), (8, 8), (9, 7)] {
        say(&mut state, Seat::new(0), place(x, y)).unwrap();
    }
    let more = Command::MakeChoice { choice: "place_more".to_owned() };
    say(&mut state, Seat::new(1), more).unwrap();
    say(&mut state, Seat::new(1), place(3, 3)).unwrap();
    doc(&state)
}

fn damaged(path: &str, value: Value) -> Value {
    let mut doc = opening();
    *doc.pointer_mut(path).unwrap_or_else(|| panic!("{path}")) = value;
    doc
}

#[test]
fn a_whole_document_is_taken_as_it_is() {
    let recovered = recover(&Config::default(), &opening());
    assert_eq!(doc(&recovered.state), opening());
    assert!(recovered.log.is_empty());
}

#[test]
fn an_opening_is_replayed_from_its_actions() {
    let harms = [
        ("/swap2State/tentativeStones/1/x", json!(7)),
        ("/swap2State/tentativeStones", json!([])),
        ("/swap2State/phase", json!("swap2_placement")),
        ("/swap2State/activePlayerId", json!("eve")),
        ("/board/7/7", json!("O")),
        ("/board", json!("rubbish")),
        ("/gamePhase", json!("main_game")),
        ("/moves", json!([{"x": 0, "y": 0}])),
    ];
    for (path, value) in harms {
        let doc_with_harm = damaged(path, value);
        assert!(Match::load(&Config::default(), doc_with_harm.clone()).is_err(), "{path}");
        let recovered = recover(&Config::default(), &doc_with_harm);
        assert_eq!(doc(&recovered.state), opening(), "{path}");
        let [found, done] = &recovered.log[..] else { panic!("{:?}", recovered.log) };
        assert!(found.starts_with("the document is damaged: "), "{found}");
        assert_eq!(done, "the opening was replayed from its 5 actions");
    }
}

#[test]
fn without_actions_the_first_two_valid_stones_stay_and_placement_goes_on() {
    let kept = |doc_with_harm: &Value| {
        let recovered = recover(&Config::default(), doc_with_harm);
        assert_eq!(recovered.log.len(), 2, "{:?}", recovered.log);
        let doc = doc(&recovered.state);
        assert_eq!(doc["gamePhase"], "swap2");
        assert_eq!(doc["swap2State"]["phase"], "swap2_placement");
        assert_eq!(doc["swap2State"]["activePlayerId"], "ada");
        let stones = doc["swap2State"]["tentativeStones"].as_array().unwrap().clone();
        let at = |stone: &Value| (stone["x"].as_u64().unwrap(), stone["y"].as_u64().unwrap());
        let log = recovered.log[1].clone();
        assert!(log.contains(&format!("{} stones are kept", stones.len())), "{log}");
        stones.iter().map(at).collect::<Vec<_>>()
    };
    let harms = [
        ("/swap2State/actions", json!(null)),
        ("/swap2State/actions/0/playerId", json!("eve")),
        ("/swap2State/actions/1/data", json!({"x": 7, "y": 7})),
        ("/swap2State/actions/3/data/choice", json!("black")),
    ];
    for (path, value) in harms {
        assert_eq!(kept(&damaged(path, value)), [(7, 7), (8, 8)], "{path}");
    }
    // Stones that are none are passed over.
    let mut doc = damaged("/swap2State/actions", json!([]));
    doc["swap2State"]["actions"] = json!("gone");
    doc["swap2State"]["tentativeStones"][0]["x"] = json!(99);
    doc["swap2State"]["tentativeStones"][1]["y"] = json!("?");
    assert_eq!(kept(&doc), [(9, 7), (3, 3)]);
    doc["swap2State"]["tentativeStones"] = json!(7);
    assert_eq!(kept(&doc), []);
}

#[test]
fn a_game_is_replayed_up_to_its_first_bad_move() {
    let mut state = table(json!({"rule": "standard"}));
    for (i, (x, y)) in [(7, 7), (8, 8), (7, 8), (8, 9)].into_iter().enumerate() {
        let command = Command::Move { x: x.into(), y: y.into() };
        say(&mut state, Seat::new(i as u8 % 2), command).unwrap();
    }
    let mut harmed = doc(&state);
    harmed["moves"][2] = json!({"x": 8, "y": 8});
    let recovered = recover(&Config::default(), &harmed);
    let doc = doc(&recovered.state);
    assert_eq!(
        doc["moves"],
        json!([
            {"x": 7, "y": 7, "color": "black"}, {"x": 8, "y": 8, "color": "white"}
        ])
    );
    assert_eq!(recovered.log[1], "2 moves were replayed");
}

#[test]
fn the_score_of_a_series_survives() {
    let mut state = table(json!({"mode": "ranked"}));
    say(&mut state, Seat::new(1), Command::Resign {}).unwrap();
    let next = parlor_rules::Input::Expire { seat: parlor_rules::Owner::Table };
    Match::play(&mut state, &next, &mut Draws::new(&mut Seeded::new(""))).unwrap();
    let place = Command::PlaceStone { x: 1.into(), y: 2.into() };
    say(&mut state, Seat::new(1), place).unwrap();
    let mut harmed = doc(&state);
    harmed["swap2State"]["phase"] = json!("complete");
    let recovered = recover(&Config::default(), &harmed);
    assert_eq!(doc(&recovered.state), doc(&state));
    harmed["match"]["history"] = json!([{"winner": 9}]);
    harmed["match"]["score"] = json!("many");
    let recovered = recover(&Config::default(), &harmed);
    assert_eq!(doc(&recovered.state)["match"]["score"], json!([0, 0]));
}

/// Every place in a document.
fn paths(value: &Value, path: String, all: &mut Vec<String>) {
    all.push(path.clone());
    match value {
        Value::Object(map) => {
            map.iter().for_each(|(key, value)| paths(value, format!("{path}/{key}"), all));
        }
        Value::Array(list) => {
            let numbered = list.iter().enumerate();
            numbered.for_each(|(i, value)| paths(value, format!("{path}/{i}"), all));
        }
        _ => {}
    }
}

#[test]
fn no_damage_makes_a_panic_and_what_is_recovered_is_whole() {
    let junk = [
        json!(null),
        json!(-1),
        json!(1e300),
        json!(255),
        json!("X"),
        json!([]),
        json!({}),
        json!(true),
        json!("ada"),
        json!([[7, 7]]),
        json!("swap2_extra"),
        json!({"x": 3, "y": 3}),
    ];
    let configs = [
        json!({"swap2Enabled": true, "rule": "standard"}),
        json!({"mode": "ranked", "rule": "renju"}),
        json!({"rule": "caro"}),
    ];
    let mut chance = Seeded::new("damage");
    let (mut refused, mut tried) = (0, 0);
    for i in 0..count(150, 3_000) {
        let mut draws = Draws::new(&mut chance);
        let config = configs[i as usize % 3].clone();
        let state = random_game(config, &i.to_string(), draws.below(40));
        let whole = doc(&state);
        let mut all = Vec::new();
        paths(&whole, String::new(), &mut all);
        // Points of the board are most of a document; one in ten is enough of them.
        all.retain(|path| !path.starts_with("/board/") || draws.below(10) == 0);
        for _ in 0..20 {
            let mut harmed = whole.clone();
            for _ in 0..1 + draws.below(2) {
                let path = &all[draws.below(all.len() as u32) as usize];
                let value = junk[draws.below(junk.len() as u32) as usize].clone();
                if let Some(place) = harmed.pointer_mut(path) {
                    *place = value;
                }
            }
            tried += 1;
            refused += u32::from(Match::load(&Config::default(), harmed.clone()).is_err());
            let recovered = recover(&Config::default(), &harmed);
            let again = doc(&recovered.state);
            assert_eq!(Match::load(&Config::default(), again).as_ref(), Ok(&recovered.state));
        }
    }
    println!("{tried} damaged documents, {refused} refused");
    assert!(refused * 10 > tried * 8, "{refused} of {tried}");
}

/// A game without an opening, seat 0 as black, by the moves of both.
fn played(
    config: Value,
    moves: &[(u8, u8)],
) -> parlor_rules::series::State<parlor_rules_gomoku::Gomoku> {
    let mut state = table(config);
    for (i, (x, y)) in moves.iter().enumerate() {
        let command = Command::Move { x: (*x).into(), y: (*y).into() };
        say(&mut state, Seat::new(i as u8 % 2), command).unwrap();
    }
    state
}

const ROW: [(u8, u8); 9] = [(3, 7), (0, 0), (4, 7), (2, 0), (5, 7), (4, 0), (6, 7), (6, 0), (7, 7)];

fn flipped(whole: &Value) -> Value {
    let mut harmed = whole.clone();
    harmed["currentTurn"] = json!(if whole["currentTurn"] == "X" { "O" } else { "X" });
    harmed
}

#[test]
fn a_finished_game_stays_finished_and_is_counted_once() {
    for config in [json!({"match": 2}), json!({}), json!({"match": 2, "first_opener": 0})] {
        let mut ends = vec![doc(&played(config.clone(), &ROW))];
        for end in [Command::Resign {}, Command::OfferDraw {}] {
            let mut state = played(config.clone(), &ROW[..4]);
            say(&mut state, Seat::new(1), end.clone()).unwrap();
            if end == (Command::OfferDraw {}) {
                say(&mut state, Seat::new(0), Command::AnswerDraw { accept: true }).unwrap();
            }
            ends.push(doc(&state));
        }
        let mut draws = Seeded::new("");
        for input in [
            parlor_rules::Input::Expire { seat: parlor_rules::Owner::Seat(Seat::new(0)) },
            parlor_rules::Input::House(parlor_rules::House::Left { seat: Seat::new(0) }),
            parlor_rules::Input::House(parlor_rules::House::Close {}),
        ] {
            let mut state = played(config.clone(), &ROW[..4]);
            Match::play(&mut state, &input, &mut Draws::new(&mut draws)).unwrap();
            ends.push(doc(&state));
        }
        for whole in ends {
            assert!(whole["reason"].is_string(), "{whole}");
            let recovered = recover(&Config::default(), &flipped(&whole));
            assert_eq!(doc(&recovered.state), whole, "{:?}", recovered.log);
            let log = recovered.log.join("\n");
            assert!(log.contains("was over, and stays so"), "{log}");
        }
    }
}

#[test]
fn the_last_game_of_a_series_and_one_that_somebody_left_stay_as_they_were() {
    let next = parlor_rules::Input::Expire { seat: parlor_rules::Owner::Table };
    let left = parlor_rules::Input::House(parlor_rules::House::Left { seat: Seat::new(0) });
    let mut chance = Seeded::new("");
    let mut state = played(json!({"match": 2}), &ROW);
    let mut gone = state.clone();
    Match::play(&mut gone, &left, &mut Draws::new(&mut chance)).unwrap();
    Match::play(&mut state, &next, &mut Draws::new(&mut chance)).unwrap();
    for (i, (x, y)) in ROW.into_iter().enumerate() {
        let command = Command::Move { x: x.into(), y: y.into() };
        say(&mut state, Seat::new((i as u8 + 1) % 2), command).unwrap();
    }
    for whole in [doc(&gone), doc(&state)] {
        let recovered = recover(&Config::default(), &flipped(&whole));
        assert_eq!(doc(&recovered.state), whole, "{:?}", recovered.log);
    }
    // Without its history nobody is given a game that the other has won.
    let mut harmed = flipped(&doc(&state));
    harmed["match"]["history"] = json!("gone");
    let recovered = doc(&recover(&Config::default(), &harmed).state);
    assert_eq!(
        (&recovered["winner"], &recovered["match"]["score"]),
        (&json!(null), &json!([0, 0]))
    );
}

#[test]
fn an_end_that_does_not_fit_is_taken_back_and_told() {
    for (config, history) in [(json!({"match": 2}), json!([])), (json!({}), json!([]))] {
        let mut harmed = doc(&played(config, &ROW));
        harmed["moves"][6] = json!(null);
        let recovered = recover(&Config::default(), &harmed);
        let after = doc(&recovered.state);
        assert_eq!(after["moves"].as_array().unwrap().len(), 6);
        assert_eq!((&after["match"]["history"], &after["reason"]), (&history, &json!(null)));
        assert_eq!(after["up"], 0);
        let log = recovered.log.join("\n");
        assert!(log.contains("it goes on, and counts for nobody"), "{log}");
    }
    // A stone that ends a game of which no end is told is left off, and that is told too.
    let mut harmed = doc(&played(json!({}), &ROW));
    for key in ["reason", "winner", "line", "swap2_history"] {
        harmed.as_object_mut().unwrap().remove(key);
    }
    harmed["match"]["history"] = json!([]);
    let log = recover(&Config::default(), &harmed).log.join("\n");
    assert!(log.contains("left to be laid again"), "{log}");
}

#[test]
fn stones_that_the_actions_leave_out_are_not_lost() {
    let cut = |actions: usize| {
        let mut doc = opening();
        doc["swap2State"]["actions"].as_array_mut().unwrap().truncate(actions);
        doc
    };
    // How many actions are left, how many stones are saved, and what is told.
    for (actions, saved, told) in [
        (0, 2, "they lay 0 of 4 stones"),
        (1, 2, "they lay 1 of 4 stones"),
        (2, 2, "they lay 2 of 4 stones"),
        (3, 3, "they lay 3 of 4 stones"),
    ] {
        let recovered = recover(&Config::default(), &cut(actions));
        let after = doc(&recovered.state);
        let stones = after["swap2State"]["tentativeStones"].as_array().unwrap().len();
        assert_eq!(stones, saved, "{actions}: {:?}", recovered.log);
        assert!(recovered.log.join("\n").contains(told), "{:?}", recovered.log);
    }
    // Who laid a stone follows from the opening; the order is the one that is told.
    let mut harmed = cut(0);
    for i in 0..2 {
        let stone = &mut harmed["swap2State"]["tentativeStones"][i];
        stone.as_object_mut().unwrap().remove("placedBy");
        stone["placementOrder"] = json!(2 - i);
    }
    let after = doc(&recover(&Config::default(), &harmed).state);
    let at = |i: usize| after["swap2State"]["tentativeStones"][i]["x"].clone();
    assert_eq!((at(0), at(1)), (json!(8), json!(7)));
}

#[test]
fn no_single_damage_beside_the_moves_reopens_a_finished_game_or_moves_the_score() {
    let configs = [
        json!({"mode": "ranked", "rule": "freestyle", "match": 3}),
        json!({"match": 2, "rule": "freestyle", "first_opener": 1}),
        json!({"swap2Enabled": true, "rule": "caro", "players": ["ada", "bob"]}),
    ];
    let harms = [
        ("/currentTurn", json!(null)),
        ("/up", json!(1)),
        ("/black", json!("?")),
        ("/board/3/3", json!("?")),
        ("/gamePhase", json!("swap2")),
        ("/winner", json!("?")),
        ("/winner", json!(0)),
        ("/winner", json!(1)),
        ("/winner", json!(null)),
        ("/line", json!(null)),
        ("/match/score", json!([7, 7])),
        ("/match/over", json!("?")),
        ("/swap2State/phase", json!("swap2_extra")),
        ("/swap2State/tentativeStones/1/x", json!(99)),
        ("/swap2_history", json!({})),
    ];
    let next = parlor_rules::Input::Expire { seat: parlor_rules::Owner::Table };
    let mut chance = Seeded::new("finished");
    let mut later = 0;
    for i in 0..count(60, 1_000) {
        let mut draws = Draws::new(&mut chance);
        let mut state = table(configs[i as usize % 3].clone());
        // Some games of the series are over before the one that is damaged, by resignation.
        for _ in 0..draws.below(3) {
            let seat = Seat::new(draws.below(2) as u8);
            say(&mut state, seat, Command::Resign {}).unwrap();
            if Match::outcome(&state).is_none() {
                Match::play(&mut state, &next, &mut draws).unwrap();
                later += 1;
            } else {
                break;
            }
        }
        for _ in 0..draws.below(30) {
            let Some(seat) = state.game().up() else { break };
            let command = Match::pick(&Match::legal(&state, seat), &mut draws).unwrap();
            say(&mut state, seat, command).unwrap();
        }
        if state.game().up().is_some() {
            say(&mut state, Seat::new(draws.below(2) as u8), Command::Resign {}).unwrap();
        }
        let whole = doc(&state);
        for (path, value) in &harms {
            let mut harmed = whole.clone();
            let Some(place) = harmed.pointer_mut(path) else { continue };
            *place = value.clone();
            let recovered = recover(&Config::default(), &harmed);
            assert_eq!(doc(&recovered.state), whole, "{path}: {:?}", recovered.log);
        }
    }
    assert!(later > 10, "{later} later games");
}
