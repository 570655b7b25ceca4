//! Hands go to another form and back, and nothing is lost.

use crate::live::input;
use crate::text::shared;
use parlor_phh::document::{next, view};
use parlor_phh::{Document, hands, header};
use parlor_rules::{Chips, Deck, Draws, Rules as _, Seeded};
use parlor_rules_poker::bets::Bets;
use parlor_rules_poker::card::{Card, Cards};
use parlor_rules_poker::hand::{Action, Hand, Next, Rake, Setup};
use parlor_rules_poker::variant::NT;
use parlor_rules_poker::{Config, Event, Poker};
use parlor_testkit::count;
use serde_json::{Value, json};

pub(crate) fn document(value: Value) -> Document {
    Document::read(value.clone()).unwrap_or_else(|no| panic!("{no}: {value}"))
}

fn value_of(document: &Document) -> Value {
    serde_json::to_value(document).expect("JSON")
}

/// The document after a stay in a file, which must replay to what the document says.
fn through_a_file(value: Value) -> Value {
    let text = document(value).to_phh().expect("a file");
    let hands = hands(&text).unwrap_or_else(|wrong| panic!("{wrong}\n{text}"));
    let hand = hands[0].as_ref().unwrap_or_else(|wrong| panic!("{wrong}\n{text}"));
    if hand.finishing_stacks.is_some() {
        assert_eq!(hand.check(), Ok(true), "{text}");
    }
    value_of(&hand.to_document().expect("a document"))
}

fn through_a_document(text: &str) -> String {
    let hand = hands(text).expect("a file").remove(0).expect("a hand");
    let document = document(value_of(&hand.to_document().expect("a document")));
    document.to_phh().expect("a file")
}

/// Somebody sits out, somebody has paused, somebody came back: in no order of a file.
fn odd_document() -> Value {
    json!({
        "author": "C \"the\\cat\"", "hand": 8, "seatCount": 6, "seats": [1, 2, 4, 6],
        "players": ["A\u{7}\u{7f}", "B'", "C \"the\\cat\"", "Дмитрий"],
        "startingStacks": [50, 97, 75.25, 20], "blindsOrStraddles": [2, 0, 0, 1],
        "antes": [0, 0, 0, 0], "_inactive": [0, 0, 1, 0], "_intents": [0, 0, 2, 2],
        "_deadBlinds": [0, 0, 2, 0], "_deadMoney": [0, 3, 0, 0], "_chip": 1,
        "_rake": {"per_10_000": 500, "cap": 0.5, "no_flop_no_drop": true},
        "_pre": [null, "fold", null, null], "_colours": ["red", "blue", "green", "white"],
        "_few": ["x", "y"], "_table": {"a b": [1, {"c": null}], "d": -1.5e300}, "Odd": 1, "a_b": 2,
        "": "nothing", "_document": 5, "venue": "a \"club\"\n\t'", "winnings": [1, 2, 3, 4],
        "actions": ["d dh p1 2h2d", "d dh p2 3s3d", "d dh p4 5c5d", "p2 cbr 6 # why\nnot", "p1 f"]
    })
}

#[test]
fn a_document_comes_back_from_a_file_as_it_was() {
    let odd = odd_document();
    assert_eq!(through_a_file(odd.clone()), value_of(&document(odd)));
}

#[test]
fn every_hand_of_a_table_comes_back_and_ends_as_it_ended() {
    let configs = [
        json!({"small_blind": 0.5, "big_blind": 1, "min_buy_in": 2, "max_buy_in": 60, "ante": 7.5}),
        json!({"min_buy_in": 4, "max_buy_in": 60, "ante": 6, "chip": 1}),
        json!({
            "min_buy_in": 4, "max_buy_in": 60, "chip": 5,
            "rake": {"per_10_000": 700, "cap": 30, "no_flop_no_drop": false},
        }),
    ];
    for (i, options) in configs.into_iter().enumerate() {
        let config: Config = serde_json::from_value(options).expect("a config");
        let mut chance = Seeded::new(format!("cards {i}").as_str());
        let mut dice = Seeded::new(format!("said {i}").as_str());
        let (mut draws, mut said) = (Draws::new(&mut chance), Draws::new(&mut dice));
        let mut state = Poker::begin(&config, 6, &mut draws).expect("a right config");
        let mut ended = 0;
        while ended < count(300, 5_000) {
            let input = input(&state, &mut said);
            let Ok(events) = Poker::play(&mut state, &input, &mut draws) else { continue };
            let doc = serde_json::to_value(Poker::doc(&state)).expect("JSON");
            if doc["actions"] == json!([]) {
                continue;
            }
            assert_eq!(through_a_file(doc.clone()), value_of(&document(doc)));
            ended += u32::from(events.iter().any(|e| matches!(e, Event::HandEnded { .. })));
        }
    }
}

