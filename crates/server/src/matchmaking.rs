//! Who plays with whom: the queue, cash games with a free seat, rematches.

use crate::queue::{AloneAtTable, Match, Queue, Seek, WantedGame};
use crate::seats::Seats;
use crate::{ended, now_ms};
use parlor_accounts::{Account, Bank, Results};
use parlor_host::{
    ConnectionId, Opened, Outbox, Pairing, Rematch, SeatRequest, TableContext, TableDirectory,
    TableFactory, TableInfo, TableRequest, full_config,
};
use parlor_rules::{Chips, Json, Refusal, refuse};
use parlor_table::{Options, TableId, Who};
use parlor_wire::{Access, Level, Tell};
use serde_json::{Map, Value};
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Mutex;

/// How many house players sit down with somebody who is alone at a cash game.
const COMPANY: usize = 3;

/// Brings people together.
pub(crate) struct Matchmaking {
    pub(crate) context: Arc<TableContext>,
    pub(crate) bank: Arc<Bank>,
    pub(crate) results: Arc<Results>,
    pub(crate) tables: Arc<TableDirectory>,
    pub(crate) factory: Arc<TableFactory>,
    pub(crate) seats: Arc<Seats>,
    pub(crate) queue: Arc<Queue>,
    /// Held by whoever looks for a seat at a cash game: of two, the second finds the first.
    pub(crate) looking: Mutex<()>,
}

impl Matchmaking {
    /// Looks at the queue every second, beside whoever joins it.
    pub(crate) async fn run(self: Arc<Self>) {
        let mut second = tokio::time::interval(Duration::from_secs(1));
        loop {
            second.tick().await;
            self.match_up().await;
        }
    }

    /// Seats all who are matched by now.
    pub(crate) async fn match_up(self: &Arc<Self>) {
        for found in self.queue.matches(now_ms()) {
            self.open_match(found).await;
        }
        for (account, alone) in self.queue.take_alone(now_ms()) {
            if let Some(alone) = self.keep_company(account, alone).await {
                self.queue.return_alone(account, alone);
            }
        }
    }

    /// Opens a table for a match. Where that cannot be done now, they go on waiting.
    async fn open_match(self: &Arc<Self>, (first, second): Match) {
        let request = first.wanted.request(None, first.from);
        let level = first.level;
        let opened = match self.factory.open(request).await {
            Ok(opened) => opened,
            Err(Refusal { code, text, .. }) => {
                tracing::warn!(code, text, "no table for a match");
                return [Some(first), second]
                    .into_iter()
                    .flatten()
                    .for_each(|seek| self.queue.return_seek(seek));
            }
        };
        let accounts = [Some(first.account), second.as_ref().map(|second| second.account)];
        let pairing = |seek: Seek| Pairing {
            who: Who::Account(seek.account),
            connections: vec![seek.outbox.connection()],
        };
        let house = || Pairing { who: Who::Bot(level.name().to_owned()), connections: Vec::new() };
        let pairings = vec![pairing(first), second.map_or_else(house, pairing)];
        self.seat_players(opened, pairings).await;
        accounts.into_iter().flatten().for_each(|account| self.queue.settled(account));
    }

    /// Lets the house sit down with somebody who is alone. Whoever is not may be later, and is given
    /// back.
    async fn keep_company(&self, account: u64, alone: AloneAtTable) -> Option<AloneAtTable> {
        let is_alone = self.tables.get(&alone.table)?.summary().is_alone(account)?;
        if !is_alone {
            return Some(alone);
        }
        let AloneAtTable { table, level, chips, .. } = alone;
        for _ in 0..COMPANY {
            let request = SeatRequest { chips: Some(chips), ..SeatRequest::default() };
            match self.seats.seat_house(table.as_str(), None, level, request).await {
                Err(Refusal { code, text, .. }) if code != "no_chair" => {
                    tracing::warn!(code, text, "no house player for somebody who is alone");
                }
                _ => {}
            }
        }
        None
    }

