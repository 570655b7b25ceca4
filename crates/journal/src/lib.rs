//! The durable log: where entries go before anyone is told of them.
//!
//! A [`Journal`] takes entries in order only, tells the outcome only once it is certain, and stores
//! what an entry does to other records (chips, ratings) together with the entry or not at all.
//! [`Sqlite`] keeps it in one file, [`Memory`] as long as the program runs. [`export`] and [`import`]
//! move tables between journals as JSON Lines.
//!
//! ```
//! use parlor_journal::{Append, Journal, Memory, NewTable, Outcome};
//! use parlor_table::log::{Bytes32, Sealed, Tail};
//!
//! let journal = Memory::default();
//! let table = NewTable {
//!     table: "t-1".parse()?,
//!     game: "pennies".to_owned(),
//!     header: "{}".to_owned(),
//!     secret: String::new(),
//!     created_ms: 0,
//! };
//! journal.create(&table)?;
//! let sealed = Sealed::Kept { salt: Bytes32([7; 32]), text: "{}".to_owned() };
//! let entry = Tail::of_header("{}").write(1, "{}".to_owned(), sealed);
//!
//! let first = Append::new(table.table.clone(), entry);
//! assert_eq!(journal.append(vec![first.clone()])?, [Outcome::Stored]);
//! assert_eq!(journal.append(vec![first])?, [Outcome::Conflict { head: 1 }]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod effect;
pub mod hall;
mod memory;
pub mod place;
mod sqlite;
mod transfer;

pub use effect::Effect;
pub use memory::Memory;
pub use sqlite::{Durability, Look, Sqlite};
pub use transfer::{Moved, Share, TransferError, export, export_all, import};

use parlor_table::Header;
use parlor_table::log::{Stored, TableId, Tail};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::sync::{Arc, mpsc};

/// What a log of many tables can be asked.
pub trait Reader: Send + Sync {
    /// What a table was created with.
    fn table(&self, table: &TableId) -> Result<NewTable, JournalError>;

    /// Where a table's log stands.
    fn head(&self, table: &TableId) -> Result<Head, JournalError>;

    /// At most `limit` heads in the order of their names, after the name given.
    fn heads(
        &self,
        which: Which,
        after: Option<&TableId>,
        limit: usize,
    ) -> Result<Vec<Head>, JournalError>;

    /// At most `limit` entries of a table, from this number on.
    fn read_from(
        &self,
        table: &TableId,
        seq: u64,
        limit: usize,
    ) -> Result<Vec<Stored>, JournalError>;

    /// The value of a record; a number is written in decimal digits.
    fn record(&self, kind: &str, key: &str) -> Result<Option<String>, JournalError>;

    /// At most `limit` records of a kind as keys and values, in the order of their keys, after the
    /// key given.
    fn records(
        &self,
        kind: &str,
        after: Option<&str>,
        limit: usize,
    ) -> Result<Vec<(String, String)>, JournalError>;

    /// The snapshot kept of a table.
    fn snapshot(&self, table: &TableId) -> Result<Option<Snapshot>, JournalError>;

    /// The last stamp of [`Journal::alive`].
    fn last_alive(&self) -> Result<Option<u64>, JournalError>;
}

/// How much is read at once by what goes through all there is.
const PAGE: usize = 512;

/// All heads, in the order of their names.
pub fn heads(journal: &dyn Reader, which: Which) -> impl Iterator<Item = Read<Head>> {
    let after = |head: &Head| Some(head.table.clone());
    pages(None, after, move |after| journal.heads(which, after.as_ref(), PAGE))
}

/// All entries of a table from this number on.
pub fn entries(
    journal: &dyn Reader,
    table: &TableId,
    from: u64,
) -> impl Iterator<Item = Read<Stored>> {
    pages(from, |entry: &Stored| entry.seq + 1, move |seq| journal.read_from(table, *seq, PAGE))
}

/// Something read from a journal.
pub type Read<T> = Result<T, JournalError>;

fn pages<K, T>(
    mut at: K,
    after: impl Fn(&T) -> K,
    read: impl Fn(&K) -> Read<Vec<T>>,
) -> impl Iterator<Item = Read<T>> {
    let mut page = Vec::new().into_iter();
    std::iter::from_fn(move || {
        if page.as_slice().is_empty() {
            match read(&at) {
                Ok(next) => page = next.into_iter(),
                Err(error) => return Some(Err(error)),
            }
        }
        let item = page.next()?;
        at = after(&item);
        Some(Ok(item))
    })
}

