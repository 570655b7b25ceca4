//! GNU Backgammon's position IDs: a board in 14 characters.
//!
//! First the opponent, then the player on roll: for every point from the ace point and then for the
//! bar, as many ones as there are men, and a zero. The at most 80 bits fill bytes from the low end,
//! and the bytes are written in base64.

use crate::board::{BAR, Board, BoardFault, MEN, PLACES, Side};

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const LENGTH: usize = 14;
const BYTES: u32 = 10;

/// Why a text is not a position ID.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum PositionIdError {
    /// The text does not have 14 characters.
    #[error("a position id has {LENGTH} characters, not {0}")]
    Length(usize),
    /// A character is not one of base64.
    #[error("{0:?} cannot be part of a position id")]
    Character(char),
    /// A side has more than fifteen men.
    #[error("{} has more than {MEN} men", .0.owner())]
    TooManyMen(Side),
    /// Something follows the last place.
    #[error("there is more than a position in the id")]
    Trailing,
    /// The men do not make a board.
    #[error("{}", .0.iter().map(BoardFault::to_string).collect::<Vec<_>>().join("; "))]
    Board(Vec<BoardFault>),
}

/// Writes a board as a position ID.
pub fn encode(board: &Board) -> String {
    let mut bits = 0u128;
    let mut at = 0;
    for side in [Side::Other, Side::Own] {
        for place in 1..=BAR {
            let men = board.men(side, place);
            bits |= ((1 << men) - 1) << at;
            at += men + 1;
        }
    }
    write_bits(bits, BYTES)
}

/// Reads a position ID.
pub fn decode(id: &str) -> Result<Board, PositionIdError> {
    let mut bits = read_bits(id, BYTES).map_err(|fault| match fault {
        DigitFault::Length(length) => PositionIdError::Length(length),
        DigitFault::Character(c) => PositionIdError::Character(c),
        DigitFault::Trailing => PositionIdError::Trailing,
    })?;
    let other = take_side(&mut bits).ok_or(PositionIdError::TooManyMen(Side::Other))?;
    let own = take_side(&mut bits).ok_or(PositionIdError::TooManyMen(Side::Own))?;
    if bits != 0 {
        return Err(PositionIdError::Trailing);
    }
    Board::new(own, other).map_err(PositionIdError::Board)
}

/// Takes the men of one side off the low end; those that are missing have been borne off.
fn take_side(bits: &mut u128) -> Option<[u8; PLACES]> {
    let mut places = [0; PLACES];
    let mut left = MEN;
    for men in &mut places[1..] {
        *men = bits.trailing_ones() as u8;
        left = left.checked_sub(*men)?;
        *bits >>= *men + 1;
    }
    places[0] = left;
    Some(places)
}

/// Writes so many bytes of bits, the lowest first, in base64 without padding.
pub(crate) fn write_bits(bits: u128, bytes: u32) -> String {
    let digits = (8 * bytes).div_ceil(6);
    // The first byte highest, as base64 reads them.
    let text = bits.swap_bytes() >> (128 - 8 * bytes) << (6 * digits - 8 * bytes);
    let digit = |i: u32| ALPHABET[(text >> (6 * i)) as usize & 63];
    (0..digits).rev().map(|i| char::from(digit(i))).collect()
}

/// Why a text is no base64 of so many bytes.
pub(crate) enum DigitFault {
    /// It has another length.
    Length(usize),
    /// A character is not one of base64.
    Character(char),
    /// The last character holds more than the bytes.
    Trailing,
}

/// Reads what [`write_bits`] writes.
pub(crate) fn read_bits(text: &str, bytes: u32) -> Result<u128, DigitFault> {
    let digits = (8 * bytes).div_ceil(6);
    let length = text.chars().count();
    if length != digits as usize {
        return Err(DigitFault::Length(length));
    }
    let mut read = 0u128;
    for c in text.chars() {
        let digit = ALPHABET.iter().position(|&known| char::from(known) == c);
        read = read << 6 | digit.ok_or(DigitFault::Character(c))? as u128;
    }
    let padding = 6 * digits - 8 * bytes;
    if read & ((1 << padding) - 1) != 0 {
        return Err(DigitFault::Trailing);
    }
    Ok((read >> padding << (128 - 8 * bytes)).swap_bytes())
}
