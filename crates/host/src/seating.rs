//! Who sits at a table: sitting down, getting up, beginning.

use crate::actor::TableActor;
use crate::bots::HousePlayers;
use crate::outbox::SharedMessage;
use crate::{ConnectionId, SeatRequest, is_person, now_ms, seat_of, seats, secret};
use parlor_journal::Submission;
use parlor_rules::{House, Input, Json, Pending, Refusal, Seat, Stay, Viewer};
use parlor_table::{Act, Chair, Desk, Stamp, Who};
use parlor_wire::Tell;
use std::sync::Arc;

impl TableActor {
    /// Refuses a viewer who has neither a seat at a private table nor its key.
    pub(crate) fn may_see(&self, seat: Option<Seat>, key: Option<&str>) -> Result<(), Refusal> {
        let same = |own: &String| key.is_some_and(|key| secret::same(own, key));
        if seat.is_some() || self.info.kept.key.as_ref().is_none_or(same) {
            return Ok(());
        }
        Err(Refusal::new("private", "this table is private: its key lets you in"))
    }

    /// The seat that is meant, if it is free for this one.
    pub(crate) fn free_seat(
        &self,
        who: &Who,
        by: Option<u64>,
        request: &SeatRequest,
    ) -> Result<Seat, Refusal> {
        let chairs = self.table().chairs();
        let account = match who {
            Who::Account(number) => Some(*number),
            Who::Bot(_) => None,
        };
        if let Some(seat) = account.and_then(|account| seat_of(chairs, account)) {
            let text = format!("you sit there already, on chair {}", seat.index());
            return Err(Refusal::new("seated", text));
        }
        // An account may seat a house player at a private table only if it sits there itself.
        if account.is_some() || by.is_some() {
            self.may_see(by.and_then(|by| seat_of(chairs, by)), request.key.as_deref())?;
        }
        if self.info.open_seating && request.chips.is_none() {
            return Err(Refusal::new("no_chips", "say how many chips you bring"));
        }
        let free = |(seat, chair): &(Seat, &Chair)| match chair {
            _ if self.is_over() => false,
            _ if request.seat.is_some_and(|wanted| seat.index() != usize::from(wanted)) => false,
            Chair::Open => true,
            Chair::Reserved(owner) => Some(*owner) == account,
            Chair::Taken(_) => false,
        };
        let none = || Refusal::new("no_chair", "there is no free chair there");
        seats(chairs).find(free).map(|(seat, _)| seat).ok_or_else(none)
    }

    /// Takes a seat; where people bring chips, only together with them.
    pub(crate) async fn sit(
        &mut self,
        seat: Seat,
        who: Who,
        name: Option<String>,
        request: SeatRequest,
        received_ms: u64,
    ) -> Result<(), Refusal> {
        self.seating = true;
        let sat = self.sit_with_chips(seat, who, name, request, received_ms).await;
        self.seating = false;
        sat?;
        if self.table().chairs().get(seat.index()).is_some_and(is_person) {
            self.heard_of(seat);
        }
        // The lobby knows before the sender is answered, and a game that begins has begun.
        self.publish();
        self.follow_up().await;
        Ok(())
    }

    async fn sit_with_chips(
        &mut self,
        seat: Seat,
        who: Who,
        name: Option<String>,
        request: SeatRequest,
        received_ms: u64,
    ) -> Result<(), Refusal> {
        let SeatRequest { chips, tip, .. } = request;
        self.enter(Act::Desk(Desk::Sit { seat, who, tip }), received_ms).await?;
        self.rename(seat, name.map(Arc::from));
        let Some(chips) = chips else { return Ok(()) };
        let joined = Act::Game(Input::House(House::Joined { seat, chips }));
        let joined = self.enter(joined, received_ms).await;
        // A person without chips does not keep the seat.
        let gone = !self.info.open_seating || self.table().stay(seat) == Stay::Gone;
        if joined.is_err() && gone {
            // Where that cannot be stored now, it follows later.
            let _ = self.rise(seat).await;
        }
        joined
    }

    fn rename(&mut self, seat: Seat, name: Option<Arc<str>>) {
        if let Some(own) = Arc::make_mut(&mut self.names).get_mut(seat.index()) {
            *own = name;
        }
    }

    /// Frees a seat.
    pub(crate) async fn rise(&mut self, seat: Seat) -> Result<(), Refusal> {
        self.enter(Act::Desk(Desk::Rise { seat }), now_ms()).await?;
        // Connections that subscribed while the entry was being stored are in the seat's audience.
        self.let_go(seat, "left", "you have left the table");
        self.rename(seat, None);
        self.bots.leave(seat);
        Ok(())
    }

    /// Notes that the person of a seat is there, if only by messages.
    pub(crate) fn heard_of(&mut self, seat: Seat) {
        if !self.subscribers.has(Viewer::Seat(seat)) {
            self.attendance.polls(seat);
            self.driver.table_mut().back(seat);
        }
    }

