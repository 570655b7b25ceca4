//! The parts of a server, wired together.

use crate::http::Downloads;
use crate::limits::Limits;
use crate::lobby::Lobby;
use crate::matchmaking::Matchmaking;
use crate::metrics::Metrics;
use crate::queue::Queue;
use crate::seats::Seats;
use crate::{Parts, Settings};
use parlor_accounts::{Accounts, Bank, Finished, Results};
use parlor_host::{
    BotScheduler, ConnectionRegistry, Epochs, Games, OnStored, TableContext, TableDirectory,
    TableFactory,
};
use parlor_journal::Journal;
use parlor_rules::Refusal;
use std::sync::Arc;
use tokio::sync::{Mutex, mpsc, watch};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// What requests and connections are served with. It only holds the parts.
pub(crate) struct AppState {
    pub(crate) settings: Settings,
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
        let (finished, results_queue) = mpsc::unbounded_channel();
        let metrics = Arc::<Metrics>::default();
        let context = Arc::new(table_context(&parts, metrics.clone(), finished).await?);
        let epoch = context.epochs.next().await?;
        let TableContext { log, games, accounts, .. } = &*context;
        let bank = Arc::new(Bank::new(log.clone()));
        let results = Results::new(log.clone(), games.find, accounts.clone(), bank.clone());
        let results = Arc::new(results);
        let tables = TableDirectory::new(context.clone());
        let factory = Arc::new(TableFactory::new(context.clone(), tables.clone()));
        let queue = Arc::<Queue>::default();
        let seats = Arc::new(Seats {
            context: context.clone(),
            bank: bank.clone(),
            tables: tables.clone(),
            queue: queue.clone(),
        });
        let matchmaking = Arc::new(Matchmaking {
            context: context.clone(),
            bank: bank.clone(),
            results: results.clone(),
            tables: tables.clone(),
            factory: factory.clone(),
            seats: seats.clone(),
            queue: queue.clone(),
            looking: Mutex::default(),
        });
        let app = Arc::new(Self {
            lobby: Arc::new(Lobby::new(tables.clone())),
            limits: Limits::new(&parts.settings),
            downloads: Downloads::new(),
            settings: parts.settings,
            games: games.clone(),
            log: log.clone(),
            accounts: accounts.clone(),
            connections: context.connections.clone(),
            stop: context.stop.clone(),
            tasks: context.tasks.clone(),
            bank,
            results,
            tables,
            factory,
            seats,
            queue,
            matchmaking,
            metrics,
            admin_token,
            epoch,
        });
        Ok((app, results_queue))
    }
}

/// What the tables of this server need.
async fn table_context(
    parts: &Parts,
    metrics: Arc<Metrics>,
    finished: mpsc::UnboundedSender<Finished>,
) -> Result<TableContext, Refusal> {
    let Parts { journal: log, list, games: find, players, dialects, chance, settings, .. } = parts;
    let games = Games { list, find: *find, dialects, players: *players };
    let stored: OnStored = Box::new(move |game, within| metrics.stored(game, within));
    Ok(TableContext {
        log: log.clone(),
        games: Arc::new(games),
        accounts: Arc::new(Accounts::new(log.clone(), chance.clone()).await?),
        connections: Arc::default(),
        chance: chance.clone(),
        settings: settings.tables.clone(),
        scheduler: BotScheduler::new(settings.tables.thinking_per_address),
        epochs: Epochs::new(log.clone()).await?,
        lobby_changes: watch::channel(1).0,
        finished,
        stored,
        stop: CancellationToken::new(),
        tasks: TaskTracker::new(),
    })
}
