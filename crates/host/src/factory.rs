//! How a table is opened.

use crate::{Settings, TableContext, TableDirectory, TableHandle, TableInfo, full_config, now_ms};
use parlor_accounts::Kept;
use parlor_journal::store;
use parlor_rules::{AnyGame, Draws, House, Input, Json, Refusal, Seeded, refuse};
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
pub struct TableRequest {
    /// Its game.
    pub game: String,
    /// How many seats it has; as usual for the game if it is not said.
    pub seats: Option<u8>,
    /// The options of the game.
    pub config: Map<String, Value>,
    /// The options of the table.
    pub options: Map<String, Value>,
    /// Who may come in.
    pub access: Access,
    /// The account that opens it; none if the house does, which has no limit.
    pub by: Option<u64>,
    /// The address it is opened from.
    pub from: IpAddr,
}

/// A table that was opened.
pub struct Opened {
    /// Its name.
    pub table: TableId,
    /// Its key, if it is private.
    pub key: Option<String>,
}

/// Opens tables.
pub struct TableFactory {
    context: Arc<TableContext>,
    tables: Arc<TableDirectory>,
    /// Held while an account opens a table, so that its limit holds.
    opening: Mutex<()>,
}

impl TableFactory {
    /// Opens tables of this directory.
    pub fn new(context: Arc<TableContext>, tables: Arc<TableDirectory>) -> Self {
        Self { context, tables, opening: Mutex::default() }
    }

    /// Opens a table.
    pub async fn open(&self, request: TableRequest) -> Result<Opened, Refusal> {
        let game = self.context.games.rules(&request.game)?;
        let _turn = match request.by {
            Some(_) => Some(self.opening.lock().await),
            None => None,
        };
        self.check_limits(&request)?;
        let new = self.new_table(game, &request)?;
        let (table, from) = (new.table.clone(), Some(request.from));
        let key = match request.access {
            Access::Open | Access::Ranked => None,
            Access::Private => Some(self.context.chance.hex::<12>()?),
        };
        let kept = Kept { access: request.access, key: key.clone(), by: request.by };
        let created = store::create(&*self.context.log, new, vec![kept.effect(&table)]).await?;
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
        let Settings { per_account, per_address, .. } = self.context.settings;
        if per_account.allows(by) && per_address.allows(from) {
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
        let table: TableId = format!("t-{}", self.context.chance.hex::<6>()?)
            .parse()
            .map_err(|why: &str| Refusal::malformed(why.to_owned()))?;
        let keys = Keys::from_secret(&self.context.chance.hex::<32>()?);
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
