//! Who loses the connection comes back to exactly where it was, in every phase of every game.

use crate::client::Server;
use crate::people::{Person, gathered, somebody_asked};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// Where in the game an update is.
fn phase(game: &str, view: &Value) -> String {
    match game {
        "battle" => view["phase"].to_string(),
        "gomoku" => match &view["swap2State"]["phase"] {
            Value::String(phase) if phase != "complete" => phase.clone(),
            _ => view["gamePhase"].to_string(),
        },
        "backgammon" => match (&view["status"], &view["rolled"], &view["resignation"]) {
            (_, _, resignation) if !resignation.is_null() => "resignation".to_owned(),
            (status, _, _) if status == "finished" => "finished".to_owned(),
            (status, rolled, _) => format!("{status} {rolled}"),
        },
        _ => format!("{} cards", view["board"].as_str().map_or(0, str::len) / 2),
    }
}

/// Comes back, and finds what it saw last.
async fn returns(person: &mut Person, server: &Server, table: &str, remembers: bool) {
    let before = person.last.clone();
    person.last = if remembers { before.clone() } else { Value::Null };
    person.comes_back(server, table, remembers).await;
    if !remembers {
        assert!(!person.last.is_null(), "the whole view comes");
    }
    for what in ["epoch", "view", "legal", "ask"] {
        if person.last["seq"] == before["seq"] {
            assert_eq!(person.last[what], before[what], "{what}");
        }
    }
    assert!(person.last["seq"].as_u64() >= before["seq"].as_u64());
}

async fn in_every_phase(game: &str, config: Value, expected: &[&str]) {
    let mut seen = BTreeSet::new();
    // At a poker table somebody may win all before every phase was seen.
    for _ in 0..20 {
        once(game, config.clone(), expected, &mut seen).await;
        if expected.iter().all(|phase| seen.contains(*phase)) {
            return;
        }
    }
    panic!("only {seen:?} of {expected:?}");
}

