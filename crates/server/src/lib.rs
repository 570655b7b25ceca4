//! Tables on the net: WebSocket and HTTP over the journal's tables. It names no game.

mod accounts;
mod bank;
mod chance;
mod guard;
mod hall;
mod http;
mod line;
mod listen;
mod metrics;
mod openapi;
mod page;
mod queue;
mod ratings;
mod replay;
mod results;
mod room;
mod session;
mod socket;
mod thinking;
mod websocket;

pub use chance::{Chance, Fill};
pub use guard::Settings;
/// Finds a game by its key.
pub use parlor_journal::hall::Find;

use axum::Router;
use axum::extract::{DefaultBodyLimit, Path, State};
use axum::middleware::map_response;
use axum::response::Response;
use axum::routing::get;
use guard::Guard;
use hall::Hall;
use http::{Asker, Refused};
use line::Frame;
use parlor_bots::{Level, Player};
use parlor_journal::Journal;
use parlor_rules::{AnyGame, Refusal, Seat};
use parlor_wire::Tell;
use parlor_wire::dialect::{Dialects, Document, Socket};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use tokio::net::TcpListener;
use tokio::sync::{mpsc, watch};
use tokio::task::JoinHandle;
use websocket::Upgrade;

/// How often at most the lobby is shown anew.
const LOBBY: Duration = Duration::from_millis(200);

/// Finds the house's player of a game, by its key, of a level, for a seat, playing by this seed.
pub type Players = fn(&str, Level, Seat, &str) -> Option<Box<dyn Player>>;

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
    /// Where whoever runs the house is heard, on this machine alone, and with which token.
    pub admin: Option<(TcpListener, String)>,
}

/// What time it is, in milliseconds since 1970.
pub(crate) fn now_ms() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis() as u64)
}

/// Does what takes long in a thread that may wait.
pub(crate) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Refusal> + Send + 'static,
) -> Result<T, Refusal> {
    ended(tokio::task::spawn_blocking(work)).await
}

/// What became of something that is done to its end, whether or not it is waited for.
pub(crate) async fn ended<T>(task: JoinHandle<Result<T, Refusal>>) -> Result<T, Refusal> {
    let broken = || Refusal::new("broken", "this went wrong here; try again");
    task.await.unwrap_or_else(|_| Err(broken()))
}

/// All that answers need.
pub(crate) struct Front {
    pub(crate) hall: Arc<Hall>,
    pub(crate) guard: Guard,
    pub(crate) list: &'static [&'static dyn AnyGame],
    pub(crate) dialects: &'static Dialects,
    pub(crate) admin_token: Option<String>,
    connections: AtomicU64,
    /// The lobby, written once for all who look at it.
    pub(crate) lobby: watch::Sender<Frame>,
    /// Whether connections are to end.
    pub(crate) stopping: watch::Receiver<bool>,
}

impl Front {
    /// The files that tables of a game have.
    pub(crate) fn files(&self, game: &str) -> Vec<String> {
        let own = self.dialects.files.iter().filter(|file| file.game == game);
        own.map(|file| file.name.to_owned()).collect()
    }

    /// The documents that tables of a game have.
    pub(crate) fn documents(&self, game: &str) -> Vec<String> {
        let own = self.dialects.documents.iter().filter(|document| document.game == game);
        own.map(|document| document.name.to_owned()).collect()
    }

    pub(crate) fn document(&self, game: &str, name: &str) -> Result<&'static Document, Refusal> {
        let none = || Refusal::new("no_such_document", "tables of this game have no such document");
        self.dialects.document(game, name).ok_or_else(none)
    }
}

