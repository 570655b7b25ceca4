//! `parlor hand`: hand documents.

use super::input::json_of;
use super::refused;
use anyhow::Result;
use clap::Subcommand;
use parlor_phh::{Document, document};
use parlor_rules::{Chips, Refusal, json};
use std::io::{Write as _, stdout};
use std::path::{Path, PathBuf};

/// What can be done with hand documents.
#[derive(Subcommand)]
pub(crate) enum Hand {
    /// Take what a player may change into the server's hand
    Merge {
        /// The server's document; - is standard input
        server: PathBuf,
        /// The player's document; - is standard input
        incoming: PathBuf,
        /// Who sends it
        #[arg(long = "as", value_name = "NAME")]
        who: String,
        /// What the sender has, for sitting down
        #[arg(long, value_name = "AMOUNT")]
        balance: Option<String>,
    },
    /// The next hand of the table
    Next {
        /// The hand
        hand: PathBuf,
        /// Deal the cards that follow from this
        #[arg(long)]
        seed: Option<String>,
    },
    /// Play for the player who is waited for
    Auto {
        /// The hand
        hand: PathBuf,
    },
    /// What a player may see
    View {
        /// The hand
        hand: PathBuf,
        /// The player
        #[arg(long = "for", value_name = "NAME")]
        name: String,
    },
}

/// Answers, with a document or an error object.
pub(crate) fn hand(what: Hand) -> Result<()> {
    match answer(what) {
        Ok(document) => Ok(writeln!(stdout(), "{}", json(&document))?),
        Err(refusal) => refused(refusal),
    }
}

fn answer(what: Hand) -> Result<Document, Refusal> {
    let read = |file: &Path| Document::read(json_of(file)?);
    match what {
        Hand::Merge { server, incoming, who, balance } => {
            let amount = |text: String| match text.parse::<Chips>() {
                Ok(chips) if chips >= Chips::ZERO => Ok(chips),
                _ => Err(Refusal::new("bad_balance", format!("--balance: {text:?} is no amount"))),
            };
            let balance = balance.map(amount).transpose()?;
            document::merge(&read(&server)?, &json_of(&incoming)?, &who, balance)
        }
        Hand::Next { hand, seed } => document::next(&read(&hand)?, seed.as_deref()),
        Hand::Auto { hand } => document::auto(&read(&hand)?),
        Hand::View { hand, name } => document::view(&read(&hand)?, &name),
    }
}
