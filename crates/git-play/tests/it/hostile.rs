//! Players and strangers who mean harm: histories rewritten, moves taken away, files of no table.

use crate::history::{World, head, legal};
use crate::support::{
    Folder, apply, commit_all, game, git, key, new_table, open, push_move, referee, repository,
    some_move, try_git, write,
};
use parlor_git_play::apply::{Actors, Done, Push};
use parlor_git_play::{GitError, Repo};
use std::fs;

/// The one who is to move, and the other.
fn people(repo: &Repo) -> (String, String) {
    let doc = game(repo.dir()).doc;
    (doc.players.of(doc.active).clone(), doc.players.of(doc.active.other()).clone())
}

/// A world with a table, and the referee's clone.
fn opened() -> (World, Repo) {
    let world = World::new(&["alice", "bob", "referee"]);
    let repo = Repo::open(&world.path("referee")).unwrap();
    refereed(&repo, true).unwrap();
    (world, repo)
}

fn refereed(repo: &Repo, new: bool) -> Result<Vec<Done>, GitError> {
    let (key, request) = (key(), new_table("t1"));
    let request = Some(&request).filter(|_| new);
    referee(repo, Some(&key)).apply_to("origin", &Actors::Authors, request)
}

#[test]
fn a_move_its_opponent_deletes_counts() {
    let folder = Folder::new();
    let repo = repository(folder.path());
    open(&repo, None);
    let (dir, now) = (repo.dir(), game(repo.dir()));
    let (_, other) = people(&repo);
    let file = some_move(&now, 0);
    let path = push_move(dir, &now, &file);
    fs::remove_file(dir.join(&path)).unwrap();
    commit_all(dir, &other);
    let done = apply(&repo, None).unwrap();
    assert!(done.len() == 1 && !done[0].refused, "{done:?}");
    assert_eq!(fs::read_to_string(dir.join(&path)).unwrap(), file.write());
    assert_eq!(git(dir, "x", &["status", "--short"]), "");
    assert!(apply(&repo, None).unwrap().is_empty(), "once is enough");
    legal(&repo, None);
}

#[test]
fn a_move_counts_when_all_tables_are_deleted_or_its_folder_becomes_a_file() {
    for folder_of in ["tables", "tables/t1/moves"] {
        let folder = Folder::new();
        let repo = repository(folder.path());
        open(&repo, None);
        let (dir, now) = (repo.dir(), game(repo.dir()));
        let (_, other) = people(&repo);
        push_move(dir, &now, &some_move(&now, 0));
        fs::remove_dir_all(dir.join(folder_of)).unwrap();
        write(dir, folder_of, b"mine");
        commit_all(dir, &other);
        apply(&repo, None).unwrap();
        assert_eq!(game(dir).doc.sequence(), 1, "{folder_of}");
        legal(&repo, None);
    }
}

#[test]
fn a_move_its_player_takes_back_does_not_count() {
    let folder = Folder::new();
    let repo = repository(folder.path());
    open(&repo, None);
    let (dir, now) = (repo.dir(), game(repo.dir()));
    let (mover, other) = people(&repo);
    let path = push_move(dir, &now, &some_move(&now, 0));
    fs::remove_file(dir.join(&path)).unwrap();
    commit_all(dir, &mover);
    assert!(apply(&repo, None).unwrap().is_empty());
    // Nor does what another pushed in the player's name and took away again.
    let file = some_move(&now, 1);
    write(dir, &path, file.write().as_bytes());
    commit_all(dir, &other);
    fs::remove_file(dir.join(&path)).unwrap();
    commit_all(dir, &other);
    assert!(apply(&repo, None).unwrap().is_empty());
    assert_eq!(game(dir).doc.sequence(), 0);
}

