//! Tables, a journal on a fake disk, a fake clock, and clients that retry, repeat, reorder and
//! vanish: a whole house in one thread, from one seed.
//!
//! `PARLOR_SEEDS=5000 cargo nextest run -p parlor-journal sim` runs on for longer.

use crate::disk::{Faults, SimJournal};
use parlor_games::GAMES;
use parlor_journal::place::{Output, Outputs, Place, Request};
use parlor_journal::{Journal, JournalError, Outcome, Reader, Snapshot, hall};
use parlor_rules::{
    AnyGame, Chips, Draws, Erased, House, Input, Json, Pending, Seat, Seeded, Series, Viewer,
};
use parlor_table::act::Hidden;
use parlor_table::audit::audit;
use parlor_table::fair::Secrets;
use parlor_table::{
    Act, Bytes32, Clock, Desk, Keys, NewTable, Options, Sealed, Stamp, Stored, Table, TableId,
    Update, Who,
};
use parlor_testkit::count;
use parlor_testkit::highcard::HighCard;
use parlor_testkit::pennies::Pennies;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::{Arc, Mutex};

static PENNIES: Erased<Series<Pennies>> = Erased::new();
static HIGH_CARD: Erased<HighCard> = Erased::new();

/// How much happens in one house.
const STEPS: u32 = 1_500;

const SEATS: [Seat; 2] = [Seat::new(0), Seat::new(1)];

/// Who waits for an answer: a client with the id it gave, or the house.
type To = Option<(Seat, String)>;

/// A message on its way from a client.
#[derive(Clone)]
struct Sent {
    table: TableId,
    seat: Seat,
    id: String,
    command: Json,
    ask: Option<u64>,
}

/// A house with all that is around it.
struct World {
    chance: Seeded,
    now_ms: u64,
    epoch: u32,
    journal: Arc<SimJournal>,
    settled: Settled,
    places: BTreeMap<TableId, Place<To>>,
    games: BTreeMap<TableId, &'static dyn AnyGame>,
    /// On the way to the server, in no order.
    net: Vec<Sent>,
    /// Answers that clients have got: the entry each id became.
    acked: HashSet<(TableId, String)>,
    /// The digest of every log that anyone was told of, by table and length.
    told: HashMap<(TableId, u64), Bytes32>,
    ids: u64,
}

type Settled = Arc<Mutex<Vec<(TableId, Result<Outcome, JournalError>)>>>;

fn find(key: &str) -> Option<&'static dyn AnyGame> {
    let own: [&'static dyn AnyGame; 2] = [&PENNIES, &HIGH_CARD];
    GAMES.iter().copied().chain(own).find(|game| game.key() == key)
}

fn keys(table: &TableId) -> Keys {
    Keys::from_secret(table.as_str())
}

impl World {
    fn new(seed: &str, faults: Faults) -> Self {
        Self {
            chance: Seeded::new(seed),
            now_ms: 1_000_000,
            epoch: 0,
            journal: Arc::new(SimJournal::new(seed, faults)),
            settled: Settled::default(),
            places: BTreeMap::new(),
            games: BTreeMap::new(),
            net: Vec::new(),
            acked: HashSet::new(),
            told: HashMap::new(),
            ids: 0,
        }
    }

    fn below(&mut self, n: u32) -> u32 {
        Draws::new(&mut self.chance).below(n)
    }

    fn open(&mut self, name: &str, game: &'static dyn AnyGame, config: &str) {
        let table: TableId = name.parse().unwrap();
        let clock = Clock::Game { reserve_ms: 600_000, increment_ms: 1_000, delay_ms: 0 };
        let opened = hall::create(
            &*self.journal,
            NewTable {
                table: table.clone(),
                game,
                config: serde_json::from_str(config).unwrap(),
                seats: 2,
                options: Options { clock, ..Options::default() },
                keys: keys(&table),
                now_ms: self.now_ms,
            },
            Vec::new(),
        )
        .unwrap();
        self.games.insert(table.clone(), game);
        self.places.insert(table.clone(), Place::new(opened, Box::new(|_, _, _| Vec::new())));
        for (seat, account) in SEATS.into_iter().zip(1..) {
            let sit = Desk::Sit { seat, who: Who::Account(account), tip: None };
            self.request(&table, Act::Desk(sit), Stamp::default(), None);
        }
        self.request(&table, Act::Game(Input::House(House::Begin {})), Stamp::default(), None);
    }

    fn request(&mut self, table: &TableId, act: Act, stamp: Stamp, to: To) {
        let now_ms = self.now_ms;
        let Some(place) = self.places.get_mut(table) else { return };
        let outputs = place.request(Request { to, act, stamp }, now_ms);
        self.carry_out(table, outputs);
    }

