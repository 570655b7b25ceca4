//! One connection: frames in, frames out, all in one task.

use crate::Front;
use crate::line::{Ear, Frame, Line};
use crate::session::{self, Session, refused};
use crate::websocket::WebSocket;
use parlor_rules::{Json, Refusal};
use parlor_wire::Tell;
use parlor_wire::dialect::{Socket, Translator, Turn};
use std::collections::VecDeque;
use std::future::poll_fn;
use std::net::IpAddr;
use std::pin::pin;
use std::sync::{Arc, Mutex};
use std::task::Poll;
use std::time::Duration;
use tokio::time::{Instant, sleep, timeout};
use tungstenite::{Error, Message, Utf8Bytes};

/// How long a client may take to read something of what it was told.
const SLOW: Duration = Duration::from_secs(10);

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
    let ear = match dialect {
        None => Ear::Client(Arc::downgrade(socket.outlet())),
        Some(_) => Ear::Translator(Mutex::default()),
    };
    let line = Line::new(number, ear);
    let game = dialect.map(|dialect| dialect.game);
    let session = Session::new(front.clone(), address, Some(line.clone()), game);
    let connection = || format!("{}-{number}", front.hall.epoch());
    let dialect = dialect.map(|dialect| (dialect.open)(&connection()));
    let idle = Duration::from_millis(front.guard.settings.idle_ms);
    let mut talk = Box::new(Talk { socket, session, line, dialect });
    let last = talk.goes_on(idle).await;
    Box::pin(talk.ends(last.unwrap_or_default())).await;
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

/// What a connection's task is woken for.
enum Event {
    /// The client has said something, or hung up.
    Said(Result<Message, Error>),
    /// Somebody has something for it to do.
    Noticed,
    /// The server stops.
    Stops,
    /// It is time to see whether somebody is there.
    Rings,
}

impl Talk {
    /// Goes on until one of the two has enough; gives the last words, if the connection is not lost.
    async fn goes_on(&mut self, idle: Duration) -> Result<Option<Tell>, Lost> {
        let line = self.line.clone();
        let mut stopping = self.session.stopping();
        let mut stops = pin!(session::stops(&mut stopping));
        let mut alarm = pin!(sleep(idle / 3));
        let (mut heard, mut rings) = (Instant::now(), alarm.deadline());
        // Whether to look for what is seldom there. Once somebody waits for it, it would wake him: who
        // is woken for something else need not look, and what he would look at is far away in memory.
        let mut seldom = true;
        while !line.is_cut() {
            let event = {
                let mut next = pin!(self.socket.next());
                let mut woken = false;
                poll_fn(|cx| {
                    // First what is likeliest. Who says more than is heard is cut off before long.
                    if let Poll::Ready(message) = next.as_mut().poll(cx) {
                        return Poll::Ready(Event::Said(message));
                    }
                    if line.poll_noticed(cx).is_ready() {
                        return Poll::Ready(Event::Noticed);
                    }
                    if std::mem::replace(&mut woken, true) || std::mem::take(&mut seldom) {
                        if stops.as_mut().poll(cx).is_ready() {
                            return Poll::Ready(Event::Stops);
                        }
                        return alarm.as_mut().poll(cx).map(|()| Event::Rings);
                    }
                    Poll::Pending
                })
                .await
            };
            match event {
                Event::Said(message) => {
                    heard = Instant::now();
                    match message {
                        _ if line.is_cut() => {}
                        Ok(Message::Close(_)) | Err(Error::ConnectionClosed) => return Ok(None),
                        Ok(message) => self.hear(message).await?,
                        Err(_) => return Ok(Some(unreadable())),
                    }
                }
                Event::Noticed => {}
                Event::Stops => return Ok(Some(bye())),
                Event::Rings if heard.elapsed() > idle => return Ok(None),
                Event::Rings => {
                    self.socket.ping();
                    rings = Instant::now() + idle / 3;
                    alarm.as_mut().reset(rings);
                    seldom = true;
                }
            }
            while let Some(frame) = line.next() {
                let turns = self.dialect.iter_mut().flat_map(|it| it.told(frame.tell()));
                let turns = turns.collect();
                Box::pin(self.takes(turns)).await?;
            }
            self.flush().await?;
            self.session.follow_up().await;
            seldom |= rings <= Instant::now() || self.session.is_stopping();
        }
        Ok(None)
    }

