//! `parlor convert gomoku`.

use crate::gomoku::{rule, size};
use anyhow::{Context as _, Result, anyhow, bail, ensure};
use clap::ValueEnum;
use parlor_rules::strict;
use parlor_rules::{Draws, Input, Rules, Seeded, Series, series};
use parlor_rules_gomoku::board::{Colour, Point, Size};
use parlor_rules_gomoku::command::Command;
use parlor_rules_gomoku::gomocup::{self, Request};
use parlor_rules_gomoku::record::Record;
use parlor_rules_gomoku::rule::Rule;
use parlor_rules_gomoku::state::{Clock, Config};
use parlor_rules_gomoku::{Gomoku, notation, psq, sgf};
use std::io::Read;

/// What the command line says.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// The form to write
    #[arg(long)]
    to: Form,
    /// The rule of a record that does not tell it
    #[arg(long, default_value = "standard", value_parser = rule)]
    rule: Rule,
    /// Points a side, where a form does not tell it
    #[arg(long, default_value = "15", value_parser = size)]
    size: Size,
    /// A list of points as 'h8 i9', the path of a .psq, .sgf or .json file or of a request of the
    /// Gomocup protocol, or - for standard input
    input: String,
}

#[derive(Clone, Copy, PartialEq, ValueEnum)]
pub(crate) enum Form {
    List,
    Psq,
    Sgf,
    Gomocup,
    Json,
}

/// What was read: the stones of a game, or a game with all its choices.
enum Found {
    Record(Record),
    Game(Box<series::State<Gomoku>>),
}

/// The same thing in another form.
pub(super) fn convert(options: &Options) -> Result<String> {
    let found = read(options)?;
    let record = match &found {
        Found::Record(record) => record.clone(),
        Found::Game(state) => Record::of(state.game()),
    };
    record.board()?;
    Ok(match (options.to, found) {
        (Form::List, _) => notation::write(&record)?,
        (Form::Psq, _) => psq::write(&record)?,
        (Form::Sgf, _) => sgf::write(&record),
        (Form::Gomocup, Found::Game(state)) => {
            gomocup::write_request(&gomocup::request(state.game())?)
        }
        (Form::Gomocup, Found::Record(_)) => {
            gomocup::write_request(&gomocup::board(&record, record.next()))
        }
        (Form::Json, Found::Game(state)) => document(&state)?,
        (Form::Json, Found::Record(_)) => document(&play(&record, options)?)?,
    })
}

fn document(state: &series::State<Gomoku>) -> Result<String> {
    Ok(serde_json::to_string(&Series::<Gomoku>::doc(state))?)
}

fn read(options: &Options) -> Result<Found> {
    let text = match input(&options.input) {
        Ok(text) => text,
        Err(failure) if names_a_file(&options.input) => return Err(failure),
        Err(_) => options.input.clone(),
    };
    let trimmed = text.trim_start_matches('\u{feff}').trim();
    let word = trimmed.split_whitespace().next().unwrap_or_default().to_ascii_uppercase();
    Ok(Found::Record(match word.as_str() {
        _ if trimmed.starts_with('{') => {
            let state = Series::<Gomoku>::load(&Config::default(), strict::value(trimmed)?)?;
            return Ok(Found::Game(Box::new(state)));
        }
        "BOARD" => gomocup::record(&gomocup::read_request(trimmed, options.size)?, options.size)?,
        "SWAP2BOARD" => {
            let Request::Swap2Board(stones) = gomocup::read_request(trimmed, options.size)? else {
                bail!("a request of Swap 2 begins with SWAP2BOARD");
            };
            return Ok(Found::Game(Box::new(opening(&stones, options)?)));
        }
        "PISKVORKY" => psq::read(trimmed)?,
        _ if trimmed.starts_with('(') => sgf::read(trimmed)?,
        _ => notation::read(trimmed, options.size)?,
    }))
}

