//! Questions to a table, and what its subscribers are shown.

use crate::actor::TableActor;
use crate::command::{Looked, Part, Reply, TableAnswer, TableQuery};
use crate::outbox::{Outbox, SharedMessage};
use crate::summary::bit;
use crate::{ConnectionId, Overview, Rematch, TableDocument, TableProof, TableSummary};
use crate::{is_person, now_ms, seat_of, seats};
use parlor_rules::{Refusal, Seat, Viewer};
use parlor_table::{Chair, Update};
use parlor_wire::{Clock, Listed, Offer, Tell};

impl TableActor {
    /// Answers a query.
    pub(crate) fn answer_query(&mut self, query: TableQuery, reply: Option<Reply>) {
        let answer = match query {
            TableQuery::Look { account, key, part } => self.look(account, key.as_deref(), part),
            TableQuery::Subscribe { account, connection, key, seen } => {
                self.subscribe(account, connection, key.as_deref(), seen)
            }
            TableQuery::Unsubscribe { connections } => {
                self.unsubscribe(&connections);
                Ok(TableAnswer::Done)
            }
            TableQuery::Chat { account, from, connection, text } => {
                self.chat(account, from, connection, text)
            }
            TableQuery::Rematch { account, accept, connection } => {
                self.answer_rematch(account, accept, connection)
            }
            TableQuery::RematchFailed => {
                self.rematch.failed();
                Ok(TableAnswer::Done)
            }
        };
        let unheard = reply.map(|reply| reply.send(answer));
        // If the sender is gone, nobody opens the rematch. It may be asked for again.
        if let Some(Err(Ok(TableAnswer::Rematch(Rematch::Agreed(_))))) = unheard {
            self.rematch.failed();
        }
    }

    /// Adds a connection to the audience of the account's seat, or to the spectators.
    fn subscribe(
        &mut self,
        account: u64,
        connection: ConnectionId,
        key: Option<&str>,
        seen: Option<(u32, u64)>,
    ) -> Result<TableAnswer, Refusal> {
        let seat = seat_of(self.table().chairs(), account);
        self.may_see(seat, key)?;
        let audience = seat.map_or(Viewer::Watcher, Viewer::Seat);
        self.subscribers.remove(&[connection]);
        // The connection may be over by now.
        let outbox = self.context.connections.outbox(connection);
        let outbox = outbox.filter(|outbox| outbox.watches(&self.info.id));
        if let Some(seat) = seat {
            match outbox {
                Some(_) => {
                    self.attendance.forget(seat);
                    self.driver.table_mut().back(seat);
                }
                None if self.subscribers.has(audience) => {}
                None => self.driver.table_mut().gone(seat, now_ms()),
            }
        }
        if let Some(outbox) = outbox {
            outbox.tell(self.about(audience));
            self.greet(audience, &outbox, seen);
            self.subscribers.add(audience, outbox);
            self.fill_bots();
        }
        // The lobby is up to date before the sender is answered.
        self.publish();
        Ok(TableAnswer::Done)
    }

    /// Removes connections.
    pub(crate) fn unsubscribe(&mut self, connections: &[ConnectionId]) {
        for (audience, outbox) in self.subscribers.remove(connections) {
            outbox.watches_no_more(&self.info.id);
            if let Viewer::Seat(seat) = audience
                && !self.subscribers.has(audience)
            {
                self.driver.table_mut().gone(seat, now_ms());
            }
        }
        self.fill_bots();
    }

    /// Passes on what somebody says who watches or sits here.
    fn chat(
        &mut self,
        account: u64,
        from: String,
        connection: Option<ConnectionId>,
        text: String,
    ) -> Result<TableAnswer, Refusal> {
        let sits = seat_of(self.table().chairs(), account).is_some();
        if !sits && !self.subscribers.holds(connection) {
            return Err(Refusal::new("not_here", "watch the table first"));
        }
        let table = self.info.id.to_string();
        self.broadcast(Tell::Chat { table, from, text, at_ms: now_ms() });
        Ok(TableAnswer::Done)
    }

