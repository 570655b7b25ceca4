//! A board that knows what every free point is worth to both colours, and a search over it.

use super::shape::{
    self, FIVE, FOUR, Line, MINE, OFF, OPEN_FOUR, OPEN_THREE, SHAPES, Shape, Table,
};
use parlor_rules_gomoku::board::{Board, Colour, Lines, Point, Way};
use parlor_rules_gomoku::renju::{self, Makes};
use parlor_rules_gomoku::rule::Rule;

/// A won game; the sooner it is won the more.
pub(super) const WON: i32 = 1_000_000;
/// From here on a value is a win that was seen.
pub(super) const SURE: i32 = WON - 1_000;

/// Values so near to each other are as good as each other.
pub(super) const SAME: i32 = 3;

/// Points to a row here: as many as on the largest board.
const ROW: usize = 20;
const ALL: usize = ROW * ROW;

/// What a shape is worth.
const WORTH: [i32; SHAPES] = [0, 2, 7, 22, 24, 100, 110, 1_500, 20_000];
/// What two threats at once are worth beyond that.
const TWO_FOURS: i32 = 1_200;
const FOUR_AND_THREE: i32 = 900;
const TWO_THREES: i32 = 500;

/// What a stone on a point is worth to a colour.
#[derive(Clone, Copy, Default)]
pub(super) struct Rated {
    pub(super) worth: i32,
    /// The best shape it makes, two fours counted as an open one.
    pub(super) best: Shape,
}

/// A board that is searched.
pub(super) struct Field {
    board: Lines,
    rule: Rule,
    tables: [&'static Table; 2],
    lines: [[Line; 4]; ALL],
    rated: [[Rated; 2]; ALL],
    /// How many stones lie within two steps.
    near: [u8; ALL],
    /// The worth of all free points to each colour.
    sums: [i32; 2],
    /// How many positions may still be looked at.
    budget: u32,
}

fn index(point: Point) -> usize {
    usize::from(point.y) * ROW + usize::from(point.x)
}

/// The most points of a position that are looked at.
const WIDEST: usize = 16;

/// The best points of a position, the best first.
struct Top {
    points: [(i32, Point); WIDEST],
    len: usize,
    width: usize,
}

impl Top {
    fn new(width: usize) -> Self {
        Self { points: [(0, Point::new(0, 0)); WIDEST], len: 0, width: width.min(WIDEST) }
    }

    fn points(&self) -> &[(i32, Point)] {
        &self.points[..self.len]
    }

    /// Whether a point of this worth would be among them.
    fn wants(&self, worth: i32) -> bool {
        self.len < self.width || self.points().last().is_some_and(|last| last.0 < worth)
    }

    /// Adds a point that is wanted; the last one gives way to it.
    fn add(&mut self, worth: i32, point: Point) {
        let at = self.points().partition_point(|better| better.0 >= worth);
        self.len = (self.len + 1).min(self.width);
        self.points[at..self.len].rotate_right(1);
        self.points[at] = (worth, point);
    }
}

/// How far and how wide is searched.
#[derive(Clone, Copy)]
pub(super) struct Effort {
    pub(super) depth: u8,
    pub(super) width: usize,
    /// How many positions.
    pub(super) budget: u32,
    /// How many fours in a row are tried.
    pub(super) fours: u8,
}

impl Field {
    pub(super) fn new(stones: &Board, rule: Rule) -> Self {
        let size = stones.size();
        let mut field = Self {
            board: Lines::new(size),
            rule,
            tables: Colour::ALL.map(|colour| shape::table(rule, colour)),
            lines: [[0; 4]; ALL],
            rated: [[Rated::default(); 2]; ALL],
            near: [0; ALL],
            sums: [0; 2],
            budget: 0,
        };
        for point in size.all() {
            for (way, line) in Way::ALL.into_iter().zip(&mut field.lines[index(point)]) {
                for steps in (-5..=5).filter(|steps| *steps != 0) {
                    let on = way.step(point, steps).is_some_and(|next| size.contains(next));
                    *line |= if on { 0 } else { OFF << shape::bits(steps) };
                }
            }
        }
        for point in size.all() {
            field.rate(point);
        }
        for point in size.all() {
            if let Some(colour) = stones.at(point) {
                field.lay(colour, point);
            }
        }
        field
    }

    /// What a stone on a free point is worth to a colour.
    pub(super) fn rated(&self, colour: Colour, point: Point) -> Rated {
        self.rated[index(point)][colour as usize]
    }

