use crate::support::{mutations, proof};
use parlor_rules::series::Told;
use parlor_rules::{Draws, House, Input, Owner, Rules, Seat, Seeded, Series};
use parlor_rules_backgammon::Backgammon;
use parlor_rules_backgammon::event::{Event, Reason};
use parlor_rules_backgammon::mat::{self, Record};
use parlor_rules_backgammon::state::{Config, Opening, Start, State};

type Match = Series<Backgammon>;

/// A match of five points that GNU Backgammon 1.07.001 played against itself and exported.
const SELF_PLAYED: &str = include_str!("../../../../conformance/backgammon/gnubg.mat");

/// A match played at random, sometimes cut short; what was told.
fn random_match(config: &Config, seed: &str) -> Vec<Told<Event>> {
    let mut chance = Seeded::new(seed);
    let mut draws = Draws::new(&mut chance);
    let mut state = Match::open(config, 2).unwrap();
    let begin = Input::House(House::Begin {});
    let mut told = Match::play(&mut state, &begin, &mut draws).unwrap();
    while Match::outcome(&state).is_none() {
        let asked = Match::pending(&state).asked().first().map(|asked| asked.seat);
        let input = match asked {
            Some(seat) if draws.below(2000) == 0 => Input::Expire { seat: Owner::Seat(seat) },
            Some(_) if draws.below(4000) == 0 => return told,
            Some(seat) => {
                let command = Match::pick(&Match::legal(&state, seat), &mut draws).unwrap();
                Input::Play { seat, command }
            }
            None => Input::Expire { seat: Owner::Table },
        };
        told.extend(Match::play(&mut state, &input, &mut draws).unwrap());
    }
    told
}

/// What matters of a game: rolls with the position they led to, the cube, the end.
#[derive(Clone, PartialEq, Debug)]
enum Fact {
    Turn(Seat, [u8; 2], parlor_rules_backgammon::board::Board),
    Cube(Event),
    End { winner: Option<Seat>, payout: u32, borne_off: bool },
}

fn facts(config: &Config, events: &[Event]) -> Vec<Fact> {
    let mut state = State::fresh(config.clone(), parlor_rules::Standing::new(2), false);
    let mut facts = Vec::new();
    let mut roll = None;
    for event in events {
        state.apply(event);
        match event {
            Event::OpeningRolled { dice } if dice[0] != dice[1] => roll = Some(*dice),
            Event::Rolled { dice, .. } => roll = Some(*dice),
            Event::Committed { seat } | Event::Passed { seat } => {
                let [a, b] = roll.take().unwrap();
                facts.push(Fact::Turn(*seat, [a.max(b), a.min(b)], state.board));
            }
            Event::DoubleProposed { .. } | Event::Accepted { .. } | Event::Beavered { .. } => {
                facts.push(Fact::Cube(event.clone()));
            }
            Event::Finished { winner: Some(winner), payout, reason } => {
                let borne_off = *reason == Reason::BorneOff;
                facts.push(Fact::End { winner: Some(*winner), payout: *payout, borne_off });
            }
            _ => {}
        }
    }
    if let Some([a, b]) = roll {
        // A roll that was left; its uncommitted steps do not count.
        facts.push(Fact::Turn(
            state.up,
            [a.max(b), a.min(b)],
            parlor_rules_backgammon::board::Board::OPENING,
        ));
    }
    facts
}

fn all_facts(record: &Record) -> Vec<Vec<Fact>> {
    record.games.iter().map(|game| facts(&record.config, game)).collect()
}

