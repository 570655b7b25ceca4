//! What `verify` finds, and what it does not take for wrong.

use crate::history::{World, checked, head, legal, turns, wrong};
use crate::support::{
    Folder, NOON, apply, as_referee, commit_all, game, git, key, new_table, open, push_move,
    referee, repository, some_move, table, write,
};
use parlor_git_play::apply::{Actors, Request, files};
use parlor_git_play::git::Op;
use parlor_git_play::verify::{Proof, replay};
use parlor_git_play::{Game, Key, Repo};

/// Plays some turns, changes the table as a dishonest referee, and commits it as one.
fn forged(
    key: Option<&Key>,
    forge: impl FnOnce(&mut Game, &mut Vec<u8>),
) -> (Folder, Repo, String) {
    let folder = Folder::new();
    let repo = repository(folder.path());
    open(&repo, key);
    turns(&repo, key, 4);
    let now = game(repo.dir());
    let path = push_move(repo.dir(), &now, &some_move(&now, 3));
    apply(&repo, key).unwrap();
    let mut after = game(repo.dir());
    let message = git(repo.dir(), "x", &["log", "-1", "--format=%B"]);
    let dice = message.lines().find_map(|line| line.strip_prefix("Dice: ")).unwrap();
    let mut dice: Vec<u8> = dice.split(' ').map(|die| die.parse().unwrap()).collect();
    git(repo.dir(), "x", &["reset", "--hard", "--quiet", "HEAD~1"]);
    forge(&mut after, &mut dice);
    let ops = written(&after);
    let dice: Vec<String> = dice.iter().map(u8::to_string).collect();
    let message = format!("t1: a turn\n\nTable: t1\nDice: {}", dice.join(" "));
    let id = commit_with(&repo, key, &ops, &message);
    assert!(repo.dir().join(path).exists());
    (folder, repo, id)
}

/// All files of `t1`.
fn written(game: &Game) -> [Op; 5] {
    files(game).map(|(name, text)| Op::Write(format!("tables/t1/{name}"), text.into_bytes()))
}

/// Like [`as_referee`], for a message that ends with trailers.
fn commit_with(repo: &Repo, key: Option<&Key>, ops: &[Op], message: &str) -> String {
    let parent = head(repo.dir());
    let mut import = repo.import().unwrap();
    let sealed = |tables: &str| {
        let seal = key.map_or("unsealed".to_owned(), |key| key.seal(tables, &parent).to_string());
        format!("{message}\nReferee: {seal}\n")
    };
    let id = import.commit(Some(&parent), NOON / 1_000, ops, sealed).unwrap();
    import.done().unwrap();
    git(repo.dir(), "x", &["merge", "--ff-only", "--quiet", &id]);
    id
}

#[test]
fn verify_finds_a_referee_who_rolled_again() {
    let key = key();
    let (_folder, repo, id) = forged(Some(&key), |game, dice| {
        game.doc.dice = if game.doc.dice == [6, 1] { [2, 1] } else { [6, 1] };
        let last = dice.len() - 2;
        dice[last..].copy_from_slice(&game.doc.dice);
    });
    wrong(&repo, Some(&key), &id, "the dice");
    // Whoever has not the secret finds it when the secret is told.
    assert_eq!(checked(&repo, None).proof, Proof::Later);
    assert_eq!(checked(&repo, None).wrong, None);
    resign(&repo, &key);
    wrong(&repo, None, &id, "the dice");
}

/// Alice gives up.
fn resign(repo: &Repo, key: &Key) {
    let (player, value) = ("alice".to_owned(), 1u8.try_into().unwrap());
    let request = Request::Resign { table: table("t1"), player, value };
    referee(repo, Some(key)).apply(&Actors::Authors, Some(&request)).unwrap();
}

#[test]
fn verify_finds_a_roll_that_is_not_the_one_written_down() {
    let (_folder, repo, id) = forged(None, |_, dice| dice.extend([1, 1]));
    wrong(&repo, None, &id, "");
    assert_eq!(checked(&repo, None).proof, Proof::Recorded);
}

#[test]
fn verify_finds_an_edited_state() {
    let (_folder, repo, id) = forged(None, |game, _| {
        game.doc.players.white = "mallory".to_owned();
    });
    wrong(&repo, None, &id, "mallory");
    let (_folder, repo, id) = forged(None, |game, _| game.meta.score.white = 3);
    wrong(&repo, None, &id, "3");
    let (_folder, repo, id) = forged(None, |game, _| game.doc.messages.clear());
    wrong(&repo, None, &id, "");
}

