//! Reading: the statements, and a journal that can only be read.

use super::pool::{Kind, Pool};
use super::{Durability, schema};
use crate::{Head, JournalError, NewTable, Reader, Snapshot, Which, blocking};
use async_trait::async_trait;
use parlor_table::log::{Bytes32, Sealed, Stored, TableId, Tail};
use rusqlite::{Connection, ErrorCode, OptionalExtension as _, Row, ffi, params};
use std::path::Path;
use std::sync::Arc;

/// A journal in an SQLite file, to be read only. Another process may be writing it.
#[derive(Clone)]
pub struct Look(Arc<Pool>);

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
        let pool = |kind| Pool::new(file, Durability::default(), kind, None);
        let mut chosen = pool(kind);
        // Where nothing can be written, readers cannot meet; where nothing is left to be moved into
        // the file, they need not.
        let unwritable = chosen.connect().and_then(|db| schema::version(&db)).err();
        let unwritable = unwritable.and_then(|error| error.sqlite_error_code());
        if !leave_log && matches!(unwritable, Some(ErrorCode::CannotOpen | ErrorCode::ReadOnly)) {
            chosen = pool(Kind::Immutable);
        }
        match version(&chosen)? {
            Ok(schema::VERSION) => Ok(Self(Arc::new(chosen))),
            Ok(0) => Err(fail(&"there is no journal in it")),
            Ok(_) => {
                Err(fail(&"an older parlor wrote it; open it once with parlor play or import"))
            }
            Err(why) => Err(fail(&why)),
        }
    }

    /// Reads through the connections of a journal that is also written.
    pub(super) fn through(pool: Arc<Pool>) -> Self {
        Self(pool)
    }

    /// Reads on a thread that may wait for the disk.
    async fn read<T: Send + 'static>(
        &self,
        read: impl FnOnce(&Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T, JournalError> {
        let pool = self.0.clone();
        blocking(move || pool.read(read)).await?
    }

    /// Reads what belongs to a table; none of it is there if the table is not.
    async fn read_table<T: Send + 'static>(
        &self,
        table: &TableId,
        read: impl FnOnce(&Connection, &TableId) -> rusqlite::Result<Option<T>> + Send + 'static,
    ) -> Result<T, JournalError> {
        let id = table.clone();
        let found = self.read(move |db| read(db, &id)).await?;
        found.ok_or_else(|| JournalError::Unknown(table.clone()))
    }
}

/// Whether all that was written is in the file itself.
fn log_is_empty(file: &Path) -> bool {
    let mut log = file.as_os_str().to_owned();
    log.push("-wal");
    std::fs::metadata(log).map_or(true, |log| log.len() == 0)
}

/// The version of the schema, or why it is none of ours.
fn version(pool: &Pool) -> Result<Result<usize, String>, JournalError> {
    pool.read(|db| match schema::foreign(db)? {
        Some(why) => Ok(Err(why)),
        None => schema::version(db).map(Ok),
    })
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

#[async_trait]
impl Reader for Look {
    async fn table(&self, table: &TableId) -> Result<NewTable, JournalError> {
        self.read_table(table, |db, table| {
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
        })
        .await
    }

    async fn head(&self, table: &TableId) -> Result<Head, JournalError> {
        self.read_table(table, |db, table| {
            let _one = db.unchecked_transaction()?;
            let Some(n) = number(db, table)? else { return Ok(None) };
            db.prepare_cached(
                "SELECT id, game, coalesce(seq + 1, 0), coalesce(at_ms, created_ms), finished, moved
                 FROM tables LEFT JOIN entries ON entries.row = ?2 WHERE n = ?1",
            )?
            .query_row([n, head(db, n)?], listed)
            .map(Some)
        })
        .await
    }

    async fn heads(
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
        let after = after.map_or("", TableId::as_str).to_owned();
        self.read(move |db| {
            db.prepare_cached(sql)?
                .query_map(params![after, bound(limit as u64)], listed)?
                .collect()
        })
        .await
    }

    async fn read_from(
        &self,
        table: &TableId,
        seq: u64,
        limit: usize,
    ) -> Result<Vec<Stored>, JournalError> {
        self.read_table(table, move |db, table| {
            let _one = db.unchecked_transaction()?;
            number(db, table)?.map(|n| entries(db, n, seq, limit)).transpose()
        })
        .await
    }

    async fn record(&self, kind: &str, key: &str) -> Result<Option<String>, JournalError> {
        let (kind, key) = (kind.to_owned(), key.to_owned());
        self.read(move |db| record(db, &kind, &key)).await
    }

    async fn records(
        &self,
        kind: &str,
        after: Option<&str>,
        limit: usize,
    ) -> Result<Vec<(String, String)>, JournalError> {
        let (kind, after) = (kind.to_owned(), after.map(str::to_owned));
        self.read(move |db| {
            db.prepare_cached(
                "SELECT key, value FROM records WHERE kind = ?1 AND (?2 IS NULL OR key > ?2)
                 ORDER BY key LIMIT ?3",
            )?
            .query_map(params![kind, after, bound(limit as u64)], |row| {
                Ok((row.get(0)?, row.get(1)?))
            })?
            .collect()
        })
        .await
    }

    async fn snapshot(&self, table: &TableId) -> Result<Option<Snapshot>, JournalError> {
        self.read_table(table, |db, table| {
            let Some(n) = number(db, table)? else { return Ok(None) };
            db.prepare_cached("SELECT seq, text FROM snapshots WHERE t = ?1")?
                .query_row([n], |row| {
                    let seq = row.get::<_, i64>(0)?.cast_unsigned();
                    Ok(Snapshot { seq, text: row.get(1)? })
                })
                .optional()
                .map(Some)
        })
        .await
    }

    async fn last_alive(&self) -> Result<Option<u64>, JournalError> {
        self.read(|db| {
            db.query_row("SELECT at_ms FROM alive", [], |row| row.get::<_, i64>(0))
                .optional()
                .map(|at| at.map(i64::cast_unsigned))
        })
        .await
    }
}
