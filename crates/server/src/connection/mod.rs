//! One WebSocket: a loop that reads, and a loop that writes.

mod dialect;

use crate::app::AppState;
use crate::session::Session;
use axum::extract::ws::{Message, Utf8Bytes, WebSocket};
use futures_util::stream::{SplitSink, SplitStream};
use futures_util::{SinkExt as _, StreamExt as _};
use parlor_host::{ConnectionId, Outbox, Outgoing, SharedMessage};
use parlor_rules::Refusal;
use parlor_wire::Tell;
use parlor_wire::dialect::Socket;
use std::net::IpAddr;
use std::ops::ControlFlow;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::time::{Instant, MissedTickBehavior, interval_at, timeout};

/// How long a client may take to read what it was sent.
const SLOW: Duration = Duration::from_secs(10);

/// How long a client may take to read the last messages.
const FAREWELL: Duration = Duration::from_secs(1);

/// Serves a connection until it ends, in the words of a dialect if there is one.
pub(crate) async fn serve(
    app: Arc<AppState>,
    socket: WebSocket,
    id: ConnectionId,
    address: IpAddr,
    dialect: Option<&'static Socket>,
) {
    app.metrics.connections.inc();
    let metrics = app.metrics.clone();
    match dialect {
        None => native(app, socket, id, address).await,
        Some(dialect) => dialect::serve(app, socket, id, address, dialect).await,
    }
    metrics.connections.dec();
}

/// Serves a client that speaks the protocol itself.
async fn native(app: Arc<AppState>, socket: WebSocket, id: ConnectionId, address: IpAddr) {
    let idle = Idle::new(Duration::from_millis(app.settings.idle_ms));
    let (mut to, mut from) = socket.split();
    let (outbox, messages) = Outbox::new(id, &app.stop);
    let mut session = Session::new(app, address, Some(outbox.clone()), None);
    {
        let mut reading = pin!(async {
            if let Some(last) = read(&mut from, &mut session, &outbox, &idle).await {
                outbox.tell(last);
            }
            session.ends();
            outbox.end();
        });
        let mut writing = pin!(write(&mut to, messages, &outbox, &idle));
        // Reading first: the answer goes out together with the update it follows.
        let reads_on = tokio::select! {
            biased;
            () = &mut reading => false,
            _ = &mut writing => true,
        };
        if reads_on {
            // The client takes nothing more. The command in hand is done to its end.
            outbox.cut();
            reading.await;
        } else {
            // A client that does not read the last messages does without.
            let _ = timeout(FAREWELL, writing).await;
        }
    }
    // A socket that is closed with unread input is reset, and the client loses the last messages. So
    // input is read for a moment.
    let _ = timeout(FAREWELL, async { while let Some(Ok(_)) = from.next().await {} }).await;
}

/// Notices a client that has been silent for too long. This is looked at with each ping, so a message
/// needs no timer.
struct Idle {
    limit: Duration,
    begun: Instant,
    /// When the client was last heard, in milliseconds since `begun`.
    heard_ms: AtomicU64,
}

impl Idle {
    fn new(limit: Duration) -> Self {
        Self { limit, begun: Instant::now(), heard_ms: AtomicU64::new(0) }
    }

    /// The client was heard now.
    fn heard(&self) {
        self.heard_ms.store(self.begun.elapsed().as_millis() as u64, Ordering::Relaxed);
    }

    /// Returns whether the client is silent for too long.
    fn is_over(&self) -> bool {
        let heard = Duration::from_millis(self.heard_ms.load(Ordering::Relaxed));
        self.begun.elapsed() > heard + self.limit
    }
}

/// What came in from a client.
enum Incoming {
    Text(Utf8Bytes),
    /// A message that is too long, or is no text.
    Refused(Refusal),
    /// A ping or a pong: there is nothing to answer.
    Nothing,
    /// The client has closed the connection.
    Closed,
    /// Its bytes are no messages.
    Unreadable,
}

