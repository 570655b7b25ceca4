//! Hands that were really played, where `PARLOR_PHH_DATA` names a folder of them, and one of every
//! variant that was counted by hand.

use parlor_phh::{Document, hands};
use parlor_rules_poker::variant::VARIANTS;
use parlor_testkit::transcripts::conformance;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder of hands") {
        let path = entry.expect("readable").path();
        if path.is_dir() {
            files(&path, found);
        } else if path.extension().is_some_and(|end| end == "phh") {
            found.push(path);
        }
    }
}

/// Every hand: where it is from, and its text.
pub(crate) fn texts() -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    files(&conformance().join("phh"), &mut found);
    assert!(found.len() >= VARIANTS.len());
    if let Ok(folder) = std::env::var("PARLOR_PHH_DATA") {
        files(Path::new(&folder), &mut found);
        assert!(found.len() > 650, "{} hands", found.len());
    }
    let read = |path: PathBuf| {
        let text = std::fs::read_to_string(&path).expect("readable");
        (path, text)
    };
    found.into_iter().map(read).collect()
}

#[test]
fn every_hand_of_every_variant_ends_as_its_file_says() {
    let mut played = BTreeSet::new();
    for (path, text) in texts() {
        for hand in hands(&text).unwrap_or_else(|wrong| panic!("{}: {wrong}", path.display())) {
            let hand = hand.unwrap_or_else(|wrong| panic!("{}: {wrong}", path.display()));
            assert_eq!(hand.check(), Ok(true), "{}", path.display());
            played.insert(hand.variant.code);
        }
    }
    assert_eq!(played, VARIANTS.iter().map(|variant| variant.code).collect());
}

#[test]
fn every_file_comes_back_from_a_document_as_it_was() {
    for (path, text) in texts() {
        let hand = hands(&text).expect("a file").remove(0).expect("a hand");
        let document = hand.to_document().unwrap_or_else(|no| panic!("{}: {no}", path.display()));
        let json = serde_json::to_value(document).expect("JSON");
        let document = Document::read(json).expect("a document");
        let back = document.to_phh().unwrap_or_else(|no| panic!("{}: {no}", path.display()));
        assert_eq!(back.trim_end(), text.trim_end(), "{}", path.display());
    }
}

#[test]
fn what_others_spell_otherwise_is_read() {
    let mut found = Vec::new();
    files(&conformance().join("phh-spellings"), &mut found);
    assert_eq!(found.len(), 3);
    for path in found {
        let text = std::fs::read_to_string(&path).expect("readable");
        let hand = hands(&text).expect("a file").remove(0).expect("a hand");
        assert_eq!(hand.check(), Ok(true), "{}", path.display());
    }
}
