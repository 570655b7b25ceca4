//! The one thread that writes.

use super::look::{BUSY, entries, failure, head, number, record, rows, tail};
use super::{Shared, checkpoint, schema};
use crate::effect::{Change, changes};
use crate::{Append, Done, Effect, Health, JournalError, NewTable, Outcome};
use parlor_table::log::{Sealed, Stored, TableId, Tail};
use rusqlite::{Connection, ErrorCode, OpenFlags, ffi, params};
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicI32, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender};
use std::sync::{Arc, PoisonError};
use std::time::Duration;

/// Something to write, and whom to tell.
pub(super) struct Job {
    pub(super) work: Work,
    pub(super) done: Done,
}

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

type Answer = Result<Outcome, JournalError>;

/// At most so many jobs share a commit: enough to be fast, few enough to keep the first waiting
/// only shortly.
const BATCH: usize = 2048;

/// How often a journal that is paused looks whether it can go on.
const RETRY: Duration = Duration::from_millis(100);

/// So many pages in the write-ahead log, and the other thread begins to move them.
const CHECKPOINT: i32 = 4000;

/// So many, and the writer moves the rest itself. Under steady load the other thread never catches
/// up, and only when all is moved does the file begin anew.
const OVERFULL: i32 = 2 * CHECKPOINT;

/// How much must fit on the disk before a paused journal goes on.
const ROOM: usize = 64 * 1024;

/// How many tables are remembered between commits.
const PLACES: usize = 100_000;

/// So many entries are registered at once. The more there are, the more of them are of one table,
/// which is registered once; and the longer it takes to find where a table ends meanwhile.
const REGISTERED: i64 = 4096;

pub(super) struct Writer {
    shared: Arc<Shared>,
    /// None while the database cannot be opened.
    db: Option<Connection>,
    queue: Receiver<Job>,
    /// Wakes the thread that runs checkpoints.
    full: SyncSender<()>,
    /// How many pages the write-ahead log has, as of the last commit.
    pages: Arc<AtomicI32>,
    places: Places,
    /// Jobs of a commit that failed in a way that leaves open whether it happened.
    unsettled: Vec<(Job, Answer)>,
}

/// Where tables stand: true, because nobody else writes, until a transaction fails.
#[derive(Default)]
struct Places {
    known: HashMap<TableId, Place>,
    /// The newest row of `entries` that a commit has made durable, and the newest written.
    durable: i64,
    written: i64,
    /// The row from which on all there is is registered next.
    register_at: i64,
}

struct Place {
    n: i64,
    /// The row of the last entry, 0 where there is none.
    row: i64,
    tail: Tail,
    moved: bool,
}

/// A transaction that came to nothing, or may have.
enum Broken {
    /// Nothing of it is stored.
    Before(rusqlite::Error),
    /// The commit itself failed.
    Commit(rusqlite::Error, Vec<Answer>),
}

impl Writer {
    pub(super) fn new(
        shared: Arc<Shared>,
        db: Connection,
        queue: Receiver<Job>,
        full: SyncSender<()>,
    ) -> rusqlite::Result<Self> {
        let pages = Arc::new(AtomicI32::new(0));
        let mut writer = Self {
            shared,
            db: None,
            queue,
            full,
            pages,
            places: Places::default(),
            unsettled: Vec::new(),
        };
        writer.adopt(db)?;
        Ok(writer)
    }

    /// Writes until nobody can send any more.
    pub(super) fn run(mut self) {
        loop {
            let first = if self.paused() {
                match self.queue.recv_timeout(RETRY) {
                    Ok(job) => Some(job),
                    Err(RecvTimeoutError::Timeout) => None,
                    Err(RecvTimeoutError::Disconnected) => break,
                }
            } else {
                match self.queue.recv() {
                    Ok(job) => Some(job),
                    Err(_) => break,
                }
            };
            match first {
                None => self.recover(),
                Some(first) => {
                    // Whoever else wants the processor comes first: what they bring meanwhile shares
                    // the commit. Nobody waits where nobody works.
                    std::thread::yield_now();
                    let others = self.queue.try_iter().take(BATCH - 1);
                    let batch = std::iter::once(first).chain(others).collect();
                    self.store(batch);
                }
            }
        }
        self.register();
        let why = self.why();
        for (job, _) in self.unsettled.drain(..) {
            tell(job, Err(JournalError::Unsettled(why.clone())));
        }
    }

