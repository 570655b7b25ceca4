//! The history of a table replayed: every commit of the referee has to follow from the one before.

use crate::chance::{Dice, Key};
use crate::doc::{Doc, Kind, Message};
use crate::game::{Chance, Game, Step};
use crate::git::{Commit, GitError, Objects, Repo, said};
use crate::history::{DICE, OPEN, SEAL, TABLE, claims, is_sealed, read_table, table_at};
use crate::judge::{self, What};
use crate::matches::{Layout, Match};
use crate::moves::FileName;
use crate::reject::Reject;
use parlor_rules::{Reject as _, utc};
use parlor_rules_backgammon::command::Level;
use parlor_rules_backgammon::event::Event;
use parlor_rules_backgammon::mat::{self, Record};
use parlor_table::TableId;

/// What the dice were held against.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Proof {
    /// The secret that was committed to before the first roll.
    Secret,
    /// Nothing yet: the secret is told at the end.
    Later,
    /// Nothing: they are merely recorded.
    Recorded,
}

/// A commit that changed the table, and what happened by it.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The commit.
    pub commit: Commit,
    /// The number of the game.
    pub game: u32,
    /// What happened; nothing where something was refused.
    pub events: Vec<Event>,
}

/// The first commit that was not legal.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Wrong {
    /// The commit.
    pub commit: String,
    /// What is wrong with it.
    pub why: String,
}

impl Wrong {
    fn of(commit: &Commit, why: impl Into<String>) -> Self {
        Self { commit: commit.id.clone(), why: why.into() }
    }
}

/// A history.
#[derive(Debug)]
pub struct Replay {
    /// What happened, in order, up to the first fault.
    pub entries: Vec<Entry>,
    /// The table after it.
    pub game: Option<Game>,
    /// What the dice were held against.
    pub proof: Proof,
    /// What was not legal, and came to nothing.
    pub warnings: Vec<Wrong>,
    /// The first commit that was not legal.
    pub wrong: Option<Wrong>,
}

/// The history at work.
struct History<'a> {
    objects: Objects,
    table: &'a TableId,
    dice: Option<Dice>,
}

/// Replays the history of a table.
pub fn replay(repo: &Repo, table: &TableId, key: Option<&Key>) -> Result<Replay, GitError> {
    repo.whole()?;
    if !repo.has_commits() {
        return said("there is no commit here yet");
    }
    let mut claimed = repo.log(&["HEAD"])?.collect::<Result<Vec<Commit>, _>>()?;
    claimed.retain(claims);
    claimed.reverse();
    let mut history = History { objects: repo.objects()?, table, dice: None };
    let (mut entries, mut warnings) = (Vec::new(), Vec::new());
    let (mut commits, mut sealed) = (Vec::new(), false);
    for commit in claimed {
        if let Some(key) = key {
            let bears = is_sealed(&commit, key, &mut history.objects)?;
            sealed |= bears;
            if !bears && (sealed || commit.trailer(SEAL) != Some(OPEN)) {
                warnings.push(Wrong::of(&commit, "it does not bear the seal of this secret"));
                continue;
            }
        }
        if commit.trailer(TABLE).is_none_or(|name| name == table.as_str()) {
            commits.push(commit);
        }
    }
    let mut proof = Proof::Recorded;
    let Some(last) = commits.last() else {
        let wrong = warnings.first().cloned();
        return Ok(Replay { entries, game: None, proof, warnings, wrong });
    };
    let (mut game, mut texts, mut open) = (None, None, Vec::new());
    for commit in &commits {
        let now = history.files(&commit.id)?;
        if now != texts {
            if game.is_none() {
                match history.find_dice(&now, key, &last.id)? {
                    Ok(found) => proof = found,
                    Err(why) => {
                        open.push(Wrong::of(commit, why));
                        break;
                    }
                }
            }
            if let Some(before) = &game
                && let Some(why) = history.refused_wrongly(before, commit)?
            {
                open.push(Wrong::of(commit, why));
                break;
            }
            match history.follows(game.as_ref(), &now, commit)? {
                Ok((after, events)) => {
                    entries.push(Entry { commit: commit.clone(), game: after.meta.game, events });
                    (game, texts) = (Some(after), now);
                }
                Err(why) => {
                    open.push(Wrong::of(commit, why));
                    continue;
                }
            }
        }
        // Whatever somebody wrote in the referee's name, the table is here as it was before.
        warnings.append(&mut open);
    }
    let wrong = match (open.into_iter().next(), &game) {
        (None, Some(_)) => tampered(repo, table, &last.id)?,
        (wrong, _) => wrong,
    };
    Ok(Replay { entries, game, proof, warnings, wrong })
}

type Verdict<T> = Result<T, String>;
/// `state.json`, `match.json`, `legal.json`.
type Files = Option<[Option<String>; 3]>;

fn read(files: &Files) -> Verdict<Game> {
    let [state, meta, _] = files.as_ref().ok_or("the table is gone")?;
    read_table(state.as_deref(), meta.as_deref())
}