/// Serves until `stop` is there. Tables that were in play go on where they stood.
pub async fn serve(
    mut parts: Parts,
    listener: TcpListener,
    stop: impl Future<Output = ()> + Send + 'static,
) -> Result<(), Refusal> {
    let (over, ended) = mpsc::unbounded_channel();
    let (alive, mut all_gone) = mpsc::channel::<()>(1);
    let (list, dialects, settings) = (parts.list, parts.dialects, parts.settings.clone());
    let admin = parts.admin.take();
    let hall = Hall::new(parts, over, alive)?;
    let (stops, stopping) = watch::channel(false);
    let (admin_listener, admin_token) = admin.unzip();
    let front = Arc::new(Front {
        hall: hall.clone(),
        guard: Guard::new(settings),
        list,
        dialects,
        admin_token,
        connections: AtomicU64::new(0),
        lobby: watch::channel(lobby(&hall)).0,
        stopping,
    });
    let counting = tokio::spawn(results::count(hall.clone(), ended));
    let heart = tokio::spawn(beat(hall.clone()));
    let showing = tokio::spawn(show(front.clone()));
    if let Some(listener) = admin_listener {
        let routes = http::admin_routes().with_state(front.clone());
        tokio::spawn(listen::listen(front.clone(), listener, routes));
    }
    let routes = Router::new()
        .route("/ws", get(connect))
        .route("/ws/{dialect}", get(connect_in))
        .merge(http::routes())
        .layer(DefaultBodyLimit::max(http::LONGEST_DOCUMENT))
        .layer(map_response(http::in_our_words))
        .with_state(front.clone());
    let stop = async move {
        stop.await;
        // Connections tell their clients.
        let _ = stops.send(true);
    };
    tokio::join!(stop, listen::listen(front, listener, routes));
    hall.stop();
    // Connections and rooms end when all is said.
    let _ = tokio::time::timeout(Duration::from_secs(5), all_gone.recv()).await;
    for task in [counting, heart, showing] {
        task.abort();
        // It is gone then, however it ended.
        let _ = task.await;
    }
    Ok(())
}

/// What is done every second: a stamp that the program runs, and a look at the queue.
async fn beat(hall: Arc<Hall>) {
    let mut second = tokio::time::interval(Duration::from_secs(1));
    loop {
        second.tick().await;
        let beating = hall.clone();
        // A journal that is paused takes no stamp; it says so itself.
        let _ = blocking(move || beating.alive()).await;
        hall.match_up().await;
    }
}

fn lobby(hall: &Hall) -> Frame {
    Frame::new(Tell::Tables { id: None, tables: hall.lobby() })
}

/// Shows the lobby to those who look at it, when it has changed.
async fn show(front: Arc<Front>) {
    let mut changes = front.hall.changes();
    while changes.changed().await.is_ok() {
        // Whoever begins to look is shown it then.
        if front.lobby.receiver_count() > 0 {
            front.lobby.send_replace(lobby(&front.hall));
        }
        tokio::time::sleep(LOBBY).await;
    }
}

async fn connect(
    State(front): State<Arc<Front>>,
    asker: Asker,
    upgrade: Upgrade,
) -> Result<Response, Refused> {
    upgraded(front, &asker, upgrade, None)
}

async fn connect_in(
    State(front): State<Arc<Front>>,
    Path(name): Path<String>,
    asker: Asker,
    upgrade: Upgrade,
) -> Result<Response, Refused> {
    let Some(socket) = front.dialects.socket(&name) else {
        return Err(Refusal::new("no_such_file", "there is no such dialect").into());
    };
    upgraded(front, &asker, upgrade, Some(socket))
}

fn upgraded(
    front: Arc<Front>,
    asker: &Asker,
    upgrade: Upgrade,
    dialect: Option<&'static Socket>,
) -> Result<Response, Refused> {
    let settings = &front.guard.settings;
    let address = asker.address;
    let counted = front.guard.by_address.one(address, settings.connections_per_address);
    let in_all = front.guard.in_all.one((), settings.connections);
    let (Some(counted), Some(in_all)) = (counted, in_all) else {
        return Err(Refusal::new("too_many_connections", "too many connections; close some").into());
    };
    let number = front.connections.fetch_add(1, Ordering::Relaxed);
    Ok(upgrade.serve(move |socket| async move {
        let held = (counted, in_all, front.hall.held());
        socket::serve(front, socket, number, address, dialect).await;
        drop(held);
    }))
}
