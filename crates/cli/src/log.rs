//! `parlor tables`, `replay`, `audit`, `export` and `import`: what a journal holds.

use anyhow::{Context as _, Error, Result, anyhow, bail, ensure};
use clap::Args;
use parlor_journal::{
    Durability, Head, Look, Memory, Reader, Share, Sqlite, Which, all_entries, all_heads, export,
    export_all, import, store,
};
use parlor_rules::{Json, Seat, Viewer, json};
use parlor_table::act::Entry;
use parlor_table::audit::{Report, audit};
use parlor_table::proof::prove;
use parlor_table::{Act, Eyes, Keys, Stored, Table, TableId, Update};
use serde::Serialize;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufReader, BufWriter, Write, stdout};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio::runtime::{Builder, Runtime};

/// Where the tables are.
#[derive(Args)]
pub(crate) struct Where {
    /// The file the tables are kept in
    #[arg(long, value_name = "FILE", default_value = "parlor.db")]
    journal: PathBuf,
}

impl Where {
    /// To look at: the journal may be in use, and is not changed.
    fn look(&self) -> Result<Look> {
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

/// What waits for a journal on this thread, beside the journal's own.
pub(crate) fn runtime() -> std::io::Result<Runtime> {
    Builder::new_current_thread().build()
}

/// Waits for a journal.
fn wait<T>(future: impl Future<Output = Result<T>>) -> Result<T> {
    runtime()?.block_on(future)
}

fn keys(keys: Option<Keys>, table: &TableId) -> Result<Keys> {
    keys.with_context(|| format!("only what anyone may know of {table} is here"))
}

/// Lists tables, one a line.
pub(crate) fn tables(place: &Where) -> Result<()> {
    let journal = place.look()?;
    wait(async {
        for head in all_heads(&journal, Which::All).await? {
            let Head { table, game, head, at_ms, finished, .. } = head;
            let state = if finished { "finished" } else { "open" };
            writeln!(stdout(), "{table}\t{game}\t{head} entries\t{state}\tat_ms {at_ms}")?;
        }
        Ok(())
    })
}

/// A stored table with its log.
async fn load(journal: &dyn Reader, table: &TableId) -> Result<(store::Found, Vec<Stored>)> {
    let found = store::find(journal, parlor_games::find, table).await?;
    Ok((found, all_entries(journal, table, 0).await?))
}

/// Prints what happened at a table, and how it then stood.
pub(crate) fn replay(
    place: &Where,
    table: &TableId,
    at: Option<u64>,
    seat: Option<u8>,
) -> Result<()> {
    let (found, entries) = wait(load(&place.look()?, table))?;
    let last = at.map_or(entries.len(), |at| (at as usize).saturating_add(1));
    ensure!(last <= entries.len(), "{table} has {} entries, from 0", entries.len());
    let header = &found.created.header;
    let mut replayed = Table::recover(found.game, header, keys(found.keys, table)?, [], 0, 0)?;
    let viewer = seat.map(|seat| Viewer::Seat(Seat::new(seat)));
    let seated = viewer.is_none_or(|viewer| replayed.current(viewer).is_some());
    ensure!(seated, "{table} has seats 0 to {}", replayed.header().seats - 1);
    for stored in &entries[..last] {
        let updates = replayed.apply(stored)?;
        let (seq, at_ms) = (stored.seq, stored.at_ms);
        let line = match viewer {
            None => {
                Entry::read(stored).map_err(Error::msg)?.map(|Entry { act, events, .. }| {
                    json(&Happened { seq, at_ms, what: What::All { act, events } })
                })
            }
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
pub(crate) fn check(place: &Where, what: &str) -> Result<()> {
    let file = Path::new(what);
    if file.is_file() {
        // A chain that is broken is named with its line before anything is decided again.
        let memory = Memory::default();
        let lines = lines(file)?;
        return wait(async {
            if import(&memory, lines).await?.tables == 0 {
                bail!("there is no table in {what}");
            }
            for head in all_heads(&memory, Which::All).await? {
                check_table(&memory, &head.table).await?;
            }
            Ok(())
        });
    }
    let table: TableId = what.parse().map_err(|why| anyhow!("{what} is no file, and {why}"))?;
    wait(check_table(&place.look()?, &table))
}

async fn check_table(journal: &dyn Reader, table: &TableId) -> Result<()> {
    let (found, entries) = load(journal, table).await?;
    let report = audit(found.game, &found.created.header, &entries, found.keys)
        .map_err(|wrong| anyhow!("{table}: {wrong}"))?;
    let Report { entries, decided, draws, unchecked, digest } = report;
    writeln!(
        stdout(),
        "{table}: {entries} entries chained, {decided} decided again, {draws} draws right, {unchecked} unchecked, digest {digest}"
    )?;
    Ok(())
}

/// Prints what a viewer needs to check the dice and cards of a table.
pub(crate) fn proof(place: &Where, table: &TableId, seat: Option<u8>) -> Result<()> {
    let (found, entries) = wait(load(&place.look()?, table))?;
    let viewer = seat.map_or(Viewer::Watcher, |seat| Viewer::Seat(Seat::new(seat)));
    let keys = keys(found.keys, table)?;
    let proof = prove(found.game, &found.created.header, keys, &entries, Eyes::Of(viewer))?;
    if proof.dice.is_none() {
        eprintln!("parlor: {table} is still being played; its dice are proved when it is over");
    }
    Ok(writeln!(stdout(), "{}", json(&proof))?)
}

/// Writes one table, or all, as JSON Lines to standard output.
pub(crate) fn write(place: &Where, table: Option<&TableId>, public: bool) -> Result<()> {
    let journal = place.look()?;
    let share = if public { Share::Public } else { Share::Whole };
    let out = BufWriter::new(stdout().lock());
    wait(async {
        match table {
            Some(table) => export(&journal, table, share, out).await?,
            None => export_all(&journal, share, out).await?,
        };
        Ok(())
    })
}

/// Takes tables in from a file.
pub(crate) fn read(place: &Where, file: &Path, survives: Survives) -> Result<()> {
    let lines = lines(file)?;
    let journal = Sqlite::open(&place.journal, survives.into())?;
    let moved = wait(async { Ok(import(&journal, lines).await?) })?;
    Ok(writeln!(stdout(), "{} tables, {} entries", moved.tables, moved.entries)?)
}

/// The lines of a file, which are read twice: once to check them, once to take them in.
fn lines(file: &Path) -> Result<BufReader<File>> {
    let name = || file.display().to_string();
    let open = File::open(file).with_context(name)?;
    let twice = open.metadata().with_context(name)?.is_file();
    ensure!(twice, "{}: this is no file that can be read twice; write it to a disk first", name());
    Ok(BufReader::new(open))
}
