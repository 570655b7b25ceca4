//! The table itself.

use crate::act::{Act, Chair, Desk, Entry, Hidden, Open, Who};
use crate::audience::{Audiences, Update};
use crate::fair::{self, Chance, Drawn, HandProof, Noted, Secrets};
use crate::log::{Bytes32, Sealed, Stored, TableId, Tail};
use crate::options::Options;
use crate::position::{Position, changing};
use crate::presence::Presence;
use crate::time::Times;
use hmac::{Hmac, Mac};
use parlor_rules::{
    AnyGame, Draws, Entered, Flow, House, Input, Json, Owner, Pending, Refusal, Seat, Sights,
    Source, Stay, Tape, Viewer, text,
};
use serde::{Deserialize, Serialize};
use sha2::Sha256;
use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

/// What a table is, written down once before its first entry.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Header {
    /// Its name.
    pub table: TableId,
    /// The key of its game.
    pub game: String,
    /// The edition of the game's rules.
    pub edition: u16,
    /// The options of the game.
    pub config: Json,
    /// How many seats.
    pub seats: u8,
    /// The options of the table.
    pub options: Options,
    /// When it was made, in milliseconds since 1970.
    pub created_ms: u64,
    /// The commitment to the secret of the dice.
    pub dice: Bytes32,
    /// The root of the first hand's deck; none if there are no cards.
    pub root: Option<Bytes32>,
}

/// What nobody outside may know. Given from outside: a table makes no secrets of its own.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Keys {
    /// Of the dice; told when the game is over.
    pub dice: Bytes32,
    /// Of the cards; never told.
    pub deck: Bytes32,
    /// Of the salts of sealed parts; never told.
    pub seal: Bytes32,
}

impl Keys {
    /// Keys from one secret, for tests and for play in the terminal.
    pub fn from_secret(secret: &str) -> Self {
        let key = |name: &str| Bytes32::hash(&[name.as_bytes(), secret.as_bytes()]);
        Self { dice: key("dice "), deck: key("deck "), seal: key("seal ") }
    }

    fn secrets(&self) -> Secrets {
        Secrets { dice: self.dice, decks: self.deck }
    }

    fn salt(&self, table: &TableId, seq: u64) -> Bytes32 {
        let mut mac = Hmac::<Sha256>::new_from_slice(&self.seal.0).expect("any key will do");
        mac.update(table.as_str().as_bytes());
        mac.update(&seq.to_be_bytes());
        Bytes32(mac.finalize().into_bytes().into())
    }
}

/// What a sender puts on an input.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Stamp {
    /// The sender's name for it: sent twice, it is decided once.
    pub id: Option<String>,
    /// The question it answers; an old question's answer is refused.
    pub ask: Option<u64>,
    /// What it adds to chance: the next preimage of the sender's hash chain.
    pub contribution: Option<Bytes32>,
}

/// What becomes of a submission that is not refused.
#[derive(Debug)]
pub enum Submitted {
    /// Store this, then commit it.
    Entry {
        /// The entry.
        stored: Stored,
        /// Chips that cross the table's edge by it.
        flows: Vec<Flow>,
        /// Whether the game is over by it.
        over: bool,
    },
    /// This id was decided before, as this entry.
    Again {
        /// The entry's number.
        seq: u64,
    },
}

/// What a log says of an entry's chance, for a check without the secrets.
pub(crate) struct Written {
    pub(crate) draws: Vec<u32>,
    pub(crate) chance: Option<fair::Mark>,
    pub(crate) root: Option<Bytes32>,
    pub(crate) commitments: Vec<Bytes32>,
    pub(crate) secret: Option<Bytes32>,
}

/// An entry that was decided and written down.
pub(crate) struct Composed {
    pub(crate) flight: Flight,
    pub(crate) stored: Stored,
    /// How many numbers were drawn for it.
    pub(crate) draws: usize,
    flows: Vec<Flow>,
    over: bool,
}

impl Flight {
    /// What is seen of it, for the one who tells it.
    pub(crate) fn seen(&mut self) -> Sights {
        std::mem::take(&mut self.sights)
    }

    /// The same at the end of another log, where its sealed part is not known.
    pub(crate) fn after(mut self, tail: Tail) -> Self {
        self.after.tail = tail;
        self
    }
}

/// An entry that is decided and not yet stored. Until it is committed the table still stands where
/// it stood, so that trying again cannot roll again.
pub(crate) struct Flight {
    after: Box<Position>,
    act: Act,
    name: Option<Name>,
    sights: Sights,
}

