//! Tables on their way between journals, as JSON Lines.
//!
//! The first line of a table is what it was created with, each line after it an entry; the next
//! table follows without a break. Records beside the log (chips, ratings) stay where they are.

use crate::{Journal, JournalError, NewTable, Which};
use parlor_table::log::{Bytes32, Stored, TableId, header_digest, next_digest};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::fmt;
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
#[derive(Debug)]
pub enum TransferError {
    /// A line is not what must stand there.
    Line {
        /// Its number, from 1.
        line: u64,
        /// What is wrong with it.
        why: String,
    },
    /// The journal refused.
    Journal(JournalError),
    /// The lines could not be read or written.
    Io(io::Error),
}

impl fmt::Display for TransferError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Line { line, why } => write!(f, "line {line}: {why}"),
            Self::Journal(error) => error.fmt(f),
            Self::Io(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for TransferError {}

impl From<JournalError> for TransferError {
    fn from(error: JournalError) -> Self {
        Self::Journal(error)
    }
}

impl From<io::Error> for TransferError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

/// The longest line that is read, so that no file can exhaust the memory with one.
const LINE_BYTES: u64 = 16 * 1024 * 1024;

/// How much is read from the journal at once.
const PAGE: usize = 256;

/// The first line of a table.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct First {
    table: TableId,
    game: String,
    header: String,
    secret: String,
    created_ms: u64,
    finished: bool,
}

/// Writes one table as it stands.
pub fn export(
    journal: &dyn Journal,
    table: &TableId,
    mut out: impl Write,
) -> Result<Moved, TransferError> {
    let head = journal.head(table)?;
    let NewTable { table, game, header, secret, created_ms } = journal.table(table)?;
    let first = First { table, game, header, secret, created_ms, finished: head.finished };
    write_line(&mut out, &first)?;
    let mut seq = 0;
    // Entries that come meanwhile are left out, for the first line does not know of them.
    while seq < head.head {
        let left = usize::try_from(head.head - seq).unwrap_or(PAGE).min(PAGE);
        let page = journal.read_from(&first.table, seq, left)?;
        if page.iter().zip(seq..).any(|(entry, due)| entry.seq != due) || page.is_empty() {
            let why = format!("table {} lacks an entry after {seq}", first.table);
            return Err(JournalError::Failed(why).into());
        }
        for entry in &page {
            write_line(&mut out, entry)?;
        }
        seq += page.len() as u64;
    }
    out.flush()?;
    Ok(Moved { tables: 1, entries: seq })
}

/// Writes all tables, in the order of their names.
pub fn export_all(journal: &dyn Journal, mut out: impl Write) -> Result<Moved, TransferError> {
    let mut moved = Moved::default();
    let mut last = None;
    loop {
        let page = journal.heads(Which::All, last.as_ref(), PAGE)?;
        for head in &page {
            let one = export(journal, &head.table, &mut out)?;
            moved.tables += one.tables;
            moved.entries += one.entries;
        }
        match page.into_iter().next_back() {
            Some(head) => last = Some(head.table),
            None => return Ok(moved),
        }
    }
}

fn write_line(out: &mut impl Write, line: &impl Serialize) -> io::Result<()> {
    serde_json::to_writer(&mut *out, line)?;
    out.write_all(b"\n")
}

/// Reads tables and checks that every chain of digests is whole; stores nothing.
pub fn check(input: impl BufRead) -> Result<Moved, TransferError> {
    let mut lines = Lines::new(input);
    let mut moved = Moved::default();
    while let Some(item) = lines.next()? {
        match item {
            Item::Table(_) => moved.tables += 1,
            Item::Entry(_) => moved.entries += 1,
        }
    }
    Ok(moved)
}

