//! A second judge, slow and written straight from the definitions: a grid of cells, whole lines,
//! stones really laid, no windows, no tables.

use parlor_rules_gomoku::board::{Board, Colour, Point, Size};

/// A board as cells; a cell that is none of it is `None`.
#[derive(Clone)]
pub(crate) struct Grid {
    size: i32,
    cells: Vec<Option<Colour>>,
}

const WAYS: [(i32, i32); 4] = [(1, 0), (0, 1), (1, 1), (1, -1)];

/// What black makes by a stone.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Verdict {
    Five,
    Overline,
    DoubleFour,
    DoubleThree,
    Allowed,
}

impl Grid {
    pub(crate) fn new(size: Size) -> Self {
        Self { size: size.get().into(), cells: vec![None; size.points().into()] }
    }

    pub(crate) fn of(board: &Board) -> Self {
        Self {
            size: board.size().get().into(),
            cells: board.size().all().map(|point| board.at(point)).collect(),
        }
    }

    fn on(&self, x: i32, y: i32) -> bool {
        (0..self.size).contains(&x) && (0..self.size).contains(&y)
    }

    pub(crate) fn at(&self, x: i32, y: i32) -> Option<Colour> {
        if self.on(x, y) { self.cells[(y * self.size + x) as usize] } else { None }
    }

    pub(crate) fn empty(&self, x: i32, y: i32) -> bool {
        self.on(x, y) && self.at(x, y).is_none()
    }

    pub(crate) fn set(&mut self, x: i32, y: i32, stone: Option<Colour>) {
        self.cells[(y * self.size + x) as usize] = stone;
    }

    /// All stones of a colour that stand without a gap in line with the one on this point.
    fn run(&self, x: i32, y: i32, (dx, dy): (i32, i32), colour: Colour) -> Vec<(i32, i32)> {
        let (mut x, mut y) = (x, y);
        while self.at(x - dx, y - dy) == Some(colour) {
            (x, y) = (x - dx, y - dy);
        }
        let mut run = Vec::new();
        while self.at(x, y) == Some(colour) {
            run.push((x, y));
            (x, y) = (x + dx, y + dy);
        }
        run
    }

    /// Whether the stone on this point wins, from the five rules in words.
    pub(crate) fn wins(&self, rule: &str, x: i32, y: i32) -> bool {
        let Some(colour) = self.at(x, y) else { return false };
        WAYS.into_iter().any(|way| {
            let run = self.run(x, y, way, colour);
            let (first, last) = (run[0], run[run.len() - 1]);
            let before = self.at(first.0 - way.0, first.1 - way.1);
            let behind = self.at(last.0 + way.0, last.1 + way.1);
            let blocked = before == Some(!colour) && behind == Some(!colour);
            match (rule, run.len()) {
                ("freestyle", n) => n >= 5,
                ("standard", n) => n == 5,
                ("caro", n) => n == 5 && !blocked,
                ("caro_overline", n) => n > 5 || n == 5 && !blocked,
                ("renju", n) => n == 5 || n > 5 && colour == Colour::White,
                _ => panic!("no such rule"),
            }
        })
    }

    fn longest(&self, x: i32, y: i32) -> Vec<usize> {
        WAYS.iter().map(|way| self.run(x, y, *way, Colour::Black).len()).collect()
    }

    /// What a black stone on this empty point makes.
    pub(crate) fn verdict(&self, x: i32, y: i32) -> Verdict {
        let mut after = self.clone();
        after.set(x, y, Some(Colour::Black));
        let runs = after.longest(x, y);
        if runs.contains(&5) {
            return Verdict::Five;
        }
        if runs.iter().any(|run| *run > 5) {
            return Verdict::Overline;
        }
        if WAYS.iter().map(|way| after.fours(x, y, *way)).sum::<usize>() >= 2 {
            return Verdict::DoubleFour;
        }
        if WAYS.iter().filter(|way| after.has_three(x, y, **way)).count() >= 2 {
            return Verdict::DoubleThree;
        }
        Verdict::Allowed
    }

    /// The fours on a line that the stone on this point is part of: four stones that one more makes
    /// exactly five, each set of four counted once.
    fn fours(&mut self, x: i32, y: i32, way: (i32, i32)) -> usize {
        let mut fours: Vec<Vec<(i32, i32)>> = Vec::new();
        for (ex, ey) in self.line(x, y, way) {
            if !self.empty(ex, ey) {
                continue;
            }
            self.set(ex, ey, Some(Colour::Black));
            let run = self.run(x, y, way, Colour::Black);
            self.set(ex, ey, None);
            if run.len() == 5 && run.contains(&(ex, ey)) {
                let four: Vec<_> = run.into_iter().filter(|at| *at != (ex, ey)).collect();
                if !fours.contains(&four) {
                    fours.push(four);
                }
            }
        }
        fours.len()
    }

    /// Whether the stone on this point is part of three stones that become a straight four by one
    /// more stone on this line, one that is allowed and makes no five.
    fn has_three(&self, x: i32, y: i32, way: (i32, i32)) -> bool {
        self.line(x, y, way).into_iter().any(|(qx, qy)| {
            if !self.empty(qx, qy) {
                return false;
            }
            let mut after = self.clone();
            after.set(qx, qy, Some(Colour::Black));
            after.is_straight_four(x, y, way, (qx, qy)) && self.verdict(qx, qy) == Verdict::Allowed
        })
    }

    /// On how many lines a black stone on this empty point makes a three by its shape alone.
    pub(crate) fn threes_by_shape(&self, x: i32, y: i32) -> usize {
        let mut after = self.clone();
        after.set(x, y, Some(Colour::Black));
        let three = |way: &&(i32, i32)| {
            after.line(x, y, **way).into_iter().any(|(qx, qy)| {
                let mut four = after.clone();
                after.empty(qx, qy) && {
                    four.set(qx, qy, Some(Colour::Black));
                    four.is_straight_four(x, y, **way, (qx, qy))
                }
            })
        };
        WAYS.iter().filter(three).count()
    }

    /// Four in a row with these two stones among them, and at both ends an empty point that makes
    /// exactly five.
    fn is_straight_four(&self, x: i32, y: i32, way: (i32, i32), with: (i32, i32)) -> bool {
        let run = self.run(x, y, way, Colour::Black);
        if run.len() != 4 || !run.contains(&with) {
            return false;
        }
        let (first, last) = (run[0], run[3]);
        let ends = [(first.0 - way.0, first.1 - way.1), (last.0 + way.0, last.1 + way.1)];
        ends.into_iter().all(|(ex, ey)| {
            let mut after = self.clone();
            self.empty(ex, ey) && {
                after.set(ex, ey, Some(Colour::Black));
                after.run(x, y, way, Colour::Black).len() == 5
            }
        })
    }

    /// All points of the board on this line through a point.
    fn line(&self, x: i32, y: i32, (dx, dy): (i32, i32)) -> Vec<(i32, i32)> {
        let steps = -self.size..=self.size;
        steps.map(|n| (x + n * dx, y + n * dy)).filter(|(x, y)| self.on(*x, *y)).collect()
    }

    pub(crate) fn board(&self) -> Board {
        let size = Size::try_from(self.size as u8).unwrap();
        let mut board = Board::new(size);
        for point in size.all() {
            if let Some(colour) = self.at(point.x.into(), point.y.into()) {
                board.lay(colour, point);
            }
        }
        board
    }
}

/// A point as the oracle counts.
pub(crate) fn xy(point: Point) -> (i32, i32) {
    (point.x.into(), point.y.into())
}
