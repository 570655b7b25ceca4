//! Move files: `tables/ID/moves/NNNN-COLOR-HASH.json`, one for each turn.

use crate::color::Color;
use crate::doc::{Doc, json_of, time};
use crate::reject::Reject;
use parlor_rules::doc::Word;
use parlor_rules::{Closed, Faults, Fields};
use parlor_rules_backgammon::command::Move;
use serde_json::json;
use sha2::{Digest, Sha256};
use std::fmt;

/// The most bytes a move file has.
pub const MOST_BYTES: u64 = 16_384;
/// The highest number of a move.
pub const LAST: u32 = 9_999;
/// The longest comment, in characters.
const COMMENT: usize = 280;

/// The bar and the tray in a move file, for both colours.
const BAR: i8 = -1;
const OFF: i8 = 24;

/// The first so many hex digits of the SHA-256.
pub(crate) fn hex(bytes: &[u8], digits: usize) -> String {
    let mut text = const_hex::encode(Sha256::digest(bytes));
    text.truncate(digits);
    text
}

/// One turn as it is pushed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MoveFile {
    /// Who moves.
    pub player: Color,
    /// The steps, in the rules' numbers.
    pub moves: Vec<Move>,
    /// When it was made.
    pub timestamp: String,
    /// The fingerprint of the state it was made for.
    pub expected: String,
    /// The dice it was made for, as written.
    pub dice: Vec<u8>,
    /// A word to the opponent.
    pub comment: Option<String>,
    /// The commit it was made on.
    pub commit: Option<String>,
}

/// What the name of a move file says.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct FileName {
    /// The number of the move.
    pub sequence: u32,
    /// Whose it is.
    pub color: Color,
    /// The start of the hash of its content.
    pub hash: String,
}

impl FileName {
    /// What is said of a text that is no name of a move.
    pub(crate) const NONE: &'static str = "is no name like 0012-black-a1b2c3.json";

    /// Reads `0012-black-a1b2c3.json`, with a hash of any length.
    fn parts(name: &str) -> Option<(u32, Color, &str)> {
        let mut parts = name.strip_suffix(".json")?.splitn(3, '-');
        let (number, color, hash) = (parts.next()?, parts.next()?, parts.next()?);
        let digits = number.len() == 4 && number.bytes().all(|b| b.is_ascii_digit());
        let hex = |b: u8| matches!(b, b'0'..=b'9' | b'a'..=b'f');
        let hexed = !hash.is_empty() && hash.bytes().all(hex);
        let number = number.parse().ok().filter(|_| digits && hexed)?;
        Some((number, Color::named(color)?, hash))
    }

    /// What a name says where the hash may have any length, as the contract of the state has it.
    pub fn loose(name: &str) -> Option<(u32, Color)> {
        Self::parts(name).map(|(number, color, _)| (number, color))
    }

    /// What the name of a move file says; none if it is no such name.
    pub fn read(name: &str) -> Option<Self> {
        let (sequence, color, hash) = Self::parts(name)?;
        let fits = hash.len() == 6 && (1..=LAST).contains(&sequence);
        fits.then(|| Self { sequence, color, hash: hash.to_owned() })
    }
}

impl fmt::Display for FileName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04}-{}-{}.json", self.sequence, self.color, self.hash)
    }
}

/// A step as the file has it.
struct Step(Move);

impl Closed for Step {
    fn take(fields: &mut Fields, faults: &mut Faults) -> Option<Self> {
        let from = fields.take::<i8>("from", "a point from 0 to 23, or -1 for the bar", faults);
        let to = fields.take::<i8>("to", "a point from 0 to 23, or 24 for off", faults);
        let die = fields.take::<u8>("die", "a die from 1 to 6", faults)?;
        let (from, to) = (from?, to?);
        let point = |place: i8, other: i8| match place {
            _ if place == other => Some(None),
            0..24 => Some(Some(place as u8)),
            _ => None,
        };
        let read = point(from, BAR).zip(point(to, OFF)).filter(|_| (1..=6).contains(&die));
        let Some((from, to)) = read else {
            let text =
                "goes from 0 to 23 or -1 (bar) to 0 to 23 or 24 (off) with a die from 1 to 6";
            faults.add(fields.path(), text);
            return None;
        };
        Some(Self(Move { from, to, die }))
    }
}

