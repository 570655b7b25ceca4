//! Proofs of chance, for anyone to check.

use super::{commitment, cut, draw, follows, root, seal};
use crate::log::{Bytes32, TableId};
use parlor_rules::deck::DECK_CARDS;
use serde::{Deserialize, Serialize};

/// A card shown to someone who may see it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Opening {
    /// The how-manieth card of the hand, from 0.
    pub k: u32,
    /// Where it lay.
    pub place: u8,
    /// The card.
    pub card: u8,
    /// What hid it.
    pub salt: Bytes32,
}

/// Why a proof does not hold.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Unfair {
    /// The secret is not the one committed to.
    #[error("the secret is not the one committed to")]
    WrongSecret,
    /// A draw is missing, or stands there twice.
    #[error("draw {n} is not where it should be")]
    SkippedDraw {
        /// The number that should stand there.
        n: u64,
    },
    /// A draw is not what it had to be.
    #[error("draw {n} had to be another number")]
    WrongDraw {
        /// Its number.
        n: u64,
    },
    /// A link does not hash to the link before.
    #[error("link {link} does not belong to the chain")]
    BrokenChain {
        /// The how-manieth link released, from 0.
        link: usize,
    },
    /// The commitments are not those the root was made from.
    #[error("the commitments do not give the root")]
    WrongRoot,
    /// A card was not taken from the place the cut gives it.
    #[error("card {k} had to come from another place")]
    WrongPlace {
        /// The how-manieth card.
        k: u32,
    },
    /// A card is not the one committed to.
    #[error("card {k} is not the one committed to")]
    WrongCard {
        /// The how-manieth card.
        k: u32,
    },
    /// A card that is not in the deck, or in it twice.
    #[error("card {k} is twice in the deck, or not at all")]
    WrongDeck {
        /// The how-manieth card.
        k: u32,
    },
}

/// All draws of a table, to be checked once its secret is revealed.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DiceProof {
    /// The table.
    pub table: TableId,
    /// What was published before the first draw.
    pub commitment: Bytes32,
    /// What was revealed at the end.
    pub secret: Bytes32,
    /// Every draw, in order.
    pub draws: Vec<Drawn>,
}

/// One draw.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Drawn {
    /// Its number, from 0.
    pub n: u64,
    /// Out of how many.
    pub of: u32,
    /// What counted for each seat.
    pub contributions: Vec<Bytes32>,
    /// What came.
    pub value: u32,
}

impl DiceProof {
    /// Whether every draw is what it had to be.
    pub fn check(&self) -> Result<(), Unfair> {
        if commitment(&self.table, &self.secret) != self.commitment {
            return Err(Unfair::WrongSecret);
        }
        for (n, drawn) in (0..).zip(&self.draws) {
            if drawn.n != n {
                return Err(Unfair::SkippedDraw { n });
            }
            let fits =
                |of| draw(&self.secret, &self.table, n, &drawn.contributions, of) == drawn.value;
            if drawn.of == 0 || !fits(drawn.of) {
                return Err(Unfair::WrongDraw { n });
            }
        }
        Ok(())
    }
}

/// What a seat has given, to be checked against what it told on sitting down.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ChainProof {
    /// The tip.
    pub tip: Bytes32,
    /// The links, in the order they were released.
    pub released: Vec<Bytes32>,
}

impl ChainProof {
    /// Whether every link is of the chain.
    pub fn check(&self) -> Result<(), Unfair> {
        let mut tip = &self.tip;
        for (i, link) in self.released.iter().enumerate() {
            if !follows(tip, link) {
                return Err(Unfair::BrokenChain { link: i });
            }
            tip = link;
        }
        Ok(())
    }
}

/// One hand, with the cards that somebody may see.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HandProof {
    /// The table.
    pub table: TableId,
    /// The hand, from 1.
    pub hand: u64,
    /// What was published one hand ahead.
    pub root: Bytes32,
    /// What was published with the deal.
    pub commitments: Vec<Bytes32>,
    /// What counted for each seat when the deck was cut.
    pub contributions: Vec<Bytes32>,
    /// The cards shown.
    pub openings: Vec<Opening>,
}

impl HandProof {
    /// Whether every card shown is the one that had to be dealt.
    pub fn check(&self) -> Result<(), Unfair> {
        let size = self.commitments.len() as u32;
        if size > DECK_CARDS || root(&self.commitments) != self.root {
            return Err(Unfair::WrongRoot);
        }
        let cut = cut(&self.root, self.hand, &self.contributions, size);
        let mut shown = Vec::new();
        for opening @ &Opening { k, place, card, ref salt } in &self.openings {
            if cut.get(k as usize) != Some(&place) {
                return Err(Unfair::WrongPlace { k });
            }
            if seal(&self.table, self.hand, place, card, salt)
                != self.commitments[usize::from(place)]
            {
                return Err(Unfair::WrongCard { k });
            }
            let twice = |other: &&Opening| other.card == card && other.place != place;
            if u32::from(card) >= size || shown.iter().any(twice) {
                return Err(Unfair::WrongDeck { k });
            }
            shown.push(opening);
        }
        Ok(())
    }
}
