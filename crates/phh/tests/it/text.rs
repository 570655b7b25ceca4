//! Files as they may come.

use parlor_phh::{Value, hands};

const HAND: &str = "\
# A hand of three.
variant = 'NT'
ante_trimming_status = true
antes = [0, 0, 0]
blinds_or_straddles = [1, 2, 0]  # one and two
min_bet = 2
starting_stacks = [1_00, 100.0, 100]
actions = [
  'd dh p1 ????', \"d dh p2 \\u0041sKs\", 'd dh p3 7c2d',
  'p3 cbr 6.5 # why not', 'p1 f', 'p2 f',
]
_note = 'kept'
_more = { a = 1, b = [2, 3] }
finishing_stacks = [99, 98, 103]
";

fn wrong(text: &str) -> String {
    match hands(text) {
        Err(wrong) => wrong.to_string(),
        Ok(hands) => match hands.into_iter().next().expect("a hand") {
            Err(wrong) => wrong.to_string(),
            Ok(hand) => hand.check().expect_err("something is wrong").to_string(),
        },
    }
}

fn with(from: &str, to: &str) -> String {
    assert!(HAND.contains(from));
    HAND.replacen(from, to, 1)
}

#[test]
fn whatever_toml_allows_is_read() {
    let hands = hands(HAND).unwrap();
    let hand = hands[0].as_ref().unwrap();
    assert_eq!(hand.check(), Ok(true));
    assert_eq!(hand.actions[1].to_string(), "d dh p2 AsKs");
    assert_eq!(hand.actions[3].comment.as_deref(), Some("why not"));
    let field = |key: &str| hand.fields.iter().find(|field| field.key == key).unwrap();
    assert_eq!(field("_note").value, Value::Text("kept".into()));
    let list = Value::List(vec![Value::Plain("2"), Value::Plain("3")]);
    let table = vec![("a".into(), Value::Plain("1")), ("b".into(), list)];
    assert_eq!(field("_more").value, Value::Table(table));
    assert_eq!(field("variant").comments, ["# A hand of three."]);
    assert_eq!(field("blinds_or_straddles").comments, ["# one and two"]);
}

#[test]
fn many_hands_stand_under_names() {
    let many = format!("[1]\n{HAND}[2]\n{}", with("p3 cbr 6.5", "p3 cbr 3"));
    let hands = hands(&many).unwrap();
    let checked: Vec<_> = hands.iter().map(|hand| hand.as_ref().unwrap().check()).collect();
    assert_eq!(checked[0], Ok(true));
    let failure = checked[1].clone().unwrap_err().to_string();
    assert_eq!(failure, "action 4, p3 cbr 3 # why not: raise to 4 at least");
    assert_eq!(hands[1].as_ref().unwrap().name.as_deref(), Some("2"));
}

#[test]
fn a_name_stands_there_once() {
    let many = format!("[1]\n{HAND}[\"1\"]\n{HAND}");
    assert_eq!(wrong(&many), "line 16: a hand named 1 stands there twice");
    let mixed = format!("_a = 1\n[1]\n{HAND}");
    assert!(wrong(&mixed).starts_with("line 1: a file holds one hand, or many"));
}

#[test]
fn a_long_file_takes_as_long_as_it_is() {
    let started = std::time::Instant::now();
    let sections: String = (0..100_000).map(|i| format!("[{i}]\nmin_bet = 2\n")).collect();
    let all = hands(&sections).unwrap();
    let last = all.last().unwrap().as_ref().unwrap_err().to_string();
    assert_eq!((all.len(), &*last), (100_000, "line 200000: variant is missing"));
    let keys: String = (0..100_000).map(|i| format!("_{i} = {i}\n")).collect();
    let table: String = (0..100_000).map(|i| format!("_{i} = {i}, ")).collect();
    let long = format!("{HAND}{keys}_table = {{ {table} end = 1 }}\n");
    let all = hands(&long).unwrap();
    assert_eq!(all[0].as_ref().unwrap().check(), Ok(true));
    // Each with each would be billions of comparisons.
    assert!(started.elapsed().as_secs() < 5, "{:?}", started.elapsed());
}

/// Three players share a pot of 8.
pub(crate) fn shared(finishing: &str) -> String {
    format!(
        "variant = 'NT'\nantes = [0, 2, 0]\nblinds_or_straddles = [1, 2, 0]\nmin_bet = 2\n\
         starting_stacks = [100, 100, 100]\nactions = ['d dh p1 2c3c', 'd dh p2 2d3d', \
         'd dh p3 2h3h', 'p3 cc', 'p1 cc', 'p2 cc', 'd db AsKsQs', 'p1 cc', 'p2 cc', 'p3 cc', \
         'd db Js', 'p1 cc', 'p2 cc', 'p3 cc', 'd db Ts', 'p1 cc', 'p2 cc', 'p3 cc', \
         'p1 sm 2c3c', 'p2 sm 2d3d', 'p3 sm 2h3h']\nfinishing_stacks = {finishing}\n"
    )
}

