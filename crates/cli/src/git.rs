//! `parlor git`: backgammon in a git repository.

use crate::page;
use crate::play::{backgammon::drawn, now_ms};
use crate::{AlreadyPrinted, random_seed, values};
use anyhow::{Context as _, Error, Result, anyhow, bail, ensure};
use clap::{Args, Subcommand, ValueEnum};
use parlor_git_play::apply::{Actors, Done, Push, Referee, Request};
use parlor_git_play::color::Pair;
use parlor_git_play::doc::stamp;
use parlor_git_play::event::{self, Heard};
use parlor_git_play::game::plain;
use parlor_git_play::history::read_table;
use parlor_git_play::matches::Layout;
use parlor_git_play::validate::validate as checked;
use parlor_git_play::verify::{Proof, Replay, Wrong, replay};
use parlor_git_play::{Game, GitError, Key, MoveFile, Repo, picture};
use parlor_rules::{Faults, Reject as _};
use parlor_rules_backgammon::board::Board;
use parlor_rules_backgammon::command::{Level, Move};
use parlor_rules_backgammon::notation;
use parlor_rules_backgammon::plays::{Dice, for_each_play};
use parlor_table::{Bytes32, TableId};
use std::fs;
use std::io::{Write, stderr, stdout};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// How often a forge is asked about the newest push.
const PATIENCE: u32 = 10;
/// Where the secret of a repository is looked for.
const SECRET: &str = "PARLOR_GIT_SECRET";

#[derive(Subcommand)]
pub(crate) enum Git {
    /// Open a table (referee)
    New {
        /// Who plays white
        #[arg(long)]
        white: String,
        /// Who plays black
        #[arg(long)]
        black: String,
        /// The table's name; default is the players' names
        #[arg(long)]
        id: Option<TableId>,
        /// The position the games open from
        #[arg(long, value_enum, default_value_t)]
        layout: Opens,
        /// Points that win the match; 0 is a single game
        #[arg(long = "match", value_name = "POINTS", default_value_t = 0, value_parser = values::number(0..=u32::MAX))]
        length: u32,
        #[command(flatten)]
        referee: AsReferee,
    },
    /// Write a move file for the dice on the table, from a play as `8/5 6/5`
    Move {
        /// The play, as its player counts the points
        play: Vec<String>,
        /// A word to the opponent
        #[arg(long)]
        comment: Option<String>,
        #[command(flatten)]
        at: At,
    },
    /// Print every play of the dice on the table
    Legal {
        #[command(flatten)]
        at: At,
    },
    /// Draw the board
    Show {
        #[command(flatten)]
        at: At,
    },
    /// Check files: state.json, match.json and moves, every fault with its place
    Validate {
        /// The files
        #[arg(required = true)]
        paths: Vec<PathBuf>,
    },
    /// Judge what was pushed, apply it, roll, and commit (referee)
    Apply {
        /// Who pushed; default is the authors of the commits
        #[arg(long, conflicts_with = "forge")]
        actor: Option<String>,
        /// Ask the forge who pushed, with its `gh`
        #[arg(long)]
        forge: bool,
        /// What the forge says has happened: a form may ask for more
        #[arg(long, value_name = "FILE")]
        event: Option<PathBuf>,
        /// Write what is to be answered to a form there
        #[arg(long, value_name = "FILE")]
        reply: Option<PathBuf>,
        #[command(flatten)]
        referee: AsReferee,
    },
    /// A player gives up (referee)
    Resign {
        /// Who
        player: String,
        /// How high: 1, 2 or 3
        #[arg(long, default_value_t = 1, value_parser = values::number(1..=3u8))]
        value: u8,
        #[command(flatten)]
        at: At,
        /// Fetch from this remote, and push to it
        #[arg(long, value_name = "REMOTE")]
        push: Option<String>,
    },
    /// Print the turns so far, with their commits
    Log {
        #[command(flatten)]
        at: At,
    },
    /// Replay the history, and name the first commit that was not legal
    Verify {
        #[command(flatten)]
        at: At,
    },
    /// Put the page that follows the tables into a folder
    Page {
        /// The folder; beside `tables` the page finds them by itself
        dir: PathBuf,
        #[command(flatten)]
        about: page::About,
    },
    /// Print the match in another form
    Export {
        /// The form
        #[arg(long, value_enum)]
        to: Form,
        #[command(flatten)]
        at: At,
    },
}

