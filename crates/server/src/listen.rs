//! Connections before they are sockets: how many there may be, and how long they may take.

use crate::guard::{Counted, Counts};
use crate::http::refused_at_once;
use crate::{Front, session};
use axum::Router;
use axum::extract::{ConnectInfo, Request};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::{Service as _, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use parlor_rules::Refusal;
use std::io::ErrorKind;
use std::net::{IpAddr, SocketAddr};
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;

/// How long requests that have begun may take when the server stops.
const GRACE: Duration = Duration::from_secs(3);

/// How long a connection asks and is answered before it is to come anew, and how long its last
/// request may take then. One that has become a WebSocket is none of these.
const LIFE: Duration = Duration::from_secs(60);

/// The longest head of a request.
const HEAD: usize = 16 * 1024;

/// How many connections ask something just now.
#[derive(Default)]
pub(crate) struct Asking {
    by_address: Counts<IpAddr>,
    in_all: Counts<()>,
}

/// Answers whoever connects, until the server stops; then it waits for those who are being answered.
pub(crate) async fn listen(front: Arc<Front>, listener: TcpListener, routes: Router) {
    let mut stopping = front.stopping.clone();
    let (open, mut all_closed) = mpsc::channel::<()>(1);
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = session::stops(&mut stopping) => break,
        };
        match accepted {
            Ok((stream, peer)) => {
                // Counted here, in the order in which they come: the first ones are let in.
                let admitted = admit(&front, peer);
                let (front, routes, open) = (front.clone(), routes.clone(), open.clone());
                tokio::spawn(async move {
                    match admitted {
                        Some(_counted) => answer(&front, stream, peer, routes).await,
                        None => refuse(&stream).await,
                    }
                    drop(open);
                });
            }
            Err(error) if is_the_peers(error.kind()) => {}
            Err(error) => {
                // Too many files are open, perhaps: some are closed by and by.
                tracing::error!(%error, "nobody can connect");
                tokio::time::sleep(Duration::from_millis(200)).await;
            }
        }
    }
    drop((listener, open));
    // It ends when all are gone.
    let _ = all_closed.recv().await;
}

fn is_the_peers(kind: ErrorKind) -> bool {
    use ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset};
    matches!(kind, ConnectionAborted | ConnectionRefused | ConnectionReset)
}

/// Counts a connection for as long as what is given back is held; none if there are too many.
fn admit(front: &Front, peer: SocketAddr) -> Option<(Counted<IpAddr>, Counted<()>)> {
    let settings = &front.guard.settings;
    let asking = &front.guard.asking;
    // Behind a proxy are many.
    let alone = !settings.proxies.contains(&peer.ip());
    let most = if alone { settings.asking_per_address } else { usize::MAX };
    let counted = asking.by_address.one(settings.household(peer.ip()), most)?;
    Some((counted, asking.in_all.one((), settings.connections)?))
}

async fn refuse(stream: &TcpStream) {
    let refusal = Refusal::new("too_many_connections", "too many connections; close some");
    // Who does not take it at once does without.
    if stream.writable().await.is_ok() {
        let _ = stream.try_write(refused_at_once(refusal).as_bytes());
    }
}

async fn answer(front: &Front, stream: TcpStream, peer: SocketAddr, routes: Router) {
    let settings = &front.guard.settings;
    // A frame is not kept back in the hope of another one; it only comes later otherwise.
    let _ = stream.set_nodelay(true);
    let routes = TowerToHyperService::new(routes);
    let service = service_fn(move |mut request: Request<Incoming>| {
        request.extensions_mut().insert(ConnectInfo(peer));
        routes.call(request)
    });
    let serving = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(Duration::from_millis(settings.ask_ms))
        .max_buf_size(HEAD)
        .serve_connection(TokioIo::new(stream), service)
        .with_upgrades();
    let mut serving = pin!(serving);
    let mut stopping = front.stopping.clone();
    let last = tokio::select! {
        // However it ended, it has.
        _ = serving.as_mut() => return,
        () = tokio::time::sleep(LIFE) => LIFE,
        () = session::stops(&mut stopping) => GRACE,
    };
    serving.as_mut().graceful_shutdown();
    // Whoever is in the middle of asking something does not hold up the end for long.
    let _ = tokio::time::timeout(last, serving).await;
}
