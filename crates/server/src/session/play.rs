//! Playing, talking, and finding somebody to play with.

use super::Session;
use crate::matchmaking::SeekRequest;
use parlor_accounts::Account;
use parlor_host::TableProof;
use parlor_rules::{Chips, Json, Refusal, refuse};
use parlor_table::{Bytes32, Stamp};
use parlor_wire::{Level, Tell};
use serde_json::{Map, Value};

/// Reads a link of a hash chain, or its end.
pub(super) fn link(text: &str) -> Result<Bytes32, Refusal> {
    let why = |_| Refusal::malformed("a link or a tip is 64 hex digits".to_owned());
    text.parse().map_err(why)
}

/// Returns whether a text may be said: it stays in its line, reads as written, and can be seen.
fn is_one_line(text: &str) -> bool {
    // Some of them end a line; others turn around the text behind them.
    let breaks = |c: char| {
        c.is_control()
            || matches!(c, '\u{2028}' | '\u{2029}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    // They join or part what stands beside them, and show nothing alone.
    let unseen = |c: char| {
        c.is_whitespace()
            || matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2060}'..='\u{2064}' | '\u{feff}')
    };
    text.chars().count() <= 200 && !text.contains(breaks) && !text.chars().all(unseen)
}

impl Session {
    /// Gives a command of the game.
    pub(super) async fn play(
        &mut self,
        id: &str,
        account: u64,
        table: &str,
        ask: Option<u64>,
        command: Json,
        contribution: Option<String>,
    ) -> Result<(), Refusal> {
        let contribution = contribution.as_deref().map(link).transpose()?;
        let stamp = Stamp { id: Some(id.to_owned()), ask, contribution };
        self.table(table).await?.play(account, command, stamp).await
    }

    /// Contributes to the next shuffle.
    pub(super) async fn release(
        &mut self,
        account: u64,
        table: &str,
        text: &str,
    ) -> Result<(), Refusal> {
        let link = link(text)?;
        self.table(table).await?.release(account, link).await
    }

    /// Tells what is needed to check dice and cards.
    pub(super) async fn proof(
        &mut self,
        id: &str,
        account: u64,
        table: String,
    ) -> Result<Tell, Refusal> {
        let TableProof { dice, root, hand } = self.table(&table).await?.proof(account).await?;
        Ok(Tell::Proof { id: id.to_owned(), table, dice, root, hand })
    }

    /// Wants a rematch, or does not.
    pub(super) async fn rematch(
        &self,
        account: u64,
        table: &str,
        accept: bool,
    ) -> Result<(), Refusal> {
        let connection = self.outbox.as_ref().map(|outbox| outbox.connection());
        let matchmaking = &self.app.matchmaking;
        matchmaking.rematch(table, account, accept, connection, self.address).await
    }

    /// Says something to the people at a table.
    pub(super) async fn chat(
        &mut self,
        me: &Account,
        table: &str,
        text: &str,
    ) -> Result<(), Refusal> {
        let text = text.trim().to_owned();
        if !is_one_line(&text) {
            return refuse("bad_chat", "say 1 to 200 characters that can be seen");
        }
        let connection = self.outbox.as_ref().map(|outbox| outbox.connection());
        self.table(table).await?.chat(me.number, me.name.clone(), connection, text).await
    }

    /// Waits for somebody who wants the same.
    pub(super) async fn join_queue(
        &mut self,
        me: &Account,
        game: String,
        config: Map<String, Value>,
        ranked: bool,
        chips: Option<Chips>,
        house: Option<(u32, Level)>,
    ) -> Result<(), Refusal> {
        let request = SeekRequest { game, config, ranked, chips, house };
        let matchmaking = self.app.matchmaking.clone();
        matchmaking.seek(me, self.outbox()?, self.address, request).await?;
        self.joined_queue = true;
        Ok(())
    }

    /// Waits no more.
    pub(super) fn leave_queue(&self, account: u64) -> Result<(), Refusal> {
        match self.app.queue.leave(account) {
            true => Ok(()),
            false => refuse("not_queued", "you do not wait"),
        }
    }
}
