//! When a table wakes by itself.

use crate::now_ms;
use std::pin::Pin;
use std::time::Duration;
use tokio::time::{Instant, Sleep, sleep};

/// Rings at a time or before it. It is set anew only for something earlier: most moves leave it alone,
/// and whoever is woken looks what there is to do.
pub(crate) struct Alarm {
    sleep: Pin<Box<Sleep>>,
    at_ms: u64,
}

impl Alarm {
    pub(crate) fn new() -> Self {
        Self { sleep: Box::pin(sleep(Duration::ZERO)), at_ms: 0 }
    }

    /// Rings at this time, or before it.
    pub(crate) fn set(&mut self, at_ms: u64) {
        let now = now_ms();
        if at_ms < self.at_ms || self.at_ms <= now {
            let wait = Duration::from_millis(at_ms.saturating_sub(now));
            self.sleep.as_mut().reset(Instant::now() + wait);
            self.at_ms = at_ms;
        }
    }

    /// Ends when it rings; it has to be set again then.
    pub(crate) async fn rings(&mut self) {
        self.sleep.as_mut().await;
        self.at_ms = 0;
    }
}
