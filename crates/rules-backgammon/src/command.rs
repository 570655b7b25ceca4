//! What a player may say.

use parlor_rules::{Closed, Faults, Fields, Seat, doc};
use serde::{Deserialize, Deserializer, Serialize};

/// A command, with the seat that gives it: `{"type":"roll","seat":0}`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Command {
    /// What is to be done.
    #[serde(flatten)]
    pub action: Action,
    /// Who says so.
    pub seat: Seat,
}

/// What is to be done.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[serde(tag = "type", rename_all = "kebab-case")]
pub enum Action {
    /// Offer to play on at twice the stakes.
    ProposeDouble {},
    /// Take the double.
    Accept {},
    /// Drop the double and lose the game.
    Forfeit {},
    /// Take the double and double at once, keeping the cube.
    Beaver {},
    /// Roll the dice.
    Roll {},
    /// Move a man from point to point.
    Move {
        /// The point it leaves, 0 to 23.
        from: u8,
        /// The point it reaches, 0 to 23.
        to: u8,
        /// The die it uses.
        die: u8,
    },
    /// Enter a man from the bar.
    Enter {
        /// The point it reaches, 0 to 23.
        to: u8,
        /// The die it uses.
        die: u8,
    },
    /// Bear a man off.
    BearOff {
        /// The point it leaves, 0 to 23.
        from: u8,
        /// The die it uses.
        die: u8,
    },
    /// Take back the last uncommitted step.
    Undo {},
    /// End the turn.
    Commit {},
    /// A whole turn: all its steps, and the commit.
    Play {
        /// The steps in order.
        moves: Vec<Move>,
    },
    /// Offer to lose the game at a level.
    OfferResign {
        /// The level.
        value: Level,
    },
    /// Answer such an offer.
    AnswerResign {
        /// Whether it is taken.
        accept: bool,
    },
}

impl Action {
    /// The step this is, if it is one.
    pub fn step(&self) -> Option<Move> {
        match *self {
            Self::Move { from, to, die } => Some(Move { from: Some(from), to: Some(to), die }),
            Self::Enter { to, die } => Some(Move { from: None, to: Some(to), die }),
            Self::BearOff { from, die } => Some(Move { from: Some(from), to: None, die }),
            _ => None,
        }
    }
}

impl From<Move> for Action {
    fn from(step: Move) -> Self {
        let Move { from, to, die } = step;
        match (from, to) {
            (Some(from), Some(to)) => Self::Move { from, to, die },
            (None, Some(to)) => Self::Enter { to, die },
            (Some(from), None) => Self::BearOff { from, die },
            (None, None) => Self::Play { moves: vec![step] },
        }
    }
}

/// One step of a man, in the numbers of the document: points 0 to 23, the same for both seats. A
/// step from the bar has no `from`, a step off the board no `to`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize)]
pub struct Move {
    /// The point it leaves; none from the bar.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<u8>,
    /// The point it reaches; none when borne off.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<u8>,
    /// The die it uses.
    pub die: u8,
}

/// How high a game is lost: 1, 2 or 3 times the stakes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(try_from = "u8", into = "u8")]
pub enum Level {
    /// The loser has borne a man off.
    Single = 1,
    /// The loser has not.
    Gammon = 2,
    /// And has a man on the bar or in the winner's home.
    Backgammon = 3,
}

impl Level {
    /// All levels.
    pub const ALL: [Level; 3] = [Self::Single, Self::Gammon, Self::Backgammon];

    /// Its word.
    pub fn name(self) -> &'static str {
        match self {
            Self::Single => "single",
            Self::Gammon => "gammon",
            Self::Backgammon => "backgammon",
        }
    }
}

impl TryFrom<u8> for Level {
    type Error = &'static str;

    fn try_from(value: u8) -> Result<Self, Self::Error> {
        let found = Self::ALL.into_iter().find(|level| *level as u8 == value);
        found.ok_or("a game is lost at 1, 2 or 3 times the stakes")
    }
}

impl From<Level> for u8 {
    fn from(level: Level) -> u8 {
        level as u8
    }
}

/// What the fields of steps are, in words.
pub(crate) const POINT: &str = "a point, 0 to 23";
pub(crate) const DIE: &str = "a die, 1 to 6";

impl Closed for Move {
    fn take(fields: &mut Fields, faults: &mut Faults) -> Option<Self> {
        let from = fields.or("from", None, POINT, faults);
        let to = fields.or("to", None, POINT, faults);
        let die = fields.take("die", DIE, faults);
        Some(Self { from: from?, to: to?, die: die? })
    }
}

impl Closed for Command {
    fn take(fields: &mut Fields, faults: &mut Faults) -> Option<Self> {
        let word = fields.take::<String>("type", "the name of a command", faults);
        let seat = fields.take("seat", "the number of a seat", faults);
        let action = Action::take(&word?, fields, faults);
        Some(Self { action: action?, seat: seat? })
    }
}

impl Action {
    fn take(word: &str, fields: &mut Fields, faults: &mut Faults) -> Option<Self> {
        Some(match word {
            "propose-double" => Self::ProposeDouble {},
            "accept" => Self::Accept {},
            "forfeit" | "concede" => Self::Forfeit {},
            "beaver" => Self::Beaver {},
            "roll" => Self::Roll {},
            "move" => {
                let from = fields.take("from", POINT, faults);
                let to = fields.take("to", POINT, faults);
                let die = fields.take("die", DIE, faults);
                Self::Move { from: from?, to: to?, die: die? }
            }
            "enter" => {
                let to = fields.take("to", POINT, faults);
                let die = fields.take("die", DIE, faults);
                Self::Enter { to: to?, die: die? }
            }
            "bear-off" => {
                let from = fields.take("from", POINT, faults);
                let die = fields.take("die", DIE, faults);
                Self::BearOff { from: from?, die: die? }
            }
            "undo" => Self::Undo {},
            "commit" => Self::Commit {},
            "play" => Self::Play { moves: fields.list("moves", "a list of steps", faults)? },
            "offer-resign" => Self::OfferResign { value: fields.take("value", LEVEL, faults)? },
            "answer-resign" => {
                Self::AnswerResign { accept: fields.take("accept", "true or false", faults)? }
            }
            _ => {
                faults.add("type", format!("there is no command {word:?}"));
                return None;
            }
        })
    }
}

/// What a level is, in words.
pub(crate) const LEVEL: &str = "1, 2 or 3 times the stakes";

impl<'de> Deserialize<'de> for Command {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        doc::closed(d)
    }
}
