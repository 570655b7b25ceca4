//! A client that plays.

use super::Run;
use super::message::{FreePoints, Matched, ServerMessage, refusal, unconnected};
use anyhow::{Context as _, Error, Result, bail};
use futures_util::stream::{SplitSink, SplitStream};
use futures_util::{SinkExt as _, StreamExt as _};
use parlor_bots::{Level, Player};
use parlor_rules::Seat;
use serde_json::json;
use serde_json::value::RawValue;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async_with_config};

/// The size of a client's read buffer. The library clears the buffer before every read: with its
/// usual 128 KiB the clients would take the machine's memory from the server that is measured.
const READ: usize = 1024;

/// How long to wait before a seat that was taken is asked for again.
const SEATED: Duration = Duration::from_millis(10);

type Socket = WebSocketStream<MaybeTlsStream<TcpStream>>;

/// When a move was sent at a table that the opponent has not received yet, in nanoseconds since the
/// start of the run; 0 if there is none. The lowest bit is the seat that sent it.
pub(super) type Sent = Arc<AtomicU64>;

/// One connection, and the player behind it.
pub(super) struct Client {
    run: Arc<Run>,
    sink: SplitSink<Socket, Message>,
    stream: SplitStream<Socket>,
    /// How many messages were sent; their ids are made of it.
    said: u64,
    sent: Sent,
    seat: u8,
    table: String,
    /// Chooses the commands; `None` in gomoku, where any free point will do.
    player: Option<Box<dyn Player>>,
    /// The question that was answered last at this table.
    answered: Option<u64>,
    /// The state of the generator of [`Client::below`].
    random: u64,
}

impl Client {
    /// Connects and says hello.
    pub(super) async fn connect(
        run: &Arc<Run>,
        url: &str,
        name: &str,
        seat: u8,
        sent: &Sent,
    ) -> Result<Self> {
        let config = WebSocketConfig::default().read_buffer_size(READ);
        // Nagle's algorithm would delay messages.
        let connected = connect_async_with_config(url, Some(config), true).await;
        let (socket, _) = connected.map_err(|error| Error::msg(unconnected(&error)))?;
        let (sink, stream) = socket.split();
        let mut client = Self {
            run: run.clone(),
            sink,
            stream,
            said: 0,
            sent: sent.clone(),
            seat,
            table: String::new(),
            player: None,
            answered: None,
            random: name.bytes().fold(7, |sum, byte| sum.wrapping_mul(31) + u64::from(byte)),
        };
        let views = client.run.views;
        client.say(json!({"type":"hello","version":1,"name":name,"views":views})).await?;
        client.wait_for("welcome").await?;
        Ok(client)
    }

    /// Sends a message under an id of its own.
    pub(super) async fn say(&mut self, mut message: serde_json::Value) -> Result<()> {
        self.said += 1;
        message["id"] = format!("{}-{}", self.seat, self.said).into();
        self.send(message.to_string()).await
    }

    async fn send(&mut self, text: String) -> Result<()> {
        // The text of this error says its source already.
        self.sink.send(Message::text(text)).await.map_err(Error::msg)
    }

    /// When a move was sent at its table.
    pub(super) fn sent(&self) -> Sent {
        self.sent.clone()
    }

    async fn receive(&mut self) -> Result<String> {
        loop {
            let message = self.stream.next().await.context("the server has hung up")?;
            if let Message::Text(text) = message.map_err(Error::msg)? {
                return Ok(text.as_str().to_owned());
            }
        }
    }

