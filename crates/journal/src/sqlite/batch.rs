//! What is written in one transaction.

use super::look::{entries, head, number, record, rows, tail};
use crate::effect::{Change, changes};
use crate::{Append, Effect, JournalError, NewTable, Outcome};
use parlor_table::log::{Sealed, Stored, TableId, Tail};
use rusqlite::{Connection, TransactionBehavior, ffi, params};
use std::collections::HashMap;
use std::collections::hash_map::Entry;

/// Something to write.
pub(super) enum Work {
    Append(Append),
    Restore(Restored),
    Erase(TableId),
    Post(Vec<Effect>),
    /// Something small; doing it twice does no harm.
    Note(Note),
}

/// A table with all it has, checked.
pub(super) struct Restored {
    pub(super) table: NewTable,
    pub(super) entries: Vec<Stored>,
    pub(super) tail: Tail,
    pub(super) finished: bool,
    pub(super) effects: Vec<Effect>,
}

pub(super) type Note =
    Box<dyn Fn(&Connection) -> rusqlite::Result<Result<(), JournalError>> + Send>;

pub(super) type Answer = Result<Outcome, JournalError>;

/// How many tables' ends are remembered between commits.
const KNOWN: usize = 100_000;

/// Where the logs of tables end. Nobody else writes, so this stays true until a transaction fails.
#[derive(Default)]
pub(super) struct Ends {
    known: HashMap<TableId, End>,
    /// The newest row of `entries` that a commit has made durable.
    pub(super) durable: i64,
    /// The newest row written.
    written: i64,
}

/// Where the log of a table ends.
struct End {
    /// The table's number.
    n: i64,
    /// The row of the last entry, 0 where there is none.
    row: i64,
    tail: Tail,
    moved: bool,
}

/// A transaction that failed.
pub(super) enum Broken {
    /// Nothing of it is stored.
    Before(rusqlite::Error),
    /// The commit itself failed: all of it may be stored, or nothing.
    Commit(rusqlite::Error, Vec<Answer>),
}

/// Does a batch of work in one transaction; an answer for each.
pub(super) fn transact(
    db: &mut Connection,
    ends: &mut Ends,
    batch: &[&Work],
) -> Result<Vec<Answer>, Broken> {
    // Dropped before its commit, it is rolled back.
    let transaction =
        db.transaction_with_behavior(TransactionBehavior::Immediate).map_err(Broken::Before)?;
    // Nobody else should write. An entry that was written all the same is not written over.
    let newest = newest(&transaction).map_err(Broken::Before)?;
    if newest != ends.durable {
        ends.durable = newest;
        ends.forget();
    }
    let answers: rusqlite::Result<Vec<Answer>> =
        batch.iter().map(|work| perform(&transaction, ends, work)).collect();
    let answers = answers.map_err(Broken::Before)?;
    match transaction.commit() {
        Ok(()) => {
            ends.durable = ends.written;
            Ok(answers)
        }
        Err(error) if unwritten(&error) => Err(Broken::Before(error)),
        Err(error) => Err(Broken::Commit(error, answers)),
    }
}

/// Whether a commit failed before it was written as a whole. What a commit writes last makes it
/// valid, so a failed write leaves nothing; only after a failed sync is the outcome open. On a full
/// disk the file cannot be opened anew to find out, so this has to be known without.
fn unwritten(error: &rusqlite::Error) -> bool {
    let code = error.sqlite_error().map(|error| error.extended_code);
    code.is_some_and(|code| [ffi::SQLITE_FULL, ffi::SQLITE_IOERR_WRITE].contains(&code))
}

fn perform(db: &Connection, ends: &mut Ends, work: &Work) -> rusqlite::Result<Answer> {
    match work {
        Work::Append(append) => ends.append(db, append),
        Work::Restore(restored) => ends.restore(db, restored),
        Work::Erase(table) => erase(db, table).map(stored),
        Work::Post(effects) => post(db, effects),
        Work::Note(note) => note(db).map(stored),
    }
}

