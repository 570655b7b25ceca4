//! How good a hand is.

use crate::card::CardSet;
use std::fmt;

/// The kinds of high hands, the lowest first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Category {
    HighCard,
    Pair,
    TwoPair,
    Trips,
    Straight,
    Flush,
    FullHouse,
    Quads,
    StraightFlush,
}

impl fmt::Display for Category {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::HighCard => "high card",
            Self::Pair => "a pair",
            Self::TwoPair => "two pair",
            Self::Trips => "three of a kind",
            Self::Straight => "a straight",
            Self::Flush => "a flush",
            Self::FullHouse => "a full house",
            Self::Quads => "four of a kind",
            Self::StraightFlush => "a straight flush",
        })
    }
}

/// How good a hand is: of two hands the better one has the greater strength, equal hands the same.
///
/// The category, then the ranks that make it, then the ranks beside it, each as a set of ranks: of
/// two sets of the same size the one with the higher card is the greater number.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Strength(u32);

impl Strength {
    const fn new(category: Category, ranks: u32, beside: u32) -> Self {
        Self((category as u32) << 26 | ranks << 13 | beside)
    }

    /// What kind of hand it is.
    pub const fn category(self) -> Category {
        match self.0 >> 26 {
            0 => Category::HighCard,
            1 => Category::Pair,
            2 => Category::TwoPair,
            3 => Category::Trips,
            4 => Category::Straight,
            5 => Category::Flush,
            6 => Category::FullHouse,
            7 => Category::Quads,
            _ => Category::StraightFlush,
        }
    }
}

/// The highest of some ranks, as a set; nothing of nothing.
const fn highest(ranks: u32) -> u32 {
    if ranks == 0 { 0 } else { 1 << ranks.ilog2() }
}

/// The highest so many of some ranks.
const fn top(mut ranks: u32, count: u32) -> u32 {
    while ranks.count_ones() > count {
        ranks &= ranks - 1;
    }
    ranks
}

/// The rank a straight among these ranks goes up to, as a set; nothing if there is none. The ace is
/// below the deuce as well.
const fn straight(ranks: u32) -> u32 {
    let low = ranks << 1 | ranks >> 12;
    let runs = low & low << 1 & low << 2 & low << 3 & low << 4;
    highest(runs >> 1)
}

/// The best five of these cards as a high hand, ace high or low in straights. With fewer than five
/// cards, the best that is there.
pub fn high(cards: CardSet) -> Strength {
    let [c, d, h, s] = [0, 16, 32, 48].map(|suit| (cards.0 >> suit) as u32 & 0x1fff);
    let any = c | d | h | s;
    let flush = [c, d, h, s].into_iter().find(|suit| suit.count_ones() >= 5).unwrap_or(0);
    if flush != 0 {
        let run = straight(flush);
        if run != 0 {
            return Strength::new(Category::StraightFlush, run, 0);
        }
    }
    let quads = c & d & h & s;
    if quads != 0 {
        let quad = highest(quads);
        return Strength::new(Category::Quads, quad, highest(any & !quad));
    }
    let trips = (c & d & (h | s)) | (h & s & (c | d));
    let pairs = ((c & d) | (h & s) | ((c | d) & (h | s))) & !trips;
    if trips != 0 {
        let trip = highest(trips);
        let pair = highest((trips | pairs) & !trip);
        if pair != 0 {
            return Strength::new(Category::FullHouse, trip, pair);
        }
    }
    if flush != 0 {
        return Strength::new(Category::Flush, 0, top(flush, 5));
    }
    let run = straight(any);
    if run != 0 {
        return Strength::new(Category::Straight, run, 0);
    }
    if trips != 0 {
        return Strength::new(Category::Trips, trips, top(any & !trips, 2));
    }
    let pair = top(pairs, 2);
    match pair.count_ones() {
        0 => Strength::new(Category::HighCard, 0, top(any, 5)),
        1 => Strength::new(Category::Pair, pair, top(any & !pair, 3)),
        _ => Strength::new(Category::TwoPair, pair, highest(any & !pair)),
    }
}
