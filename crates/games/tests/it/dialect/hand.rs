//! The hand document at a live table.

use super::value;
use parlor_games::DIALECTS;
use parlor_phh::{Document as Hand, document};
use parlor_rules::{
    Chips, Draws, House, Input, Json, Owner, Refusal, Rules, Seat, Seeded, Viewer, json,
};
use parlor_rules_poker::{Command, Config, Poker, State};
use parlor_testkit::count;
use parlor_wire::dialect::{Document, Stand, Wanted};
use serde_json::{Value, json as value_of};

const SEATS: u8 = 6;

pub(super) const TABLES: [&str; 8] = [
    r#"{"small_blind":0.5,"big_blind":1,"min_buy_in":10,"max_buy_in":100,"ante":0.1}"#,
    r#"{"small_blind":0.5,"big_blind":1,"straddles":[2],"min_buy_in":10,"runs":2}"#,
    r#"{"small_blind":0.5,"big_blind":1,"bomb_every":3,"bomb_ante":2,"min_buy_in":10}"#,
    r#"{"variants":["PO"],"small_blind":0.5,"big_blind":1,"min_buy_in":10,"rabbit":true}"#,
    r#"{"variants":["F7S/8"],"small_blind":0.5,"big_blind":1,"stud_ante":0.1,"min_buy_in":10}"#,
    r#"{"variants":["FR"],"small_blind":0.5,"big_blind":1,"stud_ante":0.1,"min_buy_in":10}"#,
    r#"{"variants":["F2L3D"],"small_blind":0.5,"big_blind":1,"min_buy_in":10}"#,
    r#"{"variants":["FB"],"small_blind":0.5,"big_blind":1,"min_buy_in":10}"#,
];

fn dialect() -> &'static Document {
    DIALECTS.document("poker", "hand").expect("the dialect")
}

fn name(seat: usize) -> String {
    format!("P{seat}")
}

/// A table of which every chair that is played from has a name.
fn stand(config: &str, state: &State, who: &str) -> Stand {
    Stand {
        table: "t-1".to_owned(),
        config: serde_json::from_str(config).expect("JSON"),
        doc: json(&Poker::doc(state)),
        names: (0..usize::from(SEATS)).map(|seat| Some(name(seat))).collect(),
        who: who.to_owned(),
    }
}

/// The document of the server, with the same names put in by hand.
fn whole(state: &State) -> Hand {
    let mut doc = serde_json::to_value(Poker::doc(state)).expect("JSON");
    let chairs = doc["seats"].as_array().expect("chairs").clone();
    let name = |chair: &Value| name(chair.as_u64().expect("a chair") as usize - 1);
    doc["players"] = chairs.iter().map(name).collect();
    Hand::read_live(doc).expect("a right document")
}

fn sent(document: &Value) -> Json {
    json(document)
}

/// What a table may be told by itself or by somebody.
pub(super) fn input(state: &State, draws: &mut Draws<'_>) -> Input<Command> {
    let seat = Seat::new(draws.below(u32::from(SEATS)) as u8);
    match draws.below(12) {
        0 => Input::House(House::Joined { seat, chips: Chips::whole(10) }),
        1 => {
            let intent = [0, 0, 0, 1, 2, 3][draws.below(6) as usize];
            let intent = parlor_rules_poker::seats::Intent::from_number(intent).expect("0 to 3");
            Input::Play { seat, command: Command::Intent { intent } }
        }
        2 => Input::Play { seat, command: Command::Show { cards: None } },
        3 => Input::Play { seat, command: Command::Rabbit {} },
        _ => match Poker::pending(state).asked().first() {
            Some(asked) => {
                let legal = Poker::legal(state, asked.seat);
                let command = Poker::pick(&legal, draws).expect("who is asked can answer");
                Input::Play { seat: asked.seat, command }
            }
            None => Input::Expire { seat: Owner::Table },
        },
    }
}

