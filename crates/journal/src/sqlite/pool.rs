//! The connections for reading. A reader takes one of its own, so readers and the writer do not block
//! each other.

use super::Durability;
use crate::JournalError;
use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError, RwLock};
use std::time::Duration;

/// Connections to one file.
pub(super) struct Pool {
    file: PathBuf,
    durability: Durability,
    kind: Kind,
    /// Connections that nobody uses just now. A reader holds the outer lock for reading while it uses
    /// one, so the writer can have all of them closed by taking that lock for writing.
    rested: RwLock<Mutex<Vec<Connection>>>,
    /// Holds off a second process until the last connection is closed.
    _lock: Option<File>,
}

/// How a database is opened for reading.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// By the program that writes it.
    Own,
    /// By another, which leaves everything as it is.
    Foreign {
        /// Whether there is something that the writer has still to move into the file itself.
        leave_log: bool,
    },
    /// On a disk that cannot be written, not even by what readers note for each other.
    Immutable,
}

/// How many connections at rest are kept.
const POOLED: usize = 8;

/// How many KiB such a connection keeps of the file beside a writer.
const CACHE_KIB: i64 = 128;

/// How long a statement waits for a lock, which only another program can hold for long.
pub(super) const BUSY: Duration = Duration::from_secs(5);

/// A connection to a database that is there, unless the flags say to create it.
fn connect(path: &Path, durability: Durability, flags: OpenFlags) -> rusqlite::Result<Connection> {
    let always = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let db = Connection::open_with_flags(path, always | flags)?;
    db.busy_timeout(BUSY)?;
    settle_on(&db, durability)?;
    db.pragma_update(None, "wal_autocheckpoint", 0)?;
    // What is erased, or written anew elsewhere, leaves no bytes behind.
    db.pragma_update(None, "secure_delete", true)?;
    db.set_prepared_statement_cache_capacity(64);
    Ok(db)
}

/// How a connection waits for the disk.
fn settle_on(db: &Connection, durability: Durability) -> rusqlite::Result<()> {
    let (synchronous, full) = match durability {
        Durability::PowerSafe => ("FULL", true),
        Durability::ProcessSafe => ("NORMAL", false),
    };
    db.pragma_update(None, "synchronous", synchronous)?;
    // On macOS a sync reaches the disk only when asked twice; elsewhere this does nothing.
    db.pragma_update(None, "fullfsync", full)?;
    db.pragma_update(None, "checkpoint_fullfsync", full)
}

/// A connection to a database on a disk that nobody can write to.
fn connect_immutable(path: &Path) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY
        | OpenFlags::SQLITE_OPEN_NO_MUTEX
        | OpenFlags::SQLITE_OPEN_URI;
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let escaped = |byte: &u8| match byte {
        b'/' | b'.' | b'-' | b'_' => char::from(*byte).to_string(),
        byte if byte.is_ascii_alphanumeric() => char::from(*byte).to_string(),
        byte => format!("%{byte:02x}"),
    };
    let name: String = path.as_os_str().as_encoded_bytes().iter().map(escaped).collect();
    let name = name.trim_start_matches('/');
    Connection::open_with_flags(format!("file:///{name}?immutable=1"), flags)
}

impl Pool {
    /// A pool for this file, still without connections. Its owner has locked it by `lock`.
    pub(super) fn new(file: &Path, durability: Durability, kind: Kind, lock: Option<File>) -> Self {
        let rested = RwLock::default();
        Self { file: file.to_owned(), durability, kind, rested, _lock: lock }
    }

    /// Another connection, one that may write; `flags` may say to create the file.
    pub(super) fn writable(&self, flags: OpenFlags) -> rusqlite::Result<Connection> {
        connect(&self.file, self.durability, flags)
    }

    /// A connection that nobody shares the file with, here or in another process; fails if anybody
    /// has it open.
    pub(super) fn alone(&self) -> rusqlite::Result<Connection> {
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let db = Connection::open_with_flags(&self.file, flags)?;
        // Before anything else: what reads the file first, shares it.
        db.pragma_update(None, "locking_mode", "exclusive")?;
        settle_on(&db, self.durability)?;
        Ok(db)
    }

    /// Reads on a connection of the pool.
    pub(super) fn read<T>(
        &self,
        read: impl FnOnce(&Connection) -> rusqlite::Result<T>,
    ) -> Result<T, JournalError> {
        let fail = |error| JournalError::Failed(format!("the journal cannot be read: {error}"));
        let pool = self.rested.read().unwrap_or_else(PoisonError::into_inner);
        let rested = pool.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let db = match rested {
            Some(db) => db,
            None => self.connect().map_err(fail)?,
        };
        let found = read(&db).map_err(fail)?;
        let mut pool = pool.lock().unwrap_or_else(PoisonError::into_inner);
        if pool.len() < POOLED {
            pool.push(db);
        }
        Ok(found)
    }

    pub(super) fn connect(&self) -> rusqlite::Result<Connection> {
        match self.kind {
            Kind::Own | Kind::Foreign { .. } => {
                let db = self.writable(OpenFlags::empty())?;
                db.pragma_update(None, "query_only", true)?;
                if self.kind == Kind::Own {
                    // Pages that are kept are forgotten with the next commit anyway.
                    db.pragma_update(None, "cache_size", -CACHE_KIB)?;
                }
                if self.kind == (Kind::Foreign { leave_log: true }) {
                    db.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
                }
                Ok(db)
            }
            Kind::Immutable => connect_immutable(&self.file),
        }
    }

    /// Closes all connections and keeps them so while `alone` works.
    pub(super) fn shut<T>(&self, alone: impl FnOnce() -> T) -> T {
        let pool = self.rested.write().unwrap_or_else(PoisonError::into_inner);
        pool.lock().unwrap_or_else(PoisonError::into_inner).clear();
        alone()
    }
}
