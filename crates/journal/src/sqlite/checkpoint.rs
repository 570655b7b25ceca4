//! Checkpoints: what is in the write-ahead log is moved into the database.
//!
//! A thread of its own does this while the writer goes on. Only where that thread does not catch up,
//! and where something is erased, does the writer do it itself.

use super::Shared;
use super::batch::{Answer, Work};
use super::pool::BUSY;
use super::writer::{Job, Writer};
use crate::JournalError;
use rusqlite::Connection;
use std::sync::PoisonError;
use std::sync::atomic::Ordering;
use std::time::Duration;

/// So many pages in the write-ahead log, and the other thread begins to move them.
const CHECKPOINT: i32 = 4000;

/// So many, and the writer moves the rest itself. Under steady load the other thread never catches
/// up, and only when all is moved does the file begin anew.
const OVERFULL: i32 = 2 * CHECKPOINT;

impl Shared {
    /// Moves what is in the write-ahead log into the database, as far as nobody needs to wait.
    pub(super) fn checkpoint(&self) {
        // What fails here is tried again after the next entries, and nothing depends on it.
        let _turn = self.checkpoints.lock().unwrap_or_else(PoisonError::into_inner);
        drop(self.pool.read(|db| checkpoint(db, "PASSIVE")));
    }
}

impl Writer {
    /// Keeps the write-ahead log short.
    pub(super) fn tidy(&self) {
        let pages = self.pages.load(Ordering::Relaxed);
        if pages >= OVERFULL {
            // If it fails, the next commit tries again.
            let _turn = self.shared.checkpoints.lock().unwrap_or_else(PoisonError::into_inner);
            drop(self.db.as_ref().map(|db| checkpoint(db, "PASSIVE")));
        } else if pages >= CHECKPOINT {
            // If the thread was told already, that will do.
            let _ = self.full.try_send(());
        }
    }

    /// Takes what was erased out of the write-ahead log too. The readers of this process wait
    /// meanwhile, for one that began earlier would keep it there. Readers in other processes are not
    /// waited for; where there are any, the answer is not that all is gone.
    pub(super) fn scrub(&self, batch: &[Job], answers: &mut [Answer]) {
        let erased = |job: &Job| matches!(job.work, Work::Erase(_));
        let Some(db) = self.db.as_ref().filter(|_| batch.iter().any(erased)) else { return };
        let _turn = self.shared.checkpoints.lock().unwrap_or_else(PoisonError::into_inner);
        let truncate = || {
            db.busy_timeout(Duration::ZERO)?;
            let done = checkpoint(db, "TRUNCATE");
            db.busy_timeout(BUSY)?;
            done
        };
        if matches!(self.shared.pool.shut(truncate), Ok(true)) {
            return;
        }
        let why = "it is erased, but another program still reads what was there; erase it again";
        for (_, answer) in batch.iter().zip(answers).filter(|(job, _)| erased(job)) {
            *answer = Err(JournalError::Failed(why.to_owned()));
        }
    }
}

/// Runs a checkpoint; tells whether it came to its end.
pub(super) fn checkpoint(db: &Connection, mode: &str) -> rusqlite::Result<bool> {
    db.query_row(&format!("PRAGMA wal_checkpoint({mode})"), [], |row| {
        let (busy, log, moved): (i64, i64, i64) = (row.get(0)?, row.get(1)?, row.get(2)?);
        Ok(busy == 0 && log == moved)
    })
}