/// A table: a game, its log so far, who sits where, and who was told what.
pub struct Table {
    header: Header,
    keys: Keys,
    now: Box<Position>,
    /// What is on its way, and what all will be told of it. To work that out now, while all it needs
    /// is at hand, leaves little to look at when it is stored.
    flight: Option<(Flight, Vec<Update>)>,
    presence: Presence,
    audiences: Audiences,
    ids: Ids,
    /// Until when all was well, after a time for which nobody is to be charged.
    alive_ms: Option<u64>,
}

/// A position and the ids that led there, as written.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Snapshot {
    tail: Tail,
    state: Json,
    chance: fair::Position,
    chairs: Vec<Chair>,
    times: Times,
    at_ms: u64,
    ids: Ids,
}

/// The ids that were used, and for what: which entry each became. Both are kept as [`print`]s: a
/// sender who makes two of his own meet is answered as if he had said the first again.
type Ids = HashMap<u64, (u64, u64)>;

/// Eight bytes that stand for a text.
fn print(parts: &[&[u8]]) -> u64 {
    let [a, b, c, d, e, f, g, h, ..] = Bytes32::hash(parts).0;
    u64::from_be_bytes([a, b, c, d, e, f, g, h])
}

/// What stands for an id and its sender, and for what was said with it.
#[derive(Clone, Copy)]
pub(crate) struct Name {
    id: u64,
    body: u64,
}

/// What is needed to make a table.
pub struct NewTable<'a> {
    /// Its name.
    pub table: TableId,
    /// Its game.
    pub game: &'a dyn AnyGame,
    /// The options of the game.
    pub config: Json,
    /// How many seats.
    pub seats: u8,
    /// The options of the table.
    pub options: Options,
    /// What nobody outside may know.
    pub keys: Keys,
    /// When.
    pub now_ms: u64,
}

impl Table {
    /// Opens a new table and gives its header, to be stored before its first entry.
    pub fn open(new: NewTable<'_>) -> Result<(Self, String), Refusal> {
        let deck = new.game.open(&new.config, new.seats)?.deck();
        let chance = Chance::new(new.table.clone(), new.keys.secrets(), new.seats, deck);
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
        let clock = header.options.clock;
        let times = Times::new(header.seats, clock);
        let (name, deck) = (header.table.clone(), state.deck());
        let now = Box::new(Position {
            pending: state.pending(),
            state: state.into(),
            tail: Tail::of_header(text),
            chance: Chance::new(name, keys.secrets(), header.seats, deck).into(),
            chairs: vec![Chair::Open; usize::from(header.seats)].into(),
            times,
            at_ms: header.created_ms,
        });
        let mut audiences = Audiences::new(header.seats, epoch, header.options.watch_delay_ms);
        audiences.settle(&now.stand(clock));
        Ok(Self {
            now,
            presence: Presence::unseen(header.seats, header.created_ms),
            audiences,
            ids: HashMap::new(),
            alive_ms: None,
            flight: None,
            keys,
            header,
        })
    }

    /// A table from its log. Its clocks run from where they were; time that nobody is to be charged
    /// for is taken out by [`Desk::Resume`]. `epoch` must differ from that of every earlier stay in
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