/// What stands in a file, or comes from standard input. Records are older than UTF-8, and their
/// names may be in any other encoding: what cannot be read of them is replaced.
fn input(path: &str) -> Result<String> {
    let bytes = match path {
        "-" => {
            let mut bytes = Vec::new();
            std::io::stdin().read_to_end(&mut bytes)?;
            bytes
        }
        path => std::fs::read(path).with_context(|| path.to_owned())?,
    };
    String::from_utf8(bytes).or_else(|error| {
        let text = String::from_utf8_lossy(error.as_bytes()).into_owned();
        let start = text.trim_start_matches('\u{feff}').trim_start();
        match start.starts_with('(') || start.starts_with("Piskvorky") {
            true => Ok(text),
            false => Err(anyhow!("{path}: {}", error.utf8_error())),
        }
    })
}

fn names_a_file(input: &str) -> bool {
    input == "-" || [".json", ".psq", ".sgf", ".txt"].iter().any(|end| input.ends_with(end))
}

/// A table without a clock.
fn config(rule: Rule, board_size: Size, swap2_enabled: bool) -> Config {
    Config { rule, board_size, swap2_enabled, clock: Clock::None, ..Config::default() }
}

fn say(state: &mut series::State<Gomoku>, command: Command) -> Result<()> {
    let mut chance = Seeded::new("");
    let seat = state.game().up().context("the game was over before")?;
    Series::<Gomoku>::play(state, &Input::Play { seat, command }, &mut Draws::new(&mut chance))
        .map_err(parlor_rules::Refusal::from)?;
    Ok(())
}

fn begin(config: &Config) -> Result<series::State<Gomoku>> {
    let mut chance = Seeded::new("");
    let begun = Series::<Gomoku>::begin(config, 2, &mut Draws::new(&mut chance));
    Ok(begun.map_err(parlor_rules::Refusal::from)?)
}

/// A record played through the rules: a game that black begins. Who chose which colour in an
/// opening is in no record.
fn play(record: &Record, options: &Options) -> Result<series::State<Gomoku>> {
    ensure!(
        record.in_turn() && record.next() == Colour::after(record.stones.len()),
        "black and white were not laid in turn, and who chose what is not in a record"
    );
    let rule = record.rule.unwrap_or(options.rule);
    record.judge(rule)?;
    let mut state = begin(&config(rule, record.size, false))?;
    for (_, Point { x, y }) in &record.stones {
        say(&mut state, Command::Move { x: (*x).into(), y: (*y).into() })?;
    }
    Ok(state)
}

