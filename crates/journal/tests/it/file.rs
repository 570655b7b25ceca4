//! The journal's file: opened again, by others, from other times.

use crate::support::{Folder, Scribe, another, append_all, id, table};
use futures_util::FutureExt as _;
use futures_util::future::join_all;
use parlor_journal::{
    Append, Durability, Effect, Journal, JournalError, Look, Memory, NewTable, Outcome, Reader,
    Snapshot, Sqlite, Which,
};
use parlor_table::log::{Bytes32, Sealed, Tail};
use rusqlite::Connection;
use std::path::Path;

fn open(file: &Path) -> Sqlite {
    Sqlite::open(file, Durability::PowerSafe).expect("opens")
}

fn refusal(file: &Path) -> String {
    let refused = Sqlite::open(file, Durability::PowerSafe).err().expect("refused");
    refused.to_string().replace(&file.display().to_string(), "FILE")
}

#[test]
fn the_sqlite_inside_has_no_known_hole() {
    // Before 3.51.3 a checkpoint beside the writer could damage the file.
    assert!(rusqlite::version_number() >= 3_051_003, "{}", rusqlite::version());
}

#[test]
fn durability_has_the_names_of_the_config() {
    for (level, name) in
        [(Durability::PowerSafe, "power-safe"), (Durability::ProcessSafe, "process-safe")]
    {
        let text = format!("{name:?}");
        assert_eq!(serde_json::to_string(&level).expect("a name"), text);
        assert_eq!(serde_json::from_str::<Durability>(&text).expect("a level"), level);
    }
    assert_eq!(Durability::default(), Durability::PowerSafe);
}

#[tokio::test]
async fn what_was_stored_is_there_when_opened_again() {
    let folder = Folder::new();
    let journal = open(&folder.file());
    let entries = Scribe::new(&table("a")).entries(300);
    journal.restore(&table("a"), entries.clone(), false, Vec::new()).await.expect("new");
    let (kind, key) = ("account".to_owned(), "ann".to_owned());
    let effects = vec![Effect::Add { kind, key, amount: 5, floor: None }];
    let last = Scribe::after(id("a"), &entries[299]).entry();
    let append = Append { table: id("a"), entry: last.clone().into(), effects, finished: true };
    assert_eq!(journal.append(append).await, Ok(Outcome::Stored));
    let snapshot = Snapshot { seq: 301, text: "state".to_owned() };
    journal.put_snapshot(&id("a"), snapshot.clone()).await.expect("healthy");
    journal.alive(9).await.expect("healthy");
    let head = journal.head(&id("a")).await.expect("there");
    drop(journal);

    let journal = open(&folder.file());
    assert_eq!(journal.table(&id("a")).await, Ok(table("a")));
    assert_eq!(journal.read_from(&id("a"), 0, 999).await, Ok([entries, vec![last]].concat()));
    assert_eq!(journal.head(&id("a")).await, Ok(head.clone()));
    assert_eq!((head.head, head.finished), (301, true));
    assert_eq!(journal.record("account", "ann").await, Ok(Some("5".to_owned())));
    assert_eq!(journal.snapshot(&id("a")).await, Ok(Some(snapshot)));
    assert_eq!(journal.last_alive().await, Ok(Some(9)));
}

#[tokio::test]
async fn what_was_queued_is_answered_before_the_journal_closes() {
    let folder = Folder::new();
    let journal = open(&folder.file());
    journal.create(&table("a")).await.expect("new");
    let mut scribe = Scribe::new(&table("a"));
    let mut appends: Vec<_> = (0..5_000).map(|_| journal.append(scribe.append())).collect();
    let late = scribe.append();
    // Polled once, they are queued.
    let early: Vec<_> = appends.iter_mut().map(|append| append.now_or_never()).collect();
    journal.close();
    let rest = early.into_iter().zip(appends).map(async |(early, append)| match early {
        Some(outcome) => outcome,
        None => append.await,
    });
    let outcomes = join_all(rest).await;
    assert_eq!(outcomes.len(), 5_000);
    assert!(outcomes.iter().all(|outcome| *outcome == Ok(Outcome::Stored)));
    let refused = journal.append(late).await;
    assert!(matches!(refused, Err(JournalError::Paused(_))), "{refused:?}");
    drop(journal);
    assert_eq!(open(&folder.file()).head(&id("a")).await.expect("there").head, 5_000);
}

