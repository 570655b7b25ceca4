//! Tables on the net: WebSocket and HTTP over the journal's tables. It names no game.

#![warn(clippy::too_many_lines)]

mod app;
mod connection;
mod http;
mod limits;
mod lobby;
mod matchmaking;
mod metrics;
mod network;
mod queue;
mod seats;
mod session;
mod settings;

pub use parlor_accounts::{Chance, Fill};
pub use parlor_host::{Limit, Players, Settings as TableSettings};
/// Finds a game by its key.
pub use parlor_journal::store::Find;
pub use settings::Settings;

use app::AppState;
use parlor_host::now_ms;
use parlor_journal::Journal;
use parlor_rules::{AnyGame, Refusal};
use parlor_wire::dialect::Dialects;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::task::{JoinHandle, JoinSet};
use tokio::time::{interval, timeout};

/// How long the server waits for its tables and connections when it stops.
const GRACE: Duration = Duration::from_secs(5);

/// What a server is made of.
pub struct Parts {
    /// Where tables are stored.
    pub journal: Arc<dyn Journal>,
    /// All games, in the order in which they are listed.
    pub list: &'static [&'static dyn AnyGame],
    /// The games by their keys.
    pub games: Find,
    /// Other ways to speak with their tables.
    pub dialects: &'static Dialects,
    /// The house's players.
    pub players: Players,
    /// Where tokens and secrets come from.
    pub chance: Chance,
    /// What is allowed.
    pub settings: Settings,
    /// Where whoever runs the server is heard, on this machine alone, and with which token.
    pub admin: Option<(TcpListener, String)>,
}

/// The outcome of a task that is done to its end, whether or not it is waited for.
pub(crate) async fn ended<T>(task: JoinHandle<Result<T, Refusal>>) -> Result<T, Refusal> {
    task.await.unwrap_or_else(|_| Err(Refusal::broken()))
}

/// Serves until `stop` is there. Tables that were in play go on where they stood.
pub async fn serve(
    mut parts: Parts,
    listener: TcpListener,
    stop: impl Future<Output = ()> + Send + 'static,
) -> Result<(), Refusal> {
    let (admin_listener, admin_token) = parts.admin.take().unzip();
    let (app, finished) = AppState::new(parts, admin_token).await?;
    app.tables.load_unfinished(app.epoch).await?;
    let mut background = JoinSet::new();
    background.spawn(app.results.clone().run(finished));
    background.spawn(app.lobby.clone().run());
    background.spawn(app.matchmaking.clone().run());
    background.spawn(stamp_alive(app.clone()));
    background.spawn(forget_idle(app.clone()));
    if let Some(listener) = admin_listener {
        let routes = http::admin_routes(&app);
        background.spawn(http::listen::listen(app.clone(), listener, routes));
    }
    let stopping = app.stop.clone();
    let stop = async move {
        stop.await;
        // Tables take no command any more, and connections tell their clients.
        stopping.cancel();
    };
    let routes = http::routes(&app);
    tokio::join!(stop, http::listen::listen(app.clone(), listener, routes));
    app.tasks.close();
    let _ = timeout(GRACE, app.tasks.wait()).await;
    background.shutdown().await;
    Ok(())
}

/// Notes every second that the program runs: nobody's clock is charged for a crash.
async fn stamp_alive(app: Arc<AppState>) {
    let mut second = interval(Duration::from_secs(1));
    loop {
        second.tick().await;
        // A journal that is paused takes no stamp; it says so itself.
        let _ = app.log.alive(now_ms()).await;
    }
}

/// Forgets every minute the rates of whoever was not there of late.
async fn forget_idle(app: Arc<AppState>) {
    let mut minute = interval(Duration::from_secs(60));
    loop {
        minute.tick().await;
        app.limits.forget_idle();
    }
}
