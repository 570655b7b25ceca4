//! Who the client is.

use super::Session;
use crate::now_ms;
use parlor_accounts::{Account, Authenticated};
use parlor_rules::{Refusal, refuse};
use parlor_wire::{Language, Say, Tell, VERSION};

impl Session {
    /// Signs in, by a token, as a new guest, or with a password.
    pub(super) async fn sign(&mut self, id: &str, say: Say) -> Result<Tell, Refusal> {
        let (Say::Hello { version, views, .. } | Say::Login { version, views, .. }) = &say else {
            return Err(Refusal::broken());
        };
        if *version != VERSION {
            return refuse("other_version", format!("this server speaks version {VERSION}"));
        }
        if self.signed_in.is_some() {
            return refuse("hello_twice", "you have said hello already");
        }
        if let Some(outbox) = &self.outbox {
            outbox.set_views(views.unwrap_or(true));
        }
        let accounts = &self.app.accounts;
        match say {
            Say::Hello { token: Some(token), .. } => {
                let known = accounts.by_token(&token).await?;
                self.welcome(id, known, false).await
            }
            Say::Hello { token: None, name: Some(name), language, .. } => {
                if !self.app.limits.accounts.allows(&self.address) {
                    let text = "many new guests come from where you are; wait a minute";
                    return refuse("slow_down", text);
                }
                let guest = accounts.guest(&name, language.unwrap_or_default()).await?;
                self.welcome(id, guest, true).await
            }
            Say::Login { name, password, .. } => {
                let _turn = self.password_turn().await?;
                self.app.metrics.passwords.inc();
                let known = accounts.login(&name, password).await?;
                drop(_turn);
                self.welcome(id, known, true).await
            }
            _ => {
                let text = "hello: needs a token, or the name of a new guest";
                Err(Refusal::malformed(text.to_owned()))
            }
        }
    }

    /// Waits for a turn to hash a password, which takes long on purpose.
    async fn password_turn(&self) -> Result<tokio::sync::OwnedSemaphorePermit, Refusal> {
        if !self.app.limits.logins.allows(&self.address) {
            return refuse("slow_down", "many tries come from where you are; wait a minute");
        }
        let turn = self.app.limits.hashing.clone().acquire_owned().await;
        turn.or_else(|_| refuse("stopping", "the server stops"))
    }

    async fn welcome(
        &mut self,
        id: &str,
        signed_in: Authenticated,
        new: bool,
    ) -> Result<Tell, Refusal> {
        let account = signed_in.account.number;
        let Some(permit) = self.app.limits.connections_by_account.try_acquire(account) else {
            return refuse("too_many_connections", "you are here too often already; close some");
        };
        let me = self.app.results.me(&signed_in.account, now_ms()).await?;
        let tables = self.app.tables.tables_of(account).into_iter();
        let tables = tables
            .filter(|(_, game)| self.game.is_none_or(|only| only == game))
            .map(|(table, _)| table.to_string())
            .filter(|table| signed_in.table.as_ref().is_none_or(|only| only == table));
        let tell = Tell::Welcome {
            id: id.to_owned(),
            version: VERSION,
            me,
            token: new.then(|| signed_in.token.clone()),
            tables: tables.collect(),
            now_ms: now_ms(),
        };
        self.permit = Some(permit);
        if let Some(outbox) = &self.outbox {
            outbox.reopen();
            self.app.connections.add(account, &signed_in.token, outbox);
            // The token may have been revoked before the connection was there to be ended.
            if let Err(revoked) = self.app.accounts.by_token(&signed_in.token).await {
                self.app.connections.remove(outbox.connection());
                return Err(revoked);
            }
        }
        self.sign_in(signed_in);
        Ok(tell)
    }

    /// Tells who one is; with a language, sets it.
    pub(super) async fn account(
        &self,
        id: &str,
        account: u64,
        language: Option<Language>,
    ) -> Result<Tell, Refusal> {
        let accounts = &self.app.accounts;
        let account: Account = match language {
            Some(language) => accounts.set_language(account, language).await?,
            None => accounts.account(account).await?,
        };
        let me = self.app.results.me(&account, now_ms()).await?;
        Ok(Tell::Account { id: id.to_owned(), me })
    }

    /// Gives the account a password.
    pub(super) async fn claim(&self, account: u64, password: String) -> Result<(), Refusal> {
        let _turn = self.password_turn().await?;
        self.app.accounts.claim(account, password).await
    }

    /// Makes the token worthless. Other connections that signed in with it end.
    pub(super) async fn logout(&mut self, me: &Authenticated) -> Result<(), Refusal> {
        self.app.accounts.revoke(&me.token).await?;
        let own = self.outbox.as_ref().map(|outbox| outbox.connection());
        self.app.connections.revoke_token(&me.token, own);
        self.ends();
        self.signed_in = None;
        self.permit = None;
        Ok(())
    }
}