#[test]
fn random_matches_are_read_as_they_were_written() {
    let money = Config::default();
    let seven_each = Start::try_from("ww4AAMMOAAAAAA".to_owned()).unwrap();
    let configs = [
        Config { r#match: 5, ..money.clone() },
        money.clone(),
        Config { r#match: 11, crawford: false, ..money.clone() },
        Config { jacoby: true, beavers: true, automatic_doubles: 2, ..money.clone() },
        Config { cube: false, r#match: 3, ..money.clone() },
        Config { opening: Opening::Seat(Seat::new(1)), r#match: 3, ..money.clone() },
        Config { position: Some(seven_each), r#match: 3, ..money.clone() },
    ];
    let mut ends = std::collections::HashMap::new();
    for game in 0..if proof() { 3000 } else { 90 } {
        let config = &configs[game % configs.len()];
        let told = random_match(config, &format!("mat {game}"));
        let names = ["Ada".to_owned(), "Bob B.".to_owned()];
        let record = Record::of_series(names, config.clone(), &told);
        let text = mat::write(&record);
        let read = mat::read(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        assert_eq!(read.names, record.names);
        assert_eq!(all_facts(&read), all_facts(&record), "{text}");
        for event in read.games.iter().flatten() {
            if let Event::Finished { reason, .. } = event {
                *ends.entry(format!("{reason:?}")).or_insert(0) += 1;
            }
        }
        if config.opening == Opening::Roll {
            let automatic = read.config.automatic_doubles.max(config.automatic_doubles);
            let found = Config { automatic_doubles: automatic, ..read.config.clone() };
            assert_eq!(found, *config, "{text}");
        }
        // Once read, nothing changes any more. Only time that ran out over a double becomes a drop.
        let again = mat::write(&read);
        let timeout = |e: &Event| matches!(e, Event::Finished { reason: Reason::Timeout, .. });
        assert!(again == text || record.games.iter().flatten().any(timeout), "{text}");
        assert_eq!(mat::read(&again).as_ref(), Ok(&read));
        assert_eq!(
            Record::of_series(read.names.clone(), read.config.clone(), &read.told()).games,
            read.games
        );
    }
    for reason in ["BorneOff", "Forfeit", "Resigned", "Timeout"] {
        assert!(ends.contains_key(reason), "{ends:?}");
    }
}

#[test]
fn a_match_exported_by_gnu_backgammon() {
    let record = mat::read(SELF_PLAYED).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(record.names, ["gnubg", "anna"]);
    assert_eq!(record.config.r#match, 5);
    let ends: Vec<(usize, u32)> = record
        .games
        .iter()
        .filter_map(|game| match game.last() {
            Some(Event::Finished { winner: Some(winner), payout, .. }) => {
                Some((winner.index(), *payout))
            }
            _ => None,
        })
        .collect();
    assert_eq!(ends, [(1, 2), (0, 4), (1, 1), (1, 4)]);
    let again = mat::read(&mat::write(&record)).unwrap();
    assert_eq!(again, record);
}

/// A file around some rows of a single game for money.
fn game(rows: &str) -> String {
    format!(" 0 point match\n\n Game 1\n Ada : 0                        Bob : 0\n{rows}")
}

fn end_of(text: &str) -> Event {
    let record = mat::read(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    record.games.last().unwrap().last().unwrap().clone()
}

#[test]
fn styles_of_other_programs() {
    let plain = "\
  1) 31: 8/5 6/5                 52: 13/11 13/8
  2) 66: 24/18 24/18 13/7 13/7    Doubles => 2
  3)  Drops
                                  Wins 1 point
";
    let expected = mat::read(&game(plain)).unwrap().games;
    for other in [
        "1) 31: 8/5 6/5     52: 13/8 13/11\n2) 66: 24/18(2) 13/7(2)   Doubles => 2\n3) Drops\n",
        "  1) 31: 8/5 6/5  52: 13/8 13/11\r\n  2) 66: 24/18(2) 13/7(2)  doubles\r\n  3) Passes    Wins 1 point\r\n",
        "  1) 31:8/5 6/5  52:13/8 13/11\n\n  2) 66:13/7(2) 24/18(2)  Redoubles => 2\n\n                    Wins 1 point\n",
    ] {
        let found = mat::read(&format!("; a comment\n{}", game(other)));
        let found = found.unwrap_or_else(|error| panic!("{error}\n{other}")).games;
        assert_eq!(found[0].last(), expected[0].last(), "{other}");
        assert_eq!(facts(&Config::default(), &found[0]), facts(&Config::default(), &expected[0]));
    }
    // A beaver, taken in words or by playing on.
    let beaver = |takes: &str| {
        let rows = format!(
            "  1)                             31: 8/5 6/5\n  2)  Doubles => 2                Beavers => 4\n{takes}  4) 65: 24/13                   31: 24/21 6/5\n      Wins 4 points\n"
        );
        mat::read(&game(&rows)).unwrap_or_else(|error| panic!("{error}\n{rows}"))
    };
    assert_eq!(beaver("  3)  Takes\n"), beaver(""));
    assert!(beaver("").config.beavers);
    // Both ways to write the bar.
    for bar in ["25/20", "bar/20", "Bar/20"] {
        let rows =
            format!("  1) 62: 24/18 13/11             61: 13/7* 8/7\n  2) 53: {bar} 24/21\n");
        assert_eq!(mat::read(&game(&rows)).unwrap().games[0].len(), 12, "{bar}");
    }
}

#[test]
fn ends_without_a_last_move() {
    let rows = "  1)                             31: 8/5 6/5\n";
    let single = end_of(&game(&format!("{rows}      Wins 1 point\n")));
    let finished = |winner, payout, reason| Event::Finished {
        winner: Some(Seat::new(winner)),
        payout,
        reason,
    };
    assert_eq!(single, finished(0, 1, Reason::Resigned));
    let gammon = format!("{rows}                                  Wins 2 points\n");
    assert_eq!(end_of(&game(&gammon)), finished(1, 2, Reason::Resigned));
    // With dice on the table.
    let rolled = "  1) 31: 8/5 6/5                 62:\n      Wins 3 points\n";
    assert_eq!(end_of(&game(rolled)), finished(0, 3, Reason::Resigned));
    let unknown = "  1) 31: 8/5 6/5                 62: ????\n      Wins 3 points\n";
    assert_eq!(end_of(&game(unknown)), finished(0, 3, Reason::Resigned));
    // Lost on time, and the match with it.
    let match_of_7 =
        game(&format!("{rows}      Wins 1 point and the match\n")).replace(" 0 point", " 7 point");
    assert_eq!(end_of(&match_of_7), finished(0, 1, Reason::Timeout));
    // Given up before anything happened, at a table where seat 1 always begins.
    let begun = "  1)                             33: 8/5(2) 6/3(2)\n      Wins 1 point\n";
    let at_once = "\n Game 2\n Ada : 1   Bob : 0\n      Wins 1 point\n";
    let record = mat::read(&format!("{}{at_once}", game(begun))).unwrap();
    assert_eq!(record.config.opening, Opening::Seat(Seat::new(1)));
    assert_eq!(record.games[1].last(), Some(&finished(0, 1, Reason::Resigned)));
    // Not ended at all.
    for open in [
        rows,
        "  1) 31: 8/5 6/5                 62:\n",
        "  1) 31: 8/5 6/5                  Doubles => 2\n",
        "",
    ] {
        let record = mat::read(&game(open)).unwrap();
        assert!(!record.games[0].iter().any(|event| matches!(event, Event::Finished { .. })));
        assert_eq!(mat::read(&mat::write(&record)).as_ref(), Ok(&record));
    }
}

#[test]
fn games_of_a_session_for_money_follow_each_other() {
    let text = "\
; [Site \"home: 20:44\"]
; [Jacoby \"On\"]

 0 point match

 Game 1
 Ada : 0                        Bob : 0
  1) 31: 8/5 6/5                  Doubles => 2
  2)  Takes                      65: 24/13
      Wins 4 points

 Game 2
 Ada : 4                        Bob : 0
  1)                             31: 8/5 6/5
                                  Wins 1 point
";
    let record = mat::read(text).unwrap();
    assert_eq!(record.tags, [("Site".to_owned(), "home: 20:44".to_owned())]);
    assert!(record.config.jacoby);
    assert_eq!(record.games.len(), 2);
    assert_eq!(mat::read(&mat::write(&record)), Ok(record));
}

#[test]
fn what_is_wrong_is_told_with_game_and_line() {
    let message = |text: &str| mat::read(text).unwrap_err().to_string();
    assert_eq!(message(""), "line 1: there is no line like \"7 point match\"");
    assert_eq!(message("hello"), "line 1: \"hello\" is not like \"7 point match\"");
    assert_eq!(message(" 7 point match\n"), "line 1: there is no game");
    assert_eq!(
        message(" 7 point match\n 1) 31:"),
        "line 2: \"1) 31:\" stands before the first game"
    );
    assert_eq!(message(" 7 point match\n Game x"), "line 2: \"x\" is no number of a game");
    assert_eq!(
        message(" 7 point match\n Game 1"),
        "game 1, line 2: the names of the players are missing"
    );
    assert_eq!(
        message(" 7 point match\n Game 1\n Ada 0 Bob 0"),
        "game 1, line 3: \"Ada 0 Bob 0\" is not like \"Ada : 0   Bob : 0\""
    );
    assert_eq!(
        message(" 99999 point match\n Game 1\n A : 0  B : 0"),
        "game 1, line 2: config: match is for 0 to 32767 points"
    );
    assert_eq!(
        message(" 7 point match\n Game 2\n A : 0  B : 0"),
        "game 1, line 2: this is game 1, not 2"
    );
    assert_eq!(
        message(" 7 point match\n Game 1\n A : 2  B : 0"),
        "game 1, line 2: the score is 0 to 0, not 2 to 0"
    );
    let row = "  1) 31: 8/5 6/5                 ";
    for (rows, text) in [
        ("what is this", "line 5: \"what is this\" is no row of a game".to_owned()),
        ("  1) x 31: 8/5 6/5", "line 5: \"1) x 31: 8/5 6/5\" is no row of a game".to_owned()),
        (
            "  1) 31: 8/5 6/5 42: 8/4 6/4 31: 8/5",
            "line 5: \"1) 31: 8/5 6/5 42: 8/4 6/4 31: 8/5\" is no row of a game".to_owned(),
        ),
        (
            "  1) 31: 8/5",
            "line 5: 31: 8/5: this does not use as many dice as can be played".to_owned(),
        ),
        (
            "  1) 31: 8/4 6/5",
            "line 5: 31: 8/4 6/5: the dice and the board do not allow this move".to_owned(),
        ),
        (
            "  1) 31: foo",
            "line 5: 31: foo: \"foo\" is not a move like 13/8, bar/20*, 6/off or 8/4(2)".to_owned(),
        ),
        (&format!("{row}Doubles => 4"), "line 5: the cube goes to 2, not 4".to_owned()),
        (&format!("{row}Doubles now"), "line 5: \"Doubles now\" cannot be read".to_owned()),
        (&format!("{row}Takes"), "line 5: Command not allowed in current status".to_owned()),
        (
            &format!("{row}42: 8/4 6/4\n  2) 31: 8/5 6/5\n  3) 21: 6/3"),
            "line 7: Not your turn".to_owned(),
        ),
        (
            &format!("{row}42:\n  2) 31: 8/5 6/5"),
            "line 6: the roll before this one was not played".to_owned(),
        ),
        (
            &format!("{row}Doubles => 2\n  2) 31: 8/5 6/5"),
            "line 6: a double has to be answered first".to_owned(),
        ),
        (
            &format!("{row}Wins 5 points"),
            "line 5: 5 points cannot be won at stakes of 1".to_owned(),
        ),
        (
            &format!("{row}Wins many points"),
            "line 5: \"Wins many points\" cannot be read".to_owned(),
        ),
        (
            &format!("{row}Wins 1 point\n  2) 31: 8/5 6/5"),
            "line 6: the game is already over".to_owned(),
        ),
        (
            &format!("{row}Doubles => 2\n  2)  Drops\n   Wins 2 points"),
            "line 7: the game was won with 1 points, not 2".to_owned(),
        ),
    ] {
        assert_eq!(message(&game(rows)), format!("game 1, {text}"), "{rows}");
    }
    let two = |first: &str, second: &str| {
        format!("{}\n Game 2\n Ada : 0   Bob : 1\n{second}\n", game(first))
            .replace(" 0 point", " 1 point")
    };
    assert_eq!(
        message(&two(&format!("{row}Wins 1 point\n"), row)),
        "game 2, line 9: the match is already over"
    );
    let open = message(&two(row, row));
    assert_eq!(open, "game 1, line 3: the game has no end, but another one follows");
    // Different seats cannot both be the one that always begins.
    let doubles = "  1) 33: 8/5(2) 6/3(2)           42: 8/4 6/4\n      Wins 1 point\n";
    assert!(mat::read(&game(doubles)).is_ok());
}

#[test]
fn names_and_tags_cannot_break_a_file() {
    for name in
        ["", " ", ":", "a : 5  b", "; x", "Game 2", "7 point match", "a\nb", "é 漢", "\"", "1) 31:"]
    {
        let names = [name.to_owned(), name.to_owned()];
        let told = random_match(&Config { r#match: 3, ..Config::default() }, "names");
        let mut record =
            Record::of_series(names, Config { r#match: 3, ..Config::default() }, &told);
        record.tags =
            vec![("Player 1".to_owned(), name.to_owned()), (name.to_owned(), "x".to_owned())];
        let text = mat::write(&record);
        let read = mat::read(&text).unwrap_or_else(|error| panic!("{name:?}: {error}\n{text}"));
        assert_eq!(all_facts(&read), all_facts(&record));
        assert_eq!(mat::write(&read), text);
    }
}

#[test]
fn broken_files_never_panic() {
    let short = "\
; [Jacoby \"On\"]
 3 point match

 Game 1
 Ada : 0                        Bob : 0
  1)                             31: 8/5 6/5
  2) 65: 24/13                    Doubles => 2
  3)  Takes                      64: 24/14
  4) 21: 13/10                   66: 13/7(2)
      Wins 2 points

 Game 2
 Ada : 2                        Bob : 0
  1) 31: 8/5 6/5                 52:
                                  Wins 3 points and the match
";
    for broken in mutations(short) {
        let _ = mat::read(&broken);
    }
    if proof() {
        for broken in mutations(SELF_PLAYED) {
            let _ = mat::read(&broken);
        }
    }
}
