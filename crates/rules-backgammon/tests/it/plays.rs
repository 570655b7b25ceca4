use parlor_rules_backgammon::board::Board;
use parlor_rules_backgammon::perft::{Count, perft};
use parlor_rules_backgammon::plays::{Dice, for_each_position};

#[test]
fn opening_rolls_have_the_known_numbers_of_positions() {
    let known = [42, 15, 75, 16, 17, 73, 14, 18, 17, 52, 8, 8, 9, 9, 4, 10, 14, 14, 14, 7, 11];
    let counted = Dice::ALL.map(|dice| {
        let mut n = 0;
        for_each_position(&Board::OPENING, dice, |_| n += 1);
        n
    });
    assert_eq!(counted, known);
}

#[test]
fn perft_agrees_with_the_known_counts() {
    let known =
        [Count { positions: 447, weighted: 637 }, Count { positions: 202_782, weighted: 419_783 }];
    assert_eq!(perft(&Board::OPENING, 2), known);
}
