use crate::oracle::Random;
use crate::support::{board, dice_of, mutations, proof};
use parlor_rules_backgammon::board::{BAR, Board, Step};
use parlor_rules_backgammon::notation::{NotationError, read, write};
use parlor_rules_backgammon::plays::{Dice, for_each_play};

fn after(board: &Board, steps: &[Step]) -> Board {
    steps.iter().fold(*board, |board, &step| board.step(step).unwrap().0)
}

/// What a text becomes when it is read and written again.
fn again(text: &str, board: &Board, dice: &[u8]) -> Result<String, NotationError> {
    read(text, board, dice).map(|steps| write(board, &steps))
}

#[test]
fn every_play_is_read_as_it_was_written() {
    let mut random = Random::new(11);
    for _ in 0..if proof() { 3000 } else { 60 } {
        let board = random.board();
        for dice in Dice::ALL {
            for_each_play(&board, dice, |play| {
                let text = write(&board, play.steps());
                let read = read(&text, &board, &dice_of(dice))
                    .unwrap_or_else(|e| panic!("{text}: {e} {board:?} {dice:?}"));
                assert_eq!(after(&board, &read), *play.board(), "{text} {board:?} {dice:?}");
                assert_eq!(write(&board, &read), text, "{board:?} {dice:?}");
            });
        }
    }
}

#[test]
fn opening_plays_are_written_as_in_books() {
    let opening = Board::OPENING;
    for (dice, text) in [
        (&[3, 1][..], "8/5 6/5"),
        (&[6, 5], "24/13"),
        (&[6, 2], "24/18 13/11"),
        (&[6, 6, 6, 6], "24/18(2) 13/7(2)"),
        (&[3, 3, 3, 3], "24/21(2) 13/10(2)"),
        (&[1, 1, 1, 1], "8/7(2) 6/5(2)"),
        (&[4, 4, 4, 4], "24/20(2) 13/9(2)"),
        (&[5, 5, 5, 5], "13/3(2)"),
        (&[2, 2, 2, 2], "13/11(2) 6/4(2)"),
    ] {
        assert_eq!(again(text, &opening, dice), Ok(text.to_owned()));
    }
}

#[test]
fn many_ways_to_write_one_play() {
    let opening = Board::OPENING;
    for text in ["24/18/13", "24/13", "24/18 18/13", "18/13 24/18", " 24/13\t"] {
        assert_eq!(again(text, &opening, &[6, 5]), Ok("24/13".to_owned()), "{text}");
    }
    let entering = board(&[(BAR, 2), (6, 2)], &[(5, 1), (6, 2)]);
    for text in ["bar/20* bar/24", "25/20* 25/24", "BAR/20 Bar/24", "bar/24 bar/20*"] {
        assert_eq!(again(text, &entering, &[5, 1]), Ok("bar/24 bar/20*".to_owned()), "{text}");
    }
    let home = board(&[(6, 2), (4, 3)], &[(1, 2)]);
    for text in ["6/off(2)", "6/off 6/off", "6/0(2)", "6/OFF 6/0"] {
        assert_eq!(again(text, &home, &[6; 4]), Err(NotationError::Unfinished));
    }
    let last = board(&[(6, 2)], &[(1, 2)]);
    for text in ["6/off(2)", "6/off 6/off", "6/0(2)", "6/OFF 6/0"] {
        assert_eq!(again(text, &last, &[6; 4]), Ok("6/off(2)".to_owned()), "{text}");
    }
}

#[test]
fn marks_choose_the_way() {
    // A blot on either way from 24 to 13.
    let both = board(&[(24, 1), (6, 2)], &[(7, 1), (6, 1), (3, 2)]);
    assert_eq!(again("24/18*/13", &both, &[6, 5]), Ok("24/18*/13".to_owned()));
    assert_eq!(again("24/19*/13", &both, &[6, 5]), Ok("24/19*/13".to_owned()));
    assert_eq!(again("24/13", &both, &[6, 5]), Err(NotationError::Ambiguous));
    assert_eq!(again("24/18/13*", &both, &[6, 5]), Err(NotationError::NoHit));
    // A blot on one of them: the quiet way is meant, unless marked or only possible.
    let one = board(&[(24, 1), (6, 2)], &[(7, 1), (3, 2)]);
    assert_eq!(again("24/13", &one, &[6, 5]), Ok("24/13".to_owned()));
    assert_eq!(again("24/18*/13", &one, &[6, 5]), Ok("24/18*/13".to_owned()));
    assert_eq!(again("24/18/13", &one, &[6, 5]), Ok("24/18*/13".to_owned()));
    // Two men come to a point where one blot stood.
    let pair = board(&[(13, 2), (6, 2)], &[(14, 1), (1, 2)]);
    for text in ["13/11*(2) 6/4(2)", "13/11(2)* 6/4(2)", "13/11* 13/11 6/4(2)"] {
        assert_eq!(again(text, &pair, &[2; 4]), Ok("13/11*(2) 6/4(2)".to_owned()), "{text}");
    }
}

