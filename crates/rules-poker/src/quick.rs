//! High hands by the million: a table for hands of seven, and one for hands of five.
//!
//! Cards are added up. The sum holds a number for their ranks, and counts their suits, so that a hand
//! with one more card is one addition away. Whoever goes through many hands keeps the sums of what
//! stays the same.
//!
//! ```
//! use parlor_rules_poker::quick::{Sum, table};
//!
//! let sum = |cards: &str| cards.parse::<parlor_rules_poker::card::Cards>().unwrap().set().into();
//! let (board, aces, kings): (Sum, Sum, Sum) = (sum("2d7cJhKh4s"), sum("AsAd"), sum("KsKd"));
//! let table = table();
//! assert!(table.seven(board + kings) > table.seven(board + aces));
//! assert_eq!(table.strength(table.seven(board + kings)).to_string(), "three of a kind, kings");
//! ```

use crate::card::{CARDS, Card, CardSet};
use crate::rank::{Strength, high_flush, high_unsuited};
use std::ops::Add;
use std::sync::LazyLock;

/// Cards added up. All of them are different.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Sum {
    /// From the top: 12 bits that choose a row, a byte a suit that counts its cards, 4 bits that
    /// keep what flows over, and 16 bits that choose a place in the row.
    key: u64,
    set: CardSet,
}

/// What a card adds to the byte of its suit: five reach the highest bit, and seven stay within it.
const SUITED: u64 = 26;
/// Where the first suit is.
const SUITS: u32 = 20;
/// The highest bit of each suit.
const FLUSH: u64 = 0x8080_8080 << SUITS;

/// The key of each rank: any by which all sums of seven ranks, and all of five, find a place.
const RANKS: [u64; 13] = {
    const CHOSEN: u64 = 2391;
    const ROW: u64 = !0 << (64 - ROW_BITS);
    const PLACE: u64 = 0xffff;
    let mut keys = [0; 13];
    let mut rank = 0;
    while rank < 13 {
        let mut mixed = (CHOSEN << 8 | rank as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        keys[rank] = mixed & ROW | mixed >> 32 & PLACE;
        rank += 1;
    }
    keys
};

/// The keys of all cards by their numbers. There are as many as there are bytes, so that no number
/// has to be looked at before it is used.
static KEYS: [u64; 256] = {
    let mut keys = [0; 256];
    let mut number = 0;
    while number < CARDS as usize {
        keys[number] = RANKS[number / 4] | SUITED << (SUITS as usize + number % 4 * 8);
        number += 1;
    }
    keys
};

impl Sum {
    /// No cards.
    pub const NONE: Self = Self { key: 0, set: CardSet::NONE };

    /// The cards that were added up.
    pub const fn set(self) -> CardSet {
        self.set
    }
}

impl From<Card> for Sum {
    #[inline]
    fn from(card: Card) -> Self {
        Self { key: KEYS[usize::from(card.number())], set: CardSet::of(card) }
    }
}

impl From<CardSet> for Sum {
    fn from(set: CardSet) -> Self {
        set.iter().map(Self::from).fold(Self::NONE, Self::add)
    }
}

impl Add for Sum {
    type Output = Self;

    #[inline]
    fn add(self, other: Self) -> Self {
        Self { key: self.key.wrapping_add(other.key), set: self.set.union(other.set) }
    }
}

/// How good a hand is, the better the greater.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Score(u32);

impl Score {
    /// How many there are.
    pub const COUNT: u32 = 7462;

    /// As a number: 0 is the worst hand of five.
    #[inline]
    pub const fn number(self) -> u32 {
        self.0
    }

    /// The score with this number.
    pub const fn from_number(number: u32) -> Option<Self> {
        if number < Self::COUNT { Some(Self(number)) } else { None }
    }
}

/// The scores of all hands of seven and of five.
pub struct Table {
    seven: Unsuited,
    five: Unsuited,
    /// By the ranks of a suit that has five or more.
    flushes: [u16; FLUSHES],
    /// What the scores stand for.
    strengths: Vec<Strength>,
}

const FLUSHES: usize = 1 << 13;

/// The table; it is made when it is first asked for, in a tenth of a second.
pub fn table() -> &'static Table {
    static TABLE: LazyLock<Box<Table>> = LazyLock::new(Table::new);
    &TABLE
}

impl Table {
    /// How good seven cards are that were added up.
    #[inline(always)]
    pub fn seven(&self, cards: Sum) -> Score {
        if cards.key & FLUSH != 0 { self.flush(cards) } else { self.seven.score(cards.key) }
    }

    /// How good five cards are that were added up.
    #[inline(always)]
    pub fn five(&self, cards: Sum) -> Score {
        if cards.key & FLUSH != 0 { self.flush(cards) } else { self.five.score(cards.key) }
    }

