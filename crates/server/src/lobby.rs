//! The lobby: the tables that everyone may find.

use parlor_host::{Outbox, SharedMessage, TableDirectory, TableHandle, TableSummary};
use parlor_rules::Json;
use parlor_wire::{Listed, Tell};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::watch;
use tokio_util::task::AbortOnDropHandle;

/// How often the lobby is shown anew at most.
const INTERVAL: Duration = Duration::from_millis(200);

/// How many tables it shows at most: those with a free seat first.
const TABLES: usize = 100;

/// The lobby, written down once for all who look at it.
pub(crate) struct Lobby {
    tables: Arc<TableDirectory>,
    /// The page after so many changes.
    page: Mutex<(u64, Json)>,
    shown: watch::Sender<SharedMessage>,
}

fn message(tables: Json) -> SharedMessage {
    SharedMessage::new(Tell::Tables { id: None, tables })
}

impl Lobby {
    pub(crate) fn new(tables: Arc<TableDirectory>) -> Self {
        let page = parlor_rules::json(&Vec::<Listed>::new());
        let shown = watch::channel(message(page.clone())).0;
        Self { tables, page: Mutex::new((0, page)), shown }
    }

    /// The tables that everyone may find, that go on, and that somebody is interested in.
    pub(crate) fn page(&self) -> Json {
        let mut page = self.page.lock().unwrap_or_else(PoisonError::into_inner);
        let count = self.tables.changes();
        if page.0 != count {
            *page = (count, parlor_rules::json(&self.listed()));
        }
        page.1.clone()
    }

    fn listed(&self) -> Vec<Listed> {
        let shown = |table: &TableHandle, summary: &TableSummary| {
            table.info.kept.key.is_none() && !summary.over && summary.lively
        };
        let mut chosen = self.tables.filter_map(|table| {
            let summary = table.summary();
            shown(table, &summary)
                .then(|| (summary.free_seats() == 0, table.info.id.clone(), table.clone()))
        });
        chosen.sort_by(|a, b| (a.0, &a.1).cmp(&(b.0, &b.1)));
        chosen.truncate(TABLES);
        chosen.sort_by(|a, b| a.1.cmp(&b.1));
        chosen.iter().map(|(.., table)| table.summary().listed(&table.info)).collect()
    }

    /// Shows the lobby whenever it has changed.
    pub(crate) async fn run(self: Arc<Self>) {
        let mut changes = self.tables.watch_changes();
        while changes.changed().await.is_ok() {
            // Whoever begins to look is shown it then.
            if self.shown.receiver_count() > 0 {
                self.shown.send_replace(message(self.page()));
            }
            tokio::time::sleep(INTERVAL).await;
        }
    }

    /// Shows the lobby to a connection from now on, until the handle is dropped. A client that reads
    /// slowly is shown the newest when there is room for it.
    pub(crate) fn follow(&self, outbox: Outbox) -> AbortOnDropHandle<()> {
        let mut shown = self.shown.subscribe();
        AbortOnDropHandle::new(tokio::spawn(async move {
            while shown.changed().await.is_ok() {
                let newest = shown.borrow_and_update().clone();
                outbox.send_later(newest).await;
            }
        }))
    }
}
