//! `parlor play`: a table in the terminal, in this program or at a server.
//!
//! A [`session`] shows a table and hears the player; where the table is, is the matter of its
//! source: [`local`] has it here, with house players, [`remote`] at a server. Both show the same
//! views, by the same [`Face`] of the game.

pub(crate) mod backgammon;
mod battle;
mod client;
mod ear;
mod gomoku;
mod line;
mod local;
mod people;
mod poker;
mod remote;
mod session;
mod tokens;

use crate::{game, values};
use anyhow::{Context as _, Result, bail};
use ear::Ear;
use local::Local;
use parlor_bots::Level;
use parlor_rules::{Chips, Json};
use people::People;
use remote::Remote;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use session::Session;
use std::io::{Write, stdout};
use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

/// How a game looks and is spoken to in a terminal.
pub(crate) trait Face {
    /// The table as a picture.
    fn draw(&self, view: &RawValue) -> String;
    /// What happened, in sentences; `before` is what was seen until then.
    fn tell(&self, sights: &[Json], before: &RawValue) -> Vec<String>;
    /// What the player is asked.
    fn ask(&self, view: &RawValue, legal: &RawValue) -> String;
    /// What a line means.
    fn read(&self, line: &str, view: &RawValue, legal: &RawValue) -> Said;
    /// A command in words, as a hint.
    fn describe(&self, command: &RawValue, view: &RawValue) -> String;
    /// All there is to say.
    fn help(&self) -> &'static str;
    /// How it ended.
    fn result(&self, view: &RawValue) -> String;
    /// What to say when the player's time was up; `before` is what was seen until then.
    fn late(&self, _before: &RawValue, _view: &RawValue) -> Option<String> {
        None
    }
}

/// What a player's line turned out to be.
pub(crate) enum Said {
    /// Something for the table.
    Command(Json),
    /// Something to be shown; nothing is sent.
    Show(String),
}

/// The face of a game, for these people.
fn face(game: &str, people: People) -> Option<Box<dyn Face>> {
    Some(match game {
        "backgammon" => Box::new(backgammon::Board::new(people)),
        "battle" => Box::new(battle::Arena::new(people)),
        "gomoku" => Box::new(gomoku::Board::new(people)),
        "poker" => Box::new(poker::Table::new(people)),
        _ => return None,
    })
}

/// How a table is opened from the terminal.
struct Manners {
    /// The options that are other than usual elsewhere.
    usual: Value,
    seats: u8,
    /// Whether time is a part of the game even where nobody else waits.
    ticks: bool,
    /// The options of a table at a server.
    options: Value,
}

impl Manners {
    fn of(game: &str) -> Self {
        let plain = Self { usual: json!({}), seats: 2, ticks: false, options: json!({}) };
        match game {
            // Against the house nothing is at stake, and a lost line is not a lost match.
            "battle" => Self {
                usual: json!({"stake": 0}),
                ticks: true,
                options: json!({"disconnect_grace_ms": 60_000}),
                ..plain
            },
            // Nobody is hurried in the terminal.
            "gomoku" => Self { usual: json!({"swap2Enabled": true, "clock": "none"}), ..plain },
            "poker" => Self { seats: 4, ..plain },
            _ => plain,
        }
    }
}

/// What the command line says.
#[derive(clap::Args)]
#[command(after_help = "\
With --server it is a client of that server, which opens a table with the house unless it is told to \
join one (--table), to wait for somebody (--queue) or to open one for friends (--private). Who you are \
there is kept under $XDG_CONFIG_HOME/parlor (or ~/.config/parlor): the same command comes back to a \
game that goes on. Without a game it lists the open tables.

