//! SGF, `GM[4]`: the main line of a game record.

use crate::board::{Colour, Point, Size};
use crate::record::{FormatError, Record};
use crate::rule::Rule;

/// The name of a node with a stone of the opening.
const OPENING: &str = "opening";

/// A property of a node and its values.
type Property = (String, Vec<String>);

/// Reads the main line of the first game of a file.
pub fn read(text: &str) -> Result<Record, FormatError> {
    let nodes = main_line(text)?;
    let root = nodes.first().ok_or_else(|| FormatError::new("there is no game in it"))?;
    let of = |key: &str| {
        let found = root.iter().find(|(name, _)| name == key);
        found.and_then(|(_, values)| values.first()).map(|value| value.trim())
    };
    if let Some(game) = of("GM").filter(|game| *game != "4") {
        return Err(FormatError::new(format!("GM[{game}] is another game; gomoku is GM[4]")));
    }
    let size = match of("SZ") {
        None => Size::USUAL,
        Some(given) => {
            let size = given.parse::<u8>().ok().and_then(|size| Size::try_from(size).ok());
            let wrong = || FormatError::new(format!("SZ[{given}]: a board has 15, 19 or 20"));
            size.ok_or_else(wrong)?
        }
    };
    let mut record = Record::new(size);
    record.rule = of("RU").and_then(|word| Rule::named(&word.to_lowercase()));
    record.names = [of("PB"), of("PW")].map(|name| name.map(str::to_owned));
    record.result = of("RE").map(str::to_owned);
    for node in &nodes {
        let named = node.iter().any(|(key, values)| key == "N" && values == &[OPENING]);
        for (key, values) in node {
            let colour = match key.as_str() {
                "B" => Colour::Black,
                "W" => Colour::White,
                "AB" | "AW" | "AE" => {
                    let why = "stones that are set up have no order; write them as moves";
                    return Err(FormatError::new(why).at(key));
                }
                _ => continue,
            };
            let value = values.first().map_or("", String::as_str);
            let point = point(value, size).ok_or_else(|| {
                let number = record.stones.len() + 1;
                FormatError::new(format!("{key}[{value}] is off the board"))
                    .at(format!("move {number}"))
            })?;
            if named && record.opening == record.stones.len() {
                record.opening += 1;
            }
            record.stones.push((colour, point));
        }
    }
    Ok(record)
}

fn point(value: &str, size: Size) -> Option<Point> {
    let [x, y] = value.as_bytes() else { return None };
    let at = |letter: u8| letter.to_ascii_lowercase().checked_sub(b'a');
    let point = Point { x: at(*x)?, y: at(*y)? };
    size.contains(point).then_some(point)
}

/// The nodes of the first game, always along the first variation.
fn main_line(text: &str) -> Result<Vec<Vec<Property>>, FormatError> {
    let mut nodes: Vec<Vec<Property>> = Vec::new();
    let mut chars = text.chars().peekable();
    let mut open = 0;
    let mut key = String::new();
    while let Some(c) = chars.next() {
        match c {
            '(' => open += 1,
            // The first variation to end is the main line.
            ')' => return Ok(nodes),
            ';' if open > 0 => nodes.push(Vec::new()),
            '[' => {
                let value = value(&mut chars)?;
                let node = nodes
                    .last_mut()
                    .ok_or_else(|| FormatError::new("a property stands outside of every node"))?;
                if key.is_empty() {
                    let last = node.last_mut();
                    let last = last.ok_or_else(|| FormatError::new("a value has no property"))?;
                    last.1.push(value);
                } else {
                    node.push((std::mem::take(&mut key), vec![value]));
                }
            }
            c if c.is_ascii_uppercase() && open > 0 => key.push(c),
            // Lower case letters in names of properties are an old custom, without a meaning.
            c if c.is_whitespace() || c.is_ascii_lowercase() || c == '\u{feff}' => {}
            c => return Err(FormatError::new(format!("{c:?} is out of place"))),
        }
    }
    Err(FormatError::new("there is no game in it, or it does not end"))
}

fn value(chars: &mut impl Iterator<Item = char>) -> Result<String, FormatError> {
    let mut value = String::new();
    while let Some(c) = chars.next() {
        match c {
            ']' => return Ok(value),
            '\\' => value.extend(chars.next()),
            c => value.push(c),
        }
    }
    Err(FormatError::new("a value does not end"))
}

/// Writes a game.
pub fn write(record: &Record) -> String {
    let mut text = format!("(;FF[4]GM[4]SZ[{}]", record.size.get());
    let [black, white] = &record.names;
    let rule = record.rule.map(|rule| rule.name().to_owned());
    for (key, value) in [("RU", &rule), ("PB", black), ("PW", white), ("RE", &record.result)] {
        if let Some(value) = value {
            text += &format!("{key}[{}]", value.replace('\\', "\\\\").replace(']', "\\]"));
        }
    }
    for (i, (colour, Point { x, y })) in record.stones.iter().enumerate() {
        let key = if *colour == Colour::Black { 'B' } else { 'W' };
        let letter = |at: u8| char::from(b'a' + at);
        text += &format!("\n;{key}[{}{}]", letter(*x), letter(*y));
        if i < record.opening {
            text += &format!("N[{OPENING}]");
        }
    }
    text + ")\n"
}
