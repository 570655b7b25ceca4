//! The table: its position, who is connected, and what each audience was told.

mod decide;
mod snapshot;

pub(crate) use decide::Decision;
pub use decide::{PendingEntry, Stamp, Submitted};

use crate::act::{Act, Chair, Desk};
use crate::audience::{Audiences, Update};
use crate::fair::{Chance, HandProof};
use crate::header::{Header, NewTable};
use crate::ids::Ids;
use crate::keys::Keys;
use crate::log::{Bytes32, Stored, Tail};
use crate::options::Options;
use crate::position::Position;
use crate::presence::Presence;
use crate::time::Times;
use parlor_rules::{
    AnyGame, AnyState, Chips, Input, Json, Owner, Pending, Refusal, Seat, Stay, Verdict, Viewer,
    text,
};
use std::sync::Arc;

/// One table: a game, the end of its log, its chairs, who is present, and what each audience was
/// told.
pub struct Table {
    header: Header,
    keys: Keys,
    now: Box<Position>,
    presence: Presence,
    audiences: Audiences,
    ids: Ids,
    /// The last moment before a time for which nobody is to be charged.
    alive_ms: Option<u64>,
}

impl Table {
    /// Opens a new table and gives its header, to be stored before its first entry.
    pub fn open(new: NewTable<'_>) -> Result<(Self, String), Refusal> {
        let deck = new.game.open(&new.config, new.seats)?.deck();
        let chance = Chance::new(new.table.clone(), new.keys, new.seats, deck);
        let header = Header {
            game: new.game.key().to_owned(),
            edition: new.game.edition(),
            config: new.config,
            seats: new.seats,
            options: new.options,
            created_ms: new.now_ms,
            dice: chance.commitment(),
            root: chance.next_root(),
            table: new.table,
        };
        let written = text(&header);
        let mut table = Self::at_header(new.game, &written, new.keys, 0)?;
        table.presence = Presence::new(new.seats);
        Ok((table, written))
    }

    /// The table as it was before its first entry.
    pub(crate) fn at_header(
        game: &dyn AnyGame,
        text: &str,
        keys: Keys,
        epoch: u32,
    ) -> Result<Self, Refusal> {
        let header: Header = serde_json::from_str(text).map_err(corrupt)?;
        let state = game.open(&header.config, header.seats)?;
        let times = Times::new(header.seats, header.options.clock);
        let (name, deck) = (header.table.clone(), state.deck());
        let now = Box::new(Position {
            pending: state.pending(),
            state: state.into(),
            tail: Tail::of_header(text),
            chance: Chance::new(name, keys, header.seats, deck),
            chairs: vec![Chair::Open; usize::from(header.seats)].into(),
            times,
            at_ms: header.created_ms,
        });
        let mut audiences = Audiences::new(header.seats, epoch, &header.options);
        audiences.settle(&now);
        Ok(Self {
            now,
            presence: Presence::unseen(header.seats, header.created_ms),
            audiences,
            ids: Ids::default(),
            alive_ms: None,
            keys,
            header,
        })
    }

