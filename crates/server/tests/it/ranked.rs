//! Queues, ratings, histories, rematches; what is left of a table.

use crate::client::{Client, Server, http, until};
use crate::people::{Person, gathered, somebody_asked, told};
use parlor_journal::Memory;
use parlor_server::{Limit, Settings, TableSettings};
use serde_json::{Value, json};
use std::sync::Arc;

/// Two who have met in a queue.
async fn met(server: &Server, clients: &mut [Client; 2], queue: &Value) -> String {
    for client in &mut *clients {
        client.done(queue.clone()).await;
    }
    let mut tables = Vec::new();
    for client in clients {
        let matched = told(client, "matched").await;
        tables.push(matched["table"].as_str().expect("a name").to_owned());
        assert_eq!(told(client, "table").await["access"], "ranked");
        assert!(matched["token"].is_string());
    }
    assert_eq!(tables[0], tables[1]);
    let shown = http(server, "GET", &format!("/api/tables/{}", tables[0]), "", "").await.json();
    assert_eq!(shown["access"], "ranked");
    tables.remove(0)
}

/// What an account is rated, once so many games are counted.
async fn rated(server: &Server, token: &str, games: u32) -> Value {
    let mut rating = Value::Null;
    until(async || {
        rating = http(server, "GET", "/api/me", token, "").await.json()["ratings"][0].clone();
        rating["games"] == games
    })
    .await;
    rating
}