    fn carry_out(&mut self, table: &TableId, outputs: Outputs<To>) {
        for output in outputs {
            match output {
                Output::Store(append) => {
                    let (settled, table) = (self.settled.clone(), table.clone());
                    let done = move |outcome| settled.lock().unwrap().push((table, outcome));
                    self.journal.submit(append, Box::new(done));
                }
                Output::Tell(update) => self.see(table, &update),
                Output::Done { to } => {
                    self.acked.extend(to.map(|(_, id)| (table.clone(), id)));
                }
                Output::Refused { .. } => {}
                Output::Paused { .. } => {
                    let outputs = self.places.get_mut(table).unwrap().retry(self.now_ms);
                    self.carry_out(table, outputs);
                }
                Output::Stale => panic!("nobody else writes this log"),
            }
        }
    }

    /// Somebody is told something: it must never be taken back, and tell no secret.
    fn see(&mut self, table: &TableId, update: &Update) {
        let place = &self.places[table];
        let (head, digest) = (place.table().head(), place.table().digest());
        self.told.insert((table.clone(), head), digest);
        // Whatever is hidden from a viewer could as well be something else.
        let header = place.table().header();
        let state = self.games[table].load(&header.config, &place.table().doc()).unwrap();
        let other = state.resample(update.audience, &mut Draws::new(&mut self.chance));
        let (view, viewer) = (other.view(update.audience), update.audience);
        assert_eq!(view.get(), update.view.get(), "{viewer:?} of {table} sees what is hidden");
        if let (Viewer::Seat(seat), Some(legal)) = (viewer, &update.legal) {
            assert_eq!(other.legal(seat).json().get(), legal.get(), "{viewer:?} of {table}");
        }
    }

    /// A client says something it may say, as far as it knows.
    fn client(&mut self, table: &TableId) {
        let seat = SEATS[self.below(2) as usize];
        let (game, place) = (self.games[table], &self.places[table]);
        let ask = place.table().current(Viewer::Seat(seat)).and_then(|update| update.ask);
        let header = place.table().header();
        let state = game.load(&header.config, &place.table().doc()).unwrap();
        let pick = state.legal(seat).pick(&mut Draws::new(&mut self.chance));
        let Some(command) = pick else { return };
        self.ids += 1;
        let sent = Sent { table: table.clone(), seat, id: self.ids.to_string(), command, ask };
        // Sent once, or again and again for lack of an answer.
        for _ in 0..=self.below(3) {
            self.net.push(sent.clone());
        }
    }

    fn deliver(&mut self) {
        if self.net.is_empty() {
            return;
        }
        let place = self.below(self.net.len() as u32) as usize;
        let sent = self.net.swap_remove(place);
        if self.below(10) == 0 {
            return; // lost on the way
        }
        let ask = sent.ask.filter(|_| self.below(4) > 0);
        let stamp = Stamp { id: Some(sent.id.clone()), ask, contribution: None };
        let act = Act::Game(Input::Play { seat: sent.seat, command: sent.command });
        self.request(&sent.table, act, stamp, Some((sent.seat, sent.id)));
    }

    fn disk(&mut self) {
        self.journal.tick();
        let settled = std::mem::take(&mut *self.settled.lock().unwrap());
        for (table, outcome) in settled {
            let now_ms = self.now_ms;
            let Some(place) = self.places.get_mut(&table) else { continue };
            let outputs = place.settled(outcome, now_ms);
            self.carry_out(&table, outputs);
        }
    }

    fn time(&mut self) {
        self.now_ms += u64::from(self.below(4_000));
        self.journal.alive(self.now_ms).unwrap();
        let tables: Vec<TableId> = self.places.keys().cloned().collect();
        for table in tables {
            let place = self.places.get_mut(&table).unwrap();
            place.table_mut().late(self.now_ms);
            let outputs = place.tick(self.now_ms);
            self.carry_out(&table, outputs);
        }
    }

    /// An idle table leaves memory, with or without a snapshot, and comes back.
    fn idle(&mut self, table: &TableId) {
        let place = &self.places[table];
        if !place.idle() {
            return;
        }
        let (head, doc) = (place.table().head(), place.table().doc());
        if self.below(2) == 0 {
            let text = self.places[table].table().snapshot();
            self.journal.put_snapshot(table, Snapshot { seq: head, text }).unwrap();
        }
        self.recall(table);
        assert_eq!(self.places[table].table().doc().get(), doc.get());
    }

    fn recall(&mut self, table: &TableId) {
        self.epoch += 1;
        let (epoch, now_ms) = (self.epoch, self.now_ms);
        let alive_ms = self.journal.last_alive().unwrap().unwrap_or(0);
        let recalled = hall::recall(&*self.journal, find, table, epoch, alive_ms, now_ms).unwrap();
        self.places.insert(table.clone(), Place::new(recalled, Box::new(|_, _, _| Vec::new())));
    }

    fn presence(&mut self, table: &TableId) {
        let (seat, now_ms) = (SEATS[self.below(2) as usize], self.now_ms);
        let gone = self.below(4) == 0;
        let open = self.places.get_mut(table).unwrap().table_mut();
        if gone { open.gone(seat, now_ms) } else { open.back(seat) }
    }

    /// Chips for games that are played for them.
    fn house(&mut self, table: &TableId) {
        if *self.places[table].table().pending() == Pending::Rest {
            let seat = SEATS[self.below(2) as usize];
            let joined = House::Joined { seat, chips: Chips::whole(5) };
            self.request(table, Act::Game(Input::House(joined)), Stamp::default(), None);
        }
    }