fn stored(answer: Result<(), JournalError>) -> Answer {
    answer.map(|()| Outcome::Stored)
}

/// Whether the work is found done in the file.
pub(super) fn holds(db: &Connection, work: &Work) -> rusqlite::Result<bool> {
    let has = |table: &TableId, entry: &Stored| match number(db, table)? {
        Some(n) => Ok(entries(db, n, entry.seq, 1)?.first() == Some(entry)),
        None => Ok(false),
    };
    match work {
        Work::Append(append) => has(&append.table, &append.entry),
        Work::Restore(Restored { table, entries, .. }) => match entries.last() {
            Some(last) => has(&table.table, last),
            None => Ok(number(db, &table.table)?.is_some()),
        },
        Work::Post(effects) => {
            let mut puts = effects.iter().filter_map(|effect| match effect {
                Effect::Put { kind, key, value } => Some((kind, key, value)),
                Effect::Add { .. } => None,
            });
            let any = puts.clone().next().is_some();
            let all = puts.try_fold(true, |all, (kind, key, value)| {
                Ok::<_, rusqlite::Error>(all && record(db, kind, key)? == *value)
            });
            Ok(any && all?)
        }
        // These can be asked for again.
        Work::Erase(_) | Work::Note(_) => Ok(false),
    }
}

impl Ends {
    /// Forgets tables where too many are known.
    pub(super) fn trim(&mut self) {
        if self.known.len() >= KNOWN {
            self.known.clear();
        }
    }

    /// Whether nothing is known yet.
    pub(super) fn is_empty(&self) -> bool {
        self.known.is_empty()
    }

    /// Forgets all that a transaction has changed which came to nothing.
    pub(super) fn forget(&mut self) {
        self.known.clear();
        self.written = self.durable;
    }

    fn append(&mut self, db: &Connection, append: &Append) -> rusqlite::Result<Answer> {
        let end = match self.known.entry(append.table.clone()) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(unknown) => match End::find(db, &append.table)? {
                Some(end) => unknown.insert(end),
                None => return Ok(Err(JournalError::Unknown(append.table.clone()))),
            },
        };
        let Ok(after) = end.tail.after(&append.entry) else {
            return Ok(Ok(Outcome::Conflict { head: end.tail.seq }));
        };
        let posted = post(db, &append.effects)?;
        if posted != Ok(Outcome::Stored) {
            return Ok(posted);
        }
        end.insert(db, &append.entry)?;
        end.tail = after;
        if append.finished {
            db.prepare_cached("UPDATE tables SET finished = 1 WHERE n = ?1")?.execute([end.n])?;
        }
        if std::mem::take(&mut end.moved) {
            db.prepare_cached("UPDATE tables SET moved = 0 WHERE n = ?1")?.execute([end.n])?;
        }
        self.written = end.row;
        Ok(Ok(Outcome::Stored))
    }

    fn restore(&mut self, db: &Connection, restored: &Restored) -> rusqlite::Result<Answer> {
        let Restored { table, entries, tail, finished, effects } = restored;
        let moved = !entries.is_empty();
        if number(db, &table.table)?.is_some() {
            return Ok(Err(JournalError::Exists(table.table.clone())));
        }
        let posted = post(db, effects)?;
        if posted != Ok(Outcome::Stored) {
            return Ok(posted);
        }
        db.prepare_cached(
            "INSERT INTO tables (id, game, created_ms, finished, header, secret, moved)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
        )?
        .execute(params![
            table.table.as_str(),
            table.game,
            table.created_ms.cast_signed(),
            finished,
            table.header,
            table.secret,
            moved
        ])?;
        let mut end = End { n: db.last_insert_rowid(), row: 0, tail: *tail, moved };
        for entry in entries {
            end.insert(db, entry)?;
            self.written = end.row;
        }
        self.known.insert(table.table.clone(), end);
        Ok(Ok(Outcome::Stored))
    }
}

