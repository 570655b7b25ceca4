//! A disk that fails: nothing is acknowledged that is not there, and it goes on when the disk does.
//!
//! The faults come from `faults.c`, which stands between the program and libc. Where it cannot be
//! used these tests fail; only the real full disk is left out, aloud, where nothing may be mounted.

use crate::support::{Folder, Scribe, another, append_all, first_unchained, id, table, wait};
use futures_util::FutureExt as _;
use parlor_journal::{Durability, Health, Journal, JournalError, Outcome, Reader, Sqlite};
use parlor_table::Stored;
use std::fs;
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, TryRecvError};
use std::time::{Duration, Instant};

const CONTROL: &str = "PARLOR_FAULT";

/// Waits for something that happens on another thread.
fn until(what: &str, mut happened: impl FnMut() -> bool) {
    let start = Instant::now();
    while !happened() {
        assert!(start.elapsed() < Duration::from_secs(60), "in vain: {what}");
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// Runs an ignored test with the faults at hand.
fn with_faults(test: &str) {
    let folder = Folder::new();
    let library = folder.path().join("faults.so");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/faults.c");
    let built = Command::new("cc")
        .args(["-shared", "-fPIC", "-O1", "-o"])
        .args([&library, &source])
        .status()
        .expect("there is a C compiler, since SQLite was built");
    assert!(built.success());
    let out = another(test)
        .env("LD_PRELOAD", &library)
        .env(CONTROL, folder.path().join("control"))
        .env("PARLOR_FAULT_FOLDER", folder.path())
        .output()
        .expect("the test runs again");
    let said = String::from_utf8_lossy(&out.stdout) + String::from_utf8_lossy(&out.stderr);
    assert!(out.status.success() && said.contains("1 passed"), "{said}");
}

/// In the process that has the faults: a journal with one entry, and the table's scribe.
struct Failing {
    journal: Arc<Sqlite>,
    scribe: Scribe,
    control: PathBuf,
    file: PathBuf,
}

impl Failing {
    fn new() -> Option<Self> {
        let control = PathBuf::from(std::env::var_os(CONTROL)?);
        let folder = PathBuf::from(std::env::var_os("PARLOR_FAULT_FOLDER")?);
        let file = folder.join("journal.db");
        let journal = Sqlite::open(&file, Durability::PowerSafe).expect("opens");
        wait(journal.create(&table("a"))).expect("new");
        let mut failing =
            Self { journal: Arc::new(journal), scribe: Scribe::new(&table("a")), control, file };
        failing.must_store();
        Some(failing)
    }

    fn fault(&self, word: &str) {
        fs::write(&self.control, word).expect("written");
        // Were the faults not loaded, the tests would pass without having tested anything.
        let try_it = fs::File::create(self.file.with_file_name("journal.db-try"))
            .and_then(|mut file| std::io::Write::write_all(&mut file, b"x").and(file.sync_all()));
        assert!(word == "fsync-once" || try_it.is_err(), "no fault came from {word}");
        fs::write(&self.control, word).expect("written");
    }

    fn heal(&self) {
        fs::remove_file(&self.control).expect("removed");
    }

    /// Submits the next entry; tried again, it is the same.
    fn submit(&self) -> Receiver<Result<Outcome, JournalError>> {
        let (tell, told) = mpsc::channel();
        let (journal, append) = (self.journal.clone(), self.scribe.clone().append());
        // It is queued before another can be submitted.
        let mut queued = Box::pin(async move { journal.append(append).await });
        match (&mut queued).now_or_never() {
            Some(outcome) => tell.send(outcome).expect("somebody listens"),
            None => drop(std::thread::spawn(move || drop(tell.send(wait(queued))))),
        }
        told
    }

    fn must_store(&mut self) {
        assert_eq!(self.submit().recv().expect("answered"), Ok(Outcome::Stored));
        self.scribe.entry();
    }

    /// Takes up the table where the journal says it stands.
    fn resume(&mut self) {
        let entries = self.entries().expect("readable");
        assert_eq!(first_unchained(&table("a").header, &entries), None);
        self.scribe = Scribe::after(id("a"), entries.last().expect("one at least"));
    }

    fn why(&self) -> Option<String> {
        match self.journal.health() {
            Health::Healthy => None,
            Health::Paused { why } => Some(why),
        }
    }

    fn entries(&self) -> Result<Vec<Stored>, JournalError> {
        wait(self.journal.read_from(&id("a"), 0, 999))
    }

    fn head(&self) -> u64 {
        wait(self.journal.head(&id("a"))).expect("there").head
    }

    fn goes_on_with(mut self, entries: u64) {
        until("healthy again", || self.why().is_none());
        assert_eq!(self.head(), entries);
        self.resume();
        self.must_store();
        let entries = self.entries().expect("readable");
        let file = self.file.clone();
        drop(self);
        let journal = Sqlite::open(&file, Durability::PowerSafe).expect("opens");
        assert_eq!(wait(journal.read_from(&id("a"), 0, 999)), Ok(entries));
    }
}

/// Declares a test that runs in a process with faults.
macro_rules! with_faults {
    ($($name:ident, $inside:ident: $body:expr;)*) => {
        $(
            #[test]
            fn $name() {
                with_faults(concat!("faults::", stringify!($inside)));
            }

            #[test]
            fn $inside() {
                let body: fn(Failing) = $body;
                if let Some(failing) = Failing::new() {
                    body(failing);
                }
            }
        )*
    };
}

with_faults! {
    an_entry_whose_sync_fails_is_settled_when_the_disk_is_back, inside_failing_sync: |failing| {
        failing.fault("fsync");
        let first = failing.submit();
        until("paused", || failing.why().is_some());
        assert!(failing.why().expect("paused").starts_with("the disk fails"));
        // Whether it is on the disk nobody can know yet; so nothing is said.
        for _ in 0..5 {
            let later = failing.submit().recv().expect("answered");
            assert!(matches!(later, Err(JournalError::Paused(_))), "{later:?}");
            assert_eq!(first.try_recv(), Err(TryRecvError::Empty));
        }
        failing.heal();
        assert_eq!(first.recv().expect("answered"), Ok(Outcome::Stored));
        failing.goes_on_with(2);
    };

    an_entry_whose_sync_fails_once_is_settled_at_once, inside_failing_once: |failing| {
        failing.fault("fsync-once");
        let answer = failing.submit().recv().expect("answered");
        let stored = match &answer {
            Ok(Outcome::Stored) => 2,
            Err(JournalError::Paused(_)) => 1,
            other => panic!("{other:?}"),
        };
        failing.goes_on_with(stored);
    };

    nothing_is_said_of_a_doubtful_entry_while_another_program_looks, inside_looker: |failing| {
        let mut looker = another("faults::the_looker");
        let mut looker = looker
            .env("PARLOR_LOOK", &failing.file)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the test runs again");
        let mut said = BufReader::new(looker.stdout.take().expect("piped")).lines();
        until("it looks", || said.next().is_some_and(|line| line.expect("text").ends_with("looking")));
        failing.fault("fsync-once");
        let first = failing.submit();
        // What others share with us may hide what a crash would bring back.
        let held = "another program holds it";
        until("held up", || failing.why().is_some_and(|why| why.starts_with(held)));
        assert_eq!(first.try_recv(), Err(TryRecvError::Empty));
        drop(looker.stdin.take());
        assert!(looker.wait().expect("it ends").success());
        let answer = first.recv().expect("answered");
        // As a crash at this moment leaves it.
        let crashed = Folder::new();
        for end in ["", "-wal"] {
            let name = |file: &Path| PathBuf::from(format!("{}{end}", file.display()));
            if name(&failing.file).exists() {
                fs::copy(name(&failing.file), name(&crashed.file())).expect("copied");
            }
        }
        let stored = match &answer {
            Ok(Outcome::Stored) => 2,
            Err(JournalError::Paused(_)) => 1,
            other => panic!("{other:?}"),
        };
        let after = Sqlite::open(&crashed.file(), Durability::PowerSafe).expect("opens");
        assert_eq!(wait(after.head(&id("a"))).expect("there").head, stored);
        failing.goes_on_with(stored);
    };

    a_full_disk_pauses_and_goes_on, inside_full: |failing| {
        failing.fault("full");
        for _ in 0..3 {
            let answer = failing.submit().recv().expect("answered");
            let Err(JournalError::Paused(why)) = answer else { panic!("{answer:?}") };
            assert!(why.starts_with("the disk is full"), "{why}");
            assert_eq!(failing.why(), Some(why));
            assert_eq!(failing.head(), 1, "it can still be read");
        }
        failing.heal();
        failing.goes_on_with(1);
    };

    a_read_only_disk_pauses_and_goes_on, inside_read_only: |failing| {
        failing.fault("readonly");
        for _ in 0..3 {
            let answer = failing.submit().recv().expect("answered");
            assert!(matches!(answer, Err(JournalError::Paused(_))), "{answer:?}");
            assert!(failing.why().is_some());
        }
        // A conflict is told even now; that nothing had to be written for it heals nothing.
        let mut late = failing.scribe.clone();
        late.entry();
        let conflict = wait(failing.journal.append(late.append()));
        assert_eq!(conflict, Ok(Outcome::Conflict { head: 1 }));
        assert!(failing.why().is_some());
        failing.heal();
        failing.goes_on_with(1);
    };

    a_journal_closed_in_doubt_says_so, inside_doubt: |failing| {
        failing.fault("fsync");
        let first = failing.submit();
        until("paused", || failing.why().is_some());
        let Failing { journal, file, control, .. } = failing;
        journal.close();
        let answer = first.recv().expect("answered");
        assert!(matches!(answer, Err(JournalError::Unsettled(_))), "{answer:?}");
        fs::remove_file(control).expect("removed");
        drop(journal);
        let journal = Sqlite::open(&file, Durability::PowerSafe).expect("opens");
        let entries = wait(journal.read_from(&id("a"), 0, 9)).expect("readable");
        assert!((1..=2).contains(&entries.len()));
        assert_eq!(first_unchained(&table("a").header, &entries), None);
    };
}

/// Another process that looks at the journal until its standard input ends.
#[test]
fn the_looker() {
    let Some(file) = std::env::var_os("PARLOR_LOOK") else { return };
    let look = parlor_journal::Look::open(Path::new(&file)).expect("opens");
    assert_eq!(wait(look.head(&id("a"))).expect("there").head, 1);
    println!("\nlooking");
    assert_eq!(std::io::stdin().read(&mut [0]).expect("readable"), 0);
}

/// A small disk of its own, where this may be had.
struct Disk(Folder);

impl Disk {
    fn new() -> Option<Self> {
        let folder = Folder::new();
        let mount = Command::new("mount")
            .args(["-t", "tmpfs", "-o", "size=2m", "parlor"])
            .arg(folder.path())
            .output();
        mount.is_ok_and(|out| out.status.success()).then_some(Self(folder))
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        drop(Command::new("umount").arg(self.0.path()).status());
    }
}

#[tokio::test]
async fn a_disk_that_is_really_full_loses_nothing() {
    let Some(disk) = Disk::new() else {
        eprintln!("not tested here: no right to mount a disk; the faults above stand for it");
        return;
    };
    let journal = Sqlite::open(&disk.0.file(), Durability::PowerSafe).expect("opens");
    journal.create(&table("a")).await.expect("new");
    let filler = disk.0.path().join("filler");
    fs::write(&filler, vec![0; 1 << 20]).expect("there is room for it");
    let mut scribe = Scribe::new(&table("a"));
    let mut stored = 0;
    let why = loop {
        match append_all(&journal, (0..20).map(|_| scribe.append()).collect()).await {
            Ok(outcomes) => {
                assert!(outcomes.iter().all(|outcome| *outcome == Outcome::Stored));
                stored += 20;
            }
            Err(error) => break error.to_string(),
        }
        assert!(stored < 100_000, "two megabytes are never full");
    };
    assert!(why.starts_with("not stored: the disk is full"), "{why}");
    let entries = journal.read_from(&id("a"), 0, usize::MAX).await.expect("readable");
    assert!(entries.len() >= stored, "{} of {stored}", entries.len());
    fs::remove_file(&filler).expect("removed");
    until("healthy again", || journal.health() == Health::Healthy);
    let mut scribe = Scribe::after(id("a"), entries.last().expect("some"));
    assert_eq!(journal.append(scribe.append()).await, Ok(Outcome::Stored));
    drop(journal);
    let journal = Sqlite::open(&disk.0.file(), Durability::PowerSafe).expect("opens");
    let again = journal.read_from(&id("a"), 0, usize::MAX).await.expect("readable");
    assert_eq!(again[..entries.len()], entries);
    assert_eq!(first_unchained(&table("a").header, &again), None);
}
