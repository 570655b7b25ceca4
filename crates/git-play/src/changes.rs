//! What people pushed since the referee's last commit, and who pushed it.

use crate::apply::{Actors, Push, Referee};
use crate::doc::same_name;
use crate::game::Game;
use crate::git::{Commit, GitError, Objects, Op, said};
use crate::judge::{Pushed, What, move_name};
use crate::moves::{FileName, MOST_BYTES};
use parlor_table::TableId;
use std::collections::{BTreeSet, HashMap, HashSet};

/// A path that is not as the referee left it.
pub(crate) struct Changed {
    pub(crate) path: Vec<u8>,
    old: Blob,
    new: Blob,
    actor: Option<String>,
    /// What people made of it, the newest first.
    versions: Vec<(String, Blob)>,
}

/// Mode and name of an object.
type Blob = (String, String);

/// The mode of nothing.
const NONE: &str = "000000";

impl Changed {
    /// What puts it back.
    pub(crate) fn restored(&self) -> Op {
        match self.old.0.as_str() {
            NONE => Op::Delete(self.path.clone()),
            _ => Op::Restore(self.path.clone(), self.old.0.clone(), self.old.1.clone()),
        }
    }

    /// What leaves it as it was judged.
    pub(crate) fn kept(&self) -> Op {
        Op::Restore(self.path.clone(), self.new.0.clone(), self.new.1.clone())
    }

    /// Nothing, where nothing was.
    fn nothing(path: &[u8]) -> Self {
        let none = || (NONE.to_owned(), String::new());
        let (path, versions) = (path.to_vec(), Vec::new());
        Self { path, old: none(), new: none(), actor: None, versions }
    }

    /// What is judged, under this path.
    pub(crate) fn pushed(&self, path: &str, what: What) -> Pushed {
        let (path, fresh, actor) = (path.to_owned(), self.is_new(), self.actor.clone());
        Pushed { path, fresh, what, actor }
    }

    /// Whether the referee left nothing there.
    fn is_new(&self) -> bool {
        self.old.0 == NONE
    }

    /// Whether it is named like a move.
    fn is_move(&self) -> bool {
        self.place().is_some_and(|(_, rest)| move_name(&rest).is_some())
    }

    /// Whether nothing is there, as before.
    pub(crate) fn is_nothing(&self) -> bool {
        self.is_new() && self.new.0 == NONE
    }

    /// What this player last made of it; none where that was to take it away.
    fn own(&self, player: &str) -> Option<(String, Blob)> {
        let own = self.versions.iter().find(|(actor, _)| same_name(actor, player));
        own.filter(|(_, (mode, _))| mode != NONE).cloned()
    }

    /// The table it belongs to, and the path below its folder.
    pub(crate) fn place(&self) -> Option<(TableId, String)> {
        let path = String::from_utf8_lossy(&self.path);
        let (table, rest) = path.strip_prefix("tables/")?.split_once('/')?;
        Some((table.parse().ok()?, rest.to_owned()))
    }
}

impl Referee<'_> {
    /// What is not as the referee left it.
    pub(crate) fn changed(&self, base: &str, head: &str) -> Result<Vec<Changed>, GitError> {
        if base == head {
            return Ok(Vec::new());
        }
        let args = ["diff-tree", "-r", "-z", "--raw", "--no-renames", "--no-abbrev"];
        let output = self.repo.bytes(&[&args[..], &[base, head, "--", "tables"]].concat())?;
        let mut tokens = output.split(|byte| *byte == 0);
        let mut changed = Vec::new();
        while let (Some(line), Some(path)) = (tokens.next(), tokens.next()) {
            let (old, new) = raw(line)?;
            let (path, versions) = (path.to_vec(), Vec::new());
            changed.push(Changed { path, old, new, actor: None, versions });
        }
        Ok(changed)
    }

    /// Finds out who pushed each path: who pushed the last commit that touched it. New files that
    /// were pushed and are gone again come to it, with nothing in them.
    pub(crate) fn attribute(
        &self,
        changed: &mut Vec<Changed>,
        base: &str,
        head: &str,
        actors: &Actors<'_>,
        objects: &mut Objects,
    ) -> Result<(), GitError> {
        if base == head {
            return Ok(());
        }
        if let Actors::One(actor) = actors {
            changed.iter_mut().for_each(|path| path.actor = Some(actor.clone()));
            return Ok(());
        }
        let range = format!("{base}..{head}");
        let commits = self.repo.log(&[&range])?.collect::<Result<Vec<Commit>, _>>()?;
        // A merge answers for what it made otherwise than git would have.
        let args = ["-c", "merge.renames=false", "log", "-z", "--topo-order", "--full-history"];
        let diff = ["--sparse", "--diff-merges=remerge", "--raw", "--no-renames", "--no-abbrev"];
        let rest = ["--format=%x01%H", &range, "--", "tables"];
        let output = self.repo.bytes(&[&args[..], &diff[..], &rest[..]].concat())?;
        // Every path begins with `tables`, so nothing that is pushed looks like a commit here.
        let mut touched: HashMap<&[u8], Vec<(&str, Blob)>> = HashMap::new();
        let mut commit = None;
        let mut tokens = output.split(|byte| *byte == 0);
        while let Some(token) = tokens.next() {
            match token.strip_prefix(b"\n").unwrap_or(token) {
                [1, id @ ..] => commit = std::str::from_utf8(id).ok(),
                [] => {}
                line => {
                    let (_, new) = raw(line)?;
                    if let (Some(commit), Some(path)) = (commit, tokens.next()) {
                        touched.entry(path).or_default().push((commit, new));
                    }
                }
            }
        }
        let known: HashSet<Vec<u8>> = changed.iter().map(|path| path.path.clone()).collect();
        for path in touched.keys().filter(|path| !known.contains(**path)) {
            let gone = Changed::nothing(path);
            let name = String::from_utf8_lossy(path);
            if gone.is_move() && objects.info(&format!("{base}:{name}"))?.is_none() {
                changed.push(gone);
            }
        }
        let actor_of = match actors {
            _ if changed.is_empty() => return Ok(()),
            Actors::Forge(pushes) => {
                let matter = touched.values().flatten().map(|(commit, _)| *commit).collect();
                pushers(&commits, &matter, &pushes(head)?)?
            }
            _ => commits.iter().map(|c| (c.id.clone(), c.author.clone())).collect(),
        };
        for path in changed {
            let touched = touched.remove(path.path.as_slice()).unwrap_or_default();
            let by = |(commit, blob)| actor_of.get(commit).map(|actor| (actor.clone(), blob));
            path.versions = touched.into_iter().filter_map(by).collect();
            let last = path.versions.first().filter(|(_, blob)| *blob == path.new);
            path.actor = last.map(|(actor, _)| actor.clone());
        }
        Ok(())
    }
}

