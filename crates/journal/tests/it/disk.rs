//! A journal on a fake disk: a file of framed records, whose last writes a crash may tear or lose
//! and whose syncs may fail.

use async_trait::async_trait;
use futures_util::FutureExt as _;
use parlor_journal::{
    Append, Effect, Head, Health, Journal, JournalError, Memory, NewTable, Outcome, Reader,
    Snapshot, Which,
};
use parlor_rules::{Draws, Seeded};
use parlor_table::log::{Bytes32, Stored, TableId};
use serde::{Deserialize, Serialize};
use std::sync::{Mutex, MutexGuard};

/// What goes wrong on this disk, and what is wrong with this journal.
#[derive(Clone, Copy, Default)]
pub(crate) struct Faults {
    /// One sync in so many fails; 0 is never.
    pub(crate) sync_fails_in: u32,
    /// The planted fault: entries are acknowledged before they are synced.
    pub(crate) acks_before_sync: bool,
}

/// A record of the file.
#[derive(Serialize, Deserialize)]
enum Record {
    Create(NewTable),
    Entry { table: TableId, entry: Stored, finished: bool },
}

/// What became of an entry of a table.
type Answer = (TableId, Result<Outcome, JournalError>);

pub(crate) struct SimJournal(Mutex<Inner>);

struct Inner {
    /// What the disk would still have after a power cut.
    synced: Vec<u8>,
    /// What was written since.
    loose: Vec<u8>,
    /// What can be read.
    memory: Memory,
    queue: Vec<Append>,
    chance: Seeded,
    faults: Faults,
    alive: Option<u64>,
}

impl SimJournal {
    pub(crate) fn new(seed: &str, faults: Faults) -> Self {
        Self(Mutex::new(Inner {
            synced: Vec::new(),
            loose: Vec::new(),
            memory: Memory::default(),
            queue: Vec::new(),
            chance: Seeded::new(seed),
            faults,
            alive: None,
        }))
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().expect("one thread")
    }

    /// Queues an entry.
    pub(crate) fn submit(&self, append: Append) {
        self.inner().queue.push(append);
    }

    /// Does the disk's work on what is queued; the answers, by table.
    pub(crate) fn tick(&self) -> Vec<Answer> {
        self.inner().work()
    }

    /// The power fails and comes back: what was not synced is lost, from some byte on.
    pub(crate) fn crash(&self) {
        let mut inner = self.inner();
        inner.queue.clear();
        inner.tear();
        inner.reopen();
    }
}

impl Inner {
    fn below(&mut self, n: u32) -> u32 {
        Draws::new(&mut self.chance).below(n)
    }

    fn write(&mut self, record: &Record) {
        let body = serde_json::to_vec(record).expect("a record is JSON");
        self.loose.extend((body.len() as u32).to_be_bytes());
        self.loose.extend(Bytes32::hash(&[&body]).0);
        self.loose.extend(body);
    }

    /// Of loose bytes, some first part reaches the disk.
    fn tear(&mut self) {
        let kept = self.below(self.loose.len() as u32 + 1) as usize;
        let loose = std::mem::take(&mut self.loose);
        self.synced.extend(&loose[..kept]);
    }

    /// Reads the file up to the first record that is not whole, and cuts it there.
    fn reopen(&mut self) {
        self.memory = Memory::default();
        let mut at = 0;
        while let Some(record) = read(&self.synced[at..]) {
            at += 36 + record.1;
            match record.0 {
                Record::Create(table) => at_once(self.memory.create(&table)).expect("in order"),
                Record::Entry { table, entry, finished } => {
                    let append = Append { finished, ..Append::new(table, entry) };
                    let outcome = at_once(self.memory.append(append)).expect("in order");
                    assert_eq!(outcome, Outcome::Stored, "the file is in order");
                }
            }
        }
        self.synced.truncate(at);
    }

    fn sync(&mut self) -> bool {
        if self.faults.sync_fails_in > 0 && self.below(self.faults.sync_fails_in) == 0 {
            return false;
        }
        self.synced.append(&mut self.loose);
        true
    }

