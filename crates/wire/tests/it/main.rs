//! The types as other languages have them, and the golden sessions against them.

use parlor_wire::{Clock, Request, Say, Tell, schema, typescript};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A file of the pages that is written from the types.
fn is_current(name: &str, now: &str) {
    let path = root().join("docs").join(name);
    if std::env::var_os("PARLOR_BLESS").is_some() {
        std::fs::write(&path, now).expect("it is written");
    }
    let there = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(there == now, "docs/{name} is not what the types say: run make types");
}

#[test]
fn generated_types_are_current() {
    let schema = serde_json::to_string_pretty(&schema()).expect("JSON");
    is_current("protocol.schema.json", &format!("{schema}\n"));
    is_current("protocol.ts", &typescript());
}

#[test]
fn every_type_of_typescript_is_declared_once() {
    let text = typescript();
    assert!(!text.contains("undefined"));
    let declared: Vec<&str> = text
        .lines()
        .filter_map(|line| line.strip_prefix("export type ")?.split([' ', '=']).next())
        .collect();
    let names: BTreeSet<&str> = declared.iter().copied().collect();
    assert_eq!(names.len(), declared.len(), "{declared:?}");
    // What is named by a capital, and is no text or comment, is declared or TypeScript's own.
    let mut bare = String::new();
    for (at, part) in text.split('"').enumerate() {
        bare += if at % 2 == 0 { part } else { "" };
    }
    while let Some((before, behind)) = bare.split_once("/**") {
        bare = format!("{before}{}", behind.split_once("*/").expect("an end").1);
    }
    let bare: Vec<&str> = bare.lines().filter(|line| !line.starts_with("//")).collect();
    for word in bare.join(" ").split(|c: char| !c.is_ascii_alphanumeric() && c != '_') {
        let a_type = word.starts_with(|c: char| c.is_ascii_uppercase());
        let known = ["Array", "Record"].contains(&word) || names.contains(word);
        assert!(!a_type || known, "{word} is not declared");
    }
}

