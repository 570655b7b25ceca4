//! The referee at work: reads what was pushed since it last committed, judges it, and commits.

use crate::chance::{Dice, Key};
use crate::color::Pair;
use crate::doc::same_name;
use crate::game::{Chance, Game};
use crate::git::{Commit, GitError, Objects, Op, Repo, said};
use crate::history::{self, DICE, OPEN, SEAL, Standing, TABLE};
use crate::judge::{Pushed, Ruling, What, color_of, judge, move_name, strange_paths};
use crate::matches::{Layout, Match};
use crate::moves::{FileName, MOST_BYTES};
use crate::picture;
use crate::reject::Reject;
use parlor_rules::Reject as _;
use parlor_rules_backgammon::command::Level;
use parlor_table::{Bytes32, TableId};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// Who pushed what.
pub enum Actors<'a> {
    /// The authors of the commits. Anyone can write any name there: for people who trust each
    /// other.
    Authors,
    /// One person pushed everything.
    One(String),
    /// As the forge has it, asked anew after every fetch, with the newest commit.
    Forge(&'a dyn Fn(&str) -> Result<Vec<Push>, GitError>),
}

/// A push as a forge has recorded it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Push {
    /// Who pushed.
    pub actor: String,
    /// Where the branch was.
    pub before: String,
    /// Where it was then.
    pub after: String,
}

/// Something the referee is asked to do beside judging what was pushed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Request {
    /// Open a table.
    New {
        /// Its name.
        table: TableId,
        /// Who plays.
        players: Pair<String>,
        /// What it opens from.
        layout: Layout,
        /// Points that win the match; 0 is a single game.
        length: u32,
    },
    /// Somebody gives up.
    Resign {
        /// The table.
        table: TableId,
        /// Who.
        player: String,
        /// How high.
        value: Level,
    },
}

impl Request {
    /// Whether it can be asked for at all.
    pub fn check(&self) -> Result<(), String> {
        let Self::New { table, players: Pair { white, black }, layout, length } = self else {
            return Ok(());
        };
        for name in [white, black] {
            let fits = (1..=64).contains(&name.chars().count());
            if !fits || name.chars().any(|c| c.is_control() || c.is_whitespace()) {
                return Err("a player's name is 1 to 64 characters without blanks".to_owned());
            }
        }
        if same_name(white, black) {
            return Err("two different people play".to_owned());
        }
        if table.as_str().len() < 2 {
            return Err("a table's name has at least two characters".to_owned());
        }
        let meta = Match::new(table.clone(), *layout, *length, None);
        meta.config().check().map_err(|reject| reject.text())
    }
}

/// A commit of the referee.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Done {
    /// Its name.
    pub id: String,
    /// In one line.
    pub title: String,
    /// More lines about it.
    pub body: Vec<String>,
    /// Whether something was refused by it.
    pub refused: bool,
}

/// The referee of a repository.
pub struct Referee<'a> {
    /// The repository.
    pub repo: &'a Repo,
    /// K, if it has one.
    pub key: Option<&'a Key>,
    /// Thirty-two bytes nobody knows, for tables without K.
    pub fresh: Bytes32,
    /// What time it is.
    pub now_ms: u64,
}

/// A path that is not as the referee left it.
struct Changed {
    path: Vec<u8>,
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
    fn restored(&self) -> Op {
        match self.old.0.as_str() {
            NONE => Op::Delete(self.path.clone()),
            _ => Op::Restore(self.path.clone(), self.old.0.clone(), self.old.1.clone()),
        }
    }

    /// What leaves it as it was judged.
    fn kept(&self) -> Op {
        Op::Restore(self.path.clone(), self.new.0.clone(), self.new.1.clone())
    }

    /// Nothing, where nothing was.
    fn nothing(path: &[u8]) -> Self {
        let none = || (NONE.to_owned(), String::new());
        let (path, versions) = (path.to_vec(), Vec::new());
        Self { path, old: none(), new: none(), actor: None, versions }
    }

