//! What one client says, and what it is answered: the same over a WebSocket and over HTTP.

mod auth;
mod play;
mod tables;

use crate::app::AppState;
use crate::limits::Rate;
use parlor_accounts::Authenticated;
use parlor_host::{Outbox, TableHandle};
use parlor_rules::{Refusal, refuse};
use parlor_wire::{Request, Say, Tell};
use std::net::IpAddr;
use std::sync::Arc;
use tokio::sync::OwnedSemaphorePermit;
use tokio_util::task::AbortOnDropHandle;

/// One client.
pub(crate) struct Session {
    app: Arc<AppState>,
    address: IpAddr,
    /// Where messages go that come by themselves; none over HTTP.
    outbox: Option<Outbox>,
    signed_in: Option<Arc<Authenticated>>,
    /// Counts this connection among those of the account.
    permit: Option<OwnedSemaphorePermit>,
    messages: Rate,
    patience: Rate,
    /// Follows the lobby.
    lobby: Option<AbortOnDropHandle<()>>,
    /// Whether the queue is to be looked at, once the answer is sent.
    joined_queue: bool,
    /// The table that was last played at.
    last: Option<TableHandle>,
    /// The game that is spoken of here; none if any may be.
    game: Option<&'static str>,
}

/// The answer that something was refused.
pub(crate) fn refused(id: Option<String>, refusal: Refusal) -> Tell {
    let Refusal { code, text, mut facts } = refusal;
    let id = id.or_else(|| facts.remove("id").and_then(|id| id.as_str().map(str::to_owned)));
    Tell::Refused { id, code: code.to_owned(), text, facts }
}

impl Session {
    /// A client that has not signed in.
    pub(crate) fn new(
        app: Arc<AppState>,
        address: IpAddr,
        outbox: Option<Outbox>,
        game: Option<&'static str>,
    ) -> Self {
        Self {
            messages: Rate::messages(&app.settings),
            patience: Rate::patience(&app.settings),
            app,
            address,
            outbox,
            signed_in: None,
            permit: None,
            lobby: None,
            joined_queue: false,
            last: None,
            game,
        }
    }

    /// The client has shown this token.
    pub(crate) fn sign_in(&mut self, signed_in: Authenticated) {
        self.signed_in = Some(Arc::new(signed_in));
    }

    /// Returns whether the server stops.
    pub(crate) fn is_stopping(&self) -> bool {
        self.app.stop.is_cancelled()
    }

    /// Counts a message. Refuses it if there were too many; a client that goes on is disconnected.
    pub(crate) fn in_rate(&self) -> Result<(), Refusal> {
        self.app.metrics.messages.inc();
        let account = self.signed_in.as_ref().map(|signed_in| signed_in.account.number);
        let account_allows =
            || account.is_none_or(|account| self.app.limits.messages.allows(&account));
        if self.messages.allows() && account_allows() {
            return Ok(());
        }
        if !self.patience.allows()
            && let Some(outbox) = &self.outbox
        {
            let (code, text) = ("flood", "too many messages; come back when they are fewer");
            outbox.tell(Tell::Bye { code: code.to_owned(), text: text.to_owned() });
            outbox.cut();
        }
        refuse("slow_down", "too many messages; wait a second and say it again")
    }

    /// Answers a message as it came over the wire.
    pub(crate) async fn handle(&mut self, text: &str) -> Tell {
        match (self.in_rate(), Request::read(text)) {
            (Ok(()), Ok(request)) => self.answer(request).await,
            (Ok(()), Err(refusal)) | (Err(refusal), Err(_)) => self.refuse(None, refusal),
            (Err(refusal), Ok(Request { id, .. })) => self.refuse(Some(id), refusal),
        }
    }

    /// Answers a message.
    pub(crate) async fn answer(&mut self, Request { id, say }: Request) -> Tell {
        match self.dispatch(&id, say).await {
            Ok(tell) => tell,
            Err(refusal) => self.refuse(Some(id), refusal),
        }
    }

    pub(crate) fn refuse(&self, id: Option<String>, refusal: Refusal) -> Tell {
        self.app.metrics.refused(refusal.code);
        refused(id, refusal)
    }

