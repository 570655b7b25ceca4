//! A WebSocket: what is sent is kept only until it is gone, and what comes only until it is heard.
//! Most of it are texts in one piece, of which nothing has to be kept; the library reads all else.

use crate::http::{LONGEST_DOCUMENT, Refused};
use axum::extract::{FromRequestParts, Request};
use axum::http::request::Parts;
use axum::response::{IntoResponse as _, Response};
use hyper::upgrade::OnUpgrade;
use hyper_util::rt::TokioIo;
use parlor_rules::Refusal;
use std::cell::RefCell;
use std::future::poll_fn;
use std::io::{self, Cursor, ErrorKind, Read, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, ready};
use tokio::io::Interest;
use tokio::net::TcpStream;
use tungstenite::handshake::server::create_response_with_body;
use tungstenite::protocol::frame::FrameHeader;
use tungstenite::protocol::frame::coding::{Control, Data, OpCode};
use tungstenite::protocol::{Role, WebSocketConfig, WebSocketContext};
use tungstenite::{Error, Message};

/// What a read takes at once: most messages are a move.
const READ: usize = 4 * 1024;

/// The same for the library, whose usual buffer would cost 128 KiB a connection.
const LIBRARY_READ: usize = 256;

/// What is read for one message at most: the longest in a few pieces, with what they need. Who sends
/// crumbs without end is not heard.
const LONGEST_READ: usize = 2 * LONGEST_DOCUMENT;

/// How long the header of a ping is, as clients send it.
const CONTROL_HEADER: usize = 6;

/// How long the header of most frames is.
const HEADER: usize = 4;

/// How many bytes wait for the next ones before they go out.
const WAIT: usize = 16 * 1024;

/// So much may wait for a client that does not read, before the last thing it is told.
const MOST: usize = 128 * 1024;

/// How many spare buffers a thread keeps.
const SPARES: usize = 4;

thread_local! {
    /// Where the next things to go out are written: the same room for all connections, one after the
    /// other, as long as they take at once what they are sent.
    static SPARE: RefCell<Vec<Vec<u8>>> = const { RefCell::new(Vec::new()) };
    /// Where it is read to: the same room for all connections, one after the other.
    static ROOM: RefCell<[u8; READ]> = const { RefCell::new([0; READ]) };
}

/// A request that wants to be a WebSocket.
pub(crate) struct Upgrade {
    on: OnUpgrade,
    answer: Response,
}

impl<S: Sync> FromRequestParts<S> for Upgrade {
    type Rejection = Refused;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Refused> {
        let request = Request::from_parts(parts.clone(), ());
        let answer = create_response_with_body(&request, axum::body::Body::empty);
        match (parts.extensions.remove::<OnUpgrade>(), answer) {
            (Some(on), Ok(answer)) => Ok(Self { on, answer }),
            (_, Err(error)) => Err(Refusal::malformed(error.to_string()).into()),
            (None, _) => {
                let text = "this connection cannot become a WebSocket";
                Err(Refusal::malformed(text.to_owned()).into())
            }
        }
    }
}

impl Upgrade {
    /// Says yes; what is served begins when the client has heard it.
    pub(crate) fn serve<F>(
        self,
        serve: impl FnOnce(Box<WebSocket>) -> F + Send + 'static,
    ) -> Response
    where
        F: Future<Output = ()> + Send + 'static,
    {
        let Self { on, answer } = self;
        tokio::spawn(async move {
            // Who is gone by now has not become one.
            let Ok(upgraded) = on.await else { return };
            if let Ok(parts) = upgraded.downcast::<TokioIo<TcpStream>>() {
                // A copy: what is left of the request would keep the room of all of it.
                let socket = WebSocket::new(parts.io.into_inner(), parts.read_buf.to_vec());
                // A task of its own: what was needed until here is needed no more.
                tokio::spawn(serve(Box::new(socket)));
            }
        });
        answer.into_response()
    }
}

