//! `parlor serve`: tables on the net.

use crate::{Failure, log};
use parlor_bots::Level;
use parlor_journal::Sqlite;
use parlor_server::{Parts, Players, serve};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use tokio::net::TcpListener;

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
}

/// Serves until it is told to stop.
pub(crate) fn run(options: &Options) -> Result<(), Failure> {
    let journal = Arc::new(Sqlite::open(&options.journal, options.durability.into())?);
    let runtime = tokio::runtime::Runtime::new().map_err(|error| error.to_string())?;
    let players: Players = |key, seat, seed| parlor_bots::player(key, Level::default(), seat, seed);
    let parts = Parts { journal, games: parlor_games::find, players };
    let served: Result<(), Failure> = runtime.block_on(async {
        let listener = TcpListener::bind(options.listen)
            .await
            .map_err(|error| format!("{}: {error}", options.listen))?;
        let address = listener.local_addr().map_err(|error| error.to_string())?;
        eprintln!("Parlor listens on ws://{address}/ws and keeps {}", options.journal.display());
        serve(parts, listener, stop()).await?;
        Ok(())
    });
    eprintln!("Parlor stops; tables that are in play go on with the next start");
    // Connections that are still open do not keep it.
    runtime.shutdown_timeout(std::time::Duration::from_secs(2));
    served
}

/// Ends with the first signal to stop.
async fn stop() {
    let interrupt = tokio::signal::ctrl_c();
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        match signal(SignalKind::terminate()) {
            Ok(mut terminate) => {
                tokio::select! {
                    _ = interrupt => {}
                    _ = terminate.recv() => {}
                }
            }
            Err(_) => drop(interrupt.await),
        }
    }
    #[cfg(not(unix))]
    drop(interrupt.await);
}