/// A hand of random stacks, posts and actions, as a document.
pub(crate) fn random_hand(draws: &mut Draws<'_>) -> Value {
    let count = 3 + draws.below(3) as usize;
    let amount = |most: u32, draws: &mut Draws<'_>| Chips::whole(draws.below(most).into());
    let stacks: Vec<Chips> = (0..count).map(|_| Chips::whole(1) + amount(12, draws)).collect();
    let antes = vec![amount(5, draws); count];
    let dead: Vec<Chips> = (0..count).map(|_| amount(3, draws)).collect();
    let mut blinds = vec![Chips::ZERO; count];
    (blinds[0], blinds[1]) = (Chips::whole(1), Chips::whole(2));
    let ante_trimming = draws.below(3) > 0;
    let chip = [Chips::whole(1), Chips::from_ten_thousandths(1)][draws.below(2) as usize];
    let rake = Rake { per_10_000: draws.below(2) * 1_000, cap: None, no_flop_no_drop: true };
    let mut hand = Hand::new(&Setup {
        variant: &NT,
        stacks: &stacks,
        antes: &antes,
        ante_trimming,
        blinds: &blinds,
        dead: dead.iter().copied().sum(),
        bets: Bets::least(Chips::whole(2)),
        first: 0,
        active: u16::MAX,
        runs: 1,
        chip,
        rake: Some(rake),
    })
    .expect("a right hand");
    let mut deck = Deck::new(52);
    draws.shuffle(52);
    let mut actions = Vec::new();
    loop {
        let mut deal = |cards: u8| -> Cards {
            (0..cards).filter_map(|_| Card::from_number(deck.deal(draws))).collect()
        };
        let action = match hand.next() {
            Next::Over => break,
            Next::Hole { player, cards } => Action::Hole { player, cards: deal(cards) },
            Next::Board { cards } => Action::Board { cards: deal(cards) },
            Next::Show { player } => {
                let hole = hand.players()[usize::from(player)].hole;
                Action::Show { player, cards: Some(hole) }
            }
            Next::Act { player } => match (draws.below(4), hand.options().and_then(|o| o.raise)) {
                (0, _) => Action::Fold { player },
                (1, Some((_, to))) => Action::Raise { player, to },
                _ => Action::Call { player },
            },
            next => unreachable!("hold'em has no {next}"),
        };
        hand.act(&action).expect("it fits");
        actions.push(action.to_string());
    }
    let finishing: Vec<Chips> = hand.players().iter().map(|player| player.stack).collect();
    json!({
        "players": (0..count).map(|i| format!("Player {i}")).collect::<Vec<_>>(),
        "startingStacks": stacks, "antes": antes, "blindsOrStraddles": blinds,
        "anteTrimmingStatus": ante_trimming, "_deadMoney": dead, "_chip": chip, "_rake": rake,
        "actions": actions, "finishingStacks": finishing,
    })
}

#[test]
fn whatever_is_posted_the_file_ends_as_the_hand_did() {
    let mut chance = Seeded::new("posted");
    let mut draws = Draws::new(&mut chance);
    let (mut beside, mut as_antes) = (0, 0);
    for _ in 0..count(1_000, 50_000) {
        let hand = random_hand(&mut draws);
        let text = document(hand.clone()).to_phh().expect("a file");
        beside += u32::from(text.contains("\n_deadMoney"));
        as_antes += u32::from(text.contains("\"_deadMoney\""));
        assert_eq!(through_a_file(hand.clone()), value_of(&document(hand)));
    }
    assert!(beside > 100 && as_antes > 100, "{beside} beside, {as_antes} as antes");
}

