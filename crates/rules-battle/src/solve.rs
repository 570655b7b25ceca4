//! Perfect play: the match solved backwards, a matrix game at every stage.
//!
//! Between two rounds all that counts is the stage: round, sudden death, both HP. Each side picks a
//! layout without knowing the other's, so a stage is a zero-sum matrix game, whose entries are the
//! values of the stages that follow. A win counts 1, a loss -1, a draw 0.

use crate::card::Layout;
use crate::resolve::{Verdict, judge, round};
use crate::state::{Config, Stage};
use std::collections::HashMap;

/// A matrix game, solved.
#[derive(Clone, PartialEq, Debug)]
pub struct Solved {
    /// What side 0 wins on average if both play perfectly.
    pub value: f64,
    /// How often each side picks each of its layouts.
    pub mixes: [Vec<f64>; 2],
}

/// A match, solved for the stages asked for and all that can follow from them. Only what they are
/// worth is kept: the mixes of a stage follow from it, and are worked out when they are asked for.
#[derive(Clone, Debug)]
pub struct Solution {
    config: Config,
    layouts: [Vec<Layout>; 2],
    values: HashMap<Stage, f64>,
}

impl Solution {
    /// Nothing solved yet.
    pub fn of(config: &Config) -> Self {
        let layouts = config.hands.map(|hand| hand.layouts());
        Self { config: config.clone(), layouts, values: HashMap::new() }
    }

    /// Solved for every round and every pair of HP that a round can begin with.
    pub fn whole(config: &Config) -> Self {
        let mut solution = Self::of(config);
        for round in 1..=config.rounds + config.sudden_death_cap {
            let sudden_death = round > config.rounds;
            for (a, b) in (1..=config.max_hp).flat_map(|a| (1..=config.max_hp).map(move |b| (a, b)))
            {
                if a == b || !sudden_death {
                    solution.visit(Stage { round, sudden_death, hp: [a, b] });
                }
            }
        }
        solution
    }

    /// The game of a stage, solved now if it was not before.
    pub fn solve(&mut self, stage: &Stage) -> Solved {
        self.visit(*stage);
        self.game(stage)
    }

    /// Whether it is the solution of this match too: stakes and times make no difference.
    pub fn solves(&self, config: &Config) -> bool {
        let game = |c: &Config| (c.max_hp, c.rounds, c.sudden_death_cap, c.both_down, c.hands);
        game(&self.config) == game(config)
    }

    /// The game of a stage, if it is solved.
    pub fn get(&self, stage: &Stage) -> Option<Solved> {
        self.values.contains_key(stage).then(|| self.game(stage))
    }

    fn game(&self, stage: &Stage) -> Solved {
        solve(&self.payoffs(stage), self.layouts[1].len())
    }

    /// The layouts of a side, in the order of its mixes.
    pub fn layouts(&self, side: usize) -> &[Layout] {
        &self.layouts[side]
    }

    /// All stages that are solved.
    pub fn stages(&self) -> impl Iterator<Item = &Stage> {
        self.values.keys()
    }

    /// What side 0 wins on average for every pair of layouts, a row for each layout of side 0.
    pub fn payoffs(&self, stage: &Stage) -> Vec<f64> {
        let value = |next: Stage| self.values.get(&next).copied().unwrap_or(0.0);
        self.outcomes(stage).into_iter().map(|verdict| payoff(verdict, value)).collect()
    }

    /// How much more than the value somebody could win who knows the mixes of this stage.
    pub fn exploitability(&self, stage: &Stage) -> f64 {
        if !self.values.contains_key(stage) {
            return 0.0;
        }
        let (payoffs, columns) = (self.payoffs(stage), self.layouts[1].len());
        let solved = solve(&payoffs, columns);
        let [least, most] = bounds(&payoffs, columns, &solved.mixes);
        (most - solved.value).max(solved.value - least)
    }

    fn outcomes(&self, stage: &Stage) -> Vec<Verdict> {
        let [rows, columns] = &self.layouts;
        let pairs = rows.iter().flat_map(|a| columns.iter().map(move |b| [a, b]));
        let played = |pair| Stage { hp: round(pair, stage.hp, self.config.max_hp), ..*stage };
        pairs.map(|pair| judge(&self.config, &played(pair))).collect()
    }

    /// Solves a stage after those that follow from it.
    fn visit(&mut self, stage: Stage) -> f64 {
        if let Some(value) = self.values.get(&stage) {
            return *value;
        }
        let outcomes = self.outcomes(&stage).into_iter();
        let payoffs: Vec<f64> = outcomes.map(|it| payoff(it, |next| self.visit(next))).collect();
        let value = solve(&payoffs, self.layouts[1].len()).value;
        self.values.insert(stage, value);
        value
    }
}

