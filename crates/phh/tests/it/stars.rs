//! PokerStars hand histories, in and out.

use crate::round::{document, random_hand};
use parlor_phh::{hands, stars};
use parlor_rules::{Draws, Rules as _, Seeded};
use parlor_rules_poker::card::{Card, Cards};
use parlor_rules_poker::hand::{Action, Next};
use parlor_rules_poker::variant::{Limit, VARIANTS, Variant};
use parlor_rules_poker::{Config, Event, Poker};
use parlor_testkit::count;
use serde_json::json;

fn file(extra: &str, actions: &str) -> String {
    format!(
        "variant = 'NT'\nante_trimming_status = true\n{extra}min_bet = 2\n\
         starting_stacks = [100, 100, 100]\nactions = [{actions}]\n"
    )
}

/// The file that comes back from PokerStars, and the text between.
fn there_and_back(text: &str) -> (String, String) {
    let hand = hands(text).expect("a file").remove(0).expect("a hand");
    let stars = stars::write(&hand, None).unwrap_or_else(|no| panic!("{no}\n{text}"));
    assert!(stars::is_stars(&stars));
    let told = stars::read(&stars).expect("hands").remove(0);
    let told = told.unwrap_or_else(|wrong| panic!("{wrong}\n{stars}"));
    assert_eq!(told.check().map(|_| ()), Ok(()), "{stars}");
    (told.phh().to_owned(), stars)
}

#[test]
fn a_hand_comes_back_as_it_was() {
    let text = file(
        "antes = [0, 0, 0]\nblinds_or_straddles = [1, 2, 0]\n",
        "'d dh p1 ????', 'd dh p2 ????', 'd dh p3 AsKs', 'p3 cbr 6', 'p1 f # no', 'p2 f'",
    );
    let (back, stars) = there_and_back(&text);
    assert_eq!(back, text, "{stars}");
}

/// The fields of a file, in its order.
fn fields(text: &str) -> Vec<(String, String)> {
    let hand = hands(text).expect("a file").remove(0).expect("a hand");
    hand.fields.iter().map(|f| (f.key.to_string(), format!("{:?}", f.value))).collect()
}

#[test]
fn every_hand_of_every_variant_comes_back_as_it_was() {
    for (path, text) in crate::real::texts() {
        let (back, stars) = there_and_back(&text);
        assert_eq!(fields(&back), fields(&text), "{}\n{stars}", path.display());
        // Everything that happens is told by lines of its own.
        assert!(!stars.contains("said, \"actions"), "{}\n{stars}", path.display());
    }
}