/// A move is read or refused as a whole, and its command is kept as the log writes it.
#[test]
fn a_move_is_read_strictly() {
    let ids = [r#""1""#, r#""""#, "7", "null", &format!("{:?}", "x".repeat(65)), r#""1","id":"1""#];
    let tables = [r#""t-1""#, r#""\u0074-1""#, "null", r#""t-1","table":"t-2""#];
    let asks =
        ["", r#","ask":7"#, r#","ask":null"#, r#","ask":-1"#, r#","ask":1.0"#, r#","ask":"7""#];
    let commands = [
        r#"{"type":"move","y":2,"x":1}"#,
        r#"{"type":"move","x":1,"y":0}"#,
        r#"{"accept":true,"type":"answer_draw"}"#,
        r#"{"type":"move","x":01,"y":0}"#,
        r#"{"type":"move","x":1234567890123456789012,"y":-0}"#,
        r#"{"type":"move","x":1.50,"y":1e2}"#,
        r#"{"type": "move"}"#,
        r#"{"a":{},"type":"move"}"#,
        r#"{"":1,"type":"m\/ve"}"#,
        r#"{}"#,
        r#" { "type" : "m\u00f6ve" } "#,
        r#"{"type":"move","type":"move"}"#,
        r#"{"a":[{"b":1,"b":2}]}"#,
        r#"[1e400]"#,
        "null",
        "{",
    ];
    let rest = ["", r#","link":"ab""#, r#","link":null"#, r#","more":1"#, r#","command":1"#];
    let mut read = 0;
    for (id, table) in ids.iter().flat_map(|id| tables.map(|table| (id, table))) {
        for (ask, command) in asks.iter().flat_map(|ask| commands.map(|command| (ask, command))) {
            for rest in rest {
                let said = |kind: &str| {
                    let play =
                        format!(r#""type":"{kind}","table":{table}{ask},"command":{command}"#);
                    let request = Request::read(&format!(r#"{{"id":{id},{play}{rest}}}"#));
                    request.map_err(|refusal| refusal.code)
                };
                let (plain, escaped) = (said("play"), said(r"pl\u0061y"));
                let debug = |said: &Result<Request, _>| format!("{said:?}");
                assert_eq!(debug(&plain), debug(&escaped));
                let Ok(request) = plain else { continue };
                let Say::Play { table, ask: asked, command: kept, link } = request.say else {
                    panic!("{:?} is no move", request.say)
                };
                let written: Value = serde_json::from_str(command).expect("it was read");
                assert_eq!(request.id, "1");
                assert_eq!(table, "t-1");
                assert_eq!(asked, ask.contains('7').then_some(7));
                assert_eq!(kept.get(), written.to_string());
                assert_eq!(link.as_deref(), rest.contains("ab").then_some("ab"));
                read += 1;
            }
        }
    }
    assert_eq!(read, 2 * 3 * 11 * 3);
    assert!(Request::read(r#"["1","play","t-1",7,{"type":"roll"}]"#).is_err());
}

fn validator(name: &str) -> jsonschema::Validator {
    let mut schema = schema();
    schema["anyOf"] = json!([{ "$ref": format!("#/$defs/{name}") }]);
    jsonschema::validator_for(&schema).expect("a schema")
}

#[test]
fn what_is_not_named_is_not_said() {
    let request = validator("Request");
    assert!(request.is_valid(&json!({"id":"1","type":"ping"})));
    for wrong in [
        json!({"type":"ping"}),
        json!({"id":"","type":"ping"}),
        json!({"id":"1","type":"ping","more":1}),
        json!({"id":"1","type":"fly"}),
        json!({"id":"1","type":"watch","table":5}),
        json!({"id":"1","type":"create","game":"poker","access":"secret"}),
    ] {
        assert!(!request.is_valid(&wrong), "{wrong}");
        assert!(parlor_wire::Request::read(&wrong.to_string()).is_err(), "{wrong}");
    }
}

/// Every line of every golden session fits the schema, and reads as it should.
#[test]
fn golden_sessions_fit_the_schema() {
    let (request, tell) = (validator("Request"), validator("Tell"));
    let (mut says, mut tolds) = (BTreeMap::new(), BTreeMap::new());
    for entry in std::fs::read_dir(root().join("conformance/protocol")).expect("the folder") {
        let path = entry.expect("an entry").path();
        if path.extension().is_none_or(|end| end != "jsonl") {
            continue;
        }
        let mut dialects = BTreeSet::new();
        let mut malformed = BTreeSet::new();
        for (number, text) in std::fs::read_to_string(&path).expect("a file").lines().enumerate() {
            let at = format!("{}:{}", path.display(), number + 1);
            let line: Value = serde_json::from_str(text).expect("a line");
            let who = line["who"].as_str().unwrap_or_default().to_owned();
            if let Some(to) = line["connects"].as_str() {
                if to == "/ws" {
                    dialects.remove(&who)
                } else {
                    dialects.insert(who.clone())
                };
            }
            if dialects.contains(&who) {
                continue;
            }
            if let Some(said) = line.get("says").or(line.get("posts")) {
                let fits = request.is_valid(said);
                assert_eq!(fits, parlor_wire::Request::read(&said.to_string()).is_ok(), "{at}");
                if !fits {
                    malformed.insert(who.clone());
                }
                *says.entry(said["type"].to_string()).or_insert(0) += 1;
            }
            if let Some(told) = line.get("told").or(line.get("answered")) {
                let wrong: Vec<String> =
                    tell.iter_errors(told).map(|error| error.to_string()).collect();
                assert!(wrong.is_empty(), "{at}: {wrong:?}");
                if malformed.remove(&who) {
                    assert_eq!(told["code"], "malformed", "{at}");
                }
                *tolds.entry(told["type"].to_string()).or_insert(0) += 1;
            }
        }
    }
    // Everything that can be said stands in some session.
    let all = |name: &str| -> BTreeSet<String> {
        let one_of = schema()["$defs"][name]["oneOf"].as_array().cloned().expect("a list");
        one_of.iter().map(|one| one["properties"]["type"]["const"].to_string()).collect()
    };
    let missing = |name: &str, seen: &BTreeMap<String, i32>| -> Vec<String> {
        all(name).into_iter().filter(|kind| !seen.contains_key(kind)).collect()
    };
    assert_eq!(missing("Request", &says), [] as [&str; 0], "no session has these");
    assert_eq!(missing("Tell", &tolds), [] as [&str; 0], "no session has these");
}

/// A refusal of a message tells its id once there is one, and never the id of another message.
#[test]
fn a_refusal_names_the_message_where_it_can() {
    for (text, id) in [
        ("{", None),
        ("[]", None),
        (r#"{"type":"ping"}"#, None),
        (r#"{"id":"","type":"ping"}"#, None),
        (r#"{"id":"1","id":"1","type":"ping"}"#, None),
        (r#"{"id":"1","type":"fly"}"#, Some("1")),
        (r#"{"id":"1","type":"ping","more":1}"#, Some("1")),
        (r#"{"id":"1","type":"play","table":"t-1"}"#, Some("1")),
    ] {
        let refusal = Request::read(text).expect_err(text);
        assert_eq!(refusal.code, "malformed", "{text}");
        assert_eq!(refusal.facts.get("id").and_then(Value::as_str), id, "{text}");
    }
}

/// The bytes of an update: its fields in this order, what is empty left out or null.
#[test]
fn an_update_is_written_in_a_fixed_order() {
    let some = |text: &str| Some(parlor_rules::json(&json!({ "said": text, "n": [1, 2] })));
    let clock = |seat, until_ms| Clock { seat, reserve_ms: 90_000, until_ms };
    let bits = |n: u32| move |bit: u32| n >> bit & 1 == 1;
    for has in (0..64).map(bits) {
        let or = |bit, yes: &str, no: &str| if has(bit) { yes } else { no }.to_owned();
        let update = Tell::Update {
            table: if has(0) { "t-1" } else { "a \"quoted\"\n\u{1}ü" }.into(),
            epoch: u32::MAX,
            seq: 0,
            sights: [some("a"), some("\"")].into_iter().flatten().filter(|_| has(1)).collect(),
            view: some("view").filter(|_| has(2)),
            legal: some("legal").filter(|_| has(3)),
            ask: has(4).then_some(u64::MAX),
            clocks: [clock(0, None), clock(255, Some(7))].into_iter().filter(|_| has(5)).collect(),
            until_ms: has(3).then_some(8),
            paused: has(4),
            root: has(5).then(|| "ab".repeat(32)),
            now_ms: 1_700_000_000_000,
        };
        let expected = [
            r#"{"type":"update","table":"#.to_owned(),
            or(0, r#""t-1""#, r#""a \"quoted\"\n\u0001ü""#),
            r#","epoch":4294967295,"seq":0"#.to_owned(),
            or(
                1,
                r#","sights":[{"n":[1,2],"said":"a"},{"n":[1,2],"said":"\""}]"#,
                r#","sights":[]"#,
            ),
            or(2, r#","view":{"n":[1,2],"said":"view"}"#, ""),
            or(3, r#","legal":{"n":[1,2],"said":"legal"}"#, r#","legal":null"#),
            or(4, r#","ask":18446744073709551615"#, r#","ask":null"#),
            or(
                5,
                concat!(
                    r#","clocks":[{"seat":0,"reserve_ms":90000,"until_ms":null},"#,
                    r#"{"seat":255,"reserve_ms":90000,"until_ms":7}]"#
                ),
                r#","clocks":[]"#,
            ),
            or(3, r#","until_ms":8"#, r#","until_ms":null"#),
            or(4, r#","paused":true"#, r#","paused":false"#),
            or(5, &format!(r#","root":"{}""#, "ab".repeat(32)), ""),
            r#","now_ms":1700000000000}"#.to_owned(),
        ];
        assert_eq!(update.bytes(), expected.concat().into_bytes());
    }
    assert_eq!(Tell::Done { id: "1".to_owned() }.bytes(), br#"{"type":"done","id":"1"}"#);
}
