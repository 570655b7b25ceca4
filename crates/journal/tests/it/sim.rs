//! Tables, a journal on a fake disk, a fake clock, and clients that retry, repeat, reorder and
//! vanish: a whole house in one thread, from one seed.
//!
//! `PARLOR_SEEDS=5000 cargo nextest run -p parlor-journal sim` runs on for longer.

use crate::disk::{Faults, SimJournal, at_once};
use crate::support::wait;
use parlor_games::GAMES;
use parlor_journal::{
    Driver, Journal, JournalError, Outcome, Reader, Snapshot, Submission, Unsettled, store,
};
use parlor_rules::{
    AnyGame, Chips, Draws, Erased, House, Input, Json, Pending, Seat, Seeded, Series, Viewer,
};
use parlor_table::act::Hidden;
use parlor_table::audit::audit;
use parlor_table::{
    Act, Bytes32, Clock, Desk, Keys, NewTable, Options, Sealed, Stamp, Stored, Table, TableId,
    Update, Who,
};
use parlor_testkit::count;
use parlor_testkit::highcard::HighCard;
use parlor_testkit::pennies::Pennies;
use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};

static PENNIES: Erased<Series<Pennies>> = Erased::new();
static HIGH_CARD: Erased<HighCard> = Erased::new();

/// How much happens in one house.
const STEPS: u32 = 1_500;

const SEATS: [Seat; 2] = [Seat::new(0), Seat::new(1)];

/// A table in memory, fed from one queue as a mailbox feeds a server's.
struct Played {
    driver: Driver,
    queue: VecDeque<Letter>,
    /// What is being led through the journal.
    current: Option<Current>,
}

/// Something for a table; it has an id if a client waits for the answer.
#[derive(Clone)]
struct Letter {
    act: Act,
    stamp: Stamp,
    came_ms: u64,
}

/// A submission, and the letter it comes from; none if time brought it.
struct Current {
    submission: Submission,
    letter: Option<Letter>,
}

impl Played {
    fn new(table: Table) -> Self {
        let driver = Driver::new(table, Box::new(|_, _, _| Vec::new()));
        Self { driver, queue: VecDeque::new(), current: None }
    }

    fn table(&self) -> &Table {
        self.driver.table()
    }

    fn idle(&self) -> bool {
        self.current.is_none() && self.queue.is_empty()
    }

