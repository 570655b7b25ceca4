//! Plays as people write them: `24/18*/13`, `bar/20`, `6/off(2)`.
//!
//! ```
//! use parlor_rules_backgammon::board::Board;
//! use parlor_rules_backgammon::notation::{read, write};
//!
//! let steps = read("8/5 6/5", &Board::OPENING, &[3, 1]).unwrap();
//! assert_eq!(write(&Board::OPENING, &steps), "8/5 6/5");
//! let steps = read("24/13", &Board::OPENING, &[5, 6]).unwrap();
//! assert_eq!(steps.len(), 2);
//! ```
//!
//! Points are numbered as the mover counts them. A point may be hit only once in a turn, so the
//! marks of a text are a set of points: where they stand in it makes no difference.

use crate::board::{BAR, Board, OFF, Step, bit};
use crate::plays::{lawful_step, longest};
use std::collections::HashSet;

/// What is written where no man can move.
pub const DANCE: &str = "Cannot Move";

/// Why a text is no play of these dice.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum NotationError {
    /// A part of the text is no move.
    #[error("{0:?} is not a move like 13/8, bar/20*, 6/off or 8/4(2)")]
    Unreadable(String),
    /// More men move than there are dice.
    #[error("more men are moved than the dice allow")]
    TooMany,
    /// Nothing is moved, though something can be.
    #[error("there is a legal move, so one has to be made")]
    MustMove,
    /// No steps with these dice do what the text says.
    #[error("the dice and the board do not allow this move")]
    Illegal,
    /// The moves are possible, but not all dice are used that could be.
    #[error("this does not use as many dice as can be played")]
    Unfinished,
    /// A hit is marked where none is.
    #[error("a hit is marked where there is none")]
    NoHit,
    /// Hits that are not marked leave open which way a man goes.
    #[error("which men are hit on the way has to be marked with *")]
    Ambiguous,
}

/// Writes a play: every man's way from start to end by way of the points it hits on, the men from
/// furthest back first. Steps that are impossible on the board are written as quiet ones.
pub fn write(board: &Board, steps: &[Step]) -> String {
    if steps.is_empty() {
        return DANCE.to_owned();
    }
    let mut hits = 0;
    let mut at = *board;
    for &step in steps {
        if let Some((next, hit)) = at.step(step) {
            at = next;
            hits |= if hit { bit(step.to()) } else { 0 };
        }
    }
    let mut text = Vec::new();
    for (way, men) in ways(steps) {
        let mut part = place(way[0]).to_owned();
        for (i, &to) in way.iter().enumerate().skip(1) {
            let hit = hits & bit(to) != 0;
            // A mark on the first man that comes to the point is enough.
            hits &= !bit(to);
            if hit || i + 1 == way.len() {
                part += &format!("/{}{}", place(to), if hit { "*" } else { "" });
            }
        }
        if men > 1 {
            part += &format!("({men})");
        }
        text.push(part);
    }
    text.join(" ")
}

/// The ways of the men, and how many men go each.
fn ways(steps: &[Step]) -> Vec<(Vec<u8>, usize)> {
    let mut steps = steps.to_vec();
    steps.sort_by_key(|step| std::cmp::Reverse((step.from, step.to())));
    let mut ways: Vec<Vec<u8>> = Vec::new();
    for step in steps {
        match ways.iter_mut().find(|way| step.from != OFF && way.last() == Some(&step.from)) {
            Some(way) => way.push(step.to()),
            None => ways.push(vec![step.from, step.to()]),
        }
    }
    let mut counted: Vec<(Vec<u8>, usize)> = Vec::new();
    for way in ways {
        match counted.iter_mut().find(|(known, _)| *known == way) {
            Some((_, men)) => *men += 1,
            None => counted.push((way, 1)),
        }
    }
    counted
}

fn place(place: u8) -> String {
    match place {
        OFF => "off".to_owned(),
        BAR => "bar".to_owned(),
        point => point.to_string(),
    }
}

