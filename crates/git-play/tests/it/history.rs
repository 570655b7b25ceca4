//! Real repositories: a bare one, two players' clones, a referee's, and whoever looks afterwards.

use crate::contract::is_by_the_schema;
use crate::support::{
    Folder, NOON, apply, as_referee, commit_all, game, git, key, new_table, open, players,
    push_move, referee, repository, some_move, table, try_git, write,
};
use parlor_git_play::apply::{Actors, Push, Referee, Request, files};
use parlor_git_play::git::Op;
use parlor_git_play::matches::Layout;
use parlor_git_play::verify::{Proof, Replay, replay};
use parlor_git_play::{Doc, Game, Key, Repo};
use parlor_rules_backgammon::mat;
use parlor_table::Bytes32;
use std::fs;
use std::path::{Path, PathBuf};

fn checked(repo: &Repo, key: Option<&Key>) -> Replay {
    replay(repo, &table("t1"), key).unwrap()
}

fn legal(repo: &Repo, key: Option<&Key>) -> Replay {
    let replay = checked(repo, key);
    assert_eq!(replay.wrong, None);
    replay
}

#[track_caller]
fn wrong(repo: &Repo, key: Option<&Key>, commit: &str, why: &str) {
    let found = checked(repo, key).wrong.expect("something is wrong");
    assert_eq!(found.commit, commit, "{}", found.why);
    assert!(found.why.contains(why), "{}", found.why);
}

fn head(dir: &Path) -> String {
    git(dir, "x", &["rev-parse", "HEAD"]).trim().to_owned()
}

/// Plays turns at `t1` in one repository.
fn turns(repo: &Repo, key: Option<&Key>, count: usize) {
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
struct World {
    folder: Folder,
}

impl World {
    fn new(clones: &[&str]) -> Self {
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

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn clone_of(&self, name: &str) -> Repo {
        git(self.folder.path(), "x", &["clone", "--quiet", "hub", name]);
        Repo::open(&self.path(name)).unwrap()
    }

    /// A player looks, moves and pushes, as often as it takes.
    fn move_of(&self, who: &str, number: usize) {
        let dir = self.path(who);
        git(&dir, who, &["pull", "--quiet", "--no-rebase", "--no-edit"]);
        let now = game(&dir);
        push_move(&dir, &now, &some_move(&now, number));
        self.push(who);
    }

    fn push(&self, who: &str) {
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
            // The other one pushes nonsense at the same time, and edits the state.
            let other = now.doc.players.of(now.doc.active.other()).clone();
            let dir = world.path(&other);
            git(&dir, &other, &["pull", "--quiet", "--no-rebase", "--no-edit"]);
            write(&dir, "tables/t1/state.json", b"{}");
            write(&dir, "tables/t1/moves/9999-white-000000.json", b"{}");
            commit_all(&dir, &other);
            world.push(&other);
        }
        of(NOON + 1_000 * turn).apply_to("origin", &Actors::Authors, None).unwrap();
        assert!(!repo.dir().join("tables/t1/moves/9999-white-000000.json").exists());
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

#[test]
fn random_games_are_played_to_their_end_and_verified_from_a_fresh_clone() {
    let games = if std::env::var_os("PARLOR_PROOF").is_some() { 50 } else { 2 };
    let turns: u32 = (0..games).map(whole_game).sum();
    println!("{games} games, {turns} turns");
    assert!(turns > 20 * games as u32);
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

// What `verify` finds.

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