#[test]
fn verify_finds_an_illegal_move_in_the_history() {
    let folder = Folder::new();
    let repo = repository(folder.path());
    open(&repo, None);
    turns(&repo, None, 2);
    let now = game(repo.dir());
    let legal_move = some_move(&now, 0);
    let mut file = legal_move.clone();
    file.moves.truncate(1);
    let path = push_move(repo.dir(), &now, &file);
    // A referee who lets it pass.
    let name = file.name(now.doc.sequence() + 1);
    let step = now.play(
        &legal_move,
        &legal_move.name(now.doc.sequence() + 1),
        &mut parlor_git_play::game::Chance::tape(&[2, 1, 2, 1, 2, 1]),
        NOON,
    );
    let mut after = step.unwrap().game;
    after.doc.last.as_mut().unwrap().file = name.to_string();
    let ops = [Op::Write("tables/t1/state.json".to_owned(), after.doc.write().into_bytes())];
    let id = commit_with(&repo, None, &ops, "t1: a turn\n\nTable: t1\nDice: 2 1");
    assert!(repo.dir().join(path).exists());
    wrong(&repo, None, &id, "as many dice");
}

#[test]
fn verify_finds_a_change_that_no_move_explains() {
    let (_folder, repo, _) = forged(None, |_, _| {});
    legal(&repo, None);
    let mut now = game(repo.dir());
    now.doc.turn += 1;
    let ops = [Op::Write("tables/t1/state.json".to_owned(), now.doc.write().into_bytes())];
    let id = as_referee(&repo, None, &ops, "t1: nothing");
    wrong(&repo, None, &id, "without a move");
}

#[test]
fn verify_finds_plays_that_are_not_legal() {
    let folder = Folder::new();
    let repo = repository(folder.path());
    open(&repo, None);
    let now = game(repo.dir());
    let file = some_move(&now, 0);
    push_move(repo.dir(), &now, &file);
    let name = file.name(1);
    let mut chance = parlor_git_play::game::Chance::tape(&[2, 1]);
    let after = now.play(&file, &name, &mut chance, NOON).unwrap().game;
    let mut ops = written(&after);
    ops[2] = Op::Write("tables/t1/legal.json".to_owned(), now.legal().into_bytes());
    let id = commit_with(&repo, None, &ops, "t1: a turn\n\nTable: t1\nDice: 2 1");
    wrong(&repo, None, &id, "legal.json");
}

#[test]
fn verify_finds_that_the_plays_are_gone() {
    let (_folder, repo, _) = forged(None, |_, _| {});
    let now = game(repo.dir());
    let file = some_move(&now, 0);
    push_move(repo.dir(), &now, &file);
    let name = file.name(now.doc.sequence() + 1);
    let mut chance = parlor_git_play::game::Chance::tape(&[2, 1]);
    let after = now.play(&file, &name, &mut chance, NOON).unwrap().game;
    let mut ops = written(&after);
    ops[2] = Op::Delete(b"tables/t1/legal.json".to_vec());
    let id = commit_with(&repo, None, &ops, "t1: a turn\n\nTable: t1\nDice: 2 1");
    wrong(&repo, None, &id, "legal.json");
}

#[test]
fn verify_finds_a_secret_that_is_never_told() {
    let folder = Folder::new();
    let (repo, key) = (repository(folder.path()), key());
    open(&repo, Some(&key));
    turns(&repo, Some(&key), 2);
    resign(&repo, &key);
    let mut after = game(repo.dir());
    git(repo.dir(), "x", &["reset", "--hard", "--quiet", "HEAD~1"]);
    after.meta.fairness.secret = None;
    let id = commit_with(&repo, Some(&key), &written(&after), "t1: alice resigns\n\nTable: t1");
    wrong(&repo, None, &id, "secret");
    wrong(&repo, Some(&key), &id, "secret");
}

#[test]
fn a_clone_that_is_cut_off_is_not_taken_for_a_history() {
    let world = World::new(&["referee"]);
    let (repo, key) = (Repo::open(&world.path("referee")).unwrap(), key());
    open(&repo, Some(&key));
    turns(&repo, Some(&key), 2);
    world.push("referee");
    let hub = format!("file://{}", world.path("hub").display());
    git(&world.path("."), "x", &["clone", "--quiet", "--depth=1", &hub, "cut"]);
    let cut = Repo::open(&world.path("cut")).unwrap();
    let told = |error: parlor_git_play::GitError| {
        assert!(error.to_string().contains("git fetch --unshallow"), "{error}");
    };
    told(replay(&cut, &table("t1"), None).unwrap_err());
    told(apply(&cut, Some(&key)).unwrap_err());
    git(cut.dir(), "x", &["fetch", "--quiet", "--unshallow"]);
    legal(&Repo::open(cut.dir()).unwrap(), Some(&key));
}