/// A connection that messages go over.
pub(crate) struct WebSocket {
    outlet: Arc<Outlet>,
    /// What was read and not heard yet, before there is a library.
    rest: Vec<u8>,
    /// Who reads from the first frame on that is not [`whole`].
    library: Option<Box<Library>>,
    /// Whether something came that cannot be read; nobody is asked for more then.
    unreadable: bool,
}

/// The library, as a connection has it.
struct Library {
    context: WebSocketContext,
    /// Whether it may have more without reading on.
    more: bool,
    /// How much was read since it gave a message.
    read: usize,
}

/// Where it is written to, by everyone who has something to say.
pub(crate) struct Outlet {
    stream: TcpStream,
    waiting: Mutex<Waiting>,
}

/// What goes out next. It has no room of its own in between: most connections are silent.
#[derive(Default)]
struct Waiting {
    bytes: Vec<u8>,
    /// Whether the last word is said.
    over: bool,
}

impl Outlet {
    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn put(&self, write: impl FnOnce(&mut Vec<u8>)) -> bool {
        let mut waiting = self.waiting();
        if waiting.over {
            return true;
        }
        if waiting.bytes.capacity() == 0 {
            waiting.bytes = SPARE.with_borrow_mut(Vec::pop).unwrap_or_default();
        }
        let much = waiting.bytes.len() > MOST;
        if !much {
            write(&mut waiting.bytes);
        }
        !much
    }

    /// Writes a text; it goes out with the next flush. False if too much waits already.
    pub(crate) fn feed(&self, write: impl FnOnce(&mut Vec<u8>)) -> bool {
        self.put(|bytes| put(bytes, OpCode::Data(Data::Text), write))
    }

    /// Writes the last texts, however much waits; nobody says anything behind them.
    pub(crate) fn last<'a>(&self, texts: impl IntoIterator<Item = &'a [u8]>) {
        let mut waiting = self.waiting();
        waiting.over = true;
        for text in texts {
            let write = |out: &mut Vec<u8>| out.extend_from_slice(text);
            put(&mut waiting.bytes, OpCode::Data(Data::Text), write);
        }
    }

    /// Whether so much waits that it is to go out before more is written.
    pub(crate) fn is_full(&self) -> bool {
        self.waiting().bytes.len() > WAIT
    }

    /// Sends what the client takes at once; whether that is all.
    pub(crate) fn flush(&self) -> io::Result<bool> {
        let mut waiting = self.waiting();
        let mut gone = 0;
        while let Some(rest) = waiting.bytes.get(gone..).filter(|rest| !rest.is_empty()) {
            match self.stream.try_write(rest) {
                Ok(sent) => gone += sent,
                Err(error) if error.kind() == ErrorKind::WouldBlock => {
                    waiting.bytes.drain(..gone);
                    return Ok(false);
                }
                Err(error) => return Err(error),
            }
        }
        let mut spare = std::mem::take(&mut waiting.bytes);
        if spare.capacity() > 0 {
            spare.clear();
            // What was unusually much is not kept.
            spare.shrink_to(2 * WAIT);
            SPARE.with_borrow_mut(|spares| {
                if spares.len() < SPARES {
                    spares.push(spare);
                }
            });
        }
        Ok(true)
    }
}

impl WebSocket {
    fn new(stream: TcpStream, read: Vec<u8>) -> Self {
        let outlet = Arc::new(Outlet { stream, waiting: Mutex::default() });
        Self { outlet, rest: read, library: None, unreadable: false }
    }

    /// Where it is written to.
    pub(crate) fn outlet(&self) -> &Arc<Outlet> {
        &self.outlet
    }