/// Stores tables. All lines are checked before the first table is stored: a broken chain or a table
/// that is there already is refused with everything else in the file. Each table is stored as a
/// whole; should the journal fail on the way, those before are there.
pub fn import(
    journal: &dyn Journal,
    mut input: impl BufRead + Seek,
) -> Result<Moved, TransferError> {
    let start = input.stream_position()?;
    let mut lines = Lines::new(&mut input);
    while let Some(item) = lines.next()? {
        let Item::Table(first) = item else { continue };
        match journal.head(&first.table) {
            Err(JournalError::Unknown(_)) => {}
            Ok(_) => return lines.fail(JournalError::Exists(first.table).to_string()),
            Err(error) => return Err(error.into()),
        }
    }

    input.seek(io::SeekFrom::Start(start))?;
    let mut lines = Lines::new(input);
    let mut moved = Moved::default();
    let mut open: Option<(First, Vec<Stored>)> = None;
    loop {
        match (lines.next()?, &mut open) {
            (Some(Item::Entry(entry)), Some((_, entries))) => entries.push(entry),
            (next, last) => {
                if let Some((first, entries)) = last.take() {
                    let First { table, game, header, secret, created_ms, finished } = first;
                    moved.tables += 1;
                    moved.entries += entries.len() as u64;
                    let table = NewTable { table, game, header, secret, created_ms };
                    journal.restore(&table, entries, finished)?;
                }
                match next {
                    Some(Item::Table(first)) => open = Some((*first, Vec::new())),
                    _ => return Ok(moved),
                }
            }
        }
    }
}

/// What a line says.
enum Item {
    Table(Box<First>),
    Entry(Stored),
}

/// Lines that are read one at a time and follow from each other.
struct Lines<R> {
    input: R,
    line: u64,
    text: String,
    seen: BTreeSet<TableId>,
    /// The number and the digest the table has come to; none before the first table.
    chain: Option<(u64, Bytes32)>,
}

impl<R: BufRead> Lines<R> {
    fn new(input: R) -> Self {
        Self { input, line: 0, text: String::new(), seen: BTreeSet::new(), chain: None }
    }

    fn fail<T>(&self, why: impl Into<String>) -> Result<T, TransferError> {
        Err(TransferError::Line { line: self.line, why: why.into() })
    }

    fn next(&mut self) -> Result<Option<Item>, TransferError> {
        self.text.clear();
        self.line += 1;
        let read = self.input.by_ref().take(LINE_BYTES).read_line(&mut self.text);
        match read {
            Ok(0) => return Ok(None),
            Ok(_) if !self.text.ends_with('\n') && self.text.len() as u64 == LINE_BYTES => {
                return self.fail("the line is longer than 16 MiB");
            }
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::InvalidData => {
                return self.fail("the line is no UTF-8");
            }
            Err(error) => return Err(error.into()),
        }
        // Nearly every line is an entry; what is none must be a table, and says best why it is not.
        let entry = match serde_json::from_str::<Stored>(&self.text) {
            Ok(entry) => entry,
            Err(no_entry) => match serde_json::from_str::<First>(&self.text) {
                Ok(first) => return self.table(first).map(Some),
                Err(no_table) => {
                    return self
                        .fail(format!("neither an entry ({no_entry}) nor a table ({no_table})"));
                }
            },
        };
        let Some((seq, digest)) = self.chain else {
            return self.fail("an entry comes before its table");
        };
        if entry.seq != seq {
            return self.fail(format!("entry {} came where entry {seq} belongs", entry.seq));
        }
        let next = next_digest(digest, &entry.open, &entry.sealed);
        if entry.digest != next {
            return self.fail(format!("the digest of entry {seq} does not follow from the log"));
        }
        self.chain = Some((seq + 1, next));
        Ok(Some(Item::Entry(entry)))
    }

    fn table(&mut self, first: First) -> Result<Item, TransferError> {
        if !self.seen.insert(first.table.clone()) {
            return self.fail(format!("table {} comes a second time", first.table));
        }
        self.chain = Some((0, header_digest(&first.header)));
        Ok(Item::Table(Box::new(first)))
    }
}
