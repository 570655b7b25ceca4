//! The journal on this machine's disk. One sync of the disk is what a single table waits for; many
//! tables share it, so their rate stands beside the disk's own.

use cpu_time::ProcessTime;
use parlor_journal::{
    Append, Durability, Journal, NewTable, Outcome, Reader, Sqlite, Which, all_heads,
};
use parlor_table::log::{Bytes32, Sealed, Stored, Tail};
use std::fs::File;
use std::io::{Seek as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::runtime::{self, Runtime};

const SUBMITTERS: usize = 4;
const LONG: Duration = Duration::from_secs(5);

/// A folder beside the build and not in the one for temporary files, which may be no disk at all.
pub(crate) fn folder() -> PathBuf {
    let folder = Path::new("target").join(format!("bench-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder can be made");
    folder
}

fn runtime() -> Runtime {
    let threads = runtime::Builder::new_multi_thread().worker_threads(SUBMITTERS).build();
    threads.expect("threads")
}

pub(crate) fn run() {
    let folder = folder();
    syncs(&folder);
    appends(&folder, Durability::PowerSafe, 1);
    appends(&folder, Durability::PowerSafe, 500);
    appends(&folder, Durability::ProcessSafe, 500);
    syncs(&folder);
    runtime().block_on(many_tables(&folder));
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
fn entry(tail: Tail) -> Stored {
    let seq = tail.seq;
    let open =
        format!(r#"{{"input":{{"seat":1,"command":{{"play":"13/7 8/7"}}}},"events":{seq:080}}}"#);
    let sealed = Sealed::Kept {
        salt: Bytes32([seq as u8; 32]),
        text: format!(r#"{{"id":"3f2a0c1d9e8b7a65","ask":{seq},"draws":{seq:060}}}"#),
    };
    tail.write(1_700_000_000_000 + seq, open, sealed)
}

/// The first entries of a table.
fn log(table: &NewTable, count: usize) -> Vec<Stored> {
    let first = entry(Tail::of_header(&table.header));
    let next = |last: &Stored| Some(entry(Tail::of_last(last)));
    std::iter::successors(Some(first), next).take(count).collect()
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
    let journal = Arc::new(Sqlite::open(&path, durability).expect("opens"));
    let submitters = runtime();
    let all: Vec<NewTable> = (0..tables).map(table).collect();
    all.iter().for_each(|table| submitters.block_on(journal.create(table)).expect("new"));
    let (start, cpu) = (Instant::now(), ProcessTime::now());
    let spawn = |table: &NewTable| submitters.spawn(keep_busy(journal.clone(), table.clone()));
    let busy: Vec<_> = all.iter().map(spawn).collect();
    let counts = busy.into_iter().map(|table| submitters.block_on(table).expect("no panic"));
    let count = counts.sum::<u64>() as f64;
    let (wall, cpu) = (start.elapsed().as_secs_f64(), cpu.elapsed().as_secs_f64());
    let head = |table: &NewTable| submitters.block_on(journal.head(&table.table)).expect("there");
    let stored: u64 = all.iter().map(|table| head(table).head).sum();
    assert_eq!(stored as f64, count, "every acknowledged entry is stored");
    println!(
        "  {tables:>3} tables, {durability:?}: {:.0} appends a second, {:.1} µs of CPU each",
        count / wall,
        1e6 * cpu / count
    );
}

async fn keep_busy(journal: Arc<Sqlite>, table: NewTable) -> u64 {
    let start = Instant::now();
    let mut tail = Tail::of_header(&table.header);
    let mut count = 0;
    while start.elapsed() < LONG {
        let entry = entry(tail);
        tail = Tail::of_last(&entry);
        let outcome = journal.append(Append::new(table.table.clone(), entry)).await;
        assert_eq!(outcome, Ok(Outcome::Stored));
        count += 1;
    }
    count
}

/// What stored tables cost the start, and a long one its return.
async fn many_tables(folder: &Path) {
    const TABLES: usize = 100_000;
    let path = folder.join("many.db");
    let journal = Sqlite::open(&path, Durability::ProcessSafe).expect("opens");
    for n in 0..TABLES {
        journal.restore(&table(n), log(&table(n), 5), n % 10 != 0, Vec::new()).await.expect("new");
    }
    let long = NewTable { table: "long".parse().expect("a plain name"), ..table(0) };
    journal.restore(&long, log(&long, 1_000), false, Vec::new()).await.expect("new");
    drop(journal);
    let bytes = std::fs::metadata(&path).expect("there").len();

    let start = Instant::now();
    let journal = Sqlite::open(&path, Durability::PowerSafe).expect("opens");
    let page = journal.heads(Which::Unfinished, None, 100).await.expect("readable");
    assert_eq!(page.len(), 100);
    let opened = start.elapsed();
    let start = Instant::now();
    let listed = all_heads(&journal, Which::Unfinished).await.expect("readable").len();
    let listing = start.elapsed();
    let start = Instant::now();
    let entries = journal.read_from(&long.table, 0, usize::MAX).await.expect("readable");
    println!(
        "  {TABLES} tables ({} MiB): opened with a first page in {:.1?}, {listed} unfinished listed \
         in {listing:.1?}, {} entries of one table read in {:.1?}",
        bytes >> 20,
        opened,
        entries.len(),
        start.elapsed()
    );
}