    /// Goes on by stored entries, telling nobody about them one by one.
    fn replay<'a>(
        mut self,
        entries: impl IntoIterator<Item = &'a Stored>,
        now_ms: u64,
    ) -> Result<Self, Refusal> {
        let Options { clock, watch_delay_ms, .. } = self.header.options;
        let mut behind = false;
        for stored in entries {
            // What watchers who are behind have not seen yet, they are told when it is due.
            let late = stored.at_ms.saturating_add(watch_delay_ms) > now_ms;
            if late && watch_delay_ms > 0 {
                if !behind {
                    self.audiences.settle(&self.now.stand(clock));
                    behind = true;
                }
                self.commit(stored)?;
            } else {
                let flight = self.read(stored)?;
                self.land(flight);
            }
        }
        self.presence = Presence::unseen(self.header.seats, now_ms);
        if !behind {
            self.audiences.settle(&self.now.stand(clock));
        }
        Ok(self)
    }

    /// All that is needed to go on from here without the entries so far: a cache, never the truth.
    pub fn snapshot(&self) -> String {
        let snapshot = Snapshot {
            tail: self.now.tail,
            state: self.now.state.doc(),
            chance: self.now.chance.position().clone(),
            chairs: self.now.chairs.to_vec(),
            times: self.now.times.clone(),
            at_ms: self.now.at_ms,
            ids: self.ids.clone(),
        };
        text(&snapshot)
    }

    /// A table from a snapshot, the end of the log it must belong to, and the entries after it; see
    /// [`Table::recover`].
    pub fn restore<'a>(
        game: &dyn AnyGame,
        header: &str,
        keys: Keys,
        snapshot: (&str, Tail),
        entries: impl IntoIterator<Item = &'a Stored>,
        epoch: u32,
        now_ms: u64,
    ) -> Result<Self, Refusal> {
        let mut table = Self::at_header(game, header, keys, epoch)?.with_its_secret()?;
        let (text, tail) = snapshot;
        let snapshot: Snapshot = serde_json::from_str(text).map_err(corrupt)?;
        if snapshot.tail != tail {
            return Err(Refusal::new("bad_log", "the snapshot is of another log"));
        }
        let state = game.load(&table.header.config, &snapshot.state)?;
        let (name, deck) = (table.header.table.clone(), state.deck());
        table.now = Box::new(Position {
            chance: Chance::resume(name, keys.secrets(), deck, snapshot.chance).into(),
            tail: snapshot.tail,
            chairs: snapshot.chairs.into(),
            times: snapshot.times,
            at_ms: snapshot.at_ms,
            pending: state.pending(),
            state: state.into(),
        });
        table.ids = snapshot.ids;
        table.replay(entries, now_ms)
    }

    /// What it is.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// When its last entry was decided, or it was made.
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

    /// Who sits where.
    pub fn chairs(&self) -> &Arc<[Chair]> {
        &self.now.chairs
    }

    /// What the game waits for.
    pub fn pending(&self) -> &Pending {
        &self.now.pending
    }

    /// How it ended, once it has.
    pub fn outcome(&self) -> Option<Json> {
        self.now.state.outcome()
    }

    /// How it ended for a rating, once it has.
    pub fn verdict(&self) -> Option<parlor_rules::Verdict> {
        self.now.state.verdict()
    }

    /// The state as a document.
    pub fn doc(&self) -> Json {
        self.now.state.doc()
    }

    /// What there is to see.
    pub(crate) fn view(&self, viewer: Viewer) -> Json {
        self.now.state.view(viewer)
    }

    /// What a seat is to the game; see [`parlor_rules::Rules::stay`].
    pub fn stay(&self, seat: Seat) -> Stay {
        self.now.state.stay(seat)
    }

    /// Whether whoever sits there is there.
    pub fn here(&self, seat: Seat) -> bool {
        self.presence.here(seat)
    }

    /// All chips on the table.
    pub fn stake(&self) -> parlor_rules::Chips {
        self.now.state.stake()
    }

    /// The proof of the current hand, with the cards this viewer may see opened; none before the
    /// first hand, or if there are no cards.
    pub fn proof(&self, viewer: Viewer) -> Option<HandProof> {
        self.now.chance.hand(&self.now.state.dealt(viewer))
    }

    /// The chance of the table, as it stands.
    pub fn chance(&self) -> &Chance {
        &self.now.chance
    }

    /// What an audience was told last; asking changes nothing.
    pub fn current(&self, audience: Viewer) -> Option<Update> {
        self.audiences.current(audience, &self.now.stand(self.header.options.clock))
    }

    /// Someone's connection is closed; [`Table::due`] says what follows.
    pub fn gone(&mut self, seat: Seat, now_ms: u64) {
        self.presence.gone(seat, now_ms);
    }

    /// Someone is there again.
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

    /// What has to be submitted before anything else after [`Table::woke`].
    pub fn resume(&self) -> Option<Act> {
        let alive_ms = self.alive_ms?.max(self.now.at_ms);
        Some(Act::Desk(Desk::Resume { alive_ms }))
    }

    /// How long a seat may be gone before the rules hear of it.
    fn grace_ms(&self) -> Option<u64> {
        self.header.options.disconnect_grace_ms.or_else(|| self.now.state.grace_ms())
    }

    /// What time and presence bring by now, one thing at a time: submit it, and ask again.
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

    /// When the time of an owner is up; none if none runs.
    pub fn until_ms(&self, owner: Owner) -> Option<u64> {
        self.now.times.until_ms(owner, self.header.options.clock)
    }

    /// The updates of watchers who are behind that are due by now.
    pub fn late(&mut self, now_ms: u64) -> Vec<Update> {
        self.audiences.due(now_ms)
    }

    /// Decides what comes in. Nothing changes until the entry comes back by [`Table::commit`].
    pub fn submit(&mut self, act: Act, stamp: &Stamp, now_ms: u64) -> Result<Submitted, Refusal> {
        let name = self.name(&act, stamp.id.as_deref());
        if let Some((seq, same)) = self.known(name) {
            return if same {
                Ok(Submitted::Again { seq })
            } else {
                let text = "this id was used for something else; take a new one";
                Err(Refusal::new("id_reused", text))
            };
        }
        let (left, resumes) = match &act {
            Act::Game(Input::House(House::Left { seat })) => (Some(*seat), false),
            act => (None, matches!(act, Act::Desk(Desk::Resume { .. }))),
        };
        let salt = self.keys.salt(&self.header.table, self.now.tail.seq);
        let composed = self.compose(act, stamp, name, now_ms, salt, None);
        if composed.is_err() {
            // There is no use for it, and it is not tried again.
            if let Some(seat) = left {
                self.presence.told(seat);
            }
            if resumes {
                self.alive_ms = None;
            }
        }
        let Composed { mut flight, stored, flows, over, .. } = composed?;
        let news = self.news(&mut flight);
        self.flight = Some((flight, news));
        Ok(Submitted::Entry { stored, flows, over })
    }

    /// What stands for an id, and for what is said with it.
    pub(crate) fn name(&self, act: &Act, id: Option<&str>) -> Option<Name> {
        id.map(|id| Name { id: self.sender_id(act, id), body: print(&[text(act).as_bytes()]) })
    }

    /// The entry that an id became, and whether it said the same.
    pub(crate) fn known(&self, name: Option<Name>) -> Option<(u64, bool)> {
        let name = name?;
        let (seq, body) = self.ids.get(&name.id)?;
        Some((*seq, *body == name.body))
    }

    /// Ids are a sender's own: two senders may use the same, also one after the other on one chair.
    fn sender_id(&self, act: &Act, id: &str) -> u64 {
        let of = |sender: &str, number: u64| {
            print(&[sender.as_bytes(), &number.to_be_bytes(), id.as_bytes()])
        };
        let account = |number: u64| of("account", number);
        let seat = match act {
            Act::Desk(Desk::Reserve { account: n, .. })
            | Act::Desk(Desk::Sit { who: Who::Account(n), .. }) => return account(*n),
            Act::Desk(Desk::Rise { seat } | Desk::Release { seat, .. }) => Some(*seat),
            act => act.author(),
        };
        match seat.map(|seat| (seat, self.now.chairs.get(seat.index()))) {
            Some((_, Some(Chair::Taken(Who::Account(n)) | Chair::Reserved(n)))) => account(*n),
            Some((seat, _)) => of("seat", seat.index() as u64),
            None => of("house", 0),
        }
    }

    /// Decides what comes in and writes it down. Chance is the table's own, or, to check a log whose
    /// secrets are not known, what was written.
    pub(crate) fn compose(
        &self,
        act: Act,
        stamp: &Stamp,
        name: Option<Name>,
        now_ms: u64,
        salt: Bytes32,
        written: Option<&Written>,
    ) -> Result<Composed, Refusal> {
        self.admit(&act, stamp, now_ms)?;
        let before = &self.now.chance;
        let mut after = self.now.copy();
        let contribution = act.author().zip(stamp.contribution);
        if let Some((seat, link)) = contribution {
            after.chance.contribute(seat, link)?;
        }
        let mut tape = Tape::new(written.iter().flat_map(|written| written.draws.clone()));
        let source: &mut dyn Source = if written.is_some() { &mut tape } else { &mut after.chance };
        let mut draws = Draws::new(source);
        let Entered { events, sights, flows } = match &act {
            Act::Game(input) => changing(&mut after.state).enter(input, &mut draws, now_ms)?,
            Act::Desk(_) => Entered::default(),
        };
        let no_chance = |why: String| Refusal::new("no_chance", why);
        let draws = draws.finish().map_err(|fault| no_chance(fault.to_string()))?;
        if let Some(mark) = written.and_then(|written| written.chance) {
            after.chance.advance(mark).map_err(|text| no_chance(text.to_owned()))?;
        }
        let mark = after.chance.mark();
        after.follow(&act, &self.header, now_ms)?;
        let watched = sights.watched();
        let public = |(event, sight): (&Json, &Option<Json>)| {
            sight.as_ref().is_some_and(|sight| sight.get() == event.get())
        };
        let all_public = events.iter().zip(watched).all(public);
        let hides = act.author().is_some() && (events.is_empty() || !all_public);
        let over = after.pending == Pending::Over;
        let root = after.chance.next_root().filter(|root| before.next_root() != Some(*root));
        let open = text(&Open {
            at_ms: now_ms,
            act: (!hides).then_some(Cow::Borrowed(&act)),
            events: watched.into(),
            contribution,
            root: written.map_or(root, |written| written.root),
            commitments: match written {
                Some(written) => written.commitments.clone(),
                None if mark.hand > before.mark().hand => after.chance.commitments().to_vec(),
                None => Vec::new(),
            },
            secret: written.map_or(over.then_some(self.keys.dice), |written| written.secret),
        });
        let kept = |(event, sight): (&Json, &Option<Json>)| {
            (!public((event, sight))).then(|| event.clone())
        };
        let drawn = draws.len();
        let hidden = Hidden {
            id: stamp.id.as_deref().map(Cow::Borrowed),
            act: hides.then_some(Cow::Borrowed(&act)),
            draws,
            chance: (mark != before.mark()).then_some(mark),
            events: match all_public {
                true => Vec::new(),
                false => events.iter().zip(watched).map(kept).collect(),
            },
        };
        let sealed = Sealed::Kept { salt, text: text(&hidden) };
        let stored = self.now.tail.write(now_ms, open, sealed);
        after.tail = Tail::of_last(&stored);
        let flight = Flight { after, act, name, sights };
        let over = over && *self.pending() != Pending::Over;
        Ok(Composed { flight, stored, draws: drawn, flows, over })
    }

    /// Applies a stored entry and tells every audience what is new to it.
    pub fn commit(&mut self, stored: &Stored) -> Result<Vec<Update>, Refusal> {
        let (flight, news) = match self.flight.take() {
            Some((flight, news)) if flight.after.tail.digest == stored.digest => (flight, news),
            _ => {
                let mut flight = self.read(stored)?;
                let news = self.news(&mut flight);
                (flight, news)
            }
        };
        match &flight.act {
            Act::Game(Input::House(House::Left { seat })) => self.presence.told(*seat),
            Act::Game(Input::House(House::Begin {})) => self.presence.begun(),
            // Who sits down was not gone before, and who plays is there.
            Act::Desk(Desk::Sit { seat, .. } | Desk::Rise { seat })
            | Act::Game(Input::Play { seat, .. }) => self.presence.back(*seat),
            _ => {}
        }
        self.land(flight);
        Ok(self.audiences.tell(news, self.now.at_ms))
    }

    /// What all will be told of something once it is stored.
    fn news(&self, flight: &mut Flight) -> Vec<Update> {
        let clock = self.header.options.clock;
        let sights = flight.seen();
        let (before, now) = (self.now.stand(clock), flight.after.stand(clock));
        self.audiences.news(&sights, Some(&before), &now)
    }

    /// Makes what was decided the present.
    pub(crate) fn land(&mut self, flight: Flight) {
        let Flight { after, act, name, .. } = flight;
        if matches!(act, Act::Desk(Desk::Resume { .. })) {
            self.alive_ms = None;
        }
        if let Some(Name { id, body }) = name {
            self.ids.insert(id, (self.now.tail.seq, body));
        }
        self.now = after;
    }

    /// The draws that an entry makes if it comes next.
    pub(crate) fn draws_of(&self, entry: &Entry) -> Result<Vec<Drawn>, Refusal> {
        let Act::Game(input) = &entry.act else { return Ok(Vec::new()) };
        let mut chance = Chance::clone(&self.now.chance);
        if let Some((seat, link)) = entry.contribution {
            chance.contribute(seat, link)?;
        }
        let mut noted = Noted::new(chance);
        self.now.state.decide(input, &mut Draws::new(&mut noted))?;
        Ok(noted.drawn)
    }

    /// What a stored entry says, without deciding it again.
    pub(crate) fn read(&self, stored: &Stored) -> Result<Flight, Refusal> {
        let wrong = |text: String| Refusal::new("bad_log", format!("entry {}: {text}", stored.seq));
        let tail = self.now.tail.after(stored).map_err(|unchained| wrong(unchained.to_string()))?;
        let entry = Entry::read(stored).map_err(wrong)?;
        let Some(Entry { act, events, contribution, id, chance, .. }) = entry else {
            return Err(wrong("its sealed part is erased".to_owned()));
        };
        let mut after = self.now.copy();
        if let Some((seat, link)) = contribution {
            after.chance.contribute(seat, link)?;
        }
        if let Some(mark) = chance {
            after.chance.advance(mark).map_err(|text| wrong(text.to_owned()))?;
        }
        let Entered { sights, .. } = changing(&mut after.state).follow(events, stored.at_ms)?;
        after.follow(&act, &self.header, stored.at_ms)?;
        after.tail = tail;
        let name = self.name(&act, id.as_deref());
        Ok(Flight { after, act, name, sights })
    }
}

fn corrupt(error: serde_json::Error) -> Refusal {
    Refusal::new("bad_log", format!("what was written cannot be read: {error}"))
}