#[derive(Clone, Copy, Default, ValueEnum)]
pub(crate) enum Opens {
    /// Backgammon's own position
    #[default]
    Standard,
    /// The same with the colours exchanged
    Printed,
}

#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum Form {
    Mat,
}

/// Which table.
#[derive(Args)]
pub(crate) struct At {
    /// The table; default is the only one
    #[arg(long, value_name = "ID")]
    table: Option<TableId>,
    /// The repository
    #[arg(long, value_name = "DIR", default_value = ".")]
    repo: PathBuf,
}

/// How the referee works.
#[derive(Args)]
pub(crate) struct AsReferee {
    /// Fetch from this remote, and push to it until that is not refused
    #[arg(long, value_name = "REMOTE")]
    push: Option<String>,
    /// The repository
    #[arg(long, value_name = "DIR", default_value = ".")]
    repo: PathBuf,
}

pub(crate) fn run(what: Git) -> Result<()> {
    match what {
        Git::New { white, black, id, layout, length, referee } => {
            let table = match id {
                Some(table) => table,
                None => format!("{white}-{black}").to_lowercase().parse().map_err(|why| {
                    anyhow!("these names make no name of a table; give one with --id: {why}")
                })?,
            };
            let layout = match layout {
                Opens::Standard => Layout::Standard,
                Opens::Printed => Layout::Printed,
            };
            let players = Pair { white, black };
            let request = Request::New { table, players, layout, length };
            told(&work(&referee, &Actors::Authors, Some(&request))?)
        }
        Git::Resign { player, value, at, push } => {
            let (_, table) = at.open()?;
            let value = Level::try_from(value).map_err(Error::msg)?;
            let request = Request::Resign { table, player, value };
            let referee = AsReferee { push, repo: at.repo };
            told(&work(&referee, &Actors::Authors, Some(&request))?)
        }
        Git::Apply { actor, forge, event, reply, referee } => {
            apply(&referee, actor, forge, event.as_deref(), reply.as_deref())
        }
        Git::Move { play, comment, at } => write_move(&at, &play.join(" "), comment),
        Git::Legal { at } => legal(&at),
        Git::Show { at } => show(&at),
        Git::Validate { paths } => validate(&paths),
        Git::Log { at } => log(&at),
        Git::Verify { at } => verify(&at),
        Git::Page { dir, about } => page::write(&dir, &about),
        Git::Export { to: Form::Mat, at } => {
            let (_, _, replay) = at.replay()?;
            Ok(stdout().write_all(replay.mat().map_err(Error::msg)?.as_bytes())?)
        }
    }
}

/// K, if there is one.
fn secret() -> Result<Option<Key>> {
    match std::env::var(SECRET) {
        Ok(secret) if !secret.trim().is_empty() => {
            Ok(Some(Key::new(&secret).map_err(|why| anyhow!("{SECRET}: {why}"))?))
        }
        _ => Ok(None),
    }
}

impl At {
    fn open(&self) -> Result<(Repo, TableId)> {
        let repo = Repo::open(&self.repo)?;
        let table = match &self.table {
            Some(table) => table.clone(),
            None => {
                let mut tables = tables(&repo);
                match (tables.pop(), tables.is_empty()) {
                    (Some(table), true) => table,
                    (None, _) => bail!(
                        "there is no table here: git pull, or the referee opens one with `parlor git new`"
                    ),
                    _ => bail!("there are several tables: say --table ID"),
                }
            }
        };
        Ok((repo, table))
    }

    /// The table as it lies in the folder.
    fn game(&self) -> Result<(Repo, TableId, Game)> {
        let (repo, table) = self.open()?;
        let file = |name: &str| {
            let path = repo.dir().join("tables").join(table.as_str()).join(name);
            fs::read_to_string(path).ok()
        };
        let game = read_table(file("state.json").as_deref(), file("match.json").as_deref());
        let game = game.map_err(|why| anyhow!("tables/{table}: {why}"))?;
        Ok((repo, table, game))
    }

    fn replay(&self) -> Result<(Repo, TableId, Replay)> {
        let (repo, table) = self.open()?;
        let replay = replay(&repo, &table, secret()?.as_ref())?;
        let found = replay.game.is_some() || replay.wrong.is_some();
        ensure!(found, "there is no table {table} in this history");
        Ok((repo, table, replay))
    }
}

