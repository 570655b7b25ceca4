//! The binary `parlor`: every game and every tool behind one command line.

mod convert;
mod referee;

use clap::{Parser, Subcommand};
use std::process::ExitCode;

/// Table games whose rules can be trusted.
#[derive(Parser)]
#[command(version, about)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Speak the rules of a game in JSON Lines: one request a line in, one answer a line out
    Referee {
        /// The game
        game: String,
    },
    /// Print a position, a situation or a match in another of its forms
    #[command(subcommand)]
    Convert(convert::Convert),
}

fn main() -> ExitCode {
    let done = match Cli::parse().command {
        Command::Referee { game } => referee::run(&game),
        Command::Convert(what) => convert::run(what),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(Failure(text)) => {
            eprintln!("parlor: {text}");
            ExitCode::FAILURE
        }
    }
}

/// Why a command could not do its work, as a sentence.
struct Failure(String);

impl<E: std::fmt::Display> From<E> for Failure {
    fn from(error: E) -> Self {
        Self(error.to_string())
    }
}

/// The game with this key, or a sentence that names those there are.
fn game(key: &str) -> Result<&'static dyn parlor_rules::AnyGame, Failure> {
    let keys: Vec<_> = parlor_games::GAMES.iter().map(|game| game.key()).collect();
    let unknown = || Failure(format!("there is no game {key:?}; there is {}", keys.join(", ")));
    parlor_games::find(key).ok_or_else(unknown)
}