    /// Seats people who were matched at a new table, and tells them.
    async fn seat_players(&self, Opened { table, key }: Opened, pairings: Vec<Pairing>) {
        let mut seated = Vec::new();
        for Pairing { who, connections } in pairings {
            let found = connections.iter().filter_map(|own| self.context.connections.outbox(*own));
            let outboxes: Vec<Outbox> = found.collect();
            self.seat_one(&table, who, key.clone(), &outboxes).await;
            seated.extend(outboxes);
        }
        // People who have a new table are done with the old one.
        self.seats.leave_old_tables(&seated);
    }

    /// Seats one of them. A person who gets no seat is told why.
    async fn seat_one(&self, table: &TableId, who: Who, key: Option<String>, outboxes: &[Outbox]) {
        let account = match who {
            Who::Bot(level) => {
                let (level, request) = (level.parse().unwrap_or_default(), SeatRequest::default());
                // A table without the house player can still be left.
                let _ = self.seats.seat_house(table.as_str(), None, level, request).await;
                return;
            }
            Who::Account(account) => account,
        };
        let request = SeatRequest { key, ..SeatRequest::default() };
        match self.seats.sit(table.as_str(), account, request).await {
            Ok(seat) => {
                for outbox in outboxes {
                    let told = self.seats.matched(table, account, seat, outbox).await;
                    if let Err(Refusal { code, text, .. }) = told {
                        tracing::warn!(code, text, "a player could not be told of a seat");
                    }
                }
            }
            Err(Refusal { code, text, .. }) => {
                let (table, code) = (table.to_string(), code.to_owned());
                let left = Tell::Left { table, code, text };
                outboxes.iter().for_each(|outbox| outbox.tell(left.clone()));
            }
        }
    }

    /// Waits for an opponent. Whoever wants a cash game takes a seat at once instead.
    pub(crate) async fn seek(
        self: &Arc<Self>,
        me: &Account,
        outbox: &Outbox,
        from: IpAddr,
        request: SeekRequest,
    ) -> Result<(), Refusal> {
        let SeekRequest { game, config, ranked, chips, house } = request;
        let rules = self.context.games.rules(&game)?;
        let full = full_config(rules, &config, ranked)?;
        let since_ms = now_ms();
        let house = house.map(|(after_s, level)| (since_ms + u64::from(after_s) * 1_000, level));
        let wanted = WantedGame { game, config, full, ranked };
        if rules.comes_and_goes() {
            return self.take_any_seat(me, wanted, chips, house, outbox, from).await;
        }
        self.seats.check_deposit(me.number, rules, &wanted.full).await?;
        let rating = match rules.rated(&wanted.full)? {
            Some(rated) => self.results.rating(&wanted.game, &rated.set, me.number).await?.rating,
            None => parlor_ratings::Rating::START.rating,
        };
        if self.tables.tables_of(me.number).iter().any(|(_, other)| *other == wanted.game) {
            return refuse("in_game", "you play this already; finish that game first");
        }
        let (house_at_ms, level) = house.unzip();
        let (account, outbox) = (me.number, outbox.clone());
        let level = level.unwrap_or_default();
        let seek = Seek { account, outbox, from, wanted, rating, since_ms, house_at_ms, level };
        if !self.queue.join(seek) {
            return refuse("queued", "you wait already");
        }
        Ok(())
    }

