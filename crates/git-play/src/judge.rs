//! What becomes of a push: every path of it is accepted, refused or put back.

use crate::color::Color;
use crate::doc::{Kind, same_name};
use crate::game::{Chance, Game, Step, plain};
use crate::moves::{FileName, MOST_BYTES, MoveFile};
use crate::reject::Reject;
use parlor_rules::Reject as _;

/// Refusals that get a commit of their own in one run; more are put together.
pub const MOST_FILES: usize = 50;

/// A path of a table's folder that is not as the referee left it.
#[derive(Clone, Debug)]
pub struct Pushed {
    /// The path below the table's folder.
    pub path: String,
    /// Whether there was nothing at that path before.
    pub fresh: bool,
    /// What is there now.
    pub what: What,
    /// Who pushed it; none if nobody knows.
    pub actor: Option<String>,
}

/// What is at a path.
#[derive(Clone, Debug)]
pub enum What {
    /// A plain file.
    File(Vec<u8>),
    /// A plain file that is too large to be looked at.
    Large(u64),
    /// A link, a submodule, a program.
    NoFile,
    /// Nothing.
    Gone,
}

/// What the referee does about some paths of a push: one commit.
#[derive(Clone, Debug)]
pub struct Ruling {
    /// In one line.
    pub title: String,
    /// Places in the list of what was pushed that are settled by it.
    pub settles: Vec<usize>,
    /// Whether what it settles stays: an accepted move.
    pub accepted: bool,
    /// The table after it.
    pub game: Game,
    /// The dice that fell.
    pub drawn: Vec<u8>,
    /// Whether the folder of moves is emptied: a new game begins.
    pub clears: bool,
}

impl Ruling {
    /// What a step of the game does.
    pub fn of(title: String, step: Step) -> Self {
        let Step { game, drawn, .. } = step;
        Self { title, settles: Vec::new(), accepted: false, game, drawn, clears: false }
    }

    fn refused(title: &str, settles: Vec<usize>, game: Game) -> Self {
        let (title, drawn) = (title.to_owned(), Vec::new());
        Self { title, settles, accepted: false, game, drawn, clears: false }
    }
}

/// What a path below a table's folder says, if it is that of a move.
pub fn move_name(path: &str) -> Option<FileName> {
    path.strip_prefix("moves/").and_then(FileName::read)
}

/// How a refusal is told.
pub fn refusal(path: &str, reject: &Reject) -> String {
    let name = path.strip_prefix("moves/").unwrap_or(path);
    plain(&format!("Invalid move rejected: {}: {}", plain(name), reject.text()))
}

/// Judges all that was pushed to a table, one ruling after the other.
pub fn judge(game: &Game, pushed: &[Pushed], mut chance: Chance<'_>, now_ms: u64) -> Vec<Ruling> {
    let mut rulings: Vec<Ruling> = Vec::new();
    let mut moves: Vec<(FileName, usize)> = Vec::new();
    let mut strange = Vec::new();
    for (i, path) in pushed.iter().enumerate() {
        match move_name(&path.path) {
            Some(name) if path.fresh => moves.push((name, i)),
            _ => strange.push(i),
        }
    }
    moves.sort();
    let flood = moves.split_off(moves.len().min(MOST_FILES));
    let mut now = game.clone();
    if !strange.is_empty() {
        let paths = strange.iter().map(|i| &pushed[*i]);
        for (kind, text) in strange_paths(paths, &Reject::NotAMove) {
            now = now.told(kind, text, now_ms);
        }
        rulings.push(Ruling::refused(
            "put back what only the referee writes",
            strange,
            now.clone(),
        ));
    }
    for (name, i) in moves {
        match settle(&now, pushed, &pushed[i], &name, &mut chance, now_ms) {
            Ok((title, step)) => {
                let ruling = Ruling { settles: vec![i], accepted: true, ..Ruling::of(title, step) };
                now = ruling.game.clone();
                rulings.push(ruling);
                if let Some(ruling) = now.begun(&mut chance, now_ms) {
                    now = ruling.game.clone();
                    rulings.push(ruling);
                }
            }
            Err(reject) => {
                now = now.told(Kind::Error, refusal(&pushed[i].path, &reject), now_ms);
                let title = format!("reject {name}: {}", reject.code());
                rulings.push(Ruling::refused(&title, vec![i], now.clone()));
            }
        }
    }
    if !flood.is_empty() {
        let reject = Reject::Flood { count: flood.len() };
        now = now.told(Kind::Error, refusal("moves", &reject), now_ms);
        let settles = flood.into_iter().map(|(_, i)| i).collect();
        rulings.push(Ruling::refused("reject a flood of files", settles, now));
    }
    rulings
}

