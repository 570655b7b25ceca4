//! Ranking against a second judge that goes through the definitions, and against known totals.

use parlor_rules_poker::card::{Card, CardSet};
use parlor_rules_poker::rank::{Category, Ranking, Strength, high};
use parlor_testkit::count;
use std::cmp::Ordering;

/// A hand of five by its definition: the category, then ranks in the order they are compared.
fn by_definition(hand: [Card; 5]) -> (Category, Vec<u8>) {
    let mut ranks = hand.map(Card::rank);
    ranks.sort_by(|a, b| b.cmp(a));
    let flush = hand.iter().all(|card| card.suit() == hand[0].suit());
    let wheel = ranks == [12, 3, 2, 1, 0];
    let run = ranks.windows(2).all(|pair| pair[0] == pair[1] + 1);
    let straight = if wheel { Some(3) } else { run.then_some(ranks[0]) };
    // Groups of equal ranks, the largest first, then the highest.
    let mut groups: Vec<(usize, u8)> = Vec::new();
    for rank in ranks {
        match groups.iter_mut().find(|(_, of)| *of == rank) {
            Some((size, _)) => *size += 1,
            None => groups.push((1, rank)),
        }
    }
    groups.sort_by(|a, b| b.cmp(a));
    let sizes: Vec<usize> = groups.iter().map(|(size, _)| *size).collect();
    let order: Vec<u8> = groups.iter().map(|(_, rank)| *rank).collect();
    match (straight, flush, sizes.as_slice()) {
        (Some(top), true, _) => (Category::StraightFlush, vec![top]),
        (_, _, [4, 1]) => (Category::Quads, order),
        (_, _, [3, 2]) => (Category::FullHouse, order),
        (_, true, _) => (Category::Flush, order),
        (Some(top), ..) => (Category::Straight, vec![top]),
        (_, _, [3, 1, 1]) => (Category::Trips, order),
        (_, _, [2, 2, 1]) => (Category::TwoPair, order),
        (_, _, [2, 1, 1, 1]) => (Category::Pair, order),
        _ => (Category::HighCard, order),
    }
}

/// The best five of more cards, by trying all.
fn best(cards: &[Card]) -> (Category, Vec<u8>) {
    let mut best = None;
    for chosen in 0u32..1 << cards.len() {
        if chosen.count_ones() == 5 {
            let five: Vec<Card> =
                (0..cards.len()).filter(|i| chosen >> i & 1 == 1).map(|i| cards[i]).collect();
            best = best.max(Some(by_definition(five.try_into().unwrap())));
        }
    }
    best.expect("five cards or more")
}

fn strength(cards: &[Card]) -> Strength {
    high(cards.iter().copied().collect::<CardSet>())
}

#[test]
fn all_hands_of_five_are_judged_as_defined_and_as_often() {
    let cards: Vec<Card> = Card::all().collect();
    let mut totals = [0u32; 9];
    for a in 0..52 {
        for b in 0..a {
            for c in 0..b {
                for d in 0..c {
                    for e in 0..d {
                        let hand = [a, b, c, d, e].map(|i: usize| cards[i]);
                        let category = strength(&hand).category();
                        totals[category as usize] += 1;
                    }
                }
            }
        }
    }
    // High card, pair, two pair, trips, straight, flush, full house, quads, straight flush.
    assert_eq!(totals, [1_302_540, 1_098_240, 123_552, 54_912, 10_200, 5_108, 3_744, 624, 40]);
}

