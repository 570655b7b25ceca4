//! Time that nobody is charged for: crashes, failing disks, tables that travel.

use parlor_games::find;
use parlor_journal::place::{Output, Outputs, Place, Request};
use parlor_journal::{
    Journal, JournalError, Memory, Outcome, Share, Snapshot, export, hall, import,
};
use parlor_rules::{House, Input, Owner, Refusal, Seat, Viewer, json};
use parlor_table::{Act, Clock, Desk, Keys, NewTable, Options, Stamp, TableId, Who};
use std::io::Cursor;

const ZERO: Seat = Seat::new(0);
const ONE: Seat = Seat::new(1);
const MINUTE: Clock = Clock::Game { reserve_ms: 60_000, increment_ms: 0, delay_ms: 0 };

fn id() -> TableId {
    "t-1".parse().unwrap()
}

/// A game of backgammon in which seat 0 may roll or double, since one second after the beginning.
fn begun(journal: &dyn Journal, clock: Clock) -> Place<()> {
    let table = hall::create(
        journal,
        NewTable {
            table: id(),
            game: find("backgammon").unwrap(),
            config: serde_json::from_str(r#"{"opening":0}"#).unwrap(),
            seats: 2,
            options: Options { clock, ..Options::default() },
            keys: Keys::from_secret("wake"),
            now_ms: 1_000,
        },
        Vec::new(),
    );
    let mut place = Place::new(table.unwrap(), Box::new(|_, _, _| Vec::new()));
    for (seat, account) in [(ZERO, 10), (ONE, 11)] {
        let sit = Act::Desk(Desk::Sit { seat, who: Who::Account(account), tip: None });
        enter(&mut place, journal, sit, 1_000).unwrap();
    }
    let begin = Act::Game(Input::House(House::Begin {}));
    enter(&mut place, journal, begin, 1_000).unwrap();
    place
}

fn enter(
    place: &mut Place<()>,
    journal: &dyn Journal,
    act: Act,
    now_ms: u64,
) -> Result<(), Refusal> {
    hall::enter(place, journal, act, Stamp::default(), now_ms, &mut drop)
}

fn double() -> Act {
    let command = serde_json::json!({ "type": "propose-double", "seat": 0 });
    Act::Game(Input::Play { seat: ZERO, command: json(&command) })
}

fn request(act: Act) -> Request<()> {
    Request { to: (), act, stamp: Stamp::default() }
}

fn recalled(journal: &dyn Journal, alive_ms: u64, now_ms: u64) -> Place<()> {
    let table = hall::recall(journal, find, &id(), 2, alive_ms, now_ms).unwrap();
    let mut place = Place::new(table, Box::new(|_, _, _| Vec::new()));
    place.table_mut().back(ZERO);
    place.table_mut().back(ONE);
    place
}

/// What is left on the clock of seat 0.
fn reserve_ms(place: &Place<()>) -> u64 {
    place.table().current(Viewer::Seat(ZERO)).unwrap().clocks[0].reserve_ms
}

/// Stores whatever a place asks to be stored, until it asks for nothing more.
fn settle(place: &mut Place<()>, journal: &dyn Journal, outputs: Outputs<()>, now_ms: u64) {
    let store = |output| match output {
        Output::Store(append) => Some(append),
        _ => None,
    };
    let mut next = outputs.into_iter().find_map(store);
    while let Some(append) = next {
        let outcome = journal.append(vec![append]).map(|mut all| all.remove(0));
        next = place.settled(outcome, now_ms).into_iter().find_map(store);
    }
}

#[test]
fn a_move_right_after_a_crash_is_not_charged_for_it() {
    let journal = Memory::default();
    begun(&journal, MINUTE);
    // Seat 0 has thought for ten seconds when the program dies, for an hour.
    let now_ms = 11_000 + 3_600_000;
    let mut place = recalled(&journal, 11_000, now_ms);
    enter(&mut place, &journal, double(), now_ms).unwrap();
    assert_eq!(reserve_ms(&place), 50_000);
}

#[test]
fn a_move_after_a_failing_disk_is_not_charged_for_it() {
    let journal = Memory::default();
    let mut place = begun(&journal, MINUTE);
    journal.pause("the disk is full");
    for now_ms in [11_000, 31_000] {
        assert_eq!(enter(&mut place, &journal, double(), now_ms).unwrap_err().code, "paused");
    }
    journal.resume();
    enter(&mut place, &journal, double(), 51_000).unwrap();
    assert_eq!(reserve_ms(&place), 50_000);
}

#[test]
fn a_pause_is_forgiven_once_however_often_it_is_tried() {
    let journal = Memory::default();
    let mut place = begun(&journal, MINUTE);
    let mut now_ms = 41_000;
    let mut outputs = place.request(request(double()), now_ms);
    for _ in 0..3 {
        assert!(matches!(outputs[..], [Output::Store(_)]), "{outputs:?}");
        place.settled(Err(JournalError::Paused("full".to_owned())), now_ms);
        now_ms += 10_000;
        outputs = place.retry(now_ms);
    }
    settle(&mut place, &journal, outputs, now_ms);
    assert_eq!(reserve_ms(&place), 20_000, "forty seconds were thought");
}

#[test]
fn a_pause_after_a_crash_forgives_both() {
    let journal = Memory::default();
    begun(&journal, MINUTE);
    let now_ms = 11_000 + 3_600_000;
    let mut place = recalled(&journal, 11_000, now_ms);
    journal.pause("the disk is full");
    let refused = enter(&mut place, &journal, double(), now_ms);
    assert_eq!(refused.unwrap_err().code, "paused");
    journal.resume();
    enter(&mut place, &journal, double(), now_ms + 70_000).unwrap();
    assert_eq!(reserve_ms(&place), 50_000);
}

#[test]
fn who_was_told_late_has_the_whole_time() {
    let journal = Memory::default();
    let mut place = begun(&journal, Clock::PerMove { per_move_ms: 5_000 });
    let outputs = place.request(request(double()), 2_000);
    let Some(Output::Store(append)) = outputs.into_iter().next() else { panic!("an entry") };
    journal.append(vec![append]).unwrap();
    // It took ten seconds to find out that it is stored.
    let outputs = place.settled(Ok(Outcome::Stored), 12_000);
    settle(&mut place, &journal, outputs, 12_000);
    assert!(place.tick(12_000).is_empty(), "nobody has lost yet");
    assert_eq!(place.table().until_ms(Owner::Seat(ONE)), Some(17_000));
}

#[test]
fn a_table_that_travels_sleeps() {
    let journal = Memory::default();
    begun(&journal, MINUTE);
    let mut out = Vec::new();
    export(&journal, &id(), Share::Whole, &mut out).unwrap();
    let other = Memory::default();
    import(&other, Cursor::new(out)).unwrap();
    // A day later, at a house that was open all the time.
    let now_ms = 86_400_000;
    let mut place = recalled(&other, now_ms - 500, now_ms);
    enter(&mut place, &other, double(), now_ms).unwrap();
    assert_eq!(reserve_ms(&place), 60_000);
    let place = recalled(&other, now_ms + 5_000, now_ms + 5_000);
    assert_eq!(place.table().until_ms(Owner::Seat(ONE)), Some(now_ms + 60_000), "it is awake now");
}

#[test]
fn a_table_without_clocks_has_nothing_to_forgive() {
    let journal = Memory::default();
    begun(&journal, Clock::None);
    let place = recalled(&journal, 2_000, 3_600_000);
    assert!(place.table().due(3_600_000).is_none(), "{:?}", place.table().due(3_600_000));
    assert_eq!(place.table().next_ms(), None);
}

#[test]
fn what_is_due_at_once_is_not_slept_over() {
    let journal = Memory::default();
    begun(&journal, MINUTE);
    let place = recalled(&journal, 2_000, 20_000);
    assert!(matches!(place.table().due(20_000), Some((Act::Desk(Desk::Resume { .. }), _))));
    assert_eq!(place.table().next_ms(), Some(0));
}

#[test]
fn a_snapshot_of_another_log_is_not_believed() {
    let journal = Memory::default();
    let mut place = begun(&journal, MINUTE);
    let (head, digest) = (place.table().head(), place.table().digest().to_string());
    let wrong = place.table().snapshot().replace(&digest, &"ab".repeat(32));
    journal.put_snapshot(&id(), Snapshot { seq: head, text: wrong }).unwrap();
    assert_eq!(recalled(&journal, 1_000, 1_000).table().digest().to_string(), digest);
    // One that is ahead of the log, as of a journal that was put back.
    let elsewhere = Memory::default();
    begun(&elsewhere, MINUTE);
    enter(&mut place, &journal, double(), 2_000).unwrap();
    let ahead = Snapshot { seq: head + 1, text: place.table().snapshot() };
    elsewhere.put_snapshot(&id(), ahead).unwrap();
    assert_eq!(recalled(&elsewhere, 1_000, 1_000).table().head(), head);
}

#[test]
fn a_table_with_another_secret_is_not_played() {
    let journal = Memory::default();
    begun(&journal, MINUTE);
    let mut out = Vec::new();
    export(&journal, &id(), Share::Whole, &mut out).unwrap();
    let dice = Keys::from_secret("wake").dice.to_string();
    let forged = String::from_utf8(out).unwrap().replacen(&dice, &"ab".repeat(32), 1);
    let other = Memory::default();
    import(&other, Cursor::new(forged)).unwrap();
    let refused = hall::recall(&other, find, &id(), 2, 0, 1_000).err().unwrap();
    assert_eq!(refused.code, "bad_log");
}

#[test]
fn a_seat_that_never_stops_talking_does_not_stop_the_clock() {
    let journal = Memory::default();
    let options = Options::default();
    let new = NewTable {
        table: id(),
        game: find("battle").unwrap(),
        config: serde_json::from_str("{}").unwrap(),
        seats: 2,
        options,
        keys: Keys::from_secret("wake"),
        now_ms: 1_000,
    };
    let mut place = Place::new(
        hall::create(&journal, new, Vec::new()).unwrap(),
        Box::new(|_, _, _| Vec::new()),
    );
    for (seat, account) in [(ZERO, 10), (ONE, 11)] {
        let sit = Act::Desk(Desk::Sit { seat, who: Who::Account(account), tip: None });
        enter(&mut place, &journal, sit, 1_000).unwrap();
    }
    let begin = Act::Game(Input::House(House::Begin {}));
    enter(&mut place, &journal, begin, 1_000).unwrap();
    let draft = || {
        let layout = serde_json::json!(["attack", null, null]);
        let command = serde_json::json!({ "type": "layout_draft", "layout": layout });
        Act::Game(Input::Play { seat: ZERO, command: json(&command) })
    };
    // One draft is always on its way and another waits, up to the deadline and beyond it.
    let until_ms = place.table().until_ms(Owner::Table).unwrap();
    let mut now_ms = until_ms - 50;
    let mut flying = Vec::new();
    let store = |outputs: Outputs<()>, flying: &mut Vec<_>| {
        for output in outputs {
            if let Output::Store(append) = output {
                flying.push(append);
            }
        }
    };
    let outputs = place.request(request(draft()), now_ms);
    store(outputs, &mut flying);
    while let Some(append) = flying.pop() {
        let outputs = place.request(request(draft()), now_ms);
        store(outputs, &mut flying);
        now_ms += 5;
        journal.append(vec![append]).unwrap();
        let outputs = place.settled(Ok(Outcome::Stored), now_ms);
        store(outputs, &mut flying);
        assert!(now_ms < until_ms + 100, "the deadline never comes");
        if place.table().until_ms(Owner::Table) != Some(until_ms) {
            break;
        }
    }
    let view = place.table().current(Viewer::Seat(ZERO)).unwrap().view;
    assert!(view.get().contains(r#""phase":"REVEAL""#), "{}", view.get());
}

#[test]
fn a_message_counts_from_when_it_came() {
    let journal = Memory::default();
    let mut place = begun(&journal, Clock::PerMove { per_move_ms: 5_000 });
    // Something else is being stored while the move comes just in time.
    let release = Act::Desk(Desk::Reserve { seat: ZERO, account: 10 });
    assert!(matches!(place.request(request(release), 5_000)[..], [Output::Refused { .. }]));
    let rise = Act::Game(Input::Play { seat: ONE, command: json(&serde_json::json!({})) });
    assert!(matches!(place.request(request(rise), 5_000)[..], [Output::Refused { .. }]));
    let outputs = place.request(request(double()), 5_999);
    assert!(matches!(outputs[..], [Output::Store(_)]), "in time: {outputs:?}");
    settle(&mut place, &journal, outputs, 6_500);
    assert!(place.table().outcome().is_none());
    let late = place.request(
        request(Act::Game(Input::Play {
            seat: ONE,
            command: json(&serde_json::json!({ "type": "accept-double", "seat": 1 })),
        })),
        12_000,
    );
    settle(&mut place, &journal, late, 12_000);
    assert!(place.table().outcome().is_some(), "what comes too late comes after the flag");
}
