//! `parlor phh`: hand histories.

use crate::Failure;
use clap::{Args, Subcommand};
use parlor_phh::ledger::{self, Ledger};
use parlor_phh::stars::{self, Told};
use parlor_phh::stats::Stats;
use parlor_phh::{Document, History, document, hands, header};
use parlor_rules::strict;
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

pub(crate) fn run(what: Phh) -> Result<(), Failure> {
    match what {
        Phh::Check { paths, how } => check(&paths, how),
        Phh::Convert { to, hero, files, how } => convert(to, hero.as_deref(), &files, how)
            .map_or_else(refused, |whole| match whole {
                (text, false) => Ok(write!(stdout(), "{text}")?),
                (text, true) => {
                    write!(stdout(), "{text}")?;
                    Err(Failure::Told)
                }
            }),
        Phh::Stats { paths, csv, ledger, how } => count(&paths, csv, ledger, how),
    }
}

/// Prints an answer, or the error object.
fn answer(answer: Result<String, Refusal>) -> Result<(), Failure> {
    match answer {
        Ok(text) => Ok(write!(stdout(), "{text}")?),
        Err(refusal) => refused(refusal),
    }
}

fn refused(refusal: Refusal) -> Result<(), Failure> {
    writeln!(stdout(), "{}", json(&BTreeMap::from([("error", refusal)])))?;
    Err(Failure::Told)
}

/// One hand of a file.
enum Found<'t> {
    Phh(Box<History<'t>>),
    Stars(Told),
    Json(Box<Document>),
}

/// Hands one after the other, each as far as it can be read.
type All<'t> = Box<dyn ExactSizeIterator<Item = Result<Found<'t>, Refusal>> + 't>;

/// All hands of a text. A text that is no list of hands is one refusal.
fn found(text: &str, from: Option<Form>) -> Result<All<'_>, Refusal> {
    let from = from.unwrap_or_else(|| match text {
        text if is_json(text) => Form::Json,
        text if stars::is_stars(text) => Form::Pokerstars,
        _ => Form::Phh,
    });
    match from {
        Form::Phh => {
            let all = hands(text).map_err(malformed)?.into_iter();
            Ok(Box::new(all.map(|hand| hand.map(Box::new).map(Found::Phh).map_err(malformed))))
        }
        Form::Pokerstars => {
            let all = stars::each(text).map_err(malformed)?;
            Ok(Box::new(all.map(|told| told.map(Found::Stars).map_err(malformed))))
        }
        Form::Json => {
            let mut all = Vec::new();
            for piece in serde_json::Deserializer::from_str(text).into_iter::<&RawValue>() {
                match value_of(piece.map_err(malformed)?.get())? {
                    Value::Array(list) => all.extend(list),
                    document => all.push(document),
                }
            }
            let many = all.len() > 1;
            let read = move |(i, value)| {
                let numbered = |no: Refusal| match many {
                    true => Refusal { text: format!("document {i}: {}", no.text), ..no },
                    false => no,
                };
                Document::read(value).map(Box::new).map(Found::Json).map_err(numbered)
            };
            let all: Vec<_> = (1..).zip(all).collect();
            Ok(Box::new(all.into_iter().map(read)))
        }
    }
}