/// A hand of a variant, played at random, as a file.
fn random_file(variant: &'static Variant, draws: &mut Draws<'_>) -> String {
    let count = 2 + draws.below(u32::from(variant.seats) - 1) as usize;
    let stacks: Vec<u32> = (0..count).map(|_| 1 + draws.below(60)).collect();
    let ante = draws.below(3);
    let mut blinds = vec![0; count];
    if variant.button_blind {
        blinds[count - 1] = 2;
    } else {
        (blinds[0], blinds[1]) = (1, 2);
        if count > 2 && draws.below(5) == 0 {
            blinds[2] = 4;
        }
    }
    let bets = match (variant.has_blinds(), variant.limit) {
        (false, _) => "bring_in = 1\nsmall_bet = 2\nbig_bet = 4\n".to_owned(),
        (true, Limit::Fixed) => {
            format!("blinds_or_straddles = {blinds:?}\nsmall_bet = 2\nbig_bet = 4\n")
        }
        (true, _) => format!("blinds_or_straddles = {blinds:?}\nmin_bet = 2\n"),
    };
    let head = format!(
        "variant = '{}'\nante_trimming_status = true\nantes = {:?}\n{bets}\
         starting_stacks = {stacks:?}\n",
        variant.code,
        vec![ante; count],
    );
    let end = match (draws.below(3), variant.streets.iter().any(|street| street.board > 0)) {
        (0, true) => "_runs = 2\n",
        _ => "",
    };
    let empty = format!("{head}actions = []\n{end}");
    let mut hand =
        hands(&empty).expect("a file")[0].as_ref().expect("a hand").begin().expect("it begins");
    let mut cards: Vec<Card> = Card::all().filter(|card| card.number() >= variant.lowest).collect();
    for i in (1..cards.len()).rev() {
        cards.swap(i, draws.below(i as u32 + 1) as usize);
    }
    let mut actions = Vec::new();
    while hand.next() != Next::Over {
        let mut deal = |count: u8| -> Option<Cards> {
            let from = cards.len().checked_sub(count.into())?;
            Some(cards.drain(from..).collect())
        };
        let hole = |player: u8| hand.players()[usize::from(player)].hole;
        let action = match hand.next() {
            Next::Hole { player, cards } => deal(cards).map(|cards| Action::Hole { player, cards }),
            Next::Board { cards } => deal(cards).map(|cards| Action::Board { cards }),
            Next::Show { player } => Some(Action::Show { player, cards: Some(hole(player)) }),
            Next::BringIn { player } => Some(Action::BringIn { player }),
            Next::Draw { player } => {
                let count = draws.below(3) as usize;
                Some(Action::Discard { player, cards: hole(player).known().take(count).collect() })
            }
            Next::Act { player } => {
                let raise = hand.options().and_then(|options| options.raise);
                Some(match (draws.below(5), raise) {
                    (0, _) => Action::Fold { player },
                    (1, Some((least, _))) => Action::Raise { player, to: least },
                    (2, Some((_, most))) => Action::Raise { player, to: most },
                    _ => Action::Call { player },
                })
            }
            Next::Over => None,
        };
        // The deck has run out: another hand.
        let Some(action) = action else { return random_file(variant, draws) };
        hand.act(&action).expect("it fits");
        actions.push(format!("'{action}'"));
    }
    // Who was all-in shows the cards that came later too.
    for player in hand.shows_again() {
        let cards = Some(hand.players()[usize::from(player)].hole);
        actions.push(format!("'{}'", Action::Show { player, cards }));
    }
    let stacks: Vec<String> = hand.players().iter().map(|p| p.stack.to_string()).collect();
    let (actions, stacks) = (actions.join(", "), stacks.join(", "));
    format!("{head}actions = [{actions}]\nfinishing_stacks = [{stacks}]\n{end}")
}

#[test]
fn a_last_card_of_stud_that_lies_there_for_all_comes_back() {
    let mut chance = Seeded::new("for all");
    let mut draws = Draws::new(&mut chance);
    let stud = VARIANTS.iter().find(|variant| variant.code == "F7S").expect("stud");
    let mut found = 0;
    while found < count(1, 20) {
        let text = random_file(stud, &mut draws);
        if text.contains("'d db ") {
            let (back, stars) = there_and_back(&text);
            assert_eq!(back, text, "{stars}");
            found += 1;
        }
    }
}

#[test]
fn whoever_is_first_in_a_game_without_a_button_it_comes_back() {
    let hand = "variant = 'F7S'\nante_trimming_status = true\nantes = [0, 0]\nbring_in = 0.5\n\
                small_bet = 1\nbig_bet = 2\nstarting_stacks = [9, 9]\n\
                actions = ['d dh p1 Kh2cKc', 'd dh p2 TsJh2d', 'p2 pb', 'p1 f']\n\
                seats = [5, 2]\nplayers = ['Ann', 'Bob']\n";
    let (back, stars) = there_and_back(hand);
    assert_eq!(back, hand, "{stars}");
}

#[test]
fn whatever_is_played_it_comes_back() {
    let mut chance = Seeded::new("variants");
    let mut draws = Draws::new(&mut chance);
    let mut twice = 0;
    for variant in VARIANTS {
        for _ in 0..count(200, 10_000) {
            let text = random_file(variant, &mut draws);
            let (back, stars) = there_and_back(&text);
            assert_eq!(back, text, "{stars}");
            assert!(!stars.contains("said, \"actions"), "{stars}");
            twice += u32::from(stars.contains("\nHand was run twice\nFIRST Board ["));
        }
    }
    assert!(twice > 50, "{twice} boards run twice");
}

#[test]
fn whatever_is_posted_it_comes_back() {
    let mut chance = Seeded::new("stars");
    let mut draws = Draws::new(&mut chance);
    let mut side = 0;
    for _ in 0..count(1_000, 50_000) {
        let text = document(random_hand(&mut draws)).to_phh().expect("a file");
        let (back, stars) = there_and_back(&text);
        assert_eq!(back, text, "{stars}");
        side += u32::from(stars.contains("Side pot"));
    }
    assert!(side > 100, "{side} hands with side pots");
}

const SESSION: &str = include_str!("session.txt");

