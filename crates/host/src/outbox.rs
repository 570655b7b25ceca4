//! What waits to be sent to one connection.

use crate::ConnectionId;
use bytes::Bytes;
use parlor_table::TableId;
use parlor_wire::Tell;
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

/// How many bytes wait at most for a client that does not read.
const CAPACITY: usize = 128 * 1024;

/// How often `send_later` looks again whether there is room.
const LOOK_AGAIN: Duration = Duration::from_millis(10);

/// What a message takes beside its text.
const OVERHEAD: usize = 64;

/// A message of the server, serialised once for all who receive it.
#[derive(Clone)]
pub struct SharedMessage(Arc<(Tell, Bytes)>);

impl SharedMessage {
    /// Serialises a message.
    pub fn new(tell: Tell) -> Self {
        let text = tell.bytes().into();
        Self(Arc::new((tell, text)))
    }

    /// The message, for a translator.
    pub fn tell(&self) -> &Tell {
        &self.0.0
    }

    /// The message as it goes over the wire.
    pub fn text(&self) -> Bytes {
        self.0.1.clone()
    }
}

/// What comes out of an outbox.
pub enum Outgoing {
    /// A message, and the room it takes.
    Message(SharedMessage, Room),
    /// Nothing more comes.
    End,
}

/// Room in an outbox, taken until it is dropped.
pub struct Room {
    /// How many bytes wait in the outbox.
    waiting: Arc<AtomicUsize>,
    size: usize,
}

impl Drop for Room {
    fn drop(&mut self) {
        self.waiting.fetch_sub(self.size, Ordering::Relaxed);
    }
}

/// Where a connection's messages are put. They are sent in this order.
///
/// Its room is bounded in bytes. A client that reads too slowly is disconnected, and may come back.
#[derive(Clone)]
pub struct Outbox(Arc<Inner>);

struct Inner {
    connection: ConnectionId,
    queue: mpsc::UnboundedSender<Outgoing>,
    /// How many bytes wait.
    waiting: Arc<AtomicUsize>,
    /// Whether the client is disconnected. Nothing is put in any more.
    cut: AtomicBool,
    /// Cancelled when nothing more is read from the client: it is cut, or the server stops.
    read_end: CancellationToken,
    /// Whether every update has the whole view.
    views: AtomicBool,
    /// The tables it watches; none once the connection is over.
    tables: Mutex<Option<BTreeSet<TableId>>>,
}

impl Outbox {
    /// The outbox of a connection that ends when the server stops, and where its messages come out.
    pub fn new(
        connection: ConnectionId,
        stop: &CancellationToken,
    ) -> (Self, mpsc::UnboundedReceiver<Outgoing>) {
        let (queue, messages) = mpsc::unbounded_channel();
        let outbox = Self(Arc::new(Inner {
            connection,
            queue,
            waiting: Arc::default(),
            cut: AtomicBool::new(false),
            read_end: stop.child_token(),
            views: AtomicBool::new(true),
            tables: Mutex::new(Some(BTreeSet::new())),
        }));
        (outbox, messages)
    }

    /// The connection.
    pub fn connection(&self) -> ConnectionId {
        self.0.connection
    }

    /// Puts in a message. Disconnects a client for which too much waits already.
    pub fn send(&self, message: &SharedMessage) {
        if !self.put(message) {
            self.cut();
        }
    }

    /// The same for a message to this connection alone.
    pub fn tell(&self, tell: Tell) {
        self.send(&SharedMessage::new(tell));
    }

    /// Waits until there is room for a message, and puts it in. Waiting takes no room from others.
    pub async fn send_later(&self, message: SharedMessage) {
        while !self.put(&message) && !self.is_cut() {
            sleep(LOOK_AGAIN).await;
        }
    }

    /// Puts in a message if there is room for it; returns whether there is.
    fn put(&self, message: &SharedMessage) -> bool {
        // Nothing follows a cut: a client that comes back has missed the end, and nothing in between.
        if self.is_cut() {
            return false;
        }
        let Inner { queue, waiting, .. } = &*self.0;
        let size = size(message);
        let taken = |now: usize| Some(now + size).filter(|then| *then <= CAPACITY);
        if waiting.fetch_update(Ordering::Relaxed, Ordering::Relaxed, taken).is_err() {
            return false;
        }
        let room = Room { waiting: waiting.clone(), size };
        // The connection may be over.
        let _ = queue.send(Outgoing::Message(message.clone(), room));
        true
    }

