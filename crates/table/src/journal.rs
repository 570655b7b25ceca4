//! Where entries are kept.

use crate::Entry;
use std::fmt;

/// A log of entries. Appending is conditional: an entry follows the one before it or is refused.
pub trait Journal {
    /// Stores an entry for good.
    fn append(&mut self, entry: &Entry) -> Result<(), Conflict>;
    /// How many entries there are.
    fn head(&self) -> u64;
    /// The entries from this number on.
    fn read_from(&self, seq: u64) -> Vec<Entry>;
}

/// An entry that does not follow the last one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Conflict {
    /// The number the next entry must have.
    pub head: u64,
    /// The number the entry had.
    pub seq: u64,
}

impl fmt::Display for Conflict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "entry {} came where entry {} belongs", self.seq, self.head)
    }
}

/// A log that lives as long as the program.
#[derive(Default)]
pub struct Memory(Vec<Entry>);

impl Journal for Memory {
    fn append(&mut self, entry: &Entry) -> Result<(), Conflict> {
        let head = self.head();
        if entry.seq != head {
            return Err(Conflict { head, seq: entry.seq });
        }
        self.0.push(entry.clone());
        Ok(())
    }

    fn head(&self) -> u64 {
        self.0.len() as u64
    }

    fn read_from(&self, seq: u64) -> Vec<Entry> {
        self.0.iter().filter(|entry| entry.seq >= seq).cloned().collect()
    }
}
