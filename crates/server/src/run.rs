//! The numbers of this run and of every stay of a table in memory.

use crate::accounts::put;
use parlor_journal::Journal;
use parlor_rules::Refusal;
use std::sync::Arc;
use tokio::sync::Mutex;

/// The record that holds the last epoch.
const LAST: (&str, &str) = ("server", "run");

/// Gives epochs. No epoch is given twice, also not after a restart.
pub(crate) struct Epochs {
    log: Arc<dyn Journal>,
    last: Mutex<u32>,
}

impl Epochs {
    pub(crate) async fn new(log: Arc<dyn Journal>) -> Result<Self, Refusal> {
        let last = log.record(LAST.0, LAST.1).await?;
        let last = last.and_then(|last| last.parse().ok()).unwrap_or(0);
        Ok(Self { log, last: Mutex::new(last) })
    }

    /// The next epoch. It is stored before it is used.
    pub(crate) async fn next(&self) -> Result<u32, Refusal> {
        let mut last = self.last.lock().await;
        let next = last.wrapping_add(1);
        let stored = put(LAST.0, LAST.1.to_owned(), Some(next.to_string()));
        self.log.post(vec![stored]).await?;
        *last = next;
        Ok(next)
    }
}
