//! A journal that lives as long as the program.

use crate::effect::{Change, changes};
use crate::{
    Append, Effect, Head, Health, Journal, JournalError, NewTable, Outcome, Reader, Snapshot,
    Which, chained,
};
use async_trait::async_trait;
use parlor_table::log::{Stored, TableId, Tail};
use std::collections::BTreeMap;
use std::convert::Infallible;
use std::ops::Bound;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Keeps everything in memory; for tests, and for tables that end with the program.
#[derive(Default)]
pub struct Memory(Mutex<Inner>);

#[derive(Default)]
struct Inner {
    tables: BTreeMap<TableId, Log>,
    records: BTreeMap<(String, String), String>,
    alive: Option<u64>,
    paused: Option<String>,
}

struct Log {
    table: NewTable,
    entries: Vec<Stored>,
    tail: Tail,
    finished: bool,
    moved: bool,
    snapshot: Option<Snapshot>,
}

impl Log {
    fn head(&self) -> Head {
        Head {
            table: self.table.table.clone(),
            game: self.table.game.clone(),
            head: self.tail.seq,
            at_ms: self.entries.last().map_or(self.table.created_ms, |entry| entry.at_ms),
            finished: self.finished,
            moved: self.moved,
        }
    }
}

impl Memory {
    /// From now on nothing is stored, as on a disk that is full.
    pub fn pause(&self, why: &str) {
        self.inner().paused = Some(why.to_owned());
    }

    /// Ends a pause.
    pub fn resume(&self) {
        self.inner().paused = None;
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn writable(&self) -> Result<MutexGuard<'_, Inner>, JournalError> {
        let inner = self.inner();
        match &inner.paused {
            Some(why) => Err(JournalError::Paused(why.clone())),
            None => Ok(inner),
        }
    }
}

impl Inner {
    fn log(&self, table: &TableId) -> Result<&Log, JournalError> {
        self.tables.get(table).ok_or_else(|| JournalError::Unknown(table.clone()))
    }

    fn log_mut(&mut self, table: &TableId) -> Result<&mut Log, JournalError> {
        self.tables.get_mut(table).ok_or_else(|| JournalError::Unknown(table.clone()))
    }

    fn post(&mut self, effects: &[Effect]) -> Result<Outcome, JournalError> {
        let read = |kind: &str, key: &str| {
            Ok::<_, Infallible>(self.records.get(&(kind.to_owned(), key.to_owned())).cloned())
        };
        let Ok(changes) = changes(effects, read);
        let changes = match changes {
            Ok(changes) => changes,
            Err(answer) => return answer,
        };
        for Change { kind, key, value } in changes {
            let at = (kind.to_owned(), key.to_owned());
            match value {
                Some(value) => self.records.insert(at, value),
                None => self.records.remove(&at),
            };
        }
        Ok(Outcome::Stored)
    }

    fn append(&mut self, append: Append) -> Result<Outcome, JournalError> {
        let tail = self.log(&append.table)?.tail;
        let Ok(after) = tail.after(&append.entry) else {
            return Ok(Outcome::Conflict { head: tail.seq });
        };
        let posted = self.post(&append.effects);
        if posted != Ok(Outcome::Stored) {
            return posted;
        }
        let log = self.log_mut(&append.table)?;
        log.entries.push(Arc::unwrap_or_clone(append.entry));
        log.tail = after;
        log.finished |= append.finished;
        log.moved = false;
        Ok(Outcome::Stored)
    }
}

#[async_trait]
impl Reader for Memory {
    async fn table(&self, table: &TableId) -> Result<NewTable, JournalError> {
        Ok(self.inner().log(table)?.table.clone())
    }

    async fn head(&self, table: &TableId) -> Result<Head, JournalError> {
        Ok(self.inner().log(table)?.head())
    }

