//! Black's forbidden points under renju.
//!
//! All that a stone makes on one line is told by the five points on each side of it: whether it
//! completes a five, or more than five, how many fours it makes, and where another stone would turn
//! what it makes into a straight four. There are 3^10 such surroundings, so that is looked up.
//! Whether a three is real depends on the rest of the board, and is played out.

use crate::board::{Colour, Lines, Point, Points, Way};
use serde::Serialize;
use std::sync::LazyLock;

/// Why a point is forbidden.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Foul {
    /// Six or more in a row.
    Overline,
    /// Two fours at once, on two lines or on one.
    DoubleFour,
    /// Two threes at once, each of which can become a straight four by a legal move.
    DoubleThree,
}

impl Foul {
    /// In words, with their article.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Overline => "an overline",
            Self::DoubleFour => "a double four",
            Self::DoubleThree => "a double three",
        }
    }
}

/// What a black stone on a free point makes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Makes {
    /// Exactly five: it wins, whatever else it makes.
    Five,
    /// What it may not make.
    Foul(Foul),
    /// Nothing that matters here.
    Nothing,
}

/// What a black stone makes on one line.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Shape(u16);

impl Shape {
    const FIVE: u16 = 1;
    const OVERLINE: u16 = 1 << 1;
    /// Two bits hold how many fours.
    const FOURS: u32 = 2;
    /// Six bits: another stone so far away makes a straight four.
    const THREES: u32 = 4;
    const REACH: [i8; 6] = [-3, -2, -1, 1, 2, 3];

    fn fours(self) -> u16 {
        self.0 >> Self::FOURS & 3
    }

    fn is_three(self) -> bool {
        self.0 >> Self::THREES != 0
    }

    fn extensions(self) -> impl Iterator<Item = i8> {
        let near = Self::REACH.into_iter().enumerate();
        near.filter(move |(i, _)| self.0 >> (Self::THREES + *i as u32) & 1 == 1).map(|(_, at)| at)
    }

    /// What a stone in the middle of these eleven points makes, from the definitions.
    fn of(black: u32, closed: u32) -> Self {
        const MIDDLE: i32 = 5;
        let bit = |at: i32| if (0..11).contains(&at) { 1u32 << at } else { 0 };
        let empty = |at: i32| bit(at) != 0 && (black | closed) & bit(at) == 0 && at != MIDDLE;
        // The run through the middle: its first point, and the one behind its last.
        let run = |stones: u32| {
            let (mut first, mut behind) = (MIDDLE, MIDDLE + 1);
            while stones & bit(first - 1) != 0 {
                first -= 1;
            }
            while stones & bit(behind) != 0 {
                behind += 1;
            }
            (first, behind)
        };
        let length = |stones: u32| run(stones).1 - run(stones).0;
        let stones = black | bit(MIDDLE);
        match length(stones) {
            5 => return Self(Self::FIVE),
            6.. => return Self(Self::OVERLINE),
            _ => {}
        }
        // A four: one more stone makes exactly five. A straight four is one, though it has two.
        let fives = (0..11).filter(|at| empty(*at) && length(stones | bit(*at)) == 5).count();
        let fours = if length(stones) == 4 { fives.min(1) } else { fives };
        let straight = |stones: u32| {
            let (first, behind) = run(stones);
            behind - first == 4
                && [first - 1, behind]
                    .into_iter()
                    .all(|end| empty(end) && length(stones | bit(end)) == 5)
        };
        // A three: one more stone makes a straight four, and did not find it there.
        let mut shape = (fours as u16) << Self::FOURS;
        for (i, at) in Self::REACH.into_iter().enumerate() {
            let at = MIDDLE + i32::from(at);
            if empty(at) && length(stones) < 4 && straight(stones | bit(at)) {
                shape |= 1 << (Self::THREES + i as u32);
            }
        }
        Self(shape)
    }
}

/// The points of a window as digits of base 3; the middle is none of them.
static DIGITS: [u16; 1 << 11] = {
    let mut digits = [0; 1 << 11];
    let mut window = 0;
    while window < digits.len() {
        let (mut at, mut worth) = (0, 1);
        while at < 11 {
            if at != 5 {
                digits[window] += if window >> at & 1 == 1 { worth } else { 0 };
                worth *= 3;
            }
            at += 1;
        }
        window += 1;
    }
    digits
};