/// What a player writes who says this.
fn line(place: usize, command: &Command) -> Option<String> {
    let what = match command {
        Command::Fold {} => "f".to_owned(),
        Command::Check {} | Command::Call {} => "cc".to_owned(),
        Command::Raise { to } => format!("cbr {to}"),
        Command::BringIn {} => "pb".to_owned(),
        Command::Discard { cards } => format!("sd {cards}").trim_end().to_owned(),
        Command::Show { .. } => "sm -".to_owned(),
        Command::Rabbit {} | Command::Intent { .. } | Command::Pre { .. } => return None,
    };
    Some(format!("p{} {what}", place + 1))
}

/// A document as a player might send it back.
fn changed(state: &State, who: usize, draws: &mut Draws<'_>) -> Value {
    let stand = stand("{}", state, &name(who));
    let view = (dialect().view)(&stand);
    let mut document = view.as_ref().map_or_else(|_| value_of!({}), value);
    let players = document["players"].as_array().cloned().unwrap_or_default();
    let Some(place) = players.iter().position(|player| *player == name(who)) else {
        let mut add = |key: &str, value: Value| {
            if let Some(list) = document[key].as_array_mut() {
                list.push(value);
            }
        };
        add("players", name(who).into());
        add("startingStacks", [10, 20, 100][draws.below(3) as usize].into());
        add("_intents", [0, 0, 1, 2][draws.below(4) as usize].into());
        if draws.below(2) == 0 {
            add("seats", (who + 1).into());
        }
        return document;
    };
    if draws.below(3) == 0 {
        document["_intents"][place] = draws.below(4).into();
    }
    let seat = Seat::new(who as u8);
    if draws.below(3) > 0 {
        let command = match draws.below(8) {
            0 => Some(Command::Call {}),
            1 => Some(Command::Fold {}),
            2 => Some(Command::Raise { to: Chips::whole(i64::from(draws.below(12))) }),
            3 => Some(Command::Show { cards: None }),
            _ => Poker::pick(&Poker::legal(state, seat), draws),
        };
        let line = command.and_then(|command| line(place, &command));
        let lines = document["actions"].as_array_mut().expect("a log");
        lines.extend(line.map(Value::from));
    }
    // Of this nothing is read.
    if draws.below(4) == 0 {
        document["startingStacks"][place] = 1_000_000.into();
        document["_inactive"] = value_of!([1, 1, 1, 1, 1, 1, 1]);
    }
    document
}

/// Enters what somebody wants; the chair it was entered from.
fn enter(
    state: &mut State,
    who: usize,
    wanted: &[Wanted],
    draws: &mut Draws<'_>,
) -> Result<(), Refusal> {
    let seat = Seat::new(who as u8);
    for wanted in wanted {
        let input = match wanted {
            Wanted::Join { seat: chosen, chips } => {
                assert!(chosen.is_none_or(|chosen| chosen == seat));
                Input::House(House::Joined { seat, chips: *chips })
            }
            Wanted::Command(command) => {
                let command = serde_json::from_str(command.get()).expect("a command");
                Input::Play { seat, command }
            }
        };
        Poker::play(state, &input, draws)?;
    }
    Ok(())
}

/// What of a table that has gone on is already told by a document that has not.
fn compare(merged: &Hand, live: &Hand, who: &str) {
    let told = merged.actions.len();
    let actions = |hand: &Hand| hand.actions[..told].to_vec();
    assert_eq!(actions(merged), actions(live));
    // Who comes gets some chair or other; all else of a column is the same.
    let column = |hand: &Hand, name: &str| {
        let at = hand.players.iter().position(|player| player == name).expect("a player");
        let blind = hand.blinds_or_straddles.get(at).copied();
        (hand.starting_stacks[at], blind, hand.intents[at], hand.dead_blinds[at], hand.inactive[at])
    };
    assert_eq!(merged.players.len(), live.players.len());
    for player in &merged.players {
        let (mut merged, live_column) = (column(merged, player), column(live, player));
        // A pause holds from the next entry of the log on, and who comes waits for the next hand.
        let pauses = matches!(merged.2.number(), 1 | 2);
        let comes = player == who && told == 0;
        if (pauses && live.actions.len() > told) || comes {
            merged.4 = live_column.4;
        }
        assert_eq!(merged, live_column, "{player}");
    }
}

