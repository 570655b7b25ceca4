use crate::oracle::{self, Random};
use crate::support::{board, proof, side};
use parlor_rules_backgammon::board::{BAR, Board, BoardFault, OFF, Side, Step};
use parlor_rules_backgammon::perft::{Count, perft};
use parlor_rules_backgammon::plays::{
    Dice, RandomPlayer, Reach, for_each_play, for_each_position, lawful_step, longest,
};
use parlor_rules_backgammon::position_id::{PositionIdError, decode, encode};
use std::collections::HashSet;

fn positions(board: &Board, dice: Dice) -> Vec<Board> {
    let mut positions = Vec::new();
    for_each_position(board, dice, |position| positions.push(position));
    positions
}

/// The dice of a roll one by one.
fn dice_of(dice: Dice) -> Vec<u8> {
    if dice.is_double() { vec![dice.high(); 4] } else { vec![dice.high(), dice.low()] }
}

fn take(dice: &mut Vec<u8>, die: u8) {
    let i = dice.iter().position(|&other| other == die).unwrap();
    dice.remove(i);
}

#[test]
fn the_generator_agrees_with_the_rules_taken_literally() {
    let mut random = Random::new(1);
    for _ in 0..if proof() { 20_000 } else { 300 } {
        let board = random.board();
        for dice in Dice::ALL {
            let found = positions(&board, dice);
            let distinct: HashSet<Board> = found.iter().copied().collect();
            assert_eq!(found.len(), distinct.len(), "a position twice: {board:?} {dice:?}");
            assert_eq!(distinct, oracle::positions(&board, dice), "{board:?} {dice:?}");
        }
    }
}

#[test]
fn the_steps_of_a_play_lead_to_its_board() {
    let mut random = Random::new(2);
    for _ in 0..if proof() { 5000 } else { 100 } {
        let start = random.board();
        for dice in Dice::ALL {
            let mut boards = Vec::new();
            let used = for_each_play(&start, dice, |play| {
                assert!(play.steps().len() <= 4);
                let mut remaining = dice_of(dice);
                let mut board = start;
                for &step in play.steps() {
                    let (next, hit) = lawful_step(&board, &remaining, step).unwrap();
                    assert_eq!(next.undo(step, hit), Some(board), "{board:?} {step:?}");
                    take(&mut remaining, step.die);
                    board = next;
                }
                assert_eq!(longest(&board, &remaining), Reach::default());
                assert_eq!(board, *play.board());
                boards.push(board);
            });
            assert_eq!(boards, positions(&start, dice));
            assert_eq!(longest(&start, &dice_of(dice)).used, used, "{start:?} {dice:?}");
        }
    }
}

#[test]
fn a_step_is_lawful_exactly_if_a_whole_play_begins_like_that() {
    let mut random = Random::new(7);
    for _ in 0..if proof() { 2000 } else { 40 } {
        let start = random.board();
        for dice in Dice::ALL {
            let plays = oracle::plays(&start, dice);
            let steps: HashSet<&[Step]> = plays
                .iter()
                .flat_map(|(steps, _)| (0..=steps.len()).map(|n| &steps[..n]))
                .collect();
            for &so_far in &steps {
                let mut remaining = dice_of(dice);
                let mut board = start;
                for &step in so_far {
                    board = board.step(step).unwrap().0;
                    take(&mut remaining, step.die);
                }
                for (from, die) in (1..=BAR).flat_map(|from| (1..=6).map(move |die| (from, die))) {
                    let step = Step { from, die };
                    let lawful = lawful_step(&board, &remaining, step).is_some();
                    let expected = steps.contains(&[so_far, &[step]].concat()[..]);
                    assert_eq!(lawful, expected, "{start:?} {dice:?} {so_far:?} {step:?}");
                }
            }
        }
    }
}

#[test]
fn a_single_step_agrees_with_the_rules_taken_literally() {
    let mut random = Random::new(3);
    for _ in 0..if proof() { 50_000 } else { 1000 } {
        let board = random.board();
        let men = (board.places(Side::Own), board.places(Side::Other));
        for (from, die) in (0..=BAR).flat_map(|from| (1..=6).map(move |die| (from, die))) {
            let step = Step { from, die };
            let expected = (from > 0)
                .then(|| oracle::single(men, step))
                .flatten()
                .map(|((own, other), hit)| (Board::new(own, other).unwrap(), hit));
            assert_eq!(board.step(step), expected, "{board:?} {step:?}");
            // What is taken back leads here again, and makes a board.
            for hit in [false, true] {
                if let Some(before) = board.undo(step, hit) {
                    assert_eq!(before.step(step), Some((board, hit)));
                    let men = (before.places(Side::Own), before.places(Side::Other));
                    assert_eq!(Board::new(men.0, men.1), Ok(before));
                }
            }
        }
    }
}

