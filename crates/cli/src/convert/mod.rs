//! `parlor convert`.

mod backgammon;
mod gomoku;

use anyhow::{Context as _, Result};
use clap::Subcommand;
use std::io::{Read, Write, stdin, stdout};

/// A game whose formats are known.
#[derive(Subcommand)]
pub(crate) enum Convert {
    /// Position IDs, match IDs, XGIDs, .mat files and documents of backgammon
    Backgammon {
        /// The form to write
        #[arg(long)]
        to: backgammon::Form,
        /// A position ID, a position ID and a match ID with a colon between, an XGID, the path of a
        /// .mat file or of a JSON document, or - for standard input
        input: String,
    },
    /// Lists of points, .psq and SGF records, boards of the Gomocup protocol and documents of gomoku
    Gomoku(gomoku::Options),
}

/// Prints the same thing in another form.
pub(crate) fn run(what: Convert) -> Result<()> {
    let text = match what {
        Convert::Backgammon { to, input } => backgammon::convert(to, &input)?,
        Convert::Gomoku(options) => gomoku::convert(&options)?,
    };
    Ok(writeln!(stdout(), "{}", text.trim_end())?)
}

/// What stands in a file, or comes from standard input.
pub(crate) fn input(path: &str) -> Result<String> {
    if path == "-" {
        let mut text = String::new();
        stdin().read_to_string(&mut text)?;
        return Ok(text);
    }
    std::fs::read_to_string(path).with_context(|| path.to_owned())
}
