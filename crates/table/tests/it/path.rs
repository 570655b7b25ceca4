//! One move, one straight path.

use crate::room::{ONE, PENNIES, Room, ZERO, choose, keys};
use parlor_rules::{Input, Owner, Pending, Seat, Viewer, json};
use parlor_table::{Act, Bytes32, Options, Stamp, Submitted, Table, Tail, Update};
use parlor_testkit::pennies::Coin;
use serde_json::Value;

fn room() -> Room {
    Room::pennies(Options::default())
}

fn ask(room: &Room, seat: Seat) -> Option<u64> {
    room.table.current(Viewer::Seat(seat)).unwrap().ask
}

fn audiences(updates: &[Update]) -> Vec<Viewer> {
    updates.iter().map(|update| update.audience).collect()
}

#[test]
fn a_hidden_choice_is_told_to_nobody_else_and_makes_no_question_stale() {
    let mut room = room();
    let asked = ask(&room, ONE);
    let updates = room.choose(ZERO, Coin::Heads).unwrap();
    assert_eq!(audiences(&updates), [Viewer::Seat(ZERO)]);
    assert_eq!(ask(&room, ONE), asked);
    assert_eq!(ask(&room, ZERO), None);

    let stamp = Stamp { ask: asked, ..Stamp::default() };
    let updates = room.enter(Act::Game(choose(ONE, Coin::Tails)), &stamp).unwrap();
    assert_eq!(audiences(&updates), Viewer::all(2).collect::<Vec<_>>());
    let sight: Value = serde_json::from_str(updates[2].sights[0].get()).unwrap();
    assert_eq!(sight["type"], "revealed");
}

#[test]
fn what_is_hidden_changes_neither_bytes_nor_number_of_updates() {
    let talk = |coin| {
        let mut room = room();
        let updates = room.choose(ZERO, coin).unwrap();
        let others = updates.iter().filter(|update| update.audience != Viewer::Seat(ZERO));
        let mut seen: Vec<String> = others.map(|update| json(update).get().to_owned()).collect();
        for viewer in [Viewer::Seat(ONE), Viewer::Watcher] {
            seen.push(json(&room.table.current(viewer)).get().to_owned());
        }
        seen
    };
    assert_eq!(talk(Coin::Heads), talk(Coin::Tails));
}

#[test]
fn the_open_part_of_an_entry_does_not_tell_a_hidden_choice() {
    let open = |coin| {
        let mut room = room();
        room.choose(ZERO, coin).unwrap();
        room.log.last().unwrap().open.clone()
    };
    assert_eq!(open(Coin::Heads), open(Coin::Tails));
}

#[test]
fn an_audience_counts_its_own_updates_without_a_gap() {
    let mut room = room();
    let mut last = room.table.current(Viewer::Watcher).unwrap().seq;
    while room.table.outcome().is_none() {
        room.now_ms = room.table.until_ms(Owner::Table).unwrap();
        for update in room.game(Input::Expire { seat: Owner::Table }).unwrap() {
            if update.audience == Viewer::Watcher {
                assert_eq!(update.seq, last + 1);
                last = update.seq;
            }
        }
    }
    assert_eq!(*room.table.pending(), Pending::Over);
}

#[test]
fn an_id_is_decided_once_and_never_reused_also_after_a_restart() {
    let mut room = room();
    let stamp = Stamp { id: Some("mine".to_owned()), ..Stamp::default() };
    assert_eq!(room.enter(Act::Game(choose(ZERO, Coin::Heads)), &stamp).unwrap().len(), 1);
    let head = room.table.head();
    for _ in 0..2 {
        let again = room.table.submit(Act::Game(choose(ZERO, Coin::Heads)), &stamp, 9).unwrap();
        assert!(matches!(again, Submitted::Again { seq } if seq + 1 == head));
        let other = room.table.submit(Act::Game(choose(ZERO, Coin::Tails)), &stamp, 9);
        assert_eq!(other.err().expect("a refusal").code, "id_reused");
        assert_eq!(room.table.head(), head);
        room.table = room.recovered();
    }
    let theirs = room.enter(Act::Game(choose(ONE, Coin::Tails)), &stamp);
    assert!(theirs.is_ok(), "another sender may use the same id: {theirs:?}");
}

