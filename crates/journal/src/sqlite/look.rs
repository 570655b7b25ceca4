//! Reading: whoever reads takes a connection of its own from a pool and blocks nobody.

use super::{Durability, schema};
use crate::{Head, JournalError, NewTable, Reader, Snapshot, Which};
use parlor_table::log::{Bytes32, Sealed, Stored, TableId, Tail};
use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags, OptionalExtension as _, Row, ffi, params};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError, RwLock};
use std::time::Duration;

/// A journal in an SQLite file, to be looked at only. Another process may be writing it.
pub struct Look {
    file: PathBuf,
    durability: Durability,
    kind: Kind,
    /// Connections at rest. Whoever uses one holds the outer lock for reading, so that the writer
    /// can have all of them closed by taking it for writing.
    pool: RwLock<Mutex<Vec<Connection>>>,
}

/// How a database is opened for reading.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// By the program that writes it.
    Own,
    /// By another, which leaves everything as it is.
    Foreign {
        /// Whether there is something that the writer has still to move into the file itself.
        leave_log: bool,
    },
    /// Where nobody can write, not even the notes which readers leave each other.
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

impl Look {
    /// Opens the journal in this file, changing nothing.
    pub fn open(file: &Path) -> Result<Self, JournalError> {
        let fail = |why: &dyn std::fmt::Display| {
            JournalError::Failed(format!("the journal {} cannot be opened: {why}", file.display()))
        };
        if !file.is_file() {
            return Err(fail(&"there is no such file"));
        }
        let leave_log = !log_is_empty(file);
        let kind = Kind::Foreign { leave_log };
        let mut look = Self { kind, ..Self::at(file, Durability::default()) };
        // Where nothing can be written, readers cannot meet; where nothing is left to be moved into
        // the file, they need not.
        let unwritable = look.connect().and_then(|db| schema::version(&db)).err();
        let unwritable = unwritable.and_then(|error| error.sqlite_error_code());
        if !leave_log && matches!(unwritable, Some(ErrorCode::CannotOpen | ErrorCode::ReadOnly)) {
            look.kind = Kind::Immutable;
        }
        match look.version()? {
            Ok(schema::VERSION) => Ok(look),
            Ok(0) => Err(fail(&"there is no journal in it")),
            Ok(_) => {
                Err(fail(&"an older parlor wrote it; open it once with parlor play or import"))
            }
            Err(why) => Err(fail(&why)),
        }
    }