#[test]
fn steps_that_make_no_sense_are_refused() {
    for from in 0..=255 {
        for die in 0..=255 {
            let sensible = (1..=BAR).contains(&from) && (1..=6).contains(&die);
            let step = Step { from, die };
            if !sensible {
                assert_eq!(Board::OPENING.step(step), None);
                assert_eq!(Board::OPENING.undo(step, false), None);
                assert_eq!(Board::OPENING.undo(step, true), None);
            }
        }
    }
}

#[test]
fn opening_rolls_have_the_known_numbers_of_positions() {
    let known = [42, 15, 75, 16, 17, 73, 14, 18, 17, 52, 8, 8, 9, 9, 4, 10, 14, 14, 14, 7, 11];
    let counted = Dice::ALL.map(|dice| positions(&Board::OPENING, dice).len());
    assert_eq!(counted, known);
}

#[test]
fn perft_agrees_with_the_known_counts() {
    let known =
        [Count { positions: 447, weighted: 637 }, Count { positions: 202_782, weighted: 419_783 }];
    assert_eq!(perft(&Board::OPENING, 2), known);
    assert_eq!(perft(&Board::OPENING, 0), []);
    if proof() {
        let third = Count { positions: 116_154_993, weighted: 346_692_108 };
        assert_eq!(perft(&Board::OPENING, 3)[2], third);
    }
}

#[test]
fn perft_does_not_continue_a_finished_game() {
    let almost = board(&[(1, 1)], &[(1, 1)]);
    let counts = perft(&almost, 3);
    assert_eq!(counts[0], Count { positions: 21, weighted: 36 });
    assert_eq!(counts[1], Count::default());
}

#[test]
fn nobody_moving_is_one_unchanged_position() {
    let shut = board(&[(BAR, 1), (6, 2)], &[(1, 2), (2, 2), (3, 2), (4, 2), (5, 2), (6, 2)]);
    for dice in Dice::ALL {
        let mut found = Vec::new();
        let used = for_each_play(&shut, dice, |play| {
            assert!(play.steps().is_empty());
            found.push(*play.board());
        });
        assert_eq!((used, found), (0, vec![shut]));
    }
}

#[test]
fn dice_are_unordered_and_checked() {
    assert_eq!(Dice::new(2, 5), Dice::new(5, 2));
    assert_eq!([Dice::new(0, 1), Dice::new(7, 1), Dice::new(1, 7)], [None; 3]);
    let distinct: HashSet<Dice> = Dice::ALL.into_iter().collect();
    assert_eq!(distinct.len(), 21);
    assert_eq!(Dice::ALL.iter().map(|dice| dice.weight()).sum::<u64>(), 36);
    assert!(Dice::ALL.iter().all(|dice| Dice::new(dice.low(), dice.high()) == Some(*dice)));
}

#[test]
fn of_two_dice_the_higher_must_be_taken_where_only_one_can() {
    // The man can go by 6 or by 5, but not on from there.
    let held = board(&[(13, 1)], &[(23, 2), (1, 1)]);
    let six = Reach { used: 1, only: Some(6) };
    assert_eq!(longest(&held, &[5, 6]), six);
    assert_eq!(longest(&held, &[5]), Reach { used: 1, only: Some(5) });
    assert!(lawful_step(&held, &[6, 5], Step { from: 13, die: 6 }).is_some());
    assert_eq!(lawful_step(&held, &[6, 5], Step { from: 13, die: 5 }), None);
    assert_eq!(lawful_step(&held, &[6], Step { from: 13, die: 5 }), None);
}

#[test]
fn longest_works_in_the_middle_of_a_turn() {
    let race = board(&[(6, 2), (3, 1)], &[(6, 2)]);
    assert_eq!(longest(&race, &[]), Reach::default());
    assert_eq!(longest(&race, &[5, 5, 5]).used, 3);
    assert_eq!(longest(&race, &[6, 6, 6, 6]).used, 3);
    assert_eq!(longest(&race, &[1]), Reach { used: 1, only: Some(1) });
}

#[test]
fn boards_are_checked_and_all_faults_told() {
    let opening = side(&[(24, 2), (13, 5), (8, 3), (6, 5)]);
    assert_eq!(Board::new(opening, opening), Ok(Board::OPENING));
    let mut crowded = opening;
    crowded[1] += 1;
    crowded[12] += 255;
    let faults = Board::new(crowded, side(&[(24, 1), (13, 1)])).unwrap_err();
    let told: Vec<String> = faults.iter().map(BoardFault::to_string).collect();
    assert_eq!(
        told,
        [
            "the player on roll has 271 men, not 15",
            "both sides stand on point 1",
            "both sides stand on point 12",
        ]
    );
    assert_eq!(Board::new(side(&[]), side(&[])), Err(vec![BoardFault::BothDone]));
}