#[test]
fn a_pot_of_whole_chips_is_divided_into_whole_chips() {
    let check = |text: &str| hands(text).unwrap()[0].as_ref().unwrap().check();
    // One odd chip each, or both to the first, as PokerKit has it.
    assert_eq!(check(&shared("[101, 99, 100]")), Ok(true));
    assert_eq!(check(&shared("[102, 98, 100]")), Ok(true));
    let said = |text: &str| check(text).unwrap_err().to_string();
    assert_eq!(said(&shared("[101, 98, 101]")), "p2 has 99 at the end, the file says 98");
    // Where the file knows parts of a chip, or says so, a pot is divided into them.
    assert_eq!(check(&shared("[100.6667, 98.6667, 100.6666]")), Ok(true));
    let fine = shared("[101, 99, 100]") + "_chip = 0.0001\n";
    assert_eq!(said(&fine), "p1 has 100.6667 at the end, the file says 101");
    assert!(check(&(shared("[100.5, 98.5, 101]") + "_chip = 0.5\n")).is_err());
    assert_eq!(check(&(shared("[101, 98.5, 100.5]") + "_chip = 0.5\n")), Ok(true));
}

#[test]
fn what_the_house_takes_is_missing_at_the_end() {
    let check = |text: &str| hands(text).unwrap()[0].as_ref().unwrap().check();
    let raked = shared("[100, 98, 100]");
    assert!(check(&raked).is_err());
    let rake = "_rake = { per_10_000 = 5000, cap = 2, no_flop_no_drop = true }\n";
    assert_eq!(check(&(raked + rake)), Ok(true));
}

#[test]
fn heads_up_blinds_stand_the_other_way_round_in_a_file() {
    let text = "variant = 'NT'\nantes = [0, 0]\nblinds_or_straddles = [1, 2]\nmin_bet = 2\n\
                starting_stacks = [100, 100]\nfinishing_stacks = [101, 99]\n\
                actions = ['d dh p1 ????', 'd dh p2 ????', 'p2 f']\n";
    let hands = hands(text).unwrap();
    assert_eq!(hands[0].as_ref().unwrap().check(), Ok(true));
}

#[test]
fn what_is_wrong_is_said_with_its_place() {
    let cases = [
        (with("variant = 'NT'", "variant = 'XX'"), "line 2: variant: XX is not played here"),
        (with("min_bet = 2\n", ""), "line 2: min_bet is missing"),
        (
            with("antes = [0, 0, 0]", "antes = [0, 0]"),
            "line 4: antes: 3 amounts are needed, one a player",
        ),
        (
            with("[1, 2, 0]", "[1, -2, 0]"),
            "line 5: blinds_or_straddles: an amount is a plain decimal of at most four places, and \
             not negative",
        ),
        (
            with("1_00, 100.0", "nan, 100.0"),
            "line 7: starting_stacks: an amount is a plain decimal of at most four places, and not \
             negative",
        ),
        (
            with("'p1 f'", "'p1 x'"),
            "line 8: actions: action 5, \"p1 x\": an action is d dh pN CARDS, d db CARDS, pN f, \
             pN cc, pN cbr AMOUNT, pN pb, pN sd [CARDS] or pN sm [CARDS]",
        ),
        (with("'p1 f'", "'p2 f'"), "action 5, p2 f: p1 is to act, not p2"),
        (with("'p1 f', 'p2 f',", "'p1 f',"), "the hand is not played to its end: p2 is to act"),
        (with("103]", "104]"), "p3 has 103 at the end, the file says 104"),
        (with("7c2d", "As2d"), "action 3, d dh p3 As2d: a card is dealt twice"),
        (with("min_bet = 2", "min_bet = 2\nmin_bet = 3"), "line 7: min_bet stands there twice"),
        (with("_note = 'kept'", "_note.a = 'kept'"), "line 12: keys have no dots here"),
        (HAND[..HAND.len() / 2].to_owned(), "line 8: "),
        (String::new(), "line 1: there is no hand in this file"),
        ("# nothing\n".to_owned(), "line 1: there is no hand in this file"),
        (with("variant = 'NT'", "variant = NT"), "line 2: "),
        (with("[1, 2, 0]", "1"), "line 5: blinds_or_straddles: a list is needed"),
        (with("'p1 f'", "7"), "line 8: actions: action 5: a text is needed"),
        (with("_note = 'kept'", "_chip = 0"), "line 12: _chip: needs an amount above 0"),
        (
            with("_note = 'kept'", "_rake = { per_10_000 = 20000 }"),
            "line 12: _rake: rake.per_10_000 is at most 10000",
        ),
        (with("_note = 'kept'", "_rake = 5"), "line 12: _rake: needs per_10_000"),
        (with("_note = 'kept'", "_deadMoney = [1]"), "line 12: _deadMoney: 3 amounts are needed"),
        (with("{ a = 1,", "{ b = 1,"), "line 13: b stands there twice"),
        ("[[hands]]\nvariant = 'NT'".to_owned(), "line 1: a hand stands under a name of its own"),
        ("\u{0}\u{1}".to_owned(), "line 1: "),
    ];
    for (text, expected) in cases {
        let said = wrong(&text);
        assert!(said.starts_with(expected), "{said}\n{expected}");
    }
}

#[test]
fn no_cut_and_no_flipped_byte_is_a_panic() {
    let bytes = HAND.as_bytes();
    let mut read = 0;
    for i in 0..bytes.len() {
        read += usize::from(hands(&HAND[..i]).is_ok());
        for with in [b'\'', b'[', b'#', b'=', b'\n', b'9', 0] {
            let mut changed = bytes.to_vec();
            changed[i] = with;
            if let Ok(hands) = hands(&String::from_utf8(changed).unwrap()) {
                read += hands.iter().flatten().filter(|hand| hand.check().is_ok()).count();
            }
        }
    }
    assert!(read > 100, "{read}");
}
