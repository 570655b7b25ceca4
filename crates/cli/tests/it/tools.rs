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
        (&["referee", "chess"], "there is no game \"chess\"; there is backgammon, battle, gomoku"),
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

#[test]
fn a_list_of_points_is_judged_by_every_rule() {
    let judged = |rule: &str, moves: &str| {
        stdout(&run(&["gomoku", "judge", "--rule", rule, moves])).trim_end().to_owned()
    };
    assert_eq!(judged("standard", ""), "open");
    assert_eq!(judged("standard", "h8 i9 h9"), "open");
    let five = "h8 a1 h9 a2 h10 a3 h11 b4 h12";
    assert_eq!(judged("standard", five), "black wins h8 h9 h10 h11 h12");
    assert_eq!(judged("caro", five), "black wins h8 h9 h10 h11 h12");
    // Blocked at both ends, which matters in caro alone.
    let blocked = "h8 h7 h9 h13 h10 a3 h11 b4 h12";
    assert_eq!(judged("freestyle", blocked), "black wins h8 h9 h10 h11 h12");
    assert_eq!(judged("caro", blocked), "open");
    assert_eq!(judged("caro_overline", blocked), "open");
    // Six in a row, white's: the stone in the middle comes last.
    let six = "o1 a1 o3 b2 o5 c3 o7 e5 o9 f6 o11 d4";
    assert_eq!(judged("freestyle", six), "white wins a1 b2 c3 d4 e5 f6");
    assert_eq!(judged("renju", six), "white wins a1 b2 c3 d4 e5 f6");
    assert_eq!(judged("caro_overline", six), "white wins a1 b2 c3 d4 e5 f6");
    assert_eq!(judged("standard", six), "open");
    assert_eq!(judged("caro", six), "open");

    let cases = [
        ("standard", "h8 h8", "move 2 (h8): a stone lies on h8 already"),
        ("standard", "h8 h8 z1", "move 2 (h8): a stone lies on h8 already"),
        ("standard", "h8 z1", "move 2: \"z1\" is no point"),
        ("standard", "h8 a1 h9 a2 h10 a3 h11 b4 h12 i1", "move 10 (i1): the game was over before"),
        (
            "renju",
            "h8 a1 h9 a2 i10 a3 j10 o15 h10",
            "black may not play h10: it makes a double three",
        ),
    ];
    for (rule, moves, sentence) in cases {
        let text = complaint(&["gomoku", "judge", "--rule", rule, moves]);
        assert!(text.contains(sentence), "{moves}: {text}");
    }
    assert!(complaint(&["gomoku", "judge", "--rule", "chess", "h8"]).contains("freestyle"));
}

#[test]
fn forbidden_points_are_printed_in_order() {
    let forbidden = |stones: &str| stdout(&run(&["gomoku", "forbidden", stones]));
    assert_eq!(forbidden(""), "\n");
    assert_eq!(forbidden("h8 a1 h9 a2 i10 a3 j10"), "h10\n");
    // A row of five with a gap on either side: six is forbidden at both ends.
    assert_eq!(forbidden("h8 a1 h9 b1 h10 c1 h11 d1 h12"), "h7 h13\n");
    assert!(complaint(&["gomoku", "forbidden", "h8 h8"]).contains("move 2 (h8)"));
}

#[test]
fn a_damaged_document_is_recovered_and_the_repair_is_told() {
    let whole = stdout(&run(&["convert", "gomoku", "--to", "json", "h8 i9 h9"]));
    let damaged = whole.replacen("\"X\"", "\"O\"", 1);
    let mut child = parlor(&["gomoku", "recover", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary runs");
    child.stdin.take().unwrap().write_all(damaged.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    assert_eq!(stdout(&output), whole);
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(told.contains("the document is damaged"), "{told}");
    assert!(told.contains("3 moves were replayed"), "{told}");
}

#[test]
fn equity_prints_what_each_player_wins() {
    let args = ["equity", "AsKs", "QQ+,AJs+", "--board", "2d7cJh"];
    let text = stdout(&run(&args));
    let lines: Vec<Vec<&str>> =
        text.lines().map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(lines[0], ["win", "%", "tie", "%", "equity", "%"], "{text}");
    assert_eq!(lines[1], ["AsKs", "23.2879", "14.7121", "30.6439"], "{text}");
    assert_eq!(lines[2], ["QQ+,AJs+", "62.0000", "14.7121", "69.3561"], "{text}");
    assert_eq!(lines[3].join(" "), "19800 cases: every deal", "{text}");
    let answer = |args: &[&str]| -> Value {
        serde_json::from_str(&stdout(&run(&[args, &["--json"]].concat()))).unwrap()
    };
    let exact = answer(&args);
    assert_eq!((&exact["exact"], &exact["cases"]), (&Value::from(true), &Value::from(19_800)));
    assert_eq!(exact["players"][0].get("error"), None);
    let random = [&args[..], &["--samples", "100000", "--seed", "x"]].concat();
    assert_eq!(answer(&random), answer(&random));
    assert_eq!(answer(&random)["cases"], 100_000);
    assert!(answer(&random)["players"][0]["error"].as_f64().unwrap() < 0.2);
    assert!(stdout(&run(&random)).contains(" ± "));
}

#[test]
fn equity_says_what_is_wrong_and_where() {
    let cases: [(&[&str], &str); 6] = [
        (&["AsKs", "AsQs"], "players: these hands cannot be dealt together (no_deal)"),
        (&["AsKs", "QQ++"], "player 2: \"QQ++\" is no range"),
        (&["AsKs"], "players: name 2 to 10 hands"),
        (&["AsKs", "QQ", "--board", "2d"], "board: the board has 0, 3, 4 or 5 cards"),
        (&["AsKs", "QQ", "--variant", "FB"], "variant: there is no equity of \"FB\""),
        (&["AsKs", "QQ", "--samples", "0"], "--samples"),
    ];
    for (args, sentence) in cases {
        let text = complaint(&[&["equity"], args].concat());
        assert!(text.contains(sentence), "{args:?}: {text}");
    }
    let output = run(&["equity", "AsKs", "QQ", "--board", "AsKd2c", "--json"]);
    let error: Value = serde_json::from_str(&stdout(&output)).unwrap();
    assert!(!output.status.success());
    assert_eq!(
        (&error["error"]["code"], &error["error"]["place"]),
        (&Value::from("empty_range"), &Value::from("player 1"))
    );
}

#[test]
fn rank_says_how_good_hands_are() {
    let rank = |ranking: &str, lines: &str| {
        let mut child = parlor(&["rank", ranking])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the binary runs");
        child.stdin.take().expect("piped").write_all(lines.as_bytes()).unwrap();
        child.wait_with_output().unwrap()
    };
    let text = stdout(&rank("omaha-eight", "As2sQhJh 3d4d8d8cKd\nAsKsQhJh 2d3d4d5c6h\n"));
    let words: Vec<&str> = text.lines().map(|line| line.split_once('\t').unwrap().1).collect();
    assert_eq!(words, ["8-4-3-2-A low", "none"]);
    for lines in ["AsKs\nAsAs\n", "AsKs\nAsKs As2d3d\n", "AsKs\nrubbish\n", "AsKs\nAs??\n"] {
        let output = rank("high", lines);
        let text = String::from_utf8(output.stderr).unwrap();
        assert!(
            !output.status.success() && text.starts_with("parlor: line 2: "),
            "{lines}: {text}"
        );
    }
}
