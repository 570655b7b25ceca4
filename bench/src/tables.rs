//! Tables: durable moves through the whole path (decide, store, apply, views), and recovery.

use crate::journal::{folder, syncs};
use cpu_time::{ProcessTime, ThreadTime};
use parlor_journal::place::{Output, Outputs, Place, Request};
use parlor_journal::{Durability, Journal, Memory, Sqlite, hall};
use parlor_rules::{AnyGame, Chips, Erased, House, Input, Seat, Series, json};
use parlor_table::{Act, Desk, Keys, NewTable, Options, Stamp, Table, Who};
use parlor_testkit::pennies::{Coin, Command, Pennies};
use std::hint::black_box;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

static PENNIES: Erased<Series<Pennies>> = Erased::new();
const SEATS: [Seat; 2] = [Seat::new(0), Seat::new(1)];
const TABLES: usize = 500;
const WORKERS: usize = 2;
const SECONDS: u64 = 5;
/// A game that nobody wins for a long time.
const CONFIG: &str = r#"{"wins":4000000000,"ante":0.0001}"#;

pub(crate) fn run() {
    let folder = folder();
    println!(" {TABLES} busy tables of pennies, {WORKERS} threads, {SECONDS} s, power-safe");
    let journal = Sqlite::open(&folder.join("tables.db"), Durability::PowerSafe);
    let (moves, elapsed, cpu) = play(Arc::new(journal.expect("a journal")));
    report("SQLite", moves, elapsed, cpu);
    syncs(&folder);
    let (moves, elapsed, cpu) = play(Arc::new(Memory::default()));
    report("memory", moves, elapsed, cpu);
    std::fs::remove_dir_all(&folder).expect("it was ours");
    recovery();
}

fn report(name: &str, moves: u64, elapsed: Duration, cpu: Duration) {
    let rate = moves as f64 / elapsed.as_secs_f64();
    let cost = cpu.as_secs_f64() * 1e6 / moves as f64;
    println!("  {name:<8} {rate:>9.0} moves a second, {cost:.1} µs of CPU a move");
}

fn table(name: &str) -> NewTable<'static> {
    NewTable {
        table: name.parse().expect("a name"),
        game: &PENNIES,
        config: serde_json::from_str(CONFIG).expect("options"),
        seats: 2,
        options: Options::default(),
        keys: Keys::from_secret(name),
        now_ms: 0,
    }
}

/// What happens before the first choice.
fn opening() -> Vec<Act> {
    let sit =
        |(seat, account)| Act::Desk(Desk::Sit { seat, who: Who::Account(account), tip: None });
    let house = |house| Act::Game(Input::House(house));
    let join = |seat| house(House::Joined { seat, chips: Chips::whole(1_000_000) });
    let mut acts: Vec<Act> = SEATS.into_iter().zip(1..).map(sit).collect();
    acts.push(house(House::Begin {}));
    acts.extend(SEATS.map(join));
    acts
}

fn choice(number: u64) -> Act {
    let seat = SEATS[(number % 2) as usize];
    let coin = if number.is_multiple_of(3) { Coin::Heads } else { Coin::Tails };
    Act::Game(Input::Play { seat, command: json(&Command::Choose(coin)) })
}

/// Keeps all tables busy for a while; the moves made, the time and the CPU time they took.
fn play(journal: Arc<dyn Journal>) -> (u64, Duration, Duration) {
    let mut places: Vec<Place<()>> = (0..TABLES)
        .map(|i| {
            let table =
                hall::create(&*journal, table(&format!("t-{i}")), Vec::new()).expect("a table");
            Place::new(table, Box::new(|_, _, _| Vec::new()))
        })
        .collect();
    let stop = Arc::new(AtomicBool::new(false));
    let (start, cpu) = (Instant::now(), ProcessTime::now());
    let share = TABLES / WORKERS;
    let workers: Vec<_> = (0..WORKERS)
        .map(|_| {
            let mine: Vec<_> = places.drain(..share).collect();
            let (journal, stop) = (journal.clone(), stop.clone());
            std::thread::spawn(move || Worker::new(mine, journal).run(&stop))
        })
        .collect();
    std::thread::sleep(Duration::from_secs(SECONDS));
    stop.store(true, Ordering::Relaxed);
    let moves = workers.into_iter().map(|worker| worker.join().expect("a worker")).sum();
    (moves, start.elapsed(), cpu.elapsed())
}

type Answer = (usize, Result<parlor_journal::Outcome, parlor_journal::JournalError>);

/// Drives its tables as a server would: never waiting for one of them.
struct Worker {
    places: Vec<Place<()>>,
    made: Vec<u64>,
    journal: Arc<dyn Journal>,
    tell: mpsc::Sender<Answer>,
    answers: mpsc::Receiver<Answer>,
    flying: usize,
}

impl Worker {
    fn new(places: Vec<Place<()>>, journal: Arc<dyn Journal>) -> Self {
        let (tell, answers) = mpsc::channel();
        Self { made: vec![0; places.len()], places, journal, tell, answers, flying: 0 }
    }

    fn run(mut self, stop: &AtomicBool) -> u64 {
        let opening = opening();
        for i in 0..self.places.len() {
            for act in &opening {
                self.request(i, act.clone());
            }
        }
        while self.flying > 0 {
            let (i, outcome) = self.answers.recv().expect("an answer");
            self.flying -= 1;
            let outputs = self.places[i].settled(outcome, 1);
            self.carry_out(i, outputs);
            if self.places[i].idle() && !stop.load(Ordering::Relaxed) {
                let number = self.made[i];
                self.made[i] += 1;
                self.request(i, choice(number));
            }
        }
        self.made.iter().sum()
    }

    fn request(&mut self, i: usize, act: Act) {
        let request = Request { to: (), act, stamp: Stamp::default() };
        let outputs = self.places[i].request(request, 1);
        self.carry_out(i, outputs);
    }

    fn carry_out(&mut self, i: usize, outputs: Outputs<()>) {
        for output in outputs {
            match output {
                Output::Store(append) => {
                    self.flying += 1;
                    let tell = self.tell.clone();
                    let done = move |outcome| drop(tell.send((i, outcome)));
                    self.journal.submit(append, Box::new(done));
                }
                Output::Tell(update) => drop(black_box(json(&update))),
                Output::Done { .. } => {}
                other => panic!("{other:?}"),
            }
        }
    }
}

/// How long a table of 1,000 entries takes to come back from its log.
fn recovery() {
    let journal = Memory::default();
    let opened = hall::create(&journal, table("r"), Vec::new()).expect("a table");
    let mut place = Place::new(opened, Box::new(|_, _, _| Vec::new()));
    let acts = opening().into_iter().chain((0..).map(choice)).take(1_000);
    for act in acts {
        hall::enter(&mut place, &journal, act, Stamp::default(), 1, &mut drop).expect("a move");
    }
    let id = "r".parse().expect("a name");
    let find = |_: &str| Some(&PENNIES as &'static dyn AnyGame);
    let mut best = Duration::MAX;
    for _ in 0..20 {
        let start = ThreadTime::now();
        let table: Table = hall::recall(&journal, find, &id, 1, 1, 1).expect("the table");
        best = best.min(start.elapsed());
        assert_eq!(table.head(), 1_000);
    }
    println!(" recovery of a table of 1,000 entries: {:.2} ms of CPU", best.as_secs_f64() * 1e3);
}
