//! The journal in one SQLite file.
//!
//! One thread writes; whoever reads blocks nobody, in this process or in another. The writer commits as soon as its last commit has returned, with all that arrived meanwhile, so
//! that many tables share one sync of the disk.

mod look;
mod schema;
mod writer;

pub use look::Look;

use crate::{
    Append, Done, Effect, Head, Health, Journal, JournalError, NewTable, Outcome, Reader, Snapshot,
    Which, chained,
};
use look::number;
use parlor_table::log::{Stored, TableId};
use rusqlite::{Connection, OpenFlags, params};
use serde::{Deserialize, Serialize};
use std::fs::{File, TryLockError};
use std::path::Path;
use std::sync::mpsc::{self, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use writer::{Job, Restored, Work, Writer};

/// What a stored entry survives.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Durability {
    /// The loss of power: each commit waits for the disk.
    #[default]
    PowerSafe,
    /// The death of the process; a loss of power may cost the last seconds.
    ProcessSafe,
}

/// A journal in an SQLite file.
pub struct Sqlite {
    shared: Arc<Shared>,
    /// Gone once the journal is being closed, which ends the writer.
    jobs: Option<Sender<Job>>,
    threads: Vec<JoinHandle<()>>,
}

/// What the writer and the readers have in common.
struct Shared {
    look: Look,
    /// Held by whoever runs a checkpoint: of two, the second would give up.
    checkpoints: Mutex<()>,
    health: Mutex<Health>,
    /// Holds off a second process until the last of our connections is closed.
    _lock: File,
}

impl Sqlite {
    /// Opens the journal in this file, or begins one; brings an older one up to date.
    pub fn open(path: &Path, durability: Durability) -> Result<Self, JournalError> {
        let fail = |why: &dyn std::fmt::Display| {
            JournalError::Failed(format!("the journal {} cannot be opened: {why}", path.display()))
        };
        // The same file by another name is the same journal.
        let mut beside = path.canonicalize().unwrap_or_else(|_| path.to_owned()).into_os_string();
        beside.push(".lock");
        let lock = File::create(beside).map_err(|error| fail(&error))?;
        lock.try_lock().map_err(|error| match error {
            TryLockError::WouldBlock => fail(&"another process has it open"),
            TryLockError::Error(error) => fail(&error),
        })?;

        let create = OpenFlags::SQLITE_OPEN_CREATE;
        let look = Look::at(path, durability);
        let mut db = look.writable(create).map_err(|error| fail(&error))?;
        if let Some(why) = schema::foreign(&db).map_err(|error| fail(&error))? {
            return Err(fail(&why));
        }
        db.pragma_update(None, "journal_mode", "wal").map_err(|error| fail(&error))?;
        schema::migrate(&mut db).map_err(|error| fail(&error))?;

        let shared = Arc::new(Shared {
            look,
            checkpoints: Mutex::default(),
            health: Mutex::new(Health::Healthy),
            _lock: lock,
        });
        let (jobs, queue) = mpsc::channel();
        let (full, fill) = mpsc::sync_channel(1);
        let writer = Writer::new(shared.clone(), db, queue, full).map_err(|error| fail(&error))?;
        let checkpoints = shared.clone();
        let name = |name: &str| thread::Builder::new().name(name.to_owned());
        let threads = vec![
            name("journal").spawn(move || writer.run()).map_err(|error| fail(&error))?,
            name("checkpoint")
                .spawn(move || fill.iter().for_each(|()| checkpoints.checkpoint()))
                .map_err(|error| fail(&error))?,
        ];
        Ok(Self { shared, jobs: Some(jobs), threads })
    }

    fn send(&self, work: Work, done: Done) {
        let unsent = match &self.jobs {
            Some(jobs) => jobs.send(Job { work, done }).err().map(|unsent| unsent.0),
            None => Some(Job { work, done }),
        };
        if let Some(job) = unsent {
            (job.done)(Err(JournalError::Paused("the journal has stopped".to_owned())));
        }
    }

    fn wait(&self, work: Work) -> Result<Outcome, JournalError> {
        let (tell, answer) = mpsc::channel();
        self.send(work, Box::new(move |outcome| drop(tell.send(outcome))));
        answer.recv().unwrap_or_else(|_| Err(JournalError::closed()))
    }

    /// A small write that may be done twice.
    fn note(
        &self,
        note: impl Fn(&Connection) -> rusqlite::Result<Result<(), JournalError>> + Send + 'static,
    ) -> Result<(), JournalError> {
        self.wait(Work::Note(Box::new(note))).map(drop)
    }
}

