//! How good a hand is, by every ranking there is.

use crate::card::CardSet;
use std::fmt;

/// The kinds of hands of five, the lowest first.
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

impl Category {
    const ALL: [Self; 9] = [
        Self::HighCard,
        Self::Pair,
        Self::TwoPair,
        Self::Trips,
        Self::Straight,
        Self::Flush,
        Self::FullHouse,
        Self::Quads,
        Self::StraightFlush,
    ];

    /// Without low cards flushes are rarer than full houses.
    const fn in_short_deck(self) -> Self {
        match self {
            Self::Flush => Self::FullHouse,
            Self::FullHouse => Self::Flush,
            same => same,
        }
    }
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

/// What hands are compared by. A kind of poker names one, or two if the pot is split.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Ranking {
    /// The best five of all cards.
    High,
    /// The same in a deck from the six: a flush beats a full house, and A-6-7-8-9 is a straight.
    ShortDeck,
    /// The lowest five of all cards. Aces are low, straights and flushes are nothing.
    AceToFive,
    /// The same, if all five are different and none is above the eight; otherwise there is no hand.
    EightOrBetter,
    /// The lowest five of all cards. Aces are high, straights and flushes count.
    DeuceToSeven,
    /// As many cards as possible of different ranks and suits, four at most; then the lowest. Aces
    /// are low.
    Badugi,
    /// The best five, of which exactly two are in the hand and three on the board.
    OmahaHigh,
    /// The lowest five, of which exactly two are in the hand and three on the board, if all are
    /// different and none is above the eight.
    OmahaEightOrBetter,
}

impl Ranking {
    /// All there are.
    pub const ALL: [Self; 8] = [
        Self::High,
        Self::ShortDeck,
        Self::AceToFive,
        Self::EightOrBetter,
        Self::DeuceToSeven,
        Self::Badugi,
        Self::OmahaHigh,
        Self::OmahaEightOrBetter,
    ];

    /// How good the cards of a player are with those of the board; nothing if they make no hand.
    /// Of too few cards it is the best that is there, but Omaha needs two in the hand and three on
    /// the board. Of two strengths by the same ranking the greater wins.
    pub fn strength(self, hole: CardSet, board: CardSet) -> Option<Strength> {
        let all = hole.union(board);
        match self {
            Self::High => Some(high(all)),
            Self::ShortDeck => Some(short_deck(all)),
            Self::AceToFive => Some(ace_to_five(all)),
            Self::EightOrBetter => eight_or_better(all),
            Self::DeuceToSeven => Some(deuce_to_seven(all)),
            Self::Badugi => Some(badugi(all)),
            Self::OmahaHigh => omaha(hole, board).map(high).max(),
            Self::OmahaEightOrBetter => omaha(hole, board).filter_map(eight_or_better).max(),
        }
    }
}

/// How a strength is to be read.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
enum Scale {
    High,
    ShortDeck,
    AceToFive,
    DeuceToSeven,
    Badugi,
}

/// How good a hand is: of two hands by the same ranking the better one has the greater strength,
/// equal hands the same. It reads as the hand in words: `two pair, kings and fours`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Strength {
    scale: Scale,
    value: u32,
}

impl Strength {
    const fn new(scale: Scale, made: Made) -> Self {
        Self { scale, value: made.turned(scale).0 }
    }

    const fn made(self) -> Made {
        Made(self.value).turned(self.scale)
    }

    /// What kind of hand it is. A badugi is none of them, and said to be a high card.
    pub const fn category(self) -> Category {
        match self.scale {
            Scale::Badugi => Category::HighCard,
            _ => self.made().category(),
        }
    }

    /// A number that is greater for the greater strength, and never 0.
    pub const fn number(self) -> u32 {
        self.value + 1
    }
}

/// What five cards make: the category, then the ranks that make it, then the ranks beside it, each
/// as a set of ranks: of two sets of the same size the one with the higher card is the greater
/// number. Of a badugi it is the number of cards that are missing, and the ranks.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Made(u32);