#[tokio::test]
async fn an_append_that_is_not_waited_for_is_stored() {
    let folder = Folder::new();
    let journal = open(&folder.file());
    journal.create(&table("a")).await.expect("new");
    let mut scribe = Scribe::new(&table("a"));
    let unpolled = journal.append(scribe.clone().append());
    drop(unpolled);
    // Its answer has nowhere to go; the next one comes, and finds both stored.
    drop(journal.append(scribe.append()).now_or_never());
    assert_eq!(journal.append(scribe.append()).await, Ok(Outcome::Stored));
    assert_eq!(journal.head(&id("a")).await.expect("there").head, 2);
}

#[tokio::test]
async fn the_write_ahead_log_stays_short() {
    let folder = Folder::new();
    let journal = open(&folder.file());
    journal.create(&table("a")).await.expect("new");
    let mut tail = Tail::of_header(&table("a").header);
    let mut wide = || {
        let sealed = Sealed::Kept { salt: Bytes32([1; 32]), text: String::new() };
        let entry = tail.write(0, "x".repeat(100_000), sealed);
        tail = Tail::of_last(&entry);
        Append::new(id("a"), entry)
    };
    for _ in 0..150 {
        let batch = (0..10).map(|_| wide()).collect();
        let outcomes = append_all(&journal, batch).await.expect("healthy");
        assert!(outcomes.iter().all(|outcome| *outcome == Outcome::Stored));
    }
    let bytes = |name: &str| folder.path().join(name).metadata().expect("there").len();
    let (file, log) = (bytes("journal.db"), bytes("journal.db-wal"));
    assert!(file > 100_000_000 && log < 60_000_000, "{file} in the file, {log} in the log");
}

/// How many files of a folder hold a text.
fn holding(folder: &Folder, text: &str) -> usize {
    let files = std::fs::read_dir(folder.path()).expect("a folder");
    let holds = |path: &Path| {
        let bytes = std::fs::read(path).expect("readable");
        bytes.windows(text.len()).any(|window| window == text.as_bytes())
    };
    files.filter(|file| holds(&file.as_ref().expect("a file").path())).count()
}

#[tokio::test]
async fn an_erased_text_is_in_no_file() {
    let folder = Folder::new();
    let journal = open(&folder.file());
    let secret = "the queen of spades";
    let sealed = Sealed::Kept { salt: Bytes32([1; 32]), text: secret.repeat(1_000) };
    let entry = Tail::of_header(&table("a").header).write(0, "{}".to_owned(), sealed);
    journal.restore(&table("a"), vec![entry], false, Vec::new()).await.expect("new");
    let snapshot = Snapshot { seq: 1, text: secret.to_owned() };
    journal.put_snapshot(&id("a"), snapshot).await.expect("healthy");
    assert!(holding(&folder, secret) > 0);
    journal.erase_sealed(&id("a")).await.expect("healthy");
    assert_eq!(holding(&folder, secret), 0);
}

/// What a step rewrites leaves no copy behind, and does not stay in the write-ahead log.
#[tokio::test]
async fn an_erased_text_of_an_older_journal_is_in_no_file() {
    let (new, old) = (Folder::new(), Folder::new());
    let secret = "the queen of spades";
    let mut tail = Tail::of_header(&table("a").header);
    let entries = (0..3_000).map(|turn: usize| {
        let text = secret.repeat(1 + turn % 5);
        let entry = tail.write(0, "{}".to_owned(), Sealed::Kept { salt: Bytes32([1; 32]), text });
        tail = Tail::of_last(&entry);
        entry
    });
    let journal = open(&new.file());
    journal.restore(&table("a"), entries.collect(), false, Vec::new()).await.expect("new");
    version_4(&new, &old);
    let brought = open(&old.file());
    let log = old.path().join("journal.db-wal").metadata().expect("there").len();
    assert_eq!((holding(&old, secret), log), (1, 0));
    brought.erase_sealed(&id("a")).await.expect("healthy");
    assert_eq!(holding(&old, secret), 0);
}

