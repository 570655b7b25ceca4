//! A layout in a line: `attack heal -`.

use crate::card::{Card, SLOTS, Slots};

/// Writes a layout: the names of its cards from left to right, `-` for an empty slot.
pub fn write(slots: &Slots) -> String {
    slots.map(|slot| slot.map_or("-", Card::name)).join(" ")
}

/// Reads a layout: up to three cards, each as its name or the beginning of it, or `-`. What is not
/// named stays empty.
pub fn read(line: &str) -> Result<Slots, String> {
    let mut slots = [None; SLOTS];
    for (i, word) in line.split_whitespace().enumerate() {
        let slot = slots.get_mut(i).ok_or("a layout has three slots")?;
        if word == "-" {
            continue;
        }
        let named = Card::ALL.into_iter().find(|card| card.name().starts_with(word));
        *slot = Some(named.ok_or_else(|| format!("there is no card {word:?}"))?);
    }
    Ok(slots)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_again() {
        for layout in crate::card::Hand::default().layouts() {
            assert_eq!(read(&write(&layout.slots())), Ok(layout.slots()));
        }
    }

    #[test]
    fn beginnings_are_enough_and_rubbish_is_refused() {
        assert_eq!(read("c - att"), Ok([Some(Card::Counter), None, Some(Card::Attack)]));
        assert_eq!(read(""), Ok([None; SLOTS]));
        assert!(read("grass").is_err());
        assert!(read("a d h c").is_err());
    }
}
