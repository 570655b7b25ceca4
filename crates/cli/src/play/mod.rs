//! `parlor play`: a table in the terminal, against the house.
//!
//! The same table as everywhere, with a journal that lives as long as the program: a person and a
//! house player are two subscribers that see views and send commands.

pub(crate) mod backgammon;
mod battle;
mod gomoku;
mod keyboard;

use crate::{Failure, game};
use keyboard::{Heard, Keyboard};
use parlor_bots::{Level, Player};
use parlor_journal::place::Place;
use parlor_journal::{Journal, Memory, Sqlite, hall};
use parlor_rules::{House, Input, Json, Pending, Seat, Viewer};
use parlor_table::{
    Act, Chair, Desk, Keys, NewTable, Options as TableOptions, Stamp, TableId, Update, Who,
};
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use std::io::{Write, stdout};
use std::path::PathBuf;
use std::thread::sleep;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

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
    /// How it ended, from the end of the log.
    fn result(&self, outcome: &RawValue) -> String;
    /// What to say when the player's time was up; `before` is what was seen until then.
    fn late(&self, _before: &RawValue, _view: &RawValue) -> Option<String> {
        None
    }
    /// Whether time runs as at every other table. Otherwise the table waits for the player.
    fn ticks(&self) -> bool {
        false
    }
}

/// What a player's line turned out to be.
pub(crate) enum Said {
    /// Something for the table.
    Command(Json),
    /// Something to be shown; nothing is sent.
    Show(String),
}

/// The player sits here, the house across.
const ME: Seat = Seat::new(0);
const HOUSE: Seat = Seat::new(1);

/// What the command line says.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// The game
    game: String,
    /// How well the house plays: easy, medium or hard
    #[arg(long, default_value_t)]
    level: Level,
    /// Play a match to this many points
    #[arg(long = "match", value_name = "POINTS")]
    points: Option<u32>,
    /// The options of the table as JSON, for all that has no flag of its own
    #[arg(long, value_name = "JSON")]
    config: Option<String>,
    /// Play the same dice again
    #[arg(long)]
    seed: Option<String>,
    /// Keep the game in this file; a table that is in it already goes on
    #[arg(long, value_name = "FILE")]
    journal: Option<PathBuf>,
    /// What a move survives once it is stored
    #[arg(long, value_enum, default_value_t)]
    durability: crate::log::Survives,
    /// The name of the table
    #[arg(long, value_name = "NAME", default_value = "terminal")]
    table: TableId,
}

impl Options {
    /// What is usual in the terminal, and what the command line says over it.
    fn config(&self, usual: Value) -> Result<Json, Failure> {
        let mut config = match usual {
            Value::Object(usual) => usual,
            _ => Map::new(),
        };
        if let Some(text) = &self.config {
            let said: Map<String, Value> =
                serde_json::from_str(text).map_err(|e| format!("--config: {e}"))?;
            config.extend(said);
        }
        if let Some(points) = self.points {
            config.insert("match".to_owned(), points.into());
        }
        Ok(parlor_rules::json(&config))
    }
}

/// Plays until the game is over, the player leaves, or standard input ends.
pub(crate) fn run(options: &Options) -> Result<(), Failure> {
    let game = game(&options.game)?;
    let missing = || format!("{} cannot be played in the terminal yet", game.key());
    let (face, usual): (Box<dyn Face>, _) = match game.key() {
        "backgammon" => (Box::new(backgammon::Board::new(ME)), Value::Null),
        // Against the house nothing is at stake.
        "battle" => (Box::new(battle::Arena), json!({"stake": 0})),
        // Nobody is hurried in the terminal.
        "gomoku" => {
            let usual = json!({"swap2Enabled": true, "clock": "none"});
            (Box::new(gomoku::Board::new(ME)), usual)
        }
        _ => return Err(missing().into()),
    };
    let player = |level, seat, seed: &str| {
        parlor_bots::player(game.key(), level, seat, seed).ok_or_else(missing)
    };
    let seed = match &options.seed {
        Some(seed) => seed.clone(),
        None => crate::random_seed()?,
    };
    let journal: Box<dyn Journal> = match &options.journal {
        Some(path) => Box::new(Sqlite::open(path, options.durability.into())?),
        None => Box::new(Memory::default()),
    };
    let now_ms = now_ms();
    let known = journal.head(&options.table).is_ok();
    let table = if known {
        if options.points.is_some() || options.config.is_some() || options.seed.is_some() {
            let text =
                "this table is there already; --match, --config and --seed are for a new one";
            return Err(text.to_owned().into());
        }
        // Two stays in one second are not told apart, and need not be: nobody else is there.
        let epoch = (now_ms / 1_000) as u32;
        let alive_ms = journal.last_alive()?.unwrap_or(0);
        hall::recall(&*journal, parlor_games::find, &options.table, epoch, alive_ms, now_ms)?
    } else {
        let (table, config) = (options.table.clone(), options.config(usual)?);
        let (options, keys) = (TableOptions::default(), Keys::from_secret(&seed));
        let new = NewTable { table, game, config, seats: 2, options, keys, now_ms };
        hall::create(&*journal, new)?
    };
    if table.header().game != game.key() {
        return Err(format!("this table plays {}", table.header().game).into());
    }
    let seen = table.current(Viewer::Seat(ME)).expect("the player has a seat");
    // Who knows the hints must not know from them what the house will do.
    let house = player(options.level, HOUSE, &format!("house {seed}"))?;
    let adviser = player(Level::Hard, ME, &format!("adviser {seed}"))?;
    let place = Place::new(table, Box::new(|_, _, _| Vec::new()));
    let keyboard = Keyboard::new();
    Session { place, journal, face, house, adviser, seen, keyboard }.play()
}

