//! Lists, .psq, SGF and the Gomocup protocol.

use crate::support::{mutations, random_game, say, table};
use parlor_rules_gomoku::board::{Colour, Point, Size};
use parlor_rules_gomoku::command::Command;
use parlor_rules_gomoku::gomocup::{self, Answer, Request};
use parlor_rules_gomoku::record::{Record, Verdict};
use parlor_rules_gomoku::rule::Rule;
use parlor_rules_gomoku::{notation, psq, sgf};
use parlor_testkit::count;
use serde_json::json;

#[test]
fn a1_is_at_the_bottom_left_of_every_board() {
    for size in Size::ALL {
        let side = size.get();
        assert_eq!(notation::name(Point::new(0, side - 1), size), "a1");
        assert_eq!(notation::point("a1", size), Ok(Point::new(0, side - 1)));
        for point in size.all() {
            let name = notation::name(point, size);
            assert_eq!(notation::point(&name, size), Ok(point), "{name}");
            assert_eq!(notation::point(&name.to_uppercase(), size), Ok(point), "{name}");
        }
    }
    assert_eq!(notation::point("o15", Size::USUAL), Ok(Point::new(14, 0)));
    for wrong in ["", "a", "1", "a0", "a01", "a16", "p1", "a1 ", "a-1", "a+1", "é1", "`1", "a999"]
    {
        assert!(notation::point(wrong, Size::USUAL).is_err(), "{wrong}");
    }
}

#[test]
fn random_games_are_the_same_in_every_form() {
    let (mut rows, mut openings) = (0, 0);
    for i in 0..count(200, 5_000) {
        let seed = format!("formats {i}");
        let config = match i % 3 {
            0 => json!({"rule": "standard"}),
            1 => json!({"rule": "freestyle", "swap2Enabled": true, "first_mover": "white"}),
            _ => json!({"rule": "caro", "board_size": 19, "swap2Enabled": true}),
        };
        let state = random_game(config, &seed, i % 120);
        let record = Record::of(state.game());
        let text = sgf::write(&record);
        let read = sgf::read(&text);
        assert_eq!(read.as_ref(), Ok(&record), "{text}");
        openings += u32::from(record.opening > 0);
        rows += u32::from(record.result.as_deref().is_some_and(|r| r == "B+" || r == "W+"));
        let bare = Record { stones: record.stones.clone(), ..Record::new(record.size) };
        if record.in_turn() {
            let list = notation::write(&record).unwrap();
            assert_eq!(notation::read(&list, record.size).as_ref(), Ok(&bare));
            let file = psq::write(&record).unwrap();
            let back = psq::read(&file).unwrap();
            assert_eq!((back.stones, back.size), (record.stones.clone(), record.size), "{file}");
        } else {
            assert!(notation::write(&record).is_err() && psq::write(&record).is_err());
        }
        // What was played is what a judge of the record finds.
        let verdict = record.judge(state.game().config().rule).unwrap();
        let won = state.game().row().map(|row| (!state.game().to_move(), row));
        assert_eq!(verdict, won.map_or(Verdict::Open, |(c, row)| Verdict::Won(c, row)), "{text}");
    }
    assert!(openings > 50 && rows > 0, "{openings} openings, {rows} rows");
}

#[test]
fn a_psq_file_of_piskvork_is_read() {
    let text = "Piskvorky 20x20, 11:11, 1\r\n11,11,0\r\n10,11,312\r\n12,12,5\r\npbrain-a.zip\r\n\
                pbrain-b.zip\r\n-1\r\n";
    let record = psq::read(text).unwrap();
    assert_eq!(record.size.get(), 20);
    let stones = [(10, 10), (9, 10), (11, 11)].map(|(x, y)| Point::new(x, y));
    let colours = [Colour::Black, Colour::White, Colour::Black];
    assert_eq!(record.stones, colours.into_iter().zip(stones).collect::<Vec<_>>());
    assert_eq!(record.names[1].as_deref(), Some("pbrain-b.zip"));
}

