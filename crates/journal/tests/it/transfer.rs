//! Tables move between journals, whole or not at all.

use crate::support::{Folder, Scribe, id, table};
use parlor_journal::{
    Durability, Journal, Memory, Moved, Reader, Share, Sqlite, Which, export, export_all, import,
};
use std::io::Cursor;

/// Three tables: one empty, one erased in part, one finished and longer than a page.
async fn filled() -> Memory {
    let journal = Memory::default();
    journal.create(&table("a")).await.expect("new");
    journal
        .restore(&table("b"), Scribe::new(&table("b")).entries(2), false, Vec::new())
        .await
        .expect("new");
    journal.erase_sealed(&id("b")).await.expect("healthy");
    let mut scribe = Scribe::new(&table("c"));
    journal.restore(&table("c"), scribe.entries(700), false, Vec::new()).await.expect("new");
    journal.append(scribe.last()).await.expect("healthy");
    journal
}

async fn lines(journal: &dyn Journal) -> Vec<String> {
    let mut out = Vec::new();
    export_all(journal, Share::Whole, &mut out).await.expect("exported");
    String::from_utf8(out).expect("text").lines().map(str::to_owned).collect()
}

fn text(lines: &[String]) -> String {
    lines.iter().map(|line| format!("{line}\n")).collect()
}

async fn refusal(journal: &dyn Journal, lines: &[String]) -> String {
    let heads = journal.heads(Which::All, None, 9).await.expect("readable");
    let refused = import(journal, Cursor::new(text(lines))).await.expect_err("refused").to_string();
    assert_eq!(
        journal.heads(Which::All, None, 9).await,
        Ok(heads),
        "a refused import stores nothing"
    );
    refused
}

#[tokio::test]
async fn what_was_exported_imports_as_the_same() {
    let folder = Folder::new();
    let (old, new) =
        (filled().await, Sqlite::open(&folder.file(), Durability::PowerSafe).expect("opens"));
    let written = lines(&old).await;
    assert_eq!(written.len(), 3 + 2 + 701);
    let moved = Moved { tables: 3, entries: 703 };
    assert_eq!(import(&new, Cursor::new(text(&written))).await.expect("imported"), moved);
    let heads = async |journal: &dyn Journal| {
        let heads = journal.heads(Which::All, None, 9).await.expect("readable");
        heads.into_iter().map(|head| (head.table, head.head, head.finished)).collect::<Vec<_>>()
    };
    assert_eq!(heads(&old).await, heads(&new).await);
    for (name, moved) in [("a", false), ("b", true), ("c", true)] {
        assert_eq!(new.head(&id(name)).await.expect("there").moved, moved);
    }
    let mut next = Scribe::after(id("b"), &new.read_from(&id("b"), 1, 1).await.expect("there")[0]);
    let stored = Memory::default();
    import(&stored, Cursor::new(text(&written))).await.expect("imported");
    stored.append(next.append()).await.expect("healthy");
    assert!(!stored.head(&id("b")).await.expect("there").moved, "it goes on here");
    for name in ["a", "b", "c"] {
        let all = async |journal: &dyn Journal| {
            (journal.table(&id(name)).await, journal.read_from(&id(name), 0, 999).await)
        };
        assert_eq!(all(&old).await, all(&new).await);
    }
    assert_eq!(lines(&new).await, written);
}

