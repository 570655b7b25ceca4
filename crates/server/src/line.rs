//! A connection, as everyone who has something to say to it sees it.

use crate::room::Name;
use crate::websocket::Outlet;
use futures_util::task::AtomicWaker;
use parlor_wire::Tell;
use std::collections::VecDeque;
use std::future::poll_fn;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};
use std::task::{Context, Poll};

/// How many frames may wait for a translator.
const QUEUE: usize = 256;

/// A room owes no answer.
const FREE: u8 = 0;
/// A room does.
const ASKED: u8 = 1;
/// And the connection's task waits for it.
const AWAITED: u8 = 2;

/// Something that several hear, written down once for all of them.
#[derive(Clone)]
pub(crate) struct Frame(Arc<(Tell, OnceLock<Vec<u8>>)>);

impl Frame {
    pub(crate) fn new(tell: Tell) -> Self {
        Self(Arc::new((tell, OnceLock::new())))
    }

    pub(crate) fn tell(&self) -> &Tell {
        &self.0.0
    }

    pub(crate) fn text(&self) -> &[u8] {
        let (tell, text) = &*self.0;
        text.get_or_init(|| {
            let mut text = Vec::new();
            tell.write(&mut text);
            text
        })
    }
}

/// A connection. Whoever has something to say writes it down where it goes out; what the client does
/// not take at once is left to the connection's own task. Who does not read is cut off, and may come
/// back.
#[derive(Clone)]
pub(crate) struct Line(Arc<Inner>);

struct Inner {
    number: u64,
    ear: Ear,
    /// The connection's task, and whether there is something to do for it.
    task: AtomicWaker,
    noticed: AtomicBool,
    cut: AtomicBool,
    /// How what was said to a room stands: [`FREE`], [`ASKED`] or [`AWAITED`].
    asked: AtomicU8,
    /// Whether every update is to show the whole.
    views: AtomicBool,
    /// The tables it is told of, in order; none once it has hung up.
    tables: Mutex<Option<Vec<Name>>>,
}

/// Who hears what is said.
pub(crate) enum Ear {
    /// A client that speaks as the protocol does, as long as it is there.
    Client(Weak<Outlet>),
    /// A translator, in the connection's task.
    Translator(Mutex<VecDeque<Frame>>),
}

