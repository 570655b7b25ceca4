//! `parlor load`: plays many tables at once against a server, and measures it.

mod client;
mod message;
mod report;
mod server;

use crate::signals::stop;
use crate::{progress, values};
use anyhow::{Result, anyhow, bail};
use client::{Client, Sent};
use hdrhistogram::Histogram;
use message::{ServerMessage, unconnected};
use report::{Counts, Measurement, Report, listed};
use serde_json::json;
use server::{Server, Usage};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::Semaphore;
use tokio::task::JoinHandle;
use tokio_tungstenite::connect_async_with_config;

/// The options of the command line.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// How many tables, each with two connections; several counts are measured one after the other
    #[arg(long, value_delimiter = ',', default_value = "50,500,2500", value_parser = values::number(1..=u32::MAX))]
    tables: Vec<u32>,
    /// How long a player thinks on average, in milliseconds
    #[arg(long, value_name = "MS", default_value_t = 1_000, value_parser = values::number(0..=60_000_u64))]
    think: u64,
    /// The game
    #[arg(long, default_value = "gomoku")]
    game: String,
    /// Be shown the whole board with every update, as a page is; otherwise only what happens, as a
    /// program that keeps the board itself (gomoku; players of the other games need it)
    #[arg(long)]
    views: bool,
    /// How long to measure, in seconds
    #[arg(long, value_name = "S", default_value_t = 20, value_parser = values::number(1..=86_400_u64))]
    seconds: u64,
    /// A server that runs already, without limits, as http://HOST:PORT; without, one is started for
    /// every count, with a journal of its own
    #[arg(long, value_name = "URL")]
    server: Option<String>,
    /// The process of that server, if it runs on this machine: its CPU time and memory are read
    #[arg(long, requires = "server", value_parser = values::number(1..=u32::MAX))]
    pid: Option<u32>,
}

/// How long a move may be on its way, beside the time to think, before its table stands still.
const STILL: Duration = Duration::from_secs(3);

/// How many tables are played before anything is measured, and how long, so that what every server
/// has once, however many tables there are, is there then.
const WARM_TABLES: u32 = 4;
const WARM: Duration = Duration::from_secs(3);

/// How many tables are opened at a time.
const OPENING: usize = 32;

/// How long to wait for a server that was started just now.
const PATIENCE: Duration = Duration::from_secs(30);

/// The longest time of a move that is told apart from longer ones, in microseconds: an hour.
const LONGEST_US: u64 = 3_600_000_000;

/// What all clients of a run share.
struct Run {
    start: Instant,
    think_ms: u64,
    game: String,
    views: bool,
    measuring: AtomicBool,
    stopping: AtomicBool,
    refused: Mutex<Counts>,
    /// The times of the moves that were measured, in microseconds.
    latencies: Mutex<Histogram<u64>>,
}

impl Run {
    fn new(options: &Options, think_ms: u64) -> Result<Arc<Self>> {
        Ok(Arc::new(Self {
            start: Instant::now(),
            think_ms,
            game: options.game.clone(),
            // The players of the other games look at them.
            views: options.views || options.game != "gomoku",
            measuring: AtomicBool::new(false),
            stopping: AtomicBool::new(false),
            refused: Mutex::default(),
            latencies: Mutex::new(Histogram::new_with_max(LONGEST_US, 3)?),
        }))
    }

    /// Takes the time of a move into the measurement, while there is one.
    fn record(&self, nanos: u64) {
        if self.measuring.load(Ordering::Relaxed) {
            let mut latencies = self.latencies.lock().unwrap_or_else(PoisonError::into_inner);
            latencies.saturating_record(nanos / 1_000);
        }
    }

    fn count_refusal(&self, code: &str) {
        let mut refused = self.refused.lock().unwrap_or_else(PoisonError::into_inner);
        *refused.entry(code.to_owned()).or_default() += 1;
    }
}

