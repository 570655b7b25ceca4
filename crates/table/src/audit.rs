//! Checking a log: its digests, its decisions, and its chance.

use crate::act::{Entry, Open};
use crate::fair;
use crate::header::Header;
use crate::ids::IdempotencyKey;
use crate::keys::Keys;
use crate::log::{Bytes32, Sealed, Stored, Tail};
use crate::table::{Decision, Stamp, Table};
use parlor_rules::{AnyGame, Refusal, Tape, text};
use serde::Serialize;

/// What was found right.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Report {
    /// Entries whose digest follows from the log.
    pub entries: u64,
    /// Entries that were decided again, with the same events.
    pub decided: u64,
    /// Numbers that were drawn again from the secret of the table.
    pub draws: u64,
    /// Entries that could not be decided again: of an older edition, or after an erased one.
    pub unchecked: u64,
    /// The digest of the whole. A log that was cut off at its end is whole as well: only who kept a
    /// later digest can tell.
    pub digest: Bytes32,
}

/// The first thing found wrong.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, thiserror::Error)]
#[error("{}: {why}", .seq.map_or_else(|| "header".to_owned(), |seq| format!("entry {seq}")))]
pub struct Wrong {
    /// The entry; none if it is the header.
    pub seq: Option<u64>,
    /// What is wrong with it.
    pub why: String,
}

/// Checks a log from its header on: every entry is decided again by the table it belongs to, and
/// must come out as it is written. With the keys of the table, or with the secret of the dice that
/// the last entry of a finished game tells, its chance is drawn again too. The key of the seals is
/// not needed: a log holds the salts.
pub fn audit(
    game: &dyn AnyGame,
    header: &str,
    entries: &[Stored],
    keys: Option<Keys>,
) -> Result<Report, Wrong> {
    let wrong = |why: String| Wrong { seq: None, why };
    let read: Header = serde_json::from_str(header).map_err(|e| wrong(e.to_string()))?;
    if read.game != game.key() {
        return Err(wrong(format!("this is a game of {}", read.game)));
    }
    let state = game.open(&read.config, read.seats).map_err(|e| wrong(e.to_string()))?;
    let told = || told_secret(entries).filter(|_| state.deck() == 0);
    let keys = keys.or_else(|| told().map(|dice| Keys { dice, ..NO_KEYS }));
    let table = Table::at_header(game, header, keys.unwrap_or(NO_KEYS), 0);
    let table = table.map_err(|e| wrong(e.to_string()))?;
    let chance = table.chance();
    if keys.is_some() && (chance.commitment(), chance.next_root()) != (read.dice, read.root) {
        return Err(wrong("the secret is not the one that was committed to".to_owned()));
    }
    let mut tail = Tail::of_header(header);
    let mut check = Check {
        table: Some(table),
        secret: keys.is_some(),
        current: read.edition == game.edition(),
        root: read.root,
        report: Report { entries: 0, decided: 0, draws: 0, unchecked: 0, digest: tail.digest },
    };
    for stored in entries {
        let wrong = |why: String| Wrong { seq: Some(stored.seq), why };
        tail = tail.after(stored).map_err(|unchained| wrong(unchained.to_string()))?;
        check.report.entries += 1;
        check.report.digest = tail.digest;
        check.entry(stored).map_err(wrong)?;
    }
    Ok(check.report)
}

/// What stands for keys that are not known.
const NO_KEYS: Keys =
    Keys { dice: Bytes32([0; 32]), deck: Bytes32([0; 32]), seal: Bytes32([0; 32]) };

/// The secret of the dice, if the log tells it.
fn told_secret(entries: &[Stored]) -> Option<Bytes32> {
    serde_json::from_str::<Open<'_>>(&entries.last()?.open).ok()?.secret
}

struct Check {
    /// None once an erased entry has made it unknown.
    table: Option<Table>,
    /// Whether the keys of the table are known.
    secret: bool,
    /// Whether the rules are of the edition that decided.
    current: bool,
    /// What the next deck must have been committed to.
    root: Option<Bytes32>,
    report: Report,
}

