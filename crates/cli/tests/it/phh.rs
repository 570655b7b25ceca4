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
