//! Money at a table: a whole number of ten-thousandths, never a float.

use crate::{Seat, limits};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use std::fmt;
use std::iter::Sum;
use std::ops::{Add, AddAssign, Mul, Neg, Sub, SubAssign};
use std::str::FromStr;

/// An amount of chips, exact to 1/10,000.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Chips(i64);

const UNIT: i64 = 10_000;

impl Chips {
    /// No chips.
    pub const ZERO: Self = Self(0);

    /// So many whole chips.
    pub const fn whole(chips: i64) -> Self {
        Self(chips * UNIT)
    }

    /// So many ten-thousandths of a chip.
    pub const fn from_ten_thousandths(n: i64) -> Self {
        Self(n)
    }

    /// Whether it is a number of whole chips.
    pub const fn is_whole(self) -> bool {
        self.0 % UNIT == 0
    }

    /// The amount in ten-thousandths of a chip.
    pub const fn ten_thousandths(self) -> i64 {
        self.0
    }
}

impl Add for Chips {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(self.0 + other.0)
    }
}

impl Sub for Chips {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self(self.0 - other.0)
    }
}

impl Neg for Chips {
    type Output = Self;
    fn neg(self) -> Self {
        Self(-self.0)
    }
}

impl Mul<u32> for Chips {
    type Output = Self;
    fn mul(self, times: u32) -> Self {
        Self(self.0 * i64::from(times))
    }
}

impl AddAssign for Chips {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl SubAssign for Chips {
    fn sub_assign(&mut self, other: Self) {
        *self = *self - other;
    }
}

impl Sum for Chips {
    fn sum<I: Iterator<Item = Self>>(amounts: I) -> Self {
        amounts.fold(Self::ZERO, Self::add)
    }
}

impl fmt::Display for Chips {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (whole, part) = (self.0.unsigned_abs() / 10_000, self.0.unsigned_abs() % 10_000);
        let sign = if self.0 < 0 { "-" } else { "" };
        if part == 0 {
            return write!(f, "{sign}{whole}");
        }
        write!(f, "{sign}{whole}.{}", format!("{part:04}").trim_end_matches('0'))
    }
}

impl fmt::Debug for Chips {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self} chips")
    }
}

/// Why a text is no amount of chips.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("chips are a plain decimal of at most four places, up to {}", limits::CHIPS)]
pub struct NoChips;

impl FromStr for Chips {
    type Err = NoChips;

    fn from_str(text: &str) -> Result<Self, NoChips> {
        let (negative, digits) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let (whole, part) = digits.split_once('.').unwrap_or((digits, "0"));
        let plain = |s: &str| !s.is_empty() && s.bytes().all(|b| b.is_ascii_digit());
        let part = part.trim_end_matches('0');
        if !plain(whole) || !(part.is_empty() || plain(part)) || part.len() > 4 {
            return Err(NoChips);
        }
        let whole: i64 = whole.parse().map_err(|_| NoChips)?;
        let part: i64 = format!("{part:0<4}").parse().map_err(|_| NoChips)?;
        if whole > limits::CHIPS {
            return Err(NoChips);
        }
        let amount = whole * UNIT + part;
        Ok(Self(if negative { -amount } else { amount }))
    }
}

/// A JSON number. Four places of an amount within the limit are told apart by a double's text, so
/// the number is only ever a text here: it is printed from and read back to the whole number.
impl Serialize for Chips {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        if self.is_whole() {
            return s.serialize_i64(self.0 / UNIT);
        }
        s.serialize_f64(self.to_string().parse().map_err(serde::ser::Error::custom)?)
    }
}

impl<'de> Deserialize<'de> for Chips {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        struct Read;
        impl de::Visitor<'_> for Read {
            type Value = Chips;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an amount of chips")
            }
            fn visit_i64<E: de::Error>(self, n: i64) -> Result<Chips, E> {
                n.to_string().parse().map_err(E::custom)
            }
            fn visit_u64<E: de::Error>(self, n: u64) -> Result<Chips, E> {
                n.to_string().parse().map_err(E::custom)
            }
            fn visit_f64<E: de::Error>(self, n: f64) -> Result<Chips, E> {
                n.to_string().parse().map_err(E::custom)
            }
        }
        d.deserialize_any(Read)
    }
}

/// What a game is played for; the amounts of all of them are [`Chips`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Unit {
    /// Play chips.
    Chips,
    /// Tokens.
    Tokens,
}

/// Which way chips cross the edge of a table.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FlowKind {
    /// From a player onto the table.
    In,
    /// From the table back to a player.
    Out,
    /// From the table to the house.
    Raked,
    /// From the table to nobody.
    Burned,
}

/// Chips crossing the edge of a table.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct Flow {
    /// Whose chips they are, or were.
    pub seat: Seat,
    /// Which way.
    pub kind: FlowKind,
    /// How many; never negative.
    pub chips: Chips,
}

impl Flow {
    /// What the table gains by it.
    pub fn gain(&self) -> Chips {
        match self.kind {
            FlowKind::In => self.chips,
            FlowKind::Out | FlowKind::Raked | FlowKind::Burned => -self.chips,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tenth_and_two_tenths_are_three_tenths() {
        let read = |text| serde_json::from_str::<Chips>(text).unwrap();
        assert_eq!(read("0.1") + read("0.2"), read("0.3"));
        assert_eq!(serde_json::to_string(&(read("0.1") + read("0.2"))).unwrap(), "0.3");
        assert_eq!(serde_json::to_string(&read("97.0")).unwrap(), "97");
        assert_eq!(read("9999999999.9999").to_string(), "9999999999.9999");
        assert_eq!(read("-0.5").to_string(), "-0.5");
    }

    #[test]
    fn rubbish_is_no_chips() {
        for text in ["0.00001", "1e300", "-1e300", "10000000001", "\"5\"", "null", "[]", "1e-9"] {
            assert!(serde_json::from_str::<Chips>(text).is_err(), "{text}");
        }
        for text in ["", "-", ".", "+1", "1.", "1.2.3", "NaN", "0x1", "1 "] {
            let read = text.parse::<Chips>();
            assert!(read.is_err() || text == "1.", "{text}: {read:?}");
        }
    }
}