#[test]
fn a_session_is_read_to_the_last_chip() {
    let told = stars::read(SESSION).expect("hands");
    let told: Vec<_> =
        told.into_iter().map(|told| told.unwrap_or_else(|wrong| panic!("{wrong}"))).collect();
    let numbers: Vec<&str> = told.iter().map(|told| told.number.as_str()).collect();
    assert_eq!(numbers, ["100000000001", "100000000002", "100000000003"]);
    for told in &told {
        assert_eq!(told.check(), Ok(true), "{}", told.phh());
    }
    let first = "\
variant = 'NT'
ante_trimming_status = false
antes = [0, 0, 0, 0.5, 0]
blinds_or_straddles = [0.5, 1, 0, 0, 0]
min_bet = 1
starting_stacks = [61, 100, 100, 42.5, 100.25]
actions = ['d dh p1 ????', 'd dh p2 ????', 'd dh p3 AsAd', 'd dh p4 ????', 'd dh p5 ????', \
'p3 cbr 3', 'p4 cc', 'p5 f', 'p1 cc', 'p2 f', 'd db 2c7dJh', 'p1 cc', 'p3 cbr 6.25', 'p4 cbr 39', \
'p1 f', 'p3 cc', 'd db 8s', 'd db 3c', 'p4 sm 7h7s', 'p3 sm']
venue = 'PokerStars'
time = 20:15:07
time_zone_abbreviation = 'ET'
day = 1
month = 5
year = 2024
hand = 100000000001
seats = [5, 6, 1, 2, 3]
seat_count = 6
table = 'Meadow II'
players = ['Eve', 'Fay', 'Ada', 'Bob: the cat', 'Cy (x)']
finishing_stacks = [58, 99, 58, 85.7, 100.25]
currency = 'USD'
currency_symbol = '$'
_chip = 0.01
_rake = { per_10_000 = 10000, cap = 2.8, no_flop_no_drop = false }
_posted = [0, 0, 0, 1, 0]
_sittingOut = [{ seat = 4, player = 'Dee', stack = 80 }]
";
    assert_eq!(told[0].phh(), first);
    // A blind that is not paid whole is still one of 200; who was moved does not play.
    let short = told[1].phh();
    assert!(short.contains("antes = [25, 25, 25, 25]\nblinds_or_straddles = [100, 200, 0, 0]"));
    assert!(short.contains("players = ['Dee', 'Eve', 'Ada', 'Bob: the cat']"), "{short}");
    assert!(short.contains("finishing_stacks = [2875, 480, 1865, 0]"), "{short}");
    assert!(short.contains("event = 'Tournament #77, $10+$1 USD'"), "{short}");
    // Of two the first is the big blind, and one card that is shown is known.
    let two = told[2].phh();
    assert!(two.contains("blinds_or_straddles = [5, 10]"), "{two}");
    assert!(two.contains("'d dh p1 9h9d', 'd dh p2 ????', 'p2 cc', 'p1 cc'"), "{two}");
}

#[test]
fn what_was_read_is_written_as_it_was() {
    // Chat and who comes and goes are nobody's; nor is how a dash or a space stood.
    for told in stars::read(SESSION).expect("hands") {
        let told = told.expect("a hand");
        let hand = told.history().expect("a history");
        let text = stars::write(&hand, None).expect("a text");
        assert!(!text.contains("parlor said"), "{text}");
        let again = stars::read(&text).expect("hands").remove(0).expect("a hand");
        assert_eq!(again.phh(), told.phh());
        let find = |line: &str| SESSION.lines().any(|other| other.trim_end() == line);
        let mut lines = text.lines().filter(|line| {
            let head = line.starts_with("PokerStars") || line.contains(" in chips");
            !head
                && !line.contains("(Play Money)")
                && !line.ends_with("doesn't show hand")
                && !find(line)
        });
        assert_eq!(lines.next(), None, "{text}");
    }
}

/// The place and the reason why the session cannot be read with something replaced.
fn wrong(from: &str, to: &str) -> String {
    assert!(SESSION.contains(from), "{from}");
    let text = SESSION.replacen(from, to, 1);
    let all = match stars::read(&text) {
        Ok(all) => all,
        Err(wrong) => return wrong.to_string(),
    };
    let bad = all.iter().filter(|told| told.is_err()).count();
    let checked = all.into_iter().map(|told| match told {
        Ok(told) => told.check().map(|_| ()).map_err(|no| format!("{}: {no}", told.number)),
        Err(wrong) => Err(wrong.to_string()),
    });
    let mut faults = checked.filter_map(Result::err);
    let first = faults.next().unwrap_or_else(|| panic!("{from} as {to} is read"));
    assert!(bad <= 1 && faults.next().is_none(), "the rest is read");
    first
}

