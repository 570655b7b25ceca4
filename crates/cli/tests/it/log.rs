//! Looking into a journal.

use crate::{complaint, run, stdout};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// A folder that goes with the test.
struct Folder(PathBuf);

impl Folder {
    /// With a journal in which a game of backgammon has begun.
    fn with_a_game(name: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("parlor-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let folder = Self(folder);
        let journal = folder.file("house.db");
        run(&["play", "backgammon", "--seed", "s", "--journal", &journal, "--table", "friday"]);
        folder
    }

    fn file(&self, name: &str) -> String {
        self.0.join(name).to_str().unwrap().to_owned()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        std::fs::remove_dir_all(&self.0).ok();
    }
}

#[test]
fn a_game_is_listed_replayed_and_audited() {
    let folder = Folder::with_a_game("listed");
    let journal = folder.file("house.db");
    let listed = stdout(&run(&["tables", "--journal", &journal]));
    assert!(listed.starts_with("friday\tbackgammon\t"), "{listed}");
    let audited = stdout(&run(&["audit", "friday", "--journal", &journal]));
    assert!(audited.ends_with(", 0 unchecked\n"), "{audited}");

    let lines = stdout(&run(&["replay", "friday", "--journal", &journal]));
    let lines: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let (state, entries) = lines.split_last().unwrap();
    assert_eq!(state["state"]["status"], "pending");
    let numbers: Vec<u64> = entries.iter().map(|entry| entry["seq"].as_u64().unwrap()).collect();
    assert_eq!(numbers, (0..entries.len() as u64).collect::<Vec<_>>());

    let args = ["replay", "friday", "--at", "2", "--view", "1", "--journal", &journal];
    let seen = stdout(&run(&args));
    assert!(seen.lines().last().unwrap().starts_with("{\"view\":{\"up\":"), "{seen}");
}

#[test]
fn a_table_moves_to_another_journal_and_goes_on_there() {
    let folder = Folder::with_a_game("moves");
    let (journal, other, file) =
        (folder.file("house.db"), folder.file("other.db"), folder.file("tables.jsonl"));
    std::fs::write(&file, run(&["export", "--journal", &journal]).stdout).unwrap();
    let said = stdout(&run(&["import", &file, "--journal", &other]));
    assert!(said.starts_with("1 tables, "), "{said}");
    let replay = |journal: &str| stdout(&run(&["replay", "friday", "--journal", journal]));
    assert_eq!(replay(&journal), replay(&other));
    let played = run(&["play", "backgammon", "--journal", &other, "--table", "friday"]);
    assert!(played.status.success());
    assert!(complaint(&["import", &file, "--journal", &other]).contains("is there already"));
}

#[test]
fn a_forged_file_is_found_out() {
    let folder = Folder::with_a_game("forged");
    let (journal, file) = (folder.file("house.db"), folder.file("tables.jsonl"));
    let text = stdout(&run(&["export", "friday", "--journal", &journal]));
    std::fs::write(&file, &text).unwrap();
    assert!(run(&["audit", &file]).status.success());
    std::fs::write(&file, text.replacen("opening-rolled", "opening-rolleD", 1)).unwrap();
    assert!(complaint(&["audit", &file]).contains("does not follow from the log"));
    let other = folder.file("other.db");
    assert!(complaint(&["import", &file, "--journal", &other]).contains("line "));
    assert_eq!(stdout(&run(&["tables", "--journal", &other])), "");
}

#[test]
fn every_wrong_question_gets_a_sentence() {
    let folder = Folder::with_a_game("wrong");
    let journal = folder.file("house.db");
    let missing = folder.file("missing.db");
    let cases: [(&[&str], &str); 7] = [
        (&["tables", "--journal", &missing], "there is no journal"),
        (&["replay", "monday", "--journal", &journal], "there is no table monday"),
        (&["replay", "friday", "--at", "99", "--journal", &journal], "entries, from 0"),
        (&["replay", "friday", "--view", "7", "--journal", &journal], "has seats 0 to 1"),
        (&["replay", "../etc", "--journal", &journal], "lower-case letters"),
        (&["audit", "Nobody!", "--journal", &journal], "is no file"),
        (&["import", &missing, "--journal", &journal], "missing.db"),
    ];
    for (args, sentence) in cases {
        let text = complaint(args);
        assert!(text.contains(sentence), "{args:?}: {text}");
    }
    assert!(!Path::new(&missing).exists(), "looking makes no journal");
}
