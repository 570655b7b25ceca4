//! The connections that watch a table, and what each audience has seen of late.

use crate::ConnectionId;
use crate::outbox::{Outbox, SharedMessage};
use parlor_rules::{Json, Viewer};
use parlor_table::Update;
use std::collections::VecDeque;

/// How many messages wait at most for delayed spectators; later ones are dropped.
const DELAYED: usize = 256;

/// How many visible events are kept for each audience.
const RECENT: usize = 16;

/// A connection that watches.
struct Subscriber {
    audience: Viewer,
    outbox: Outbox,
}

/// The visible events that an audience was told last.
struct Recent {
    audience: Viewer,
    /// The first update of which all events are kept.
    from: u64,
    /// Each with the number of its update.
    events: VecDeque<(u64, Json)>,
}

/// The connections that watch a table.
#[derive(Default)]
pub(crate) struct Subscribers {
    list: Vec<Subscriber>,
    recent: Vec<Recent>,
    /// Messages for delayed spectators, with the time they are due.
    delayed: VecDeque<(u64, SharedMessage)>,
}

impl Subscribers {
    /// Adds a connection to an audience.
    pub(crate) fn add(&mut self, audience: Viewer, outbox: Outbox) {
        self.list.push(Subscriber { audience, outbox });
    }

    /// Removes connections; returns those that were there, with their audiences.
    pub(crate) fn remove(&mut self, connections: &[ConnectionId]) -> Vec<(Viewer, Outbox)> {
        let gone = |own: &mut Subscriber| connections.contains(&own.outbox.connection());
        self.list.extract_if(.., gone).map(|own| (own.audience, own.outbox)).collect()
    }

    /// Removes an audience, and what it has seen.
    pub(crate) fn remove_audience(&mut self, audience: Viewer) -> Vec<Outbox> {
        self.forget(audience);
        let gone = |own: &mut Subscriber| own.audience == audience;
        self.list.extract_if(.., gone).map(|own| own.outbox).collect()
    }

    /// The connections of an audience.
    pub(crate) fn of(&self, audience: Viewer) -> impl Iterator<Item = &Outbox> {
        self.list.iter().filter(move |own| own.audience == audience).map(|own| &own.outbox)
    }

    /// All connections with their audiences.
    pub(crate) fn all(&self) -> impl Iterator<Item = (Viewer, &Outbox)> {
        self.list.iter().map(|own| (own.audience, &own.outbox))
    }

    /// Returns whether an audience has a connection.
    pub(crate) fn has(&self, audience: Viewer) -> bool {
        self.of(audience).next().is_some()
    }

    /// Returns whether nobody watches.
    pub(crate) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Returns whether this connection watches.
    pub(crate) fn holds(&self, connection: Option<ConnectionId>) -> bool {
        self.list.iter().any(|own| Some(own.outbox.connection()) == connection)
    }

    /// How many connections have no seat.
    pub(crate) fn spectators(&self) -> u32 {
        self.of(Viewer::Watcher).count() as u32
    }

    /// Sends a message to everybody; to spectators, if they are delayed, when it is due for them.
    pub(crate) fn broadcast(&mut self, message: SharedMessage, delayed_until_ms: Option<u64>) {
        for own in &self.list {
            if own.audience != Viewer::Watcher || delayed_until_ms.is_none() {
                own.outbox.send(&message);
            }
        }
        if let Some(due_ms) = delayed_until_ms
            && self.delayed.len() < DELAYED
        {
            self.delayed.push_back((due_ms, message));
        }
    }

    /// Sends delayed spectators what is due by now.
    pub(crate) fn send_due(&mut self, now_ms: u64) {
        while let Some((_, message)) = self.delayed.pop_front_if(|(at, _)| *at <= now_ms) {
            self.of(Viewer::Watcher).for_each(|outbox| outbox.send(&message));
        }
    }

    /// When the next delayed message is due.
    pub(crate) fn next_ms(&self) -> Option<u64> {
        self.delayed.front().map(|(at, _)| *at)
    }