/// What was and what is at a path, from a line of a raw diff.
fn raw(line: &[u8]) -> Result<(Blob, Blob), GitError> {
    let line = String::from_utf8_lossy(line);
    let words: Vec<&str> = line.trim_start_matches(':').split(' ').collect();
    let [old_mode, new_mode, old, new, _] = words[..] else {
        return said(format!("git said {line:?} of a difference"));
    };
    let blob = |mode: &str, id: &str| (mode.to_owned(), id.to_owned());
    Ok((blob(old_mode, old), blob(new_mode, new)))
}

/// Moves are what their players last made of them. One that somebody else took away counts, unless
/// its player has pushed another for it.
pub(crate) fn own_moves(paths: &mut Vec<(String, Changed)>, game: &Game) {
    let name = |(path, changed): &(String, Changed)| move_name(path).filter(|_| changed.is_new());
    let player = |name: &FileName| game.doc.players.of(name.color);
    let mut pushed = BTreeSet::new();
    for path in paths.iter().filter(|(_, changed)| changed.new.0 != NONE) {
        let own = name(path).filter(|name| path.1.own(player(name)).is_some());
        pushed.extend(own.map(|name| (name.sequence, name.color)));
    }
    for path in paths.iter_mut() {
        let Some(name) = name(path) else { continue };
        let other = path.1.is_nothing() && pushed.contains(&(name.sequence, name.color));
        if let Some((actor, blob)) = path.1.own(player(&name)).filter(|_| !other) {
            (path.1.actor, path.1.new) = (Some(actor), blob);
        }
    }
    paths.retain(|(_, changed)| !changed.is_nothing());
}

/// The folders of what was there before.
pub(crate) fn folders(changed: &[Changed]) -> HashSet<Vec<u8>> {
    let before = changed.iter().filter(|path| path.old.0 != NONE);
    let above = |path: &'_ Changed| {
        let path = path.path.clone();
        let slashes: Vec<usize> = (0..path.len()).filter(|at| path[*at] == b'/').collect();
        slashes.into_iter().map(move |at| path[..at].to_vec())
    };
    before.flat_map(above).collect()
}

/// What is at a path now; large files are not read.
pub(crate) fn what(changed: &Changed, objects: &mut Objects) -> Result<What, GitError> {
    Ok(match changed.new.0.as_str() {
        NONE => What::Gone,
        "100644" => match objects.info(&changed.new.1)? {
            Some(object) if object.bytes > MOST_BYTES => What::Large(object.bytes),
            _ => objects.file(&changed.new.1)?.map_or(What::NoFile, What::File),
        },
        _ => What::NoFile,
    })
}

/// Who pushed each commit. One that matters and is in no push is not judged: the forge will tell of
/// it soon.
fn pushers(
    commits: &[Commit],
    matter: &HashSet<&str>,
    pushes: &[Push],
) -> Result<HashMap<String, String>, GitError> {
    let parents: HashMap<&str, &[String]> =
        commits.iter().map(|commit| (commit.id.as_str(), &commit.parents[..])).collect();
    let reach = |from: &str| {
        let mut seen = HashSet::new();
        let mut next = vec![from.to_owned()];
        while let Some(id) = next.pop() {
            if let Some(parents) = parents.get(id.as_str())
                && seen.insert(id)
            {
                next.extend(parents.iter().cloned());
            }
        }
        seen
    };
    let mut found = HashMap::new();
    for Push { actor, before, after } in pushes {
        let known = reach(before);
        for id in reach(after).difference(&known) {
            found.entry(id.clone()).or_insert_with(|| actor.clone());
        }
    }
    match matter.iter().find(|id| !found.contains_key(**id)) {
        None => Ok(found),
        Some(id) => said(format!("the forge does not say yet who pushed {id}")),
    }
}
