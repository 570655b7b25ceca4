//! Whoever serves never waits for the disk: all other tables would wait with it.

use crate::client::{ADMIN, Client, Server, http, http_with, until};
use crate::people::{gathered, somebody_asked, told};
use parlor_journal::{
    Append, Done, Effect, Head, Health, Journal, JournalError, Memory, NewTable, Outcome, Reader,
    Snapshot, Which,
};
use parlor_server::Settings;
use parlor_table::log::{Stored, TableId};
use serde_json::json;
use std::sync::{Arc, Mutex};
use std::thread::{self, ThreadId};

/// A journal that notes what a thread that must not wait has asked of it, and can be held up.
#[derive(Default)]
struct Watched {
    memory: Memory,
    serves: Mutex<Option<ThreadId>>,
    waited: Mutex<Vec<&'static str>>,
    /// What is to be stored, while nothing is.
    held: Mutex<Option<Vec<(Append, Done)>>>,
}

impl Watched {
    fn ask<T>(&self, what: &'static str, answer: impl FnOnce(&Memory) -> T) -> T {
        if *self.serves.lock().expect("no panic") == Some(thread::current().id()) {
            self.waited.lock().expect("no panic").push(what);
        }
        answer(&self.memory)
    }

    /// Stores nothing from now on.
    fn hold(&self) {
        *self.held.lock().expect("no panic") = Some(Vec::new());
    }

    fn holds(&self) -> usize {
        self.held.lock().expect("no panic").as_ref().map_or(0, Vec::len)
    }

    /// Stores what was held, and holds on or not.
    fn stores(&self, holds: bool) {
        let next = holds.then(Vec::new);
        let held = std::mem::replace(&mut *self.held.lock().expect("no panic"), next);
        for (append, done) in held.into_iter().flatten() {
            self.memory.submit(append, done);
        }
    }
}

type Read<T> = Result<T, JournalError>;

impl Reader for Watched {
    fn table(&self, table: &TableId) -> Read<NewTable> {
        self.ask("table", |memory| memory.table(table))
    }

    fn head(&self, table: &TableId) -> Read<Head> {
        self.ask("head", |memory| memory.head(table))
    }

    fn heads(&self, which: Which, after: Option<&TableId>, limit: usize) -> Read<Vec<Head>> {
        self.ask("heads", |memory| memory.heads(which, after, limit))
    }

    fn read_from(&self, table: &TableId, seq: u64, limit: usize) -> Read<Vec<Stored>> {
        self.ask("read_from", |memory| memory.read_from(table, seq, limit))
    }

    fn record(&self, kind: &str, key: &str) -> Read<Option<String>> {
        self.ask("record", |memory| memory.record(kind, key))
    }

    fn records(
        &self,
        kind: &str,
        after: Option<&str>,
        limit: usize,
    ) -> Read<Vec<(String, String)>> {
        self.ask("records", |memory| memory.records(kind, after, limit))
    }

    fn snapshot(&self, table: &TableId) -> Read<Option<Snapshot>> {
        self.ask("snapshot", |memory| memory.snapshot(table))
    }

    fn last_alive(&self) -> Read<Option<u64>> {
        self.ask("last_alive", Memory::last_alive)
    }
}

impl Journal for Watched {
    fn restore(
        &self,
        table: &NewTable,
        entries: Vec<Stored>,
        finished: bool,
        effects: Vec<Effect>,
    ) -> Read<Outcome> {
        if self.held.lock().expect("no panic").is_some() {
            return Err(JournalError::Paused("it is held".to_owned()));
        }
        self.ask("restore", |memory| memory.restore(table, entries, finished, effects))
    }

    fn submit(&self, append: Append, done: Done) {
        match &mut *self.held.lock().expect("no panic") {
            Some(held) => held.push((append, done)),
            None => self.memory.submit(append, done),
        }
    }

    fn post(&self, effects: Vec<Effect>) -> Read<Outcome> {
        self.ask("post", |memory| memory.post(effects))
    }

    fn put_snapshot(&self, table: &TableId, snapshot: Snapshot) -> Read<()> {
        self.ask("put_snapshot", |memory| memory.put_snapshot(table, snapshot))
    }

    fn forget_snapshots(&self) -> Read<()> {
        self.ask("forget_snapshots", Memory::forget_snapshots)
    }

    fn alive(&self, now_ms: u64) -> Read<()> {
        self.ask("alive", |memory| memory.alive(now_ms))
    }

    fn erase_sealed(&self, table: &TableId) -> Read<()> {
        self.ask("erase_sealed", |memory| memory.erase_sealed(table))
    }

    fn health(&self) -> Health {
        self.memory.health()
    }
}

/// One thread serves: this one.
async fn serving(journal: &Arc<Watched>) -> Server {
    *journal.serves.lock().expect("no panic") = None;
    let server = Server::over(journal.clone(), Settings::without_limits()).await;
    // What it reads before it serves anybody is another matter.
    let page = http(&server, "GET", "/api/games", "", "").await;
    assert!(page.json().is_array());
    *journal.serves.lock().expect("no panic") = Some(thread::current().id());
    server
}