impl History<'_> {
    fn files(&mut self, commit: &str) -> Result<Files, GitError> {
        let mut file = |name| self.objects.text(&format!("{commit}:tables/{}/{name}", self.table));
        let files = [file("state.json")?, file("match.json")?, file("legal.json")?];
        Ok(Some(files).filter(|files| files.iter().any(Option::is_some)))
    }

    /// Finds S: from K, or where it is told at the end.
    fn find_dice(
        &mut self,
        first: &Files,
        key: Option<&Key>,
        last: &str,
    ) -> Result<Verdict<Proof>, GitError> {
        let Some(commitment) = read(first).ok().and_then(|game| game.meta.fairness.commitment)
        else {
            return Ok(Ok(Proof::Recorded));
        };
        let end = table_at(&mut self.objects, last, self.table)?.and_then(Result::ok);
        let told = end.and_then(|game| game.meta.fairness.secret);
        let Some(secret) = key.map(|key| key.table_secret(self.table)).or(told) else {
            return Ok(Ok(Proof::Later));
        };
        let dice = Dice::new(self.table.clone(), secret);
        if dice.commitment() != commitment {
            let text = "the secret of the dice is not the one this commitment was made for";
            return Ok(Err(text.to_owned()));
        }
        self.dice = Some(dice);
        Ok(Ok(Proof::Secret))
    }

    /// What has to have happened between two commits, if it can have happened.
    fn follows(
        &mut self,
        before: Option<&Game>,
        files: &Files,
        commit: &Commit,
    ) -> Result<Verdict<(Game, Vec<Event>)>, GitError> {
        let after = match read(files) {
            Ok(after) => after,
            Err(why) => return Ok(Err(why)),
        };
        let written: Vec<u8> = commit.trailer(DICE).map_or(Vec::new(), |dice| {
            dice.split(' ').filter_map(|die| die.parse().ok()).collect()
        });
        let at_ms = utc::parse(&after.doc.updated_at).unwrap_or(0);
        let file = match (&after.doc.last, before) {
            (Some(last), Some(before)) if before.doc.last.as_ref() != Some(last) => {
                let path = format!("{}:tables/{}/moves/{}", commit.id, self.table, last.file);
                let Some(name) = FileName::read(&last.file) else {
                    return Ok(Err("lastMove.file is no move".to_owned()));
                };
                let Some(bytes) = self.objects.file(&path)? else {
                    return Ok(Err(format!("there is no move {name}")));
                };
                Some((name, bytes))
            }
            _ => None,
        };
        let mut chance = match &self.dice {
            Some(dice) => Chance::Dice(dice),
            None => Chance::tape(&written),
        };
        let step = match decide(before, &after, file, &mut chance, at_ms) {
            Ok(step) => step,
            Err(why) => return Ok(Err(why)),
        };
        let game = step.game;
        if step.drawn != written || !chance.used() {
            let text = format!("the dice {written:?} were written where {:?} fell", step.drawn);
            return Ok(Err(text));
        }
        if let Some(why) = difference(&game, &after) {
            return Ok(Err(why));
        }
        let (over, fairness) =
            (game.doc.winner.is_some() && !game.wants_next(), &game.meta.fairness);
        if over && fairness.commitment.is_some() && fairness.secret.is_none() {
            let text = "the match is over, and the secret of its dice is not told";
            return Ok(Err(text.to_owned()));
        }
        let legal = files.as_ref().and_then(|[_, _, legal]| legal.as_deref());
        Ok(match legal == Some(&game.legal()) {
            true => Ok((game, step.events)),
            false => Err("legal.json is not what may be played".to_owned()),
        })
    }

    /// Whether a refusal hit a move that was legal. Who pushed is known to the forge alone.
    fn refused_wrongly(
        &mut self,
        before: &Game,
        commit: &Commit,
    ) -> Result<Option<String>, GitError> {
        let title = commit.title().strip_prefix(&format!("{}: reject ", self.table));
        let Some((name, code)) = title.and_then(|title| title.split_once(": ")) else {
            return Ok(None);
        };
        let unseen = ["wrong_actor", "meddled", "not_a_file", "flood"];
        let (Some(name), Some(parent)) = (FileName::read(name), commit.parents.first()) else {
            return Ok(None);
        };
        let path = format!("{parent}:tables/{}/moves/{name}", self.table);
        let Some(bytes) = self.objects.file(&path)?.filter(|_| !unseen.contains(&code)) else {
            return Ok(None);
        };
        let mut chance = match &self.dice {
            Some(dice) => Chance::Dice(dice),
            None => Chance::tape(&[]),
        };
        let played = judge::read(&What::File(bytes)).and_then(|file| {
            file.is_named(&name)?;
            before.play(&file, &name, &mut chance, commit.at_s * 1_000)
        });
        // Without the secret the next roll is not known, but the move was legal if it came to that.
        let legal = matches!(played, Ok(_) | Err(Reject::BadDice { .. }));
        Ok(legal.then(|| format!("{name} was refused ({code}), though it was legal")))
    }
}

