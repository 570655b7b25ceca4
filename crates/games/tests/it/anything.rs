//! Whatever comes in, nothing panics and the laws hold. The fuzz targets in `fuzz/` call the same
//! functions, with bytes that are sought out.

use crate::configs::configs;
use parlor_games::{DIALECTS, find};
use parlor_rules::{Chips, json};
use parlor_rules_backgammon::{mat, match_id, xgid};
use parlor_rules_gomoku::{psq, sgf};
use parlor_testkit::bytes::obeys;
use parlor_wire::Request;
use parlor_wire::dialect::Stand;
use serde_json::{Map, Value};

/// Options of poker beside the usual ones.
const POKER: &[&str] = &[
    "{}",
    r#"{"variants":["PO"],"straddles":[4],"bomb_every":3,"bomb_ante":5,"runs":2,"rabbit":true}"#,
    r#"{"variants":["NT","F7S"],"variant_lasts":"hand","stud_ante":0.1,"min_buy_in":2}"#,
    r#"{"variants":["FO/8"],"rake":{"per_10_000":500,"cap":3},"sit_out_after":1,"ante":0.25}"#,
    r#"{"variants":["F2L3D"],"on_timeout":"auto","chip":1}"#,
];

/// A game as bytes play it; how many inputs were accepted.
pub(crate) fn decide(key: &str, bytes: &[u8]) -> u32 {
    let game = find(key).expect("a game of the house");
    let usual: Vec<&str> = configs(key).iter().map(|(config, _)| *config).collect();
    let configs = if key == "poker" { POKER } else { &usual };
    obeys(game, configs, bytes).unwrap_or_else(|broken| panic!("{key}: {broken}"))
}

/// What a client says, a message a line, in the words of the protocol and of every dialect; whether
/// there is a message of the protocol among it.
pub(crate) fn wire(bytes: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(bytes) else { return false };
    let mut translators: Vec<_> = DIALECTS.sockets.iter().map(|s| (s.open)("fuzz")).collect();
    let mut read = false;
    for line in text.lines() {
        for translator in &mut translators {
            translator.hear(line);
        }
        match Request::read(line) {
            Ok(Request { id, .. }) => {
                assert!((1..=64).contains(&id.len()), "{id:?}");
                read = true;
            }
            Err(refusal) => {
                assert!(!refusal.code.is_empty() && !refusal.text.is_empty(), "{refusal:?}");
            }
        }
    }
    read
}

/// A document as a table has it (`server`), and as somebody sends it back (`incoming`).
pub(crate) fn documents(bytes: &[u8]) -> bool {
    let Ok(Value::Object(mut both)) = serde_json::from_slice(bytes) else { return false };
    let (server, incoming) = (both.remove("server"), both.remove("incoming"));
    let (server, incoming) = (server.unwrap_or_default(), incoming.unwrap_or_default());
    let mut read = false;
    for document in DIALECTS.documents {
        let stand = Stand {
            table: "t-1".to_owned(),
            config: json(&Map::new()),
            doc: json(&server),
            names: vec![Some("A".to_owned()), Some("B".to_owned())],
            who: "A".to_owned(),
        };
        read |= (document.view)(&stand).is_ok();
        read |= (document.merge)(&stand, &json(&incoming), Chips::whole(1_000)).is_ok();
    }
    read | hand(server) | hand(incoming)
}

fn hand(value: Value) -> bool {
    use parlor_phh::document::{Document, auto, next, view};
    let Ok(hand) = Document::read(value) else { return false };
    // All of these may refuse.
    drop((view(&hand, "A"), auto(&hand), next(&hand, Some("fuzz"))));
    true
}

/// A record of a game in any of the formats that are read; whether it is one.
pub(crate) fn records(bytes: &[u8]) -> bool {
    let Ok(text) = parlor_phh::text_of(bytes) else { return false };
    let mut read = false;
    for hand in parlor_phh::hands(text).into_iter().flatten().flatten() {
        // A hand that does not add up says so.
        drop((hand.check(), parlor_phh::stars::write(&hand, None)));
        read = true;
    }
    for told in parlor_phh::stars::read(text).into_iter().flatten().flatten() {
        drop(told.check());
        read = true;
    }
    read | mat::read(text).is_ok()
        | match_id::read(text).is_ok()
        | xgid::read(text).is_ok()
        | sgf::read(text).is_ok()
        | psq::read(text).is_ok()
}

/// Takes bytes; whether it understood them.
pub(crate) type Target = fn(&[u8]) -> bool;

/// All targets, by the names they have in `fuzz/`.
pub(crate) const TARGETS: &[(&str, Target)] = &[
    ("backgammon", |bytes| decide("backgammon", bytes) > 0),
    ("battle", |bytes| decide("battle", bytes) > 0),
    ("gomoku", |bytes| decide("gomoku", bytes) > 0),
    ("poker", |bytes| decide("poker", bytes) > 0),
    ("wire", wire),
    ("documents", documents),
    ("records", records),
];
