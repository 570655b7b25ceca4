//! The path of one move.

mod fair;

use parlor_rules::{Chips, Erased, House, Input, Json, Owner, Pending, Seat, Series, Viewer, json};
use parlor_table::{Journal, Memory, Stamp, Submitted, Table, Update, enter};
use parlor_testkit::pennies::{Coin, Command, Pennies};
use serde_json::{Value, json as value};

static PENNIES: Erased<Series<Pennies>> = Erased::new();
const ZERO: Seat = Seat::new(0);
const ONE: Seat = Seat::new(1);

struct Room {
    table: Table,
    journal: Memory,
}

impl Room {
    /// A table of pennies with both seats taken.
    fn seated() -> Self {
        let table = Table::open(&PENNIES, &json(&value!({})), 2, "secret").unwrap();
        let mut room = Self { table, journal: Memory::default() };
        room.enter(Input::House(House::Begin {})).unwrap();
        for seat in [ZERO, ONE] {
            room.enter(Input::House(House::Joined { seat, chips: Chips::whole(5) })).unwrap();
        }
        room
    }

    fn enter(&mut self, input: Input<Json>) -> Result<Vec<Update>, String> {
        self.stamped(input, &Stamp::default())
    }

    fn stamped(&mut self, input: Input<Json>, stamp: &Stamp) -> Result<Vec<Update>, String> {
        enter(&mut self.table, &mut self.journal, input, stamp, 7)
            .map_err(|refusal| refusal.code.to_owned())
    }

    fn ask(&self, seat: Seat) -> Option<u64> {
        self.table.current(Viewer::Seat(seat)).unwrap().ask
    }
}

fn choose(seat: Seat, coin: Coin) -> Input<Json> {
    Input::Play { seat, command: json(&Command::Choose(coin)) }
}

fn audiences(updates: &[Update]) -> Vec<Viewer> {
    updates.iter().map(|update| update.audience).collect()
}

#[test]
fn a_hidden_choice_is_told_to_nobody_else_and_makes_no_question_stale() {
    let mut room = Room::seated();
    let asked = room.ask(ONE);
    let updates = room.enter(choose(ZERO, Coin::Heads)).unwrap();
    assert_eq!(audiences(&updates), [Viewer::Seat(ZERO)]);
    assert_eq!(room.ask(ONE), asked);
    assert_eq!(room.ask(ZERO), None);

    let stamp = Stamp { id: None, ask: asked };
    let updates = room.stamped(choose(ONE, Coin::Tails), &stamp).unwrap();
    assert_eq!(audiences(&updates), Viewer::all(2).collect::<Vec<_>>());
    let sight: Value = serde_json::from_str(updates[2].sights[0].get()).unwrap();
    assert_eq!(sight["type"], "revealed");
}

#[test]
fn what_is_hidden_changes_neither_bytes_nor_number_of_updates() {
    let talk = |coin| {
        let mut room = Room::seated();
        let updates = room.enter(choose(ZERO, coin)).unwrap();
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
fn an_audience_counts_its_own_updates_without_a_gap() {
    let mut room = Room::seated();
    let mut last = room.table.current(Viewer::Watcher).unwrap().seq;
    while room.table.outcome().is_none() {
        for update in room.enter(Input::Expire { seat: Owner::Table }).unwrap() {
            if update.audience == Viewer::Watcher {
                assert_eq!(update.seq, last + 1);
                last = update.seq;
            }
        }
    }
    assert_eq!(room.table.pending(), Pending::Over);
}

#[test]
fn an_id_is_decided_once_and_never_reused() {
    let mut room = Room::seated();
    let stamp = Stamp { id: Some("mine".to_owned()), ask: None };
    assert_eq!(room.stamped(choose(ZERO, Coin::Heads), &stamp).unwrap().len(), 1);
    let head = room.journal.head();
    let again = room.table.submit(choose(ZERO, Coin::Heads), &stamp, 9).unwrap();
    assert!(matches!(again, Submitted::Again { seq } if seq + 1 == head));
    assert_eq!(room.stamped(choose(ZERO, Coin::Tails), &stamp).unwrap_err(), "id_reused");
    assert_eq!(room.journal.head(), head);
}

#[test]
fn a_refused_id_may_be_tried_again_and_a_refusal_leaves_no_entry() {
    let mut room = Room::seated();
    room.enter(choose(ZERO, Coin::Heads)).unwrap();
    let head = room.journal.head();
    let stamp = Stamp { id: Some("later".to_owned()), ask: None };
    assert_eq!(room.stamped(choose(ZERO, Coin::Heads), &stamp).unwrap_err(), "already_chosen");
    assert_eq!(room.journal.head(), head);
    room.enter(choose(ONE, Coin::Heads)).unwrap();
    assert!(room.stamped(choose(ZERO, Coin::Heads), &stamp).is_ok());
}

#[test]
fn an_old_question_is_not_answered() {
    let mut room = Room::seated();
    let stamp = Stamp { id: None, ask: room.ask(ZERO) };
    room.stamped(choose(ZERO, Coin::Heads), &stamp).unwrap();
    room.enter(choose(ONE, Coin::Heads)).unwrap();
    assert_ne!(room.ask(ZERO), stamp.ask);
    assert_eq!(room.stamped(choose(ZERO, Coin::Heads), &stamp).unwrap_err(), "stale_ask");
}

#[test]
fn an_entry_that_was_not_stored_is_decided_again_with_the_same_chance() {
    let mut room = Room::seated();
    let expire = || Input::Expire { seat: Owner::Table };
    let decide = |room: &mut Room| match room.table.submit(expire(), &Stamp::default(), 1).unwrap()
    {
        Submitted::Entry(entry) => json(&entry).get().to_owned(),
        Submitted::Again { .. } => panic!("it has no id"),
    };
    assert_eq!(decide(&mut room), decide(&mut room));
}

#[test]
fn the_journal_takes_entries_in_order_only_and_gives_them_back() {
    let room = Room::seated();
    let entries = room.journal.read_from(1);
    assert_eq!(entries.iter().map(|entry| entry.seq).collect::<Vec<_>>(), [1, 2]);
    let mut other = Memory::default();
    assert_eq!(other.append(&entries[0]).unwrap_err().head, 0);
    assert_eq!(other.head(), 0);
    let text = json(&entries[0]).get().to_owned();
    let read: parlor_table::Entry = serde_json::from_str(&text).unwrap();
    assert_eq!(json(&read).get(), text);
}
