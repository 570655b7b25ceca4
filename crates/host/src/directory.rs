//! The tables in memory, and how the others are loaded.

use crate::actor::TableActor;
use crate::{KeyedSemaphore, Limit, TableContext, TableHandle, now_ms};
use parlor_accounts::Kept;
use parlor_journal::{JournalError, Which, all_heads, store};
use parlor_rules::{Refusal, refuse};
use parlor_table::{Table, TableId};
use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::{Semaphore, watch};

/// How many tables are loaded at a time.
const LOADING: usize = 2;

/// The tables in memory.
pub struct TableDirectory {
    context: Arc<TableContext>,
    tables: Mutex<HashMap<TableId, TableHandle>>,
    /// Held while a table is loaded, so that it is loaded once, and few are at a time.
    loads: KeyedSemaphore<TableId>,
    loading: Semaphore,
}

impl TableDirectory {
    /// A directory of no tables yet.
    pub fn new(context: Arc<TableContext>) -> Arc<Self> {
        let (loads, loading) = (KeyedSemaphore::new(Limit::at(1)), Semaphore::new(LOADING));
        Arc::new(Self { context, tables: Mutex::default(), loads, loading })
    }

    fn tables(&self) -> MutexGuard<'_, HashMap<TableId, TableHandle>> {
        self.tables.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Loads the tables that may still go on. `epoch` numbers their stay in memory.
    pub async fn load_unfinished(self: &Arc<Self>, epoch: u32) -> Result<(), Refusal> {
        let log = &*self.context.log;
        let alive_ms = log.last_alive().await?.unwrap_or_else(now_ms);
        for head in all_heads(log, Which::Unfinished).await? {
            self.load(&head.table, epoch, alive_ms).await?;
        }
        Ok(())
    }

    /// Loads a table. Nobody's clock is charged for the time since `alive_ms`.
    async fn load(
        self: &Arc<Self>,
        id: &TableId,
        epoch: u32,
        alive_ms: u64,
    ) -> Result<TableHandle, Refusal> {
        let TableContext { log, games, .. } = &*self.context;
        let table = store::recall(&**log, games.find, id, epoch, alive_ms, now_ms()).await?;
        let kept = Kept::of(&**log, id).await?;
        self.open(table, kept, None).await
    }

    /// Starts the task of a table; of one that was loaded twice at the same time, once.
    pub(crate) async fn open(
        self: &Arc<Self>,
        table: Table,
        kept: Kept,
        from: Option<IpAddr>,
    ) -> Result<TableHandle, Refusal> {
        if self.context.stop.is_cancelled() {
            return refuse("stopping", "the server stops");
        }
        let id = table.header().table.clone();
        let (actor, handle) = TableActor::new(&self.context, table, kept, from).await;
        let mut tables = self.tables();
        if let Some(other) = tables.get(&id).filter(|other| !other.is_closed()) {
            return Ok(other.clone());
        }
        tables.insert(id.clone(), handle.clone());
        drop(tables);
        let directory = self.clone();
        self.context.tasks.spawn(async move {
            // Boxed, because the task would hold the actor twice: as a captured variable, and inside `run`.
            Box::pin(actor.run()).await;
            directory.forget(&id);
        });
        self.changed();
        Ok(handle)
    }

    fn forget(&self, id: &TableId) {
        let mut tables = self.tables();
        // It may have been loaded again already.
        if tables.get(id).is_some_and(TableHandle::is_closed) {
            tables.remove(id);
        }
        drop(tables);
        self.changed();
    }

    fn changed(&self) {
        self.context.lobby_changes.send_modify(|count| *count += 1);
    }

    /// How often the lobby has changed.
    pub fn changes(&self) -> u64 {
        *self.context.lobby_changes.borrow()
    }

    /// Notified whenever the lobby changes.
    pub fn watch_changes(&self) -> watch::Receiver<u64> {
        self.context.lobby_changes.subscribe()
    }

    /// How many tables are in memory.
    pub fn count(&self) -> usize {
        self.tables().len()
    }

    /// A table in memory.
    pub fn get(&self, id: &TableId) -> Option<TableHandle> {
        self.tables().get(id).filter(|table| !table.is_closed()).cloned()
    }

    /// A table in memory, or one that is loaded from the log.
    pub async fn find(self: &Arc<Self>, table: &str) -> Result<TableHandle, Refusal> {
        let unknown = || Refusal::new("no_such_table", format!("there is no table {table:?}"));
        let id: TableId = table.parse().map_err(|_| unknown())?;
        if let Some(table) = self.get(&id) {
            return Ok(table);
        }
        let _turns = (self.loads.acquire(id.clone()).await, self.loading.acquire().await);
        if let Some(table) = self.get(&id) {
            return Ok(table);
        }
        match self.context.log.head(&id).await {
            Ok(_) => self.load(&id, self.context.epochs.next().await?, now_ms()).await,
            Err(JournalError::Unknown(_)) => Err(unknown()),
            Err(error) => Err(error.into()),
        }
    }

    /// What `of` gives for each table in memory.
    pub fn filter_map<T>(&self, of: impl Fn(&TableHandle) -> Option<T>) -> Vec<T> {
        self.tables().values().filter(|table| !table.is_closed()).filter_map(of).collect()
    }

    /// The tables an account sits at that go on, with their games.
    pub fn tables_of(&self, account: u64) -> Vec<(TableId, String)> {
        let mut own = self.filter_map(|table| {
            let summary = table.summary();
            let sits = !summary.over && summary.seat_of(account).is_some();
            sits.then(|| (table.info.id.clone(), table.info.game.clone()))
        });
        own.sort();
        own
    }
}
