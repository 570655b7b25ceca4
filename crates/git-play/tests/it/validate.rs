//! Files checked by themselves.

use crate::support::{Folder, NOON, game, open, repository, some_move};
use parlor_git_play::MoveFile;
use parlor_git_play::apply::files;
use parlor_git_play::validate::validate;
use serde_json::Value;
use std::collections::HashMap;

/// The files of a new table, and a move of it with its name.
fn new_files() -> (HashMap<String, String>, String, MoveFile) {
    let folder = Folder::new();
    let repo = repository(folder.path());
    open(&repo, None);
    let now = game(repo.dir());
    let file = some_move(&now, 0);
    let name = file.name(1).to_string();
    let mut all: HashMap<String, String> =
        files(&now).map(|(name, text)| (name.to_owned(), text)).into();
    all.insert(name.clone(), file.write());
    (all, name, file)
}

/// Every fault as `place: text`.
fn faults(files: &HashMap<String, String>, name: &str, text: &str) -> Vec<String> {
    let beside = |name: &str| files.get(name).cloned();
    let (faults, _) = validate(name, text.as_bytes().to_vec(), beside);
    faults.iter().map(|fault| format!("{}: {}", fault.path, fault.text)).collect()
}

#[test]
fn what_the_referee_writes_is_good_under_its_own_name() {
    let (files, name, _) = new_files();
    for name in ["state.json", "match.json", "legal.json", &name] {
        assert_eq!(faults(&files, name, &files[name]), Vec::<String>::new(), "{name}");
    }
}

#[test]
fn what_a_file_is_says_its_content() {
    let (files, name, file) = new_files();
    assert_eq!(faults(&files, "anything.txt", &files["state.json"]), Vec::<String>::new());
    assert_eq!(faults(&files, "anything.txt", &files["match.json"]), Vec::<String>::new());
    assert_eq!(faults(&files, "anything.txt", &files["legal.json"]), Vec::<String>::new());
    let lie = faults(&files, "state.json", &files["match.json"]);
    assert_eq!(lie, [": is a match, and its name is that of a state"]);
    let draft = faults(&files, "draft.json", &file.write());
    assert_eq!(draft.len(), 1);
    let due = format!("a move is NNNN-{}-{}.json", file.player, file.hash());
    assert!(draft[0].contains(&due), "{draft:?}");
    // The name counts where the content says nothing.
    assert!(faults(&files, "state.json", "{}").len() > 10);
    assert!(faults(&files, &name, "{}").len() > 4);
    for nothing in ["{}", "[]", "3", ""] {
        assert_eq!(faults(&files, "anything.txt", nothing).len(), 1, "{nothing}");
    }
}

#[test]
fn plays_are_compared_by_what_they_say() {
    let (files, _, _) = new_files();
    let legal: Value = serde_json::from_str(&files["legal.json"]).unwrap();
    let pretty = serde_json::to_string_pretty(&legal).unwrap();
    assert_eq!(faults(&files, "legal.json", &pretty), Vec::<String>::new());
    let mut other = legal.clone();
    other["expectedState"] = "0".repeat(16).into();
    other["more"] = 1.into();
    let found = faults(&files, "legal.json", &other.to_string());
    assert_eq!(
        found,
        ["expectedState: is not that of state.json", "more: is no field here"],
        "{found:?}"
    );
    let mut other = legal;
    other["plays"] = Value::Null;
    assert_eq!(faults(&files, "legal.json", &other.to_string()).len(), 1);
    let alone = faults(&HashMap::new(), "legal.json", &pretty);
    assert_eq!(alone, [": there is no state.json"]);
}

#[test]
fn every_fault_of_a_match_has_its_place() {
    let (files, _, _) = new_files();
    let mut value: Value = serde_json::from_str(&files["match.json"]).unwrap();
    value["fairness"] = Value::Null;
    assert_eq!(faults(&files, "match.json", &value.to_string()).len(), 1);
    value["game"] = 0.into();
    value["moves"] = serde_json::json!(["0001-white-abcdef.json", "nonsense"]);
    value["games"] = serde_json::json!([{"winner": "white", "points": 1, "result": "luck",
                                         "reason": "resigned"}]);
    let found = faults(&files, "match.json", &value.to_string());
    let places: Vec<&str> = found.iter().filter_map(|fault| fault.split(": ").next()).collect();
    assert_eq!(places, ["games.0.result", "fairness", "game", "moves.1"]);
}

#[test]
fn every_fault_of_a_move_has_its_place() {
    let (files, name, file) = new_files();
    let mut value: Value = serde_json::from_str(&file.write()).unwrap();
    value["player"] = "green".into();
    value["moves"][0]["die"] = 9.into();
    value["timestamp"] = "yesterday".into();
    value["comment"] = "x".repeat(281).into();
    let found = faults(&files, &name, &value.to_string());
    for place in ["player: ", "moves.0: ", "timestamp: ", "comment: "] {
        let there = found.iter().filter(|fault| fault.starts_with(place)).count();
        assert_eq!(there, 1, "{place} in {found:?}");
    }
    let late = MoveFile { timestamp: parlor_git_play::doc::stamp(NOON + 1_000), ..file };
    let found = faults(&files, &name, &late.write());
    assert!(found.len() == 1 && found[0].contains("lying_name"), "{found:?}");
    let large = format!("{}{}", " ".repeat(20_000), late.write());
    assert!(faults(&files, &name, &large)[0].contains("too_large"));
}
