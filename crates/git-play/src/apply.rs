//! The referee at work: reads what was pushed since it last committed, judges it, and commits.

use crate::chance::{Dice, Key};
use crate::changes::{Changed, folders, own_moves, what};
use crate::color::Pair;
use crate::doc::same_name;
use crate::game::{Chance, Game};
use crate::git::{GitError, Objects, Op, Repo, said};
use crate::history::{self, DICE, OPEN, SEAL, Standing, TABLE};
use crate::judge::{Pushed, Ruling, What, color_of, judge, strange_paths};
use crate::matches::{Layout, Match};
use crate::picture;
use crate::reject::Reject;
use parlor_rules::Reject as _;
use parlor_rules_backgammon::command::Level;
use parlor_table::{Bytes32, TableId};
use std::collections::BTreeMap;

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
                pushed.push(changed.pushed(path, what(changed, objects)?));
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
            let named =
                |path: &Changed| path.pushed(&String::from_utf8_lossy(&path.path), What::NoFile);
            let pushed: Vec<Pushed> = nowhere.iter().map(named).collect();
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