#[test]
fn no_move_of_a_psq_file_is_lost() {
    let head = "Piskvorky 15x15, 11:11, 0\n8,8,0\n";
    for (rest, line) in [
        ("9,9\nAda\nBob\n", "line 3"),
        ("9,9,x\n", "line 3"),
        ("9,9,0,0\n", "line 3"),
        ("9,9.5,0\n", "line 3"),
        ("-9,9,0\n", "line 3"),
        ("9,9,1.5\n", "line 3"),
        ("Ada\n9,9,0\n", "line 4"),
        ("Ada\nBob\n9,9,0\n", "line 5"),
    ] {
        let why = psq::read(&format!("{head}{rest}")).unwrap_err().to_string();
        assert!(why.starts_with(line), "{rest}: {why}");
    }
    let record = psq::read(&format!("\u{feff}{head}Ada, the 1st\n4,you\n-1\n")).unwrap();
    assert_eq!(record.names.map(Option::unwrap), ["Ada, the 1st", "4,you"]);
}

#[test]
fn a_board_after_an_opening_is_read_again_by_whoever_moves_first() {
    for first in ["black", "white"] {
        let mut state = table(json!({"swap2Enabled": true, "first_mover": first}));
        let mut points = (0..15).map(|x| Point::new(x, x % 3));
        while state.game().moves().len() < 4 {
            let seat = state.game().up().unwrap();
            let opening = state.game().in_opening().map(|opening| opening.phase().places());
            let command = match opening {
                Some(false) => Command::MakeChoice { choice: "black".to_owned() },
                place => {
                    let Point { x, y } = points.next().unwrap();
                    let (x, y) = (x.into(), y.into());
                    if place.is_some() {
                        Command::PlaceStone { x, y }
                    } else {
                        Command::Move { x, y }
                    }
                }
            };
            say(&mut state, seat, command).unwrap();
            if state.game().in_opening().is_none() {
                let request = gomocup::request(state.game()).unwrap();
                let record = gomocup::record(&request, Size::USUAL).unwrap();
                assert_eq!(record.stones, Record::of(state.game()).stones);
                assert_eq!(record.next(), state.game().to_move());
            }
        }
    }
}

#[test]
fn the_first_bad_move_of_a_list_is_the_one_that_is_told() {
    let judged = |list: &str| {
        let judged = notation::judge(list, Size::USUAL, Rule::Standard);
        judged.map_err(|why| why.to_string()).map(|_| ())
    };
    assert!(judged("h8 h8 z1").unwrap_err().starts_with("move 2 (h8)"));
    assert!(judged("h8 z1 h8").unwrap_err().starts_with("move 2: \"z1\""));
    assert_eq!(judged("h8, i9"), Ok(()));
}

#[test]
fn the_main_line_of_an_sgf_file_is_read() {
    let text = "(;GM[4]FF[4]SZ[15]PB[a\\]b]C[a (comment); with ] signs]RU[Renju]\n;B[hh](;W[ig];B[aa])(;W[gg]))";
    assert!(sgf::read(text).is_err(), "a bracket that is not escaped ends its value");
    let text =
        "(;GM[4]SZ[15]PB[a\\]b]C[a (comment); with signs]RU[Renju]\n;B[hh](;W[ig];B[aa])(;W[gg]))";
    let record = sgf::read(text).unwrap();
    let points: Vec<_> = record.stones.iter().map(|(_, point)| (point.x, point.y)).collect();
    assert_eq!(points, [(7, 7), (8, 6), (0, 0)]);
    assert_eq!((record.names[0].as_deref(), record.rule), (Some("a]b"), Some(Rule::Renju)));
    for wrong in
        ["(;GM[1];B[aa])", "(;SZ[9])", "(;AB[aa])", "(;B[pp])", "(;B[])", "(;B[a])", "[aa]"]
    {
        assert!(sgf::read(wrong).is_err(), "{wrong}");
    }
}

