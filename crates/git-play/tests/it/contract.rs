//! `state.json` by its contract: the schema, the two examples, every rule and every edge case.

use crate::support::{NOON, key, players, table};
use crate::vectors::root;
use parlor_git_play::color::Pair;
use parlor_git_play::doc::{Kind, MESSAGES, stamp};
use parlor_git_play::game::Chance;
use parlor_git_play::matches::Layout;
use parlor_git_play::reject::Reject;
use parlor_git_play::{Color, Dice, Doc, Game, Match, MoveFile};
use parlor_rules::Reject as _;
use parlor_rules_backgammon::board::Side;
use parlor_rules_backgammon::plays::longest;
use serde_json::{Value, json};
use std::fs;
use std::sync::LazyLock;

static SCHEMA: LazyLock<jsonschema::Validator> = LazyLock::new(|| {
    let text = fs::read_to_string(root().join("docs/gitgammon/state.schema.json")).unwrap();
    let schema: Value = serde_json::from_str(&text).unwrap();
    jsonschema::options().should_validate_formats(true).build(&schema).unwrap()
});

pub(crate) fn is_by_the_schema(text: &str) {
    let value: Value = serde_json::from_str(text).unwrap();
    let faults: Vec<String> = SCHEMA.iter_errors(&value).map(|e| e.to_string()).collect();
    assert!(faults.is_empty(), "{faults:?} in {text}");
}

fn example(name: &str) -> String {
    fs::read_to_string(root().join("conformance/git-states").join(name)).unwrap()
}

/// What is wrong, and what is odd, with the mid-game example after a change.
fn read(change: impl FnOnce(&mut Value)) -> (Vec<String>, Vec<String>) {
    let mut value: Value = serde_json::from_str(&example("mid-game.json")).unwrap();
    change(&mut value);
    let read = Doc::read(&value.to_string());
    let shown = |fault: &parlor_rules::Fault| format!("{}: {}", fault.path, fault.text);
    let faults = read.found.err().unwrap_or_default();
    (faults.iter().map(shown).collect(), read.warnings.iter().map(shown).collect())
}

fn faults(change: impl FnOnce(&mut Value)) -> Vec<String> {
    read(change).0
}

#[track_caller]
fn only(path: &str, change: impl FnOnce(&mut Value)) {
    let faults = faults(change);
    let at = format!("{path}:");
    assert!(!faults.is_empty() && faults.iter().all(|f| f.starts_with(&at)), "{faults:?}");
}

#[track_caller]
fn good(change: impl FnOnce(&mut Value)) {
    assert_eq!(faults(change), Vec::<String>::new());
}

#[track_caller]
fn odd(path: &str, change: impl FnOnce(&mut Value)) {
    let (faults, warnings) = read(change);
    let at = format!("{path}:");
    assert_eq!(faults, Vec::<String>::new());
    assert!(warnings.iter().any(|warning| warning.starts_with(&at)), "{warnings:?}");
}

/// A table whose dice are these.
fn opened(dice: &[u8], layout: Layout) -> Game {
    let meta = Match::new(table("t1"), layout, 0, None);
    let mut chance = Chance::tape(dice);
    Game::open(meta, players(), &mut chance, NOON).unwrap().game
}

/// A game with these men, white to move these dice.
fn game(men: &[(usize, i8)], bar: (u8, u8), home: (u8, u8), dice: [u8; 2]) -> Game {
    let mut points = [0; 24];
    men.iter().for_each(|(index, men)| points[*index] = *men);
    let pair = |(white, black)| Pair { white, black };
    let board = parlor_git_play::doc::board(&points, &pair(bar), &pair(home)).unwrap();
    let mut game = opened(&[3, 5], Layout::Standard);
    (game.doc.board, game.doc.dice, game.doc.active) = (board, dice, Color::White);
    game
}

