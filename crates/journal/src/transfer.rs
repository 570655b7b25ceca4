//! Tables on their way between journals, as JSON Lines.
//!
//! The first line of a table is what it was created with, each line after it an entry; the next
//! table follows without a break. Records beside the log (chips, ratings) stay where they are.

use crate::{EntryPages, Journal, JournalError, NewTable, Reader, Which, all_heads};
use parlor_table::log::{Bytes32, Stored, TableId, Tail};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::io::{self, BufRead, Read as _, Seek, Write};

/// How much was moved.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Moved {
    /// How many tables.
    pub tables: u64,
    /// How many entries they have together.
    pub entries: u64,
}

/// Why tables could not be moved.
#[derive(Debug, thiserror::Error)]
pub enum TransferError {
    /// A line is not what must stand there.
    #[error("line {line}: {why}")]
    Line {
        /// Its number, from 1.
        line: u64,
        /// What is wrong with it.
        why: String,
    },
    /// The journal refused.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// The lines could not be read or written.
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// The longest line that is read, so that no file can exhaust the memory with one.
const LINE_BYTES: u64 = 16 * 1024 * 1024;

/// The first line of a table.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct First {
    table: TableId,
    game: String,
    header: String,
    secret: String,
    created_ms: u64,
    /// How many lines follow, and the digest of the last: a file that was cut off shows.
    entries: u64,
    digest: Bytes32,
}

/// How much of a table is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Share {
    /// All, so that another journal can go on with it.
    Whole,
    /// What anyone may know once the game is over: without its secret, the sealed parts only as
    /// their hashes. The digests are the same.
    Public,
}

/// Writes one table as it stands, page by page, so that a long log is never in memory as a whole.
pub async fn export(
    journal: &dyn Reader,
    table: &TableId,
    share: Share,
    mut out: impl Write,
) -> Result<Moved, TransferError> {
    let first = First::of(journal, table, share).await?;
    out.write_all(text(&first)?.as_bytes())?;
    // Entries that come meanwhile are left out: the first line does not know of them.
    let (mut pages, mut written) = (EntryPages::new(journal, table.clone(), 0), 0);
    while written < first.entries {
        let page = pages.next_page().await?;
        if page.is_empty() {
            return Err(lacks(table, written).into());
        }
        for entry in page.into_iter().filter(|entry| entry.seq < first.entries) {
            if entry.seq != written {
                return Err(lacks(table, written).into());
            }
            out.write_all(entry_line(entry, share)?.as_bytes())?;
            written += 1;
        }
    }
    out.flush()?;
    Ok(Moved { tables: 1, entries: written })
}

/// Writes all tables, in the order of their names; to be published only those that are over.
pub async fn export_all(
    journal: &dyn Reader,
    share: Share,
    mut out: impl Write,
) -> Result<Moved, TransferError> {
    let mut moved = Moved::default();
    for head in all_heads(journal, Which::All).await? {
        if share == Share::Public && !head.finished {
            continue;
        }
        let one = export(journal, &head.table, share, &mut out).await?;
        moved.tables += one.tables;
        moved.entries += one.entries;
    }
    Ok(moved)
}

/// The first line of a table as it stands, for whoever sends a log in pieces.
pub async fn first_line(
    journal: &dyn Reader,
    table: &TableId,
    share: Share,
) -> Result<String, TransferError> {
    Ok(text(&First::of(journal, table, share).await?)?)
}

/// The line of an entry.
pub fn entry_line(mut entry: Stored, share: Share) -> Result<String, TransferError> {
    if share == Share::Public {
        entry.sealed = entry.sealed.erased();
    }
    Ok(text(&entry)?)
}

impl First {
    async fn of(journal: &dyn Reader, table: &TableId, share: Share) -> Result<Self, JournalError> {
        let head = journal.head(table).await?;
        if share == Share::Public && !head.finished {
            // The number of its entries, and their times, tell who has chosen something in secret.
            let why =
                format!("table {table} is still being played; it can be published when it is over");
            return Err(JournalError::Failed(why));
        }
        let created = journal.table(table).await?;
        let last = match head.head.checked_sub(1) {
            None => Some(Tail::of_header(&created.header)),
            Some(last) => journal.read_from(table, last, 1).await?.first().map(Tail::of_last),
        };
        let digest = last.ok_or_else(|| lacks(table, head.head - 1))?.digest;
        let NewTable { table, game, header, secret, created_ms } = created;
        let secret = if share == Share::Public { String::new() } else { secret };
        Ok(Self { table, game, header, secret, created_ms, entries: head.head, digest })
    }
}

fn lacks(table: &TableId, seq: u64) -> JournalError {
    JournalError::Failed(format!("table {table} lacks entry {seq}"))
}

fn text(line: &impl Serialize) -> io::Result<String> {
    let mut text = serde_json::to_string(line)?;
    text.push('\n');
    Ok(text)
}

