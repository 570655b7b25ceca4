//! Real repositories: a bare one, two players' clones, a referee's, and whoever looks afterwards.

use crate::contract::is_by_the_schema;
use crate::support::{
    Folder, NOON, apply, commit_all, game, git, key, new_table, open, players, push_move, referee,
    repository, some_move, table, try_git, write,
};
use parlor_git_play::apply::{Actors, Push, Referee, Request};
use parlor_git_play::matches::Layout;
use parlor_git_play::verify::{Proof, Replay, replay};
use parlor_git_play::{Doc, Key, Repo};
use parlor_rules_backgammon::mat;
use parlor_table::Bytes32;
use std::fs;
use std::path::{Path, PathBuf};

pub(crate) fn checked(repo: &Repo, key: Option<&Key>) -> Replay {
    replay(repo, &table("t1"), key).unwrap()
}

pub(crate) fn legal(repo: &Repo, key: Option<&Key>) -> Replay {
    let replay = checked(repo, key);
    assert_eq!(replay.wrong, None);
    replay
}

#[track_caller]
pub(crate) fn wrong(repo: &Repo, key: Option<&Key>, commit: &str, why: &str) {
    let found = checked(repo, key).wrong.expect("something is wrong");
    assert_eq!(found.commit, commit, "{}", found.why);
    assert!(found.why.contains(why), "{}", found.why);
}

pub(crate) fn head(dir: &Path) -> String {
    git(dir, "x", &["rev-parse", "HEAD"]).trim().to_owned()
}

/// Plays turns at `t1` in one repository.
pub(crate) fn turns(repo: &Repo, key: Option<&Key>, count: usize) {
    for i in 0..count {
        let now = game(repo.dir());
        if now.doc.winner.is_some() {
            return;
        }
        push_move(repo.dir(), &now, &some_move(&now, i * 7));
        let done = apply(repo, key).unwrap();
        assert!(!done[0].refused, "{done:?}");
    }
}

/// A bare repository and clones of it.
pub(crate) struct World {
    folder: Folder,
}

