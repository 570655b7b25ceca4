//! Names, tables, chairs, the house, and rubbish.

use crate::client::{Client, Server, http, until};
use crate::people::{gathered, somebody_asked, until_over};
use parlor_journal::Memory;
use parlor_server::{Settings, TableSettings};
use serde_json::json;
use std::sync::Arc;

#[tokio::test(flavor = "multi_thread")]
async fn a_person_alone_plays_against_the_house_at_once() {
    let server = Server::start().await;
    let mut anna = Client::guest(&server, "Anna").await;
    let created = anna.done(json!({"type":"create","game":"backgammon"})).await;
    let table = created["table"].as_str().expect("a name");
    anna.done(json!({"type":"sit","table":table,"seat":0})).await;
    anna.done(json!({"type":"house","table":table})).await;
    let mut asked = false;
    while !asked {
        let news = anna.news().await;
        asked = news["type"] == "update" && !news["ask"].is_null();
    }
    let lobby = anna.done(json!({"type":"lobby"})).await;
    assert_eq!(lobby["tables"][0]["chairs"][0], json!({"is":"taken","name":"Anna","here":true}));
    assert_eq!(lobby["tables"][0]["chairs"][1], json!({"is":"house","level":"medium"}));
}

#[tokio::test(flavor = "multi_thread")]
async fn names_are_somebody_s_and_accounts_can_be_claimed() {
    let server = Server::start().await;
    let mut anna = Client::guest(&server, "Anna").await;
    let mut other = Client::nobody(&server).await;
    let hello = |name: &str| json!({"type":"hello","version":1,"name":name});
    assert_eq!(other.refused(hello("aNNA")).await, "name_taken");
    assert_eq!(other.refused(hello("x")).await, "bad_name");
    assert_eq!(other.refused(hello(" House")).await, "name_reserved");
    assert_eq!(other.refused(json!({"type":"lobby"})).await, "hello_first");
    assert_eq!(other.refused(json!({"type":"hello","version":2})).await, "other_version");
    assert_eq!(other.refused(json!({"type":"hello","version":1,"token":"x"})).await, "bad_token");
    let login =
        |password: &str| json!({"type":"login","version":1,"name":"anna","password":password});
    assert_eq!(other.refused(login("secret words")).await, "bad_login", "a guest has no password");
    assert_eq!(anna.refused(json!({"type":"claim","password":"short"})).await, "bad_password");
    anna.done(json!({"type":"claim","password":"secret words"})).await;
    assert_eq!(other.refused(login("other words")).await, "bad_login");
    let welcome = other.done(login("secret words")).await;
    assert_eq!((&welcome["me"]["name"], &welcome["me"]["guest"]), (&json!("Anna"), &json!(false)));
    assert_eq!(welcome["me"]["chips"], 1000);
    let token = anna.token.clone();
    anna.done(json!({"type":"logout"})).await;
    let mut late = Client::nobody(&server).await;
    assert_eq!(late.refused(json!({"type":"hello","version":1,"token":token})).await, "bad_token");
}

#[tokio::test(flavor = "multi_thread")]
async fn who_wants_the_same_meets_in_the_queue() {
    let server = Server::start().await;
    let mut people = [Client::guest(&server, "Anna").await, Client::guest(&server, "Boris").await];
    let queue = json!({"type":"queue","game":"backgammon","config":{"match":3}});
    people[0].done(queue.clone()).await;
    assert_eq!(people[0].refused(queue.clone()).await, "queued", "never against oneself");
    people[1].done(queue).await;
    let mut tables = Vec::new();
    for (seat, person) in people.iter_mut().enumerate() {
        let matched = loop {
            let news = person.news().await;
            if news["type"] == "matched" {
                break news;
            }
        };
        assert_eq!(matched["seat"], seat);
        tables.push(matched["table"].clone());
    }
    assert_eq!(tables[0], tables[1]);
    assert_eq!(people[0].refused(json!({"type":"unqueue"})).await, "not_queued");
}

