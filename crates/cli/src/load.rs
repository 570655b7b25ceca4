//! `parlor load`: many tables at once against a server, measured.

use crate::Failure;
use crate::address::socket_of;
use crate::signals::stop;
use clap::value_parser;
use futures_util::stream::{SplitSink, SplitStream};
use futures_util::{SinkExt as _, StreamExt as _};
use parlor_bots::{Level, Player};
use parlor_rules::Seat;
use serde::Deserialize;
use serde_json::json;
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fs;
use std::io::{IsTerminal as _, Write as _, stderr};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tokio::net::TcpStream;
use tokio::sync::{Semaphore, mpsc};
use tokio::task::JoinHandle;
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;
use tokio_tungstenite::tungstenite::{Error, Message};
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async_with_config};

/// What the command line says.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// How many tables, each with two connections; several counts are measured one after the other
    #[arg(long, value_delimiter = ',', default_value = "50,500,2500", value_parser = value_parser!(u32).range(1..))]
    tables: Vec<u32>,
    /// How long a player thinks on average, in milliseconds
    #[arg(long, value_name = "MS", default_value_t = 1_000, value_parser = value_parser!(u64).range(..=60_000))]
    think: u64,
    /// The game
    #[arg(long, default_value = "gomoku")]
    game: String,
    /// Be shown the whole board with every update, as a page is; otherwise only what happens, as a
    /// program that keeps the board itself (gomoku; players of the other games need it)
    #[arg(long)]
    views: bool,
    /// How long to measure, in seconds
    #[arg(long, value_name = "S", default_value_t = 20, value_parser = value_parser!(u64).range(1..=86_400))]
    seconds: u64,
    /// A server that runs already, without limits, as http://HOST:PORT; without, one is started for
    /// every count, with a journal of its own
    #[arg(long, value_name = "URL")]
    server: Option<String>,
    /// The process of that server, if it runs on this machine: its CPU time and memory are read
    #[arg(long, requires = "server")]
    pid: Option<u32>,
}

/// What a client reads at once. The library clears so much for every read: with its usual 128 KiB the
/// clients would take the machine's memory from the server that is measured.
const READ: usize = 1024;

type Socket = WebSocketStream<MaybeTlsStream<TcpStream>>;

/// A server that is measured.
struct Server {
    /// As it was said.
    address: String,
    /// Where its socket is.
    url: String,
    pid: Option<u32>,
    own: Option<(Child, PathBuf)>,
}

impl Server {
    /// One at an address.
    fn at(address: &str, pid: Option<u32>) -> Self {
        let (url, _) = socket_of(address);
        Self { address: address.to_owned(), url, pid, own: None }
    }

    /// Starts one, on a free port, that keeps its journal in a folder of its own.
    fn start() -> Result<Self, Failure> {
        let text = |error: std::io::Error| error.to_string();
        let port = {
            let free = std::net::TcpListener::bind("127.0.0.1:0").map_err(text)?;
            free.local_addr().map_err(text)?.port()
        };
        let address = format!("127.0.0.1:{port}");
        let folder =
            std::env::temp_dir().join(format!("parlor-load-{}-{port}", std::process::id()));
        fs::create_dir_all(&folder).map_err(text)?;
        let child = Command::new(std::env::current_exe().map_err(text)?)
            .args(["serve", "--no-limits", "--listen", &address, "--journal"])
            .arg(folder.join("load.db"))
            .env("RUST_LOG", "warn")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .map_err(text)?;
        let mut server = Self::at(&address, Some(child.id()));
        server.own = Some((child, folder));
        Ok(server)
    }

    /// CPU time so far, in microseconds, and memory, in KiB.
    fn used(&self) -> Option<(f64, f64)> {
        let pid = self.pid?;
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        // The name may hold spaces; all behind it does not. Ticks are hundredths of a second.
        let fields: Vec<&str> = stat.rsplit_once(") ")?.1.split(' ').collect();
        let ticks = fields.get(11)?.parse::<f64>().ok()? + fields.get(12)?.parse::<f64>().ok()?;
        let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
        let rss = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
        let kib = rss.trim().trim_end_matches(" kB").parse::<f64>().ok()?;
        Some((ticks * 10_000.0, kib))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if let Some((child, folder)) = &mut self.own {
            // It may be gone already.
            let _ = child.kill();
            let _ = child.wait();
            let _ = fs::remove_dir_all(folder);
        }
    }
}

