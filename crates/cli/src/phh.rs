//! `parlor phh`: hand histories.

use crate::Failure;
use clap::Subcommand;
use parlor_phh::{Document, document, hands, header};
use parlor_rules::strict::no_field_twice;
use parlor_rules::{Chips, Refusal, json};
use serde_json::Value;
use serde_json::value::RawValue;
use std::collections::{BTreeMap, HashSet};
use std::fmt::Display;
use std::io::{IsTerminal, Read as _, Write, stderr, stdout};
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
    /// Print hands in another form, or an error object and exit code 1
    Convert {
        /// What to
        #[arg(long, value_enum)]
        to: Form,
        /// .phh and .phhs files, or hand documents in JSON, one after the other or in a list; - is
        /// standard input
        #[arg(required = true)]
        files: Vec<PathBuf>,
    },
}

/// Forms of a hand.
#[derive(Clone, Copy, clap::ValueEnum)]
pub(crate) enum Form {
    /// A hand history; many stand under names of their own, as in a .phhs file
    Phh,
    /// A hand document; many are a list
    Json,
}

pub(crate) fn run(what: Phh) -> Result<(), Failure> {
    match what {
        Phh::Check { paths } => check(&paths),
        Phh::Convert { to, files } => answer(convert(to, &files)),
    }
}

/// Prints an answer, or the error object.
fn answer(answer: Result<String, Refusal>) -> Result<(), Failure> {
    match answer {
        Ok(text) => Ok(write!(stdout(), "{text}")?),
        Err(refusal) => {
            writeln!(stdout(), "{}", json(&BTreeMap::from([("error", refusal)])))?;
            Err(Failure::Told)
        }
    }
}

/// A hand in the form that is asked for, and the name it has in a file of many.
type Converted = (Option<String>, String);

fn convert(to: Form, files: &[PathBuf]) -> Result<String, Refusal> {
    let mut all: Vec<Converted> = Vec::new();
    for file in files {
        let text = text_of(file)?;
        let found = if is_json(&text) { of_json(to, &text) } else { of_phh(to, &text) };
        all.extend(found.map_err(|no| Refusal { text: at(file, &no.text), ..no })?);
    }
    let alone = matches!(&all[..], [(None, _)]);
    let mut text = String::new();
    match to {
        Form::Json if alone => text = format!("{}\n", all[0].1),
        Form::Json => {
            let all: Vec<String> = all.into_iter().map(|(_, hand)| hand).collect();
            text = format!("[{}]\n", all.join(",\n"));
        }
        Form::Phh if alone => text = all.remove(0).1,
        Form::Phh => {
            for (name, hand) in named(all) {
                let gap = if text.is_empty() { "" } else { "\n" };
                text = text + gap + &header(&name) + &hand;
            }
        }
    }
    Ok(text)
}

/// Every hand under a name of its own: the one it has, or the next free number.
fn named(all: Vec<Converted>) -> Vec<(String, String)> {
    let mut taken: HashSet<String> = all.iter().filter_map(|(name, _)| name.clone()).collect();
    let mut used = HashSet::new();
    let mut numbers = 1..;
    let mut free = || {
        let number = numbers.by_ref().map(|n: u64| n.to_string()).find(|n| taken.insert(n.clone()));
        number.expect("numbers do not end")
    };
    let name = |(name, hand): Converted| match name {
        Some(name) if used.insert(name.clone()) => (name, hand),
        _ => (free(), hand),
    };
    all.into_iter().map(name).collect()
}

/// A list of documents and the name of a hand both begin with a bracket.
fn is_json(text: &str) -> bool {
    let text = text.trim_start();
    let behind = text.strip_prefix('[').map(str::trim_start);
    text.starts_with('{') || behind.is_some_and(|text| text.starts_with(['{', ']']))
}

