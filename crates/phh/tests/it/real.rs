//! Hands that were really played, where `PARLOR_PHH_DATA` names a folder of them.

use parlor_phh::hands;
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

#[test]
fn every_hand_of_no_limit_holdem_ends_as_its_file_says() {
    let Ok(folder) = std::env::var("PARLOR_PHH_DATA") else { return };
    let mut found = Vec::new();
    files(Path::new(&folder), &mut found);
    let mut exact = 0;
    for path in found {
        let text = std::fs::read_to_string(&path).expect("readable");
        if !text.contains("variant = 'NT'") {
            continue;
        }
        let hands = hands(&text).unwrap_or_else(|wrong| panic!("{}: {wrong}", path.display()));
        for hand in hands {
            let hand = hand.unwrap_or_else(|wrong| panic!("{}: {wrong}", path.display()));
            let checked = hand.check();
            assert_eq!(checked, Ok(true), "{}", path.display());
            exact += 1;
        }
    }
    assert!(exact > 600, "{exact} hands");
}
