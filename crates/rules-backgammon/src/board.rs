//! The board as the player on roll sees it, and a single step on it.
//!
//! Each side counts places its own way: points 1 to 24 from its ace point outwards, [`BAR`] behind
//! the last of them, [`OFF`] past the first. A point `p` of one side is point `25 - p` of the other.

use std::fmt;

/// The place of men borne off.
pub const OFF: u8 = 0;
/// The place of men that were hit.
pub const BAR: u8 = 25;
/// How many men each side has.
pub const MEN: u8 = 15;
/// How many places a side's men can be at: off, 24 points, the bar.
pub const PLACES: usize = 26;

/// One of the two players, relative to who is on roll.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Side {
    /// The player on roll.
    Own,
    /// The opponent of the player on roll.
    Other,
}

impl Side {
    /// The two of them.
    pub const BOTH: [Side; 2] = [Side::Own, Side::Other];

    /// The player of this side, in words.
    pub(crate) fn owner(self) -> &'static str {
        match self {
            Side::Own => "the player on roll",
            Side::Other => "the opponent",
        }
    }
}

/// A legal position, seen from the player on roll.
///
/// The men of a side are packed four bits a place, place 0 lowest, so that a step is one addition
/// and changing sides is an exchange of the two fields.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Board {
    own: u128,
    other: u128,
}

/// One man moved by one die, in the mover's numbering.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Step {
    /// Where the man stands: a point, or [`BAR`].
    pub from: u8,
    /// The die that moves it.
    pub die: u8,
}

impl Step {
    /// Where the man ends up; [`OFF`] also when the die is higher than needed.
    pub fn to(self) -> u8 {
        self.from.saturating_sub(self.die)
    }
}

/// Why men do not make a board.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum BoardFault {
    /// A side does not have fifteen men.
    #[error("{} has {men} men, not {MEN}", .side.owner())]
    Men {
        /// The side in question.
        side: Side,
        /// How many men it has.
        men: u32,
    },
    /// Both sides stand on one point.
    #[error("both sides stand on point {point}")]
    Shared {
        /// The point, in the numbering of the player on roll.
        point: u8,
    },
    /// Both sides have borne off all men.
    #[error("both sides have borne off all men")]
    BothDone,
}

impl Board {
    /// The position every game starts from.
    pub const OPENING: Board = {
        let men = 2 * man(24) + 5 * man(13) + 3 * man(8) + 5 * man(6);
        Board { own: men, other: men }
    };

    /// Checks and packs a position given as men per place, each side in its own numbering.
    pub fn new(own: [u8; PLACES], other: [u8; PLACES]) -> Result<Board, Vec<BoardFault>> {
        let mut faults = Vec::new();
        for (side, places) in [(Side::Own, &own), (Side::Other, &other)] {
            let men = places.iter().map(|&n| u32::from(n)).sum();
            if men != u32::from(MEN) {
                faults.push(BoardFault::Men { side, men });
            }
        }
        for point in 1..BAR {
            if own[usize::from(point)] > 0 && other[usize::from(BAR - point)] > 0 {
                faults.push(BoardFault::Shared { point });
            }
        }
        if own[usize::from(OFF)] == MEN && other[usize::from(OFF)] == MEN {
            faults.push(BoardFault::BothDone);
        }
        if !faults.is_empty() {
            return Err(faults);
        }
        Ok(Board { own: pack(own), other: pack(other) })
    }

    /// How many men a side has at a place of its own numbering; none at a place that is not there.
    pub fn men(&self, side: Side, place: u8) -> u8 {
        if place > BAR { 0 } else { count(self.packed(side), place) }
    }

    /// A side's men per place of its own numbering.
    pub fn places(&self, side: Side) -> [u8; PLACES] {
        std::array::from_fn(|place| count(self.packed(side), place as u8))
    }

    /// The same position with the other player on roll.
    pub fn swapped(&self) -> Board {
        Board { own: self.other, other: self.own }
    }

