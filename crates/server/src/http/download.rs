//! Long answers, made from a log and sent in pieces.
//!
//! Nothing is held but the piece that is being made: a few downloads of one address run at a time,
//! the others wait; the work is done in threads that may be busy for long, a few at a time in all, so
//! that tables are not delayed; and a client that takes no piece for long is disconnected.

use super::error::Answer;
use crate::app::AppState;
use crate::limits::semaphore;
use crate::{Limit, blocking};
use axum::body::{Body, Bytes};
use futures_util::stream::poll_fn;
use parlor_rules::Refusal;
use parlor_table::{Stored, TableId};
use std::collections::HashMap;
use std::io;
use std::net::IpAddr;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};
use tokio::time::timeout;

/// How many downloads run at a time in all.
const RUNNING: u32 = 32;

/// How many entries are read and worked on at once.
const PAGE: usize = 64;

/// The longest piece.
const PIECE: usize = 16 * 1024;

/// How long a client may take for a piece.
const SLOW: Duration = Duration::from_secs(10);

/// Limits the downloads of a server.
pub(crate) struct Downloads {
    running: Arc<Semaphore>,
    /// One processor stays with the tables.
    working: Arc<Semaphore>,
}

impl Downloads {
    pub(crate) fn new() -> Self {
        let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        let working = Limit::at(cores.saturating_sub(1).max(1) as u32);
        Self { running: semaphore(Limit::at(RUNNING)), working: semaphore(working) }
    }
}

/// The names of the accounts that a piece needs.
pub(super) type Names = HashMap<u64, Arc<str>>;

/// What a writer needs before it goes on.
pub(super) enum Next {
    /// More entries.
    Entries,
    /// The name of an account; it takes the entry again then.
    Name(u64),
    /// Nothing: what follows does not belong to the answer.
    Nothing,
}

/// Makes an answer from the entries of a log.
pub(super) trait Piecewise: Send + 'static {
    /// Takes the next entry; appends the text that is complete now.
    fn take(&mut self, entry: &Stored, names: &Names, out: &mut String) -> Result<Next, Refusal>;

    /// Appends what is left at the end.
    fn end(self: Box<Self>, out: &mut String) -> Result<(), Refusal>;
}

/// Where the pieces go.
pub(super) struct Pieces(mpsc::Sender<Piece>);

enum Piece {
    Bytes(Bytes),
    Failed(Refusal),
    End,
}

/// The client has gone, or reads no more.
struct Gone;

impl Pieces {
    /// Sends a text in pieces.
    async fn send(&self, text: String) -> Result<(), Gone> {
        let mut rest = Bytes::from(text);
        while !rest.is_empty() {
            let piece = rest.split_to(rest.len().min(PIECE));
            self.put(Piece::Bytes(piece)).await?;
        }
        Ok(())
    }

    async fn put(&self, piece: Piece) -> Result<(), Gone> {
        match timeout(SLOW, self.0.send(piece)).await {
            Ok(Ok(())) => Ok(()),
            _ => Err(Gone),
        }
    }
}

/// Waits until another download of this address, and in all, may run.
async fn permits(app: &AppState, address: IpAddr) -> [Option<OwnedSemaphorePermit>; 2] {
    let own = app.limits.downloads_by_address.acquire(address).await;
    [own, app.downloads.running.clone().acquire_owned().await.ok()]
}

/// Answers with what a writer makes from the log of a table, from this entry on. The text it begins
/// with comes first.
pub(super) async fn from_log(
    app: Arc<AppState>,
    address: IpAddr,
    table: TableId,
    from: u64,
    first: String,
    writer: Box<dyn Piecewise>,
) -> Answer<Body> {
    let work = async move |app: Arc<AppState>, pieces: &Pieces| {
        write_log(&app, &table, from, first, writer, pieces).await
    };
    let permits = permits(&app, address).await;
    let (sender, pieces) = mpsc::channel(1);
    let task = app.clone();
    tokio::spawn(async move {
        let pieces = Pieces(sender);
        let done = match work(task, &pieces).await {
            Ok(()) => Piece::End,
            Err(refusal) => Piece::Failed(refusal),
        };
        // A client that is gone is told nothing.
        let _ = pieces.put(done).await;
        drop(permits);
    });
    body(pieces).await
}

