//! Whatever people say, no chip and no token appears or is lost.

use crate::client::{Client, Server, mind};
use parlor_journal::{Journal, Memory};
use parlor_rules::{Draws, Seeded};
use parlor_server::Settings;
use parlor_testkit::count;
use serde_json::{Value, json, value::to_raw_value};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

/// All balances in a unit.
async fn balances(journal: &dyn Journal, unit: &str) -> BTreeMap<String, i64> {
    let records = journal.records(unit, None, 100_000).await.expect("readable");
    records.into_iter().map(|(key, text)| (key, text.parse().expect("a number"))).collect()
}

/// Whatever one has got, another has given; and nobody but the house has less than nothing.
async fn adds_up(journal: &dyn Journal) {
    for unit in ["chips", "tokens"] {
        let all = balances(journal, unit).await;
        assert_eq!(all.values().sum::<i64>(), 0, "{unit}: {all:?}");
        let in_debt = all.iter().find(|(key, sum)| *key != "house" && **sum < 0);
        assert_eq!(in_debt, None, "{unit}");
    }
}

/// What lies on every table is what its account says.
async fn tables_hold_what_they_should(journal: &dyn Journal) {
    for unit in ["chips", "tokens"] {
        for (key, sum) in balances(journal, unit).await {
            let Some(name) = key.strip_prefix("table ") else { continue };
            let name = name.parse().expect("a name");
            let table = parlor_journal::store::recall(journal, parlor_games::find, &name, 0, 0, 0);
            let stake = table.await.expect("it can be read").stake();
            assert_eq!(stake.ten_thousandths(), sum, "{name}");
        }
    }
}

/// Somebody, and what it was told last.
struct Person {
    client: Client,
    last: Value,
    /// The game and the chair of the last update.
    game: String,
    seat: u8,
}

impl Person {
    fn new(client: Client) -> Self {
        Self { client, last: Value::Null, game: String::new(), seat: 0 }
    }

    /// Something sensible.
    fn thinks(&self) -> Value {
        let view = to_raw_value(&self.last["view"]).expect("JSON");
        let legal = to_raw_value(&self.last["legal"]).expect("JSON");
        let command = mind(&self.game, self.seat, "traffic").choose(&view, &legal);
        command.map_or(Value::Null, |command| serde_json::from_str(command.get()).expect("JSON"))
    }
}