/// 3 to the 10th, and room to a power of two, so that an index needs no check.
const SURROUNDINGS: usize = 1 << 16;

static SHAPES: LazyLock<Box<[Shape; SURROUNDINGS]>> = LazyLock::new(|| {
    let mut shapes = vec![Shape(0); SURROUNDINGS];
    for black in (0..1 << 11).filter(|black: &usize| black >> 5 & 1 == 0) {
        for closed in (0..1 << 11).filter(|closed| closed >> 5 & 1 == 0 && closed & black == 0) {
            let at = usize::from(DIGITS[black] + 2 * DIGITS[closed]);
            shapes[at] = Shape::of(black as u32, closed as u32);
        }
    }
    shapes.try_into().unwrap_or_else(|_| unreachable!("there are as many as were asked for"))
});

/// What a black stone on a free point makes on the four lines.
#[inline(always)]
fn around(shapes: &[Shape; SURROUNDINGS], lines: &Lines, point: Point) -> [Shape; 4] {
    Way::ALL.map(|way| {
        let black = DIGITS[lines.window(Colour::Black, way, point)];
        let closed = DIGITS[lines.closed(Colour::Black, way, point)];
        shapes[usize::from(black + 2 * closed)]
    })
}

/// What a black stone on a free point makes.
pub fn makes(lines: &Lines, point: Point) -> Makes {
    judge(&SHAPES, lines, point)
}

#[inline(always)]
fn judge(shapes: &[Shape; SURROUNDINGS], lines: &Lines, point: Point) -> Makes {
    let around = around(shapes, lines, point);
    let any = around.iter().fold(0, |any, shape| any | shape.0);
    if any == 0 {
        return Makes::Nothing;
    }
    if any & Shape::FIVE != 0 {
        return Makes::Five;
    }
    if any & Shape::OVERLINE != 0 {
        return Makes::Foul(Foul::Overline);
    }
    if around.iter().map(|shape| shape.fours()).sum::<u16>() >= 2 {
        return Makes::Foul(Foul::DoubleFour);
    }
    if around.iter().filter(|shape| shape.is_three()).count() >= 2
        && threes(shapes, lines, point, around) >= 2
    {
        return Makes::Foul(Foul::DoubleThree);
    }
    Makes::Nothing
}

/// On how many lines a stone makes a three that can really become a straight four: by a move that
/// is itself allowed, and no five.
#[cold]
fn threes(
    shapes: &[Shape; SURROUNDINGS],
    lines: &Lines,
    point: Point,
    around: [Shape; 4],
) -> usize {
    let mut lines = lines.clone();
    lines.lay(Colour::Black, point);
    let real = |(way, shape): (Way, Shape)| {
        let mut extensions = shape.extensions().filter_map(|steps| way.step(point, steps));
        extensions.any(|next| judge(shapes, &lines, next) == Makes::Nothing)
    };
    Way::ALL.into_iter().zip(around).filter(|line| real(*line)).count()
}

/// How much of a foul the black stones around a point can be, by their number within four: two
/// lines with two stones make threes or fours, one line with four makes two fours or an overline.
static HEAVY: [u8; 1 << 11] = {
    let mut heavy = [0; 1 << 11];
    let mut window = 0;
    while window < heavy.len() {
        heavy[window] = match (window as u32 & 0b011_1101_1110).count_ones() {
            0..2 => 0,
            2..4 => 1,
            _ => 2,
        };
        window += 1;
    }
    heavy
};

/// All points forbidden to black.
pub fn forbidden(lines: &Lines) -> Points {
    let shapes = &**SHAPES;
    let mut forbidden = Points::default();
    lines.free().for_each(|point| {
        let heavy = |way| HEAVY[lines.window(Colour::Black, way, point)];
        let heavy: u8 = Way::ALL.into_iter().map(heavy).sum();
        if heavy >= 2
            && let Makes::Foul(_) = judge(shapes, lines, point)
        {
            forbidden.insert(point);
        }
    });
    forbidden
}
