//! One connection: frames in, frames out.

use crate::Front;
use crate::line::{Frames, Line};
use crate::session::{self, Session, refused};
use axum::extract::ws::{Message, Utf8Bytes, WebSocket};
use futures_util::{SinkExt as _, StreamExt as _};
use parlor_rules::{Json, Refusal};
use parlor_wire::Tell;
use parlor_wire::dialect::{Socket, Translator, Turn};
use std::collections::VecDeque;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

/// How long a client may take to read what is sent at once, and how many frames that may be.
const SLOW: Duration = Duration::from_secs(10);
const AT_ONCE: usize = 64;

/// How long a client that is cut off may take to read what it was told last.
const FAREWELL: Duration = Duration::from_secs(1);

/// Serves a connection until it ends, in the words of a dialect if there is one.
pub(crate) async fn serve(
    front: Arc<Front>,
    socket: WebSocket,
    number: u64,
    address: IpAddr,
    dialect: Option<&'static Socket>,
) {
    front.hall.metrics.connections.inc();
    let (line, frames) = Line::new(number);
    let game = dialect.map(|dialect| dialect.game);
    let session = Session::new(front.clone(), address, Some(line.clone()), game);
    let idle = Duration::from_millis(front.guard.settings.idle_ms);
    match dialect {
        None => plain(session, socket, line, frames, idle).await,
        Some(dialect) => {
            let translator = (dialect.open)(&format!("{}-{number}", front.hall.epoch()));
            translated(session, socket, line, frames, idle, translator).await;
        }
    }
    front.hall.metrics.connections.dec();
}

/// What comes in: a text, or something else.
fn text_of(message: Message) -> Option<Result<Utf8Bytes, Refusal>> {
    match message {
        Message::Text(text) if text.len() > parlor_wire::LONGEST => {
            let text = format!("a message has at most {} bytes", parlor_wire::LONGEST);
            Some(Err(Refusal::new("too_long", text)))
        }
        Message::Text(text) => Some(Ok(text)),
        Message::Binary(_) => Some(Err(Refusal::malformed("messages are texts".to_owned()))),
        Message::Close(_) | Message::Ping(_) | Message::Pong(_) => None,
    }
}

async fn plain(
    mut session: Session,
    socket: WebSocket,
    line: Line,
    mut frames: Frames,
    idle: Duration,
) {
    let (mut sink, mut stream) = socket.split();
    let writer = tokio::spawn(async move {
        let mut ping = tokio::time::interval(idle / 3);
        loop {
            let message = tokio::select! {
                frame = frames.next() => match frame {
                    Some(frame) => Message::Text(frame.text().clone()),
                    None => break,
                },
                _ = ping.tick() => Message::Ping(Vec::new().into()),
            };
            // What else waits goes out together with it.
            let sends = async {
                sink.feed(message).await?;
                for _ in 1..AT_ONCE {
                    let Some(frame) = frames.waiting() else { break };
                    sink.feed(Message::Text(frame.text().clone())).await?;
                }
                sink.flush().await
            };
            if !matches!(tokio::time::timeout(SLOW, sends).await, Ok(Ok(()))) {
                break;
            }
            frames.read();
        }
        drop(frames);
        // It may be closed already.
        let _ = sink.close().await;
    });
    let mut stopping = session.stopping();
    loop {
        let next = async {
            line.is_read().await;
            tokio::time::timeout(idle, stream.next()).await
        };
        let message = tokio::select! {
            message = next => message,
            () = line.is_cut() => break,
            () = session::stops(&mut stopping) => break line.tell(bye()),
        };
        let message = match message {
            Ok(Some(Ok(message))) => message,
            Ok(Some(Err(_))) => break line.tell(unreadable()),
            Ok(None) | Err(_) => break,
        };
        if matches!(message, Message::Close(_)) {
            break;
        }
        match text_of(message) {
            Some(Ok(text)) => {
                line.tell(session.hear(&text).await);
                session.follow_up().await;
            }
            Some(Err(refusal)) => {
                let refusal = session.in_measure().err().unwrap_or(refusal);
                line.tell(refused(None, refusal));
            }
            None => {}
        }
    }
    session.leaves();
    drop((session, line));
    // The writer ends when the last sender is gone, or the connection is. What still comes in is
    // read, and heard no more: closed upon it, the connection would lose the last words.
    let writer_ends = writer.abort_handle();
    let rest = async { while let Some(Ok(_)) = stream.next().await {} };
    let ends = async { drop(tokio::join!(writer, rest)) };
    if tokio::time::timeout(FAREWELL, ends).await.is_err() {
        writer_ends.abort();
    }
}

async fn translated(
    mut session: Session,
    socket: WebSocket,
    line: Line,
    mut frames: Frames,
    idle: Duration,
    mut dialect: Box<dyn Translator>,
) {
    let (mut sink, mut stream) = socket.split();
    let mut ping = tokio::time::interval(idle / 3);
    let mut silent_since = tokio::time::Instant::now();
    let mut stopping = session.stopping();
    'open: loop {
        let mut turns: VecDeque<Turn> = tokio::select! {
            message = stream.next() => {
                silent_since = tokio::time::Instant::now();
                match message {
                    Some(Ok(Message::Close(_)) | Err(_)) | None => break,
                    Some(Ok(message)) => match text_of(message) {
                        Some(Ok(text)) => match session.in_measure() {
                            Ok(()) => dialect.hear(&text).into(),
                            Err(refusal) => dialect.told(&refused(None, refusal)).into(),
                        },
                        Some(Err(refusal)) => dialect.told(&refused(None, refusal)).into(),
                        None => VecDeque::new(),
                    },
                }
            }
            frame = frames.next() => match frame {
                Some(frame) => dialect.told(frame.tell()).into(),
                None => break,
            },
            _ = ping.tick() => {
                if silent_since.elapsed() > idle || sink.send(Message::Ping(Vec::new().into())).await.is_err() {
                    break;
                }
                continue;
            }
            () = line.is_cut() => break,
            () = session::stops(&mut stopping) => {
                for turn in dialect.told(&bye()) {
                    if let Turn::Send(json) = turn {
                        // It is over anyway.
                        let _ = tokio::time::timeout(FAREWELL, sink.send(text(&json))).await;
                    }
                }
                break;
            }
        };
        // What the translator says is answered to the translator.
        while let Some(turn) = turns.pop_front() {
            match turn {
                Turn::Say(request) => {
                    let answer: Tell = session.answered(request).await;
                    turns.extend(dialect.told(&answer));
                    session.follow_up().await;
                }
                Turn::Send(json) => {
                    let sent = tokio::time::timeout(SLOW, sink.send(text(&json))).await;
                    if !matches!(sent, Ok(Ok(()))) {
                        break 'open;
                    }
                }
            }
        }
    }
    session.leaves();
    // It may be closed already.
    let _ = tokio::time::timeout(FAREWELL, sink.close()).await;
}

/// What is told to who sends what cannot be read.
fn unreadable() -> Tell {
    let text = "this cannot be read: a message is a text of at most 4096 bytes";
    Tell::Bye { code: "unreadable".to_owned(), text: text.to_owned() }
}

/// What everyone is told when the server stops.
fn bye() -> Tell {
    let text = "the server stops; come back in a moment";
    Tell::Bye { code: "stopping".to_owned(), text: text.to_owned() }
}

fn text(json: &Json) -> Message {
    Message::Text(json.get().into())
}
