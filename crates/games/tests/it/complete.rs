//! A game is complete when it has vectors of each kind, a vector for every refusal, and a page.

use parlor_games::GAMES;
use parlor_rules::refusal::HOUSE_CODES;
use parlor_testkit::transcripts::{KINDS, conformance, run};

/// Games that leave nothing to chance.
const WITHOUT_CHANCE: [&str; 1] = ["battle"];

#[test]
fn every_game_has_vectors_of_each_kind_and_they_hold() {
    for game in GAMES {
        let found = run(*game);
        assert!(found.failures.is_empty(), "{}", found.failures.join("\n"));
        for (kind, files) in KINDS.iter().zip(found.files) {
            assert!(files > 0, "{} has no vectors in {kind}/", game.key());
        }
    }
}

#[test]
fn every_refusal_has_a_vector() {
    for game in GAMES {
        let found = run(*game);
        // Who draws nothing cannot be given a wrong draw.
        let can_be = |code: &&&str| **code != "bad_tape" || !WITHOUT_CHANCE.contains(&game.key());
        for code in game.codes().iter().chain(HOUSE_CODES).filter(can_be) {
            assert!(found.codes.contains(*code), "{}: no vector is refused {code}", game.key());
        }
    }
}

#[test]
fn every_game_has_a_page() {
    for game in GAMES {
        let page = conformance().join(format!("../docs/{}.md", game.key()));
        let text = std::fs::read_to_string(&page).unwrap_or_default();
        assert!(text.len() > 500, "{} is missing or empty", page.display());
    }
}

#[test]
fn every_refusal_stands_on_a_page() {
    let page = |name: &str| {
        let path = conformance().join(format!("../docs/{name}.md"));
        std::fs::read_to_string(&path).unwrap_or_else(|_| panic!("{} is missing", path.display()))
    };
    let stands = |name: &str, codes: &[&str]| {
        let text = page(name);
        for code in codes {
            assert!(text.contains(&format!("| `{code}` |")), "{code} is missing in {name}.md");
        }
    };
    stands("referee", HOUSE_CODES);
    for game in GAMES {
        stands(game.key(), game.codes());
    }
}

#[test]
fn every_vector_named_by_a_ruling_is_there() {
    let text = std::fs::read_to_string(conformance().join("../docs/rulings.md")).unwrap();
    let mut game = None;
    let mut named = 0;
    for line in text.lines() {
        if let Some(title) = line.strip_prefix("## ") {
            game = GAMES.iter().find(|game| game.key() == title.to_lowercase());
        }
        let quoted = line.split('`').skip(1).step_by(2);
        for name in
            quoted.filter(|name| KINDS.iter().any(|kind| name.starts_with(&format!("{kind}/"))))
        {
            let game = game.unwrap_or_else(|| panic!("{name} stands under no game"));
            let (folder, pattern) = name.split_once('/').expect("a kind and a name");
            let folder = conformance().join(game.key()).join(folder);
            let start = pattern.trim_end_matches('*');
            let fits = |file: String| match pattern.ends_with('*') {
                true => file.starts_with(start),
                false => file == format!("{pattern}.jsonl"),
            };
            let files = std::fs::read_dir(folder).expect("a folder of vectors");
            let found = files.flatten().any(|file| fits(file.file_name().display().to_string()));
            assert!(found, "{}: there is no {name}", game.key());
            named += 1;
        }
    }
    assert!(named > 0, "no ruling names a vector");
}