impl Found<'_> {
    /// Which one of its file it is; nothing for the only one.
    fn label(&self, number: usize, many: bool) -> Option<String> {
        match self {
            Self::Phh(hand) => hand.name.as_ref().map(|name| format!("hand {name}")),
            Self::Stars(told) => Some(format!("line {}: hand {}", told.line, told.number)),
            Self::Json(_) => many.then(|| format!("document {number}")),
        }
    }

    /// Plays the hand and compares what is said about it; false if nothing is.
    fn check(&self) -> Result<bool, String> {
        match self {
            Self::Phh(hand) => hand.check().map_err(|no| no.to_string()),
            Self::Stars(told) => told.check().map_err(|no| no.to_string()),
            Self::Json(_) => self.with(|hand| hand.check().map_err(|no| no.to_string())),
        }
    }

    /// Does something with the hand as a history.
    fn with<T>(&self, work: impl FnOnce(&History<'_>) -> Result<T, String>) -> Result<T, String> {
        match self {
            Self::Phh(hand) => work(hand),
            Self::Stars(told) => work(&told.history().map_err(|no| no.to_string())?),
            Self::Json(document) => {
                let text = document.to_phh().map_err(|no| no.text)?;
                let hand = hands(&text).map(|mut all| all.remove(0));
                let hand = hand.and_then(|hand| hand).map_err(|no| no.to_string())?;
                work(&hand)
            }
        }
    }

    /// The hand in another form, and the name it has in a file of many.
    fn to(&self, to: Form, hero: Option<&str>) -> Result<Converted, Refusal> {
        match self {
            Self::Phh(hand) => {
                let text = match to {
                    Form::Phh => hand.to_phh(),
                    Form::Json => json(&hand.to_document()?).to_string(),
                    Form::Pokerstars => stars::write(hand, hero)?,
                };
                Ok((hand.name.as_ref().map(ToString::to_string), text))
            }
            Self::Stars(told) => {
                let hand = told.history().map_err(malformed)?;
                let text = match to {
                    Form::Phh => told.phh().to_owned(),
                    Form::Json => json(&hand.to_document()?).to_string(),
                    Form::Pokerstars => stars::write(&hand, hero)?,
                };
                Ok((None, text))
            }
            Self::Json(document) => {
                let text = match to {
                    Form::Phh => document.to_phh()?,
                    Form::Json => json(document).to_string(),
                    Form::Pokerstars => {
                        let text = document.to_phh()?;
                        let hand = hands(&text).map_err(malformed)?.remove(0).map_err(malformed)?;
                        stars::write(&hand, hero)?
                    }
                };
                Ok((document.section().map(str::to_owned), text))
            }
        }
    }
}

/// A hand in the form that is asked for, and the name it has in a file of many.
type Converted = (Option<String>, String);

/// All hands in another form, and whether some were left out.
fn convert(
    to: Form,
    hero: Option<&str>,
    files: &[PathBuf],
    how: How,
) -> Result<(String, bool), Refusal> {
    let mut all: Vec<Converted> = Vec::new();
    let mut left_out = false;
    let mut fail = |no: Refusal| match how.keep_going {
        true => {
            left_out = true;
            eprintln!("{}", no.text);
            Ok(())
        }
        false => Err(no),
    };
    for file in files {
        let here = |no: Refusal| Refusal { text: at(file, &no.text), ..no };
        let text = match text_of(file) {
            Ok(text) => text,
            Err(no) => {
                fail(no)?;
                continue;
            }
        };
        match found(&text, how.from) {
            Err(no) => fail(here(no))?,
            Ok(found) => {
                let many = found.len() > 1;
                for (i, hand) in (1..).zip(found) {
                    let converted = match &hand {
                        Ok(hand) => hand.to(to, hero).map_err(|no| match hand.label(i, many) {
                            Some(label) => Refusal { text: format!("{label}: {}", no.text), ..no },
                            None => no,
                        }),
                        Err(no) => Err(no.clone()),
                    };
                    match converted {
                        Ok(converted) => all.push(converted),
                        Err(no) => fail(here(no))?,
                    }
                }
            }
        }
    }
    let alone = matches!(&all[..], [(None, _)]);
    let mut text = String::new();
    match to {
        Form::Json if alone => text = format!("{}\n", all[0].1),
        Form::Json => {
            let all: Vec<String> = all.into_iter().map(|(_, hand)| hand).collect();
            text = format!("[{}]\n", all.join(",\n"));
        }
        Form::Pokerstars => {
            let all: Vec<String> = all.into_iter().map(|(_, hand)| hand).collect();
            text = all.join("\n\n\n");
        }
        Form::Phh if alone => text = all.remove(0).1,
        Form::Phh => {
            for (name, hand) in named(all) {
                let gap = if text.is_empty() { "" } else { "\n" };
                text = text + gap + &header(&name) + &hand;
            }
        }
    }
    Ok((text, left_out))
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

pub(crate) fn hand(what: Hand) -> Result<(), Failure> {
    answer(ask(what).map(|document| format!("{}\n", json(&document))))
}

fn ask(what: Hand) -> Result<Document, Refusal> {
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
    let text = parlor_phh::decoded(&bytes).map_err(|wrong| malformed(at(file, &wrong)))?;
    Ok(text.into_owned())
}

/// Reads JSON in which no object has a field twice.
fn value_of(text: &str) -> Result<Value, Refusal> {
    strict::value(text).map_err(malformed)
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

fn check(paths: &[PathBuf], how: How) -> Result<(), Failure> {
    let mut tally = Tally::default();
    each(paths, how.from, |hand| {
        tally.hands += 1;
        match hand.and_then(|hand| hand.check()) {
            Ok(exact) => tally.exact += u64::from(exact),
            Err(why) => {
                tally.failed += 1;
                writeln!(stdout(), "{why}")?;
            }
        }
        Ok(())
    })?;
    let Tally { hands, exact, failed } = tally;
    writeln!(stdout(), "{hands} hands, {exact} exact, {failed} failed")?;
    if failed > 0 { Err(Failure::Told) } else { Ok(()) }
}

/// A hand and where it is from.
struct Placed<'t> {
    file: &'t Path,
    hand: Found<'t>,
    /// Which one of its file it is.
    number: usize,
    many: bool,
}

impl Placed<'_> {
    fn here(&self, why: String) -> String {
        match self.hand.label(self.number, self.many) {
            Some(label) => at(self.file, &format_args!("{label}: {why}")),
            None => at(self.file, &why),
        }
    }

    fn check(&self) -> Result<bool, String> {
        self.hand.check().map_err(|why| self.here(why))
    }
}