#[test]
fn a_die_is_found_for_every_man_borne_off() {
    let home = board(&[(6, 1), (5, 2)], &[(1, 2)]);
    // By one and then by six, though six alone would do.
    assert_eq!(again("6/off", &home, &[6, 1]), Ok("6/off".to_owned()));
    assert_eq!(read("6/off", &home, &[6, 1]).unwrap().len(), 2);
    assert_eq!(again("6/off 5/4", &home, &[6, 1]), Ok("6/off 5/4".to_owned()));
    let low = board(&[(3, 1), (2, 1)], &[(1, 2)]);
    assert_eq!(again("3/off 2/off", &low, &[5, 4]), Ok("3/off 2/off".to_owned()));
    assert_eq!(again("2/off 3/off", &low, &[3, 2]), Ok("3/off 2/off".to_owned()));
}

#[test]
fn nothing_is_moved_where_nothing_can_be() {
    let shut = board(&[(BAR, 1), (6, 2)], &[(1, 2), (2, 2), (3, 2), (4, 2), (5, 2), (6, 2)]);
    for text in ["", "  ", "Cannot Move", "cannot  move"] {
        assert_eq!(again(text, &shut, &[6, 1]), Ok("Cannot Move".to_owned()));
        assert_eq!(again(text, &Board::OPENING, &[6, 1]), Err(NotationError::MustMove));
    }
    assert_eq!(again("bar/24", &shut, &[6, 1]), Err(NotationError::Illegal));
    assert_eq!(again("", &Board::OPENING, &[]), Ok("Cannot Move".to_owned()));
}

#[test]
fn what_is_no_move_is_refused() {
    for text in [
        "8",
        "8/",
        "/5",
        "8//5",
        "8/5/",
        "5/8",
        "8/8",
        "8/5*/5",
        "26/20",
        "300/2",
        "-1/2",
        "8/-1",
        "8/5()",
        "8/5(0)",
        "8/5(5)",
        "8/5(2",
        "8/5(2)x",
        "8/5)",
        "off/8",
        "8/bar",
        "bar",
        "off",
        "8*/5",
        "6/off*",
        "6/0*",
        "8/5**",
        "８/5",
        "8/5ö",
        "Cannot",
        "Cannot Move now",
        "????",
        "+8/5",
        "8/ 5",
        "8 /5",
        "8/5,6/5",
    ] {
        let error = read(text, &Board::OPENING, &[3, 1]).unwrap_err();
        assert!(matches!(error, NotationError::Unreadable(_)), "{text}: {error:?}");
        assert!(error.to_string().ends_with("bar/20*, 6/off or 8/4(2)"), "{error}");
    }
    for (text, error) in [
        ("8/5", NotationError::Unfinished),
        ("8/5 6/4", NotationError::Illegal),
        ("8/5 6/5 6/5", NotationError::TooMany),
        ("8/7(4)", NotationError::TooMany),
        ("24/21 24/20", NotationError::Illegal),
        ("6/off", NotationError::Illegal),
        ("bar/22 bar/24", NotationError::Illegal),
        ("8/7 13/10*", NotationError::NoHit),
        ("7/6 7/4", NotationError::Illegal),
    ] {
        assert_eq!(again(text, &Board::OPENING, &[3, 1]), Err(error), "{text}");
    }
    assert_eq!(again("8/5 6/5", &Board::OPENING, &[]), Err(NotationError::TooMany));
    assert!(read("8/5 6/5", &Board::OPENING, &[0, 9, 200, 3, 1, 1]).is_err());
}

#[test]
fn broken_texts_never_panic() {
    let busy = board(&[(BAR, 2), (13, 3), (6, 4)], &[(5, 1), (14, 1), (8, 2)]);
    for text in ["bar/20*(2) 13/8(2)", "bar/20*/15 bar/20/10", "6/off(2) 5/off*"] {
        for broken in mutations(text) {
            let _ = read(&broken, &busy, &[5; 4]);
        }
    }
}
