//! Chance that everyone adds to and anyone can check, through a table.

use crate::room::{ONE, Room, ZERO, chain, keys};
use parlor_games::find;
use parlor_rules::{Chips, Erased, House, Input, Owner, Pending, Seat, Viewer, json};
use parlor_table::act::Open;
use parlor_table::audit::audit;
use parlor_table::fair::{draw, root};
use parlor_table::proof::prove;
use parlor_table::{Act, Bytes32, Desk, Eyes, Options, Stamp, Table, Tail, Who};
use parlor_testkit::highcard::{Command, HighCard};
use serde_json::{Value, json as value};

static HIGH_CARD: Erased<HighCard> = Erased::new();

fn command(seat: Seat, command: Value) -> Act {
    Act::Game(Input::Play { seat, command: json(&command) })
}

#[test]
fn a_roll_depends_on_what_its_roller_adds() {
    let game = find("backgammon").unwrap();
    let rolled = |adds: bool| {
        let mut room = Room::of(game, r#"{"opening":0}"#, Options::default());
        let link = chain(ZERO).release().unwrap();
        let stamp = Stamp { contribution: adds.then_some(link), ..Stamp::default() };
        room.enter(command(ZERO, value!({"type":"roll","seat":0})), &stamp).unwrap();
        let given = if adds { link } else { Bytes32([0; 32]) };
        let dice = [0, 1].map(|n| {
            draw(&keys().dice, &"t-1".parse().unwrap(), n, &[given, Bytes32([0; 32])], 6) + 1
        });
        let open = room.log.last().unwrap().open.clone();
        assert!(open.contains(&format!("\"dice\":[{},{}]", dice[0], dice[1])), "{open}");
        room
    };
    rolled(false);
    let room = rolled(true);
    let report = audit(game, &room.header, &room.log, Some(keys())).unwrap();
    assert_eq!(report.draws, 2);
    let recovered = Table::recover(game, &room.header, keys(), &room.log, 1, 0).unwrap();
    assert_eq!(recovered.snapshot(), room.table.snapshot());
}

#[test]
fn nobody_adds_what_is_not_the_next_link_of_their_chain() {
    let game = find("backgammon").unwrap();
    let mut room = Room::of(game, r#"{"opening":0}"#, Options::default());
    let roll = || command(ZERO, value!({"type":"roll","seat":0}));
    let mut add =
        |link| room.enter(roll(), &Stamp { contribution: Some(link), ..Stamp::default() });
    assert_eq!(add(Bytes32([9; 32])).unwrap_err(), "wrong_link");
    assert_eq!(add(chain(ONE).release().unwrap()).unwrap_err(), "wrong_link");
    let mut own = chain(ZERO);
    own.release();
    assert_eq!(add(own.release().unwrap()).unwrap_err(), "wrong_link", "not one after the next");
    assert!(add(chain(ZERO).release().unwrap()).is_ok());
}

/// The roots a log has told, in order.
fn roots(room: &Room) -> Vec<Bytes32> {
    room.table.header().root.into_iter().chain(opened(room).filter_map(|open| open.root)).collect()
}

fn opened(room: &Room) -> impl Iterator<Item = Open<'_>> {
    room.log.iter().map(|stored| serde_json::from_str(&stored.open).unwrap())
}

#[test]
fn another_deck_than_the_one_committed_to_is_found_without_any_secret() {
    let mut room = Room::of(&HIGH_CARD, "{}", Options::default());
    for seat in [ZERO, ONE] {
        room.house(House::Joined { seat, chips: Chips::whole(20) });
    }
    room.now_ms = room.table.until_ms(Owner::Table).expect("the first deal has its time");
    room.game(Input::Expire { seat: Owner::Table }).unwrap();
    let mut tail = Tail::of_header(&room.header);
    for stored in &mut room.log {
        let mut open: Open = serde_json::from_str(&stored.open).unwrap();
        if let Some(first) = open.commitments.first_mut() {
            first.0[0] ^= 1;
        }
        let open = json(&open).get().to_owned();
        *stored = tail.write(stored.at_ms, open, stored.sealed.erased());
        tail = Tail::of_last(stored);
    }
    let wrong = audit(&HIGH_CARD, &room.header, &room.log, None).unwrap_err();
    assert_eq!(wrong.why, "its deck is not the one that was committed to");
    assert_eq!(wrong.seq, Some(room.log.len() as u64 - 1));
}

#[test]
fn every_card_seen_is_proved_and_no_other_is_shown() {
    let mut room = Room::of(&HIGH_CARD, "{}", Options::default());
    let mut chains = [chain(ZERO), chain(ONE)];
    for seat in [ZERO, ONE] {
        room.house(House::Joined { seat, chips: Chips::whole(20) });
    }
    let mut hands = 0;
    while *room.table.pending() != Pending::Over && hands < 4 {
        let told = roots(&room);
        let root = room.table.chance().next_root().unwrap();
        assert_eq!(told.last(), Some(&root), "the root is told before anyone adds to the cut");
        for (seat, chain) in [ZERO, ONE].into_iter().zip(&mut chains) {
            let link = chain.release().unwrap();
            room.desk(Desk::Release { seat, link }).unwrap();
        }
        room.now_ms = room.table.until_ms(Owner::Table).expect("the next deal has its time");
        room.game(Input::Expire { seat: Owner::Table }).unwrap();
        hands += 1;
        let own = room.table.proof(Viewer::Seat(ZERO)).unwrap();
        assert_eq!((own.check(), own.root, own.hand), (Ok(()), root, hands));
        assert_eq!(own.openings.len(), 2, "its own two cards");
        let watched = room.table.proof(Viewer::Watcher).unwrap();
        assert_eq!(watched.openings.len(), 0);

        room.game(Input::Play { seat: ZERO, command: json(&Command::Stay) }).unwrap();
        room.game(Input::Play { seat: ONE, command: json(&Command::Fold) }).unwrap();
        let watched = room.table.proof(Viewer::Watcher).unwrap();
        assert_eq!(watched.check(), Ok(()));
        let shown: Vec<u32> = watched.openings.iter().map(|opening| opening.k).collect();
        assert!(shown.len() < 5, "folded cards are never shown: {shown:?}");
    }
    assert!(hands >= 2);
    let proof =
        prove(&HIGH_CARD, &room.header, keys(), &room.log, Eyes::Of(Viewer::Watcher)).unwrap();
    assert_eq!(proof.hands.len() as u64, hands);
    assert!(proof.hands.iter().all(|hand| hand.check().is_ok() && !hand.openings.is_empty()));
    assert_eq!(
        proof.chains.iter().map(|chain| chain.released.len() as u64).sum::<u64>(),
        2 * hands
    );
    assert!(proof.chains.iter().all(|chain| chain.check().is_ok()));
    assert_eq!(proof.dice, None, "the secret of the dice is told at the end");
    let commitments: Vec<_> = opened(&room).filter(|open| !open.commitments.is_empty()).collect();
    let told: Vec<_> = commitments.iter().map(|open| root(&open.commitments)).collect();
    assert_eq!(told[..], roots(&room)[..told.len()], "every deck is the one committed to before");
    let mut public = room.log.clone();
    public.iter_mut().for_each(|stored| stored.sealed = stored.sealed.erased());
    assert_eq!(
        audit(&HIGH_CARD, &room.header, &public, None).unwrap().unchecked,
        public.len() as u64
    );
    let report = audit(&HIGH_CARD, &room.header, &room.log, Some(keys())).unwrap();
    assert_eq!((report.unchecked, report.draws), (0, hands * 5));
    let recovered = Table::recover(&HIGH_CARD, &room.header, keys(), &room.log, 1, 0).unwrap();
    assert_eq!(recovered.snapshot(), room.table.snapshot());
}

#[test]
fn who_takes_a_chair_proves_no_cards_of_who_sat_there_before() {
    let mut room = Room::of(&HIGH_CARD, "{}", Options::default());
    for seat in [ZERO, ONE] {
        room.house(House::Joined { seat, chips: Chips::whole(20) });
    }
    let deal = |room: &mut Room| {
        room.now_ms = room.table.until_ms(Owner::Table).expect("the next deal has its time");
        room.game(Input::Expire { seat: Owner::Table }).unwrap();
    };
    let fold = |seat| Input::Play { seat, command: json(&Command::Fold) };
    deal(&mut room);
    room.game(fold(ZERO)).unwrap();
    room.game(Input::Play { seat: ONE, command: json(&Command::Stay) }).unwrap();
    room.house(House::Left { seat: ZERO });
    room.desk(Desk::Rise { seat: ZERO }).unwrap();
    room.desk(Desk::Sit { seat: ZERO, who: Who::Account(12), tip: None }).unwrap();
    room.house(House::Joined { seat: ZERO, chips: Chips::whole(20) });
    deal(&mut room);
    room.game(fold(ZERO)).unwrap();

    let hands = |eyes| prove(&HIGH_CARD, &room.header, keys(), &room.log, eyes).unwrap().hands;
    let watched = hands(Eyes::of(None));
    // What somebody has proved of each hand that a watcher has not.
    let own = |eyes| {
        let pairs = hands(eyes).into_iter().zip(&watched);
        let more = pairs.map(|(own, seen)| own.openings.len() - seen.openings.len());
        more.collect::<Vec<_>>()
    };
    assert_eq!(own(Eyes::Of(Viewer::Seat(ZERO))), [2, 2], "of the chair");
    assert_eq!(own(Eyes::Account(10)), [2, 0], "of who was there first");
    assert_eq!(own(Eyes::Account(12)), [0, 2], "of who came then");
    assert_eq!(own(Eyes::Account(13)), [0, 0], "of who never was");
}
