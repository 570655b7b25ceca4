//! Time that nobody is charged for: crashes, failing disks, tables that travel.

use parlor_games::find;
use parlor_journal::{
    Driver, Journal, JournalError, Memory, Share, Snapshot, Submission, Unsettled, export, import,
    store,
};
use parlor_rules::{House, Input, Owner, Refusal, Seat, Viewer, json};
use parlor_table::{Act, Clock, Desk, Keys, NewTable, Options, Stamp, Table, TableId, Who};
use std::io::Cursor;

const ZERO: Seat = Seat::new(0);
const ONE: Seat = Seat::new(1);
const MINUTE: Clock = Clock::Game { reserve_ms: 60_000, increment_ms: 0, delay_ms: 0 };

fn id() -> TableId {
    "t-1".parse().unwrap()
}

fn driver(table: Table) -> Driver {
    Driver::new(table, Box::new(|_, _, _| Vec::new()))
}

/// A game of backgammon in which seat 0 may roll or double, since one second after the beginning.
async fn begun(journal: &dyn Journal, clock: Clock) -> Driver {
    let options = Options { clock, ..Options::default() };
    played(journal, "backgammon", r#"{"opening":0}"#, options).await
}

/// A game that two people have begun.
async fn played(journal: &dyn Journal, game: &str, config: &str, options: Options) -> Driver {
    let new = NewTable {
        table: id(),
        game: find(game).unwrap(),
        config: serde_json::from_str(config).unwrap(),
        seats: 2,
        options,
        keys: Keys::from_secret("wake"),
        now_ms: 1_000,
    };
    let mut driver = driver(store::create(journal, new, Vec::new()).await.unwrap());
    for (seat, account) in [(ZERO, 10), (ONE, 11)] {
        let sit = Act::Desk(Desk::Sit { seat, who: Who::Account(account), tip: None });
        enter(&mut driver, journal, sit, 1_000).await.unwrap();
    }
    let begin = Act::Game(Input::House(House::Begin {}));
    enter(&mut driver, journal, begin, 1_000).await.unwrap();
    driver
}

fn submission(act: Act, came_ms: u64) -> Submission {
    Submission::new(act, Stamp::default(), came_ms)
}

async fn enter(
    driver: &mut Driver,
    journal: &dyn Journal,
    act: Act,
    now_ms: u64,
) -> Result<(), Refusal> {
    go_on(driver, journal, submission(act, now_ms), now_ms).await
}

async fn go_on(
    driver: &mut Driver,
    journal: &dyn Journal,
    submission: Submission,
    now_ms: u64,
) -> Result<(), Refusal> {
    parlor_journal::enter(driver, journal, submission, &|| now_ms, &mut drop).await
}

fn double() -> Act {
    let command = serde_json::json!({ "type": "propose-double", "seat": 0 });
    Act::Game(Input::Play { seat: ZERO, command: json(&command) })
}

async fn recalled(journal: &dyn Journal, alive_ms: u64, now_ms: u64) -> Driver {
    let table = store::recall(journal, find, &id(), 2, alive_ms, now_ms).await.unwrap();
    let mut driver = driver(table);
    driver.table_mut().back(ZERO);
    driver.table_mut().back(ONE);
    driver
}

/// What is left on the clock of seat 0.
fn reserve_ms(driver: &Driver) -> u64 {
    driver.table().current(Viewer::Seat(ZERO)).unwrap().clocks[0].reserve_ms
}

#[tokio::test]
async fn a_move_right_after_a_crash_is_not_charged_for_it() {
    let journal = Memory::default();
    begun(&journal, MINUTE).await;
    // Seat 0 has thought for ten seconds when the program dies, for an hour.
    let now_ms = 11_000 + 3_600_000;
    let mut driver = recalled(&journal, 11_000, now_ms).await;
    enter(&mut driver, &journal, double(), now_ms).await.unwrap();
    assert_eq!(reserve_ms(&driver), 50_000);
}

#[tokio::test]
async fn a_move_after_a_failing_disk_is_not_charged_for_it() {
    let journal = Memory::default();
    let mut driver = begun(&journal, MINUTE).await;
    journal.pause("the disk is full");
    for now_ms in [11_000, 31_000] {
        assert_eq!(
            enter(&mut driver, &journal, double(), now_ms).await.unwrap_err().code,
            "paused"
        );
    }
    journal.resume();
    enter(&mut driver, &journal, double(), 51_000).await.unwrap();
    assert_eq!(reserve_ms(&driver), 50_000);
}

#[tokio::test]
async fn a_pause_is_forgiven_once_however_often_it_is_tried() {
    let journal = Memory::default();
    let mut driver = begun(&journal, MINUTE).await;
    let mut now_ms = 41_000;
    for _ in 0..3 {
        let mut submission = submission(double(), now_ms);
        assert!(submission.next(&mut driver, now_ms).unwrap().is_some());
        let full = Err(JournalError::Paused("full".to_owned()));
        let settled = submission.settle(&mut driver, full, now_ms);
        assert!(matches!(settled, Err(Unsettled::Paused(_))), "{settled:?}");
        now_ms += 10_000;
    }
    enter(&mut driver, &journal, double(), now_ms).await.unwrap();
    assert_eq!(reserve_ms(&driver), 20_000, "forty seconds were thought");
}

#[tokio::test]
async fn a_pause_after_a_crash_forgives_both() {
    let journal = Memory::default();
    begun(&journal, MINUTE).await;
    let now_ms = 11_000 + 3_600_000;
    let mut driver = recalled(&journal, 11_000, now_ms).await;
    journal.pause("the disk is full");
    let refused = enter(&mut driver, &journal, double(), now_ms).await;
    assert_eq!(refused.unwrap_err().code, "paused");
    journal.resume();
    enter(&mut driver, &journal, double(), now_ms + 70_000).await.unwrap();
    assert_eq!(reserve_ms(&driver), 50_000);
}

#[tokio::test]
async fn who_was_told_late_has_the_whole_time() {
    let journal = Memory::default();
    let mut driver = begun(&journal, Clock::PerMove { per_move_ms: 5_000 }).await;
    let mut submission = submission(double(), 2_000);
    let append = submission.next(&mut driver, 2_000).unwrap().expect("an entry");
    let outcome = journal.append(append).await;
    // It took ten seconds to find out that it is stored.
    submission.settle(&mut driver, outcome, 12_000).unwrap();
    assert!(submission.next(&mut driver, 12_000).unwrap().is_none());
    assert_eq!(driver.table().next_ms(), Some(0), "what forgives the time is due");
    let head = driver.table().head();
    go_on(&mut driver, &journal, Submission::time(12_000), 12_000).await.unwrap();
    assert_eq!(driver.table().head(), head + 1, "nobody has lost yet");
    assert_eq!(driver.table().until_ms(Owner::Seat(ONE)), Some(17_000));
}

#[tokio::test]
async fn a_table_that_travels_sleeps() {
    let journal = Memory::default();
    begun(&journal, MINUTE).await;
    let mut out = Vec::new();
    export(&journal, &id(), Share::Whole, &mut out).await.unwrap();
    let other = Memory::default();
    import(&other, Cursor::new(out)).await.unwrap();
    // A day later, at a house that was open all the time.
    let now_ms = 86_400_000;
    let mut driver = recalled(&other, now_ms - 500, now_ms).await;
    enter(&mut driver, &other, double(), now_ms).await.unwrap();
    assert_eq!(reserve_ms(&driver), 60_000);
    let driver = recalled(&other, now_ms + 5_000, now_ms + 5_000).await;
    assert_eq!(driver.table().until_ms(Owner::Seat(ONE)), Some(now_ms + 60_000), "it is awake now");
}

#[tokio::test]
async fn a_table_without_clocks_has_nothing_to_forgive() {
    let journal = Memory::default();
    begun(&journal, Clock::None).await;
    let driver = recalled(&journal, 2_000, 3_600_000).await;
    assert!(driver.table().due(3_600_000).is_none(), "{:?}", driver.table().due(3_600_000));
    assert_eq!(driver.table().next_ms(), None);
}

#[tokio::test]
async fn what_is_due_at_once_is_not_slept_over() {
    let journal = Memory::default();
    begun(&journal, MINUTE).await;
    let driver = recalled(&journal, 2_000, 20_000).await;
    assert!(matches!(driver.table().due(20_000), Some((Act::Desk(Desk::Resume { .. }), _))));
    assert_eq!(driver.table().next_ms(), Some(0));
}

#[tokio::test]
async fn a_snapshot_of_another_log_is_not_believed() {
    let journal = Memory::default();
    let mut driver = begun(&journal, MINUTE).await;
    let (head, digest) = (driver.table().head(), driver.table().digest().to_string());
    let wrong = driver.table().snapshot().replace(&digest, &"ab".repeat(32));
    journal.put_snapshot(&id(), Snapshot { seq: head, text: wrong }).await.unwrap();
    assert_eq!(recalled(&journal, 1_000, 1_000).await.table().digest().to_string(), digest);
    // One that is ahead of the log, as of a journal that was put back.
    let elsewhere = Memory::default();
    begun(&elsewhere, MINUTE).await;
    enter(&mut driver, &journal, double(), 2_000).await.unwrap();
    let ahead = Snapshot { seq: head + 1, text: driver.table().snapshot() };
    elsewhere.put_snapshot(&id(), ahead).await.unwrap();
    assert_eq!(recalled(&elsewhere, 1_000, 1_000).await.table().head(), head);
}

#[tokio::test]
async fn a_table_with_another_secret_is_not_played() {
    let journal = Memory::default();
    begun(&journal, MINUTE).await;
    let mut out = Vec::new();
    export(&journal, &id(), Share::Whole, &mut out).await.unwrap();
    let dice = Keys::from_secret("wake").dice.to_string();
    let forged = String::from_utf8(out).unwrap().replacen(&dice, &"ab".repeat(32), 1);
    let other = Memory::default();
    import(&other, Cursor::new(forged)).await.unwrap();
    let refused = store::recall(&other, find, &id(), 2, 0, 1_000).await.err().unwrap();
    assert_eq!(refused.code, "bad_log");
}

#[tokio::test]
async fn a_seat_that_never_stops_talking_does_not_stop_the_clock() {
    let journal = Memory::default();
    let mut driver = played(&journal, "battle", "{}", Options::default()).await;
    let draft = || {
        let layout = serde_json::json!(["attack", null, null]);
        let command = serde_json::json!({ "type": "layout_draft", "layout": layout });
        Act::Game(Input::Play { seat: ZERO, command: json(&command) })
    };
    // One draft is always on its way and another waits, up to the deadline and beyond it.
    let until_ms = driver.table().until_ms(Owner::Table).unwrap();
    let mut now_ms = until_ms - 50;
    let mut waiting = submission(draft(), now_ms);
    while driver.table().until_ms(Owner::Table) == Some(until_ms) {
        let mut current = std::mem::replace(&mut waiting, submission(draft(), now_ms));
        while let Ok(Some(append)) = current.next(&mut driver, now_ms) {
            now_ms += 5;
            let outcome = journal.append(append).await;
            current.settle(&mut driver, outcome, now_ms).unwrap();
        }
        assert!(now_ms < until_ms + 100, "the deadline never comes");
    }
    let view = driver.table().current(Viewer::Seat(ZERO)).unwrap().view;
    assert!(view.get().contains(r#""phase":"REVEAL""#), "{}", view.get());
}

#[tokio::test]
async fn a_message_counts_from_when_it_came() {
    let journal = Memory::default();
    let mut driver = begun(&journal, Clock::PerMove { per_move_ms: 5_000 }).await;
    let reserve = Act::Desk(Desk::Reserve { seat: ZERO, account: 10 });
    enter(&mut driver, &journal, reserve, 5_000).await.unwrap_err();
    let nothing = Act::Game(Input::Play { seat: ONE, command: json(&serde_json::json!({})) });
    enter(&mut driver, &journal, nothing, 5_000).await.unwrap_err();
    // It came in time, and waited beyond the deadline until it could be decided.
    go_on(&mut driver, &journal, submission(double(), 5_999), 6_500).await.unwrap();
    assert!(driver.table().outcome().is_none());
    let accept = serde_json::json!({ "type": "accept-double", "seat": 1 });
    let late = Act::Game(Input::Play { seat: ONE, command: json(&accept) });
    enter(&mut driver, &journal, late, 12_000).await.unwrap_err();
    assert!(driver.table().outcome().is_some(), "what comes too late comes after the flag");
}
