//! Points, colours and the board: a bit for every stone, or one on each of the four lines through it.

use parlor_rules::{Closed, Faults, Fields};
use serde::{Deserialize, Deserializer, Serialize};
use std::ops::{Deref, Not};

/// A point of a board, `x` the column from the left and `y` the row from the top, both from 0.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize)]
pub struct Point {
    /// The column.
    pub x: u8,
    /// The row.
    pub y: u8,
}

impl Point {
    /// The point in this column and row.
    pub const fn new(x: u8, y: u8) -> Self {
        Self { x, y }
    }
}

impl Closed for Point {
    fn take(fields: &mut Fields, faults: &mut Faults) -> Option<Self> {
        let x = fields.take("x", "a column", faults);
        let y = fields.take("y", "a row", faults);
        Some(Self { x: x?, y: y? })
    }
}

impl<'de> Deserialize<'de> for Point {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        parlor_rules::doc::closed(d)
    }
}

/// The colour of a stone.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Colour {
    /// `X`.
    Black,
    /// `O`.
    White,
}

impl Colour {
    /// Both, black first.
    pub const ALL: [Self; 2] = [Self::Black, Self::White];

    /// As a board and `currentTurn` write it.
    pub const fn mark(self) -> &'static str {
        match self {
            Self::Black => "X",
            Self::White => "O",
        }
    }

    /// Its word.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Black => "black",
            Self::White => "white",
        }
    }

    /// The colour of the stone that is laid so many stones after the first, black's.
    pub const fn after(stones: usize) -> Self {
        if stones.is_multiple_of(2) { Self::Black } else { Self::White }
    }
}

impl Not for Colour {
    type Output = Self;
    fn not(self) -> Self {
        match self {
            Self::Black => Self::White,
            Self::White => Self::Black,
        }
    }
}

/// How many points a side of the board has: 15, 19 or 20.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(try_from = "u8", into = "u8")]
pub struct Size(u8);

impl Size {
    /// All there are.
    pub const ALL: [Self; 3] = [Self(15), Self(19), Self(20)];
    /// The usual one.
    pub const USUAL: Self = Self(15);

    /// As a number.
    pub const fn get(self) -> u8 {
        self.0
    }

    /// How many points there are in all.
    pub const fn points(self) -> u16 {
        self.0 as u16 * self.0 as u16
    }

    /// Whether a point is on the board.
    pub const fn contains(self, point: Point) -> bool {
        point.x < self.0 && point.y < self.0
    }

    /// All points, row by row.
    pub fn all(self) -> impl Iterator<Item = Point> {
        (0..self.0).flat_map(move |y| (0..self.0).map(move |x| Point { x, y }))
    }
}

impl Size {
    /// What options ask for, whether or not there is such a board: they are checked as a whole.
    pub(crate) fn asked(size: u64) -> Self {
        Self(u8::try_from(size).unwrap_or(u8::MAX))
    }
}

impl TryFrom<u8> for Size {
    type Error = &'static str;

    fn try_from(size: u8) -> Result<Self, Self::Error> {
        Self::ALL.into_iter().find(|known| known.0 == size).ok_or("a board has 15, 19 or 20 points")
    }
}

impl From<Size> for u8 {
    fn from(size: Size) -> u8 {
        size.0
    }
}

/// The largest board.
pub(crate) const MOST: usize = 20;

/// Some points of a board, a bit each: bit `x` of row `y`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Points([u32; MOST]);

impl Points {
    /// Whether a point is among them.
    pub fn contains(&self, point: Point) -> bool {
        self.0
            .get(usize::from(point.y))
            .is_some_and(|row| row.checked_shr(point.x.into()).unwrap_or(0) & 1 == 1)
    }

    /// Adds a point that is on some board.
    pub fn insert(&mut self, point: Point) {
        if let Some(row) = self.0.get_mut(usize::from(point.y)) {
            *row |= 1 << (point.x & 31);
        }
    }

    /// Takes a point away.
    pub fn remove(&mut self, point: Point) {
        if let Some(row) = self.0.get_mut(usize::from(point.y)) {
            *row &= !(1 << (point.x & 31));
        }
    }

    /// How many there are.
    pub fn len(&self) -> u32 {
        self.0.iter().map(|row| row.count_ones()).sum()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.iter().all(|row| *row == 0)
    }

    /// Those that are not among others.
    pub fn without(mut self, others: &Self) -> Self {
        for (row, other) in self.0.iter_mut().zip(others.0) {
            *row &= !other;
        }
        self
    }

    /// One after the other, row by row.
    pub fn iter(&self) -> impl Iterator<Item = Point> + '_ {
        self.0.iter().enumerate().flat_map(|(y, row)| {
            let mut rest = *row;
            std::iter::from_fn(move || {
                let x = rest.trailing_zeros() as u8;
                (rest != 0).then(|| {
                    rest &= rest - 1;
                    Point { x, y: y as u8 }
                })
            })
        })
    }

    /// The same for the hot loops.
    #[inline(always)]
    pub(crate) fn for_each(&self, mut what: impl FnMut(Point)) {
        for (y, row) in self.0.iter().enumerate() {
            let mut rest = *row;
            while rest != 0 {
                what(Point { x: rest.trailing_zeros() as u8, y: y as u8 });
                rest &= rest - 1;
            }
        }
    }

    /// The rows of a board of this size, from the top: bit `x` is column `x`.
    pub fn rows(&self, size: Size) -> &[u32] {
        &self.0[..usize::from(size.get())]
    }
}