    async fn heads(
        &self,
        which: Which,
        after: Option<&TableId>,
        limit: usize,
    ) -> Result<Vec<Head>, JournalError> {
        let from = after.map_or(Bound::Unbounded, Bound::Excluded);
        let inner = self.inner();
        let logs = inner.tables.range::<TableId, _>((from, Bound::Unbounded)).map(|(_, log)| log);
        let chosen = logs.filter(|log| which == Which::All || !log.finished);
        Ok(chosen.take(limit).map(Log::head).collect())
    }

    async fn read_from(
        &self,
        table: &TableId,
        seq: u64,
        limit: usize,
    ) -> Result<Vec<Stored>, JournalError> {
        let inner = self.inner();
        let entries = &inner.log(table)?.entries;
        let skipped = usize::try_from(seq).unwrap_or(usize::MAX);
        Ok(entries.iter().skip(skipped).take(limit).cloned().collect())
    }

    async fn record(&self, kind: &str, key: &str) -> Result<Option<String>, JournalError> {
        Ok(self.inner().records.get(&(kind.to_owned(), key.to_owned())).cloned())
    }

    async fn records(
        &self,
        kind: &str,
        after: Option<&str>,
        limit: usize,
    ) -> Result<Vec<(String, String)>, JournalError> {
        let from = match after {
            Some(key) => Bound::Excluded((kind.to_owned(), key.to_owned())),
            None => Bound::Included((kind.to_owned(), String::new())),
        };
        let inner = self.inner();
        let records = inner.records.range((from, Bound::Unbounded));
        let of_kind = records.take_while(|((found, _), _)| found == kind);
        Ok(of_kind.take(limit).map(|((_, key), value)| (key.clone(), value.clone())).collect())
    }

    async fn snapshot(&self, table: &TableId) -> Result<Option<Snapshot>, JournalError> {
        Ok(self.inner().log(table)?.snapshot.clone())
    }

    async fn last_alive(&self) -> Result<Option<u64>, JournalError> {
        Ok(self.inner().alive)
    }
}

#[async_trait]
impl Journal for Memory {
    async fn restore(
        &self,
        table: &NewTable,
        entries: Vec<Stored>,
        finished: bool,
        effects: Vec<Effect>,
    ) -> Result<Outcome, JournalError> {
        let tail = chained(table, &entries)?;
        let mut inner = self.writable()?;
        if inner.tables.contains_key(&table.table) {
            return Err(JournalError::Exists(table.table.clone()));
        }
        let posted = inner.post(&effects)?;
        if posted == Outcome::Stored {
            let moved = !entries.is_empty();
            let log = Log { table: table.clone(), entries, tail, finished, moved, snapshot: None };
            inner.tables.insert(table.table.clone(), log);
        }
        Ok(posted)
    }

    async fn append(&self, append: Append) -> Result<Outcome, JournalError> {
        self.writable()?.append(append)
    }

    async fn post(&self, effects: Vec<Effect>) -> Result<Outcome, JournalError> {
        self.writable()?.post(&effects)
    }

    async fn put_snapshot(&self, table: &TableId, snapshot: Snapshot) -> Result<(), JournalError> {
        self.writable()?.log_mut(table)?.snapshot = Some(snapshot);
        Ok(())
    }

    async fn forget_snapshots(&self) -> Result<(), JournalError> {
        self.writable()?.tables.values_mut().for_each(|log| log.snapshot = None);
        Ok(())
    }

    async fn alive(&self, now_ms: u64) -> Result<(), JournalError> {
        self.writable()?.alive = Some(now_ms);
        Ok(())
    }

    async fn erase_sealed(&self, table: &TableId) -> Result<(), JournalError> {
        let mut inner = self.writable()?;
        let log = inner.log_mut(table)?;
        log.entries.iter_mut().for_each(|entry| entry.sealed = entry.sealed.erased());
        log.snapshot = None;
        log.table.secret.clear();
        Ok(())
    }

    fn health(&self) -> Health {
        match &self.inner().paused {
            Some(why) => Health::Paused { why: why.clone() },
            None => Health::Healthy,
        }
    }
}