struct Session {
    place: Place<()>,
    journal: Box<dyn Journal>,
    face: Box<dyn Face>,
    house: Box<dyn Player>,
    /// A house player in the player's own seat, for hints: as good as it gets.
    adviser: Box<dyn Player>,
    /// What the player saw last.
    seen: Update,
    keyboard: Keyboard,
}

impl Session {
    fn play(mut self) -> Result<(), Failure> {
        say(format!("{}\n", self.face.help()))?;
        let people = [(ME, Who::Account(0)), (HOUSE, Who::Bot("house".to_owned()))];
        for (seat, who) in people {
            if self.place.table().chairs().get(seat.index()) == Some(&Chair::Open) {
                self.send(Act::Desk(Desk::Sit { seat, who, tip: None }), None)?;
            }
        }
        self.place.table_mut().back(ME);
        self.tick()?;
        if self.place.table().pending() == Pending::Rest {
            self.send(Act::Game(Input::House(House::Begin {})), None)?;
        }
        loop {
            let pending = self.place.table().pending();
            let asked = |seat| pending.asked().iter().any(|asked| asked.seat == seat);
            // Where both are asked at once, the house does not keep anyone waiting.
            let on = match pending {
                Pending::Over => break,
                _ if asked(HOUSE) => self.house_turn(),
                _ if asked(ME) => self.my_turn(),
                _ if self.face.ticks() => self.watch(),
                _ => self.wait(&pending),
            };
            let on = match on {
                Err(Failure::Refused(refusal)) if refusal.code == "paused" => {
                    say(format!("The table is paused: {}.", refusal.text))?;
                    let again = "Press Enter to try again (q leaves) > ";
                    let heard = self.keyboard.hear(again, None)?;
                    matches!(heard, Heard::Line(line) if !leaves(&line))
                }
                on => on?,
            };
            if !on {
                // A disk that fails now fails to note only when this was.
                self.journal.alive(now_ms()).ok();
                say("\nYou leave the table.")?;
                return Ok(());
            }
        }
        say(self.face.draw(&self.seen.view))?;
        let outcome = self.place.table().outcome();
        say(outcome.map_or_else(String::new, |o| self.face.result(&o)))?;
        Ok(())
    }

    /// The one path of a move, and what the player sees of it.
    fn send(&mut self, act: Act, ask: Option<u64>) -> Result<(), Failure> {
        // Nobody else waits at this table, so a deadline that is waited out may come early.
        let due = match &act {
            Act::Game(Input::Expire { seat: owner }) => self.place.table().until_ms(*owner),
            _ => None,
        };
        let now_ms = now_ms().max(due.unwrap_or(0));
        let stamp = Stamp { ask, ..Stamp::default() };
        let mut updates = Vec::new();
        let mut tell = |update| updates.push(update);
        let entered = hall::enter(&mut self.place, &*self.journal, act, stamp, now_ms, &mut tell);
        for update in updates {
            if update.audience == Viewer::Seat(ME) {
                for line in self.face.tell(&update.sights, &self.seen.view) {
                    say(line)?;
                }
                self.seen = update;
            }
        }
        Ok(entered?)
    }

    fn wait(&mut self, pending: &Pending) -> Result<bool, Failure> {
        say(self.face.draw(&self.seen.view))?;
        let Some(owner) = pending.owners().first().copied() else { return Ok(false) };
        let heard = self.keyboard.hear("Press Enter for the next game (q leaves) > ", None)?;
        if !matches!(heard, Heard::Line(line) if !leaves(&line)) {
            return Ok(false);
        }
        self.send(Act::Game(Input::Expire { seat: owner }), None)?;
        Ok(true)
    }

