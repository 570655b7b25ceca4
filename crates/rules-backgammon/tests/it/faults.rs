//! A document reports all its faults: no fault hides another.

use parlor_rules::{Rules, Series};
use parlor_rules_backgammon::Backgammon;
use serde_json::{Value, json};
use std::collections::BTreeSet;

fn points() -> Value {
    json!([
        [2, 0],
        [0, 0],
        [0, 0],
        [0, 0],
        [0, 0],
        [0, 5],
        [0, 0],
        [0, 3],
        [0, 0],
        [0, 0],
        [0, 0],
        [5, 0],
        [0, 5],
        [0, 0],
        [0, 0],
        [0, 0],
        [3, 0],
        [0, 0],
        [5, 0],
        [0, 0],
        [0, 0],
        [0, 0],
        [0, 0],
        [0, 2]
    ])
}

/// In a match, seat 0 has played a 3 of 31.
fn moving() -> Value {
    let mut document = json!({
        "up": 0, "status": "pending", "stakes": 2, "holdsCube": 1, "dice": [1], "rolled": true,
        "points": points(), "bar": [0, 0], "off": [0, 0],
        "played": [{ "from": 0, "to": 3, "die": 3, "hit": false }], "resignation": null,
        "match": {
            "config": { "match": 5 }, "score": [2, 1], "thrown": [3, 1], "over": false,
            "winner": null, "begun": true, "crawford": false, "beavered": false, "ended": null,
            "history": [
                { "winner": 0, "points": 2, "decides": false },
                { "winner": 1, "points": 1, "decides": false }
            ]
        }
    });
    document["points"][0] = json!([1, 0]);
    document["points"][3] = json!([1, 0]);
    document
}

/// Seat 0 has doubled.
fn doubled() -> Value {
    let mut document = moving();
    document["points"] = points();
    let changes = json!({
        "up": 1, "status": "double-proposed", "stakes": 1, "holdsCube": -1, "dice": [],
        "rolled": false, "played": []
    });
    document.as_object_mut().unwrap().extend(changes.as_object().unwrap().clone());
    document["match"]["thrown"] = Value::Null;
    document
}

/// Seat 0 has borne off all men and won a gammon.
fn finished() -> Value {
    let mut document = doubled();
    for point in document["points"].as_array_mut().unwrap() {
        *point = json!([0, 0]);
    }
    document["points"][5] = json!([0, 15]);
    document["match"]["score"] = json!([2, 1]);
    let changes =
        json!({ "up": 0, "status": "finished", "off": [15, 0], "winner": 0, "payout": 2 });
    document.as_object_mut().unwrap().extend(changes.as_object().unwrap().clone());
    let history = &mut document["match"]["history"];
    *history = json!([history[1], history[0]]);
    document["match"]["ended"] = json!("borne-off");
    document
}

/// Changes or adds fields, named by pointers.
fn changed(document: &Value, changes: &[(&str, Value)]) -> Value {
    let mut document = document.clone();
    for (pointer, value) in changes {
        let (parent, key) = pointer.rsplit_once('/').unwrap();
        match document.pointer_mut(parent).unwrap() {
            Value::Array(list) => list[key.parse::<usize>().unwrap()] = value.clone(),
            object => object[key] = value.clone(),
        }
    }
    document
}

fn reported(document: &Value) -> BTreeSet<String> {
    match Series::<Backgammon>::load(&Default::default(), document.clone()) {
        Ok(_) => BTreeSet::new(),
        Err(faults) => faults.iter().map(|fault| fault.path.clone()).collect(),
    }
}

