//! `parlor tables`, `replay`, `audit`, `export` and `import`: what a journal holds.

use crate::Failure;
use clap::Args;
use parlor_journal::{
    Durability, Head, Journal, Memory, Sqlite, Which, export, export_all, hall, import,
};
use parlor_rules::{Json, Seat, Viewer, json};
use parlor_table::act::Entry;
use parlor_table::audit::audit;
use parlor_table::fair::Secrets;
use parlor_table::{Act, Table, TableId, Update};
use serde::Serialize;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufReader, Write, stdout};
use std::path::{Path, PathBuf};

/// Where the tables are.
#[derive(Args)]
pub(crate) struct Where {
    /// The file the tables are kept in
    #[arg(long, value_name = "FILE", default_value = "parlor.db")]
    journal: PathBuf,
}

impl Where {
    /// A journal that is there already: looking at it must not make one.
    fn open(&self) -> Result<Sqlite, Failure> {
        if !self.journal.exists() {
            return Err(format!("there is no journal {}", self.journal.display()).into());
        }
        self.make()
    }

    fn make(&self) -> Result<Sqlite, Failure> {
        Ok(Sqlite::open(&self.journal, Durability::default())?)
    }
}

const PAGE: usize = 1_000;

fn each_head(
    journal: &dyn Journal,
    mut each: impl FnMut(&Head) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let mut after: Option<TableId> = None;
    loop {
        let heads = journal.heads(Which::All, after.as_ref(), PAGE)?;
        heads.iter().try_for_each(&mut each)?;
        let Some(last) = heads.last() else { return Ok(()) };
        after = Some(last.table.clone());
    }
}

/// Lists tables, one a line.
pub(crate) fn tables(place: &Where) -> Result<(), Failure> {
    let journal = place.open()?;
    each_head(&journal, |head| {
        let Head { table, game, head, at_ms, finished } = head;
        let state = if *finished { "finished" } else { "open" };
        Ok(writeln!(stdout(), "{table}\t{game}\t{head} entries\t{state}\tat_ms {at_ms}")?)
    })
}

/// Prints what happened at a table, and how it then stood.
pub(crate) fn replay(
    place: &Where,
    table: &TableId,
    at: Option<u64>,
    seat: Option<u8>,
) -> Result<(), Failure> {
    let journal = place.open()?;
    let found = hall::find(&journal, parlor_games::find, table)?;
    let entries = hall::entries(&journal, table, 0)?;
    let last = at.map_or(entries.len(), |at| (at as usize).saturating_add(1));
    if last > entries.len() {
        return Err(format!("{table} has {} entries, from 0", entries.len()).into());
    }
    let header = &found.created.header;
    let mut replayed = Table::recover(found.game, header, found.keys, [], 0, 0)?;
    let viewer = seat.map(|seat| Viewer::Seat(Seat::new(seat)));
    if viewer.is_some_and(|viewer| replayed.current(viewer).is_none()) {
        return Err(format!("{table} has seats 0 to {}", replayed.header().seats - 1).into());
    }
    for stored in &entries[..last] {
        let updates = replayed.commit(stored)?;
        let (seq, at_ms) = (stored.seq, stored.at_ms);
        let line = match viewer {
            None => Entry::read(stored)?.map(|Entry { act, events, .. }| {
                json(&Happened { seq, at_ms, what: What::All { act, events } })
            }),
            Some(viewer) => {
                let update = updates.into_iter().find(|update| update.audience == viewer);
                update.map(|Update { sights, .. }| {
                    json(&Happened { seq, at_ms, what: What::Seen { sights } })
                })
            }
        };
        if let Some(line) = line {
            writeln!(stdout(), "{line}")?;
        }
    }
    let end = match viewer.and_then(|viewer| replayed.current(viewer)) {
        Some(update) => json(&BTreeMap::from([("view", update.view)])),
        None => json(&BTreeMap::from([("state", replayed.doc())])),
    };
    Ok(writeln!(stdout(), "{end}")?)
}

/// One line of a replay.
#[derive(Serialize)]
struct Happened {
    seq: u64,
    at_ms: u64,
    #[serde(flatten)]
    what: What,
}

#[derive(Serialize)]
#[serde(untagged)]
enum What {
    All { act: Act, events: Vec<Json> },
    Seen { sights: Vec<Json> },
}

/// Checks a table of the journal, or all tables of an exported file.
pub(crate) fn check(place: &Where, what: &str) -> Result<(), Failure> {
    let file = Path::new(what);
    if file.exists() {
        // A chain that is broken is named with its line before anything is decided again.
        let memory = Memory::default();
        import(&memory, BufReader::new(File::open(file)?))?;
        return each_head(&memory, |head| check_table(&memory, &head.table));
    }
    let table: TableId = what.parse().map_err(|why| format!("{what} is no file, and {why}"))?;
    check_table(&place.open()?, &table)
}

fn check_table(journal: &dyn Journal, table: &TableId) -> Result<(), Failure> {
    let found = hall::find(journal, parlor_games::find, table)?;
    let entries = hall::entries(journal, table, 0)?;
    let secrets = Secrets { dice: found.keys.dice, decks: found.keys.deck };
    let report = audit(found.game, &found.created.header, &entries, Some(secrets))
        .map_err(|wrong| format!("{table}: {wrong}"))?;
    let parlor_table::audit::Report { entries, decided, draws, unchecked } = report;
    Ok(writeln!(
        stdout(),
        "{table}: {entries} entries chained, {decided} decided again, {draws} draws right, {unchecked} unchecked"
    )?)
}

/// Writes one table, or all, as JSON Lines to standard output.
pub(crate) fn write(place: &Where, table: Option<&TableId>) -> Result<(), Failure> {
    let journal = place.open()?;
    match table {
        Some(table) => export(&journal, table, stdout().lock())?,
        None => export_all(&journal, stdout().lock())?,
    };
    Ok(())
}

/// Takes tables in from a file.
pub(crate) fn read(place: &Where, file: &Path) -> Result<(), Failure> {
    let open = File::open(file).map_err(|error| format!("{}: {error}", file.display()))?;
    let moved = import(&place.make()?, BufReader::new(open))?;
    Ok(writeln!(stdout(), "{} tables, {} entries", moved.tables, moved.entries)?)
}