/// Something that somebody might say.
fn says(draws: &mut Draws<'_>, tables: &[String], person: &Person) -> Value {
    let last = &person.last;
    if !last["ask"].is_null() && draws.below(2) == 0 {
        let (table, ask, command) = (&last["table"], &last["ask"], person.thinks());
        return json!({"type":"play","table":table,"ask":ask,"command":command});
    }
    let game = ["backgammon", "battle", "gomoku", "poker"][draws.below(4) as usize];
    let table = match tables.len() {
        0 => "t-none".to_owned(),
        // Where something goes on.
        n => tables[n - 1 - draws.below(n.min(5) as u32) as usize].clone(),
    };
    let chips = [0, 1, 40, 100, 400, 1_000, 5_000][draws.below(7) as usize];
    let config = match game {
        "backgammon" | "gomoku" => json!({"chips_a_point": draws.below(30)}),
        "battle" => json!({"stake":draws.below(6),"first_step_ms":1,"next_step_ms":1,"prep_ms":20}),
        _ => json!({"between_ms":1,"within_ms":1000}),
    };
    match draws.below(16) {
        0 => json!({"type":"create","game":game,"config":config}),
        1 | 2 => json!({"type":"sit","table":table,"chips":chips}),
        3 => json!({"type":"sit","table":table}),
        4 if draws.below(2) == 0 => json!({"type":"house","table":table}),
        4 => json!({"type":"house","table":table,"chips":100}),
        5 => json!({"type":"leave","table":table}),
        6 => json!({"type":"top_up","table":table,"chips":chips}),
        7 => json!({"type":"queue","game":game,"chips":chips,"house_after_s":0}),
        8 => json!({"type":"unqueue"}),
        9 => json!({"type":"offer","table":table,"what":"rematch"}),
        10 => json!({"type":"play","table":table,"command":{"type":"resign"}}),
        11 => {
            json!({"type":"play","table":table,"command":{"type":"intent","intent":draws.below(4)}})
        }
        12 => json!({"type":"play","table":table,"command":{"type":"layout_confirm",
            "layout":["attack",null,"heal"]}}),
        13 => {
            let word = ["call", "fold", "check"][draws.below(3) as usize];
            let (table, ask) = (&last["table"], &last["ask"]);
            json!({"type":"play","table":table,"ask":ask,"command":{"type":word}})
        }
        14 => json!({"type":"play","table":last["table"],
            "command":{"type":"offer-resign","value":1 + draws.below(3),"seat":draws.below(2)}}),
        _ => json!({"type":"play","table":last["table"],
            "command":{"type":"answer-resign","accept":true,"seat":draws.below(2)}}),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn no_traffic_makes_or_loses_a_chip() {
    let mut done = BTreeMap::new();
    for seed in 0..count(3, 40) {
        traffic(&format!("traffic {seed}"), &mut done).await;
    }
    // Something has really happened.
    let words = ["create", "sit", "play", "house", "leave", "queue", "chips", "tokens"];
    assert!(words.iter().all(|word| done.contains_key(*word)), "{done:?}");
}

/// Counts what was done.
async fn traffic(seed: &str, done: &mut BTreeMap<String, u32>) {
    let journal = Arc::new(Memory::default());
    let mut server = Server::over(journal.clone(), Settings::without_limits()).await;
    let mut chance = Seeded::new(seed);
    let mut draws = Draws::new(&mut chance);
    let mut people = Vec::new();
    for name in ["Anna", "Boris", "Clara", "David", "Elena"] {
        people.push(Person::new(Client::guest(&server, name).await));
    }
    let mut tables: Vec<String> = Vec::new();
    for step in 0..600 {
        let who = draws.below(people.len() as u32) as usize;
        let person = &mut people[who];
        let say = says(&mut draws, &tables, person);
        let answer = person.client.ask(say.clone()).await;
        if answer["type"] != "refused" {
            let word = say["type"].as_str().expect("a word");
            *done.entry(word.to_owned()).or_insert(0) += 1;
        }
        tables.extend(answer["table"].as_str().map(str::to_owned));
        for news in std::mem::take(&mut person.client.told) {
            match news["type"].as_str() {
                Some("update") => person.last = news,
                Some("matched") => tables.extend(news["table"].as_str().map(str::to_owned)),
                Some("table") if !news["you"].is_null() => {
                    person.game = news["game"].as_str().expect("a game").to_owned();
                    person.seat = news["you"].as_u64().expect("a chair") as u8;
                    person.last = Value::Null;
                }
                _ => {}
            }
        }
        adds_up(&*journal).await;
        match draws.below(200) {
            // One loses the connection and comes back.
            0..=4 => {
                let token = person.client.token.clone();
                person.client = Client::back(&server, &token).await.0;
            }
            // The server stops and starts again.
            5 if step > 100 => {
                server = server.restart().await;
                for person in &mut people {
                    let token = person.client.token.clone();
                    person.client = Client::back(&server, &token).await.0;
                }
            }
            _ => {}
        }
    }
    server.stop().await;
    adds_up(&*journal).await;
    tables_hold_what_they_should(&*journal).await;
    for unit in ["chips", "tokens"] {
        let on_tables =
            balances(&*journal, unit).await.keys().filter(|key| key.starts_with("table ")).count();
        if on_tables > 0 {
            *done.entry(unit.to_owned()).or_insert(0) += on_tables as u32;
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_seat_that_is_left_twice_is_paid_out_to_its_player() {
    let journal = Arc::new(Memory::default());
    let server = Server::over(journal.clone(), Settings::without_limits()).await;
    let mut anna = Client::guest(&server, "Anna").await;
    let mut boris = Client::guest(&server, "Boris").await;
    let config = json!({"between_ms":1,"within_ms":1000});
    let created = anna.done(json!({"type":"create","game":"poker","config":config})).await;
    let table = created["table"].as_str().expect("a table").to_owned();
    for client in [&mut anna, &mut boris] {
        client.done(json!({"type":"sit","table":table,"chips":100})).await;
    }
    // The hand has begun. Her time to act is not up yet, and she leaves twice.
    for _ in 0..2 {
        anna.done(json!({"type":"leave","table":table})).await;
    }
    let paid_out = async {
        // One account for each table, which is empty when she is paid out and he has left too.
        boris.done(json!({"type":"leave","table":table})).await;
        while balances(&*journal, "chips").await.get(&format!("table {table}")) != Some(&0) {
            anna.done(json!({"type":"ping"})).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(10), paid_out).await.expect("they are paid out");
    let all = balances(&*journal, "chips").await;
    assert_eq!(all["house"], -2 * 1_000 * 10_000, "what it has granted, and no stack: {all:?}");
}
