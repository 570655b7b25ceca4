//! What every journal promises. A new kind joins by a line at the end.

use crate::support::{Folder, Scribe, append_all, first_unchained, id, table, wait};
use futures_util::future::join_all;
use futures_util::stream::{FuturesUnordered, StreamExt as _};
use parlor_journal::{
    Append, Durability, Effect, Health, Journal, JournalError, Memory, Outcome, Snapshot, Sqlite,
    Which,
};
use std::sync::Arc;

fn put(kind: &str, key: &str, value: &str) -> Effect {
    Effect::Put { kind: kind.to_owned(), key: key.to_owned(), value: Some(value.to_owned()) }
}

fn add(key: &str, amount: i64, floor: Option<i64>) -> Effect {
    Effect::Add { kind: "account".to_owned(), key: key.to_owned(), amount, floor }
}

fn with(append: Append, effects: Vec<Effect>) -> Append {
    Append { effects, ..append }
}

async fn account(journal: &dyn Journal, key: &str) -> Option<String> {
    journal.record("account", key).await.expect("readable")
}

fn overdrawn(key: &str) -> Outcome {
    Outcome::Overdrawn { kind: "account".to_owned(), key: key.to_owned() }
}

async fn a_table_is_created_once(journal: &dyn Journal) {
    let first = table("a");
    journal.create(&first).await.expect("new");
    assert_eq!(journal.create(&first).await, Err(JournalError::Exists(id("a"))));
    assert_eq!(journal.table(&id("a")).await, Ok(first));
    let unknown = Err(JournalError::Unknown(id("b")));
    assert_eq!(journal.table(&id("b")).await, unknown);
    let stray = Scribe::new(&table("b")).append();
    assert_eq!(journal.append(stray).await, Err(JournalError::Unknown(id("b"))));
}

async fn a_table_is_restored_with_its_entries_or_not_at_all(journal: &dyn Journal) {
    let entries = Scribe::new(&table("a")).entries(3);
    let gap = vec![entries[0].clone(), entries[2].clone()];
    let refused = journal.restore(&table("a"), gap, false, Vec::new()).await.expect_err("a gap");
    assert_eq!(refused.to_string(), "entry 2 came where entry 1 belongs");
    let mut forged = entries.clone();
    forged[1].open.push(' ');
    let refused =
        journal.restore(&table("a"), forged, false, Vec::new()).await.expect_err("a forged entry");
    assert_eq!(refused.to_string(), "the digest of entry 1 does not follow from the log");
    assert!(journal.head(&id("a")).await.is_err());
    journal.restore(&table("a"), entries.clone(), true, Vec::new()).await.expect("new");
    assert_eq!(journal.read_from(&id("a"), 0, 9).await, Ok(entries));
    assert!(journal.head(&id("a")).await.expect("there").finished);
    let next = Scribe::after(id("a"), &journal.read_from(&id("a"), 2, 1).await.expect("there")[0]);
    assert_eq!(journal.append({ next }.append()).await, Ok(Outcome::Stored));
}

async fn a_table_is_stored_with_its_effects_or_not_at_all(journal: &dyn Journal) {
    let pays = |amount: i64| {
        let (from, to) = (add("anna", -amount, Some(0)), add("table a", amount, None));
        vec![put("account", "x", "1"), from, to]
    };
    journal.post(vec![add("anna", 10, None)]).await.expect("a grant");
    let restore =
        async |amount| journal.restore(&table("a"), Vec::new(), false, pays(amount)).await;
    assert_eq!(restore(11).await, Ok(overdrawn("anna")));
    assert!(journal.head(&id("a")).await.is_err());
    assert_eq!(account(journal, "x").await, None);
    assert_eq!(restore(10).await, Ok(Outcome::Stored));
    assert_eq!(journal.head(&id("a")).await.expect("there").head, 0);
    assert_eq!(account(journal, "x").await.as_deref(), Some("1"));
    assert_eq!(account(journal, "table a").await.as_deref(), Some("10"));
    assert_eq!(restore(0).await, Err(JournalError::Exists(id("a"))));
}

