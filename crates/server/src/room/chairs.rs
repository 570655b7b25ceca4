//! Who sits at a table: sitting down, getting up, beginning, the same again.

use super::{Agreed, Answer, Reply, Room, Then, answer, chair, is_person, seats};
use crate::line::{Frame, Line};
use crate::now_ms;
use parlor_rules::{Chips, House, Input, Pending, Refusal, Seat, Stay, Viewer};
use parlor_table::{Act, Bytes32, Chair, Desk, Stamp, Who};
use parlor_wire::{Offer, Tell};

impl Room {
    /// Whether a private table may be seen.
    pub(super) fn may_see(&self, seat: Option<Seat>, key: Option<&str>) -> Result<(), Refusal> {
        let same = |own: &String| key.is_some_and(|key| crate::guard::same(own, key));
        if seat.is_some() || self.about.key.as_ref().is_none_or(same) {
            return Ok(());
        }
        Err(Refusal::new("private", "this table is private: its key lets you in"))
    }

    /// The chair that is meant, if it is free for this one.
    pub(super) fn free(
        &self,
        who: &Who,
        by: Option<u64>,
        wanted: Option<u8>,
        key: Option<&str>,
        chips: Option<Chips>,
    ) -> Result<Seat, Refusal> {
        let chairs = self.table().chairs();
        let account = match who {
            Who::Account(number) => Some(*number),
            Who::Bot(_) => None,
        };
        if let Some(seat) = account.and_then(|account| chair(chairs, account)) {
            let text = format!("you sit there already, on chair {}", seat.index());
            return Err(Refusal::new("seated", text));
        }
        if account.is_some() && self.moving.values().any(|moving| *moving == account) {
            return Err(Refusal::new("seated", "you are just sitting down there"));
        }
        // Whoever calls the house to a private table sits there.
        if account.is_some() || by.is_some() {
            self.may_see(by.and_then(|by| chair(chairs, by)), key)?;
        }
        if self.comes_and_goes && chips.is_none() {
            return Err(Refusal::new("no_chips", "say how many chips you bring"));
        }
        let free = |(seat, chair): &(Seat, &Chair)| match chair {
            Chair::Open => !self.moving.contains_key(seat),
            Chair::Reserved(kept) => Some(*kept) == account,
            Chair::Taken(_) => false,
        };
        let wanted =
            |(seat, _): &(Seat, &Chair)| wanted.is_none_or(|w| seat.index() == usize::from(w));
        let found = seats(chairs).filter(wanted).find(free);
        let none = || Refusal::new("no_chair", "there is no free chair there");
        found.map(|(seat, _)| seat).ok_or_else(none)
    }

    pub(super) fn sit(
        &mut self,
        seat: Seat,
        who: Who,
        chips: Option<Chips>,
        tip: Option<Bytes32>,
        to: Answer<Seat>,
    ) {
        let account = match &who {
            Who::Account(number) => Some(*number),
            Who::Bot(_) => None,
        };
        self.moving.insert(seat, account);
        let seated = move |room: &mut Self, done: Result<(), Refusal>| match (done, chips) {
            (Err(refusal), _) => {
                room.moving.remove(&seat);
                answer(to, Err(refusal));
            }
            (Ok(()), None) => {
                room.moving.remove(&seat);
                room.sat(seat);
                answer(to, Ok(seat));
            }
            (Ok(()), Some(chips)) => {
                let joined = Act::Game(Input::House(House::Joined { seat, chips }));
                room.enter(
                    joined,
                    Stamp::default(),
                    Then::run(move |room, joined| match joined {
                        Ok(()) => {
                            room.moving.remove(&seat);
                            room.sat(seat);
                            answer(to, Ok(seat));
                        }
                        Err(refusal) => room.rise(seat, move || answer(to, Err(refusal))),
                    }),
                );
            }
        };
        let sit = Act::Desk(Desk::Sit { seat, who, tip });
        self.enter(sit, Stamp::default(), Then::run(seated));
    }