/// Two clients at a table of their own.
async fn open_table(run: Arc<Run>, url: String, number: u32) -> Result<[Client; 2]> {
    let sent = Sent::default();
    let prefix = std::process::id();
    let mut first = Client::connect(&run, &url, &format!("L{prefix} {number} a"), 0, &sent).await?;
    let mut second =
        Client::connect(&run, &url, &format!("L{prefix} {number} b"), 1, &sent).await?;
    first.say(json!({"type":"create","game":run.game,"config":config(&run.game)})).await?;
    let created = first.wait_for("created").await?;
    let created: ServerMessage<'_> = serde_json::from_str(&created)?;
    let name = created.table.unwrap_or_default();
    for (seat, client) in [&mut first, &mut second].into_iter().enumerate() {
        client.takes(name, seat as u8);
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

/// Tables in play.
#[derive(Default)]
struct Playing {
    clients: Vec<JoinHandle<Result<()>>>,
    /// One per table.
    sent: Vec<Sent>,
}

impl Playing {
    fn add(&mut self, table: [Client; 2]) {
        self.sent.push(table[0].sent());
        self.clients.extend(table.map(|client| tokio::spawn(client.play())));
    }

    /// How many tables have waited for a move for so long that they stand still.
    fn still(&self, run: &Run) -> usize {
        let long = STILL + Duration::from_millis(2 * run.think_ms);
        let old = run.start.elapsed().saturating_sub(long).as_nanos() as u64;
        self.sent.iter().filter(|at| (1..old).contains(&at.load(Ordering::Relaxed))).count()
    }

    /// Ends the games; says why connections have ended before.
    async fn stop(self, run: &Run) -> Counts {
        run.stopping.store(true, Ordering::Relaxed);
        let mut lost = Counts::new();
        for client in self.clients {
            client.abort();
            // Most still play, and are stopped by this.
            if let Ok(Err(why)) = client.await {
                *lost.entry(why.to_string()).or_default() += 1;
            }
        }
        lost
    }
}

async fn warm_up(options: &Options, server: &Server) -> Result<()> {
    let run = Run::new(options, 0)?;
    let mut playing = Playing::default();
    for number in 0..WARM_TABLES {
        playing.add(open_table(run.clone(), server.url.clone(), u32::MAX - number).await?);
    }
    tokio::time::sleep(WARM).await;
    playing.stop(&run).await;
    Ok(())
}

/// Opens this many tables, a few at a time.
async fn open_tables(run: &Arc<Run>, server: &Server, tables: u32) -> Result<Playing> {
    let few = Arc::new(Semaphore::new(OPENING));
    let opening: Vec<_> = (0..tables)
        .map(|number| {
            let (run, url, few) = (run.clone(), server.url.clone(), few.clone());
            tokio::spawn(async move {
                let _turn = few.acquire_owned().await?;
                let mut playing = Playing::default();
                playing.add(open_table(run, url, number).await?);
                anyhow::Ok(playing)
            })
        })
        .collect();
    let bar = progress::bar(opening.len(), "tables open");
    let mut all = Playing::default();
    for table in opening {
        let Playing { clients, sent } = table.await??;
        all.clients.extend(clients);
        all.sent.extend(sent);
        bar.inc(1);
    }
    bar.finish_and_clear();
    Ok(all)
}

/// Measures one count of tables.
async fn measure(options: &Options, server: &Server, tables: u32) -> Result<Measurement> {
    warm_up(options, server).await?;
    let run = Run::new(options, options.think)?;
    let empty = server.usage();
    let playing = open_tables(&run, server, tables).await?;
    // After that long all play, and no two in step.
    tokio::time::sleep(Duration::from_millis(2 * options.think + 1_000)).await;
    let before = server.usage();
    run.measuring.store(true, Ordering::Relaxed);
    let bar = progress::bar(options.seconds as usize, "seconds measured");
    for _ in 0..options.seconds {
        tokio::time::sleep(Duration::from_secs(1)).await;
        bar.inc(1);
    }
    bar.finish_and_clear();
    run.measuring.store(false, Ordering::Relaxed);
    let after = server.usage();
    let still = playing.still(&run);
    let lost = playing.stop(&run).await;
    let refused = std::mem::take(&mut *run.refused.lock().unwrap_or_else(PoisonError::into_inner));
    let latencies = run.latencies.lock().unwrap_or_else(PoisonError::into_inner);
    let moves = latencies.len() as f64;
    let quantile_ms = |quantile| {
        (!latencies.is_empty()).then(|| latencies.value_at_quantile(quantile) as f64 / 1e3)
    };
    let used = |from: Option<Usage>, what: fn(Usage) -> f64| Some(what(after?) - what(from?));
    Ok(Measurement {
        tables,
        moves_a_second: moves / options.seconds as f64,
        p50_ms: quantile_ms(0.50),
        p99_ms: quantile_ms(0.99),
        cpu_us_a_move: used(before, |usage| usage.cpu_us).map(|us| us / moves),
        kib_a_table: used(empty, |usage| usage.kib).map(|kib| kib / f64::from(tables)),
        refused,
        still,
        lost,
    })
}

/// Waits until the server answers, if it was started just now.
async fn ready(server: &Server) -> Result<()> {
    let patience = if server.is_own() { PATIENCE } else { Duration::ZERO };
    let until = Instant::now() + patience;
    while let Err(error) = connect_async_with_config(&server.url, None, true).await {
        if Instant::now() > until {
            bail!("{}: {}", server.address, unconnected(&error));
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    Ok(())
}

/// Measures until it is done, or is told to stop.
pub(crate) fn run(options: &Options) -> Result<()> {
    crate::game(&options.game)?;
    tokio::runtime::Runtime::new()?.block_on(async {
        tokio::select! {
            // First, so that what is started is stopped then, and its folder removed.
            biased;
            () = stop() => Err(anyhow!("stopped")),
            done = measure_all(options) => done,
        }
    })
}

/// Measures each count and prints a table.
async fn measure_all(options: &Options) -> Result<()> {
    let mut report = Report::new();
    for tables in &options.tables {
        let measured = {
            let server = match &options.server {
                Some(address) => Server::at(address, options.pid),
                None => Server::start()?,
            };
            ready(&server).await?;
            measure(options, &server, *tables).await?
        };
        report.add(&measured)?;
        if !measured.lost.is_empty() {
            bail!("connections were lost: {}", listed(&measured.lost));
        }
    }
    Ok(())
}