#[test]
fn what_is_wrong_is_told_with_its_place() {
    for (from, to, wanted) in [
        (
            "Total pot $88.50",
            "Total pot $88.60",
            "line 34: hand 100000000001: the players have paid 88.5",
        ),
        (
            "Rake $2.80",
            "Rake $2.70",
            "line 34: hand 100000000001: 85.7 collected and a rake of 2.7",
        ),
        ("Rake $2.80", "Rake two", "line 34: the pots are Total pot"),
        (
            "won ($85.70)",
            "won ($85.60)",
            "line 37: hand 100000000001: Bob: the cat has collected 85.7",
        ),
        ("Main pot 480.", "Main pot 490.", "the pots are 1455 together, not 1445"),
        ("[2c 7d Jh] [8s]", "[2c 7d Jh] [Jh]", "line 27: hand 100000000001: a card is dealt twice"),
        ("shows [7h 7s]", "shows [7h 7d]", "line 30: hand 100000000001: a card is dealt twice"),
        (
            "showed [7h 7s]",
            "showed [7h 7c]",
            "line 37: hand 100000000001: Bob: the cat has other cards",
        ),
        (
            "Board [2c 7d Jh 8s 3c]",
            "Board [2c 7d Jh 8s 3d]",
            "line 35: hand 100000000001: the board is",
        ),
        (
            "Bob: the cat: calls $2\n",
            "Bob: the cat: calls $3\n",
            "line 16: hand 100000000001: a call is 2, the text says 3",
        ),
        ("Fay: folds", "Fay: checks", "line 20: hand 100000000001: there is a bet: 2 to call"),
        ("Fay: folds", "Cy (x): folds", "line 20: hand 100000000001: Fay is to act, not Cy (x)"),
        ("raises $32.75 to $39", "raises $32 to $39", "a raise from 6.25 to 39 is not one by 32"),
        ("Cy (x): folds", "Cy (x): dances", "line 17: this line is not known: \"Cy (x): dances\""),
        ("Seat 6: Fay ($100", "Seat 5: Fay ($100", "line 8: seat 5 is taken twice"),
        ("Seat 6: Fay ($100", "Seat 6: Fay (all", "line 8: a seat is Seat NUMBER"),
        ("Seat 5: Eve ($61", "Seat 5: Eve ($2.50", "line 19: hand 100000000001: "),
        ("*** SUMMARY ***", "", "line 34: this line is not known: \"Total pot"),
        (
            "*** RIVER *** [2c 7d Jh 8s] [3c]\n*** SHOW DOWN ***\nAda",
            "*** SECOND RIVER *** [2c 7d Jh 8s] [3c]\n*** SHOW DOWN ***\nAda",
            "hand 100000000002: the hand is not played to its end: the board gets cards, 3",
        ),
        ("*** TURN ***", "*** VOLTA ***", "line 27: this heading is not known: \"VOLTA\""),
        (
            "Hold'em No Limit ($0.50",
            "Hold'em Half Limit ($0.50",
            "line 1: no game that is played here",
        ),
        (
            "PokerStars Hand #100000000001",
            "Main PokerStars n°100000000001",
            "line 1: no hand begins here",
        ),
        ("PokerStars Hand #100000000001", "PokerStars Hand #one", "line 1: \"one\" is no number"),
        ("($0.50/$1.00 USD)", "", "line 1: the stakes are needed"),
        ("Ada: mucks hand", "", "Ada neither shows nor mucks"),
        (
            "Eve collected 480 from main pot",
            "Ada collected 480 from main pot",
            "Ada has collected 1445",
        ),
    ] {
        let said = wrong(from, to);
        assert!(said.contains(wanted), "{from} as {to}: {said}");
    }
    // Cut in the middle.
    let cut = &SESSION[..SESSION.find("*** TURN").expect("a turn")];
    let said = stars::read(cut).expect("a hand").remove(0).expect_err("cut").to_string();
    assert_eq!(said, "line 26: the hand is cut off: there is no *** SUMMARY ***");
    assert_eq!(stars::read("").expect_err("nothing").line, 1);
}