async fn once(game: &str, config: Value, expected: &[&str], seen: &mut BTreeSet<String>) {
    let server = Server::start().await;
    // A battle is lost by a lost connection, where there is no grace.
    let options = json!({"disconnect_grace_ms":60_000});
    let (table, mut people) = gathered(&server, game, config, options).await;
    let mut remembers = false;
    for turn in 0.. {
        assert!(turn < 3_000, "{game} has no end: {seen:?}");
        let asked = somebody_asked(&mut people).await;
        // Who has lost all at a poker table is gone from it soon.
        if game == "poker" && asked.is_none() {
            return;
        }
        for person in &mut people {
            let phase = phase(game, &person.last["view"]);
            if seen.insert(phase) {
                returns(person, &server, &table, remembers).await;
                remembers = !remembers;
            }
        }
        match asked {
            Some(asked) if people[asked].is_asked() => drop(people[asked].answers().await),
            Some(_) => {}
            None => return,
        }
        if game == "poker" && expected.iter().all(|phase| seen.contains(*phase)) {
            return;
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn in_backgammon() {
    let expected = ["\"pending\" true", "\"pending\" false", "finished"];
    in_every_phase("backgammon", json!({}), &expected).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn in_gomoku() {
    let expected = ["swap2_placement", "swap2_choice", "\"main_game\""];
    in_every_phase("gomoku", json!({"swap2Enabled":true}), &expected).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn in_a_battle() {
    let slow = json!({"first_step_ms":50,"next_step_ms":50,"stake":0});
    in_every_phase("battle", slow, &["\"PREP\"", "\"REVEAL\"", "\"END\""]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn in_poker() {
    let quick = json!({"between_ms":1,"sit_out_after":0});
    in_every_phase("poker", quick, &["0 cards", "3 cards", "4 cards", "5 cards"]).await;
}

/// The phases a mind of the house may never choose: they are gone through by hand.
#[tokio::test(flavor = "multi_thread")]
async fn between_five_stones_and_the_choice_of_a_colour() {
    let server = Server::start().await;
    let config = json!({"swap2Enabled":true});
    let (table, mut people) = gathered(&server, "gomoku", config, json!({})).await;
    let place = |x: u8| json!({"type":"place_stone","x":x,"y":x});
    let more = json!({"type":"make_choice","choice":"place_more"});
    let mut commands = vec![(0, place(1)), (0, place(3)), (0, place(5)), (1, more)];
    commands.extend([(1, place(7)), (1, place(9))]);
    commands.push((0, json!({"type":"make_choice","choice":"white"})));
    let mut phases = Vec::new();
    for (seat, command) in commands {
        let asked = somebody_asked(&mut people).await;
        assert_eq!(asked, Some(seat));
        phases.push(phase("gomoku", &people[seat].last["view"]));
        returns(&mut people[seat], &server, &table, phases.len() % 2 == 0).await;
        let ask = people[seat].last["ask"].clone();
        let play = json!({"type":"play","table":table,"ask":ask,"command":command});
        people[seat].client.done(play).await;
        people[seat].catches_up();
        let other = 1 - seat;
        let seq = people[other].last["seq"].clone();
        while people[other].last["seq"] == seq {
            somebody_hears(&mut people[other]).await;
        }
    }
    let (place, extra) = ("swap2_placement", "swap2_extra");
    let expected = [place, place, place, "swap2_choice", extra, extra, "swap2_final_choice"];
    assert_eq!(phases, expected);
}

async fn somebody_hears(person: &mut Person) {
    let news = person.client.hears().await;
    person.client.told.push(news);
    person.catches_up();
}

#[tokio::test(flavor = "multi_thread")]
async fn with_a_double_and_a_resignation_in_the_air() {
    let server = Server::start().await;
    let config = json!({"opening":0});
    let (table, mut people) = gathered(&server, "backgammon", config, json!({})).await;
    let steps = [
        (0, json!({"type":"propose-double","seat":0})),
        (1, json!({"type":"accept","seat":1})),
        (0, json!({"type":"offer-resign","seat":0,"value":1})),
        (1, json!({"type":"answer-resign","seat":1,"accept":true})),
    ];
    for (n, (seat, command)) in steps.into_iter().enumerate() {
        while people[seat].last["view"].is_null()
            || people[seat].last["legal"]["commands"]
                .as_array()
                .is_none_or(|commands| !commands.contains(&command["type"]))
        {
            somebody_hears(&mut people[seat]).await;
        }
        returns(&mut people[0], &server, &table, n % 2 == 0).await;
        returns(&mut people[1], &server, &table, n % 2 == 1).await;
        let play = json!({"type":"play","table":table,"command":command});
        people[seat].client.done(play).await;
        people[seat].catches_up();
    }
    assert_eq!(somebody_asked(&mut people).await, None);
    assert_eq!(people[0].last["view"]["winner"], 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn two_connections_of_one_account_see_the_same_and_either_may_play() {
    let server = Server::start().await;
    let (table, mut people) = gathered(&server, "gomoku", json!({}), json!({})).await;
    let mut second = Person::new(
        crate::client::Client::back(&server, &people[0].client.token).await.0,
        "gomoku",
        0,
    );
    second.client.done(json!({"type":"watch","table":table})).await;
    second.catches_up();
    assert_eq!(somebody_asked(&mut people).await, Some(0));
    assert_eq!(second.last["view"], people[0].last["view"]);
    assert_eq!(second.last["ask"], people[0].last["ask"]);
    second.answers().await;
    let seq = people[0].last["seq"].clone();
    while people[0].last["seq"] == seq {
        somebody_hears(&mut people[0]).await;
    }
    assert_eq!(second.last["view"], people[0].last["view"]);
    // The question is answered: the other connection's answer to it is late.
    let late = json!({"type":"play","table":table,"ask":1,"command":{"type":"move","x":0,"y":0}});
    assert_eq!(people[0].client.refused(late).await, "stale_ask");
    // One of two connections is closed: the account is still there.
    drop(second);
    assert_eq!(somebody_asked(&mut people).await, Some(1));
    people[1].answers().await;
    assert_eq!(somebody_asked(&mut people).await, Some(0));
    let table = people[1].client.done(json!({"type":"watch","table":table})).await;
    assert_eq!(table["type"], "done");
    let about = people[1].client.told.iter().rev().find(|told| told["type"] == "table");
    assert_eq!(about.expect("the table")["chairs"][0]["here"], true);
}
