//! Tables are created in a journal and loaded from it.

use crate::{
    Effect, Journal, JournalError, NewTable as Created, Outcome, PAGE, Reader, Snapshot,
    all_entries, blocking,
};
use parlor_rules::{AnyGame, Refusal};
use parlor_table::{Keys, NewTable, Stored, Table, TableId, Tail};

/// Finds a game by its key; the list of games stands elsewhere.
pub type Find = fn(&str) -> Option<&'static dyn AnyGame>;

impl From<JournalError> for Refusal {
    fn from(error: JournalError) -> Self {
        let code = match error {
            JournalError::Paused(_) => "paused",
            JournalError::Unsettled(_) => "undecided",
            _ => "journal",
        };
        Self::new(code, error.to_string())
    }
}

/// Opens a table and stores its header, together with what it does to records.
pub async fn create(
    journal: &dyn Journal,
    new: NewTable<'_>,
    effects: Vec<Effect>,
) -> Result<Table, Refusal> {
    let (keys, now_ms) = (new.keys, new.now_ms);
    let (table, header) = Table::open(new)?;
    let created = Created {
        table: table.header().table.clone(),
        game: table.header().game.clone(),
        header,
        secret: parlor_rules::json(&keys).get().to_owned(),
        created_ms: now_ms,
    };
    match journal.restore(&created, Vec::new(), false, effects).await? {
        Outcome::Stored => Ok(table),
        _ => Err(Refusal::new("overdrawn", "somebody does not have what the table begins with")),
    }
}

/// A stored table: what it was made of, its game, its keys.
pub struct Found {
    /// As it was created.
    pub created: Created,
    /// Its game.
    pub game: &'static dyn AnyGame,
    /// Its secrets; none if only what anyone may know is here.
    pub keys: Option<Keys>,
}

/// Looks up a stored table.
pub async fn find(journal: &dyn Reader, games: Find, table: &TableId) -> Result<Found, Refusal> {
    let created = journal.table(table).await?;
    let game = games(&created.game).ok_or_else(|| {
        Refusal::new("unknown_game", format!("{table} is a game of {}", created.game))
    })?;
    let bad = |why: String| Refusal::new("bad_log", format!("{table}: {why}"));
    created.header().map_err(bad)?;
    let keys = match created.secret.as_str() {
        "" => None,
        text => Some(serde_json::from_str(text).map_err(|e| bad(format!("its secret: {e}")))?),
    };
    Ok(Found { created, game, keys })
}

/// Brings a stored table into memory, from its snapshot if there is a good one. `epoch` must differ
/// from that of every earlier stay in memory. Nobody is charged for the time since `alive_ms`: that
/// is [`Reader::last_alive`] for a program that has just started, and now for one that has been
/// running all the time. A table that came from elsewhere has slept since its last entry.
pub async fn recall(
    journal: &dyn Reader,
    games: Find,
    table: &TableId,
    epoch: u32,
    alive_ms: u64,
    now_ms: u64,
) -> Result<Table, Refusal> {
    let moved = journal.head(table).await?.moved;
    let Found { created, game, keys } = find(journal, games, table).await?;
    let keys = keys.ok_or_else(|| {
        let text = "only what anyone may know of this table is here: it can be checked, not played";
        Refusal::new("no_secret", text)
    })?;
    let sleeping = Sleeping { game, header: created.header, keys, epoch, now_ms };
    let restored = match journal.snapshot(table).await? {
        Some(snapshot) => sleeping.restore(journal, table, snapshot).await?,
        None => None,
    };
    let mut loaded = match restored {
        Some(loaded) => loaded,
        None => sleeping.replay(all_entries(journal, table, 0).await?).await?,
    };
    loaded.woke(if moved { 0 } else { alive_ms }, now_ms);
    Ok(loaded)
}

/// What a table is loaded from, beside its entries.
struct Sleeping {
    game: &'static dyn AnyGame,
    header: String,
    keys: Keys,
    epoch: u32,
    now_ms: u64,
}

impl Sleeping {
    /// Goes on from a snapshot by the entries after it. A snapshot is only a cache: none, where it
    /// does not fit, and where spectators are delayed, whose pending updates it does not hold.
    async fn restore(
        &self,
        journal: &dyn Reader,
        table: &TableId,
        snapshot: Snapshot,
    ) -> Result<Option<Table>, Refusal> {
        let Snapshot { seq, text } = snapshot;
        let (last, entries) = match seq.checked_sub(1) {
            None => (Some(Tail::of_header(&self.header)), all_entries(journal, table, 0).await?),
            Some(before) => {
                let mut entries = all_entries(journal, table, before).await?;
                let anchor = entries.drain(..entries.len().min(1)).next();
                (anchor.as_ref().map(Tail::of_last), entries)
            }
        };
        let Some(last) = last else { return Ok(None) };
        let Self { game, ref header, keys, epoch, now_ms } = *self;
        let snapshot = (text.as_str(), last);
        let table = Table::restore(game, header, keys, snapshot, &entries, epoch, now_ms);
        Ok(table.ok().filter(|table| table.header().options.watch_delay_ms == 0))
    }

    /// Replays a log from its beginning. A long one is replayed on a thread of its own, so that the
    /// caller's can serve others meanwhile; a short one takes less than the way to that thread.
    async fn replay(self, entries: Vec<Stored>) -> Result<Table, Refusal> {
        let long = entries.len() > PAGE;
        let replay = move || {
            let Self { game, header, keys, epoch, now_ms } = self;
            Table::recover(game, &header, keys, &entries, epoch, now_ms)
        };
        if long { blocking(replay).await? } else { replay() }
    }
}
