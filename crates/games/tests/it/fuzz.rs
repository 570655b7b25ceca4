//! A short run of the fuzz targets: bytes by chance, and files that are known, whole and changed.

use crate::anything::TARGETS;
use parlor_rules::{Draws, Seeded};
use parlor_testkit::bytes::{Bytes, bend};
use parlor_testkit::count;
use std::fs;
use std::path::{Path, PathBuf};

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        match entry.path() {
            folder if folder.is_dir() => files(&folder, found),
            file => found.push(file),
        }
    }
}

/// What is known to be worth a try for a target.
fn known(name: &str) -> Vec<Vec<u8>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let more: &[&str] = match name {
        "documents" => &["hand"],
        "records" => &["phh", "phh-spellings"],
        _ => &[],
    };
    let mut found = Vec::new();
    files(&root.join("fuzz/seeds").join(name), &mut found);
    for folder in more {
        files(&root.join("conformance").join(folder), &mut found);
    }
    found.sort();
    found.iter().filter_map(|file| fs::read(file).ok()).collect()
}

/// A text with some of it changed, as bytes say.
fn changed(text: &[u8], bytes: &mut Bytes<'_>) -> Vec<u8> {
    let mut text = text.to_vec();
    for _ in 0..=bytes.choose(6) {
        if text.is_empty() {
            break;
        }
        let (at, other) = (bytes.choose(text.len()), bytes.choose(text.len()));
        let (start, end) = (at.min(other), at.max(other));
        match bytes.choose(6) {
            0 => text[at] = bytes.choose(256) as u8,
            1 => text.insert(at, b"\"{}[],:-0.9 \n/?"[bytes.choose(15)]),
            2 => drop(text.drain(start..end.min(start + 20))),
            3 => text.swap(at, other),
            4 => text.truncate(at),
            _ => {
                let again = text[start..end.min(start + 40)].to_vec();
                text.splice(at..at, again);
            }
        }
    }
    text
}

#[test]
fn whatever_comes_in_nothing_panics() {
    let mut chance = Seeded::new("whatever comes in");
    for (name, target) in TARGETS {
        let known = known(name);
        let mut read = known.iter().filter(|bytes| target(bytes)).count();
        let tries = count(400, 20_000);
        for _ in 0..tries {
            let mut draws = Draws::new(&mut chance);
            let long = draws.below(600) as usize + 8;
            let bytes: Vec<u8> = (0..long).map(|_| draws.below(256) as u8).collect();
            read += usize::from(target(&bytes));
            if !known.is_empty() {
                let text = &known[draws.below(known.len() as u32) as usize];
                let bytes = &mut Bytes::new(&bytes);
                read += usize::from(target(&changed(text, bytes)));
                if let Ok(mut value) = serde_json::from_slice(text) {
                    bend(&mut value, bytes);
                    read += usize::from(target(value.to_string().as_bytes()));
                }
            }
        }
        println!("{name}: {} known, {tries} by chance, {read} understood", known.len());
        assert!(read > 25, "{name}: next to nothing is understood: {read}");
    }
}