/// Plays steps as `from/to/die`, then these dice fall.
fn play(game: &Game, steps: &str, dice: &[u8]) -> Result<Game, Reject> {
    let steps: Vec<Value> = steps
        .split_whitespace()
        .map(|step| {
            let n: Vec<i8> = step.split('/').map(|n| n.parse().unwrap()).collect();
            json!({"from": n[0], "to": n[1], "die": n[2]})
        })
        .collect();
    let file = MoveFile::new(&game.doc, Vec::new(), NOON);
    let mut value: Value = serde_json::from_str(&file.write()).unwrap();
    value["moves"] = json!(steps);
    let file = MoveFile::read(&value.to_string()).unwrap();
    let name = file.name(game.doc.sequence() + 1);
    game.play(&file, &name, &mut Chance::tape(dice), NOON).map(|step| step.game)
}

fn texts(game: &Game) -> Vec<&str> {
    game.doc.messages.iter().map(|message| message.text.as_str()).collect()
}

#[test]
fn both_examples_are_read_and_written_to_the_byte() {
    for name in ["initial.json", "mid-game.json"] {
        let text = example(name);
        is_by_the_schema(&text);
        let read = Doc::read(&text);
        assert!(read.warnings.is_empty(), "{:?}", read.warnings);
        assert_eq!(read.found.unwrap().write(), text);
    }
}

#[test]
fn what_the_schema_refuses_is_refused_here_too() {
    let mid: Value = serde_json::from_str(&example("mid-game.json")).unwrap();
    let mut tried = 0;
    let mut check = |value: &Value, what: &str| {
        assert!(!SCHEMA.is_valid(value), "{what}");
        assert!(Doc::read(&value.to_string()).found.is_err(), "{what}");
        tried += 1;
    };
    for key in mid.as_object().unwrap().keys() {
        let mut value = mid.clone();
        value.as_object_mut().unwrap().remove(key);
        check(&value, key);
        for wrong in [json!(true), json!("x"), json!(-1), json!(1.5), json!([[]]), json!({})] {
            let mut value = mid.clone();
            value[key] = wrong.clone();
            if !SCHEMA.is_valid(&value) {
                check(&value, &format!("{key} {wrong}"));
            }
        }
    }
    let deep = ["", "/bar", "/home", "/lastMove", "/players", "/messages/0"];
    for place in deep {
        let mut value = mid.clone();
        value.pointer_mut(place).unwrap()["more"] = json!(1);
        check(&value, place);
    }
    assert!(tried > 60, "{tried}");
}

// The contract's validation rules.

#[test]
fn piece_count_invariant() {
    only("board", |s| s["bar"]["white"] = json!(2));
    only("board", |s| s["home"]["black"] = json!(3));
    only("board", |s| s["board"][2] = json!(3));
    only("board", |s| _ = s["board"].as_array_mut().unwrap().pop());
}

#[test]
fn dice_are_one_to_six() {
    for dice in [json!([0, 2]), json!([7, 2]), json!([4]), json!([])] {
        only("dice", |s| s["dice"] = dice);
    }
}

#[test]
fn dice_used_are_a_part_of_the_dice() {
    for used in [json!([4, 4]), json!([3]), json!([4, 2, 2])] {
        only("diceUsed", |s| s["diceUsed"] = used);
    }
}

#[test]
fn dice_used_are_none_while_a_turn_is_waited_for() {
    only("diceUsed", |s| s["diceUsed"] = json!([4]));
}

#[test]
fn doubles_are_four_identical_values() {
    good(|s| s["dice"] = json!([3, 3, 3, 3]));
    for dice in [json!([3, 3]), json!([3, 3, 3]), json!([3, 3, 3, 4]), json!([3, 4, 3, 4])] {
        only("dice", |s| s["dice"] = dice);
    }
}

#[test]
fn the_opening_roll_names_the_starter_and_ties_are_rolled_again() {
    // Black throws first; nobody may infer that from the order of the dice.
    let white = opened(&[2, 5], Layout::Standard);
    let black = opened(&[4, 4, 6, 1], Layout::Standard);
    assert_eq!((white.doc.active, white.doc.turn), (Color::White, 1));
    assert_eq!((black.doc.active, black.doc.dice), (Color::Black, [6, 1]));
    assert_eq!(texts(&white), ["Game started. White to move."]);
    assert_eq!(texts(&black), ["Game started. Black to move."]);
}

