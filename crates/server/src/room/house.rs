//! The house players of a table.

use super::{Message, Room, Then, is_person, seats};
use crate::now_ms;
use crate::thinking::Household;
use parlor_rules::{Input, Json, Pending, Refusal, Seat, Viewer};
use parlor_table::{Act, Chair, Stamp, Update, Who};
use parlor_wire::Level;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

impl Room {
    /// The house players of the chairs that are theirs, as long as there is something to think about
    /// and somebody sits here or looks on. Where people come and go they are expected to play on.
    pub(super) fn seat_bots(&mut self) {
        let alone = !self.comes_and_goes
            && self.there.is_empty()
            && !self.table().chairs().iter().any(is_person);
        if alone || *self.table().pending() == Pending::Over {
            return self.bots.clear();
        }
        let wanted: Vec<(Seat, Level)> = seats(self.table().chairs())
            .filter_map(|(seat, chair)| match chair {
                Chair::Taken(Who::Bot(level)) if !self.bots.contains_key(&seat) => {
                    Some((seat, level.parse().unwrap_or_default()))
                }
                _ => None,
            })
            .collect();
        for (seat, level) in wanted {
            let Ok(seed) = self.hall.chance.hex::<16>() else { continue };
            let Some(player) = (self.hall.players)(&self.game, level, seat, &seed) else {
                continue;
            };
            self.bots.insert(seat, Arc::new(Mutex::new(player)));
            if let Some(update) = self.table().current(Viewer::Seat(seat)) {
                self.ask_bot(seat, &update);
            }
        }
    }

    /// A house player thinks when it is its turn.
    pub(super) fn ask_bot(&self, seat: Seat, update: &Update) {
        if update.ask.is_some() {
            self.think(seat, update);
        }
    }

    /// What a house player has thought of is said. One who thought for too long may have been made to
    /// sit out: it says what it wants now, though nobody asks.
    pub(super) fn thought(&mut self, seat: Seat, ask: Option<u64>, command: Json) {
        let stamp = Stamp { ask, ..Stamp::default() };
        let then = move |room: &mut Self, done: Result<(), Refusal>| {
            if let (Some(_), Err(_)) = (ask, done)
                && let Some(update) = room.table().current(Viewer::Seat(seat))
                && update.ask.is_none()
            {
                room.think(seat, &update);
            }
        };
        self.enter(Act::Game(Input::Play { seat, command }), stamp, Then::run(then));
    }

    /// A house player thinks in a thread of its own, takes the time a person would, and answers like
    /// anyone else.
    fn think(&self, seat: Seat, update: &Update) {
        let (Some(bot), Some(legal)) = (self.bots.get(&seat), &update.legal) else { return };
        let ask = update.ask;
        let (bot, inbox, view, legal) =
            (Arc::downgrade(bot), self.inbox.clone(), update.view.clone(), legal.clone());
        let hall = self.hall.clone();
        let table = || Household::Table(self.name.clone());
        let household = self.about.from.map_or_else(table, Household::Address);
        let own = update.clocks.iter().find(|reading| reading.seat == seat);
        let until_ms = own.and_then(|reading| reading.until_ms).into_iter().chain(update.until_ms);
        let until_ms = until_ms.min().unwrap_or(u64::MAX);
        tokio::spawn(async move {
            let turn = hall.thinking.turn(household).await;
            // Who is needed no more by now need not think.
            let Some(bot) = bot.upgrade() else { return };
            let thought = tokio::task::spawn_blocking(move || {
                let mut bot = bot.lock().unwrap_or_else(PoisonError::into_inner);
                let command = bot.choose(&view, &legal)?;
                Some((command, bot.pause_ms()))
            });
            let Ok(Some((command, pause_ms))) = thought.await else { return };
            drop(turn);
            let left_ms = until_ms.saturating_sub(now_ms());
            let pause_ms = pause_ms.min(hall.settings.house_pause_ms).min(left_ms / 4);
            tokio::time::sleep(Duration::from_millis(pause_ms)).await;
            // The room may be closed by now.
            let _ = inbox.send(Message::Thought { seat, ask, command });
        });
    }
}
