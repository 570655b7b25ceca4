//! A client, and a server to talk to.

use futures_util::{SinkExt as _, StreamExt as _};
use parlor_journal::{Journal, Memory};
use parlor_rules::Seat;
use parlor_server::{Chance, Parts, Settings, serve};
use serde_json::{Value, json};
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async};

/// Longer than anything takes on the slowest of machines.
const LONG: Duration = Duration::from_secs(60);

pub(crate) struct Server {
    pub(crate) address: SocketAddr,
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
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("an address");
        let (stop, stopped) = oneshot::channel();
        let parts = Parts {
            journal: journal.clone(),
            list: parlor_games::GAMES,
            games: parlor_games::find,
            dialects: &parlor_games::DIALECTS,
            players: parlor_bots::player,
            chance,
            settings,
            admin: None,
        };
        let task = tokio::spawn(async move {
            let stopped = async { drop(stopped.await) };
            serve(parts, listener, stopped).await.expect("it serves");
        });
        Self { address, journal, stop: Some(stop), task }
    }

    /// Stops.
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

    pub(crate) async fn send(&mut self, text: &str) {
        self.socket.send(Message::text(text)).await.expect("it is sent");
    }

    /// The next frame.
    pub(crate) async fn hears(&mut self) -> Value {
        loop {
            let frame = tokio::time::timeout(LONG, self.socket.next()).await.expect("in time");
            match frame.expect("a frame").expect("a good one") {
                Message::Text(text) => return serde_json::from_str(&text).expect("JSON"),
                Message::Ping(_) | Message::Pong(_) => {}
                other => panic!("{other:?}"),
            }
        }
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
    parlor_bots::player(game, Seat::new(seat), seed).expect("the house plays it")
}
