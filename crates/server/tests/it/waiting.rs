//! What happens while the journal takes its time.

use crate::client::{Client, Server};
use crate::people::{gathered, somebody_asked, told};
use async_trait::async_trait;
use parlor_journal::{
    Append, Effect, Head, Health, Journal, JournalError, Memory, NewTable, Outcome, Reader,
    Snapshot, Which,
};
use parlor_server::Settings;
use parlor_table::log::{Stored, TableId};
use serde_json::json;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use tokio::sync::watch;

/// A journal whose entries, or whose reads, can be held up.
struct Held {
    memory: Memory,
    /// How many entries may be stored, and whether anything may be read.
    entries: watch::Sender<usize>,
    reads: watch::Sender<bool>,
    /// How many entries were to be stored since they are held up.
    begun: AtomicUsize,
}

impl Default for Held {
    fn default() -> Self {
        let (entries, reads) = (watch::channel(usize::MAX).0, watch::channel(true).0);
        Self { memory: Memory::default(), entries, reads, begun: AtomicUsize::new(0) }
    }
}

impl Held {
    /// Stores nothing from now on.
    fn hold(&self) {
        self.begun.store(0, Ordering::SeqCst);
        self.entries.send_replace(0);
    }

    /// Stores one entry that waits.
    fn stores_one(&self) {
        self.entries.send_modify(|entries| *entries += 1);
    }

    /// Stores what waits and all that comes.
    fn stores(&self) {
        self.entries.send_replace(usize::MAX);
    }

    fn may_store(&self) -> bool {
        *self.entries.borrow() > 0
    }

    async fn readable(&self) {
        self.reads.subscribe().wait_for(|reads| *reads).await.expect("it is there");
    }
}

type Read<T> = Result<T, JournalError>;

#[async_trait]
impl Reader for Held {
    async fn table(&self, table: &TableId) -> Read<NewTable> {
        self.readable().await;
        self.memory.table(table).await
    }

    async fn head(&self, table: &TableId) -> Read<Head> {
        self.readable().await;
        self.memory.head(table).await
    }

    async fn heads(&self, which: Which, after: Option<&TableId>, limit: usize) -> Read<Vec<Head>> {
        self.readable().await;
        self.memory.heads(which, after, limit).await
    }

    async fn read_from(&self, table: &TableId, seq: u64, limit: usize) -> Read<Vec<Stored>> {
        self.readable().await;
        self.memory.read_from(table, seq, limit).await
    }

    async fn record(&self, kind: &str, key: &str) -> Read<Option<String>> {
        self.readable().await;
        self.memory.record(kind, key).await
    }

    async fn records(
        &self,
        kind: &str,
        after: Option<&str>,
        limit: usize,
    ) -> Read<Vec<(String, String)>> {
        self.readable().await;
        self.memory.records(kind, after, limit).await
    }

    async fn snapshot(&self, table: &TableId) -> Read<Option<Snapshot>> {
        self.readable().await;
        self.memory.snapshot(table).await
    }

    async fn last_alive(&self) -> Read<Option<u64>> {
        self.memory.last_alive().await
    }
}

#[async_trait]
impl Journal for Held {
    async fn restore(
        &self,
        table: &NewTable,
        entries: Vec<Stored>,
        finished: bool,
        effects: Vec<Effect>,
    ) -> Read<Outcome> {
        if !self.may_store() {
            return Err(JournalError::Paused("it is held".to_owned()));
        }
        self.memory.restore(table, entries, finished, effects).await
    }

    async fn append(&self, append: Append) -> Read<Outcome> {
        let mut entries = self.entries.subscribe();
        self.begun.fetch_add(1, Ordering::SeqCst);
        let free = |entries: &mut usize| {
            let free = *entries > 0;
            *entries -= usize::from(free && *entries < usize::MAX);
            free
        };
        while !self.entries.send_if_modified(free) && !self.may_store() {
            entries.changed().await.expect("it is there");
        }
        self.memory.append(append).await
    }

    async fn post(&self, effects: Vec<Effect>) -> Read<Outcome> {
        self.memory.post(effects).await
    }

    async fn put_snapshot(&self, table: &TableId, snapshot: Snapshot) -> Read<()> {
        self.memory.put_snapshot(table, snapshot).await
    }

    async fn forget_snapshots(&self) -> Read<()> {
        self.memory.forget_snapshots().await
    }

    async fn alive(&self, now_ms: u64) -> Read<()> {
        self.memory.alive(now_ms).await
    }

    async fn erase_sealed(&self, table: &TableId) -> Read<()> {
        self.memory.erase_sealed(table).await
    }

    fn health(&self) -> Health {
        self.memory.health()
    }
}

async fn serving() -> (Arc<Held>, Server) {
    let journal = Arc::new(Held::default());
    let server = Server::over(journal.clone(), Settings::without_limits()).await;
    (journal, server)
}

