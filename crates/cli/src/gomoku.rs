//! `parlor gomoku`: judging lists of points, and recovering documents.

use crate::convert::input;
use anyhow::Result;
use clap::Subcommand;
use parlor_rules::{Rules, Series};
use parlor_rules_gomoku::board::{Lines, Size};
use parlor_rules_gomoku::record::Verdict;
use parlor_rules_gomoku::recover::recover;
use parlor_rules_gomoku::rule::Rule;
use parlor_rules_gomoku::state::Config;
use parlor_rules_gomoku::{Gomoku, notation, renju};
use std::io::{Write, stdout};

/// What can be done with positions of gomoku.
#[derive(Subcommand)]
pub(crate) enum Tool {
    /// Say how a game stands: open, draw, or who wins by which row
    Judge {
        /// freestyle, standard, caro, caro_overline or renju
        #[arg(long, value_parser = rule)]
        rule: Rule,
        /// Points a side
        #[arg(long, default_value = "15", value_parser = size)]
        size: Size,
        /// The moves, black first, as 'h8 i9'
        moves: String,
    },
    /// Print the points forbidden to black under renju
    Forbidden {
        /// Points a side
        #[arg(long, default_value = "15", value_parser = size)]
        size: Size,
        /// The stones, black first, as 'h8 i9'; black is to move
        stones: String,
    },
    /// Save what can be saved of a damaged document
    Recover {
        /// The path of a JSON document, or - for standard input
        input: String,
    },
}

/// A rule by its word.
pub(crate) fn rule(word: &str) -> Result<Rule, String> {
    let words = Rule::ALL.map(Rule::name).join(", ");
    Rule::named(word).ok_or_else(|| format!("there is {words}"))
}

/// A size by its number.
pub(crate) fn size(number: &str) -> Result<Size, String> {
    let size = number.parse::<u8>().ok().and_then(|number| Size::try_from(number).ok());
    size.ok_or_else(|| "a board has 15, 19 or 20 points a side".to_owned())
}

/// Does it.
pub(crate) fn run(tool: Tool) -> Result<()> {
    let line = match tool {
        Tool::Judge { rule, size, moves } => match notation::judge(&moves, size, rule)? {
            Verdict::Open => "open".to_owned(),
            Verdict::Draw => "draw".to_owned(),
            Verdict::Won(colour, row) => {
                format!("{} wins {}", colour.name(), notation::names(row, size))
            }
        },
        Tool::Forbidden { size, stones } => {
            let board = notation::read(&stones, size)?.board()?;
            let mut points: Vec<_> = renju::forbidden(&Lines::of(&board)).iter().collect();
            // By columns, in each from the bottom: as the names are sorted.
            points.sort_by_key(|point| (point.x, std::cmp::Reverse(point.y)));
            notation::names(points, size)
        }
        Tool::Recover { input: path } => {
            let text = input(&path)?;
            let text = text.trim_start_matches('\u{feff}');
            let recovered = recover(&Config::default(), &serde_json::from_str(text)?);
            for line in recovered.log {
                eprintln!("parlor: {line}");
            }
            serde_json::to_string(&Series::<Gomoku>::doc(&recovered.state))?
        }
    };
    Ok(writeln!(stdout(), "{line}")?)
}
