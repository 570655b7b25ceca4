//! What every journal promises. A new kind joins by a line at the end.

use crate::support::{Folder, Scribe, first_unchained, id, table};
use parlor_journal::{
    Append, Durability, Effect, Health, Journal, JournalError, Memory, Outcome, Snapshot, Sqlite,
    Which,
};
use std::sync::Arc;
use std::sync::mpsc;

fn put(kind: &str, key: &str, value: &str) -> Effect {
    Effect::Put { kind: kind.to_owned(), key: key.to_owned(), value: Some(value.to_owned()) }
}

fn add(key: &str, amount: i64, floor: Option<i64>) -> Effect {
    Effect::Add { kind: "account".to_owned(), key: key.to_owned(), amount, floor }
}

fn with(append: Append, effects: Vec<Effect>) -> Append {
    Append { effects, ..append }
}

fn account(journal: &dyn Journal, key: &str) -> Option<String> {
    journal.record("account", key).expect("readable")
}

fn overdrawn(key: &str) -> Outcome {
    Outcome::Overdrawn { kind: "account".to_owned(), key: key.to_owned() }
}

fn a_table_is_created_once(journal: &dyn Journal) {
    let first = table("a");
    journal.create(&first).expect("new");
    assert_eq!(journal.create(&first), Err(JournalError::Exists(id("a"))));
    assert_eq!(journal.table(&id("a")), Ok(first));
    let unknown = Err(JournalError::Unknown(id("b")));
    assert_eq!(journal.table(&id("b")), unknown);
    let stray = Scribe::new(&table("b")).append();
    assert_eq!(journal.append(vec![stray]), Err(JournalError::Unknown(id("b"))));
}

fn a_table_is_restored_with_its_entries_or_not_at_all(journal: &dyn Journal) {
    let entries = Scribe::new(&table("a")).entries(3);
    let gap = vec![entries[0].clone(), entries[2].clone()];
    let refused = journal.restore(&table("a"), gap, false, Vec::new()).expect_err("a gap");
    assert_eq!(refused.to_string(), "entry 2 came where entry 1 belongs");
    let mut forged = entries.clone();
    forged[1].open.push(' ');
    let refused =
        journal.restore(&table("a"), forged, false, Vec::new()).expect_err("a forged entry");
    assert_eq!(refused.to_string(), "the digest of entry 1 does not follow from the log");
    assert!(journal.head(&id("a")).is_err());
    journal.restore(&table("a"), entries.clone(), true, Vec::new()).expect("new");
    assert_eq!(journal.read_from(&id("a"), 0, 9), Ok(entries));
    assert!(journal.head(&id("a")).expect("there").finished);
    let next = Scribe::after(id("a"), &journal.read_from(&id("a"), 2, 1).expect("there")[0]);
    assert_eq!(journal.append(vec![{ next }.append()]), Ok(vec![Outcome::Stored]));
}

fn a_table_is_stored_with_its_effects_or_not_at_all(journal: &dyn Journal) {
    let pays = |amount: i64| {
        let (from, to) = (add("anna", -amount, Some(0)), add("table a", amount, None));
        vec![put("account", "x", "1"), from, to]
    };
    journal.post(vec![add("anna", 10, None)]).expect("a grant");
    let restore = |amount| journal.restore(&table("a"), Vec::new(), false, pays(amount));
    assert_eq!(restore(11), Ok(overdrawn("anna")));
    assert!(journal.head(&id("a")).is_err());
    assert_eq!(account(journal, "x"), None);
    assert_eq!(restore(10), Ok(Outcome::Stored));
    assert_eq!(journal.head(&id("a")).expect("there").head, 0);
    assert_eq!(account(journal, "x").as_deref(), Some("1"));
    assert_eq!(account(journal, "table a").as_deref(), Some("10"));
    assert_eq!(restore(0), Err(JournalError::Exists(id("a"))));
}

fn an_entry_follows_the_last_or_is_refused(journal: &dyn Journal) {
    journal.create(&table("a")).expect("new");
    let mut scribe = Scribe::new(&table("a"));
    let (first, second) = (scribe.append(), scribe.append());
    let conflict = |head| Ok(vec![Outcome::Conflict { head }]);
    assert_eq!(journal.append(vec![second.clone()]), conflict(0));
    let strange = Scribe::new(&table("b")).entry();
    assert_eq!(journal.append(vec![Append::new(id("a"), strange)]), conflict(0));
    assert_eq!(journal.append(vec![first.clone()]), Ok(vec![Outcome::Stored]));
    assert_eq!(journal.append(vec![first.clone()]), conflict(1));
    let both = journal.append(vec![second.clone(), second.clone()]);
    assert_eq!(both, Ok(vec![Outcome::Stored, Outcome::Conflict { head: 2 }]));
    let stored = journal.read_from(&id("a"), 0, 9).expect("readable");
    assert_eq!(stored, [first.entry, second.entry].map(|entry| (*entry).clone()));
}