#[tokio::test(flavor = "multi_thread")]
async fn a_ranked_match_counts_and_is_remembered() {
    let server = Server::start().await;
    let mut clients = [Client::guest(&server, "Anna").await, Client::guest(&server, "Boris").await];
    let tokens = [clients[0].token.clone(), clients[1].token.clone()];
    // The rules of a ranked game are what they are, whatever is asked for.
    let queue =
        json!({"type":"queue","game":"gomoku","ranked":true,"config":{"swap2Enabled":false}});
    let table = met(&server, &mut clients, &queue).await;
    let update = told(&mut clients[0], "update").await;
    let config = &update["view"]["match"]["config"];
    assert_eq!((&config["mode"], &config["swap2Enabled"]), (&json!("ranked"), &json!(true)));
    assert_eq!(clients[0].refused(queue.clone()).await, "in_game", "one at a time");
    // Two games are lost: that is the match.
    clients[1].done(json!({"type":"leave","table":table})).await;
    let won = rated(&server, &tokens[0], 1).await;
    let lost = rated(&server, &tokens[1], 1).await;
    assert_eq!((&won["game"], &won["set"]), (&json!("gomoku"), &json!("standard")));
    // Equals: what one wins the other loses.
    let (up, down) = (won["rating"].as_f64(), lost["rating"].as_f64());
    let (up, down) = (up.expect("a number") - 1500.0, 1500.0 - down.expect("a number"));
    assert!(up > 100.0 && (up - down).abs() < 0.01, "{up} {down}");
    assert_eq!(won["provisional"], true);
    let history = http(&server, "GET", "/api/me/history", &tokens[1], "").await.json();
    assert_eq!((&history[0]["table"], &history[0]["result"]), (&json!(table), &json!("lost")));
    assert_eq!(history[0]["names"], json!(["Anna", "Boris"]));
    assert_eq!(history[0]["rating"]["before"], 1500.0);
    assert_eq!(history[0]["rating"]["after"], lost["rating"]);
    let leaders = http(&server, "GET", "/api/leaderboards/gomoku/standard", "", "").await.json();
    assert_eq!((&leaders[0]["name"], &leaders[1]["name"]), (&json!("Anna"), &json!("Boris")));
    // Of somebody else one learns no more than that: no table, no opponent, no chips.
    let mut boris = http(&server, "GET", "/api/players/bORIS", "", "").await.json();
    boris["ratings"][0]["deviation"] = lost["deviation"].clone();
    let (at_ms, rating) = (&history[0]["at_ms"], &history[0]["rating"]);
    let course = json!([{"game": "gomoku", "at_ms": at_ms, "rating": rating}]);
    assert_eq!(boris, json!({"name": "Boris", "ratings": [lost], "course": course}));
    let nobody = http(&server, "GET", "/api/players/Nobody", "", "").await;
    assert_eq!((nobody.status, &nobody.json()["code"]), (404, &json!("no_account")));
    // It is the same after a restart, and counted once.
    let server = server.restart().await;
    assert_eq!(rated(&server, &tokens[0], 1).await["rating"], won["rating"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn matches_of_backgammon_count_as_on_fibs() {
    let server = Server::start().await;
    let mut clients = [Client::guest(&server, "Anna").await, Client::guest(&server, "Boris").await];
    let tokens = [clients[0].token.clone(), clients[1].token.clone()];
    let queue = json!({"type":"queue","game":"backgammon","ranked":true,"config":{"match":4}});
    let table = met(&server, &mut clients, &queue).await;
    clients[0].done(json!({"type":"leave","table":table})).await;
    // 4 · K · √n · P with K 5 for beginners, n 4, P a half: 20.
    assert_eq!(rated(&server, &tokens[0], 1).await["rating"], 1480.0);
    assert_eq!(rated(&server, &tokens[1], 1).await["rating"], 1520.0);
}

#[tokio::test(flavor = "multi_thread")]
async fn who_waits_long_enough_plays_the_house() {
    let server = Server::start().await;
    let mut anna = Client::guest(&server, "Anna").await;
    let queue = json!({"type":"queue","game":"backgammon","house_after_s":0});
    anna.done(queue).await;
    told(&mut anna, "matched").await;
    let chairs = loop {
        let table = told(&mut anna, "table").await;
        if table["chairs"][1]["is"] == "house" {
            break table["chairs"].clone();
        }
    };
    assert_eq!(chairs[0]["name"], "Anna");
}

#[tokio::test(flavor = "multi_thread")]
async fn who_is_alone_where_people_come_and_go_gets_company() {
    let server = Server::start().await;
    let mut anna = Client::guest(&server, "Anna").await;
    let queue =
        |after_s| json!({"type":"queue","game":"poker","chips":100,"house_after_s":after_s});
    anna.done(queue(0)).await;
    let matched = told(&mut anna, "matched").await;
    let house = |table: &Value| {
        let chairs = table["chairs"].as_array().expect("chairs");
        chairs.iter().filter(|chair| chair["is"] == "house").count()
    };
    while house(&told(&mut anna, "table").await) < 3 {}
    while told(&mut anna, "update").await["view"]["hand"] != 1 {}
    // Who comes later sits down with them, and brings nobody.
    let mut boris = Client::guest(&server, "Boris").await;
    boris.done(queue(0)).await;
    assert_eq!(told(&mut boris, "matched").await["table"], matched["table"]);
    assert_eq!(house(&told(&mut boris, "table").await), 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_chair_is_found_where_people_come_and_go() {
    let server = Server::start().await;
    let mut tables = Vec::new();
    for name in ["Anna", "Boris"] {
        let mut client = Client::guest(&server, name).await;
        let queue = json!({"type":"queue","game":"poker","chips":100});
        client.done(queue).await;
        let matched = told(&mut client, "matched").await;
        tables.push((matched["table"].clone(), matched["seat"].clone(), client));
    }
    assert_eq!(tables[0].0, tables[1].0, "the same table");
    assert_eq!((&tables[0].1, &tables[1].1), (&json!(0), &json!(1)));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_same_again_with_the_chairs_exchanged() {
    let server = Server::start().await;
    let config = json!({"rule":"freestyle"});
    let (table, mut people) = gathered(&server, "gomoku", config, json!({})).await;
    somebody_asked(&mut people).await;
    let offer = json!({"type":"offer","table":table,"what":"rematch"});
    assert_eq!(people[0].client.refused(offer.clone()).await, "not_over");
    let resign = json!({"type":"play","table":table,"command":{"type":"resign"}});
    people[0].client.done(resign).await;
    people[0].client.done(offer.clone()).await;
    let offered = told(&mut people[1].client, "offered").await;
    assert_eq!((&offered["by"], &offered["what"]), (&json!(0), &json!("rematch")));
    let no = json!({"type":"answer","table":table,"what":"rematch","accept":false});
    people[1].client.done(no).await;
    assert_eq!(told(&mut people[0].client, "declined").await["by"], 1);
    people[1].client.done(offer).await;
    let yes = json!({"type":"answer","table":table,"what":"rematch","accept":true});
    people[0].client.done(yes).await;
    for (seat, person) in people.iter_mut().enumerate() {
        let matched = told(&mut person.client, "matched").await;
        assert_ne!(matched["table"], table.as_str());
        assert_eq!(matched["seat"], 1 - seat);
        let table = told(&mut person.client, "table").await;
        assert_eq!(table["config"]["rule"], "freestyle");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_game_is_played_again_once_and_not_at_too_many_tables() {
    let settings = Settings {
        tables: TableSettings { per_account: Limit::at(3), ..TableSettings::without_limits() },
        ..Settings::without_limits()
    };
    let server = Server::over(Arc::new(Memory::default()), settings).await;
    let mut anna = Client::guest(&server, "Anna").await;
    let mut over = Vec::new();
    for _ in 0..4 {
        let created = anna.done(json!({"type":"create","game":"gomoku"})).await;
        anna.done(json!({"type":"sit","table":created["table"]})).await;
        anna.done(json!({"type":"house","table":created["table"]})).await;
        let leave = json!({"type":"leave","table":created["table"]});
        anna.done(leave).await;
        over.push(created["table"].clone());
    }
    let offer = |table: &Value| json!({"type":"offer","table":table,"what":"rematch"});
    for table in &over[..3] {
        anna.done(offer(table)).await;
        told(&mut anna, "matched").await;
    }
    assert_eq!(anna.refused(offer(&over[3])).await, "too_many_tables");
    let (_, back) = Client::back(&server, &anna.token).await;
    let tables = back["tables"].as_array().expect("tables").clone();
    assert_eq!(tables.len(), 3);
    // With one less there is room for one more, but not for the same again.
    anna.done(json!({"type":"leave","table":tables[0]})).await;
    assert_eq!(anna.refused(offer(&over[0])).await, "rematched");
    anna.done(offer(&over[3])).await;
    told(&mut anna, "matched").await;
}

/// Somebody who sat down and is gone is no company, and no reason not to have some.
#[tokio::test(flavor = "multi_thread")]
async fn who_asks_for_the_house_is_not_left_with_who_is_gone() {
    let server = Server::start().await;
    let queue = json!({"type":"queue","game":"poker","chips":100,"house_after_s":0});
    let mut gone = Client::guest(&server, "Gone").await;
    gone.done(json!({"type":"queue","game":"poker","chips":100})).await;
    let empty = told(&mut gone, "matched").await["table"].clone();
    let token = gone.token.clone();
    drop(gone);
    until(async || {
        let lobby = http(&server, "GET", "/api/tables", &token, "").await.json();
        lobby
            .as_array()
            .is_none_or(|tables| tables.iter().all(|table| table["chairs"][0]["here"] != true))
    })
    .await;
    let mut anna = Client::guest(&server, "Anna").await;
    anna.done(queue.clone()).await;
    let table = told(&mut anna, "matched").await["table"].clone();
    assert_ne!(table, empty);
    let house = |news: &Value| {
        let chairs = news["chairs"].as_array().expect("chairs");
        chairs.iter().filter(|chair| chair["is"] == "house").count()
    };
    while house(&told(&mut anna, "table").await) < 3 {}
    // Among people nobody else comes; when they are gone, the house does.
    let mut boris = Client::guest(&server, "Boris").await;
    let other = json!({"big_blind":4,"small_blind":2});
    let mut with = queue.clone();
    with["config"] = other.clone();
    boris.done(json!({"type":"queue","game":"poker","chips":100,"config":other})).await;
    let beside = told(&mut boris, "matched").await["table"].clone();
    let mut clara = Client::guest(&server, "Clara").await;
    clara.done(with).await;
    assert_eq!(told(&mut clara, "matched").await["table"], beside);
    assert_eq!(house(&told(&mut clara, "table").await), 0);
    drop(boris);
    while house(&told(&mut clara, "table").await) < 3 {}
}

#[tokio::test(flavor = "multi_thread")]
async fn who_goes_on_elsewhere_keeps_no_old_tables_at_hand() {
    let settings = Settings {
        tables: TableSettings { linger_ms: 1_500, ..TableSettings::without_limits() },
        ..Settings::without_limits()
    };
    let server = Server::over(Arc::new(Memory::default()), settings).await;
    let (first, mut people) = gathered(&server, "gomoku", json!({}), json!({})).await;
    let mut table = first.clone();
    for _ in 0..3 {
        let resign = json!({"type":"play","table":table,"command":{"type":"resign"}});
        until(async || people[0].client.ask(resign.clone()).await["type"] == "done").await;
        for person in &mut people {
            let offer = json!({"type":"offer","table":table,"what":"rematch"});
            person.client.done(offer).await;
        }
        for person in &mut people {
            let matched = told(&mut person.client, "matched").await;
            table = matched["table"].as_str().expect("a table").to_owned();
        }
    }
    let metrics = async || http(&server, "GET", "/metrics", "", "").await.body;
    until(async || metrics().await.contains("parlor_tables 1\n")).await;
    // Whoever wants to see it again does.
    people[0].client.done(json!({"type":"watch","table":first})).await;
    assert!(metrics().await.contains("parlor_tables 2\n"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_battle_is_fought_for_tokens() {
    let server = Server::start().await;
    let config = json!({"stake":4});
    let (table, mut people) = gathered(&server, "battle", config, json!({})).await;
    let tokens = [people[0].client.token.clone(), people[1].client.token.clone()];
    somebody_asked(&mut people).await;
    let has = async |token: &str| {
        http(&server, "GET", "/api/me", token, "").await.json()["tokens"].clone()
    };
    assert_eq!((has(&tokens[0]).await, has(&tokens[1]).await), (json!(6), json!(6)));
    people[0].client.done(json!({"type":"leave","table":table})).await;
    until(async || has(&tokens[1]).await == 14).await;
    assert_eq!(has(&tokens[0]).await, 6);
    // Who has not enough is told so before it sits down.
    let create = json!({"type":"create","game":"battle","config":{"stake":7}});
    let created = people[1].client.done(create).await;
    let sit = json!({"type":"sit","table":created["table"]});
    assert_eq!(people[0].client.refused(sit).await, "overdrawn");
    let queue = json!({"type":"queue","game":"battle","config":{"stake":7}});
    assert_eq!(people[0].client.refused(queue).await, "overdrawn");
}

#[tokio::test(flavor = "multi_thread")]
async fn who_leaves_a_table_is_told_nothing_more() {
    let server = Server::start().await;
    let config = json!({"between_ms":1});
    let (table, mut people) = gathered(&server, "poker", config, json!({})).await;
    let (mut second, _) = Client::back(&server, &people[0].client.token).await;
    second.done(json!({"type":"watch","table":table})).await;
    somebody_asked(&mut people).await;
    // By a command of the game, and so by the rules alone.
    let exit = json!({"type":"play","table":table,"command":{"type":"intent","intent":3}});
    people[0].client.done(exit).await;
    assert_eq!(told(&mut people[0].client, "left").await["table"], table.as_str());
    assert_eq!(told(&mut second, "left").await["table"], table.as_str());
    // The other one goes on, and hears of it.
    let mut boris = people.pop().expect("Boris");
    while boris.last["view"]["players"].as_array().is_none_or(|players| players.len() > 1) {
        let news = boris.client.hears().await;
        boris.client.told.push(news);
        boris.catches_up();
        if boris.is_asked() {
            boris.answers().await;
        }
    }
    let anna = &mut people[0].client;
    anna.done(json!({"type":"ping"})).await;
    assert!(anna.told.iter().all(|news| news["table"] != table.as_str()), "{:?}", anna.told);
    let me = anna.done(json!({"type":"account"})).await;
    assert!(me["me"]["chips"].as_f64().is_some_and(|chips| chips > 990.0), "{me}");
    // The chair is free, and she may sit down again.
    anna.done(json!({"type":"sit","table":table,"seat":0,"chips":50})).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_battle_in_its_own_words() {
    let server = Server::start().await;
    let mut people = Vec::new();
    for name in ["Anna", "Boris"] {
        let mut client = Client::dialect(&server, "battle").await;
        client.send(&json!({"type":"hello","name":name}).to_string()).await;
        let welcome = client.hears().await;
        assert_eq!((&welcome["type"], &welcome["nickname"]), (&json!("welcome"), &json!(name)));
        client.token = welcome["token"].as_str().expect("a token").to_owned();
        people.push(client);
    }
    let config = json!({"hp":2,"max_hp":2,"first_step_ms":1,"next_step_ms":1,"prep_ms":60_000});
    for client in &mut people {
        let join = json!({"type":"queue_join","config":config});
        client.send(&join.to_string()).await;
        assert_eq!(client.hears().await["type"], "queue_ok");
    }
    for (client, names) in people.iter_mut().zip([["Anna", "Boris"], ["Boris", "Anna"]]) {
        let found = client.hears().await;
        assert_eq!(found["type"], "match_found");
        assert_eq!(
            (&found["yourNickname"], &found["oppNickname"]),
            (&json!(names[0]), &json!(names[1]))
        );
        let prep = client.hears().await;
        assert_eq!((&prep["type"], &prep["roundIndex"]), (&json!("prep_start"), &json!(1)));
        assert_eq!((&prep["yourHand"], &prep["pot"]), (&prep["cards"], &json!(2)));
        assert!(prep["deadlineTs"].as_u64() > prep["serverNow"].as_u64());
    }
    people[0].send(r#"{"type":"layout_confirm","layout":["fire",null,null]}"#).await;
    assert_eq!(people[0].hears().await["type"], "error_msg");
    let layouts = [json!(["attack", null, null]), json!(["heal", null, null])];
    for (client, layout) in people.iter_mut().zip(&layouts) {
        client.send(&json!({"type":"layout_confirm","layout":layout}).to_string()).await;
        assert_eq!(client.hears().await["type"], "confirm_ok");
    }
    // Attack against heal: the healed one had all it can have, and loses two.
    for (client, cards, hp) in [(0, ["attack", "heal"], [2, 0]), (1, ["heal", "attack"], [0, 2])]
        .map(|(at, cards, hp)| (at, cards, hp))
    {
        let client = &mut people[client];
        let steps = [client.hears().await, client.hears().await, client.hears().await];
        assert!(steps.iter().all(|step| step["type"] == "step_reveal"), "{steps:?}");
        assert_eq!(steps[0]["yourCard"], cards[0]);
        assert_eq!(steps[0]["oppCard"], cards[1]);
        assert_eq!(steps[1]["yourCard"], Value::Null, "no grass leaves the server");
        assert_eq!((&steps[2]["yourHp"], &steps[2]["oppHp"]), (&json!(hp[0]), &json!(hp[1])));
        assert_eq!(client.hears().await["type"], "round_end");
        let end = client.hears().await;
        assert_eq!((&end["type"], &end["reason"]), (&json!("match_end"), &json!("normal")));
        assert_eq!((&end["winner"], &end["potBurn"]), (&json!(0), &json!(false)));
    }
    people[0].send("{\"type\":\"fly\"}").await;
    assert_eq!(people[0].hears().await["code"], "malformed");
}

#[tokio::test(flavor = "multi_thread")]
async fn dice_and_decks_are_committed_to_and_can_be_added_to() {
    let server = Server::start().await;
    let (table, mut people) = gathered(&server, "poker", json!({}), json!({})).await;
    somebody_asked(&mut people).await;
    let proof = people[0].client.done(json!({"type":"proof","table":table})).await;
    let hex = |value: &Value| value.as_str().is_some_and(|text| text.len() == 64);
    assert!(hex(&proof["dice"]) && hex(&proof["root"]) && proof["hand"].is_object(), "{proof}");
    assert_eq!(people[0].last["root"], proof["root"], "the next deck is committed to");
    let watcher = Client::guest(&server, "Vera").await;
    let shown = http(&server, "GET", &format!("/api/tables/{table}"), &watcher.token, "").await;
    assert_eq!(shown.json()["update"]["root"], proof["root"]);
    // A link without a chain, and one that is none.
    let link = "00".repeat(32);
    let release = json!({"type":"release","table":table,"link":link});
    assert!(!people[0].client.refused(release).await.is_empty());
    let bad = json!({"type":"release","table":table,"link":"00"});
    assert_eq!(people[0].client.refused(bad).await, "malformed");
    drop(Person::new(watcher, "poker", 0));
}
