//! House players at a table.

use crate::support::{Person, Tables};
use parlor_host::SeatRequest;
use parlor_wire::{Access, Level, Tell};

#[tokio::test]
async fn a_house_player_answers_like_anybody_until_the_game_is_over() {
    let tables = Tables::new().await;
    let (table, _) = tables.open("gomoku", Access::Open).await;
    let mut anna = Person::new(&tables, "Anna").await;
    anna.sits(&table, 0).await.expect("a seat");
    table.sit_bot(Level::Easy, None, SeatRequest::default()).await.expect("a seat");
    assert_eq!(table.summary().is_alone(anna.account), Some(false));
    // She lays a stone on the first free point whenever she is asked.
    let mut points = (0..15).flat_map(|y| (0..15).map(move |x| (x, y)));
    let mut moves = 0;
    while !table.summary().over {
        let Tell::Update { ask: Some(_), .. } = anna.hears().await else { continue };
        for (x, y) in points.by_ref() {
            if anna.plays(&table, x, y).await.is_ok() {
                moves += 1;
                break;
            }
        }
    }
    assert!(moves > 3, "both have played: {moves}");
}

#[tokio::test]
async fn a_house_player_that_nobody_watches_does_not_play() {
    let tables = Tables::new().await;
    let (table, _) = tables.open("gomoku", Access::Open).await;
    for seat in 0..2 {
        let request = SeatRequest { seat: Some(seat), ..SeatRequest::default() };
        table.sit_bot(Level::Easy, None, request).await.expect("a seat");
    }
    let head = tables.context.log.head(&table.info.id).await.expect("its log").head;
    assert_eq!(head, 3, "two have sat down, and the game has begun");
    let mut anna = Person::new(&tables, "Anna").await;
    anna.watches(&table, None).await.expect("everyone may watch");
    while !table.summary().over {
        anna.hears().await;
    }
}