    /// Does something with the library, as soon as it need not wait.
    async fn now<T>(
        &mut self,
        mut work: impl FnMut(&mut WebSocketContext, &mut Now<'_, '_>) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let Self { outlet, rest, library, .. } = self;
        let library = library.get_or_insert_with(|| {
            Box::new(Library { context: context(std::mem::take(rest)), more: true, read: 0 })
        });
        let Library { context, read, .. } = &mut **library;
        poll_fn(|cx| match work(context, &mut Now { outlet, cx, read }) {
            Err(Error::Io(error)) if error.kind() == ErrorKind::WouldBlock => Poll::Pending,
            done => Poll::Ready(done),
        })
        .await
    }

    /// The next message. Nothing is lost when it is not waited for to the end.
    pub(crate) async fn next(&mut self) -> Result<Message, Error> {
        let next = match poll_fn(|cx| self.poll_whole(cx)).await {
            Ok(Some(message)) => Ok(message),
            Ok(None) => self.next_of_library().await,
            Err(error) => Err(error.into()),
        };
        self.unreadable |=
            next.as_ref().is_err_and(|error| !matches!(error, Error::ConnectionClosed));
        next
    }

    /// The next message, if it comes whole and there is no library yet.
    fn poll_whole(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<Option<Message>>> {
        if self.library.is_some() {
            return Poll::Ready(Ok(None));
        }
        if !self.rest.is_empty() {
            let next = whole(&self.rest).map(|(message, length)| {
                self.rest.drain(..length);
                message
            });
            return Poll::Ready(Ok(next));
        }
        ROOM.with_borrow_mut(|room| {
            let read = ready!(read(&self.outlet.stream, cx, room))?;
            let (next, length) = whole(&room[..read]).unzip();
            let rest = &room[length.unwrap_or(0)..read];
            // Most often there is none, and no room for it.
            self.rest = rest.to_vec();
            Poll::Ready(Ok(next))
        })
    }

    async fn next_of_library(&mut self) -> Result<Message, Error> {
        // It is asked only when there may be something.
        if self.library.as_ref().is_some_and(|library| !library.more) {
            poll_fn(|cx| self.outlet.stream.poll_read_ready(cx)).await?;
        }
        self.more(false);
        let next = self.now(|context, now| context.read(now)).await;
        self.more(true);
        if let (Ok(message), Some(library)) = (&next, &mut self.library) {
            library.read = match message {
                // It may stand between the pieces of another message.
                Message::Ping(word) | Message::Pong(word) => {
                    library.read.saturating_sub(CONTROL_HEADER + word.len())
                }
                _ => 0,
            };
        }
        if let Ok(Message::Ping(_)) = &next {
            // The library's answer takes its place among what waits.
            self.now(|context, now| context.flush(now)).await?;
        }
        next
    }

    fn more(&mut self, more: bool) {
        self.library.iter_mut().for_each(|library| library.more = more);
    }

    /// Ends when the client may take more.
    pub(crate) async fn writable(&self) -> io::Result<()> {
        self.outlet.stream.writable().await
    }

    /// Asks whether somebody is there.
    pub(crate) fn ping(&self) {
        // Who has much to read is not asked.
        self.outlet.put(|bytes| put(bytes, OpCode::Control(Control::Ping), |_| ()));
    }

    /// All that was written is gone when it ends.
    pub(crate) async fn flush(&self) -> io::Result<()> {
        while !self.outlet.flush()? {
            self.outlet.stream.writable().await?;
        }
        Ok(())
    }

    /// Says that it is over, behind all that was written.
    pub(crate) async fn close(&mut self) -> Result<(), Error> {
        // Where the other side was first, this is an error: its answer goes out all the same.
        let closed = self.now(|context, now| context.close(now, None)).await;
        self.flush().await?;
        closed
    }

    /// Reads on without hearing it, until the other side has nothing more to say.
    pub(crate) async fn drain(&mut self) {
        while !self.unreadable {
            if let Err(Error::ConnectionClosed) = self.next().await {
                return;
            }
        }
        let mut lost = vec![0; LIBRARY_READ];
        let stream = &self.outlet.stream;
        while poll_fn(|cx| read(stream, cx, &mut lost)).await.is_ok_and(|read| read > 0) {}
    }
}

/// The library for a connection of which this was read already.
fn context(read: Vec<u8>) -> WebSocketContext {
    let config = WebSocketConfig::default()
        .read_buffer_size(LIBRARY_READ)
        // What is too long for a message is still heard, and refused; beyond this it is cut off.
        .max_message_size(Some(LONGEST_DOCUMENT))
        .max_frame_size(Some(LONGEST_DOCUMENT));
    WebSocketContext::from_partially_read(read, Role::Server, Some(config))
}

/// What comes first, and how long it is, if it is a text in one piece, or the answer to a ping, and
/// nothing is wrong with it: all else, and what is not all there, is for the library to tell.
fn whole(bytes: &[u8]) -> Option<(Message, usize)> {
    let mut rest = Cursor::new(bytes);
    let (header, length) = FrameHeader::parse(&mut rest).ok()??;
    let FrameHeader { is_final: true, rsv1: false, rsv2: false, rsv3: false, opcode, mask } =
        header
    else {
        return None;
    };
    let (mask, start) = (mask?, usize::try_from(rest.position()).ok()?);
    let end = start.checked_add(usize::try_from(length).ok()?)?;
    let mut payload = bytes.get(start..end)?.to_vec();
    payload.iter_mut().enumerate().for_each(|(i, byte)| *byte ^= mask[i % mask.len()]);
    let message = match opcode {
        OpCode::Data(Data::Text) => Message::text(String::from_utf8(payload).ok()?),
        OpCode::Control(Control::Pong) if payload.len() < 126 => Message::Pong(payload.into()),
        _ => return None,
    };
    Some((message, end))
}

/// Adds a frame. How long it is shows when it is written, so its header gets the room that most
/// have, and what is missing is made room for afterwards.
fn put(frames: &mut Vec<u8>, opcode: OpCode, write: impl FnOnce(&mut Vec<u8>)) {
    let start = frames.len();
    let payload = start + HEADER;
    frames.resize(payload, 0);
    write(frames);
    let (mut bytes, length) = ([0; 10], (frames.len() - payload) as u64);
    let header = FrameHeader { opcode, ..FrameHeader::default() };
    header.format(length, &mut bytes.as_mut_slice()).expect("a header has at most ten bytes");
    let header = &bytes[..header.len(length)];
    match header.len().checked_sub(HEADER) {
        Some(more) => drop(frames.splice(payload..payload, std::iter::repeat_n(0, more))),
        None => drop(frames.drain(start + header.len()..payload)),
    }
    frames[start..start + header.len()].copy_from_slice(header);
}

/// Reads what there is; who has to wait is woken.
fn read(stream: &TcpStream, cx: &mut Context<'_>, buffer: &mut [u8]) -> Poll<io::Result<usize>> {
    loop {
        ready!(stream.poll_read_ready(cx))?;
        let mut all = None;
        let more = stream.try_io(Interest::READABLE, || match stream.try_read(buffer) {
            // That was all for now: to say so saves the look that would find nothing.
            Ok(read) if (1..buffer.len()).contains(&read) => {
                all = Some(read);
                Err(ErrorKind::WouldBlock.into())
            }
            done => done,
        });
        match (all, more) {
            (Some(read), _) => return Poll::Ready(Ok(read)),
            (None, Err(error)) if error.kind() == ErrorKind::WouldBlock => {}
            (None, done) => return Poll::Ready(done),
        }
    }
}

/// The connection as the library wants it: what would have to wait says so, and who waits is woken.
struct Now<'a, 'b> {
    outlet: &'a Outlet,
    cx: &'a mut Context<'b>,
    /// How much was read for the message that is to come.
    read: &'a mut usize,
}

impl Read for Now<'_, '_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if *self.read > LONGEST_READ {
            return Err(ErrorKind::InvalidData.into());
        }
        match read(&self.outlet.stream, self.cx, buffer) {
            Poll::Ready(done) => done.inspect(|read| *self.read += read),
            Poll::Pending => Err(ErrorKind::WouldBlock.into()),
        }
    }
}

