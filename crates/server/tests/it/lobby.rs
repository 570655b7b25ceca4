//! Names, tables, chairs, the house, and rubbish.

use crate::client::{Client, Server};
use serde_json::json;

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
    assert_eq!(lobby["tables"][0]["chairs"][1], json!({"is":"house"}));
}

#[tokio::test(flavor = "multi_thread")]
async fn names_are_somebody_s_and_accounts_can_be_claimed() {
    let server = Server::start().await;
    let mut anna = Client::guest(&server, "Anna").await;
    let mut other = Client::nobody(&server).await;
    let hello = |name: &str| json!({"type":"hello","version":1,"name":name});
    assert_eq!(other.refused(hello("aNNA")).await, "name_taken");
    assert_eq!(other.refused(hello("x")).await, "bad_name");
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