/// The tables of a folder, by name.
fn tables(repo: &Repo) -> Vec<TableId> {
    let entries = fs::read_dir(repo.dir().join("tables")).into_iter().flatten().flatten();
    let names = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    let mut tables: Vec<TableId> = names.collect();
    tables.sort();
    tables
}

fn work(options: &AsReferee, actors: &Actors<'_>, request: Option<&Request>) -> Result<Vec<Done>> {
    let repo = Repo::open(&options.repo)?;
    let key = secret()?;
    let fresh: Bytes32 = random_seed()?.parse().map_err(Error::msg)?;
    let referee = Referee { repo: &repo, key: key.as_ref(), fresh, now_ms: now_ms() };
    Ok(match &options.push {
        Some(remote) => referee.apply_to(remote, actors, request)?,
        None => referee.apply(actors, request)?,
    })
}

fn told(done: &[Done]) -> Result<()> {
    for Done { id, title, body, .. } in done {
        writeln!(stdout(), "{} {title}", short(id))?;
        for line in body {
            writeln!(stdout(), "  {line}")?;
        }
    }
    Ok(())
}

fn short(id: &str) -> &str {
    id.get(..10).unwrap_or(id)
}

fn apply(
    options: &AsReferee,
    actor: Option<String>,
    forge: bool,
    event: Option<&Path>,
    reply: Option<&Path>,
) -> Result<()> {
    let heard = match event {
        Some(path) => {
            let place = || format!("--event {}", path.display());
            event::read(&fs::read_to_string(path).with_context(place)?)
        }
        None => Ok(Heard::default()),
    };
    // What people wrote into a form may be wrong; what was pushed is judged all the same.
    let (heard, wrong) = match heard {
        Ok(heard) => (heard, None),
        Err(why) => (Heard::default(), Some(why)),
    };
    let ask = |head: &str| {
        // The list lags behind the push that is being told of.
        for _ in 0..PATIENCE {
            let mut pushes = activity()?;
            pushes.extend(heard.push.clone());
            if pushes.iter().any(|push| push.after == head) {
                return Ok(pushes);
            }
            std::thread::sleep(Duration::from_secs(2));
        }
        Err(GitError(format!("the forge does not say who pushed {head}; try again later")))
    };
    let actors = match (actor, forge) {
        (Some(actor), _) => Actors::One(actor),
        (None, true) => Actors::Forge(&ask),
        (None, false) => Actors::Authors,
    };
    let done = work(options, &actors, heard.request.as_ref());
    let text = match (&done, wrong, heard.reply) {
        (Err(error), _, _) => format!("{error:#}"),
        (_, Some(why), _) => why,
        (_, _, Some(reply)) => reply,
        (Ok(done), _, _) => {
            let titles: Vec<&str> = done.iter().map(|done| done.title.as_str()).collect();
            titles.join("\n")
        }
    };
    if let Some(path) = reply {
        fs::write(path, text).with_context(|| format!("--reply {}", path.display()))?;
    }
    told(&done?)
}

/// The pushes of this branch that the forge has recorded.
fn activity() -> Result<Vec<Push>, GitError> {
    let said = |text: String| GitError(text);
    let env = |key: &str| {
        std::env::var(key).map_err(|_| said(format!("--forge needs {key}, as an action has it")))
    };
    let path = format!("repos/{}/activity", env("GITHUB_REPOSITORY")?);
    let branch = format!("ref={}", env("GITHUB_REF")?);
    let output = Command::new("gh")
        .args(["api", "--paginate", "--method", "GET", &path, "-f", &branch, "-F", "per_page=100"])
        .output()
        .map_err(|error| said(format!("gh: {error}")))?;
    if !output.status.success() {
        return Err(said(format!("gh: {}", String::from_utf8_lossy(&output.stderr).trim())));
    }
    event::pushes(&String::from_utf8_lossy(&output.stdout)).map_err(said)
}

/// The board as the one who is to move sees it.
fn seen(game: &Game) -> Board {
    game.state().seen_by(game.doc.active.seat())
}

