//! Where a table is reached.

use crate::command::{Asked, Envelope, Looked, Part, TableAnswer, TableCommand, TableQuery};
use crate::{ConnectionId, Overview, Rematch, SeatRequest, TableDocument, TableInfo, TableProof};
use crate::{TableSummary, gone, now_ms};
use parlor_rules::{Chips, Json, Refusal, Seat};
use parlor_table::{Bytes32, Stamp, Who};
use parlor_wire::{Level, Tell};
use std::sync::Arc;
use tokio::sync::{mpsc, oneshot, watch};

/// How many commands may wait for a table. When the mailbox is full, a sender waits.
pub(crate) const MAILBOX: usize = 256;

/// Where a table is reached.
#[derive(Clone)]
pub struct TableHandle {
    /// What does not change about it.
    pub info: Arc<TableInfo>,
    pub(crate) mailbox: mpsc::Sender<Envelope>,
    pub(crate) summary: watch::Receiver<TableSummary>,
}

impl TableHandle {
    /// Sends a query or a command and waits for the answer.
    async fn ask(&self, asked: impl Into<Asked>) -> Result<TableAnswer, Refusal> {
        let (reply, answer) = oneshot::channel();
        let envelope = Envelope { received_ms: now_ms(), asked: asked.into(), reply: Some(reply) };
        self.mailbox.send(envelope).await.map_err(|_| gone())?;
        answer.await.map_err(|_| gone())?
    }

    /// Sends a query or a command and waits until it is done.
    async fn done(&self, asked: impl Into<Asked>) -> Result<(), Refusal> {
        self.ask(asked).await.map(drop)
    }

    /// Sends a query whose answer nobody waits for.
    fn tell(&self, query: TableQuery) {
        let envelope = Envelope { received_ms: now_ms(), asked: query.into(), reply: None };
        if let Err(mpsc::error::TrySendError::Full(envelope)) = self.mailbox.try_send(envelope) {
            let mailbox = self.mailbox.clone();
            // The table may have been put away.
            tokio::spawn(async move { drop(mailbox.send(envelope).await) });
        }
    }

    /// Gives a command of the game.
    pub async fn play(&self, account: u64, command: Json, stamp: Stamp) -> Result<(), Refusal> {
        self.done(TableCommand::Play { account, command, stamp }).await
    }

    /// Gives an account a seat.
    pub async fn sit(
        &self,
        account: u64,
        name: &str,
        request: SeatRequest,
    ) -> Result<Seat, Refusal> {
        self.seat(Who::Account(account), Some(name.to_owned()), None, request).await
    }

    /// Gives a house player a seat, as an account has asked for it.
    pub async fn sit_bot(
        &self,
        level: Level,
        by: Option<u64>,
        request: SeatRequest,
    ) -> Result<Seat, Refusal> {
        self.seat(Who::Bot(level.name().to_owned()), None, by, request).await
    }

    async fn seat(
        &self,
        who: Who,
        name: Option<String>,
        by: Option<u64>,
        request: SeatRequest,
    ) -> Result<Seat, Refusal> {
        match self.ask(TableCommand::Sit { who, name, by, request }).await? {
            TableAnswer::Seated(seat) => Ok(seat),
            _ => Err(Refusal::broken()),
        }
    }

    /// Adds chips.
    pub async fn top_up(&self, account: u64, chips: Chips) -> Result<(), Refusal> {
        self.done(TableCommand::TopUp { account, chips }).await
    }

    /// Contributes to the next shuffle.
    pub async fn release(&self, account: u64, link: Bytes32) -> Result<(), Refusal> {
        self.done(TableCommand::Release { account, link }).await
    }

    /// Gets up, or stops watching by a connection.
    pub async fn leave(
        &self,
        account: u64,
        connection: Option<ConnectionId>,
    ) -> Result<(), Refusal> {
        self.done(TableCommand::Leave { account, connection }).await
    }

    /// Shows the table to a connection from now on, but for what it has seen already: the epoch and
    /// number of an update.
    pub async fn subscribe(
        &self,
        account: u64,
        connection: ConnectionId,
        key: Option<String>,
        seen: Option<(u32, u64)>,
    ) -> Result<(), Refusal> {
        self.done(TableQuery::Subscribe { account, connection, key, seen }).await
    }

    /// Notes that connections are over, or watch no more.
    pub fn unsubscribe(&self, connections: Vec<ConnectionId>) {
        self.tell(TableQuery::Unsubscribe { connections });
    }

    /// Wants a rematch, or does not.
    pub async fn rematch(
        &self,
        account: u64,
        accept: bool,
        connection: Option<ConnectionId>,
    ) -> Result<Rematch, Refusal> {
        match self.ask(TableQuery::Rematch { account, accept, connection }).await? {
            TableAnswer::Rematch(rematch) => Ok(rematch),
            _ => Err(Refusal::broken()),
        }
    }

    /// Notes that the rematch could not be opened.
    pub fn rematch_failed(&self) {
        self.tell(TableQuery::RematchFailed);
    }

    /// Says something to the people at the table.
    pub async fn chat(
        &self,
        account: u64,
        from: String,
        connection: Option<ConnectionId>,
        text: String,
    ) -> Result<(), Refusal> {
        self.done(TableQuery::Chat { account, from, connection, text }).await
    }

    /// Closes the table.
    pub async fn close(&self) -> Result<(), Refusal> {
        self.done(TableCommand::Close).await
    }

    /// Looks at a part of the table.
    async fn look<T>(
        &self,
        account: Option<u64>,
        key: Option<String>,
        part: Part,
        take: fn(Looked) -> Option<T>,
    ) -> Result<(Overview, T), Refusal> {
        let TableAnswer::Looked(looked) = self.ask(TableQuery::Look { account, key, part }).await?
        else {
            return Err(Refusal::broken());
        };
        let (overview, looked) = *looked;
        take(looked).map(|part| (overview, part)).ok_or_else(Refusal::broken)
    }

    /// The table as an account may know it.
    pub async fn overview(
        &self,
        account: Option<u64>,
        key: Option<String>,
    ) -> Result<Overview, Refusal> {
        Ok(self.look(account, key, Part::Summary, |_| Some(())).await?.0)
    }

    /// The table as an account may know it, with the update that shows how it stands.
    pub async fn shown(
        &self,
        account: Option<u64>,
        key: Option<String>,
    ) -> Result<(Overview, Option<Tell>), Refusal> {
        let take = |looked| match looked {
            Looked::Update(update) => Some(update),
            _ => None,
        };
        self.look(account, key, Part::Update, take).await
    }

    /// The state as a document, with all its secrets.
    pub async fn document(&self, account: u64) -> Result<TableDocument, Refusal> {
        let take = |looked| match looked {
            Looked::Document(document) => Some(document),
            _ => None,
        };
        Ok(self.look(Some(account), None, Part::Document, take).await?.1)
    }

    /// What is needed to check dice and cards.
    pub async fn proof(&self, account: u64) -> Result<TableProof, Refusal> {
        let take = |looked| match looked {
            Looked::Proof(proof) => Some(proof),
            _ => None,
        };
        Ok(self.look(Some(account), None, Part::Proof, take).await?.1)
    }

    /// The table as the lobby shows it.
    pub fn summary(&self) -> watch::Ref<'_, TableSummary> {
        self.summary.borrow()
    }

    /// Returns whether its task has ended.
    pub fn is_closed(&self) -> bool {
        self.mailbox.is_closed()
    }
}
