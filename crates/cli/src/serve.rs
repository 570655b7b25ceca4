//! `parlor serve`: tables on the net.

use crate::signals::stop;
use crate::{log, values};
use anyhow::{Result, anyhow, ensure};
use parlor_journal::Sqlite;
use parlor_server::{Chance, Parts, Settings, serve};
use std::io::ErrorKind;
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::{TcpListener, TcpSocket};
use tokio::runtime::Runtime;
use tracing_subscriber::EnvFilter;

/// What the command line says.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// Where to listen
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:7766", value_parser = values::address)]
    listen: SocketAddr,
    /// Where tables and accounts are kept
    #[arg(long, value_name = "FILE", default_value = "parlor.db")]
    journal: PathBuf,
    /// What a move survives once it is stored
    #[arg(long, value_enum, default_value_t)]
    durability: log::Survives,
    /// A page of another site that may connect, as `https://example.org`; may be given again
    #[arg(long, value_name = "ORIGIN", value_parser = values::origin)]
    origin: Vec<String>,
    /// A proxy that tells the addresses of clients in x-forwarded-for; may be given again
    #[arg(long, value_name = "ADDRESS", value_parser = values::ip)]
    proxy: Vec<IpAddr>,
    /// No limits on connections, tables and messages: for measuring
    #[arg(long)]
    no_limits: bool,
    /// Where whoever runs the house is heard, on this machine alone; the token comes from the
    /// environment, as PARLOR_ADMIN_TOKEN
    #[arg(long, value_name = "ADDRESS", value_parser = values::loopback)]
    admin: Option<SocketAddr>,
    /// How to write what happens
    #[arg(long, value_enum, default_value_t = Log::Text)]
    log: Log,
}

/// How what happens is written.
#[derive(Clone, Copy, clap::ValueEnum)]
enum Log {
    /// A line a fact, for people
    Text,
    /// A JSON object a fact, for programs
    Json,
}

/// How many connections one worker reads from before it looks at what is stored.
const EVENTS: usize = 8;

/// How long what still runs may take to end.
const SHUTDOWN: Duration = Duration::from_secs(2);

/// The least bytes of an admin's token.
const TOKEN: usize = 16;

/// Serves until it is told to stop. Before anything is printed or logged, the ports are bound and
/// the journal is opened: if either fails, the reason is all that is printed.
pub(crate) fn run(options: &Options) -> Result<()> {
    let runtime = runtime()?;
    let served = runtime.block_on(serve_until_stopped(options));
    // Connections that are still open do not keep the process.
    runtime.shutdown_timeout(SHUTDOWN);
    served
}

async fn serve_until_stopped(options: &Options) -> Result<()> {
    let listener = bind("--listen", options.listen)?;
    let admin = match options.admin {
        Some(address) => Some((bind("--admin", address)?, admin_token()?)),
        None => None,
    };
    let journal = Arc::new(Sqlite::open(&options.journal, options.durability.into())?);
    logs(options.log);
    let usual = match options.no_limits {
        true => Settings::without_limits(),
        false => Settings::default(),
    };
    let settings =
        Settings { origins: options.origin.clone(), proxies: options.proxy.clone(), ..usual };
    let parts = Parts {
        journal,
        list: parlor_games::GAMES,
        games: parlor_games::find,
        dialects: &parlor_games::DIALECTS,
        players: parlor_bots::player,
        chance: Chance::of_the_system(),
        settings,
        admin,
    };
    let address = listener.local_addr()?;
    eprintln!("Parlor listens on http://{address}/ and keeps {}", options.journal.display());
    let served = serve(parts, listener, stop()).await;
    eprintln!("Parlor stops; tables that are in play go on with the next start");
    Ok(served?)
}

/// One core is left to the journal: workers that wake each other in turn only cost time. A single
/// worker need not share its tasks, and tells what is stored before it reads more. So few moves are
/// under way at once that what they need is still in the cache when their outcome is told.
fn runtime() -> std::io::Result<Runtime> {
    let cores = std::thread::available_parallelism().map_or(2, std::num::NonZero::get);
    let workers = cores.saturating_sub(1).max(1);
    let mut runtime = match workers {
        1 => {
            let mut alone = tokio::runtime::Builder::new_current_thread();
            alone.global_queue_interval(1).max_io_events_per_tick(EVENTS);
            alone
        }
        _ => tokio::runtime::Builder::new_multi_thread(),
    };
    runtime.worker_threads(workers).max_blocking_threads(4 * cores).enable_all().build()
}

/// Facts go to standard error; RUST_LOG says which.
fn logs(form: Log) {
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new("info"));
    let logs = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr);
    match form {
        Log::Text => logs.init(),
        Log::Json => logs.json().init(),
    }
}

/// How much the system keeps for a client that does not read. Left to itself it would be megabytes.
const UNREAD: u32 = 128 * 1024;

fn bind(option: &str, address: SocketAddr) -> Result<TcpListener> {
    let listen = || {
        let socket = match address {
            SocketAddr::V4(_) => TcpSocket::new_v4()?,
            SocketAddr::V6(_) => TcpSocket::new_v6()?,
        };
        // A server that was stopped a moment ago may start again.
        #[cfg(unix)]
        socket.set_reuseaddr(true)?;
        socket.set_send_buffer_size(UNREAD)?;
        socket.bind(address)?;
        socket.listen(1024)
    };
    listen().map_err(|error: std::io::Error| {
        let why = match error.kind() {
            ErrorKind::AddrInUse => "the port is in use; stop what listens there, or give another",
            ErrorKind::AddrNotAvailable => "this machine has no such address; give one it has",
            ErrorKind::PermissionDenied => {
                "the system does not allow this port; give one above 1023"
            }
            _ => return anyhow!("{option} {address}: {error}"),
        };
        anyhow!("{option} {address}: {why}")
    })
}

fn admin_token() -> Result<String> {
    let token = std::env::var("PARLOR_ADMIN_TOKEN").unwrap_or_default();
    ensure!(token.len() >= TOKEN, "--admin needs PARLOR_ADMIN_TOKEN, of at least {TOKEN} bytes");
    Ok(token)
}
