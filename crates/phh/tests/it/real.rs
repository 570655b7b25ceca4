//! Hands that were really played, where `PARLOR_PHH_DATA` names a folder of them.

use parlor_phh::{Document, hands};
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

/// Every hand of no-limit hold'em: where it is from, and its text.
pub(crate) fn texts() -> Vec<(PathBuf, String)> {
    let Ok(folder) = std::env::var("PARLOR_PHH_DATA") else { return Vec::new() };
    let mut found = Vec::new();
    files(Path::new(&folder), &mut found);
    let read = |path: PathBuf| {
        let text = std::fs::read_to_string(&path).expect("readable");
        (path, text)
    };
    let texts: Vec<_> = found.into_iter().map(read).collect();
    let texts: Vec<_> =
        texts.into_iter().filter(|(_, text)| text.contains("variant = 'NT'")).collect();
    assert!(texts.len() > 600, "{} hands", texts.len());
    texts
}

#[test]
fn every_hand_of_no_limit_holdem_ends_as_its_file_says() {
    for (path, text) in texts() {
        for hand in hands(&text).unwrap_or_else(|wrong| panic!("{}: {wrong}", path.display())) {
            let hand = hand.unwrap_or_else(|wrong| panic!("{}: {wrong}", path.display()));
            assert_eq!(hand.check(), Ok(true), "{}", path.display());
        }
    }
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
