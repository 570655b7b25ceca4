//! The journal in one SQLite file.
//!
//! One thread writes; see `writer.rs`. Readers, in this process or in another, take connections of
//! their own and do not block it.

mod batch;
mod checkpoint;
mod look;
mod pool;
mod recovery;
mod schema;
mod writer;

pub use look::Look;

use crate::{
    Append, Effect, Head, Health, Journal, JournalError, NewTable, Outcome, Reader, Snapshot,
    Which, chained,
};
use async_trait::async_trait;
use batch::{Restored, Work};
use look::number;
use parlor_table::log::{Stored, TableId};
use pool::{Kind, Pool};
use rusqlite::{Connection, OpenFlags, params};
use serde::{Deserialize, Serialize};
use std::fs::{File, TryLockError};
use std::path::Path;
use std::sync::mpsc::{self, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use tokio::sync::oneshot;
use writer::{Job, Message, Writer};

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
    look: Look,
    jobs: Sender<Message>,
    /// The writer and its helper, until they are waited for.
    threads: Mutex<Vec<JoinHandle<()>>>,
}

/// What the writer and the readers have in common.
struct Shared {
    pool: Arc<Pool>,
    /// Held while a checkpoint runs: of two at a time, the second would give up.
    checkpoints: Mutex<()>,
    health: Mutex<Health>,
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
        let pool = Arc::new(Pool::new(path, durability, Kind::Own, Some(lock)));
        let mut db = pool.writable(create).map_err(|error| fail(&error))?;
        if let Some(why) = schema::foreign(&db).map_err(|error| fail(&error))? {
            return Err(fail(&why));
        }
        db.pragma_update(None, "journal_mode", "wal").map_err(|error| fail(&error))?;
        schema::migrate(&mut db).map_err(|error| fail(&error))?;

        let shared = Arc::new(Shared {
            pool: pool.clone(),
            checkpoints: Mutex::default(),
            health: Mutex::new(Health::Healthy),
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
        Ok(Self { shared, look: Look::through(pool), jobs, threads: Mutex::new(threads) })
    }

    /// Has the writer do something, and waits for its answer.
    async fn write(&self, work: Work) -> Result<Outcome, JournalError> {
        let (done, answer) = oneshot::channel();
        if self.jobs.send(Message::Job(Job { work, done })).is_err() {
            return Err(JournalError::Paused("the journal has stopped".to_owned()));
        }
        answer.await.unwrap_or_else(|_| Err(JournalError::closed()))
    }

    /// A small write that may be done twice.
    async fn note(
        &self,
        note: impl Fn(&Connection) -> rusqlite::Result<Result<(), JournalError>> + Send + 'static,
    ) -> Result<(), JournalError> {
        self.write(Work::Note(Box::new(note))).await.map(drop)
    }

    /// Closes the journal for writing: answers all that is queued, and waits until that is done.
    /// Nothing can be stored from then on.
    pub fn close(&self) {
        // The writer may have ended before.
        let _ = self.jobs.send(Message::Close);
        let threads =
            std::mem::take(&mut *self.threads.lock().unwrap_or_else(PoisonError::into_inner));
        for thread in threads {
            // The last owner may be a task that the writer wakes by an answer, and so the writer
            // itself, which cannot wait for itself.
            if thread.thread().id() != thread::current().id() {
                drop(thread.join());
            }
        }
    }
}

impl Drop for Sqlite {
    fn drop(&mut self) {
        self.close();
    }
}

impl Shared {
    fn set_health(&self, health: Health) {
        *self.health.lock().unwrap_or_else(PoisonError::into_inner) = health;
    }

    fn health(&self) -> Health {
        self.health.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

#[async_trait]
impl Reader for Sqlite {
    async fn table(&self, table: &TableId) -> Result<NewTable, JournalError> {
        self.look.table(table).await
    }

    async fn head(&self, table: &TableId) -> Result<Head, JournalError> {
        self.look.head(table).await
    }

    async fn heads(
        &self,
        which: Which,
        after: Option<&TableId>,
        limit: usize,
    ) -> Result<Vec<Head>, JournalError> {
        self.look.heads(which, after, limit).await
    }

    async fn read_from(
        &self,
        table: &TableId,
        seq: u64,
        limit: usize,
    ) -> Result<Vec<Stored>, JournalError> {
        self.look.read_from(table, seq, limit).await
    }

    async fn record(&self, kind: &str, key: &str) -> Result<Option<String>, JournalError> {
        self.look.record(kind, key).await
    }

    async fn records(
        &self,
        kind: &str,
        after: Option<&str>,
        limit: usize,
    ) -> Result<Vec<(String, String)>, JournalError> {
        self.look.records(kind, after, limit).await
    }

    async fn snapshot(&self, table: &TableId) -> Result<Option<Snapshot>, JournalError> {
        self.look.snapshot(table).await
    }

    async fn last_alive(&self) -> Result<Option<u64>, JournalError> {
        self.look.last_alive().await
    }
}

#[async_trait]
impl Journal for Sqlite {
    async fn restore(
        &self,
        table: &NewTable,
        entries: Vec<Stored>,
        finished: bool,
        effects: Vec<Effect>,
    ) -> Result<Outcome, JournalError> {
        let (table, tail) = (table.clone(), chained(table, &entries)?);
        self.write(Work::Restore(Restored { table, entries, tail, finished, effects })).await
    }

    async fn append(&self, append: Append) -> Result<Outcome, JournalError> {
        self.write(Work::Append(append)).await
    }

    async fn post(&self, effects: Vec<Effect>) -> Result<Outcome, JournalError> {
        self.write(Work::Post(effects)).await
    }

    async fn put_snapshot(&self, table: &TableId, snapshot: Snapshot) -> Result<(), JournalError> {
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
        .await
    }

    async fn forget_snapshots(&self) -> Result<(), JournalError> {
        self.note(|db| db.execute("DELETE FROM snapshots", []).map(|_| Ok(()))).await
    }

    async fn alive(&self, now_ms: u64) -> Result<(), JournalError> {
        self.note(move |db| {
            db.prepare_cached("INSERT OR REPLACE INTO alive (one, at_ms) VALUES (1, ?1)")?
                .execute([now_ms.cast_signed()])?;
            Ok(Ok(()))
        })
        .await
    }

    async fn erase_sealed(&self, table: &TableId) -> Result<(), JournalError> {
        self.write(Work::Erase(table.clone())).await.map(drop)
    }

    fn health(&self) -> Health {
        self.shared.health()
    }
}
