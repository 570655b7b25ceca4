//! Chance, as an argument.
//!
//! A game asks for a number below another and nothing else. A card is such a number too; only that
//! it comes from a deck is told apart, since a table proves its decks otherwise than its dice.
//! Where the numbers come from is a [`Source`]: a seeded generator, a tape, or the fair dice and
//! decks of a table. Every number given out is remembered, so an entry of the log can be decided
//! again with exactly its own chance.

use rand_chacha::ChaCha12Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};
use sha2::{Digest, Sha256};
use std::collections::VecDeque;

/// Where numbers come from.
pub trait Source {
    /// A number from 0 to `n` - 1; `n` is at least 1.
    fn below(&mut self, n: u32) -> Result<u32, DrawFault>;

    /// A new deck of so many cards begins. Most sources need not know.
    fn shuffle(&mut self, _size: u32) -> Result<(), DrawFault> {
        Ok(())
    }

    /// The next card of the deck, as its place among the `left` cards still in it.
    fn card(&mut self, left: u32) -> Result<u32, DrawFault> {
        self.below(left)
    }
}

/// Why a source could not give a number.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum DrawFault {
    /// The tape has come to its end.
    #[error("the tape has run out")]
    Dry,
    /// The tape's next number is no answer to the question.
    #[error("the tape holds {value} where a number below {below} is drawn")]
    TooLarge {
        /// What the tape holds.
        value: u32,
        /// What the number has to be below.
        below: u32,
    },
    /// The game and the source do not hold the same deck.
    #[error("a deck of {asked} cards is asked for where there are {there}")]
    OtherDeck {
        /// How many cards the game speaks of.
        asked: u32,
        /// How many there are.
        there: u32,
    },
}

/// The chance of one decision.
pub struct Draws<'a> {
    source: &'a mut dyn Source,
    taken: Vec<u32>,
    fault: Option<DrawFault>,
}

impl<'a> Draws<'a> {
    /// Chance from this source.
    pub fn new(source: &'a mut dyn Source) -> Self {
        Self { source, taken: Vec::new(), fault: None }
    }

    /// A number from 0 to `n` - 1.
    ///
    /// A source that fails is remembered and [`Draws::finish`] reports it; until then the numbers
    /// go round, so that a game that draws until something comes up still comes to an end.
    pub fn below(&mut self, n: u32) -> u32 {
        self.take(n, |source| source.below(n))
    }

    /// A new deck of so many cards begins; [`Draws::card`] deals from it, in this decision and in
    /// later ones.
    ///
    /// Nothing is drawn, so nothing is remembered: deciding again says it again.
    pub fn shuffle(&mut self, size: u32) {
        if self.fault.is_none() {
            self.fault = self.source.shuffle(size).err();
        }
    }

    /// The next card, as its place among the `left` cards still in the deck, in the deck's own
    /// order; [`Deck::deal`](crate::Deck::deal) turns it into a card.
    pub fn card(&mut self, left: u32) -> u32 {
        self.take(left, |source| source.card(left))
    }

    fn take(
        &mut self,
        n: u32,
        draw: impl FnOnce(&mut dyn Source) -> Result<u32, DrawFault>,
    ) -> u32 {
        assert!(n > 0, "a draw needs something to draw from");
        let drawn = match self.fault {
            None => draw(self.source),
            Some(fault) => Err(fault),
        };
        let value = drawn.unwrap_or_else(|fault| {
            self.fault = Some(fault);
            self.taken.len() as u32 % n
        });
        self.taken.push(value);
        value
    }

    /// Every number given out, or why one could not be given.
    pub fn finish(self) -> Result<Vec<u32>, DrawFault> {
        match self.fault {
            None => Ok(self.taken),
            Some(fault) => Err(fault),
        }
    }
}

/// The same numbers for the same seed, on every machine and in every version.
///
/// ChaCha12 keyed with the SHA-256 of the seed's UTF-8; a number below `n` is a 32-bit word `w`
/// reduced to the high half of `w * n`, words that would favour some numbers being passed over.
#[derive(Clone, Debug)]
pub struct Seeded(ChaCha12Rng);

impl Seeded {
    /// The generator of this seed.
    pub fn new(seed: &str) -> Self {
        Self(ChaCha12Rng::from_seed(Sha256::digest(seed).into()))
    }
}

impl Source for Seeded {
    fn below(&mut self, n: u32) -> Result<u32, DrawFault> {
        loop {
            let wide = u64::from(self.0.next_u32()) * u64::from(n);
            if wide as u32 >= n.wrapping_neg() % n {
                return Ok((wide >> 32) as u32);
            }
        }
    }
}

/// Numbers written down beforehand.
#[derive(Clone, Debug, Default)]
pub struct Tape(VecDeque<u32>);

impl Tape {
    /// A tape of these numbers.
    pub fn new(values: impl IntoIterator<Item = u32>) -> Self {
        Self(values.into_iter().collect())
    }

    /// Whether nothing is left on it.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl Source for Tape {
    fn below(&mut self, below: u32) -> Result<u32, DrawFault> {
        match self.0.pop_front() {
            None => Err(DrawFault::Dry),
            Some(value) if value < below => Ok(value),
            Some(value) => Err(DrawFault::TooLarge { value, below }),
        }
    }
}