    /// Keeps the visible events of an update.
    pub(crate) fn keep(&mut self, update: &Update) {
        let audience = update.audience;
        let at = self.recent.iter().position(|recent| recent.audience == audience);
        let at = at.unwrap_or_else(|| {
            self.recent.push(Recent { audience, from: update.seq, events: VecDeque::new() });
            self.recent.len() - 1
        });
        self.recent[at].push(update.seq, &update.sights);
    }

    /// The visible events after an update; nothing if not all of them are kept.
    pub(crate) fn events_after(&self, audience: Viewer, seq: u64) -> Vec<Json> {
        let own = self.recent.iter().find(|recent| recent.audience == audience);
        own.map(|recent| recent.after(seq)).unwrap_or_default()
    }

    /// Forgets what an audience has seen.
    pub(crate) fn forget(&mut self, audience: Viewer) {
        self.recent.retain(|recent| recent.audience != audience);
    }

    /// Forgets what every audience has seen.
    pub(crate) fn forget_all(&mut self) {
        self.recent.clear();
    }
}

impl Recent {
    fn push(&mut self, seq: u64, events: &[Json]) {
        self.events.extend(events.iter().map(|event| (seq, event.clone())));
        while self.events.len() > RECENT
            && let Some((dropped, _)) = self.events.pop_front()
        {
            self.from = dropped + 1;
        }
    }

    fn after(&self, seq: u64) -> Vec<Json> {
        if self.from > seq.saturating_add(1) {
            return Vec::new();
        }
        let later = self.events.iter().filter(|(at, _)| *at > seq);
        later.map(|(_, event)| event.clone()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio_util::sync::CancellationToken;

    #[test]
    fn events_are_told_whole_or_not_at_all() {
        let event = |seq: u64, n: u64| parlor_rules::json(&format!("{seq} {n}"));
        let events = |seq: u64| (0..seq % 4).map(|n| event(seq, n)).collect::<Vec<Json>>();
        let text = |event: &Json| event.get().to_owned();
        let mut recent = Recent { audience: Viewer::Watcher, from: 1, events: VecDeque::new() };
        for now in 1..500 {
            recent.push(now, &events(now));
            assert!(recent.events.len() <= RECENT);
            for seen in now.saturating_sub(60)..=now {
                let all: Vec<String> =
                    (seen + 1..=now).flat_map(events).map(|event| text(&event)).collect();
                let told: Vec<String> = recent.after(seen).iter().map(text).collect();
                if all.len() <= RECENT {
                    assert_eq!(told, all, "after {seen}, at {now}");
                } else {
                    assert!(told.is_empty(), "after {seen}, at {now}");
                }
            }
        }
        assert!(recent.after(u64::MAX).is_empty());
    }

    #[tokio::test]
    async fn a_message_reaches_its_audience_and_delayed_spectators_later() {
        let mut subscribers = Subscribers::default();
        let mut connect = |n: u64, audience: Viewer| {
            let (outbox, messages) = Outbox::new(ConnectionId(n), &CancellationToken::new());
            subscribers.add(audience, outbox);
            messages
        };
        let mut player = connect(1, Viewer::Seat(parlor_rules::Seat::new(0)));
        let mut spectator = connect(2, Viewer::Watcher);
        let left = || {
            let (table, code) = ("t-1".to_owned(), "left".to_owned());
            SharedMessage::new(parlor_wire::Tell::Left { table, code, text: String::new() })
        };
        subscribers.broadcast(left(), Some(1_000));
        assert!(player.try_recv().is_ok() && spectator.try_recv().is_err());
        assert_eq!((subscribers.next_ms(), subscribers.spectators()), (Some(1_000), 1));
        subscribers.send_due(999);
        assert!(spectator.try_recv().is_err());
        subscribers.send_due(1_000);
        assert!(spectator.try_recv().is_ok() && subscribers.next_ms().is_none());
        assert_eq!(subscribers.remove(&[ConnectionId(1), ConnectionId(7)]).len(), 1);
        assert_eq!(subscribers.remove_audience(Viewer::Watcher).len(), 1);
        assert!(subscribers.is_empty());
    }
}