    /// Waits for a message of a type; a refusal is an error.
    pub(super) async fn wait_for(&mut self, kind: &str) -> Result<String> {
        loop {
            let text = self.receive().await?;
            if let Some(why) = refusal(&text) {
                bail!(why);
            }
            let message: ServerMessage<'_> = serde_json::from_str(&text)?;
            if message.r#type == kind {
                return Ok(text);
            }
        }
    }

    /// A number from 0 to `n - 1`, of an xorshift generator.
    fn below(&mut self, n: u64) -> u64 {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        self.random % n.max(1)
    }

    /// Asks for its seat, with chips where the game is played for them.
    pub(super) async fn sit(&mut self) -> Result<()> {
        let mut sit = json!({"type":"sit","table":self.table,"seat":self.seat});
        if self.run.game == "poker" {
            sit["chips"] = 400.into();
        }
        self.say(sit).await
    }

    /// Plays at this seat of this table from now on.
    pub(super) fn takes(&mut self, table: &str, seat: u8) {
        (self.table, self.seat) = (table.to_owned(), seat);
        let seed = format!("{table} {seat}");
        self.player = match self.run.game.as_str() {
            "gomoku" => None,
            game => parlor_bots::player(game, Level::Easy, Seat::new(seat), &seed),
        };
    }

    /// The command to send: that of the player, or a free point.
    fn choose(&mut self, view: Option<&RawValue>, legal: &RawValue) -> Option<String> {
        if let Some(player) = &mut self.player {
            return Some(player.choose(view?, legal)?.get().to_owned());
        }
        let FreePoints { rows } = serde_json::from_str(legal.get()).ok()?;
        let free: u64 = rows.iter().map(|row| u64::from(row.count_ones())).sum();
        let mut nth = self.below(free);
        for (y, row) in rows.iter().enumerate() {
            for x in (0..32).filter(|x| row >> x & 1 == 1) {
                if nth == 0 {
                    return Some(format!(r#"{{"type":"move","x":{x},"y":{y}}}"#));
                }
                nth -= 1;
            }
        }
        None
    }

    /// Plays until the run is over.
    pub(super) async fn play(mut self) -> Result<()> {
        while !self.run.stopping.load(Ordering::Relaxed) {
            let text = self.receive().await?;
            self.hear(&text).await?;
        }
        Ok(())
    }

    /// Does what a message of the server asks for.
    async fn hear(&mut self, text: &str) -> Result<()> {
        let message: ServerMessage<'_> = serde_json::from_str(text)?;
        let here = message.table == Some(&self.table);
        match message.r#type {
            "matched" => {
                let Matched { table, seat } = serde_json::from_str(text)?;
                self.takes(table, seat);
                self.sent.store(0, Ordering::Relaxed);
                self.answered = None;
                Ok(())
            }
            "table" if message.over && here => {
                self.say(json!({"type":"offer","table":self.table,"what":"rematch"})).await
            }
            // A player without chips brings more, as long as its account has any.
            "left" if here => {
                self.sent.store(0, Ordering::Relaxed);
                self.sit().await
            }
            // The seat is not free yet.
            "refused" if message.code == Some("seated") => {
                tokio::time::sleep(SEATED).await;
                self.sit().await
            }
            "refused" if message.code != Some("stale_ask") => {
                self.run.count_refusal(message.code.unwrap_or_default());
                Ok(())
            }
            // An update with a new question carries the other's move.
            "update" if here && message.ask.is_some() && message.ask != self.answered => {
                self.received();
                self.answered = message.ask;
                self.answer(&message).await
            }
            _ => Ok(()),
        }
    }

    /// Thinks, and answers the question of an update.
    async fn answer(&mut self, update: &ServerMessage<'_>) -> Result<()> {
        let Some(legal) = update.legal else { return Ok(()) };
        let command = self.choose(update.view, legal);
        let think = self.run.think_ms;
        let think = think / 2 + self.below(think.max(1));
        tokio::time::sleep(Duration::from_millis(think)).await;
        match command {
            Some(command) => self.send_move(update.ask, &command).await,
            None => Ok(()),
        }
    }

    fn now(&self) -> u64 {
        self.run.start.elapsed().as_nanos() as u64
    }

    /// Records how long the opponent's move has taken. One's own stays: the opponent has still to
    /// receive it.
    fn received(&self) {
        let others = |sent| (sent != 0 && sent & 1 != u64::from(self.seat)).then_some(0);
        if let Ok(sent) = self.sent.fetch_update(Ordering::Relaxed, Ordering::Relaxed, others) {
            self.run.record(self.now().saturating_sub(sent));
        }
    }

    async fn send_move(&mut self, ask: Option<u64>, command: &str) -> Result<()> {
        self.said += 1;
        let (id, ask, table) = (self.said, ask.unwrap_or_default(), &self.table);
        let seat = self.seat;
        let play = format!(
            r#"{{"id":"{table}-{seat}-{id}","type":"play","table":"{table}","ask":{ask},"command":{command}}}"#
        );
        self.sent.store(self.now() & !1 | u64::from(seat), Ordering::Relaxed);
        self.send(play).await
    }
}