fn of_json(to: Form, text: &str) -> Result<Vec<Converted>, Refusal> {
    let mut all = Vec::new();
    for piece in serde_json::Deserializer::from_str(text).into_iter::<&RawValue>() {
        match value_of(piece.map_err(malformed)?.get())? {
            Value::Array(list) => all.extend(list),
            document => all.push(document),
        }
    }
    let many = all.len() > 1;
    let read = |(i, value)| {
        let numbered = |no: Refusal| match many {
            true => Refusal { text: format!("document {i}: {}", no.text), ..no },
            false => no,
        };
        let document = Document::read(value).map_err(numbered)?;
        let text = match to {
            Form::Phh => document.to_phh().map_err(numbered)?,
            Form::Json => json(&document).to_string(),
        };
        Ok((document.section().map(str::to_owned), text))
    };
    (1..).zip(all).map(read).collect()
}

fn of_phh(to: Form, text: &str) -> Result<Vec<Converted>, Refusal> {
    let mut all = Vec::new();
    for hand in hands(text).map_err(malformed)? {
        let hand = hand.map_err(malformed)?;
        let text = match to {
            Form::Phh => hand.to_phh(),
            Form::Json => json(&hand.to_document()?).to_string(),
        };
        all.push((hand.name.map(String::from), text));
    }
    Ok(all)
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
    answer(ask(what).map(|document| format!("{}\n", json(&document))))
}

fn ask(what: Hand) -> Result<Document, Refusal> {
    let read = |file: &Path| Document::read(json_of(file)?);
    match what {
        Hand::Merge { server, incoming, who, balance } => {
            document::merge(&read(&server)?, &json_of(&incoming)?, &who, balance)
        }
        Hand::Next { hand, seed } => document::next(&read(&hand)?, seed.as_deref()),
        Hand::Auto { hand } => document::auto(&read(&hand)?),
        Hand::View { hand, name } => document::view(&read(&hand)?, &name),
    }
}

fn at(file: &Path, why: &dyn Display) -> String {
    format!("{}: {why}", file.display())
}

fn malformed(why: impl Display) -> Refusal {
    Refusal::malformed(why.to_string())
}

fn text_of(file: &Path) -> Result<String, Refusal> {
    let bytes = if file.as_os_str() == "-" {
        let mut bytes = Vec::new();
        std::io::stdin().read_to_end(&mut bytes).map(|_| bytes)
    } else {
        std::fs::read(file)
    };
    let bytes = bytes.map_err(|error| Refusal::new("unreadable", at(file, &error)))?;
    let text = parlor_phh::text_of(&bytes).map_err(|wrong| malformed(at(file, &wrong)))?;
    Ok(text.to_owned())
}

/// Reads JSON in which no object has a field twice.
fn value_of(text: &str) -> Result<Value, Refusal> {
    no_field_twice(text).map_err(malformed)?;
    serde_json::from_str(text).map_err(malformed)
}

fn json_of(file: &Path) -> Result<Value, Refusal> {
    value_of(&text_of(file)?).map_err(|no| malformed(at(file, &no.text)))
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
        collect(path, &mut files);
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

/// The files under a path, in the order of their names. What cannot be looked into is among them:
/// it is told when it is read.
fn collect(path: &Path, files: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(path) else { return files.push(path.to_owned()) };
    let mut entries: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    entries.sort();
    for entry in entries {
        let hand = entry.extension().is_some_and(|end| end == "phh" || end == "phhs");
        if hand || entry.is_dir() {
            collect(&entry, files);
        }
    }
}

impl Tally {
    fn check(&mut self, file: &Path) -> Result<(), Failure> {
        let text = match text_of(file) {
            Ok(text) => text,
            Err(no) => return self.fail(&no.text),
        };
        let all = match hands(&text) {
            Ok(all) => all,
            Err(wrong) => return self.fail(&at(file, &wrong)),
        };
        for hand in all {
            let hand = match hand {
                Ok(hand) => hand,
                Err(wrong) => {
                    self.fail(&at(file, &wrong))?;
                    continue;
                }
            };
            match hand.check() {
                Ok(exact) => {
                    self.hands += 1;
                    self.exact += u64::from(exact);
                }
                Err(failure) => match &hand.name {
                    Some(name) => self.fail(&at(file, &format_args!("hand {name}: {failure}")))?,
                    None => self.fail(&at(file, &failure))?,
                },
            }
        }
        Ok(())
    }

    fn fail(&mut self, why: &str) -> Result<(), Failure> {
        self.hands += 1;
        self.failed += 1;
        Ok(writeln!(stdout(), "{why}")?)
    }
}
