//! What the tests share: folders that vanish, and logs to store.

use futures_util::future::join_all;
use parlor_journal::{Append, Journal, JournalError, NewTable, Outcome};
use parlor_table::log::{Bytes32, Sealed, Stored, TableId, Tail};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};

/// A folder of this test alone.
pub(crate) struct Folder(PathBuf);

impl Folder {
    pub(crate) fn new() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let next = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("journal-{}-{next}", std::process::id());
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        std::fs::create_dir_all(&path).expect("a folder can be made");
        Self(path)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    pub(crate) fn file(&self) -> PathBuf {
        self.0.join("journal.db")
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        drop(std::fs::remove_dir_all(&self.0));
    }
}

pub(crate) fn id(name: &str) -> TableId {
    name.parse().expect("a plain name")
}

pub(crate) fn table(name: &str) -> NewTable {
    NewTable {
        table: id(name),
        game: "pennies".to_owned(),
        header: format!(
            r#"{{"table":"{name}","game":"pennies","edition":1,"config":{{}},"seats":2,"options":{{}},"created_ms":1000,"dice":"{}","root":null}}"#,
            Bytes32([0; 32])
        ),
        secret: format!("secret of {name}"),
        created_ms: 1_000,
    }
}

/// Writes the entries of one table, each chained to the one before.
#[derive(Clone)]
pub(crate) struct Scribe {
    table: TableId,
    tail: Tail,
}

impl Scribe {
    pub(crate) fn new(table: &NewTable) -> Self {
        Self { table: table.table.clone(), tail: Tail::of_header(&table.header) }
    }

    /// Goes on after an entry that is stored.
    pub(crate) fn after(table: TableId, last: &Stored) -> Self {
        Self { table, tail: Tail::of_last(last) }
    }

    /// The next entry, as if the one before it were stored.
    pub(crate) fn entry(&mut self) -> Stored {
        let seq = self.tail.seq;
        self.write(&format!(r#""seq":{seq},"of":"{}""#, self.table))
    }

    /// The last entry of a game, which tells the secret of its dice.
    pub(crate) fn last(&mut self) -> Append {
        let told = self.write(&format!(r#""secret":"{}""#, Bytes32([0; 32])));
        Append { finished: true, ..Append::new(self.table.clone(), told) }
    }

    fn write(&mut self, what: &str) -> Stored {
        let seq = self.tail.seq;
        let open = format!(r#"{{"at_ms":{},{what}}}"#, 2_000 + seq);
        let salt = Bytes32::hash(&[self.table.as_str().as_bytes(), &seq.to_be_bytes()]);
        let sealed = Sealed::Kept { salt, text: format!(r#"{{"hidden":"{salt}"}}"#) };
        let entry = self.tail.write(2_000 + seq, open, sealed);
        self.tail = Tail::of_last(&entry);
        entry
    }

    pub(crate) fn append(&mut self) -> Append {
        Append::new(self.table.clone(), self.entry())
    }

    pub(crate) fn entries(&mut self, count: usize) -> Vec<Stored> {
        (0..count).map(|_| self.entry()).collect()
    }
}

/// The number of the first entry that does not follow from the header and those before it.
pub(crate) fn first_unchained(header: &str, entries: &[Stored]) -> Option<u64> {
    let mut tail = Tail::of_header(header);
    entries.iter().find_map(|entry| match tail.after(entry) {
        Ok(after) => {
            tail = after;
            None
        }
        Err(_) => Some(tail.seq),
    })
}

/// This test binary again, to run one of its tests as a process of its own. Such a
/// test does nothing unless it is told so by its environment.
pub(crate) fn another(test: &str) -> Command {
    let mut command = Command::new(std::env::current_exe().expect("a test is a program"));
    command.args(["--exact", "--nocapture", test]);
    command
}

/// Runs a future in a test that is not one itself.
pub(crate) fn wait<T>(future: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().build();
    runtime.expect("a runtime").block_on(future)
}

/// Appends entries that are queued at once. All are awaited before the first error is given, so that
/// none is still on its way.
pub(crate) async fn append_all(
    journal: &dyn Journal,
    batch: Vec<Append>,
) -> Result<Vec<Outcome>, JournalError> {
    let appends = batch.into_iter().map(|append| journal.append(append));
    join_all(appends).await.into_iter().collect()
}
