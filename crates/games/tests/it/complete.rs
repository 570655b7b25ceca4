//! A game is complete when it has vectors of each kind, a vector for every refusal, and a page.

use parlor_games::GAMES;
use parlor_rules::refusal::HOUSE_CODES;
use parlor_testkit::transcripts::{KINDS, conformance, run};

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
        for code in game.codes().iter().chain(HOUSE_CODES) {
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
