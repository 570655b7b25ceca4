//! Nobody hurts the others: floods, long messages, slow readers, strangers.

use crate::client::{Client, Server, http, http_with, until};
use crate::people::{gathered, somebody_asked, told};
use parlor_journal::Memory;
use parlor_server::{Chance, Limit, Settings, TableSettings};
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

async fn with(settings: Settings) -> Server {
    Server::over(Arc::new(Memory::default()), settings).await
}

#[tokio::test(flavor = "multi_thread")]
async fn who_floods_is_told_and_then_cut_off() {
    let limits = Settings { messages_per_second: Limit::at(5), ..Settings::without_limits() };
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
async fn one_connection_looks_at_only_so_many_tables() {
    let server =
        with(Settings { tables_per_connection: Limit::at(2), ..Settings::without_limits() }).await;
    let mut anna = Client::guest(&server, "Anna").await;
    let mut tables = Vec::new();
    for _ in 0..4 {
        let created = anna.done(json!({"type":"create","game":"gomoku"})).await;
        tables.push(created["table"].clone());
    }
    let watch = |n: usize| json!({"type":"watch","table":tables[n]});
    let sit = |n: usize| json!({"type":"sit","table":tables[n]});
    for n in [0, 1, 0] {
        anna.done(watch(n)).await;
    }
    anna.done(sit(1)).await;
    for say in [watch(2), sit(2)] {
        assert_eq!(anna.refused(say).await, "too_many_tables");
    }
    anna.done(json!({"type":"leave","table":tables[0]})).await;
    anna.done(watch(2)).await;
    assert_eq!(anna.refused(watch(3)).await, "too_many_tables");
    // A game that is over makes room by itself.
    let mut boris = Client::guest(&server, "Boris").await;
    boris.done(sit(1)).await;
    let resign = json!({"type":"play","table":tables[1],"command":{"type":"resign"}});
    until(async || boris.ask(resign.clone()).await["type"] == "done").await;
    anna.done(watch(3)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn there_are_only_so_many_of_everything() {
    let limits = Settings {
        connections_per_address: Limit::at(3),
        connections_per_account: Limit::at(2),
        tables: TableSettings { per_account: Limit::at(2), ..TableSettings::without_limits() },
        accounts_per_minute: Limit::at(2),
        logins_per_minute: Limit::at(1),
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
    let (table, mut people) = gathered(&server, "battle", json!({"stake":0}), json!({})).await;
    somebody_asked(&mut people).await;
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
    assert!(somebody_asked(&mut people).await.is_some());
}

#[tokio::test(flavor = "multi_thread")]
async fn no_number_of_an_update_hurts_a_table() {
    let server = Server::start().await;
    let (table, mut people) = gathered(&server, "gomoku", json!({}), json!({})).await;
    somebody_asked(&mut people).await;
    let epoch = people[0].last["epoch"].clone();
    for seq in [u64::MAX, u64::MAX - 1, 0, 7] {
        let watch = json!({"type":"watch","table":table,"epoch":epoch,"seq":seq});
        people[0].client.done(watch).await;
    }
    people[0].client.done(json!({"type":"watch","table":table})).await;
    people[0].answers().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn one_account_has_one_chair_however_fast_it_asks() {
    let server = Server::start().await;
    let mut anna = Client::guest(&server, "Anna").await;
    for _ in 0..10 {
        let created = anna.done(json!({"type":"create","game":"gomoku","access":"ranked"})).await;
        let mut second = Client::back(&server, &anna.token).await.0;
        let sit = json!({"type":"sit","table":created["table"]});
        let (first, second) = tokio::join!(anna.ask(sit.clone()), second.ask(sit));
        let codes = [&first["code"], &second["code"]];
        assert!(codes.contains(&&json!("seated")), "{first} {second}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_that_is_worth_nothing_ends_its_connections() {
    let server = Server::start().await;
    let mut anna = Client::guest(&server, "Anna").await;
    let mut second = Client::back(&server, &anna.token).await.0;
    anna.done(json!({"type":"logout"})).await;
    assert_eq!(second.hears().await["code"], "revoked");
    assert!(second.hears_or_ends().await.is_none());
    // The one that has asked for it may say hello again.
    anna.done(json!({"type":"hello","version":1,"name":"Anna again"})).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_password_survives_what_else_is_changed_meanwhile() {
    let server = Server::start().await;
    let mut anna = Client::guest(&server, "Anna").await;
    let mut second = Client::back(&server, &anna.token).await.0;
    let claim = async { anna.done(json!({"type":"claim","password":"secret words"})).await };
    let speak = async {
        for language in ["ru", "vi", "en", "ru", "vi", "en", "ru"] {
            second.done(json!({"type":"account","language":language})).await;
        }
    };
    tokio::join!(claim, speak);
    let me = second.done(json!({"type":"account"})).await;
    assert_eq!((&me["me"]["guest"], &me["me"]["language"]), (&json!(false), &json!("ru")));
}

#[tokio::test(flavor = "multi_thread")]
async fn who_hangs_up_at_the_moment_of_a_match_is_not_there() {
    for _ in 0..10 {
        let server = Server::start().await;
        let mut anna = Client::guest(&server, "Anna").await;
        let mut boris = Client::guest(&server, "Boris").await;
        let queue = json!({"type":"queue","game":"battle"});
        boris.done(queue.clone()).await;
        anna.done(queue).await;
        drop(boris);
        // Either they have not met, or a lost connection has lost the battle.
        if anna.ask(json!({"type":"unqueue"})).await["type"] == "done" {
            continue;
        }
        until(async || {
            anna.done(json!({"type":"ping"})).await;
            anna.told.iter().any(|told| told["type"] == "table" && told["over"] == true)
        })
        .await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stop_does_not_wait_for_half_a_request() {
    let mut server = Server::start().await;
    let mut half = TcpStream::connect(server.address).await.expect("a connection");
    half.write_all(b"GET /healthz HTTP/1.1\r\nHo").await.expect("sent");
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn who_is_behind_stays_behind() {
    let server = Server::start().await;
    let options = json!({"watch_delay_ms":600_000});
    let (table, mut people) = gathered(&server, "poker", json!({}), options.clone()).await;
    somebody_asked(&mut people).await;
    let mut vera = Client::guest(&server, "Vera").await;
    vera.done(json!({"type":"watch","table":table})).await;
    vera.told.clear();
    people[0].client.done(json!({"type":"chat","table":table,"text":"I have aces"})).await;
    let proof = vera.done(json!({"type":"proof","table":table})).await;
    assert_eq!(proof["hand"], Value::Null);
    assert!(vera.told.iter().all(|told| told["type"] != "chat"), "{:?}", vera.told);
    let hand = http(&server, "GET", &format!("/api/tables/{table}/hand"), &vera.token, "").await;
    assert_eq!(hand.json()["code"], "behind");
    // The end, too.
    let mut game = Vec::new();
    for name in ["Clara", "David"] {
        game.push(Client::guest(&server, name).await);
    }
    let create = json!({"type":"create","game":"gomoku","options":options});
    let table = game[0].done(create).await["table"].clone();
    for client in &mut game {
        client.done(json!({"type":"sit","table":table})).await;
    }
    until(async || {
        game[0].ask(json!({"type":"play","table":table,"command":{"type":"resign"}})).await["type"]
            == "done"
    })
    .await;
    vera.done(json!({"type":"watch","table":table})).await;
    let about = vera.told.iter().rev().find(|told| told["type"] == "table").expect("the table");
    assert_eq!(about["over"], false);
    let address = format!("/api/tables/{}", table.as_str().expect("a name"));
    for what in ["log", "proof"] {
        let refused = http(&server, "GET", &format!("{address}/{what}"), &vera.token, "").await;
        assert_eq!(refused.json()["code"], "not_over");
        let own = http(&server, "GET", &format!("{address}/{what}"), &game[0].token, "").await;
        assert_eq!(own.status, 200, "{}", own.body);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn who_never_asks_is_sent_away() {
    let server = with(Settings { ask_ms: 1_000, ..Settings::without_limits() }).await;
    for said in ["", "GET /healthz HTTP/1.1\r\nHo", "GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n"] {
        let mut silent = TcpStream::connect(server.address).await.expect("a connection");
        silent.write_all(said.as_bytes()).await.expect("sent");
        let mut heard = Vec::new();
        let ends = tokio::time::timeout(Duration::from_secs(30), silent.read_to_end(&mut heard));
        ends.await.expect("it is closed").expect("in order");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn one_address_has_only_so_many_connections_that_ask() {
    let settings = Settings { asking_per_address: Limit::at(3), ..Settings::without_limits() };
    let server = with(settings).await;
    // Sockets are counted by themselves.
    let mut anna = Client::guest(&server, "Anna").await;
    let _boris = Client::guest(&server, "Boris").await;
    let silent = async || TcpStream::connect(server.address).await.expect("a connection");
    let silent = [silent().await, silent().await, silent().await];
    let mut refused = TcpStream::connect(server.address).await.expect("a connection");
    let mut text = String::new();
    refused.read_to_string(&mut text).await.expect("an answer");
    assert!(text.starts_with("HTTP/1.1 429 ") && text.contains("too_many_connections"), "{text}");
    anna.done(json!({"type":"ping"})).await;
    drop(silent);
    until(async || Client::try_connect(&server).await.is_some()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn every_refusal_over_http_has_its_code() {
    let server = Server::start().await;
    let long = " ".repeat(100_000);
    for (method, path, body, status, code) in [
        ("DELETE", "/api/me", "", 405, "no_such_method"),
        ("POST", "/ws", "", 405, "no_such_method"),
        ("POST", "/api/say", &*long, 413, "too_long"),
        ("POST", "/api/say", &long[..5_000], 413, "too_long"),
        ("POST", "/api/say", "{", 400, "malformed"),
        ("GET", "/ws", "", 400, "malformed"),
        ("GET", "/api/tables/%ff", "", 400, "malformed"),
        ("GET", "/api/tables/t-1?key=a&key=b", "", 400, "malformed"),
        ("GET", "/api/nowhere", "", 404, "no_such_file"),
    ] {
        let answer = http(&server, method, path, "", body).await;
        let told = answer.json();
        assert_eq!((answer.status, &told["code"]), (status, &json!(code)), "{method} {path}");
        assert!(told["type"] == "refused" && told["text"] != "", "{told}");
    }
}

/// What a server counts of itself.
async fn counted(server: &Server, what: &str) -> f64 {
    let text = http(server, "GET", "/metrics", "", "").await.body;
    let line = text.lines().find_map(|line| line.strip_prefix(what));
    line.and_then(|line| line.trim().parse().ok()).expect("a count")
}

/// The comparison is what takes long; it is made for a name with a password, for a guest and for
/// nobody alike.
#[tokio::test(flavor = "multi_thread")]
async fn how_long_a_login_takes_does_not_tell_who_is_there() {
    let server = Server::start().await;
    let mut anna = Client::guest(&server, "Anna").await;
    anna.done(json!({"type":"claim","password":"correct horse"})).await;
    let _guest = Client::guest(&server, "Boris").await;
    let mut client = Client::nobody(&server).await;
    for (tried, name) in ["Anna", "Boris", "Nobody"].into_iter().enumerate() {
        assert_eq!(counted(&server, "parlor_passwords_total").await, tried as f64);
        let login = json!({"type":"login","version":1,"name":name,"password":"wrong horse"});
        assert_eq!(client.refused(login).await, "bad_login");
    }
    assert_eq!(counted(&server, "parlor_passwords_total").await, 3.0);
}

#[tokio::test(flavor = "multi_thread")]
async fn who_asks_and_does_not_read_is_heard_no_more() {
    let server = Server::start().await;
    let mut anna = Client::guest(&server, "Anna").await;
    for _ in 0..30 {
        anna.done(json!({"type":"create","game":"poker"})).await;
    }
    let messages = async || counted(&server, "parlor_messages_total").await;
    let before = messages().await;
    let mut deaf = Client::guest(&server, "Deaf").await;
    let ask = json!({"id":"x","type":"lobby"}).to_string();
    let asks = async {
        for _ in 0..20_000 {
            deaf.send_or_not(&ask).await;
        }
    };
    // Either it cannot send any more, or is cut off.
    let _ = tokio::time::timeout(Duration::from_secs(5), asks).await;
    let heard = messages().await - before;
    assert!(heard < 5_000.0, "{heard} were answered");
    anna.done(json!({"type":"ping"})).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn who_says_goodbye_is_answered() {
    let server = Server::start().await;
    for n in 0..20 {
        assert!(Client::guest(&server, &format!("Anna {n}")).await.parts_in_order().await);
    }
}

/// What is said at once is answered one after the other, also what is done by the table.
#[tokio::test(flavor = "multi_thread")]
async fn answers_come_in_the_order_of_what_was_said() {
    let server = Server::start().await;
    let [mut anna, mut boris] =
        [Client::guest(&server, "Anna").await, Client::guest(&server, "Boris").await];
    let created = anna.done(json!({"type":"create","game":"gomoku"})).await;
    let table = &created["table"];
    anna.done(json!({"type":"sit","table":table,"seat":0})).await;
    boris.done(json!({"type":"sit","table":table,"seat":1})).await;
    let play = |id: u8, x: u8| {
        let command = json!({"type":"move","x":x,"y":7});
        json!({"id":format!("m{id}"),"type":"play","table":table,"command":command}).to_string()
    };
    anna.send(&play(1, 1)).await;
    anna.send(&play(2, 2)).await;
    anna.send_binary(b"{}").await;
    anna.send(&json!({"id":"p","type":"ping"}).to_string()).await;
    let mut answers = Vec::new();
    while answers.last() != Some(&"p done".to_owned()) {
        let told = anna.hears().await;
        let (id, kind) = (told["id"].as_str().unwrap_or("-"), told["type"].as_str());
        answers.extend(
            kind.filter(|kind| ["done", "refused"].contains(kind))
                .map(|kind| format!("{id} {kind}")),
        );
    }
    assert_eq!(answers, ["m1 done", "m2 refused", "- refused", "p done"]);
    // The last one is answered though the connection ends.
    boris.send(&play(3, 3)).await;
    assert!(boris.parts_in_order().await);
    let done = json!({"id":"m3","type":"play","table":table,"command":{"type":"move","x":4,"y":4}});
    let (mut boris, _) = Client::back(&server, &boris.token).await;
    boris.send(&done.to_string()).await;
    assert_eq!(boris.hears().await["code"], "id_reused", "it was done");
}

#[tokio::test(flavor = "multi_thread")]
async fn another_may_speak_by_the_same_line() {
    let server = Server::start().await;
    let mut anna = Client::guest(&server, "Anna").await;
    let mut boris = Client::guest(&server, "Boris").await;
    let created = boris.done(json!({"type":"create","game":"gomoku"})).await;
    anna.done(json!({"type":"logout"})).await;
    anna.ask(json!({"type":"hello","version":1,"name":"Clara"})).await;
    anna.done(json!({"type":"watch","table":created["table"]})).await;
    boris.done(json!({"type":"sit","table":created["table"],"seat":0})).await;
    boris.done(json!({"type":"house","table":created["table"]})).await;
    until(async || anna.hears().await["sights"][0]["type"] == "begun").await;
    anna.done(json!({"type":"queue","game":"gomoku","house_after_s":0})).await;
    until(async || anna.hears().await["type"] == "matched").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lobby_has_an_end_however_many_tables_there_are() {
    let server = Server::start().await;
    let mut anna = Client::guest(&server, "Anna").await;
    for _ in 0..101 {
        let created = anna.done(json!({"type":"create","game":"gomoku"})).await;
        anna.done(json!({"type":"watch","table":created["table"]})).await;
    }
    let lobby = anna.done(json!({"type":"lobby"})).await;
    assert_eq!(lobby["tables"].as_array().map(Vec::len), Some(100));
}

#[tokio::test(flavor = "multi_thread")]
async fn crumbs_without_end_are_not_heard() {
    let limits = Settings { messages_per_second: Limit::at(30), ..Settings::without_limits() };
    let server = with(limits).await;
    let mut stream = TcpStream::connect(server.address).await.expect("a connection");
    let mut head = format!("GET /ws HTTP/1.1\r\nhost: {}\r\n", server.address);
    for (name, value) in UPGRADE {
        head += &format!("{name}: {}\r\n", value.replace("close, ", ""));
    }
    stream.write_all(format!("{head}\r\n").as_bytes()).await.expect("it is sent");
    let (mut from, mut to) = stream.into_split();
    let told = tokio::spawn(async move {
        let mut told = Vec::new();
        // However it ends.
        drop(from.read_to_end(&mut told).await);
        String::from_utf8_lossy(&told).into_owned()
    });
    // A text that begins, and empty pieces of which none is the last. The pings among them are what
    // keeps the line open, and are counted.
    let mut sent = to.write_all(&[0x01, 0x80, 0, 0, 0, 0]).await;
    let mut crumbs = [0x00, 0x80, 0, 0, 0, 0].repeat(1_000);
    crumbs.extend([0x89, 0x80, 0, 0, 0, 0]);
    for _ in 0..2_000 {
        if sent.is_ok() && !told.is_finished() {
            sent = to.write_all(&crumbs).await;
        }
    }
    // The line is open still, and would be for more than a minute.
    let told = tokio::time::timeout(Duration::from_secs(30), told).await;
    assert!(told.expect("the server ends it").expect("no panic").contains("flood"));
    drop(to);
    Client::guest(&server, "Anna").await.done(json!({"type":"ping"})).await;
}

/// Pings are no message, however many there are.
#[tokio::test(flavor = "multi_thread")]
async fn who_only_asks_whether_somebody_is_there_is_heard_on() {
    let server = Server::start().await;
    let mut anna = Client::guest(&server, "Anna").await;
    for _ in 0..2_000 {
        anna.pings(&[b'x'; 100]).await;
    }
    anna.done(json!({"type":"ping"})).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_said_can_be_seen_in_one_line() {
    let server = Server::start().await;
    let mut anna = Client::guest(&server, "Anna").await;
    let created = anna.done(json!({"type":"create","game":"gomoku"})).await;
    anna.done(json!({"type":"watch","table":created["table"]})).await;
    let chat = |text: &str| json!({"type":"chat","table":created["table"],"text":text});
    for text in
        ["", " ", "a\nb", "a\u{2028}b", "a\u{2029}b", "a\u{202e}b", "\u{200b}", "\u{feff} \u{ad}"]
    {
        assert_eq!(anna.refused(chat(text)).await, "bad_chat", "{text:?}");
    }
    for text in ["Hello!", "می\u{200c}خواهم", "👩\u{200d}🚀", "\u{200f}שלום"] {
        anna.done(chat(text)).await;
    }
}

/// House players who think for as long as they are let.
mod slow {
    use parlor_bots::Level;
    use parlor_rules::{Json, Seat};
    use parlor_server::Players;
    use serde_json::value::RawValue;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::{Condvar, Mutex};
    use std::time::Duration;

    pub(super) static THINKING: AtomicUsize = AtomicUsize::new(0);
    pub(super) static MOST: AtomicUsize = AtomicUsize::new(0);
    pub(super) static THOUGHT: AtomicUsize = AtomicUsize::new(0);
    const LONG: Duration = Duration::from_secs(60);
    static FREE: (Mutex<bool>, Condvar) = (Mutex::new(false), Condvar::new());

    struct Slow(Box<dyn parlor_bots::Player>);

    impl parlor_bots::Player for Slow {
        fn choose(&mut self, view: &RawValue, legal: &RawValue) -> Option<Json> {
            MOST.fetch_max(THINKING.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
            let free = FREE.0.lock().expect("no panic");
            // Not for ever: a test that has failed comes to its end.
            drop(FREE.1.wait_timeout_while(free, LONG, |free| !*free).expect("no panic"));
            THOUGHT.fetch_add(1, Ordering::SeqCst);
            THINKING.fetch_sub(1, Ordering::SeqCst);
            self.0.choose(view, legal)
        }

        fn pause_ms(&mut self) -> u64 {
            0
        }
    }

    pub(super) fn let_go() {
        *FREE.0.lock().expect("no panic") = true;
        FREE.1.notify_all();
    }

    fn player(
        game: &str,
        level: Level,
        seat: Seat,
        seed: &str,
    ) -> Option<Box<dyn parlor_bots::Player>> {
        Some(Box::new(Slow(parlor_bots::player(game, level, seat, seed)?)))
    }

    pub(super) const PLAYERS: Players = player;
}

#[tokio::test(flavor = "multi_thread")]
async fn of_many_house_players_few_think_at_once_and_none_in_vain() {
    let settings = Settings {
        tables: TableSettings {
            thinking_per_address: Limit::at(1),
            ..TableSettings::without_limits()
        },
        ..Settings::without_limits()
    };
    let journal = Arc::new(Memory::default());
    let chance = Chance::of_the_system();
    let server = Server::with_house(journal, settings, chance, slow::PLAYERS).await;
    let mut zoe = Client::guest(&server, "Zoe").await;
    let mut tables = Vec::new();
    for _ in 0..12 {
        // The house begins.
        let created = zoe.done(json!({"type":"create","game":"gomoku"})).await;
        zoe.done(json!({"type":"house","table":created["table"],"seat":0})).await;
        zoe.done(json!({"type":"sit","table":created["table"],"seat":1})).await;
        tables.push(created["table"].clone());
    }
    until(async || slow::THINKING.load(Ordering::SeqCst) > 0).await;
    // All others go on meanwhile.
    let (_, mut people) = gathered(&server, "gomoku", json!({}), json!({})).await;
    somebody_asked(&mut people).await;
    // Who is waited for no more need not think.
    for table in &tables[2..] {
        zoe.done(json!({"type":"leave","table":table})).await;
    }
    slow::let_go();
    for table in &tables[..2] {
        until(async || {
            let path = format!("/api/tables/{}", table.as_str().expect("a name"));
            let looked = http(&server, "GET", &path, &zoe.token, "").await.json();
            !looked["update"]["ask"].is_null()
        })
        .await;
    }
    assert_eq!(slow::MOST.load(Ordering::SeqCst), 1, "of one household");
    let thought = slow::THOUGHT.load(Ordering::SeqCst);
    assert!(thought <= 2 * 4, "three stones and a choice at two tables, not {thought}");
}

/// Where turns that are missed make one sit out, the house comes back by itself.
#[tokio::test(flavor = "multi_thread")]
async fn a_house_player_that_thought_for_too_long_plays_on() {
    let journal = Arc::new(Memory::default());
    let chance = Chance::of_the_system();
    let settings = Settings::without_limits();
    let server = Server::with_house(journal, settings, chance, slow::PLAYERS).await;
    let mut anna = Client::guest(&server, "Anna").await;
    let config = json!({"between_ms":1,"within_ms":2_000,"sit_out_after":1});
    let create = json!({"type":"create","game":"poker","config":config});
    let table = anna.done(create).await["table"].clone();
    anna.done(json!({"type":"sit","table":table,"seat":0,"chips":100})).await;
    anna.done(json!({"type":"house","table":table,"seat":1,"chips":100})).await;
    let wants = |update: &Value| update["view"]["players"][1]["intent"].clone();
    let (play, pause) = (json!(0), json!(2));
    loop {
        let update = told(&mut anna, "update").await;
        if wants(&update) == pause {
            break;
        }
        if !update["ask"].is_null() {
            let what = if update["legal"]["check"] == true { "check" } else { "call" };
            anna.done(json!({"type":"play","table":table,"command":{"type":what}})).await;
        }
    }
    slow::let_go();
    while wants(&told(&mut anna, "update").await) != play {}
}

#[tokio::test(flavor = "multi_thread")]
async fn the_house_plays_with_itself_when_somebody_looks_on() {
    let settings = Settings {
        tables: TableSettings { house_pause_ms: 100, ..TableSettings::without_limits() },
        ..Settings::without_limits()
    };
    let server = with(settings).await;
    let mut anna = Client::guest(&server, "Anna").await;
    let created = anna.done(json!({"type":"create","game":"gomoku"})).await;
    let table = created["table"].clone();
    for _ in 0..2 {
        anna.done(json!({"type":"house","table":table})).await;
    }
    let stones = |update: &Value| {
        let rows = update["view"]["board"].as_array().expect("a board").iter();
        rows.flat_map(|row| row.as_array().expect("a row")).filter(|point| !point.is_null()).count()
    };
    // Nobody looks, and nothing is played; with every look it goes on.
    let mut laid = 0;
    for _ in 0..3 {
        anna.done(json!({"type":"watch","table":table})).await;
        let first = stones(&told(&mut anna, "update").await);
        assert!(first <= laid + 1, "{first} stones, {laid} were seen: at most one was on its way");
        laid = first;
        while laid < first + 3 {
            laid = stones(&told(&mut anna, "update").await);
        }
        anna.done(json!({"type":"leave","table":table})).await;
        // What she was told on the way out.
        let last = anna.told.drain(..).rfind(|told| told["type"] == "update");
        laid = last.map_or(laid, |update| stones(&update));
    }
}
