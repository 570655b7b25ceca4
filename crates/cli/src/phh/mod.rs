//! `parlor phh`: hand histories.

mod check;
mod convert;
mod document;
mod found;
mod input;
mod stats;

use crate::AlreadyPrinted;
use anyhow::Result;
use check::check;
use clap::{Args, Subcommand};
use convert::convert;
pub(crate) use document::{Hand, hand};
use parlor_rules::{Refusal, json};
use stats::count;
use std::collections::BTreeMap;
use std::io::{Write as _, stdout};
use std::path::PathBuf;

/// What can be done with hand histories.
#[derive(Subcommand)]
pub(crate) enum Phh {
    /// Replay every hand of these files and folders, and compare what they say about it
    Check {
        /// Files, or folders that hold .phh and .phhs files, or .txt files of PokerStars
        #[arg(required = true)]
        paths: Vec<PathBuf>,
        #[command(flatten)]
        how: How,
    },
    /// Print hands in another form, or an error object and exit code 1
    Convert {
        /// What to
        #[arg(long, value_enum)]
        to: Form,
        /// Whose cards PokerStars deals openly; default is the author, or the first whose cards are
        /// known
        #[arg(long, value_name = "NAME")]
        hero: Option<String>,
        /// .phh and .phhs files, hand histories of PokerStars, or hand documents in JSON, one after
        /// the other or in a list; - is standard input
        #[arg(required = true)]
        files: Vec<PathBuf>,
        #[command(flatten)]
        how: How,
    },
    /// Count what players do: hands, big blinds won in 100 hands, VPIP, PFR, 3-bet, showdowns
    Stats {
        /// Files, or folders that hold .phh and .phhs files, or .txt files of PokerStars
        #[arg(required = true)]
        paths: Vec<PathBuf>,
        /// As comma-separated values
        #[arg(long)]
        csv: bool,
        /// What was brought and won in money instead, and the fewest payments that settle it
        #[arg(long)]
        ledger: bool,
        #[command(flatten)]
        how: How,
    },
}

/// How files are read.
#[derive(Args, Clone, Copy)]
pub(crate) struct How {
    /// What the files are; default is to look at the first line
    #[arg(long, value_enum)]
    from: Option<Form>,
    /// Tell hands that cannot be read on standard error, and go on behind them; check always goes on
    #[arg(long)]
    keep_going: bool,
}

/// Forms of a hand.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Form {
    /// A hand history in PHH; many stand under names of their own, as in a .phhs file
    Phh,
    /// A hand document; many are a list
    Json,
    /// A hand history as PokerStars writes it; many stand one below the other
    Pokerstars,
}

pub(crate) fn run(what: Phh) -> Result<()> {
    match what {
        Phh::Check { paths, how } => check(&paths, how),
        Phh::Convert { to, hero, files, how } => {
            let (text, left_out) = match convert(to, hero.as_deref(), &files, how) {
                Ok(converted) => converted,
                Err(refusal) => return refused(refusal),
            };
            write!(stdout(), "{text}")?;
            if left_out { Err(AlreadyPrinted.into()) } else { Ok(()) }
        }
        Phh::Stats { paths, csv, ledger, how } => count(&paths, csv, ledger, how),
    }
}

/// Prints the error object.
fn refused(refusal: Refusal) -> Result<()> {
    writeln!(stdout(), "{}", json(&BTreeMap::from([("error", refusal)])))?;
    Err(AlreadyPrinted.into())
}
