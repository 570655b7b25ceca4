//! The journal on this machine's disk. One sync of the disk is what a single table waits for; many
//! tables share it, so their rate stands beside the disk's own.

use cpu_time::ProcessTime;
use parlor_journal::{Append, Durability, Journal, NewTable, Outcome, Sqlite, Which};
use parlor_table::log::{Bytes32, Sealed, Stored, TableId};
use std::fs::File;
use std::io::{Seek as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::time::{Duration, Instant};

const SUBMITTERS: usize = 4;
const LONG: Duration = Duration::from_secs(5);

/// A folder beside the build and not in the one for temporary files, which may be no disk at all.
pub(crate) fn folder() -> PathBuf {
    let folder = Path::new("target").join(format!("bench-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder can be made");
    folder
}

pub(crate) fn run() {
    let folder = folder();
    syncs(&folder);
    appends(&folder, Durability::PowerSafe, 1);
    appends(&folder, Durability::PowerSafe, 500);
    appends(&folder, Durability::ProcessSafe, 500);
    syncs(&folder);
    many_tables(&folder);
    std::fs::remove_dir_all(&folder).expect("it was ours");
}

/// How often the disk itself can be waited for.
pub(crate) fn syncs(folder: &Path) {
    let mut file = File::create(folder.join("syncs")).expect("a file");
    let start = Instant::now();
    let mut count = 0;
    while start.elapsed() < Duration::from_secs(2) {
        file.rewind().expect("a file");
        file.write_all(&[count as u8; 4096]).expect("written");
        file.sync_data().expect("synced");
        count += 1;
    }
    let rate = f64::from(count) / start.elapsed().as_secs_f64();
    println!("  the disk: {rate:.0} writes of 4 KiB with a sync a second");
}

/// An entry of about the size a two-player game writes.
fn entry(seq: u64) -> Stored {
    Stored {
        seq,
        at_ms: 1_700_000_000_000 + seq,
        open: format!(
            r#"{{"input":{{"seat":1,"command":{{"play":"13/7 8/7"}}}},"events":{seq:080}}}"#
        ),
        sealed: Sealed::Kept {
            salt: Bytes32([seq as u8; 32]),
            text: format!(r#"{{"id":"3f2a0c1d9e8b7a65","ask":{seq},"draws":{seq:060}}}"#),
        },
        digest: Bytes32([seq as u8; 32]),
    }
}

fn table(n: usize) -> NewTable {
    NewTable {
        table: format!("t-{n}").parse().expect("a plain name"),
        game: "pennies".to_owned(),
        header: "h".repeat(400),
        secret: "s".repeat(64),
        created_ms: 0,
    }
}

/// Every table has one entry in flight, as it is in play.
fn appends(folder: &Path, durability: Durability, tables: usize) {
    let path = folder.join(format!("appends-{tables}-{durability:?}.db"));
    let journal = Sqlite::open(&path, durability).expect("opens");
    let ids: Vec<TableId> = (0..tables)
        .map(|n| {
            journal.create(&table(n)).expect("new");
            table(n).table
        })
        .collect();
    let (start, cpu) = (Instant::now(), ProcessTime::now());
    let counts: Vec<u64> = std::thread::scope(|scope| {
        let own = ids.chunks(tables.div_ceil(SUBMITTERS));
        let threads: Vec<_> = own.map(|own| scope.spawn(|| keep_busy(&journal, own))).collect();
        threads.into_iter().map(|thread| thread.join().expect("no panic")).collect()
    });
    let (wall, cpu) = (start.elapsed().as_secs_f64(), cpu.elapsed().as_secs_f64());
    let count = counts.iter().sum::<u64>() as f64;
    let stored: u64 = ids.iter().map(|id| journal.head(id).expect("there").head).sum();
    assert_eq!(stored as f64, count, "every acknowledged entry is stored");
    println!(
        "  {tables:>3} tables, {durability:?}: {:.0} appends a second, {:.1} µs of CPU each",
        count / wall,
        1e6 * cpu / count
    );
}

fn keep_busy(journal: &Sqlite, tables: &[TableId]) -> u64 {
    let (tell, told) = mpsc::channel();
    let submit = |n: usize, seq: u64| {
        let tell = tell.clone();
        let done = move |outcome| {
            assert_eq!(outcome, Ok(Outcome::Stored));
            tell.send((n, seq)).expect("the submitter listens");
        };
        journal.submit(Append::new(tables[n].clone(), entry(seq)), Box::new(done));
    };
    let start = Instant::now();
    (0..tables.len()).for_each(|n| submit(n, 0));
    let (mut count, mut flying) = (0, tables.len());
    while flying > 0 {
        let (n, seq) = told.recv().expect("this thread sends as well");
        count += 1;
        if start.elapsed() < LONG {
            submit(n, seq + 1);
        } else {
            flying -= 1;
        }
    }
    count
}

/// What stored tables cost the start, and a long one its return.
fn many_tables(folder: &Path) {
    const TABLES: usize = 100_000;
    let path = folder.join("many.db");
    let journal = Sqlite::open(&path, Durability::ProcessSafe).expect("opens");
    for n in 0..TABLES {
        journal.restore(&table(n), (0..5).map(entry).collect(), n % 10 != 0).expect("new");
    }
    let long = NewTable { table: "long".parse().expect("a plain name"), ..table(0) };
    journal.restore(&long, (0..1_000).map(entry).collect(), false).expect("new");
    drop(journal);
    let bytes = std::fs::metadata(&path).expect("there").len();

    let start = Instant::now();
    let journal = Sqlite::open(&path, Durability::PowerSafe).expect("opens");
    let page = journal.heads(Which::Unfinished, None, 100).expect("readable");
    assert_eq!(page.len(), 100);
    let opened = start.elapsed();
    let start = Instant::now();
    let mut last = Some(page[99].table.clone());
    let mut listed = page.len();
    while let Some(after) = last.take() {
        let page = journal.heads(Which::Unfinished, Some(&after), 1_000).expect("readable");
        listed += page.len();
        last = page.into_iter().next_back().map(|head| head.table);
    }
    let listing = start.elapsed();
    let start = Instant::now();
    let entries = journal.read_from(&long.table, 0, usize::MAX).expect("readable");
    println!(
        "  {TABLES} tables ({} MiB): opened with a first page in {:.1?}, {listed} unfinished listed \
         in {listing:.1?}, {} entries of one table read in {:.1?}",
        bytes >> 20,
        opened,
        entries.len(),
        start.elapsed()
    );
}