#[tokio::test]
async fn a_second_process_is_refused() {
    let folder = Folder::new();
    let journal = open(&folder.file());
    journal.create(&table("a")).await.expect("new");
    let in_use = "the journal FILE cannot be opened: another process has it open";
    assert_eq!(refusal(&folder.file()), in_use);
    #[cfg(unix)]
    {
        let link = folder.path().join("link.db");
        std::os::unix::fs::symlink(folder.file(), &link).expect("linked");
        assert_eq!(refusal(&link), in_use, "by another name");
    }
    let second = || {
        let mut second = another("file::the_second_process");
        let out = second.env("PARLOR_SECOND_FILE", folder.file()).output().expect("it runs");
        String::from_utf8(out.stdout).expect("text")
    };
    assert!(second().contains("refused: the journal"));
    drop(journal);
    assert!(second().contains("opened"));
    assert!(open(&folder.file()).head(&id("a")).await.is_ok());
}

#[test]
fn the_second_process() {
    let Some(file) = std::env::var_os("PARLOR_SECOND_FILE") else { return };
    match Sqlite::open(Path::new(&file), Durability::PowerSafe) {
        Ok(_) => println!("opened"),
        Err(why) => println!("refused: {why}"),
    }
}

/// `versions/N.sql` is a journal as version N left it. They are never changed: they stand for the
/// files people have.
const VERSIONS: [&str; 5] = [
    include_str!("versions/1.sql"),
    include_str!("versions/2.sql"),
    include_str!("versions/3.sql"),
    include_str!("versions/4.sql"),
    include_str!("versions/5.sql"),
];

#[tokio::test]
async fn a_journal_of_every_earlier_version_opens() {
    for (dump, version) in VERSIONS.iter().zip(1..) {
        let folder = Folder::new();
        let db = Connection::open(folder.file()).expect("opens");
        db.execute_batch(dump).expect("the dump is right");
        let user_version = |db: &Connection| -> i64 {
            db.pragma_query_value(None, "user_version", |row| row.get(0)).expect("a number")
        };
        assert_eq!(user_version(&db), version);
        drop(db);

        let journal = open(&folder.file());
        let old = NewTable { header: "{}".to_owned(), secret: "s".to_owned(), ..table("old") };
        assert_eq!(journal.table(&id("old")).await, Ok(old));
        let entries = journal.read_from(&id("old"), 0, 9).await.expect("readable");
        assert_eq!(entries.len(), 2);
        assert_eq!(crate::support::first_unchained("{}", &entries), None);
        assert_eq!(journal.record("account", "ann").await, Ok(Some("7".to_owned())));
        let unfinished = journal.heads(Which::Unfinished, None, 9).await.expect("readable");
        assert_eq!(unfinished.iter().map(|head| head.head).collect::<Vec<_>>(), [2]);
        // What came later works as well.
        let next = Scribe::after(id("old"), &entries[1]).append();
        assert_eq!(journal.append(next).await, Ok(Outcome::Stored));
        journal
            .put_snapshot(&id("old"), Snapshot { seq: 3, text: String::new() })
            .await
            .expect("healthy");
        journal.alive(1).await.expect("healthy");
        drop(journal);
        let db = Connection::open(folder.file()).expect("opens");
        assert_eq!(user_version(&db), VERSIONS.len() as i64, "a version without its dump");
    }
}

/// Writes a journal as version 4 would have it: all entries are registered, up to some row, and none
/// names the one before it.
fn version_4(new: &Folder, old: &Folder) {
    let db = Connection::open(old.file()).expect("opens");
    db.execute_batch(VERSIONS[3]).expect("the dump is right");
    db.execute("ATTACH ?1 AS new", [new.file().to_str()]).expect("attached");
    db.execute_batch(
        "PRAGMA secure_delete = on;
         DELETE FROM tables; DELETE FROM register; DELETE FROM entries;
         INSERT INTO tables SELECT * FROM new.tables;
         INSERT INTO entries SELECT row, t, seq, at_ms, digest, salt, open, sealed
             FROM new.entries;
         INSERT INTO register SELECT t, seq, row FROM entries WHERE row <= 300;
         UPDATE registered SET row = 300;",
    )
    .expect("written");
}

