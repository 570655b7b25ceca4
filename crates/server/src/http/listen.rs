//! Connections before they are WebSockets: how many there may be, and how long they may take.
//!
//! The accept loop is our own. `axum::serve` has no time limit for a request's head and admits everybody.
//! hyper-util's `conn::auto` waits without a limit for the first byte, and its `GracefulShutdown` does
//! not take hyper's connection that can be upgraded. Here a connection that never sends a request is
//! closed after the time a request may take.

use super::error::refused_at_once;
use crate::app::AppState;
use crate::network;
use axum::Router;
use axum::extract::{ConnectInfo, Request};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::{Service as _, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use parlor_rules::Refusal;
use std::io::ErrorKind;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::{sleep, timeout};
use tokio_util::task::TaskTracker;

/// How long requests that have begun may take when the server stops.
const GRACE: Duration = Duration::from_secs(3);

/// How long a connection is served before it has to come anew, and how long its last request may take
/// then. WebSockets have no such limit.
const LIFE: Duration = Duration::from_secs(60);

/// The longest head of a request.
const HEAD: usize = 16 * 1024;

/// Serves whoever connects until the server stops; then waits for requests that have begun.
pub(crate) async fn listen(app: Arc<AppState>, listener: TcpListener, routes: Router) {
    let open = TaskTracker::new();
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = app.stop.cancelled() => break,
        };
        match accepted {
            Ok((stream, peer)) => {
                // Counted here, in the order in which they come: the first ones are let in.
                match admit(&app, peer) {
                    Some(permits) => {
                        // A message is not kept back in the hope of another one.
                        let _ = stream.set_nodelay(true);
                        let (app, routes) = (app.clone(), routes.clone());
                        open.spawn(async move {
                            answer(&app, stream, peer, routes).await;
                            drop(permits);
                        });
                    }
                    None => drop(open.spawn(async move { refuse(&stream).await })),
                }
            }
            Err(error) if is_of_the_peer(error.kind()) => {}
            Err(error) => {
                // Perhaps too many files are open: some are closed by and by.
                tracing::error!(%error, "nobody can connect");
                sleep(Duration::from_millis(200)).await;
            }
        }
    }
    drop(listener);
    open.close();
    open.wait().await;
}

fn is_of_the_peer(kind: ErrorKind) -> bool {
    use ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset};
    matches!(kind, ConnectionAborted | ConnectionRefused | ConnectionReset)
}

/// Counts a connection for as long as the permits are held; none if there are too many.
fn admit(app: &AppState, peer: SocketAddr) -> Option<Vec<OwnedSemaphorePermit>> {
    let mut permits = vec![app.limits.asking.clone().try_acquire_owned().ok()?];
    // Behind a proxy are many.
    if !app.settings.proxies.contains(&peer.ip()) {
        let network = network::network(peer.ip());
        permits.push(app.limits.asking_by_address.try_acquire(network)?);
    }
    Some(permits)
}

/// Ends when the server has stopped and requests have had their time.
async fn after_stop(app: &AppState) {
    app.stop.cancelled().await;
    sleep(GRACE).await;
}

async fn refuse(stream: &TcpStream) {
    let refusal = Refusal::new("too_many_connections", "too many connections; close some");
    // A client that does not take it at once does without.
    if stream.writable().await.is_ok() {
        let _ = stream.try_write(refused_at_once(refusal).as_bytes());
    }
}

/// Serves one connection, over any stream of bytes.
async fn answer<S>(app: &AppState, stream: S, peer: SocketAddr, routes: Router)
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let routes = TowerToHyperService::new(routes);
    let service = service_fn(move |mut request: Request<Incoming>| {
        request.extensions_mut().insert(ConnectInfo(peer));
        routes.call(request)
    });
    let serving = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(Duration::from_millis(app.settings.ask_ms))
        .max_buf_size(HEAD)
        .serve_connection(TokioIo::new(stream), service)
        .with_upgrades();
    let mut serving = pin!(serving);
    let last = tokio::select! {
        // However it ended, it has.
        _ = serving.as_mut() => return,
        () = sleep(LIFE) => LIFE,
        () = app.stop.cancelled() => GRACE,
    };
    serving.as_mut().graceful_shutdown();
    // A client in the middle of a request does not hold up the end for long.
    tokio::select! {
        _ = timeout(last, serving) => {}
        () = after_stop(app) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Chance, Parts, Settings};
    use futures_util::{SinkExt as _, StreamExt as _};
    use parlor_journal::Memory;
    use tokio::net::UnixStream;
    use tokio_tungstenite::client_async;
    use tokio_tungstenite::tungstenite::Message;

    fn parts() -> Parts {
        Parts {
            journal: Arc::new(Memory::default()),
            list: parlor_games::GAMES,
            games: parlor_games::find,
            dialects: &parlor_games::DIALECTS,
            players: parlor_bots::player,
            chance: Chance::of_the_system(),
            settings: Settings::default(),
            admin: None,
        }
    }

    #[tokio::test]
    async fn a_unix_socket_carries_a_websocket() {
        let (app, _finished) = AppState::new(parts(), None).await.expect("a server");
        let (ours, theirs) = UnixStream::pair().expect("a pair of sockets");
        let peer = SocketAddr::from(([127, 0, 0, 1], 1));
        let routes = crate::http::routes(&app);
        tokio::spawn(async move { answer(&app, ours, peer, routes).await });
        let (mut socket, _) = client_async("ws://parlor/ws", theirs).await.expect("an upgrade");
        socket.send(Message::text(r#"{"type":"ping","id":"1"}"#)).await.expect("sent");
        let told = socket.next().await.expect("an answer").expect("a message");
        assert_eq!(told.to_text().ok(), Some(r#"{"type":"done","id":"1"}"#));
    }
}