/// An opening as a brain is shown it, waiting for its answer.
fn opening(stones: &[Point], options: &Options) -> Result<series::State<Gomoku>> {
    let config = config(options.rule, options.size, true);
    let mut state = begin(&Config { first_mover: Colour::White, ..config })?;
    for (i, Point { x, y }) in stones.iter().enumerate() {
        if i == 3 {
            say(&mut state, Command::MakeChoice { choice: "place_more".to_owned() })?;
        }
        say(&mut state, Command::PlaceStone { x: (*x).into(), y: (*y).into() })?;
    }
    Ok(state)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn converted(to: Form, input: &str) -> Result<String, String> {
        let (rule, size) = (Rule::Standard, Size::USUAL);
        let options = Options { to, rule, size, input: input.to_owned() };
        convert(&options).map_err(|error| format!("{error:#}"))
    }

    #[test]
    fn a_game_is_the_same_in_every_form() {
        let list = "h8 i9 h9 i8 h10 i10 h11 i11 h12";
        for to in [Form::List, Form::Psq, Form::Sgf, Form::Gomocup, Form::Json] {
            let there = converted(to, list).unwrap();
            assert_eq!(converted(Form::List, &there).as_deref(), Ok(list), "{there}");
        }
        // Row 1 is the bottom: a1 is x 0, y 14, and counted from 1 it is 1,15.
        assert!(converted(Form::Psq, "a1").unwrap().contains("\n1,15,0"));
        assert!(converted(Form::Sgf, "a1").unwrap().contains(";B[ao]"));
        assert_eq!(converted(Form::Gomocup, "a1 o15").unwrap(), "BOARD\n0,14,1\n14,0,2\nDONE\n");
    }

    #[test]
    fn an_opening_is_asked_about_as_a_brain_is() {
        for stones in ["", "7,7\n8,8\n9,7\n", "7,7\n8,8\n9,7\n6,6\n5,5\n"] {
            let request = format!("SWAP2BOARD\n{stones}DONE\n");
            let document = converted(Form::Json, &request).unwrap();
            assert_eq!(converted(Form::Gomocup, &document).as_deref(), Ok(&*request));
        }
    }

    #[test]
    fn black_twice_in_a_row_is_told_by_sgf_alone() {
        let sgf = "(;GM[4];B[hh]N[opening];W[ii]N[opening];B[hi]N[opening];B[gg])";
        let again = converted(Form::Sgf, sgf).unwrap();
        assert_eq!(converted(Form::Sgf, &again).as_ref(), Ok(&again));
        assert_eq!(again.matches("N[opening]").count(), 3);
        for to in [Form::List, Form::Psq, Form::Json] {
            assert!(converted(to, sgf).unwrap_err().contains("in turn"));
        }
    }

    #[test]
    fn a_board_stays_as_it_is_whatever_its_order() {
        for stones in [
            "7,7,1\n8,8,2\n9,7,2\n3,3,1\n",
            // Behind an opening where black moves first: black's turn, and then white's.
            "7,7,1\n8,8,2\n9,7,1\n",
            "7,7,2\n8,8,1\n9,7,2\n0,0,2\n",
            "7,7,1\n8,8,2\n9,7,1\n1,1,2\n2,2,1\n",
            "",
        ] {
            let board = format!("BOARD\n{stones}DONE\n");
            assert_eq!(converted(Form::Gomocup, &board).as_deref(), Ok(&*board));
        }
        // It is black's turn, and a document of these three stones says white's.
        let board = "BOARD\n7,7,1\n8,8,2\n9,7,1\nDONE\n";
        assert!(converted(Form::Json, board).unwrap_err().contains("in turn"));
        assert!(converted(Form::Gomocup, "BOARD\n7,7,1\n8,8,1\nDONE\n").is_err());
    }

    #[test]
    fn two_stones_on_a_point_are_refused_in_every_form() {
        for to in [Form::List, Form::Psq, Form::Sgf, Form::Gomocup, Form::Json] {
            for input in ["h8 i9 h8", "(;GM[4];B[hh];W[ig];B[hh])", "Piskvorky 15x15\n8,8,0\n8,8,0"]
            {
                let why = converted(to, input).unwrap_err();
                assert!(why.contains("already"), "{input}: {why}");
            }
        }
    }

    #[test]
    fn records_of_other_times_are_read() {
        let folder = std::env::temp_dir().join(format!("parlor-records-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let psq: &[u8] = b"Piskvorky 15x15, 11:11, 0\r\n8,8,0\r\n9,7,0\r\nJos\xe9\r\nBob\r\n";
        let sgf: &[u8] = b"(;GM[4]PB[Jos\xe9];B[hh];W[ig])";
        let mark: &[u8] = b"\xef\xbb\xbf";
        let list: &[u8] = b"h8 i9";
        for (i, bytes) in [psq, sgf, list].into_iter().enumerate() {
            for mark in [b"", mark] {
                let path = folder.join(format!("{i}.txt"));
                std::fs::write(&path, [mark, bytes].concat()).unwrap();
                let list = converted(Form::List, path.to_str().unwrap());
                assert_eq!(list.as_deref(), Ok("h8 i9"), "{i}");
            }
        }
        let path = folder.join("list.txt");
        std::fs::write(&path, b"h8 \xe9").unwrap();
        assert!(converted(Form::List, path.to_str().unwrap()).unwrap_err().contains("utf-8"));
        std::fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn rubbish_is_refused() {
        let inputs = [
            "z9",
            "h16",
            "h0",
            "h",
            "8h",
            "{",
            "{}",
            "(",
            "(;",
            "(;B",
            "(;B[zz])",
            "(;GM[6])",
            "Piskvorky",
            "Piskvorky 3x3",
            "Piskvorky 15x15\n16,1,0",
            "BOARD\n7,7\nDONE",
            "BOARD\n7,7,1",
            "SWAP2BOARD\n7,7\nDONE",
            "nowhere.psq",
            "\0",
            "h8 h8",
            "ü8",
        ];
        for input in inputs {
            assert!(converted(Form::Json, input).is_err(), "{input:?}");
        }
    }
}