    /// Hears the client. What takes longer is boxed, as all that is long is: most connections are
    /// silent, and most of the others play.
    async fn hear(&mut self, message: Message) -> Result<(), Lost> {
        let Some(text) = text_of(message) else {
            // There is nothing to answer; who does nothing else is cut off all the same.
            let _ = self.session.in_measure();
            return Ok(());
        };
        // One thing after the other.
        self.session.settled().await;
        if self.dialect.is_some() {
            return Box::pin(self.translate(text)).await;
        }
        let answer = match text.map(|text| self.session.hear(&text)) {
            Ok(Ok(answer)) => answer,
            Ok(Err(request)) => Box::pin(self.session.answer_later(request)).await,
            Err(refusal) => Some(refused(None, self.session.in_measure().err().unwrap_or(refusal))),
        };
        // It comes after all that was told meanwhile.
        answer.into_iter().for_each(|answer| self.line.write(answer));
        Ok(())
    }

    /// Lets the translator hear the client, and what it is answered.
    async fn translate(&mut self, text: Result<Utf8Bytes, Refusal>) -> Result<(), Lost> {
        let Some(dialect) = &mut self.dialect else { return Ok(()) };
        let turns = match (self.session.in_measure(), text) {
            (Ok(()), Ok(text)) => dialect.hear(&text),
            (Err(refusal), _) | (_, Err(refusal)) => dialect.told(&refused(None, refusal)),
        };
        self.takes(turns).await
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
                Turn::Send(json) => self.feed(&json).await?,
            }
        }
        Ok(())
    }

    /// Writes a message; it goes out with the next flush.
    async fn feed(&mut self, json: &Json) -> Result<(), Lost> {
        if self.socket.outlet().is_full() {
            self.flush().await?;
        }
        match self.socket.outlet().feed(|out| out.extend_from_slice(json.get().as_bytes())) {
            true => Ok(()),
            false => Err(Lost),
        }
    }

    /// Waits until all that was written is sent, if the client reads soon enough and is not cut off.
    async fn flush(&mut self) -> Result<(), Lost> {
        if self.socket.outlet().flush().map_err(|_| Lost)? {
            return Ok(());
        }
        let cut = async {
            while !self.line.is_cut() {
                self.line.noticed().await;
            }
        };
        let sending = async {
            // Who takes something gets the same time again.
            while timeout(SLOW, self.socket.writable()).await.is_ok_and(|ready| ready.is_ok()) {
                if self.socket.outlet().flush().map_err(|_| Lost)? {
                    return Ok(());
                }
            }
            Err(Lost)
        };
        let sent = tokio::select! {
            biased;
            sent = sending => sent,
            () = cut => Err(Lost),
        };
        // What else it was woken for meanwhile is still to be done.
        self.line.notice();
        sent
    }

    /// It is over: what was told last still goes out, to whoever reads it soon.
    async fn ends(mut self: Box<Self>, last: Option<Tell>) {
        // What was done is answered, if it is done soon.
        let _ = timeout(FAREWELL / 2, self.session.settled()).await;
        self.session.leaves();
        let told = std::iter::from_fn(|| self.line.next()).chain(last.map(Frame::new));
        let texts: Vec<Vec<u8>> = match &mut self.dialect {
            None => told.map(|frame| frame.text().to_vec()).collect(),
            // What the translator still says is heard by nobody.
            Some(dialect) => told
                .flat_map(|frame| dialect.told(frame.tell()))
                .filter_map(|turn| match turn {
                    Turn::Send(json) => Some(json.get().as_bytes().to_vec()),
                    Turn::Say(_) => None,
                })
                .collect(),
        };
        self.socket.outlet().last(texts.iter().map(Vec::as_slice));
        let farewell = async {
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
