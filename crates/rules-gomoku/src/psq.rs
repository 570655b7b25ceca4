//! The records of Piskvork: a line with the size, then `x,y,ms` a move, counted from 1.

use crate::board::{Colour, Point, Size};
use crate::record::{FormatError, Record};

const WORD: &str = "Piskvorky";

/// Reads a record; what stands behind the moves are the names of the players, and else ignored.
pub fn read(text: &str) -> Result<Record, FormatError> {
    let text = text.trim_start_matches('\u{feff}');
    let mut lines = text.lines().map(str::trim).enumerate().filter(|(_, line)| !line.is_empty());
    let (_, head) = lines.next().ok_or_else(|| FormatError::new("the file is empty"))?;
    let size = head.strip_prefix(WORD).and_then(|rest| {
        let (width, height) = rest.split(',').next()?.trim().split_once('x')?;
        let size: u8 = width.trim().parse().ok()?;
        (width.trim() == height.trim()).then_some(Size::try_from(size).ok()?)
    });
    let size = size.ok_or_else(|| {
        FormatError::new("is \"Piskvorky 15x15, …\" with a board of 15, 19 or 20").at("line 1")
    })?;
    let mut record = Record::new(size);
    let mut names = Vec::new();
    for (i, line) in lines {
        let wrong = |why: String| FormatError::new(why).at(format!("line {}", i + 1));
        let begins = line.split(',').take(2).filter(|part| is_number(part)).count() == 2;
        if !begins {
            names.push(line.to_owned());
            continue;
        }
        if !names.is_empty() {
            return Err(wrong(format!("{} is a move, and stands behind a name", short(line))));
        }
        let numbers: Option<Vec<u64>> =
            line.split(',').map(|number| number.trim().parse().ok()).collect();
        let numbers = numbers
            .filter(|numbers| numbers.len() == 3)
            .ok_or_else(|| wrong(format!("{} is no move: x,y,ms in whole numbers", short(line))))?;
        let at = |number: u64| u8::try_from(number.checked_sub(1)?).ok();
        let point = at(numbers[0]).zip(at(numbers[1])).map(|(x, y)| Point { x, y });
        let point = point.filter(|point| size.contains(*point)).ok_or_else(|| {
            wrong(format!("{line} is off the board: x and y are 1 to {}", size.get()))
        })?;
        record.stones.push((Colour::after(record.stones.len()), point));
    }
    let mut names = names.into_iter();
    record.names = [names.next(), names.next()];
    Ok(record)
}

/// Whether a part of a line looks like a number of any kind.
fn is_number(part: &str) -> bool {
    let part = part.trim();
    part.contains(|c: char| c.is_ascii_digit()) && part.parse::<f64>().is_ok()
}

/// A line, cut where it is long.
fn short(line: &str) -> String {
    line.chars().take(40).collect()
}

/// Writes a record in which the colours were laid in turn.
pub fn write(record: &Record) -> Result<String, FormatError> {
    record.check_turns("a .psq file")?;
    let side = record.size.get();
    let mut text = format!("{WORD} {side}x{side}, 11:11, 0\n");
    for (_, Point { x, y }) in &record.stones {
        text += &format!("{},{},0\n", x + 1, y + 1);
    }
    if let [Some(black), Some(white)] = &record.names {
        let line = |name: &str| name.replace(['\r', '\n'], " ");
        text += &format!("{}\n{}\n", line(black), line(white));
    }
    Ok(text)
}