async fn an_entry_follows_the_last_or_is_refused(journal: &dyn Journal) {
    journal.create(&table("a")).await.expect("new");
    let mut scribe = Scribe::new(&table("a"));
    let (first, second) = (scribe.append(), scribe.append());
    let conflict = |head| Ok(Outcome::Conflict { head });
    assert_eq!(journal.append(second.clone()).await, conflict(0));
    let strange = Scribe::new(&table("b")).entry();
    assert_eq!(journal.append(Append::new(id("a"), strange)).await, conflict(0));
    assert_eq!(journal.append(first.clone()).await, Ok(Outcome::Stored));
    assert_eq!(journal.append(first.clone()).await, conflict(1));
    let both = append_all(journal, vec![second.clone(), second.clone()]).await;
    assert_eq!(both, Ok(vec![Outcome::Stored, Outcome::Conflict { head: 2 }]));
    let stored = journal.read_from(&id("a"), 0, 9).await.expect("readable");
    assert_eq!(stored, [first.entry, second.entry].map(|entry| (*entry).clone()));
}

async fn a_conflict_in_the_middle_is_left_out_alone(journal: &dyn Journal) {
    for name in ["a", "b", "c"] {
        journal.create(&table(name)).await.expect("new");
    }
    let mut of_a = Scribe::new(&table("a"));
    let mut of_b = Scribe::new(&table("b"));
    let skipped = of_b.append();
    let batch = vec![
        with(of_a.append(), vec![put("note", "a", "1")]),
        with(of_b.append(), vec![put("note", "b", "1")]),
        with(of_a.append(), vec![put("note", "a", "2")]),
        Scribe::new(&table("c")).append(),
    ];
    let outcomes = append_all(journal, batch).await.expect("healthy");
    let stored = Outcome::Stored;
    assert_eq!(outcomes, [stored.clone(), Outcome::Conflict { head: 0 }, stored.clone(), stored]);
    assert_eq!(journal.record("note", "a").await, Ok(Some("2".to_owned())));
    assert_eq!(journal.record("note", "b").await, Ok(None));
    for (name, head) in [("a", 2), ("b", 0), ("c", 1)] {
        assert_eq!(journal.head(&id(name)).await.expect("there").head, head);
    }
    assert_eq!(journal.append(skipped).await, Ok(Outcome::Stored));
}

async fn what_overdraws_is_left_out_alone(journal: &dyn Journal) {
    for name in ["a", "b"] {
        journal.create(&table(name)).await.expect("new");
    }
    let (mut of_a, mut of_b) = (Scribe::new(&table("a")), Scribe::new(&table("b")));
    let grant = with(of_a.append(), vec![add("mint", -100, None), add("ann", 100, Some(0))]);
    // Ann has 100: she can pay 70 once, and the second time only the entry that asks is lost.
    let pay = vec![add("ann", -70, Some(0)), add("bob", 70, Some(0))];
    let batch = vec![
        grant,
        with(of_a.append(), pay.clone()),
        with(of_b.append(), pay),
        with(of_a.append(), vec![add("bob", -70, Some(0)), add("ann", 70, Some(0))]),
    ];
    let stored = Outcome::Stored;
    let outcomes = append_all(journal, batch).await.expect("healthy");
    assert_eq!(outcomes, [stored.clone(), stored.clone(), overdrawn("ann"), stored]);
    let balances = join_all(["mint", "ann", "bob"].map(|key| account(journal, key))).await;
    assert_eq!(balances, ["-100", "100", "0"].map(|text| Some(text.to_owned())));
    assert_eq!(journal.head(&id("b")).await.expect("there").head, 0);
}

async fn effects_come_all_or_not_at_all(journal: &dyn Journal) {
    journal.create(&table("a")).await.expect("new");
    let mut scribe = Scribe::new(&table("a"));
    let first = scribe.append();
    // The last of them fails, after others on the same and on other records.
    let short = vec![
        put("note", "x", "changed"),
        add("ann", 10, Some(0)),
        add("ann", -4, Some(0)),
        add("ann", -7, Some(0)),
    ];
    let outcome = journal.append(with(first.clone(), short)).await;
    assert_eq!(outcome, Ok(overdrawn("ann")));
    assert_eq!(
        (journal.record("note", "x").await, account(journal, "ann").await),
        (Ok(None), None)
    );
    // A sum that is no number is refused as well, to its sender only.
    let no_sum =
        |key: &str| JournalError::NoSum { kind: "account".to_owned(), key: key.to_owned() };
    let words = vec![
        Effect::Put {
            kind: "account".to_owned(),
            key: "w".to_owned(),
            value: Some("words".to_owned()),
        },
        add("w", 1, None),
    ];
    assert_eq!(journal.append(with(first.clone(), words)).await, Err(no_sum("w")));
    let huge = vec![add("h", i64::MAX, None), add("h", 1, None)];
    assert_eq!(journal.append(with(first.clone(), huge)).await, Err(no_sum("h")));
    assert_eq!(journal.records("account", None, 9).await, Ok(Vec::new()));

    let fits = vec![
        add("ann", 10, Some(0)),
        put("note", "x", "changed"),
        add("ann", -10, Some(0)),
        put("note", "x", "again"),
    ];
    assert_eq!(journal.append(with(first, fits)).await, Ok(Outcome::Stored));
    assert_eq!(account(journal, "ann").await, Some("0".to_owned()));
    assert_eq!(journal.record("note", "x").await, Ok(Some("again".to_owned())));
}