    /// How far a side's men have to go in all.
    pub fn pips(&self, side: Side) -> u32 {
        (0u32..).zip(self.places(side)).map(|(place, men)| place * u32::from(men)).sum()
    }

    /// Whether a side has borne off all its men.
    pub fn over(&self) -> bool {
        self.own == ALL_OFF || self.other == ALL_OFF
    }

    /// Who has won and how high: 1 single game, 2 gammon, 3 backgammon.
    pub fn win_level(&self) -> Option<(Side, u8)> {
        let (winner, loser) = match (self.own == ALL_OFF, self.other == ALL_OFF) {
            (true, _) => (Side::Own, self.other),
            (_, true) => (Side::Other, self.own),
            _ => return None,
        };
        // The winner's home board is the loser's points 19 to 24, the bar lies right behind.
        let level = match (count(loser, OFF), loser >> (4 * 19)) {
            (0, 0) => 2,
            (0, _) => 3,
            _ => 1,
        };
        Some((winner, level))
    }

    /// Makes one step and tells whether it hit, or `None` where the step taken by itself is not
    /// allowed. The board stays seen from the mover.
    pub fn step(&self, step: Step) -> Option<(Board, bool)> {
        if !(1..=6).contains(&step.die) || step.from > BAR {
            return None;
        }
        let sight = Sight::of(*self);
        let allowed = sight.sources(step.die) & bit(step.from) != 0;
        allowed.then(|| (sight.after(step).board, sight.hits(step)))
    }

    /// Takes back one step, or `None` where that step cannot have led here.
    pub fn undo(&self, step: Step, hit: bool) -> Option<Board> {
        let to = step.to();
        let standing = self.men(Side::Own, to) > 0;
        let taken = step.from < BAR && self.men(Side::Other, BAR - step.from) > 0;
        if step.from > BAR || !standing || taken {
            return None;
        }
        let mut before = *self;
        before.own = before.own - man(to) + man(step.from);
        if hit {
            // The blot comes back to a point the step has left empty again.
            let alone = to != OFF && self.men(Side::Own, to) == 1;
            if !alone || self.men(Side::Other, BAR) == 0 {
                return None;
            }
            before.other = before.other - man(BAR) + man(BAR - to);
        }
        (before.step(step) == Some((*self, hit))).then_some(before)
    }

    fn packed(&self, side: Side) -> u128 {
        match side {
            Side::Own => self.own,
            Side::Other => self.other,
        }
    }
}

impl fmt::Debug for Board {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Board")
            .field("own", &self.places(Side::Own))
            .field("other", &self.places(Side::Other))
            .finish()
    }
}

const ALL_OFF: u128 = MEN as u128;

/// One man at a place, packed.
const fn man(place: u8) -> u128 {
    1 << (4 * place)
}

fn pack(places: [u8; PLACES]) -> u128 {
    places.iter().rev().fold(0, |packed, &men| packed << 4 | u128::from(men))
}

fn count(packed: u128, place: u8) -> u8 {
    (packed >> (4 * place)) as u8 & 15
}

/// The mask of one place.
pub(crate) const fn bit(place: u8) -> u32 {
    1 << place
}

/// A board with masks for quick answers; bit `p` of a mask speaks of the mover's place `p`.
#[derive(Clone, Copy)]
pub(crate) struct Sight {
    pub(crate) board: Board,
    /// Where the mover has men still in play.
    occupied: u32,
    /// Points the opponent does not block.
    open: u32,
    /// Points where a single man of the opponent stands.
    pub(crate) blots: u32,
}

