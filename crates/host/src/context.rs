//! The parts of the server that every table uses.

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

/// The parts of the server that every table uses.
pub struct TableContext {
    /// The journal that stores tables.
    pub log: Arc<dyn Journal>,
    /// The games that are hosted.
    pub games: Arc<Games>,
    /// The people.
    pub accounts: Arc<Accounts>,
    /// The connections that have signed in.
    pub connections: Arc<ConnectionRegistry>,
    /// The source of random bytes.
    pub chance: Chance,
    /// The limits and times of tables.
    pub settings: Settings,
    /// Limits how many house players think at one time.
    pub scheduler: BotScheduler,
    /// The numbers of stays in memory.
    pub epochs: Epochs,
    /// Counts the changes of the lobby.
    pub lobby_changes: watch::Sender<u64>,
    /// The queue to the task that records games that are over.
    pub finished: mpsc::UnboundedSender<Finished>,
    /// Counts what is stored.
    pub stored: OnStored,
    /// Cancelled when the server stops.
    pub stop: CancellationToken,
    /// The tasks that the server waits for when it stops.
    pub tasks: TaskTracker,
}
