//! A table at which people join, pause, come back and leave all the time.

use parlor_rules::{Chips, Draws, House, Input, Owner, Pending, Rules, Seat, Seeded, Viewer};
use parlor_rules_poker::seats::{Column, Intent};
use parlor_rules_poker::{Begun, Command, Config, Event, Poker, Reject, State};
use parlor_testkit::count;

const SEATS: u8 = 9;

/// What somebody says, or the house, or time.
fn input(state: &State, draws: &mut Draws<'_>) -> Input<Command> {
    let pending = Poker::pending(state);
    let seat = Seat::new(draws.below(u32::from(SEATS)) as u8);
    match draws.below(16) {
        0 => Input::House(House::Joined { seat, chips: Chips::whole(10) }),
        1 => Input::House(House::Topped { seat, chips: Chips::whole(5) }),
        2 => {
            let wish = [Intent::Play, Intent::Play, Intent::Wait, Intent::Pause, Intent::Leave];
            let intent = wish[draws.below(5) as usize];
            Input::Play { seat, command: Command::Intent { intent } }
        }
        _ => match pending.asked().first() {
            Some(asked) if draws.below(50) > 0 => {
                let legal = Poker::legal(state, asked.seat);
                let command = Poker::pick(&legal, draws).expect("who is asked can answer");
                Input::Play { seat: asked.seat, command }
            }
            Some(asked) => Input::Expire { seat: Owner::Seat(asked.seat) },
            None => Input::Expire { seat: Owner::Table },
        },
    }
}

fn big_blind(row: &[Column], big: Chips) -> Seat {
    row.iter().find(|column| column.blind == big).expect("there is one").seat
}

#[test]
fn no_chip_is_made_or_lost_and_nobody_posts_the_big_blind_twice_running() {
    let config: Config = serde_json::from_str(
        r#"{"small_blind":0.5,"big_blind":1,"min_buy_in":10,"max_buy_in":100,
            "rake":{"per_10_000":500,"cap":2,"no_flop_no_drop":true}}"#,
    )
    .expect("a config");
    let (mut chance, mut dice) = (Seeded::new("cards"), Seeded::new("people"));
    let (mut draws, mut said) = (Draws::new(&mut chance), Draws::new(&mut dice));
    let mut state = Poker::begin(&config, SEATS, &mut draws).expect("a right config");
    let (mut hands, mut debts, mut raked_hands, mut again) = (0u32, 0u32, 0u32, 0u32);
    let mut began: Vec<Column> = Vec::new();
    let mut last: Option<(Seat, usize)> = None;
    while hands < count(5_000, 100_000) {
        let input = input(&state, &mut said);
        let before = Poker::stake(&state);
        let Ok(events) = Poker::decide(&state, &input, &mut draws) else { continue };
        let mut gained = Chips::ZERO;
        for event in &events {
            gained += Poker::flows(&state, event).iter().map(|flow| flow.gain()).sum();
            Poker::apply(&mut state, event);
            match event {
                Event::HandBegun(Begun { row, .. }) => {
                    let big = big_blind(row, config.big_blind);
                    // Only of two, when the table begins anew, or when whoever else comes back has
                    // too little for it, can it be the same again.
                    let same = last.is_some_and(|(seat, count)| seat == big && count > 2);
                    let able = |column: &&Column| {
                        column.plays() && column.seat != big && column.stack >= config.big_blind
                    };
                    again += u32::from(same && row.len() > 2 && row.iter().any(|c| able(&c)));
                    last = Some((big, row.len()));
                    debts += u32::from(row.iter().any(|column| column.dead > Chips::ZERO));
                    began.clone_from(row);
                }
                Event::HandEnded { stacks, raked } => {
                    hands += 1;
                    raked_hands += u32::from(*raked > Chips::ZERO);
                    let start: Chips = began.iter().map(|column| column.stack + column.dead).sum();
                    let end: Chips = stacks.iter().copied().sum();
                    assert_eq!(start, end + *raked, "hand {hands}");
                }
                // Those who are gone may leave fewer than two, and the next hand begins anew.
                Event::Left { .. } => last = last.filter(|_| false),
                _ => {}
            }
        }
        assert_eq!(before + gained, Poker::stake(&state), "{input:?}");
        assert_ne!(Poker::pending(&state), Pending::Over);
    }
    assert_eq!(again, 0, "somebody posted the big blind twice running");
    assert!(debts > 50 && raked_hands > 500, "{debts} paid debts, {raked_hands} raked");
    println!("{hands} hands, {debts} with debts paid, {raked_hands} raked");
}

