//! A process under load is killed; what it has acknowledged is there.

use crate::support::{Folder, Scribe, another, append_all, first_unchained, id, table, wait};
use parlor_journal::{Append, Durability, Effect, Journal, JournalError, Outcome, Reader, Sqlite};
use parlor_testkit::count;
use std::collections::HashMap;
use std::hash::{BuildHasher as _, RandomState};
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::Stdio;

const FILE: &str = "PARLOR_KILL_FILE";
const THREADS: usize = 4;
const TABLES: usize = 20;

fn durability(round: u32) -> Durability {
    if round.is_multiple_of(2) { Durability::PowerSafe } else { Durability::ProcessSafe }
}

fn names() -> impl Iterator<Item = String> {
    (0..THREADS * TABLES).map(|n| format!("t-{n}"))
}

#[tokio::test]
async fn nothing_acknowledged_is_lost_in_a_kill() {
    let folder = Folder::new();
    let mut acknowledged = HashMap::new();
    for round in 0..count(3, 20) {
        let mut child = another("kill::the_one_that_is_killed")
            .env(FILE, folder.file())
            .env("PARLOR_KILL_ROUND", round.to_string())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the test runs again");
        let mut lines = BufReader::new(child.stdout.take().expect("piped"));
        // Whenever so many have been read, the child is anywhere in its work.
        let moment = 1 + RandomState::new().hash_one(round) % 9_000;
        let mut heard = 0;
        let mut line = String::new();
        while lines.read_line(&mut line).expect("readable") > 0 {
            // What the kill has cut off was not said.
            if let Some((_, said)) = line.strip_suffix('\n').and_then(|l| l.split_once("stored ")) {
                let mut words = said.split(' ').map(str::to_owned);
                let mut word = || words.next().expect("three words");
                let at = (word(), word().parse::<u64>().expect("a number"));
                let twice = acknowledged.insert(at.clone(), word());
                assert_eq!(twice, None, "{at:?} was acknowledged twice");
                heard += 1;
                if heard == moment {
                    child.kill().expect("killed");
                }
            }
            line.clear();
        }
        let status = child.wait().expect("ended");
        assert!(status.code().is_none(), "the child ended by itself: {status}");
        compare(&folder.file(), durability(round), &acknowledged).await;
    }
    assert!(!acknowledged.is_empty());
}

async fn compare(
    file: &Path,
    durability: Durability,
    acknowledged: &HashMap<(String, u64), String>,
) {
    let journal = Sqlite::open(file, durability).expect("opens after a kill");
    let mut found = 0;
    for name in names() {
        let entries = match journal.read_from(&id(&name), 0, usize::MAX).await {
            Err(JournalError::Unknown(_)) => Vec::new(),
            other => other.expect("readable"),
        };
        assert_eq!(first_unchained(&table(&name).header, &entries), None, "{name}");
        let counted = journal.record("count", &name).await.expect("readable");
        let counted = counted.map_or(0, |text| text.parse().expect("a number"));
        assert_eq!(entries.len(), counted, "{name}: an entry and its effects are stored together");
        let said = |seq: u64| acknowledged.get(&(name.clone(), seq));
        for entry in &entries {
            // The digest is over all bytes of the log up to here.
            if let Some(digest) = said(entry.seq) {
                assert_eq!(entry.digest.to_string(), *digest, "{name} {}", entry.seq);
                found += 1;
            }
        }
    }
    assert_eq!(found, acknowledged.len(), "something acknowledged is missing");
}

#[test]
fn the_one_that_is_killed() {
    let (Some(file), Ok(round)) = (std::env::var_os(FILE), std::env::var("PARLOR_KILL_ROUND"))
    else {
        return;
    };
    let durability = durability(round.parse().expect("a number"));
    let journal = Sqlite::open(Path::new(&file), durability).expect("opens");
    println!();
    let names: Vec<String> = names().collect();
    std::thread::scope(|scope| {
        for own in names.chunks(TABLES) {
            scope.spawn(|| wait(append_forever(&journal, own)));
        }
    });
}

async fn append_forever(journal: &Sqlite, names: &[String]) {
    let mut scribes = Vec::new();
    for name in names {
        let fresh = journal.create(&table(name)).await.is_ok();
        let entries = journal.read_from(&id(name), 0, usize::MAX).await.expect("readable");
        scribes.push(match entries.last() {
            Some(last) if !fresh => Scribe::after(id(name), last),
            _ => Scribe::new(&table(name)),
        });
    }
    loop {
        let batch: Vec<Append> = scribes
            .iter_mut()
            .zip(names)
            .map(|(scribe, key)| {
                let (kind, key) = ("count".to_owned(), key.clone());
                let effects = vec![Effect::Add { kind, key, amount: 1, floor: None }];
                Append { effects, ..scribe.append() }
            })
            .collect();
        let outcomes = append_all(journal, batch.clone()).await.expect("healthy");
        for (Append { table, entry, .. }, outcome) in batch.iter().zip(outcomes) {
            assert_eq!(outcome, Outcome::Stored);
            // One write a line, and none of it later than the next entry of the table.
            let line = format!("stored {table} {} {}\n", entry.seq, entry.digest);
            std::io::stdout().write_all(line.as_bytes()).expect("someone listens");
        }
    }
}