    /// Ends the connection: what waits is still sent, if the client reads it soon.
    pub fn cut(&self) {
        self.0.cut.store(true, Ordering::Relaxed);
        self.0.read_end.cancel();
    }

    /// Notes that nothing more is put in.
    pub fn end(&self) {
        // The connection may be over.
        let _ = self.0.queue.send(Outgoing::End);
    }

    /// Returns whether the client is disconnected.
    fn is_cut(&self) -> bool {
        self.0.cut.load(Ordering::Relaxed)
    }

    /// Cancelled when nothing more is read from the client.
    pub fn read_end_token(&self) -> &CancellationToken {
        &self.0.read_end
    }

    /// Sets whether every update has the whole view.
    pub fn set_views(&self, views: bool) {
        self.0.views.store(views, Ordering::Relaxed);
    }

    /// Whether every update has the whole view.
    pub fn views(&self) -> bool {
        self.0.views.load(Ordering::Relaxed)
    }

    fn watched(&self) -> MutexGuard<'_, Option<BTreeSet<TableId>>> {
        self.0.tables.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns whether the connection is over.
    pub fn is_closed(&self) -> bool {
        self.watched().is_none()
    }

    /// The tables it watches.
    pub fn tables(&self) -> Vec<TableId> {
        self.watched().iter().flatten().cloned().collect()
    }

    /// Notes that it watches a table; false if the connection is over.
    pub fn watches(&self, table: &TableId) -> bool {
        self.watched().as_mut().map(|tables| tables.insert(table.clone())).is_some()
    }

    /// Notes that it watches a table no more.
    pub fn watches_no_more(&self, table: &TableId) {
        if let Some(tables) = &mut *self.watched() {
            tables.remove(table);
        }
    }

    /// Notes that somebody has signed in, again after a logout.
    pub fn reopen(&self) {
        self.watched().get_or_insert_default();
    }

    /// Notes that the connection is over; returns the tables it watched.
    pub fn close(&self) -> BTreeSet<TableId> {
        self.watched().take().unwrap_or_default()
    }
}

/// The room a message takes. The longest message fits into an empty outbox.
fn size(message: &SharedMessage) -> usize {
    (message.0.1.len() + OVERHEAD).min(CAPACITY)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chat(length: usize) -> SharedMessage {
        SharedMessage::new(Tell::Chat {
            table: "t-1".to_owned(),
            from: "Anna".to_owned(),
            text: "x".repeat(length),
            at_ms: 0,
        })
    }

    /// The text of the next message.
    async fn next(messages: &mut mpsc::UnboundedReceiver<Outgoing>) -> Bytes {
        match messages.recv().await {
            Some(Outgoing::Message(message, _)) => message.text(),
            Some(Outgoing::End) | None => panic!("a message is there"),
        }
    }

    #[tokio::test]
    async fn a_client_that_does_not_read_is_disconnected() {
        let (outbox, mut messages) = Outbox::new(ConnectionId(1), &CancellationToken::new());
        // However long, one fits into an empty outbox.
        outbox.send(&chat(CAPACITY));
        assert!(!outbox.is_cut());
        outbox.send(&chat(0));
        assert!(outbox.is_cut());
        assert!(messages.recv().await.is_some());
        assert!(messages.try_recv().is_err(), "the second one is not kept");
    }

    #[tokio::test]
    async fn messages_come_out_in_order_and_make_room() {
        let (outbox, mut messages) = Outbox::new(ConnectionId(1), &CancellationToken::new());
        for round in 0..100 {
            for length in 0..10 {
                outbox.send(&chat(1_000 * length));
            }
            for length in 0..10 {
                assert_eq!(next(&mut messages).await, chat(1_000 * length).text(), "round {round}");
            }
        }
        assert!(!outbox.is_cut());
    }

    #[tokio::test]
    async fn a_message_that_can_wait_disconnects_nobody() {
        let (outbox, mut messages) = Outbox::new(ConnectionId(1), &CancellationToken::new());
        outbox.send(&chat(CAPACITY));
        let waiting = tokio::spawn({
            let outbox = outbox.clone();
            async move { outbox.send_later(chat(1)).await }
        });
        tokio::task::yield_now().await;
        assert!(!waiting.is_finished() && !outbox.is_cut());
        drop(messages.recv().await);
        waiting.await.expect("no panic");
        assert_eq!(next(&mut messages).await, chat(1).text());
    }
}
