//! A table at which people join, pause, come back and leave all the time.

use parlor_rules::{Chips, Draws, House, Input, Owner, Pending, Rules, Seat, Seeded};
use parlor_rules_poker::seats::{Column, Intent};
use parlor_rules_poker::{Command, Config, Event, Poker, State};
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
                Event::HandBegun { row, .. } => {
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
