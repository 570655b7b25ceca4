//! What becomes of one thing that is submitted to a table.

use parlor_games::find;
use parlor_journal::{
    Driver, Effect, Effects, Journal, JournalError, Memory, Outcome, Reader, Submission, Unsettled,
    enter, store,
};
use parlor_rules::{House, Input, Refusal, Seat, json};
use parlor_table::{Act, Clock, Desk, Keys, NewTable, Options, Stamp, TableId, Who};

const SEATS: [Seat; 2] = [Seat::new(0), Seat::new(1)];
const CLOCK: Clock = Clock::PerMove { per_move_ms: 5_000 };

fn id() -> TableId {
    "t-1".parse().unwrap()
}

fn no_effects() -> Effects {
    Box::new(|_, _, _| Vec::new())
}

/// A game of backgammon in which seat 0 may roll or double, since one second after the beginning.
async fn begun(journal: &dyn Journal, effects: Effects) -> Driver {
    let new = NewTable {
        table: id(),
        game: find("backgammon").unwrap(),
        config: serde_json::from_str(r#"{"opening":0}"#).unwrap(),
        seats: 2,
        options: Options { clock: CLOCK, ..Options::default() },
        keys: Keys::from_secret("driver"),
        now_ms: 1_000,
    };
    let table = store::create(journal, new, Vec::new()).await.unwrap();
    let mut driver = Driver::new(table, effects);
    for (seat, account) in SEATS.into_iter().zip(10..) {
        let sit = Desk::Sit { seat, who: Who::Account(account), tip: None };
        submit(&mut driver, journal, Act::Desk(sit), Stamp::default(), 1_000).await.unwrap();
    }
    let begin = Act::Game(Input::House(House::Begin {}));
    submit(&mut driver, journal, begin, Stamp::default(), 1_000).await.unwrap();
    driver
}

async fn submit(
    driver: &mut Driver,
    journal: &dyn Journal,
    act: Act,
    stamp: Stamp,
    now_ms: u64,
) -> Result<(), Refusal> {
    enter(driver, journal, Submission::new(act, stamp, now_ms), &|| now_ms, &mut drop).await
}

fn double() -> Act {
    let command = serde_json::json!({ "type": "propose-double", "seat": 0 });
    Act::Game(Input::Play { seat: SEATS[0], command: json(&command) })
}

fn stamp(id: &str) -> Stamp {
    Stamp { id: Some(id.to_owned()), ..Stamp::default() }
}

/// Takes a chip that account 10 does not have.
fn overdraws() -> Vec<Effect> {
    let (kind, key) = ("chips".to_owned(), "10".to_owned());
    vec![Effect::Add { kind, key, amount: -1, floor: Some(0) }]
}

#[tokio::test]
async fn what_overdraws_is_refused_and_changes_nothing() {
    let journal = Memory::default();
    let effects = |table: &parlor_table::Table, _: &[_], _| match table.head() {
        3 => overdraws(),
        _ => Vec::new(),
    };
    let mut driver = begun(&journal, Box::new(effects)).await;
    let doc = driver.table().doc();
    let refused = submit(&mut driver, &journal, double(), stamp("a"), 2_000).await.unwrap_err();
    assert_eq!((refused.code, &refused.facts["account"]), ("overdrawn", &"10".into()));
    assert!(driver.idle());
    assert_eq!((driver.table().head(), driver.table().doc().get()), (3, doc.get()));
    assert_eq!(journal.head(&id()).await.unwrap().head, 3);
}

#[tokio::test]
async fn what_time_brings_and_cannot_be_stored_holds_nobody_up() {
    let journal = Memory::default();
    let effects = |_: &parlor_table::Table, _: &[_], over| match over {
        true => overdraws(),
        false => Vec::new(),
    };
    let mut driver = begun(&journal, Box::new(effects)).await;
    // The time of seat 0 is up, but the end of the game cannot be stored.
    enter(&mut driver, &journal, Submission::time(9_000), &|| 9_000, &mut drop).await.unwrap();
    assert_eq!(driver.table().head(), 3);
    // What comes is still decided, and gets its own answer.
    let refused = submit(&mut driver, &journal, double(), stamp("a"), 9_000).await.unwrap_err();
    assert_eq!(refused.code, "too_late");
    assert!(driver.idle());
}

#[tokio::test]
async fn a_paused_command_can_be_tried_again_by_its_id_and_is_stored_once() {
    let journal = Memory::default();
    let mut driver = begun(&journal, no_effects()).await;
    journal.pause("the disk is full");
    let refused = submit(&mut driver, &journal, double(), stamp("a"), 2_000).await.unwrap_err();
    assert_eq!((refused.code, refused.text.as_str()), ("paused", "not stored: the disk is full"));
    assert_eq!(driver.table().head(), 3);
    journal.resume();
    submit(&mut driver, &journal, double(), stamp("a"), 60_000).await.unwrap();
    let head = driver.table().head();
    assert_eq!(head, 5, "the pause was forgiven, and then the command stored");
    submit(&mut driver, &journal, double(), stamp("a"), 60_000).await.unwrap();
    assert_eq!((driver.table().head(), journal.head(&id()).await.unwrap().head), (head, head));
}

#[tokio::test]
async fn a_table_whose_log_another_writes_is_stale() {
    let journal = Memory::default();
    let mut driver = begun(&journal, no_effects()).await;
    let table = store::recall(&journal, find, &id(), 2, 2_000, 2_000).await.unwrap();
    let mut other = Driver::new(table, no_effects());
    submit(&mut other, &journal, double(), stamp("a"), 2_000).await.unwrap();
    let refused = submit(&mut driver, &journal, double(), stamp("b"), 2_000).await.unwrap_err();
    assert_eq!(refused.code, "stale");
    // So is one that cannot know what is in the log.
    let mut submission = Submission::new(double(), stamp("c"), 2_000);
    submission.next(&mut driver, 2_000).unwrap().expect("an entry");
    let closed = Err(JournalError::Unsettled("closed".to_owned()));
    assert!(matches!(submission.settle(&mut driver, closed, 2_000), Err(Unsettled::Stale)));
}

#[tokio::test]
#[should_panic(expected = "one entry in flight")]
async fn nothing_is_decided_while_an_entry_is_on_its_way() {
    let mut driver = begun(&Memory::default(), no_effects()).await;
    let mut next = || Submission::new(double(), Stamp::default(), 2_000).next(&mut driver, 2_000);
    next().unwrap().expect("an entry");
    drop(next());
}

#[tokio::test]
async fn nobody_is_told_before_the_entry_is_stored() {
    let journal = Memory::default();
    let mut driver = begun(&journal, no_effects()).await;
    let (head, doc) = (driver.table().head(), driver.table().doc());
    let mut submission = Submission::new(double(), Stamp::default(), 2_000);
    let append = submission.next(&mut driver, 2_000).unwrap().expect("an entry");
    assert_eq!((driver.table().head(), driver.table().doc().get()), (head, doc.get()));
    assert_eq!(journal.append(append).await, Ok(Outcome::Stored));
    assert_eq!(driver.table().head(), head);
    let told = submission.settle(&mut driver, Ok(Outcome::Stored), 2_000).unwrap();
    assert_eq!((driver.table().head(), told.len()), (head + 1, 3), "two seats and a spectator");
    assert!(submission.next(&mut driver, 2_000).unwrap().is_none());
}
