//! What a file tells beside the hand: names, chairs, numbers.

use crate::history::History;
use crate::toml::{Field, Value};
use crate::write::toml;
use std::collections::BTreeSet;

pub(super) fn field<'h, 'a>(history: &'h History<'a>, key: &str) -> Option<&'h Value<'a>> {
    let found = history.fields.iter().find(|Field { key: name, .. }| name == key);
    found.map(|field| &field.value)
}

pub(super) fn text<'h>(history: &'h History<'_>, key: &str) -> Option<&'h str> {
    match field(history, key)? {
        Value::Text(text) => Some(text),
        _ => None,
    }
}

/// A text that can stand within a line.
pub(super) fn plain_text<'h>(history: &'h History<'_>, key: &str) -> Option<&'h str> {
    text(history, key).filter(|text| is_plain(text))
}

pub(super) fn is_plain(text: &str) -> bool {
    !text.is_empty() && text.trim() == text && !text.contains(char::is_control)
}

pub(super) fn number<T: std::str::FromStr>(history: &History<'_>, key: &str) -> Option<T> {
    match field(history, key)? {
        Value::Plain(text) => text.parse().ok(),
        _ => None,
    }
}

/// The names of the players; numbers where the names cannot stand in lines.
pub(super) fn names(history: &History<'_>) -> Vec<String> {
    let count = history.starting_stacks.len();
    let names = match field(history, "players") {
        Some(Value::List(list)) => list
            .iter()
            .map(|name| match name {
                Value::Text(name) => Some(name.to_string()),
                _ => None,
            })
            .collect(),
        _ => None,
    };
    let fine = |names: &Vec<String>| {
        let unique: BTreeSet<&String> = names.iter().collect();
        let odd = [" [", " collected ", " said, "];
        names.len() == count
            && unique.len() == count
            && names.iter().all(|name| is_plain(name) && odd.iter().all(|odd| !name.contains(odd)))
    };
    names.filter(fine).unwrap_or_else(|| (1..=count).map(|i| format!("p{i}")).collect())
}

/// The chairs of the players: those of the file if they go round the table.
pub(super) fn chairs(history: &History<'_>) -> Vec<u8> {
    let count = history.starting_stacks.len();
    let chairs: Option<Vec<u8>> = match field(history, "seats") {
        Some(Value::List(list)) => list
            .iter()
            .map(|chair| match chair {
                Value::Plain(text) => text.parse().ok(),
                _ => None,
            })
            .collect(),
        _ => None,
    };
    let round = |chairs: &Vec<u8>| {
        let falls = (0..count).filter(|i| chairs[*i] >= chairs[(i + 1) % count]).count();
        chairs.len() == count && falls == 1 && chairs.iter().all(|chair| *chair > 0)
    };
    // Where nobody has the button the first is the one on the lowest chair.
    let told = |chairs: &Vec<u8>| history.variant.has_blinds() || chairs.is_sorted();
    let usable = |chairs: &Vec<u8>| chairs.len() == count && round(chairs) && told(chairs);
    chairs.filter(usable).unwrap_or_else(|| (1..=count as u8).collect())
}

/// A number for a hand that has none of its own: always the same for the same hand.
pub(super) fn digest(history: &History<'_>) -> u64 {
    let fields = history.fields.iter().filter(|field| field.key != "seed");
    let mut told: Vec<String> =
        fields.map(|field| format!("{} = {}\n", field.key, toml(&field.value))).collect();
    told.sort();
    let all = told.concat().bytes().fold(0xcbf2_9ce4_8422_2325_u64, |sum, byte| {
        (sum ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    // Fifteen digits, as a floating number still holds.
    all % 900_000_000_000_000 + 100_000_000_000_000
}
