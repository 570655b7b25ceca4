//! Tables: durable moves through the whole path (decide, store, apply, views), and recovery.

use crate::journal::{folder, syncs};
use cpu_time::ProcessTime;
use parlor_journal::{Driver, Durability, Journal, Memory, Sqlite, Submission, enter, store};
use parlor_rules::{AnyGame, Chips, Erased, House, Input, Seat, Series, json};
use parlor_table::{Act, Desk, Keys, NewTable, Options, Stamp, Table, Who};
use parlor_testkit::pennies::{Coin, Command, Pennies};
use std::hint::black_box;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use tokio::runtime;

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

async fn open(journal: &dyn Journal, name: &str) -> Driver {
    let table = store::create(journal, table(name), Vec::new()).await.expect("a table");
    Driver::new(table, Box::new(|_, _, _| Vec::new()))
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
    let workers = runtime::Builder::new_multi_thread().worker_threads(WORKERS).build();
    let workers = workers.expect("threads");
    let mut drivers = Vec::new();
    for i in 0..TABLES {
        drivers.push(workers.block_on(open(&*journal, &format!("t-{i}"))));
    }
    let stop = Arc::new(AtomicBool::new(false));
    let (start, cpu) = (Instant::now(), ProcessTime::now());
    let keep_busy = |driver| workers.spawn(keep_busy(driver, journal.clone(), stop.clone()));
    let tables: Vec<_> = drivers.into_iter().map(keep_busy).collect();
    std::thread::sleep(Duration::from_secs(SECONDS));
    stop.store(true, Ordering::Relaxed);
    let made = tables.into_iter().map(|table| workers.block_on(table).expect("no panic"));
    (made.sum(), start.elapsed(), cpu.elapsed())
}

/// One table as a server has it: a task that waits for the journal with every move.
async fn keep_busy(mut driver: Driver, journal: Arc<dyn Journal>, stop: Arc<AtomicBool>) -> u64 {
    for act in opening() {
        play_one(&mut driver, &*journal, act).await;
    }
    let mut made = 0;
    while !stop.load(Ordering::Relaxed) {
        play_one(&mut driver, &*journal, choice(made)).await;
        made += 1;
    }
    made
}

async fn play_one(driver: &mut Driver, journal: &dyn Journal, act: Act) {
    let submission = Submission::new(act, Stamp::default(), 1);
    let mut tell = |update| drop(black_box(json(&update)));
    enter(driver, journal, submission, &|| 1, &mut tell).await.expect("a move");
}

/// How long a table of 1,000 entries takes to come back from its log.
fn recovery() {
    let journal = Memory::default();
    let here = runtime::Builder::new_current_thread().build().expect("a runtime");
    here.block_on(async {
        let mut driver = open(&journal, "r").await;
        let acts = opening().into_iter().chain((0..).map(choice)).take(1_000);
        for act in acts {
            play_one(&mut driver, &journal, act).await;
        }
    });
    let id = "r".parse().expect("a name");
    let find = |_: &str| Some(&PENNIES as &'static dyn AnyGame);
    let mut best = Duration::MAX;
    for _ in 0..20 {
        let start = ProcessTime::now();
        let recall = store::recall(&journal, find, &id, 1, 1, 1);
        let table: Table = here.block_on(recall).expect("the table");
        best = best.min(start.elapsed());
        assert_eq!(table.head(), 1_000);
    }
    println!(" recovery of a table of 1,000 entries: {:.2} ms of CPU", best.as_secs_f64() * 1e3);
}