    /// Takes a seat at a cash game that has one, or at a new one. If nobody else sits there after so
    /// long, the house sits down.
    async fn take_any_seat(
        self: &Arc<Self>,
        me: &Account,
        wanted: WantedGame,
        chips: Option<Chips>,
        house: Option<(u64, Level)>,
        outbox: &Outbox,
        from: IpAddr,
    ) -> Result<(), Refusal> {
        let Some(chips) = chips else { return refuse("no_chips", "say how many chips you bring") };
        let unit = self.context.games.rules(&wanted.game)?.unit();
        let chips = chips.min(self.bank.balance(unit, me.number).await?);
        let request = || SeatRequest { chips: Some(chips), ..SeatRequest::default() };
        let turn = self.looking.lock().await;
        let mut tables = self.tables_with_a_seat(&wanted.game, &wanted.full);
        let own = self.tables.tables_of(me.number);
        tables.retain(|table| !own.iter().any(|(own, _)| own == table));
        let mut tables = tables.into_iter();
        let (table, seat) = loop {
            let (table, new) = match tables.next() {
                Some(table) => (table, false),
                None => {
                    (self.factory.open(wanted.request(Some(me.number), from)).await?.table, true)
                }
            };
            match self.seats.sit(table.as_str(), me.number, request()).await {
                Ok(seat) => break (table, seat),
                Err(refusal) if refusal.code == "no_chair" && !new => {}
                Err(refusal) => return Err(refusal),
            }
        };
        drop(turn);
        if let Some((house_at_ms, level)) = house {
            let alone = AloneAtTable { table: table.clone(), house_at_ms, level, chips };
            self.queue.remember_alone(me.number, alone);
        }
        self.seats.matched(&table, me.number, seat, outbox).await
    }

    /// Open cash games with these options that have a free seat and somebody who is there, the fullest
    /// first.
    fn tables_with_a_seat(&self, game: &str, config: &Json) -> Vec<TableId> {
        let usual = Options::default();
        let mut found = self.tables.filter_map(|table| {
            let (info, summary) = (&table.info, table.summary());
            let same = info.game == game
                && info.kept.access == Access::Open
                && info.config.get() == config.get()
                && info.options == usual;
            let free = summary.free_seats();
            (same && free > 0 && summary.has_company() && !summary.over)
                .then(|| (free, info.id.clone()))
        });
        found.sort();
        found.into_iter().map(|(_, table)| table).collect()
    }

    /// Takes an answer to the question whether a game is played again; when everybody agrees, opens the
    /// new table.
    pub(crate) async fn rematch(
        self: &Arc<Self>,
        table: &str,
        account: u64,
        accept: bool,
        connection: Option<ConnectionId>,
        from: IpAddr,
    ) -> Result<(), Refusal> {
        let limit = self.context.settings.per_account;
        let allowed =
            || limit.get().is_none() || limit.allows(self.tables.tables_of(account).len());
        if accept && !allowed() {
            return refuse("too_many_tables", "you sit at many tables; leave some first");
        }
        let old = self.tables.find(table).await?;
        let request = again(&old.info, from)?;
        let asked = old.rematch(account, accept, connection).await?;
        let Rematch::Agreed(mut pairings) = asked else { return Ok(()) };
        // The first player is second now.
        pairings.rotate_left(1);
        let matchmaking = self.clone();
        // Done to its end, even if the last to agree does not wait.
        let seating = async move {
            match matchmaking.factory.open(request).await {
                Ok(opened) => matchmaking.seat_players(opened, pairings).await,
                Err(refusal) => {
                    old.rematch_failed();
                    return Err(refusal);
                }
            }
            Ok(())
        };
        ended(tokio::spawn(seating)).await
    }
}

/// Asks for a table like another one.
fn again(info: &TableInfo, from: IpAddr) -> Result<TableRequest, Refusal> {
    let config = serde_json::from_str(info.config.get())
        .map_err(|error| Refusal::malformed(error.to_string()))?;
    let options = match serde_json::to_value(&info.options) {
        Ok(Value::Object(options)) => options,
        _ => Map::new(),
    };
    let (game, access) = (info.game.clone(), info.kept.access);
    Ok(TableRequest { game, seats: None, config, options, access, by: None, from })
}

/// What somebody who waits for an opponent asks for.
pub(crate) struct SeekRequest {
    pub(crate) game: String,
    pub(crate) config: Map<String, Value>,
    pub(crate) ranked: bool,
    pub(crate) chips: Option<Chips>,
    /// After how many seconds the house steps in, and how well it plays.
    pub(crate) house: Option<(u32, Level)>,
}
