//! Looking into a journal.

use crate::{complaint, parlor, run, stdout};
use serde_json::Value;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

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
    assert!(audited.contains(", 0 unchecked, digest "), "{audited}");

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
    let said = stdout(&run(&["import", &file, "--journal", &journal]));
    assert_eq!(said, "0 tables, 0 entries\n", "what is there already is not taken in twice");
    run(&["play", "backgammon", "--journal", &other, "--table", "monday"]);
    std::fs::write(&file, run(&["export", "monday", "--journal", &other]).stdout).unwrap();
    run(&["play", "backgammon", "--journal", &journal, "--table", "monday"]);
    assert!(complaint(&["import", &file, "--journal", &journal]).contains("and it is another"));
}

/// Plays a game to its end at the table `short`.
fn finish_a_game(journal: &str) {
    let args = ["play", "backgammon", "--journal", journal, "--table", "short"];
    let mut play = parlor(&args).stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
    // Resigning a backgammon ends a single game as soon as the house has accepted.
    let mut lines = play.stdin.take().unwrap();
    lines.write_all("resign 3\n".repeat(20).as_bytes()).unwrap();
    drop(lines);
    assert!(play.wait().unwrap().success());
}

#[test]
fn a_finished_game_is_proved_by_another_program() {
    let folder = Folder::with_a_game("proved");
    let journal = folder.file("house.db");
    finish_a_game(&journal);
    let proof = stdout(&run(&["proof", "short", "--journal", &journal]));
    assert!(proof.starts_with("{\"dice\":{\"table\":\"short\""), "{proof}");
    let file = folder.file("proof.json");
    std::fs::write(&file, &proof).unwrap();
    let checker = concat!(env!("CARGO_MANIFEST_DIR"), "/../../conformance/fairness/check.py");
    let checked = || Command::new("python3").args([checker, &file]).output().unwrap();
    assert_eq!(stdout(&checked()), "fair\n");
    let value = proof.find("\"value\":").unwrap() + "\"value\":".len();
    let other = (proof.as_bytes()[value] - b'0' + 1) % 6;
    let forged = format!("{}{other}{}", &proof[..value], &proof[value + 1..]);
    std::fs::write(&file, forged).unwrap();
    assert_eq!(stdout(&checked()), "unfair: draw 0 had to be another number\n");
    let begun = stdout(&run(&["proof", "friday", "--journal", &journal]));
    assert!(begun.starts_with("{\"chain\":"), "the dice are proved at the end: {begun}");
}

#[test]
fn what_is_published_can_be_checked_and_not_played() {
    let folder = Folder::with_a_game("public");
    let (journal, file, other) =
        (folder.file("house.db"), folder.file("public.jsonl"), folder.file("other.db"));
    finish_a_game(&journal);
    let playing = complaint(&["export", "friday", "--public", "--journal", &journal]);
    assert!(playing.contains("it can be published when it is over"), "{playing}");
    std::fs::write(&file, run(&["export", "--public", "--journal", &journal]).stdout).unwrap();
    let audited = stdout(&run(&["audit", &file]));
    assert_eq!(audited, stdout(&run(&["audit", "short", "--journal", &journal])));
    assert!(audited.contains(", 0 unchecked, "), "nothing of backgammon is hidden: {audited}");
    assert!(run(&["import", &file, "--journal", &other]).status.success());
    let args = ["play", "backgammon", "--journal", &other, "--table", "short"];
    assert!(complaint(&args).contains("it can be checked, not played"));
}

#[test]
fn a_reader_that_goes_away_is_not_complained_about() {
    let folder = Folder::with_a_game("pipe");
    let journal = folder.file("house.db");
    let mut export =
        parlor(&["export", "--journal", &journal]).stdout(Stdio::piped()).spawn().unwrap();
    drop(export.stdout.take());
    assert!(export.wait().unwrap().success());
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
    let (empty, dir) = (folder.file("empty"), folder.file("dir"));
    std::fs::write(&empty, "").unwrap();
    std::fs::create_dir(&dir).unwrap();
    let cases: [(&[&str], &str); 10] = [
        (&["tables", "--journal", &missing], "there is no such file"),
        (&["audit", &empty], "there is no table in "),
        (&["audit", &dir], "is no file"),
        (&["import", "/dev/stdin", "--journal", &journal], "no file that can be read twice"),
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
