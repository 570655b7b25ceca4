//! Who gets a seat, and what others see of it.

use crate::support::{Person, Tables};
use parlor_host::SeatRequest;
use parlor_rules::Chips;
use parlor_wire::Access;

#[tokio::test]
async fn a_seat_is_for_one_and_nobody_sits_twice() {
    let tables = Tables::new().await;
    let (table, _) = tables.open("gomoku", Access::Open).await;
    let (anna, boris) = (Person::new(&tables, "Anna").await, Person::new(&tables, "Boris").await);
    assert_eq!(table.summary().free_seats(), 2);
    anna.sits(&table, 0).await.expect("a seat");
    assert_eq!(anna.sits(&table, 1).await.expect_err("she sits").code, "seated");
    assert_eq!(boris.sits(&table, 0).await.expect_err("it is taken").code, "no_chair");
    assert_eq!(table.summary().seat_of(anna.account).map(parlor_rules::Seat::index), Some(0));
    assert!(table.summary().is_alone(anna.account) == Some(true));
    boris.sits(&table, 1).await.expect("a seat");
    assert_eq!(table.summary().free_seats(), 0);
    assert!(table.summary().is_alone(anna.account) == Some(false));
    let clara = Person::new(&tables, "Clara").await;
    assert_eq!(clara.sits(&table, 1).await.expect_err("it is full").code, "no_chair");
}

#[tokio::test]
async fn a_seat_is_free_again_when_it_is_left_before_the_game() {
    let tables = Tables::new().await;
    let (table, _) = tables.open("gomoku", Access::Open).await;
    let (anna, boris) = (Person::new(&tables, "Anna").await, Person::new(&tables, "Boris").await);
    anna.sits(&table, 0).await.expect("a seat");
    table.leave(anna.account, Some(anna.outbox.connection())).await.expect("she leaves");
    assert_eq!((table.summary().free_seats(), table.summary().over), (2, false));
    boris.sits(&table, 0).await.expect("a seat");
}

#[tokio::test]
async fn nobody_sits_down_where_the_game_is_over() {
    let tables = Tables::new().await;
    let (table, _) = tables.open("gomoku", Access::Open).await;
    let anna = Person::new(&tables, "Anna").await;
    table.close().await.expect("it is closed");
    assert!(table.summary().over);
    assert_eq!(anna.sits(&table, 0).await.expect_err("it is over").code, "no_chair");
}

#[tokio::test]
async fn a_private_table_takes_its_key() {
    let tables = Tables::new().await;
    let (table, key) = tables.open("gomoku", Access::Private).await;
    let anna = Person::new(&tables, "Anna").await;
    assert_eq!(anna.sits(&table, 0).await.expect_err("no key").code, "private");
    assert_eq!(anna.watches(&table, None).await.expect_err("no key").code, "private");
    let wrong = anna.watches(&table, Some("wrong".to_owned())).await;
    assert_eq!(wrong.expect_err("a wrong key").code, "private");
    anna.watches(&table, key.clone()).await.expect("the key");
    let request = SeatRequest { key, ..SeatRequest::default() };
    table.sit(anna.account, &anna.name, request).await.expect("the key");
    anna.watches(&table, None).await.expect("her seat lets her in");
}

#[tokio::test]
async fn a_cash_game_takes_chips() {
    let tables = Tables::new().await;
    let (table, _) = tables.open("poker", Access::Open).await;
    let anna = Person::new(&tables, "Anna").await;
    assert_eq!(anna.sits(&table, 0).await.expect_err("no chips").code, "no_chips");
    let request = |chips| SeatRequest { chips: Some(chips), ..SeatRequest::default() };
    let rich = table.sit(anna.account, &anna.name, request(Chips::whole(1_000_000))).await;
    assert!(rich.is_err() && table.summary().seat_of(anna.account).is_none(), "{rich:?}");
    table.sit(anna.account, &anna.name, request(Chips::whole(100))).await.expect("a seat");
    assert!(table.summary().seat_of(anna.account).is_some());
}