/// Does something with every hand of these files and folders, or with why it is none, and shows how
/// far it has come.
fn each(
    paths: &[PathBuf],
    from: Option<Form>,
    mut work: impl FnMut(Result<Placed<'_>, String>) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let mut files = Vec::new();
    for path in paths {
        collect(path, &mut files);
    }
    let watched = stderr().is_terminal();
    for (done, file) in files.iter().enumerate() {
        if watched && done % 100 == 0 {
            write!(stderr(), "\r{}", crate::bar(done, files.len()))?;
        }
        let text = match text_of(file) {
            Ok(text) => text,
            Err(no) => {
                work(Err(no.text))?;
                continue;
            }
        };
        match found(&text, from) {
            Err(no) => work(Err(at(file, &no.text)))?,
            Ok(all) => {
                let count = all.len();
                for (i, hand) in all.enumerate() {
                    // A single file may hold a whole year.
                    if watched && i % 1_000 == 999 {
                        write!(stderr(), "\r\x1b[K{}", crate::bar(i, count))?;
                    }
                    let number = i + 1;
                    let hand = hand.map(|hand| Placed { file, hand, number, many: count > 1 });
                    work(hand.map_err(|no| at(file, &no.text)))?;
                }
            }
        }
    }
    if watched {
        write!(stderr(), "\r\x1b[K")?;
    }
    Ok(())
}

/// The files under a path, in the order of their names. What cannot be looked into is among them:
/// it is told when it is read.
fn collect(path: &Path, files: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(path) else { return files.push(path.to_owned()) };
    let mut entries: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    entries.sort();
    for entry in entries {
        let end = entry.extension().and_then(|end| end.to_str()).unwrap_or_default();
        let stars = || text_of(&entry).is_ok_and(|text| stars::is_stars(&text));
        if matches!(end, "phh" | "phhs") || end == "txt" && stars() || entry.is_dir() {
            collect(&entry, files);
        }
    }
}

/// Counts what players do.
fn count(paths: &[PathBuf], csv: bool, with_ledger: bool, how: How) -> Result<(), Failure> {
    let mut stats = Stats::default();
    let mut ledgers: BTreeMap<String, Ledger> = BTreeMap::new();
    let mut left_out = false;
    each(paths, how.from, |hand| {
        let counted = hand.and_then(|placed| {
            placed.check()?;
            let mut add = |hand: &History<'_>| match with_ledger {
                true => ledgers.entry(ledger::currency(hand)).or_default().add(hand),
                false => stats.add(hand),
            };
            let added = placed.hand.with(|hand| add(hand).map_err(|no| no.to_string()));
            added.map_err(|why| placed.here(why))
        });
        match counted {
            Ok(()) => Ok(()),
            Err(why) if how.keep_going => {
                left_out = true;
                Ok(writeln!(stderr(), "{why}")?)
            }
            Err(why) => Err(Failure::Said(why)),
        }
    })?;
    let text = match (with_ledger, csv) {
        (false, false) => table(&counted(&stats)),
        (false, true) => comma_separated(&counted(&stats)),
        (true, false) => accounts(&ledgers, table, |payment, sign| {
            let sign = if sign.is_empty() { String::new() } else { format!(" {sign}") };
            format!("{} pays {} {}{sign}\n", payment[0], payment[1], payment[2])
        }),
        (true, true) => accounts(&ledgers, comma_separated, |payment, _| {
            comma_separated(std::slice::from_ref(payment))
        }),
    };
    write!(stdout(), "{text}")?;
    if left_out { Err(Failure::Told) } else { Ok(()) }
}

