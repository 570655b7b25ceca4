//! Long answers, made from a log and sent in pieces.
//!
//! A download is one plain function on a thread of its own, which may wait. It holds the piece that is
//! being made and nothing else. A few downloads of one address run at a time and the others wait; few
//! of them compute at a time, so that tables are not delayed; a client that takes no piece for long is
//! disconnected.

use super::error::{Answer, ApiError};
use crate::app::AppState;
use axum::body::{Body, Bytes};
use futures_util::stream::unfold;
use parlor_host::{Limit, semaphore};
use parlor_rules::Refusal;
use parlor_table::{Stored, TableId};
use std::io;
use std::net::IpAddr;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;
use tokio::runtime::Handle;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};
use tokio::time::timeout;

/// How many downloads run at a time in all.
const RUNNING: u32 = 128;

/// How many entries are read and worked on at once.
const PAGE: usize = 64;

/// The longest piece.
const PIECE: usize = 16 * 1024;

/// How long a client may take for a piece, and how long a download waits for others to end.
const SLOW: Duration = Duration::from_secs(10);

/// Limits the downloads of a server.
pub(crate) struct Downloads {
    running: Arc<Semaphore>,
    /// Downloads leave one processor free. House players and passwords have limits of their own.
    computing: Arc<Semaphore>,
}

impl Downloads {
    pub(crate) fn new() -> Self {
        let computing = Limit::all_processors_but_one();
        Self { running: semaphore(Limit::at(RUNNING)), computing: semaphore(computing) }
    }
}

/// What is sent to the client next.
enum Piece {
    Bytes(Bytes),
    Failed(Refusal),
    End,
}

/// Why a download ends early.
pub(super) enum Stop {
    /// The client has gone, or reads no more.
    Gone,
    Failed(Refusal),
}

impl<E: Into<Refusal>> From<E> for Stop {
    fn from(error: E) -> Self {
        Self::Failed(error.into())
    }
}

/// A download, as the function that makes it sees it.
pub(super) struct Download {
    pub(super) app: Arc<AppState>,
    /// What is complete and was not sent yet.
    pub(super) text: String,
    pieces: mpsc::Sender<Piece>,
    runtime: Handle,
}

impl Download {
    /// Waits for something.
    pub(super) fn wait<T>(&self, work: impl Future<Output = T>) -> T {
        self.runtime.block_on(work)
    }

    /// Waits until this download may compute, as long as the permit is held.
    pub(super) fn turn(&self) -> Option<OwnedSemaphorePermit> {
        self.wait(self.app.downloads.computing.clone().acquire_owned()).ok()
    }

    /// The name of an account.
    pub(super) fn name(&self, account: u64) -> Arc<str> {
        self.wait(self.app.accounts.name(account))
    }

    /// Hands the entries of a table to `take`, from a number on, until it breaks; sends what it writes.
    pub(super) fn each_entry(
        &mut self,
        table: &TableId,
        from: u64,
        mut take: impl FnMut(&mut Self, Stored) -> Result<ControlFlow<()>, Stop>,
    ) -> Result<(), Stop> {
        let mut next = from;
        loop {
            let page = self.wait(self.app.log.read_from(table, next, PAGE))?;
            let Some(last) = page.last() else { return Ok(()) };
            next = last.seq + 1;
            let turn = self.turn();
            for entry in page {
                if take(self, entry)?.is_break() {
                    return Ok(());
                }
            }
            drop(turn);
            self.send()?;
        }
    }

    /// Sends what is complete.
    fn send(&mut self) -> Result<(), Stop> {
        if self.pieces.is_closed() {
            return Err(Stop::Gone);
        }
        let mut rest = Bytes::from(std::mem::take(&mut self.text));
        while !rest.is_empty() {
            self.put(Piece::Bytes(rest.split_to(rest.len().min(PIECE))))?;
        }
        Ok(())
    }

    fn put(&self, piece: Piece) -> Result<(), Stop> {
        match self.wait(async { timeout(SLOW, self.pieces.send(piece)).await }) {
            Ok(Ok(())) => Ok(()),
            _ => Err(Stop::Gone),
        }
    }
}

/// Answers with what `make` writes. A refusal before the first piece is the whole answer.
pub(super) async fn download(
    app: Arc<AppState>,
    address: IpAddr,
    make: impl FnOnce(&mut Download) -> Result<(), Stop> + Send + 'static,
) -> Answer<Body> {
    let own = app.limits.downloads_by_address.acquire(address).await;
    let running = timeout(SLOW, app.downloads.running.clone().acquire_owned()).await;
    let Ok(running) = running else {
        return Err(ApiError::new(
            "too_many_downloads",
            "many downloads run here; try again later",
        ));
    };
    let permits = (own, running);
    let (pieces, mut received) = mpsc::channel(1);
    let (runtime, stopping) = (Handle::current(), app.tasks.token());
    // A thread of its own: tokio's blocking threads serve the journal's reads, and a slow client would
    // occupy one for minutes.
    let thread = std::thread::Builder::new().name("download".to_owned()).spawn(move || {
        let mut download = Download { app, text: String::new(), pieces, runtime };
        let done = make(&mut download).and_then(|()| download.send());
        // A client that is gone is told nothing.
        let _ = match done {
            Ok(()) => download.put(Piece::End),
            Err(Stop::Failed(refusal)) => download.put(Piece::Failed(refusal)),
            Err(Stop::Gone) => Ok(()),
        };
        drop((permits, stopping));
    });
    thread.map_err(|error| Refusal::new("broken", format!("no thread: {error}")))?;
    let first = match received.recv().await {
        Some(Piece::Failed(refusal)) => return Err(refusal.into()),
        first => first,
    };
    Ok(Body::from_stream(unfold((first, received), async |(first, mut received)| {
        let next = if first.is_some() { first } else { received.recv().await };
        match next {
            Some(Piece::Bytes(bytes)) => Some((Ok(bytes), (None, received))),
            Some(Piece::End) => None,
            // What is cut off must not look complete.
            Some(Piece::Failed(_)) | None => {
                let cut_off = io::Error::from(io::ErrorKind::UnexpectedEof);
                Some((Err(cut_off), (Some(Piece::End), received)))
            }
        }
    })))
}