#[test]
fn winner_is_null_while_playing() {
    only("winner", |s| s["winner"] = json!("white"));
}

#[test]
fn a_completed_game_has_a_winner() {
    only("winner", |s| s["status"] = json!("completed"));
    good(|s| {
        s["status"] = json!("completed");
        s["winner"] = json!("black");
    });
}

#[test]
fn a_game_is_completed_when_somebody_is_home() {
    let home = |s: &mut Value, winner: Value| {
        s["board"] = json!(vec![0; 24]);
        s["board"][0] = json!(14);
        s["home"] = json!({"white": 0, "black": 15});
        s["winner"] = winner;
    };
    only("status", |s| home(s, Value::Null));
    only("winner", |s| {
        home(s, json!("white"));
        s["status"] = json!("completed");
    });
}

#[test]
fn last_move_is_null_only_in_turn_1() {
    only("lastMove", |s| s["lastMove"] = Value::Null);
    good(|s| {
        s["lastMove"] = Value::Null;
        s["turn"] = json!(1);
    });
}

#[test]
fn last_move_sequence_fits_the_turn() {
    good(|s| s["turn"] = json!(14));
    only("lastMove.sequence", |s| s["turn"] = json!(11));
    only("lastMove.file", |s| s["lastMove"]["sequence"] = json!(10));
    only("lastMove.file", |s| s["lastMove"]["file"] = json!("0011-white-.json"));
    only("lastMove.file", |s| s["lastMove"]["file"] = json!("../0011-white-a3f2e1.json"));
    good(|s| s["lastMove"]["file"] = json!("0011-white-a3f2e1a3f2e1.json"));
}

#[test]
fn last_move_player_and_active_player_are_a_warning() {
    let same = |s: &mut Value| s["activePlayer"] = json!("white");
    odd("lastMove.player", same);
    // After a pass it is as it should be.
    let (faults, warnings) = read(|s| {
        same(s);
        s["turn"] = json!(13);
    });
    assert_eq!((faults.len(), warnings.len()), (0, 0));
}

#[test]
fn timestamps_are_really_times() {
    for bad in ["yesterday", "2025-01-21", "2025-02-30T12:00:00Z", "2025-01-21T12:00:00"] {
        only("messages.1.timestamp", |s| s["messages"][1]["timestamp"] = json!(bad));
        only("updatedAt", |s| s["updatedAt"] = json!(bad));
    }
    good(|s| s["updatedAt"] = json!("2025-01-21T13:00:00.5+01:00"));
}

#[test]
fn message_types_are_three() {
    only("messages.0.type", |s| s["messages"][0]["type"] = json!("fatal"));
    only("messages.0.text", |s| s["messages"][0]["text"] = json!(""));
}

#[test]
fn every_fault_of_every_message_is_told_at_its_place() {
    let faults = faults(|s| {
        s["messages"][0] = json!({"type": "fatal", "text": "", "timestamp": "now", "by": "me"});
        s["messages"][1]["text"] = json!("");
        s["messages"][1]["timestamp"] = json!("yesterday");
    });
    let places: Vec<&str> = faults.iter().filter_map(|f| f.split(": ").next()).collect();
    let first = ["type", "text", "timestamp", "by"].map(|key| format!("messages.0.{key}"));
    let second = ["text", "timestamp"].map(|key| format!("messages.1.{key}"));
    assert_eq!(places, [&first[..], &second[..]].concat());
}

#[test]
fn messages_out_of_order_are_a_warning() {
    odd("messages.1.timestamp", |s| {
        s["messages"][1]["timestamp"] = json!("2025-01-20T12:00:00Z");
    });
}

#[test]
fn players_differ_whatever_the_case() {
    only("players", |s| s["players"]["black"] = json!("ALICE"));
    only("players.white", |s| s["players"]["white"] = json!(""));
}