#[tokio::test]
async fn one_table_is_exported_alone() {
    let mut out = Vec::new();
    let moved = export(&filled().await, &id("b"), Share::Whole, &mut out).await.expect("exported");
    assert_eq!(moved, Moved { tables: 1, entries: 2 });
    let text = String::from_utf8(out).expect("text");
    assert!(text.starts_with(r#"{"table":"b","game":"pennies","header":"{\"table\":\"b\","#));
    assert_eq!(text.lines().count(), 3);
    let missing = export(&filled().await, &id("z"), Share::Whole, Vec::new())
        .await
        .expect_err("no such table");
    assert_eq!(missing.to_string(), "there is no table z");
}

#[tokio::test]
async fn the_first_wrong_line_is_named() {
    let whole = lines(&filled().await).await;
    let with = async |line: usize, from: &str, to: &str| {
        let mut lines = whole.clone();
        assert!(lines[line - 1].contains(from));
        lines[line - 1] = lines[line - 1].replace(from, to);
        refusal(&Memory::default(), &lines).await
    };
    // Line 1 is table a, 2 to 4 are b, 5 is table c with its first entry in 6.
    assert_eq!(
        with(8, r#"\"seq\":2,"#, r#"\"seq\":3,"#).await,
        "line 8: the digest of entry 2 does not follow from the log"
    );
    assert_eq!(
        with(5, "pennies", r#"pennies","extra":""#).await.split(" (").next(),
        Some("line 5: neither an entry")
    );
    assert_eq!(
        with(2, r#"\"seats\":2"#, r#"\"seats\":3"#).await,
        "line 3: the digest of entry 0 does not follow from the log"
    );
    assert_eq!(
        with(1, r#"{\"table\":\"a\""#, r#"{\"table\":\"x\""#).await,
        "line 1: the header is that of pennies at x, made at_ms 1000"
    );
    assert_eq!(
        with(1, r#""table":"a""#, r#""table":"x""#).await,
        "line 1: the header is that of pennies at a, made at_ms 1000"
    );
    assert_eq!(
        with(1, r#""game":"pennies""#, r#""game":"highcard""#).await,
        "line 1: the header is that of pennies at a, made at_ms 1000"
    );
    assert_eq!(
        with(1, r#""created_ms":1000,"entries""#, r#""created_ms":1001,"entries""#).await,
        "line 1: the header is that of pennies at a, made at_ms 1000"
    );
    assert_eq!(
        with(3, r#""seq":0"#, r#""seq":-"#).await,
        "line 3: neither an entry (invalid number at column 9) nor a table (unknown field `seq`, \
         expected one of `table`, `game`, `header`, `secret`, `created_ms`, `entries`, `digest` at \
         column 6)"
    );
    assert_eq!(
        with(3, r#""seq":0,"at_ms":2000"#, r#""seq":0,"at_ms":2001"#).await,
        "line 3: its time is not the one that was written"
    );
    let cut = refusal(&Memory::default(), &whole[..whole.len() - 1]).await;
    assert_eq!(cut, "line 706: c has 700 entries here, 701 were written");
    let without = async |line: usize| {
        let mut lines = whole.clone();
        lines.remove(line - 1);
        refusal(&Memory::default(), &lines).await
    };
    assert_eq!(without(9).await, "line 9: entry 4 came where entry 3 belongs");
    assert_eq!(without(5).await, "line 5: entry 0 came where entry 2 belongs");
    assert_eq!(without(4).await, "line 4: b has 1 entries here, 2 were written");
    let headless = refusal(&Memory::default(), &whole[2..]).await;
    assert_eq!(headless, "line 1: an entry comes before its table");
    let twice = refusal(&Memory::default(), &[whole.clone(), whole].concat()).await;
    assert_eq!(twice, "line 707: table a comes a second time");
}

#[tokio::test]
async fn a_table_that_is_there_is_not_touched() {
    let journal = Memory::default();
    journal.create(&table("b")).await.expect("new");
    let another = "line 2: a table of this name is there already, and it is another";
    assert_eq!(refusal(&journal, &lines(&filled().await).await).await, another);
}

#[tokio::test]
async fn an_import_that_was_interrupted_is_done_again() {
    let (old, new) = (filled().await, Memory::default());
    let entries = old.read_from(&id("b"), 0, 9).await.expect("readable");
    new.restore(&old.table(&id("b")).await.expect("there"), entries, false, Vec::new())
        .await
        .expect("new");
    let written = lines(&old).await;
    let moved = import(&new, Cursor::new(text(&written))).await.expect("imported");
    assert_eq!(moved, Moved { tables: 2, entries: 701 });
    assert_eq!(lines(&new).await, written);
    let again = import(&new, Cursor::new(text(&written))).await.expect("nothing is new");
    assert_eq!(again, Moved { tables: 0, entries: 0 });
}

#[tokio::test]
async fn what_is_published_has_no_secret_and_the_same_digests() {
    let old = filled().await;
    let playing = export(&old, &id("b"), Share::Public, Vec::new()).await.expect_err("still on");
    assert!(playing.to_string().contains("it can be published when it is over"), "{playing}");
    let mut out = Vec::new();
    let moved = export_all(&old, Share::Public, &mut out).await.expect("exported");
    assert_eq!(moved, Moved { tables: 1, entries: 701 }, "only what is over");
    let public = String::from_utf8(out).expect("text");
    let whole = text(&lines(&old).await);
    assert!(whole.contains("secret of c") && whole.contains("hidden") && whole.contains("salt"));
    for word in ["secret of", "hidden", "salt"] {
        assert!(!public.contains(word), "{word}");
    }
    let new = Memory::default();
    import(&new, Cursor::new(public)).await.expect("imported");
    let digests = async |journal: &dyn Journal| -> Vec<_> {
        let entries = journal.read_from(&id("c"), 0, 999).await.expect("readable");
        entries.into_iter().map(|entry| entry.digest).collect()
    };
    assert_eq!(digests(&old).await, digests(&new).await);
}

#[tokio::test]
async fn a_line_without_end_is_refused_early() {
    let endless = Cursor::new(vec![b'x'; 17 << 20]);
    let refused = import(&Memory::default(), endless).await.expect_err("no line").to_string();
    assert_eq!(refused, "line 1: the line is longer than 16 MiB");
}