/// What is read of a frame.
#[derive(Deserialize)]
struct Told<'a> {
    r#type: &'a str,
    #[serde(borrow, default)]
    table: Option<&'a str>,
    #[serde(default)]
    ask: Option<u64>,
    #[serde(borrow, default)]
    view: Option<&'a RawValue>,
    #[serde(borrow, default)]
    legal: Option<&'a RawValue>,
    #[serde(default)]
    over: bool,
    #[serde(borrow, default)]
    code: Option<&'a str>,
    #[serde(borrow, default)]
    text: Cow<'a, str>,
}

/// What a server refuses, for people; none if it is no refusal.
fn refusal(told: &str) -> Option<String> {
    let told: Told<'_> = serde_json::from_str(told).ok()?;
    let (code, text) = (told.code.filter(|_| told.r#type == "refused")?, told.text);
    let hint = match code {
        "slow_down" | "too_many_connections" | "too_many_tables" => {
            "; a server that is to be measured is started with --no-limits"
        }
        _ => "",
    };
    Some(format!("the server refuses: {text} ({code}){hint}"))
}

/// Why there is no connection.
fn unconnected(error: &Error) -> String {
    let body = match error {
        Error::Http(response) => response.body().as_deref(),
        _ => None,
    };
    let refused = body.and_then(|body| refusal(std::str::from_utf8(body).ok()?));
    refused.unwrap_or_else(|| error.to_string())
}

/// How often something happened, by its code or its reason.
type Codes = BTreeMap<String, u64>;

/// Them, for people.
fn listed(codes: &Codes) -> String {
    let each = codes.iter().map(|(why, count)| format!("{count} x {why}"));
    each.collect::<Vec<_>>().join(", ")
}

/// What all clients of a run share.
struct Run {
    start: Instant,
    think_ms: u64,
    game: String,
    views: bool,
    measuring: AtomicBool,
    stopping: AtomicBool,
    refused: Mutex<Codes>,
    latencies: mpsc::UnboundedSender<u32>,
}

impl Run {
    fn new(options: &Options, think_ms: u64, latencies: mpsc::UnboundedSender<u32>) -> Self {
        Self {
            start: Instant::now(),
            think_ms,
            game: options.game.clone(),
            // The minds of the other games look at them.
            views: options.views || options.game != "gomoku",
            measuring: AtomicBool::new(false),
            stopping: AtomicBool::new(false),
            refused: Mutex::default(),
            latencies,
        }
    }
}

/// When a move was sent at a table that its opponent has not heard of yet, in nanoseconds since the
/// start; 0 if there is none.
type Sent = Arc<AtomicU64>;

/// How long a move may be on its way, beside the time to think, before its table stands still.
const STILL: Duration = Duration::from_secs(3);

/// One client.
struct Client {
    run: Arc<Run>,
    sink: SplitSink<Socket, Message>,
    stream: SplitStream<Socket>,
    said: u64,
    sent: Sent,
    seat: u8,
    table: String,
    mind: Option<Box<dyn Player>>,
    chance: u64,
}

fn broken(error: impl ToString) -> String {
    error.to_string()
}

impl Client {
    async fn connect(
        run: &Arc<Run>,
        url: &str,
        name: &str,
        seat: u8,
        sent: &Sent,
    ) -> Result<Self, String> {
        let reads = WebSocketConfig::default().read_buffer_size(READ);
        // What is said is not kept back until more is.
        let connected = connect_async_with_config(url, Some(reads), true).await;
        let (socket, _) = connected.map_err(|error| unconnected(&error))?;
        let (sink, stream) = socket.split();
        let (run, sent) = (run.clone(), sent.clone());
        let chance = name.bytes().fold(7, |sum: u64, byte| sum.wrapping_mul(31) + u64::from(byte));
        let table = String::new();
        let mut client = Self { run, sink, stream, said: 0, sent, seat, table, mind: None, chance };
        let views = client.run.views;
        client.say(json!({"type":"hello","version":1,"name":name,"views":views})).await?;
        client.hears("welcome").await?;
        Ok(client)
    }

    async fn say(&mut self, mut say: serde_json::Value) -> Result<(), String> {
        self.said += 1;
        say["id"] = format!("{}-{}", self.seat, self.said).into();
        self.sink.send(Message::text(say.to_string())).await.map_err(broken)
    }

    async fn frame(&mut self) -> Result<String, String> {
        loop {
            match self.stream.next().await {
                Some(Ok(Message::Text(text))) => return Ok(text.as_str().to_owned()),
                Some(Ok(_)) => {}
                Some(Err(error)) => return Err(error.to_string()),
                None => return Err("the server has hung up".to_owned()),
            }
        }
    }

    /// Waits for a message of a kind, and reads it.
    async fn hears(&mut self, kind: &str) -> Result<String, String> {
        loop {
            let text = self.frame().await?;
            if let Some(why) = refusal(&text) {
                return Err(why);
            }
            let told: Told<'_> = serde_json::from_str(&text).map_err(broken)?;
            if told.r#type == kind {
                return Ok(text);
            }
        }
    }

    /// A number from 0 to `n - 1`: good enough to be somewhere else every time.
    fn below(&mut self, n: u64) -> u64 {
        self.chance ^= self.chance << 13;
        self.chance ^= self.chance >> 7;
        self.chance ^= self.chance << 17;
        self.chance % n.max(1)
    }

    /// Asks for the chair, with chips where they are played for.
    async fn sit(&mut self) -> Result<(), String> {
        let mut sit = json!({"type":"sit","table":self.table,"seat":self.seat});
        if self.run.game == "poker" {
            sit["chips"] = 400.into();
        }
        self.say(sit).await
    }

    fn sits(&mut self, table: &str, seat: u8) {
        (self.table, self.seat) = (table.to_owned(), seat);
        let game = self.run.game.as_str();
        self.mind = match game {
            "gomoku" => None,
            game => {
                parlor_bots::player(game, Level::Easy, Seat::new(seat), &format!("{table} {seat}"))
            }
        };
    }

    /// What to say: a free point, or what the house would.
    fn choose(&mut self, view: Option<&RawValue>, legal: &RawValue) -> Option<String> {
        if let Some(mind) = &mut self.mind {
            return Some(mind.choose(view?, legal)?.get().to_owned());
        }
        #[derive(Deserialize)]
        struct Legal {
            rows: Vec<u32>,
        }
        let Legal { rows } = serde_json::from_str(legal.get()).ok()?;
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
    async fn plays(mut self) -> Result<(), String> {
        let mut answered = None;
        while !self.run.stopping.load(Ordering::Relaxed) {
            let text = self.frame().await?;
            let told: Told<'_> = serde_json::from_str(&text).map_err(broken)?;
            match told.r#type {
                "matched" => {
                    #[derive(Deserialize)]
                    struct Matched<'a> {
                        table: &'a str,
                        seat: u8,
                    }
                    let matched: Matched<'_> = serde_json::from_str(&text).map_err(broken)?;
                    self.sits(matched.table, matched.seat);
                    self.sent.store(0, Ordering::Relaxed);
                    answered = None;
                }
                "table" if told.over && told.table == Some(&self.table) => {
                    let offer = json!({"type":"offer","table":self.table,"what":"rematch"});
                    self.say(offer).await?;
                }
                // Who has lost all brings more, as long as there is more.
                "left" if told.table == Some(&self.table) => {
                    self.sent.store(0, Ordering::Relaxed);
                    self.sit().await?;
                }
                // The chair is not free yet.
                "refused" if told.code == Some("seated") => {
                    tokio::time::sleep(Duration::from_millis(10)).await;
                    self.sit().await?;
                }
                "refused" if told.code != Some("stale_ask") => {
                    let mut refused =
                        self.run.refused.lock().unwrap_or_else(PoisonError::into_inner);
                    *refused.entry(told.code.unwrap_or_default().to_owned()).or_default() += 1;
                }
                // Who is asked has just heard of the other's move.
                "update"
                    if told.table == Some(&self.table)
                        && told.ask.is_some()
                        && told.ask != answered =>
                {
                    self.heard();
                    answered = told.ask;
                    let Some(legal) = told.legal else { continue };
                    let command = self.choose(told.view, legal);
                    let think = self.run.think_ms;
                    let think = think / 2 + self.below(think.max(1));
                    tokio::time::sleep(Duration::from_millis(think)).await;
                    if let Some(command) = command {
                        self.moves(told.ask, &command).await?;
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn now(&self) -> u64 {
        self.run.start.elapsed().as_nanos() as u64
    }

    fn heard(&self) {
        // The lowest bit says who has sent it: one's own moves are no news, and the other has still to
        // hear of them.
        let others = |sent| (sent != 0 && sent & 1 != u64::from(self.seat)).then_some(0);
        if let Ok(sent) = self.sent.fetch_update(Ordering::Relaxed, Ordering::Relaxed, others)
            && self.run.measuring.load(Ordering::Relaxed)
        {
            let micros = (self.now().saturating_sub(sent) / 1_000) as u32;
            // The measuring ends when the run does.
            let _ = self.run.latencies.send(micros);
        }
    }

    async fn moves(&mut self, ask: Option<u64>, command: &str) -> Result<(), String> {
        self.said += 1;
        let (id, ask, table) = (self.said, ask.unwrap_or_default(), &self.table);
        let seat = self.seat;
        let play = format!(
            r#"{{"id":"{table}-{seat}-{id}","type":"play","table":"{table}","ask":{ask},"command":{command}}}"#
        );
        self.sent.store(self.now() & !1 | u64::from(seat), Ordering::Relaxed);
        self.sink.send(Message::text(play)).await.map_err(broken)
    }
}

/// Two clients at a table of their own.
async fn table(run: Arc<Run>, url: String, number: u32) -> Result<[Client; 2], String> {
    let sent = Sent::default();
    let prefix = std::process::id();
    let mut first = Client::connect(&run, &url, &format!("L{prefix} {number} a"), 0, &sent).await?;
    let mut second =
        Client::connect(&run, &url, &format!("L{prefix} {number} b"), 1, &sent).await?;
    first.say(json!({"type":"create","game":run.game,"config":config(&run.game)})).await?;
    let created = first.hears("created").await?;
    let created: Told<'_> = serde_json::from_str(&created).map_err(broken)?;
    let name = created.table.unwrap_or_default();
    for (seat, client) in [&mut first, &mut second].into_iter().enumerate() {
        client.sits(name, seat as u8);
        client.sit().await?;
    }
    Ok([first, second])
}

fn config(game: &str) -> serde_json::Value {
    match game {
        "battle" => json!({"stake":0}),
        "poker" => json!({"between_ms":1}),
        _ => json!({}),
    }
}

/// What was measured.
struct Row {
    tables: u32,
    moves: f64,
    p50_ms: f64,
    p99_ms: f64,
    cpu_us: Option<f64>,
    kib: Option<f64>,
    refused: Codes,
    /// How many tables stood still in the end: their last move reached nobody.
    still: usize,
    /// Why connections ended before the run did.
    lost: Codes,
}

/// How many tables are played before anything is measured, and how long: what every server has once,
/// however many tables there are, is there then.
const FIRST: u32 = 4;
const WARM: Duration = Duration::from_secs(3);

async fn warm(options: &Options, server: &Server) -> Result<(), Failure> {
    let run = Arc::new(Run::new(options, 0, mpsc::unbounded_channel().0));
    let mut playing = Vec::new();
    for number in 0..FIRST {
        let clients = table(run.clone(), server.url.clone(), u32::MAX - number).await?;
        playing.extend(clients.map(|client| tokio::spawn(client.plays())));
    }
    tokio::time::sleep(WARM).await;
    playing.iter().for_each(JoinHandle::abort);
    Ok(())
}

async fn measure(options: &Options, server: &Server, tables: u32) -> Result<Row, Failure> {
    warm(options, server).await?;
    let (latencies, mut heard) = mpsc::unbounded_channel();
    let run = Arc::new(Run::new(options, options.think, latencies));
    let empty = server.used();
    let few = Arc::new(Semaphore::new(32));
    let opening: Vec<_> = (0..tables)
        .map(|number| {
            let (run, url, few) = (run.clone(), server.url.clone(), few.clone());
            tokio::spawn(async move {
                let _turn = few.acquire_owned().await.map_err(broken)?;
                let clients = table(run, url, number).await?;
                let sent = clients[0].sent.clone();
                Ok::<_, String>((sent, clients.map(|client| tokio::spawn(client.plays()))))
            })
        })
        .collect();
    let (mut playing, mut sent) = (Vec::new(), Vec::new());
    for (open, task) in opening.into_iter().enumerate() {
        show(open, tables as usize, "tables open");
        let (table, clients) = task.await.map_err(broken)??;
        playing.extend(clients);
        sent.push(table);
    }
    // All are at it, and none is in step with the others any more.
    tokio::time::sleep(Duration::from_millis(2 * options.think + 1_000)).await;
    let before = server.used();
    run.measuring.store(true, Ordering::Relaxed);
    for second in 0..options.seconds {
        show(second as usize, options.seconds as usize, "seconds measured");
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
    shown();
    run.measuring.store(false, Ordering::Relaxed);
    let after = server.used();
    let long = STILL + Duration::from_millis(2 * options.think);
    let old = run.start.elapsed().saturating_sub(long).as_nanos() as u64;
    let still = sent.iter().filter(|at| (1..old).contains(&at.load(Ordering::Relaxed))).count();
    run.stopping.store(true, Ordering::Relaxed);
    let mut lost = Codes::new();
    for task in playing {
        task.abort();
        // Most play on, and are stopped here.
        if let Ok(Err(why)) = task.await {
            *lost.entry(why).or_default() += 1;
        }
    }
    let mut all = Vec::new();
    while let Ok(micros) = heard.try_recv() {
        all.push(micros);
    }
    all.sort_unstable();
    let at = |part: f64| {
        let place = (all.len() as f64 * part) as usize;
        all.get(place.min(all.len().saturating_sub(1))).map_or(f64::NAN, |us| f64::from(*us) / 1e3)
    };
    let moves = all.len() as f64;
    let cpu = before.zip(after).map(|(before, after)| (after.0 - before.0) / moves);
    let kib = empty.zip(after).map(|(empty, after)| (after.1 - empty.1) / f64::from(tables));
    Ok(Row {
        tables,
        moves: moves / options.seconds as f64,
        p50_ms: at(0.50),
        p99_ms: at(0.99),
        cpu_us: cpu,
        kib,
        refused: std::mem::take(&mut run.refused.lock().unwrap_or_else(PoisonError::into_inner)),
        still,
        lost,
    })
}

/// Shows how far it has come, where somebody looks.
fn show(done: usize, all: usize, what: &str) {
    if stderr().is_terminal() {
        // Who does not want to see it does not need it.
        let _ = write!(stderr(), "\r\x1b[K{} {what}", crate::bar(done, all));
    }
}

/// Takes the line away again.
fn shown() {
    if stderr().is_terminal() {
        let _ = write!(stderr(), "\r\x1b[K");
    }
}

/// Waits until the server answers, if it was started just now.
async fn ready(server: &Server) -> Result<(), Failure> {
    let patience = if server.own.is_some() { 30 } else { 0 };
    let until = Instant::now() + Duration::from_secs(patience);
    while let Err(error) = connect_async_with_config(&server.url, None, true).await {
        if Instant::now() > until {
            return Err(format!("{}: {}", server.address, unconnected(&error)).into());
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    Ok(())
}

/// Measures until it is done, or is told to stop.
pub(crate) fn run(options: &Options) -> Result<(), Failure> {
    crate::game(&options.game)?;
    let runtime = tokio::runtime::Runtime::new().map_err(broken)?;
    runtime.block_on(async {
        tokio::select! {
            // First, so that what is started is stopped then, and its folder removed.
            biased;
            () = stop() => Err("stopped".to_owned().into()),
            done = counts(options) => done,
        }
    })
}

/// Measures each count and prints a table.
async fn counts(options: &Options) -> Result<(), Failure> {
    println!(
        "{:>8} {:>12} {:>9} {:>8} {:>8} {:>12} {:>11} {:>8} {:>6}",
        "tables",
        "connections",
        "moves/s",
        "p50 ms",
        "p99 ms",
        "CPU µs/move",
        "KiB/table",
        "refused",
        "still"
    );
    for tables in &options.tables {
        let row = {
            let server = match &options.server {
                Some(address) => Server::at(address, options.pid),
                None => Server::start()?,
            };
            ready(&server).await?;
            measure(options, &server, *tables).await?
        };
        let few = usize::from(row.moves < 10.0);
        let shown =
            |value: Option<f64>| value.map_or("-".to_owned(), |value| format!("{value:.1}"));
        println!(
            "{:>8} {:>12} {:>9.few$} {:>8.2} {:>8.2} {:>12} {:>11} {:>8} {:>6}",
            row.tables,
            2 * row.tables,
            row.moves,
            row.p50_ms,
            row.p99_ms,
            shown(row.cpu_us),
            shown(row.kib),
            row.refused.values().sum::<u64>(),
            row.still
        );
        if !row.refused.is_empty() {
            println!("{:>8} refused: {}", "", listed(&row.refused));
        }
        if !row.lost.is_empty() {
            return Err(format!("connections were lost: {}", listed(&row.lost)).into());
        }
    }
    Ok(())
}
