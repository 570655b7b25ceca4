//! `parlor phh`: hand histories.

use crate::Failure;
use clap::Subcommand;
use parlor_phh::{Document, document, hands};
use parlor_rules::{Chips, json};
use serde_json::Value;
use std::collections::BTreeMap;
use std::io::{IsTerminal, Write, stderr, stdout};
use std::path::{Path, PathBuf};

/// What can be done with hand histories.
#[derive(Subcommand)]
pub(crate) enum Phh {
    /// Replay every hand of these files and folders, and compare what the players have at the end
    Check {
        /// Files, or folders that hold .phh and .phhs files
        #[arg(required = true)]
        paths: Vec<PathBuf>,
    },
    /// Print a hand in another form, many hands one after the other
    Convert {
        /// What to
        #[arg(long, value_enum)]
        to: Form,
        /// A .phh or .phhs file, or hand documents in JSON; - is standard input
        file: PathBuf,
    },
}

/// Forms of a hand.
#[derive(Clone, Copy, clap::ValueEnum)]
pub(crate) enum Form {
    /// A hand history
    Phh,
    /// A hand document, one a line
    Json,
}

pub(crate) fn run(what: Phh) -> Result<(), Failure> {
    match what {
        Phh::Check { paths } => check(&paths),
        Phh::Convert { to, file } => convert(to, &file),
    }
}

fn convert(to: Form, file: &Path) -> Result<(), Failure> {
    let text = text_of(file)?;
    let fail = |why: &dyn std::fmt::Display| format!("{}: {why}", file.display());
    if text.trim_start().starts_with('{') {
        let documents = serde_json::Deserializer::from_str(&text).into_iter::<Value>();
        for document in documents {
            let document = Document::read(document.map_err(|error| fail(&error))?)?;
            match to {
                Form::Phh => write!(stdout(), "{}", document.to_phh()?)?,
                Form::Json => writeln!(stdout(), "{}", json(&document))?,
            }
        }
        return Ok(());
    }
    for hand in hands(&text).map_err(|wrong| fail(&wrong))? {
        let hand = hand.map_err(|wrong| fail(&wrong))?;
        match to {
            Form::Phh => write!(stdout(), "{}", hand.to_phh())?,
            Form::Json => writeln!(stdout(), "{}", json(&hand.to_document()?))?,
        }
    }
    Ok(())
}

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
        balance: Option<Chips>,
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

pub(crate) fn hand(what: Hand) -> Result<(), Failure> {
    let answer = match what {
        Hand::Merge { server, incoming, who, balance } => {
            let (server, incoming) = (json_of(&server)?, json_of(&incoming)?);
            Document::read(server)
                .and_then(|server| document::merge(&server, &incoming, &who, balance))
        }
        Hand::Next { hand, seed } => {
            let hand = Document::read(json_of(&hand)?);
            hand.and_then(|hand| document::next(&hand, seed.as_deref()))
        }
        Hand::Auto { hand } => {
            Document::read(json_of(&hand)?).and_then(|hand| document::auto(&hand))
        }
        Hand::View { hand, name } => {
            Document::read(json_of(&hand)?).and_then(|hand| document::view(&hand, &name))
        }
    };
    match answer {
        Ok(document) => Ok(writeln!(stdout(), "{}", json(&document))?),
        Err(refusal) => {
            writeln!(stdout(), "{}", json(&BTreeMap::from([("error", refusal)])))?;
            Err(Failure::Told)
        }
    }
}

fn text_of(file: &Path) -> Result<String, Failure> {
    let text = match file.as_os_str().to_str() {
        Some("-") => std::io::read_to_string(std::io::stdin()),
        _ => std::fs::read_to_string(file),
    };
    Ok(text.map_err(|error| format!("{}: {error}", file.display()))?)
}

fn json_of(file: &Path) -> Result<Value, Failure> {
    let read = serde_json::from_str(&text_of(file)?);
    Ok(read.map_err(|error| format!("{}: {error}", file.display()))?)
}

/// What was found so far.
#[derive(Default)]
struct Tally {
    hands: u64,
    exact: u64,
    failed: u64,
}

fn check(paths: &[PathBuf]) -> Result<(), Failure> {
    let mut files = Vec::new();
    for path in paths {
        collect(path, &mut files)?;
    }
    let mut tally = Tally::default();
    for (done, file) in files.iter().enumerate() {
        if stderr().is_terminal() && done % 100 == 0 {
            write!(stderr(), "\r{}", crate::bar(done, files.len()))?;
        }
        tally.check(file)?;
    }
    if stderr().is_terminal() {
        write!(stderr(), "\r\x1b[K")?;
    }
    let Tally { hands, exact, failed } = tally;
    writeln!(stdout(), "{hands} hands, {exact} exact, {failed} failed")?;
    if failed > 0 { Err(Failure::Told) } else { Ok(()) }
}

/// The files under a path, in the order of their names.
fn collect(path: &Path, files: &mut Vec<PathBuf>) -> Result<(), Failure> {
    let fail = |error: std::io::Error| format!("{}: {error}", path.display());
    if !std::fs::metadata(path).map_err(fail)?.is_dir() {
        files.push(path.to_owned());
        return Ok(());
    }
    let mut entries = Vec::new();
    for entry in std::fs::read_dir(path).map_err(fail)? {
        entries.push(entry.map_err(fail)?.path());
    }
    entries.sort();
    for entry in entries {
        let hand = entry.extension().is_some_and(|end| end == "phh" || end == "phhs");
        if hand || entry.is_dir() {
            collect(&entry, files)?;
        }
    }
    Ok(())
}

impl Tally {
    fn check(&mut self, file: &Path) -> Result<(), Failure> {
        let text = match std::fs::read_to_string(file) {
            Ok(text) => text,
            Err(error) => return self.fail(file, &error),
        };
        let all = match hands(&text) {
            Ok(all) => all,
            Err(wrong) => return self.fail(file, &wrong),
        };
        for hand in all {
            let hand = match hand {
                Ok(hand) => hand,
                Err(wrong) => {
                    self.fail(file, &wrong)?;
                    continue;
                }
            };
            match hand.check() {
                Ok(exact) => {
                    self.hands += 1;
                    self.exact += u64::from(exact);
                }
                Err(failure) => match &hand.name {
                    Some(name) => self.fail(file, &format_args!("hand {name}: {failure}"))?,
                    None => self.fail(file, &failure)?,
                },
            }
        }
        Ok(())
    }

    fn fail(&mut self, file: &Path, why: &dyn std::fmt::Display) -> Result<(), Failure> {
        self.hands += 1;
        self.failed += 1;
        Ok(writeln!(stdout(), "{}: {why}", file.display())?)
    }
}
