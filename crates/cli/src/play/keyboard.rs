//! What the player types, heard while time goes on.

use super::{now_ms, say};
use crate::Failure;
use std::io::{BufRead, IsTerminal, Write, stdin, stdout};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

/// What was heard.
pub(super) enum Heard {
    /// A line.
    Line(String),
    /// Nothing, until the time was up.
    Time,
    /// That there will be nothing more.
    End,
}

/// Standard input, read beside the game.
pub(super) struct Keyboard {
    lines: Receiver<std::io::Result<String>>,
}

impl Keyboard {
    /// Begins to listen.
    pub(super) fn new() -> Self {
        let (heard, lines) = channel();
        // It ends with the input, or with the program.
        std::thread::spawn(move || {
            let mut input = stdin().lock();
            loop {
                let mut bytes = Vec::new();
                // What is no text is no reason to leave the table.
                let line = match input.read_until(b'\n', &mut bytes) {
                    Ok(0) => break,
                    Ok(_) => Ok(String::from_utf8_lossy(&bytes).into_owned()),
                    Err(error) => Err(error),
                };
                if heard.send(line).is_err() {
                    break;
                }
            }
        });
        Self { lines }
    }

    /// Waits for a line, until this time if there is one.
    pub(super) fn hear(&self, prompt: &str, until_ms: Option<u64>) -> Result<Heard, Failure> {
        write!(stdout(), "{prompt}")?;
        stdout().flush()?;
        let line = match until_ms {
            None => self.lines.recv().map_err(|_| RecvTimeoutError::Disconnected),
            Some(until_ms) => {
                let left = Duration::from_millis(until_ms.saturating_sub(now_ms()));
                self.lines.recv_timeout(left)
            }
        };
        let heard = match line {
            Ok(line) => Heard::Line(line?),
            Err(RecvTimeoutError::Timeout) => return Ok(Heard::Time),
            Err(RecvTimeoutError::Disconnected) => Heard::End,
        };
        if !stdin().is_terminal() && !prompt.is_empty() {
            // What is typed ends its line on the screen; what is piped in does not.
            say(if let Heard::Line(line) = &heard { line.trim_end() } else { "" })?;
        }
        Ok(heard)
    }
}
