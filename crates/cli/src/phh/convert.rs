//! `parlor phh convert`: hands in another form.

use super::found::{Found, found};
use super::input::{at, text_of};
use super::{Form, How};
use parlor_phh::header;
use parlor_rules::Refusal;
use std::collections::HashSet;
use std::path::{Path, PathBuf};

/// A hand in the form that is asked for, and the name it has in a file of many.
pub(super) type Converted = (Option<String>, String);

/// All hands in another form, and whether some were left out.
pub(super) fn convert(
    to: Form,
    hero: Option<&str>,
    files: &[PathBuf],
    how: How,
) -> Result<(String, bool), Refusal> {
    let mut all: Vec<Converted> = Vec::new();
    let mut left_out = false;
    for converted in files.iter().flat_map(|file| each(file, to, hero, how.from)) {
        match converted {
            Ok(converted) => all.push(converted),
            Err(no) if how.keep_going => {
                left_out = true;
                eprintln!("{}", no.text);
            }
            Err(no) => return Err(no),
        }
    }
    Ok((joined(to, all), left_out))
}

/// Every hand of a file in another form. A file without hands is one refusal.
fn each(
    file: &Path,
    to: Form,
    hero: Option<&str>,
    from: Option<Form>,
) -> Vec<Result<Converted, Refusal>> {
    let here = |no: Refusal| Refusal { text: at(file, &no.text), ..no };
    let text = match text_of(file) {
        Ok(text) => text,
        Err(no) => return vec![Err(no)],
    };
    let all = match found(&text, from) {
        Ok(all) => all,
        Err(no) => return vec![Err(here(no))],
    };
    let many = all.len() > 1;
    let converted = |(number, hand): (usize, Result<Found<'_>, Refusal>)| {
        let hand = hand.map_err(here)?;
        hand.to(to, hero).map_err(|no| match hand.label(number, many) {
            Some(label) => here(Refusal { text: format!("{label}: {}", no.text), ..no }),
            None => here(no),
        })
    };
    (1..).zip(all).map(converted).collect()
}

/// The hands as one file.
fn joined(to: Form, mut all: Vec<Converted>) -> String {
    let alone = matches!(&all[..], [(None, _)]);
    let hands = |all: Vec<Converted>, gap: &str| {
        let hands: Vec<String> = all.into_iter().map(|(_, hand)| hand).collect();
        hands.join(gap)
    };
    match to {
        Form::Json if alone => format!("{}\n", all.remove(0).1),
        Form::Json => format!("[{}]\n", hands(all, ",\n")),
        Form::Pokerstars => hands(all, "\n\n\n"),
        Form::Phh if alone => all.remove(0).1,
        Form::Phh => {
            let sections = named(all).into_iter().map(|(name, hand)| header(&name) + &hand);
            sections.collect::<Vec<_>>().join("\n")
        }
    }
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