fn payoff(verdict: Verdict, value: impl FnOnce(Stage) -> f64) -> f64 {
    match verdict {
        Verdict::Won(0) => 1.0,
        Verdict::Won(_) => -1.0,
        Verdict::Draw => 0.0,
        Verdict::Next(stage) => value(stage),
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// A gain below this is none.
const GAIN: f64 = 1e-11;
/// Bounds this near to each other are equal.
const TIE: f64 = 1e-12;
/// How far entries are moved that were too near to each other.
const SHAKE: f64 = 1e-7;
/// To divide by less than this would make noise of the rest.
const PIVOT: f64 = 1e-9;

/// Mixes on which nobody gains more than this are good enough; they are nearly always far better.
const ENOUGH: f64 = 1e-7;
/// How often a game is tried again that rounding has spoilt.
const TRIES: u64 = 12;

/// Solves a matrix game. How good the mixes are is known from what they win and lose at worst; a
/// game so full of near ties that rounding spoils it is tried again with its entries shaken a
/// little, which costs no more than the shaking.
pub fn solve(payoffs: &[f64], columns: usize) -> Solved {
    let rated = |mixes| {
        let [least, most] = bounds(payoffs, columns, &mixes);
        (most - least, Solved { value: (least + most) / 2.0, mixes })
    };
    let even = |n: usize| vec![1.0 / n as f64; n];
    let mut best = rated([even(payoffs.len() / columns), even(columns)]);
    for attempt in 0..TRIES {
        let found = rated(simplex(&shake(payoffs, attempt), columns));
        if found.0 < best.0 {
            best = found;
        }
        if best.0 < ENOUGH {
            break;
        }
    }
    best.1
}

/// The same game, each entry moved by a little; not at the first attempt.
fn shake(payoffs: &[f64], attempt: u64) -> Vec<f64> {
    let mut random = attempt;
    let mut moved = |payoff: &f64| {
        random =
            random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let share = (random >> 32) as f64 / f64::from(u32::MAX);
        payoff + share * SHAKE * attempt.min(1) as f64
    };
    payoffs.iter().map(&mut moved).collect()
}

/// The simplex method, on a tableau without the columns of the basis; the two mixes.
///
/// With all entries made positive, the columns' player maximises the sum of `y` under `A y <= 1`;
/// `y` and the prices of the rows, both scaled to 1, are the mixes.
fn simplex(payoffs: &[f64], columns: usize) -> [Vec<f64>; 2] {
    let rows = payoffs.len() / columns;
    let least = payoffs.iter().copied().fold(f64::MAX, f64::min);
    let width = columns + 1;
    // The last column is the bound of a row, the last row the gain of a column.
    let mut tableau = vec![1.0; (rows + 1) * width];
    for (row, given) in tableau.chunks_mut(width).zip(payoffs.chunks(columns)) {
        row.iter_mut().zip(given).for_each(|(cell, payoff)| *cell = payoff - least + 1.0);
    }
    tableau[rows * width + columns] = 0.0;
    // Who stands where: below `columns` a column of the game, from there on a row.
    let mut across: Vec<usize> = (0..columns).collect();
    let mut down: Vec<usize> = (columns..columns + rows).collect();
    // The steepest column is quick. Should it go round in circles, the first one does not; and
    // whatever rounding may do, there is an end.
    let size = rows + columns;
    for pivots in 0..100 * size {
        let gain = |j: usize| tableau[rows * width + j];
        let cell = |i: usize, j: usize| tableau[i * width + j];
        // The row that bounds a column most; of several the one that is best to divide by.
        let leaves = |j: usize| {
            let bound = |i: &usize| cell(*i, columns).max(0.0) / cell(*i, j);
            let bounding = || (0..rows).filter(|i| cell(*i, j) > PIVOT);
            let tightest = bounding().map(|i| bound(&i)).fold(f64::MAX, f64::min);
            let tied = bounding().filter(|i| bound(i) <= tightest + TIE);
            tied.max_by(|a, b| cell(*a, j).total_cmp(&cell(*b, j)))
        };
        let mut gaining: Vec<usize> = (0..columns).filter(|j| gain(*j) > GAIN).collect();
        if pivots < 4 * size {
            gaining.sort_by(|a, b| gain(*b).total_cmp(&gain(*a)));
        } else {
            gaining.sort_by_key(|j| across[*j]);
        }
        let exchange = gaining.into_iter().find_map(|j| Some((leaves(j)?, j)));
        let Some((leaves, enters)) = exchange else { break };
        pivot(&mut tableau, width, leaves, enters);
        std::mem::swap(&mut across[enters], &mut down[leaves]);
    }
    let mut mixes = [vec![0.0; rows], vec![0.0; columns]];
    for (i, who) in down.into_iter().enumerate().filter(|(_, who)| *who < columns) {
        mixes[1][who] = tableau[i * width + columns].max(0.0);
    }
    for (j, who) in across.into_iter().enumerate().filter(|(_, who)| *who >= columns) {
        mixes[0][who - columns] = (-tableau[rows * width + j]).max(0.0);
    }
    for mix in &mut mixes {
        let sum: f64 = mix.iter().sum();
        mix.iter_mut().for_each(|share| *share /= sum);
    }
    mixes
}

/// What the rows' mix wins at least, and what the columns' mix loses at most.
fn bounds(payoffs: &[f64], columns: usize, mixes: &[Vec<f64>; 2]) -> [f64; 2] {
    let [mine, theirs] = mixes;
    let most = payoffs.chunks(columns).map(|row| dot(row, theirs)).fold(f64::MIN, f64::max);
    let mut against = vec![0.0; columns];
    for (row, share) in payoffs.chunks(columns).zip(mine) {
        against.iter_mut().zip(row).for_each(|(sum, payoff)| *sum += share * payoff);
    }
    [against.into_iter().fold(f64::MAX, f64::min), most]
}

/// Exchanges what stands at a row with what stands at a column.
fn pivot(tableau: &mut [f64], width: usize, row: usize, column: usize) {
    let by = 1.0 / tableau[row * width + column];
    let start = row * width;
    let pivot_row: Vec<f64> =
        (0..width).map(|j| if j == column { by } else { tableau[start + j] * by }).collect();
    for (i, cells) in tableau.chunks_mut(width).enumerate() {
        if i == row {
            cells.copy_from_slice(&pivot_row);
            continue;
        }
        let factor = cells[column];
        if factor == 0.0 {
            continue;
        }
        cells[column] = 0.0;
        cells.iter_mut().zip(&pivot_row).for_each(|(cell, pivot)| *cell -= factor * pivot);
    }
}
