use crate::{complaint, parlor, run, stdout};
use parlor_rules_backgammon::board::{Board, Side};
use parlor_rules_backgammon::position_id;
use serde_json::Value;
use std::collections::BTreeSet;
use std::io::Write;
use std::process::Stdio;

#[test]
fn perft_prints_a_line_a_depth() {
    let output = run(&["perft", "backgammon", "--depth", "2"]);
    let wanted = "depth 1 positions 447 weighted 637\ndepth 2 positions 202782 weighted 419783\n";
    assert_eq!(stdout(&output), wanted);
}

#[test]
fn perft_starts_from_any_position() {
    // Each side has one man left, and one man has one way to go, whatever the roll.
    let args = ["perft", "backgammon", "--position", "AQAAgAAAAAAAAA", "--depth", "1"];
    let count: u64 = stdout(&run(&args)).split(' ').nth(3).unwrap().parse().unwrap();
    assert_eq!(count, 21);
}

#[test]
fn legal_prints_every_final_position_once() {
    let counts = [("11", 42), ("31", 16), ("55", 4), ("66", 11), ("65", 7), ("42", 18)];
    for (dice, count) in counts {
        let text = stdout(&run(&["legal", "backgammon", "--dice", dice]));
        let ids: BTreeSet<&str> =
            text.lines().map(|line| line.split('\t').next().unwrap()).collect();
        assert_eq!((ids.len(), text.lines().count()), (count, count), "{dice}");
        assert!(ids.iter().all(|id| id.len() == 14), "{text}");
    }
    let text = stdout(&run(&["legal", "backgammon", "--dice", "31"]));
    let mut own = Board::OPENING.places(Side::Own);
    (own[8], own[6], own[5]) = (2, 4, 2);
    let made = Board::new(own, Board::OPENING.places(Side::Other)).unwrap();
    let line = format!("{}\t8/5 6/5", position_id::encode(&made));
    assert!(text.lines().any(|printed| printed == line), "{line} is not in\n{text}");
}

#[test]
fn a_dance_is_one_line_with_the_position_as_it_was() {
    // The roller is on the bar against a closed board.
    let (mut own, mut other) = ([0; 26], [0; 26]);
    (own[25], own[1]) = (1, 14);
    other[1..=6].fill(2);
    other[13] = 3;
    let id = position_id::encode(&Board::new(own, other).unwrap());
    let text = stdout(&run(&["legal", "backgammon", "--position", &id, "--dice", "66"]));
    assert_eq!(text, format!("{id}\tCannot Move\n"));
}

#[test]
fn help_says_what_parlor_is() {
    assert!(stdout(&run(&["--help"])).starts_with("Parlor: table games"));
}

#[test]
fn every_wrong_argument_gets_a_sentence() {
    let cases: [(&[&str], &str); 8] = [
        (&["referee", "chess"], "there is no game \"chess\"; there is backgammon"),
        (&["perft", "backgammon", "--depth", "0"], "--depth is 1 to"),
        (&["perft", "backgammon", "--depth", "99"], "--depth is 1 to"),
        (&["perft", "backgammon", "--depth", "1", "--position", "rubbish"], "--position"),
        (&["legal", "backgammon", "--dice", "7x"], "--dice is two digits"),
        (&["legal", "backgammon", "--dice", "311"], "--dice is two digits"),
        (&["play", "backgammon", "--config", "{"], "--config"),
        (&["play", "backgammon", "--config", r#"{"stakes":2}"#], "stakes: is no field here"),
    ];
    for (args, sentence) in cases {
        let text = complaint(args);
        assert!(text.contains(sentence), "{args:?}: {text}");
    }
}

#[test]
fn the_referee_answers_every_line_and_goes_on_after_rubbish() {
    let mut child = parlor(&["referee", "backgammon"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the binary runs");
    let long = format!("{{\"tape\":[{}]}}", "1,".repeat(1 << 20));
    let lines: [&[u8]; 9] = [
        b"{\"open\":{\"seed\":\"x\"}}",
        b"rubbish",
        b"",
        b"\xff\xfe{",
        b"{\"open\":{\"seed\":\"\xff\"}}",
        long.as_bytes(),
        b"{\"tape\":[2,4],\"at\":5}",
        b"{\"outcome\":{}}",
        b"{\"state\":{}}",
    ];
    let mut input = child.stdin.take().expect("piped");
    for line in lines {
        input.write_all(line).unwrap();
        input.write_all(b"\n").unwrap();
    }
    drop(input);
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    let answers: Vec<Value> =
        stdout(&output).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let keys: Vec<&str> =
        answers.iter().map(|a| a.as_object().unwrap().keys().next().unwrap().as_str()).collect();
    assert_eq!(
        keys,
        ["opened", "error", "error", "error", "error", "error", "taped", "outcome", "state"]
    );
    for answer in &answers[1..6] {
        assert_eq!(answer["error"]["code"], "malformed", "{answer}");
    }
}
