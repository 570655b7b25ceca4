//! One connection: frames in, frames out, all in one task.

use crate::Front;
use crate::line::{Frame, Line};
use crate::session::{self, Session, refused};
use crate::websocket::WebSocket;
use parlor_rules::Refusal;
use parlor_wire::Tell;
use parlor_wire::dialect::{Socket, Translator, Turn};
use std::collections::VecDeque;
use std::net::IpAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::time::{Instant, timeout};
use tungstenite::{Error, Message, Utf8Bytes};

/// How long a client may take to read what is sent at once, and how many frames that may be.
const SLOW: Duration = Duration::from_secs(10);
const AT_ONCE: usize = 64;

/// How long a client that is cut off may take to read what it was told last.
const FAREWELL: Duration = Duration::from_secs(1);

/// Serves a connection until it ends, in the words of a dialect if there is one.
pub(crate) async fn serve(
    front: Arc<Front>,
    socket: Box<WebSocket>,
    number: u64,
    address: IpAddr,
    dialect: Option<&'static Socket>,
) {
    front.hall.metrics.connections.inc();
    let (line, mut frames) = Line::new(number);
    let game = dialect.map(|dialect| dialect.game);
    let session = Session::new(front.clone(), address, Some(line.clone()), game);
    let connection = || format!("{}-{number}", front.hall.epoch());
    let dialect = dialect.map(|dialect| (dialect.open)(&connection()));
    let idle = Duration::from_millis(front.guard.settings.idle_ms);
    let mut talk = Box::new(Talk { socket, session, line, dialect });
    let last = talk.goes_on(&mut frames, idle).await;
    Box::pin(talk.ends(&mut frames, last.unwrap_or_default())).await;
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
        Message::Close(_) | Message::Ping(_) | Message::Pong(_) | Message::Frame(_) => None,
    }
}

/// A client and its session. While one of them has the word the other waits: who does not read is
/// not heard.
struct Talk {
    socket: Box<WebSocket>,
    session: Session,
    line: Line,
    /// Who stands between them; none if the client speaks as the protocol does.
    dialect: Option<Box<dyn Translator>>,
}

/// Nobody is on the other end any more, or nobody who reads.
struct Lost;

impl Talk {
    /// Goes on until one of the two has enough; gives the last words, if the connection is not lost.
    async fn goes_on(
        &mut self,
        frames: &mut mpsc::Receiver<Frame>,
        idle: Duration,
    ) -> Result<Option<Tell>, Lost> {
        let line = self.line.clone();
        let mut stopping = self.session.stopping();
        let mut stops = pin!(session::stops(&mut stopping));
        let mut ping = tokio::time::interval_at(Instant::now() + idle / 3, idle / 3);
        let mut heard = Instant::now();
        loop {
            let mut next = None;
            tokio::select! {
                biased;
                () = line.is_cut() => return Ok(None),
                () = &mut stops => return Ok(Some(bye())),
                frame = frames.recv() => next = frame,
                message = self.socket.next() => {
                    heard = Instant::now();
                    match message {
                        Ok(Message::Close(_)) | Err(Error::ConnectionClosed) => return Ok(None),
                        // Boxed, as all that is long is: most connections are silent.
                        Ok(message) => Box::pin(self.hear(message)).await?,
                        Err(_) => return Ok(Some(unreadable())),
                    }
                }
                _ = ping.tick() => {
                    if heard.elapsed() > idle {
                        return Ok(None);
                    }
                    self.socket.ping().map_err(|_| Lost)?;
                }
            }
            // What waits goes out together.
            let waiting = std::iter::from_fn(|| next.take().or_else(|| frames.try_recv().ok()));
            for frame in waiting.take(AT_ONCE) {
                self.tell(&frame).await?;
            }
            self.flush().await?;
            self.session.follow_up().await;
        }
    }

    /// Hears the client, and what it is answered.
    async fn hear(&mut self, message: Message) -> Result<(), Lost> {
        let Some(text) = text_of(message) else { return Ok(()) };
        let Some(dialect) = &mut self.dialect else {
            let answer = match text {
                Ok(text) => self.session.hear(&text).await,
                Err(refusal) => refused(None, self.session.in_measure().err().unwrap_or(refusal)),
            };
            // It comes after all that was told meanwhile.
            self.line.tell(answer);
            return Ok(());
        };
        let turns = match (self.session.in_measure(), text) {
            (Ok(()), Ok(text)) => dialect.hear(&text),
            (Err(refusal), _) | (_, Err(refusal)) => dialect.told(&refused(None, refusal)),
        };
        self.takes(turns).await
    }

    /// Tells the client something in its own words.
    async fn tell(&mut self, frame: &Frame) -> Result<(), Lost> {
        match &mut self.dialect {
            None => self.feed(|out| frame.write(out)).await,
            Some(dialect) => {
                let turns = dialect.told(frame.tell());
                Box::pin(self.takes(turns)).await
            }
        }
    }

    /// What the translator says is answered to the translator.
    async fn takes(&mut self, turns: Vec<Turn>) -> Result<(), Lost> {
        let mut turns = VecDeque::from(turns);
        while let Some(turn) = turns.pop_front() {
            match turn {
                Turn::Say(request) => {
                    let answer = self.session.answered(request).await;
                    turns.extend(self.dialect.iter_mut().flat_map(|it| it.told(&answer)));
                    self.session.follow_up().await;
                }
                Turn::Send(json) => {
                    self.feed(|out| out.extend_from_slice(json.get().as_bytes())).await?
                }
            }
        }
        Ok(())
    }

    /// Writes a message; it goes out with the next flush.
    async fn feed(&mut self, write: impl FnOnce(&mut Vec<u8>)) -> Result<(), Lost> {
        if self.socket.is_full() {
            self.flush().await?;
        }
        self.socket.feed(write).map_err(|_| Lost)
    }

    async fn flush(&mut self) -> Result<(), Lost> {
        sent(&self.line, self.socket.flush()).await
    }

    /// It is over: what was told last still goes out, to whoever reads it soon.
    async fn ends(mut self: Box<Self>, frames: &mut mpsc::Receiver<Frame>, last: Option<Tell>) {
        self.session.leaves();
        let told = std::iter::from_fn(|| frames.try_recv().ok());
        let told: Vec<Frame> = told.chain(last.map(Frame::new)).collect();
        let farewell = async {
            for frame in told {
                if self.socket.is_full() {
                    self.socket.flush().await?;
                }
                let Some(dialect) = &mut self.dialect else {
                    self.socket.feed(|out| frame.write(out))?;
                    continue;
                };
                for turn in dialect.told(frame.tell()) {
                    // What the translator still says is heard by nobody.
                    if let Turn::Send(json) = turn {
                        self.socket.feed(|out| out.extend_from_slice(json.get().as_bytes()))?;
                    }
                }
            }
            self.socket.close().await?;
            // What still comes in is read, and heard no more: closed upon it, the connection would
            // lose the last words.
            self.socket.drain().await;
            Ok::<(), Error>(())
        };
        // Whoever does not take it does without.
        let _ = timeout(FAREWELL, farewell).await;
    }
}

/// Waits until something is sent, if the client reads soon enough and the line is not cut.
async fn sent(line: &Line, sending: impl Future<Output = Result<(), Error>>) -> Result<(), Lost> {
    tokio::select! {
        biased;
        sent = timeout(SLOW, sending) => sent.map_err(|_| Lost)?.map_err(|_| Lost),
        () = line.is_cut() => Err(Lost),
    }
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