#[test]
fn dead_money_does_not_keep_antes_from_being_trimmed() {
    // C is all-in with a part of the ante and wins only what was matched of it.
    let hand = json!({
        "players": ["A", "B", "C"], "startingStacks": [100, 100, 1],
        "blindsOrStraddles": [1, 2, 0], "antes": [4, 4, 4], "_deadMoney": [0, 3, 0],
        "actions": [
            "d dh p1 2c7d", "d dh p2 KsKd", "d dh p3 AsAd", "p1 cc", "p2 cc", "d db 3h4h8c",
            "p1 f", "p2 sm KsKd", "p3 sm AsAd", "d db 9c", "d db Td",
        ],
        // The main pot is 3 dead and 1 of each; all else is between A and B.
        "finishingStacks": [94, 104, 6],
    });
    let text = document(hand.clone()).to_phh().unwrap();
    assert!(text.contains("ante_trimming_status = true\nantes = [4, 4, 4]\n"), "{text}");
    assert!(text.contains("\n_deadMoney = [0, 3, 0]\n"), "{text}");
    assert_eq!(through_a_file(hand.clone()), value_of(&document(hand.clone())));
    // Where nobody is short, other programs can tell it too.
    let mut rich = hand;
    rich["startingStacks"] = json!([100, 100, 100]);
    rich["actions"] = json!(["d dh p1 ????", "d dh p2 ????", "d dh p3 ????", "p3 f", "p1 f"]);
    rich["finishingStacks"] = json!([95, 112, 96]);
    let text = document(rich.clone()).to_phh().unwrap();
    assert!(text.contains("ante_trimming_status = false\nantes = [4, 7, 4]\n"), "{text}");
    assert_eq!(through_a_file(rich.clone()), value_of(&document(rich)));
}

#[test]
fn a_fold_that_nobody_wrote_down_stands_in_the_file() {
    let hand = json!({
        "players": ["A", "B", "C"], "startingStacks": [100, 100, 100],
        "blindsOrStraddles": [1, 2, 0], "_inactive": [1, 0, 0], "_intents": [2, 0, 0],
        "actions": ["d dh p1 ????", "d dh p2 ????", "d dh p3 ????", "p3 cbr 6", "p2 f"],
        "finishingStacks": [99, 98, 103],
    });
    let text = document(hand.clone()).to_phh().unwrap();
    assert!(text.contains("'p3 cbr 6', 'p1 f', 'p2 f']"), "{text}");
    assert_eq!(through_a_file(hand.clone()), value_of(&document(hand)));
}

#[test]
fn the_seed_of_the_cards_is_in_no_file() {
    let mut odd = odd_document();
    odd["seed"] = json!("hush");
    assert!(!document(odd.clone()).to_phh().unwrap().contains("hush"));
    let text = FILE.replacen("# why\n", "seed = 'hush'\n# why\n", 1);
    let hand = hands(&text).unwrap().remove(0).unwrap();
    assert_eq!(hand.to_phh(), hand.to_document().unwrap().to_phh().unwrap());
    assert!(!hand.to_phh().contains("hush"));
    assert!(hand.to_phh().contains("# the end"));
}

const FILE: &str = "\
# A hand of three.

