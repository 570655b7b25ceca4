//! `parlor rank`: how good hands are.

use crate::Failure;
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
pub(crate) fn run(by: By) -> Result<(), Failure> {
    let mut out = BufWriter::new(stdout().lock());
    for (number, line) in (1..).zip(stdin().lines()) {
        let line = line?;
        let (hole, board) = line.split_once(' ').unwrap_or((&line, ""));
        let wrong = |why: &dyn std::fmt::Display| format!("line {number}: {why}");
        let hole = cards(hole).map_err(|why| wrong(&why))?;
        let board = cards(board).map_err(|why| wrong(&why))?;
        if hole.meets(board) {
            return Err(wrong(&"a card is there twice").into());
        }
        match Ranking::from(by).strength(hole, board) {
            Some(strength) => writeln!(out, "{}\t{strength}", strength.number())?,
            None => writeln!(out, "0\tnone")?,
        }
    }
    Ok(out.flush()?)
}

fn cards(text: &str) -> Result<CardSet, String> {
    let row: Cards = text.parse().map_err(|no| format!("{text:?}: {no}"))?;
    if !row.all_known() {
        return Err(format!("{text:?}: all cards must be known"));
    }
    let set = row.set();
    if set.len() == row.len() { Ok(set) } else { Err(format!("{text:?}: a card is there twice")) }
}