impl World {
    pub(crate) fn new(clones: &[&str]) -> Self {
        let world = Self { folder: Folder::new() };
        git(
            world.folder.path(),
            "x",
            &["init", "--quiet", "--bare", "--initial-branch=main", "hub"],
        );
        let first = repository(&world.path("first"));
        git(first.dir(), "x", &["commit", "--quiet", "--allow-empty", "--message", "start"]);
        git(first.dir(), "x", &["push", "--quiet", "../hub", "main"]);
        clones.iter().for_each(|name| _ = world.clone_of(name));
        world
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn clone_of(&self, name: &str) -> Repo {
        git(self.folder.path(), "x", &["clone", "--quiet", "hub", name]);
        Repo::open(&self.path(name)).unwrap()
    }

    /// A player looks, moves and pushes, as often as it takes.
    pub(crate) fn move_of(&self, who: &str, number: usize) {
        let dir = self.path(who);
        git(&dir, who, &["pull", "--quiet", "--no-rebase", "--no-edit"]);
        let now = game(&dir);
        push_move(&dir, &now, &some_move(&now, number));
        self.push(who);
    }

    pub(crate) fn push(&self, who: &str) {
        let dir = self.path(who);
        for _ in 0..20 {
            if try_git(&dir, who, &["push", "--quiet", "origin", "main"]).is_ok() {
                return;
            }
            git(&dir, who, &["pull", "--quiet", "--no-rebase", "--no-edit"]);
        }
        panic!("{who} could not push");
    }
}

/// A whole game over a bare repository, with noise and races; how many turns it took.
fn whole_game(seed: usize) -> u32 {
    let world = World::new(&["alice", "bob", "referee"]);
    let (repo, key) = (Repo::open(&world.path("referee")).unwrap(), key());
    let of =
        |now_ms| Referee { repo: &repo, key: Some(&key), fresh: Bytes32([seed as u8; 32]), now_ms };
    of(NOON).apply_to("origin", &Actors::Authors, Some(&new_table("t1"))).unwrap();
    let mut number = seed;
    for turn in 0..600u64 {
        let now = game(repo.dir());
        let text = now.doc.write();
        is_by_the_schema(&text);
        assert_eq!(Doc::read(&text).found.unwrap().write(), text);
        assert_eq!(fs::read_to_string(repo.dir().join("tables/t1/state.json")).unwrap(), text);
        if now.doc.winner.is_some() {
            break;
        }
        number =
            number.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let who = now.doc.players.of(now.doc.active).clone();
        world.move_of(&who, number >> 33);
        if number.is_multiple_of(5) {
            // The other one takes the move away, pushes nonsense, and edits the state.
            let other = now.doc.players.of(now.doc.active.other()).clone();
            let dir = world.path(&other);
            git(&dir, &other, &["pull", "--quiet", "--no-rebase", "--no-edit"]);
            fs::remove_dir_all(dir.join("tables/t1/moves")).unwrap();
            write(&dir, "tables/t1/state.json", b"{}");
            write(&dir, "tables/t1/moves/9999-white-000000.json", b"{}");
            commit_all(&dir, &other);
            world.push(&other);
        }
        of(NOON + 1_000 * turn).apply_to("origin", &Actors::Authors, None).unwrap();
        assert!(!repo.dir().join("tables/t1/moves/9999-white-000000.json").exists());
        assert_eq!(game(repo.dir()).doc.sequence(), now.doc.sequence() + 1);
    }
    let end = game(repo.dir());
    assert!(end.doc.winner.is_some());
    let fresh = world.clone_of("fresh");
    // Without K: the secret was told at the end.
    let replay = legal(&fresh, None);
    assert_eq!(replay.proof, Proof::Secret);
    assert_eq!(replay.game.as_ref(), Some(&end));
    legal(&fresh, Some(&key));
    let text = replay.mat().unwrap();
    let record = mat::read(&text).unwrap();
    assert_eq!((mat::write(&record), &record.names[1][..]), (text, "alice"));
    end.doc.turn
}

/// Every second of the games, so that two tests share them.
fn random_games(first: usize) {
    // The short run takes two games that do not last long.
    let seeds = if std::env::var_os("PARLOR_PROOF").is_some() { 0..50 } else { 25..27 };
    let turns: Vec<u32> = seeds.skip(first).step_by(2).map(whole_game).collect();
    println!("{} games, {} turns", turns.len(), turns.iter().sum::<u32>());
    assert!(turns.iter().all(|turns| *turns > 10), "{turns:?}");
}

#[test]
fn random_games_are_played_to_their_end_and_verified_from_a_fresh_clone() {
    random_games(0);
}

#[test]
fn other_random_games_are_played_to_their_end_and_verified_from_a_fresh_clone() {
    random_games(1);
}

#[test]
fn a_push_that_is_refused_is_judged_again_on_what_came_meanwhile() {
    let world = World::new(&["alice", "bob", "referee"]);
    let (repo, key) = (Repo::open(&world.path("referee")).unwrap(), key());
    referee(&repo, Some(&key))
        .apply_to("origin", &Actors::Authors, Some(&new_table("t1")))
        .unwrap();
    let mover = {
        let now = game(repo.dir());
        now.doc.players.of(now.doc.active).clone()
    };
    world.move_of(&mover, 1);
    // Whoever asks the forge gives somebody time to push.
    let other = if mover == "alice" { "bob" } else { "alice" };
    let calls = std::cell::Cell::new(0);
    let ask = |head: &str| {
        calls.set(calls.get() + 1);
        let zero = "0".repeat(40);
        let parent = git(repo.dir(), "x", &["rev-parse", &format!("{head}~1")]);
        let mut pushes = vec![Push { actor: mover.clone(), before: zero, after: head.to_owned() }];
        if calls.get() == 1 {
            let dir = world.path(other);
            git(&dir, other, &["pull", "--quiet", "--no-rebase"]);
            write(&dir, "tables/t1/match.json", b"mine");
            commit_all(&dir, other);
            world.push(other);
        } else {
            let mine =
                Push { before: "0".repeat(40), after: parent.trim().into(), ..pushes[0].clone() };
            let theirs = Push {
                actor: other.to_owned(),
                before: parent.trim().into(),
                after: head.to_owned(),
            };
            pushes = vec![mine, theirs];
        }
        Ok(pushes)
    };
    let done = referee(&repo, Some(&key)).apply_to("origin", &Actors::Forge(&ask), None).unwrap();
    assert_eq!(calls.get(), 2, "the first push was refused");
    assert_eq!(done.len(), 2, "{done:?}");
    assert!(done[0].refused && !done[1].refused, "{done:?}");
    assert_eq!(game(repo.dir()).doc.sequence(), 1, "the move was not lost");
    let hub = git(&world.path("hub"), "x", &["rev-parse", "main"]);
    assert_eq!(hub.trim(), head(repo.dir()));
    legal(&world.clone_of("fresh"), Some(&key));
}

#[test]
fn what_the_forge_does_not_know_yet_is_not_judged() {
    let folder = Folder::new();
    let repo = repository(folder.path());
    open(&repo, None);
    let now = game(repo.dir());
    push_move(repo.dir(), &now, &some_move(&now, 0));
    let nothing = |_: &str| Ok(Vec::new());
    let error = referee(&repo, None).apply(&Actors::Forge(&nothing), None).unwrap_err();
    assert!(error.to_string().contains("does not say yet"), "{error}");
    assert_eq!(apply(&repo, None).unwrap().len(), 1);
}

#[test]
fn a_move_that_was_taken_back_is_not_brought_back_by_a_merge() {
    let folder = Folder::new();
    let repo = repository(folder.path());
    open(&repo, None);
    let (dir, now) = (repo.dir(), game(repo.dir()));
    let (mover, other) = match now.doc.active {
        parlor_git_play::Color::White => ("alice", "bob"),
        parlor_git_play::Color::Black => ("bob", "alice"),
    };
    let path = push_move(dir, &now, &some_move(&now, 0));
    git(dir, other, &["branch", "old"]);
    fs::remove_file(dir.join(&path)).unwrap();
    commit_all(dir, mover);
    git(dir, other, &["checkout", "--quiet", "old"]);
    git(dir, other, &["commit", "--quiet", "--allow-empty", "--message", "x"]);
    git(dir, other, &["merge", "--quiet", "--no-edit", "--strategy=ours", "main"]);
    assert!(dir.join(&path).exists());
    let done = apply(&repo, None).unwrap();
    assert!(done[0].refused && done[0].title.ends_with("wrong_actor"), "{done:?}");
    assert_eq!(game(dir).doc.sequence(), 0);
}

#[test]
fn nobody_s_move_is_lost_because_another_wrote_into_its_file() {
    let folder = Folder::new();
    let repo = repository(folder.path());
    open(&repo, None);
    let (dir, now) = (repo.dir(), game(repo.dir()));
    let file = some_move(&now, 0);
    let path = push_move(dir, &now, &file);
    let edited = parlor_git_play::MoveFile { comment: Some("hi".to_owned()), ..file.clone() };
    write(dir, &path, edited.write().as_bytes());
    commit_all(dir, now.doc.players.of(now.doc.active.other()));
    let done = apply(&repo, None).unwrap();
    assert!(!done[0].refused, "{done:?}");
    assert_eq!(fs::read_to_string(dir.join(&path)).unwrap(), file.write());
    assert_eq!(git(dir, "x", &["status", "--short"]), "");
    legal(&repo, None);
}

#[test]
fn nobody_is_asked_for_by_whom_what_is_not_played_was_pushed() {
    let folder = Folder::new();
    let repo = repository(folder.path());
    open(&repo, None);
    write(repo.dir(), "README.md", b"long ago");
    commit_all(repo.dir(), "carol");
    let before = head(repo.dir());
    let now = game(repo.dir());
    push_move(repo.dir(), &now, &some_move(&now, 0));
    let actor = now.doc.players.of(now.doc.active);
    let ask = |after: &str| {
        Ok(vec![Push { actor: actor.clone(), before: before.clone(), after: after.to_owned() }])
    };
    let done = referee(&repo, None).apply(&Actors::Forge(&ask), None).unwrap();
    assert!(!done[0].refused, "{done:?}");
}

#[test]
fn the_forge_s_actor_counts_not_the_author_of_a_commit() {
    let folder = Folder::new();
    let repo = repository(folder.path());
    open(&repo, None);
    let now = game(repo.dir());
    // The commit says it is its player's, the push is another's.
    push_move(repo.dir(), &now, &some_move(&now, 0));
    let ask = |head: &str| {
        let push = Push { actor: "mallory".into(), before: "0".repeat(40), after: head.to_owned() };
        Ok(vec![push])
    };
    let done = referee(&repo, None).apply(&Actors::Forge(&ask), None).unwrap();
    assert!(done[0].refused && done[0].title.ends_with("wrong_actor"), "{done:?}");
}

#[test]
fn names_of_players_have_no_case() {
    let folder = Folder::new();
    let repo = repository(folder.path());
    open(&repo, None);
    let now = game(repo.dir());
    push_move(repo.dir(), &now, &some_move(&now, 0));
    let actor = now.doc.players.of(now.doc.active).to_uppercase();
    let done = referee(&repo, None).apply(&Actors::One(actor), None).unwrap();
    assert!(!done[0].refused, "{done:?}");
}

#[test]
fn a_rejected_file_does_not_make_the_waiting_move_stale() {
    let folder = Folder::new();
    let repo = repository(folder.path());
    open(&repo, None);
    let now = game(repo.dir());
    let file = some_move(&now, 0);
    write(repo.dir(), "tables/t1/moves/0001-white-000000.json", b"nonsense");
    commit_all(repo.dir(), "bob");
    assert!(apply(&repo, None).unwrap()[0].refused);
    push_move(repo.dir(), &now, &file);
    assert!(!apply(&repo, None).unwrap()[0].refused);
}

#[test]
fn state_plays_pictures_and_dice_come_in_one_commit() {
    let folder = Folder::new();
    let repo = repository(folder.path());
    open(&repo, None);
    let now = game(repo.dir());
    let path = push_move(repo.dir(), &now, &some_move(&now, 0));
    apply(&repo, None).unwrap();
    let names = git(repo.dir(), "x", &["show", "--name-only", "--format=", "HEAD"]);
    let names: Vec<&str> = names.lines().collect();
    let all = ["badge.svg", "board.svg", "legal.json", "match.json", "state.json"];
    assert_eq!(names, all.map(|name| format!("tables/t1/{name}")));
    assert!(repo.dir().join(path).exists());
    for picture in ["badge.svg", "board.svg"] {
        let text = fs::read_to_string(repo.dir().join("tables/t1").join(picture)).unwrap();
        assert!(text.starts_with("<svg ") && text.ends_with("</svg>\n"));
    }
}

#[test]
fn a_match_goes_on_and_is_verified_to_its_end() {
    let folder = Folder::new();
    let (repo, key) = (repository(folder.path()), key());
    let request = Request::New {
        table: table("t1"),
        players: players(),
        layout: Layout::Standard,
        length: 3,
    };
    referee(&repo, Some(&key)).apply(&Actors::Authors, Some(&request)).unwrap();
    turns(&repo, Some(&key), 3);
    let resign = |value: u8, player: &str| {
        let value = value.try_into().unwrap();
        let request = Request::Resign { table: table("t1"), player: player.to_owned(), value };
        referee(&repo, Some(&key)).apply(&Actors::Authors, Some(&request)).unwrap()
    };
    assert_eq!(resign(2, "Alice").len(), 2, "the end of a game, and the next");
    let now = game(repo.dir());
    assert_eq!((now.meta.game, now.doc.turn, now.meta.score.black), (2, 1, 2));
    assert!(!repo.dir().join("tables/t1/moves").exists());
    turns(&repo, Some(&key), 2);
    assert_eq!(resign(1, "alice").len(), 1);
    assert!(game(repo.dir()).meta.fairness.secret.is_some());
    let replay = legal(&repo, None);
    assert_eq!(replay.proof, Proof::Secret);
    assert!(replay.mat().unwrap().contains(" Game 2"));
    let again = Request::New {
        table: table("t1"),
        players: players(),
        layout: Layout::Standard,
        length: 0,
    };
    let error = referee(&repo, Some(&key)).apply(&Actors::Authors, Some(&again)).unwrap_err();
    assert!(error.to_string().contains("take another name"), "{error}");
}
