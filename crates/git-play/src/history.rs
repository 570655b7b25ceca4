//! Which commits are the referee's, and what a table was in each of them.

use crate::chance::Key;
use crate::doc::Doc;
use crate::game::Game;
use crate::git::{Commit, GitError, Objects, REFEREE, Repo};
use crate::matches::Match;
use parlor_table::TableId;

/// The trailer of a commit of the referee: a seal, or [`OPEN`].
pub const SEAL: &str = "Referee";
/// The trailer of a repository without a secret.
pub const OPEN: &str = "unsealed";
/// The trailer that names the table.
pub const TABLE: &str = "Table";
/// The trailer with the dice that fell.
pub const DICE: &str = "Dice";

/// Whether a commit says that it is the referee's.
pub fn claims(commit: &Commit) -> bool {
    commit.committer == REFEREE && commit.parents.len() < 2 && commit.trailer(SEAL).is_some()
}

/// Whether a commit bears the seal of this key.
pub fn is_sealed(commit: &Commit, key: &Key, objects: &mut Objects) -> Result<bool, GitError> {
    let Some(tables) = objects.info(&format!("{}:tables", commit.id))? else { return Ok(false) };
    let parent = commit.parents.first().map_or("", String::as_str);
    let seal = key.seal(&tables.id, parent).to_string();
    Ok(commit.trailer(SEAL) == Some(&seal))
}

/// Whether a commit is the referee's: with a key only what it sealed, without one what says so.
pub fn is_referees(
    commit: &Commit,
    key: Option<&Key>,
    objects: &mut Objects,
) -> Result<bool, GitError> {
    match key {
        _ if !claims(commit) => Ok(false),
        None => Ok(true),
        Some(key) => is_sealed(commit, key, objects),
    }
}

/// Where a repository stands.
pub struct Standing {
    /// The newest commit; none in an empty repository.
    pub head: Option<String>,
    /// The newest commit of the referee.
    pub base: Option<Commit>,
}

/// Finds the newest commit of the referee; where nothing is sealed at all, the newest that says it
/// is one.
pub fn standing(
    repo: &Repo,
    key: Option<&Key>,
    objects: &mut Objects,
) -> Result<Standing, GitError> {
    repo.whole()?;
    let mut standing = Standing { head: None, base: None };
    let mut open = None;
    if !repo.has_commits() {
        return Ok(standing);
    }
    for commit in repo.log(&["HEAD"])? {
        let commit = commit?;
        standing.head.get_or_insert_with(|| commit.id.clone());
        if is_referees(&commit, key, objects)? {
            standing.base = Some(commit);
            return Ok(standing);
        }
        if claims(&commit) && commit.trailer(SEAL) == Some(OPEN) {
            open.get_or_insert(commit);
        }
    }
    standing.base = open;
    Ok(standing)
}

/// A table as it was in a commit; none if it was not there.
pub fn table_at(
    objects: &mut Objects,
    commit: &str,
    table: &TableId,
) -> Result<Option<Result<Game, String>>, GitError> {
    let mut file = |name: &str| objects.text(&format!("{commit}:tables/{table}/{name}"));
    let (state, meta) = (file("state.json")?, file("match.json")?);
    if state.is_none() && meta.is_none() {
        return Ok(None);
    }
    Ok(Some(read_table(state.as_deref(), meta.as_deref())))
}

/// A table from its two files.
pub fn read_table(state: Option<&str>, meta: Option<&str>) -> Result<Game, String> {
    let doc = Doc::read(state.ok_or("there is no state.json")?).found;
    let meta = Match::read(meta.ok_or("there is no match.json")?).found;
    Ok(Game {
        doc: doc.map_err(|faults| format!("state.json: {faults}"))?,
        meta: meta.map_err(|faults| format!("match.json: {faults}"))?,
    })
}
