//! Chance that can be checked: the house commits, the seats have their share, and afterwards anyone
//! can work out what had to come. `docs/fairness.md` gives the exact bytes and says what is proved.
//!
//! [`Chance`] is the house's side, a [`Source`](parlor_rules::Source) for the rules. [`Chain`] is a seat's side.
//! [`DiceProof`], [`ChainProof`] and [`HandProof`] are what everybody else is given to check.

mod chance;
mod proof;

pub use chance::{Chance, ChanceState, Mark, NoShare};
pub use proof::{ChainProof, DiceProof, Drawn, HandProof, Opening, Unfair};

use crate::log::{Bytes32, TableId};
use hmac::{Hmac, Mac};
use sha2::Sha256;

/// HMAC-SHA-256 under one key.
struct Keyed(Hmac<Sha256>);

impl Keyed {
    fn new(key: &Bytes32) -> Self {
        Self(Hmac::new_from_slice(&key.0).expect("a key of any length will do"))
    }

    fn tag(&self, parts: &[&[u8]]) -> Bytes32 {
        let mut hmac = self.0.clone();
        for part in parts {
            hmac.update(part);
        }
        Bytes32(hmac.finalize().into_bytes().into())
    }
}

/// The remainder of a 256-bit big-endian number; what it favours, it favours by less than 2^-224.
fn modulo(number: &Bytes32, n: u32) -> u32 {
    let n = u64::from(n);
    number.0.iter().fold(0, |rest, byte| (rest << 8 | u64::from(*byte)) % n) as u32
}

/// Fisher and Yates, from the last place down; `pick(i)` is a number from 0 to `i`.
fn permutation(size: u32, pick: impl Fn(u32) -> u32) -> Vec<u8> {
    let mut order: Vec<u8> = (0..size).map(|i| i as u8).collect();
    for i in (1..size).rev() {
        order.swap(i as usize, pick(i) as usize);
    }
    order
}

/// Contributions one after the other, in the order of seats.
fn bytes_of(contributions: &[Bytes32]) -> Vec<u8> {
    contributions.iter().flat_map(|given| given.0).collect()
}

/// What the house publishes before the first draw: `SHA-256(table ‖ secret)`.
pub fn commitment(table: &TableId, secret: &Bytes32) -> Bytes32 {
    Bytes32::hash(&[table.as_str().as_bytes(), &secret.0])
}

/// The `n`th draw of a table, from 0: a number below `of`.
///
/// # Panics
/// If `of` is 0.
pub fn draw(secret: &Bytes32, table: &TableId, n: u64, contributions: &[Bytes32], of: u32) -> u32 {
    let parts: &[&[u8]] = &[table.as_str().as_bytes(), &n.to_be_bytes(), &bytes_of(contributions)];
    modulo(&Keyed::new(secret).tag(parts), of)
}

/// Whether `link` is the one before `tip` in a hash chain.
pub fn follows(tip: &Bytes32, link: &Bytes32) -> bool {
    Bytes32::hash(&[&link.0]) == *tip
}

/// A seat's hash chain: every link is the SHA-256 of the next one given out, so whoever holds the
/// tip can check each link and foresee none.
#[derive(Clone)]
pub struct Chain(Vec<Bytes32>);

impl Chain {
    /// A chain for so many draws or hands, from a seed that stays secret.
    pub fn new(seed: Bytes32, links: usize) -> Self {
        let next = |link: &Bytes32| Some(Bytes32::hash(&[&link.0]));
        Self(std::iter::successors(Some(seed), next).take(links + 1).collect())
    }

    /// What the seat tells on sitting down, and afterwards the link it gave last.
    pub fn tip(&self) -> Bytes32 {
        *self.0.last().expect("a chain has its seed")
    }

    /// The next link to give; none when the chain is used up.
    pub fn release(&mut self) -> Option<Bytes32> {
        if self.0.len() < 2 {
            return None;
        }
        self.0.pop();
        self.0.last().copied()
    }
}

/// What hides one card: `SHA-256(table ‖ hand ‖ place ‖ card ‖ salt)`.
pub fn seal(table: &TableId, hand: u64, place: u8, card: u8, salt: &Bytes32) -> Bytes32 {
    let parts: &[&[u8]] =
        &[table.as_str().as_bytes(), &hand.to_be_bytes(), &[place], &[card], &salt.0];
    Bytes32::hash(parts)
}

/// What the house publishes of a deck one hand ahead: the SHA-256 of all its commitments.
pub fn root(commitments: &[Bytes32]) -> Bytes32 {
    Bytes32::hash(&[&bytes_of(commitments)])
}

/// The cut: the `k`th card dealt lies at place `cut[k]`.
pub fn cut(root: &Bytes32, hand: u64, contributions: &[Bytes32], size: u32) -> Vec<u8> {
    let (keyed, given) = (Keyed::new(root), bytes_of(contributions));
    permutation(size, |i| {
        modulo(&keyed.tag(&[&hand.to_be_bytes(), &given, &i.to_be_bytes()]), i + 1)
    })
}
