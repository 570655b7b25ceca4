//! Checking a log: its digests, its decisions, and its chance.

use crate::act::{Entry, Open};
use crate::fair::{self, Secrets};
use crate::log::{Bytes32, Sealed, Stored, Tail};
use crate::table::{Flight, Header, Keys, Stamp, Table, Written};
use parlor_rules::AnyGame;
use serde::Serialize;
use std::fmt;

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
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Wrong {
    /// The entry; none if it is the header.
    pub seq: Option<u64>,
    /// What is wrong with it.
    pub why: String,
}

impl fmt::Display for Wrong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.seq {
            Some(seq) => write!(f, "entry {seq}: {}", self.why),
            None => write!(f, "header: {}", self.why),
        }
    }
}

/// Checks a log from its header on: every entry is decided again by the table it belongs to, and
/// must come out as it is written. With the secrets of the table, or with the secret of the dice
/// that the last entry of a finished game tells, its chance is drawn again too.
pub fn audit(
    game: &dyn AnyGame,
    header: &str,
    entries: &[Stored],
    secrets: Option<Secrets>,
) -> Result<Report, Wrong> {
    let wrong = |why: String| Wrong { seq: None, why };
    let read: Header = serde_json::from_str(header).map_err(|e| wrong(e.to_string()))?;
    if read.game != game.key() {
        return Err(wrong(format!("this is a game of {}", read.game)));
    }
    let state = game.open(&read.config, read.seats).map_err(|e| wrong(e.to_string()))?;
    let told = || told_secret(entries).filter(|_| state.deck() == 0);
    let secrets = secrets.or_else(|| told().map(|dice| Secrets { dice, decks: dice }));
    let nobodys = Bytes32([0; 32]);
    let keys = match &secrets {
        Some(Secrets { dice, decks }) => Keys { dice: *dice, deck: *decks, seal: nobodys },
        None => Keys { dice: nobodys, deck: nobodys, seal: nobodys },
    };
    let table = Table::at_header(game, header, keys, 0).map_err(|e| wrong(e.to_string()))?;
    let chance = table.chance();
    if secrets.is_some() && (chance.commitment(), chance.next_root()) != (read.dice, read.root) {
        return Err(wrong("the secret is not the one that was committed to".to_owned()));
    }
    let mut tail = Tail::of_header(header);
    let mut check = Check {
        table: Some(table),
        secret: secrets.is_some(),
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

/// The secret of the dice, if the log tells it.
fn told_secret(entries: &[Stored]) -> Option<Bytes32> {
    serde_json::from_str::<Open<'_>>(&entries.last()?.open).ok()?.secret
}

struct Check {
    /// None once an erased entry has made it unknown.
    table: Option<Table>,
    /// Whether the table has its own chance, and not only what was written of it.
    secret: bool,
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
        let flight = match Entry::read(stored)? {
            Some(entry) if self.current => self.decide(&table, stored, open, entry)?,
            Some(_) => {
                self.report.unchecked += 1;
                table.read(stored).map_err(|refusal| refusal.text)?
            }
            None => match self.decide_open(&table, stored, open)? {
                Some(flight) => flight,
                None => {
                    self.report.unchecked += 1;
                    return Ok(());
                }
            },
        };
        table.land(flight);
        self.table = Some(table);
        Ok(())
    }

    /// Decides an entry again whose sealed part is erased, and compares what is left of it. None if
    /// something was hidden in it, or chance is not known.
    fn decide_open(
        &mut self,
        table: &Table,
        stored: &Stored,
        open: Open<'_>,
    ) -> Result<Option<Flight>, String> {
        let whole = open.events.iter().all(Option::is_some);
        let Some(act) = open.act.filter(|_| whole && self.secret && self.current) else {
            return Ok(None);
        };
        let contribution = open.contribution.map(|(_, link)| link);
        let stamp = Stamp { id: None, ask: None, contribution };
        let act = act.into_owned();
        let composed = table.compose(act, &stamp, None, stored.at_ms, Bytes32([0; 32]), None);
        let composed =
            composed.map_err(|refusal| format!("it should have been refused: {refusal}"))?;
        if composed.stored.open != stored.open {
            return Err(format!("{} had to be written", composed.stored.open));
        }
        self.report.decided += 1;
        self.report.draws += composed.draws as u64;
        Ok(Some(composed.flight.after(Tail::of_last(stored))))
    }

    /// Decides an entry again, and compares it with what is written.
    fn decide(
        &mut self,
        table: &Table,
        stored: &Stored,
        open: Open<'_>,
        entry: Entry,
    ) -> Result<Flight, String> {
        let Sealed::Kept { salt, text } = &stored.sealed else { return Err("it is erased".into()) };
        let name = table.name(&entry.act, entry.id.as_deref());
        if table.known(name).is_some() {
            return Err("its id stands twice".to_owned());
        }
        let written = Written {
            draws: entry.draws.clone(),
            chance: entry.chance,
            root: open.root,
            commitments: open.commitments,
            secret: open.secret,
        };
        let written = (!self.secret).then_some(&written);
        let link = entry.contribution.map(|(_, link)| link);
        let stamp = Stamp { id: entry.id, ask: None, contribution: link };
        let composed = table.compose(entry.act, &stamp, name, stored.at_ms, *salt, written);
        let composed =
            composed.map_err(|refusal| format!("it should have been refused: {refusal}"))?;
        let again = Entry::read(&composed.stored)?.ok_or("it is erased")?;
        if again.draws != entry.draws {
            return Err(format!("{:?} was drawn where {:?} had to be", entry.draws, again.draws));
        }
        let Sealed::Kept { text: sealed, .. } = &composed.stored.sealed else {
            return Err("it is erased".to_owned());
        };
        if (&composed.stored.open, sealed) != (&stored.open, text) {
            return Err(format!("{} and {sealed} had to be written", composed.stored.open));
        }
        self.report.decided += 1;
        self.report.draws += if self.secret { again.draws.len() as u64 } else { 0 };
        Ok(composed.flight)
    }
}
