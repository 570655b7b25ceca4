//! The cards still in a deck.

use crate::Draws;

/// The most cards a deck may have.
pub const DECK_CARDS: u32 = 128;

/// The cards still in a deck: numbers from 0, in the deck's own order. Where they lie in the
/// shuffled deck is no part of it; chance says that one card at a time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Deck(u128);

impl Deck {
    /// A whole deck.
    ///
    /// # Panics
    /// If it is to have more than [`DECK_CARDS`] cards.
    pub const fn new(size: u32) -> Self {
        assert!(size <= DECK_CARDS, "a deck has at most 128 cards");
        Self(if size == DECK_CARDS { u128::MAX } else { (1 << size) - 1 })
    }

    /// The deck without these cards.
    pub fn without(mut self, cards: impl IntoIterator<Item = u8>) -> Self {
        for card in cards {
            self.remove(card);
        }
        self
    }

    /// How many cards are in it.
    pub const fn left(self) -> u32 {
        self.0.count_ones()
    }

    /// Whether this card is in it.
    pub fn contains(self, card: u8) -> bool {
        u32::from(card) < DECK_CARDS && self.0 & (1 << card) != 0
    }

    /// Takes a card out; whether it was there.
    pub fn remove(&mut self, card: u8) -> bool {
        let there = self.contains(card);
        if there {
            self.0 &= !(1 << card);
        }
        there
    }

    /// How many of the cards in it come before this one.
    pub fn place_of(self, card: u8) -> u32 {
        Self(self.0 & (Self::new(u32::from(card).min(DECK_CARDS)).0)).left()
    }

    /// The card that has so many before it.
    pub fn at(self, place: u32) -> Option<u8> {
        let (low, high) = (self.0 as u64, (self.0 >> 64) as u64);
        let below = low.count_ones();
        match place {
            _ if place < below => Some(nth_bit(low, place)),
            _ if place < self.left() => Some(64 + nth_bit(high, place - below)),
            _ => None,
        }
    }

    /// Deals the next card.
    ///
    /// # Panics
    /// If there is none.
    pub fn deal(&mut self, draws: &mut Draws<'_>) -> u8 {
        let card = self.at(draws.card(self.left())).expect("a draw is below the cards left");
        self.remove(card);
        card
    }
}

/// Where the bit is that has so many below it; there are more than so many.
fn nth_bit(mut bits: u64, mut place: u32) -> u8 {
    let mut at = 0;
    // Half of what is left is passed over at once, or it is in the lower half.
    for half in [32, 16, 8, 4, 2, 1] {
        let below = (bits & ((1 << half) - 1)).count_ones();
        if place >= below {
            (place, bits, at) = (place - below, bits >> half, at + half);
        }
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Seeded, Tape};

    #[test]
    fn a_deck_deals_every_card_once() {
        for size in [1, 52, DECK_CARDS] {
            let mut deck = Deck::new(size);
            let mut chance = Seeded::new("deck");
            let mut draws = Draws::new(&mut chance);
            draws.shuffle(size);
            let mut dealt: Vec<u8> = (0..size).map(|_| deck.deal(&mut draws)).collect();
            assert_eq!(deck.left(), 0);
            assert_eq!(draws.finish().unwrap().len(), size as usize);
            dealt.sort();
            assert_eq!(dealt, (0..size as u8).collect::<Vec<_>>());
        }
    }

    #[test]
    fn a_card_is_its_place_among_those_left() {
        let mut deck = Deck::new(52).without([0, 2, 200]);
        assert_eq!(deck.left(), 50);
        assert_eq!(
            (deck.at(0), deck.at(1), deck.at(49), deck.at(50)),
            (Some(1), Some(3), Some(51), None)
        );
        assert_eq!((deck.place_of(1), deck.place_of(3), deck.place_of(51)), (0, 1, 49));
        let mut tape = Tape::new([1, 1]);
        let mut draws = Draws::new(&mut tape);
        assert_eq!([deck.deal(&mut draws), deck.deal(&mut draws)], [3, 4]);
        assert!(!deck.remove(3));
    }
}