/// Every fault alone is reported where it is, and so are both of any two that have nothing to do
/// with each other: that change different fields and are not named as dependent.
fn check(
    document: &Value,
    faults: &[(Vec<(&'static str, Value)>, &str)],
    dependent: &[(&str, &str)],
) {
    assert_eq!(reported(document), BTreeSet::new(), "{document}");
    for (changes, path) in faults {
        let found = reported(&changed(document, changes));
        assert_eq!(found, BTreeSet::from([(*path).to_owned()]), "{changes:?}");
    }
    let mut pairs = 0;
    for (i, (first, at)) in faults.iter().enumerate() {
        for (second, beside) in &faults[..i] {
            let same = first.iter().any(|(a, _)| second.iter().any(|(b, _)| a == b));
            let depends = |a: &str, b: &str| dependent.contains(&(a, b));
            if same || depends(at, beside) || depends(beside, at) {
                continue;
            }
            let found = reported(&changed(&changed(document, first), second));
            let both = found.contains(*at) && found.contains(*beside);
            assert!(both, "{first:?} and {second:?}: {found:?}");
            pairs += 1;
        }
    }
    assert!(pairs > faults.len() * faults.len() / 4, "only {pairs} pairs");
}

#[test]
fn no_fault_of_a_turn_hides_another() {
    let faults = [
        (vec![("/up", json!(2))], "up"),
        (vec![("/status", json!("x"))], "status"),
        (vec![("/stakes", json!(3))], "stakes"),
        (vec![("/holdsCube", json!(2))], "holdsCube"),
        (vec![("/dice", json!([7]))], "dice"),
        (vec![("/dice", json!("x"))], "dice"),
        (vec![("/rolled", json!(0))], "rolled"),
        (vec![("/points/23", json!([0, 3]))], "points"),
        (vec![("/bar", json!([0]))], "bar"),
        (vec![("/off", json!(null))], "off"),
        (vec![("/played/0/from", json!(1))], "played.0"),
        (vec![("/played/0/hit", json!(0))], "played.0.hit"),
        (vec![("/resignation", json!(0))], "resignation"),
        (vec![("/resignation", json!({ "seat": 2, "value": 1 }))], "resignation.seat"),
        (vec![("/resignation", json!({ "seat": 1, "value": 4 }))], "resignation.value"),
        (vec![("/turn", json!(7))], "turn"),
        (vec![("/match/begun", json!(false))], "match.begun"),
        (vec![("/match/crawford", json!("x"))], "match.crawford"),
        (vec![("/match/beavered", json!(true))], "match.beavered"),
        (vec![("/match/thrown", json!([6, 5]))], "match.thrown"),
        (vec![("/match/ended", json!("x"))], "match.ended"),
        (vec![("/match/config/jacoby", json!(true))], "match.config"),
        (vec![("/match/config/cube", json!(1))], "match.config.cube"),
        (vec![("/match/score", json!([2, 2]))], "match.history"),
        (vec![("/match/score", json!([2]))], "match.score"),
        (
            vec![("/match/score", json!([5, 1])), ("/match/history/0/points", json!(5))],
            "match.score",
        ),
        (vec![("/match/over", json!(true))], "match.over"),
        (vec![("/match/winner", json!(0))], "match.winner"),
        (vec![("/match/x", json!(0))], "match.x"),
    ];
    // A step cannot be held against a turn, a board or dice that are not known, and whether the
    // match is over not against a game whose status is not.
    let steps = ["up", "dice", "rolled", "points", "bar", "off", "played.0.hit"];
    let dependent: Vec<_> = steps
        .map(|known| ("played.0", known))
        .into_iter()
        .chain(["dice", "rolled", "played.0.hit"].map(|known| ("match.thrown", known)))
        .chain(["rolled", "played.0.hit"].map(|known| ("dice", known)))
        .chain(["match.over", "match.winner", "match.score"].map(|of| (of, "status")))
        .chain([("match.score", "match.config.cube"), ("played.0", "played.0.hit")])
        .chain([("match.thrown", "match.ended"), ("points", "bar"), ("points", "off")])
        .collect();
    check(&moving(), &faults, &dependent);
}

#[test]
fn no_fault_of_an_open_double_hides_another() {
    let faults = [
        (vec![("/up", json!(2))], "up"),
        (vec![("/stakes", json!(3))], "stakes"),
        (vec![("/holdsCube", json!(1))], "holdsCube"),
        (vec![("/dice", json!([3]))], "dice"),
        (vec![("/played", json!([{ "from": 0, "to": 3, "die": 3, "hit": false }]))], "played"),
        (vec![("/resignation", json!({ "seat": 1, "value": 1 }))], "resignation"),
        (vec![("/winner", json!(0))], "winner"),
        (vec![("/match/config/cube", json!(false))], "status"),
        (vec![("/match/begun", json!(false))], "match.begun"),
        (vec![("/match/thrown", json!([3, 1]))], "match.thrown"),
        (vec![("/match/ended", json!("left"))], "match.ended"),
    ];
    check(&doubled(), &faults, &[("holdsCube", "up"), ("stakes", "up")]);
}

#[test]
fn no_fault_of_a_finished_game_hides_another() {
    let faults = [
        (vec![("/up", json!("x"))], "up"),
        (vec![("/winner", json!(3))], "winner"),
        (vec![("/payout", json!("x"))], "payout"),
        (vec![("/stakes", json!(3))], "stakes"),
        (vec![("/holdsCube", json!(5))], "holdsCube"),
        (vec![("/resignation", json!({ "seat": 1, "value": 1 }))], "resignation"),
        (vec![("/dice", json!([3]))], "dice"),
        (vec![("/match/config/beavers", json!(true))], "match.config"),
        (vec![("/match/over", json!(true)), ("/match/winner", json!(7))], "match.winner"),
        (vec![("/match/history/0/decides", json!(true))], "match.history"),
        (vec![("/match/begun", json!(false))], "match.begun"),
    ];
    let unknown = ["winner", "payout"].map(|known| ("match.winner", known));
    let dependent: Vec<_> = unknown
        .into_iter()
        .chain(["winner", "payout"].map(|known| ("match.history", known)))
        .chain(["stakes", "holdsCube"].map(|known| ("payout", known)))
        .collect();
    check(&finished(), &faults, &dependent);
}
