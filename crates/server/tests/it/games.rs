//! Every game is played to its end, with a lost connection and a restart on the way.

use crate::client::{Client, Server};
use crate::people::{Person, gathered, somebody_asked};
use serde_json::{Value, json};

async fn to_the_end(game: &str, config: Value) {
    let mut server = Server::start().await;
    let (table, mut people) = gathered(&server, game, config, json!({})).await;
    for turn in 0.. {
        assert!(turn < 2_000, "{game} has no end");
        let Some(asked) = somebody_asked(&mut people).await else { return };
        people[asked].answers().await;
        if turn == 3 && !people[1].over {
            // One loses the connection and comes back, the new one before the old one is gone.
            people[1].comes_back(&server, &table, true).await;
        }
        if turn == 6 {
            // The server stops and starts again.
            server = server.restart().await;
            for person in &mut people {
                person.comes_back(&server, &table, true).await;
            }
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
    let config = json!({"between_ms":1,"sit_out_after":0});
    let (table, mut people) = gathered(&server, "poker", config, json!({})).await;
    people[0].client.done(json!({"type":"house","table":table,"chips":100})).await;
    people[0].catches_up();
    let hands = |people: &[Person]| people[0].last["view"]["hand"].as_u64().unwrap_or(0);
    // Somebody may have won all there is before.
    while hands(&people) < 5
        && let Some(asked) = somebody_asked(&mut people).await
    {
        people[asked].answers().await;
    }
    for person in &mut people {
        person.client.done(json!({"type":"leave","table":table})).await;
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
            let (_, welcome) = Client::back(&server, &person.client.token).await;
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