impl End {
    fn find(db: &Connection, table: &TableId) -> rusqlite::Result<Option<Self>> {
        let Some(n) = number(db, table)? else { return Ok(None) };
        let moved = db
            .prepare_cached("SELECT moved FROM tables WHERE n = ?1")?
            .query_row([n], |row| row.get(0))?;
        let row = head(db, n)?;
        Ok(Some(Self { n, row, tail: tail(db, n, row)?, moved }))
    }

    /// Writes an entry behind the last.
    fn insert(&mut self, db: &Connection, entry: &Stored) -> rusqlite::Result<()> {
        let (seq, at_ms) = (entry.seq.cast_signed(), entry.at_ms.cast_signed());
        let mut insert = db.prepare_cached(
            "INSERT INTO entries (t, seq, at_ms, digest, salt, open, sealed, prev)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
        )?;
        let (n, digest, open) = (self.n, entry.digest.0, &entry.open);
        match &entry.sealed {
            Sealed::Kept { salt, text } => {
                insert.execute(params![n, seq, at_ms, digest, salt.0, open, text, self.row])?
            }
            Sealed::Erased { hash } => {
                let salt = None::<[u8; 32]>;
                insert.execute(params![n, seq, at_ms, digest, salt, open, hash.0, self.row])?
            }
        };
        self.row = db.last_insert_rowid();
        Ok(())
    }
}

fn erase(db: &Connection, table: &TableId) -> rusqlite::Result<Result<(), JournalError>> {
    let Some(n) = number(db, table)? else {
        return Ok(Err(JournalError::Unknown(table.clone())));
    };
    let mut update =
        db.prepare_cached("UPDATE entries SET salt = NULL, sealed = ?2 WHERE row = ?1")?;
    let mut from = 0;
    loop {
        let page = rows(db, n, from, 256)?;
        for (row, entry) in &page {
            update.execute(params![row, entry.sealed.hash().0])?;
        }
        match page.last() {
            Some((_, last)) => from = last.seq + 1,
            None => break,
        }
    }
    db.prepare_cached("DELETE FROM snapshots WHERE t = ?1")?.execute([n])?;
    db.prepare_cached("UPDATE tables SET secret = '' WHERE n = ?1")?.execute([n])?;
    Ok(Ok(()))
}

/// Changes records, all or none.
fn post(db: &Connection, effects: &[Effect]) -> rusqlite::Result<Answer> {
    let changes = match changes(effects, |kind, key| record(db, kind, key))? {
        Ok(changes) => changes,
        Err(answer) => return Ok(answer),
    };
    for Change { kind, key, value } in changes {
        match value {
            Some(value) => db
                .prepare_cached(
                    "INSERT OR REPLACE INTO records (kind, key, value) VALUES (?1, ?2, ?3)",
                )?
                .execute([kind, key, &value])?,
            None => db
                .prepare_cached("DELETE FROM records WHERE kind = ?1 AND key = ?2")?
                .execute([kind, key])?,
        };
    }
    Ok(Ok(Outcome::Stored))
}

/// The last row of `entries`.
pub(super) fn newest(db: &Connection) -> rusqlite::Result<i64> {
    db.prepare_cached("SELECT coalesce(max(row), 0) FROM entries")?.query_row([], |row| row.get(0))
}

/// Registers the entries that are not registered yet, as part of a transaction. Where there are none,
/// nothing is written.
pub(super) fn register(db: &Connection) -> rusqlite::Result<()> {
    db.execute_batch(
        "INSERT OR REPLACE INTO heads SELECT t, max(row) FROM entries
             WHERE row > (SELECT row FROM registered) GROUP BY t;
         INSERT INTO register SELECT t, seq, row FROM entries
             WHERE row > (SELECT row FROM registered) AND seq % 64 = 0 ORDER BY t, seq;
         UPDATE registered SET row = (SELECT max(row) FROM entries)
             WHERE row < (SELECT max(row) FROM entries);",
    )
}