#[tokio::test]
async fn who_serves_never_waits_for_the_disk() {
    let journal = Arc::new(Watched::default());
    let mut server = serving(&journal).await;

    // A game from the lobby to its end, and the same again.
    let config = json!({"rule":"freestyle"});
    let (table, mut people) = gathered(&server, "gomoku", config, json!({})).await;
    somebody_asked(&mut people).await;
    let chat = json!({"type":"chat","table":table,"text":"hello"});
    people[0].client.done(chat).await;
    let resign = json!({"type":"play","table":table,"command":{"type":"resign"}});
    people[0].client.done(resign).await;
    let rematch = json!({"type":"offer","table":table,"what":"rematch"});
    for person in &mut people {
        person.client.done(rematch.clone()).await;
    }
    for person in &mut people {
        told(&mut person.client, "matched").await;
    }
    let token = people[0].client.token.clone();
    until(async || {
        let history = http(&server, "GET", "/api/me/history", &token, "").await.json();
        history.as_array().is_some_and(|played| played.len() == 1)
    })
    .await;

    // Queues: for ratings, for tokens, and where people come and go.
    let mut clients = Vec::new();
    for name in ["Carla", "Dmitri"] {
        clients.push(Client::guest(&server, name).await);
    }
    for queue in [
        json!({"type":"queue","game":"backgammon","ranked":true}),
        json!({"type":"queue","game":"battle","config":{"stake":4}}),
        json!({"type":"queue","game":"poker","chips":100}),
    ] {
        for client in &mut clients {
            client.done(queue.clone()).await;
        }
        for client in &mut clients {
            told(client, "matched").await;
        }
    }
    // The house, and who comes back.
    let created = clients[0].done(json!({"type":"create","game":"backgammon"})).await;
    clients[0].done(json!({"type":"sit","table":created["table"]})).await;
    let house = json!({"type":"house","table":created["table"],"level":"easy"});
    clients[0].done(house).await;
    let (mut back, _) = Client::back(&server, &clients[0].token).await;
    back.done(json!({"type":"watch","table":created["table"]})).await;
    back.done(json!({"type":"lobby","watch":true})).await;
    let private = json!({"type":"create","game":"gomoku","access":"private"});
    let mut elena = Client::guest(&server, "Elena").await;
    let created = elena.done(private).await;
    let private = &created["table"];
    elena.done(json!({"type":"sit","table":private,"key":created["key"]})).await;

    // The next run knows nobody yet.
    server.stop().await;
    let mut server = serving(&journal).await;
    let shown = http(&server, "GET", &format!("/api/tables/{table}"), "", "").await.json();
    assert_eq!((&shown["over"], &shown["chairs"][0]["name"]), (&json!(true), &json!("Anna")));
    for path in ["/admin/status", "/admin/tables"] {
        let bearer = format!("Bearer {ADMIN}");
        let headers = [("authorization", bearer.as_str())];
        let answered = http_with(server.admin_address, "GET", path, &headers, "").await;
        assert_eq!(answered.status, 200, "{path}");
    }
    let (mut back, _) = Client::back(&server, &elena.token).await;
    back.done(json!({"type":"watch","table":private})).await;
    server.stop().await;
    assert_eq!(*journal.waited.lock().expect("no panic"), Vec::<&str>::new());
}

/// Whoever comes to look while a chair is being left still has it; whoever sits there next has its
/// eyes alone.
#[tokio::test(flavor = "multi_thread")]
async fn nobody_looks_with_the_eyes_of_a_chair_that_was_left() {
    for game in ["battle", "poker"] {
        let journal = Arc::new(Watched::default());
        let server = Server::over(journal.clone(), Settings::without_limits()).await;
        let mut anna = Client::guest(&server, "Anna").await;
        let created = anna.done(json!({"type":"create","game":game})).await;
        let table = created["table"].clone();
        let sit = |seat| match game {
            "poker" => json!({"type":"sit","table":table,"seat":seat,"chips":100}),
            _ => json!({"type":"sit","table":table,"seat":seat}),
        };
        anna.done(sit(0)).await;
        let (mut eyes, _) = Client::back(&server, &anna.token).await;
        journal.hold();
        anna.send(&json!({"id":"leave","type":"leave","table":table}).to_string()).await;
        until(async || journal.holds() > 0).await;
        if game == "poker" {
            // The rules are told first, and the chair is left then.
            journal.stores(true);
            until(async || journal.holds() > 0).await;
        }
        eyes.done(json!({"type":"watch","table":table})).await;
        assert_eq!(told(&mut eyes, "table").await["you"], 0, "so far it is Anna's");
        journal.stores(false);
        assert_eq!(told(&mut eyes, "left").await["code"], "left");
        let mut boris = Client::guest(&server, "Boris").await;
        boris.done(sit(0)).await;
        let mut clara = Client::guest(&server, "Clara").await;
        clara.done(sit(1)).await;
        told(&mut boris, "update").await;
        // What was told before is heard before the answer.
        eyes.done(json!({"type":"ping"})).await;
        let told: Vec<_> = eyes.told.iter().map(|news| &news["type"]).collect();
        assert!(eyes.told.is_empty(), "{game}: {told:?}");
        // To watch is another matter.
        eyes.done(json!({"type":"watch","table":table})).await;
        assert_eq!(eyes.told[0]["you"], json!(null));
    }
}

/// What could not be opened may be asked for again.
#[tokio::test(flavor = "multi_thread")]
async fn the_same_again_can_be_tried_again_when_the_disk_is_back() {
    let journal = Arc::new(Watched::default());
    let server = Server::over(journal.clone(), Settings::without_limits()).await;
    let mut anna = Client::guest(&server, "Anna").await;
    anna.done(json!({"type":"queue","game":"gomoku","house_after_s":0})).await;
    let table = told(&mut anna, "matched").await["table"].clone();
    anna.done(json!({"type":"leave","table":table})).await;
    let offer = json!({"type":"offer","table":table,"what":"rematch"});
    journal.hold();
    assert_ne!(anna.refused(offer.clone()).await, "rematched");
    journal.stores(false);
    anna.done(offer.clone()).await;
    assert_ne!(told(&mut anna, "matched").await["table"], table);
    assert_eq!(anna.refused(offer).await, "rematched");
}
