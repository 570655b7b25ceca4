//! Checking a log.

use crate::room::{ONE, PENNIES, Room, ZERO, keys};
use parlor_games::find;
use parlor_rules::{Draws, Input, Owner, Pending, Seeded};
use parlor_table::audit::audit;
use parlor_table::{Options, Sealed, Stored, Tail};
use parlor_testkit::pennies::Coin;

/// A finished game of pennies, by time alone.
fn finished() -> Room {
    let mut room = Room::pennies(Options::default());
    room.choose(ZERO, Coin::Heads).unwrap();
    room.choose(ONE, Coin::Tails).unwrap();
    while room.table.outcome().is_none() {
        room.now_ms = room.table.until_ms(Owner::Table).unwrap();
        room.game(Input::Expire { seat: Owner::Table }).unwrap();
    }
    room
}

/// The chain made right again after a change: only what is written can then be wrong.
fn rechain(room: &mut Room) {
    let mut tail = Tail::of_header(&room.header);
    for stored in &mut room.log {
        *stored = tail.write(stored.at_ms, stored.open.clone(), stored.sealed.clone());
        tail = Tail::of_last(stored);
    }
}

fn sealed(stored: &mut Stored) -> &mut String {
    match &mut stored.sealed {
        Sealed::Kept { text, .. } => text,
        Sealed::Erased { .. } => panic!("it is kept"),
    }
}

#[test]
fn a_whole_log_is_decided_again_and_its_chance_checked() {
    let room = finished();
    let report = audit(&PENNIES, &room.header, &room.log, None).unwrap();
    let entries = room.log.len() as u64;
    assert_eq!((report.entries, report.decided, report.unchecked), (entries, entries, 0));
    assert!(report.draws > 0, "the secret is told at the end: {report:?}");
}