    /// Gets up: out of a game that goes on as its rules have it, before and after it at once.
    pub(crate) async fn leave(
        &mut self,
        account: u64,
        connection: Option<ConnectionId>,
        received_ms: u64,
    ) -> Result<(), Refusal> {
        let Some(seat) = seat_of(self.table().chairs(), account) else {
            self.unsubscribe(connection.as_slice());
            return Ok(());
        };
        if !self.is_over() {
            let left = Act::Game(Input::House(House::Left { seat }));
            let known = self.enter(left, received_ms).await;
            if known.as_ref().is_err_and(is_unstored) {
                return known;
            }
            self.let_go(seat, "left", "you have left the table");
            self.publish();
            // A seat that the rules do not know is only given up. A seat that leaves already, or whose
            // game has just ended, keeps its chair: its chips are paid to whoever sits there.
            let unknown = match self.info.open_seating {
                true => self.table().stay(seat) == Stay::Gone,
                false => *self.table().pending() == Pending::Rest,
            };
            return if known.is_err() && unknown { self.rise(seat).await } else { Ok(()) };
        }
        self.let_go(seat, "left", "you have left the table");
        Ok(())
    }

    /// Removes all connections from the audience of a seat, and tells them why.
    pub(crate) fn let_go(&mut self, seat: Seat, code: &str, text: &str) {
        let table = self.info.id.to_string();
        let left = Tell::Left { table, code: code.to_owned(), text: text.to_owned() };
        let left = SharedMessage::new(left);
        for outbox in self.subscribers.remove_audience(Viewer::Seat(seat)) {
            outbox.send(&left);
            outbox.watches_no_more(&self.info.id);
        }
        // While the game goes on the seat is not marked as gone: that could pause it for the others.
        if self.is_over() {
            self.driver.table_mut().gone(seat, now_ms());
        }
    }

    /// Frees the seats of people who have left a cash game.
    pub(crate) async fn free_left_seats(&mut self) -> Result<(), Refusal> {
        let taken = seats(self.table().chairs())
            .filter(|(_, chair)| matches!(chair, Chair::Taken(_)))
            .map(|(seat, _)| (seat, self.table().stay(seat)));
        for (seat, stay) in taken.collect::<Vec<_>>() {
            if stay != Stay::Stays {
                self.let_go(seat, "left", "you have left the table");
            }
            if stay == Stay::Gone {
                self.rise(seat).await?;
            }
        }
        Ok(())
    }

    /// Returns whether the game can begin: when its seats are taken, a cash game at once.
    pub(crate) fn may_begin(&self) -> bool {
        let table = self.table();
        let taken = |chair: &Chair| matches!(chair, Chair::Taken(_));
        let rests = *table.pending() == Pending::Rest && table.outcome().is_none();
        rests && (self.info.open_seating || table.chairs().iter().all(taken))
    }

    /// Begins the game.
    pub(crate) async fn begin(&mut self) -> Result<(), Refusal> {
        let begin = Act::Game(Input::House(House::Begin {}));
        let begun = self.enter(begin, now_ms()).await;
        // A player who cannot pay the stake gives up the seat.
        if let Err(refusal) = &begun
            && refusal.code == "overdrawn"
            && let Some(account) =
                refusal.facts.get("account").and_then(|a| a.as_str()?.parse().ok())
            && let Some(seat) = seat_of(self.table().chairs(), account)
        {
            self.let_go(seat, "overdrawn", &refusal.text);
            return self.rise(seat).await;
        }
        begun
    }

    /// Makes the house players that are needed, and lets go those that are not.
    pub(crate) fn fill_bots(&mut self) {
        let chairs = self.table().chairs().clone();
        let watched = !self.subscribers.is_empty();
        if !HousePlayers::needed(&self.info, watched, &chairs) || self.is_over() {
            return self.bots.clear();
        }
        for seat in self.bots.fill(&self.context, &self.info.game, &chairs) {
            if let Some(update) = self.table().current(Viewer::Seat(seat))
                && update.ask.is_some()
            {
                self.bots.think(&self.context, &self.info, seat, &update);
            }
        }
    }

    /// Enters what a house player has decided on. A player that thought for too long may sit out by
    /// now: it is asked what it wants, though no question is open.
    pub(crate) async fn bot_move(
        &mut self,
        seat: Seat,
        question: Option<u64>,
        command: Json,
        received_ms: u64,
    ) {
        let act = Act::Game(Input::Play { seat, command: command.clone() });
        let stamp = Stamp { ask: question, ..Stamp::default() };
        let Err(refusal) = self.submit(Submission::new(act, stamp, received_ms)).await else {
            return;
        };
        if is_unstored(&refusal) {
            self.bots.retry(seat, question, command);
        } else if question.is_some()
            && let Some(update) = self.table().current(Viewer::Seat(seat))
            && update.ask.is_none()
        {
            self.bots.think(&self.context, &self.info, seat, &update);
        }
    }
}

/// Returns whether something was refused only because it could not be stored.
pub(crate) fn is_unstored(refusal: &Refusal) -> bool {
    ["paused", "undecided"].contains(&refusal.code)
}