    /// A path that is no move.
    fn strange(&self) -> Pushed {
        let path = String::from_utf8_lossy(&self.path).into_owned();
        let (fresh, actor) = (self.is_new(), self.actor.clone());
        Pushed { path, fresh, what: What::NoFile, actor }
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
    fn is_nothing(&self) -> bool {
        self.is_new() && self.new.0 == NONE
    }

    /// What this player last made of it; none where that was to take it away.
    fn own(&self, player: &str) -> Option<(String, Blob)> {
        let own = self.versions.iter().find(|(actor, _)| same_name(actor, player));
        own.filter(|(_, (mode, _))| mode != NONE).cloned()
    }

    /// The table it belongs to, and the path below its folder.
    fn place(&self) -> Option<(TableId, String)> {
        let path = String::from_utf8_lossy(&self.path);
        let (table, rest) = path.strip_prefix("tables/")?.split_once('/')?;
        Some((table.parse().ok()?, rest.to_owned()))
    }
}

/// What is committed.
struct Draft {
    title: String,
    /// More lines about it.
    body: Vec<String>,
    table: Option<TableId>,
    drawn: Vec<u8>,
    refused: bool,
    ops: Vec<Op>,
}

impl Referee<'_> {
    /// Judges what was pushed, then does what is asked; commits it, and moves the branch.
    pub fn apply(
        &self,
        actors: &Actors<'_>,
        request: Option<&Request>,
    ) -> Result<Vec<Done>, GitError> {
        self.repo.branch()?;
        let mut objects = self.repo.objects()?;
        let standing = history::standing(self.repo, self.key, &mut objects)?;
        let (mut drafts, mut tables) = self.judged(&standing, actors, &mut objects)?;
        if let Some(request) = request {
            drafts.extend(self.requested(request, &standing, &mut tables, &mut objects)?);
        }
        self.commit(standing.head, drafts)
    }

    /// Everything that was pushed, judged, and the tables as they are then.
    fn judged(
        &self,
        standing: &Standing,
        actors: &Actors<'_>,
        objects: &mut Objects,
    ) -> Result<(Vec<Draft>, BTreeMap<TableId, Game>), GitError> {
        let (mut drafts, mut tables) = (Vec::new(), BTreeMap::new());
        let Some(head) = &standing.head else { return Ok((drafts, tables)) };
        let Some(base) = &standing.base else {
            if objects.info(&format!("{head}:tables"))?.is_some() {
                return said(
                    "there are tables here, but no commit of this referee: is it the right secret?",
                );
            }
            return Ok((drafts, tables));
        };
        let mut changed = self.changed(&base.id, head)?;
        self.attribute(&mut changed, &base.id, head, actors, objects)?;
        let folders = folders(&changed);
        let mut by_table: BTreeMap<TableId, Vec<(String, Changed)>> = BTreeMap::new();
        let mut nowhere = Vec::new();
        for path in changed {
            match path.place() {
                Some((table, rest)) => by_table.entry(table).or_default().push((rest, path)),
                None => nowhere.push(path),
            }
        }
        for (table, mut paths) in by_table {
            let Some(game) = history::table_at(objects, &base.id, &table)? else {
                nowhere.extend(paths.into_iter().map(|(_, path)| path));
                continue;
            };
            let game = game.or_else(|why| said(format!("tables/{table}: {why}")))?;
            own_moves(&mut paths, &game);
            if paths.is_empty() {
                continue;
            }
            let mut pushed = Vec::new();
            for (path, changed) in &paths {
                pushed.push(Pushed {
                    path: path.clone(),
                    fresh: changed.is_new(),
                    what: what(changed, objects)?,
                    actor: changed.actor.clone(),
                });
            }
            let dice = self.dice(&game.meta)?;
            let rulings = judge(&game, &pushed, Chance::Dice(&dice), self.now_ms);
            for ruling in rulings {
                let paths: Vec<&Changed> = ruling.settles.iter().map(|i| &paths[*i].1).collect();
                tables.insert(table.clone(), ruling.game.clone());
                drafts.push(draft(&table, ruling, &paths));
            }
        }
        // What stands where a folder was goes when the folder is put back; to delete it afterwards
        // would delete the table.
        nowhere.retain(|path: &Changed| !path.is_nothing() && !folders.contains(&path.path));
        if !nowhere.is_empty() {
            let pushed: Vec<Pushed> = nowhere.iter().map(Changed::strange).collect();
            let told = strange_paths(pushed.iter(), &Reject::NoTable);
            drafts.push(Draft {
                title: "remove what belongs to no table".to_owned(),
                body: told.into_iter().map(|(_, text)| text).collect(),
                table: None,
                drawn: Vec::new(),
                refused: true,
                ops: nowhere.iter().map(|path| path.restored()).collect(),
            });
        }
        Ok((drafts, tables))
    }

