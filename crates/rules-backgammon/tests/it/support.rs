//! What several tests use.

use parlor_rules_backgammon::board::{Board, PLACES};
use parlor_rules_backgammon::plays::Dice;
pub(crate) use parlor_testkit::proof;

/// Men per place; those not mentioned are off.
pub(crate) fn side(men: &[(u8, u8)]) -> [u8; PLACES] {
    let mut places = [0; PLACES];
    for &(place, n) in men {
        places[usize::from(place)] += n;
    }
    places[0] += 15u8.saturating_sub(places.iter().sum());
    places
}

/// A board from men per place; men not mentioned are off.
pub(crate) fn board(own: &[(u8, u8)], other: &[(u8, u8)]) -> Board {
    Board::new(side(own), side(other)).unwrap()
}

/// The dice of a roll one by one.
pub(crate) fn dice_of(dice: Dice) -> Vec<u8> {
    if dice.is_double() { vec![dice.high(); 4] } else { vec![dice.high(), dice.low()] }
}

/// A text cut at every place, and with every character left out, doubled or replaced.
pub(crate) fn mutations(text: &str) -> Vec<String> {
    let chars: Vec<char> = text.chars().collect();
    let string = |chars: &[char]| chars.iter().collect::<String>();
    let mut all = Vec::new();
    for i in 0..chars.len() {
        all.push(string(&chars[..i]));
        all.push(string(&chars[i..]));
        all.push(format!("{}{}", string(&chars[..i]), string(&chars[i + 1..])));
        all.push(format!("{}{}", string(&chars[..=i]), string(&chars[i..])));
        for c in ['0', '9', '*', '/', '(', ':', 'A', 'z', '-', ' ', '\n', '"', 'é', '\u{0}'] {
            all.push(format!("{}{c}{}", string(&chars[..i]), string(&chars[i + 1..])));
        }
    }
    all
}