impl Write for Now<'_, '_> {
    /// What the library answers by itself takes its place behind what was written before.
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.outlet.waiting().bytes.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use parlor_rules::{Draws, Seeded};

    #[test]
    fn frames_of_every_length_are_read_as_they_were_written() {
        let lengths = [0, 1, 125, 126, 127, 65_535, 65_536, 100_000];
        let texts = lengths.map(|length| "x".repeat(length));
        let mut frames = Vec::new();
        for text in &texts {
            let write = |out: &mut Vec<u8>| out.extend_from_slice(text.as_bytes());
            put(&mut frames, OpCode::Data(Data::Text), write);
        }
        let mut nothing_more = io::Cursor::new(Vec::new());
        let mut reader = WebSocketContext::from_partially_read(frames, Role::Client, None);
        for text in &texts {
            let read = reader.read(&mut nothing_more).expect("a message");
            assert!(read == Message::text(text.as_str()), "a text of {} bytes", text.len());
        }
    }

    /// A frame as a client might send it, mostly well.
    fn frame(draws: &mut Draws<'_>) -> Vec<u8> {
        let mut one_in = |n| draws.below(n) == 0;
        let (last, odd, hidden) = (!one_in(6), one_in(20), !one_in(20));
        let opcode = [1, 1, 1, 1, 10, 10, 2, 0, 9, 8, 3][draws.below(11) as usize];
        let length = [0, 1, 7, 100, 125, 126, 127, 300, 5_000][draws.below(9) as usize];
        let letters = ["x", "ü", "\u{10ffff}"][draws.below(3) as usize].as_bytes();
        let mut payload: Vec<u8> = letters.iter().copied().cycle().take(length).collect();
        if draws.below(10) == 0 {
            payload.iter_mut().for_each(|byte| *byte = draws.below(256) as u8);
        }
        let mask = hidden.then(|| [0; 4].map(|_: u8| draws.below(256) as u8));
        let opcode = OpCode::from(opcode);
        let header = FrameHeader { is_final: last, rsv1: odd, opcode, mask, ..Default::default() };
        let mut bytes = Vec::new();
        header.format(length as u64, &mut bytes).expect("a vector takes all");
        let hide = mask.unwrap_or_default();
        bytes.extend(payload.iter().enumerate().map(|(i, byte)| byte ^ hide[i % 4]));
        bytes
    }