/// The four ways a line can run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Way {
    /// From left to right.
    Row,
    /// From top to bottom.
    Column,
    /// From the upper left to the lower right.
    Down,
    /// From the lower left to the upper right.
    Up,
}

impl Way {
    /// All four.
    pub const ALL: [Self; 4] = [Self::Row, Self::Column, Self::Down, Self::Up];

    /// The point so many steps further on this way; none off every board.
    pub fn step(self, from: Point, steps: i8) -> Option<Point> {
        let (dx, dy) = match self {
            Self::Row => (steps, 0),
            Self::Column => (0, steps),
            Self::Down => (steps, steps),
            Self::Up => (steps, -steps),
        };
        let x = from.x.checked_add_signed(dx)?;
        let y = from.y.checked_add_signed(dy)?;
        (usize::from(x) < MOST && usize::from(y) < MOST).then_some(Point { x, y })
    }
}

/// All lines of the largest board, and room to 128, so that an index needs no check.
const LINES: usize = 128;
const COLUMNS: usize = MOST;
const DOWNS: usize = 2 * MOST;
const UPS: usize = DOWNS + 2 * MOST - 1;
/// Bits below the first point of a line, so that a window never shifts below zero.
const PAD: u32 = 5;
/// How many points of a line a window holds.
const WINDOW: u32 = 2 * PAD + 1;

/// The line of this way through a point, and the point's bit on it.
#[inline(always)]
const fn place(way: Way, point: Point) -> (usize, u32) {
    let (x, y) = (point.x as usize, point.y as usize);
    let (line, bit) = match way {
        Way::Row => (y, point.x),
        Way::Column => (COLUMNS + x, point.y),
        Way::Down => (DOWNS + MOST - 1 + x - y, point.x),
        Way::Up => (UPS + x + y, point.x),
    };
    (line % LINES, (bit as u32 + PAD) & 31)
}

/// The bits of every line that are off a board of this size.
const fn off(size: u8) -> [u32; LINES] {
    let mut off = [u32::MAX; LINES];
    let mut y = 0;
    while y < size {
        let mut x = 0;
        while x < size {
            let mut way = 0;
            while way < 4 {
                let (line, bit) = place(Way::ALL[way], Point { x, y });
                off[line] &= !(1 << bit);
                way += 1;
            }
            x += 1;
        }
        y += 1;
    }
    off
}

static OFF: [[u32; LINES]; 3] =
    [off(Size::ALL[0].get()), off(Size::ALL[1].get()), off(Size::ALL[2].get())];

/// A run of exactly five goes through the middle of a window.
pub const FIVE: u8 = 1;
/// A run of six or more does.
pub const LONG: u8 = 2;

/// For every window, with its middle taken as a stone, what the run through it is.
static RUNS: [u8; 1 << WINDOW] = {
    let mut runs = [0; 1 << WINDOW];
    let mut window = 0;
    while window < runs.len() {
        let (mut length, mut above, mut below) = (1, PAD + 1, PAD);
        while above < WINDOW && window >> above & 1 == 1 {
            (length, above) = (length + 1, above + 1);
        }
        while below > 0 && window >> (below - 1) & 1 == 1 {
            (length, below) = (length + 1, below - 1);
        }
        runs[window] = if length == 5 {
            FIVE
        } else if length > 5 {
            LONG
        } else {
            0
        };
        window += 1;
    }
    runs
};

/// Stones on a board, as little of it as there can be. Points given to it must be on it; what is off
/// it is nowhere.
#[derive(Clone, PartialEq, Eq)]
pub struct Board {
    rows: [Points; 2],
    size: Size,
    stones: u16,
}

impl std::fmt::Debug for Board {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for y in 0..self.size.get() {
            let mark = |x| self.at(Point { x, y }).map_or(".", Colour::mark);
            writeln!(f, "{}", (0..self.size.get()).map(mark).collect::<String>())?;
        }
        Ok(())
    }
}

impl Board {
    /// An empty board.
    pub const fn new(size: Size) -> Self {
        Self { rows: [Points([0; MOST]); 2], size, stones: 0 }
    }

    /// How large it is.
    pub const fn size(&self) -> Size {
        self.size
    }

    /// How many stones lie on it.
    pub const fn stones(&self) -> u16 {
        self.stones
    }

    /// Whether no point is free.
    pub const fn is_full(&self) -> bool {
        self.stones >= self.size.points()
    }

    /// The stone on a point.
    pub fn at(&self, point: Point) -> Option<Colour> {
        Colour::ALL.into_iter().find(|colour| self.has(*colour, point))
    }

