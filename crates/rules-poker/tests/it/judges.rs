//! Every ranking against crates that others wrote. `conformance/poker/rank.py` compares it with
//! PokerKit, too.

use aya_poker::base::Hand as AyaHand;
use openpql_prelude::{Card64, Game};
use parlor_rules::{Deck, Draws, Seeded};
use parlor_rules_poker::card::Card;
use parlor_rules_poker::rank::{Ranking, Strength};
use parlor_testkit::count;
use playing_cards::core::Card as PlayingCard;
use playing_cards::poker::evaluators::{low_27_evaluator, omaha_hilo_evaluator};

/// A player's cards and the board.
type Hand = (Vec<Card>, Vec<Card>);

/// Random hands of so many cards, with so many on the board, from this rank on.
fn hands(seed: &str, hole: usize, board: usize, lowest: u8) -> Vec<Hand> {
    let mut chance = Seeded::new(seed);
    let mut draws = Draws::new(&mut chance);
    let deal = |_| {
        let mut deck = Deck::new(52).without(0..lowest * 4);
        let mut cards = |count| -> Vec<Card> {
            (0..count).map(|_| Card::from_number(deck.deal(&mut draws)).unwrap()).collect()
        };
        (cards(hole), cards(board))
    };
    (0..count(5_000, 1_000_000)).map(deal).collect()
}

fn strength(ranking: Ranking, (hole, board): &Hand) -> Option<Strength> {
    ranking.strength(hole.iter().copied().collect(), board.iter().copied().collect())
}

/// Fails unless any two of the hands compare as the judge says.
fn agree<J: Ord + std::fmt::Debug>(ranking: Ranking, hands: &[Hand], judge: impl Fn(&Hand) -> J) {
    let mut judged: Vec<(Option<Strength>, J, &Hand)> =
        hands.iter().map(|hand| (strength(ranking, hand), judge(hand), hand)).collect();
    judged.sort_by(|a, b| (a.0, &a.1).cmp(&(b.0, &b.1)));
    for pair in judged.windows(2) {
        let [one, other] = pair else { unreachable!() };
        assert_eq!(one.0.cmp(&other.0), one.1.cmp(&other.1), "{ranking:?}: {one:?} {other:?}");
    }
}

fn all((hole, board): &Hand) -> impl Iterator<Item = Card> {
    hole.iter().chain(board).copied()
}

/// Each of our cards as somebody else's.
fn cards<T>(read: impl Fn(&str) -> T) -> Vec<T> {
    Card::all().map(|card| read(&card.to_string())).collect()
}

/// A judgement of the crate `aya_poker`.
fn aya<J>(judge: impl Fn(&AyaHand) -> J) -> impl Fn(&Hand) -> J {
    let cards = cards(|card| card.parse::<aya_poker::base::Card>().unwrap());
    move |hand| judge(&all(hand).map(|card| cards[usize::from(card.number())]).collect())
}

/// The same where hand and board are told apart.
fn aya_omaha<J>(judge: impl Fn(&AyaHand, &AyaHand) -> J) -> impl Fn(&Hand) -> J {
    let cards = cards(|card| card.parse::<aya_poker::base::Card>().unwrap());
    let set = move |list: &[Card]| -> AyaHand {
        list.iter().map(|card| cards[usize::from(card.number())]).collect()
    };
    move |(hole, board)| judge(&set(hole), &set(board))
}

/// A judgement of the crate `openpql-prelude`.
fn openpql(game: Game) -> impl Fn(&Hand) -> openpql_prelude::HandRating {
    let cards = cards(|card| card.parse::<openpql_prelude::Card>().unwrap());
    let set = move |list: &[Card]| {
        let cards: Vec<_> = list.iter().map(|card| cards[usize::from(card.number())]).collect();
        Card64::from(cards.as_slice())
    };
    move |(hole, board)| game.eval_rating(set(hole), set(board))
}

/// Cards of the crate `playing-cards`.
fn playing_cards() -> impl Fn(&[Card]) -> Vec<PlayingCard> {
    let cards = cards(|card| PlayingCard::vec_from_str(card).unwrap()[0]);
    move |list| list.iter().map(|card| cards[usize::from(card.number())]).collect()
}

#[test]
fn high_hands_rank_as_by_pokers_and_aya_poker() {
    for size in [5, 6, 7] {
        let hands = hands("high", 2, size - 2, 0);
        agree(Ranking::High, &hands, aya(aya_poker::poker_rank));
        agree(Ranking::High, &hands, |hand: &Hand| {
            let cards = all(hand).map(|card| pokers::CARDS[usize::from(card.number())]);
            cards.fold(pokers::Hand::default(), |hand, card| hand + card).evaluate()
        });
    }
}

#[test]
fn short_deck_hands_rank_as_by_aya_poker_and_openpql() {
    let hands = hands("short deck", 2, 5, 4);
    agree(Ranking::ShortDeck, &hands, aya(aya_poker::short_deck_rank));
    agree(Ranking::ShortDeck, &hands, openpql(Game::ShortDeck));
}

#[test]
fn lows_from_ace_to_five_rank_as_by_aya_poker() {
    for size in [5, 6, 7] {
        let hands = hands("ace to five", size, 0, 0);
        agree(Ranking::AceToFive, &hands, aya(aya_poker::ace_five_rank));
        let lo_8 = |hand: &AyaHand| aya_poker::ace_five_rank(hand).to_lo_8_rank();
        agree(Ranking::EightOrBetter, &hands, aya(lo_8));
    }
}

/// These judges take the high hand for the low one turned round, by which A-2-3-4-5 would be a
/// straight. It is not: the ace is high. PokerKit knows.
#[test]
fn lows_from_deuce_to_seven_rank_as_by_aya_poker_and_playing_cards() {
    let mut hands = hands("deuce to seven", 5, 0, 0);
    hands.retain(|(hole, _)| {
        let ranks = hole.iter().fold(0u16, |set, card| set | 1 << card.rank());
        ranks != 0b1_0000_0000_1111
    });
    agree(Ranking::DeuceToSeven, &hands, aya(aya_poker::deuce_seven_rank));
    let read = playing_cards();
    agree(Ranking::DeuceToSeven, &hands, |(hole, _): &Hand| {
        low_27_evaluator::evaluate_hand(&read(hole)).unwrap()
    });
}

#[test]
fn badugis_rank_as_by_aya_poker() {
    let hands = hands("badugi", 4, 0, 0);
    agree(Ranking::Badugi, &hands, aya(aya_poker::badugi_rank));
}

#[test]
fn omaha_hands_rank_as_by_aya_poker_openpql_and_playing_cards() {
    let hands = hands("omaha", 4, 5, 0);
    agree(Ranking::OmahaHigh, &hands, aya_omaha(aya_poker::omaha_rank));
    agree(Ranking::OmahaHigh, &hands, openpql(Game::Omaha));
    let lo_8 =
        |hole: &AyaHand, board: &AyaHand| aya_poker::omaha_lo_rank(hole, board).to_lo_8_rank();
    agree(Ranking::OmahaEightOrBetter, &hands, aya_omaha(lo_8));
    let read = playing_cards();
    agree(Ranking::OmahaEightOrBetter, &hands, |(hole, board): &Hand| {
        omaha_hilo_evaluator::evaluate_hand(&read(hole), &read(board)).unwrap().lo_rank
    });
}