/// Answers with a text that one piece of work makes.
pub(super) async fn whole(
    app: Arc<AppState>,
    address: IpAddr,
    work: impl Future<Output = Result<String, Refusal>> + Send + 'static,
) -> Answer<Body> {
    let permits = permits(&app, address).await;
    let (sender, pieces) = mpsc::channel(1);
    tokio::spawn(async move {
        let pieces = Pieces(sender);
        let done = match work.await {
            Ok(text) => match pieces.send(text).await {
                Ok(()) => Piece::End,
                Err(Gone) => return,
            },
            Err(refusal) => Piece::Failed(refusal),
        };
        // A client that is gone is told nothing.
        let _ = pieces.put(done).await;
        drop(permits);
    });
    body(pieces).await
}

/// Does work that takes a processor for long, when its turn has come.
pub(super) async fn working<T: Send + 'static>(
    app: &AppState,
    work: impl FnOnce() -> Result<T, Refusal> + Send + 'static,
) -> Result<T, Refusal> {
    let turn = app.downloads.working.clone().acquire_owned().await;
    blocking(move || {
        // Held until it is done, whether or not it is waited for.
        let _turn = turn;
        work()
    })
    .await
}

async fn write_log(
    app: &AppState,
    table: &TableId,
    from: u64,
    first: String,
    mut writer: Box<dyn Piecewise>,
    pieces: &Pieces,
) -> Result<(), Refusal> {
    let (mut next, mut names, mut text) = (from, Names::new(), first);
    loop {
        let page = app.log.read_from(table, next, PAGE).await?;
        let Some(last) = page.last() else { break };
        next = last.seq + 1;
        let page: Arc<[Stored]> = page.into();
        let mut taken = 0;
        let over = loop {
            let entries = page.clone();
            let progress;
            (writer, taken, names, text, progress) = working(app, move || {
                let progress = take_all(&mut *writer, &entries, &mut taken, &names, &mut text)?;
                Ok((writer, taken, names, text, progress))
            })
            .await?;
            match progress {
                Next::Entries => break false,
                Next::Nothing => break true,
                Next::Name(account) => {
                    names.insert(account, app.accounts.name(account).await);
                }
            }
        };
        if pieces.send(std::mem::take(&mut text)).await.is_err() {
            return Ok(());
        }
        if over {
            break;
        }
    }
    let text = working(app, move || {
        writer.end(&mut text)?;
        Ok(text)
    });
    // A client that is gone is told nothing.
    let _ = pieces.send(text.await?).await;
    Ok(())
}

/// Takes the entries that were not taken yet, until the writer needs something else.
fn take_all(
    writer: &mut dyn Piecewise,
    entries: &[Stored],
    taken: &mut usize,
    names: &Names,
    out: &mut String,
) -> Result<Next, Refusal> {
    while let Some(entry) = entries.get(*taken) {
        match writer.take(entry, names, out)? {
            Next::Entries => *taken += 1,
            next => return Ok(next),
        }
    }
    Ok(Next::Entries)
}

/// The body that the pieces are. A refusal before the first of them is the whole answer.
async fn body(mut pieces: mpsc::Receiver<Piece>) -> Answer<Body> {
    let mut first = match pieces.recv().await {
        Some(Piece::Failed(refusal)) => return Err(refusal.into()),
        first => first,
    };
    let mut over = false;
    Ok(Body::from_stream(poll_fn(move |cx| {
        if over {
            return Poll::Ready(None);
        }
        let next = match first.take() {
            Some(piece) => Poll::Ready(Some(piece)),
            None => pieces.poll_recv(cx),
        };
        next.map(|piece| match piece {
            Some(Piece::Bytes(bytes)) => Some(Ok(bytes)),
            Some(Piece::End) => None,
            // What is cut off must not look complete.
            Some(Piece::Failed(_)) | None => {
                over = true;
                Some(Err(io::Error::from(io::ErrorKind::UnexpectedEof)))
            }
        })
    })))
}
