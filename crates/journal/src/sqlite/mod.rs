//! The journal in one SQLite file.
//!
//! One thread writes; whoever reads takes a connection of its own from a pool and blocks nobody.
//! The writer commits as soon as its last commit has returned, with all that arrived meanwhile, so
//! that many tables share one sync of the disk.

mod schema;
mod writer;

use crate::{
    Append, Done, Head, Health, Journal, JournalError, NewTable, Outcome, Snapshot, Which, in_order,
};
use parlor_table::log::{Bytes32, Sealed, Stored, TableId};
use rusqlite::{Connection, OpenFlags, OptionalExtension as _, Row, params};
use serde::{Deserialize, Serialize};
use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, Sender};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::thread::{self, JoinHandle};
use std::time::Duration;
use writer::{Job, Work, Writer};

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
    path: PathBuf,
    durability: Durability,
    /// Connections at rest. Whoever uses one holds the outer lock for reading, so that the writer
    /// can have all of them closed by taking it for writing.
    pool: RwLock<Mutex<Vec<Connection>>>,
    /// Held by whoever runs a checkpoint: of two, the second would give up.
    checkpoints: Mutex<()>,
    health: Mutex<Health>,
    /// Holds off a second process until the last of our connections is closed.
    _lock: File,
}

/// How many connections at rest are kept.
const POOLED: usize = 8;

/// How long a statement waits for a lock, which only another program can hold for long.
const BUSY: Duration = Duration::from_secs(5);