#[test]
fn what_is_entered_at_a_table_is_what_is_merged_into_its_document() {
    let mut seen = [0; 4];
    for config in TABLES {
        let parsed: Config = serde_json::from_str(config).expect("a config");
        let (mut chance, mut dice) = (Seeded::new("hand"), Seeded::new("said"));
        let (mut draws, mut said) = (Draws::new(&mut chance), Draws::new(&mut dice));
        let mut state = Poker::begin(&parsed, SEATS, &mut draws).expect("a right config");
        for _ in 0..count(1_500, 50_000) {
            let input = input(&state, &mut said);
            // What is refused is a state as good as any.
            let _ = Poker::play(&mut state, &input, &mut draws);
            let who = said.below(u32::from(SEATS)) as usize;
            let incoming = changed(&state, who, &mut said);
            let stand = stand(config, &state, &name(who));
            let balance = Chips::whole(15);
            let server = whole(&state);
            let merged = document::merge(&server, &incoming, &name(who), Some(balance));
            let wanted = (dialect().merge)(&stand, &sent(&incoming), balance);
            let (merged, wanted) = match (merged, wanted) {
                (Ok(merged), Ok(wanted)) => (merged, wanted),
                (Err(no), Err(other)) => {
                    assert_eq!(no, other);
                    seen[0] += 1;
                    continue;
                }
                (merged, wanted) => panic!("{merged:?} {wanted:?}"),
            };
            let unchanged = merged == server;
            assert_eq!(wanted.is_empty(), unchanged, "{wanted:?}");
            let mut after = state.clone();
            if let Err(no) = enter(&mut after, who, &wanted, &mut draws) {
                // A check that nobody has asked for is read in a log, and not heard at a table.
                let check = matches!(&wanted[0], Wanted::Command(command)
                    if command.get() == r#"{"type":"check"}"#);
                let unasked = ["not_your_turn", "draw_first"].contains(&no.code);
                assert!(check && unasked, "{no}: {wanted:?} {incoming}");
                assert_eq!(after, state);
                continue;
            }
            compare(&merged, &whole(&after), &name(who));
            seen[match wanted.first() {
                None => continue,
                Some(Wanted::Join { .. }) => 1,
                Some(Wanted::Command(command)) if command.get().contains("intent") => 2,
                Some(Wanted::Command(_)) => 3,
            }] += 1;
        }
    }
    let [refused, joined, wished, acted] = seen;
    assert!(refused.min(joined).min(wished).min(acted) > 200, "{seen:?}");
}

#[test]
fn nobody_learns_from_a_document_what_is_hidden() {
    let mut differ = 0;
    for config in TABLES {
        let parsed: Config = serde_json::from_str(config).expect("a config");
        let (mut chance, mut dice) = (Seeded::new("hidden"), Seeded::new("said"));
        let (mut draws, mut said) = (Draws::new(&mut chance), Draws::new(&mut dice));
        let mut state = Poker::begin(&parsed, SEATS, &mut draws).expect("a right config");
        for _ in 0..count(300, 10_000) {
            let input = input(&state, &mut said);
            let _ = Poker::play(&mut state, &input, &mut draws);
            for who in 0..=usize::from(SEATS) {
                let viewer = match who < usize::from(SEATS) {
                    true => Viewer::Seat(Seat::new(who as u8)),
                    false => Viewer::Watcher,
                };
                let other = Poker::resample(&state, viewer, &mut said);
                let [here, there] = [&state, &other].map(|state| stand(config, state, &name(who)));
                differ += u32::from(here.doc.get() != there.doc.get());
                let [seen, alike] = [&here, &there]
                    .map(|stand| (dialect().view)(stand).map(|json| json.get().to_owned()));
                assert_eq!(seen, alike);
                // Nor from what becomes of a document that was sent. When the deck has run out, not
                // all that is drawn anew can have been.
                let doc = serde_json::to_value(Poker::doc(&other)).expect("JSON");
                if Poker::load(&parsed, doc).is_err() {
                    continue;
                }
                let incoming = sent(&changed(&state, who, &mut said));
                let [one, two] = [&here, &there].map(|stand| {
                    format!("{:?}", (dialect().merge)(stand, &incoming, Chips::whole(15)))
                });
                assert_eq!(one, two);
            }
        }
    }
    assert!(differ > 5_000, "{differ}");
}

/// A table of three, cards dealt: chairs 1, 2 and 4.
fn three() -> State {
    let mut chance = Seeded::new("three");
    let mut draws = Draws::new(&mut chance);
    let mut state = Poker::begin(&Config::default(), SEATS, &mut draws).expect("a table");
    for seat in [0, 1, 3] {
        let joined = House::Joined { seat: Seat::new(seat), chips: Chips::whole(100) };
        Poker::play(&mut state, &Input::House(joined), &mut draws).expect("a chair");
    }
    Poker::play(&mut state, &Input::Expire { seat: Owner::Table }, &mut draws).expect("a hand");
    state
}

#[test]
fn people_stand_in_the_document_by_their_names() {
    let state = three();
    let mut stand = stand("{}", &state, "Ann");
    stand.names = [Some("Ann"), Some("Seat #4"), None, None, Some("Eve"), None]
        .map(|name| name.map(str::to_owned))
        .into();
    // Nobody can be called what the house is called.
    assert!((dialect().view)(&stand).is_err());
    stand.names[1] = Some("Seat 4".to_owned());
    let view = value(&(dialect().view)(&stand).expect("a view"));
    assert_eq!(view["players"], value_of!(["Ann", "Seat 4", "Seat #4"]));
    assert_eq!((&view["author"], &view["seats"]), (&"Ann".into(), &value_of!([1, 2, 4])));
    let dealt: Vec<&str> =
        view["actions"].as_array().expect("a log").iter().filter_map(Value::as_str).collect();
    assert!(dealt[0].starts_with("d dh p1 ") && !dealt[0].ends_with("????"), "{dealt:?}");
    assert_eq!(dealt[1..], ["d dh p2 ????", "d dh p3 ????"]);
    stand.who = "Eve".to_owned();
    let view = value(&(dialect().view)(&stand).expect("a view"));
    assert_eq!(view["actions"][0], "d dh p1 ????");
}

fn wanted(stand: &Stand, document: &Value, balance: i64) -> Result<Vec<Value>, &'static str> {
    let wanted = (dialect().merge)(stand, &sent(document), Chips::whole(balance));
    let told = |wanted: &Wanted| match wanted {
        Wanted::Join { seat, chips } => value_of!({"seat": seat, "chips": chips}),
        Wanted::Command(command) => value(command),
    };
    wanted.map(|wanted| wanted.iter().map(told).collect()).map_err(|no| no.code)
}