/// Stores tables, and tells how much was not there before. All lines are checked before the first
/// table is stored: a broken chain, or a table that is there already and is another, is refused with
/// everything else in the file. Each table is stored as a whole; should the journal fail on the way,
/// those before are there, and the same file can be given again.
pub async fn import(
    journal: &dyn Journal,
    mut input: impl BufRead + Seek,
) -> Result<Moved, TransferError> {
    let start = input.stream_position()?;
    let mut logs = Logs::new(&mut input);
    let mut there = BTreeSet::new();
    while let Some(log) = logs.next()? {
        let name = log.table.table.clone();
        let known = match journal.table(&name).await {
            Ok(known) => known == log.table && tail(journal, &known).await? == log.tail,
            Err(JournalError::Unknown(_)) => continue,
            Err(error) => return Err(error.into()),
        };
        if !known {
            return fail(log.line, "a table of this name is there already, and it is another");
        }
        there.insert(name);
    }

    input.seek(io::SeekFrom::Start(start))?;
    let mut logs = Logs::new(input);
    let mut moved = Moved::default();
    while let Some(Log { table, entries, .. }) = logs.next()? {
        let finished = entries.last().is_some_and(is_last);
        if there.contains(&table.table) {
            continue;
        }
        moved.tables += 1;
        moved.entries += entries.len() as u64;
        journal.restore(&table, entries, finished, Vec::new()).await?;
    }
    Ok(moved)
}

/// What the open part of every entry tells.
#[derive(Deserialize)]
struct Open {
    at_ms: u64,
    /// The last entry of a game tells the secret of its dice.
    secret: Option<Bytes32>,
}

/// Whether an entry ends its game.
fn is_last(entry: &Stored) -> bool {
    serde_json::from_str::<Open>(&entry.open).is_ok_and(|open| open.secret.is_some())
}

/// Where the log of a stored table ends.
async fn tail(journal: &dyn Reader, table: &NewTable) -> Result<Tail, JournalError> {
    let head = journal.head(&table.table).await?.head;
    let last = journal.read_from(&table.table, head.saturating_sub(1), 1).await?;
    Ok(last.first().map_or_else(|| Tail::of_header(&table.header), Tail::of_last))
}

/// One table as it was read.
struct Log {
    /// The number of its first line.
    line: u64,
    table: NewTable,
    entries: Vec<Stored>,
    tail: Tail,
    /// Where it must end.
    end: Tail,
}

/// Lines that are put together to tables.
struct Logs<R> {
    input: R,
    line: u64,
    text: String,
    seen: BTreeSet<TableId>,
    /// The table whose first line has been read.
    open: Option<Log>,
}

fn fail<T>(line: u64, why: impl Into<String>) -> Result<T, TransferError> {
    Err(TransferError::Line { line, why: why.into() })
}

/// Why a line is no JSON of some type; the line has a number of its own.
fn no_json(error: &serde_json::Error) -> String {
    let said = error.to_string();
    let place = format!(" at line {} column {}", error.line(), error.column());
    format!("{} at column {}", said.trim_end_matches(&place), error.column())
}

impl<R: BufRead> Logs<R> {
    fn new(input: R) -> Self {
        Self { input, line: 0, text: String::new(), seen: BTreeSet::new(), open: None }
    }

    /// The next table with all its entries.
    fn next(&mut self) -> Result<Option<Log>, TransferError> {
        while self.read_line()? {
            // Nearly every line is an entry; what is none must be a table, and says best why it is
            // not.
            let no_entry = match serde_json::from_str::<Stored>(&self.text) {
                Ok(entry) => {
                    self.entry(entry)?;
                    continue;
                }
                Err(error) => no_json(&error),
            };
            let first: First = match serde_json::from_str(&self.text) {
                Ok(first) => first,
                Err(error) => {
                    let no_table = no_json(&error);
                    let why = format!("neither an entry ({no_entry}) nor a table ({no_table})");
                    return fail(self.line, why);
                }
            };
            let next = self.table(first)?;
            if let Some(log) = self.open.replace(next) {
                return self.whole(log).map(Some);
            }
        }
        self.open.take().map(|log| self.whole(log)).transpose()
    }

    fn whole(&self, log: Log) -> Result<Log, TransferError> {
        if log.tail == log.end {
            return Ok(log);
        }
        let Log { table, tail, end, .. } = &log;
        let why =
            format!("{} has {} entries here, {} were written", table.table, tail.seq, end.seq);
        fail(self.line, why)
    }

    /// Reads the next line; false if there is none.
    fn read_line(&mut self) -> Result<bool, TransferError> {
        self.text.clear();
        self.line += 1;
        match self.input.by_ref().take(LINE_BYTES).read_line(&mut self.text) {
            Ok(0) => Ok(false),
            Ok(_) if !self.text.ends_with('\n') && self.text.len() as u64 == LINE_BYTES => {
                fail(self.line, "the line is longer than 16 MiB")
            }
            Ok(_) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::InvalidData => {
                fail(self.line, "the line is no UTF-8")
            }
            Err(error) => Err(error.into()),
        }
    }

    fn entry(&mut self, entry: Stored) -> Result<(), TransferError> {
        let Some(log) = &mut self.open else {
            return fail(self.line, "an entry comes before its table");
        };
        match log.tail.after(&entry) {
            Ok(tail) => log.tail = tail,
            Err(unchained) => return fail(self.line, unchained.to_string()),
        }
        match serde_json::from_str::<Open>(&entry.open) {
            Ok(open) if open.at_ms == entry.at_ms => {}
            _ => return fail(self.line, "its time is not the one that was written"),
        }
        log.entries.push(entry);
        Ok(())
    }

    fn table(&mut self, first: First) -> Result<Log, TransferError> {
        let First { table, game, header, secret, created_ms, entries, digest } = first;
        if !self.seen.insert(table.clone()) {
            return fail(self.line, format!("table {table} comes a second time"));
        }
        let table = NewTable { table, game, header, secret, created_ms };
        if let Err(why) = table.header() {
            return fail(self.line, why);
        }
        let tail = Tail::of_header(&table.header);
        let end = Tail { seq: entries, digest };
        Ok(Log { line: self.line, table, entries: Vec::new(), tail, end })
    }
}