/// Waits until so many entries were to be stored since they are held up.
async fn until_held(journal: &Held, count: usize) {
    crate::client::until(async || journal.begun.load(Ordering::SeqCst) == count).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_game_goes_on_while_nothing_can_be_read() {
    let (journal, server) = serving().await;
    let (_, mut people) = gathered(&server, "gomoku", json!({}), json!({})).await;
    journal.reads.send_replace(false);
    let mut late = Client::nobody(&server).await;
    late.send(&json!({"id":"h","type":"hello","version":1,"name":"Late"}).to_string()).await;
    for _ in 0..6 {
        let asked = somebody_asked(&mut people).await.expect("somebody");
        assert_eq!(people[asked].answers().await["type"], "done");
    }
    journal.reads.send_replace(true);
    assert_eq!(late.hears().await["type"], "welcome");
}

#[tokio::test(flavor = "multi_thread")]
async fn people_who_are_matched_while_nothing_can_be_stored_are_seated_later() {
    let (journal, server) = serving().await;
    let mut people = [Client::guest(&server, "Anna").await, Client::guest(&server, "Boris").await];
    journal.hold();
    for client in &mut people {
        client.done(json!({"type":"queue","game":"gomoku"})).await;
    }
    // The queue was looked at when the second one joined, and is again every second.
    people[1].done(json!({"type":"ping"})).await;
    journal.stores();
    for client in &mut people {
        while client.news().await["type"] != "matched" {}
    }
}

/// A command whose commit hangs is answered all the same; its outcome follows, and the same id gets it.
#[tokio::test(flavor = "multi_thread")]
async fn a_commit_that_hangs_is_told_and_settled_later() {
    let (journal, server) = serving().await;
    let mut anna = Client::guest(&server, "Anna").await;
    let mut boris = Client::guest(&server, "Boris").await;
    let table = anna.done(json!({"type":"create","game":"gomoku"})).await["table"].clone();
    anna.done(json!({"type":"sit","table":table,"seat":0})).await;
    boris.done(json!({"type":"sit","table":table,"seat":1})).await;
    let (mut second, _) = Client::back(&server, &boris.token).await;
    second.done(json!({"type":"watch","table":table})).await;
    let play = |id: &str, x: u8| {
        let command = json!({"type":"move","x":x,"y":7});
        json!({"id":id,"type":"play","table":table,"command":command}).to_string()
    };
    let answer = async |client: &mut Client, id: &str| loop {
        let told = client.hears().await;
        if told["id"] == id {
            return told;
        }
    };
    journal.hold();
    anna.send(&play("m1", 7)).await;
    until_held(&journal, 1).await;
    // Another command waits behind it; nothing of it has begun.
    boris.send(&json!({"id":"l","type":"leave","table":table}).to_string()).await;
    assert_eq!(answer(&mut anna, "m1").await["code"], "undecided");
    assert_eq!(answer(&mut boris, "l").await["code"], "paused");
    // The same id is still undecided, another command is not even tried, and questions are answered.
    anna.send(&play("m1", 7)).await;
    assert_eq!(answer(&mut anna, "m1").await["code"], "undecided");
    second.send(&play("m2", 8)).await;
    assert_eq!(answer(&mut second, "m2").await["code"], "paused");
    second.done(json!({"type":"chat","table":table,"text":"hello"})).await;
    journal.stores();
    // Its outcome follows, and the same id gets it.
    crate::client::until(async || boris.hears().await["type"] == "update").await;
    anna.send(&play("m1", 7)).await;
    assert_eq!(answer(&mut anna, "m1").await["type"], "done");
    anna.send(&play("m1", 9)).await;
    assert_eq!(answer(&mut anna, "m1").await["code"], "id_reused");
}

/// Whoever comes to look while a chair is being left still has it; whoever sits there next has its
/// eyes alone.
#[tokio::test(flavor = "multi_thread")]
async fn nobody_looks_with_the_eyes_of_a_chair_that_was_left() {
    for game in ["battle", "poker"] {
        let (journal, server) = serving().await;
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
        until_held(&journal, 1).await;
        if game == "poker" {
            // The rules are told first, and the chair is left then.
            journal.stores_one();
            until_held(&journal, 2).await;
        }
        eyes.done(json!({"type":"watch","table":table})).await;
        assert_eq!(told(&mut eyes, "table").await["you"], 0, "so far it is Anna's");
        journal.stores();
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
    let (journal, server) = serving().await;
    let mut anna = Client::guest(&server, "Anna").await;
    anna.done(json!({"type":"queue","game":"gomoku","house_after_s":0})).await;
    let table = told(&mut anna, "matched").await["table"].clone();
    anna.done(json!({"type":"leave","table":table})).await;
    let offer = json!({"type":"offer","table":table,"what":"rematch"});
    journal.hold();
    assert_ne!(anna.refused(offer.clone()).await, "rematched");
    journal.stores();
    anna.done(offer.clone()).await;
    assert_ne!(told(&mut anna, "matched").await["table"], table);
    assert_eq!(anna.refused(offer).await, "rematched");
}