    /// Everything in memory is lost; what is on the disk comes back.
    fn crash(&mut self) {
        let lost: BTreeMap<TableId, (u64, Json)> = (self.places.iter())
            .map(|(name, place)| (name.clone(), (place.table().head(), place.table().doc())))
            .collect();
        self.places.clear();
        self.settled.lock().unwrap().clear();
        self.journal.crash();
        self.now_ms += u64::from(self.below(100_000));
        for (table, (head, doc)) in lost {
            let log = self.log(&table);
            assert!(
                log.len() as u64 >= head,
                "{table}: {head} entries were told, {} are left",
                log.len()
            );
            let header = self.journal.table(&table).unwrap().header;
            let game = self.games[&table];
            let recover = |log: &[Stored]| {
                Table::recover(game, &header, keys(&table), log, self.epoch, self.now_ms).unwrap()
            };
            let before = recover(&log[..head as usize]);
            assert_eq!(before.doc().get(), doc.get(), "{table}: the replay is not what was");
            self.recall(&table);
        }
        self.check();
    }

    fn log(&self, table: &TableId) -> Vec<Stored> {
        self.journal.read_from(table, 0, usize::MAX).unwrap()
    }

    /// Nothing acknowledged is missing, nothing stands twice, nothing told was taken back.
    fn check(&self) {
        for (table, game) in &self.games {
            let log = self.log(table);
            let header = self.journal.table(table).unwrap().header;
            let Keys { dice, deck, .. } = keys(table);
            let report = audit(*game, &header, &log, Some(Secrets { dice, decks: deck }));
            report.unwrap_or_else(|wrong| panic!("{table}: {wrong}"));
            let mut ids = HashSet::new();
            for stored in &log {
                let Sealed::Kept { text, .. } = &stored.sealed else { panic!("nothing is erased") };
                let hidden: Hidden = serde_json::from_str(text).unwrap();
                if let Some(id) = hidden.id {
                    assert!(ids.insert(id.clone()), "{table}: {id} stands twice");
                }
            }
            for (_, id) in self.acked.iter().filter(|(name, _)| name == table) {
                assert!(
                    ids.contains(id.as_str()),
                    "{table}: {id} was acknowledged and is not there"
                );
            }
            for ((_, head), digest) in self.told.iter().filter(|((name, _), _)| name == table) {
                let last = head.checked_sub(1).and_then(|last| log.get(last as usize));
                let same = last.is_some_and(|stored| stored.digest == *digest);
                assert!(same, "{table}: what was told of entry {head} was taken back");
            }
        }
    }

    fn run(mut self, steps: u32) -> (usize, u64) {
        for (i, game) in GAMES.iter().enumerate() {
            self.open(&format!("g-{i}"), *game, "{}");
        }
        self.open("pennies", &PENNIES, r#"{"series":2}"#);
        self.open("cards", &HIGH_CARD, "{}");
        let tables: Vec<TableId> = self.games.keys().cloned().collect();
        let mut crashes = 0;
        for _ in 0..steps {
            let table = tables[self.below(tables.len() as u32) as usize].clone();
            match self.below(100) {
                0..30 => self.client(&table),
                30..60 => self.deliver(),
                60..85 => self.disk(),
                85..92 => self.time(),
                92..95 => self.house(&table),
                95..97 => self.presence(&table),
                97 => self.idle(&table),
                _ => {
                    if self.below(4) == 0 {
                        crashes += 1;
                        self.crash();
                    }
                }
            }
        }
        self.crash();
        (self.acked.len(), crashes)
    }
}

/// How many seeds; the environment may ask for more.
fn seeds() -> u32 {
    let more = std::env::var("PARLOR_SEEDS").ok().and_then(|text| text.parse().ok());
    more.unwrap_or_else(|| count(100, 1_000))
}

#[test]
fn nothing_acknowledged_is_ever_lost() {
    let faults = Faults { sync_fails_in: 20, acks_before_sync: false };
    let (mut acked, mut crashes) = (0, 0);
    for seed in 0..seeds() {
        let (a, c) = World::new(&format!("house {seed}"), faults).run(STEPS);
        (acked, crashes) = (acked + a, crashes + c);
    }
    println!("{} seeds: {acked} acknowledged, {crashes} crashes", seeds());
    assert!(acked as u32 > seeds() * 10 && crashes as u32 > seeds(), "{acked} {crashes}");
}

#[test]
fn the_same_seed_is_the_same_house() {
    let faults = Faults { sync_fails_in: 20, acks_before_sync: false };
    let run = || World::new("twice", faults).run(STEPS);
    assert_eq!(run(), run());
}

#[test]
fn acknowledging_before_the_sync_is_found() {
    let faults = Faults { sync_fails_in: 0, acks_before_sync: true };
    let found = (0..100).any(|seed| {
        let world = move || World::new(&format!("planted {seed}"), faults).run(STEPS);
        std::panic::catch_unwind(world).is_err()
    });
    assert!(found, "a hundred houses did not notice");
}
