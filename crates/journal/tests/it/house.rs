//! Every game through table and SQLite: killed, resumed, audited and replayed.

use crate::support::{Folder, another};
use parlor_games::GAMES;
use parlor_journal::{
    Driver, Durability, Journal, Reader, Sqlite, Submission, all_entries, enter, store,
};
use parlor_rules::{
    AnyGame, Chips, Draws, Erased, House, Input, Json, Pending, Seat, Seeded, Series, Viewer,
};
use parlor_table::audit::audit;
use parlor_table::{Act, Bytes32, Desk, Keys, NewTable, Options, Stamp, Table, TableId, Who};
use parlor_testkit::count;
use parlor_testkit::highcard::HighCard;
use parlor_testkit::pennies::Pennies;
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::Stdio;
use std::sync::mpsc;
use std::time::Duration;

static PENNIES: Erased<Series<Pennies>> = Erased::new();
static HIGH_CARD: Erased<HighCard> = Erased::new();
const SEATS: [Seat; 2] = [Seat::new(0), Seat::new(1)];
/// Tells the child which folder to play in.
const CHILD: &str = "PARLOR_HOUSE_OF_A_CHILD";

fn find(key: &str) -> Option<&'static dyn AnyGame> {
    let own: [&'static dyn AnyGame; 2] = [&PENNIES, &HIGH_CARD];
    GAMES.iter().copied().chain(own).find(|game| game.key() == key)
}

