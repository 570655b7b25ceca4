//! Every game is played to its end, with a lost connection and a restart on the way.

use crate::client::{Client, Server, mind};
use serde_json::{Value, json, value::to_raw_value};

/// Plays a seat until the game is over, or so many updates have come; whether it is over.
async fn plays(
    client: &mut Client,
    player: &mut dyn parlor_bots::Player,
    table: &str,
    mut updates: u32,
) -> Option<Value> {
    let mut last = None;
    while updates > 0 {
        let news = client.news().await;
        if news["type"] != "update" || news["table"] != table {
            continue;
        }
        updates -= 1;
        if let Some(ask) = news["ask"].as_u64() {
            let view = to_raw_value(&news["view"]).expect("JSON");
            let legal = to_raw_value(&news["legal"]).expect("JSON");
            let command = player.choose(&view, &legal).expect("who is asked has something to say");
            let command: Value = serde_json::from_str(command.get()).expect("JSON");
            let play = json!({"type":"play","table":table,"ask":ask,"command":command});
            let answer = client.ask(play).await;
            let late =
                ["stale_ask", "table_closed"].contains(&answer["code"].as_str().unwrap_or(""));
            assert!(answer["type"] == "done" || late, "{answer} {news}");
        }
        last = Some(news);
    }
    last
}

async fn over(client: &mut Client, table: &str) -> bool {
    let watched = client.done(json!({"type":"watch","table":table})).await;
    assert_eq!(watched["type"], "done");
    let listed = client.told.iter().rev().find(|told| told["type"] == "table");
    listed.expect("the table is told")["over"] == true
}

async fn to_the_end(game: &str, config: Value) {
    let mut server = Server::start().await;
    let mut people =
        vec![Client::guest(&server, "Anna").await, Client::guest(&server, "Boris").await];
    let create = json!({"type":"create","game":game,"config":config,"access":"private"});
    let created = people[0].done(create).await;
    let (table, key) = (created["table"].as_str().expect("a name").to_owned(), &created["key"]);
    let mut minds = Vec::new();
    for (seat, person) in people.iter_mut().enumerate() {
        let sit = json!({"type":"sit","table":table,"key":key});
        let seated = person.done(sit).await;
        assert_eq!(seated["seat"], seat);
        minds.push(mind(game, seat as u8, &format!("{game} {seat}")));
    }
    for round in 0.. {
        assert!(round < 2_000, "{game} has no end");
        for (person, mind) in people.iter_mut().zip(&mut minds) {
            // Whoever is asked answers until nothing is left to read for the moment.
            while let Ok(news) =
                tokio::time::timeout(std::time::Duration::from_millis(20), person.hears()).await
            {
                person.told.push(news);
            }
            let waiting = person.told.iter().filter(|told| told["type"] == "update").count() as u32;
            plays(person, &mut **mind, &table, waiting).await;
        }
        if round == 3 {
            // One loses the connection and comes back.
            let token = people[1].token.clone();
            let (mut back, welcome) = Client::back(&server, &token).await;
            assert_eq!(welcome["tables"], json!([table]));
            back.done(json!({"type":"watch","table":table})).await;
            people[1] = back;
        }
        if round == 6 {
            // The server stops and starts again.
            let tokens: Vec<String> = people.iter().map(|person| person.token.clone()).collect();
            server = server.restart().await;
            people.clear();
            for token in tokens {
                let (mut back, _) = Client::back(&server, &token).await;
                back.done(json!({"type":"watch","table":table})).await;
                people.push(back);
            }
        }
        if round % 5 == 0 && over(&mut people[0], &table).await {
            return;
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn backgammon_is_played_to_its_end() {
    to_the_end("backgammon", json!({})).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn gomoku_is_played_to_its_end() {
    to_the_end("gomoku", json!({"swap2Enabled": true})).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_battle_is_fought_to_its_end() {
    let quick = json!({"first_step_ms":1,"next_step_ms":1,"stake":0});
    to_the_end("battle", quick).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn poker_is_played_with_the_house_and_no_chip_is_lost() {
    let server = Server::start().await;
    let mut people =
        vec![Client::guest(&server, "Anna").await, Client::guest(&server, "Boris").await];
    let config = json!({"between_ms":1,"sit_out_after":0});
    let created = people[0].done(json!({"type":"create","game":"poker","config":config})).await;
    let table = created["table"].as_str().expect("a name").to_owned();
    let mut minds = Vec::new();
    for (seat, person) in people.iter_mut().enumerate() {
        person.done(json!({"type":"sit","table":table,"seat":seat,"chips":100})).await;
        minds.push(mind("poker", seat as u8, &format!("poker {seat}")));
    }
    people[0].done(json!({"type":"house","table":table,"chips":100})).await;
    let (mut hands, mut broke) = (0, false);
    for tries in 0.. {
        // Somebody may have won all there is.
        if hands >= 5 || broke {
            break;
        }
        assert!(tries < 2_000, "only {hands} hands");
        for (person, mind) in people.iter_mut().zip(&mut minds) {
            while let Ok(news) =
                tokio::time::timeout(std::time::Duration::from_millis(10), person.hears()).await
            {
                person.told.push(news);
            }
            let waiting = person.told.iter().filter(|told| told["type"] == "update").count() as u32;
            if let Some(last) = plays(person, &mut **mind, &table, waiting).await {
                hands = last["view"]["hand"].as_u64().expect("a number");
                let players = last["view"]["players"].as_array().expect("players").iter();
                broke = players.filter(|player| player["stack"] != 0).count() < 2
                    && last["view"]["actor"].is_null();
            }
        }
    }
    for person in &mut people {
        person.done(json!({"type":"leave","table":table})).await;
    }
    // They have what they had and what the house has lost: the table holds the rest.
    let mut watcher = Client::guest(&server, "Vera").await;
    watcher.done(json!({"type":"watch","table":table})).await;
    let (mut sum, mut on_table) = (0.0, -1.0);
    for tries in 0.. {
        if sum + on_table == 2_100.0 {
            break;
        }
        assert!(tries < 200, "{sum} with people, {on_table} on the table");
        sum = 0.0;
        for person in &people {
            let (_, welcome) = Client::back(&server, &person.token).await;
            sum += welcome["me"]["chips"].as_f64().expect("chips");
        }
        while let Ok(news) =
            tokio::time::timeout(std::time::Duration::from_millis(20), watcher.news()).await
        {
            if news["type"] == "update" {
                let stacks = news["view"]["players"].as_array().expect("players").iter();
                let gone = stacks.clone().all(|player| player["seat"] == 2);
                let chips = stacks.map(|player| player["stack"].as_f64().expect("chips")).sum();
                on_table = if gone { chips } else { -1.0 };
            }
        }
    }
    let lobby = watcher.done(json!({"type":"lobby"})).await;
    assert_eq!(lobby["tables"][0]["chairs"][0], json!({"is":"open"}), "the chair is free");
}
