//! Where a room is told something.

use super::{Message, gone};
use parlor_journal::Outcome;
use parlor_rules::Refusal;
use std::collections::VecDeque;
use std::future::poll_fn;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Poll, Waker};
use tokio::task::coop::cooperative;

/// Where a room is told something. It is small, and what belongs together lies together: with many
/// tables, what one of them keeps has to be fetched from far away for each of its moves.
#[derive(Clone)]
pub(crate) struct Inbox(Arc<Mutex<Waiting>>);

/// What waits there, in the order it came.
#[derive(Default)]
struct Waiting {
    letters: VecDeque<Letter>,
    /// Who waits for more.
    room: Option<Waker>,
    closed: bool,
}

/// Something that a room is told.
pub(super) enum Letter {
    Said(Box<Message>),
    /// What comes with every move.
    Stored,
}

/// The inbox, as the room has it; closed when it is dropped.
pub(super) struct Letters(Inbox);

impl Inbox {
    /// An empty one.
    pub(super) fn new() -> (Self, Letters) {
        let inbox = Self(Arc::default());
        (inbox.clone(), Letters(inbox))
    }

    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn send(&self, message: Message) -> Result<(), Refusal> {
        let letter = match message {
            Message::Settled(Ok(Outcome::Stored)) => Letter::Stored,
            message => Letter::Said(Box::new(message)),
        };
        let mut waiting = self.waiting();
        if waiting.closed {
            return Err(gone());
        }
        waiting.letters.push_back(letter);
        let room = waiting.room.take();
        drop(waiting);
        room.into_iter().for_each(Waker::wake);
        Ok(())
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.waiting().closed
    }
}

impl Letters {
    /// The next one. None is lost when it is not waited for to the end. Who reads many in a row lets
    /// others have their turn.
    pub(super) async fn next(&mut self) -> Letter {
        cooperative(poll_fn(|cx| {
            let mut waiting = self.0.waiting();
            if let Some(letter) = waiting.letters.pop_front() {
                return Poll::Ready(letter);
            }
            match &mut waiting.room {
                Some(room) => room.clone_from(cx.waker()),
                none => *none = Some(cx.waker().clone()),
            }
            Poll::Pending
        }))
        .await
    }
}

impl Drop for Letters {
    fn drop(&mut self) {
        let closed = Waiting { closed: true, ..Waiting::default() };
        let unread = std::mem::replace(&mut *self.0.waiting(), closed);
        // Who has sent one is told that nobody reads it.
        drop(unread);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::pin::pin;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::task::{Context, Wake};
    use tokio::sync::oneshot;

    #[derive(Default)]
    struct Woken(AtomicUsize);

    impl Wake for Woken {
        fn wake(self: Arc<Self>) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }

    fn stored() -> Message {
        Message::Settled(Ok(Outcome::Stored))
    }

    #[test]
    fn who_waits_is_woken_and_reads_in_order() {
        let (inbox, mut letters) = Inbox::new();
        let woken = Arc::new(Woken::default());
        let waker = woken.clone().into();
        let mut cx = Context::from_waker(&waker);
        let mut poll = |letters: &mut Letters| pin!(letters.next()).poll(&mut cx);
        assert!(poll(&mut letters).is_pending() && poll(&mut letters).is_pending());
        for message in [Message::Detach { lines: vec![7] }, stored()] {
            assert!(inbox.send(message).is_ok());
        }
        assert_eq!(woken.0.load(Ordering::Relaxed), 1, "once is enough");
        assert!(matches!(
            poll(&mut letters),
            Poll::Ready(Letter::Said(said)) if matches!(&*said, Message::Detach { lines } if *lines == [7])
        ));
        assert!(matches!(poll(&mut letters), Poll::Ready(Letter::Stored)));
        assert!(poll(&mut letters).is_pending());
        assert!(inbox.send(stored()).is_ok());
        assert_eq!(woken.0.load(Ordering::Relaxed), 2);
    }

    #[test]
    fn what_nobody_reads_any_more_is_refused_and_answered() {
        let (inbox, letters) = Inbox::new();
        let (answer, mut answered) = oneshot::channel();
        assert!(inbox.send(Message::Close { answer }).is_ok() && !inbox.is_closed());
        assert_eq!(answered.try_recv().err(), Some(oneshot::error::TryRecvError::Empty));
        drop(letters);
        assert!(inbox.is_closed());
        assert_eq!(answered.try_recv().err(), Some(oneshot::error::TryRecvError::Closed));
        assert_eq!(inbox.send(stored()).map_err(|refusal| refusal.code), Err("table_gone"));
    }

    #[tokio::test]
    async fn who_has_much_to_read_lets_others_have_their_turn() {
        let (inbox, mut letters) = Inbox::new();
        assert!((0..10_000).all(|_| inbox.send(stored()).is_ok()));
        let mut other = tokio::spawn(async {});
        let mut read = 0;
        loop {
            tokio::select! {
                biased;
                _ = &mut other => break,
                _ = letters.next() => read += 1,
            }
        }
        assert!((1..10_000).contains(&read), "{read}");
    }

    #[tokio::test]
    async fn many_senders_lose_nothing() {
        let (inbox, mut letters) = Inbox::new();
        let threads = (0..4).map(|_| {
            let inbox = inbox.clone();
            std::thread::spawn(move || (0..10_000).all(|_| inbox.send(stored()).is_ok()))
        });
        let threads: Vec<_> = threads.collect();
        for _ in 0..40_000 {
            assert!(matches!(letters.next().await, Letter::Stored));
        }
        assert!(threads.into_iter().all(|thread| thread.join().expect("no panic")));
        assert!(letters.0.waiting().letters.is_empty());
    }
}