/// A log of many tables.
///
/// What waits (`create`, `append`, `alive`, …) must not be called from within a `done`: the thread
/// that would end the waiting is the one that waits.
pub trait Journal: Reader {
    /// Stores a table together with entries it already has and with changes of records, all or
    /// nothing; refuses a known name.
    fn restore(
        &self,
        table: &NewTable,
        entries: Vec<Stored>,
        finished: bool,
        effects: Vec<Effect>,
    ) -> Result<Outcome, JournalError>;

    /// Stores a table alone; refuses a known name.
    fn create(&self, table: &NewTable) -> Result<(), JournalError> {
        self.restore(table, Vec::new(), false, Vec::new()).map(drop)
    }

    /// Queues one entry. `done` is called once, when the entry is as durable as the journal makes
    /// it or is known not to be stored; it should return soon, others wait behind it.
    fn submit(&self, append: Append, done: Done);

    /// Stores entries and waits. An entry that does not follow its table's last one, or whose
    /// effects overdraw, is left out alone. After an error some of them may be stored; `head` tells.
    fn append(&self, batch: Vec<Append>) -> Result<Vec<Outcome>, JournalError> {
        let answers: Vec<_> = batch
            .into_iter()
            .map(|append| {
                let (tell, answer) = mpsc::channel();
                // The receiver lives until every answer is in; nobody is left to be told otherwise.
                self.submit(append, Box::new(move |outcome| drop(tell.send(outcome))));
                answer
            })
            .collect();
        // All are awaited before the first error is given, so that none is still on its way.
        let outcomes: Vec<_> = answers
            .into_iter()
            .map(|answer| answer.recv().unwrap_or_else(|_| Err(JournalError::closed())))
            .collect();
        outcomes.into_iter().collect()
    }

    /// Changes records without an entry, all or none. After a failed commit what it puts tells
    /// whether it was done: what only adds may then be done twice.
    fn post(&self, effects: Vec<Effect>) -> Result<Outcome, JournalError>;

    /// Keeps a state that follows from the entries before `seq`, in place of the one kept before.
    /// Only a cache: whoever reads a log must do without.
    fn put_snapshot(&self, table: &TableId, snapshot: Snapshot) -> Result<(), JournalError>;

    /// Drops all snapshots.
    fn forget_snapshots(&self) -> Result<(), JournalError>;

    /// Notes that the program was running at this time. Stamped every second or so, it bounds the
    /// thinking time that a crash can cost a player.
    fn alive(&self, now_ms: u64) -> Result<(), JournalError>;

    /// Replaces the sealed parts of a table's entries by their hashes, for good, and drops its
    /// secret and its snapshot, which could give them back. The digests stay as they are. An error
    /// may mean that others still read what was there: ask again.
    fn erase_sealed(&self, table: &TableId) -> Result<(), JournalError>;

    /// Whether entries can be stored just now.
    fn health(&self) -> Health;
}

/// Told what became of an entry.
pub type Done = Box<dyn FnOnce(Result<Outcome, JournalError>) + Send>;

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
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum JournalError {
    /// A table of that name is there already.
    Exists(TableId),
    /// There is no table of that name.
    Unknown(TableId),
    /// An entry adds to a record that holds no number, or too large a one. It is not stored.
    NoSum {
        /// The kind of the record.
        kind: String,
        /// Its key.
        key: String,
    },
    /// Nothing can be stored just now, and this was not.
    Paused(String),
    /// The journal was closed before it could find out whether this is stored.
    Unsettled(String),
    /// The journal cannot be opened or read.
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

impl fmt::Display for JournalError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exists(table) => write!(f, "table {table} is there already"),
            Self::Unknown(table) => write!(f, "there is no table {table}"),
            Self::NoSum { kind, key } => {
                write!(f, "nothing can be added to record {key:?} of kind {kind:?}")
            }
            Self::Paused(why) => write!(f, "not stored: {why}"),
            Self::Unsettled(why) => write!(f, "perhaps not stored: {why}"),
            Self::Failed(why) => f.write_str(why),
        }
    }
}

impl std::error::Error for JournalError {}