#[tokio::test(flavor = "multi_thread")]
async fn chips_go_to_the_table_and_come_back() {
    let server = Server::start().await;
    let mut anna = Client::guest(&server, "Anna").await;
    let created = anna.done(json!({"type":"create","game":"poker"})).await;
    let table = created["table"].as_str().expect("a name").to_owned();
    let sit = |chips: u32| json!({"type":"sit","table":table,"chips":chips});
    assert_eq!(anna.refused(sit(39)).await, "too_few_chips");
    assert_eq!(anna.refused(sit(500)).await, "too_many_chips");
    anna.done(sit(400)).await;
    let (_, welcome) = Client::back(&server, &anna.token).await;
    assert_eq!(welcome["me"]["chips"], 600);
    // Nobody brings more than there is.
    let mut boris = Client::guest(&server, "Boris").await;
    let config = json!({"max_buy_in":5_000});
    let created = boris.done(json!({"type":"create","game":"poker","config":config})).await;
    assert_eq!(boris.refused(json!({"type":"sit","table":created["table"]})).await, "no_chips");
    boris.done(json!({"type":"sit","table":created["table"],"chips":5_000})).await;
    let me = boris.done(json!({"type":"account","language":"ru"})).await;
    assert_eq!((&me["me"]["chips"], &me["me"]["language"]), (&json!(0), &json!("ru")));
    let more = json!({"type":"top_up","table":created["table"],"chips":1});
    assert_eq!(boris.refused(more).await, "overdrawn");
    boris.done(json!({"type":"leave","table":created["table"]})).await;
    let back = async |boris: &mut Client| boris.done(json!({"type":"account"})).await;
    let paid = async || back(&mut boris).await["me"]["chips"] == 1_000;
    until(paid).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn strangers_stay_out_of_private_tables() {
    let server = Server::start().await;
    let mut anna = Client::guest(&server, "Anna").await;
    let mut boris = Client::guest(&server, "Boris").await;
    let create = json!({"type":"create","game":"gomoku","access":"private"});
    let created = anna.done(create).await;
    let table = &created["table"];
    anna.done(json!({"type":"sit","table":table,"key":created["key"]})).await;
    for say in [
        json!({"type":"sit","table":table}),
        json!({"type":"sit","table":table,"key":"0123456789abcdef01234567"}),
        json!({"type":"watch","table":table}),
        json!({"type":"house","table":table,"level":"hard"}),
        json!({"type":"proof","table":table}),
    ] {
        assert_eq!(boris.refused(say).await, "private");
    }
    assert_eq!(boris.refused(json!({"type":"chat","table":table,"text":"hi"})).await, "not_here");
    assert_eq!(boris.done(json!({"type":"lobby"})).await["tables"], json!([]));
    boris.done(json!({"type":"watch","table":table,"key":created["key"]})).await;
    anna.done(json!({"type":"house","table":table,"level":"hard"})).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn tables_that_nobody_cares_for_vanish() {
    let settings = Settings {
        tables: TableSettings { linger_ms: 1_000, ..TableSettings::without_limits() },
        ..Settings::without_limits()
    };
    let server = Server::over(Arc::new(Memory::default()), settings).await;
    let mut anna = Client::guest(&server, "Anna").await;
    let listed = async |anna: &mut Client| {
        let lobby = anna.done(json!({"type":"lobby"})).await;
        lobby["tables"].as_array().expect("tables").len()
    };
    // One that nobody sits at, and one whose people have gone before it began.
    let created = anna.done(json!({"type":"create","game":"gomoku"})).await;
    let watch = json!({"type":"watch","table":created["table"]});
    let other = anna.done(json!({"type":"create","game":"battle"})).await;
    let mut boris = Client::guest(&server, "Boris").await;
    boris.done(json!({"type":"sit","table":other["table"]})).await;
    assert_eq!(listed(&mut anna).await, 2);
    drop(boris);
    until(async || listed(&mut anna).await == 0).await;
    // It is closed, and can still be looked at.
    let metrics = async || http(&server, "GET", "/metrics", "", "").await.body;
    until(async || metrics().await.contains("parlor_tables 1\n")).await;
    anna.done(watch).await;
    let table = anna.told.iter().find(|told| told["type"] == "table").expect("the table");
    assert_eq!(table["over"], true);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_table_of_a_gone_opponent_comes_to_its_end_by_the_clock() {
    let server = Server::start().await;
    let options = json!({"clock":{"per_move":{"per_move_ms":1000}}});
    let (table, mut people) = gathered(&server, "backgammon", json!({}), options).await;
    let asked = somebody_asked(&mut people).await.expect("it has begun");
    let gone = people.remove(asked);
    drop(gone);
    until_over(&mut people).await;
    assert_eq!(people[0].last["view"]["winner"], 1 - asked);
    // Where nobody says anything about time, there is a clock all the same.
    let mut vera = Client::guest(&server, "Vera").await;
    for game in ["backgammon", "gomoku", "battle", "poker"] {
        let created = vera.done(json!({"type":"create","game":game})).await;
        let address = format!("/api/tables/{}", created["table"].as_str().expect("a name"));
        let shown = http(&server, "GET", &address, "", "").await.json();
        let reserve = shown["update"]["clocks"][0]["reserve_ms"].as_u64();
        let expected = if game == "backgammon" { Some(300_000) } else { None };
        assert_eq!(reserve.filter(|reserve| *reserve > 0), expected, "{game}");
    }
    assert_ne!(table, "");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_connection_that_says_nothing_at_all_is_given_up() {
    let settings = Settings { idle_ms: 1_000, ..Settings::without_limits() };
    let server = Server::over(Arc::new(Memory::default()), settings).await;
    let mut anna = Client::guest(&server, "Anna").await;
    let created = anna.done(json!({"type":"create","game":"gomoku"})).await;
    let mut silent = Client::guest(&server, "Silent").await;
    silent.done(json!({"type":"watch","table":created["table"]})).await;
    // Whoever answers pings stays, as one that reads does; who does not read does not answer.
    let watchers = async |anna: &mut Client| {
        let lobby = anna.done(json!({"type":"lobby"})).await;
        lobby["tables"][0]["watchers"].as_u64()
    };
    until(async || watchers(&mut anna).await == Some(0)).await;
    drop(silent);
}

#[tokio::test(flavor = "multi_thread")]
async fn rubbish_is_answered() {
    let server = Server::start().await;
    let mut anna = Client::guest(&server, "Anna").await;
    for text in ["", "{", "[]", "null", "{\"type\":\"ping\"}", "{\"id\":7,\"type\":\"ping\"}"] {
        anna.send(text).await;
        let answer = anna.hears().await;
        assert_eq!((&answer["type"], &answer["code"]), (&json!("refused"), &json!("malformed")));
    }
    for say in [
        json!({"type":"fly"}),
        json!({"type":"ping","more":1}),
        json!({"type":"sit"}),
        json!({"type":"watch","table":5}),
    ] {
        assert_eq!(anna.refused(say).await, "malformed");
    }
    assert_eq!(anna.refused(json!({"type":"watch","table":"t-0"})).await, "no_such_table");
    assert_eq!(anna.refused(json!({"type":"watch","table":"../etc"})).await, "no_such_table");
    assert_eq!(anna.refused(json!({"type":"create","game":"chess"})).await, "unknown_game");
    let seats = json!({"type":"create","game":"backgammon","seats":9});
    assert_eq!(anna.refused(seats).await, "bad_seats");
    anna.done(json!({"type":"ping"})).await;
}
