//! `parlor serve`: tables on the net.

use crate::signals::stop;
use crate::{Failure, log};
use parlor_journal::Sqlite;
use parlor_server::{Chance, Parts, Settings, serve};
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;
use tokio::net::{TcpListener, TcpSocket};
use tracing_subscriber::EnvFilter;

/// What the command line says.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// Where to listen
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:7766")]
    listen: SocketAddr,
    /// Where tables and accounts are kept
    #[arg(long, value_name = "FILE", default_value = "parlor.db")]
    journal: PathBuf,
    /// What a move survives once it is stored
    #[arg(long, value_enum, default_value_t)]
    durability: log::Survives,
    /// A page of another site that may connect, as `https://example.org`; may be given again
    #[arg(long, value_name = "ORIGIN")]
    origin: Vec<String>,
    /// A proxy that tells the addresses of clients in x-forwarded-for; may be given again
    #[arg(long, value_name = "ADDRESS")]
    proxy: Vec<IpAddr>,
    /// No limits on connections, tables and messages: for measuring
    #[arg(long)]
    no_limits: bool,
    /// Where whoever runs the house is heard, on this machine alone; the token comes from the
    /// environment, as PARLOR_ADMIN_TOKEN
    #[arg(long, value_name = "ADDRESS")]
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

/// How many connections one worker hears before it looks at what is stored.
const HEARD: usize = 8;

/// The least bytes of an admin's token.
const TOKEN: usize = 16;

/// Serves until it is told to stop.
pub(crate) fn run(options: &Options) -> Result<(), Failure> {
    logs(options.log);
    let journal = Arc::new(Sqlite::open(&options.journal, options.durability.into())?);
    // One core is the journal's: workers that wake each other in turn only cost time. One alone need
    // not be ready to share its tasks, and says what is stored before it hears more: so few moves are
    // on their way at once that what they need is still at hand when they are told.
    let cores = std::thread::available_parallelism().map_or(2, std::num::NonZero::get);
    let workers = cores.saturating_sub(1).max(1);
    let mut runtime = match workers {
        1 => {
            let mut alone = tokio::runtime::Builder::new_current_thread();
            alone.global_queue_interval(1).max_io_events_per_tick(HEARD);
            alone
        }
        _ => tokio::runtime::Builder::new_multi_thread(),
    };
    let runtime = runtime
        .worker_threads(workers)
        .max_blocking_threads(4 * cores)
        .enable_all()
        .build()
        .map_err(|error| error.to_string())?;
    let usual = match options.no_limits {
        true => Settings::without_limits(),
        false => Settings::default(),
    };
    let settings =
        Settings { origins: options.origin.clone(), proxies: options.proxy.clone(), ..usual };
    let served: Result<(), Failure> = runtime.block_on(async {
        let listener = bind(options.listen)?;
        let address = listener.local_addr().map_err(|error| error.to_string())?;
        let admin = match options.admin {
            Some(address) => Some((bind(loopback(address)?)?, admin_token()?)),
            None => None,
        };
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
        eprintln!("Parlor listens on http://{address}/ and keeps {}", options.journal.display());
        serve(parts, listener, stop()).await?;
        Ok(())
    });
    eprintln!("Parlor stops; tables that are in play go on with the next start");
    // Connections that are still open do not keep it.
    runtime.shutdown_timeout(std::time::Duration::from_secs(2));
    served
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

fn bind(address: SocketAddr) -> Result<TcpListener, String> {
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
    listen().map_err(|error: std::io::Error| format!("{address}: {error}"))
}

fn loopback(address: SocketAddr) -> Result<SocketAddr, String> {
    match address.ip().is_loopback() {
        true => Ok(address),
        false => Err(format!("--admin {address}: only an address of this machine alone will do")),
    }
}

fn admin_token() -> Result<String, String> {
    let token = std::env::var("PARLOR_ADMIN_TOKEN").unwrap_or_default();
    match token.len() >= TOKEN {
        true => Ok(token),
        false => Err(format!("--admin needs PARLOR_ADMIN_TOKEN, of at least {TOKEN} bytes")),
    }
}