#[test]
fn rubbish_never_panics() {
    let mut chance = Seeded::new("rubbish");
    let mut draws = Draws::new(&mut chance);
    let lines: Vec<&str> = SESSION.lines().collect();
    for _ in 0..count(3_000, 100_000) {
        let mut text = String::new();
        for line in &lines {
            let mut line = (*line).to_owned();
            match draws.below(60) {
                0 => continue,
                1 => line = lines[draws.below(lines.len() as u32) as usize].to_owned(),
                2 => line = line.replace('1', "9999999999"),
                3 => line.truncate(line.floor_char_boundary(draws.below(40) as usize)),
                4 => line = line.replace('$', "-"),
                5 => line = line.replace(' ', "  "),
                6 => line = line.replace("Ada", "[As"),
                _ => {}
            }
            text = text + &line + "\n";
        }
        for told in stars::read(&text).into_iter().flatten().flatten() {
            let _ = told.check();
            if let Ok(hand) = told.history() {
                let _ = stars::write(&hand, None);
                let _ = hand.to_document();
            }
        }
    }
}

#[test]
fn what_is_said_in_chat_counts_only_while_it_agrees() {
    let text = file(
        "antes = [0, 0, 0]\nblinds_or_straddles = [1, 2, 0]\n",
        "'d dh p1 ????', 'd dh p2 ????', 'd dh p3 AsKs', 'p3 cbr 6', 'p1 f', 'p2 f'",
    );
    let (back, stars) = there_and_back(&text);
    assert_eq!(back, text);
    // Somebody has changed the hand, or what is said of it.
    for (from, to) in [
        ("raises 4 to 6", "raises 5 to 7"),
        ("Seat 3: p3 (100", "Seat 3: p3 (101"),
        ("parlor said, \"without", "parlor said, \"antes = [1, 1, 1]\"\nparlor said, \"without"),
    ] {
        assert!(stars.contains(from), "{from}\n{stars}");
        let changed = stars.replace(from, to).replace("Uncalled bet (4)", "Uncalled bet (5)");
        let changed = if from.starts_with("raises") { changed } else { stars.replace(from, to) };
        let told = stars::read(&changed).expect("hands").remove(0).expect("a hand");
        assert!(told.phh().contains("venue = 'PokerStars'"), "{}", told.phh());
        assert!(told.phh().contains("antes = [0, 0, 0]"), "{}", told.phh());
    }
}

#[test]
fn odd_names_comments_and_fields_come_back() {
    let blinds = "antes = [0, 0, 0]\nblinds_or_straddles = [1, 2, 4]\n";
    let actions = "'d dh p1 ????', 'd dh p2 Qc?? # one', 'd dh p3 AsKs', 'p1 cc', 'p2 f # \"so\"', \
                   'p3 cbr 8', 'p1 f # no', 'p3 sm AsKs # there'";
    let more = [
        "",
        "author = 'C'\nplayers = ['A', 'B', 'C']\n",
        "seats = [3, 1, 2]\nseat_count = 5\nplayers = ['A', 'A: folds', 'A [x']\n",
        "seats = [2, 4, 9]\nplayers = ['A', 'A', '']\n_note = \"a\\nb\"\n",
        "year = 2020\nplayers = ['A: B', 'A', 'B said, \"x\"']\nfinishing_stacks = [96, 98, 106]\n",
        "currency = 'EUR'\nhand = 12\n_table = { a = 1, b = ['x', { c = true }] }\n",
    ];
    for more in more {
        let text = file(blinds, actions) + more;
        let (back, stars) = there_and_back(&text);
        let fields = |text: &str| {
            let mut all = fields(text);
            all.sort();
            all
        };
        assert_eq!(fields(&back), fields(&text), "{stars}");
    }
}

#[test]
fn bytes_of_other_kinds_are_text() {
    let text = "a\r\nж";
    let wide = |order: fn(u16) -> [u8; 2]| -> Vec<u8> {
        let units = std::iter::once(0xfeff).chain(text.encode_utf16());
        units.flat_map(order).collect()
    };
    for bytes in [
        text.as_bytes().to_vec(),
        format!("\u{feff}{text}").into_bytes(),
        wide(u16::to_le_bytes),
        wide(u16::to_be_bytes),
    ] {
        assert_eq!(parlor_phh::decoded(&bytes).expect("a text"), text);
    }
    let mut cut = wide(u16::to_le_bytes);
    cut.pop();
    let said = parlor_phh::decoded(&cut).expect_err("half a letter").to_string();
    assert_eq!(said, "line 2: this is no text in UTF-16");
    let crlf = SESSION.replace('\n', "\r\n");
    assert!(stars::read(&crlf).expect("hands").iter().all(Result::is_ok));
}

