//! Tables move between journals, whole or not at all.

use crate::support::{Folder, Scribe, id, table};
use parlor_journal::{
    Append, Durability, Journal, Memory, Moved, Sqlite, Which, check, export, export_all, import,
};
use std::io::Cursor;

/// Three tables: one empty, one erased in part, one finished and longer than a page.
fn filled() -> Memory {
    let journal = Memory::default();
    journal.create(&table("a")).expect("new");
    journal.restore(&table("b"), Scribe::new(&table("b")).entries(2), false).expect("new");
    journal.erase_sealed(&id("b")).expect("healthy");
    let mut scribe = Scribe::new(&table("c"));
    journal.restore(&table("c"), scribe.entries(700), false).expect("new");
    let last = Append { finished: true, ..scribe.append() };
    journal.append(vec![last]).expect("healthy");
    journal
}

fn lines(journal: &dyn Journal) -> Vec<String> {
    let mut out = Vec::new();
    export_all(journal, &mut out).expect("exported");
    String::from_utf8(out).expect("text").lines().map(str::to_owned).collect()
}

fn text(lines: &[String]) -> String {
    lines.iter().map(|line| format!("{line}\n")).collect()
}

fn refusal(journal: &dyn Journal, lines: &[String]) -> String {
    let heads = journal.heads(Which::All, None, 9).expect("readable");
    let refused = import(journal, Cursor::new(text(lines))).expect_err("refused").to_string();
    assert_eq!(journal.heads(Which::All, None, 9), Ok(heads), "a refused import stores nothing");
    refused
}

#[test]
fn what_was_exported_imports_as_the_same() {
    let folder = Folder::new();
    let (old, new) =
        (filled(), Sqlite::open(&folder.file(), Durability::PowerSafe).expect("opens"));
    let written = lines(&old);
    assert_eq!(written.len(), 3 + 2 + 701);
    let moved = Moved { tables: 3, entries: 703 };
    assert_eq!(check(text(&written).as_bytes()).expect("whole"), moved);
    assert_eq!(import(&new, Cursor::new(text(&written))).expect("imported"), moved);
    let heads = |journal: &dyn Journal| journal.heads(Which::All, None, 9);
    assert_eq!(heads(&old), heads(&new));
    for name in ["a", "b", "c"] {
        let all = |journal: &dyn Journal| {
            (journal.table(&id(name)), journal.read_from(&id(name), 0, 999))
        };
        assert_eq!(all(&old), all(&new));
    }
    assert_eq!(lines(&new), written);
}

#[test]
fn one_table_is_exported_alone() {
    let mut out = Vec::new();
    let moved = export(&filled(), &id("b"), &mut out).expect("exported");
    assert_eq!(moved, Moved { tables: 1, entries: 2 });
    let text = String::from_utf8(out).expect("text");
    assert!(text.starts_with(r#"{"table":"b","game":"pennies","header":"{\"table\":\"b\"}""#));
    assert_eq!(text.lines().count(), 3);
    let missing = export(&filled(), &id("z"), Vec::new()).expect_err("no such table");
    assert_eq!(missing.to_string(), "there is no table z");
}

#[test]
fn the_first_wrong_line_is_named() {
    let whole = lines(&filled());
    let with = |line: usize, from: &str, to: &str| {
        let mut lines = whole.clone();
        assert!(lines[line - 1].contains(from));
        lines[line - 1] = lines[line - 1].replace(from, to);
        refusal(&Memory::default(), &lines)
    };
    // Line 1 is table a, 2 to 4 are b, 5 is table c with its first entry in 6.
    assert_eq!(
        with(8, r#"\"seq\":2,"#, r#"\"seq\":3,"#),
        "line 8: the digest of entry 2 does not follow from the log"
    );
    assert_eq!(
        with(5, "pennies", r#"pennies","extra":""#).split(" (").next(),
        Some("line 5: neither an entry")
    );
    assert_eq!(
        with(2, r#"{\"table\":\"b\"}"#, r#"{\"table\":\"x\"}"#),
        "line 3: the digest of entry 0 does not follow from the log"
    );
    let without = |line: usize| {
        let mut lines = whole.clone();
        lines.remove(line - 1);
        refusal(&Memory::default(), &lines)
    };
    assert_eq!(without(9), "line 9: entry 4 came where entry 3 belongs");
    assert_eq!(without(5), "line 5: entry 0 came where entry 2 belongs");
    let headless = refusal(&Memory::default(), &whole[2..]);
    assert_eq!(headless, "line 1: an entry comes before its table");
    let twice = refusal(&Memory::default(), &[whole.clone(), whole].concat());
    assert_eq!(twice, "line 707: table a comes a second time");
}

#[test]
fn a_table_that_is_there_is_not_touched() {
    let journal = Memory::default();
    journal.create(&table("b")).expect("new");
    assert_eq!(refusal(&journal, &lines(&filled())), "line 2: table b is there already");
}

#[test]
fn a_line_without_end_is_refused_early() {
    let endless = std::io::BufReader::new(std::io::repeat(b'x'));
    let refused = check(endless).expect_err("no line").to_string();
    assert_eq!(refused, "line 1: the line is longer than 16 MiB");
}