#[test]
fn a_brain_opens_and_chooses_at_a_table() {
    let size = Size::USUAL;
    // Who answers what, and who is black in the end; the rest is the commands of the table.
    let talks: [(&[&str], u8); 6] = [
        (&["7,7 8,8 9,7", "SWAP"], 1),
        (&["7,7 8,8 9,7", "0,0"], 0),
        (&["7,7 8,8 9,7", "0,0 1,1", "SWAP"], 0),
        (&["7,7 8,8 9,7", "0,0 1,1", "2,2"], 1),
        (&["7,7 8,8 9,7", "swap"], 1),
        (&["0,0 14,14 7,7", "3,3 4,4", "5,5"], 1),
    ];
    for (answers, black) in talks {
        let mut state = table(json!({"swap2Enabled": true, "first_mover": "white"}));
        for (i, line) in answers.iter().enumerate() {
            let request = gomocup::request(state.game()).unwrap();
            let Request::Swap2Board(stones) = &request else { panic!("{request:?}") };
            assert_eq!(stones.len(), [0, 3, 5][i]);
            let text = gomocup::write_request(&request);
            assert_eq!(gomocup::read_request(&text, size).as_ref(), Ok(&request));
            let answer = gomocup::read_answer(line, size).unwrap();
            assert_eq!(gomocup::write_answer(&answer), line.to_uppercase());
            let seat = state.game().up().unwrap();
            for command in gomocup::commands(state.game(), &answer).unwrap() {
                say(&mut state, seat, command).unwrap();
            }
        }
        let game = state.game();
        assert_eq!(game.seat_of(Colour::Black).unwrap().index() as u8, black, "{answers:?}");
        // Colours are laid in turn, so the board is one that a brain can be shown.
        let request = gomocup::request(game).unwrap();
        let record = gomocup::record(&request, size).unwrap();
        assert_eq!(record.stones, Record::of(game).stones);
    }
}

#[test]
fn answers_that_do_not_fit_are_refused() {
    let size = Size::USUAL;
    let state = table(json!({"swap2Enabled": true}));
    for line in ["SWAP", "7,7", "7,7 8,8"] {
        let answer = gomocup::read_answer(line, size).unwrap();
        assert!(gomocup::commands(state.game(), &answer).is_err(), "{line}");
    }
    for line in ["", "7", "7,7,1", "15,0", "-1,0", "7.5,0", "a,b", "1,1 2,2 3,3 4,4", "SWAPS"] {
        assert!(gomocup::read_answer(line, size).is_err(), "{line}");
    }
    // No command at all where one of them would be refused.
    let twice = gomocup::read_answer("7,7 8,8 7,7", size).unwrap();
    let why = gomocup::commands(state.game(), &twice).unwrap_err().to_string();
    assert_eq!(why, "7,7: a stone lies there already");
    // Where black moves first a stone is no answer.
    let mut state = state;
    let three = gomocup::read_answer("7,7 8,8 9,7", size).unwrap();
    for command in gomocup::commands(state.game(), &three).unwrap() {
        say(&mut state, parlor_rules::Seat::new(0), command).unwrap();
    }
    let stone = Answer::Stones(vec![Point::new(0, 0)]);
    let why = gomocup::commands(state.game(), &stone).unwrap_err().to_string();
    assert!(why.contains("first_mover=white"), "{why}");
}

#[test]
fn damaged_records_are_read_or_refused_without_a_panic() {
    let record = notation::read("h8 i9 h9 i8 h10", Size::USUAL).unwrap();
    let board = gomocup::write_request(&gomocup::board(&record, Colour::White));
    let texts = [
        notation::write(&record).unwrap(),
        psq::write(&record).unwrap(),
        sgf::write(&record),
        board,
        "SWAP2BOARD\n7,7\n8,8\n9,7\nDONE\n".to_owned(),
        "7,7 8,8 9,7".to_owned(),
    ];
    let mut refused = 0;
    for text in texts.iter().flat_map(|text| mutations(text)) {
        let found = [
            notation::read(&text, Size::USUAL),
            psq::read(&text),
            sgf::read(&text),
            gomocup::read_request(&text, Size::USUAL)
                .and_then(|request| gomocup::record(&request, Size::USUAL)),
        ];
        refused += u32::from(gomocup::read_answer(&text, Size::USUAL).is_err());
        for record in found.into_iter().flatten() {
            let inside = record.stones.iter().all(|(_, point)| record.size.contains(*point));
            assert!(inside, "{text:?}");
            for rule in Rule::ALL {
                refused += u32::from(record.judge(rule).is_err());
            }
        }
    }
    assert!(refused > 1_000, "{refused}");
}