    /// A table from its log. Its clocks run from where they were; [`Desk::Resume`] takes out time
    /// that nobody is to be charged for. `epoch` must differ from that of every earlier stay in
    /// memory.
    pub fn recover<'a>(
        game: &dyn AnyGame,
        header: &str,
        keys: Keys,
        entries: impl IntoIterator<Item = &'a Stored>,
        epoch: u32,
        now_ms: u64,
    ) -> Result<Self, Refusal> {
        Self::at_header(game, header, keys, epoch)?.with_its_secret()?.replay(entries, now_ms)
    }

    /// The table, if its keys are those that were committed to.
    fn with_its_secret(self) -> Result<Self, Refusal> {
        let (chance, header) = (&self.now.chance, &self.header);
        if (chance.commitment(), chance.next_root()) == (header.dice, header.root) {
            return Ok(self);
        }
        let text = "the secret of this table is not the one that was committed to";
        Err(Refusal::new("bad_log", text))
    }

    /// Applies stored entries without an update for each.
    fn replay<'a>(
        mut self,
        entries: impl IntoIterator<Item = &'a Stored>,
        now_ms: u64,
    ) -> Result<Self, Refusal> {
        let Options { watch_delay_ms, .. } = self.header.options;
        let mut behind = false;
        for stored in entries {
            // Delayed updates of watchers that are not due yet are kept for later.
            let late = stored.at_ms.saturating_add(watch_delay_ms) > now_ms;
            if late && watch_delay_ms > 0 {
                if !behind {
                    self.audiences.settle(&self.now);
                    behind = true;
                }
                self.apply(stored)?;
            } else {
                let decision = self.read(stored)?;
                self.land(decision);
            }
        }
        self.presence = Presence::unseen(self.header.seats, now_ms);
        if !behind {
            self.audiences.settle(&self.now);
        }
        Ok(self)
    }

    /// What is fixed for as long as the table lasts.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// The time of its last entry, or when it was made.
    pub fn at_ms(&self) -> u64 {
        self.now.at_ms
    }

    /// Whether its clocks stand still.
    pub fn paused(&self) -> bool {
        self.now.times.paused()
    }

    /// The number of the question a seat is asked.
    pub(crate) fn ask(&self, seat: Seat) -> Option<u64> {
        self.audiences.ask(seat)
    }

    /// The number of its next entry.
    pub fn head(&self) -> u64 {
        self.now.tail.seq
    }

    /// The digest of its log.
    pub fn digest(&self) -> Bytes32 {
        self.now.tail.digest
    }

    /// The chairs, by seat.
    pub fn chairs(&self) -> &Arc<[Chair]> {
        &self.now.chairs
    }

    /// What the game waits for.
    pub fn pending(&self) -> &Pending {
        &self.now.pending
    }

    /// The outcome of the game, once it is over.
    pub fn outcome(&self) -> Option<Json> {
        self.now.state.outcome()
    }

    /// The outcome for a rating, once the game is over.
    pub fn verdict(&self) -> Option<Verdict> {
        self.now.state.verdict()
    }

    /// The state as a document.
    pub fn doc(&self) -> Json {
        self.now.state.doc()
    }

    /// The state of the game.
    pub(crate) fn state(&self) -> &dyn AnyState {
        &*self.now.state
    }

    /// What a seat is to the game; see [`parlor_rules::Rules::stay`].
    pub fn stay(&self, seat: Seat) -> Stay {
        self.now.state.stay(seat)
    }

    /// Whether the player on a seat is connected.
    pub fn here(&self, seat: Seat) -> bool {
        self.presence.here(seat)
    }

    /// All chips on the table.
    pub fn stake(&self) -> Chips {
        self.now.state.stake()
    }

    /// The proof of the current hand, with the cards this viewer may see opened; none before the
    /// first hand, or if there are no cards.
    pub fn proof(&self, viewer: Viewer) -> Option<HandProof> {
        self.now.chance.hand(&self.now.state.dealt(viewer))
    }

    /// The chance of the table.
    pub fn chance(&self) -> &Chance {
        &self.now.chance
    }

    /// What an audience was told last. Asking changes nothing.
    pub fn current(&self, audience: Viewer) -> Option<Update> {
        self.audiences.current(audience, &self.now)
    }

    /// The last connection of a seat is closed. [`Table::due`] says what follows.
    pub fn gone(&mut self, seat: Seat, now_ms: u64) {
        self.presence.gone(seat, now_ms);
    }

    /// A seat is connected again.
    pub fn back(&mut self, seat: Seat) {
        self.presence.back(seat);
    }

    /// Nothing could be played until now, as after a crash or with a failing disk. `alive_ms` is the
    /// last known moment before it; the last entry is one too. If anyone was charged for that time,
    /// [`Table::resume`] has to be submitted before anything else.
    pub fn woke(&mut self, alive_ms: u64, now_ms: u64) {
        let since = alive_ms.max(self.now.at_ms);
        let runs = self.now.times.deadlines(self.header.options.clock).next().is_some();
        if since < now_ms && runs && *self.pending() != Pending::Over {
            self.alive_ms = Some(self.alive_ms.map_or(since, |before| before.min(since)));
        }
    }

    /// The act that has to be submitted before anything else after [`Table::woke`].
    pub fn resume(&self) -> Option<Act> {
        let alive_ms = self.alive_ms?.max(self.now.at_ms);
        Some(Act::Desk(Desk::Resume { alive_ms }))
    }

    /// How long a seat may be disconnected before the rules are told.
    fn grace_ms(&self) -> Option<u64> {
        self.header.options.disconnect_grace_ms.or_else(|| self.now.state.grace_ms())
    }

    /// The next act that time or presence brings by now: submit it, and ask again.
    pub fn due(&self, now_ms: u64) -> Option<(Act, Stamp)> {
        if *self.pending() == Pending::Over {
            return None;
        }
        if let Some(act) = self.resume() {
            return Some((act, Stamp::default()));
        }
        let (chairs, options) = (&self.now.chairs, &self.header.options);
        let paused = self.paused();
        let act = self.presence.due(chairs, paused, self.grace_ms(), options, now_ms);
        if let Some(act) = act {
            return Some((act, Stamp::default()));
        }
        let passed = self.now.times.deadlines(options.clock).filter(|(_, until)| *until <= now_ms);
        let (owner, _) = passed.min_by_key(|(_, until)| *until)?;
        Some((Act::Game(Input::Expire { seat: owner }), Stamp::default()))
    }

    /// When [`Table::due`] or [`Table::late`] will have something if nothing else happens.
    pub fn next_ms(&self) -> Option<u64> {
        let late = self.audiences.next_ms();
        if *self.pending() == Pending::Over {
            return late;
        }
        if self.due(0).is_some() {
            return Some(0);
        }
        let options = &self.header.options;
        let times = self.now.times.deadlines(options.clock).map(|(_, until)| until);
        let presence = self.presence.next_ms(&self.now.chairs, self.grace_ms(), options);
        times.chain(presence).chain(late).min()
    }

    /// The deadline of an owner; none if no time runs for it.
    pub fn until_ms(&self, owner: Owner) -> Option<u64> {
        self.now.times.until_ms(owner, self.header.options.clock)
    }

    /// The delayed updates of watchers that are due by now.
    pub fn late(&mut self, now_ms: u64) -> Vec<Update> {
        self.audiences.due(now_ms)
    }
}

fn corrupt(error: serde_json::Error) -> Refusal {
    Refusal::new("bad_log", format!("what was written cannot be read: {error}"))
}