    fn store(&mut self, batch: Vec<Job>) {
        if self.db.is_none() {
            self.reopen();
        }
        if self.places.known.len() >= PLACES {
            self.places.known.clear();
        }
        // To find where tables stand is dear for what is not registered.
        if self.places.known.is_empty() {
            self.register();
        }
        let Some(db) = &mut self.db else {
            let why = self.why();
            return refuse(batch, &why);
        };
        match transact(db, &mut self.places, &batch) {
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
                if self.places.durable >= self.places.register_at {
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

    /// Registers all there is. Nothing hangs on it: where it cannot be done now, it is done when there
    /// is more.
    fn register(&mut self) {
        self.places.register_at = self.places.durable + REGISTERED;
        if let Some(db) = &mut self.db {
            let done = db.transaction().and_then(|whole| {
                register(&whole)?;
                whole.commit()
            });
            drop(done);
        }
    }

    /// Keeps the write-ahead log short.
    fn tidy(&self) {
        let pages = self.pages.load(Ordering::Relaxed);
        if pages >= OVERFULL {
            // Not the end of anything if it fails: the next commit tries again.
            let _turn = self.shared.checkpoints.lock().unwrap_or_else(PoisonError::into_inner);
            drop(self.db.as_ref().map(|db| checkpoint(db, "PASSIVE")));
        } else if pages >= CHECKPOINT {
            // If one is on its way already, it will do.
            let _ = self.full.try_send(());
        }
    }

    /// Takes what was erased out of the write-ahead log too. Readers here wait meanwhile, for an old
    /// one would keep it there; for those in other processes nobody waits, but nobody is told that
    /// all is gone either.
    fn scrub(&self, batch: &[Job], answers: &mut [Answer]) {
        let erased = |job: &Job| matches!(job.work, Work::Erase(_));
        let Some(db) = self.db.as_ref().filter(|_| batch.iter().any(erased)) else { return };
        let _turn = self.shared.checkpoints.lock().unwrap_or_else(PoisonError::into_inner);
        let truncate = || {
            db.busy_timeout(Duration::ZERO)?;
            let done = checkpoint(db, "TRUNCATE");
            db.busy_timeout(BUSY)?;
            done
        };
        if matches!(self.shared.look.shut(truncate), Ok(true)) {
            return;
        }
        let why = "it is erased, but another program still reads what was there; erase it again";
        for (_, answer) in batch.iter().zip(answers).filter(|(job, _)| erased(job)) {
            *answer = Err(JournalError::Failed(why.to_owned()));
        }
    }

    fn paused(&self) -> bool {
        self.shared.health() != Health::Healthy
    }

    fn why(&self) -> String {
        match self.shared.health() {
            Health::Paused { why } => why,
            Health::Healthy => "the journal is closed".to_owned(),
        }
    }

    fn pause(&mut self, error: &rusqlite::Error) {
        self.places.forget();
        // A transaction that cannot even be undone goes with its connection.
        if self.db.as_ref().is_some_and(|db| !db.is_autocommit()) {
            self.db = None;
        }
        self.shared.set_health(Health::Paused { why: reason(error) });
    }

    /// Looks whether a paused journal can go on.
    fn recover(&mut self) {
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
    fn reopen(&mut self) {
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
        shared.look.shut(|| {
            let there = match self.alone().map_err(|error| reason(&error))? {
                Ok(there) => there,
                Err(why) => return Err(why.to_owned()),
            };
            let db = self.shared.look.writable(OpenFlags::empty());
            db.and_then(|db| self.adopt(db)).map_err(|error| reason(&error))?;
            Ok(there)
        })
    }

    /// What a connection finds that nobody shares, here or in another process: it reads the
    /// database from its files alone. An entry that is absent then has never been committed, and no
    /// crash will bring it back.
    fn alone(&self) -> rusqlite::Result<Result<Vec<bool>, &'static str>> {
        let db = self.shared.look.alone()?;
        if schema::version(&db)? != schema::VERSION {
            return Ok(Err("the journal's file was replaced"));
        }
        if newest(&db)? < self.places.durable {
            return Ok(Err("entries that were stored are gone from the journal's file"));
        }
        self.settled(&db).map(Ok)
    }

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
    fn adopt(&mut self, mut db: Connection) -> rusqlite::Result<()> {
        // On a read-only disk SQLite opens what it can; it would stay so when the disk is back.
        if db.is_readonly("main")? {
            return Err(failure(ffi::SQLITE_READONLY));
        }
        let pages = self.pages.clone();
        db.wal_hook(Some(move |_: &mut rusqlite::hooks::Wal, now| {
            pages.store(now, Ordering::Relaxed);
            Ok(())
        }))?;
        self.places.durable = newest(&db)?;
        self.places.forget();
        self.db = Some(db);
        self.register();
        Ok(())
    }
}

/// The last row of `entries`.
fn newest(db: &Connection) -> rusqlite::Result<i64> {
    db.prepare_cached("SELECT coalesce(max(row), 0) FROM entries")?.query_row([], |row| row.get(0))
}

/// Registers all there is, as part of a transaction; where that is nothing, nothing is written.
fn register(db: &Connection) -> rusqlite::Result<()> {
    db.execute_batch(
        "INSERT OR REPLACE INTO heads SELECT t, max(row) FROM entries
             WHERE row > (SELECT row FROM registered) GROUP BY t;
         INSERT INTO register SELECT t, seq, row FROM entries
             WHERE row > (SELECT row FROM registered) AND seq % 64 = 0 ORDER BY t, seq;
         UPDATE registered SET row = (SELECT max(row) FROM entries)
             WHERE row < (SELECT max(row) FROM entries);",
    )
}

/// Whoever is told may fail, but must not take the writer down.
fn tell(job: Job, answer: Answer) {
    drop(catch_unwind(AssertUnwindSafe(move || (job.done)(answer))));
}

fn refuse(batch: Vec<Job>, why: &str) {
    for job in batch {
        tell(job, Err(JournalError::Paused(why.to_owned())));
    }
}

/// What is in the way, for the one who can clear it.
fn reason(error: &rusqlite::Error) -> String {
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

/// Does the jobs in one transaction.
fn transact(
    db: &mut Connection,
    places: &mut Places,
    batch: &[Job],
) -> Result<Vec<Answer>, Broken> {
    // Dropped before its commit, it is rolled back.
    let transaction = db
        .transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)
        .map_err(Broken::Before)?;
    // Nobody else writes; who does all the same is not written over.
    let newest = newest(&transaction).map_err(Broken::Before)?;
    if newest != places.durable {
        places.durable = newest;
        places.forget();
    }
    let answers: rusqlite::Result<Vec<Answer>> =
        batch.iter().map(|job| perform(&transaction, places, &job.work)).collect();
    let answers = answers.map_err(Broken::Before)?;
    match transaction.commit() {
        Ok(()) => {
            places.durable = places.written;
            Ok(answers)
        }
        Err(error) if unwritten(&error) => Err(Broken::Before(error)),
        Err(error) => Err(Broken::Commit(error, answers)),
    }
}

/// Whether a commit failed before it was written as a whole. What it writes last makes it valid, so
/// a write that failed leaves nothing; only after a failed sync is anything possible. To know this
/// without opening anew matters on a full disk, where nothing can be opened.
fn unwritten(error: &rusqlite::Error) -> bool {
    let code = error.sqlite_error().map(|error| error.extended_code);
    code.is_some_and(|code| [ffi::SQLITE_FULL, ffi::SQLITE_IOERR_WRITE].contains(&code))
}

fn perform(db: &Connection, places: &mut Places, work: &Work) -> rusqlite::Result<Answer> {
    match work {
        Work::Append(append) => places.append(db, append),
        Work::Restore(restored) => places.restore(db, restored),
        Work::Erase(table) => erase(db, table).map(stored),
        Work::Post(effects) => post(db, effects),
        Work::Note(note) => note(db).map(stored),
    }
}

fn stored(answer: Result<(), JournalError>) -> Answer {
    answer.map(|()| Outcome::Stored)
}

/// Whether the work is found done.
fn holds(db: &Connection, work: &Work) -> rusqlite::Result<bool> {
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
        // Whoever asked for these can ask again.
        Work::Erase(_) | Work::Note(_) => Ok(false),
    }
}

impl Places {
    fn forget(&mut self) {
        self.known.clear();
        self.written = self.durable;
    }

    fn append(&mut self, db: &Connection, append: &Append) -> rusqlite::Result<Answer> {
        let place = match self.known.entry(append.table.clone()) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(unknown) => match Place::find(db, &append.table)? {
                Some(place) => unknown.insert(place),
                None => return Ok(Err(JournalError::Unknown(append.table.clone()))),
            },
        };
        let Ok(after) = place.tail.after(&append.entry) else {
            return Ok(Ok(Outcome::Conflict { head: place.tail.seq }));
        };
        let posted = post(db, &append.effects)?;
        if posted != Ok(Outcome::Stored) {
            return Ok(posted);
        }
        place.insert(db, &append.entry)?;
        place.tail = after;
        if append.finished {
            db.prepare_cached("UPDATE tables SET finished = 1 WHERE n = ?1")?.execute([place.n])?;
        }
        if std::mem::take(&mut place.moved) {
            db.prepare_cached("UPDATE tables SET moved = 0 WHERE n = ?1")?.execute([place.n])?;
        }
        self.written = place.row;
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
        let mut place = Place { n: db.last_insert_rowid(), row: 0, tail: *tail, moved };
        for entry in entries {
            place.insert(db, entry)?;
            self.written = place.row;
        }
        self.known.insert(table.table.clone(), place);
        Ok(Ok(Outcome::Stored))
    }
}

impl Place {
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
pub(super) fn post(db: &Connection, effects: &[Effect]) -> rusqlite::Result<Answer> {
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
