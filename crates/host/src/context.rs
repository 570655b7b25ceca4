//! What every table needs of the server.

use crate::{BotScheduler, ConnectionRegistry, Epochs, Games, Settings};
use parlor_accounts::{Accounts, Chance, Finished};
use parlor_journal::Journal;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{mpsc, watch};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// Called for every entry that is durable, with its game and how long that took.
pub type OnStored = Box<dyn Fn(&str, Duration) + Send + Sync>;

/// What every table needs of the server.
pub struct TableContext {
    /// Where tables are stored.
    pub log: Arc<dyn Journal>,
    /// The games that are hosted.
    pub games: Arc<Games>,
    /// The people.
    pub accounts: Arc<Accounts>,
    /// The connections that have signed in.
    pub connections: Arc<ConnectionRegistry>,
    /// Where secrets come from.
    pub chance: Chance,
    /// What is allowed at tables.
    pub settings: Settings,
    /// When house players may think.
    pub scheduler: BotScheduler,
    /// The numbers of stays in memory.
    pub epochs: Epochs,
    /// Counts the changes of the lobby.
    pub lobby_changes: watch::Sender<u64>,
    /// Where games that are over are recorded.
    pub finished: mpsc::UnboundedSender<Finished>,
    /// Counts what is stored.
    pub stored: OnStored,
    /// Cancelled when the server stops.
    pub stop: CancellationToken,
    /// The tasks that the server waits for when it stops.
    pub tasks: TaskTracker,
}