#[test]
fn random_hands_compare_as_by_definition() {
    use parlor_rules::{Deck, Draws, Seeded};
    let mut chance = Seeded::new("rank");
    let mut draws = Draws::new(&mut chance);
    let mut seen = [0u32; 9];
    let deal = |draws: &mut Draws<'_>, board: &[Card], size: usize| -> Vec<Card> {
        let mut deck = Deck::new(52).without(board.iter().map(|card| card.number()));
        let mut cards = board.to_vec();
        while cards.len() < size {
            let number = deck.at(draws.below(deck.left())).unwrap();
            deck.remove(number);
            cards.push(Card::from_number(number).unwrap());
        }
        cards
    };
    for round in 0..count(4_000, 200_000) {
        // The same board for both, and now and then one suit only, so that much is close.
        let size = 5 + (round % 3) as usize;
        let board = deal(&mut draws, &[], 3);
        let (one, other) = (deal(&mut draws, &board, size), deal(&mut draws, &board, size));
        let (mine, theirs) = (best(&one), best(&other));
        assert_eq!(strength(&one).category(), mine.0, "{one:?}");
        assert_eq!(strength(&one).cmp(&strength(&other)), mine.cmp(&theirs), "{one:?} {other:?}");
        seen[mine.0 as usize] += 1;
    }
    assert!(seen[..8].iter().all(|seen| *seen > 0), "{seen:?}");
}

#[test]
fn close_hands_are_told_apart() {
    let cases = [
        ("AsKsQsJsTs2c3d", "KhQhJhTh9h2c3d", Ordering::Greater),
        ("5h4h3h2hAhKdQd", "6h5h4h3h2hKdQd", Ordering::Less),
        ("AcAdAhKsKdQcJc", "AcAdAhKsKdTc9c", Ordering::Equal),
        ("AcAdAhKsKdKcJc", "AcAdAhKsKdQc9c", Ordering::Equal),
        ("2c2d2h2sAdKcQc", "2c2d2h2sAd3c4c", Ordering::Equal),
        ("AsKdQh9c7d5s3h", "AsKdQh9c7d4s3h", Ordering::Equal),
        ("AsAdQhQc7d7s3h", "AsAdQhQc7d6s3h", Ordering::Equal),
        ("AsAdQhQc8d8s3h", "AsAdQhQc7d7s3h", Ordering::Greater),
        ("As2s4s6s8sTsQs", "As3s4s6s8sTsQs", Ordering::Equal),
        ("As2d3h4c5s6d9h", "As2d3h4c5sKd9h", Ordering::Greater),
    ];
    for (one, other, order) in cases {
        let read = |text: &str| text.parse::<parlor_rules_poker::card::Cards>().unwrap().set();
        assert_eq!(high(read(one)).cmp(&high(read(other))), order, "{one} {other}");
    }
}

#[test]
fn strengths_read_in_words() {
    let read = |text: &str| text.parse::<parlor_rules_poker::card::Cards>().unwrap().set();
    for (ranking, hole, board, words) in [
        (Ranking::High, "AsKs", "", "high card ace"),
        (Ranking::High, "AsKs", "Ad7c2h", "a pair of aces"),
        (Ranking::High, "KsKd", "4d4c2h", "two pair, kings and fours"),
        (Ranking::High, "6s6d", "6h4c2h", "three of a kind, sixes"),
        (Ranking::High, "8s9d", "ThJcQh", "a straight, eight to queen"),
        (Ranking::High, "As2d", "3h4c5h", "a straight, ace to five"),
        (Ranking::High, "As2s", "3s4s9s", "a flush, ace high"),
        (Ranking::High, "KsKd", "Kh4c4h", "a full house, kings full of fours"),
        (Ranking::High, "KsKd", "KhKc4h", "four of a kind, kings"),
        (Ranking::High, "5s6s", "7s8s9s", "a straight flush, five to nine"),
        (Ranking::High, "AsKs", "QsJsTs", "a royal flush"),
        (Ranking::ShortDeck, "As6d", "7h8c9h", "a straight, ace to nine"),
        (Ranking::ShortDeck, "As7s", "Ts8s9s", "a flush, ace high"),
        (Ranking::AceToFive, "8s6d4h3cAsKdKh", "", "8-6-4-3-A low"),
        (Ranking::AceToFive, "AsAd4h4cKsKdKh", "", "two pair, fours and aces"),
        (Ranking::AceToFive, "2s2d4h3cAs", "", "a pair of deuces"),
        (Ranking::EightOrBetter, "8s6d4h3cAsKdKh", "", "8-6-4-3-A low"),
        (Ranking::DeuceToSeven, "7s5d4h3c2s", "", "7-5-4-3-2 low"),
        (Ranking::DeuceToSeven, "As5d4h3c2s", "", "A-5-4-3-2 low"),
        (Ranking::DeuceToSeven, "6s5d4h3c2s", "", "a straight, deuce to six"),
        (Ranking::Badugi, "7s5d3h2c", "", "badugi 7-5-3-2"),
        (Ranking::Badugi, "7s5d3hAh", "", "three cards 7-5-A"),
        (Ranking::Badugi, "7s7d7hAh", "", "two cards 7-A"),
        (Ranking::Badugi, "KsKdKhKc", "", "one card K"),
        (Ranking::OmahaHigh, "AsKsQhJh", "AdTd9d8d2d", "a straight, eight to queen"),
        (Ranking::OmahaEightOrBetter, "As2sQhJh", "3d4d8d8cKd", "8-4-3-2-A low"),
    ] {
        let strength = ranking.strength(read(hole), read(board)).unwrap();
        assert_eq!(strength.to_string(), words, "{ranking:?} {hole} {board}");
    }
}