#[tokio::test]
async fn the_entries_of_a_full_register_are_chained() {
    let (new, old) = (Folder::new(), Folder::new());
    let journal = open(&new.file());
    let mut scribes = ["a", "b", "c"].map(|name| Scribe::new(&table(name)));
    for name in ["a", "b", "c"] {
        journal.create(&table(name)).await.expect("new");
    }
    // Table c stays empty.
    let batch = (0..400).map(|turn| scribes[turn * turn % 3].append()).collect();
    assert!(
        append_all(&journal, batch).await.expect("healthy").iter().all(|at| *at == Outcome::Stored)
    );

    version_4(&new, &old);
    let brought = open(&old.file());
    for name in ["a", "b", "c"].map(id) {
        assert_eq!(brought.head(&name).await, journal.head(&name).await);
        for seq in [0, 63, 64, 65, 130, 9999, u64::MAX] {
            for limit in [0, 1, 2, 64, 999, usize::MAX] {
                let read = brought.read_from(&name, seq, limit).await;
                assert_eq!(read, journal.read_from(&name, seq, limit).await, "{name} from {seq}");
            }
        }
    }
    let next = scribes.map(|mut scribe| scribe.append()).to_vec();
    assert_eq!(append_all(&brought, next).await, Ok(vec![Outcome::Stored; 3]));
}

#[test]
fn a_newer_journal_and_a_foreign_file_are_refused() {
    let folder = Folder::new();
    let with = |sql: &str| {
        let _ = std::fs::remove_file(folder.file());
        let db = Connection::open(folder.file()).expect("opens");
        db.execute_batch(sql).expect("right");
        drop(db);
        let before = std::fs::read(folder.file()).expect("readable");
        let refused = refusal(&folder.file());
        assert!(std::fs::read(folder.file()).expect("readable") == before, "it was touched");
        refused
    };
    drop(open(&folder.file()));
    assert_eq!(
        with("PRAGMA application_id = 1346458188; PRAGMA user_version = 99;"),
        "the journal FILE cannot be opened: a newer parlor wrote it (version 99); \
         this one reads up to version 5"
    );
    let foreign = "the journal FILE cannot be opened: it is a database of something else";
    assert_eq!(with("CREATE TABLE mine (a);"), foreign);
    assert_eq!(with("PRAGMA user_version = 1;"), foreign);
    std::fs::write(folder.file(), "no database at all, but long enough ".repeat(100))
        .expect("written");
    let refused = refusal(&folder.file());
    assert_eq!(refused, "the journal FILE cannot be opened: file is not a database");
    assert!(matches!(
        Sqlite::open(Path::new("/nowhere/journal.db"), Durability::PowerSafe),
        Err(JournalError::Failed(_))
    ));
}

#[tokio::test]
async fn a_journal_in_use_can_be_looked_at_and_is_not_changed() {
    let folder = Folder::new();
    let journal = open(&folder.file());
    let mut scribe = Scribe::new(&table("a"));
    journal.restore(&table("a"), scribe.entries(2), false, Vec::new()).await.expect("new");
    let look = Look::open(&folder.file()).expect("opens beside the writer");
    assert_eq!(look.head(&id("a")).await.expect("there").head, 2);
    assert_eq!(journal.append(scribe.append()).await, Ok(Outcome::Stored));
    assert_eq!(
        look.head(&id("a")).await.expect("there").head,
        3,
        "it sees what is stored meanwhile"
    );
    drop(look);
    drop(journal);
    let names = || -> Vec<_> {
        let files = std::fs::read_dir(folder.path()).expect("a folder");
        let mut names: Vec<_> = files.map(|file| file.expect("a file").file_name()).collect();
        names.sort();
        names
    };
    let (before, bytes) = (names(), std::fs::read(folder.file()).expect("readable"));
    assert_eq!(
        Look::open(&folder.file()).expect("opens").read_from(&id("a"), 0, 9).await.map(|e| e.len()),
        Ok(3)
    );
    assert_eq!((names(), std::fs::read(folder.file()).expect("readable")), (before, bytes));
}