    /// Takes an answer to the question whether the game is played again.
    fn answer_rematch(
        &mut self,
        account: u64,
        accept: bool,
        connection: Option<ConnectionId>,
    ) -> Result<TableAnswer, Refusal> {
        let seat = self.seat_of(account)?;
        if self.info.open_seating || !self.is_over() {
            return Err(Refusal::new("not_over", "the game goes on; ask again when it is over"));
        }
        self.rematch.may_ask()?;
        let (table, what, by) = (self.info.id.to_string(), Offer::Rematch, seat.index() as u8);
        if !accept {
            self.rematch.decline();
            self.broadcast(Tell::Declined { table, what, by });
            return Ok(TableAnswer::Rematch(Rematch::Waiting));
        }
        if self.rematch.accept(seat, connection) {
            self.broadcast(Tell::Offered { table, what, by });
        }
        let subscribers = &self.subscribers;
        let watching = |seat| subscribers.of(Viewer::Seat(seat)).map(Outbox::connection).collect();
        let agreed = self.rematch.agreed(self.driver.table().chairs(), watching);
        Ok(TableAnswer::Rematch(agreed))
    }

    /// Builds the part that is asked for.
    fn look(
        &mut self,
        account: Option<u64>,
        key: Option<&str>,
        part: Part,
    ) -> Result<TableAnswer, Refusal> {
        let seat = account.and_then(|account| seat_of(self.table().chairs(), account));
        if let Some(seat) = seat {
            self.heard_of(seat);
        }
        self.may_see(seat, key)?;
        let audience = seat.map_or(Viewer::Watcher, Viewer::Seat);
        let behind = audience == Viewer::Watcher && self.info.options.watch_delay_ms > 0;
        let table = self.table();
        let part = match part {
            Part::Summary => Looked::Summary,
            Part::Update => Looked::Update(
                table.current(audience).map(|update| self.update_message(&update, true)),
            ),
            Part::Document if behind => {
                let text = "who watches this table is behind, and sees no document of it";
                return Err(Refusal::new("behind", text));
            }
            Part::Document => Looked::Document(TableDocument {
                doc: table.doc(),
                names: self.names.iter().map(|name| Some(name.as_ref()?.to_string())).collect(),
            }),
            Part::Proof => Looked::Proof(TableProof {
                dice: table.header().dice.to_string(),
                root: table.chance().next_root().map(|root| root.to_string()),
                hand: parlor_rules::json(&table.proof(audience).filter(|_| !behind)),
            }),
        };
        let overview = Overview { seat, listed: self.listed(audience) };
        Ok(TableAnswer::Looked(Box::new((overview, part))))
    }

    /// Tells everybody; spectators who are delayed when it is time for them.
    fn broadcast(&mut self, tell: Tell) {
        let delay_ms = self.info.options.watch_delay_ms;
        let due_ms = (delay_ms > 0).then(|| now_ms().saturating_add(delay_ms));
        self.subscribers.broadcast(SharedMessage::new(tell), due_ms);
    }

    /// Returns whether the game is over, for this audience.
    fn is_over_for(&self, audience: Viewer) -> bool {
        let delay_ms = self.info.options.watch_delay_ms;
        let known = || self.table().at_ms().saturating_add(delay_ms) <= now_ms();
        self.is_over() && (audience != Viewer::Watcher || known())
    }

    /// The table as an audience may know it.
    fn summary_for(&self, audience: Viewer) -> TableSummary {
        let table = self.table();
        let connected = seats(table.chairs()).filter(|(seat, _)| table.here(*seat));
        TableSummary {
            chairs: table.chairs().clone(),
            names: self.names.clone(),
            connected: connected.map(|(seat, _)| bit(seat)).sum(),
            watchers: self.subscribers.spectators(),
            over: self.is_over_for(audience),
            spectators_know: self.is_over_for(Viewer::Watcher),
            lively: !self.is_abandoned(),
        }
    }