fn a_conflict_in_the_middle_is_left_out_alone(journal: &dyn Journal) {
    for name in ["a", "b", "c"] {
        journal.create(&table(name)).expect("new");
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
    let outcomes = journal.append(batch).expect("healthy");
    let stored = Outcome::Stored;
    assert_eq!(outcomes, [stored.clone(), Outcome::Conflict { head: 0 }, stored.clone(), stored]);
    assert_eq!(journal.record("note", "a"), Ok(Some("2".to_owned())));
    assert_eq!(journal.record("note", "b"), Ok(None));
    let heads = ["a", "b", "c"].map(|name| journal.head(&id(name)).expect("there").head);
    assert_eq!(heads, [2, 0, 1]);
    assert_eq!(journal.append(vec![skipped]), Ok(vec![Outcome::Stored]));
}

fn what_overdraws_is_left_out_alone(journal: &dyn Journal) {
    for name in ["a", "b"] {
        journal.create(&table(name)).expect("new");
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
    let outcomes = journal.append(batch).expect("healthy");
    assert_eq!(outcomes, [stored.clone(), stored.clone(), overdrawn("ann"), stored]);
    let balances = ["mint", "ann", "bob"].map(|key| account(journal, key));
    assert_eq!(balances, ["-100", "100", "0"].map(|text| Some(text.to_owned())));
    assert_eq!(journal.head(&id("b")).expect("there").head, 0);
}

fn effects_come_all_or_not_at_all(journal: &dyn Journal) {
    journal.create(&table("a")).expect("new");
    let mut scribe = Scribe::new(&table("a"));
    let first = scribe.append();
    // The last of them fails, after others on the same and on other records.
    let short = vec![
        put("note", "x", "changed"),
        add("ann", 10, Some(0)),
        add("ann", -4, Some(0)),
        add("ann", -7, Some(0)),
    ];
    let outcome = journal.append(vec![with(first.clone(), short)]);
    assert_eq!(outcome, Ok(vec![overdrawn("ann")]));
    assert_eq!((journal.record("note", "x"), account(journal, "ann")), (Ok(None), None));
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
    assert_eq!(journal.append(vec![with(first.clone(), words)]), Err(no_sum("w")));
    let huge = vec![add("h", i64::MAX, None), add("h", 1, None)];
    assert_eq!(journal.append(vec![with(first.clone(), huge)]), Err(no_sum("h")));
    assert_eq!(journal.records("account", None, 9), Ok(Vec::new()));

    let fits = vec![
        add("ann", 10, Some(0)),
        put("note", "x", "changed"),
        add("ann", -10, Some(0)),
        put("note", "x", "again"),
    ];
    assert_eq!(journal.append(vec![with(first, fits)]), Ok(vec![Outcome::Stored]));
    assert_eq!(account(journal, "ann"), Some("0".to_owned()));
    assert_eq!(journal.record("note", "x"), Ok(Some("again".to_owned())));
}

fn records_are_listed_by_kind_and_page(journal: &dyn Journal) {
    journal.create(&table("a")).expect("new");
    let effects = ["c", "", "a", "b"].map(|key| put("k", key, &format!("of {key}"))).to_vec();
    let others = vec![put("j", "z", "other"), put("ka", "a", "other")];
    let append = with(Scribe::new(&table("a")).append(), [effects, others].concat());
    journal.append(vec![append]).expect("healthy");
    let keys = |after, limit| -> Vec<String> {
        let page = journal.records("k", after, limit).expect("readable");
        page.into_iter().map(|(key, _)| key).collect()
    };
    assert_eq!(keys(None, 2), ["", "a"]);
    assert_eq!(keys(Some("a"), 2), ["b", "c"]);
    assert_eq!(keys(Some("c"), 2), [""; 0]);
    assert_eq!(journal.records("j", None, 9), Ok(vec![("z".to_owned(), "other".to_owned())]));
}

fn entries_are_read_from_any_number(journal: &dyn Journal) {
    let mut entries = Scribe::new(&table("a")).entries(5);
    entries[4].sealed = entries[4].sealed.erased();
    entries[3].at_ms = u64::MAX;
    journal.restore(&table("a"), entries.clone(), false, Vec::new()).expect("new");
    let read = |seq, limit| journal.read_from(&id("a"), seq, limit).expect("readable");
    assert_eq!(read(0, 100), entries);
    assert_eq!(read(1, 2), entries[1..3]);
    assert_eq!(read(0, usize::MAX), entries);
    assert!(read(5, 9).is_empty() && read(u64::MAX, 9).is_empty() && read(0, 0).is_empty());
    assert!(journal.read_from(&id("b"), 0, 1).is_err());
}

fn heads_are_listed_in_order_and_by_page(journal: &dyn Journal) {
    for name in ["c", "a", "e", "b", "d"] {
        journal.create(&table(name)).expect("new");
    }
    let mut of_b = Scribe::new(&table("b"));
    let last = Append { finished: true, ..of_b.append() };
    let mut of_d = Scribe::new(&table("d"));
    let batch = vec![last, of_d.append(), of_d.append()];
    journal.append(batch).expect("healthy");
    let heads = |which, after: Option<&str>, limit| -> Vec<(String, u64, u64, bool)> {
        let heads = journal.heads(which, after.map(id).as_ref(), limit).expect("readable");
        assert!(heads.iter().all(|head| head.game == "pennies"));
        let seen = |head: parlor_journal::Head| {
            (head.table.to_string(), head.head, head.at_ms, head.finished)
        };
        heads.into_iter().map(seen).collect()
    };
    let fresh = |name: &str| (name.to_owned(), 0, 1_000, false);
    let (b, d) = (("b".to_owned(), 1, 2_000, true), ("d".to_owned(), 2, 2_001, false));
    assert_eq!(heads(Which::All, None, 2), [fresh("a"), b]);
    assert_eq!(heads(Which::All, Some("b"), 2), [fresh("c"), d.clone()]);
    assert_eq!(heads(Which::All, Some("d"), 2), [fresh("e")]);
    assert_eq!(heads(Which::All, Some("e"), 2), []);
    assert_eq!(heads(Which::Unfinished, None, 3), [fresh("a"), fresh("c"), d.clone()]);
    assert_eq!(heads(Which::Unfinished, Some("b"), 2), [fresh("c"), d.clone()]);
    let one = journal.head(&id("d")).expect("there");
    assert_eq!((one.table.to_string(), one.head, one.at_ms, one.finished), d);
}

fn an_erased_log_keeps_its_digests(journal: &dyn Journal) {
    for name in ["a", "b"] {
        let entries = Scribe::new(&table(name)).entries(600);
        journal.restore(&table(name), entries, false, Vec::new()).expect("new");
    }
    let state = Snapshot { seq: 600, text: "secret state".to_owned() };
    journal.put_snapshot(&id("a"), state).expect("healthy");
    let before = journal.read_from(&id("a"), 0, 1000).expect("readable");
    let other = journal.read_from(&id("b"), 0, 1000).expect("readable");
    journal.erase_sealed(&id("a")).expect("healthy");
    journal.erase_sealed(&id("a")).expect("twice is once");
    let after = journal.read_from(&id("a"), 0, 1000).expect("readable");
    for (before, after) in before.iter().zip(&after) {
        assert_eq!(after.sealed, before.sealed.erased());
        assert_eq!((after.digest, &after.open), (before.digest, &before.open));
    }
    assert_eq!(first_unchained(&table("a").header, &after), None);
    assert_eq!(journal.snapshot(&id("a")), Ok(None));
    assert_eq!(journal.read_from(&id("b"), 0, 1000), Ok(other));
    let mut next = Scribe::after(id("a"), &after[599]);
    assert_eq!(journal.append(vec![next.append()]), Ok(vec![Outcome::Stored]));
    assert_eq!(journal.erase_sealed(&id("c")), Err(JournalError::Unknown(id("c"))));
}

fn snapshots_can_be_lost(journal: &dyn Journal) {
    let entries = Scribe::new(&table("a")).entries(3);
    journal.restore(&table("a"), entries.clone(), false, Vec::new()).expect("new");
    assert_eq!(journal.snapshot(&id("a")), Ok(None));
    for seq in [1, 3] {
        let snapshot = Snapshot { seq, text: format!("state {seq}") };
        journal.put_snapshot(&id("a"), snapshot.clone()).expect("healthy");
        assert_eq!(journal.snapshot(&id("a")), Ok(Some(snapshot)));
    }
    journal.forget_snapshots().expect("healthy");
    assert_eq!(journal.snapshot(&id("a")), Ok(None));
    assert_eq!(journal.read_from(&id("a"), 0, 9), Ok(entries));
    let stray = Snapshot { seq: 0, text: String::new() };
    assert_eq!(journal.put_snapshot(&id("b"), stray), Err(JournalError::Unknown(id("b"))));
}

fn the_last_stamp_is_kept(journal: &dyn Journal) {
    assert_eq!(journal.last_alive(), Ok(None));
    for now in [5, 7] {
        journal.alive(now).expect("healthy");
        assert_eq!(journal.last_alive(), Ok(Some(now)));
    }
    assert_eq!(journal.health(), Health::Healthy);
}

/// Several threads, each with tables of its own, and one table all of them fight for.
fn many_submitters_lose_nothing(journal: &Arc<dyn Journal>) {
    const THREADS: usize = 4;
    const TABLES: usize = 5;
    const ENTRIES: usize = 40;
    journal.create(&table("shared")).expect("new");
    let work = |thread: usize| {
        let journal = journal.clone();
        move || {
            let mut scribes: Vec<Scribe> = (0..TABLES)
                .map(|n| {
                    let table = table(&format!("t-{thread}-{n}"));
                    journal.create(&table).expect("new");
                    Scribe::new(&table)
                })
                .collect();
            let (tell, told) = mpsc::channel();
            for _ in 0..ENTRIES {
                for (n, scribe) in scribes.iter_mut().enumerate() {
                    let append = with(scribe.append(), vec![add("all", 1, None)]);
                    let (tell, seq) = (tell.clone(), append.entry.seq);
                    let done = move |outcome| drop(tell.send((n, seq, outcome)));
                    journal.submit(append, Box::new(done));
                }
            }
            drop(tell);
            let mut due = [0; TABLES];
            for (n, seq, outcome) in told {
                assert_eq!((seq, outcome), (due[n], Ok(Outcome::Stored)));
                due[n] += 1;
            }
            assert_eq!(due, [ENTRIES as u64; TABLES]);
            let mut scribe = Scribe::new(&table("shared"));
            let contested = (0..ENTRIES).map(|_| scribe.append()).collect();
            let outcomes = journal.append(contested).expect("healthy");
            outcomes.iter().filter(|outcome| **outcome == Outcome::Stored).count()
        }
    };
    let threads: Vec<_> = (0..THREADS).map(|n| std::thread::spawn(work(n))).collect();
    let won: usize = threads.into_iter().map(|thread| thread.join().expect("no panic")).sum();
    assert_eq!(won, journal.head(&id("shared")).expect("there").head as usize);
    assert_eq!(account(&**journal, "all"), Some((THREADS * TABLES * ENTRIES).to_string()));
    for head in journal.heads(Which::All, None, 100).expect("readable") {
        let entries = journal.read_from(&head.table, 0, 1000).expect("readable");
        assert_eq!(entries.len() as u64, head.head);
        assert_eq!(first_unchained(&table(head.table.as_str()).header, &entries), None);
    }
}

fn records_change_without_an_entry_all_or_none(journal: &dyn Journal) {
    let first = vec![put("name", "anna", "1"), add("a", 1_000, Some(0)), add("h", -1_000, None)];
    assert_eq!(journal.post(first), Ok(Outcome::Stored));
    assert_eq!(account(journal, "a").as_deref(), Some("1000"));
    assert_eq!(account(journal, "h").as_deref(), Some("-1000"));
    // One that overdraws leaves no trace of the others.
    let short = vec![put("name", "anna", "2"), add("a", -1_001, Some(0))];
    assert_eq!(journal.post(short), Ok(overdrawn("a")));
    assert_eq!(journal.record("name", "anna"), Ok(Some("1".to_owned())));
    let away = Effect::Put { kind: "name".to_owned(), key: "anna".to_owned(), value: None };
    assert_eq!(journal.post(vec![away]), Ok(Outcome::Stored));
    assert_eq!(journal.record("name", "anna"), Ok(None));
    assert_eq!(journal.records("name", None, 9), Ok(Vec::new()));
}

/// All of it, each on a journal of its own.
macro_rules! contract {
    ($kind:ident, $open:expr, [$($promise:ident),* $(,)?]) => {
        mod $kind {
            use super::*;
            $(
                #[test]
                fn $promise() {
                    let (journal, _keep) = $open;
                    super::$promise(&journal);
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