    /// Lets time pass, where it runs, until something happens by it.
    fn watch(&mut self) -> Result<bool, Failure> {
        let until_ms = self.place.table().next_ms();
        match self.keyboard.hear("", until_ms)? {
            Heard::Line(line) if leaves(&line) => return Ok(false),
            Heard::Line(_) => say("Wait: there is nothing to say now.")?,
            Heard::Time => self.tick()?,
            Heard::End => match until_ms {
                None => return Ok(false),
                // What was laid is still shown to who has nothing more to say.
                Some(until_ms) => {
                    sleep(Duration::from_millis(until_ms.saturating_sub(now_ms())));
                    self.tick()?;
                }
            },
        }
        Ok(true)
    }

    /// Does what time brings by now, where it runs.
    fn tick(&mut self) -> Result<(), Failure> {
        while self.face.ticks()
            && let Some((act, _)) = self.place.table().due(now_ms())
        {
            self.send(act, None)?;
        }
        Ok(())
    }

    /// The time that is left, in whole seconds; none where no time runs.
    fn seconds_left(&self) -> Option<u64> {
        let until_ms = self.place.table().next_ms().filter(|_| self.face.ticks())?;
        Some(until_ms.saturating_sub(now_ms()).div_ceil(1_000))
    }

    fn house_turn(&mut self) -> Result<bool, Failure> {
        let seen = self.place.table().current(Viewer::Seat(HOUSE)).expect("the house has a seat");
        let legal = seen.legal.as_ref().expect("a seat is told what it may say");
        let command = self.house.choose(&seen.view, legal);
        let command = command.ok_or_else(|| "the house does not know what to do".to_owned())?;
        let head = self.place.table().head();
        match self.send(Act::Game(Input::Play { seat: HOUSE, command }), seen.ask) {
            // The time was up meanwhile, and something else came first.
            Err(Failure::Refused(refusal))
                if refusal.code != "paused" && self.place.table().head() > head => {}
            sent => sent?,
        }
        Ok(true)
    }

    fn my_turn(&mut self) -> Result<bool, Failure> {
        say(format!("\n{}", self.face.draw(&self.seen.view)))?;
        let asked = self.seen.ask;
        while self.seen.ask == asked {
            let view = self.seen.view.clone();
            let legal = self.seen.legal.clone().expect("a seat is told what it may say");
            let left = self.seconds_left();
            let clock = left.map_or_else(String::new, |seconds| format!("[{seconds} s] "));
            let until_ms = left.and_then(|_| self.place.table().next_ms());
            let prompt = format!("{clock}{} > ", self.face.ask(&view, &legal));
            let line = match self.keyboard.hear(&prompt, until_ms)? {
                Heard::Line(line) => line,
                Heard::End => return Ok(false),
                Heard::Time => {
                    say("")?;
                    self.tick()?;
                    if let Some(text) = self.face.late(&view, &self.seen.view) {
                        say(text)?;
                    }
                    continue;
                }
            };
            match line.trim().to_lowercase().as_str() {
                "" => continue,
                _ if leaves(&line) => return Ok(false),
                "help" | "h" | "?" => say(self.face.help())?,
                "board" => say(self.face.draw(&view))?,
                "hint" => {
                    let hint = self.adviser.choose(&view, &legal);
                    let text = hint.map(|command| self.face.describe(&command, &view));
                    say(text.unwrap_or_else(|| "nothing to advise here".to_owned()))?;
                }
                _ => match self.face.read(&line, &view, &legal) {
                    Said::Show(text) => say(text)?,
                    Said::Command(command) => {
                        let act = Act::Game(Input::Play { seat: ME, command });
                        match self.send(act, asked) {
                            Err(Failure::Refused(refusal)) if refusal.code != "paused" => {
                                say(format!("That does not go: {}.", refusal.text))?;
                            }
                            sent => sent?,
                        }
                        // An offer is answered before the player goes on.
                        let pending = self.place.table().pending();
                        if pending.asked().first().is_some_and(|asked| asked.seat != ME) {
                            return Ok(true);
                        }
                    }
                },
            }
        }
        Ok(true)
    }
}

/// Prints; that nobody listens is no reason to panic.
fn say(text: impl std::fmt::Display) -> std::io::Result<()> {
    writeln!(stdout(), "{text}")
}

fn leaves(line: &str) -> bool {
    matches!(line.trim().to_lowercase().as_str(), "q" | "quit" | "exit")
}

/// A clock set before 1970 counts as 1970.
pub(crate) fn now_ms() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_millis() as u64
}
