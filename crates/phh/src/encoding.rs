//! Bytes as text.

use crate::toml::{Wrong, text_of};
use std::borrow::Cow;

/// The bytes of a file as text: UTF-8, or UTF-16 with a byte order mark. The mark is passed over.
pub fn decoded(bytes: &[u8]) -> Result<Cow<'_, str>, Wrong> {
    let read: fn([u8; 2]) -> u16 = match bytes {
        [0xff, 0xfe, ..] => u16::from_le_bytes,
        [0xfe, 0xff, ..] => u16::from_be_bytes,
        _ => return text_of(bytes).map(Cow::Borrowed),
    };
    let (pairs, rest) = bytes[2..].as_chunks::<2>();
    let mut text = String::with_capacity(pairs.len());
    let mut whole = rest.is_empty();
    for letter in char::decode_utf16(pairs.iter().map(|pair| read(*pair))) {
        match letter {
            Ok(letter) => text.push(letter),
            Err(_) => {
                whole = false;
                break;
            }
        }
    }
    if whole {
        return Ok(Cow::Owned(text));
    }
    let line = text.bytes().filter(|byte| *byte == b'\n').count() + 1;
    Err(Wrong { line, why: "this is no text in UTF-16".to_owned() })
}
