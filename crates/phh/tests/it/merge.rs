//! What is not the author's to change changes nothing.

use parlor_phh::{Document, document};
use parlor_rules::{Draws, Seeded};
use parlor_testkit::count;
use serde_json::{Value, json};

fn server() -> Value {
    json!({
        "hand": 3, "players": ["A", "B", "C", "D"], "seatCount": 6, "seats": [1, 2, 4, 6],
        "startingStacks": [50, 100, 75.25, 20], "blindsOrStraddles": [0, 1, 2, 0],
        "antes": [0, 0, 0, 0], "venue": "club", "_note": {"kept": [1, 2]},
        "actions": ["d dh p1 2h2d", "d dh p2 3s3d", "d dh p3 4c4d", "d dh p4 5c5d", "p4 f"],
        "_inactive": [0, 0, 0, 0], "_intents": [0, 0, 0, 0], "_deadBlinds": [0, 0, 0, 0]
    })
}

/// Something a field may hold instead.
fn rubbish(draws: &mut Draws<'_>) -> Value {
    match draws.below(9) {
        0 => Value::Null,
        1 => json!(draws.below(1_000)),
        2 => json!(-1),
        3 => json!("A"),
        4 => json!([]),
        5 => json!([draws.below(4), draws.below(4), draws.below(4), draws.below(4)]),
        6 => json!({ "a": 1 }),
        7 => json!([["x"], null, 1e300, "p1 f"]),
        _ => json!(0.1),
    }
}

#[test]
fn whatever_else_is_changed_the_server_s_hand_stands() {
    let mut chance = Seeded::new("merge");
    let mut draws = Draws::new(&mut chance);
    let hand = Document::read(server()).expect("a right document");
    let unchanged = serde_json::to_string(&hand).expect("JSON");
    for _ in 0..count(5_000, 200_000) {
        let mut incoming = server();
        let fields = incoming.as_object_mut().expect("an object");
        // Everything of everyone else's: whole fields, single entries, new fields.
        for _ in 0..1 + draws.below(4) {
            let keys: Vec<String> = fields.keys().cloned().collect();
            let key = keys[draws.below(keys.len() as u32) as usize].clone();
            match draws.below(4) {
                0 => drop(fields.insert(format!("extra{}", draws.below(9)), rubbish(&mut draws))),
                1 if !["players", "actions", "_intents", "hand"].contains(&key.as_str()) => {
                    fields.insert(key, rubbish(&mut draws));
                }
                _ => {
                    let list = fields[&key].as_array_mut().filter(|list| list.len() == 4);
                    // The first entry is the author's own.
                    if let Some(list) = list {
                        let i = 1 + draws.below(3) as usize;
                        let name = key == "players";
                        list[i] = rubbish(&mut draws);
                        if name && list[i] == "A" {
                            list[i] = Value::Null;
                        }
                    }
                }
            }
        }
        match document::merge(&hand, &incoming, "A", None) {
            Ok(merged) => {
                let merged = serde_json::to_string(&merged).expect("JSON");
                assert_eq!(merged, unchanged, "{incoming}");
            }
            Err(refusal) => panic!("{refusal} {incoming}"),
        }
    }
}