/// Reads until the client or the server ends the connection. Returns the last message for the client,
/// if there is one.
async fn read(
    from: &mut SplitStream<WebSocket>,
    session: &mut Session,
    outbox: &Outbox,
    idle: &Idle,
) -> Option<Tell> {
    let mut read_end = pin!(outbox.read_end_token().cancelled());
    loop {
        let message = tokio::select! {
            biased;
            () = &mut read_end => return session.is_stopping().then(stopping),
            message = from.next() => message,
        };
        idle.heard();
        // One message after the other: a client is read no further until it is answered.
        let answer = match incoming(message) {
            Incoming::Text(text) => session.handle(&text).await,
            Incoming::Refused(refusal) => {
                session.refuse(None, session.in_rate().err().unwrap_or(refusal))
            }
            Incoming::Nothing => {
                // A client that sends nothing else is disconnected too.
                let _ = session.in_rate();
                continue;
            }
            Incoming::Closed => return None,
            Incoming::Unreadable => return Some(unreadable()),
        };
        outbox.send_later(SharedMessage::new(answer)).await;
        session.after_answer().await;
    }
}

fn incoming<E>(message: Option<Result<Message, E>>) -> Incoming {
    match message {
        None | Some(Ok(Message::Close(_))) => Incoming::Closed,
        Some(Err(_)) => Incoming::Unreadable,
        Some(Ok(Message::Text(text))) if text.len() > parlor_wire::LONGEST => {
            let text = format!("a message has at most {} bytes", parlor_wire::LONGEST);
            Incoming::Refused(Refusal::new("too_long", text))
        }
        Some(Ok(Message::Text(text))) => Incoming::Text(text),
        Some(Ok(Message::Binary(_))) => Incoming::Refused(Refusal::malformed("messages are texts")),
        Some(Ok(Message::Ping(_) | Message::Pong(_))) => Incoming::Nothing,
    }
}

/// Writes what comes out of the outbox, and pings, until the outbox ends or the client reads no more.
async fn write(
    to: &mut SplitSink<WebSocket, Message>,
    mut messages: UnboundedReceiver<Outgoing>,
    outbox: &Outbox,
    idle: &Idle,
) -> Result<(), Lost> {
    let ping_every = idle.limit / 3;
    let mut pings = interval_at(Instant::now() + ping_every, ping_every);
    pings.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            biased;
            Some(next) = messages.recv() => {
                if send_all(to, next, &mut messages).await?.is_break() {
                    return Ok(());
                }
            }
            _ = pings.tick() => {
                if idle.is_over() {
                    outbox.cut();
                }
                in_time(to.send(Message::Ping(Default::default()))).await?;
            }
        }
    }
}

/// A message as it is sent, without a copy.
fn frame(message: &SharedMessage) -> Message {
    // JSON is UTF-8.
    Message::Text(Utf8Bytes::try_from(message.text()).unwrap_or_default())
}

/// The client reads no more.
struct Lost;

/// Sends a message and all that wait behind it; breaks at the end of the outbox. A client that takes one
/// message has the same time for the next.
async fn send_all(
    to: &mut SplitSink<WebSocket, Message>,
    mut next: Outgoing,
    messages: &mut UnboundedReceiver<Outgoing>,
) -> Result<ControlFlow<()>, Lost> {
    loop {
        match next {
            Outgoing::Message(message, _room) => in_time(to.feed(frame(&message))).await?,
            Outgoing::End => {
                in_time(to.send(Message::Close(None))).await?;
                return Ok(ControlFlow::Break(()));
            }
        }
        match messages.try_recv() {
            Ok(more) => next = more,
            Err(_) => {
                in_time(to.flush()).await?;
                return Ok(ControlFlow::Continue(()));
            }
        }
    }
}

async fn in_time(sent: impl Future<Output = Result<(), axum::Error>>) -> Result<(), Lost> {
    match timeout(SLOW, sent).await {
        Ok(Ok(())) => Ok(()),
        _ => Err(Lost),
    }
}

/// Told to everyone when the server stops.
fn stopping() -> Tell {
    let text = "the server stops; come back in a moment";
    Tell::Bye { code: "stopping".to_owned(), text: text.to_owned() }
}

/// Told to a client whose bytes are no messages.
fn unreadable() -> Tell {
    let text = "this cannot be read: a message is a text of at most 4096 bytes";
    Tell::Bye { code: "unreadable".to_owned(), text: text.to_owned() }
}
