//! A connection, as everyone who has something to say to it sees it.

use crate::room::Name;
use parlor_wire::Tell;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use tokio::sync::{Notify, mpsc};

/// How many frames may wait for a client that does not read.
const QUEUE: usize = 256;

/// Room for what an update has beside what is to see and to say.
const ROOM: usize = 512;

/// Something said. What several hear is written down once for all of them.
#[derive(Clone)]
pub(crate) struct Frame(Arc<(Tell, OnceLock<Vec<u8>>)>);

impl Frame {
    pub(crate) fn new(tell: Tell) -> Self {
        Self(Arc::new((tell, OnceLock::new())))
    }

    pub(crate) fn tell(&self) -> &Tell {
        &self.0.0
    }

    /// Writes it as it goes over the wire.
    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        let Frame(inner) = self;
        if inner.1.get().is_none() && Arc::strong_count(inner) == 1 {
            return self.write_anew(out);
        }
        let shared = inner.1.get_or_init(|| {
            let mut text = Vec::new();
            self.write_anew(&mut text);
            text
        });
        out.extend_from_slice(shared);
    }

    fn write_anew(&self, out: &mut Vec<u8>) {
        let known = match self.tell() {
            Tell::Update { view, legal, .. } => {
                view.get().len() + legal.as_ref().map_or(0, |legal| legal.get().len())
            }
            _ => 0,
        };
        out.reserve(known + ROOM);
        serde_json::to_writer(out, self.tell()).expect("what is told is JSON");
    }
}

/// A connection. What it is sent waits in a bounded queue: who does not read is cut off, and may
/// come back.
#[derive(Clone)]
pub(crate) struct Line(Arc<Inner>);

struct Inner {
    number: u64,
    frames: mpsc::Sender<Frame>,
    cut: Notify,
    /// The tables it is told of, in order; none once it has hung up.
    tables: Mutex<Option<Vec<Name>>>,
}

impl Line {
    /// A connection with this number, and where its frames come out.
    pub(crate) fn new(number: u64) -> (Self, mpsc::Receiver<Frame>) {
        let (frames, out) = mpsc::channel(QUEUE);
        let inner =
            Inner { number, frames, cut: Notify::new(), tables: Mutex::new(Some(Vec::new())) };
        (Self(Arc::new(inner)), out)
    }

    pub(crate) fn number(&self) -> u64 {
        self.0.number
    }

    /// Sends a frame. A line that is full is cut.
    pub(crate) fn send(&self, frame: Frame) {
        if self.0.frames.try_send(frame).is_err() {
            self.cut();
        }
    }

    /// Says something to this one alone.
    pub(crate) fn tell(&self, tell: Tell) {
        self.send(Frame::new(tell));
    }

    /// Ends the connection.
    pub(crate) fn cut(&self) {
        self.0.cut.notify_one();
    }

    /// Ends when the connection is to end.
    pub(crate) async fn is_cut(&self) {
        self.0.cut.notified().await;
    }

    /// Whether nobody is on the other end any more.
    pub(crate) fn is_closed(&self) -> bool {
        self.0.frames.is_closed()
    }

    fn tables(&self) -> MutexGuard<'_, Option<Vec<Name>>> {
        self.0.tables.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// It is told of a table from now on; false if it has hung up already.
    pub(crate) fn looks_at(&self, table: &Name) -> bool {
        let mut tables = self.tables();
        if let Some(tables) = &mut *tables
            && let Err(place) = tables.binary_search(table)
        {
            // Most look at one.
            tables.reserve_exact(1);
            tables.insert(place, table.clone());
        }
        tables.is_some()
    }

    /// It is told of a table no more.
    pub(crate) fn looks_away(&self, table: &Name) {
        self.tables().iter_mut().for_each(|tables| tables.retain(|other| other != table));
    }

    /// It hangs up; the tables it was told of.
    pub(crate) fn hangs_up(&self) -> Vec<Name> {
        self.tables().take().unwrap_or_default()
    }
}