impl Check {
    fn entry(&mut self, stored: &Stored) -> Result<(), String> {
        let open: Open<'_> = serde_json::from_str(&stored.open).map_err(|e| e.to_string())?;
        if !open.commitments.is_empty() && Some(fair::root(&open.commitments)) != self.root {
            return Err("its deck is not the one that was committed to".to_owned());
        }
        self.root = open.root.or(self.root);
        if open.at_ms != stored.at_ms {
            return Err("its time is not the one that was written".to_owned());
        }
        let Some(mut table) = self.table.take() else {
            self.report.unchecked += 1;
            return Ok(());
        };
        let decision = match Entry::read(stored)? {
            Some(entry) if self.current => self.recheck(&table, stored, open, entry)?,
            Some(_) => {
                self.report.unchecked += 1;
                table.read(stored).map_err(|refusal| refusal.text)?
            }
            None => match self.recheck_open(&table, stored, open)? {
                Some(decision) => decision,
                None => {
                    self.report.unchecked += 1;
                    return Ok(());
                }
            },
        };
        table.land(decision);
        self.table = Some(table);
        Ok(())
    }

    /// Decides an entry again, and compares it with what is written.
    fn recheck(
        &mut self,
        table: &Table,
        stored: &Stored,
        open: Open<'_>,
        entry: Entry,
    ) -> Result<Decision, String> {
        let Sealed::Kept { text: sealed, .. } = &stored.sealed else {
            return Err("it is erased".to_owned());
        };
        let key = table.key(&entry.act, entry.id.as_deref());
        if table.used(key).is_some() {
            return Err("its id stands twice".to_owned());
        }
        let contribution = entry.contribution.map(|(_, link)| link);
        let stamp = Stamp { id: None, ask: None, contribution };
        let decided = match self.secret {
            true => table.decide(&entry.act, &stamp, key, stored.at_ms),
            false => decide_with_tape(table, &entry, &stamp, key, stored.at_ms),
        };
        let mut decision = decided.map_err(refused)?;
        if decision.draws != entry.draws {
            let (came, due) = (&entry.draws, &decision.draws);
            return Err(format!("{came:?} was drawn where {due:?} had to be"));
        }
        let (mut again, hidden) = table.parts(&decision, entry.id.as_deref());
        if !self.secret {
            // Only the keys give these.
            again.root = open.root;
            again.commitments = open.commitments;
            again.secret = open.secret;
        }
        let (again, hidden) = (text(&again), text(&hidden));
        if (&again, &hidden) != (&stored.open, sealed) {
            return Err(format!("{again} and {hidden} had to be written"));
        }
        self.report.decided += 1;
        self.report.draws += if self.secret { decision.draws.len() as u64 } else { 0 };
        decision.next.tail = Tail::of_last(stored);
        Ok(decision)
    }

    /// Decides an entry again whose sealed part is erased, and compares what is left of it. None if
    /// something was hidden in it, or chance is not known.
    fn recheck_open(
        &mut self,
        table: &Table,
        stored: &Stored,
        open: Open<'_>,
    ) -> Result<Option<Decision>, String> {
        let whole = open.events.iter().all(Option::is_some);
        let Some(act) = open.act.filter(|_| whole && self.secret && self.current) else {
            return Ok(None);
        };
        let contribution = open.contribution.map(|(_, link)| link);
        let stamp = Stamp { id: None, ask: None, contribution };
        let mut decision = table.decide(&act, &stamp, None, stored.at_ms).map_err(refused)?;
        let (again, _) = table.parts(&decision, None);
        let again = text(&again);
        if again != stored.open {
            return Err(format!("{again} had to be written"));
        }
        self.report.decided += 1;
        self.report.draws += decision.draws.len() as u64;
        decision.next.tail = Tail::of_last(stored);
        Ok(Some(decision))
    }
}

/// Decides an entry again with the numbers that it says were drawn, where the keys are not known.
fn decide_with_tape(
    table: &Table,
    entry: &Entry,
    stamp: &Stamp,
    key: Option<IdempotencyKey>,
    at_ms: u64,
) -> Result<Decision, Refusal> {
    let mut next = table.prepare(&entry.act, stamp, at_ms)?;
    let mut tape = Tape::new(entry.draws.clone());
    let (entered, draws) = next.enter(&entry.act, Some(&mut tape), at_ms)?;
    if let Some(mark) = entry.chance {
        next.chance.advance(mark).map_err(|text| Refusal::new("no_chance", text))?;
    }
    next.follow(&entry.act, table.header().options.clock, at_ms)?;
    let contribution = stamp.contribution_to(&entry.act);
    Ok(Decision { next, act: entry.act.clone(), key, contribution, entered, draws })
}

fn refused(refusal: Refusal) -> String {
    format!("it should have been refused: {refusal}")
}
