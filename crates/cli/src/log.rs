//! `parlor tables`, `replay`, `audit`, `export` and `import`: what a journal holds.

use crate::Failure;
use clap::Args;
use parlor_journal::{
    Durability, Head, Look, Memory, Reader, Share, Sqlite, Which, entries, export, export_all,
    hall, heads, import,
};
use parlor_rules::{Json, Seat, Viewer, json};
use parlor_table::act::Entry;
use parlor_table::audit::{Report, audit};
use parlor_table::fair::Secrets;
use parlor_table::proof::prove;
use parlor_table::{Act, Eyes, Keys, Stored, Table, TableId, Update};
use serde::Serialize;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufReader, BufWriter, Write, stdout};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Where the tables are.
#[derive(Args)]
pub(crate) struct Where {
    /// The file the tables are kept in
    #[arg(long, value_name = "FILE", default_value = "parlor.db")]
    journal: PathBuf,
}

impl Where {
    /// To look at: the journal may be in use, and is not changed.
    fn look(&self) -> Result<Look, Failure> {
        Ok(Look::open(&self.journal)?)
    }
}

/// What a stored entry survives.
#[derive(Clone, Copy, Default, clap::ValueEnum)]
pub(crate) enum Survives {
    /// The loss of power: each move waits for the disk
    #[default]
    PowerSafe,
    /// The death of the program; a loss of power may cost the last seconds
    ProcessSafe,
}

impl From<Survives> for Durability {
    fn from(survives: Survives) -> Self {
        match survives {
            Survives::PowerSafe => Self::PowerSafe,
            Survives::ProcessSafe => Self::ProcessSafe,
        }
    }
}

/// The whole log of a table.
fn log(journal: &dyn Reader, table: &TableId) -> Result<Vec<Stored>, Failure> {
    Ok(entries(journal, table, 0).collect::<Result<_, _>>()?)
}

fn keys(keys: Option<Keys>, table: &TableId) -> Result<Keys, Failure> {
    Ok(keys.ok_or_else(|| format!("only what anyone may know of {table} is here"))?)
}

/// Lists tables, one a line.
pub(crate) fn tables(place: &Where) -> Result<(), Failure> {
    for head in heads(&place.look()?, Which::All) {
        let Head { table, game, head, at_ms, finished, .. } = head?;
        let state = if finished { "finished" } else { "open" };
        writeln!(stdout(), "{table}\t{game}\t{head} entries\t{state}\tat_ms {at_ms}")?;
    }
    Ok(())
}

/// Prints what happened at a table, and how it then stood.
pub(crate) fn replay(
    place: &Where,
    table: &TableId,
    at: Option<u64>,
    seat: Option<u8>,
) -> Result<(), Failure> {
    let journal = place.look()?;
    let found = hall::find(&journal, parlor_games::find, table)?;
    let entries = log(&journal, table)?;
    let last = at.map_or(entries.len(), |at| (at as usize).saturating_add(1));
    if last > entries.len() {
        return Err(format!("{table} has {} entries, from 0", entries.len()).into());
    }
    let header = &found.created.header;
    let mut replayed = Table::recover(found.game, header, keys(found.keys, table)?, [], 0, 0)?;
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
    Seen { sights: Arc<[Json]> },
}

/// Checks a table of the journal, or all tables of an exported file.
pub(crate) fn check(place: &Where, what: &str) -> Result<(), Failure> {
    let file = Path::new(what);
    if file.is_file() {
        // A chain that is broken is named with its line before anything is decided again.
        let memory = Memory::default();
        if import(&memory, lines(file)?)?.tables == 0 {
            return Err(format!("there is no table in {what}").into());
        }
        for head in heads(&memory, Which::All) {
            check_table(&memory, &head?.table)?;
        }
        return Ok(());
    }
    let table: TableId = what.parse().map_err(|why| format!("{what} is no file, and {why}"))?;
    check_table(&place.look()?, &table)
}

fn check_table(journal: &dyn Reader, table: &TableId) -> Result<(), Failure> {
    let found = hall::find(journal, parlor_games::find, table)?;
    let entries = log(journal, table)?;
    let secrets = found.keys.map(|keys| Secrets { dice: keys.dice, decks: keys.deck });
    let report = audit(found.game, &found.created.header, &entries, secrets)
        .map_err(|wrong| format!("{table}: {wrong}"))?;
    let Report { entries, decided, draws, unchecked, digest } = report;
    writeln!(
        stdout(),
        "{table}: {entries} entries chained, {decided} decided again, {draws} draws right, {unchecked} unchecked, digest {digest}"
    )?;
    Ok(())
}

/// Prints what a viewer needs to check the dice and cards of a table.
pub(crate) fn proof(place: &Where, table: &TableId, seat: Option<u8>) -> Result<(), Failure> {
    let journal = place.look()?;
    let found = hall::find(&journal, parlor_games::find, table)?;
    let entries = log(&journal, table)?;
    let viewer = seat.map_or(Viewer::Watcher, |seat| Viewer::Seat(Seat::new(seat)));
    let keys = keys(found.keys, table)?;
    let proof = prove(found.game, &found.created.header, keys, &entries, Eyes::Of(viewer))?;
    if proof.dice.is_none() {
        eprintln!("parlor: {table} is still being played; its dice are proved when it is over");
    }
    Ok(writeln!(stdout(), "{}", json(&proof))?)
}

/// Writes one table, or all, as JSON Lines to standard output.
pub(crate) fn write(place: &Where, table: Option<&TableId>, public: bool) -> Result<(), Failure> {
    let journal = place.look()?;
    let share = if public { Share::Public } else { Share::Whole };
    let out = BufWriter::new(stdout().lock());
    match table {
        Some(table) => export(&journal, table, share, out)?,
        None => export_all(&journal, share, out)?,
    };
    Ok(())
}

/// Takes tables in from a file.
pub(crate) fn read(place: &Where, file: &Path, survives: Survives) -> Result<(), Failure> {
    let lines = lines(file)?;
    let journal = Sqlite::open(&place.journal, survives.into())?;
    let moved = import(&journal, lines)?;
    Ok(writeln!(stdout(), "{} tables, {} entries", moved.tables, moved.entries)?)
}

/// The lines of a file, which are read twice: once to check them, once to take them in.
fn lines(file: &Path) -> Result<BufReader<File>, Failure> {
    let fail = |why: &dyn std::fmt::Display| format!("{}: {why}", file.display());
    let open = File::open(file).map_err(|error| fail(&error))?;
    if !open.metadata().map_err(|error| fail(&error))?.is_file() {
        return Err(
            fail(&"this is no file that can be read twice; write it to a disk first").into()
        );
    }
    Ok(BufReader::new(open))
}
