//! `parlor rank`: how good hands are.

use anyhow::{Context as _, Result, ensure};
use parlor_rules_poker::card::{CardSet, Cards};
use parlor_rules_poker::rank::Ranking;
use std::io::{BufWriter, Write, stdin, stdout};

/// What hands are compared by.
#[derive(Clone, Copy, clap::ValueEnum)]
pub(crate) enum By {
    /// The best five
    High,
    /// The best five from a deck without deuces to fives
    ShortDeck,
    /// The lowest five, as in razz
    AceToFive,
    /// The lowest five up to the eight
    EightOrBetter,
    /// The lowest five, with aces high
    DeuceToSeven,
    /// Up to four of different ranks and suits
    Badugi,
    /// The best five, two of them of the hand
    Omaha,
    /// The lowest five up to the eight, two of them of the hand
    OmahaEight,
}

impl From<By> for Ranking {
    fn from(by: By) -> Self {
        match by {
            By::High => Self::High,
            By::ShortDeck => Self::ShortDeck,
            By::AceToFive => Self::AceToFive,
            By::EightOrBetter => Self::EightOrBetter,
            By::DeuceToSeven => Self::DeuceToSeven,
            By::Badugi => Self::Badugi,
            By::Omaha => Self::OmahaHigh,
            By::OmahaEight => Self::OmahaEightOrBetter,
        }
    }
}

/// A line is the cards of a player and, behind a space, those of the board. The number is greater
/// for the better hand, and 0 for none.
pub(crate) fn run(by: By) -> Result<()> {
    let mut out = BufWriter::new(stdout().lock());
    for (number, line) in (1..).zip(stdin().lines()) {
        let line = line?;
        let (hole, board) = line.split_once(' ').unwrap_or((&line, ""));
        let place = || format!("line {number}");
        let hole = cards(hole).with_context(place)?;
        let board = cards(board).with_context(place)?;
        ensure!(!hole.meets(board), "line {number}: a card is there twice");
        match Ranking::from(by).strength(hole, board) {
            Some(strength) => writeln!(out, "{}\t{strength}", strength.number())?,
            None => writeln!(out, "0\tnone")?,
        }
    }
    Ok(out.flush()?)
}

fn cards(text: &str) -> Result<CardSet> {
    let row: Cards = text.parse().with_context(|| format!("{text:?}"))?;
    ensure!(row.all_known(), "{text:?}: all cards must be known");
    let set = row.set();
    ensure!(set.len() == row.len(), "{text:?}: a card is there twice");
    Ok(set)
}