/// Nobody else should write; what somebody has written all the same is not written over.
#[tokio::test]
async fn an_entry_of_another_program_is_a_conflict() {
    let folder = Folder::new();
    let journal = open(&folder.file());
    let mut scribe = Scribe::new(&table("a"));
    journal.restore(&table("a"), scribe.entries(1), false, Vec::new()).await.expect("new");
    let theirs = scribe.clone().last().entry;
    let db = Connection::open(folder.file()).expect("opens");
    db.execute(
        "INSERT INTO entries (t, seq, at_ms, digest, salt, open, sealed, prev)
         VALUES (1, 1, 2001, ?1, NULL, ?2, ?3, 1)",
        rusqlite::params![theirs.digest.0, theirs.open, theirs.sealed.hash().0],
    )
    .expect("written");
    drop(db);
    assert_eq!(journal.append(scribe.append()).await, Ok(Outcome::Conflict { head: 2 }));
    let next = Scribe::after(id("a"), &theirs).append();
    assert_eq!(journal.append(next).await, Ok(Outcome::Stored));
}

/// Entries are registered many at once: those that are and those that are not yet are the same to
/// who reads, here, beside the writer, after something was erased, and after a restart.
#[tokio::test]
async fn an_entry_is_found_before_it_is_registered_and_after() {
    let folder = Folder::new();
    let (journal, plain) = (open(&folder.file()), Memory::default());
    let names = ["a", "b", "c", "none"];
    let mut scribes: Vec<Scribe> = names.iter().map(|name| Scribe::new(&table(name))).collect();
    for name in names {
        journal.create(&table(name)).await.expect("new");
        plain.create(&table(name)).await.expect("new");
    }
    // Table c is the first to have no entry any more.
    for round in 0..15_usize {
        let turns = (0..300).map(|turn| if round < 5 { turn % 3 } else { turn % 2 });
        let batch: Vec<_> = turns.map(|at| scribes[at].append()).collect();
        assert_eq!(append_all(&plain, batch.clone()).await, append_all(&journal, batch).await);
    }
    let db = Connection::open(folder.file()).expect("opens");
    let registered = || -> i64 {
        db.query_row("SELECT row FROM registered", [], |row| row.get(0)).expect("a number")
    };
    let total = 15 * 300;
    assert!((1..total).contains(&registered()), "{} of {total}", registered());
    let same = async |journal: &dyn Reader| {
        for name in names {
            let (name, head) = (id(name), plain.head(&id(name)).await.expect("there"));
            assert_eq!(journal.head(&name).await.as_ref(), Ok(&head));
            for seq in
                (0..=head.head + 1).step_by(97).chain(head.head.saturating_sub(3)..=head.head)
            {
                for limit in [1, 50, 9999] {
                    let read = journal.read_from(&name, seq, limit).await;
                    assert_eq!(read, plain.read_from(&name, seq, limit).await, "{name} from {seq}");
                }
            }
        }
        assert_eq!(
            journal.heads(Which::All, None, 9).await,
            plain.heads(Which::All, None, 9).await
        );
    };
    same(&journal).await;
    same(&Look::open(&folder.file()).expect("opens beside the writer")).await;
    drop(db);
    for name in ["a", "c"] {
        assert_eq!(journal.erase_sealed(&id(name)).await, plain.erase_sealed(&id(name)).await);
    }
    same(&journal).await;
    drop(journal);
    same(&open(&folder.file())).await;
}

/// Each entry names the one before it. Where that is wrong, whoever reads is told so, instead of
/// being given less or waiting for ever.
#[tokio::test]
async fn a_chain_that_leads_nowhere_is_damage() {
    let folder = Folder::new();
    let journal = open(&folder.file());
    let entries = Scribe::new(&table("a")).entries(9);
    journal.restore(&table("a"), entries.clone(), false, Vec::new()).await.expect("new");
    let others = Scribe::new(&table("b")).entries(4);
    journal.restore(&table("b"), others, false, Vec::new()).await.expect("new");
    let db = Connection::open(folder.file()).expect("opens");
    // None, itself, the one after it, others before it, the same of another table, one that is not
    // there.
    for wrong in [0, 5, 6, 3, 1, 13, 99] {
        let change = "UPDATE entries SET prev = ?1 WHERE row = 5";
        assert_eq!(db.execute(change, [wrong]), Ok(1));
        let refused = journal.read_from(&id("a"), 0, 99).await.expect_err("damaged");
        assert!(refused.to_string().contains("malformed"), "{refused}");
        assert_eq!(journal.read_from(&id("a"), 5, 99).await.as_deref(), Ok(&entries[5..]));
    }
    let change = "UPDATE entries SET prev = 4, seq = ?1 WHERE row = 5";
    for wrong in [i64::MIN, -1, i64::MAX] {
        assert_eq!(db.execute(change, [wrong]), Ok(1));
        assert!(journal.read_from(&id("a"), 0, 99).await.is_err(), "{wrong}");
    }
}