    fn work(&mut self) -> Vec<Answer> {
        let queue = std::mem::take(&mut self.queue);
        let mut answers = Vec::new();
        let mut written = Vec::new();
        for append in queue {
            match at_once(self.memory.append(append.clone())) {
                Ok(Outcome::Stored) => {
                    let Append { table, entry, finished, .. } = append.clone();
                    let entry = (*entry).clone();
                    self.write(&Record::Entry { table, entry, finished });
                    written.push(append);
                }
                other => answers.push((append.table, other)),
            }
        }
        if self.faults.acks_before_sync {
            // Left loose until some later sync.
            answers.extend(written.into_iter().map(|append| (append.table, Ok(Outcome::Stored))));
            if self.below(3) == 0 {
                self.sync();
            }
            return answers;
        }
        let synced = self.sync();
        if !synced {
            // Its fate is unknown: read what is there, and settle each entry by that.
            self.tear();
            self.reopen();
        }
        for append in written {
            let head = at_once(self.memory.head(&append.table)).expect("a known table").head;
            let there = head > append.entry.seq;
            let gone = || Err(JournalError::Paused("the disk failed".to_owned()));
            answers.push((append.table, if there { Ok(Outcome::Stored) } else { gone() }));
        }
        answers
    }
}

/// The answer of something that never waits.
pub(crate) fn at_once<T>(future: impl Future<Output = T>) -> T {
    future.now_or_never().expect("nothing is waited for")
}

/// The first record of these bytes and its length; none if it is not whole.
fn read(bytes: &[u8]) -> Option<(Record, usize)> {
    let length = u32::from_be_bytes(bytes.get(..4)?.try_into().ok()?) as usize;
    let hash = bytes.get(4..36)?;
    let body = bytes.get(36..36 + length)?;
    (Bytes32::hash(&[body]).0 == hash).then_some(())?;
    Some((serde_json::from_slice(body).ok()?, length))
}

#[async_trait]
impl Reader for SimJournal {
    async fn table(&self, table: &TableId) -> Result<NewTable, JournalError> {
        at_once(self.inner().memory.table(table))
    }

    async fn head(&self, table: &TableId) -> Result<Head, JournalError> {
        at_once(self.inner().memory.head(table))
    }

    async fn heads(
        &self,
        which: Which,
        after: Option<&TableId>,
        limit: usize,
    ) -> Result<Vec<Head>, JournalError> {
        at_once(self.inner().memory.heads(which, after, limit))
    }

    async fn read_from(
        &self,
        table: &TableId,
        seq: u64,
        limit: usize,
    ) -> Result<Vec<Stored>, JournalError> {
        at_once(self.inner().memory.read_from(table, seq, limit))
    }

    async fn record(&self, kind: &str, key: &str) -> Result<Option<String>, JournalError> {
        at_once(self.inner().memory.record(kind, key))
    }

    async fn records(
        &self,
        kind: &str,
        after: Option<&str>,
        limit: usize,
    ) -> Result<Vec<(String, String)>, JournalError> {
        at_once(self.inner().memory.records(kind, after, limit))
    }

    async fn snapshot(&self, table: &TableId) -> Result<Option<Snapshot>, JournalError> {
        at_once(self.inner().memory.snapshot(table))
    }

    async fn last_alive(&self) -> Result<Option<u64>, JournalError> {
        Ok(self.inner().alive)
    }
}

#[async_trait]
impl Journal for SimJournal {
    async fn restore(
        &self,
        table: &NewTable,
        entries: Vec<Stored>,
        finished: bool,
        effects: Vec<Effect>,
    ) -> Result<Outcome, JournalError> {
        let mut inner = self.inner();
        let outcome = at_once(inner.memory.restore(table, entries.clone(), finished, effects))?;
        if outcome != Outcome::Stored {
            return Ok(outcome);
        }
        inner.write(&Record::Create(table.clone()));
        for entry in entries {
            inner.write(&Record::Entry { table: table.table.clone(), entry, finished });
        }
        let mut loose = std::mem::take(&mut inner.loose);
        inner.synced.append(&mut loose);
        Ok(outcome)
    }

    /// The simulation submits its entries, and takes the answers when the disk has worked.
    async fn append(&self, _: Append) -> Result<Outcome, JournalError> {
        unreachable!("nobody waits for the disk")
    }

    async fn post(&self, effects: Vec<Effect>) -> Result<Outcome, JournalError> {
        at_once(self.inner().memory.post(effects))
    }

    async fn put_snapshot(&self, table: &TableId, snapshot: Snapshot) -> Result<(), JournalError> {
        at_once(self.inner().memory.put_snapshot(table, snapshot))
    }

    async fn forget_snapshots(&self) -> Result<(), JournalError> {
        at_once(self.inner().memory.forget_snapshots())
    }

    async fn alive(&self, now_ms: u64) -> Result<(), JournalError> {
        self.inner().alive = Some(now_ms);
        Ok(())
    }

    async fn erase_sealed(&self, table: &TableId) -> Result<(), JournalError> {
        at_once(self.inner().memory.erase_sealed(table))
    }

    fn health(&self) -> Health {
        Health::Healthy
    }
}
