//! Points as people write them, and the compact list of a game: `h8 i9 …`.

use crate::board::{Colour, Point, Size};
use crate::record::{FormatError, Record, Verdict};
use crate::rule::Rule;

/// A point by its column, from `a` at the left, and its row, from 1 at the bottom.
pub fn name(point: Point, size: Size) -> String {
    let column = char::from(b'a' + point.x);
    format!("{column}{}", size.get().saturating_sub(point.y))
}

/// The point with this name.
pub fn point(name: &str, size: Size) -> Result<Point, FormatError> {
    let side = size.get();
    let wrong = || {
        let last = char::from(b'a' + side - 1);
        let name: String = name.chars().take(20).collect();
        FormatError::new(format!("{name:?} is no point: columns are a to {last}, rows 1 to {side}"))
    };
    let mut letters = name.chars();
    let column = letters.next().map(|c| c.to_ascii_lowercase()).ok_or_else(wrong)?;
    let digits = letters.as_str();
    let plain = !digits.starts_with('0') && digits.bytes().all(|b| b.is_ascii_digit());
    let row: u8 = digits.parse().ok().filter(|_| plain).ok_or_else(wrong)?;
    let x = u32::from(column).checked_sub(u32::from('a')).ok_or_else(wrong)?;
    let x = u8::try_from(x).map_err(|_| wrong())?;
    let y = side.checked_sub(row).ok_or_else(wrong)?;
    Some(Point { x, y }).filter(|point| size.contains(*point)).ok_or_else(wrong)
}

/// The points of a list, with spaces or commas between them.
pub fn points(list: &str, size: Size) -> Result<Vec<Point>, FormatError> {
    let words = list.split(|c: char| c.is_whitespace() || c == ',').filter(|w| !w.is_empty());
    words
        .enumerate()
        .map(|(i, word)| point(word, size).map_err(|e| e.at(format!("move {}", i + 1))))
        .collect()
}

/// A game as a list: black first, the colours in turn.
pub fn read(list: &str, size: Size) -> Result<Record, FormatError> {
    let points = points(list, size)?;
    let stones = points.into_iter().enumerate().map(|(i, point)| (Colour::after(i), point));
    Ok(Record { stones: stones.collect(), ..Record::new(size) })
}

/// How a game stands that is a list, or what is wrong with its first bad move: a word that is no
/// point, or a stone that cannot lie there.
pub fn judge(list: &str, size: Size, rule: Rule) -> Result<Verdict, FormatError> {
    let words = list.split(|c: char| c.is_whitespace() || c == ',').filter(|w| !w.is_empty());
    let good = words.map_while(|word| point(word, size).ok()).enumerate();
    let stones = good.map(|(i, point)| (Colour::after(i), point)).collect();
    let verdict = Record { stones, ..Record::new(size) }.judge(rule)?;
    points(list, size).map(|_| verdict)
}

/// The list of a game in which the colours were laid in turn.
pub fn write(record: &Record) -> Result<String, FormatError> {
    record.check_turns("a list of points")?;
    Ok(names(record.stones.iter().map(|(_, point)| *point), record.size))
}

/// Points by their names, with spaces between.
pub fn names(points: impl IntoIterator<Item = Point>, size: Size) -> String {
    points.into_iter().map(|point| name(point, size)).collect::<Vec<_>>().join(" ")
}
