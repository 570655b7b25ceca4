//! `parlor phh check`, and the way through files and folders.

use super::found::{Found, found};
use super::input::{at, text_of};
use super::{Form, How};
use crate::{AlreadyPrinted, progress};
use anyhow::Result;
use indicatif::ProgressBar;
use parlor_phh::stars;
use std::io::{Write as _, stdout};
use std::path::{Path, PathBuf};

/// How many hands there were, and what came of them.
#[derive(Default)]
struct Tally {
    hands: u64,
    exact: u64,
    failed: u64,
}

/// Replays every hand of these files and folders, and tells which do not end as they say.
pub(super) fn check(paths: &[PathBuf], how: How) -> Result<()> {
    let mut tally = Tally::default();
    each(paths, how.from, |hand, bar| {
        tally.hands += 1;
        match hand.and_then(|hand| hand.check()) {
            Ok(exact) => tally.exact += u64::from(exact),
            Err(why) => {
                tally.failed += 1;
                bar.suspend(|| writeln!(stdout(), "{why}"))?;
            }
        }
        Ok(())
    })?;
    let Tally { hands, exact, failed } = tally;
    writeln!(stdout(), "{hands} hands, {exact} exact, {failed} failed")?;
    if failed > 0 { Err(AlreadyPrinted.into()) } else { Ok(()) }
}

/// A hand and where it is from.
pub(super) struct Placed<'t> {
    file: &'t Path,
    pub(super) hand: Found<'t>,
    /// Which one of its file it is, from 1.
    number: usize,
    many: bool,
}

impl Placed<'_> {
    /// A sentence about the hand, with its place.
    pub(super) fn here(&self, why: String) -> String {
        match self.hand.label(self.number, self.many) {
            Some(label) => at(self.file, &format_args!("{label}: {why}")),
            None => at(self.file, &why),
        }
    }

    /// Plays the hand and compares what is said about it; false if nothing is.
    pub(super) fn check(&self) -> Result<bool, String> {
        self.hand.check().map_err(|why| self.here(why))
    }
}

/// Does something with every hand of these files and folders, or with why a part of them is none,
/// and shows a bar meanwhile. What is printed has to suspend it.
pub(super) fn each(
    paths: &[PathBuf],
    from: Option<Form>,
    mut work: impl FnMut(Result<Placed<'_>, String>, &ProgressBar) -> Result<()>,
) -> Result<()> {
    let mut files = Vec::new();
    for path in paths {
        collect(path, &mut files);
    }
    let bar = progress::bar(files.len(), "files and hands");
    for file in &files {
        match text_of(file) {
            Ok(text) => match found(&text, from) {
                Ok(all) => {
                    let count = all.len();
                    // A single file may hold a whole year.
                    bar.inc_length(count as u64);
                    for (number, hand) in (1..).zip(all) {
                        let hand = hand.map(|hand| Placed { file, hand, number, many: count > 1 });
                        work(hand.map_err(|no| at(file, &no.text)), &bar)?;
                        bar.inc(1);
                    }
                }
                Err(no) => work(Err(at(file, &no.text)), &bar)?,
            },
            Err(no) => work(Err(no.text), &bar)?,
        }
        bar.inc(1);
    }
    bar.finish_and_clear();
    Ok(())
}

/// Adds the files under a path, in the order of their names. A path that cannot be looked into is
/// one of them; reading it gives the reason.
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
