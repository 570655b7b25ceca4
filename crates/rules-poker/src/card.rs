//! Cards, and cards in a row.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

/// One of 52 cards. Its number is four times its rank, from the deuce, plus its suit in the order
/// clubs, diamonds, hearts, spades.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Card(u8);

/// How many cards there are.
pub const CARDS: u8 = 52;

const RANKS: &[u8; 13] = b"23456789TJQKA";
const SUITS: &[u8; 4] = b"cdhs";

impl Card {
    /// The card with this number, from 0.
    pub const fn from_number(number: u8) -> Option<Self> {
        if number < CARDS { Some(Self(number)) } else { None }
    }

    /// Its number.
    pub const fn number(self) -> u8 {
        self.0
    }

    /// Its rank: 0 is the deuce, 12 the ace.
    pub const fn rank(self) -> u8 {
        self.0 / 4
    }

    /// Its suit: 0 is clubs, 3 spades.
    pub const fn suit(self) -> u8 {
        self.0 % 4
    }

    /// All cards, in the order of their numbers.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..CARDS).map(Self)
    }

    fn letters(self) -> [char; 2] {
        let (rank, suit) = (RANKS[usize::from(self.rank())], SUITS[usize::from(self.suit())]);
        [rank, suit].map(char::from)
    }

    const fn from_letters(rank: u8, suit: u8) -> Option<Self> {
        let rank = match rank {
            b'2'..=b'9' => rank - b'2',
            b'T' => 8,
            b'J' => 9,
            b'Q' => 10,
            b'K' => 11,
            b'A' => 12,
            _ => return None,
        };
        let suit = match suit {
            b'c' => 0,
            b'd' => 1,
            b'h' => 2,
            b's' => 3,
            _ => return None,
        };
        Some(Self(rank * 4 + suit))
    }
}

impl fmt::Display for Card {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.letters().iter().try_for_each(|letter| write!(f, "{letter}"))
    }
}

impl fmt::Debug for Card {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Why a text is no card, or no row of cards.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("a card is a rank of 23456789TJQKA and a suit of cdhs, or ??; at most seven")]
pub struct NoCard;

impl FromStr for Card {
    type Err = NoCard;

    fn from_str(text: &str) -> Result<Self, NoCard> {
        match text.as_bytes() {
            [rank, suit] => Self::from_letters(*rank, *suit).ok_or(NoCard),
            _ => Err(NoCard),
        }
    }
}

/// At most seven cards in a row, of which some may be unknown.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Cards {
    len: u8,
    /// Numbers of cards; what lies beyond the length is always [`UNKNOWN`], so that equal rows are
    /// equal bytes.
    at: [u8; Cards::MOST],
}

const UNKNOWN: u8 = u8::MAX;

impl Cards {
    /// The most cards in a row.
    pub const MOST: usize = 7;
    /// No cards.
    pub const NONE: Self = Self { len: 0, at: [UNKNOWN; Self::MOST] };

    /// So many cards that nobody knows.
    ///
    /// # Panics
    /// If they are more than [`Cards::MOST`].
    pub const fn unknown(len: usize) -> Self {
        assert!(len <= Self::MOST, "at most seven cards");
        Self { len: len as u8, ..Self::NONE }
    }

    /// How many there are.
    pub const fn len(&self) -> usize {
        self.len as usize
    }

    /// Whether there is none.
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The cards, none where one is unknown.
    pub fn iter(&self) -> impl Iterator<Item = Option<Card>> + '_ {
        self.at[..self.len()].iter().map(|number| Card::from_number(*number))
    }

    /// The cards that are known.
    pub fn known(&self) -> impl Iterator<Item = Card> + '_ {
        self.iter().flatten()
    }

    /// Whether all are known.
    pub fn all_known(&self) -> bool {
        self.at[..self.len()].iter().all(|number| *number != UNKNOWN)
    }

    /// Puts a card behind the others; whether there was room.
    pub fn push(&mut self, card: Option<Card>) -> bool {
        let Some(place) = self.at.get_mut(usize::from(self.len)) else { return false };
        *place = card.map_or(UNKNOWN, Card::number);
        self.len += 1;
        true
    }

    /// Puts cards behind the others; whether there was room for all.
    pub fn extend(&mut self, more: &Self) -> bool {
        more.iter().all(|card| self.push(card))
    }

    /// Takes a card out, or an unknown one in its place; whether there was one.
    pub fn remove(&mut self, card: Option<Card>) -> bool {
        let number = card.map_or(UNKNOWN, Card::number);
        let row = &mut self.at[..usize::from(self.len)];
        let at = row.iter().position(|at| *at == number);
        let Some(at) = at.or_else(|| row.iter().position(|at| *at == UNKNOWN)) else {
            return false;
        };
        row[at..].rotate_left(1);
        self.len -= 1;
        self.at[usize::from(self.len)] = UNKNOWN;
        true
    }

    /// The same row with some cards made others, or unknown.
    #[must_use]
    pub fn map(&self, other: impl Fn(Card) -> Option<Card>) -> Self {
        let mut row = Self::NONE;
        for card in self.iter() {
            row.push(card.and_then(&other));
        }
        row
    }

    /// The same row, but only these cards known.
    #[must_use]
    pub fn only(&self, known: CardSet) -> Self {
        self.map(|card| Some(card).filter(|card| known.contains(*card)))
    }

    /// The known ones as a set.
    pub fn set(&self) -> CardSet {
        self.known().collect()
    }

    /// Whether these may be the same cards in any order, unknown ones being whatever is needed.
    pub fn could_be(&self, other: &Self) -> bool {
        let (mine, others) = (self.set(), other.set());
        let missing = others.0 & !mine.0;
        let unknown = self.len() - mine.len();
        self.len() == other.len()
            && missing.count_ones() as usize <= unknown
            && (mine.0 & !others.0).count_ones() as usize <= other.len() - others.len()
    }
}

