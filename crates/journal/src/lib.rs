//! The durable log: an entry is in it before anyone is told of it.
//!
//! A [`Journal`] takes the entries of a table in their order only. It answers once the outcome is
//! certain. What an entry does to other records (chips, ratings) is stored together with the entry,
//! or neither is. [`Sqlite`] keeps it in one file, [`Memory`] as long as the program runs.
//! [`export`] and [`import`] move tables between journals as JSON Lines.
//!
//! Reads from a file, and the replay of a long log, run on tokio's threads for blocking work, and so
//! need its runtime.
//!
//! A [`Driver`] leads one table through its journal; [`store`] creates and loads tables.
//!
//! ```
//! use parlor_journal::{Append, Journal, Memory, NewTable, Outcome};
//! use parlor_table::log::{Bytes32, Sealed, Tail};
//!
//! # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
//! let journal = Memory::default();
//! let table = NewTable {
//!     table: "t-1".parse()?,
//!     game: "pennies".to_owned(),
//!     header: "{}".to_owned(),
//!     secret: String::new(),
//!     created_ms: 0,
//! };
//! journal.create(&table).await?;
//! let sealed = Sealed::Kept { salt: Bytes32([7; 32]), text: "{}".to_owned() };
//! let entry = Tail::of_header("{}").write(1, "{}".to_owned(), sealed);
//!
//! let first = Append::new(table.table.clone(), entry);
//! assert_eq!(journal.append(first.clone()).await?, Outcome::Stored);
//! assert_eq!(journal.append(first).await?, Outcome::Conflict { head: 1 });
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! # })?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![warn(clippy::too_many_lines)]

mod driver;
mod effect;
mod memory;
mod sqlite;
pub mod store;
mod transfer;

pub use driver::{Decided, Driver, Effects, Submission, Unsettled, enter};
pub use effect::Effect;
pub use memory::Memory;
pub use sqlite::{Durability, Look, Sqlite};
pub use transfer::{
    Moved, Share, TransferError, entry_line, export, export_all, first_line, import,
};

use async_trait::async_trait;
use parlor_table::Header;
use parlor_table::log::{Stored, TableId, Tail};
use serde::{Deserialize, Serialize};
use std::panic::resume_unwind;
use std::sync::Arc;

/// What a log of many tables can be asked.
#[async_trait]
pub trait Reader: Send + Sync {
    /// What a table was created with.
    async fn table(&self, table: &TableId) -> Result<NewTable, JournalError>;

    /// Where a table's log stands.
    async fn head(&self, table: &TableId) -> Result<Head, JournalError>;

    /// At most `limit` heads in the order of their names, after the name given.
    async fn heads(
        &self,
        which: Which,
        after: Option<&TableId>,
        limit: usize,
    ) -> Result<Vec<Head>, JournalError>;

    /// At most `limit` entries of a table, from this number on.
    async fn read_from(
        &self,
        table: &TableId,
        seq: u64,
        limit: usize,
    ) -> Result<Vec<Stored>, JournalError>;

    /// The value of a record; a number is written in decimal digits.
    async fn record(&self, kind: &str, key: &str) -> Result<Option<String>, JournalError>;

    /// At most `limit` records of a kind as keys and values, in the order of their keys, after the
    /// key given.
    async fn records(
        &self,
        kind: &str,
        after: Option<&str>,
        limit: usize,
    ) -> Result<Vec<(String, String)>, JournalError>;

    /// The snapshot kept of a table.
    async fn snapshot(&self, table: &TableId) -> Result<Option<Snapshot>, JournalError>;

    /// The last stamp of [`Journal::alive`].
    async fn last_alive(&self) -> Result<Option<u64>, JournalError>;
}

/// How many items are read at once where all are wanted.
const PAGE: usize = 512;

/// All heads, in the order of their names.
pub async fn all_heads(journal: &dyn Reader, which: Which) -> Result<Vec<Head>, JournalError> {
    let mut heads: Vec<Head> = Vec::new();
    loop {
        let last = heads.last().map(|head| &head.table);
        let page = journal.heads(which, last, PAGE).await?;
        if page.is_empty() {
            return Ok(heads);
        }
        heads.extend(page);
    }
}