    /// Whether a stone of this colour lies on a point.
    #[inline(always)]
    pub fn has(&self, colour: Colour, point: Point) -> bool {
        self.rows[colour as usize].contains(point)
    }

    /// Whether a point is on the board and no stone lies on it.
    pub fn is_free(&self, point: Point) -> bool {
        self.size.contains(point) && self.at(point).is_none()
    }

    /// All free points.
    pub fn free(&self) -> Points {
        let (mut free, [black, white]) = (Points::default(), &self.rows);
        let board = (1 << self.size.get()) - 1;
        for y in 0..usize::from(self.size.get()) {
            free.0[y] = !(black.0[y] | white.0[y]) & board;
        }
        free
    }

    /// Lays a stone on a free point.
    #[inline(always)]
    pub fn lay(&mut self, colour: Colour, point: Point) {
        self.rows[colour as usize].insert(point);
        self.stones += 1;
    }

    /// Takes a stone of this colour away from a point where there is one.
    #[inline(always)]
    pub fn lift(&mut self, colour: Colour, point: Point) {
        self.rows[colour as usize].remove(point);
        self.stones -= 1;
    }

    /// Both ends of the run of a colour through a point: how many of its stones stand before and
    /// after the point.
    #[inline(always)]
    pub fn reach(&self, colour: Colour, way: Way, point: Point) -> (i8, i8) {
        let of = |sign: i8| {
            let mut steps = 0;
            while way.step(point, sign * (steps + 1)).is_some_and(|next| self.has(colour, next)) {
                steps += 1;
            }
            steps
        };
        (of(-1), of(1))
    }
}

/// Stones that can be judged.
pub trait Stones {
    /// The board they lie on.
    fn board(&self) -> &Board;

    /// Which run of five or more a stone of this colour on this point is part of on the line of this
    /// way: [`FIVE`], [`LONG`] or none.
    fn run(&self, colour: Colour, way: Way, point: Point) -> u8;

    /// The same for the lines of all ways.
    #[inline(always)]
    fn runs(&self, colour: Colour, point: Point) -> u8 {
        Way::ALL.into_iter().fold(0, |runs, way| runs | self.run(colour, way, point))
    }
}

impl Stones for Board {
    fn board(&self) -> &Board {
        self
    }

    #[inline(always)]
    fn run(&self, colour: Colour, way: Way, point: Point) -> u8 {
        let (before, after) = self.reach(colour, way, point);
        match before + 1 + after {
            ..5 => 0,
            5 => FIVE,
            _ => LONG,
        }
    }
}

/// A board for who looks at many lines of it: each of the four lines through a stone has it side by
/// side with its neighbours. It takes seven times the room.
#[derive(Clone, PartialEq, Eq)]
pub struct Lines {
    board: Board,
    lines: [[u32; LINES]; 2],
}

impl Lines {
    /// Of an empty board.
    pub const fn new(size: Size) -> Self {
        Self { board: Board::new(size), lines: [[0; LINES]; 2] }
    }

    /// Of a board.
    pub fn of(board: &Board) -> Self {
        let mut lines = Self::new(board.size());
        for colour in Colour::ALL {
            board.rows[colour as usize].for_each(|point| lines.lay(colour, point));
        }
        lines
    }

    /// Lays a stone on a free point.
    #[inline(always)]
    pub fn lay(&mut self, colour: Colour, point: Point) {
        for way in Way::ALL {
            let (line, bit) = place(way, point);
            self.lines[colour as usize][line] |= 1 << bit;
        }
        self.board.lay(colour, point);
    }

    /// Takes a stone of this colour away from a point where there is one.
    #[inline(always)]
    pub fn lift(&mut self, colour: Colour, point: Point) {
        for way in Way::ALL {
            let (line, bit) = place(way, point);
            self.lines[colour as usize][line] &= !(1 << bit);
        }
        self.board.lift(colour, point);
    }

    /// The stones of a colour around a point, five on each side, the point's own in the middle.
    #[inline(always)]
    pub(crate) fn window(&self, colour: Colour, way: Way, point: Point) -> usize {
        let (line, bit) = place(way, point);
        (self.lines[colour as usize][line] >> (bit - PAD)) as usize % (1 << WINDOW)
    }

    /// The bits of a window where a colour can have no stone: the other's, and off the board.
    #[inline(always)]
    pub(crate) fn closed(&self, colour: Colour, way: Way, point: Point) -> usize {
        let off = match self.board.size.get() {
            15 => &OFF[0],
            19 => &OFF[1],
            _ => &OFF[2],
        };
        let (line, bit) = place(way, point);
        let closed = self.lines[!colour as usize][line] | off[line];
        (closed >> (bit - PAD)) as usize % (1 << WINDOW)
    }
}

impl Deref for Lines {
    type Target = Board;

    fn deref(&self) -> &Board {
        &self.board
    }
}

impl Stones for Lines {
    fn board(&self) -> &Board {
        &self.board
    }

    #[inline(always)]
    fn run(&self, colour: Colour, way: Way, point: Point) -> u8 {
        RUNS[self.window(colour, way, point)]
    }
}