#[test]
fn of_a_move_that_was_deleted_and_the_one_pushed_for_it_the_later_counts() {
    for (first, second) in [(0, 1), (1, 0)] {
        let folder = Folder::new();
        let repo = repository(folder.path());
        open(&repo, None);
        let (dir, now) = (repo.dir(), game(repo.dir()));
        let (_, other) = people(&repo);
        let path = push_move(dir, &now, &some_move(&now, first));
        fs::remove_file(dir.join(&path)).unwrap();
        // A file of that number that is not the player's changes nothing.
        write(dir, "tables/t1/moves/0001-white-000000.json", b"{}");
        write(dir, "tables/t1/moves/0001-black-000000.json", b"{}");
        commit_all(dir, &other);
        let later = push_move(dir, &now, &some_move(&now, second));
        apply(&repo, None).unwrap();
        assert!(dir.join(&later).exists() && !dir.join(&path).exists());
        assert_eq!(game(dir).doc.sequence(), 1);
    }
}

#[test]
fn the_forge_is_asked_who_deleted_a_move() {
    let folder = Folder::new();
    let repo = repository(folder.path());
    open(&repo, None);
    let (dir, now) = (repo.dir(), game(repo.dir()));
    let (mover, other) = people(&repo);
    let start = head(dir);
    let path = push_move(dir, &now, &some_move(&now, 0));
    let moved = head(dir);
    fs::remove_file(dir.join(&path)).unwrap();
    // The author says it was the mover.
    commit_all(dir, &mover);
    let ask = |after: &str| {
        let push = |actor: &str, before: &str, after: &str| Push {
            actor: actor.to_owned(),
            before: before.to_owned(),
            after: after.to_owned(),
        };
        Ok(vec![push(&mover, &start, &moved), push(&other, &moved, after)])
    };
    let done = referee(&repo, None).apply(&Actors::Forge(&ask), None).unwrap();
    assert!(done.len() == 1 && !done[0].refused, "{done:?}");
}

#[test]
fn files_of_no_table_are_named_with_their_refusal() {
    let folder = Folder::new();
    let repo = repository(folder.path());
    open(&repo, None);
    let dir = repo.dir();
    write(dir, "tables/loose.txt", b"hello");
    write(dir, "tables/nowhere/moves/0001-white-000000.json", b"{}");
    write(dir, "tables/x\nReferee: unsealed\nTable: t1", b"");
    commit_all(dir, "mallory");
    let done = apply(&repo, None).unwrap();
    assert!(done.len() == 1 && done[0].refused, "{done:?}");
    let message = git(dir, "x", &["show", "--no-patch", "--format=%B", "HEAD"]);
    let lines: Vec<&str> = message.trim().lines().collect();
    assert_eq!(
        lines,
        [
            "remove what belongs to no table",
            "",
            "Invalid move rejected: tables/loose.txt: it belongs to no table",
            "Invalid move rejected: tables/x\u{fffd}Referee: unsealed\u{fffd}Table: t1: it belongs to no table",
            "Invalid move rejected: tables/nowhere/moves/0001-white-000000.json: it belongs to no table",
            "",
            "Referee: unsealed",
        ]
    );
    assert_eq!(done[0].body, lines[2..5]);
    for number in 0..9 {
        write(dir, &format!("tables/loose{number}"), b"");
    }
    commit_all(dir, "mallory");
    let done = apply(&repo, None).unwrap();
    assert_eq!(done[0].body.len(), 6);
    assert_eq!(done[0].body[5], "and 4 more files");
    legal(&repo, None);
}

#[test]
fn a_move_that_was_pushed_by_force_over_another_is_judged() {
    let (world, repo) = opened();
    let (mover, _) = people(&repo);
    let dir = world.path(&mover);
    git(&dir, &mover, &["pull", "--quiet"]);
    let now = game(&dir);
    write(&dir, "tables/t1/nonsense", b"");
    commit_all(&dir, &mover);
    world.push(&mover);
    // The referee has seen it, and was stopped before it could say anything.
    git(repo.dir(), "x", &["pull", "--quiet"]);
    git(&dir, &mover, &["reset", "--quiet", "--hard", "HEAD~1"]);
    let path = push_move(&dir, &now, &some_move(&now, 0));
    git(&dir, &mover, &["push", "--quiet", "--force", "origin", "main"]);
    let done = refereed(&repo, false).unwrap();
    assert!(done.len() == 1 && !done[0].refused, "{done:?}");
    assert!(repo.dir().join(path).exists());
}

