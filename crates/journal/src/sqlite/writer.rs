//! The one thread that writes.
//!
//! It commits as soon as its last commit has returned, with all that was queued meanwhile, so that
//! many tables share one sync of the disk; each job is answered when its commit has returned. After a
//! commit whose outcome is open it stores nothing until it has read from the file what became of it.
//!
//! This is our own code because no crate does either. tokio-rusqlite, deadpool-sqlite and sqlx commit
//! each call by itself, which is one sync of the disk a move, and report a failed commit as an error,
//! which leaves open whether the entry is stored.

use super::Shared;
use super::batch::{Answer, Broken, Ends, Work, register, transact};
use super::recovery::reason;
use crate::{Health, JournalError, Outcome};
use rusqlite::Connection;
use std::sync::Arc;
use std::sync::atomic::AtomicI32;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender};
use std::time::Duration;
use tokio::sync::oneshot;

/// Something to write, and whom to answer.
pub(super) struct Job {
    pub(super) work: Work,
    pub(super) done: oneshot::Sender<Answer>,
}

/// What the writer is told.
pub(super) enum Message {
    Job(Job),
    /// To end, once all that came before is done.
    Close,
}

/// At most so many jobs share a commit: enough to be fast, few enough to keep the first waiting
/// only shortly.
const BATCH: usize = 2048;

/// How often a journal that is paused looks whether it can go on.
const RETRY: Duration = Duration::from_millis(100);

/// So many entries are registered at once. The more there are, the more of them are of one table,
/// which is registered once; and the longer it takes to find where a table ends meanwhile.
const REGISTERED: i64 = 4096;

pub(super) struct Writer {
    pub(super) shared: Arc<Shared>,
    /// None while the database cannot be opened.
    pub(super) db: Option<Connection>,
    queue: Receiver<Message>,
    /// Wakes the thread that runs checkpoints.
    pub(super) full: SyncSender<()>,
    /// How many pages the write-ahead log has, as of the last commit.
    pub(super) pages: Arc<AtomicI32>,
    pub(super) ends: Ends,
    /// The row from which on all entries are registered next.
    register_at: i64,
    /// Jobs of a commit that failed in a way that leaves open whether it happened.
    pub(super) unsettled: Vec<(Job, Answer)>,
}

impl Writer {
    pub(super) fn new(
        shared: Arc<Shared>,
        db: Connection,
        queue: Receiver<Message>,
        full: SyncSender<()>,
    ) -> rusqlite::Result<Self> {
        let mut writer = Self {
            shared,
            db: None,
            queue,
            full,
            pages: Arc::default(),
            ends: Ends::default(),
            register_at: 0,
            unsettled: Vec::new(),
        };
        writer.adopt(db)?;
        Ok(writer)
    }

    /// Writes until the journal is closed.
    pub(super) fn run(mut self) {
        let mut open = true;
        while open {
            let Some(first) = self.wait() else {
                self.recover();
                continue;
            };
            // The threads that want the processor come first: what they bring shares the commit.
            std::thread::yield_now();
            let mut batch = Vec::new();
            for message in std::iter::once(first).chain(self.queue.try_iter().take(BATCH - 1)) {
                match message {
                    Message::Job(job) => batch.push(job),
                    Message::Close => {
                        open = false;
                        break;
                    }
                }
            }
            if !batch.is_empty() {
                self.store(batch);
            }
        }
        self.register();
        let why = self.why();
        for (job, _) in self.unsettled.drain(..) {
            tell(job, Err(JournalError::Unsettled(why.clone())));
        }
    }

    /// Waits for the next message; none if it is time to see whether a pause is over.
    fn wait(&self) -> Option<Message> {
        if !self.paused() {
            return Some(self.queue.recv().unwrap_or(Message::Close));
        }
        match self.queue.recv_timeout(RETRY) {
            Err(RecvTimeoutError::Timeout) => None,
            message => Some(message.unwrap_or(Message::Close)),
        }
    }

    /// Writes a batch in one commit and answers it.
    fn store(&mut self, batch: Vec<Job>) {
        if self.db.is_none() {
            self.reopen();
        }
        self.ends.trim();
        // To find where a log ends takes long for what is not registered.
        if self.ends.is_empty() {
            self.register();
        }
        let Some(db) = &mut self.db else {
            let why = self.why();
            return refuse(batch, &why);
        };
        let work: Vec<&Work> = batch.iter().map(|job| &job.work).collect();
        match transact(db, &mut self.ends, &work) {
            Ok(mut answers) => {
                self.scrub(&batch, &mut answers);
                // Conflicts alone write nothing, and so do not show that anything can be written.
                if self.paused() && answers.contains(&Ok(Outcome::Stored)) {
                    self.shared.set_health(Health::Healthy);
                }
                for (job, answer) in batch.into_iter().zip(answers) {
                    tell(job, answer);
                }
                self.tidy();
                if self.ends.durable >= self.register_at {
                    self.register();
                }
            }
            Err(Broken::Before(error)) => {
                self.pause(&error);
                refuse(batch, &reason(&error));
            }
            Err(Broken::Commit(error, answers)) => {
                self.unsettled = batch.into_iter().zip(answers).collect();
                self.db = None;
                self.pause(&error);
                self.reopen();
            }
        }
    }

    /// Registers all entries. Nothing depends on it: where it fails, it is done with the next ones.
    pub(super) fn register(&mut self) {
        self.register_at = self.ends.durable + REGISTERED;
        if let Some(db) = &mut self.db {
            let done = db.transaction().and_then(|whole| {
                register(&whole)?;
                whole.commit()
            });
            drop(done);
        }
    }

    fn paused(&self) -> bool {
        self.shared.health() != Health::Healthy
    }

    /// Why nothing can be stored.
    pub(super) fn why(&self) -> String {
        match self.shared.health() {
            Health::Paused { why } => why,
            Health::Healthy => "the journal is closed".to_owned(),
        }
    }
}

/// Answers a job. Nobody may wait for it any more.
pub(super) fn tell(job: Job, answer: Answer) {
    drop(job.done.send(answer));
}

fn refuse(batch: Vec<Job>, why: &str) {
    for job in batch {
        tell(job, Err(JournalError::Paused(why.to_owned())));
    }
}