    fn rate(&mut self, point: Point) {
        let at = index(point);
        for colour in Colour::ALL {
            let (mut worth, mut best, mut fours, mut threes) = (0, 0, 0, 0);
            for line in self.lines[at] {
                let line = if colour == Colour::Black { line } else { shape::swapped(line) };
                let shape = self.tables[colour as usize][line as usize];
                worth += WORTH[usize::from(shape)];
                best = best.max(shape);
                fours += u8::from(shape == FOUR);
                threes += u8::from(shape == OPEN_THREE);
            }
            match (fours, threes) {
                (2.., _) => (worth, best) = (worth + TWO_FOURS, best.max(OPEN_FOUR)),
                (1, 1..) => worth += FOUR_AND_THREE,
                (0, 2..) => worth += TWO_THREES,
                _ => {}
            }
            let rated = &mut self.rated[at][colour as usize];
            self.sums[colour as usize] += worth - rated.worth;
            *rated = Rated { worth, best };
        }
    }

    pub(super) fn lay(&mut self, colour: Colour, point: Point) {
        self.board.lay(colour, point);
        for (sum, rated) in self.sums.iter_mut().zip(&mut self.rated[index(point)]) {
            *sum -= rated.worth;
            *rated = Rated::default();
        }
        self.around(point, if colour == Colour::Black { MINE } else { shape::swapped(MINE) });
        self.crowd(point, 1);
    }

    pub(super) fn lift(&mut self, colour: Colour, point: Point) {
        self.board.lift(colour, point);
        self.around(point, if colour == Colour::Black { MINE } else { shape::swapped(MINE) });
        self.rate(point);
        self.crowd(point, -1);
    }

    /// Adds a stone to the lines around it, or takes it away again.
    fn around(&mut self, point: Point, stone: Line) {
        for (at, way) in Way::ALL.into_iter().enumerate() {
            for steps in (-5..=5).filter(|steps| *steps != 0) {
                let next = way.step(point, steps);
                let Some(next) = next.filter(|next| self.board.size().contains(*next)) else {
                    continue;
                };
                self.lines[index(next)][at] ^= stone << shape::bits(-steps);
                if self.board.is_free(next) {
                    self.rate(next);
                }
            }
        }
    }

    fn crowd(&mut self, point: Point, by: i8) {
        let last = self.board.size().get() - 1;
        let reach = |at: u8| at.saturating_sub(2)..=(at + 2).min(last);
        for y in reach(point.y) {
            for x in reach(point.x) {
                let near = &mut self.near[index(Point { x, y })];
                *near = near.saturating_add_signed(by);
            }
        }
    }

    /// The free points near the stones.
    pub(super) fn open(&self) -> impl Iterator<Item = Point> + '_ {
        let open = |point: &Point| self.near[index(*point)] > 0 && self.board.is_free(*point);
        self.board.size().all().filter(open)
    }

    /// Whether a colour may lay a stone on a free point.
    pub(super) fn allows(&self, colour: Colour, point: Point) -> bool {
        self.rule != Rule::Renju
            || colour == Colour::White
            || !matches!(renju::makes(&self.board, point), Makes::Foul(_))
    }

    /// How far the colour to move is ahead, without looking further.
    fn standing(&self, mine: Colour) -> i32 {
        // To be on move is worth some of what there is to do with it.
        let [own, other] = [mine, !mine].map(|colour| self.sums[colour as usize]);
        own + own / 8 - other
    }

    /// The points worth a look for a colour, the best first; all others are lost at once.
    fn candidates(&self, mine: Colour, width: usize) -> Top {
        let (mut must, mut danger) = (false, false);
        for point in self.open() {
            let theirs = self.rated(!mine, point).best;
            must |= theirs == FIVE;
            danger |= theirs == OPEN_FOUR;
        }
        let mut top = Top::new(width);
        for point in self.open() {
            let (own, theirs) = (self.rated(mine, point), self.rated(!mine, point));
            let asked = match (must, danger) {
                (true, _) => own.best == FIVE || theirs.best == FIVE,
                (_, true) => own.best >= FOUR || theirs.best >= FOUR,
                _ => true,
            };
            let worth = own.worth + own.worth / 8 + theirs.worth;
            if asked && top.wants(worth) && self.allows(mine, point) {
                top.add(worth, point);
            }
        }
        top
    }