fn write_move(at: &At, play: &str, comment: Option<String>) -> Result<()> {
    let (repo, table, game) = at.game()?;
    ensure!(game.doc.winner.is_none(), "the game is over");
    let steps = notation::read(play, &seen(&game), &game.doc.all_dice());
    let steps = steps.map_err(|why| anyhow!("{play:?}: {why}; `parlor git legal` lists all"))?;
    let seat = game.doc.active.seat();
    let moves = steps.into_iter().map(|step| Move::of(seat, step)).collect();
    let head = repo.run(&["rev-parse", "--verify", "--quiet", "HEAD"]).ok();
    let file = MoveFile {
        comment,
        commit: head.map(|id| id.trim().to_owned()).filter(|id| id.len() == 40),
        ..MoveFile::new(&game.doc, moves, now_ms())
    };
    let text = file.write();
    MoveFile::read(&text).map_err(|reject| anyhow!(reject.text()))?;
    let name = file.name(game.doc.sequence() + 1);
    let path = PathBuf::from("tables").join(table.as_str()).join("moves").join(name.to_string());
    let whole = repo.dir().join(&path);
    fs::create_dir_all(whole.parent().unwrap_or(repo.dir()))?;
    fs::write(whole, text)?;
    Ok(writeln!(stdout(), "{}", path.display())?)
}

fn legal(at: &At) -> Result<()> {
    let (_, _, game) = at.game()?;
    let (board, [a, b]) = (seen(&game), game.doc.dice);
    let mut plays = Vec::new();
    if let Some(dice) = Dice::new(a, b).filter(|_| game.doc.winner.is_none()) {
        for_each_play(&board, dice, |play| plays.push(notation::write(&board, play.steps())));
    }
    plays.sort();
    for play in plays {
        writeln!(stdout(), "{play}")?;
    }
    Ok(())
}

fn show(at: &At) -> Result<()> {
    let (_, table, game) = at.game()?;
    let (doc, board) = (&game.doc, seen(&game));
    writeln!(stdout(), "{table}, turn {}: {}", doc.turn, picture::headline(&game))?;
    for line in drawn(&board) {
        writeln!(stdout(), "{line}")?;
    }
    let other = doc.active.other();
    writeln!(
        stdout(),
        " O {} ({}), X {} ({other})",
        doc.players.of(doc.active),
        doc.active,
        doc.players.of(other)
    )?;
    if game.meta.length > 0 {
        let Pair { white, black } = &game.meta.score;
        writeln!(stdout(), " match to {}: white {white}, black {black}", game.meta.length)?;
    }
    for message in doc.messages.iter().rev().take(3).rev() {
        writeln!(stdout(), " {} {}", message.timestamp, message.text)?;
    }
    Ok(())
}

fn validate(paths: &[PathBuf]) -> Result<()> {
    let mut bad = false;
    for path in paths {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let beside = |name: &str| fs::read_to_string(path.with_file_name(name)).ok();
        let (faults, warnings) = match fs::read(path) {
            Ok(bytes) => checked(name, bytes, beside),
            Err(error) => {
                let mut faults = Faults::default();
                faults.add("", error.to_string());
                (faults, Faults::default())
            }
        };
        let shown = path.display();
        for (faults, kind) in [(&faults, "fault"), (&warnings, "warning")] {
            for fault in faults.iter() {
                let place = if fault.path.is_empty() { "" } else { ": " };
                let (path, text) = (plain(&fault.path), plain(&fault.text));
                writeln!(stdout(), "{shown}: {kind}: {path}{place}{text}")?;
            }
        }
        if faults.is_empty() {
            writeln!(stdout(), "{shown}: good")?;
        }
        bad |= !faults.is_empty();
    }
    if bad { Err(AlreadyPrinted.into()) } else { Ok(()) }
}

fn log(at: &At) -> Result<()> {
    let (_, _, replay) = at.replay()?;
    for entry in &replay.entries {
        let commit = &entry.commit;
        let when = stamp(commit.at_s * 1_000);
        writeln!(stdout(), "{} {when} {}", short(&commit.id), commit.title())?;
    }
    found(&replay)
}

fn found(replay: &Replay) -> Result<()> {
    for Wrong { commit, why } in &replay.warnings {
        writeln!(stderr(), "warning: commit {commit} came to nothing: {why}")?;
    }
    if let Some(Wrong { commit, why }) = &replay.wrong {
        bail!("commit {commit} is not legal: {why}");
    }
    Ok(())
}

fn verify(at: &At) -> Result<()> {
    let (_, table, replay) = at.replay()?;
    found(&replay)?;
    let dice = match replay.proof {
        Proof::Secret => "the dice follow from the secret that was committed to",
        Proof::Later => "the dice can be checked when the secret is told, at the end",
        Proof::Recorded => "the dice are merely recorded",
    };
    Ok(writeln!(stdout(), "{table}: {} commits, all legal; {dice}", replay.entries.len())?)
}