/// All entries of a table from this number on.
pub async fn all_entries(
    journal: &dyn Reader,
    table: &TableId,
    from: u64,
) -> Result<Vec<Stored>, JournalError> {
    let mut pages = EntryPages::new(journal, table.clone(), from);
    let mut entries = Vec::new();
    loop {
        let page = pages.next_page().await?;
        if page.is_empty() {
            return Ok(entries);
        }
        entries.extend(page);
    }
}

/// Reads the entries of a table page by page, so that a long log is never in memory as a whole.
pub struct EntryPages<'a> {
    journal: &'a dyn Reader,
    table: TableId,
    /// The number of the first entry of the next page.
    next: u64,
}

impl<'a> EntryPages<'a> {
    /// Reads from the entry with this number on.
    pub fn new(journal: &'a dyn Reader, table: TableId, from: u64) -> Self {
        Self { journal, table, next: from }
    }

    /// The next entries; an empty page is the end of the log as it is now.
    pub async fn next_page(&mut self) -> Result<Vec<Stored>, JournalError> {
        let page = self.journal.read_from(&self.table, self.next, PAGE).await?;
        if let Some(last) = page.last() {
            self.next = last.seq + 1;
        }
        Ok(page)
    }
}

/// A log of many tables.
#[async_trait]
pub trait Journal: Reader {
    /// Stores a table together with entries it already has and with changes of records, all or
    /// nothing; refuses a known name.
    async fn restore(
        &self,
        table: &NewTable,
        entries: Vec<Stored>,
        finished: bool,
        effects: Vec<Effect>,
    ) -> Result<Outcome, JournalError>;

    /// Stores a table alone; refuses a known name.
    async fn create(&self, table: &NewTable) -> Result<(), JournalError> {
        self.restore(table, Vec::new(), false, Vec::new()).await.map(drop)
    }

    /// Stores one entry and answers when it is as durable as the journal makes it, or is known not
    /// to be stored. An entry that does not follow its table's last one, or whose effects overdraw,
    /// is left out alone.
    ///
    /// The entry is queued when the future is first polled. Entries that are queued together share
    /// a commit. To drop the future does not take the entry back: only its answer is lost.
    async fn append(&self, append: Append) -> Result<Outcome, JournalError>;

    /// Changes records without an entry, all or none. After a failed commit what it puts tells
    /// whether it was done: what only adds may then be done twice.
    async fn post(&self, effects: Vec<Effect>) -> Result<Outcome, JournalError>;

    /// Keeps a state that follows from the entries before `seq`, in place of the one kept before.
    /// Only a cache: a log can be read without it.
    async fn put_snapshot(&self, table: &TableId, snapshot: Snapshot) -> Result<(), JournalError>;

    /// Drops all snapshots.
    async fn forget_snapshots(&self) -> Result<(), JournalError>;

    /// Notes that the program was running at this time. Stamped every second or so, it bounds the
    /// thinking time that a crash can cost a player.
    async fn alive(&self, now_ms: u64) -> Result<(), JournalError>;

    /// Replaces the sealed parts of a table's entries by their hashes, for good, and drops its
    /// secret and its snapshot, which could give them back. The digests stay as they are. An error
    /// may mean that others still read what was there: ask again.
    async fn erase_sealed(&self, table: &TableId) -> Result<(), JournalError>;

    /// Whether entries can be stored just now.
    fn health(&self) -> Health;
}

/// A table as it is created.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NewTable {
    /// Its name.
    pub table: TableId,
    /// The key of its game.
    pub game: String,
    /// The header of its log, JSON as written: the chain of digests begins with these bytes.
    pub header: String,
    /// What the table keeps to itself until the end.
    pub secret: String,
    /// When it was created, in milliseconds since 1970.
    pub created_ms: u64,
}

