//! The numbers of stays in memory.

use parlor_accounts::put;
use parlor_journal::Journal;
use parlor_rules::Refusal;
use std::sync::Arc;
use tokio::sync::Mutex;

/// The record that holds the last epoch that may have been given.
const RESERVED: (&str, &str) = ("server", "run");

/// How many epochs one write reserves. While the journal is paused, tables that are over can be loaded
/// until these are used up.
const BLOCK: u32 = 1_000;

/// The last epoch that was given, and the last that is reserved.
struct Range {
    last: u32,
    reserved: u32,
}

/// Gives epochs: numbers for a run of the program, and for a stay of a table in memory. No epoch is given
/// twice, also not after a restart.
pub struct Epochs {
    log: Arc<dyn Journal>,
    range: Mutex<Range>,
}

impl Epochs {
    /// Goes on behind the last epoch of a journal.
    pub async fn new(log: Arc<dyn Journal>) -> Result<Self, Refusal> {
        let reserved = log.record(RESERVED.0, RESERVED.1).await?;
        let reserved = reserved.and_then(|last| last.parse().ok()).unwrap_or(0);
        Ok(Self { log, range: Mutex::new(Range { last: reserved, reserved }) })
    }

    /// The next epoch. It is reserved before it is given.
    pub async fn next(&self) -> Result<u32, Refusal> {
        let range = &mut *self.range.lock().await;
        if range.last == range.reserved {
            let reserved = range.reserved.wrapping_add(BLOCK);
            let stored = put(RESERVED.0, RESERVED.1.to_owned(), Some(reserved.to_string()));
            self.log.post(vec![stored]).await?;
            range.reserved = reserved;
        }
        range.last = range.last.wrapping_add(1);
        Ok(range.last)
    }
}