    #[test]
    fn what_comes_whole_is_what_the_library_reads() {
        let mut chance = Seeded::new("frames");
        let mut draws = Draws::new(&mut chance);
        let (mut heard, mut left) = (0, 0);
        for _ in 0..5_000 {
            let mut bytes: Vec<u8> = (0..draws.below(5)).flat_map(|_| frame(&mut draws)).collect();
            if draws.below(3) == 0 {
                bytes.truncate(draws.below(bytes.len() as u32 + 1) as usize);
            }
            let mut nothing_more = io::Cursor::new(Vec::new());
            let mut library = context(bytes.clone());
            let mut at = 0;
            while let Some((message, length)) = whole(&bytes[at..]) {
                assert!(library.read(&mut nothing_more).is_ok_and(|read| read == message));
                (at, heard) = (at + length, heard + 1);
            }
            // Who takes over from there reads what the library has still to read.
            let mut next = context(bytes[at..].to_vec());
            loop {
                let mut read = |by: &mut WebSocketContext| by.read(&mut nothing_more);
                let (one, other) = (read(&mut library), read(&mut next));
                assert_eq!(format!("{one:?}"), format!("{other:?}"));
                if one.is_err() {
                    break;
                }
                left += 1;
            }
        }
        assert!(heard > 500 && left > 500, "neither is idle: {heard}, {left}");
    }
}