/// Tells of paths that no player writes; `reject` says what is wrong with new ones.
pub fn strange_paths<'a>(
    strange: impl ExactSizeIterator<Item = &'a Pushed>,
    reject: &Reject,
) -> Vec<(Kind, String)> {
    const TOLD: usize = 5;
    let more = strange.len().saturating_sub(TOLD);
    let tell = |path: &Pushed| match path.fresh {
        true => (Kind::Error, refusal(&path.path, reject)),
        false => {
            let who = path.actor.as_deref().map_or("somebody".to_owned(), plain);
            let text = format!("{} was changed by {who} and is put back", plain(&path.path));
            (Kind::Warning, text)
        }
    };
    let mut told: Vec<(Kind, String)> = strange.take(TOLD).map(tell).collect();
    if more > 0 {
        told.push((Kind::Warning, format!("and {more} more files")));
    }
    told
}

/// One move file: what it makes of the game, or why it is refused.
fn settle(
    game: &Game,
    pushed: &[Pushed],
    file: &Pushed,
    name: &FileName,
    chance: &mut Chance<'_>,
    now_ms: u64,
) -> Result<(String, Step), Reject> {
    let read = read(&file.what)?;
    read.is_named(name)?;
    let player = game.doc.players.of(read.player);
    let is_player = file.actor.as_ref().is_some_and(|actor| same_name(actor, player));
    if !is_player {
        return Err(Reject::WrongActor {
            actor: file.actor.as_deref().map_or("somebody".to_owned(), plain),
            color: read.player.to_string(),
            player: player.clone(),
        });
    }
    let meddled = pushed.iter().any(|path| !path.fresh && path.actor == file.actor);
    if meddled {
        return Err(Reject::Meddled);
    }
    let step = game.play(&read, name, chance, now_ms)?;
    Ok((title(game, &read), step))
}

/// Reads what was pushed as a move.
pub fn read(what: &What) -> Result<MoveFile, Reject> {
    match what {
        What::File(bytes) if bytes.len() as u64 <= MOST_BYTES => {
            let why = |error: std::str::Utf8Error| Reject::NotJson { why: error.to_string() };
            MoveFile::read(std::str::from_utf8(bytes).map_err(why)?)
        }
        What::File(bytes) => Err(Reject::TooLarge { bytes: bytes.len() as u64 }),
        What::Large(bytes) => Err(Reject::TooLarge { bytes: *bytes }),
        What::NoFile | What::Gone => Err(Reject::NotAFile),
    }
}

/// A turn in one line: `turn 3, white 31: 8/5 6/5`.
pub fn title(game: &Game, file: &MoveFile) -> String {
    let doc = &game.doc;
    let [a, b] = doc.dice;
    let (high, low) = (a.max(b), a.min(b));
    format!("turn {}, {} {high}{low}: {}", doc.turn, doc.active, notation(game, file))
}

/// A turn in ordinary notation, as its player counts the points.
pub fn notation(game: &Game, file: &MoveFile) -> String {
    let seat = file.player.seat();
    let steps: Vec<_> = file.moves.iter().filter_map(|step| step.seen_by(seat)).collect();
    parlor_rules_backgammon::notation::write(&game.state().seen_by(seat), &steps)
}

impl Game {
    /// The next game of the match, if one is to be begun.
    pub fn begun(&self, chance: &mut Chance<'_>, now_ms: u64) -> Option<Ruling> {
        let step = self.wants_next().then(|| self.next(chance, now_ms))?.ok()?;
        let title = format!("game {} begins", step.game.meta.game);
        Some(Ruling { clears: true, ..Ruling::of(title, step) })
    }
}

/// Which colour somebody plays.
pub fn color_of(game: &Game, name: &str) -> Option<Color> {
    Color::BOTH.into_iter().find(|color| same_name(game.doc.players.of(*color), name))
}
