//! How a table is opened.

use crate::chance::Chance;
use crate::directory::TableDirectory;
use crate::games::{Games, full_config};
use crate::table::{Kept, TableHandle, TableInfo};
use crate::{Settings, now_ms, refuse};
use parlor_journal::{Journal, store};
use parlor_rules::{AnyGame, Draws, House, Input, Json, Refusal, Seeded};
use parlor_table::{Clock, Keys, NewTable, Options, TableId};
use parlor_wire::Access;
use serde_json::{Map, Value};
use std::net::IpAddr;
use std::sync::Arc;
use tokio::sync::Mutex;

/// How long people may think where neither the rules nor the opener say anything: the table of somebody
/// who is gone has to come to an end.
const CLOCK: Clock = Clock::Bank { per_move_ms: 60_000, bank_ms: 300_000 };

/// What a new table is to be.
pub(crate) struct TableRequest {
    pub(crate) game: String,
    pub(crate) seats: Option<u8>,
    pub(crate) config: Map<String, Value>,
    pub(crate) options: Map<String, Value>,
    pub(crate) access: Access,
    /// The account that opens it; none if the house does, which has no limit.
    pub(crate) by: Option<u64>,
    /// The address it is opened from.
    pub(crate) from: IpAddr,
}

/// A table that was opened.
pub(crate) struct Opened {
    pub(crate) table: TableId,
    /// Its key, if it is private.
    pub(crate) key: Option<String>,
}

/// Opens tables.
pub(crate) struct TableFactory {
    pub(crate) log: Arc<dyn Journal>,
    pub(crate) games: Arc<Games>,
    pub(crate) chance: Chance,
    pub(crate) settings: Arc<Settings>,
    pub(crate) tables: Arc<TableDirectory>,
    /// Held while an account opens a table, so that its limit holds.
    pub(crate) opening: Mutex<()>,
}

impl TableFactory {
    /// Opens a table.
    pub(crate) async fn open(&self, request: TableRequest) -> Result<Opened, Refusal> {
        let game = self.games.rules(&request.game)?;
        let _turn = match request.by {
            Some(_) => Some(self.opening.lock().await),
            None => None,
        };
        self.check_limits(&request)?;
        let new = self.new_table(game, &request)?;
        let (table, from) = (new.table.clone(), Some(request.from));
        let key = match request.access {
            Access::Open | Access::Ranked => None,
            Access::Private => Some(self.chance.hex::<12>()?),
        };
        let kept = Kept { access: request.access, key: key.clone(), by: request.by };
        let created = store::create(&*self.log, new, vec![kept.effect(&table)]).await?;
        tracing::info!(%table, game = game.key(), "opened");
        self.tables.open(created, kept, from).await?;
        Ok(Opened { table, key })
    }

    /// Refuses an account or an address that has opened many tables that go on.
    fn check_limits(&self, request: &TableRequest) -> Result<(), Refusal> {
        if request.by.is_none() {
            return Ok(());
        }
        let open = |own: &dyn Fn(&TableInfo) -> bool| {
            let open = |table: &TableHandle| own(&table.info) && !table.summary().over;
            self.tables.filter_map(|table| open(table).then_some(())).len()
        };
        let by = open(&|info| info.kept.by == request.by);
        let from = open(&|info| info.from == Some(request.from));
        let Settings { tables_per_account, tables_per_address, .. } = *self.settings;
        if tables_per_account.allows(by) && tables_per_address.allows(from) {
            return Ok(());
        }
        refuse("too_many_tables", "you have opened many tables; close some first")
    }

    fn new_table(
        &self,
        game: &'static dyn AnyGame,
        request: &TableRequest,
    ) -> Result<NewTable<'static>, Refusal> {
        let options = Value::Object(request.options.clone());
        let mut options: Options = serde_json::from_value(options)
            .map_err(|error| Refusal::malformed(format!("options: {error}")))?;
        let range = game.seats();
        let usual = if game.comes_and_goes() { *range.end() } else { *range.start() };
        let seats = request.seats.unwrap_or(usual);
        if !range.contains(&seats) {
            let (least, most) = (range.start(), range.end());
            return refuse("bad_seats", format!("this game has {least} to {most} seats"));
        }
        let config = full_config(game, &request.config, request.access == Access::Ranked)?;
        if !request.options.contains_key("clock") && needs_clock(game, &config, seats)? {
            options.clock = CLOCK;
        }
        let table: TableId = format!("t-{}", self.chance.hex::<6>()?)
            .parse()
            .map_err(|why: &str| Refusal::malformed(why.to_owned()))?;
        let keys = Keys::from_secret(&self.chance.hex::<32>()?);
        Ok(NewTable { table, game, config, seats, options, keys, now_ms: now_ms() })
    }
}

/// Returns whether somebody could think for ever once such a game has begun.
fn needs_clock(game: &dyn AnyGame, config: &Json, seats: u8) -> Result<bool, Refusal> {
    let mut state = game.open(config, seats)?;
    let mut chance = Seeded::new("needs a clock");
    let begin = Input::House(House::Begin {});
    let Ok(events) = state.decide(&begin, &mut Draws::new(&mut chance)) else { return Ok(false) };
    for event in &events {
        state.apply(event)?;
    }
    let pending = state.pending();
    let untimed = pending.asked().iter().any(|asked| asked.within_ms.is_none());
    Ok(untimed && pending.deadline().is_none())
}