/// Lets the rules do what a commit says has happened.
fn decide(
    before: Option<&Game>,
    after: &Game,
    file: Option<(FileName, Vec<u8>)>,
    chance: &mut Chance<'_>,
    at_ms: u64,
) -> Verdict<Step> {
    let text = |reject: Reject| reject.text();
    let Match { table, layout, length, fairness, .. } = after.meta.clone();
    let Some(before) = before else {
        let meta = Match::new(table, layout, length, fairness.commitment);
        return Game::open(meta, after.doc.players.clone(), chance, at_ms).map_err(text);
    };
    if let Some((name, bytes)) = file {
        let file = judge::read(&What::File(bytes)).map_err(text)?;
        file.is_named(&name).map_err(text)?;
        return before.play(&file, &name, chance, at_ms).map_err(text);
    }
    if after.meta.game != before.meta.game {
        return match before.wants_next() {
            true => before.next(chance, at_ms).map_err(text),
            false => Err("a new game was begun where none was due".to_owned()),
        };
    }
    if let (None, Some(winner)) = (before.doc.winner, after.doc.winner) {
        let points = after.meta.games.last().map_or(1, |game| game.points);
        let value = u8::try_from(points).ok().and_then(|value| Level::try_from(value).ok());
        let value = value.ok_or("nobody resigns so many points")?;
        return before.resign(winner.other(), value, chance, at_ms).map_err(text);
    }
    said_only(before, after).map(|game| Step { game, events: Vec::new(), drawn: Vec::new() })
}

/// The table before with what was said since: nothing but refusals and warnings.
fn said_only(before: &Game, after: &Game) -> Verdict<Game> {
    let (old, new) = (&before.doc.messages, &after.doc.messages);
    let kept =
        (0..=old.len()).find_map(|gone| new.strip_prefix(&old[gone..]).map(|new| (gone, new)));
    let Some((_, added)) = kept.filter(|(gone, _)| *gone == 0 || new.len() == crate::doc::MESSAGES)
    else {
        return Err("messages were changed".to_owned());
    };
    let refusal = |message: &Message| message.kind != Kind::Info;
    if added.is_empty() || !added.iter().all(refusal) {
        return Err("it changes the table without a move".to_owned());
    }
    let (messages, updated_at) = (new.clone(), after.doc.updated_at.clone());
    let doc = Doc { messages, updated_at, ..before.doc.clone() };
    Ok(Game { doc, meta: before.meta.clone() })
}

/// Where a table is not as it had to be.
fn difference(due: &Game, came: &Game) -> Option<String> {
    let (a, b) = (&due.doc, &came.doc);
    if a.dice != b.dice {
        return Some(format!(
            "the dice of turn {} had to be {:?}, and {:?} were written",
            a.turn, a.dice, b.dice
        ));
    }
    let lines = |game: &Game| format!("{}{}", game.doc.write(), game.meta.write());
    let (due, came) = (lines(due), lines(came));
    let pairs = due.lines().zip(came.lines()).find(|(due, came)| due != came);
    match pairs {
        Some((due, came)) => Some(format!("{} was written for {}", came.trim(), due.trim())),
        None => (due != came).then(|| "more was written than happened".to_owned()),
    }
}

/// The first commit since the referee's last that changed what only the referee writes.
fn tampered(repo: &Repo, table: &TableId, last: &str) -> Result<Option<Wrong>, GitError> {
    let folder = format!("tables/{table}");
    let args = ["diff-tree", "-r", "-z", "--name-only", "--no-renames", "--diff-filter=a", last];
    let paths = repo.bytes(&[&args[..], &["HEAD", "--", &folder]].concat())?;
    let Some(path) = paths.split(|byte| *byte == 0).find(|path| !path.is_empty()) else {
        return Ok(None);
    };
    let path = String::from_utf8_lossy(path).into_owned();
    let range = format!("{last}..HEAD");
    let log = repo.run(&["log", "--reverse", "--format=%H", &range, "--", &path])?;
    let commit = log.lines().next().unwrap_or("HEAD").to_owned();
    Ok(Some(Wrong { commit, why: format!("{path} was changed, and not by the referee") }))
}

impl Replay {
    /// The match as a `.mat` file. Its first column is the rules' seat 0, black.
    pub fn mat(&self) -> Verdict<String> {
        let game = self.game.as_ref().ok_or("there is no such table in this history")?;
        if game.meta.layout != Layout::Standard {
            return Err("a .mat file has no place for another opening position".to_owned());
        }
        let mut games: Vec<Vec<Event>> = Vec::new();
        for entry in &self.entries {
            games.resize_with(entry.game as usize, Vec::new);
            if let Some(game) = games.last_mut() {
                game.extend(entry.events.iter().cloned());
            }
        }
        let players = &game.doc.players;
        let names = [players.black.clone(), players.white.clone()];
        let tags = Vec::new();
        Ok(mat::write(&Record { tags, names, config: game.meta.config(), games }))
    }
}
