//! `parlor equity`: what share of the pot hands and ranges win.

use crate::{AlreadyPrinted, progress, values};
use anyhow::Result;
use clap::Args;
use parlor_rules::{Refusal, json};
use parlor_rules_poker::equity::{Answer, Question, Tally, Work};
use std::collections::BTreeMap;
use std::io::{Write, stdout};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Hands, and what else is known.
#[derive(Args)]
pub(crate) struct Options {
    /// A hand or range a player: AsKs, QQ+,AJs+, 99-66, KTo, A5s-A2s:0.5, random
    #[arg(required = true)]
    ranges: Vec<String>,
    /// The cards of the board
    #[arg(long, value_name = "CARDS", default_value = "")]
    board: String,
    /// Cards nobody has
    #[arg(long, value_name = "CARDS", default_value = "")]
    dead: String,
    /// What is played: NT, FT (hold'em), NS (short deck), PO (Omaha), FO/8 (Omaha hi-lo)
    #[arg(long, value_name = "CODE", default_value = "NT")]
    variant: String,
    /// Random deals, so many; default is every deal where that takes some seconds at most
    #[arg(long, value_name = "N", value_parser = values::number(1..=1u64 << 32))]
    samples: Option<u64>,
    /// What random deals follow from
    #[arg(long, default_value = "parlor")]
    seed: String,
    /// For programs: one line of JSON
    #[arg(long)]
    json: bool,
}

/// So many nanoseconds are spent on every deal before deals are random.
const PATIENCE: u64 = 20_000_000_000;
/// How many random deals there are unless it is said.
const SAMPLES: u64 = 4_000_000;

pub(crate) fn run(options: &Options) -> Result<()> {
    match answer(options) {
        Ok(answer) if options.json => Ok(writeln!(stdout(), "{}", json(&answer))?),
        Ok(answer) => print(options, &answer),
        Err(refusal) if options.json => {
            writeln!(stdout(), "{}", json(&BTreeMap::from([("error", refusal)])))?;
            Err(AlreadyPrinted.into())
        }
        Err(refusal) => Err(refusal.into()),
    }
}

fn answer(options: &Options) -> Result<Answer, Refusal> {
    let ranges: Vec<&str> = options.ranges.iter().map(String::as_str).collect();
    let question = Question::read(&options.variant, &ranges, &options.board, &options.dead)?;
    let work = match options.samples {
        None if question.cost() <= PATIENCE => question.exact(),
        samples => question.sampled(samples.unwrap_or(SAMPLES), &options.seed),
    };
    work.answer(&tally(&work))
}

/// All parts of the work, on all processors. They are added up in order, so that it never matters
/// who did which.
fn tally(work: &Work<'_>) -> Tally {
    let parts = work.parts();
    let next = AtomicUsize::new(0);
    let bar = progress::bar(parts, "parts");
    let worker = || {
        let mut done = Vec::new();
        loop {
            let part = next.fetch_add(1, Ordering::Relaxed);
            if part >= parts {
                return done;
            }
            done.push((part, work.part(part)));
            bar.inc(1);
        }
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(parts);
    let mut done: Vec<(usize, Tally)> = std::thread::scope(|scope| {
        let others: Vec<_> = (1..threads).map(|_| scope.spawn(worker)).collect();
        let mine = worker();
        let others = others.into_iter().flat_map(|other| other.join().expect("no part panics"));
        mine.into_iter().chain(others).collect()
    });
    bar.finish_and_clear();
    done.sort_by_key(|(part, _)| *part);
    let mut sum = Tally::default();
    for (_, tally) in done {
        sum += tally;
    }
    sum
}

fn print(options: &Options, answer: &Answer) -> Result<()> {
    let width = options.ranges.iter().map(|range| range.len()).max().unwrap_or(0).clamp(6, 40);
    let mut out = stdout().lock();
    writeln!(out, "{:<width$}  {:>8}  {:>8}  {:>8}", "", "win %", "tie %", "equity %")?;
    for (range, share) in options.ranges.iter().zip(&answer.players) {
        write!(
            out,
            "{range:<width$}  {:>8.4}  {:>8.4}  {:>8.4}",
            share.win, share.tie, share.equity
        )?;
        match share.error {
            Some(error) => writeln!(out, "  ± {error:.4}")?,
            None => writeln!(out)?,
        }
    }
    let how = if answer.exact { "every deal" } else { "random deals, ± is one standard error" };
    Ok(writeln!(out, "{} cases: {how}", answer.cases)?)
}