#[test]
fn every_fault_is_told_not_only_the_first() {
    let faults = faults(|s| {
        s["turn"] = json!(0);
        s["dice"] = json!([9, 9]);
        s["winner"] = json!("nobody");
        s["updatedAt"] = json!("now");
        s["cube"] = json!(2);
    });
    for path in ["turn", "dice", "winner", "updatedAt", "cube"] {
        assert!(faults.iter().any(|fault| fault.starts_with(path)), "{path} in {faults:?}");
    }
}

#[test]
fn positions_are_not_asked_how_they_came_about() {
    good(|s| s["home"] = json!({"white": 0, "black": 4}));
}

#[test]
fn a_field_twice_or_no_json_is_refused() {
    let text = example("mid-game.json");
    for bad in [text.replacen("\"turn\": 12", "\"turn\": 12, \"turn\": 12", 1), "[".repeat(9_999)] {
        assert!(Doc::read(&bad).found.unwrap_err().to_string().contains("is not JSON"));
    }
}

// Layouts.

#[test]
fn the_printed_layout_is_the_contract_s_array_and_the_standard_one_its_negative() {
    let printed = Doc::read(&example("initial.json")).found.unwrap().points();
    assert_eq!(opened(&[3, 5], Layout::Printed).doc.points(), printed);
    let standard = opened(&[3, 5], Layout::Standard);
    assert_eq!(standard.doc.points(), printed.map(|men| -men));
    let pips = |game: &Game| [Side::Own, Side::Other].map(|side| game.doc.board.pips(side));
    assert_eq!(pips(&standard), [167, 167]);
    assert_eq!(pips(&opened(&[3, 5], Layout::Printed)), [208, 208]);
}

#[test]
fn every_opening_roll_can_be_played_in_both_layouts() {
    for layout in [Layout::Standard, Layout::Printed] {
        for (a, b) in (1..=6).flat_map(|a| (1..=6).map(move |b| (a, b))).filter(|(a, b)| a != b) {
            let game = opened(&[a, b], layout);
            let board = game.state().seen_by(game.doc.active.seat());
            assert!(longest(&board, &game.doc.all_dice()).used > 0, "{a}{b}");
        }
    }
}

// The contract's edge cases.

#[test]
fn doubles_are_four_dice_and_all_are_played_if_they_can_be() {
    let mut game = opened(&[2, 5], Layout::Standard);
    game.doc.dice = [6, 6];
    assert!(game.doc.write().contains("\"dice\": [6, 6, 6, 6]"));
    assert!(play(&game, "23/17/6 23/17/6 12/6/6", &[1, 2]).is_err());
    let after = play(&game, "23/17/6 23/17/6 12/6/6 12/6/6", &[3, 3]).unwrap();
    assert_eq!((after.doc.turn, after.doc.active), (2, Color::Black));
    assert_eq!(after.doc.all_dice(), [3, 3, 3, 3]);
}

#[test]
fn no_legal_move_passes_the_turn_with_its_message_and_goes_on() {
    // White's home is closed and black stands on the bar.
    let closed: Vec<(usize, i8)> = (0..6).map(|index| (index, 2)).chain([(13, 3)]).collect();
    let men = [&closed[..], &[(7, -2), (18, -12)]].concat();
    let game = game(&men, (0, 1), (0, 0), [2, 1]);
    // Black cannot enter, white cannot play 66, black cannot enter, white plays 43.
    let after = play(&game, "13/11/2 13/12/1", &[5, 4, 6, 6, 6, 5, 4, 3]);
    let after = after.unwrap();
    assert_eq!(after.doc.turn, game.doc.turn + 2, "white can play a 6 from 12 and 11");
    let after = play(&after, "12/6/6 11/5/6 6/0/6", &[1, 1, 4, 3]).unwrap();
    let passes = texts(&after).iter().filter(|text| **text == "No legal moves available").count();
    assert_eq!((after.doc.active, passes), (Color::White, 2));
    assert!(after.doc.dice_used.is_empty());
    assert!(after.doc.messages.iter().all(|message| message.timestamp == stamp(NOON)));
}