variant = 'NT'
antes = [0, 0, 0]
blinds_or_straddles = [1, 2, 0]  # one and two
min_bet = 2.0
starting_stacks = [1_00, 100, 100]
actions = [
  # the deal
  'd dh p1 ????', \"d dh p2 \\u0041sKs\", 'd dh p3 7c2d', # dealt
  'p3 cbr 6.5 # why not', 'p1 f', 'p2 f',
]
# why
_when = 1979-05-27T07:32:00Z
time = 20:30:00
_more = { z = 1, \"a b\" = [07:32:00, { }], c = 'x' }
\"odd key\" = '''many
lines''' # beside
_intents = [0, 2, 0]
_inactive = [0, 1, 0]
_colours = ['red', 'green', 'blue']
finishing_stacks = [99, 98, 103]
# the end
";

#[test]
fn a_file_comes_back_from_a_document_as_it_was() {
    assert_eq!(through_a_document(FILE), FILE);
    let document = hands(FILE).unwrap().remove(0).unwrap().to_document().unwrap();
    let value = value_of(&document);
    assert_eq!(value["_more"], json!({"a b": ["07:32:00", {}], "c": "x", "z": 1}));
    assert_eq!(value["_intents"], json!([0, 2, 0]));
    assert_eq!(value["anteTrimmingStatus"], json!(false));
}

#[test]
fn whatever_is_read_comes_back() {
    let bytes = FILE.as_bytes();
    let mut read = 0;
    for i in 0..bytes.len() {
        for with in [b'\'', b'"', b'#', b' ', b'\n', b'9', b'_', b'A'] {
            let mut changed = bytes.to_vec();
            changed[i] = with;
            let text = String::from_utf8(changed).unwrap();
            let Ok(hands) = hands(&text) else { continue };
            let Some(Ok(hand)) = hands.first() else { continue };
            let Ok(document) = hand.to_document() else { continue };
            let document = self::document(value_of(&document));
            assert_eq!(document.to_phh().as_deref(), Ok(&*hand.to_phh()), "{text}");
            read += 1;
        }
    }
    assert!(read > 1_000, "{read}");
}

#[test]
fn comments_stay_with_their_fields_when_a_document_has_changed() {
    let hand = hands(FILE).unwrap().remove(0).unwrap();
    let mut value = value_of(&hand.to_document().unwrap());
    value["venue"] = json!("club");
    value["_colours"] = json!(["red", "green", "grey"]);
    let text = document(value).to_phh().unwrap();
    for kept in [
        "# A hand of three.\nvariant",
        "# one and two\nblinds",
        "# the deal\n# dealt\nactions",
        "# why\n_when = 1979-05-27T07:32:00Z\n",
        "time = 20:30:00\n",
        "_more = { z = 1, \"a b\" = [07:32:00, {  }], c = 'x' }\n",
        "# beside\n\"odd key\" = \"many\\nlines\"\n",
        "venue = 'club'\n",
        "_colours = ['red', 'green', 'grey']\n",
        "# the end\n",
    ] {
        assert!(text.contains(kept), "{kept} is not in\n{text}");
    }
}

#[test]
fn a_file_that_was_changed_tells_what_stands_in_it() {
    let text = document(odd_document()).to_phh().unwrap();
    let changed = text.replacen("p3 cbr 6 ", "p3 cbr 7 ", 1);
    assert!(text != changed, "{text}");
    let hand = hands(&changed).unwrap().remove(0).unwrap();
    let value = value_of(&hand.to_document().unwrap());
    assert_eq!(value["players"].as_array().map(Vec::len), Some(3), "{value}");
    assert!(value["actions"].to_string().contains("p3 cbr 7"), "{value}");
}

#[test]
fn names_and_keys_are_quoted_where_they_must_be() {
    assert_eq!(header("12"), "[12]\n");
    assert_eq!(header("a b"), "[\"a b\"]\n");
    assert_eq!(header("\"\\\u{7f}"), "[\"\\\"\\\\\\u007f\"]\n");
    let many = [header("a b"), FILE.to_owned(), header("c.d"), FILE.to_owned()].concat();
    let hands = hands(&many).unwrap();
    let names: Vec<_> = hands.iter().map(|hand| hand.as_ref().unwrap().name.as_deref()).collect();
    assert_eq!(names, [Some("a b"), Some("c.d")]);
    let document = hands[1].as_ref().unwrap().to_document().unwrap();
    assert_eq!(document.section(), Some("c.d"));
    assert_eq!(document.to_phh().unwrap(), FILE);
}

#[test]
fn what_is_known_of_each_player_follows_the_player() {
    let mut odd = odd_document();
    let text = document(odd.clone()).to_phh().unwrap();
    assert!(text.contains("_colours = ['white', 'red', 'blue']\n"), "{text}");
    assert!(text.contains("_few = ['x', 'y']\n"), "{text}");
    odd["_inactive"] = json!([1, 0, 1, 0]);
    odd["_intents"] = json!([3, 0, 2, 0]);
    odd["finishingStacks"] = json!([48, 100, 75.25, 19]);
    let next = next(&document(odd), None).unwrap();
    assert_eq!(value_of(&next)["_colours"], json!(["blue", "green", "white"]));
}

#[test]
fn a_document_divides_a_pot_as_its_file_does() {
    let rake = "_rake = { per_10_000 = 5000, cap = 2 }\n";
    for (more, left) in [("", [101, 99, 100]), (rake, [100, 98, 100])] {
        let text = format!("[1]\n# why\n{}{more}", shared("[0, 0, 0]"));
        let hand = hands(&text).unwrap().remove(0).unwrap();
        let mut value = value_of(&hand.to_document().unwrap());
        assert!(value["_phh"].as_str().is_some_and(|text| text.starts_with("# why\n")));
        value.as_object_mut().unwrap().remove("finishingStacks");
        let document = document(value);
        let seen = value_of(&view(&document, "p1").unwrap());
        assert_eq!(seen["_chip"], 1);
        assert_eq!(seen.get("_rake").is_some(), !more.is_empty());
        let next = value_of(&next(&document, None).unwrap());
        assert_eq!(next["startingStacks"], json!(left));
        for of_the_file in ["_phh", "_section"] {
            assert_eq!(next.get(of_the_file), None);
            assert_eq!(seen.get(of_the_file), None);
        }
    }
}