impl Closed for MoveFile {
    fn take(fields: &mut Fields, faults: &mut Faults) -> Option<Self> {
        let player = fields.take::<Word<Color>>("player", "\"white\" or \"black\"", faults);
        let moves = fields.list::<Step>("moves", "a list of at most 4 steps", faults);
        let timestamp = time(fields, "timestamp", faults);
        let expected = fields.take::<String>("expectedState", "16 hex digits", faults);
        let dice = fields.take::<Vec<u8>>("diceRoll", "two dice or four equal ones", faults);
        let comment = fields.or::<Option<String>>("comment", None, "a text or null", faults);
        let commit =
            fields.or::<Option<String>>("commitSha", None, "40 hex digits or null", faults);

        let steps = moves.as_ref().is_none_or(|moves| moves.len() <= 4);
        faults.check(steps, "moves", || "are at most 4 steps".to_owned());
        let hexed = |text: &str, digits: usize| {
            text.len() == digits && text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
        };
        let fits = expected.as_ref().is_none_or(|text| hexed(text, 16));
        faults.check(fits, "expectedState", || "is 16 hex digits".to_owned());
        let roll = dice.as_ref().is_none_or(|dice| all_dice(dice).is_some());
        faults.check(roll, "diceRoll", || "is two dice or four equal ones, 1 to 6".to_owned());
        let short = comment.iter().flatten().all(|text| text.chars().count() <= COMMENT);
        faults.check(short, "comment", || format!("has at most {COMMENT} characters"));
        let known = commit.iter().flatten().all(|text| hexed(text, 40));
        faults.check(known, "commitSha", || "is 40 hex digits or null".to_owned());
        Some(Self {
            player: player?.0,
            moves: moves?.into_iter().map(|Step(step)| step).collect(),
            timestamp: timestamp?,
            expected: expected?,
            dice: dice?,
            comment: comment?,
            commit: commit?,
        })
    }
}

/// Dice one by one, sorted; a pair written as two is read as four.
pub fn all_dice(dice: &[u8]) -> Option<Vec<u8>> {
    let dice = match *dice {
        [a, b] if a == b => vec![a; 4],
        _ => dice.to_vec(),
    };
    crate::doc::roll(&dice)?;
    let mut dice = dice;
    dice.sort_unstable();
    Some(dice)
}

impl MoveFile {
    /// A turn made for this state.
    pub fn new(doc: &Doc, moves: Vec<Move>, now_ms: u64) -> Self {
        Self {
            player: doc.active,
            moves,
            timestamp: crate::doc::stamp(now_ms),
            expected: doc.fingerprint(),
            dice: doc.all_dice(),
            comment: None,
            commit: None,
        }
    }

    /// Reads a file, with every fault.
    pub fn read(text: &str) -> Result<Self, Reject> {
        let value = json_of(text).map_err(|why| Reject::NotJson { why })?;
        let mut faults = Faults::default();
        let read = <Self as Closed>::read(value, "", &mut faults);
        read.ok_or(Reject::Malformed { faults })
    }

    /// The steps as the file writes them.
    fn steps(&self) -> Vec<String> {
        let step = |step: &Move| {
            let from = step.from.map_or(BAR, |point| point as i8);
            let to = step.to.map_or(OFF, |point| point as i8);
            format!(r#"{{"from":{from},"to":{to},"die":{}}}"#, step.die)
        };
        self.moves.iter().map(step).collect()
    }

    /// The hash in its name: of the compact JSON of player, moves, timestamp, expectedState and
    /// diceRoll, in this order.
    pub fn hash(&self) -> String {
        let text = format!(
            r#"{{"player":{},"moves":[{}],"timestamp":{},"expectedState":{},"diceRoll":{}}}"#,
            json!(self.player),
            self.steps().join(","),
            json!(self.timestamp),
            json!(self.expected),
            json!(self.dice),
        );
        hex(text.as_bytes(), 6)
    }

    /// Its name as the move with this number.
    pub fn name(&self, sequence: u32) -> FileName {
        FileName { sequence, color: self.player, hash: self.hash() }
    }

    /// The file.
    pub fn write(&self) -> String {
        let spaced = |step: String| step.replace(',', ", ").replace(':', ": ");
        let steps: Vec<String> = self.steps().into_iter().map(spaced).collect();
        let moves = match steps.is_empty() {
            true => "[]".to_owned(),
            false => format!("[\n    {}\n  ]", steps.join(",\n    ")),
        };
        let dice: Vec<String> = self.dice.iter().map(u8::to_string).collect();
        format!(
            "{{\n  \"player\": {},\n  \"moves\": {moves},\n  \"timestamp\": {},\n  \
             \"expectedState\": {},\n  \"diceRoll\": [{}],\n  \"comment\": {},\n  \
             \"commitSha\": {}\n}}\n",
            json!(self.player),
            json!(self.timestamp),
            json!(self.expected),
            dice.join(", "),
            json!(self.comment),
            json!(self.commit),
        )
    }

    /// Whether the name tells the truth about this content.
    pub fn is_named(&self, name: &FileName) -> Result<(), Reject> {
        let lie = |why: String| Err(Reject::LyingName { why });
        if name.color != self.player {
            return lie(format!("it says {}, player is {}", name.color, self.player));
        }
        match self.hash() {
            hash if hash != name.hash => lie(format!("the hash of this content is {hash}")),
            _ => Ok(()),
        }
    }
}
