//! What distinguishes one kind of poker from another: a description, and nothing else.

use crate::card::CARDS;
use crate::rank::Ranking;
use parlor_rules::Deck;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::borrow::Cow;
use std::fmt;

/// How high a bet may be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Limit {
    /// As high as the stack.
    No,
    /// As high as the pot would be after a call.
    Pot,
    /// Of one size, and a few times in a round.
    Fixed,
}

/// How many bets and raises there are in a round of fixed limit.
pub const RAISES: u8 = 4;

/// Who begins a round of betting.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Opening {
    /// Who sits behind the blinds, or else behind the button.
    Position,
    /// The lowest open card brings in, and the highest open hand opens later.
    HighHand,
    /// The highest open card brings in, and the lowest open hand opens later.
    LowHand,
}

/// What is dealt before a round of betting.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Street {
    /// Cards to each player.
    pub hole: u8,
    /// How many of them, the last ones, are open.
    pub up: u8,
    /// Cards to the board.
    pub board: u8,
    /// Whether players may change cards first.
    pub draw: bool,
    /// Whether bets of fixed limit are the big ones.
    pub big: bool,
}

impl Street {
    const NONE: Self = Self { hole: 0, up: 0, board: 0, draw: false, big: false };

    const fn hole(hole: u8) -> Self {
        Self { hole, ..Self::NONE }
    }

    const fn open(hole: u8) -> Self {
        Self { hole, up: 1, ..Self::NONE }
    }

    const fn board(board: u8) -> Self {
        Self { board, ..Self::NONE }
    }

    const fn draw() -> Self {
        Self { draw: true, ..Self::NONE }
    }

    const fn big(self) -> Self {
        Self { big: true, ..self }
    }
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
    /// Who begins.
    pub opening: Opening,
    /// Its rounds of betting.
    pub streets: &'static [Street],
    /// What hands are compared by; with two, each wins half the pot.
    pub rankings: &'static [Ranking],
    /// The number of the lowest card of its deck.
    pub lowest: u8,
    /// Whether the only blind is the button's.
    pub button_blind: bool,
    /// How many can play it at a table.
    pub seats: u8,
}

impl Variant {
    /// Whether it has blinds; otherwise somebody brings in.
    pub fn has_blinds(&self) -> bool {
        self.opening == Opening::Position
    }

    /// Of each card of a player, in the order they are dealt, whether it is open.
    pub fn open(&self) -> impl Iterator<Item = bool> {
        self.streets.iter().flat_map(|s| (0..s.hole).map(|i| i >= s.hole - s.up))
    }

    /// How many cards it is played with.
    pub const fn cards(&self) -> u8 {
        CARDS - self.lowest
    }

    /// The cards it is played with.
    pub fn deck(&self) -> Deck {
        Deck::new(u32::from(CARDS)).without(0..self.lowest)
    }
}

impl Serialize for Variant {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.serialize_str(self.code)
    }
}

/// Reads the code of a variant.
pub fn read<'de, D: Deserializer<'de>>(d: D) -> Result<&'static Variant, D::Error> {
    let code = Cow::<'de, str>::deserialize(d)?;
    find(&code).ok_or_else(|| D::Error::custom(format!("there is no {code:?}; {}", codes())))
}

/// Reads a list of codes.
pub fn read_list<'de, D: Deserializer<'de>>(d: D) -> Result<Vec<&'static Variant>, D::Error> {
    let codes = Vec::<String>::deserialize(d)?;
    let find = |code: &String| {
        find(code)
            .ok_or_else(|| D::Error::custom(format!("there is no {code:?}; {}", self::codes())))
    };
    codes.iter().map(find).collect()
}

fn codes() -> String {
    let codes: Vec<&str> = VARIANTS.iter().map(|variant| variant.code).collect();
    format!("variants are {}", codes.join(", "))
}

impl fmt::Debug for Variant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.code)
    }
}

const fn holdem(hole: u8) -> [Street; 4] {
    let (turn, river) = (Street::board(1).big(), Street::board(1).big());
    [Street::hole(hole), Street::board(3), turn, river]
}