impl Sqlite {
    /// Opens the journal in this file, or begins one; brings an older one up to date.
    pub fn open(path: &Path, durability: Durability) -> Result<Self, JournalError> {
        let fail = |why: &dyn std::fmt::Display| {
            JournalError::Failed(format!("the journal {} cannot be opened: {why}", path.display()))
        };
        let mut beside = path.as_os_str().to_owned();
        beside.push(".lock");
        let lock = File::create(beside).map_err(|error| fail(&error))?;
        lock.try_lock().map_err(|error| match error {
            TryLockError::WouldBlock => fail(&"another process has it open"),
            TryLockError::Error(error) => fail(&error),
        })?;

        let create = OpenFlags::SQLITE_OPEN_CREATE;
        let mut db = connect(path, durability, create).map_err(|error| fail(&error))?;
        if let Some(why) = schema::foreign(&db).map_err(|error| fail(&error))? {
            return Err(fail(&why));
        }
        db.pragma_update(None, "journal_mode", "wal").map_err(|error| fail(&error))?;
        schema::migrate(&mut db).map_err(|error| fail(&error))?;

        let shared = Arc::new(Shared {
            path: path.to_owned(),
            durability,
            pool: RwLock::default(),
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

    fn wait(&self, work: Work) -> Result<(), JournalError> {
        let (tell, answer) = mpsc::channel();
        self.send(work, Box::new(move |outcome| drop(tell.send(outcome))));
        answer.recv().unwrap_or_else(|_| Err(JournalError::closed())).map(|_: Outcome| ())
    }

    /// A small write that may be done twice.
    fn note(
        &self,
        note: impl Fn(&Connection) -> rusqlite::Result<Result<(), JournalError>> + Send + 'static,
    ) -> Result<(), JournalError> {
        self.wait(Work::Note(Box::new(note)))
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

/// A connection to a database that is there, unless the flags say to create it.
fn connect(path: &Path, durability: Durability, flags: OpenFlags) -> rusqlite::Result<Connection> {
    let always = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let db = Connection::open_with_flags(path, always | flags)?;
    db.busy_timeout(BUSY)?;
    let (synchronous, full) = match durability {
        Durability::PowerSafe => ("FULL", true),
        Durability::ProcessSafe => ("NORMAL", false),
    };
    db.pragma_update(None, "synchronous", synchronous)?;
    // On macOS a sync reaches the disk only when asked twice; elsewhere this does nothing.
    db.pragma_update(None, "fullfsync", full)?;
    db.pragma_update(None, "checkpoint_fullfsync", full)?;
    db.pragma_update(None, "wal_autocheckpoint", 0)?;
    db.set_prepared_statement_cache_capacity(64);
    Ok(db)
}

impl Shared {
    /// Reads on a connection of the pool.
    fn read<T>(
        &self,
        read: impl FnOnce(&Connection) -> rusqlite::Result<T>,
    ) -> Result<T, JournalError> {
        let fail = |error| JournalError::Failed(format!("the journal cannot be read: {error}"));
        let pool = self.pool.read().unwrap_or_else(PoisonError::into_inner);
        let rested = pool.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let db = match rested {
            Some(db) => db,
            None => {
                let db = connect(&self.path, self.durability, OpenFlags::empty()).map_err(fail)?;
                db.pragma_update(None, "query_only", true).map_err(fail)?;
                db
            }
        };
        let found = read(&db).map_err(fail)?;
        let mut pool = pool.lock().unwrap_or_else(PoisonError::into_inner);
        if pool.len() < POOLED {
            pool.push(db);
        }
        Ok(found)
    }

    /// Moves what is in the write-ahead log into the database, as far as nobody needs to wait.
    fn checkpoint(&self) {
        // What fails here is tried again after the next entries, and nothing depends on it.
        let _turn = self.checkpoints.lock().unwrap_or_else(PoisonError::into_inner);
        drop(self.read(|db| checkpoint(db, "PASSIVE")));
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

/// The number a table has in the database.
fn number(db: &Connection, table: &TableId) -> rusqlite::Result<Option<i64>> {
    db.prepare_cached("SELECT n FROM tables WHERE id = ?1")?
        .query_row([table.as_str()], |row| row.get(0))
        .optional()
}

/// How many entries a table has.
fn head(db: &Connection, n: i64) -> rusqlite::Result<u64> {
    db.prepare_cached("SELECT max(seq) FROM entries WHERE t = ?1")?
        .query_row([n], |row| row.get::<_, Option<i64>>(0))
        .map(|last| last.map_or(0, |last| last.cast_unsigned() + 1))
}

/// The value of a record.
fn record(db: &Connection, kind: &str, key: &str) -> rusqlite::Result<Option<String>> {
    db.prepare_cached("SELECT value FROM records WHERE kind = ?1 AND key = ?2")?
        .query_row([kind, key], |row| row.get(0))
        .optional()
}

/// Entries of a table.
fn entries(db: &Connection, n: i64, seq: u64, limit: usize) -> rusqlite::Result<Vec<Stored>> {
    let mut select = db.prepare_cached(
        "SELECT seq, at_ms, open, salt, sealed, digest FROM entries
         WHERE t = ?1 AND seq >= ?2 ORDER BY seq LIMIT ?3",
    )?;
    // Numbers and times go through `cast` and come back whole; only bounds are cut.
    let (seq, limit) = (bound(seq), bound(limit as u64));
    select.query_map(params![n, seq, limit], stored)?.collect()
}

fn bound(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

fn stored(row: &Row<'_>) -> rusqlite::Result<Stored> {
    let sealed = match row.get::<_, Option<[u8; 32]>>(3)? {
        Some(salt) => Sealed::Kept { salt: Bytes32(salt), text: row.get(4)? },
        None => Sealed::Erased { hash: Bytes32(row.get(4)?) },
    };
    Ok(Stored {
        seq: row.get::<_, i64>(0)?.cast_unsigned(),
        at_ms: row.get::<_, i64>(1)?.cast_unsigned(),
        open: row.get(2)?,
        sealed,
        digest: Bytes32(row.get(5)?),
    })
}

/// The columns of a head, from which [`listed`] reads it: the last entry is found by the index.
macro_rules! select_head {
    ($rest:literal) => {
        concat!(
            "SELECT id, game, coalesce(seq + 1, 0), coalesce(at_ms, created_ms), finished
             FROM tables LEFT JOIN entries ON t = n
                 AND seq = (SELECT max(seq) FROM entries WHERE t = n) ",
            $rest
        )
    };
}

fn listed(row: &Row<'_>) -> rusqlite::Result<Head> {
    Ok(Head {
        table: name(row, 0)?,
        game: row.get(1)?,
        head: row.get::<_, i64>(2)?.cast_unsigned(),
        at_ms: row.get::<_, i64>(3)?.cast_unsigned(),
        finished: row.get(4)?,
    })
}

fn name(row: &Row<'_>, column: usize) -> rusqlite::Result<TableId> {
    row.get::<_, String>(column)?.parse().map_err(|error: &str| {
        rusqlite::Error::FromSqlConversionFailure(column, rusqlite::types::Type::Text, error.into())
    })
}

impl Journal for Sqlite {
    fn restore(
        &self,
        table: &NewTable,
        entries: Vec<Stored>,
        finished: bool,
    ) -> Result<(), JournalError> {
        in_order(&entries)?;
        self.wait(Work::Restore { table: table.clone(), entries, finished })
    }

    fn submit(&self, append: Append, done: Done) {
        self.send(Work::Append(append), done);
    }

    fn table(&self, table: &TableId) -> Result<NewTable, JournalError> {
        let found = self.shared.read(|db| {
            db.prepare_cached("SELECT game, header, secret, created_ms FROM tables WHERE id = ?1")?
                .query_row([table.as_str()], |row| {
                    Ok(NewTable {
                        table: table.clone(),
                        game: row.get(0)?,
                        header: row.get(1)?,
                        secret: row.get(2)?,
                        created_ms: row.get::<_, i64>(3)?.cast_unsigned(),
                    })
                })
                .optional()
        })?;
        found.ok_or_else(|| JournalError::Unknown(table.clone()))
    }

    fn head(&self, table: &TableId) -> Result<Head, JournalError> {
        let found = self.shared.read(|db| {
            db.prepare_cached(select_head!("WHERE id = ?1"))?
                .query_row([table.as_str()], listed)
                .optional()
        })?;
        found.ok_or_else(|| JournalError::Unknown(table.clone()))
    }

    fn heads(
        &self,
        which: Which,
        after: Option<&TableId>,
        limit: usize,
    ) -> Result<Vec<Head>, JournalError> {
        let sql = match which {
            Which::All => select_head!("WHERE id > ?1 ORDER BY id LIMIT ?2"),
            Which::Unfinished => {
                select_head!("WHERE finished = 0 AND id > ?1 ORDER BY id LIMIT ?2")
            }
        };
        let after = after.map_or("", TableId::as_str);
        self.shared.read(|db| {
            db.prepare_cached(sql)?
                .query_map(params![after, bound(limit as u64)], listed)?
                .collect()
        })
    }

    fn read_from(
        &self,
        table: &TableId,
        seq: u64,
        limit: usize,
    ) -> Result<Vec<Stored>, JournalError> {
        let found = self.shared.read(|db| match number(db, table)? {
            Some(n) => entries(db, n, seq, limit).map(Some),
            None => Ok(None),
        })?;
        found.ok_or_else(|| JournalError::Unknown(table.clone()))
    }

    fn record(&self, kind: &str, key: &str) -> Result<Option<String>, JournalError> {
        self.shared.read(|db| record(db, kind, key))
    }

    fn records(
        &self,
        kind: &str,
        after: Option<&str>,
        limit: usize,
    ) -> Result<Vec<(String, String)>, JournalError> {
        self.shared.read(|db| {
            db.prepare_cached(
                "SELECT key, value FROM records WHERE kind = ?1 AND (?2 IS NULL OR key > ?2)
                 ORDER BY key LIMIT ?3",
            )?
            .query_map(params![kind, after, bound(limit as u64)], |row| {
                Ok((row.get(0)?, row.get(1)?))
            })?
            .collect()
        })
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

    fn snapshot(&self, table: &TableId) -> Result<Option<Snapshot>, JournalError> {
        let found = self.shared.read(|db| {
            let Some(n) = number(db, table)? else { return Ok(None) };
            db.prepare_cached("SELECT seq, text FROM snapshots WHERE t = ?1")?
                .query_row([n], |row| {
                    let seq = row.get::<_, i64>(0)?.cast_unsigned();
                    Ok(Snapshot { seq, text: row.get(1)? })
                })
                .optional()
                .map(Some)
        })?;
        found.ok_or_else(|| JournalError::Unknown(table.clone()))
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

    fn last_alive(&self) -> Result<Option<u64>, JournalError> {
        self.shared.read(|db| {
            db.query_row("SELECT at_ms FROM alive", [], |row| row.get::<_, i64>(0))
                .optional()
                .map(|at| at.map(i64::cast_unsigned))
        })
    }

    fn erase_sealed(&self, table: &TableId) -> Result<(), JournalError> {
        self.wait(Work::Erase(table.clone()))
    }

    fn health(&self) -> Health {
        self.shared.health()
    }
}
