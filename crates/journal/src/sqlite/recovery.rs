//! What follows a failed write: the journal pauses, finds out what is stored, and goes on when it can.

use super::batch::{Answer, holds, newest};
use super::look::failure;
use super::writer::{Job, Writer, tell};
use super::{checkpoint::checkpoint, schema};
use crate::{Health, JournalError, Outcome};
use rusqlite::{Connection, ErrorCode, OpenFlags, ffi};
use std::sync::atomic::Ordering;

/// How much must fit on the disk before a paused journal goes on.
const ROOM: usize = 64 * 1024;

impl Writer {
    /// Stops storing because of this error.
    pub(super) fn pause(&mut self, error: &rusqlite::Error) {
        self.ends.forget();
        // A transaction that cannot even be undone goes with its connection.
        if self.db.as_ref().is_some_and(|db| !db.is_autocommit()) {
            self.db = None;
        }
        self.shared.set_health(Health::Paused { why: reason(error) });
    }

    /// Looks whether a paused journal can go on.
    pub(super) fn recover(&mut self) {
        if self.db.is_none() {
            self.reopen();
        }
        let Some(db) = &self.db else { return };
        // Committed before it is deleted, so that it really was on the disk.
        let filler = "INSERT INTO probe (filler) VALUES (zeroblob(?1))";
        let room =
            db.execute(filler, [ROOM as i64]).and_then(|_| db.execute("DELETE FROM probe", []));
        match room {
            Ok(_) => self.shared.set_health(Health::Healthy),
            // No entry hangs on these commits, so it does not matter how they ended.
            Err(error) => self.pause(&error),
        }
    }

    /// Opens the database anew and settles what is unsettled, or stays paused.
    pub(super) fn reopen(&mut self) {
        match self.opened() {
            Ok(there) => {
                let why = self.why();
                for ((job, answer), there) in self.unsettled.drain(..).zip(there) {
                    // A conflict with an entry that is not there after all is none.
                    tell(job, if there { answer } else { Err(JournalError::Paused(why.clone())) });
                }
            }
            Err(why) => {
                self.db = None;
                self.shared.set_health(Health::Paused { why });
            }
        }
    }

    /// Opens the database anew and tells of each unsettled job whether it is stored.
    fn opened(&mut self) -> Result<Vec<bool>, String> {
        let shared = self.shared.clone();
        shared.pool.shut(|| {
            let there = match self.alone().map_err(|error| reason(&error))? {
                Ok(there) => there,
                Err(why) => return Err(why.to_owned()),
            };
            let db = self.shared.pool.writable(OpenFlags::empty());
            db.and_then(|db| self.adopt(db)).map_err(|error| reason(&error))?;
            Ok(there)
        })
    }

    /// Tells of each unsettled job whether it is stored, by a connection that nobody shares, here or
    /// in another process. Such a one reads the database from its files alone: an entry that is
    /// absent has never been committed, and no crash will bring it back.
    fn alone(&self) -> rusqlite::Result<Result<Vec<bool>, &'static str>> {
        let db = self.shared.pool.alone()?;
        if schema::version(&db)? != schema::VERSION {
            return Ok(Err("the journal's file was replaced"));
        }
        if newest(&db)? < self.ends.durable {
            return Ok(Err("entries that were stored are gone from the journal's file"));
        }
        self.settled(&db).map(Ok)
    }

    /// Tells of each unsettled job whether this connection finds it stored.
    fn settled(&self, db: &Connection) -> rusqlite::Result<Vec<bool>> {
        let is_there = |(job, answer): &(Job, Answer)| {
            Ok(*answer == Ok(Outcome::Stored) && holds(db, &job.work)?)
        };
        let there = self.unsettled.iter().map(is_there).collect::<rusqlite::Result<Vec<_>>>()?;
        // What can be read after a failed sync need not be on the disk. A checkpoint writes it once
        // more, into the database, and syncs that; only then is it certain.
        if there.contains(&true) && !checkpoint(db, "TRUNCATE")? {
            return Err(failure(ffi::SQLITE_BUSY));
        }
        Ok(there)
    }

    /// Makes this the connection that writes.
    pub(super) fn adopt(&mut self, mut db: Connection) -> rusqlite::Result<()> {
        // On a read-only disk SQLite opens what it can; it would stay so when the disk is back.
        if db.is_readonly("main")? {
            return Err(failure(ffi::SQLITE_READONLY));
        }
        let pages = self.pages.clone();
        db.wal_hook(Some(move |_: &mut rusqlite::hooks::Wal, now| {
            pages.store(now, Ordering::Relaxed);
            Ok(())
        }))?;
        self.ends.durable = newest(&db)?;
        self.ends.forget();
        self.db = Some(db);
        self.register();
        Ok(())
    }
}

/// What is in the way, in words for the operator.
pub(super) fn reason(error: &rusqlite::Error) -> String {
    let plain = match error.sqlite_error_code() {
        Some(ErrorCode::DiskFull) => "the disk is full",
        Some(ErrorCode::ReadOnly) => "the disk or file is read-only",
        Some(ErrorCode::SystemIoFailure) => "the disk fails",
        Some(ErrorCode::CannotOpen) => "the journal's file cannot be opened",
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => "another program holds it",
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => "the file is damaged",
        _ => return error.to_string(),
    };
    format!("{plain} ({error})")
}