    /// How good seven cards are that lie there one by one.
    #[inline(always)]
    pub fn cards(&self, cards: &[Card; 7]) -> Score {
        let mut key = 0u64;
        for card in cards {
            key = key.wrapping_add(KEYS[usize::from(card.number())]);
        }
        if key & FLUSH != 0 { self.flush_among(key, cards) } else { self.seven.score(key) }
    }

    /// What a score stands for.
    pub fn strength(&self, score: Score) -> Strength {
        self.strengths[score.0 as usize]
    }

    #[cold]
    #[inline(never)]
    fn flush(&self, cards: Sum) -> Score {
        let suit = ((cards.key & FLUSH) >> SUITS).trailing_zeros() / 8 * 16;
        Score(self.flushes[(cards.set.0 >> suit) as usize % FLUSHES].into())
    }

    #[cold]
    #[inline(never)]
    fn flush_among(&self, key: u64, cards: &[Card; 7]) -> Score {
        self.flush(Sum { key, set: cards.iter().copied().collect() })
    }

    fn new() -> Box<Self> {
        let [seven, five] = [7, 5].map(|size| {
            let mut hands = Vec::new();
            multisets(0, size, [0; 4], 0, &mut |rows, key| hands.push((key, high_unsuited(rows))));
            hands
        });
        let flush = |ranks: usize| high_flush(ranks as u32);
        let unsuited = five.iter().map(|(_, strength)| *strength);
        let mut strengths: Vec<Strength> = unsuited.chain((0..FLUSHES).filter_map(flush)).collect();
        strengths.sort_unstable();
        strengths.dedup();
        let score = |of: Strength| strengths.partition_point(|strength| *strength < of) as u16;
        Box::new(Self {
            seven: Unsuited::new(&seven, score),
            five: Unsuited::new(&five, score),
            flushes: std::array::from_fn(|ranks| flush(ranks).map_or(0, score)),
            strengths,
        })
    }
}

/// The scores of hands of one size, whatever their suits are: rows that lie over each other so that
/// every hand has a place of its own. Both lists have as many entries as the bits that choose one
/// can name. The shorter the list of rows, the more of the places stay near the processor.
struct Unsuited {
    /// Where each row begins.
    rows: [u16; ROWS],
    places: [u16; PLACES],
}

const ROW_BITS: u32 = 12;
const ROWS: usize = 1 << ROW_BITS;
const PLACES: usize = 1 << 16;

impl Unsuited {
    #[inline(always)]
    fn score(&self, key: u64) -> Score {
        let row = self.rows[(key >> (64 - ROW_BITS)) as usize];
        Score(self.places[usize::from(row.wrapping_add(key as u16))].into())
    }

    fn new(hands: &[(u64, Strength)], score: impl Fn(Strength) -> u16) -> Self {
        let mut rows: Vec<Vec<(u16, u16)>> = vec![Vec::new(); ROWS];
        for (key, strength) in hands {
            rows[(key >> (64 - ROW_BITS)) as usize].push((*key as u16, score(*strength)));
        }
        const FREE: u16 = u16::MAX;
        let mut table = Self { rows: [0; ROWS], places: [FREE; PLACES] };
        // The fullest rows first; each begins where all its hands find a free place.
        let mut order: Vec<usize> = (0..ROWS).collect();
        order.sort_by_key(|row| std::cmp::Reverse(rows[*row].len()));
        for row in order {
            let at = |begin: u16, place: u16| usize::from(begin.wrapping_add(place));
            let fits = |begin: &u16| {
                rows[row].iter().all(|(place, _)| table.places[at(*begin, *place)] == FREE)
            };
            let begin = (0..=u16::MAX).find(fits).expect("the keys of the ranks were chosen so");
            table.rows[row] = begin;
            for (place, score) in &rows[row] {
                table.places[at(begin, *place)] = *score;
            }
        }
        // Who asks for too many cards or too few is told something, and nothing breaks.
        table.places = table.places.map(|score| if score == FREE { 0 } else { score });
        table
    }
}

/// Every way to take so many cards of the ranks from this one on, at most four of each: in four
/// rows of ranks, and the sum of the ranks' keys.
fn multisets(
    rank: usize,
    left: usize,
    rows: [u32; 4],
    key: u64,
    each: &mut impl FnMut([u32; 4], u64),
) {
    if left == 0 {
        return each(rows, key);
    }
    if rank == RANKS.len() {
        return;
    }
    let (mut rows, mut key) = (rows, key);
    multisets(rank + 1, left, rows, key, each);
    for taken in 1..=left.min(4) {
        rows[taken - 1] |= 1 << rank;
        key = key.wrapping_add(RANKS[rank]);
        multisets(rank + 1, left - taken, rows, key, each);
    }
}