    /// What is not as the referee left it.
    fn changed(&self, base: &str, head: &str) -> Result<Vec<Changed>, GitError> {
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
    fn attribute(
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

    /// The dice of a table.
    fn dice(&self, meta: &Match) -> Result<Dice, GitError> {
        let Some(commitment) = meta.fairness.commitment else {
            return Ok(Dice::new(meta.table.clone(), self.fresh));
        };
        let dice = self.key.map(|key| Dice::new(meta.table.clone(), key.table_secret(&meta.table)));
        match dice.filter(|dice| dice.commitment() == commitment) {
            Some(dice) => Ok(dice),
            None => {
                said(format!("the dice of {} need the secret they were committed to", meta.table))
            }
        }
    }

    fn requested(
        &self,
        request: &Request,
        standing: &Standing,
        tables: &mut BTreeMap<TableId, Game>,
        objects: &mut Objects,
    ) -> Result<Vec<Draft>, GitError> {
        match request {
            Request::New { table, players, layout, length } => {
                request.check().map_err(GitError)?;
                if let Some(head) = &standing.head {
                    let path = format!("tables/{table}");
                    let seen = self.repo.run(&["rev-list", "-n", "1", head, "--", &path])?;
                    if !seen.is_empty() {
                        return said(format!(
                            "there is or was a table {table}; its dice would come again, so take another name"
                        ));
                    }
                }
                let secret = self.key.map(|key| key.table_secret(table));
                let dice = Dice::new(table.clone(), secret.unwrap_or(self.fresh));
                let commitment = secret.map(|_| dice.commitment());
                let meta = Match::new(table.clone(), *layout, *length, commitment);
                let opened =
                    Game::open(meta, players.clone(), &mut Chance::Dice(&dice), self.now_ms);
                let step = opened.or_else(|reject| said(reject.text()))?;
                let Pair { white, black } = players;
                let title = format!("new table, {white} (white) and {black} (black)");
                Ok(vec![draft(table, Ruling::of(title, step), &[])])
            }
            Request::Resign { table, player, value } => {
                let base = standing.base.as_ref().map_or("HEAD", |base| &base.id);
                let game = match tables.remove(table) {
                    Some(game) => game,
                    None => match history::table_at(objects, base, table)? {
                        Some(game) => game.or_else(|why| said(format!("tables/{table}: {why}")))?,
                        None => return said(format!("there is no table {table}")),
                    },
                };
                let Some(color) = color_of(&game, player) else {
                    return said(format!("{player} does not play at {table}"));
                };
                let dice = self.dice(&game.meta)?;
                let mut chance = Chance::Dice(&dice);
                let resigned = game.resign(color, *value, &mut chance, self.now_ms);
                let step = resigned.or_else(|reject| said(reject.text()))?;
                let mut rulings = vec![Ruling::of(format!("{color} resigns"), step)];
                rulings.extend(rulings[0].game.begun(&mut chance, self.now_ms));
                Ok(rulings.into_iter().map(|ruling| draft(table, ruling, &[])).collect())
            }
        }
    }

    /// Writes the commits and moves the branch to the last of them.
    fn commit(&self, head: Option<String>, drafts: Vec<Draft>) -> Result<Vec<Done>, GitError> {
        let mut done = Vec::new();
        if drafts.is_empty() {
            return Ok(done);
        }
        let mut import = self.repo.import()?;
        let mut parent = head;
        for Draft { title, body, table, drawn, refused, ops } in drafts {
            let title = match &table {
                Some(table) => format!("{table}: {title}"),
                None => title,
            };
            let paragraph: String = body.iter().map(|line| format!("{line}\n")).collect();
            let mut trailers = if body.is_empty() { paragraph } else { paragraph + "\n" };
            if let Some(table) = table {
                trailers += &format!("{TABLE}: {table}\n");
            }
            if !drawn.is_empty() {
                let dice: Vec<String> = drawn.iter().map(u8::to_string).collect();
                trailers += &format!("{DICE}: {}\n", dice.join(" "));
            }
            let id = import.commit(parent.as_deref(), self.now_ms / 1_000, &ops, |tables| {
                let parent = parent.as_deref().unwrap_or_default();
                let seal = self.key.map(|key| key.seal(tables, parent).to_string());
                format!("{title}\n\n{trailers}{SEAL}: {}\n", seal.as_deref().unwrap_or(OPEN))
            })?;
            parent = Some(id.clone());
            done.push(Done { id, title, body, refused });
        }
        import.done()?;
        if let Some(last) = parent {
            self.repo.run(&["merge", "--ff-only", "--quiet", &last])?;
        }
        Ok(done)
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
fn own_moves(paths: &mut Vec<(String, Changed)>, game: &Game) {
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
fn folders(changed: &[Changed]) -> HashSet<Vec<u8>> {
    let before = changed.iter().filter(|path| path.old.0 != NONE);
    let above = |path: &'_ Changed| {
        let path = path.path.clone();
        let slashes: Vec<usize> = (0..path.len()).filter(|at| path[*at] == b'/').collect();
        slashes.into_iter().map(move |at| path[..at].to_vec())
    };
    before.flat_map(above).collect()
}

/// What is at a path now; large files are not read.
fn what(changed: &Changed, objects: &mut Objects) -> Result<What, GitError> {
    Ok(match changed.new.0.as_str() {
        NONE => What::Gone,
        "100644" => match objects.info(&changed.new.1)? {
            Some(object) if object.bytes > MOST_BYTES => What::Large(object.bytes),
            _ => objects.file(&changed.new.1)?.map_or(What::NoFile, What::File),
        },
        _ => What::NoFile,
    })
}

/// A ruling as a commit: what it settles stays or is put back, and the table is written.
fn draft(table: &TableId, ruling: Ruling, paths: &[&Changed]) -> Draft {
    let Ruling { title, accepted, game, drawn, clears, .. } = ruling;
    let mut ops = Vec::new();
    ops.extend(paths.iter().map(|path| match accepted {
        true => path.kept(),
        false => path.restored(),
    }));
    if clears {
        ops.push(Op::Delete(format!("tables/{table}/moves").into_bytes()));
    }
    for (name, text) in files(&game) {
        ops.push(Op::Write(format!("tables/{table}/{name}"), text.into_bytes()));
    }
    let refused = !paths.is_empty() && !accepted;
    Draft { title, body: Vec::new(), table: Some(table.clone()), drawn, refused, ops }
}

/// All files of a table that the referee writes.
pub fn files(game: &Game) -> [(&'static str, String); 5] {
    [
        ("state.json", game.doc.write()),
        ("match.json", game.meta.write()),
        ("legal.json", game.legal()),
        ("board.svg", picture::board(game)),
        ("badge.svg", picture::badge(game)),
    ]
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