#[test]
fn a_refused_id_may_be_tried_again_and_a_refusal_leaves_no_entry() {
    let mut room = room();
    room.choose(ZERO, Coin::Heads).unwrap();
    let head = room.table.head();
    let stamp = Stamp { id: Some("later".to_owned()), ..Stamp::default() };
    let refused = room.enter(Act::Game(choose(ZERO, Coin::Heads)), &stamp);
    assert_eq!(refused.unwrap_err(), "already_chosen");
    assert_eq!(room.table.head(), head);
    room.choose(ONE, Coin::Heads).unwrap();
    assert!(room.enter(Act::Game(choose(ZERO, Coin::Heads)), &stamp).is_ok());
}

#[test]
fn an_old_question_is_not_answered() {
    let mut room = room();
    let stamp = Stamp { ask: ask(&room, ZERO), ..Stamp::default() };
    room.enter(Act::Game(choose(ZERO, Coin::Heads)), &stamp).unwrap();
    room.choose(ONE, Coin::Heads).unwrap();
    assert_ne!(ask(&room, ZERO), stamp.ask);
    let late = room.enter(Act::Game(choose(ZERO, Coin::Heads)), &stamp);
    assert_eq!(late.unwrap_err(), "stale_ask");
}

#[test]
fn an_ask_of_an_earlier_stay_in_memory_is_stale() {
    let mut room = room();
    let stamp = Stamp { ask: ask(&room, ZERO), ..Stamp::default() };
    room.table = room.recovered();
    assert_ne!(ask(&room, ZERO), stamp.ask);
    let late = room.enter(Act::Game(choose(ZERO, Coin::Heads)), &stamp);
    assert_eq!(late.unwrap_err(), "stale_ask");
}

#[test]
fn an_entry_that_was_not_stored_is_decided_again_with_the_same_chance() {
    let mut room = room();
    room.now_ms = room.table.until_ms(Owner::Table).unwrap();
    let mut decide = || {
        let act = Act::Game(Input::Expire { seat: Owner::Table });
        match room.table.submit(act, &Stamp::default(), room.now_ms).unwrap() {
            Submitted::Entry(pending) => pending.stored,
            Submitted::Again { .. } => panic!("it has no id"),
        }
    };
    assert_eq!(decide(), decide());
}

#[test]
fn a_recovered_table_is_the_one_that_was_lost() {
    let mut room = room();
    room.choose(ZERO, Coin::Heads).unwrap();
    for _ in 0..3 {
        let other = room.recovered();
        assert_eq!(other.doc().get(), room.table.doc().get());
        assert_eq!((other.head(), other.digest()), (room.table.head(), room.table.digest()));
        for owner in [Owner::Table, Owner::Seat(ZERO), Owner::Seat(ONE)] {
            assert_eq!(other.until_ms(owner), room.table.until_ms(owner));
        }
        for viewer in Viewer::all(2) {
            let view = |table: &parlor_table::Table| table.current(viewer).unwrap().view;
            assert_eq!(view(&other).get(), view(&room.table).get());
        }
        room.now_ms = room.table.until_ms(Owner::Table).unwrap();
        room.table = other;
        room.game(Input::Expire { seat: Owner::Table }).unwrap();
    }
}

#[test]
fn a_snapshot_and_the_entries_after_it_give_the_same_table() {
    let mut room = room();
    room.choose(ZERO, Coin::Heads).unwrap();
    let (snapshot, seq) = (room.table.snapshot(), room.log.len());
    let tail = Tail::of_last(room.log.last().unwrap());
    let stamp = Stamp { id: Some("once".to_owned()), ..Stamp::default() };
    room.enter(Act::Game(choose(ONE, Coin::Heads)), &stamp).unwrap();
    let restore = |snapshot: &str, tail: Tail| {
        let (header, log) = (&room.header, &room.log[seq..]);
        Table::restore(&PENNIES, header, keys(), (snapshot, tail), log, 1, room.now_ms)
    };
    let mut other = restore(&snapshot, tail).unwrap();
    let elsewhere = Tail { digest: Bytes32([9; 32]), ..tail };
    assert_eq!(restore(&snapshot, elsewhere).err().unwrap().code, "bad_log");
    assert_eq!(other.snapshot(), room.table.snapshot());
    let again = other.submit(Act::Game(choose(ONE, Coin::Heads)), &stamp, 9).unwrap();
    assert!(matches!(again, Submitted::Again { .. }));
}

#[test]
fn a_log_with_a_changed_byte_is_not_recovered() {
    let mut room = room();
    room.choose(ZERO, Coin::Heads).unwrap();
    let last = room.log.len() - 1;
    room.log[last].open.push(' ');
    let lost = parlor_table::Table::recover(
        &crate::room::PENNIES,
        &room.header,
        crate::room::keys(),
        &room.log,
        1,
        0,
    );
    assert_eq!(lost.err().unwrap().code, "bad_log");
}