fn open<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Line {
    /// A connection with this number.
    pub(crate) fn new(number: u64, ear: Ear) -> Self {
        Self(Arc::new(Inner {
            number,
            ear,
            task: AtomicWaker::new(),
            noticed: AtomicBool::new(false),
            cut: AtomicBool::new(false),
            asked: AtomicU8::new(FREE),
            views: AtomicBool::new(true),
            tables: Mutex::new(Some(Vec::new())),
        }))
    }

    pub(crate) fn number(&self) -> u64 {
        self.0.number
    }

    /// Says whether every update is to show the whole.
    pub(crate) fn set_views(&self, views: bool) {
        self.0.views.store(views, Ordering::Relaxed);
    }

    /// Whether every update is to show the whole.
    pub(crate) fn views(&self) -> bool {
        self.0.views.load(Ordering::Relaxed)
    }

    /// Writes down something for this one alone; it goes out with the next flush.
    pub(crate) fn write(&self, tell: Tell) {
        match &self.0.ear {
            Ear::Client(outlet) => self.feed(outlet, |out| tell.write(out)),
            Ear::Translator(frames) => self.queue(frames, Frame::new(tell)),
        }
    }

    /// The same for something that others hear too.
    pub(crate) fn pass(&self, frame: &Frame) {
        match &self.0.ear {
            Ear::Client(outlet) => self.feed(outlet, |out| out.extend_from_slice(frame.text())),
            Ear::Translator(frames) => self.queue(frames, frame.clone()),
        }
    }

    fn feed(&self, outlet: &Weak<Outlet>, write: impl FnOnce(&mut Vec<u8>)) {
        if outlet.upgrade().is_some_and(|outlet| !outlet.feed(write)) {
            self.cut();
        }
    }

    fn queue(&self, frames: &Mutex<VecDeque<Frame>>, frame: Frame) {
        let mut frames = open(frames);
        if frames.len() < QUEUE {
            frames.push_back(frame);
        } else {
            self.cut();
        }
    }

    /// Whether much waits for the client already.
    pub(crate) fn is_full(&self) -> bool {
        match &self.0.ear {
            Ear::Client(outlet) => outlet.upgrade().is_some_and(|outlet| outlet.is_full()),
            Ear::Translator(_) => false,
        }
    }

    /// Sends what was written, as far as the client takes it at once.
    pub(crate) fn flush(&self) {
        let gone = match &self.0.ear {
            Ear::Client(outlet) => {
                outlet.upgrade().is_none_or(|outlet| matches!(outlet.flush(), Ok(true)))
            }
            Ear::Translator(_) => false,
        };
        if !gone {
            self.notice();
        }
    }

    /// Says something to this one alone, at once.
    pub(crate) fn tell(&self, tell: Tell) {
        self.write(tell);
        self.flush();
    }

    /// Says something that others hear too, at once.
    pub(crate) fn send(&self, frame: &Frame) {
        self.pass(frame);
        self.flush();
    }

    /// The next thing that a translator has to hear.
    pub(crate) fn next(&self) -> Option<Frame> {
        match &self.0.ear {
            Ear::Client(_) => None,
            Ear::Translator(frames) => open(frames).pop_front(),
        }
    }

    /// Ends the connection.
    pub(crate) fn cut(&self) {
        self.0.cut.store(true, Ordering::Relaxed);
        self.notice();
    }

    /// Whether the connection is to end.
    pub(crate) fn is_cut(&self) -> bool {
        self.0.cut.load(Ordering::Relaxed)
    }

    /// Wakes the connection's task.
    pub(crate) fn notice(&self) {
        self.0.noticed.store(true, Ordering::Release);
        self.0.task.wake();
    }

    /// Ready when there is something to do for the connection's task, which alone asks.
    pub(crate) fn poll_noticed(&self, cx: &Context<'_>) -> Poll<()> {
        self.0.task.register(cx.waker());
        match self.0.noticed.swap(false, Ordering::AcqRel) {
            true => Poll::Ready(()),
            false => Poll::Pending,
        }
    }

    /// Ends when there is something to do for the connection's task.
    pub(crate) async fn noticed(&self) {
        poll_fn(|cx| self.poll_noticed(cx)).await;
    }

    /// Something was said to a room, which answers by this line. One thing after the other.
    pub(crate) fn asks(&self) {
        self.0.asked.store(ASKED, Ordering::Relaxed);
    }

    /// The room has answered.
    pub(crate) fn answered(&self) {
        if self.0.asked.swap(FREE, Ordering::AcqRel) == AWAITED {
            self.notice();
        }
    }

    /// Ends when nothing is left to be answered by a room.
    pub(crate) async fn settled(&self) {
        let awaits = |asked: u8| (asked != FREE).then_some(AWAITED);
        while self.0.asked.fetch_update(Ordering::AcqRel, Ordering::Acquire, awaits).is_ok() {
            self.noticed().await;
        }
    }

    /// Whether nobody is on the other end any more.
    pub(crate) fn is_closed(&self) -> bool {
        open(&self.0.tables).is_none()
    }

    /// The tables it is told of.
    pub(crate) fn tables(&self) -> Vec<Name> {
        open(&self.0.tables).clone().unwrap_or_default()
    }

    /// It is told of a table from now on; false if it has hung up already.
    pub(crate) fn looks_at(&self, table: &Name) -> bool {
        let mut tables = open(&self.0.tables);
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
        let mut tables = open(&self.0.tables);
        tables.iter_mut().for_each(|tables| tables.retain(|other| other != table));
    }

    /// Somebody speaks by it, again.
    pub(crate) fn picks_up(&self) {
        open(&self.0.tables).get_or_insert_default();
    }

    /// It hangs up; the tables it was told of.
    pub(crate) fn hangs_up(&self) -> Vec<Name> {
        open(&self.0.tables).take().unwrap_or_default()
    }
}