impl Drop for Sqlite {
    /// Waits until all that was submitted is answered.
    fn drop(&mut self) {
        self.jobs = None;
        for thread in self.threads.drain(..) {
            // The last owner may be a `done`, and so the writer itself, which cannot wait for itself.
            if thread.thread().id() != thread::current().id() {
                drop(thread.join());
            }
        }
    }
}

impl Shared {
    /// Moves what is in the write-ahead log into the database, as far as nobody needs to wait.
    fn checkpoint(&self) {
        // What fails here is tried again after the next entries, and nothing depends on it.
        let _turn = self.checkpoints.lock().unwrap_or_else(PoisonError::into_inner);
        drop(self.look.read(|db| checkpoint(db, "PASSIVE")));
    }

    fn set_health(&self, health: Health) {
        *self.health.lock().unwrap_or_else(PoisonError::into_inner) = health;
    }

    fn health(&self) -> Health {
        self.health.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// Runs a checkpoint; tells whether it came to its end.
fn checkpoint(db: &Connection, mode: &str) -> rusqlite::Result<bool> {
    db.query_row(&format!("PRAGMA wal_checkpoint({mode})"), [], |row| {
        let (busy, log, moved): (i64, i64, i64) = (row.get(0)?, row.get(1)?, row.get(2)?);
        Ok(busy == 0 && log == moved)
    })
}

impl Reader for Sqlite {
    fn table(&self, table: &TableId) -> Result<NewTable, JournalError> {
        self.shared.look.table(table)
    }

    fn head(&self, table: &TableId) -> Result<Head, JournalError> {
        self.shared.look.head(table)
    }

    fn heads(
        &self,
        which: Which,
        after: Option<&TableId>,
        limit: usize,
    ) -> Result<Vec<Head>, JournalError> {
        self.shared.look.heads(which, after, limit)
    }

    fn read_from(
        &self,
        table: &TableId,
        seq: u64,
        limit: usize,
    ) -> Result<Vec<Stored>, JournalError> {
        self.shared.look.read_from(table, seq, limit)
    }

    fn record(&self, kind: &str, key: &str) -> Result<Option<String>, JournalError> {
        self.shared.look.record(kind, key)
    }

    fn records(
        &self,
        kind: &str,
        after: Option<&str>,
        limit: usize,
    ) -> Result<Vec<(String, String)>, JournalError> {
        self.shared.look.records(kind, after, limit)
    }

    fn snapshot(&self, table: &TableId) -> Result<Option<Snapshot>, JournalError> {
        self.shared.look.snapshot(table)
    }

    fn last_alive(&self) -> Result<Option<u64>, JournalError> {
        self.shared.look.last_alive()
    }
}

impl Journal for Sqlite {
    fn restore(
        &self,
        table: &NewTable,
        entries: Vec<Stored>,
        finished: bool,
        effects: Vec<Effect>,
    ) -> Result<Outcome, JournalError> {
        let (table, tail) = (table.clone(), chained(table, &entries)?);
        self.wait(Work::Restore(Restored { table, entries, tail, finished, effects }))
    }

    fn submit(&self, append: Append, done: Done) {
        self.send(Work::Append(append), done);
    }

    fn post(&self, effects: Vec<Effect>) -> Result<Outcome, JournalError> {
        self.wait(Work::Post(effects))
    }

    fn put_snapshot(&self, table: &TableId, snapshot: Snapshot) -> Result<(), JournalError> {
        let table = table.clone();
        self.note(move |db| {
            let Some(n) = number(db, &table)? else {
                return Ok(Err(JournalError::Unknown(table.clone())));
            };
            db.prepare_cached(
                "INSERT OR REPLACE INTO snapshots (t, seq, text) VALUES (?1, ?2, ?3)",
            )?
            .execute(params![n, snapshot.seq.cast_signed(), snapshot.text])?;
            Ok(Ok(()))
        })
    }

    fn forget_snapshots(&self) -> Result<(), JournalError> {
        self.note(|db| db.execute("DELETE FROM snapshots", []).map(|_| Ok(())))
    }

    fn alive(&self, now_ms: u64) -> Result<(), JournalError> {
        self.note(move |db| {
            db.prepare_cached("INSERT OR REPLACE INTO alive (one, at_ms) VALUES (1, ?1)")?
                .execute([now_ms.cast_signed()])?;
            Ok(Ok(()))
        })
    }

    fn erase_sealed(&self, table: &TableId) -> Result<(), JournalError> {
        self.wait(Work::Erase(table.clone())).map(drop)
    }

    fn health(&self) -> Health {
        self.shared.health()
    }
}
