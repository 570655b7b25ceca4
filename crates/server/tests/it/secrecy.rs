//! What is hidden from somebody changes neither a byte nor the number of frames it is sent.

use crate::client::{Client, Server};
use crate::people::{Person, gathered, somebody_asked};
use serde_json::{Value, json};

/// A frame without what only a clock has put into it.
fn timeless(mut frame: Value) -> Value {
    for field in ["now_ms", "until_ms", "at_ms"] {
        if !frame[field].is_null() {
            frame[field] = 0.into();
        }
    }
    frame
}

/// All that a person has been told up to the answer to a last question.
async fn all_told(person: &mut Person) -> Vec<Value> {
    person.client.done(json!({"type":"ping"})).await;
    person.client.told.drain(..).map(timeless).collect()
}

/// What the opponent is told, and a watcher, while one plays so.
async fn told_while(says: &[Value]) -> [Vec<Value>; 2] {
    let server = Server::seeded("secrecy").await;
    let config = json!({"prep_ms":600_000,"stake":0});
    let (table, mut people) = gathered(&server, "battle", config, json!({})).await;
    let mut opponent = people.pop().expect("two people");
    let mut player = people.pop().expect("two people");
    // Both know that it has begun.
    for person in [&mut player, &mut opponent] {
        while person.last["view"]["phase"] != "PREP" {
            let news = person.client.hears().await;
            person.client.told.push(news);
            person.catches_up();
        }
    }
    let mut watcher = Person::new(Client::guest(&server, "Vera").await, "battle", 0);
    watcher.client.done(json!({"type":"watch","table":table})).await;
    let mut told = [Vec::new(), all_told(&mut watcher).await];
    told[0] = all_told(&mut opponent).await;
    for command in says {
        let play = json!({"type":"play","table":table,"command":command});
        player.client.ask(play).await;
        told[0].extend(all_told(&mut opponent).await);
        told[1].extend(all_told(&mut watcher).await);
    }
    told
}

#[tokio::test(flavor = "multi_thread")]
async fn a_layout_is_nobody_else_s_business() {
    let draft = |layout: Value| json!({"type":"layout_draft","layout":layout});
    let confirm = |layout: Value| json!({"type":"layout_confirm","layout":layout});
    let silent = told_while(&[]).await;
    let ways = [
        vec![draft(json!(["attack", null, null]))],
        vec![draft(json!(["heal", "counter", "attack"])), draft(json!([null, null, null]))],
        vec![draft(json!(["fire", null, null])), confirm(json!(["attack", "attack", null]))],
        vec![confirm(json!(["defense", "heal", null]))],
        vec![confirm(json!([null, null, null])), draft(json!(["attack", null, null]))],
    ];
    for way in ways {
        assert_eq!(told_while(&way).await, silent, "{way:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_somebody_means_to_do_is_nobody_else_s_business() {
    let told = async |says: Option<Value>| {
        let server = Server::seeded("secrecy").await;
        let (table, mut people) =
            gathered(&server, "poker", json!({"between_ms":1}), json!({})).await;
        let asked = somebody_asked(&mut people).await.expect("a hand has begun");
        let mut told = all_told(&mut people[asked]).await;
        if let Some(pre) = says {
            let command = json!({"type":"pre","pre":pre});
            let play = json!({"type":"play","table":table,"command":command});
            people[1 - asked].client.ask(play).await;
        }
        told.extend(all_told(&mut people[asked]).await);
        told
    };
    let silent = told(None).await;
    for pre in [json!("fold"), json!("check_fold"), json!("call_any"), Value::Null] {
        assert_eq!(told(Some(pre)).await, silent);
    }
}