impl Made {
    const MOST: u32 = (1 << 30) - 1;

    const fn new(category: Category, ranks: u32, beside: u32) -> Self {
        Self((category as u32) << 26 | ranks << 13 | beside)
    }

    /// What is made as a number that is greater for the better hand, and back again.
    const fn turned(self, scale: Scale) -> Self {
        match scale {
            Scale::High => self,
            Scale::ShortDeck => {
                Self::new(self.category().in_short_deck(), self.ranks(), self.beside())
            }
            Scale::AceToFive | Scale::DeuceToSeven | Scale::Badugi => Self(Self::MOST - self.0),
        }
    }

    const fn category(self) -> Category {
        Category::ALL[(self.0 >> 26) as usize]
    }

    const fn ranks(self) -> u32 {
        self.0 >> 13 & RANKS
    }

    const fn beside(self) -> u32 {
        self.0 & RANKS
    }
}

/// All ranks, as a set.
const RANKS: u32 = 0x1fff;

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

/// Ranks with the ace below the deuce.
const fn ace_low(ranks: u32) -> u32 {
    (ranks << 1 | ranks >> 12) & RANKS
}

/// A straight that goes up to the wheel's highest card with an ace below it, as a set of ranks.
type Wheel = u32;
const NO_WHEEL: Wheel = 0;
const FIVE_HIGH: Wheel = 0b1_0000_0000_1111;
const NINE_HIGH: Wheel = 0b1_0000_1111_0000;

/// The rank a straight among these ranks goes up to, as a set; nothing if there is none.
const fn straight(ranks: u32, wheel: Wheel) -> u32 {
    let runs = ranks & ranks << 1 & ranks << 2 & ranks << 3 & ranks << 4;
    if runs != 0 {
        highest(runs)
    } else if wheel != 0 && ranks & wheel == wheel {
        highest(wheel & RANKS >> 1)
    } else {
        0
    }
}

/// The ranks of each suit.
const fn suits(cards: CardSet) -> [u32; 4] {
    let cards = cards.0;
    let [c, d, h, s] = [cards, cards >> 16, cards >> 32, cards >> 48];
    [c as u32 & RANKS, d as u32 & RANKS, h as u32 & RANKS, s as u32 & RANKS]
}

/// The best of ranks in four rows whatever their suits are, straights apart.
fn groups([c, d, h, s]: [u32; 4]) -> Made {
    let any = c | d | h | s;
    let quads = c & d & h & s;
    if quads != 0 {
        let quad = highest(quads);
        return Made::new(Category::Quads, quad, highest(any & !quad));
    }
    let trips = (c & d & (h | s)) | (h & s & (c | d));
    let pairs = ((c & d) | (h & s) | ((c | d) & (h | s))) & !trips;
    if trips != 0 {
        let trip = highest(trips);
        let pair = highest((trips | pairs) & !trip);
        return match pair {
            0 => Made::new(Category::Trips, trip, top(any & !trip, 2)),
            _ => Made::new(Category::FullHouse, trip, pair),
        };
    }
    let pair = top(pairs, 2);
    match pair.count_ones() {
        0 => Made::new(Category::HighCard, 0, top(any, 5)),
        1 => Made::new(Category::Pair, pair, top(any & !pair, 3)),
        _ => Made::new(Category::TwoPair, pair, highest(any & !pair)),
    }
}

/// The best of ranks in four rows whatever their suits are.
fn unsuited(rows: [u32; 4], wheel: Wheel) -> Made {
    let groups = groups(rows);
    let run = straight(rows[0] | rows[1] | rows[2] | rows[3], wheel);
    if run != 0 { groups.max(Made::new(Category::Straight, run, 0)) } else { groups }
}

/// The best flush among ranks of one suit.
fn flush(suit: u32, wheel: Wheel) -> Option<Made> {
    if suit.count_ones() < 5 {
        return None;
    }
    Some(match straight(suit, wheel) {
        0 => Made::new(Category::Flush, 0, top(suit, 5)),
        run => Made::new(Category::StraightFlush, run, 0),
    })
}

