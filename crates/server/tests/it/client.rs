//! A client, and a server to talk to.

use futures_util::{SinkExt as _, StreamExt as _};
use parlor_bots::Level;
use parlor_journal::{Journal, Memory};
use parlor_rules::Seat;
use parlor_server::{Chance, Parts, Players, Settings, serve};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use std::net::SocketAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async};

/// Longer than anything takes on the slowest of machines.
const LONG: Duration = Duration::from_secs(60);

/// The token of who runs the house.
pub(crate) const ADMIN: &str = "the admin's own token";

pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    pub(crate) admin_address: SocketAddr,
    pub(crate) journal: Arc<dyn Journal>,
    stop: Option<oneshot::Sender<()>>,
    task: JoinHandle<()>,
}

impl Server {
    pub(crate) async fn start() -> Self {
        Self::over(Arc::new(Memory::default()), Settings::without_limits()).await
    }

    pub(crate) async fn over(journal: Arc<dyn Journal>, settings: Settings) -> Self {
        Self::with(journal, settings, Chance::of_the_system()).await
    }

    pub(crate) async fn with(
        journal: Arc<dyn Journal>,
        settings: Settings,
        chance: Chance,
    ) -> Self {
        Self::with_house(journal, settings, chance, parlor_bots::player).await
    }

    /// One with house players of its own.
    pub(crate) async fn with_house(
        journal: Arc<dyn Journal>,
        settings: Settings,
        chance: Chance,
        players: Players,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let admin_address = listener.local_addr().expect("an address");
        let admin = Some((listener, ADMIN.to_owned()));
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("an address");
        let (stop, stopped) = oneshot::channel();
        let parts = Parts {
            journal: journal.clone(),
            list: parlor_games::GAMES,
            games: parlor_games::find,
            dialects: &parlor_games::DIALECTS,
            players,
            chance,
            settings,
            admin,
        };
        let task = tokio::spawn(async move {
            let stopped = async { drop(stopped.await) };
            serve(parts, listener, stopped).await.expect("it serves");
        });
        Self { address, admin_address, journal, stop: Some(stop), task }
    }

    /// One whose tokens, names and secrets are the same every time.
    pub(crate) async fn seeded(seed: &str) -> Self {
        let journal = Arc::new(Memory::default());
        Self::with(journal, Settings::without_limits(), always_the_same(seed)).await
    }

    /// Stops; all that was answered is stored.
    pub(crate) async fn stop(&mut self) {
        drop(self.stop.take());
        tokio::time::timeout(LONG, &mut self.task).await.expect("it stops").expect("in order");
    }

    /// Stops, and starts again with what is stored.
    pub(crate) async fn restart(mut self) -> Self {
        self.stop().await;
        Self::over(self.journal, Settings::without_limits()).await
    }
}

/// Bytes that are the same every time.
pub(crate) fn always_the_same(seed: &str) -> Chance {
    let (seed, count) = (seed.to_owned(), Mutex::new(0_u64));
    Chance::from_fill(Arc::new(move |bytes| {
        let mut count = count.lock().expect("no panic");
        for chunk in bytes.chunks_mut(32) {
            let block = Sha256::digest(format!("{seed} {count}"));
            chunk.copy_from_slice(&block[..chunk.len()]);
            *count += 1;
        }
        true
    }))
}

static NEXT: AtomicU64 = AtomicU64::new(0);

pub(crate) struct Client {
    socket: WebSocketStream<MaybeTlsStream<TcpStream>>,
    pub(crate) token: String,
    /// What came by itself and was not looked at yet.
    pub(crate) told: Vec<Value>,
}

impl Client {
    async fn connect(server: &Server) -> Self {
        let url = format!("ws://{}/ws", server.address);
        let (socket, _) = connect_async(url).await.expect("a socket");
        Self { socket, token: String::new(), told: Vec::new() }
    }

    pub(crate) async fn guest(server: &Server, name: &str) -> Self {
        let mut client = Self::connect(server).await;
        let welcome = client.ask(json!({"type":"hello","version":1,"name":name})).await;
        assert_eq!(welcome["type"], "welcome", "{welcome}");
        client.token = welcome["token"].as_str().expect("a new token").to_owned();
        client
    }