#[test]
fn as_many_dice_as_possible_and_of_two_that_exclude_each_other_the_higher() {
    let game = game(&[(12, 1), (1, -2), (20, -13)], (0, 0), (14, 0), [6, 5]);
    assert!(matches!(play(&game, "12/7/5", &[1, 2]), Err(Reject::Rules { .. })));
    let after = play(&game, "12/6/6", &[1, 2]).unwrap();
    assert_eq!(after.doc.active, Color::Black);
}

#[test]
fn men_on_the_bar_enter_first_and_on_open_points_of_the_opponent_s_home() {
    let men = [(5, 5), (7, 3), (12, 5), (23, 1), (0, -2), (11, -5), (16, -3), (18, -4), (20, -1)];
    let game = game(&men, (1, 0), (0, 0), [4, 1]);
    assert!(play(&game, "12/8/4 5/4/1", &[1, 2]).is_err(), "the bar is first");
    assert!(play(&game, "-1/19/4 5/4/1", &[1, 2]).is_err(), "a 4 enters at index 20");
    let after = play(&game, "-1/20/4 5/4/1", &[1, 2]).unwrap();
    assert_eq!(after.doc.bar(), Pair { white: 0, black: 1 });
    assert!(texts(&after).contains(&"Black piece hit on point 21."));
    let game = Game { doc: Doc { dice: [6, 5], ..game.doc.clone() }, ..game };
    let after = play(&game, "-1/19/5 19/13/6", &[1, 2]).unwrap();
    assert_eq!(after.doc.bar().white, 0, "a 6 does not enter: index 18 is black's");
}

#[test]
fn men_are_borne_off_from_home_alone_exactly_or_from_the_highest_point() {
    let outside = game(&[(4, 14), (6, 1), (20, -15)], (0, 0), (0, 0), [5, 4]);
    assert!(play(&outside, "4/24/5 4/0/4", &[1, 2]).is_err(), "one man is outside");
    let home = game(&[(3, 13), (1, 2), (20, -15)], (0, 0), (0, 0), [6, 2]);
    assert!(play(&home, "1/24/6 1/24/2", &[1, 2]).is_err(), "a 6 takes from the highest point");
    let after = play(&home, "3/24/6 1/24/2", &[1, 2]).unwrap();
    assert_eq!(after.doc.home().white, 2);
    // Black bears off from indices 18 to 23.
    let mut black = game(&[(0, 15), (23, -15)], (0, 0), (0, 0), [3, 1]);
    black.doc.active = Color::Black;
    assert_eq!(play(&black, "23/24/3 23/24/1", &[1, 2]).unwrap().doc.home().black, 2);
}

#[test]
fn a_step_that_is_refused_names_the_rule_it_breaks() {
    let open = |dice| {
        let mut game = opened(&[2, 5], Layout::Standard);
        game.doc.dice = dice;
        game
    };
    let bar = [(5, 5), (7, 3), (12, 5), (23, 1), (0, -2), (11, -5), (16, -3), (18, -5)];
    let bar = game(&bar, (1, 0), (0, 0), [4, 1]);
    let outside = game(&[(4, 14), (6, 1), (20, -15)], (0, 0), (0, 0), [5, 4]);
    let home = game(&[(3, 13), (1, 2), (20, -15)], (0, 0), (0, 0), [6, 2]);
    let mut black = open([3, 1]);
    black.doc.active = Color::Black;
    for (game, steps, why) in [
        (&open([3, 1]), "9/6/3 5/4/1", "no man of white's on point 10"),
        (&open([3, 1]), "7/4/3 7/6/1 0/1/1", "there is no 1 left to play"),
        (&open([3, 1]), "0/3/3 5/4/1", "no man of white's on point 1"),
        (&open([3, 1]), "-1/21/3 5/4/1", "no man of white's on the bar"),
        (&black, "23/20/3 16/17/1", "no man of black's on point 24"),
        (&open([3, 1]), "7/5/3 5/4/1", "a 3 does not lead from point 8 to point 6"),
        (&open([5, 1]), "5/0/5 5/4/1", "black holds point 1"),
        (&open([6, 1]), "5/24/6 5/4/1", "white bears off only with all men at home"),
        (&bar, "12/8/4 5/4/1", "men of white's on the bar enter first"),
        (&bar, "-1/21/4 5/4/1", "a 4 does not lead from the bar to point 22"),
        (&bar, "-1/24/4 5/4/1", "a step needs a point it leaves or a point it reaches"),
        (&outside, "4/24/5 4/0/4", "white bears off only with all men at home"),
        (&home, "1/24/6 1/24/2", "a 6 bears off a man of white's farther back than point 2"),
        (&home, "3/24/3 1/24/2", "there is no 3 left to play"),
    ] {
        let reject = play(game, steps, &[1, 2]).unwrap_err();
        assert_eq!((reject.code(), &reject.text()[..]), ("illegal_move", why), "{steps}");
    }
}