/// Reads a play of the dice left to play on a board seen by the mover: steps that end the turn, in
/// an order in which they can be made. Points on the way may be left out, `25` may stand for the
/// bar and `0` for off. An unmarked hit is accepted where it leaves no doubt.
pub fn read(text: &str, board: &Board, dice: &[u8]) -> Result<Vec<Step>, NotationError> {
    let dice = &dice[..dice.len().min(4)];
    let words: Vec<&str> = text.split_whitespace().collect();
    if words.is_empty() || words.join(" ").eq_ignore_ascii_case(DANCE) {
        let can_move = longest(board, dice).used > 0;
        return if can_move { Err(NotationError::MustMove) } else { Ok(Vec::new()) };
    }
    let mut men = Vec::new();
    let mut marks = 0;
    for word in words {
        let (way, marked, count) =
            way(word).ok_or_else(|| NotationError::Unreadable(word.to_owned()))?;
        marks |= marked;
        let man = Man { at: way[0], way: way[1..].to_vec() };
        men.extend(std::iter::repeat_n(man, count));
        if men.len() > dice.len() {
            return Err(NotationError::TooMany);
        }
    }
    let mut search = Search { lawfully: true, steps: Vec::new(), found: Vec::new() };
    search.go(board, dice, &mut men, 0);
    search.choose(marks).map_err(|error| {
        let mut freely = Search { lawfully: false, steps: Vec::new(), found: Vec::new() };
        freely.go(board, dice, &mut men, 0);
        match error {
            NotationError::Illegal if !freely.found.is_empty() => NotationError::Unfinished,
            error => error,
        }
    })
}

/// The places of one word like `24/18*/13(2)`, the marked ones of them, and how many men.
fn way(word: &str) -> Option<(Vec<u8>, u32, usize)> {
    let (mut body, mut count) = (word.to_owned(), 1);
    if let Some(open) = word.find('(') {
        let (men, rest) = word[open + 1..].split_once(')')?;
        count = men.parse().ok().filter(|men| (1..=4).contains(men))?;
        // Some write the mark behind the number of men.
        if !matches!(rest, "" | "*") {
            return None;
        }
        body = format!("{}{rest}", &word[..open]);
    }
    let mut way = Vec::new();
    let mut marks = 0;
    for part in body.split('/') {
        let name = part.strip_suffix('*').unwrap_or(part);
        let place = match name.to_ascii_lowercase().as_str() {
            "bar" if way.is_empty() => BAR,
            "off" if !way.is_empty() => OFF,
            digits if digits.bytes().all(|b| b.is_ascii_digit()) => digits.parse().ok()?,
            _ => return None,
        };
        if place > BAR || way.last().is_some_and(|&last| last <= place) {
            return None;
        }
        if name.len() < part.len() {
            if way.is_empty() || place == OFF {
                return None;
            }
            marks |= bit(place);
        }
        way.push(place);
    }
    (way.len() > 1).then_some((way, marks, count))
}

/// A man on its way.
#[derive(Clone, PartialEq)]
struct Man {
    /// Where it stands.
    at: u8,
    /// The places it still has to come to.
    way: Vec<u8>,
}

/// Looks for all orders of steps that take every man where the text says.
struct Search {
    /// Whether steps have to belong to a play as long as the rules ask for.
    lawfully: bool,
    steps: Vec<Step>,
    found: Vec<(Vec<Step>, u32)>,
}

impl Search {
    fn go(&mut self, board: &Board, dice: &[u8], men: &mut [Man], hits: u32) {
        if men.iter().all(|man| man.way.is_empty()) {
            if !self.lawfully || longest(board, dice).used == 0 {
                self.found.push((self.steps.clone(), hits));
            }
            return;
        }
        let mut tried = HashSet::new();
        for m in 0..men.len() {
            let Some(&next) = men[m].way.first() else { continue };
            let from = men[m].at;
            for (d, &die) in dice.iter().enumerate() {
                let step = Step { from, die };
                let to = step.to();
                if to < next || !tried.insert((step, men[m].way.clone())) {
                    continue;
                }
                let made = match self.lawfully {
                    true => lawful_step(board, dice, step),
                    false => board.step(step),
                };
                let Some((after, hit)) = made else { continue };
                let rest = [&dice[..d], &dice[d + 1..]].concat();
                let before = men[m].clone();
                men[m].at = to;
                if to == next {
                    men[m].way.remove(0);
                }
                self.steps.push(step);
                self.go(&after, &rest, men, hits | if hit { bit(to) } else { 0 });
                self.steps.pop();
                men[m] = before;
            }
        }
    }

    /// The steps that hit where marked and nowhere else, or else the only ones that hit at least
    /// there.
    fn choose(&self, marks: u32) -> Result<Vec<Step>, NotationError> {
        let exact = self.found.iter().find(|(_, hits)| *hits == marks);
        let mut others = self.found.iter().filter(|(_, hits)| hits & marks == marks);
        match (exact, others.next()) {
            (Some((steps, _)), _) => Ok(steps.clone()),
            (None, Some((steps, hits))) if others.all(|(_, also)| also == hits) => {
                Ok(steps.clone())
            }
            (None, Some(_)) => Err(NotationError::Ambiguous),
            (None, None) if self.found.is_empty() => Err(NotationError::Illegal),
            (None, None) => Err(NotationError::NoHit),
        }
    }
}