/// All strengths the cards have, suited and not; the greatest counts.
fn best(scale: Scale, cards: CardSet, wheel: Wheel) -> Strength {
    let suits = suits(cards);
    let unsuited = Strength::new(scale, unsuited(suits, wheel));
    let flush = suits.iter().find_map(|suit| flush(*suit, wheel));
    flush.map_or(unsuited, |flush| unsuited.max(Strength::new(scale, flush)))
}

/// The best five of these cards as a high hand, ace high or low in straights. With fewer than five
/// cards, the best that is there.
pub fn high(cards: CardSet) -> Strength {
    best(Scale::High, cards, FIVE_HIGH)
}

/// The high hand of ranks in four rows, no two cards of which are of one suit.
pub(crate) fn high_unsuited(rows: [u32; 4]) -> Strength {
    Strength::new(Scale::High, unsuited(rows, FIVE_HIGH))
}

/// The high hand of five or more ranks of one suit.
pub(crate) fn high_flush(suit: u32) -> Option<Strength> {
    flush(suit, FIVE_HIGH).map(|made| Strength::new(Scale::High, made))
}

fn short_deck(cards: CardSet) -> Strength {
    best(Scale::ShortDeck, cards, NINE_HIGH)
}

/// The best five of these cards; of fewer, what they are.
fn best_five(cards: CardSet, judge: fn(CardSet) -> Strength) -> Strength {
    let fives = threes(cards).flat_map(|three| {
        let more = twos(cards.above(three));
        more.map(move |two| three.union(two))
    });
    fives.map(judge).max().unwrap_or_else(|| judge(cards))
}

fn ace_to_five(cards: CardSet) -> Strength {
    different(cards).unwrap_or_else(|| {
        best_five(cards, |five| Strength::new(Scale::AceToFive, groups(suits(five).map(ace_low))))
    })
}

/// The five lowest ranks, if there are five.
fn different(cards: CardSet) -> Option<Strength> {
    let [c, d, h, s] = suits(cards);
    let mut ranks = ace_low(c | d | h | s);
    if ranks.count_ones() < 5 {
        return None;
    }
    while ranks.count_ones() > 5 {
        ranks &= !highest(ranks);
    }
    Some(Strength::new(Scale::AceToFive, Made::new(Category::HighCard, 0, ranks)))
}

fn eight_or_better(cards: CardSet) -> Option<Strength> {
    different(cards).filter(|strength| strength.made().beside() < 1 << 8)
}

fn deuce_to_seven(cards: CardSet) -> Strength {
    best_five(cards, |five| {
        let suits = suits(five);
        let made = suits.iter().find_map(|suit| flush(*suit, NO_WHEEL));
        let made = made.unwrap_or_else(|| unsuited(suits, NO_WHEEL));
        Strength::new(Scale::DeuceToSeven, made)
    })
}

fn badugi(cards: CardSet) -> Strength {
    /// The best with one card, or none, of each of these suits, beside cards of these ranks.
    fn take(suits: &[u32], ranks: u32) -> Strength {
        let Some((suit, rest)) = suits.split_first() else {
            let missing = 4 - ranks.count_ones();
            return Strength::new(Scale::Badugi, Made(missing << 26 | ranks));
        };
        let free = suit & !ranks;
        let one = (0..13).filter(|rank| free >> rank & 1 == 1).map(|rank| 1 << rank);
        one.map(|rank| take(rest, ranks | rank)).fold(take(rest, ranks), Strength::max)
    }
    take(&suits(cards).map(ace_low), 0)
}

/// All fives of two cards in the hand and three on the board.
fn omaha(hole: CardSet, board: CardSet) -> impl Iterator<Item = CardSet> {
    twos(hole).flat_map(move |two| threes(board).map(move |three| two.union(three)))
}

