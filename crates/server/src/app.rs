//! The parts of a server, wired together.

use crate::accounts::Accounts;
use crate::bank::Bank;
use crate::connections::ConnectionRegistry;
use crate::directory::TableDirectory;
use crate::games::Games;
use crate::http::Downloads;
use crate::limits::Limits;
use crate::lobby::Lobby;
use crate::matchmaking::Matchmaking;
use crate::metrics::Metrics;
use crate::opening::TableFactory;
use crate::queue::Queue;
use crate::results::{Finished, Results};
use crate::run::Epochs;
use crate::seats::Seats;
use crate::table::TableContext;
use crate::thinking::BotScheduler;
use crate::{Parts, Settings};
use parlor_journal::Journal;
use parlor_rules::Refusal;
use std::sync::Arc;
use tokio::sync::{Mutex, mpsc, watch};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// What requests and connections are served with. It only holds the parts.
pub(crate) struct AppState {
    pub(crate) settings: Arc<Settings>,
    pub(crate) games: Arc<Games>,
    pub(crate) log: Arc<dyn Journal>,
    pub(crate) accounts: Arc<Accounts>,
    pub(crate) bank: Arc<Bank>,
    pub(crate) results: Arc<Results>,
    pub(crate) connections: Arc<ConnectionRegistry>,
    pub(crate) tables: Arc<TableDirectory>,
    pub(crate) factory: Arc<TableFactory>,
    pub(crate) seats: Arc<Seats>,
    pub(crate) queue: Arc<Queue>,
    pub(crate) matchmaking: Arc<Matchmaking>,
    pub(crate) lobby: Arc<Lobby>,
    pub(crate) limits: Limits,
    pub(crate) downloads: Downloads,
    pub(crate) metrics: Arc<Metrics>,
    pub(crate) admin_token: Option<String>,
    /// The number of this run.
    pub(crate) epoch: u32,
    /// Cancelled when the server stops.
    pub(crate) stop: CancellationToken,
    /// The tables and connections, which the server waits for when it stops.
    pub(crate) tasks: TaskTracker,
}

impl AppState {
    /// Wires the parts; gives also where games arrive that are over.
    pub(crate) async fn new(
        parts: Parts,
        admin_token: Option<String>,
    ) -> Result<(Arc<Self>, mpsc::UnboundedReceiver<Finished>), Refusal> {
        let Parts { journal: log, list, games: find, players, dialects, chance, settings, .. } =
            parts;
        let settings = Arc::new(settings);
        let games = Arc::new(Games { list, find, dialects, players });
        let metrics = Arc::new(Metrics::default());
        let compared = metrics.passwords.clone();
        let accounts = Arc::new(Accounts::new(log.clone(), chance.clone(), compared).await?);
        let bank = Arc::new(Bank::new(log.clone()));
        let results = Arc::new(Results {
            log: log.clone(),
            games: games.clone(),
            accounts: accounts.clone(),
            bank: bank.clone(),
        });
        let connections = Arc::<ConnectionRegistry>::default();
        let epochs = Arc::new(Epochs::new(log.clone()).await?);
        let epoch = epochs.next().await?;
        let (stop, tasks) = (CancellationToken::new(), TaskTracker::new());
        let (finished, results_queue) = mpsc::unbounded_channel();
        let context = Arc::new(TableContext {
            log: log.clone(),
            games: find,
            players,
            accounts: accounts.clone(),
            connections: connections.clone(),
            chance: chance.clone(),
            settings: settings.clone(),
            metrics: metrics.clone(),
            scheduler: BotScheduler::new(settings.thinking_per_address),
            epochs,
            lobby_changes: watch::channel(1).0,
            finished,
            stop: stop.clone(),
        });
        let tables = TableDirectory::new(context, tasks.clone(), epoch);
        let queue = Arc::<Queue>::default();
        let factory = Arc::new(TableFactory {
            log: log.clone(),
            games: games.clone(),
            chance,
            settings: settings.clone(),
            tables: tables.clone(),
            opening: Mutex::default(),
        });
        let seats = Arc::new(Seats {
            games: games.clone(),
            accounts: accounts.clone(),
            bank: bank.clone(),
            tables: tables.clone(),
            queue: queue.clone(),
        });
        let matchmaking = Arc::new(Matchmaking {
            games: games.clone(),
            settings: settings.clone(),
            bank: bank.clone(),
            results: results.clone(),
            connections: connections.clone(),
            tables: tables.clone(),
            factory: factory.clone(),
            seats: seats.clone(),
            queue: queue.clone(),
            looking: Mutex::default(),
        });
        let app = Arc::new(Self {
            lobby: Arc::new(Lobby::new(tables.clone())),
            limits: Limits::new(&settings),
            downloads: Downloads::new(),
            settings,
            games,
            log,
            accounts,
            bank,
            results,
            connections,
            tables,
            factory,
            seats,
            queue,
            matchmaking,
            metrics,
            admin_token,
            epoch,
            stop,
            tasks,
        });
        Ok((app, results_queue))
    }
}
