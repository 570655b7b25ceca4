//! Tables coming out of a journal and going back into it, in one thread that may wait.
//!
//! A server does the same with tasks; tools, the terminal and tests do it so.

use crate::place::{Output, Outputs, Place, Request};
use crate::{
    Effect, Journal, JournalError, NewTable as Created, Outcome, Reader, Snapshot, entries,
};
use parlor_rules::{AnyGame, Refusal};
use parlor_table::{Act, Keys, NewTable, Stamp, Table, TableId, Tail, Update};

/// Finds a game by its key; the list of games stands elsewhere.
pub type Find = fn(&str) -> Option<&'static dyn AnyGame>;

impl From<JournalError> for Refusal {
    fn from(error: JournalError) -> Self {
        Self::new("journal", error.to_string())
    }
}

/// Opens a table and stores its header, together with what it does to records.
pub fn create(
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
    match journal.restore(&created, Vec::new(), false, effects)? {
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
/// from that of every earlier stay in memory. Nobody is charged for the time since `alive_ms`: that
/// is [`Reader::last_alive`] for a program that has just started, and now for one that has been
/// running all the time. A table that came from elsewhere has slept since its last entry.
pub fn recall(
    journal: &dyn Reader,
    games: Find,
    table: &TableId,
    epoch: u32,
    alive_ms: u64,
    now_ms: u64,
) -> Result<Table, Refusal> {
    let moved = journal.head(table)?.moved;
    let mut table = read(journal, games, table, epoch, now_ms)?;
    table.woke(if moved { 0 } else { alive_ms }, now_ms);
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
        let header = &created.header;
        let (last, entries) = match seq.checked_sub(1) {
            None => (Some(Tail::of_header(header)), log(0)?),
            Some(before) => {
                let mut entries = log(before)?;
                let anchor = entries.drain(..entries.len().min(1)).next();
                (anchor.as_ref().map(Tail::of_last), entries)
            }
        };
        // A snapshot is only a cache: what it cannot give, the log can. It knows nothing of what
        // watchers who are behind have still to see.
        if let Some(last) = last
            && let snapshot = (text.as_str(), last)
            && let Ok(table) = Table::restore(game, header, keys, snapshot, &entries, epoch, now_ms)
            && table.header().options.watch_delay_ms == 0
        {
            return Ok(table);
        }
    }
    let entries = log(0)?;
    Table::recover(game, &created.header, keys, &entries, epoch, now_ms)
}

/// Walks the one path of a move and waits for it: decided, stored, and only then applied and told.
/// What else happens on the way is told as well, also if the act itself is refused.
pub fn enter(
    place: &mut Place<()>,
    journal: &dyn Journal,
    act: Act,
    stamp: Stamp,
    now_ms: u64,
    tell: &mut dyn FnMut(Update),
) -> Result<(), Refusal> {
    let mut entered = Ok(());
    let mut outputs = place.request(Request { to: (), act, stamp }, now_ms);
    while !outputs.is_empty() {
        let mut next = Outputs::new();
        for output in outputs {
            match output {
                Output::Store(append) => {
                    let outcome = journal.append(vec![append]).map(|mut all| all.remove(0));
                    next.extend(place.settled(outcome, now_ms));
                }
                Output::Tell(update) => tell(update),
                Output::Done { .. } => {}
                Output::Refused { refusal, .. } => entered = Err(refusal),
                Output::Paused { why } => {
                    place.withdraw();
                    entered = Err(Refusal::new("paused", why));
                }
                Output::Stale => {
                    let text = "somebody else has written this log; open the table again";
                    return Err(Refusal::new("stale", text));
                }
            }
        }
        outputs = next;
    }
    entered
}