/// The ranks of cards that are all different and none above the eight, the ace being the lowest.
pub(crate) fn low_ranks(cards: CardSet) -> Option<u32> {
    let [c, d, h, s] = suits(cards);
    let ranks = ace_low(c | d | h | s);
    (ranks < 1 << 8 && ranks.count_ones() == cards.0.count_ones()).then_some(ranks)
}

/// All sets of two of these cards.
pub(crate) fn twos(cards: CardSet) -> impl Iterator<Item = CardSet> {
    cards.iter().map(CardSet::of).flat_map(move |one| with_one_more(one, cards))
}

/// All sets of three of these cards.
pub(crate) fn threes(cards: CardSet) -> impl Iterator<Item = CardSet> {
    twos(cards).flat_map(move |two| with_one_more(two, cards))
}

/// These with each of the cards that come after them.
pub(crate) fn with_one_more(set: CardSet, cards: CardSet) -> impl Iterator<Item = CardSet> {
    cards.above(set).iter().map(move |card| set.union(CardSet::of(card)))
}

const NAMES: [&str; 13] = [
    "deuce", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "jack", "queen",
    "king", "ace",
];
const LETTERS: &[u8; 13] = b"23456789TJQKA";

/// Ranks in words.
struct Names {
    /// Where the lowest rank stands among the names.
    lowest: usize,
}

impl Names {
    fn at(&self, rank: usize) -> usize {
        (rank + self.lowest) % 13
    }

    /// The highest of some ranks.
    fn one(&self, ranks: u32) -> &'static str {
        ranks.checked_ilog2().map_or("none", |rank| NAMES[self.at(rank as usize)])
    }

    fn many(&self, ranks: u32) -> String {
        let one = self.one(ranks);
        if one == "six" { "sixes".to_owned() } else { format!("{one}s") }
    }

    /// All of them, the highest first: `8-6-4-3-A`.
    fn letters(&self, ranks: u32) -> String {
        let ranks = (0..13).rev().filter(|rank| ranks >> rank & 1 == 1);
        let letters = ranks.map(|rank| char::from(LETTERS[self.at(rank)]).to_string());
        letters.collect::<Vec<_>>().join("-")
    }

    /// A straight: `eight to queen`.
    fn run(&self, top: u32, scale: Scale) -> String {
        let low = match top.checked_ilog2().unwrap_or(0) as usize {
            3 => "ace",
            7 if scale == Scale::ShortDeck => "ace",
            rank => NAMES[rank.saturating_sub(4)],
        };
        format!("{low} to {}", self.one(top))
    }
}

impl fmt::Display for Strength {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let made = self.made();
        let low = matches!(self.scale, Scale::AceToFive | Scale::Badugi);
        let names = Names { lowest: if low { 12 } else { 0 } };
        let (ranks, beside) = (made.ranks(), made.beside());
        if self.scale == Scale::Badugi {
            let size = match beside.count_ones() {
                4 => "badugi",
                3 => "three cards",
                2 => "two cards",
                _ => "one card",
            };
            return write!(f, "{size} {}", names.letters(beside));
        }
        let category = made.category();
        match category {
            Category::HighCard => match self.scale {
                Scale::High | Scale::ShortDeck => write!(f, "{category} {}", names.one(beside)),
                _ => write!(f, "{} low", names.letters(beside)),
            },
            Category::Pair => write!(f, "{category} of {}", names.many(ranks)),
            Category::TwoPair => {
                let lower = ranks & !highest(ranks);
                write!(f, "{category}, {} and {}", names.many(ranks), names.many(lower))
            }
            Category::Trips | Category::Quads => write!(f, "{category}, {}", names.many(ranks)),
            Category::Flush => write!(f, "{category}, {} high", names.one(beside)),
            Category::FullHouse => {
                write!(f, "{category}, {} full of {}", names.many(ranks), names.many(beside))
            }
            Category::StraightFlush if ranks == 1 << 12 => f.write_str("a royal flush"),
            Category::Straight | Category::StraightFlush => {
                write!(f, "{category}, {}", names.run(ranks, self.scale))
            }
        }
    }
}