impl FromIterator<Card> for Cards {
    /// # Panics
    /// If they are more than [`Cards::MOST`].
    fn from_iter<I: IntoIterator<Item = Card>>(cards: I) -> Self {
        let mut row = Self::NONE;
        for card in cards {
            assert!(row.push(Some(card)), "at most seven cards");
        }
        row
    }
}

impl fmt::Display for Cards {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.iter().try_for_each(|card| match card {
            Some(card) => fmt::Display::fmt(&card, f),
            None => f.write_str("??"),
        })
    }
}

impl fmt::Debug for Cards {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for Cards {
    type Err = NoCard;

    fn from_str(text: &str) -> Result<Self, NoCard> {
        let (pairs, rest) = text.as_bytes().as_chunks::<2>();
        if !rest.is_empty() || pairs.len() > Self::MOST {
            return Err(NoCard);
        }
        let mut row = Self::NONE;
        for [rank, suit] in pairs {
            let card = match (rank, suit) {
                (b'?', b'?') => None,
                _ => Some(Card::from_letters(*rank, *suit).ok_or(NoCard)?),
            };
            row.push(card);
        }
        Ok(row)
    }
}

impl Serialize for Cards {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Cards {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        let text = Cow::<'de, str>::deserialize(d)?;
        text.parse().map_err(D::Error::custom)
    }
}

/// A set of cards: sixteen bits a suit, a bit a rank, so that ranking reads suits as they lie.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Debug)]
pub struct CardSet(pub(crate) u64);

impl CardSet {
    /// No cards.
    pub const NONE: Self = Self(0);

    /// One card.
    pub const fn of(card: Card) -> Self {
        Self(Self::bit(card))
    }

    const fn bit(card: Card) -> u64 {
        1 << (card.suit() * 16 + card.rank())
    }

    /// How many there are.
    pub const fn len(self) -> usize {
        self.0.count_ones() as usize
    }

    /// Whether there is none.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether this card is among them.
    pub const fn contains(self, card: Card) -> bool {
        self.0 & Self::bit(card) != 0
    }

    /// Puts a card in; whether it was not there before.
    pub const fn insert(&mut self, card: Card) -> bool {
        let new = !self.contains(card);
        self.0 |= Self::bit(card);
        new
    }

    /// All cards.
    pub const ALL: Self = Self(0x1fff_1fff_1fff_1fff);

    /// The cards that are not in the other.
    #[must_use]
    pub const fn minus(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// The card that has so many before it.
    pub fn at(self, place: usize) -> Option<Card> {
        Card::all().filter(|card| self.contains(*card)).nth(place)
    }

    /// The cards that are in both.
    pub const fn among(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// Takes a card out; whether it was there.
    pub const fn remove(&mut self, card: Card) -> bool {
        let there = self.contains(card);
        self.0 &= !Self::bit(card);
        there
    }

    /// All of both.
    pub const fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// All but those of the other.
    pub const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// Those in both.
    pub const fn intersection(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// Those that come after all of the other.
    pub(crate) const fn above(self, other: Self) -> Self {
        match other.0.checked_ilog2() {
            Some(last) => Self(self.0 & (u64::MAX << last << 1)),
            None => self,
        }
    }

    /// Whether some are in both.
    pub const fn meets(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// The cards, from the lowest of clubs to the highest of spades.
    pub fn iter(self) -> impl Iterator<Item = Card> {
        let mut left = self.0;
        std::iter::from_fn(move || {
            if left == 0 {
                return None;
            }
            let bit = left.trailing_zeros() as u8;
            left &= left - 1;
            Some(Card(bit % 16 * 4 + bit / 16))
        })
    }
}

impl fmt::Display for CardSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.iter().try_for_each(|card| fmt::Display::fmt(&card, f))
    }
}

impl FromIterator<Card> for CardSet {
    fn from_iter<I: IntoIterator<Item = Card>>(cards: I) -> Self {
        let mut set = Self::default();
        for card in cards {
            set.insert(card);
        }
        set
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_card_has_a_number_and_two_letters() {
        assert_eq!(Card::all().count(), 52);
        for card in Card::all() {
            assert_eq!(Card::from_number(card.number()), Some(card));
            assert_eq!(card.to_string().parse(), Ok(card));
        }
        assert_eq!(Card::from_number(52), None);
        let ace: Card = "As".parse().unwrap();
        assert_eq!((ace.rank(), ace.suit(), ace.number()), (12, 3, 51));
        for text in ["", "A", "as", "AS", "1c", "Asx", "ä", "??", "10c"] {
            assert_eq!(text.parse::<Card>(), Err(NoCard), "{text}");
        }
    }

    #[test]
    fn rows_are_written_as_they_are_read() {
        for text in ["", "??", "AsKd", "As??", "2c3c4c5c6c7c8c"] {
            assert_eq!(text.parse::<Cards>().unwrap().to_string(), text);
        }
        for text in ["A", "AsK", "As Kd", "2c3c4c5c6c7c8c9c", "?A", "ää"] {
            assert_eq!(text.parse::<Cards>(), Err(NoCard), "{text}");
        }
    }

    #[test]
    fn unknown_cards_may_be_any() {
        let row = |text: &str| text.parse::<Cards>().unwrap();
        for (one, other, same) in [
            ("AsKd", "KdAs", true),
            ("????", "KdAs", true),
            ("??As", "KdAs", true),
            ("AsKd", "????", true),
            ("??As", "KdAd", false),
            ("As", "AsKd", false),
            ("AsKd", "AsKs", false),
        ] {
            assert_eq!(row(one).could_be(&row(other)), same, "{one} {other}");
        }
    }
}
