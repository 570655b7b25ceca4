//! The path of one move: decide, write, commit.

use super::Table;
use crate::act::{Act, Desk, Entry, Hidden, Open};
use crate::audience::Update;
use crate::ids::{IdempotencyKey, Used};
use crate::log::{Bytes32, Sealed, Stored, Tail};
use crate::position::Position;
use parlor_rules::{Entered, Flow, House, Input, Json, Pending, Refusal, Seat, text};
use std::borrow::Cow;
use std::sync::Arc;

/// What a sender adds to an act.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Stamp {
    /// The sender's id for it. An id that is sent twice is decided once.
    pub id: Option<String>,
    /// The number of the question it answers. An answer to an old question is refused.
    pub ask: Option<u64>,
    /// What it adds to chance: the next preimage of the sender's hash chain.
    pub contribution: Option<Bytes32>,
}

impl Stamp {
    /// The seat that adds to chance by an act, and what it adds. Only a command of a seat does.
    pub(crate) fn contribution_to(&self, act: &Act) -> Option<(Seat, Bytes32)> {
        act.author().zip(self.contribution)
    }
}

/// The result of a submission that is not refused.
pub enum Submitted {
    /// A new entry: store it, then call [`Table::commit`].
    Entry(Box<PendingEntry>),
    /// This id was decided before.
    Again {
        /// The number of the entry it became.
        seq: u64,
    },
}

/// An entry that is decided and not applied, with what it makes of the table.
pub struct PendingEntry {
    /// The entry.
    pub stored: Arc<Stored>,
    /// Chips that it moves over the edge of the table.
    pub flows: Vec<Flow>,
    /// Whether it ends the game.
    pub over: bool,
    /// The end of the log that it follows.
    after: Tail,
    decision: Decision,
    /// The updates it brings.
    updates: Vec<Update>,
}

/// What an entry makes of the table. The table stays as it was until the decision lands, so that
/// deciding again gives the same draws.
pub(crate) struct Decision {
    /// The position after it.
    pub(crate) next: Box<Position>,
    pub(crate) act: Act,
    pub(crate) key: Option<IdempotencyKey>,
    /// What its sender adds to chance.
    pub(crate) contribution: Option<(Seat, Bytes32)>,
    /// Its events, who sees what of them, and the chips they move.
    pub(crate) entered: Entered,
    /// The numbers drawn for it.
    pub(crate) draws: Vec<u32>,
}

impl Table {
    /// Decides an act. The table does not change until the entry comes back by [`Table::commit`].
    pub fn submit(&mut self, act: Act, stamp: &Stamp, now_ms: u64) -> Result<Submitted, Refusal> {
        let key = self.key(&act, stamp.id.as_deref());
        match self.used(key) {
            Some(Used { seq, same: true }) => return Ok(Submitted::Again { seq }),
            Some(_) => {
                let text = "this id was used for something else; take a new one";
                return Err(Refusal::new("id_reused", text));
            }
            None => {}
        }
        let mut decision = match self.decide(&act, stamp, key, now_ms) {
            Ok(decision) => decision,
            Err(refusal) => {
                self.forget_refused(&act);
                return Err(refusal);
            }
        };
        let stored = self.write_entry(&decision, stamp.id.as_deref());
        decision.next.tail = Tail::of_last(&stored);
        let flows = std::mem::take(&mut decision.entered.flows);
        let over = decision.next.pending == Pending::Over && *self.pending() != Pending::Over;
        // The updates are made before the entry is stored, so that little is left to do after the commit.
        let updates = self.updates(&decision);
        let stored = Arc::new(stored);
        let after = self.now.tail;
        Ok(Submitted::Entry(Box::new(PendingEntry {
            stored,
            flows,
            over,
            after,
            decision,
            updates,
        })))
    }

    /// Notes that the rules refuse what presence or [`Table::woke`] asks for, so that
    /// [`Table::due`] does not give it again.
    fn forget_refused(&mut self, act: &Act) {
        match act {
            Act::Game(Input::House(House::Left { seat })) => self.presence.told(*seat),
            Act::Desk(Desk::Resume { .. }) => self.alive_ms = None,
            _ => {}
        }
    }

    /// The key of an act with this id; none without an id.
    pub(crate) fn key(&self, act: &Act, id: Option<&str>) -> Option<IdempotencyKey> {
        id.map(|id| IdempotencyKey::new(act, id, &self.now.chairs))
    }

    /// The entry that was made with a key; none if the key is new.
    pub(crate) fn used(&self, key: Option<IdempotencyKey>) -> Option<Used> {
        self.ids.find(key?)
    }

    /// Decides an act with the chance of the table.
    pub(crate) fn decide(
        &self,
        act: &Act,
        stamp: &Stamp,
        key: Option<IdempotencyKey>,
        now_ms: u64,
    ) -> Result<Decision, Refusal> {
        let mut next = self.prepare(act, stamp, now_ms)?;
        let (entered, draws) = next.enter(act, None, now_ms)?;
        next.follow(act, self.header.options.clock, now_ms)?;
        let contribution = stamp.contribution_to(act);
        Ok(Decision { next, act: act.clone(), key, contribution, entered, draws })
    }

    /// A copy of the position for an admitted act to change, with what its sender adds to chance.
    pub(crate) fn prepare(
        &self,
        act: &Act,
        stamp: &Stamp,
        now_ms: u64,
    ) -> Result<Box<Position>, Refusal> {
        self.admit(act, stamp, now_ms)?;
        let mut next = self.now.copy();
        if let Some((seat, link)) = stamp.contribution_to(act) {
            next.chance.contribute(seat, link)?;
        }
        Ok(next)
    }

