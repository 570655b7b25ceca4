//! Hand histories as PokerStars writes them, in English.
//!
//! A text is read line by line into what it tells (`lines`), played through the rules, and becomes
//! the text of a PHH file: there is one kind of hand inside, a [`History`](crate::History). The way
//! out goes from there. What a PHH file tells and PokerStars does not is said in chat lines by `VOICE`, which
//! programs that read such files pass over.

mod end;
mod known;
mod lines;
mod posted;
mod read;
mod write;

pub use read::{Told, each, is_stars, read};
pub use write::write;

use parlor_rules::Chips;
use parlor_rules_poker::variant::{self, Variant};

/// Who says in chat what the format has no place for.
pub(crate) const VOICE: &str = "parlor";

/// The site, as the first line and the field `venue` name it.
pub(crate) const SITE: &str = "PokerStars";

/// What PokerStars calls the games; the first name of a game is the one that is written.
const GAMES: &[(&str, &Variant)] = &[
    ("Hold'em No Limit", &variant::NT),
    ("6+ Hold'em No Limit", &variant::NS),
    ("Omaha Pot Limit", &variant::PO),
    ("Hold'em Limit", &variant::FT),
    ("Omaha Hi/Lo Limit", &variant::FO8),
    ("7 Card Stud Limit", &variant::F7S),
    ("7 Card Stud Hi/Lo Limit", &variant::F7S8),
    ("Razz Limit", &variant::FR),
    ("Single Draw 2-7 Lowball No Limit", &variant::N2L1D),
    ("2-7 Single Draw No Limit", &variant::N2L1D),
    ("Triple Draw 2-7 Lowball Limit", &variant::F2L3D),
    ("2-7 Triple Draw Limit", &variant::F2L3D),
    ("Badugi Limit", &variant::FB),
];

/// What a game is called.
fn game(variant: &Variant) -> &'static str {
    GAMES.iter().find(|(_, game)| *game == variant).map_or("", |(name, _)| name)
}

/// The headings of the rounds of a game.
fn headings(variant: &Variant) -> &'static [&'static str] {
    if !variant.has_blinds() {
        &["3rd STREET", "4th STREET", "5th STREET", "6th STREET", "RIVER"]
    } else if variant.streets.iter().any(|street| street.draw) {
        &["DEALING HANDS", "FIRST DRAW", "SECOND DRAW", "THIRD DRAW"]
    } else {
        &["HOLE CARDS", "FLOP", "TURN", "RIVER"]
    }
}

/// An amount as it is written: whole, or with two places at least.
fn amount(chips: Chips) -> String {
    let text = chips.to_string();
    match text.split_once('.') {
        Some((_, part)) if part.len() == 1 => text + "0",
        _ => text,
    }
}
