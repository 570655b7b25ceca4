//! The server is stopped and started while many play; nothing that was answered is lost.

use crate::client::{Client, Server};
use crate::people::{Person, somebody_asked};
use parlor_journal::{Durability, Journal, Sqlite};
use parlor_server::Settings;
use parlor_testkit::count;
use serde_json::json;
use std::sync::Arc;

/// A folder that is gone when it is let go.
struct Folder(std::path::PathBuf);

impl Folder {
    fn new() -> Self {
        let name = format!("parlor-restart-{}", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&path).expect("a folder");
        Self(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        drop(std::fs::remove_dir_all(&self.0));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_answered_is_there_after_every_restart() {
    let folder = Folder::new();
    let file = folder.0.join("journal.db");
    let tables = count(6, 40);
    // The last of a server that has stopped lets go of its journal a moment later.
    let open = || -> Arc<dyn Journal> {
        let mut tries = (0..600).map(|_| {
            let journal = Sqlite::open(&file, Durability::ProcessSafe);
            if journal.is_err() {
                std::thread::sleep(std::time::Duration::from_millis(100));
            }
            journal
        });
        Arc::new(tries.find_map(Result::ok).expect("a journal"))
    };
    let mut server = Server::over(open(), Settings::without_limits()).await;
    let mut games = Vec::new();
    for n in 0..tables {
        // Without a cube, which can end a game before all have played.
        let (game, config) =
            [("gomoku", json!({})), ("backgammon", json!({"cube":false}))][n as usize % 2].clone();
        let mut people = Vec::new();
        let mut table = String::new();
        for seat in 0..2 {
            let mut client = Client::guest(&server, &format!("P{n} {seat}")).await;
            if seat == 0 {
                let created =
                    client.done(json!({"type":"create","game":game,"config":config})).await;
                table = created["table"].as_str().expect("a name").to_owned();
            }
            client.done(json!({"type":"sit","table":table})).await;
            let mut person = Person::new(client, game, seat);
            person.catches_up();
            people.push(person);
        }
        games.push((table, people, 0_u32));
    }
    for round in 0..3 {
        // Everyone plays at once, until all have played some more.
        let until = (round + 1) * 12;
        let playing = games.into_iter().map(|(table, mut people, mut moves)| {
            tokio::spawn(async move {
                while moves < until {
                    let Some(asked) = somebody_asked(&mut people).await else { break };
                    if people[asked].answers().await["type"] == "done" {
                        moves += 1;
                    }
                }
                (table, people, moves)
            })
        });
        let mut played = Vec::new();
        for game in playing.collect::<Vec<_>>() {
            played.push(game.await.expect("no panic"));
        }
        games = played;
        for (_, people, _) in &mut games {
            for person in people {
                person.client.done(json!({"type":"ping"})).await;
                person.catches_up();
            }
        }
        let before: Vec<_> =
            games.iter().map(|(table, _, moves)| (table.clone(), *moves)).collect();
        server.stop().await;
        drop(server);
        let journal = open();
        // What was answered is stored.
        for (table, moves) in before {
            let name = table.parse().expect("a name");
            let head = journal.head(&name).await.expect("the table").head;
            // Two have sat down, and the game has begun.
            assert!(head >= u64::from(moves) + 3, "{table}: {head} entries for {moves} moves");
        }
        server = Server::over(journal, Settings::without_limits()).await;
        for (table, people, _) in &mut games {
            for person in people {
                let (epoch, view) = (person.last["epoch"].clone(), person.last["view"].clone());
                person.comes_back(&server, table, true).await;
                assert!(person.last["epoch"].as_u64() > epoch.as_u64(), "another run");
                assert_eq!(person.last["view"], view, "nothing is lost, and nothing came");
            }
        }
    }
    assert!(games.iter().all(|(_, _, moves)| *moves >= 9), "everyone has played");
}
