//! The table of high hands against known totals, and against ranking by definition.

use parlor_rules_poker::card::{Card, CardSet};
use parlor_rules_poker::quick::{Score, Sum, table};
use parlor_rules_poker::rank::high;
use parlor_testkit::proof;

/// All sets of so many cards, added up.
fn each(from: usize, left: usize, sum: Sum, cards: &[Sum], look: &mut impl FnMut(Sum)) {
    for card in left - 1..from {
        let sum = sum + cards[card];
        if left == 1 { look(sum) } else { each(card, left - 1, sum, cards, look) }
    }
}

/// How often each score comes up.
fn counts(size: usize, score: impl Fn(Sum) -> Score) -> Vec<u32> {
    let cards: Vec<Sum> = Card::all().map(Sum::from).collect();
    let mut counts = vec![0; 7462];
    each(52, size, Sum::NONE, &cards, &mut |sum| counts[score(sum).number() as usize] += 1);
    counts
}

/// How often each category comes up, and how many different hands there are.
fn totals(counts: &[u32]) -> ([u32; 9], usize) {
    let mut totals = [0; 9];
    for (score, count) in (0..).zip(counts) {
        let category = table().strength(Score::from_number(score).unwrap()).category();
        totals[category as usize] += count;
    }
    (totals, counts.iter().filter(|count| **count > 0).count())
}

// High card, pair, two pair, trips, straight, flush, full house, quads, straight flush.

#[test]
fn all_hands_of_seven_are_as_often_as_known() {
    let known = [
        23_294_460, 58_627_800, 31_433_400, 6_461_620, 6_180_020, 4_047_644, 3_473_184, 224_848,
        41_584,
    ];
    assert_eq!(totals(&counts(7, |sum| table().seven(sum))), (known, 4824));
}

#[test]
fn all_hands_of_five_are_as_often_as_known() {
    let known = [1_302_540, 1_098_240, 123_552, 54_912, 10_200, 5_108, 3_744, 624, 40];
    assert_eq!(totals(&counts(5, |sum| table().five(sum))), (known, 7462));
}

/// All hands of seven in the proof; otherwise those below the ten.
#[test]
fn the_table_says_what_ranking_says() {
    let cards: Vec<Sum> = Card::all().map(Sum::from).collect();
    let highest = if proof() { 52 } else { 32 };
    each(highest, 7, Sum::NONE, &cards, &mut |sum| {
        assert_eq!(table().strength(table().seven(sum)), high(sum.set()), "{}", sum.set());
    });
    each(52, 5, Sum::NONE, &cards, &mut |sum| {
        assert_eq!(table().strength(table().five(sum)), high(sum.set()), "{}", sum.set());
    });
}

#[test]
fn cards_one_by_one_score_as_their_sum() {
    use parlor_rules::{Deck, Draws, Seeded};
    let mut chance = Seeded::new("one by one");
    let mut draws = Draws::new(&mut chance);
    for _ in 0..100_000 {
        let mut deck = Deck::new(52);
        let cards = [(); 7].map(|()| Card::from_number(deck.deal(&mut draws)).unwrap());
        let sum = Sum::from(cards.into_iter().collect::<CardSet>());
        assert_eq!(table().cards(&cards), table().seven(sum), "{cards:?}");
    }
}

#[test]
fn a_score_is_one_of_7462() {
    assert_eq!(Score::from_number(7462), None);
    let best = table().strength(Score::from_number(7461).unwrap());
    let worst = table().strength(Score::from_number(0).unwrap());
    assert_eq!(
        (best.to_string(), worst.to_string()),
        ("a royal flush".into(), "high card seven".into())
    );
}

#[test]
fn too_few_cards_and_too_many_break_nothing() {
    for count in 0..52 {
        let sum = Sum::from(Card::all().take(count).collect::<CardSet>());
        let _ = (table().strength(table().seven(sum)), table().strength(table().five(sum)));
    }
}