    /// What is to go on: what is under way, or else what came first.
    fn take(&mut self) -> Option<Current> {
        let begin = |letter: Letter| {
            let Letter { act, stamp, came_ms } = letter.clone();
            Current { submission: Submission::new(act, stamp, came_ms), letter: Some(letter) }
        };
        self.current.take().or_else(|| self.queue.pop_front().map(begin))
    }
}

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
    journal: SimJournal,
    played: BTreeMap<TableId, Played>,
    games: BTreeMap<TableId, &'static dyn AnyGame>,
    /// On the way to the server, in no order.
    net: Vec<Sent>,
    /// Answers that clients have got: the entry each id became.
    acked: HashSet<(TableId, String)>,
    /// The digest of every log that anyone was told of, by table and length.
    told: HashMap<(TableId, u64), Bytes32>,
    ids: u64,
}

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
            journal: SimJournal::new(seed, faults),
            played: BTreeMap::new(),
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
        let opened = at_once(store::create(
            &self.journal,
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
        ))
        .unwrap();
        self.games.insert(table.clone(), game);
        self.played.insert(table.clone(), Played::new(opened));
        for (seat, account) in SEATS.into_iter().zip(1..) {
            let sit = Desk::Sit { seat, who: Who::Account(account), tip: None };
            self.request(&table, Act::Desk(sit), Stamp::default());
        }
        self.request(&table, Act::Game(Input::House(House::Begin {})), Stamp::default());
    }

    fn request(&mut self, table: &TableId, act: Act, stamp: Stamp) {
        let Some(played) = self.played.get_mut(table) else { return };
        played.queue.push_back(Letter { act, stamp, came_ms: self.now_ms });
        self.go_on(table);
    }

    /// Leads what came to a table through the journal, up to the next entry to be stored.
    fn go_on(&mut self, table: &TableId) {
        let played = self.played.get_mut(table).unwrap();
        while played.driver.idle()
            && let Some(mut current) = played.take()
        {
            match current.submission.next(&mut played.driver, self.now_ms) {
                Ok(Some(append)) => {
                    self.journal.submit(append);
                    played.current = Some(current);
                }
                Ok(None) => {
                    let id = current.letter.and_then(|letter| letter.stamp.id);
                    self.acked.extend(id.map(|id| (table.clone(), id)));
                }
                Err(_refused) => {}
            }
        }
    }

    /// The disk has answered.
    fn settle(&mut self, table: &TableId, outcome: Result<Outcome, JournalError>) {
        let played = self.played.get_mut(table).unwrap();
        let mut current = played.current.take().expect("something is under way");
        match current.submission.settle(&mut played.driver, outcome, self.now_ms) {
            Ok(updates) => {
                played.current = Some(current);
                updates.iter().for_each(|update| self.see(table, update));
            }
            // A client is told that it was not done. The house tries again.
            Err(Unsettled::Paused(_)) => {
                let house = current.letter.filter(|letter| letter.stamp.id.is_none());
                house.into_iter().for_each(|letter| played.queue.push_front(letter));
            }
            Err(Unsettled::Refused(_)) => {}
            Err(Unsettled::Stale) => panic!("nobody else writes this log"),
        }
        self.go_on(table);
    }

    /// Somebody is told something: it must never be taken back, and tell no secret.
    fn see(&mut self, table: &TableId, update: &Update) {
        let played = &self.played[table];
        let (head, digest) = (played.table().head(), played.table().digest());
        self.told.insert((table.clone(), head), digest);
        // Whatever is hidden from a viewer could as well be something else.
        let header = played.table().header();
        let state = self.games[table].load(&header.config, &played.table().doc()).unwrap();
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
        let (game, played) = (self.games[table], &self.played[table]);
        let ask = played.table().current(Viewer::Seat(seat)).and_then(|update| update.ask);
        let header = played.table().header();
        let state = game.load(&header.config, &played.table().doc()).unwrap();
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
        let at = self.below(self.net.len() as u32) as usize;
        let sent = self.net.swap_remove(at);
        if self.below(10) == 0 {
            return; // lost on the way
        }
        let ask = sent.ask.filter(|_| self.below(4) > 0);
        let stamp = Stamp { id: Some(sent.id), ask, contribution: None };
        let act = Act::Game(Input::Play { seat: sent.seat, command: sent.command });
        self.request(&sent.table, act, stamp);
    }

    fn disk(&mut self) {
        for (table, outcome) in self.journal.tick() {
            self.settle(&table, outcome);
        }
    }

    fn time(&mut self) {
        self.now_ms += u64::from(self.below(4_000));
        at_once(self.journal.alive(self.now_ms)).unwrap();
        let tables: Vec<TableId> = self.played.keys().cloned().collect();
        for table in tables {
            let played = self.played.get_mut(&table).unwrap();
            played.driver.table_mut().late(self.now_ms);
            if played.idle() {
                let submission = Submission::time(self.now_ms);
                played.current = Some(Current { submission, letter: None });
                self.go_on(&table);
            }
        }
    }

    /// An idle table leaves memory, with or without a snapshot, and comes back.
    fn idle(&mut self, table: &TableId) {
        let played = &self.played[table];
        if !played.idle() {
            return;
        }
        let (head, doc) = (played.table().head(), played.table().doc());
        if self.below(2) == 0 {
            let text = self.played[table].table().snapshot();
            at_once(self.journal.put_snapshot(table, Snapshot { seq: head, text })).unwrap();
        }
        self.recall(table);
        assert_eq!(self.played[table].table().doc().get(), doc.get());
    }

    fn recall(&mut self, table: &TableId) {
        self.epoch += 1;
        let (epoch, now_ms) = (self.epoch, self.now_ms);
        let alive_ms = at_once(self.journal.last_alive()).unwrap().unwrap_or(0);
        let recall = store::recall(&self.journal, find, table, epoch, alive_ms, now_ms);
        self.played.insert(table.clone(), Played::new(wait(recall).unwrap()));
    }

    fn presence(&mut self, table: &TableId) {
        let (seat, now_ms) = (SEATS[self.below(2) as usize], self.now_ms);
        let gone = self.below(4) == 0;
        let open = self.played.get_mut(table).unwrap().driver.table_mut();
        if gone { open.gone(seat, now_ms) } else { open.back(seat) }
    }

    /// Chips for games that are played for them.
    fn house(&mut self, table: &TableId) {
        if *self.played[table].table().pending() == Pending::Rest {
            let seat = SEATS[self.below(2) as usize];
            let joined = House::Joined { seat, chips: Chips::whole(5) };
            self.request(table, Act::Game(Input::House(joined)), Stamp::default());
        }
    }

    /// Everything in memory is lost; what is on the disk comes back.
    fn crash(&mut self) {
        let lost: BTreeMap<TableId, (u64, Json)> = (self.played.iter())
            .map(|(name, played)| (name.clone(), (played.table().head(), played.table().doc())))
            .collect();
        self.played.clear();
        self.journal.crash();
        self.now_ms += u64::from(self.below(100_000));
        for (table, (head, doc)) in lost {
            let log = self.log(&table);
            assert!(
                log.len() as u64 >= head,
                "{table}: {head} entries were told, {} are left",
                log.len()
            );
            let header = at_once(self.journal.table(&table)).unwrap().header;
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
        at_once(self.journal.read_from(table, 0, usize::MAX)).unwrap()
    }

    /// Nothing acknowledged is missing, nothing stands twice, nothing told was taken back.
    fn check(&self) {
        for (table, game) in &self.games {
            let log = self.log(table);
            let header = at_once(self.journal.table(table)).unwrap().header;
            let report = audit(*game, &header, &log, Some(keys(table)));
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
