//! How somebody gets a seat, and is shown the table.

use crate::queue::Queue;
use parlor_accounts::Bank;
use parlor_host::{ConnectionId, Outbox, SeatRequest, TableContext, TableDirectory};
use parlor_rules::{AnyGame, Chips, Json, Refusal, Seat, refuse};
use parlor_table::TableId;
use parlor_wire::{Level, Tell};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Gives people and house players their seats.
pub(crate) struct Seats {
    pub(crate) context: Arc<TableContext>,
    pub(crate) bank: Arc<Bank>,
    pub(crate) tables: Arc<TableDirectory>,
    pub(crate) queue: Arc<Queue>,
}

impl Seats {
    /// Gives an account a seat, at a cash game with chips as far as it has them.
    pub(crate) async fn sit(
        &self,
        table: &str,
        account: u64,
        mut request: SeatRequest,
    ) -> Result<Seat, Refusal> {
        let table = self.tables.find(table).await?;
        let game = self.context.games.rules(&table.info.game)?;
        self.check_deposit(account, game, &table.info.config).await?;
        if let Some(chips) = &mut request.chips {
            *chips = self.bank.balance(game.unit(), account).await?.min(*chips);
        }
        let seat = table.sit(account, &self.context.accounts.name(account).await, request).await?;
        self.queue.leave(account);
        Ok(seat)
    }

    /// Gives the house a seat, as an account has asked it to.
    pub(crate) async fn seat_house(
        &self,
        table: &str,
        by: Option<u64>,
        level: Level,
        request: SeatRequest,
    ) -> Result<Seat, Refusal> {
        let table = self.tables.find(table).await?;
        if !self.context.games.has_players(&table.info.game) {
            return refuse("no_house", "the house does not play this game");
        }
        table.sit_bot(level, by, request).await
    }

    /// Shows a table to a connection from now on.
    pub(crate) async fn watch(
        &self,
        table: &str,
        account: u64,
        key: Option<String>,
        connection: ConnectionId,
        seen: Option<(u32, u64)>,
    ) -> Result<(), Refusal> {
        self.tables.find(table).await?.subscribe(account, connection, key, seen).await
    }

    /// Tells a connection of the seat that was found for it, and shows it the table.
    pub(crate) async fn matched(
        &self,
        table: &TableId,
        account: u64,
        seat: Seat,
        outbox: &Outbox,
    ) -> Result<(), Refusal> {
        let (seat, token) =
            (seat.index() as u8, self.context.accounts.seat_token(account, table.as_str()).await?);
        outbox.tell(Tell::Matched { table: table.to_string(), seat, token });
        self.watch(table.as_str(), account, None, outbox.connection(), None).await
    }

    /// Takes connections away from tables where the game is over, and is known to be; returns whether
    /// there were any.
    pub(crate) fn leave_old_tables(&self, outboxes: &[Outbox]) -> bool {
        let mut old: BTreeMap<TableId, Vec<ConnectionId>> = BTreeMap::new();
        for outbox in outboxes {
            for table in outbox.tables() {
                old.entry(table).or_default().push(outbox.connection());
            }
        }
        let mut any = false;
        for (id, connections) in old {
            if let Some(table) = self.tables.get(&id)
                && table.summary().spectators_know
            {
                table.unsubscribe(connections);
                any = true;
            }
        }
        any
    }

    /// A connection is over: all tables it watched are told.
    pub(crate) fn hang_up(&self, outbox: &Outbox) {
        for id in outbox.close() {
            if let Some(table) = self.tables.get(&id) {
                table.unsubscribe(vec![outbox.connection()]);
            }
        }
    }

    /// Refuses an account that does not have what is played for.
    pub(crate) async fn check_deposit(
        &self,
        account: u64,
        game: &dyn AnyGame,
        config: &Json,
    ) -> Result<(), Refusal> {
        let deposit = game.deposit(config)?;
        if deposit > Chips::ZERO && deposit > self.bank.balance(game.unit(), account).await? {
            return refuse("overdrawn", "you do not have what is played for");
        }
        Ok(())
    }
}