#[test]
fn a_board_tells_men_pips_and_sides() {
    let some = board(&[(BAR, 2), (6, 3)], &[(3, 4)]);
    assert_eq!(some.men(Side::Own, BAR), 2);
    assert_eq!(some.men(Side::Own, OFF), 10);
    assert_eq!(some.men(Side::Other, 3), 4);
    assert_eq!(some.men(Side::Other, 26), 0);
    assert_eq!((some.pips(Side::Own), some.pips(Side::Other)), (68, 12));
    assert_eq!(some.swapped().places(Side::Own), some.places(Side::Other));
    assert_eq!(some.swapped().swapped(), some);
    assert_eq!(Board::OPENING.pips(Side::Own), 167);
    assert!(size_of::<Board>() <= 32);
}

#[test]
fn a_win_is_single_gammon_or_backgammon() {
    let won = |other: &[(u8, u8)]| board(&[], other);
    assert_eq!(Board::OPENING.win_level(), None);
    assert_eq!(won(&[(24, 14)]).win_level(), Some((Side::Own, 1)));
    assert_eq!(won(&[(18, 15)]).win_level(), Some((Side::Own, 2)));
    assert_eq!(won(&[(18, 14), (19, 1)]).win_level(), Some((Side::Own, 3)));
    assert_eq!(won(&[(1, 14), (BAR, 1)]).win_level(), Some((Side::Own, 3)));
    assert_eq!(won(&[(18, 15)]).swapped().win_level(), Some((Side::Other, 2)));
    assert!(won(&[(18, 15)]).over() && !Board::OPENING.over());
}

#[test]
fn position_ids_are_those_of_gnu_backgammon() {
    assert_eq!(encode(&Board::OPENING), "4HPwATDgc/ABMA");
    let end = board(&[(6, 1)], &[(1, 1)]);
    assert_eq!(encode(&end), "AQAAgAAAAAAAAA");
    assert_eq!(decode("AQAAgAAAAAAAAA"), Ok(end));
    let mut random = Random::new(4);
    for _ in 0..1000 {
        let board = random.board();
        assert_eq!(decode(&encode(&board)), Ok(board));
    }
}

#[test]
fn what_is_no_position_id_is_refused() {
    let message = |id: &str| decode(id).unwrap_err().to_string();
    assert_eq!(message(""), "a position id has 14 characters, not 0");
    assert_eq!(message("4HPwATDgc/ABMA=="), "a position id has 14 characters, not 16");
    assert_eq!(message("4HPwATDgc/ABM-"), "'-' cannot be part of a position id");
    assert_eq!(message("4HPwATDgc/ABMä"), "'ä' cannot be part of a position id");
    assert_eq!(message("4HPwATDgc/ABMB"), "there is more than a position in the id");
    assert_eq!(message("AQAAgAAAAAAAgA"), "there is more than a position in the id");
    assert_eq!(message("//////////////"), "there is more than a position in the id");
    assert_eq!(message("////////////8A"), "the opponent has more than 15 men");
    assert_eq!(message("AAAAAAAAAAAAAA"), "both sides have borne off all men");
    assert_eq!(message("AQAAAAAAAgAAAA"), "both sides stand on point 24");
}

#[test]
fn random_text_never_panics_as_position_id() {
    let mut random = Random::new(5);
    let alphabet: Vec<char> =
        ('A'..='Z').chain('a'..='z').chain('0'..='9').chain(['+', '/']).collect();
    for _ in 0..20_000 {
        // Many zero bits, so that some are positions.
        let id: String =
            (0..14).map(|_| alphabet[(random.below(64) & random.below(64)) as usize]).collect();
        match decode(&id) {
            Ok(board) => assert_eq!(encode(&board), id),
            Err(PositionIdError::Length(_) | PositionIdError::Character(_)) => unreachable!(),
            Err(error) => assert!(!error.to_string().is_empty()),
        }
    }
}

#[test]
fn random_games_end_with_a_winner_and_take_every_position_alike() {
    let mut random = Random::new(6);
    let mut player = RandomPlayer::default();
    for _ in 0..20 {
        let (turns, last) = player.game(&mut |n| random.below(n));
        assert!(turns > 10);
        assert!(matches!(last.win_level(), Some((Side::Own, _))));
    }
    for dice in Dice::ALL {
        let all = positions(&Board::OPENING, dice);
        let mut index = 0..all.len() as u32;
        let picked: HashSet<Board> = all
            .iter()
            .map(|_| player.play(&Board::OPENING, dice, &mut |_| index.next().unwrap()))
            .collect();
        assert_eq!(picked, all.into_iter().collect());
    }
}