impl NewTable {
    /// The header as its log has it, if it is that of this table.
    pub fn header(&self) -> Result<Header, String> {
        let header: Header =
            serde_json::from_str(&self.header).map_err(|error| format!("the header: {error}"))?;
        let same = (&header.table, &header.game, header.created_ms)
            == (&self.table, &self.game, self.created_ms);
        if same {
            return Ok(header);
        }
        let Header { table, game, created_ms, .. } = header;
        Err(format!("the header is that of {game} at {table}, made at_ms {created_ms}"))
    }
}

/// One entry on its way into the log.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Append {
    /// The table it belongs to.
    pub table: TableId,
    /// The entry; its number must be the table's head.
    pub entry: Arc<Stored>,
    /// What it does to other records, in this order.
    pub effects: Vec<Effect>,
    /// Whether the table is finished with it.
    pub finished: bool,
}

impl Append {
    /// An entry without effects.
    pub fn new(table: TableId, entry: impl Into<Arc<Stored>>) -> Self {
        Self { table, entry: entry.into(), effects: Vec::new(), finished: false }
    }
}

/// What became of an entry.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// It is in the log.
    Stored,
    /// It is not in the log: it does not follow from the last entry there.
    Conflict {
        /// The number the table's next entry must have.
        head: u64,
    },
    /// It is not in the log: one of its effects would fall below its floor.
    Overdrawn {
        /// The kind of the record that is short.
        kind: String,
        /// Its key.
        key: String,
    },
}

/// Where a table's log stands.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Head {
    /// The table.
    pub table: TableId,
    /// The key of its game.
    pub game: String,
    /// How many entries there are, and so the number of the next.
    pub head: u64,
    /// The time of the last entry, or of the table's creation when there is none.
    pub at_ms: u64,
    /// Whether an entry has finished the table.
    pub finished: bool,
    /// Whether it came from elsewhere and nothing was appended since.
    pub moved: bool,
}

/// Which tables are listed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Which {
    /// All there are.
    All,
    /// Those that may still go on.
    Unfinished,
}

/// A state kept to spare the replay of what led to it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Snapshot {
    /// The first entry that is not in it.
    pub seq: u64,
    /// The state, as its owner writes it.
    pub text: String,
}

/// Whether entries can be stored.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Health {
    /// They can.
    Healthy,
    /// They cannot until something outside changes; the journal notices by itself when it has.
    Paused {
        /// What is in the way.
        why: String,
    },
}

/// Why a journal cannot do what it was asked.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum JournalError {
    /// A table of that name is there already.
    #[error("table {0} is there already")]
    Exists(TableId),
    /// There is no table of that name.
    #[error("there is no table {0}")]
    Unknown(TableId),
    /// An entry adds to a record that holds no number, or too large a one. It is not stored.
    #[error("nothing can be added to record {key:?} of kind {kind:?}")]
    NoSum {
        /// The kind of the record.
        kind: String,
        /// Its key.
        key: String,
    },
    /// Nothing can be stored just now, and this was not.
    #[error("not stored: {0}")]
    Paused(String),
    /// The journal was closed before it could find out whether this is stored.
    #[error("perhaps not stored: {0}")]
    Unsettled(String),
    /// The journal cannot be opened or read.
    #[error("{0}")]
    Failed(String),
}

impl JournalError {
    fn closed() -> Self {
        Self::Unsettled("the journal is closed".to_owned())
    }
}

/// What a table is restored with must be a log from its beginning; gives where it ends.
fn chained(table: &NewTable, entries: &[Stored]) -> Result<Tail, JournalError> {
    let begin = Tail::of_header(&table.header);
    let end = entries.iter().try_fold(begin, |tail, entry| tail.after(entry));
    end.map_err(|unchained| JournalError::Failed(unchained.to_string()))
}

/// Runs what reads the disk or computes for long on a thread of its own, so that the caller's
/// thread can serve others meanwhile.
async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, JournalError> {
    tokio::task::spawn_blocking(work).await.map_err(|error| match error.try_into_panic() {
        Ok(panic) => resume_unwind(panic),
        Err(_) => JournalError::Failed("the program is ending".to_owned()),
    })
}
