//! Where a table is reached.

use super::command::{Envelope, Part};
use super::{LookedAt, TableAnswer, TableCommand, TableInfo, TableSummary, gone};
use crate::now_ms;
use parlor_rules::{Json, Refusal};
use parlor_table::Stamp;
use std::sync::Arc;
use tokio::sync::{mpsc, oneshot, watch};

/// How many commands wait for a table at most. Whoever sends more waits too.
pub(super) const MAILBOX: usize = 256;

/// Where a table is reached.
#[derive(Clone)]
pub(crate) struct TableHandle {
    pub(crate) info: Arc<TableInfo>,
    pub(super) mailbox: mpsc::Sender<Envelope>,
    pub(super) summary: watch::Receiver<TableSummary>,
}

impl TableHandle {
    /// Sends a command and waits for the answer.
    pub(crate) async fn ask(&self, command: TableCommand) -> Result<TableAnswer, Refusal> {
        let (reply, answer) = oneshot::channel();
        let envelope =
            Envelope { received_ms: now_ms(), command: command.into(), reply: Some(reply) };
        self.mailbox.send(envelope).await.map_err(|_| gone())?;
        answer.await.map_err(|_| gone())?
    }

    /// Sends a command and waits until it is done.
    pub(crate) async fn command(&self, command: TableCommand) -> Result<(), Refusal> {
        self.ask(command).await.map(drop)
    }

    /// Sends a command that nobody waits for.
    pub(crate) fn tell(&self, command: TableCommand) {
        let envelope = Envelope { received_ms: now_ms(), command: command.into(), reply: None };
        if let Err(mpsc::error::TrySendError::Full(envelope)) = self.mailbox.try_send(envelope) {
            let mailbox = self.mailbox.clone();
            // The table may have been put away.
            tokio::spawn(async move { drop(mailbox.send(envelope).await) });
        }
    }

    /// Gives a command of the game.
    pub(crate) async fn play(
        &self,
        account: u64,
        command: Json,
        stamp: Stamp,
    ) -> Result<(), Refusal> {
        self.command(TableCommand::Play { account, command, stamp }).await
    }

    /// Looks at a part of the table.
    pub(crate) async fn look(
        &self,
        account: Option<u64>,
        key: Option<String>,
        part: Part,
    ) -> Result<LookedAt, Refusal> {
        match self.ask(TableCommand::Look { account, key, part }).await? {
            TableAnswer::Looked(looked) => Ok(*looked),
            _ => Err(gone()),
        }
    }

    /// The table as the lobby shows it.
    pub(crate) fn summary(&self) -> watch::Ref<'_, TableSummary> {
        self.summary.borrow()
    }

    /// Returns whether its task has ended.
    pub(crate) fn is_closed(&self) -> bool {
        self.mailbox.is_closed()
    }
}