#[test]
fn every_hand_of_a_table_comes_back_with_who_sits_out() {
    let options =
        json!({"min_buy_in": 4, "max_buy_in": 60, "ante": 1, "small_blind": 0.5, "big_blind": 1});
    let config: Config = serde_json::from_value(options).expect("a config");
    let (mut chance, mut dice) = (Seeded::new("cards"), Seeded::new("said"));
    let (mut draws, mut said) = (Draws::new(&mut chance), Draws::new(&mut dice));
    let mut state = Poker::begin(&config, 6, &mut draws).expect("a right config");
    let (mut ended, mut out, mut dead) = (0, 0, 0);
    while ended < count(300, 5_000) {
        let input = crate::live::input(&state, &mut said);
        let Ok(events) = Poker::play(&mut state, &input, &mut draws) else { continue };
        if !events.iter().any(|event| matches!(event, Event::HandEnded { .. })) {
            continue;
        }
        ended += 1;
        let doc = serde_json::to_value(Poker::doc(&state)).expect("JSON");
        if doc["actions"] == json!([]) {
            continue;
        }
        let text = document(doc).to_phh().expect("a file");
        let (back, stars) = there_and_back(&text);
        assert_eq!(back, text, "{stars}");
        out += u32::from(stars.contains(" in chips) is sitting out"));
        dead += u32::from(stars.contains("without") && text.contains("_deadMoney"));
    }
    assert!(out > 50 && dead > 5, "{out} hands with somebody out, {dead} with dead money");
}

#[test]
fn headers_of_every_kind_are_read() {
    let last = &SESSION[SESSION.find("PokerStars Hand #100000000003").expect("the last hand")..];
    let (_, body) = last.split_once('\n').expect("lines");
    for (header, wanted) in [
        (
            "PokerStars Game #7:  Hold'em No Limit (5/10) - 2009/07/01 - 7:23:59 (ET)",
            "time = 07:23:59",
        ),
        (
            "PokerStars Zoom Hand #7:  Hold'em No Limit (£5/£10) - 2025/12/24 18:13:43 ET",
            "currency_symbol = '£'",
        ),
        (
            "PokerStars Home Game Hand #7: {Club #12}  Hold'em No Limit (€5/€10 EUR) - 2024/01/01 0:00:00 ET",
            "event = '{Club #12}'",
        ),
        (
            "PokerStars Hand #7: Tournament #1, Freeroll  Hold'em No Limit - Level XI (5/10) - 2024/01/01 0:00:00 ET",
            "_level = 'XI'",
        ),
        (
            "PokerStars Hand #7:  8-Game (Hold'em No Limit, $5/$10 USD) - 2024/01/01 0:00:00 ET",
            "event = '8-Game'",
        ),
        ("PokerStars Hand #7:  Hold'em No Limit ($5/$10 - Ante $1 USD)", "currency = 'USD'"),
        ("PokerStars Hand #7:  Hold'em No Limit (5/10) - 2024/13/01 0:00:00 ET", "hand = 7"),
        (
            "*********** # 1 **************\nPokerStars Hand #7:  Hold'em No Limit (5/10)",
            "hand = 7",
        ),
    ] {
        let text = format!("\n{header}\n{body}");
        assert!(stars::is_stars(&text), "{header}");
        let told = stars::read(&text).expect("a hand").remove(0);
        let told = told.unwrap_or_else(|wrong| panic!("{wrong}: {header}"));
        assert_eq!(told.check(), Ok(true), "{header}");
        assert!(told.phh().contains(wanted), "{header}\n{}", told.phh());
        // It is written once more, perhaps otherwise, and then it stays.
        let again = stars::write(&told.history().expect("a hand"), None).expect("a text");
        let back = stars::read(&again).expect("a hand").remove(0).expect("a hand");
        assert_eq!(back.phh(), told.phh(), "{again}");
    }
    for header in [
        "PokerStars Hand #7:  5 Card Omaha Pot Limit (5/10)",
        "PokerStars Hand #7:  Hold'em Pot Limit (5/10)",
        "PokerStars Hand #7:  Hold'em No Limit - 2024/01/01 0:00:00 ET",
    ] {
        let told = stars::read(&format!("{header}\n{body}")).expect("a hand").remove(0);
        assert_eq!(told.expect_err("another game").line, 1);
    }
}