/// The rows of a table, the first of which are headings.
type Rows = [Vec<String>];

fn counted(stats: &Stats) -> Vec<Vec<String>> {
    let headings =
        ["player", "hands", "bb/100", "±95%", "VPIP", "PFR", "3-bet", "showdown", "won there"];
    let mut rows = vec![headings.map(str::to_owned).to_vec()];
    let number = |number: Option<f64>| number.map_or("-".to_owned(), |n| format!("{n:.1}"));
    for (name, player) in &stats.players {
        let shares = [player.vpip, player.pfr, player.three_bet, player.showdown, player.won];
        let mut row = vec![name.clone(), player.hands.to_string()];
        row.extend([number(Some(player.rate())), number(player.margin())]);
        row.extend(shares.map(|share| number(share.percent())));
        rows.push(row);
    }
    rows
}

/// An amount of ten-thousandths as people write it.
fn money(amount: i128) -> String {
    let (whole, part) = (amount.unsigned_abs() / 10_000, amount.unsigned_abs() % 10_000);
    let sign = if amount < 0 { "-" } else { "" };
    match part {
        0 => format!("{sign}{whole}"),
        part => format!("{sign}{whole}.{}", format!("{part:04}").trim_end_matches('0')),
    }
}

/// The ledgers, currency by currency: what was brought and taken, then who pays whom.
fn accounts(
    ledgers: &BTreeMap<String, Ledger>,
    rows: impl Fn(&Rows) -> String,
    payment: impl Fn(&Vec<String>, &str) -> String,
) -> String {
    let mut parts = Vec::new();
    for (sign, ledger) in ledgers {
        let mut all = vec![["player", "buy-ins", "taken", "result"].map(str::to_owned).to_vec()];
        for (name, account) in ledger.accounts() {
            let amounts = [account.bought, account.taken, account.result()];
            all.push([name.to_owned()].into_iter().chain(amounts.map(money)).collect());
        }
        parts.push(rows(&all));
        let all = ledger.payments().into_iter().map(|p| vec![p.from, p.to, money(p.amount)]);
        let payments: String = all.map(|row| payment(&row, sign)).collect();
        if !payments.is_empty() {
            parts.push(payments);
        }
    }
    parts.join("\n")
}

/// Rows with the columns aligned: the first to the left, numbers to the right.
fn table(rows: &Rows) -> String {
    let width = |text: &String| text.chars().count();
    let columns = rows.first().map_or(0, Vec::len);
    let widths: Vec<usize> =
        (0..columns).map(|i| rows.iter().map(|row| width(&row[i])).max().unwrap_or(0)).collect();
    let mut text = String::new();
    for row in rows {
        let mut line = String::new();
        for (i, cell) in row.iter().enumerate() {
            let gap = " ".repeat(widths[i] - width(cell));
            line += &if i == 0 { format!("{cell}{gap}") } else { format!("  {gap}{cell}") };
        }
        text = text + line.trim_end() + "\n";
    }
    text
}

fn comma_separated(rows: &Rows) -> String {
    let cell = |cell: &String| match cell.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", cell.replace('"', "\"\"")),
        false if cell == "-" => String::new(),
        false => cell.clone(),
    };
    let line = |row: &Vec<String>| row.iter().map(cell).collect::<Vec<_>>().join(",") + "\n";
    rows.iter().map(line).collect()
}