#[test]
fn a_newcomer_brings_what_the_bank_has() {
    let state = three();
    let stand = stand("{}", &state, "Eve");
    let mut document = value(&(dialect().view)(&stand).expect("a view"));
    for (key, value) in [("players", "Eve".into()), ("startingStacks", 90.into())] {
        document[key].as_array_mut().expect("a list").push(value);
    }
    let join = |seat: Value, chips: i64| Ok(vec![value_of!({"seat": seat, "chips": chips})]);
    assert_eq!(wanted(&stand, &document, 1_000), join(Value::Null, 90));
    assert_eq!(wanted(&stand, &document, 75), join(Value::Null, 75));
    assert_eq!(wanted(&stand, &document, 0), Err("no_chips"));
    document["seats"] = value_of!([1, 2, 4, 3]);
    assert_eq!(wanted(&stand, &document, 75), join(2.into(), 75));
    document["_intents"] = value_of!([0, 0, 0, 1]);
    let waits = value_of!({"type": "intent", "intent": 1});
    let both = Ok(vec![value_of!({"seat": 2, "chips": 75}), waits]);
    assert_eq!(wanted(&stand, &document, 75), both);
    for (seats, code) in [([1, 2, 4, 4], "seat_taken"), ([1, 2, 4, 7], "no_such_seat")] {
        document["seats"] = value_of!(seats);
        assert_eq!(wanted(&stand, &document, 75), Err(code));
    }
}