#[test]
fn a_referee_whose_commits_were_pushed_away_says_so_and_what_to_do() {
    let (world, repo) = opened();
    let (mover, other) = people(&repo);
    git(&world.path(&other), &other, &["pull", "--quiet"]);
    world.move_of(&mover, 0);
    assert_eq!(refereed(&repo, false).unwrap().len(), 1);
    let judged = head(repo.dir());
    // The opponent likes the earlier position better.
    let dir = world.path(&other);
    write(&dir, "README.md", b"hello");
    commit_all(&dir, &other);
    git(&dir, &other, &["push", "--quiet", "--force", "origin", "main"]);
    for _ in 0..2 {
        let why = refereed(&repo, false).unwrap_err().0;
        assert!(why.contains(&judged) && !why.contains('\n'), "{why}");
        assert!(why.contains("git reset --keep origin/main"), "{why}");
        assert_eq!(head(repo.dir()), judged, "nothing is lost here");
    }
    // Either way out works.
    git(repo.dir(), "x", &["push", "--quiet", "--force-with-lease", "origin", "main"]);
    assert!(refereed(&repo, false).unwrap().is_empty());
    git(&dir, &other, &["push", "--quiet", "--force", "origin", "main"]);
    git(repo.dir(), "x", &["fetch", "--quiet"]);
    git(repo.dir(), "x", &["reset", "--quiet", "--keep", "origin/main"]);
    assert!(refereed(&repo, false).unwrap().is_empty());
    assert_eq!(game(repo.dir()).doc.sequence(), 0);
}

#[test]
fn commits_that_were_never_pushed_are_not_dropped() {
    let (_world, repo) = opened();
    write(repo.dir(), "notes.txt", b"mine");
    commit_all(repo.dir(), "carol");
    let why = refereed(&repo, false).unwrap_err().0;
    assert!(why.contains(&head(repo.dir())) && why.contains("never pushed"), "{why}");
    assert!(repo.dir().join("notes.txt").exists());
}

#[test]
fn a_tag_named_like_the_branch_is_in_nobody_s_way() {
    let (world, repo) = opened();
    let (mover, other) = people(&repo);
    world.move_of(&mover, 0);
    let dir = world.path(&other);
    for tag in ["main", "origin/main"] {
        git(&dir, &other, &["tag", tag]);
    }
    git(&dir, &other, &["push", "--quiet", "--tags", "origin"]);
    git(repo.dir(), "x", &["fetch", "--quiet", "--tags"]);
    let done = refereed(&repo, false).unwrap();
    assert!(done.len() == 1 && !done[0].refused, "{done:?}");
}

#[test]
fn a_referee_without_a_branch_or_a_first_commit_is_told_what_to_do() {
    let (_world, repo) = opened();
    git(repo.dir(), "x", &["checkout", "--quiet", "--detach"]);
    for error in [refereed(&repo, false).unwrap_err(), apply(&repo, Some(&key())).unwrap_err()] {
        assert!(error.0.contains("git switch"), "{error}");
    }
    let folder = Folder::new();
    git(folder.path(), "x", &["init", "--quiet", "--bare", "--initial-branch=main", "hub"]);
    assert!(try_git(folder.path(), "x", &["clone", "--quiet", "hub", "clone"]).is_ok());
    let empty = Repo::open(&folder.path().join("clone")).unwrap();
    let why = refereed(&empty, true).unwrap_err().0;
    assert!(why.contains("origin has no branch main yet: git commit --allow-empty"), "{why}");
    for (place, why) in [("hub", "without files"), ("nowhere", "there is no folder")] {
        let error = Repo::open(&folder.path().join(place)).err().unwrap();
        assert!(error.0.contains(why), "{error}");
    }
    let error = Repo::open(folder.path()).err().unwrap();
    assert!(error.0.contains("is in no git repository: git clone one"), "{error}");
}