/// A table of three in its first hand, with what is said and when.
struct Told {
    state: State,
}

impl Told {
    fn new() -> Self {
        let config = serde_json::from_str(r#"{"max_pause_s":60}"#).expect("a config");
        let mut chance = Seeded::new("told");
        let state = Poker::begin(&config, 6, &mut Draws::new(&mut chance)).expect("a table");
        let mut told = Self { state };
        for seat in 0..3 {
            let chips = Chips::whole(100);
            told.says(Input::House(House::Joined { seat: Seat::new(seat), chips }), 0).unwrap();
        }
        told.says(Input::Expire { seat: Owner::Table }, 3_000).unwrap();
        told
    }

    fn says(&mut self, input: Input<Command>, at_ms: u64) -> Result<Vec<Event>, Reject> {
        let mut chance = Seeded::new("said");
        let events = Poker::decide(&self.state, &input, &mut Draws::new(&mut chance))?;
        for event in &events {
            Poker::apply(&mut self.state, event);
            Poker::stamp(&mut self.state, event, at_ms);
        }
        Ok(events)
    }

    fn wishes(&mut self, seat: u8, intent: Intent, at_ms: u64) -> Result<Vec<Event>, Reject> {
        self.says(Input::Play { seat: Seat::new(seat), command: Command::Intent { intent } }, at_ms)
    }

    fn deadline(&self) -> Option<(u64, u64)> {
        Poker::pending(&self.state).deadline().map(|deadline| (deadline.of, deadline.within_ms))
    }
}

#[test]
fn a_pause_that_is_too_long_ends_the_stay() {
    let mut told = Told::new();
    assert_eq!(told.deadline(), None, "only the actor is waited for");
    let actor = Poker::pending(&told.state).asked()[0].seat;
    let other = (0..3).find(|seat| Seat::new(*seat) != actor).unwrap();
    told.wishes(other, Intent::Pause, 10_000).unwrap();
    let (of, within_ms) = told.deadline().expect("the pause has an end");
    assert_eq!(within_ms, 60_000);
    let call = Input::Play { seat: actor, command: Command::Call {} };
    told.says(call, 30_000).unwrap();
    assert_eq!(told.deadline(), Some((of, 40_000)), "it is the same pause");
    told.wishes(other, Intent::Play, 40_000).unwrap();
    assert_eq!(told.deadline(), None);
    told.wishes(other, Intent::Wait, 50_000).unwrap();
    assert_ne!(told.deadline().map(|(of, _)| of), Some(of), "it is another pause");
    let doc = serde_json::to_value(Poker::doc(&told.state)).unwrap();
    let config = serde_json::from_str(r#"{"max_pause_s":60}"#).unwrap();
    assert_eq!(Poker::load(&config, doc).as_ref(), Ok(&told.state), "and is kept");
    let events = told.says(Input::Expire { seat: Owner::Table }, 110_000).unwrap();
    let seat = Seat::new(other);
    assert_eq!(events[0], Event::Wished { seat, intent: Intent::Leave });
    assert_eq!(told.wishes(other, Intent::Play, 110_001), Err(Reject::Leaving));
}

#[test]
fn chips_bring_back_who_lacked_them_and_nobody_else() {
    let mut told = Told::new();
    let topped = Input::House(House::Topped { seat: Seat::new(0), chips: Chips::whole(10) });
    told.says(Input::House(House::Left { seat: Seat::new(1) }), 4_000).unwrap();
    while let Some(asked) = Poker::pending(&told.state).asked().first().copied() {
        told.says(Input::Play { seat: asked.seat, command: Command::Fold {} }, 5_000).unwrap();
    }
    told.wishes(0, Intent::Leave, 6_000).unwrap();
    assert_eq!(told.says(topped.clone(), 7_000), Err(Reject::Leaving), "that is final");
    let mut doc = serde_json::to_value(Poker::doc(&told.state)).unwrap();
    doc["_short"] = serde_json::json!([1, 0, 0]);
    let config = serde_json::from_str(r#"{"max_pause_s":60}"#).unwrap();
    told.state = Poker::load(&config, doc).unwrap();
    told.says(topped, 7_000).unwrap();
    assert_eq!(told.wishes(0, Intent::Play, 8_000), Err(Reject::NoChange), "in again");
}

#[test]
fn who_pauses_and_returns_in_one_hand_plays_from_the_next_one() {
    let mut told = Told::new();
    let actor = Poker::pending(&told.state).asked()[0].seat;
    let others: Vec<u8> = (0..3).filter(|seat| Seat::new(*seat) != actor).collect();
    told.wishes(others[0], Intent::Pause, 4_000).unwrap();
    told.says(Input::Play { seat: actor, command: Command::Call {} }, 5_000).unwrap();
    told.wishes(others[0], Intent::Play, 6_000).unwrap();
    while let Some(asked) = Poker::pending(&told.state).asked().first().copied() {
        assert_ne!(asked.seat, Seat::new(others[0]), "who sits out is not asked");
        told.says(Input::Expire { seat: Owner::Seat(asked.seat) }, 7_000).unwrap();
    }
}

/// Hands of some players who all fold at once, or bring in: who had the big blind, by hand.
fn big_blinds(config: &str, seats: u8, hands: u64) -> Vec<Seat> {
    let config: Config = serde_json::from_str(config).expect("a config");
    let mut chance = Seeded::new("blinds");
    let mut draws = Draws::new(&mut chance);
    let mut state = Poker::begin(&config, seats, &mut draws).expect("a right config");
    for seat in Seat::all(seats) {
        let joined = House::Joined { seat, chips: Chips::whole(200) };
        Poker::play(&mut state, &Input::House(joined), &mut draws).expect("a free seat");
    }
    let mut had = Vec::new();
    let mut begun = 0;
    while begun < hands {
        let input = match Poker::pending(&state).asked().first() {
            Some(asked) => Input::Expire { seat: Owner::Seat(asked.seat) },
            None => Input::Expire { seat: Owner::Table },
        };
        for event in Poker::play(&mut state, &input, &mut draws).expect("time goes on") {
            if let Event::HandBegun(Begun { row, variant, bomb, .. }) = event {
                begun += 1;
                if variant.has_blinds() && !bomb {
                    had.push(big_blind(&row, config.big_blind));
                }
            }
        }
    }
    had
}

#[test]
fn everyone_has_the_big_blind_in_turn_whatever_comes_between() {
    let free = r#""sit_out_after":0,"max_buy_in":200"#;
    for seats in [2, 3, 4] {
        for config in [
            format!(r#"{{{free},"variants":["NT","F7S"],"variant_lasts":"hand"}}"#),
            format!(r#"{{{free},"variants":["NT","F7S"],"variant_lasts":"orbit"}}"#),
            format!(r#"{{{free},"bomb_every":2,"bomb_ante":3}}"#),
        ] {
            let had = big_blinds(&config, seats, 24);
            let after = |seat: Seat| Seat::new((seat.index() as u8 + 1) % seats);
            assert!(had.len() > 8, "{had:?}");
            for pair in had.windows(2) {
                assert_eq!(pair[1], after(pair[0]), "{seats} seats, {config}: {had:?}");
            }
        }
    }
}

#[test]
fn what_was_said_beforehand_is_about_this_round() {
    let mut told = Told::new();
    let actor = Poker::pending(&told.state).asked()[0].seat;
    told.says(Input::Play { seat: actor, command: Command::Call {} }, 4_000).unwrap();
    let pre = Command::Pre { pre: Some(parlor_rules_poker::Pre::CallAny) };
    told.says(Input::Play { seat: actor, command: pre }, 4_100).unwrap();
    for _ in 0..2 {
        let asked = Poker::pending(&told.state).asked()[0].seat;
        let legal = Poker::legal(&told.state, asked);
        let command = if legal.check { Command::Check {} } else { Command::Call {} };
        told.says(Input::Play { seat: asked, command }, 5_000).unwrap();
    }
    let view = serde_json::to_value(Poker::view(&told.state, Viewer::Seat(actor))).unwrap();
    assert_eq!(view["board"].as_str().map(str::len), Some(6), "the flop is there");
    assert_eq!(view["pre"], serde_json::Value::Null);
}
