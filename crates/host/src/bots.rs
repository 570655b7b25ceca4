//! The house players of a table.

use crate::command::{Envelope, TableCommand};
use crate::thinking::Household;
use crate::{TableContext, TableInfo, is_person, now_ms, seats};
use parlor_bots::Player;
use parlor_rules::{Json, Seat};
use parlor_table::{Chair, Update, Who};
use parlor_wire::Level;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::mpsc::WeakSender;

/// How long a house player waits with a command that could not be stored.
const RETRY: Duration = Duration::from_millis(250);

/// The house players of a table. They see what their seats see, and send commands like anybody.
pub(crate) struct HousePlayers {
    players: HashMap<Seat, Arc<Mutex<Box<dyn Player>>>>,
    mailbox: WeakSender<Envelope>,
}

impl HousePlayers {
    pub(crate) fn new(mailbox: WeakSender<Envelope>) -> Self {
        Self { players: HashMap::new(), mailbox }
    }

    /// Lets all of them go.
    pub(crate) fn clear(&mut self) {
        self.players.clear();
    }

    /// Lets the player of a seat go.
    pub(crate) fn leave(&mut self, seat: Seat) {
        self.players.remove(&seat);
    }

    /// Returns whether they are needed: somebody sits there or watches. At a cash game they are
    /// expected to play on.
    pub(crate) fn needed(info: &TableInfo, watched: bool, chairs: &[Chair]) -> bool {
        info.open_seating || watched || chairs.iter().any(is_person)
    }

    /// Makes the players that are missing; returns their seats.
    pub(crate) fn fill(
        &mut self,
        context: &TableContext,
        game: &str,
        chairs: &[Chair],
    ) -> Vec<Seat> {
        let mut new = Vec::new();
        for (seat, chair) in seats(chairs) {
            let Chair::Taken(Who::Bot(level)) = chair else { continue };
            if self.players.contains_key(&seat) {
                continue;
            }
            let Ok(seed) = context.chance.hex::<16>() else { continue };
            let level: Level = level.parse().unwrap_or_default();
            if let Some(player) = (context.games.players)(game, level, seat, &seed) {
                self.players.insert(seat, Arc::new(Mutex::new(player)));
                new.push(seat);
            }
        }
        new
    }

    /// Lets a player think in a thread of its own. It takes the time a person would, and answers like
    /// anybody.
    pub(crate) fn think(
        &self,
        context: &Arc<TableContext>,
        info: &TableInfo,
        seat: Seat,
        update: &Update,
    ) {
        let (Some(player), Some(legal)) = (self.players.get(&seat), &update.legal) else { return };
        let (player, mailbox) = (Arc::downgrade(player), self.mailbox.clone());
        let (question, view, legal) = (update.ask, update.view.clone(), legal.clone());
        let table = || Household::Table(info.id.clone());
        let household = info.from.map_or_else(table, Household::Address);
        let until_ms = deadline_ms(seat, update);
        let context = context.clone();
        tokio::spawn(async move {
            let permit = context.scheduler.acquire(household).await;
            // A player that was let go meanwhile need not think.
            let Some(player) = player.upgrade() else { return };
            let thought = tokio::task::spawn_blocking(move || {
                let mut player = player.lock().unwrap_or_else(PoisonError::into_inner);
                let command = player.choose(&view, &legal)?;
                Some((command, player.pause_ms()))
            });
            let Ok(Some((command, pause_ms))) = thought.await else { return };
            drop(permit);
            let left_ms = until_ms.saturating_sub(now_ms());
            let pause_ms = pause_ms.min(context.settings.house_pause_ms).min(left_ms / 4);
            tokio::time::sleep(Duration::from_millis(pause_ms)).await;
            say(&mailbox, seat, question, command).await;
        });
    }

    /// Sends a command again that could not be stored.
    pub(crate) fn retry(&self, seat: Seat, question: Option<u64>, command: Json) {
        let mailbox = self.mailbox.clone();
        tokio::spawn(async move {
            tokio::time::sleep(RETRY).await;
            say(&mailbox, seat, question, command).await;
        });
    }
}

/// When the time of a seat, or of the whole table, is up.
fn deadline_ms(seat: Seat, update: &Update) -> u64 {
    let own = update.clocks.iter().find(|reading| reading.seat == seat);
    let own = own.and_then(|reading| reading.until_ms);
    own.into_iter().chain(update.until_ms).min().unwrap_or(u64::MAX)
}

async fn say(mailbox: &WeakSender<Envelope>, seat: Seat, question: Option<u64>, command: Json) {
    let command = TableCommand::BotMove { seat, question, command };
    // The table may have been put away.
    if let Some(mailbox) = mailbox.upgrade() {
        let envelope = Envelope { received_ms: now_ms(), asked: command.into(), reply: None };
        let _ = mailbox.send(envelope).await;
    }
}