    /// The value of the position for the colour to move, between these bounds.
    fn value(&mut self, mine: Colour, depth: u8, width: usize, ply: i32, bounds: [i32; 2]) -> i32 {
        let [mut least, most] = bounds;
        let (mut five, mut open_four, mut must) = (false, None, 0);
        for point in self.open() {
            let own = self.rated(mine, point).best;
            five |= own == FIVE;
            open_four = open_four.or((own == OPEN_FOUR).then_some(point));
            must += u32::from(self.rated(!mine, point).best == FIVE);
        }
        if five {
            return WON - ply;
        }
        if must >= 2 {
            return ply + 1 - WON;
        }
        if must == 0 && open_four.is_some_and(|point| self.allows(mine, point)) {
            return WON - ply - 2;
        }
        self.budget = self.budget.saturating_sub(1);
        // What is forced is looked at for nothing, as long as there is time.
        let depth = if must == 1 && ply < 16 { depth.max(1) } else { depth };
        if depth == 0 || self.budget == 0 || self.board.is_full() {
            return self.standing(mine);
        }
        let candidates = self.candidates(mine, width);
        // Nothing may be played that helps, if only because it is forbidden.
        let mut best = if must == 1 { ply + 1 - WON } else { -SURE };
        for (_, point) in candidates.points().iter().copied() {
            self.lay(mine, point);
            let next = depth - u8::from(must == 0);
            let value = -self.value(!mine, next, width, ply + 1, [-most, -least]);
            self.lift(mine, point);
            best = best.max(value);
            least = least.max(value);
            if least >= most {
                break;
            }
        }
        best
    }

    /// A move that wins by fours alone, each of which has one answer.
    fn by_fours(&mut self, mine: Colour, fours: u8) -> Option<Point> {
        let (mut must, mut musts) = (None, 0);
        let mut tries = Top::new(WIDEST);
        for point in self.open() {
            let own = self.rated(mine, point);
            if own.best == FIVE {
                return Some(point);
            }
            if self.rated(!mine, point).best == FIVE {
                (must, musts) = (Some(point), musts + 1);
            }
            if own.best >= FOUR && tries.wants(own.worth) && self.allows(mine, point) {
                tries.add(own.worth, point);
            }
        }
        if fours == 0 || musts > 1 || self.budget == 0 {
            return None;
        }
        self.budget -= 1;
        let tries = tries.points().iter().map(|(_, point)| *point);
        tries.filter(|point| must.is_none_or(|must| must == *point)).find(|point| {
            self.lay(mine, *point);
            let mut answers = self.open().filter(|at| self.rated(mine, *at).best == FIVE);
            let (answer, second) = (answers.next(), answers.next());
            drop(answers);
            let their_five = self.open().any(|at| self.rated(!mine, at).best == FIVE);
            let wins = match (answer, second) {
                _ if their_five => false,
                (Some(_), Some(_)) => true,
                (Some(answer), None) if !self.allows(!mine, answer) => true,
                (Some(answer), None) => {
                    self.lay(!mine, answer);
                    let wins = self.by_fours(mine, fours - 1).is_some();
                    self.lift(!mine, answer);
                    wins
                }
                (None, _) => false,
            };
            self.lift(mine, *point);
            wins
        })
    }

    /// The best points for the colour to move with their values, the best first, as far as this
    /// effort sees. There is none where no point is near a stone, or none may be played.
    pub(super) fn search(&mut self, mine: Colour, effort: Effort) -> Vec<(i32, Point)> {
        self.budget = effort.budget / 4;
        if effort.fours > 0
            && let Some(point) = self.by_fours(mine, effort.fours)
        {
            return vec![(WON, point)];
        }
        let mut points = self.candidates(mine, effort.width).points().to_vec();
        if points.is_empty() {
            // All that would help is forbidden.
            let allowed = self.open().filter(|point| self.allows(mine, *point));
            points = allowed.map(|point| (self.rated(!mine, point).worth, point)).collect();
            points.sort_unstable_by_key(|(worth, point)| (std::cmp::Reverse(*worth), *point));
        }
        self.budget = effort.budget;
        for depth in 0..effort.depth {
            let mut least = -WON;
            let mut next = points.clone();
            for (value, point) in &mut next {
                if self.rated(mine, *point).best == FIVE {
                    return vec![(WON, *point)];
                }
                self.lay(mine, *point);
                // Of what is well below the best so far it is only known that it is.
                let bound = (least - SAME - 1).max(-WON);
                let found = -self.value(!mine, depth, effort.width, 1, [-WON, -bound]);
                self.lift(mine, *point);
                *value = found;
                least = least.max(found);
            }
            if self.budget == 0 && depth > 0 {
                break;
            }
            next.sort_by_key(|(value, _)| std::cmp::Reverse(*value));
            points = next;
            if points.len() < 2 || points[0].0.abs() >= SURE {
                break;
            }
        }
        points
    }
}
