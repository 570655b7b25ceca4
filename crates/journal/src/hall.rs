//! Tables coming out of a journal and going back into it, in one thread that may wait.
//!
//! A server does the same with tasks; tools, the terminal and tests do it so.

use crate::place::{Output, Place, Request};
use crate::{Journal, JournalError, NewTable as Created, Reader, Snapshot, entries};
use parlor_rules::{AnyGame, Refusal};
use parlor_table::{Act, Keys, NewTable, Stamp, Table, TableId, Update};

/// Finds a game by its key; the list of games stands elsewhere.
pub type Find = fn(&str) -> Option<&'static dyn AnyGame>;

impl From<JournalError> for Refusal {
    fn from(error: JournalError) -> Self {
        Self::new("journal", error.to_string())
    }
}

/// Opens a table and stores its header.
pub fn create(journal: &dyn Journal, new: NewTable<'_>) -> Result<Table, Refusal> {
    let (keys, now_ms) = (new.keys, new.now_ms);
    let (table, header) = Table::open(new)?;
    journal.create(&Created {
        table: table.header().table.clone(),
        game: table.header().game.clone(),
        header,
        secret: parlor_rules::json(&keys).get().to_owned(),
        created_ms: now_ms,
    })?;
    Ok(table)
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
pub fn find(journal: &dyn Reader, games: Find, table: &TableId) -> Result<Found, Refusal> {
    let created = journal.table(table)?;
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
/// from that of every earlier stay in memory.
pub fn recall(
    journal: &dyn Journal,
    games: Find,
    table: &TableId,
    epoch: u32,
    now_ms: u64,
) -> Result<Table, Refusal> {
    let last_alive_ms = journal.last_alive()?.unwrap_or(0);
    let mut table = read(journal, games, table, epoch, now_ms)?;
    table.woke(last_alive_ms);
    Ok(table)
}

fn read(
    journal: &dyn Reader,
    games: Find,
    table: &TableId,
    epoch: u32,
    now_ms: u64,
) -> Result<Table, Refusal> {
    let Found { created, game, keys } = find(journal, games, table)?;
    let keys = keys.ok_or_else(|| {
        let text = "only what anyone may know of this table is here: it can be checked, not played";
        Refusal::new("no_secret", text)
    })?;
    let log = |from| entries(journal, table, from).collect::<Result<Vec<_>, _>>();
    if let Some(Snapshot { seq, text }) = journal.snapshot(table)? {
        let entries = log(seq)?;
        let header = &created.header;
        let restored = Table::restore(game, header, keys, &text, &entries, epoch, now_ms);
        // A snapshot is only a cache: what it cannot give, the log can. It knows nothing of what
        // watchers who are behind have still to see.
        if let Ok(table) = restored
            && table.header().options.watch_delay_ms == 0
        {
            return Ok(table);
        }
    }
    let entries = log(0)?;
    Table::recover(game, &created.header, keys, &entries, epoch, now_ms)
}

/// Walks the one path of a move and waits for it: decided, stored, and only then applied and told.
pub fn enter(
    place: &mut Place<()>,
    journal: &dyn Journal,
    act: Act,
    stamp: Stamp,
    now_ms: u64,
) -> Result<Vec<Update>, Refusal> {
    let mut updates = Vec::new();
    let mut outputs = place.request(Request { to: (), act, stamp }, now_ms);
    while !outputs.is_empty() {
        let mut next = Vec::new();
        for output in outputs {
            match output {
                Output::Store(append) => {
                    let outcome = journal.append(vec![append]).map(|mut all| all.remove(0));
                    next.extend(place.settled(outcome, now_ms));
                }
                Output::Tell(update) => updates.push(update),
                Output::Done { .. } => {}
                Output::Refused { refusal, .. } => return Err(refusal),
                Output::Paused { why } => {
                    place.withdraw();
                    return Err(Refusal::new("paused", why));
                }
                Output::Stale => {
                    let text = "somebody else has written this log; open the table again";
                    return Err(Refusal::new("stale", text));
                }
            }
        }
        outputs = next;
    }
    Ok(updates)
}
