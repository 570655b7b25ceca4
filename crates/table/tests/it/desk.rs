//! Chairs, clocks, presence and watchers.

use crate::room::{ONE, PENNIES, Room, ZERO, choose};
use parlor_games::find;
use parlor_rules::{House, Input, Json, Owner, Pending, Seat, Viewer, json};
use parlor_table::{Act, Chair, Clock, Desk, Options, Stamp, Submitted, Who};
use parlor_testkit::pennies::Coin;
use serde_json::{Value, json as value};

fn expire(owner: Owner) -> Input<Json> {
    Input::Expire { seat: owner }
}

fn backgammon(options: Options) -> Room {
    Room::of(find("backgammon").unwrap(), r#"{"opening":0}"#, options)
}

fn say(seat: Seat, command: Value) -> Input<Json> {
    let mut command = command;
    command["seat"] = json_seat(seat);
    Input::Play { seat, command: json(&command) }
}

fn json_seat(seat: Seat) -> Value {
    serde_json::to_value(seat).unwrap()
}

fn outcome(room: &Room) -> Value {
    let outcome = room.table.outcome().expect("the game is over");
    serde_json::from_str(outcome.get()).unwrap()
}

#[test]
fn a_chair_is_open_reserved_or_taken() {
    let mut room = Room::of(&PENNIES, "{}", Options::default());
    let sit = |account| Desk::Sit { seat: ZERO, who: Who::Account(account), tip: None };
    assert_eq!(room.desk(sit(12)).unwrap_err(), "seat_taken");
    room.desk(Desk::Rise { seat: ZERO }).unwrap();
    assert_eq!(room.table.chairs()[0], Chair::Open);
    room.desk(Desk::Reserve { seat: ZERO, account: 12 }).unwrap();
    assert_eq!(room.desk(sit(13)).unwrap_err(), "seat_reserved");
    assert_eq!(room.choose(ZERO, Coin::Heads).unwrap_err(), "nobody_there");
    room.desk(sit(12)).unwrap();
    assert_eq!(room.table.chairs()[0], Chair::Taken(Who::Account(12)));
    let nowhere = Desk::Rise { seat: Seat::new(7) };
    assert_eq!(room.desk(nowhere).unwrap_err(), "no_such_seat");
}

#[test]
fn a_game_is_over_once() {
    let mut room = Room::of(&PENNIES, "{}", Options::default());
    let mut ends = |act: Act| match room.table.submit(act, &Stamp::default(), room.now_ms).unwrap()
    {
        Submitted::Entry(pending) => {
            let over = pending.over;
            room.table.commit(*pending).unwrap();
            over
        }
        Submitted::Again { .. } => panic!("nothing is said twice"),
    };
    assert!(!ends(Act::Desk(Desk::Pause {})));
    assert!(ends(Act::Game(Input::House(House::Close {}))));
    // What is still written down afterwards does not end it again.
    assert!(!ends(Act::Desk(Desk::Rise { seat: ZERO })));
}

#[test]
fn a_clock_that_runs_out_loses_at_backgammon_and_not_before() {
    let clock = Clock::Game { reserve_ms: 10_000, increment_ms: 0, delay_ms: 2_000 };
    let mut room = backgammon(Options { clock, ..Options::default() });
    room.now_ms += 11_999;
    assert_eq!(room.game(expire(Owner::Seat(ZERO))).unwrap_err(), "too_early");
    assert_eq!(room.game(expire(Owner::Seat(ONE))).unwrap_err(), "no_deadline");
    assert!(room.pass(0).is_empty());
    let done = room.pass(1);
    assert_eq!(done.len(), 1);
    assert_eq!(outcome(&room)["winner"], 1);
    assert_eq!(outcome(&room)["reason"], "timeout");
}

#[test]
fn a_turn_in_several_steps_is_one_turn_of_the_clock() {
    let clock = Clock::PerMove { per_move_ms: 10_000 };
    let mut room = backgammon(Options { clock, ..Options::default() });
    let until = room.table.until_ms(Owner::Seat(ZERO));
    room.now_ms += 4_000;
    room.game(say(ZERO, value!({"type":"roll"}))).unwrap();
    assert_eq!(room.table.until_ms(Owner::Seat(ZERO)), until);
}

#[test]
fn a_deadline_of_the_table_is_not_moved_by_a_hidden_choice() {
    let mut room = Room::pennies(Options::default());
    let until = room.table.until_ms(Owner::Table).unwrap();
    room.now_ms += 4_000;
    room.choose(ZERO, Coin::Heads).unwrap();
    assert_eq!(room.table.until_ms(Owner::Table), Some(until));
    assert_eq!(room.table.next_ms(), Some(until));
    room.choose(ONE, Coin::Heads).unwrap();
    assert_eq!(room.table.until_ms(Owner::Table), Some(room.now_ms + 10_000), "a new round");
}

#[test]
fn nobody_sees_on_a_clock_whether_the_other_has_chosen() {
    let clock = Clock::PerMove { per_move_ms: 9_000 };
    let seen = |first: bool| {
        let mut room = Room::pennies(Options { clock, ..Options::default() });
        if first {
            room.choose(ZERO, Coin::Heads).unwrap();
        }
        room.table.current(Viewer::Seat(ONE)).map(|update| json(&update).get().to_owned())
    };
    assert_eq!(seen(true), seen(false));
}

#[test]
fn time_while_the_server_was_down_is_not_charged() {
    let clock = Clock::Game { reserve_ms: 10_000, increment_ms: 0, delay_ms: 0 };
    let mut room = backgammon(Options { clock, ..Options::default() });
    room.now_ms += 3_000;
    // Down for an hour, twice.
    for _ in 0..2 {
        let alive_ms = room.now_ms;
        room.now_ms += 3_600_000;
        room.table = room.recovered_as(find("backgammon").unwrap());
        room.table.woke(alive_ms, room.now_ms);
        assert_eq!(room.pass(0).len(), 2, "it resumes, and waits for somebody to come");
        room.table.back(ZERO);
        room.pass(0);
        assert_eq!(room.table.until_ms(Owner::Seat(ZERO)), Some(room.now_ms + 7_000));
    }
    assert!(room.pass(6_999).is_empty());
}

#[test]
fn a_loss_that_the_rules_do_not_want_is_not_told_them_again() {
    // Nobody has joined the game yet, so nobody can leave it.
    let options = Options { disconnect_grace_ms: Some(5_000), ..Options::default() };
    let mut room = Room::of(&PENNIES, "{}", options);
    room.table.gone(ZERO, room.now_ms);
    room.now_ms += 5_000;
    let (act, stamp) = room.table.due(room.now_ms).unwrap();
    assert_eq!(room.enter(act, &stamp).unwrap_err(), "seat_empty");
    assert!(room.table.due(room.now_ms).is_none());
    room.table.gone(ONE, room.now_ms);
    assert!(matches!(room.pass(0)[..], [Act::Desk(Desk::Pause {})]));
    assert!(room.pass(599_999).is_empty(), "the table waits from when the last one went");
    assert!(matches!(room.pass(1)[..], [Act::Game(Input::House(House::Close {}))]));
}

#[test]
fn who_sits_down_does_not_inherit_an_absence() {
    let options = Options { disconnect_grace_ms: Some(5_000), ..Options::default() };
    let mut room = backgammon(options);
    room.table.gone(ZERO, room.now_ms);
    room.desk(Desk::Rise { seat: ZERO }).unwrap();
    room.now_ms += 4_000;
    room.desk(Desk::Sit { seat: ZERO, who: Who::Account(12), tip: None }).unwrap();
    assert!(room.pass(60_000).is_empty());
}

#[test]
fn a_pause_and_its_end_are_told() {
    let clock = Clock::PerMove { per_move_ms: 10_000 };
    let mut room = backgammon(Options { clock, ..Options::default() });
    for (desk, paused) in [(Desk::Pause {}, true), (Desk::GoOn {}, false)] {
        room.now_ms += 1_000;
        let updates = room.desk(desk).unwrap();
        assert_eq!(updates.len(), 3);
        for update in updates {
            assert_eq!(update.paused, paused);
            assert_eq!(update.clocks[0].until_ms.is_none(), paused);
        }
    }
}

#[test]
fn options_at_their_limits_do_no_harm() {
    let most = u64::MAX;
    let options = Options {
        clock: Clock::Game { reserve_ms: most, increment_ms: most, delay_ms: most },
        disconnect_grace_ms: Some(most),
        abandon_after_s: most,
        watch_delay_ms: most,
    };
    let mut room = backgammon(options);
    room.game(say(ZERO, value!({"type":"roll"}))).unwrap();
    for seat in [ZERO, ONE] {
        room.table.gone(seat, room.now_ms);
    }
    assert!(room.pass(1 << 60).len() < 3);
    assert!(room.table.late(most - 1).is_empty());
}

#[test]
fn a_restart_does_not_show_watchers_what_they_are_to_see_later() {
    let mut room = Room::pennies(Options { watch_delay_ms: 3_000, ..Options::default() });
    room.now_ms += 4_000;
    room.table.late(room.now_ms);
    let before = room.table.current(Viewer::Watcher).unwrap().view;
    room.choose(ZERO, Coin::Heads).unwrap();
    room.choose(ONE, Coin::Heads).unwrap();
    room.table = room.recovered();
    let after = room.table.current(Viewer::Watcher).unwrap().view;
    assert_eq!(after.get(), before.get());
    assert_eq!(room.table.late(room.now_ms + 2_999).len(), 0);
    room.table.late(room.now_ms + 3_000);
    let later = room.table.current(Viewer::Watcher).unwrap().view;
    assert_ne!(later.get(), before.get());
}

#[test]
fn someone_who_is_gone_longer_than_the_grace_is_gone_for_good() {
    let options = Options { disconnect_grace_ms: Some(5_000), ..Options::default() };
    let mut room = backgammon(options.clone());
    room.table.gone(ONE, room.now_ms);
    assert!(room.pass(4_999).is_empty());
    room.table.back(ONE);
    assert!(room.pass(60_000).is_empty(), "coming back is no input");
    room.table.gone(ONE, room.now_ms);
    assert_eq!(room.table.next_ms(), Some(room.now_ms + 5_000));
    room.pass(5_000);
    assert_eq!(
        (&outcome(&room)["winner"], &outcome(&room)["reason"]),
        (&value!(0), &value!("left"))
    );
}

#[test]
fn while_everyone_is_gone_nobody_loses_to_someone_who_is_absent_too() {
    let options = Options { disconnect_grace_ms: Some(5_000), ..Options::default() };
    let mut room = backgammon(options);
    room.table.gone(ONE, room.now_ms);
    room.now_ms += 4_000;
    room.table.gone(ZERO, room.now_ms);
    assert!(matches!(room.pass(0)[..], [Act::Desk(Desk::Pause {})]));
    assert!(room.pass(60_000).is_empty());
    room.table.back(ZERO);
    room.pass(0);
    assert_eq!(outcome(&room)["winner"], 0, "the first who is back finds the other gone");
}

#[test]
fn who_is_gone_from_a_table_with_the_house_has_left_it() {
    let options = Options { disconnect_grace_ms: Some(5_000), ..Options::default() };
    let mut room = backgammon(options);
    room.desk(Desk::Rise { seat: ONE }).unwrap();
    room.desk(Desk::Sit { seat: ONE, who: Who::Bot("house".to_owned()), tip: None }).unwrap();
    room.table.gone(ZERO, room.now_ms);
    room.pass(5_000);
    assert_eq!(outcome(&room)["winner"], 1);
}

#[test]
fn without_a_grace_the_clock_of_who_is_gone_runs_on() {
    let clock = Clock::PerMove { per_move_ms: 10_000 };
    let mut room = backgammon(Options { clock, ..Options::default() });
    room.table.gone(ZERO, room.now_ms);
    assert!(room.pass(9_999).is_empty());
    room.pass(1);
    assert_eq!(outcome(&room)["reason"], "timeout");
}

#[test]
fn clocks_stand_still_while_everyone_is_gone() {
    let clock = Clock::PerMove { per_move_ms: 10_000 };
    let mut room = backgammon(Options { clock, ..Options::default() });
    room.now_ms += 4_000;
    room.table.gone(ZERO, room.now_ms);
    room.table.gone(ONE, room.now_ms);
    assert_eq!(room.pass(0).len(), 1, "a pause");
    assert!(room.pass(500_000).is_empty());
    room.table.back(ONE);
    assert_eq!(room.pass(0).len(), 1, "it goes on");
    assert_eq!(room.table.until_ms(Owner::Seat(ZERO)), Some(room.now_ms + 6_000));
}

#[test]
fn a_table_that_everyone_has_left_is_closed() {
    let mut room = backgammon(Options { abandon_after_s: 600, ..Options::default() });
    room.table.gone(ZERO, room.now_ms);
    room.table.gone(ONE, room.now_ms);
    room.pass(0);
    assert!(room.pass(599_999).is_empty());
    room.pass(1);
    assert_eq!(outcome(&room)["reason"], "closed");
    assert_eq!(*room.table.pending(), Pending::Over);
    assert_eq!(room.table.next_ms(), None);
}

#[test]
fn a_stop_of_the_server_is_no_disconnect() {
    // Pennies hears of a closed connection at once.
    let mut room = Room::pennies(Options::default());
    room.table = room.recovered();
    let done = room.pass(0);
    assert!(matches!(done[..], [Act::Desk(Desk::Pause {})]), "{done:?}");
    room.table.back(ZERO);
    let done = room.pass(0);
    assert!(matches!(done[..], [Act::Desk(Desk::GoOn {})]), "{done:?}");
    room.table.back(ONE);
    room.table.gone(ZERO, room.now_ms);
    let done = room.pass(0);
    assert!(matches!(done[0], Act::Game(Input::House(House::Left { seat })) if seat == ZERO));
}

#[test]
fn watchers_may_be_behind() {
    let mut room = Room::pennies(Options { watch_delay_ms: 30_000, ..Options::default() });
    let before = json(&room.table.current(Viewer::Watcher)).get().to_owned();
    room.table.late(room.now_ms + 30_000);
    let seated = json(&room.table.current(Viewer::Watcher)).get().to_owned();
    assert_ne!(before, seated);
    room.now_ms += 1;
    room.choose(ZERO, Coin::Heads).unwrap();
    let updates = room.choose(ONE, Coin::Heads).unwrap();
    assert!(updates.iter().all(|update| update.audience != Viewer::Watcher));
    assert!(room.table.late(room.now_ms + 29_999).is_empty());
    assert_eq!(json(&room.table.current(Viewer::Watcher)).get(), seated);
    let late = room.table.late(room.now_ms + 30_000);
    assert_eq!(late.len(), 1);
    assert_eq!(room.table.current(Viewer::Watcher).unwrap().seq, late[0].seq);
}

#[test]
fn a_command_of_the_wrong_kind_is_refused_like_everywhere() {
    let mut room = Room::pennies(Options::default());
    let input = Input::Play { seat: ZERO, command: json(&value!({"choose":"edge"})) };
    assert_eq!(room.game(input).unwrap_err(), "malformed");
    assert_eq!(room.game(choose(Seat::new(9), Coin::Heads)).unwrap_err(), "no_such_seat");
}

#[test]
fn who_never_comes_back_after_a_restart_is_gone_for_good() {
    let options = Options { disconnect_grace_ms: Some(5_000), ..Options::default() };
    let mut room = backgammon(options);
    room.table = room.recovered_as(find("backgammon").unwrap());
    assert!(matches!(room.pass(0)[..], [Act::Desk(Desk::Pause {})]), "nobody is there yet");
    assert!(room.pass(70_000).is_empty(), "nobody loses to someone who is absent too");
    room.table.back(ZERO);
    let left = room.pass(0);
    assert!(
        matches!(left[..], [Act::Game(Input::House(House::Left { seat: ONE })), ..]),
        "{left:?}"
    );
}

#[test]
fn ids_belong_to_people_and_not_to_chairs() {
    let mut room = Room::pennies(Options::default());
    let once = Stamp { id: Some("1".to_owned()), ..Stamp::default() };
    let sit = |seat, account| Desk::Sit { seat, who: Who::Account(account), tip: None };
    // Two people, each with an id of their own that is the same.
    for seat in [ZERO, ONE] {
        room.desk(Desk::Rise { seat }).unwrap();
    }
    room.enter(Act::Desk(sit(ZERO, 20)), &once).unwrap();
    room.enter(Act::Desk(sit(ONE, 21)), &once).unwrap();
    let again = room.enter(Act::Desk(sit(ONE, 21)), &once).unwrap();
    assert!(again.is_empty(), "sent twice, decided once");
    // Another person on the same chair is not answered with what the one before did.
    let move_1 = Stamp { id: Some("m1".to_owned()), ..Stamp::default() };
    room.enter(Act::Game(choose(ONE, Coin::Heads)), &move_1).unwrap();
    room.choose(ZERO, Coin::Heads).unwrap();
    room.desk(Desk::Rise { seat: ONE }).unwrap();
    room.desk(sit(ONE, 22)).unwrap();
    let entries = room.log.len();
    room.enter(Act::Game(choose(ONE, Coin::Tails)), &move_1).unwrap();
    assert_eq!(room.log.len(), entries + 1);
}

#[test]
fn what_changes_nothing_at_the_desk_is_refused() {
    let mut room = Room::pennies(Options::default());
    let code = |room: &mut Room, desk| room.desk(desk).unwrap_err();
    assert_eq!(code(&mut room, Desk::GoOn {}), "not_paused");
    room.desk(Desk::Pause {}).unwrap();
    assert_eq!(code(&mut room, Desk::Pause {}), "paused_already");
    room.desk(Desk::GoOn {}).unwrap();
    for alive_ms in [0, room.now_ms, room.now_ms + 1] {
        assert_eq!(code(&mut room, Desk::Resume { alive_ms }), "nothing_to_forgive");
    }
    room.desk(Desk::Rise { seat: ZERO }).unwrap();
    let link = crate::room::chain(ZERO).release().unwrap();
    assert_eq!(code(&mut room, Desk::Release { seat: ZERO, link }), "nobody_there");
}

#[test]
fn what_comes_after_a_deadline_is_too_late() {
    let mut room = Room::pennies(Options::default());
    let until_ms = room.table.until_ms(Owner::Table).unwrap();
    room.now_ms = until_ms;
    assert_eq!(room.choose(ZERO, Coin::Heads).unwrap_err(), "too_late");
    room.now_ms = until_ms - 1;
    room.choose(ZERO, Coin::Heads).unwrap();
    let clock = Clock::PerMove { per_move_ms: 10_000 };
    let mut room = backgammon(Options { clock, ..Options::default() });
    room.now_ms += 10_000;
    assert_eq!(room.game(say(ZERO, value!({"type":"roll"}))).unwrap_err(), "too_late");
}