async fn records_are_listed_by_kind_and_page(journal: &dyn Journal) {
    journal.create(&table("a")).await.expect("new");
    let effects = ["c", "", "a", "b"].map(|key| put("k", key, &format!("of {key}"))).to_vec();
    let others = vec![put("j", "z", "other"), put("ka", "a", "other")];
    let append = with(Scribe::new(&table("a")).append(), [effects, others].concat());
    journal.append(append).await.expect("healthy");
    let keys = async |after, limit| -> Vec<String> {
        let page = journal.records("k", after, limit).await.expect("readable");
        page.into_iter().map(|(key, _)| key).collect()
    };
    assert_eq!(keys(None, 2).await, ["", "a"]);
    assert_eq!(keys(Some("a"), 2).await, ["b", "c"]);
    assert_eq!(keys(Some("c"), 2).await, [""; 0]);
    assert_eq!(journal.records("j", None, 9).await, Ok(vec![("z".to_owned(), "other".to_owned())]));
}

async fn entries_are_read_from_any_number(journal: &dyn Journal) {
    let mut entries = Scribe::new(&table("a")).entries(5);
    entries[4].sealed = entries[4].sealed.erased();
    entries[3].at_ms = u64::MAX;
    journal.restore(&table("a"), entries.clone(), false, Vec::new()).await.expect("new");
    let read = async |seq, limit| journal.read_from(&id("a"), seq, limit).await.expect("readable");
    assert_eq!(read(0, 100).await, entries);
    assert_eq!(read(1, 2).await, entries[1..3]);
    assert_eq!(read(0, usize::MAX).await, entries);
    assert!(
        read(5, 9).await.is_empty()
            && read(u64::MAX, 9).await.is_empty()
            && read(0, 0).await.is_empty()
    );
    assert!(journal.read_from(&id("b"), 0, 1).await.is_err());
}

async fn heads_are_listed_in_order_and_by_page(journal: &dyn Journal) {
    for name in ["c", "a", "e", "b", "d"] {
        journal.create(&table(name)).await.expect("new");
    }
    let mut of_b = Scribe::new(&table("b"));
    let last = Append { finished: true, ..of_b.append() };
    let mut of_d = Scribe::new(&table("d"));
    let batch = vec![last, of_d.append(), of_d.append()];
    append_all(journal, batch).await.expect("healthy");
    let heads = async |which, after: Option<&str>, limit| -> Vec<(String, u64, u64, bool)> {
        let heads = journal.heads(which, after.map(id).as_ref(), limit).await.expect("readable");
        assert!(heads.iter().all(|head| head.game == "pennies"));
        let seen = |head: parlor_journal::Head| {
            (head.table.to_string(), head.head, head.at_ms, head.finished)
        };
        heads.into_iter().map(seen).collect()
    };
    let fresh = |name: &str| (name.to_owned(), 0, 1_000, false);
    let (b, d) = (("b".to_owned(), 1, 2_000, true), ("d".to_owned(), 2, 2_001, false));
    assert_eq!(heads(Which::All, None, 2).await, [fresh("a"), b]);
    assert_eq!(heads(Which::All, Some("b"), 2).await, [fresh("c"), d.clone()]);
    assert_eq!(heads(Which::All, Some("d"), 2).await, [fresh("e")]);
    assert_eq!(heads(Which::All, Some("e"), 2).await, []);
    assert_eq!(heads(Which::Unfinished, None, 3).await, [fresh("a"), fresh("c"), d.clone()]);
    assert_eq!(heads(Which::Unfinished, Some("b"), 2).await, [fresh("c"), d.clone()]);
    let one = journal.head(&id("d")).await.expect("there");
    assert_eq!((one.table.to_string(), one.head, one.at_ms, one.finished), d);
}

