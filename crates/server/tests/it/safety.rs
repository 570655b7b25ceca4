//! Nobody hurts the others: floods, long messages, slow readers, strangers.

use crate::client::{Client, Server, http_with, until};
use parlor_journal::Memory;
use parlor_server::Settings;
use serde_json::{Value, json};
use std::sync::Arc;

async fn with(settings: Settings) -> Server {
    Server::over(Arc::new(Memory::default()), settings).await
}

#[tokio::test(flavor = "multi_thread")]
async fn who_floods_is_told_and_then_cut_off() {
    let limits = Settings { messages_per_second: 5.0, ..Settings::without_limits() };
    let server = with(limits).await;
    let mut anna = Client::guest(&server, "Anna").await;
    let mut boris = Client::guest(&server, "Boris").await;
    let flood = json!({"id":"x","type":"ping"}).to_string();
    let mut codes = Vec::new();
    let mut bye = Value::Null;
    for _ in 0..300 {
        anna.send_or_not(&flood).await;
    }
    while let Some(frame) = anna.hears_or_ends().await {
        match frame["type"].as_str() {
            Some("bye") => bye = frame,
            _ => codes.push(frame["code"].as_str().unwrap_or("done").to_owned()),
        }
    }
    assert_eq!(bye["code"], "flood");
    assert!(codes.iter().filter(|code| *code == "slow_down").count() >= 200, "told before");
    assert!(codes.iter().filter(|code| *code == "done").count() >= 10, "{codes:?}");
    // Another one is not troubled, and who was cut off may come back.
    boris.done(json!({"type":"ping"})).await;
    Client::back(&server, &anna.token).await.0.done(json!({"type":"account"})).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_too_long_or_no_text_is_said_so() {
    let server = Server::start().await;
    let mut anna = Client::guest(&server, "Anna").await;
    let longest =
        json!({"id":"x","type":"chat","table":"t-1","text":" ".repeat(4_000)}).to_string();
    anna.send(&longest).await;
    assert_eq!(anna.hears().await["code"], "bad_chat", "so much is heard");
    anna.send_binary(b"{}").await;
    assert_eq!(anna.hears().await["code"], "malformed");
    anna.send(&" ".repeat(4_097)).await;
    assert_eq!(anna.hears().await["code"], "too_long");
    anna.done(json!({"type":"ping"})).await;
    // What is far too long is not even read.
    anna.send_or_not(&" ".repeat(100_000)).await;
    while let Some(frame) = anna.hears_or_ends().await {
        assert_eq!((&frame["type"], &frame["code"]), (&json!("bye"), &json!("unreadable")));
    }
    Client::back(&server, &anna.token).await.0.done(json!({"type":"ping"})).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn who_does_not_read_is_dropped_and_may_come_back() {
    let server = Server::start().await;
    let mut anna = Client::guest(&server, "Anna").await;
    let created = anna.done(json!({"type":"create","game":"gomoku"})).await;
    let table = created["table"].as_str().expect("a name").to_owned();
    anna.done(json!({"type":"sit","table":table})).await;
    let mut slow = Client::guest(&server, "Slow").await;
    slow.done(json!({"type":"watch","table":table})).await;
    let watchers = async |anna: &mut Client| {
        let lobby = anna.done(json!({"type":"lobby"})).await;
        lobby["tables"][0]["watchers"].as_u64()
    };
    assert_eq!(watchers(&mut anna).await, Some(1));
    let text = "x".repeat(200);
    let mut said = 0;
    while watchers(&mut anna).await == Some(1) {
        said += 1;
        assert!(said < 2_000, "nobody is dropped");
        for _ in 0..100 {
            let chat = json!({"id":"x","type":"chat","table":table,"text":text});
            anna.send(&chat.to_string()).await;
        }
        // An answer to each, and what everyone hears.
        for _ in 0..200 {
            anna.hears().await;
        }
    }
    let (mut back, _) = Client::back(&server, &slow.token).await;
    back.done(json!({"type":"watch","table":table})).await;
    assert_eq!(watchers(&mut anna).await, Some(1));
}

#[tokio::test(flavor = "multi_thread")]
async fn there_are_only_so_many_of_everything() {
    let limits = Settings {
        connections_per_address: 3,
        connections_per_account: 2,
        tables_per_account: 2,
        accounts_per_minute: 2.0,
        logins_per_minute: 1.0,
        ..Settings::without_limits()
    };
    let server = with(limits).await;
    let mut anna = Client::guest(&server, "Anna").await;
    let create = json!({"type":"create","game":"gomoku"});
    for _ in 0..2 {
        anna.done(create.clone()).await;
    }
    assert_eq!(anna.refused(create).await, "too_many_tables");
    let second = Client::back(&server, &anna.token).await.0;
    let mut third = Client::nobody(&server).await;
    let hello = json!({"type":"hello","version":1,"token":anna.token});
    assert_eq!(third.refused(hello).await, "too_many_connections");
    let guest = |name: &str| json!({"type":"hello","version":1,"name":name});
    let login = json!({"type":"login","version":1,"name":"Anna","password":"a guess or so"});
    assert_eq!(third.refused(login.clone()).await, "bad_login");
    assert_eq!(third.refused(login).await, "slow_down");
    third.done(guest("Boris")).await;
    let fourth = http_with(server.address, "GET", "/ws", &UPGRADE, "").await;
    assert_eq!((fourth.status, &fourth.json()["code"]), (429, &json!("too_many_connections")));
    drop(second);
    let mut fourth = None;
    until(async || {
        fourth = Client::try_connect(&server).await;
        fourth.is_some()
    })
    .await;
    let mut fourth = fourth.expect("a connection");
    assert_eq!(fourth.refused(guest("Clara")).await, "slow_down", "two guests a minute");
}

const UPGRADE: [(&str, &str); 4] = [
    ("upgrade", "websocket"),
    ("connection", "close, upgrade"),
    ("sec-websocket-version", "13"),
    ("sec-websocket-key", "dGhlIHNhbXBsZSBub25jZQ=="),
];

#[tokio::test(flavor = "multi_thread")]
async fn pages_of_other_sites_stay_outside() {
    let server = Server::start().await;
    let ask = async |path: &str, origin: &str| {
        let headers = [UPGRADE[0], UPGRADE[1], UPGRADE[2], UPGRADE[3], ("origin", origin)];
        http_with(server.address, "GET", path, &headers[..], "").await
    };
    for path in ["/ws", "/ws/battle", "/api/tables"] {
        let refused = ask(path, "https://evil.example").await;
        assert_eq!((refused.status, &refused.json()["code"]), (403, &json!("foreign_origin")));
    }
    let own = format!("http://{}", server.address);
    assert_eq!(ask("/api/tables", &own).await.status, 200);
    let unknown = ask("/ws/klingon", &own).await;
    assert_eq!(unknown.status, 404);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stop_is_told_and_is_no_disconnect() {
    let server = Server::start().await;
    let (table, mut people) =
        crate::people::gathered(&server, "battle", json!({"stake":0}), json!({})).await;
    crate::people::somebody_asked(&mut people).await;
    let server = server.restart().await;
    let mut told = Vec::new();
    while let Some(frame) = people[0].client.hears_or_ends().await {
        told.push(frame);
    }
    let bye = told.last().expect("a last word");
    assert_eq!((&bye["type"], &bye["code"]), (&json!("bye"), &json!("stopping")));
    // A battle ends with a lost connection, but not with a stop.
    people[0].comes_back(&server, &table, true).await;
    people[1].comes_back(&server, &table, true).await;
    assert!(crate::people::somebody_asked(&mut people).await.is_some());
}
