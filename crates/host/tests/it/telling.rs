//! Who is told what, and when.

use crate::support::{Person, Tables, updates};
use parlor_wire::{Access, Tell};

#[tokio::test]
async fn an_answer_follows_its_update_and_a_refusal_goes_only_to_its_sender() {
    let tables = Tables::new().await;
    let (table, _) = tables.open("gomoku", Access::Open).await;
    let mut people = [Person::new(&tables, "Anna").await, Person::new(&tables, "Boris").await];
    let mut spectator = Person::new(&tables, "Clara").await;
    for (seat, person) in (0..).zip(&people) {
        person.sits(&table, seat).await.expect("a seat");
    }
    spectator.watches(&table, None).await.expect("everyone may watch");
    for own in people.iter_mut().chain([&mut spectator]) {
        own.told();
    }
    let first = match people[0].plays(&table, 7, 7).await {
        Ok(()) => 0,
        // Boris begins.
        Err(_) => {
            assert!(people.iter_mut().all(|own| own.told().is_empty()), "it was refused");
            people[1].plays(&table, 7, 7).await.expect("one of them begins");
            1
        }
    };
    // The answer is here, and so the update was before it.
    for own in people.iter_mut().chain([&mut spectator]) {
        assert_eq!(updates(&own.told()), 1);
    }
    // It is the other's turn.
    let refused = people[first].plays(&table, 8, 8).await.expect_err("out of turn");
    assert!(!refused.text.is_empty());
    for own in people.iter_mut().chain([&mut spectator]) {
        assert!(own.told().is_empty(), "nobody hears of a refusal");
    }
}

#[tokio::test]
async fn a_connection_that_watches_no_more_is_told_nothing() {
    let tables = Tables::new().await;
    let (table, _) = tables.open("gomoku", Access::Open).await;
    let (anna, mut boris) =
        (Person::new(&tables, "Anna").await, Person::new(&tables, "Boris").await);
    boris.watches(&table, None).await.expect("everyone may watch");
    assert_eq!(table.summary().watchers, 1);
    table.unsubscribe(vec![boris.outbox.connection()]);
    boris.told();
    anna.sits(&table, 0).await.expect("a seat");
    assert_eq!(table.summary().watchers, 0);
    assert!(boris.told().is_empty());
}

#[tokio::test]
async fn what_is_said_reaches_everybody_at_the_table() {
    let tables = Tables::new().await;
    let (table, _) = tables.open("gomoku", Access::Open).await;
    let (mut anna, boris) =
        (Person::new(&tables, "Anna").await, Person::new(&tables, "Boris").await);
    anna.sits(&table, 0).await.expect("a seat");
    anna.told();
    let say = |who: &Person| (who.account, who.name.clone(), Some(who.outbox.connection()));
    let (account, from, connection) = say(&boris);
    let outside = table.chat(account, from.clone(), connection, "hello".to_owned()).await;
    assert_eq!(outside.map_err(|refusal| refusal.code), Err("not_here"));
    boris.watches(&table, None).await.expect("everyone may watch");
    anna.told();
    table.chat(account, from, connection, "hello".to_owned()).await.expect("he is here now");
    assert!(matches!(anna.hears().await, Tell::Chat { text, .. } if text == "hello"));
}
