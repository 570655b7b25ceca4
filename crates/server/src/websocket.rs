//! A WebSocket: the library reads it, and what is sent is kept only until it is gone.

use crate::http::{LONGEST_DOCUMENT, Refused};
use axum::extract::{FromRequestParts, Request};
use axum::http::request::Parts;
use axum::response::{IntoResponse as _, Response};
use hyper::upgrade::OnUpgrade;
use hyper_util::rt::TokioIo;
use parlor_rules::Refusal;
use std::cell::Cell;
use std::future::poll_fn;
use std::io::{self, ErrorKind, Read, Write};
use std::pin::Pin;
use std::task::{Context, Poll};
use tokio::io::{AsyncRead as _, AsyncReadExt as _, AsyncWrite as _, AsyncWriteExt as _, ReadBuf};
use tokio::net::TcpStream;
use tungstenite::handshake::server::create_response_with_body;
use tungstenite::protocol::frame::FrameHeader;
use tungstenite::protocol::frame::coding::{Control, Data, OpCode};
use tungstenite::protocol::{Role, WebSocketConfig, WebSocketContext};
use tungstenite::{Error, Message};

/// What a read takes at once: most messages are a move. The usual buffer would cost 128 KiB a
/// connection.
const READ: usize = 512;

/// How long the header of most frames is.
const HEADER: usize = 4;

/// How many bytes wait for the next ones before they go out.
const WAIT: usize = 16 * 1024;

thread_local! {
    /// Where the next thing to go out is written: the same room for all connections, one after the
    /// other, as long as they take at once what they are sent.
    static SPARE: Cell<Vec<u8>> = const { Cell::new(Vec::new()) };
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
    stream: TcpStream,
    context: WebSocketContext,
    /// What goes out next. It has no room of its own in between: most connections are silent.
    waiting: Vec<u8>,
    /// Whether the library may have more without reading on.
    more: bool,
    /// Whether something came that cannot be read; the library is not asked for more then.
    unreadable: bool,
}

impl WebSocket {
    fn new(stream: TcpStream, read: Vec<u8>) -> Self {
        let config = WebSocketConfig::default()
            .read_buffer_size(READ)
            // What is too long for a message is still heard, and refused; beyond this it is cut off.
            .max_message_size(Some(LONGEST_DOCUMENT))
            .max_frame_size(Some(LONGEST_DOCUMENT));
        let context = WebSocketContext::from_partially_read(read, Role::Server, Some(config));
        Self { stream, context, waiting: Vec::new(), more: true, unreadable: false }
    }

    /// Does something with the library, as soon as it need not wait.
    async fn now<T>(
        &mut self,
        mut work: impl FnMut(&mut WebSocketContext, &mut Now<'_, '_>) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let Self { stream, context, .. } = self;
        poll_fn(|cx| match work(context, &mut Now { stream, cx }) {
            Err(Error::Io(error)) if error.kind() == ErrorKind::WouldBlock => Poll::Pending,
            done => Poll::Ready(done),
        })
        .await
    }

    /// The next message. Nothing is lost when it is not waited for to the end.
    pub(crate) async fn next(&mut self) -> Result<Message, Error> {
        // One listens anew after all that is told; the library is asked only when there may be
        // something.
        if !self.more {
            poll_fn(|cx| self.stream.poll_read_ready(cx)).await?;
        }
        self.more = false;
        let next = self.now(|context, now| context.read(now)).await;
        self.more = true;
        self.unreadable |=
            next.as_ref().is_err_and(|error| !matches!(error, Error::ConnectionClosed));
        next
    }

    /// Writes a text; it goes out with the next flush.
    pub(crate) fn feed(&mut self, write: impl FnOnce(&mut Vec<u8>)) -> Result<(), Error> {
        if self.waiting.capacity() == 0 {
            self.waiting = SPARE.take();
        }
        put(&mut self.waiting, OpCode::Data(Data::Text), write)
    }

    /// Asks whether somebody is there, likewise.
    pub(crate) fn ping(&mut self) -> Result<(), Error> {
        put(&mut self.waiting, OpCode::Control(Control::Ping), |_| ())
    }

    /// Whether so much waits that it is to go out before more is written.
    pub(crate) fn is_full(&self) -> bool {
        self.waiting.len() > WAIT
    }

    /// All that was written is gone when it ends.
    pub(crate) async fn flush(&mut self) -> Result<(), Error> {
        if !self.waiting.is_empty() {
            // The library's own answer to a ping may be on its way: it goes first, whole.
            self.now(|context, now| context.flush(now)).await?;
            let mut gone = std::mem::take(&mut self.waiting);
            self.stream.write_all(&gone).await?;
            gone.clear();
            // What was unusually much is not kept.
            gone.shrink_to(2 * WAIT);
            SPARE.set(gone);
        }
        Ok(())
    }

    /// Says that it is over, when all that was written is gone.
    pub(crate) async fn close(&mut self) -> Result<(), Error> {
        self.flush().await?;
        self.now(|context, now| context.close(now, None)).await
    }

    /// Reads on without hearing it, until the other side has nothing more to say.
    pub(crate) async fn drain(&mut self) {
        while !self.unreadable {
            if let Err(Error::ConnectionClosed) = self.next().await {
                return;
            }
        }
        let mut lost = vec![0; READ];
        while matches!(self.stream.read(&mut lost).await, Ok(1..)) {}
    }
}

/// Adds a frame. How long it is shows when it is written, so its header gets the room that most
/// have, and what is missing is made room for afterwards.
fn put(
    frames: &mut Vec<u8>,
    opcode: OpCode,
    write: impl FnOnce(&mut Vec<u8>),
) -> Result<(), Error> {
    let start = frames.len();
    let payload = start + HEADER;
    frames.resize(payload, 0);
    write(frames);
    let (mut bytes, length) = ([0; 10], (frames.len() - payload) as u64);
    let header = FrameHeader { opcode, ..FrameHeader::default() };
    header.format(length, &mut bytes.as_mut_slice())?;
    frames.splice(start..payload, bytes.into_iter().take(header.len(length)));
    Ok(())
}

/// The stream as the library wants it: what would have to wait says so, and who waits is woken.
struct Now<'a, 'b> {
    stream: &'a mut TcpStream,
    cx: &'a mut Context<'b>,
}

fn at_once<T>(poll: Poll<io::Result<T>>) -> io::Result<T> {
    match poll {
        Poll::Ready(done) => done,
        Poll::Pending => Err(ErrorKind::WouldBlock.into()),
    }
}

impl Read for Now<'_, '_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut buffer = ReadBuf::new(buffer);
        at_once(Pin::new(&mut *self.stream).poll_read(self.cx, &mut buffer))?;
        Ok(buffer.filled().len())
    }
}

impl Write for Now<'_, '_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        at_once(Pin::new(&mut *self.stream).poll_write(self.cx, bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_of_every_length_are_read_as_they_were_written() {
        let lengths = [0, 1, 125, 126, 127, 65_535, 65_536, 100_000];
        let texts = lengths.map(|length| "x".repeat(length));
        let mut frames = Vec::new();
        for text in &texts {
            let write = |out: &mut Vec<u8>| out.extend_from_slice(text.as_bytes());
            put(&mut frames, OpCode::Data(Data::Text), write).expect("a frame");
        }
        let mut nothing_more = io::Cursor::new(Vec::new());
        let mut reader = WebSocketContext::from_partially_read(frames, Role::Client, None);
        for text in &texts {
            let read = reader.read(&mut nothing_more).expect("a message");
            assert!(read == Message::text(text.as_str()), "a text of {} bytes", text.len());
        }
    }
}