    /// Tells the lobby and everybody here who sits and watches here, if that has changed.
    pub(crate) fn publish(&mut self) {
        if self.seating {
            return;
        }
        let table = self.table();
        let present = |(seat, chair): (Seat, &Chair)| is_person(chair) && table.here(seat);
        let somebody = !self.is_over() && seats(table.chairs()).any(present);
        self.attendance.set_alone(self.subscribers.is_empty() && !somebody);
        // The lobby knows what the players know.
        let summary = TableSummary { over: self.is_over(), ..self.summary_for(Viewer::Watcher) };
        let changed = self.summary.send_if_modified(|shown| {
            let changed = *shown != summary;
            if changed {
                *shown = summary;
            }
            changed
        });
        if !changed {
            return;
        }
        self.context.lobby_changes.send_modify(|count| *count += 1);
        let spectators = SharedMessage::new(self.about(Viewer::Watcher));
        for (audience, outbox) in self.subscribers.all() {
            match audience {
                Viewer::Watcher => outbox.send(&spectators),
                Viewer::Seat(_) => outbox.tell(self.about(audience)),
            }
        }
    }

    fn listed(&self, audience: Viewer) -> Listed {
        self.summary_for(audience).listed(&self.info)
    }

    /// Who sits here, for an audience.
    fn about(&self, audience: Viewer) -> Tell {
        let you = match audience {
            Viewer::Seat(seat) => Some(seat.index() as u8),
            Viewer::Watcher => None,
        };
        Tell::Table { listed: self.listed(audience), you }
    }

    /// Shows a connection how the table stands: what it has missed, or the whole.
    pub(crate) fn greet(&self, audience: Viewer, outbox: &Outbox, seen: Option<(u32, u64)>) {
        let Some(mut current) = self.table().current(audience) else { return };
        if let Some((_, seq)) = seen.filter(|(epoch, _)| *epoch == current.epoch) {
            if seq == current.seq {
                return;
            }
            let seq = seq.min(current.seq);
            current.sights = self.subscribers.events_after(audience, seq).into();
        }
        outbox.tell(self.update_message(&current, true));
    }

    /// Tells an audience what is new to it.
    pub(crate) fn tell(&mut self, update: Update) {
        let audience = update.audience;
        match audience {
            Viewer::Seat(seat) => {
                if update.ask.is_some() {
                    self.bots.think(&self.context, &self.info, seat, &update);
                }
                if !self.table().chairs().get(seat.index()).is_some_and(is_person) {
                    return;
                }
            }
            Viewer::Watcher if !self.subscribers.has(audience) => {
                // No spectator is there. A later one is shown the whole position.
                return self.subscribers.forget(audience);
            }
            Viewer::Watcher => {}
        }
        self.subscribers.keep(&update);
        let mut messages = [None, None];
        for outbox in self.subscribers.of(audience) {
            let whole = outbox.views();
            let message = messages[usize::from(whole)]
                .get_or_insert_with(|| SharedMessage::new(self.update_message(&update, whole)));
            outbox.send(message);
        }
    }

    /// An update as it is told: with the whole view, or only with what has happened.
    fn update_message(&self, update: &Update, whole: bool) -> Tell {
        let whole = whole || update.sights.is_empty();
        let clock = |reading: &parlor_table::time::Reading| Clock {
            seat: reading.seat.index() as u8,
            reserve_ms: reading.reserve_ms,
            until_ms: reading.until_ms,
        };
        Tell::Update {
            table: self.info.id.shared(),
            epoch: update.epoch,
            seq: update.seq,
            sights: update.sights.clone(),
            view: whole.then(|| update.view.json().clone()),
            legal: update.legal.clone(),
            ask: update.ask,
            clocks: update.clocks.iter().map(clock).collect(),
            until_ms: update.until_ms,
            paused: update.paused,
            root: self.table().chance().next_root().map(|root| root.to_string()),
            now_ms: now_ms(),
        }
    }
}
