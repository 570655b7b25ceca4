//! Checking a log: its digests, its decisions, and its chance.

use crate::act::{Act, Hidden, Open};
use crate::fair::{Chance, Secrets};
use crate::log::{Bytes32, Sealed, Stored, header_digest, next_digest};
use crate::table::Header;
use parlor_rules::{AnyGame, AnyState, Draws, Input, Json, Source, Tape, Viewer};
use serde::Serialize;
use std::fmt;

/// What was found right.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Report {
    /// Entries whose digest follows from the log.
    pub entries: u64,
    /// Entries that were decided again, with the same events.
    pub decided: u64,
    /// Numbers that were drawn again from the secret of the table.
    pub draws: u64,
    /// Entries that could not be decided again: of an older edition, or after an erased one.
    pub unchecked: u64,
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

/// Checks a log from its header on. With the secrets of the table, or with the secret of the dice
/// that the last entry of a finished game tells, its chance is checked too.
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
    let deck = state.deck();
    let told = || told_secret(entries).filter(|_| deck == 0);
    let secrets = secrets.or_else(|| told().map(|dice| Secrets { dice, decks: dice }));
    let chance = secrets.map(|secrets| Chance::new(read.table.clone(), secrets, read.seats, deck));
    if let Some(chance) = &chance {
        let kept = chance.commitment() == read.dice && chance.next_root() == read.root;
        if !kept {
            return Err(wrong("the secret is not the one that was committed to".to_owned()));
        }
    }
    let current = read.edition == game.edition();
    let mut check =
        Check { state: Some(state), chance, current, seats: read.seats, report: Report::default() };
    let mut digest = header_digest(header);
    for (place, stored) in (0..).zip(entries) {
        let wrong = |why: String| Wrong { seq: Some(stored.seq), why };
        if stored.seq != place {
            return Err(wrong(format!("entry {place} belongs here")));
        }
        digest = next_digest(digest, &stored.open, &stored.sealed);
        if digest != stored.digest {
            return Err(wrong("its digest does not follow from the log".to_owned()));
        }
        check.report.entries += 1;
        check.entry(stored).map_err(wrong)?;
    }
    Ok(check.report)
}

/// The secret of the dice, if the log tells it.
fn told_secret(entries: &[Stored]) -> Option<Bytes32> {
    serde_json::from_str::<Open>(&entries.last()?.open).ok()?.secret
}

struct Check {
    /// None once an erased entry has made it unknown.
    state: Option<Box<dyn AnyState>>,
    chance: Option<Chance>,
    current: bool,
    seats: u8,
    report: Report,
}

impl Check {
    fn entry(&mut self, stored: &Stored) -> Result<(), String> {
        let open: Open = serde_json::from_str(&stored.open).map_err(|e| e.to_string())?;
        let (Some(mut state), Sealed::Kept { text, .. }) = (self.state.take(), &stored.sealed)
        else {
            self.report.unchecked += 1;
            return Ok(());
        };
        let hidden: Hidden = serde_json::from_str(text).map_err(|e| e.to_string())?;
        let act = open.act.or(hidden.act).ok_or("nothing came in")?;
        let mut kept = hidden.events.into_iter();
        let shown = open.events.clone().into_iter();
        let events: Option<Vec<Json>> =
            shown.map(|shown| kept.next().flatten().or(shown)).collect();
        let events = events.ok_or("an event is missing")?;

        if let (Some(chance), Some((seat, link))) = (&mut self.chance, open.contribution) {
            chance.contribute(seat, link).map_err(|e| parlor_rules::Reject::text(&e))?;
        }
        if let Some(chance) = &mut self.chance {
            match &act {
                Act::Desk(crate::Desk::Sit { seat, tip, .. }) => chance.sit(*seat, *tip),
                Act::Desk(crate::Desk::Release { seat, link }) => {
                    chance.contribute(*seat, *link).map_err(|e| parlor_rules::Reject::text(&e))?
                }
                _ => {}
            }
        }
        match &act {
            Act::Game(input) if self.current => {
                self.decide(&*state, input, &events, &hidden.draws)?;
            }
            Act::Game(_) => self.report.unchecked += 1,
            Act::Desk(_) => self.report.decided += 1,
        }
        for (event, shown) in events.iter().zip(&open.events) {
            state.apply(event).map_err(|e| e.to_string())?;
            let sight = state.sight(event, Viewer::Watcher).map_err(|e| e.to_string())?;
            let text = |json: &Option<Json>| json.as_ref().map(|json| json.get().to_owned());
            if text(&sight) != text(shown) {
                return Err("the open part does not show what everyone saw".to_owned());
            }
        }
        debug_assert!(state.seats() == self.seats);
        self.state = Some(state);
        Ok(())
    }

    /// Decides an entry again, from the secret if it is known, otherwise from its own draws.
    fn decide(
        &mut self,
        state: &dyn AnyState,
        input: &Input<Json>,
        events: &[Json],
        drawn: &[u32],
    ) -> Result<(), String> {
        let mut tape = Tape::new(drawn.iter().copied());
        let secret = self.chance.is_some();
        let source: &mut dyn Source = match &mut self.chance {
            Some(chance) => chance,
            None => &mut tape,
        };
        let mut draws = Draws::new(source);
        let decided = state.decide(input, &mut draws);
        let taken = draws.finish().map_err(|fault| fault.to_string())?;
        if taken != drawn {
            return Err(format!("{drawn:?} was drawn where {taken:?} had to be"));
        }
        let decided =
            decided.map_err(|refusal| format!("it should have been refused: {refusal}"))?;
        let same = decided.len() == events.len()
            && decided.iter().zip(events).all(|(a, b)| a.get() == b.get());
        if !same {
            return Err(format!("{} followed, not what is written", parlor_rules::json(&decided)));
        }
        self.report.decided += 1;
        self.report.draws += if secret { taken.len() as u64 } else { 0 };
        Ok(())
    }
}