/// Every game there is, and options under which it is a series where it can be one.
fn games() -> Vec<(&'static dyn AnyGame, &'static str)> {
    let config = |game: &&'static dyn AnyGame| match game.key() {
        "backgammon" => (*game, r#"{"match":3}"#),
        _ => (*game, "{}"),
    };
    let own: [(&'static dyn AnyGame, &'static str); 2] =
        [(&PENNIES, r#"{"series":2}"#), (&HIGH_CARD, "{}")];
    GAMES.iter().map(config).chain(own).collect()
}

/// Someone who plays all seats of a table by chance.
struct Player {
    driver: Driver,
    game: &'static dyn AnyGame,
    chance: Seeded,
    now_ms: u64,
}

impl Player {
    /// Sits down at a table, a new one or one that is stored.
    async fn at(
        journal: &dyn Journal,
        name: &str,
        game: &'static dyn AnyGame,
        config: &str,
    ) -> Self {
        let table: TableId = name.parse().unwrap();
        let (epoch, now_ms) = (1, 1_000_000);
        let opened = match store::recall(journal, find, &table, epoch, 0, now_ms).await {
            Ok(table) => table,
            Err(_) => {
                let config: Json = serde_json::from_str(config).unwrap();
                let (options, keys) = (Options::default(), Keys::from_secret(name));
                let new = NewTable { table, game, config, seats: 2, options, keys, now_ms };
                store::create(journal, new, Vec::new()).await.unwrap()
            }
        };
        let chance = Seeded::new(&format!("{name} {}", opened.head()));
        let mut driver = Driver::new(opened, Box::new(|_, _, _| Vec::new()));
        SEATS.into_iter().for_each(|seat| driver.table_mut().back(seat));
        Self { driver, game, chance, now_ms }
    }

    fn below(&mut self, n: u32) -> u32 {
        Draws::new(&mut self.chance).below(n)
    }

    /// One entry more; what its log then is, or none when the game is over.
    async fn step(&mut self, journal: &dyn Journal) -> Option<(u64, Bytes32)> {
        let table = self.driver.table();
        let pending = table.pending();
        let act = match (table.head(), &pending) {
            (_, Pending::Over) => return None,
            (head @ 0..=1, _) => {
                let (seat, who) = (SEATS[head as usize], Who::Account(head));
                Act::Desk(Desk::Sit { seat, who, tip: None })
            }
            (2, _) => Act::Game(Input::House(House::Begin {})),
            // Some tables never end by themselves.
            (400.., _) => Act::Game(Input::House(House::Close {})),
            (_, Pending::Rest) => {
                let seat = SEATS[self.below(2) as usize];
                // Somebody sits down, or gets up who only sits there.
                Act::Game(Input::House(match self.below(2) {
                    0 => House::Joined { seat, chips: Chips::whole(40) },
                    _ => House::Left { seat },
                }))
            }
            (_, Pending::Waiting { .. }) => {
                let state = self.game.load(&table.header().config, &table.doc()).unwrap();
                match pending.asked().first().map(|asked| asked.seat) {
                    Some(seat) => {
                        let legal = state.legal(seat);
                        let command = legal.pick(&mut Draws::new(&mut self.chance)).unwrap();
                        Act::Game(Input::Play { seat, command })
                    }
                    None => {
                        let owner = pending.owners()[0];
                        self.now_ms = self.now_ms.max(table.until_ms(owner).unwrap());
                        Act::Game(Input::Expire { seat: owner })
                    }
                }
            }
        };
        let now_ms = self.now_ms;
        let submission = Submission::new(act, Stamp::default(), now_ms);
        match enter(&mut self.driver, journal, submission, &|| now_ms, &mut drop).await {
            Ok(()) => {}
            // A chair of the game may be taken already, or free.
            Err(refusal) => {
                let codes = ["seat_taken", "seat_empty", "leaving"];
                assert!(codes.contains(&refusal.code), "{refusal}");
            }
        }
        Some((self.driver.table().head(), self.driver.table().digest()))
    }
}

fn open(folder: &Path) -> Sqlite {
    Sqlite::open(&folder.join("house.db"), Durability::PowerSafe).unwrap()
}

/// Re-decides and replays a stored table.
async fn prove(journal: &dyn Journal, table: &TableId) {
    let found = store::find(journal, find, table).await.unwrap();
    let entries = all_entries(journal, table, 0).await.unwrap();
    let keys = found.keys.unwrap();
    let report = audit(found.game, &found.created.header, &entries, Some(keys));
    let report = report.unwrap_or_else(|wrong| panic!("{table}: {wrong}"));
    assert_eq!((report.entries, report.unchecked), (entries.len() as u64, 0));
    let header = &found.created.header;
    let mut replayed = Table::recover(found.game, header, keys, [], 0, 0).unwrap();
    for stored in &entries {
        replayed.apply(stored).unwrap();
    }
    let recalled = store::recall(journal, find, table, 2, 0, 0).await.unwrap();
    assert_eq!(replayed.doc().get(), recalled.doc().get());
    for viewer in Viewer::all(2) {
        let view = |table: &Table| table.current(viewer).unwrap().view;
        assert_eq!(view(&replayed).get(), view(&recalled).get());
    }
}

#[tokio::test]
async fn every_game_is_played_stored_and_proved() {
    let folder = Folder::new();
    let journal = open(folder.path());
    for (i, (game, config)) in games().into_iter().enumerate() {
        let mut player = Player::at(&journal, &format!("t-{i}"), game, config).await;
        while player.step(&journal).await.is_some() {
            // Now and then the table leaves memory, with or without a snapshot.
            if player.below(30) == 0 {
                if player.below(2) == 0 {
                    let (seq, text) =
                        (player.driver.table().head(), player.driver.table().snapshot());
                    let table = player.driver.table().header().table.clone();
                    let snapshot = parlor_journal::Snapshot { seq, text };
                    journal.put_snapshot(&table, snapshot).await.unwrap();
                }
                let doc = player.driver.table().doc();
                player = Player::at(&journal, &format!("t-{i}"), game, config).await;
                assert_eq!(player.driver.table().doc().get(), doc.get());
            }
        }
        prove(&journal, &format!("t-{i}").parse().unwrap()).await;
    }
}

/// Not a test by itself: what the killed process does.
#[tokio::test]
async fn child() {
    let Some(folder) = std::env::var_os(CHILD) else { return };
    let journal = open(Path::new(&folder));
    let games = games();
    let mut out = std::io::stdout().lock();
    for round in 0.. {
        let mut players = Vec::new();
        for (i, (game, config)) in games.iter().enumerate() {
            players.push(Player::at(&journal, &format!("r-{round}-{i}"), *game, config).await);
        }
        let mut playing = true;
        while playing {
            playing = false;
            for player in &mut players {
                if let Some((head, digest)) = player.step(&journal).await {
                    let table = &player.driver.table().header().table;
                    writeln!(out, "stored {table} {head} {digest}").unwrap();
                    out.flush().unwrap();
                    playing = true;
                }
            }
        }
    }
}

#[tokio::test]
async fn nothing_told_is_missing_after_a_kill() {
    let folder = Folder::new();
    let mut chance = Seeded::new("kills");
    let mut told: BTreeMap<(TableId, u64), Bytes32> = BTreeMap::new();
    for kill in 0..count(3, 20) {
        let mut child = another("house::child")
            .env(CHILD, folder.path())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let (tell, lines) = mpsc::channel();
        let out = child.stdout.take().unwrap();
        let reader = std::thread::spawn(move || {
            for line in BufReader::new(out).lines().map_while(Result::ok) {
                tell.send(line).unwrap();
            }
        });
        // It is killed while it works: at some line, and a moment after it.
        let until = 5 + Draws::new(&mut chance).below(400);
        let moment = Draws::new(&mut chance).below(3_000);
        let mut seen = Vec::new();
        while (seen.len() as u32) < until {
            seen.push(lines.recv_timeout(Duration::from_secs(60)).expect("the child works"));
        }
        std::thread::sleep(Duration::from_micros(u64::from(moment)));
        child.kill().unwrap();
        child.wait().unwrap();
        reader.join().unwrap();
        seen.extend(lines.try_iter());
        for line in seen {
            let mut words = line.split(' ');
            // A line may be torn by the kill, and the harness prints some of its own.
            if let (Some("stored"), Some(table), Some(head), Some(digest)) =
                (words.next(), words.next(), words.next(), words.next())
                && let (Ok(head), Ok(digest)) = (head.parse(), digest.parse())
            {
                told.insert((table.parse().unwrap(), head), digest);
            }
        }
        let journal = open(folder.path());
        for ((table, head), digest) in &told {
            let last = journal.read_from(table, head - 1, 1).await.unwrap();
            let last = last.first().unwrap_or_else(|| panic!("kill {kill}: {table} lost {head}"));
            assert_eq!(last.digest, *digest, "kill {kill}: {table} {head} is another entry");
        }
    }
    assert!(told.len() > 10, "too little was told: {}", told.len());
    let journal = open(folder.path());
    let tables: std::collections::BTreeSet<_> = told.keys().map(|(table, _)| table).collect();
    for table in tables {
        prove(&journal, table).await;
    }
}
