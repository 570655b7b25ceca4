//! Tables on the net: WebSocket and HTTP over the journal's tables. It names no game.

mod accounts;
mod hall;
mod room;
mod socket;

use axum::Router;
use axum::extract::State;
use axum::extract::ws::WebSocketUpgrade;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use hall::Hall;
use parlor_bots::Player;
use parlor_journal::Journal;
use parlor_rules::{Refusal, Seat};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use tokio::net::TcpListener;

/// Finds a game by its key.
pub use parlor_journal::hall::Find;

/// Finds the house's player of a game, by its key, for a seat, playing by this seed.
pub type Players = fn(&str, Seat, &str) -> Option<Box<dyn Player>>;

/// What a server is made of.
pub struct Parts {
    /// Where tables are stored.
    pub journal: Arc<dyn Journal>,
    /// The games.
    pub games: Find,
    /// The house's players.
    pub players: Players,
}

/// What time it is, in milliseconds since 1970.
pub(crate) fn now_ms() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis() as u64)
}

#[derive(Clone)]
struct Front {
    hall: Arc<Hall>,
    connections: Arc<AtomicU64>,
}

/// Serves until `stop` is there. Tables that were in play go on where they stood.
pub async fn serve(
    parts: Parts,
    listener: TcpListener,
    stop: impl Future<Output = ()> + Send + 'static,
) -> Result<(), Refusal> {
    let hall = Arc::new(Hall::new(parts.journal, parts.games, parts.players)?);
    let beating = hall.clone();
    let heart = tokio::spawn(async move {
        let mut second = tokio::time::interval(Duration::from_secs(1));
        loop {
            second.tick().await;
            let hall = beating.clone();
            // A journal that is paused takes no stamp; it says so itself.
            let _ = tokio::task::spawn_blocking(move || hall.alive()).await;
        }
    });
    let front = Front { hall: hall.clone(), connections: Arc::new(AtomicU64::new(0)) };
    let routes = Router::new()
        .route("/ws", get(connect))
        .route("/healthz", get(|| async { "ok\n" }))
        .route("/readyz", get(ready))
        .with_state(front);
    let served = axum::serve(listener, routes).with_graceful_shutdown(stop).await;
    heart.abort();
    hall.stop();
    served.map_err(|error| Refusal::new("not_served", error.to_string()))
}

async fn connect(State(front): State<Front>, upgrade: WebSocketUpgrade) -> Response {
    let connection = front.connections.fetch_add(1, Ordering::Relaxed);
    // The usual buffer would cost 128 KiB a connection.
    upgrade
        .read_buffer_size(4 * 1024)
        .max_message_size(parlor_wire::LONGEST)
        .max_frame_size(parlor_wire::LONGEST)
        .on_upgrade(move |socket| socket::serve(front.hall, socket, connection))
}

async fn ready(State(front): State<Front>) -> Response {
    if front.hall.is_ready() {
        return "ready\n".into_response();
    }
    (StatusCode::SERVICE_UNAVAILABLE, "moves cannot be stored just now\n").into_response()
}