    /// Somebody has a chair now, and the lobby knows before it is answered.
    pub(super) fn sat(&mut self, seat: Seat) {
        if self.table().chairs().get(seat.index()).is_some_and(is_person) {
            self.visits(seat);
        }
        self.publish();
    }

    pub(super) fn rise(&mut self, seat: Seat, then: impl FnOnce() + Send + 'static) {
        self.moving.insert(seat, None);
        let rise = Act::Desk(Desk::Rise { seat });
        self.enter(
            rise,
            Stamp::default(),
            Then::run(move |room, risen| {
                // Who has come to look meanwhile still had the chair, and with it its eyes.
                if risen.is_ok() {
                    room.let_go(seat, "left", "you have left the table");
                }
                room.moving.remove(&seat);
                room.bots.remove(&seat);
                then();
            }),
        );
    }

    /// Does something on the chair of an account.
    pub(super) fn by_seat(
        &mut self,
        account: u64,
        stamp: Stamp,
        reply: Reply,
        act: impl FnOnce(Seat) -> Act,
    ) {
        match chair(self.table().chairs(), account) {
            Some(seat) => {
                self.visits(seat);
                self.enter(act(seat), stamp, Then::Reply(reply));
            }
            None => {
                let refusal = Refusal::new("not_seated", "you do not sit at this table");
                self.reply(reply, Err(refusal));
            }
        }
    }

    /// Somebody is here, if only by messages: for a while, unless a connection looks on.
    pub(super) fn visits(&mut self, seat: Seat) {
        let looks = |(viewer, _): &(Viewer, Line)| *viewer == Viewer::Seat(seat);
        if !self.there.iter().any(looks) {
            self.visited.insert(seat, now_ms());
            self.place.table_mut().back(seat);
        }
    }

    /// Who has not been heard of for long, and has no connection, is gone.
    pub(super) fn miss(&mut self) {
        let now = now_ms();
        let linger_ms = self.linger_ms();
        let gone: Vec<Seat> = self
            .visited
            .iter()
            .filter(|(_, at)| **at + linger_ms <= now)
            .map(|(seat, _)| *seat)
            .collect();
        for seat in gone {
            self.visited.remove(&seat);
            self.place.table_mut().gone(seat, now);
        }
    }

    /// Gets up: out of a game that goes on, as its rules have it; before and after it at once.
    pub(super) fn leave(&mut self, account: u64, line: Option<u64>, to: Answer<()>) {
        let Some(seat) = chair(self.table().chairs(), account) else {
            if let Some(line) = line {
                self.detach(&[line]);
            }
            return answer(to, Ok(()));
        };
        if *self.table().pending() == Pending::Over {
            self.let_go(seat, "left", "you have left the table");
            return answer(to, Ok(()));
        }
        let left = Act::Game(Input::House(House::Left { seat }));
        self.enter(
            left,
            Stamp::default(),
            Then::run(move |room, left| {
                room.let_go(seat, "left", "you have left the table");
                room.publish();
                match left {
                    Ok(()) => answer(to, Ok(())),
                    // The rules do not know of this seat yet.
                    Err(_) => room.rise(seat, move || answer(to, Ok(()))),
                }
            }),
        );
    }

    /// Tells whoever looks with the eyes of a chair that this is over.
    pub(super) fn let_go(&mut self, seat: Seat, code: &str, text: &str) {
        let left = Frame::new(Tell::Left {
            table: self.name.to_string(),
            code: code.to_owned(),
            text: text.to_owned(),
        });
        let name = &self.name;
        self.there.retain(|(viewer, line)| {
            let goes = *viewer == Viewer::Seat(seat);
            if goes {
                line.send(&left);
                line.looks_away(name);
            }
            !goes
        });
        self.forget_kept(Viewer::Seat(seat));
        // A table that goes on is not held up by who has left it.
        if *self.table().pending() == Pending::Over {
            self.place.table_mut().gone(seat, now_ms());
        }
    }

