//! What the referee costs: processes of git and files read, not seconds.

use crate::support::{
    Folder, apply, as_referee, game, open, push_move, repository, some_move, table,
};
use parlor_git_play::Repo;
use parlor_git_play::git::Op;
use parlor_git_play::verify::replay;

/// How many processes one turn takes.
fn one_turn(repo: &Repo, number: usize) -> u32 {
    let now = game(repo.dir());
    push_move(repo.dir(), &now, &some_move(&now, number));
    let before = repo.started();
    assert!(!apply(repo, None).unwrap()[0].refused);
    repo.started() - before
}

#[test]
fn a_turn_at_a_table_with_1000_moves_takes_no_more_processes_than_the_first() {
    let folder = Folder::new();
    let repo = repository(folder.path());
    open(&repo, None);
    let first = one_turn(&repo, 0);
    // A thousand accepted moves lie there.
    let now = game(repo.dir());
    let mut doc = now.doc.clone();
    let mut ops: Vec<Op> = (1..=1_000u32)
        .map(|n| {
            let name = format!("tables/t1/moves/{n:04}-white-{:06x}.json", n);
            Op::Write(name, b"{}\n".to_vec())
        })
        .collect();
    let last = doc.last.as_mut().unwrap();
    (last.sequence, last.file) = (1_000, format!("1000-{}-0003e8.json", last.player));
    doc.turn = 1_001;
    ops.push(Op::Write("tables/t1/state.json".to_owned(), doc.write().into_bytes()));
    as_referee(&repo, None, &ops, "t1: a long game");
    let later = one_turn(&repo, 1);
    assert_eq!(first, later);
    assert!(later <= 9, "{later} processes");
    assert_eq!(game(repo.dir()).doc.sequence(), 1_001);
}

#[test]
fn verifying_a_long_game_takes_as_many_processes_as_a_short_one() {
    let folder = Folder::new();
    let repo = repository(folder.path());
    open(&repo, None);
    let mut counts = Vec::new();
    for turns in [2, 20] {
        (0..turns).for_each(|number| _ = one_turn(&repo, number));
        let before = repo.started();
        let replayed = replay(&repo, &table("t1"), None).unwrap();
        assert_eq!((replayed.wrong, replayed.entries.len() > turns), (None, true));
        counts.push(repo.started() - before);
    }
    assert_eq!(counts, [4, 4]);
}
