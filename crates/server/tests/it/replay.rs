//! What is gone through again is what was told, and nothing else.

use crate::client::{Client, Server, http, until};
use crate::people::{Person, gathered, somebody_asked};
use serde_json::{Value, json};

async fn replay(server: &Server, table: &str, token: &str, query: &str) -> Value {
    http(server, "GET", &format!("/api/tables/{table}/replay{query}"), token, "").await.json()
}

/// What happened and how it was then.
fn scene(told: &Value) -> Value {
    json!([told["sights"], told["view"]])
}

fn scenes(replay: &Value) -> Vec<Value> {
    replay["scenes"].as_array().unwrap_or_else(|| panic!("{replay}")).iter().map(scene).collect()
}

/// What a person was told, behind the first look, without what changed nothing but clocks.
async fn told(person: &mut Person) -> Vec<Value> {
    person.client.done(json!({"type":"ping"})).await;
    person.catches_up();
    let pairs = person.seen.windows(2);
    let new =
        pairs.filter(|pair| pair[1]["sights"] != json!([]) || pair[1]["view"] != pair[0]["view"]);
    new.map(|pair| scene(&pair[1])).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_replay_shows_everyone_what_that_one_was_told() {
    for (game, config) in [
        ("backgammon", json!({})),
        ("battle", json!({"prep_ms":600_000,"first_step_ms":1,"next_step_ms":1})),
        ("gomoku", json!({})),
        ("poker", json!({"between_ms":1})),
    ] {
        let server = Server::start().await;
        let (table, mut people) = gathered(&server, game, config, json!({})).await;
        let mut vera = Person::new(Client::guest(&server, "Vera").await, game, 0);
        vera.client.done(json!({"type":"watch","table":table})).await;
        for _ in 0..24 {
            let Some(asked) = somebody_asked(&mut people).await else { break };
            people[asked].answers().await;
        }
        people.push(vera);
        for person in &mut people {
            let was_told = told(person).await;
            assert!(was_told.len() > 3, "{game}");
            let token = person.client.token.clone();
            let replayed = scenes(&replay(&server, &table, &token, "").await);
            let found = (0..replayed.len()).any(|at| replayed[at..].starts_with(&was_told));
            assert!(found, "{game}: {was_told:#?} {replayed:#?}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_replay_comes_in_parts() {
    let server = Server::start().await;
    let (table, mut people) = gathered(&server, "gomoku", json!({}), json!({})).await;
    for _ in 0..4 {
        let asked = somebody_asked(&mut people).await.expect("it goes on");
        people[asked].answers().await;
    }
    let whole = replay(&server, &table, "", "").await;
    assert_eq!(
        (&whole["count"], &whole["from"], &whole["over"]),
        (&5.into(), &0.into(), &false.into())
    );
    assert_eq!(whole["scenes"][0]["chairs"][1], json!({"is":"taken","name":"Boris","here":true}));
    let part = replay(&server, &table, "", "?from=1&to=3").await;
    // It is read no further than to know that there are more.
    assert_eq!((&part["count"], &part["from"]), (&4.into(), &1.into()));
    assert_eq!(scenes(&part), scenes(&whole)[1..3]);
    assert_eq!(scenes(&replay(&server, &table, "", "?from=9&to=2").await), Vec::<Value>::new());
    assert_eq!(replay(&server, &table, "", "?from=x").await["code"], "malformed");
    assert_eq!(replay(&server, "t-0", "", "").await["code"], "no_such_table");
}

#[tokio::test(flavor = "multi_thread")]
async fn who_comes_later_sees_no_cards_of_who_sat_there_before() {
    let server = Server::start().await;
    let (table, mut people) = gathered(&server, "poker", json!({"between_ms":1}), json!({})).await;
    let seat = somebody_asked(&mut people).await.expect("a hand has begun");
    let token = people[seat].client.token.clone();
    people[seat].client.done(json!({"type":"leave","table":table})).await;
    let mut clara = Client::guest(&server, "Clara").await;
    let sit = json!({"type":"sit","table":table,"seat":seat,"chips":100});
    until(async || clara.ask(sit.clone()).await["type"] == "seated").await;
    let before = replay(&server, &table, &token, "").await;
    let cards = |scene: &Value| {
        let mut players = scene["view"]["players"].as_array().into_iter().flatten();
        let own = players.find(|player| player["seat"] == seat)?["cards"].clone();
        (own.as_str() != Some("")).then(|| (own.to_string(), scene["view"]["hand"].clone()))
    };
    let mut own = before["scenes"].as_array().expect("scenes").iter().filter_map(cards);
    let (own, hand) = own.next().unwrap_or_else(|| panic!("{before}"));
    for token in [clara.token.as_str(), people[1 - seat].client.token.as_str(), ""] {
        let other = replay(&server, &table, token, "").await;
        let scenes = other["scenes"].as_array().expect("scenes");
        // In the next hand somebody may be dealt the same.
        let of_it = || scenes.iter().filter(|scene| scene["view"]["hand"] == hand);
        assert!(of_it().count() > 0 && scenes.len() > 2, "{other}");
        assert!(of_it().all(|scene| !scene.to_string().contains(&own)), "{own} {other}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn watchers_who_are_behind_see_no_replay_of_what_they_have_not_seen() {
    let server = Server::start().await;
    let late = json!({"watch_delay_ms":600_000});
    let (table, mut people) = gathered(&server, "gomoku", json!({}), late).await;
    let asked = somebody_asked(&mut people).await.expect("it has begun");
    people[asked].answers().await;
    assert_eq!(replay(&server, &table, "", "").await["count"], 0);
    assert_eq!(replay(&server, &table, &people[0].client.token, "").await["count"], 2);
}
