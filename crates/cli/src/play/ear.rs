//! What is heard while time goes on: what the player types, and what a server says.

use super::session::{News, Word};
use super::{now_ms, say};
use std::collections::VecDeque;
use std::io::{BufRead, IsTerminal, stdin};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

/// What was heard.
pub(super) enum Heard {
    /// A line.
    Line(String),
    /// That there will be no more lines.
    End,
    /// That the player wants to be gone, now.
    Stop,
    /// Something of the table.
    News(News),
    /// Nothing, until the time was up.
    Time,
}

/// Which of the lines that were piped in are heard.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Hears {
    /// Each: something is asked.
    All,
    /// That the player goes, if that is what comes next: what was asked is not answered.
    Goodbye,
    /// None yet: a script need not know whose turn it is.
    Nothing,
}

/// Standard input, read beside the game, and whatever else is sent here.
pub(super) struct Ear {
    heard: Receiver<Heard>,
    mouth: Sender<Heard>,
    /// Lines that were piped in before anything was asked.
    early: VecDeque<Heard>,
    piped: bool,
}

impl Ear {
    /// Begins to listen.
    pub(super) fn new() -> Self {
        let (mouth, heard) = channel();
        let keys = mouth.clone();
        // It ends with the input, or with the program.
        std::thread::spawn(move || {
            let mut input = stdin().lock();
            loop {
                let mut bytes = Vec::new();
                // What is no text is no reason to leave the table.
                let line = match input.read_until(b'\n', &mut bytes) {
                    Ok(0) | Err(_) => Heard::End,
                    Ok(_) => Heard::Line(String::from_utf8_lossy(&bytes).into_owned()),
                };
                let last = matches!(line, Heard::End);
                if keys.send(line).is_err() || last {
                    break;
                }
            }
        });
        let piped = !stdin().is_terminal();
        Self { heard, mouth, early: VecDeque::new(), piped }
    }

    /// Where others can speak to it.
    pub(super) fn mouth(&self) -> Sender<Heard> {
        self.mouth.clone()
    }

    /// Waits for something, until this time if there is one. What is typed is heard at once.
    pub(super) fn hear(&mut self, hears: Hears, until_ms: Option<u64>) -> std::io::Result<Heard> {
        let heard = loop {
            if let Some(heard) = self.early(hears) {
                break heard;
            }
            match self.next(until_ms) {
                line @ (Heard::Line(_) | Heard::End) if self.piped => self.early.push_back(line),
                heard => break heard,
            }
        };
        if self.piped && hears == Hears::All {
            match &heard {
                // What is typed ends its line on the screen; what is piped in does not.
                Heard::Line(line) => say(line.trim_end())?,
                Heard::End => say("")?,
                _ => {}
            }
        }
        Ok(heard)
    }

    /// What was piped in, if it is heard now.
    fn early(&mut self, hears: Hears) -> Option<Heard> {
        self.early.pop_front_if(|early| match (hears, early) {
            (Hears::All, _) => true,
            (Hears::Goodbye, Heard::Line(line)) => matches!(Word::of(line), Word::Quit),
            (Hears::Goodbye, early) => matches!(early, Heard::End),
            (Hears::Nothing, _) => false,
        })
    }

    fn next(&self, until_ms: Option<u64>) -> Heard {
        match until_ms {
            // There is a sender as long as this is there.
            None => self.heard.recv().unwrap_or(Heard::End),
            Some(until_ms) => {
                let left = Duration::from_millis(until_ms.saturating_sub(now_ms()));
                self.heard.recv_timeout(left).unwrap_or(Heard::Time)
            }
        }
    }
}
