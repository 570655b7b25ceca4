//! `parlor phh` and `parlor hand`.

use crate::{parlor, run, stdout};
use serde_json::Value;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Output, Stdio};

const HAND: &str = "\
# A hand.
variant = 'NT'
antes = [0, 0]
blinds_or_straddles = [1, 2]
min_bet = 2
starting_stacks = [100, 100]
actions = ['d dh p1 ????', 'd dh p2 ????', 'p2 f']
finishing_stacks = [101, 99]
";

/// A folder of this test's own, with these files in it.
fn folder(name: &str, files: &[(&str, &[u8])]) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("parlor-phh-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a place for files");
    for (file, bytes) in files {
        std::fs::write(folder.join(file), bytes).expect("writable");
    }
    folder
}

fn given(args: &[&str], text: &str) -> Output {
    let mut child = parlor(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary runs");
    child.stdin.take().expect("piped").write_all(text.as_bytes()).expect("it reads");
    child.wait_with_output().expect("it ends")
}

fn converted(to: &str, text: &str) -> String {
    let output = given(&["phh", "convert", "--to", to, "-"], text);
    assert!(output.status.success(), "{}", stdout(&output));
    stdout(&output)
}

/// The code and the text of the error object, with exit code 1 and nothing beside it.
fn refused(output: &Output) -> (String, String) {
    assert_eq!(output.status.code(), Some(1), "{}", stdout(output));
    assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    let said: Value = serde_json::from_str(&stdout(output)).expect("an error object");
    let part = |key: &str| said["error"][key].as_str().expect("a text").to_owned();
    (part("code"), part("text"))
}

#[test]
fn rubbish_is_told_with_its_place_and_the_rest_is_checked() {
    let cut = &HAND.as_bytes()[..HAND.len() / 2];
    let files: [(&str, &[u8]); 6] = [
        ("binary.phh", b"\x7fELF\x00\x01\n\xff\xfe"),
        ("cut.phh", cut),
        ("empty.phh", b""),
        ("good.phh", HAND.as_bytes()),
        ("latin.phh", b"variant = 'NT'\n_name = 'Andr\xe9'\n"),
        ("twice.phhs", b"[1]\nvariant = 'NT'\n[1]\n"),
    ];
    let folder = folder("rubbish", &files);
    let missing = folder.join("missing.phh");
    let output =
        run(&["phh", "check", missing.to_str().expect("a path"), folder.to_str().expect("a path")]);
    assert_eq!(output.status.code(), Some(1));
    assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = stdout(&output);
    let told: Vec<&str> = text.lines().collect();
    let wanted = [
        "missing.phh: ",
        "binary.phh: line 2: this is no text in UTF-8",
        "cut.phh: line 6: ",
        "empty.phh: line 1: there is no hand in this file",
        "latin.phh: line 2: this is no text in UTF-8",
        "twice.phhs: line 3: a hand named 1 stands there twice",
        "7 hands, 1 exact, 6 failed",
    ];
    assert_eq!(told.len(), wanted.len(), "{text}");
    for (told, wanted) in told.iter().zip(wanted) {
        assert!(told.contains(wanted), "{told}: {wanted}");
    }
    std::fs::remove_dir_all(folder).expect("removable");
}

#[test]
fn many_hands_are_sections_of_a_file_and_a_list_in_json() {
    let one = converted("json", HAND);
    let document: Value = serde_json::from_str(&one).expect("one document");
    assert_eq!(document["blindsOrStraddles"], serde_json::json!([2, 1]));
    assert_eq!(converted("phh", &one), HAND);
    // One a line, or in a list.
    let many = format!("[1]\n{HAND}\n[2]\n{HAND}");
    assert_eq!(converted("phh", &format!("{one}{one}")), many);
    assert_eq!(converted("phh", &format!("[{one},{one}]")), many);
    let list: Vec<Value> = serde_json::from_str(&converted("json", &many)).expect("a list");
    assert_eq!(list.len(), 2);
    assert_eq!(converted("phh", &converted("json", &many)), many);
    assert_eq!(converted("phh", &many), many);
    let empty: Vec<Value> = serde_json::from_str(&converted("json", "[]")).expect("a list");
    assert!(empty.is_empty());
}

#[test]
fn hands_of_several_files_keep_their_names_where_they_can() {
    let named = format!("# All of them.\n[\"a b\"] # first\n{HAND}\n[2]\n{HAND}# behind\n");
    let files: [(&str, &[u8]); 2] =
        [("named.phhs", named.as_bytes()), ("one.phh", HAND.as_bytes())];
    let folder = folder("names", &files);
    let path = |file: &str| folder.join(file).to_str().expect("a path").to_owned();
    let args = ["phh", "convert", "--to", "phh"];
    let (named, one) = (path("named.phhs"), path("one.phh"));
    let all = [&args[..], &[&one, &named, &named]].concat();
    let text = stdout(&run(&all));
    let names: Vec<&str> = text.lines().filter(|line| line.starts_with('[')).collect();
    assert_eq!(names, ["[1]", "[\"a b\"]", "[2]", "[3]", "[4]"]);
    for comment in ["# All of them.", "# first", "# behind"] {
        assert_eq!(text.matches(comment).count(), 2, "{text}");
    }
    assert_eq!(converted("phh", &converted("json", &text)), text);
    std::fs::remove_dir_all(folder).expect("removable");
}

#[test]
fn what_cannot_be_read_is_an_error_object() {
    let malformed = |args: &[&str], text: &str, wanted: &str| {
        let (code, said) = refused(&given(args, text));
        assert_eq!(code, "malformed", "{said}");
        assert!(said.contains(wanted), "{said}: {wanted}");
    };
    let convert = ["phh", "convert", "--to", "json", "-"];
    malformed(&convert, "{\"hand\":", "-: EOF while parsing");
    malformed(&convert, "{\"hand\":1,\"hand\":2}", "field `hand` stands twice");
    malformed(&convert, "[{\"_a\":{\"b\":1,\"b\":2}}]", "field `b` stands twice");
    malformed(&convert, "", "-: line 1: there is no hand in this file");
    malformed(&convert, &HAND.replacen("[1, 2]", "2", 1), "blinds_or_straddles: a list is needed");
    malformed(&convert, &format!("{HAND}minBet = 2\n"), "minBet stands there twice");
    malformed(&["hand", "auto", "-"], "{\"hand\":1,\"hand\":2}", "field `hand` stands twice");
    malformed(&["hand", "next", "-"], "{}{}", "trailing characters");
    malformed(&["hand", "view", "-", "--for", "A"], "", "EOF while parsing");
    let missing: [&[&str]; 3] = [
        &["hand", "auto", "/nowhere/hand.json"],
        &["hand", "merge", "/nowhere/a.json", "/nowhere/b.json", "--as", "A"],
        &["phh", "convert", "--to", "phh", "/nowhere/hand.json"],
    ];
    for args in missing {
        let (code, said) = refused(&run(args));
        assert_eq!(code, "unreadable", "{said}");
        assert!(said.starts_with("/nowhere/"), "{said}");
    }
    let one = converted("json", HAND);
    let (code, said) = refused(&given(&convert, &format!("{one}{{\"hand\":2}}")));
    assert_eq!(code, "invalid_document");
    assert!(said.starts_with("-: document 2: players: "), "{said}");
}

const STARS: &str = include_str!("../../../phh/tests/it/session.txt");

/// The session as its folder holds it, whose second hand has a pot that does not add up.
fn broken() -> String {
    STARS.replacen("Total pot 1445", "Total pot 1446", 1)
}

fn path(folder: &std::path::Path, file: &str) -> String {
    folder.join(file).to_str().expect("a path").to_owned()
}

#[test]
fn pokerstars_text_is_checked_converted_and_comes_back() {
    let phh = converted("phh", STARS);
    assert_eq!(phh.matches("venue = 'PokerStars'").count(), 3, "{phh}");
    let stars = converted("pokerstars", &phh);
    assert_eq!(converted("phh", &stars), phh);
    assert_eq!(converted("phh", &converted("pokerstars", &converted("json", STARS))), phh);
    let wide: Vec<u8> = [0xff, 0xfe]
        .into_iter()
        .chain(STARS.replace('\n', "\r\n").encode_utf16().flat_map(u16::to_le_bytes))
        .collect();
    let files: [(&str, &[u8]); 4] = [
        ("marked.txt", &[b"\xef\xbb\xbf", STARS.as_bytes()].concat()),
        ("one.phh", HAND.as_bytes()),
        ("other.txt", b"no hands at all\n"),
        ("wide.txt", &wide),
    ];
    let folder = folder("stars", &files);
    let output = run(&["phh", "check", folder.to_str().expect("a path")]);
    assert_eq!(stdout(&output), "7 hands, 7 exact, 0 failed\n");
    // What is no such file by its first line may be said to be one.
    let other = path(&folder, "other.txt");
    let output = run(&["phh", "check", "--from", "pokerstars", &other]);
    assert!(stdout(&output).contains("other.txt: line 1: no hand begins here"), "{output:?}");
    std::fs::remove_dir_all(folder).expect("removable");
}

#[test]
fn the_hero_can_be_named() {
    let args = ["phh", "convert", "--to", "pokerstars", "--hero"];
    let text = "variant = 'NT'\nantes = [0, 0]\nblinds_or_straddles = [1, 2]\nmin_bet = 2\n\
                starting_stacks = [9, 9]\nactions = ['d dh p1 AsAd', 'd dh p2 KsKd', 'p2 f']\n\
                players = ['A', 'B']\n";
    let stars = stdout(&given(&[&args[..], &["B", "-"]].concat(), text));
    assert!(stars.contains("Dealt to B [Ks Kd]\n") && !stars.contains("Dealt to A"), "{stars}");
    assert_eq!(converted("phh", &stars), text);
    let (code, said) = refused(&given(&[&args[..], &["C", "-"]].concat(), text));
    assert_eq!(
        (code.as_str(), said.as_str()),
        ("no_such_player", "-: C does not play in this hand")
    );
}

#[test]
fn a_hand_that_cannot_be_read_is_told_and_the_rest_is_read() {
    let bad = broken();
    let said =
        "line 75: hand 100000000002: the players have paid 1445 into the pot, the text says 1446";
    // Without the option nothing is printed but the reason.
    let (code, text) = refused(&given(&["phh", "convert", "--to", "phh", "-"], &bad));
    assert_eq!((code.as_str(), text), ("malformed", format!("-: {said}")));
    let output = given(&["phh", "stats", "-"], &bad);
    assert_eq!(output.status.code(), Some(1));
    assert!(output.stdout.is_empty());
    assert_eq!(String::from_utf8_lossy(&output.stderr), format!("parlor: -: {said}\n"));
    for (args, wanted) in [
        (&["phh", "convert", "--to", "phh", "--keep-going", "-"][..], "hand = 100000000003"),
        (&["phh", "convert", "--to", "pokerstars", "--keep-going", "-"], "Hand #100000000003"),
        (&["phh", "stats", "--keep-going", "-"], "Ada"),
        (&["phh", "stats", "--ledger", "--keep-going", "-"], "Ada"),
    ] {
        let output = given(args, &bad);
        assert_eq!(output.status.code(), Some(1), "{args:?}");
        assert_eq!(String::from_utf8_lossy(&output.stderr), format!("-: {said}\n"));
        assert!(stdout(&output).contains(wanted), "{}", stdout(&output));
        assert!(!stdout(&output).contains("100000000002"));
    }
    let output = given(&["phh", "check", "--keep-going", "-"], &bad);
    assert_eq!(stdout(&output), format!("-: {said}\n3 hands, 2 exact, 1 failed\n"));
}

#[test]
fn statistics_are_a_table_or_values_with_commas() {
    let table = stdout(&given(&["phh", "stats", "-"], STARS));
    let wanted = "\
player        hands   bb/100    ±95%   VPIP   PFR  3-bet  showdown  won there
Ada               3  -1372.5  2775.6  100.0  66.7      -      66.7       50.0
Bob: the cat      2   2010.0  4527.6  100.0   0.0    0.0     100.0       50.0
Cy (x)            1      0.0       -    0.0   0.0    0.0         -          -
Dee               1    -62.5       -    0.0   0.0    0.0         -          -
Eve               3     -6.7   291.0   50.0   0.0    0.0      33.3      100.0
Fay               1   -100.0       -    0.0   0.0    0.0         -          -
";
    assert_eq!(table, wanted);
    let csv = stdout(&given(&["phh", "stats", "--csv", "-"], &STARS.replace("Fay", "Fay, \"F\"")));
    assert!(csv.starts_with("player,hands,bb/100,±95%,VPIP,PFR,3-bet,showdown,won there\n"));
    assert!(csv.contains("\nCy (x),1,0.0,,0.0,0.0,0.0,,\n"), "{csv}");
    assert!(csv.contains("\n\"Fay, \"\"F\"\"\",1,"), "{csv}");
}

#[test]
fn a_ledger_settles_every_currency_by_itself() {
    let ledger = stdout(&given(&["phh", "stats", "--ledger", "-"], STARS));
    let wanted = "\
player        buy-ins  taken  result
Ada              2500   2855     355
Bob: the cat      600      0    -600
Dee              3000   2875    -125
Eve              1120   1490     370

Bob: the cat pays Eve 370
Bob: the cat pays Ada 230
Dee pays Ada 125

player        buy-ins   taken  result
Ada               100      58     -42
Bob: the cat     42.5    85.7    43.2
Cy (x)         100.25  100.25       0
Eve                61      58      -3
Fay               100      99      -1
the house           0     2.8     2.8

Ada pays Bob: the cat 42 USD
Eve pays the house 2.8 USD
Fay pays Bob: the cat 1 USD
Eve pays Bob: the cat 0.2 USD
";
    assert_eq!(ledger, wanted);
    let csv = stdout(&given(&["phh", "stats", "--ledger", "--csv", "-"], STARS));
    assert!(csv.contains("\nFay,100,99,-1\nthe house,0,2.8,2.8\n\nAda,Bob: the cat,42\n"), "{csv}");
}