    pub(crate) async fn back(server: &Server, token: &str) -> (Self, Value) {
        let mut client = Self::connect(server).await;
        let welcome = client.ask(json!({"type":"hello","version":1,"token":token})).await;
        assert_eq!(welcome["type"], "welcome", "{welcome}");
        client.token = token.to_owned();
        (client, welcome)
    }

    pub(crate) async fn nobody(server: &Server) -> Self {
        Self::connect(server).await
    }

    /// One that speaks a dialect.
    pub(crate) async fn dialect(server: &Server, name: &str) -> Self {
        let url = format!("ws://{}/ws/{name}", server.address);
        let (socket, _) = connect_async(url).await.expect("a socket");
        Self { socket, token: String::new(), told: Vec::new() }
    }

    /// One, if the server lets it in.
    pub(crate) async fn try_connect(server: &Server) -> Option<Self> {
        let url = format!("ws://{}/ws", server.address);
        let (socket, _) = connect_async(url).await.ok()?;
        Some(Self { socket, token: String::new(), told: Vec::new() })
    }

    /// Sends something, if the other end is still there.
    pub(crate) async fn send_or_not(&mut self, text: &str) {
        drop(self.socket.send(Message::text(text)).await);
    }

    pub(crate) async fn send_binary(&mut self, bytes: &[u8]) {
        self.socket.send(Message::binary(bytes.to_vec())).await.expect("it is sent");
    }

    /// Asks whether the server is there, and hears that it is.
    pub(crate) async fn pings(&mut self, word: &[u8]) {
        self.socket.send(Message::Ping(word.to_vec().into())).await.expect("it is sent");
        let next = tokio::time::timeout(LONG, self.socket.next()).await.expect("soon");
        assert_eq!(
            next.expect("a frame").expect("a good one"),
            Message::Pong(word.to_vec().into())
        );
    }

    /// Asks whether the server is there and says goodbye; whether both are answered in their order.
    pub(crate) async fn parts_in_order(&mut self) -> bool {
        self.socket.send(Message::Ping("here?".into())).await.expect("it is sent");
        self.socket.send(Message::Close(None)).await.expect("it is sent");
        let mut answers = Vec::new();
        while let Some(answer) = tokio::time::timeout(LONG, self.socket.next()).await.expect("soon")
        {
            match answer {
                Ok(Message::Text(_)) => {}
                Ok(answer) => answers.push(answer),
                Err(_) => return false,
            }
        }
        answers == [Message::Pong("here?".into()), Message::Close(None)]
    }

    /// The next frame; none if the connection has ended.
    pub(crate) async fn hears_or_ends(&mut self) -> Option<Value> {
        loop {
            match tokio::time::timeout(LONG, self.socket.next()).await.expect("in time")? {
                Ok(Message::Text(text)) => return serde_json::from_str(&text).ok(),
                Ok(Message::Ping(_) | Message::Pong(_)) => {}
                Ok(_) | Err(_) => return None,
            }
        }
    }

    pub(crate) async fn send(&mut self, text: &str) {
        self.socket.send(Message::text(text)).await.expect("it is sent");
    }

    /// The next frame.
    pub(crate) async fn hears(&mut self) -> Value {
        let hears = async {
            loop {
                match self.socket.next().await.expect("a frame").expect("a good one") {
                    Message::Text(text) => return serde_json::from_str(&text).expect("JSON"),
                    Message::Ping(_) | Message::Pong(_) => {}
                    other => panic!("{other:?}"),
                }
            }
        };
        tokio::time::timeout(LONG, hears).await.expect("in time")
    }

    /// What comes next by itself.
    pub(crate) async fn news(&mut self) -> Value {
        if self.told.is_empty() { self.hears().await } else { self.told.remove(0) }
    }