    /// Calls the method for a message. Every future but that of a move is boxed, because the largest
    /// one would make each connection larger.
    async fn dispatch(&mut self, id: &str, say: Say) -> Result<Tell, Refusal> {
        let done = || Tell::Done { id: id.to_owned() };
        match say {
            Say::Ping {} => Ok(done()),
            Say::Hello { .. } | Say::Login { .. } => Box::pin(self.sign(id, say)).await,
            say => {
                let me = self.allowed(&say)?;
                match say {
                    Say::Play { table, ask, command, link } => {
                        let account = me.account.number;
                        self.play(id, account, &table, ask, command, link).await.map(|()| done())
                    }
                    say => Box::pin(self.dispatch_others(id, &me, say)).await,
                }
            }
        }
    }

    async fn dispatch_others(
        &mut self,
        id: &str,
        me: &Authenticated,
        say: Say,
    ) -> Result<Tell, Refusal> {
        let account = me.account.number;
        match say {
            Say::Release { table, link } => self.release(account, &table, &link).await?,
            Say::Proof { table } => return self.proof(id, account, table).await,
            Say::Offer { table, .. } => self.rematch(account, &table, true).await?,
            Say::Answer { table, accept, .. } => self.rematch(account, &table, accept).await?,
            Say::Chat { table, text } => self.chat(&me.account, &table, &text).await?,
            Say::Queue { game, config, ranked, chips, house_after_s, level } => {
                let house = house_after_s.map(|after_s| (after_s, level));
                self.join_queue(&me.account, game, config, ranked, chips, house).await?;
            }
            Say::Unqueue {} => self.leave_queue(account)?,
            Say::Account { language } => return self.account(id, account, language).await,
            Say::Claim { password } => self.claim(account, password).await?,
            Say::Logout {} => self.logout(me).await?,
            say => return self.dispatch_tables(id, account, say).await,
        }
        Ok(Tell::Done { id: id.to_owned() })
    }

    /// The account that says this, if it may.
    fn allowed(&self, say: &Say) -> Result<Arc<Authenticated>, Refusal> {
        let hello = || Refusal::new("hello_first", "say hello or login first");
        let signed_in = self.signed_in.clone().ok_or_else(hello)?;
        if signed_in.table.as_ref().is_some_and(|only| !seat_token_allows(say, only)) {
            let text = "this token is for one chair at one table, and for nothing else";
            return refuse("seat_only", text);
        }
        Ok(signed_in)
    }

    /// A table. The one that was last played at need not be looked for.
    async fn table(&mut self, table: &str) -> Result<TableHandle, Refusal> {
        if let Some(last) = &self.last
            && last.info.id.as_str() == table
            && !last.is_closed()
        {
            return Ok(last.clone());
        }
        let found = Box::pin(self.app.tables.find(table)).await?;
        self.last = Some(found.clone());
        Ok(found)
    }

    fn outbox(&self) -> Result<&Outbox, Refusal> {
        let none = || Refusal::new("needs_socket", "this is told over a WebSocket: use /ws");
        self.outbox.as_ref().ok_or_else(none)
    }

    /// Runs matchmaking, once the answer to `queue` is sent.
    pub(crate) async fn after_answer(&mut self) {
        if std::mem::take(&mut self.joined_queue) {
            Box::pin(self.app.matchmaking.match_up()).await;
        }
    }

    /// The connection is over, or the client has signed out. When the server stops, nobody has left: a
    /// stop is no disconnect.
    pub(crate) fn ends(&mut self) {
        self.lobby = None;
        let Some(outbox) = &self.outbox else { return };
        self.app.queue.hang_up(outbox);
        if !self.app.stop.is_cancelled() {
            self.app.seats.hang_up(outbox);
            self.app.connections.remove(outbox.connection());
        }
    }
}

/// Returns whether the token of a seat at this table is good for a message.
fn seat_token_allows(say: &Say, only: &str) -> bool {
    match say {
        Say::Watch { table, .. }
        | Say::Play { table, .. }
        | Say::Release { table, .. }
        | Say::Proof { table }
        | Say::Offer { table, .. }
        | Say::Answer { table, .. }
        | Say::Chat { table, .. } => table == only,
        Say::Logout {} => true,
        _ => false,
    }
}
