//! What kind of poker is played, as data.

use std::fmt;

/// How high a bet may be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Limit {
    /// As high as the stack.
    No,
}

/// What is dealt before a round of betting.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Street {
    /// Cards to each player.
    pub hole: u8,
    /// Cards to the board.
    pub board: u8,
}

/// A kind of poker.
#[derive(PartialEq, Eq)]
pub struct Variant {
    /// Its name in hand histories.
    pub code: &'static str,
    /// Its name for people.
    pub name: &'static str,
    /// How high a bet may be.
    pub limit: Limit,
    /// Its rounds of betting.
    pub streets: &'static [Street],
}

impl fmt::Debug for Variant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.code)
    }
}

/// No-limit hold'em.
pub static NT: Variant = Variant {
    code: "NT",
    name: "no-limit hold'em",
    limit: Limit::No,
    streets: &[
        Street { hole: 2, board: 0 },
        Street { hole: 0, board: 3 },
        Street { hole: 0, board: 1 },
        Street { hole: 0, board: 1 },
    ],
};

/// All there are.
pub static VARIANTS: &[&Variant] = &[&NT];

/// The variant with this code.
pub fn find(code: &str) -> Option<&'static Variant> {
    VARIANTS.iter().copied().find(|variant| variant.code == code)
}