impl Sight {
    pub(crate) fn of(board: Board) -> Sight {
        const POINTS: u32 = bit(BAR) - bit(1);
        const IN_PLAY: u32 = POINTS | bit(BAR);
        // Point p of the opponent is our 25 - p: mirror all 32 bits, then drop the 6 in excess.
        let mirrored = |mask: u32| mask.reverse_bits() >> 6;
        let low_bits = !0 / 15;
        let one_or_more = |men: u128| (men | men >> 1 | men >> 2 | men >> 3) & low_bits;
        let two_or_more = |men: u128| (men >> 1 | men >> 2 | men >> 3) & low_bits;
        let held = mirrored(gathered(one_or_more(board.other)));
        let blocked = mirrored(gathered(two_or_more(board.other)));
        Sight {
            board,
            occupied: gathered(one_or_more(board.own)) & IN_PLAY,
            open: POINTS & !blocked,
            blots: POINTS & held & !blocked,
        }
    }

    /// From where the mover may make a step with this die.
    pub(crate) fn sources(&self, die: u8) -> u32 {
        const BEYOND_HOME: u32 = !(bit(7) - 1);
        let onto_points = self.occupied & self.open << die;
        if self.occupied & bit(BAR) != 0 {
            onto_points & bit(BAR)
        } else if self.occupied & BEYOND_HOME != 0 {
            onto_points
        } else if self.occupied >> die != 0 {
            onto_points | self.occupied & bit(die)
        } else {
            highest(self.occupied)
        }
    }

    /// Whether an allowed step hits a blot.
    pub(crate) fn hits(&self, step: Step) -> bool {
        self.blots & bit(step.to()) != 0
    }

    /// The board after an allowed step that does not hit.
    pub(crate) fn quiet(&self, step: Step) -> Board {
        Board { own: self.board.own.wrapping_add(moved(step)), other: self.board.other }
    }

    /// The board after an allowed step that hits.
    pub(crate) fn hitting(&self, step: Step) -> Board {
        let to = BAR - step.to();
        let board = self.quiet(step);
        Board { other: board.other - man(to) + man(BAR), ..board }
    }

    /// The board after an allowed step.
    pub(crate) fn after(&self, step: Step) -> Sight {
        let landing = bit(step.to());
        let board = if self.hits(step) { self.hitting(step) } else { self.quiet(step) };
        let left = if count(board.own, step.from) == 0 { bit(step.from) } else { 0 };
        Sight {
            board,
            // A man borne off is no longer in play.
            occupied: (self.occupied & !left | landing) & !bit(OFF),
            open: self.open,
            blots: self.blots & !landing,
        }
    }
}

/// What a step adds to the mover's packed men, modulo 2^128.
fn moved(step: Step) -> u128 {
    // Sized by powers of two, so that masked indices need no further check.
    const MOVED: [[u128; 32]; 8] = {
        let mut table = [[0u128; 32]; 8];
        let mut die = 1;
        while die <= 6 {
            let mut from = 1;
            while from <= BAR {
                let to = from.saturating_sub(die);
                table[die as usize][from as usize] = man(to).wrapping_sub(man(from));
                from += 1;
            }
            die += 1;
        }
        table
    };
    static TABLE: [[u128; 32]; 8] = MOVED;
    TABLE[usize::from(step.die & 7)][usize::from(step.from & 31)]
}

/// The highest bit of a mask alone.
fn highest(mask: u32) -> u32 {
    mask.checked_ilog2().map_or(0, |place| 1 << place)
}

/// Packs the lowest bits of the 32 nibbles together; the other bits must be zero.
fn gathered(nibbles: u128) -> u32 {
    const fn every(period: u32, ones: u32) -> u128 {
        let mut mask = 0;
        let mut at = 0;
        while at < 128 {
            mask |= ((1 << ones) - 1) << at;
            at += period;
        }
        mask
    }
    let pairs = (nibbles | nibbles >> 3) & every(8, 2);
    let fours = (pairs | pairs >> 6) & every(16, 4);
    let bytes = (fours | fours >> 12) & every(32, 8);
    let halves = (bytes | bytes >> 24) & every(64, 16);
    (halves | halves >> 48) as u32
}
