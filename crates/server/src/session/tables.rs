//! Finding tables, sitting down, watching, leaving.

use super::Session;
use super::play::link;
use parlor_host::{Opened, Outbox, SeatRequest, TableRequest};
use parlor_rules::{Refusal, refuse};
use parlor_wire::{Say, Tell};

impl Session {
    /// Answers what is said about tables beside playing.
    pub(super) async fn dispatch_tables(
        &mut self,
        id: &str,
        account: u64,
        say: Say,
    ) -> Result<Tell, Refusal> {
        match say {
            Say::Lobby { watch } => {
                self.follow_lobby(watch)?;
                let tables = self.app.lobby.page();
                return Ok(Tell::Tables { id: Some(id.to_owned()), tables });
            }
            Say::Create { game, seats, config, options, access } => {
                let (by, from) = (Some(account), self.address);
                let request = TableRequest { game, seats, config, options, access, by, from };
                let Opened { table, key } = self.app.factory.open(request).await?;
                return Ok(Tell::Created { id: id.to_owned(), table: table.to_string(), key });
            }
            Say::Sit { table, seat, chips, key, tip } => {
                let tip = tip.as_deref().map(link).transpose()?;
                let request = SeatRequest { seat, chips, tip, key };
                return self.sit(id, account, table, request).await;
            }
            Say::TopUp { table, chips } => {
                self.table(&table).await?.top_up(account, chips).await?;
            }
            Say::House { table, level, seat, chips } => {
                let request = SeatRequest { seat, chips, ..SeatRequest::default() };
                self.app.seats.seat_house(&table, Some(account), level, request).await?;
            }
            Say::Watch { table, key, epoch, seq } => {
                self.may_watch(&table)?;
                let (seats, own) = (&self.app.seats, self.outbox()?.connection());
                seats.watch(&table, account, key, own, epoch.zip(seq)).await?;
            }
            Say::Leave { table } => {
                let connection = self.outbox.as_ref().map(Outbox::connection);
                self.table(&table).await?.leave(account, connection).await?;
            }
            _ => return Err(Refusal::broken()),
        }
        Ok(Tell::Done { id: id.to_owned() })
    }

    async fn sit(
        &mut self,
        id: &str,
        account: u64,
        table: String,
        request: SeatRequest,
    ) -> Result<Tell, Refusal> {
        self.may_watch(&table)?;
        let seats = &self.app.seats;
        let seat = seats.sit(&table, account, request).await?;
        let token = self.app.accounts.seat_token(account, &table).await?;
        if let Some(outbox) = &self.outbox {
            seats.watch(&table, account, None, outbox.connection(), None).await?;
        }
        let seat = seat.index() as u8;
        Ok(Tell::Seated { id: id.to_owned(), table, seat, token })
    }

    /// Refuses to watch one more table beside many. Games that are over count no more then.
    fn may_watch(&self, table: &str) -> Result<(), Refusal> {
        let Some(outbox) = &self.outbox else { return Ok(()) };
        let (limit, watched) = (self.app.settings.tables_per_connection, outbox.tables());
        let full = !limit.allows(watched.len());
        let many = full && watched.iter().all(|other| other.as_str() != table);
        if many && !self.app.seats.leave_old_tables(std::slice::from_ref(outbox)) {
            return refuse("too_many_tables", "you look at many tables; leave some first");
        }
        Ok(())
    }

    /// Follows the lobby, or does so no more.
    fn follow_lobby(&mut self, watch: bool) -> Result<(), Refusal> {
        self.lobby = None;
        if watch {
            let outbox = self.outbox()?.clone();
            self.lobby = Some(self.app.lobby.follow(outbox));
        }
        Ok(())
    }
}
