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

/// A match, solved for the stages asked for and all that can follow from them.
#[derive(Clone, Debug)]
pub struct Solution {
    config: Config,
    layouts: [Vec<Layout>; 2],
    stages: HashMap<Stage, Solved>,
}

impl Solution {
    /// Nothing solved yet.
    pub fn of(config: &Config) -> Self {
        let layouts = config.hands.map(|hand| hand.layouts());
        Self { config: config.clone(), layouts, stages: HashMap::new() }
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
    pub fn solve(&mut self, stage: &Stage) -> &Solved {
        self.visit(*stage);
        &self.stages[stage]
    }

    /// Whether it is the solution of this match too: stakes and times make no difference.
    pub fn solves(&self, config: &Config) -> bool {
        let game = |c: &Config| (c.max_hp, c.rounds, c.sudden_death_cap, c.both_down, c.hands);
        game(&self.config) == game(config)
    }

    /// The game of a stage, if it is solved.
    pub fn get(&self, stage: &Stage) -> Option<&Solved> {
        self.stages.get(stage)
    }

    /// The layouts of a side, in the order of its mixes.
    pub fn layouts(&self, side: usize) -> &[Layout] {
        &self.layouts[side]
    }

    /// All stages that are solved.
    pub fn stages(&self) -> impl Iterator<Item = (&Stage, &Solved)> {
        self.stages.iter()
    }

    /// What side 0 wins on average for every pair of layouts, a row for each layout of side 0.
    pub fn payoffs(&self, stage: &Stage) -> Vec<f64> {
        let value = |next: Stage| self.stages.get(&next).map_or(0.0, |solved| solved.value);
        self.outcomes(stage).into_iter().map(|verdict| payoff(verdict, value)).collect()
    }

    /// How much more than the value somebody could win who knows the mixes of this stage.
    pub fn exploitability(&self, stage: &Stage) -> f64 {
        let Some(solved) = self.stages.get(stage) else { return 0.0 };
        let payoffs = self.payoffs(stage);
        let columns = self.layouts[1].len();
        let [mine, theirs] = &solved.mixes;
        let best_row = payoffs.chunks(columns).map(|row| dot(row, theirs)).fold(f64::MIN, f64::max);
        let column =
            |j| -> f64 { (0..mine.len()).map(|i| mine[i] * payoffs[i * columns + j]).sum() };
        let best_column = (0..columns).map(column).fold(f64::MAX, f64::min);
        (best_row - solved.value).max(solved.value - best_column)
    }

    fn outcomes(&self, stage: &Stage) -> Vec<Verdict> {
        let [rows, columns] = &self.layouts;
        let pairs = rows.iter().flat_map(|a| columns.iter().map(move |b| [a, b]));
        let played = |pair| Stage { hp: round(pair, stage.hp, self.config.max_hp), ..*stage };
        pairs.map(|pair| judge(&self.config, &played(pair))).collect()
    }

    /// Solves a stage after those that follow from it.
    fn visit(&mut self, stage: Stage) -> f64 {
        if let Some(solved) = self.stages.get(&stage) {
            return solved.value;
        }
        let outcomes = self.outcomes(&stage).into_iter();
        let payoffs: Vec<f64> = outcomes.map(|it| payoff(it, |next| self.visit(next))).collect();
        let solved = solve(&payoffs, self.layouts[1].len());
        let value = solved.value;
        self.stages.insert(stage, solved);
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

/// Below this a number of the simplex method counts as zero.
const TINY: f64 = 1e-11;

/// Solves a matrix game by the simplex method, on a tableau without the columns of the basis.
///
/// With all entries made positive, the columns' player maximises the sum of `y` under `A y <= 1`;
/// `y` and the prices of the rows, both scaled to 1, are the two mixes.
pub fn solve(payoffs: &[f64], columns: usize) -> Solved {
    let rows = payoffs.len() / columns;
    let least = payoffs.iter().copied().fold(f64::MAX, f64::min);
    let shift = 1.0 - least;
    let width = columns + 1;
    // The last column is the bound of a row, the last row the gain of a column.
    let mut tableau = vec![1.0; (rows + 1) * width];
    for (row, given) in tableau.chunks_mut(width).zip(payoffs.chunks(columns)) {
        row.iter_mut().zip(given).for_each(|(cell, payoff)| *cell = payoff + shift);
    }
    tableau[rows * width + columns] = 0.0;
    // Who stands where: below `columns` a column of the game, from there on a row.
    let mut across: Vec<usize> = (0..columns).collect();
    let mut down: Vec<usize> = (columns..columns + rows).collect();
    // The steepest column is quick; the first one, after a while, cannot go round in circles.
    let quick = 4 * (rows + columns);
    for pivots in 0.. {
        let gains = &tableau[rows * width..][..columns];
        let gaining = (0..columns).filter(|j| gains[*j] > TINY);
        let enters = if pivots < quick {
            gaining.max_by(|a, b| gains[*a].total_cmp(&gains[*b]))
        } else {
            gaining.min_by_key(|j| across[*j])
        };
        let Some(enters) = enters else { break };
        let leaves = (0..rows).filter(|i| tableau[i * width + enters] > TINY).min_by(|a, b| {
            let bound = |i: usize| tableau[i * width + columns] / tableau[i * width + enters];
            bound(*a).total_cmp(&bound(*b)).then(down[*a].cmp(&down[*b]))
        });
        let Some(leaves) = leaves else { break };
        pivot(&mut tableau, width, leaves, enters);
        std::mem::swap(&mut across[enters], &mut down[leaves]);
    }
    let total = -tableau[rows * width + columns];
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
    Solved { value: 1.0 / total - shift, mixes }
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
