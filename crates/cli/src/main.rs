//! The binary `parlor`: every game and every tool behind one command line.

mod address;
mod backgammon;
mod convert;
mod equity;
mod git;
mod gomoku;
mod load;
mod log;
mod page;
mod phh;
mod play;
mod progress;
mod rank;
mod referee;
mod serve;
mod signals;
mod table;
mod values;

use anyhow::{Context as _, Result};
use clap::{Parser, Subcommand};
use parlor_journal::TransferError;
use parlor_rules::AnyGame;
use parlor_table::TableId;
use std::io;
use std::path::PathBuf;
use std::process::ExitCode;

/// A server allocates small texts all the time, in several threads.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Parlor: table games whose rules can be trusted
#[derive(Parser)]
#[command(version, about = "Parlor: table games whose rules can be trusted")]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Play a game in the terminal against the house
    Play(play::Options),
    /// Host tables on the net
    Serve(serve::Options),
    /// Play many tables at once against a server, and measure it
    Load(load::Options),
    /// Speak the rules of a game in JSON Lines: one request a line in, one answer a line out
    Referee {
        /// The game
        game: String,
    },
    /// Count the positions after so many rolls and plays, a line a depth
    Perft {
        /// The game (backgammon)
        game: String,
        /// How many rolls deep
        #[arg(long, value_parser = values::number(0..=u8::MAX))]
        depth: u8,
        /// Where to start, as a gnubg Position ID; default is the opening
        #[arg(long)]
        position: Option<String>,
    },
    /// Print every distinct final position of a roll, with one play that leads to it
    Legal {
        /// The game (backgammon)
        game: String,
        /// Where to start, as a gnubg Position ID; default is the opening
        #[arg(long)]
        position: Option<String>,
        /// The roll, as two digits
        #[arg(long)]
        dice: String,
    },
    /// Judge positions of gomoku, and recover its documents
    #[command(subcommand)]
    Gomoku(gomoku::Tool),
    /// Backgammon in a git repository
    #[command(subcommand)]
    Git(git::Git),
    /// List the tables of a journal
    Tables {
        #[command(flatten)]
        place: log::Where,
    },
    /// Print what happened at a table, a line an entry, and how it then stood
    Replay {
        /// The table
        table: TableId,
        /// Up to this entry, from 0; default is all
        #[arg(long, value_name = "SEQ", value_parser = values::number(0..=u64::MAX))]
        at: Option<u64>,
        /// As this seat saw it; default is everything
        #[arg(long, value_name = "SEAT", value_parser = values::number(0..=u8::MAX))]
        view: Option<u8>,
        #[command(flatten)]
        place: log::Where,
    },
    /// Check a table of a journal, or an exported file: digests, decisions and draws
    Audit {
        /// The table, or the file
        what: String,
        #[command(flatten)]
        place: log::Where,
    },
    /// Print what anyone needs to check the dice and cards of a table
    Proof {
        /// The table
        table: TableId,
        /// With the cards this seat has seen; default is those everyone has
        #[arg(long, value_name = "SEAT", value_parser = values::number(0..=u8::MAX))]
        view: Option<u8>,
        #[command(flatten)]
        place: log::Where,
    },
    /// Write a table, or all, to standard output as JSON Lines
    Export {
        /// The table; default is all
        table: Option<TableId>,
        /// Only what anyone may know: secrets and all that was hidden are left out
        #[arg(long)]
        public: bool,
        #[command(flatten)]
        place: log::Where,
    },
    /// Take tables in from an exported file
    Import {
        /// The file
        file: PathBuf,
        /// What a stored entry survives
        #[arg(long, value_enum, default_value_t)]
        durability: log::Survives,
        #[command(flatten)]
        place: log::Where,
    },
    /// Print a position, a situation or a match in another of its forms
    #[command(subcommand)]
    Convert(convert::Convert),
    /// What share of the pot hands and ranges of poker win
    Equity(equity::Options),
    /// Say how good hands of poker are: one a line in, a number and words a line out
    Rank {
        /// What they are compared by
        #[arg(value_enum)]
        ranking: rank::By,
    },
    /// Hand histories of poker
    #[command(subcommand)]
    Phh(phh::Phh),
    /// Hand documents of poker: JSON in, JSON out, or an error object and exit code 1
    #[command(subcommand)]
    Hand(phh::Hand),
}

fn main() -> ExitCode {
    let done = match Cli::parse().command {
        Command::Serve(options) => serve::run(&options),
        Command::Load(options) => load::run(&options),
        Command::Play(options) => play::run(&options),
        Command::Referee { game } => referee::run(&game),
        Command::Perft { game, depth, position } => {
            backgammon::perft(&game, depth.into(), position.as_deref())
        }
        Command::Legal { game, position, dice } => {
            backgammon::legal(&game, position.as_deref(), &dice)
        }
        Command::Gomoku(tool) => gomoku::run(tool),
        Command::Git(what) => git::run(what),
        Command::Tables { place } => log::tables(&place),
        Command::Replay { table, at, view, place } => log::replay(&place, &table, at, view),
        Command::Audit { what, place } => log::check(&place, &what),
        Command::Proof { table, view, place } => log::proof(&place, &table, view),
        Command::Export { table, public, place } => log::write(&place, table.as_ref(), public),
        Command::Import { file, durability, place } => log::read(&place, &file, durability),
        Command::Convert(what) => convert::run(what),
        Command::Equity(options) => equity::run(&options),
        Command::Rank { ranking } => rank::run(ranking),
        Command::Phh(what) => phh::run(what),
        Command::Hand(what) => phh::hand(what),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if is_unread(&error) => ExitCode::SUCCESS,
        Err(error) if error.is::<AlreadyPrinted>() => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("parlor: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// An error of which the user has been told on standard output.
#[derive(Debug, thiserror::Error)]
#[error("the reason is printed already")]
struct AlreadyPrinted;

/// Whether whatever read the output has gone away, as `head` does. That is no failure.
fn is_unread(error: &anyhow::Error) -> bool {
    let io = match error.downcast_ref() {
        Some(TransferError::Io(io)) => Some(io),
        _ => error.downcast_ref::<io::Error>(),
    };
    io.is_some_and(|io| io.kind() == io::ErrorKind::BrokenPipe)
}

/// The game with this key; the error names the games there are.
fn game(key: &str) -> Result<&'static dyn AnyGame> {
    parlor_games::find(key).with_context(|| {
        let keys: Vec<_> = parlor_games::GAMES.iter().map(|game| game.key()).collect();
        format!("there is no game {key:?}; there is {}", keys.join(", "))
    })
}

/// A seed nobody knows beforehand.
fn random_seed() -> Result<String> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes)?;
    Ok(const_hex::encode(bytes))
}
