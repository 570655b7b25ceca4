//! Someone at the terminal.

use std::io::{Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// Whatever takes longer never happens.
const PATIENCE: Duration = Duration::from_secs(120);

/// Someone at the terminal.
pub(crate) struct Person {
    child: Child,
    keys: ChildStdin,
    screen: Receiver<u8>,
    /// What stood on the screen since something was last said.
    pub(crate) seen: String,
    pub(crate) over: bool,
}

impl Person {
    /// Starts the program.
    pub(crate) fn runs(mut command: Command) -> Self {
        let spawned = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
        let mut child = spawned.expect("the binary runs");
        let (keys, mut stdout) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        let (shows, screen) = channel();
        std::thread::spawn(move || {
            let mut byte = [0];
            while stdout.read(&mut byte).is_ok_and(|read| read == 1) && shows.send(byte[0]).is_ok()
            {
            }
        });
        Self { child, keys, screen, seen: String::new(), over: false }
    }

    /// Looks at the screen until it ends with a mark; false if there will be nothing more, or not
    /// within this time.
    fn looks(&mut self, mark: &str, within: Duration) -> bool {
        let until = Instant::now() + within;
        let mut bytes = std::mem::take(&mut self.seen).into_bytes();
        while !bytes.ends_with(mark.as_bytes()) {
            match self.screen.recv_timeout(until.saturating_duration_since(Instant::now())) {
                Ok(byte) => bytes.push(byte),
                Err(RecvTimeoutError::Timeout) => break,
                Err(RecvTimeoutError::Disconnected) => {
                    self.over = true;
                    break;
                }
            }
        }
        self.seen = String::from_utf8_lossy(&bytes).into_owned();
        self.seen.ends_with(mark)
    }

    /// Reads up to the next prompt; false if the game has ended.
    pub(crate) fn reads(&mut self) -> bool {
        self.seen.clear();
        self.waits_for(" > ")
    }

    /// Reads on up to a mark; false if the game has ended.
    pub(crate) fn waits_for(&mut self, mark: &str) -> bool {
        let found = self.looks(mark, PATIENCE);
        assert!(found || self.over, "still no {mark:?}: {}", self.seen);
        found
    }

    /// Whether something is asked by now, or will be in a moment.
    pub(crate) fn is_asked(&mut self) -> bool {
        self.looks(" > ", Duration::from_millis(5))
    }

    pub(crate) fn writes(&mut self, line: &str) {
        self.seen.clear();
        writeln!(self.keys, "{line}").unwrap();
    }

    pub(crate) fn says(&mut self, line: &str) -> bool {
        self.writes(line);
        self.waits_for(" > ")
    }

    /// The line before the prompt.
    pub(crate) fn last_line(&self) -> &str {
        self.seen.trim_end().lines().rev().nth(1).unwrap_or_default()
    }

    /// Does what a hint says; false if the game has ended.
    pub(crate) fn follows_a_hint(&mut self) -> bool {
        assert!(self.says("hint"), "{}", self.seen);
        let hint = self.last_line().to_owned();
        self.says(&hint)
    }

    /// Waits for the end of the program; whether it was a good one.
    pub(crate) fn ends(&mut self) -> bool {
        self.child.wait().unwrap().success()
    }

    /// The process.
    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }
}

impl Drop for Person {
    fn drop(&mut self) {
        // It may be gone already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
