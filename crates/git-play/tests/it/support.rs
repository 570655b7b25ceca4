//! Repositories to play in.

use parlor_git_play::apply::{Actors, Done, Referee, Request};
use parlor_git_play::color::Pair;
use parlor_git_play::git::Op;
use parlor_git_play::history::read_table;
use parlor_git_play::matches::Layout;
use parlor_git_play::{Game, GitError, Key, MoveFile, Repo};
use parlor_rules_backgammon::command::Move;
use parlor_rules_backgammon::plays::{Dice, for_each_play};
use parlor_table::{Bytes32, TableId};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};

pub(crate) const SECRET: &str = "a secret for the tests";
pub(crate) const NOON: u64 = 1_767_268_800_000;

/// A folder that goes away.
pub(crate) struct Folder(PathBuf);

impl Folder {
    pub(crate) fn new() -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("parlor-git-{}-{number}", std::process::id());
        let path = std::env::temp_dir().join(name);
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        _ = fs::remove_dir_all(&self.0);
    }
}

/// Git in a folder, by somebody.
pub(crate) fn try_git(dir: &Path, who: &str, args: &[&str]) -> Result<String, String> {
    let output = Command::new("git")
        .args(["-c", "maintenance.auto=false", "-c", "receive.autogc=false"])
        .args(args)
        .current_dir(dir)
        .envs([("GIT_AUTHOR_NAME", who), ("GIT_COMMITTER_NAME", who)])
        .envs([("GIT_AUTHOR_EMAIL", "p@x.invalid"), ("GIT_COMMITTER_EMAIL", "p@x.invalid")])
        .env("LC_ALL", "C")
        .output()
        .unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    match output.status.success() {
        true => Ok(text(&output.stdout)),
        false => Err(text(&output.stderr)),
    }
}

pub(crate) fn git(dir: &Path, who: &str, args: &[&str]) -> String {
    try_git(dir, who, args).unwrap_or_else(|why| panic!("git {args:?} in {dir:?}: {why}"))
}

/// A repository of its own.
pub(crate) fn repository(dir: &Path) -> Repo {
    fs::create_dir_all(dir).unwrap();
    git(dir, "x", &["init", "--quiet", "--initial-branch=main"]);
    Repo::open(dir).unwrap()
}

pub(crate) fn key() -> Key {
    Key::new(SECRET).unwrap()
}

pub(crate) fn referee<'a>(repo: &'a Repo, key: Option<&'a Key>) -> Referee<'a> {
    Referee { repo, key, fresh: Bytes32([7; 32]), now_ms: NOON }
}

pub(crate) fn table(name: &str) -> TableId {
    name.parse().unwrap()
}

pub(crate) fn players() -> Pair<String> {
    Pair { white: "alice".to_owned(), black: "bob".to_owned() }
}

pub(crate) fn new_table(id: &str) -> Request {
    Request::New { table: table(id), players: players(), layout: Layout::Standard, length: 0 }
}

/// Opens the table `t1`.
pub(crate) fn open(repo: &Repo, key: Option<&Key>) -> Vec<Done> {
    referee(repo, key).apply(&Actors::Authors, Some(&new_table("t1"))).unwrap()
}

/// Commits these files as the referee would.
pub(crate) fn as_referee(repo: &Repo, key: Option<&Key>, ops: &[Op], title: &str) -> String {
    let head = try_git(repo.dir(), "x", &["rev-parse", "HEAD"]).ok();
    let head = head.map(|id| id.trim().to_owned());
    let mut import = repo.import().unwrap();
    let parent = head.clone().unwrap_or_default();
    let message = |tables: &str| {
        let seal = key.map_or("unsealed".to_owned(), |key| key.seal(tables, &parent).to_string());
        format!("{title}\n\nReferee: {seal}\n")
    };
    let id = import.commit(head.as_deref(), NOON / 1_000, ops, message).unwrap();
    import.done().unwrap();
    git(repo.dir(), "x", &["merge", "--ff-only", "--quiet", &id]);
    id
}

/// The table `t1` as it lies in a folder.
pub(crate) fn game(dir: &Path) -> Game {
    let file = |name: &str| fs::read_to_string(dir.join("tables/t1").join(name)).ok();
    read_table(file("state.json").as_deref(), file("match.json").as_deref()).unwrap()
}

/// Some legal turn, chosen by a number.
pub(crate) fn some_move(game: &Game, number: usize) -> MoveFile {
    let seat = game.doc.active.seat();
    let board = game.state().seen_by(seat);
    let [a, b] = game.doc.dice;
    let mut plays = Vec::new();
    for_each_play(&board, Dice::new(a, b).unwrap(), |play| plays.push(play.steps().to_vec()));
    let steps = &plays[number % plays.len()];
    let moves = steps.iter().map(|step| Move::of(seat, *step)).collect();
    MoveFile::new(&game.doc, moves, NOON)
}

/// Writes a move of `t1` and commits it as its player.
pub(crate) fn push_move(dir: &Path, game: &Game, file: &MoveFile) -> String {
    let path = format!("tables/t1/moves/{}", file.name(game.doc.sequence() + 1));
    write(dir, &path, file.write().as_bytes());
    let who = game.doc.players.of(file.player).clone();
    git(dir, &who, &["add", "--all"]);
    git(dir, &who, &["commit", "--quiet", "--message", "a move"]);
    path
}

pub(crate) fn write(dir: &Path, path: &str, content: &[u8]) {
    let path = dir.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, content).unwrap();
}

pub(crate) fn commit_all(dir: &Path, who: &str) {
    git(dir, who, &["add", "--all"]);
    git(dir, who, &["commit", "--quiet", "--allow-empty", "--message", "something"]);
}

/// Everything git has at `HEAD` below a folder, by path.
pub(crate) fn tree(dir: &Path, below: &str) -> Vec<(String, Vec<u8>)> {
    let repo = Repo::open(dir).unwrap();
    let list = repo.bytes(&["ls-tree", "-r", "-z", "--name-only", "HEAD", "--", below]).unwrap();
    let mut objects = repo.objects().unwrap();
    let paths = list.split(|byte| *byte == 0).filter(|path| !path.is_empty());
    let read = |path: &[u8]| {
        let path = String::from_utf8_lossy(path).into_owned();
        let content = objects.file(&format!("HEAD:{path}")).unwrap().unwrap();
        (path, content)
    };
    paths.map(read).collect()
}

pub(crate) fn apply(repo: &Repo, key: Option<&Key>) -> Result<Vec<Done>, GitError> {
    referee(repo, key).apply(&Actors::Authors, None)
}