    /// Says something and waits for its answer; all else is kept.
    pub(crate) async fn ask(&mut self, mut say: Value) -> Value {
        // Ids are a person's own: one that comes back must not use an old one.
        let id = format!("id-{}", NEXT.fetch_add(1, Ordering::Relaxed));
        say["id"] = id.clone().into();
        self.send(&say.to_string()).await;
        loop {
            let told = self.hears().await;
            if told["id"] == id.as_str() {
                return told;
            }
            self.told.push(told);
        }
    }

    /// The same, and it is done.
    pub(crate) async fn done(&mut self, say: Value) -> Value {
        let answer = self.ask(say.clone()).await;
        assert_ne!(answer["type"], "refused", "{say}: {answer}");
        answer
    }

    /// The same, and it is refused; the code.
    pub(crate) async fn refused(&mut self, say: Value) -> String {
        let answer = self.ask(say.clone()).await;
        assert_eq!(answer["type"], "refused", "{say}: {answer}");
        assert!(answer["text"].as_str().is_some_and(|text| !text.is_empty()), "{answer}");
        answer["code"].as_str().expect("a code").to_owned()
    }
}

/// Somebody who plays like the house, from what a client is told.
pub(crate) fn mind(game: &str, seat: u8, seed: &str) -> Box<dyn parlor_bots::Player> {
    parlor_bots::player(game, Level::Medium, Seat::new(seat), seed).expect("the house plays it")
}

/// An answer over HTTP.
pub(crate) struct Answered {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: String,
}

impl Answered {
    /// Reads an answer after which the connection was closed.
    pub(crate) fn read(bytes: &[u8]) -> Self {
        let split = bytes.windows(4).position(|four| four == b"\r\n\r\n");
        let (head, rest) = bytes.split_at(split.expect("a head and a body") + 4);
        let head = String::from_utf8_lossy(head).to_lowercase();
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok());
        let body = match head.contains("transfer-encoding: chunked") {
            true => unchunked(rest),
            false => rest.to_vec(),
        };
        let body = String::from_utf8(body).expect("UTF-8");
        Self { status: status.expect("a status"), head, body }
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.body))
    }
}

/// The body that came in chunks; the last of them is empty.
fn unchunked(mut rest: &[u8]) -> Vec<u8> {
    let mut body = Vec::new();
    loop {
        let line = rest.windows(2).position(|two| two == b"\r\n").expect("the length of a chunk");
        let length = std::str::from_utf8(&rest[..line]).expect("hex digits");
        let length = usize::from_str_radix(length, 16).expect("hex digits");
        if length == 0 {
            return body;
        }
        let chunk = &rest[line + 2..];
        body.extend(&chunk[..length]);
        rest = &chunk[length + 2..];
    }
}

/// Asks over HTTP, with these headers.
pub(crate) async fn http_with(
    address: SocketAddr,
    method: &str,
    path: &str,
    headers: &[(&str, &str)],
    body: &str,
) -> Answered {
    let mut stream = TcpStream::connect(address).await.expect("a connection");
    let mut head = format!("{method} {path} HTTP/1.1\r\nhost: {address}\r\n");
    if !headers.iter().any(|(name, _)| *name == "connection") {
        head += "connection: close\r\n";
    }
    for (name, value) in headers {
        head += &format!("{name}: {value}\r\n");
    }
    let sent = format!("{head}content-length: {}\r\n\r\n{body}", body.len());
    stream.write_all(sent.as_bytes()).await.expect("it is sent");
    let mut text = Vec::new();
    let read = stream.read_to_end(&mut text);
    tokio::time::timeout(LONG, read).await.expect("in time").expect("an answer");
    Answered::read(&text)
}

/// Asks over HTTP, as the owner of a token if there is one.
pub(crate) async fn http(
    server: &Server,
    method: &str,
    path: &str,
    token: &str,
    body: &str,
) -> Answered {
    let bearer = format!("Bearer {token}");
    let headers = [("authorization", bearer.as_str())];
    let headers = if token.is_empty() { &headers[..0] } else { &headers[..] };
    http_with(server.address, method, path, headers, body).await
}

/// Asks again and again until it is so.
pub(crate) async fn until(mut so: impl AsyncFnMut() -> bool) {
    let asked = async { while !so().await {} };
    tokio::time::timeout(LONG, asked).await.expect("it becomes so");
}