async fn an_erased_log_keeps_its_digests(journal: &dyn Journal) {
    for name in ["a", "b"] {
        let entries = Scribe::new(&table(name)).entries(600);
        journal.restore(&table(name), entries, false, Vec::new()).await.expect("new");
    }
    let state = Snapshot { seq: 600, text: "secret state".to_owned() };
    journal.put_snapshot(&id("a"), state).await.expect("healthy");
    let before = journal.read_from(&id("a"), 0, 1000).await.expect("readable");
    let other = journal.read_from(&id("b"), 0, 1000).await.expect("readable");
    journal.erase_sealed(&id("a")).await.expect("healthy");
    journal.erase_sealed(&id("a")).await.expect("twice is once");
    let after = journal.read_from(&id("a"), 0, 1000).await.expect("readable");
    for (before, after) in before.iter().zip(&after) {
        assert_eq!(after.sealed, before.sealed.erased());
        assert_eq!((after.digest, &after.open), (before.digest, &before.open));
    }
    assert_eq!(first_unchained(&table("a").header, &after), None);
    assert_eq!(journal.snapshot(&id("a")).await, Ok(None));
    assert_eq!(journal.read_from(&id("b"), 0, 1000).await, Ok(other));
    let mut next = Scribe::after(id("a"), &after[599]);
    assert_eq!(journal.append(next.append()).await, Ok(Outcome::Stored));
    assert_eq!(journal.erase_sealed(&id("c")).await, Err(JournalError::Unknown(id("c"))));
}

async fn snapshots_can_be_lost(journal: &dyn Journal) {
    let entries = Scribe::new(&table("a")).entries(3);
    journal.restore(&table("a"), entries.clone(), false, Vec::new()).await.expect("new");
    assert_eq!(journal.snapshot(&id("a")).await, Ok(None));
    for seq in [1, 3] {
        let snapshot = Snapshot { seq, text: format!("state {seq}") };
        journal.put_snapshot(&id("a"), snapshot.clone()).await.expect("healthy");
        assert_eq!(journal.snapshot(&id("a")).await, Ok(Some(snapshot)));
    }
    journal.forget_snapshots().await.expect("healthy");
    assert_eq!(journal.snapshot(&id("a")).await, Ok(None));
    assert_eq!(journal.read_from(&id("a"), 0, 9).await, Ok(entries));
    let stray = Snapshot { seq: 0, text: String::new() };
    assert_eq!(journal.put_snapshot(&id("b"), stray).await, Err(JournalError::Unknown(id("b"))));
}

async fn the_last_stamp_is_kept(journal: &dyn Journal) {
    assert_eq!(journal.last_alive().await, Ok(None));
    for now in [5, 7] {
        journal.alive(now).await.expect("healthy");
        assert_eq!(journal.last_alive().await, Ok(Some(now)));
    }
    assert_eq!(journal.health(), Health::Healthy);
}