#[test]
fn the_winner_is_written_with_the_dice_that_were_used() {
    let game = game(&[(0, 1), (20, -14)], (0, 0), (14, 1), [2, 1]);
    let after = play(&game, "0/24/2", &[]).unwrap();
    let doc = &after.doc;
    assert_eq!((doc.winner, doc.active), (Some(Color::White), Color::White));
    assert_eq!((doc.turn, &doc.dice_used[..], doc.dice), (game.doc.turn, &[2][..], [2, 1]));
    assert_eq!(after.meta.games[0].result, "single");
    assert_eq!(play(&after, "20/22/2", &[]).unwrap_err().code(), "completed");
}

#[test]
fn who_resigns_has_lost_and_the_board_stays() {
    let game = opened(&[2, 5], Layout::Standard);
    let after = game
        .resign(Color::White, 2u8.try_into().unwrap(), &mut Chance::tape(&[]), NOON)
        .unwrap()
        .game;
    assert_eq!((after.doc.winner, after.doc.active), (Some(Color::Black), Color::Black));
    assert_eq!(texts(&after)[1..], ["Player resigned", "Black wins a gammon."]);
    assert_eq!((after.doc.points(), after.meta.score.black), (game.doc.points(), 2));
    let text = after.doc.write();
    is_by_the_schema(&text);
    assert_eq!(Doc::read(&text).found.unwrap(), after.doc);
}

#[test]
fn the_last_twenty_messages_are_kept() {
    let mut game = opened(&[2, 5], Layout::Standard);
    for i in 0..50 {
        game = game.told(Kind::Error, format!("message {i}"), NOON);
    }
    assert_eq!(game.doc.messages.len(), MESSAGES);
    assert_eq!(texts(&game).last(), Some(&"message 49"));
}

#[test]
fn a_move_is_made_for_one_state_and_messages_do_not_change_it() {
    let game = opened(&[2, 5], Layout::Standard);
    let later = game.told(Kind::Error, "Invalid move rejected: something", NOON + 5_000);
    assert_eq!(game.doc.fingerprint(), later.doc.fingerprint());
    let mut turned = game.clone();
    turned.doc.dice.reverse();
    assert_eq!(game.doc.fingerprint(), turned.doc.fingerprint(), "dice are unordered");
    turned.doc.turn += 1;
    assert_ne!(game.doc.fingerprint(), turned.doc.fingerprint());
}

#[test]
fn dice_follow_from_the_secret_the_game_and_the_turn_alone() {
    let dice = Dice::new(table("t1"), key().table_secret(&table("t1")));
    let rolls = |game, turn| {
        let mut source = dice.turn(game, turn);
        let mut below = || parlor_rules::Source::below(&mut source, 6).unwrap();
        [below(), below()]
    };
    assert_eq!(rolls(1, 7), rolls(1, 7));
    let mut counts = [0u32; 6];
    (1..=3_000).for_each(|turn| rolls(1, turn).iter().for_each(|die| counts[*die as usize] += 1));
    assert!(counts.iter().all(|count| (850..1150).contains(count)), "{counts:?}");
    assert!((1..20).any(|turn| rolls(1, turn) != rolls(2, turn)));
    let other = Dice::new(table("t2"), key().table_secret(&table("t2")));
    assert_ne!(dice.commitment(), other.commitment());
}