#[tokio::test]
async fn looking_after_a_crash_leaves_everything_as_it_is() {
    let folder = Folder::new();
    let journal = open(&folder.file());
    journal
        .restore(&table("a"), Scribe::new(&table("a")).entries(2), false, Vec::new())
        .await
        .expect("new");
    // As a crash leaves it: the file, and what was not yet moved into it.
    let crashed = Folder::new();
    let log = |folder: &Folder| folder.path().join("journal.db-wal");
    for (from, to) in [(folder.file(), crashed.file()), (log(&folder), log(&crashed))] {
        std::fs::copy(from, to).expect("copied");
    }
    let bytes = || [crashed.file(), log(&crashed)].map(|file| std::fs::read(file).expect("there"));
    let before = bytes();
    let look = Look::open(&crashed.file()).expect("opens");
    assert_eq!(look.head(&id("a")).await.expect("there").head, 2);
    drop(look);
    assert!(bytes() == before, "looking has moved something");
}

#[tokio::test]
async fn an_older_journal_is_looked_at_when_it_is_brought_up_to_date() {
    let folder = Folder::new();
    Connection::open(folder.file()).expect("opens").execute_batch(VERSIONS[0]).expect("right");
    let refused = Look::open(&folder.file()).err().expect("refused").to_string();
    assert!(refused.ends_with("open it once with parlor play or import"), "{refused}");
    drop(open(&folder.file()));
    assert_eq!(
        Look::open(&folder.file()).expect("opens").head(&id("old")).await.expect("there").head,
        2
    );
}

#[tokio::test]
async fn what_others_still_read_is_not_called_erased() {
    let folder = Folder::new();
    let journal = open(&folder.file());
    journal
        .restore(&table("a"), Scribe::new(&table("a")).entries(2), false, Vec::new())
        .await
        .expect("new");
    let other = Connection::open(folder.file()).expect("opens");
    let reading = "BEGIN; SELECT count(*) FROM entries;";
    other.execute_batch(reading).expect("readable");
    other.query_row("SELECT count(*) FROM entries", [], |_| Ok(())).expect("readable");
    let refused = journal.erase_sealed(&id("a")).await.expect_err("another program reads");
    assert!(refused.to_string().ends_with("erase it again"), "{refused}");
    other.execute_batch("COMMIT").expect("readable");
    drop(other);
    assert_eq!(journal.erase_sealed(&id("a")).await, Ok(()));
    assert_eq!(journal.table(&id("a")).await.expect("there").secret, "");
}

#[test]
fn what_is_no_journal_cannot_be_looked_at() {
    let folder = Folder::new();
    let refused = |name: &str| {
        let file = folder.path().join(name);
        let refused = Look::open(&file).err().expect("refused").to_string();
        refused.replace(&file.display().to_string(), "FILE")
    };
    let cannot = "the journal FILE cannot be opened: ";
    assert_eq!(refused("none"), format!("{cannot}there is no such file"));
    assert!(!folder.path().join("none").exists(), "looking makes no file");
    std::fs::write(folder.path().join("empty"), "").expect("written");
    assert_eq!(refused("empty"), format!("{cannot}there is no journal in it"));
    let other = Connection::open(folder.path().join("other")).expect("opens");
    other.execute_batch("CREATE TABLE t (x)").expect("written");
    assert_eq!(refused("other"), format!("{cannot}it is a database of something else"));
    std::fs::write(folder.path().join("text"), "x".repeat(9999)).expect("written");
    assert!(refused("text").contains("not a database"), "{}", refused("text"));
}