/// Several threads, each with tables of its own, and one table all of them fight for.
fn many_submitters_lose_nothing(journal: &Arc<dyn Journal>) {
    const THREADS: usize = 4;
    const TABLES: usize = 5;
    const ENTRIES: usize = 40;
    wait(journal.create(&table("shared"))).expect("new");
    let work = async |thread: usize, journal: &dyn Journal| {
        let mut scribes = Vec::new();
        for n in 0..TABLES {
            let table = table(&format!("t-{thread}-{n}"));
            journal.create(&table).await.expect("new");
            scribes.push(Scribe::new(&table));
        }
        let mut told = FuturesUnordered::new();
        for _ in 0..ENTRIES {
            for (n, scribe) in scribes.iter_mut().enumerate() {
                let append = with(scribe.append(), vec![add("all", 1, None)]);
                let seq = append.entry.seq;
                told.push(async move { (n, seq, journal.append(append).await) });
            }
        }
        let mut stored = [0; TABLES];
        while let Some((n, seq, outcome)) = told.next().await {
            assert_eq!(outcome, Ok(Outcome::Stored));
            // What is answered is there, and all before it.
            let head = journal.head(&id(&format!("t-{thread}-{n}"))).await.expect("there").head;
            assert!(head > seq, "{seq} is answered, and there are {head}");
            stored[n] += 1;
        }
        assert_eq!(stored, [ENTRIES; TABLES]);
        let mut scribe = Scribe::new(&table("shared"));
        let contested = (0..ENTRIES).map(|_| scribe.append()).collect();
        let outcomes = append_all(journal, contested).await.expect("healthy");
        outcomes.iter().filter(|outcome| **outcome == Outcome::Stored).count()
    };
    let won: usize = std::thread::scope(|scope| {
        let submit = |n| scope.spawn(move || wait(work(n, &**journal)));
        let threads: Vec<_> = (0..THREADS).map(submit).collect();
        threads.into_iter().map(|thread| thread.join().expect("no panic")).sum()
    });
    wait(async {
        assert_eq!(won, journal.head(&id("shared")).await.expect("there").head as usize);
        let all = (THREADS * TABLES * ENTRIES).to_string();
        assert_eq!(account(&**journal, "all").await, Some(all));
        for head in journal.heads(Which::All, None, 100).await.expect("readable") {
            let entries = journal.read_from(&head.table, 0, 1000).await.expect("readable");
            assert_eq!(entries.len() as u64, head.head);
            assert_eq!(first_unchained(&table(head.table.as_str()).header, &entries), None);
        }
    });
}

async fn records_change_without_an_entry_all_or_none(journal: &dyn Journal) {
    let first = vec![put("name", "anna", "1"), add("a", 1_000, Some(0)), add("h", -1_000, None)];
    assert_eq!(journal.post(first).await, Ok(Outcome::Stored));
    assert_eq!(account(journal, "a").await.as_deref(), Some("1000"));
    assert_eq!(account(journal, "h").await.as_deref(), Some("-1000"));
    // One that overdraws leaves no trace of the others.
    let short = vec![put("name", "anna", "2"), add("a", -1_001, Some(0))];
    assert_eq!(journal.post(short).await, Ok(overdrawn("a")));
    assert_eq!(journal.record("name", "anna").await, Ok(Some("1".to_owned())));
    let away = Effect::Put { kind: "name".to_owned(), key: "anna".to_owned(), value: None };
    assert_eq!(journal.post(vec![away]).await, Ok(Outcome::Stored));
    assert_eq!(journal.record("name", "anna").await, Ok(None));
    assert_eq!(journal.records("name", None, 9).await, Ok(Vec::new()));
}

/// All of it, each on a journal of its own.
macro_rules! contract {
    ($kind:ident, $open:expr, [$($promise:ident),* $(,)?]) => {
        mod $kind {
            use super::*;
            $(
                #[tokio::test]
                async fn $promise() {
                    let (journal, _keep) = $open;
                    super::$promise(&journal).await;
                }
            )*

            #[test]
            fn many_submitters_lose_nothing() {
                let (journal, _keep) = $open;
                let journal: Arc<dyn Journal> = Arc::new(journal);
                super::many_submitters_lose_nothing(&journal);
            }
        }
    };
    ($kind:ident, $open:expr) => {
        contract!($kind, $open, [
            a_table_is_created_once,
            a_table_is_restored_with_its_entries_or_not_at_all,
            a_table_is_stored_with_its_effects_or_not_at_all,
            an_entry_follows_the_last_or_is_refused,
            a_conflict_in_the_middle_is_left_out_alone,
            what_overdraws_is_left_out_alone,
            effects_come_all_or_not_at_all,
            records_are_listed_by_kind_and_page,
            records_change_without_an_entry_all_or_none,
            entries_are_read_from_any_number,
            heads_are_listed_in_order_and_by_page,
            an_erased_log_keeps_its_digests,
            snapshots_can_be_lost,
            the_last_stamp_is_kept,
        ]);
    };
}

fn sqlite(durability: Durability) -> (Sqlite, Folder) {
    let folder = Folder::new();
    (Sqlite::open(&folder.file(), durability).expect("opens"), folder)
}

contract!(memory, (Memory::default(), ()));
contract!(sqlite_power_safe, sqlite(Durability::PowerSafe));
contract!(sqlite_process_safe, sqlite(Durability::ProcessSafe));