    /// Writes a decision as the next entry of the log.
    fn write_entry(&self, decision: &Decision, id: Option<&str>) -> Stored {
        let (open, hidden) = self.parts(decision, id);
        let salt = self.keys.salt(&self.header.table, self.now.tail.seq);
        let sealed = Sealed::Kept { salt, text: text(&hidden) };
        self.now.tail.write(open.at_ms, text(&open), sealed)
    }

    /// The open and the sealed part of a decision's entry.
    pub(crate) fn parts<'a>(
        &self,
        decision: &'a Decision,
        id: Option<&'a str>,
    ) -> (Open<'a>, Hidden<'a>) {
        let Decision { next, act, contribution, entered, draws, .. } = decision;
        let (before, after) = (&self.now.chance, &next.chance);
        let watched = entered.sights.watched();
        let public = |(event, sight): (&Json, &Option<Json>)| {
            sight.as_ref().is_some_and(|sight| sight.get() == event.get())
        };
        let all_public = entered.events.iter().zip(watched).all(public);
        let hides = act.author().is_some() && (entered.events.is_empty() || !all_public);
        let root = after.next_root().filter(|root| before.next_root() != Some(*root));
        let open = Open {
            at_ms: next.at_ms,
            act: (!hides).then_some(Cow::Borrowed(act)),
            events: watched.into(),
            contribution: *contribution,
            root,
            commitments: match after.mark().hand > before.mark().hand {
                true => after.commitments().to_vec(),
                false => Vec::new(),
            },
            secret: (next.pending == Pending::Over).then_some(self.keys.dice),
        };
        let whole = |(event, sight): (&Json, &Option<Json>)| {
            (!public((event, sight))).then(|| event.clone())
        };
        let hidden = Hidden {
            id: id.map(Cow::Borrowed),
            act: hides.then_some(Cow::Borrowed(act)),
            draws: draws.clone(),
            chance: (after.mark() != before.mark()).then_some(after.mark()),
            events: match all_public {
                true => Vec::new(),
                false => entered.events.iter().zip(watched).map(whole).collect(),
            },
        };
        (open, hidden)
    }

    /// Applies an entry that was decided and is stored by now, and gives every audience its update.
    /// Refuses an entry that was decided before another one was applied.
    pub fn commit(&mut self, pending: PendingEntry) -> Result<Vec<Update>, Refusal> {
        let PendingEntry { after, decision, updates, .. } = pending;
        if after != self.now.tail {
            return Err(Refusal::new("bad_log", "another entry was applied since it was decided"));
        }
        Ok(self.take(decision, updates))
    }

    /// Applies the next entry of the log, and gives every audience its update.
    pub fn apply(&mut self, stored: &Stored) -> Result<Vec<Update>, Refusal> {
        let decision = self.read(stored)?;
        let updates = self.updates(&decision);
        Ok(self.take(decision, updates))
    }

    fn take(&mut self, decision: Decision, updates: Vec<Update>) -> Vec<Update> {
        match &decision.act {
            Act::Game(Input::House(House::Left { seat })) => self.presence.told(*seat),
            Act::Game(Input::House(House::Begin {})) => self.presence.begun(),
            // A person who sits down or plays is present. Nobody can be absent from a free chair.
            Act::Desk(Desk::Sit { seat, .. } | Desk::Rise { seat })
            | Act::Game(Input::Play { seat, .. }) => self.presence.back(*seat),
            _ => {}
        }
        self.land(decision);
        self.audiences.tell(updates, self.now.at_ms)
    }

    /// The updates that a decision brings once it is stored.
    fn updates(&self, decision: &Decision) -> Vec<Update> {
        self.audiences.updates(&decision.entered.sights, Some(&self.now), &decision.next)
    }

    /// Makes the position after a decision the present one.
    pub(crate) fn land(&mut self, decision: Decision) {
        let Decision { next, act, key, .. } = decision;
        if matches!(act, Act::Desk(Desk::Resume { .. })) {
            self.alive_ms = None;
        }
        if let Some(key) = key {
            self.ids.insert(key, self.now.tail.seq);
        }
        self.now = next;
    }

    /// Reads a stored entry without deciding it again.
    pub(crate) fn read(&self, stored: &Stored) -> Result<Decision, Refusal> {
        let wrong = |text: String| Refusal::new("bad_log", format!("entry {}: {text}", stored.seq));
        let tail = self.now.tail.after(stored).map_err(|unchained| wrong(unchained.to_string()))?;
        let entry = Entry::read(stored).map_err(wrong)?;
        let Some(Entry { act, events, contribution, id, draws, chance, .. }) = entry else {
            return Err(wrong("its sealed part is erased".to_owned()));
        };
        let mut next = self.now.copy();
        if let Some((seat, link)) = contribution {
            next.chance.contribute(seat, link)?;
        }
        if let Some(mark) = chance {
            next.chance.advance(mark).map_err(|text| wrong(text.to_owned()))?;
        }
        let entered = next.apply(events, stored.at_ms)?;
        next.follow(&act, self.header.options.clock, stored.at_ms)?;
        next.tail = tail;
        let key = self.key(&act, id.as_deref());
        Ok(Decision { next, act, key, contribution, entered, draws })
    }
}