Moves are read from standard input, a line each, as a script may write them.")]
pub(crate) struct Options {
    /// The game: backgammon, battle, gomoku or poker
    #[arg(required_unless_present = "server")]
    game: Option<String>,
    /// How well the house plays: easy, medium or hard
    #[arg(long, default_value_t)]
    level: Level,
    /// Play a match to this many points
    #[arg(long = "match", value_name = "POINTS", value_parser = values::number(0..=u32::MAX))]
    points: Option<u32>,
    /// The options of the table as JSON, for all that has no flag of its own
    #[arg(long, value_name = "JSON")]
    config: Option<String>,
    /// What to bring along, where people bring chips
    #[arg(long, default_value = "100")]
    chips: Chips,
    /// The name of the table; with --server, one to sit down at
    #[arg(long, value_name = "NAME")]
    table: Option<String>,
    #[command(flatten)]
    here: Here,
    #[command(flatten)]
    there: There,
}

/// What is said of a table in this program.
#[derive(clap::Args)]
#[command(next_help_heading = "A table of your own")]
struct Here {
    /// Play the same dice again
    #[arg(long, conflicts_with = "server")]
    seed: Option<String>,
    /// Keep the game in this file; a table that is in it already goes on
    #[arg(long, value_name = "FILE", conflicts_with = "server")]
    journal: Option<PathBuf>,
    /// What a move survives once it is stored
    #[arg(long, value_enum, default_value_t, conflicts_with = "server")]
    durability: crate::log::Survives,
}

/// What is said of a table at a server.
#[derive(clap::Args)]
#[command(next_help_heading = "A table at a server")]
struct There {
    /// The server, as http://HOST:PORT
    #[arg(long, value_name = "URL")]
    server: Option<String>,
    /// Your name there
    #[arg(long, requires = "server")]
    name: Option<String>,
    /// The key of a private table
    #[arg(long, requires = "server", requires = "table")]
    key: Option<String>,
    /// Look at the table, and do not sit down
    #[arg(long, requires = "server", requires = "table")]
    watch: bool,
    /// Wait for somebody who wants the same
    #[arg(long, requires = "server", conflicts_with_all = ["table", "private"])]
    queue: bool,
    /// For ratings
    #[arg(long, requires = "queue")]
    ranked: bool,
    /// After how many seconds of waiting the house steps in; never if it is not said
    #[arg(long, value_name = "S", requires = "queue", value_parser = values::number(0..=u32::MAX))]
    house_after: Option<u32>,
    /// Open a table for who is given its key, without the house
    #[arg(long, requires = "server", conflicts_with = "table")]
    private: bool,
    /// After how many seconds without a sign of the server the line is lost; it gives one every 25
    #[arg(long, value_name = "S", hide = true, default_value_t = 60, value_parser = values::number(1..=86_400_u64))]
    patience: u64,
}

impl Options {
    /// What is usual in the terminal, and what the command line says over it.
    fn config(&self, usual: &Value) -> Result<Map<String, Value>> {
        let mut config = usual.as_object().cloned().unwrap_or_default();
        if let Some(text) = &self.config {
            let said: Map<String, Value> = serde_json::from_str(text).context("--config")?;
            config.extend(said);
        }
        if let Some(points) = self.points {
            config.insert("match".to_owned(), points.into());
        }
        Ok(config)
    }
}

/// Plays until the game is over, the player leaves, or standard input ends.
pub(crate) fn run(options: &Options) -> Result<()> {
    let key = options.game.as_deref();
    let game = key.map(game).transpose()?;
    let seed = match &options.here.seed {
        Some(seed) => seed.clone(),
        None => crate::random_seed()?,
    };
    let ear = Ear::new();
    match (&options.there.server, game) {
        (Some(server), game) => {
            let remote = Remote::connect(options, server, game, &seed, ear.mouth())?;
            Session::new(remote, ear, &seed).play()
        }
        (None, Some(game)) => {
            let local = Local::open(options, game, &Manners::of(game.key()), &seed)?;
            Session::new(local, ear, &seed).play()
        }
        (None, None) => bail!("say what to play"),
    }
}

/// Prints; that nobody listens is no reason to panic.
fn say(text: impl std::fmt::Display) -> std::io::Result<()> {
    writeln!(stdout(), "{text}")
}

/// A clock set before 1970 counts as 1970.
pub(crate) fn now_ms() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_millis() as u64
}