#[test]
fn random_games_of_backgammon_pass() {
    let game = find("backgammon").unwrap();
    for seed in 0..parlor_testkit::count(5, 200) {
        let mut room = Room::of(game, r#"{"match":2}"#, Options::default());
        let mut chance = Seeded::new(&seed.to_string());
        while *room.table.pending() != Pending::Over {
            let pending = room.table.pending();
            let input = match pending.asked().first() {
                None => {
                    room.now_ms = room.table.until_ms(Owner::Table).unwrap();
                    Input::Expire { seat: Owner::Table }
                }
                Some(asked) => {
                    let state = game.load(&room.table.header().config, &room.table.doc()).unwrap();
                    let legal = state.legal(asked.seat);
                    let command = legal.pick(&mut Draws::new(&mut chance)).unwrap();
                    Input::Play { seat: asked.seat, command }
                }
            };
            room.game(input).unwrap();
        }
        let report = audit(game, &room.header, &room.log, None).unwrap();
        assert_eq!(report.decided, room.log.len() as u64);
        assert!(report.draws >= 2, "at least the opening roll");
    }
}

#[test]
fn the_first_wrong_entry_is_named() {
    let clean = finished();
    for place in 0..clean.log.len() {
        let mut room = finished();
        room.log[place].open.push(' ');
        let wrong = audit(&PENNIES, &room.header, &room.log, None).unwrap_err();
        assert_eq!(wrong.seq, Some(place as u64));
    }
    let mut room = finished();
    room.log.remove(3);
    assert_eq!(audit(&PENNIES, &room.header, &room.log, None).unwrap_err().seq, Some(4));
    let header = room.header.replace("\"wins\":3", "\"wins\":9") + " ";
    assert_eq!(audit(&PENNIES, &header, &room.log, None).unwrap_err().seq, Some(0));
}

#[test]
fn a_forged_choice_is_found_even_if_the_chain_is_made_right_again() {
    let mut room = finished();
    let place = (0..room.log.len()).find(|i| sealed(&mut room.log[*i]).contains("heads")).unwrap();
    let forged = sealed(&mut room.log[place]).replace("heads", "tails");
    *sealed(&mut room.log[place]) = forged;
    rechain(&mut room);
    let wrong = audit(&PENNIES, &room.header, &room.log, None).unwrap_err();
    assert!(wrong.seq.unwrap() >= place as u64, "{wrong}");
}

#[test]
fn a_draw_that_the_secret_does_not_give_is_found() {
    let mut room = finished();
    let place =
        (0..room.log.len()).find(|i| sealed(&mut room.log[*i]).contains("\"draws\":[1")).unwrap();
    let forged = sealed(&mut room.log[place]).replacen("\"draws\":[1", "\"draws\":[0", 1);
    *sealed(&mut room.log[place]) = forged;
    rechain(&mut room);
    let wrong = audit(&PENNIES, &room.header, &room.log, None).unwrap_err();
    assert_eq!(wrong.seq, Some(place as u64));
    assert!(wrong.why.contains("drawn"), "{wrong}");
}

/// A log with one entry changed by hand and the chain made right again.
fn forged(place: usize, change: impl Fn(&mut Stored)) -> Option<u64> {
    let mut room = finished();
    change(&mut room.log[place]);
    rechain(&mut room);
    audit(&PENNIES, &room.header, &room.log, Some(keys())).err().and_then(|wrong| wrong.seq)
}

#[test]
fn what_the_table_would_not_have_written_is_found() {
    let count = finished().log.len();
    let last = count - 1;
    // A time, alone and together with what was written of it.
    assert_eq!(forged(5, |stored| stored.at_ms += 1), Some(5));
    let early = |stored: &mut Stored| {
        stored.open = stored.open.replace(&format!("\"at_ms\":{}", stored.at_ms), "\"at_ms\":1001");
        stored.at_ms = 1_001;
    };
    assert_eq!(forged(last, early), Some(last as u64), "a deadline that had not passed");
    // Events in an entry that has none.
    let won = |stored: &mut Stored| {
        stored.open = stored.open.replace("}}}}", "}}}},\"events\":[{\"type\":\"ended\"}]");
    };
    assert_eq!(forged(0, won), Some(0));
    // A chair that is not there, and the secret that is not told.
    let seat = |stored: &mut Stored| stored.open = stored.open.replace("\"seat\":0", "\"seat\":9");
    assert_eq!(forged(0, seat), Some(0));
    let secret = keys().dice.to_string();
    let silent = |stored: &mut Stored| {
        stored.open = stored.open.replace(&format!(",\"secret\":\"{secret}\""), "");
    };
    assert_eq!(forged(last, silent), Some(last as u64));
    // An id that stands twice, a mark of chance that is not where chance is.
    let id =
        |stored: &mut Stored| *sealed(stored) = sealed(stored).replacen('{', "{\"id\":\"a\",", 1);
    assert_eq!(forged(5, id), None, "an id may be any");
    let mark = |stored: &mut Stored| {
        *sealed(stored) = sealed(stored).replace("\"draws\":", "\"Draws\":");
    };
    assert_eq!(forged(last, mark), Some(last as u64));
}

#[test]
fn a_log_with_its_sealed_parts_erased_still_checks() {
    let mut room = finished();
    for stored in &mut room.log {
        stored.sealed = stored.sealed.erased();
    }
    let entries = room.log.len() as u64;
    let report = audit(&PENNIES, &room.header, &room.log, None).unwrap();
    // Up to the first hidden choice everything is open: two sit, it begins, two join.
    let (decided, unchecked) = (5, entries - 5);
    assert_eq!((report.entries, report.decided, report.unchecked), (entries, decided, unchecked));
    assert_eq!(report.digest, room.log.last().unwrap().digest);
}

#[test]
fn another_secret_than_the_one_committed_to_is_found() {
    let mut room = finished();
    let last = room.log.len() - 1;
    let told = keys().dice.to_string();
    assert!(room.log[last].open.contains(&told));
    room.log[last].open = room.log[last].open.replace(&told, &"0".repeat(64));
    rechain(&mut room);
    let wrong = audit(&PENNIES, &room.header, &room.log, None).unwrap_err();
    assert_eq!((wrong.seq, wrong.why.contains("committed")), (None, true));
}

#[test]
fn what_was_never_hidden_is_decided_again_without_the_sealed_parts() {
    let game = find("backgammon").unwrap();
    let mut room = Room::of(game, r#"{"opening":0}"#, Options::default());
    let roll = parlor_rules::json(&serde_json::json!({ "type": "roll", "seat": 0 }));
    room.game(Input::Play { seat: ZERO, command: roll }).unwrap();
    room.house(parlor_rules::House::Close {});
    for stored in &mut room.log {
        stored.sealed = stored.sealed.erased();
    }
    let report = audit(game, &room.header, &room.log, None).unwrap();
    assert_eq!((report.decided, report.draws, report.unchecked), (room.log.len() as u64, 2, 0));
    // Other dice, the chain made right again.
    let open = &mut room.log[3].open;
    let at = open.find("\"dice\":[").unwrap() + "\"dice\":[".len();
    let other = if open.as_bytes()[at] == b'6' { "5" } else { "6" };
    open.replace_range(at..=at, other);
    rechain(&mut room);
    let wrong = audit(game, &room.header, &room.log, None).unwrap_err();
    assert_eq!(wrong.seq, Some(3), "{wrong}");
    let mut late = Room::of(game, r#"{"opening":0}"#, Options::default());
    late.log[2].sealed = late.log[2].sealed.erased();
    late.log[2].at_ms += 1;
    let wrong = audit(game, &late.header, &late.log, None).unwrap_err();
    assert_eq!(wrong.why, "its time is not the one that was written");
}