    /// A pool without connections.
    pub(super) fn at(file: &Path, durability: Durability) -> Self {
        Self { file: file.to_owned(), durability, kind: Kind::Own, pool: RwLock::default() }
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

    /// The version of the schema, or why it is none of ours.
    fn version(&self) -> Result<Result<usize, String>, JournalError> {
        self.read(|db| match schema::foreign(db)? {
            Some(why) => Ok(Err(why)),
            None => schema::version(db).map(Ok),
        })
    }

    /// Reads on a connection of the pool.
    pub(super) fn read<T>(
        &self,
        read: impl FnOnce(&Connection) -> rusqlite::Result<T>,
    ) -> Result<T, JournalError> {
        let fail = |error| JournalError::Failed(format!("the journal cannot be read: {error}"));
        let pool = self.pool.read().unwrap_or_else(PoisonError::into_inner);
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

    fn connect(&self) -> rusqlite::Result<Connection> {
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
        let pool = self.pool.write().unwrap_or_else(PoisonError::into_inner);
        pool.lock().unwrap_or_else(PoisonError::into_inner).clear();
        alone()
    }
}

/// Whether all that was written is in the file itself.
fn log_is_empty(file: &Path) -> bool {
    let mut log = file.as_os_str().to_owned();
    log.push("-wal");
    std::fs::metadata(log).map_or(true, |log| log.len() == 0)
}

/// The number a table has in the database.
pub(super) fn number(db: &Connection, table: &TableId) -> rusqlite::Result<Option<i64>> {
    db.prepare_cached("SELECT n FROM tables WHERE id = ?1")?
        .query_row([table.as_str()], |row| row.get(0))
        .optional()
}

/// The row of a table's last entry, 0 where it has none: the last of those that are not registered
/// yet, or else the one that is.
pub(super) fn head(db: &Connection, n: i64) -> rusqlite::Result<i64> {
    db.prepare_cached(
        "SELECT coalesce(max(row), 0) FROM (
             SELECT row FROM heads WHERE t = ?1
             UNION ALL
             SELECT row FROM entries WHERE t = ?1 AND row > (SELECT row FROM registered))",
    )?
    .query_row([n], |row| row.get(0))
}

/// Where the log of a table ends whose last entry is in this row.
pub(super) fn tail(db: &Connection, n: i64, head: i64) -> rusqlite::Result<Tail> {
    if head == 0 {
        return db
            .prepare_cached("SELECT header FROM tables WHERE n = ?1")?
            .query_row([n], |row| Ok(Tail::of_header(row.get_ref(0)?.as_str()?)));
    }
    db.prepare_cached("SELECT seq, digest FROM entries WHERE row = ?1")?.query_row([head], |row| {
        let seq = row.get::<_, i64>(0)?.cast_unsigned() + 1;
        Ok(Tail { seq, digest: Bytes32(row.get(1)?) })
    })
}

/// The value of a record.
pub(super) fn record(db: &Connection, kind: &str, key: &str) -> rusqlite::Result<Option<String>> {
    db.prepare_cached("SELECT value FROM records WHERE kind = ?1 AND key = ?2")?
        .query_row([kind, key], |row| row.get(0))
        .optional()
}

/// Entries of a table.
pub(super) fn entries(
    db: &Connection,
    n: i64,
    seq: u64,
    limit: usize,
) -> rusqlite::Result<Vec<Stored>> {
    Ok(rows(db, n, seq, limit)?.into_iter().map(|(_, entry)| entry).collect())
}

/// Entries of a table, each with its row: back from the first registered one behind them, or from
/// the last.
pub(super) fn rows(
    db: &Connection,
    n: i64,
    seq: u64,
    limit: usize,
) -> rusqlite::Result<Vec<(i64, Stored)>> {
    // Numbers and times go through `cast` and come back whole; only bounds are cut.
    let (seq, end) = (bound(seq), bound(seq.saturating_add(limit as u64)));
    let registered = db
        .prepare_cached(
            "SELECT row FROM register WHERE t = ?1 AND seq >= ?2 - 1 ORDER BY seq LIMIT 1",
        )?
        .query_row([n, end], |row| row.get(0))
        .optional()?;
    let mut at = registered.map_or_else(|| head(db, n), Ok)?;
    let mut select = db.prepare_cached(
        "SELECT seq, at_ms, open, salt, sealed, digest, prev FROM entries
         WHERE row = ?1 AND t = ?2",
    )?;
    let mut found = Vec::new();
    // The number this one must have, by the entry that named it.
    let mut expected = None;
    while at != 0 {
        let entry = select.query_row([at, n], |row| {
            let (number, before) = (row.get::<_, i64>(0)?, row.get::<_, i64>(6)?);
            let follows = expected.is_none_or(|expected| number == expected);
            // The first entry, and no other, has none before it.
            if !follows || (before == 0) != (number == 0) {
                return Ok(None);
            }
            if (seq..end).contains(&number) {
                found.push((at, stored(row)?));
            }
            if number <= seq {
                return Ok(Some(0));
            }
            expected = Some(number - 1);
            Ok(Some(before))
        });
        at = entry.optional()?.flatten().ok_or_else(|| failure(ffi::SQLITE_CORRUPT))?;
    }
    found.reverse();
    Ok(found)
}

pub(super) fn failure(code: std::ffi::c_int) -> rusqlite::Error {
    rusqlite::Error::SqliteFailure(ffi::Error::new(code), None)
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

/// The columns of many heads, from which [`listed`] reads them.
macro_rules! select_head {
    ($rest:literal) => {
        concat!(
            "WITH late AS MATERIALIZED (
                 SELECT t, max(row) AS row FROM entries
                 WHERE row > (SELECT row FROM registered) GROUP BY t)
             SELECT id, game, coalesce(seq + 1, 0), coalesce(at_ms, created_ms), finished, moved
             FROM tables LEFT JOIN late ON late.t = n LEFT JOIN heads ON heads.t = n
             LEFT JOIN entries ON entries.row = coalesce(late.row, heads.row) ",
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
        moved: row.get(5)?,
    })
}

fn name(row: &Row<'_>, column: usize) -> rusqlite::Result<TableId> {
    row.get::<_, String>(column)?.parse().map_err(|error: &str| {
        rusqlite::Error::FromSqlConversionFailure(column, rusqlite::types::Type::Text, error.into())
    })
}

impl Reader for Look {
    fn table(&self, table: &TableId) -> Result<NewTable, JournalError> {
        let found = self.read(|db| {
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
        let found = self.read(|db| {
            let _one = db.unchecked_transaction()?;
            let Some(n) = number(db, table)? else { return Ok(None) };
            db.prepare_cached(
                "SELECT id, game, coalesce(seq + 1, 0), coalesce(at_ms, created_ms), finished, moved
                 FROM tables LEFT JOIN entries ON entries.row = ?2 WHERE n = ?1",
            )?
            .query_row([n, head(db, n)?], listed)
            .map(Some)
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
        self.read(|db| {
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
        let found = self.read(|db| {
            let _one = db.unchecked_transaction()?;
            number(db, table)?.map(|n| entries(db, n, seq, limit)).transpose()
        })?;
        found.ok_or_else(|| JournalError::Unknown(table.clone()))
    }

    fn record(&self, kind: &str, key: &str) -> Result<Option<String>, JournalError> {
        self.read(|db| record(db, kind, key))
    }

    fn records(
        &self,
        kind: &str,
        after: Option<&str>,
        limit: usize,
    ) -> Result<Vec<(String, String)>, JournalError> {
        self.read(|db| {
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

    fn snapshot(&self, table: &TableId) -> Result<Option<Snapshot>, JournalError> {
        let found = self.read(|db| {
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

    fn last_alive(&self) -> Result<Option<u64>, JournalError> {
        self.read(|db| {
            db.query_row("SELECT at_ms FROM alive", [], |row| row.get::<_, i64>(0))
                .optional()
                .map(|at| at.map(i64::cast_unsigned))
        })
    }
}