#[test]
fn close_hands_of_other_rankings_are_told_apart() {
    let read = |text: &str| text.parse::<parlor_rules_poker::card::Cards>().unwrap().set();
    for (ranking, better, worse) in [
        (Ranking::ShortDeck, "As8s7sTsJs", "AsAdAhKsKd"),
        (Ranking::ShortDeck, "As6d7h8c9s", "AsAdAhKsQd"),
        (Ranking::ShortDeck, "6s7d8h9cTs", "As6d7h8c9s"),
        (Ranking::AceToFive, "As2s3s4s5s", "2d3h4c5s6d"),
        (Ranking::AceToFive, "KsQdJhTc9s", "AsAd2h3c4s"),
        (Ranking::AceToFive, "2s2d3h3c4s", "AsAdAh2c3s"),
        (Ranking::EightOrBetter, "7s6d5h4c3s", "8s4d3h2cAs"),
        (Ranking::DeuceToSeven, "7s5d4h3c2s", "7s6d4h3c2s"),
        (Ranking::DeuceToSeven, "KsQdJhTc8s", "As5d4h3c2s"),
        (Ranking::DeuceToSeven, "As5d4h3c2s", "As6d4h3c2s"),
        (Ranking::DeuceToSeven, "AsAdKhQcJs", "6s5d4h3c2s"),
        (Ranking::DeuceToSeven, "6s5d4h3c2s", "7s5s4s3s2s"),
        (Ranking::Badugi, "KsQdJhTc", "As2d3h4h"),
        (Ranking::Badugi, "As2d3h4c", "5s2d3h4c"),
    ] {
        let strength = |text| ranking.strength(read(text), CardSet::NONE).unwrap();
        assert!(strength(better) > strength(worse), "{ranking:?} {better} {worse}");
    }
}

#[test]
fn some_cards_make_no_hand() {
    let read = |text: &str| text.parse::<parlor_rules_poker::card::Cards>().unwrap().set();
    for (ranking, hole, board) in [
        (Ranking::EightOrBetter, "9s6d4h3cAsKdKh", ""),
        (Ranking::EightOrBetter, "8s8d4h3cAsKdKh", ""),
        // Only two of the hand may play, and two must.
        (Ranking::OmahaEightOrBetter, "As2s3h4h", "5d6dKdKcKh"),
        (Ranking::OmahaEightOrBetter, "AsKsQhJh", "2d3d4d5c6h"),
        (Ranking::OmahaHigh, "AsKsQhJh", "2d3d"),
    ] {
        assert_eq!(ranking.strength(read(hole), read(board)), None, "{ranking:?} {hole} {board}");
    }
}

#[test]
fn any_number_of_cards_is_ranked() {
    for ranking in Ranking::ALL {
        for (hole, board) in [(0, 0), (1, 0), (3, 0), (52, 0), (0, 52)] {
            let cards = |count| Card::all().take(count).collect::<CardSet>();
            if !(matches!(ranking, Ranking::AceToFive | Ranking::DeuceToSeven) && hole + board > 7)
            {
                let _ = ranking.strength(cards(hole), cards(board)).map(|hand| hand.to_string());
            }
        }
    }
}
