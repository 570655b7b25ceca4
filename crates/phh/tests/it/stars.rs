//! PokerStars hand histories, in and out.

use crate::round::{document, random_hand};
use parlor_phh::{hands, stars};
use parlor_rules::{Draws, Seeded};
use parlor_testkit::count;

fn file(extra: &str, actions: &str) -> String {
    format!(
        "variant = 'NT'\nante_trimming_status = true\n{extra}min_bet = 2\n\
         starting_stacks = [100, 100, 100]\nactions = [{actions}]\n"
    )
}

/// The file that comes back from PokerStars, and the text between.
fn there_and_back(text: &str) -> (String, String) {
    let hand = hands(text).expect("a file").remove(0).expect("a hand");
    let stars = stars::write(&hand, None).unwrap_or_else(|no| panic!("{no}\n{text}"));
    assert!(stars::is_stars(&stars));
    let told = stars::read(&stars).expect("hands").remove(0);
    let told = told.unwrap_or_else(|wrong| panic!("{wrong}\n{stars}"));
    assert_eq!(told.check().map(|_| ()), Ok(()), "{stars}");
    (told.phh().to_owned(), stars)
}

#[test]
fn a_hand_comes_back_as_it_was() {
    let text = file(
        "antes = [0, 0, 0]\nblinds_or_straddles = [1, 2, 0]\n",
        "'d dh p1 ????', 'd dh p2 ????', 'd dh p3 AsKs', 'p3 cbr 6', 'p1 f # no', 'p2 f'",
    );
    let (back, stars) = there_and_back(&text);
    assert_eq!(back, text, "{stars}");
}

#[test]
fn every_hand_that_was_really_played_comes_back_as_it_was() {
    for (path, text) in crate::real::texts() {
        let (back, stars) = there_and_back(&text);
        assert_eq!(back.trim_end(), text.trim_end(), "{}\n{stars}", path.display());
    }
}

#[test]
fn whatever_is_posted_it_comes_back() {
    let mut chance = Seeded::new("stars");
    let mut draws = Draws::new(&mut chance);
    let mut side = 0;
    for _ in 0..count(1_000, 50_000) {
        let text = document(random_hand(&mut draws)).to_phh().expect("a file");
        let (back, stars) = there_and_back(&text);
        assert_eq!(back, text, "{stars}");
        side += u32::from(stars.contains("Side pot"));
    }
    assert!(side > 100, "{side} hands with side pots");
}