#[test]
fn verify_finds_a_legal_move_that_was_refused() {
    let folder = Folder::new();
    let repo = repository(folder.path());
    open(&repo, None);
    let now = game(repo.dir());
    let file = some_move(&now, 0);
    let path = push_move(repo.dir(), &now, &file);
    let name = file.name(1);
    let after = now.told(
        parlor_git_play::doc::Kind::Error,
        format!("Invalid move rejected: {name}: because"),
        NOON,
    );
    let ops = [
        Op::Delete(path.into_bytes()),
        Op::Write("tables/t1/state.json".to_owned(), after.doc.write().into_bytes()),
    ];
    let id = as_referee(&repo, None, &ops, &format!("t1: reject {name}: stale"));
    wrong(&repo, None, &id, "though it was legal");
}

#[test]
fn verify_finds_what_was_edited_since() {
    let folder = Folder::new();
    let repo = repository(folder.path());
    open(&repo, None);
    turns(&repo, None, 2);
    write(repo.dir(), "tables/t1/state.json", b"{}");
    commit_all(repo.dir(), "bob");
    let id = head(repo.dir());
    commit_all(repo.dir(), "alice");
    wrong(&repo, None, &id, "state.json was changed");
    apply(&repo, None).unwrap();
    legal(&repo, None);
}

#[test]
fn only_the_holder_of_the_secret_can_write_as_the_referee() {
    let folder = Folder::new();
    let (repo, key) = (repository(folder.path()), key());
    open(&repo, Some(&key));
    turns(&repo, Some(&key), 2);
    let honest = game(repo.dir());
    let mut cheat = honest.clone();
    cheat.doc.dice = [6, 6];
    let ops = [Op::Write("tables/t1/state.json".to_owned(), cheat.doc.write().into_bytes())];
    let other = Key::new("another secret altogether").unwrap();
    for forger in [None, Some(&other)] {
        let id = as_referee(&repo, forger, &ops, "t1: a forgery");
        wrong(&repo, Some(&key), &id, "not by the referee");
        wrong(&repo, None, &id, "without a move");
        let done = apply(&repo, Some(&key)).unwrap();
        assert!(done[0].refused, "{done:?}");
        assert_eq!(game(repo.dir()).doc.dice, honest.doc.dice, "it is put back");
        turns(&repo, Some(&key), 1);
        for (key, why) in [(Some(&key), "seal"), (None, "without a move")] {
            let replay = legal(&repo, key);
            assert_eq!(replay.warnings.len(), 1, "{:?}", replay.warnings);
            assert_eq!(replay.warnings[0].commit, id);
            assert!(replay.warnings[0].why.contains(why), "{:?}", replay.warnings);
        }
        git(repo.dir(), "x", &["reset", "--hard", "--quiet", "HEAD~2"]);
        git(repo.dir(), "x", &["reset", "--hard", "--quiet", "HEAD~2"]);
    }
    // A referee with another secret does not take these tables for its own.
    let found = checked(&repo, Some(&other)).wrong.expect("no seal of this secret");
    assert!(found.why.contains("seal of this secret"), "{}", found.why);
    let error = apply(&repo, Some(&other)).unwrap_err();
    assert!(error.to_string().contains("right secret"), "{error}");
}

#[test]
fn a_table_is_not_blamed_for_what_another_s_commit_came_with() {
    let folder = Folder::new();
    let (repo, key) = (repository(folder.path()), key());
    open(&repo, Some(&key));
    referee(&repo, Some(&key)).apply(&Actors::Authors, Some(&new_table("t2"))).unwrap();
    for table in ["t1", "t2"] {
        write(repo.dir(), &format!("tables/{table}/state.json"), b"{}");
    }
    commit_all(repo.dir(), "bob");
    assert_eq!(apply(&repo, Some(&key)).unwrap().len(), 2);
    for id in ["t1", "t2"] {
        let replay = replay(&repo, &table(id), None).unwrap();
        assert_eq!((replay.wrong, replay.warnings, replay.entries.len()), (None, Vec::new(), 2));
    }
}

#[test]
fn without_the_secret_the_dice_of_a_table_that_has_one_are_not_rolled() {
    let folder = Folder::new();
    let (repo, key) = (repository(folder.path()), key());
    open(&repo, Some(&key));
    let now = game(repo.dir());
    push_move(repo.dir(), &now, &some_move(&now, 0));
    let error = apply(&repo, None).unwrap_err();
    assert!(error.to_string().contains("need the secret"), "{error}");
    assert!(!apply(&repo, Some(&key)).unwrap()[0].refused);
}

#[test]
fn rewinding_the_repository_does_not_roll_again() {
    let folder = Folder::new();
    let (repo, key) = (repository(folder.path()), key());
    open(&repo, Some(&key));
    let now = game(repo.dir());
    let mut dice = Vec::new();
    for number in [0, 1, 2] {
        push_move(repo.dir(), &now, &some_move(&now, number));
        apply(&repo, Some(&key)).unwrap();
        let after = game(repo.dir());
        dice.push(after.doc.dice);
        git(repo.dir(), "x", &["reset", "--hard", "--quiet", "HEAD~2"]);
    }
    assert!(dice.iter().all(|one| *one == dice[0]), "{dice:?}");
}