const STUD: [Street; 5] = [
    Street::open(3),
    Street::open(1),
    Street::open(1).big(),
    Street::open(1).big(),
    Street::hole(1).big(),
];

const fn triple_draw(hole: u8) -> [Street; 4] {
    [Street::hole(hole), Street::draw(), Street::draw().big(), Street::draw().big()]
}

const PLAIN: Variant = Variant {
    code: "",
    name: "",
    limit: Limit::No,
    opening: Opening::Position,
    streets: &holdem(2),
    rankings: &[Ranking::High],
    lowest: 0,
    button_blind: false,
    seats: 10,
};

/// No-limit hold'em.
pub static NT: Variant = Variant { code: "NT", name: "no-limit hold'em", ..PLAIN };

/// No-limit short-deck hold'em.
pub static NS: Variant = Variant {
    code: "NS",
    name: "no-limit short-deck hold'em",
    rankings: &[Ranking::ShortDeck],
    lowest: 16,
    button_blind: true,
    ..PLAIN
};

/// Pot-limit Omaha.
pub static PO: Variant = Variant {
    code: "PO",
    name: "pot-limit Omaha",
    limit: Limit::Pot,
    streets: &holdem(4),
    rankings: &[Ranking::OmahaHigh],
    ..PLAIN
};

/// Fixed-limit hold'em.
pub static FT: Variant =
    Variant { code: "FT", name: "fixed-limit hold'em", limit: Limit::Fixed, ..PLAIN };

/// Fixed-limit Omaha, high and low.
pub static FO8: Variant = Variant {
    code: "FO/8",
    name: "fixed-limit Omaha hi-lo, eight or better",
    limit: Limit::Fixed,
    streets: &holdem(4),
    rankings: &[Ranking::OmahaHigh, Ranking::OmahaEightOrBetter],
    ..PLAIN
};

/// Seven-card stud.
pub static F7S: Variant = Variant {
    code: "F7S",
    name: "fixed-limit seven-card stud",
    limit: Limit::Fixed,
    opening: Opening::HighHand,
    streets: &STUD,
    seats: 8,
    ..PLAIN
};

/// Seven-card stud, high and low.
pub static F7S8: Variant = Variant {
    code: "F7S/8",
    name: "fixed-limit seven-card stud hi-lo, eight or better",
    limit: Limit::Fixed,
    opening: Opening::HighHand,
    streets: &STUD,
    rankings: &[Ranking::High, Ranking::EightOrBetter],
    seats: 8,
    ..PLAIN
};

/// Razz.
pub static FR: Variant = Variant {
    code: "FR",
    name: "fixed-limit razz",
    limit: Limit::Fixed,
    opening: Opening::LowHand,
    streets: &STUD,
    rankings: &[Ranking::AceToFive],
    seats: 8,
    ..PLAIN
};

/// No-limit deuce-to-seven single draw.
pub static N2L1D: Variant = Variant {
    code: "N2L1D",
    name: "no-limit deuce-to-seven single draw",
    streets: &[Street::hole(5), Street::draw()],
    rankings: &[Ranking::DeuceToSeven],
    seats: 7,
    ..PLAIN
};

/// Fixed-limit deuce-to-seven triple draw.
pub static F2L3D: Variant = Variant {
    code: "F2L3D",
    name: "fixed-limit deuce-to-seven triple draw",
    limit: Limit::Fixed,
    streets: &triple_draw(5),
    rankings: &[Ranking::DeuceToSeven],
    seats: 7,
    ..PLAIN
};

/// Fixed-limit badugi.
pub static FB: Variant = Variant {
    code: "FB",
    name: "fixed-limit badugi",
    limit: Limit::Fixed,
    streets: &triple_draw(4),
    rankings: &[Ranking::Badugi],
    seats: 8,
    ..PLAIN
};

/// All there are.
pub static VARIANTS: &[&Variant] =
    &[&NT, &NS, &PO, &FT, &FO8, &F7S, &F7S8, &FR, &N2L1D, &F2L3D, &FB];

/// The variant with this code.
pub fn find(code: &str) -> Option<&'static Variant> {
    VARIANTS.iter().copied().find(|variant| variant.code == code)
}
