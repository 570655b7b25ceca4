//! `parlor referee`.

use crate::game;
use anyhow::Result;
use parlor_rules::{Referee, limits};
use std::io::{BufRead, Read, Write, stdin, stdout};

/// Answers every line of standard input until its end.
pub(crate) fn run(key: &str) -> Result<()> {
    let mut referee = Referee::new(game(key)?);
    let (mut input, mut output) = (stdin().lock(), stdout().lock());
    let mut line = Vec::new();
    while next_line(&mut input, &mut line)? {
        writeln!(output, "{}", referee.answer(line.trim_ascii_end()))?;
        output.flush()?;
    }
    Ok(())
}

/// Reads one line; of a line that is too long, just enough to see that it is.
fn next_line(input: &mut impl BufRead, line: &mut Vec<u8>) -> std::io::Result<bool> {
    line.clear();
    let most = limits::LINE_BYTES as u64 + 2;
    let read = input.by_ref().take(most).read_until(b'\n', line)?;
    if read as u64 == most && line.last() != Some(&b'\n') {
        input.skip_until(b'\n')?;
    }
    Ok(read > 0)
}