#[test]
fn the_first_to_come_finds_a_document_to_come_with() {
    let mut chance = Seeded::new("empty");
    let state = Poker::begin(&Config::default(), SEATS, &mut Draws::new(&mut chance));
    let stand = stand("{}", &state.expect("a table"), "P2");
    let mut document = value(&(dialect().view)(&stand).expect("a view"));
    assert_eq!((&document["players"], &document["seatCount"]), (&value_of!([]), &6.into()));
    document["players"] = value_of!(["P2"]);
    document["startingStacks"] = value_of!([50]);
    let join = value_of!({"seat": null, "chips": 50});
    assert_eq!(wanted(&stand, &document, 60), Ok(vec![join]));
}

#[test]
fn only_what_is_the_author_s_own_is_wanted() {
    let state = three();
    // Of three the first after the blinds begins; with the blinds on chairs 2 and 4 that is chair 1.
    let own = stand("{}", &state, "P0");
    let document = value(&(dialect().view)(&own).expect("a view"));
    let with = |line: &str| {
        let mut document = document.clone();
        document["actions"].as_array_mut().expect("a log").push(line.into());
        document
    };
    assert_eq!(document["blindsOrStraddles"], value_of!([0, 1, 2]));
    assert_eq!(wanted(&own, &document, 0), Ok(vec![]));
    let call = value_of!({"type": "call"});
    assert_eq!(wanted(&own, &with("p1 cc"), 0), Ok(vec![call.clone()]));
    let raise = value_of!({"type": "raise", "to": 6});
    assert_eq!(wanted(&own, &with("p1 cbr 6"), 0), Ok(vec![raise]));
    assert_eq!(wanted(&own, &with("p1 cbr 3"), 0), Err("below_minimum"));
    assert_eq!(wanted(&own, &with("p2 f"), 0), Err("not_yours"));
    assert_eq!(wanted(&own, &with("d db 2c3c4c"), 0), Err("not_yours"));
    let mut pauses = with("p1 cc");
    pauses["_intents"] = value_of!([2, 3, 3]);
    let pause = value_of!({"type": "intent", "intent": 2});
    assert_eq!(wanted(&own, &pauses, 0), Ok(vec![call, pause]));
    let mut other = document.clone();
    other["author"] = "P1".into();
    assert_eq!(wanted(&own, &other, 0), Err("not_the_author"));
    let mut shorter = document.clone();
    shorter["actions"] = value_of!([]);
    assert_eq!(wanted(&own, &shorter, 0), Err("other_log"));
    assert_eq!(wanted(&stand("{}", &state, "Eve"), &document, 9), Err("not_the_author"));
    let text = r#"{"hand":1,"hand":1}"#;
    let twice: Json = serde_json::from_str(text).expect("JSON");
    let refused = (dialect().merge)(&own, &twice, Chips::ZERO).map_err(|no| no.code);
    assert_eq!(refused.err(), Some("malformed"));
}

#[test]
fn who_has_left_is_shown_nothing_more() {
    let mut state = three();
    let mut chance = Seeded::new("left");
    let command = Command::Intent { intent: parlor_rules_poker::seats::Intent::Leave };
    let input = Input::Play { seat: Seat::new(3), command };
    Poker::play(&mut state, &input, &mut Draws::new(&mut chance)).expect("a wish");
    let refused = (dialect().view)(&stand("{}", &state, "P3")).map_err(|no| no.code);
    assert_eq!(refused.err(), Some("left_the_table"));
}