    /// What follows from an entry for who sits here.
    pub(super) fn tidy(&mut self) {
        if self.comes_and_goes && self.place.idle() {
            let taken = seats(self.table().chairs())
                .filter(|(seat, chair)| {
                    matches!(chair, Chair::Taken(_)) && !self.moving.contains_key(seat)
                })
                .map(|(seat, _)| (seat, self.table().stay(seat)));
            for (seat, stay) in taken.collect::<Vec<_>>() {
                if stay != Stay::Stays {
                    self.let_go(seat, "left", "you have left the table");
                }
                if stay == Stay::Gone {
                    self.rise(seat, || {});
                }
            }
        }
        self.begin();
        self.seat_bots();
    }

    /// A game begins when its seats are taken, or at once where people come and go.
    pub(super) fn begin(&mut self) {
        let table = self.table();
        let taken = |chair: &Chair| matches!(chair, Chair::Taken(_));
        let ready = self.comes_and_goes || table.chairs().iter().all(taken);
        let rests = *table.pending() == Pending::Rest && table.outcome().is_none();
        if !ready || !rests || self.beginning || !self.place.idle() {
            return;
        }
        self.beginning = true;
        let begin = Act::Game(Input::House(House::Begin {}));
        self.enter(
            begin,
            Stamp::default(),
            Then::run(|room, begun| {
                room.beginning = false;
                // Who cannot pay what everyone puts in makes room for another.
                if let Err(refusal) = begun
                    && refusal.code == "overdrawn"
                    && let Some(account) =
                        refusal.facts.get("account").and_then(|a| a.as_str()?.parse().ok())
                    && let Some(seat) = chair(room.table().chairs(), account)
                {
                    room.let_go(seat, "overdrawn", &refusal.text);
                    room.rise(seat, || {});
                }
            }),
        );
    }

    pub(super) fn again(
        &mut self,
        account: u64,
        accept: bool,
        line: Option<Line>,
    ) -> Result<Agreed, Refusal> {
        let seat = chair(self.table().chairs(), account)
            .ok_or_else(|| Refusal::new("not_seated", "you do not sit at this table"))?;
        if self.comes_and_goes || *self.table().pending() != Pending::Over {
            return Err(Refusal::new("not_over", "the game goes on; ask again when it is over"));
        }
        if self.rematched {
            let text = "it is played again already, at another table";
            return Err(Refusal::new("rematched", text));
        }
        let (table, by) = (self.name.to_string(), seat.index() as u8);
        if !accept {
            self.again.clear();
            self.tell_all(Tell::Declined { table, what: Offer::Rematch, by });
            return Ok(Agreed::NotYet);
        }
        if self.again.insert(seat, line).is_none() {
            self.tell_all(Tell::Offered { table, what: Offer::Rematch, by });
        }
        let people = seats(self.table().chairs()).filter_map(|(seat, chair)| match chair {
            Chair::Taken(who) => Some((seat, who.clone())),
            Chair::Open | Chair::Reserved(_) => None,
        });
        let people: Vec<(Seat, Who)> = people.collect();
        let agrees = |(seat, who): &(Seat, Who)| match who {
            Who::Bot(_) => true,
            Who::Account(_) => self.again.contains_key(seat),
        };
        if !people.iter().all(agrees) {
            return Ok(Agreed::NotYet);
        }
        let said = std::mem::take(&mut self.again);
        self.rematched = true;
        // Who looks on from the chair, and who has said so without.
        let lines = |seat: Seat| {
            let own = self.there.iter().filter(|(viewer, _)| *viewer == Viewer::Seat(seat));
            let mut lines: Vec<Line> = own.map(|(_, line)| line.clone()).collect();
            let other = said.get(&seat).cloned().flatten();
            lines.extend(other.filter(|o| lines.iter().all(|line| line.number() != o.number())));
            lines
        };
        Ok(Agreed::All(people.into_iter().map(|(seat, who)| (who, lines(seat))).collect()))
    }
}
