//! The history of a table replayed: every commit of the referee has to follow from the one before.

use crate::chance::{Dice, Key};
use crate::doc::{Doc, Kind, Message};
use crate::game::{Chance, Game, Step};
use crate::git::{Commit, GitError, Objects, Repo};
use crate::history::{DICE, OPEN, SEAL, claims, is_sealed, read_table, table_at};
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

/// A history.
#[derive(Debug)]
pub struct Replay {
    /// What happened, in order, up to the first fault.
    pub entries: Vec<Entry>,
    /// The table after it.
    pub game: Option<Game>,
    /// What the dice were held against.
    pub proof: Proof,
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
    let mut commits = repo.log(&["HEAD"])?.collect::<Result<Vec<Commit>, _>>()?;
    commits.retain(claims);
    commits.reverse();
    let mut history = History { objects: repo.objects()?, table, dice: None };
    let mut replay =
        Replay { entries: Vec::new(), game: None, proof: Proof::Recorded, wrong: None };
    let (mut texts, mut sealed) = (None, false);
    for commit in &commits {
        let wrong = |why: String| Some(Wrong { commit: commit.id.clone(), why });
        if let Some(key) = key {
            let bears = is_sealed(commit, key, &mut history.objects)?;
            sealed |= bears;
            if !bears && (sealed || commit.trailer(SEAL) != Some(OPEN)) {
                replay.wrong = wrong("it does not bear the seal of this secret".to_owned());
                return Ok(replay);
            }
        }
        let now = history.files(&commit.id)?;
        if now == texts {
            continue;
        }
        let Some([state, meta, legal]) = &now else {
            replay.wrong = wrong("the table is gone".to_owned());
            return Ok(replay);
        };
        let game = match read_table(state.as_deref(), meta.as_deref()) {
            Ok(game) => game,
            Err(why) => {
                replay.wrong = wrong(why);
                return Ok(replay);
            }
        };
        if replay.game.is_none() {
            let last = commits.last().map_or(&commit.id, |last| &last.id);
            match history.find_dice(&game, key, last)? {
                Ok(proof) => replay.proof = proof,
                Err(why) => {
                    replay.wrong = wrong(why);
                    return Ok(replay);
                }
            }
        }
        match history.follows(replay.game.as_ref(), &game, commit)? {
            Ok(events) => {
                let entry = Entry { commit: commit.clone(), game: game.meta.game, events };
                replay.entries.push(entry);
            }
            Err(why) => {
                replay.wrong = wrong(why);
                return Ok(replay);
            }
        }
        let secret = &game.meta.fairness;
        let over = game.doc.winner.is_some() && !game.wants_next();
        if over && secret.commitment.is_some() && secret.secret.is_none() {
            replay.wrong =
                wrong("the match is over, and the secret of its dice is not told".into());
            return Ok(replay);
        }
        if legal.as_deref() != Some(&game.legal()) {
            replay.wrong = wrong("legal.json is not what may be played".to_owned());
            return Ok(replay);
        }
        (replay.game, texts) = (Some(game), now);
    }
    if let (Some(last), Some(_)) = (commits.last(), &replay.game) {
        replay.wrong = tampered(repo, table, &last.id)?;
    }
    Ok(replay)
}

type Verdict<T> = Result<T, String>;
/// `state.json`, `match.json`, `legal.json`.
type Files = Option<[Option<String>; 3]>;

impl History<'_> {
    fn files(&mut self, commit: &str) -> Result<Files, GitError> {
        let mut file = |name| self.objects.text(&format!("{commit}:tables/{}/{name}", self.table));
        let files = [file("state.json")?, file("match.json")?, file("legal.json")?];
        Ok(Some(files).filter(|files| files.iter().any(Option::is_some)))
    }

    /// Finds S: from K, or where it is told at the end.
    fn find_dice(
        &mut self,
        first: &Game,
        key: Option<&Key>,
        last: &str,
    ) -> Result<Verdict<Proof>, GitError> {
        let Some(commitment) = first.meta.fairness.commitment else {
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
        after: &Game,
        commit: &Commit,
    ) -> Result<Verdict<Vec<Event>>, GitError> {
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
        if let Some(before) = before
            && let Some(why) = self.refused_wrongly(before, commit, at_ms)?
        {
            return Ok(Err(why));
        }
        let mut chance = match &self.dice {
            Some(dice) => Chance::Dice(dice),
            None => Chance::tape(&written),
        };
        let step = match decide(before, after, file, &mut chance, at_ms) {
            Ok(step) => step,
            Err(why) => return Ok(Err(why)),
        };
        let game = step.game;
        if step.drawn != written || !chance.used() {
            let text = format!("the dice {written:?} were written where {:?} fell", step.drawn);
            return Ok(Err(text));
        }
        Ok(match difference(&game, after) {
            None => Ok(step.events),
            Some(why) => Err(why),
        })
    }

    /// Whether a refusal hit a move that was legal. Who pushed is known to the forge alone.
    fn refused_wrongly(
        &mut self,
        before: &Game,
        commit: &Commit,
        at_ms: u64,
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
            before.play(&file, &name, &mut chance, at_ms)
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
