//! A table served live and a table driven by documents give the same hands.

use parlor_phh::{Document, document, hands};
use parlor_rules::{Chips, Draws, House, Input, Owner, Rules, Seat, Seeded};
use parlor_rules_poker::{Begun, Command, Config, Event, Poker, State};
use parlor_testkit::count;
use serde_json::Value;

const SEATS: u8 = 6;

const TABLES: [&str; 11] = [
    r#"{"small_blind":0.5,"big_blind":1,"min_buy_in":10,"max_buy_in":100,"ante":0.1}"#,
    r#"{"small_blind":0.5,"big_blind":1,"straddles":[2,4],"min_buy_in":10,"max_buy_in":100}"#,
    r#"{"small_blind":0.5,"big_blind":1,"small_blind_at":"previous_big","min_buy_in":10}"#,
    r#"{"small_blind":0.5,"big_blind":1,"bomb_every":3,"bomb_ante":2,"runs":2,"min_buy_in":10}"#,
    r#"{"variants":["NS"],"small_blind":0.5,"big_blind":1,"ante":0.5,"min_buy_in":10}"#,
    r#"{"variants":["PO"],"small_blind":0.5,"big_blind":1,"min_buy_in":10,"runs":3,"chip":0.5,"odd_chips":"first"}"#,
    r#"{"variants":["FO/8"],"small_blind":0.5,"big_blind":1,"min_buy_in":10,
        "rake":{"per_10_000":500,"cap":1,"no_flop_no_drop":true}}"#,
    r#"{"variants":["F7S/8"],"small_blind":0.5,"big_blind":1,"stud_ante":0.1,"min_buy_in":10}"#,
    r#"{"variants":["FR"],"small_blind":0.5,"big_blind":1,"stud_ante":0.1,"min_buy_in":10}"#,
    r#"{"variants":["F2L3D"],"small_blind":0.5,"big_blind":1,"min_buy_in":10}"#,
    r#"{"variants":["FB"],"small_blind":0.5,"big_blind":1,"min_buy_in":10}"#,
];

fn json_of(state: &State) -> Value {
    serde_json::to_value(Poker::doc(state)).expect("a document")
}

/// What a table may be told by itself or by somebody.
pub(crate) fn input(state: &State, draws: &mut Draws<'_>) -> Input<Command> {
    let pending = Poker::pending(state);
    let seat = Seat::new(draws.below(u32::from(SEATS)) as u8);
    match draws.below(12) {
        0 => Input::House(House::Joined { seat, chips: Chips::whole(10) }),
        1 => {
            let intent = [0, 0, 1, 2, 3][draws.below(5) as usize];
            let intent = parlor_rules_poker::seats::Intent::from_number(intent).expect("0 to 3");
            Input::Play { seat, command: Command::Intent { intent } }
        }
        _ => match pending.asked().first() {
            Some(asked) => {
                let legal = Poker::legal(state, asked.seat);
                let command = Poker::pick(&legal, draws).expect("who is asked can answer");
                Input::Play { seat: asked.seat, command }
            }
            None => Input::Expire { seat: Owner::Table },
        },
    }
}

#[test]
fn documents_follow_a_live_table_hand_by_hand() {
    for config in TABLES {
        follow(&serde_json::from_str(config).expect("a config"));
    }
}

fn follow(config: &Config) {
    let mut chance = Seeded::new("live");
    let mut dice = Seeded::new("said");
    let mut draws = Draws::new(&mut chance);
    let mut said = Draws::new(&mut dice);
    let mut state = Poker::begin(config, SEATS, &mut draws).expect("a right config");
    let (mut ended, mut followed, mut moved) = (0, 0, 0);
    let mut last: Option<Value> = None;
    while ended < count(300, 5_000) {
        let input = input(&state, &mut said);
        let Ok(events) = Poker::play(&mut state, &input, &mut draws) else { continue };
        for event in &events {
            match event {
                // Documents know of no bomb pots to come.
                Event::HandBegun(Begun { bomb: true, .. }) => last = None,
                Event::HandBegun(Begun { row, .. }) => {
                    // What the document of the last hand leads to is what the table began with.
                    let Some(before) = last.take() else { continue };
                    let before = Document::read(before).expect("a right document");
                    let next = document::next(&before, None).expect("a next hand");
                    let stacks: Vec<Chips> = row.iter().map(|column| column.stack).collect();
                    let blinds: Vec<Chips> = row.iter().map(|column| column.blind).collect();
                    let debts: Vec<Chips> = row.iter().map(|column| column.debt).collect();
                    let dead: Vec<Chips> = row.iter().map(|column| column.dead).collect();
                    assert_eq!(next.starting_stacks, stacks);
                    if !next.blinds_or_straddles.is_empty() {
                        assert_eq!(next.blinds_or_straddles, blinds);
                    }
                    assert_eq!(next.dead_blinds, debts);
                    assert_eq!(next.dead_money, dead);
                    let out: Vec<u8> = row.iter().map(|column| column.inactive.into()).collect();
                    assert_eq!(next.inactive, out);
                    followed += 1;
                    moved += u32::from(dead.iter().any(|dead| *dead > Chips::ZERO));
                }
                Event::Left { .. } | Event::Closed {} => {}
                Event::HandEnded { .. } => {
                    ended += 1;
                    let written = Document::read(json_of(&state)).expect("a right document");
                    let text =
                        written.to_phh().unwrap_or_else(|r| panic!("{r} {}", json_of(&state)));
                    let hand = hands(&text).expect("a right file").remove(0).expect("a right hand");
                    assert_eq!(hand.check(), Ok(true), "{text}");
                }
                _ => {}
            }
        }
        // Left without a next hand makes the row another; there is nothing to compare then.
        let left = events.iter().any(|event| matches!(event, Event::Left { .. }));
        let between = Poker::pending(&state).asked().is_empty() && !left;
        last =
            between.then(|| json_of(&state)).filter(|doc| doc["actions"] != Value::Array(vec![]));
        if Poker::pending(&state) == parlor_rules::Pending::Rest && state_is_empty(&state) {
            last = None;
        }
    }
    assert!(followed > ended / 2, "{followed} of {ended} followed, {moved} paid debts");
}

fn state_is_empty(state: &State) -> bool {
    json_of(state)["seats"] == Value::Array(vec![])
}
