//! Actions as hand histories write them: `d dh p1 AsKd`, `d db 2d7cJh`, `p3 cbr 225`, `p1 cc`, `p2 f`,
//! `p1 sm AsKd`, `p3 pb`, `p2 sd JcAs`, each perhaps with `# a comment`.

use crate::card::Cards;
use crate::hand::{Action, PLAYERS};
use parlor_rules::Chips;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::borrow::Cow;
use std::fmt;

/// An action with what somebody had to say about it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Line {
    /// The action.
    pub action: Action,
    /// The comment.
    pub comment: Option<Box<str>>,
}

impl From<Action> for Line {
    fn from(action: Action) -> Self {
        Self { action, comment: None }
    }
}

/// Why a text is no action.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{0}")]
pub struct NoAction(&'static str);

const SHAPE: NoAction = NoAction(
    "an action is d dh pN CARDS, d db CARDS, pN f, pN cc, pN cbr AMOUNT, pN pb, pN sd [CARDS] or pN sm [CARDS]",
);

fn player(text: &str) -> Result<u8, NoAction> {
    let no = NoAction("players are p1 to p10");
    let number: usize = match text.as_bytes() {
        [b'p', digit @ b'1'..=b'9'] => usize::from(digit - b'0'),
        b"p10" => 10,
        _ => return Err(no),
    };
    if number <= PLAYERS { Ok(number as u8 - 1) } else { Err(no) }
}

fn cards(text: &str) -> Result<Cards, NoAction> {
    let cards = text.parse();
    cards.map_err(|_| NoAction("a card is a rank of 23456789TJQKA and a suit of cdhs, or ??"))
}

impl Line {
    /// Reads an action.
    pub fn read(text: &str) -> Result<Self, NoAction> {
        let (text, comment) = match text.split_once('#') {
            Some((text, comment)) => (text, Some(comment.trim().into())),
            None => (text, None),
        };
        let mut words = text.split_ascii_whitespace();
        let mut word = || words.next();
        let who = word().ok_or(SHAPE)?;
        let what = word().ok_or(SHAPE)?;
        let action = if who == "d" {
            match what {
                "dh" => Action::Hole {
                    player: player(word().ok_or(SHAPE)?)?,
                    cards: cards(word().ok_or(SHAPE)?)?,
                },
                "db" => Action::Board { cards: cards(word().ok_or(SHAPE)?)? },
                _ => return Err(SHAPE),
            }
        } else {
            let player = player(who)?;
            match what {
                "f" => Action::Fold { player },
                "cc" => Action::Call { player },
                "cbr" => {
                    let to: Result<Chips, _> = word().ok_or(SHAPE)?.parse();
                    let no = NoAction("an amount is a plain decimal of at most four places");
                    Action::Raise { player, to: to.map_err(|_| no)? }
                }
                "sm" => {
                    let shown = word().map(|text| match text {
                        "-" => Ok(Cards::NONE),
                        text => cards(text),
                    });
                    Action::Show { player, cards: shown.transpose()? }
                }
                "pb" => Action::BringIn { player },
                "sd" => {
                    let given = word().filter(|text| *text != "-").map(cards).transpose()?;
                    Action::Discard { player, cards: given.unwrap_or(Cards::NONE) }
                }
                _ => return Err(SHAPE),
            }
        };
        if word().is_some() {
            return Err(SHAPE);
        }
        Ok(Self { action, comment })
    }
}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let p = |player: u8| player + 1;
        match *self {
            Self::Hole { player, cards } => write!(f, "d dh p{} {cards}", p(player)),
            Self::Board { cards } => write!(f, "d db {cards}"),
            Self::Fold { player } => write!(f, "p{} f", p(player)),
            Self::Call { player } => write!(f, "p{} cc", p(player)),
            Self::Raise { player, to } => write!(f, "p{} cbr {to}", p(player)),
            Self::BringIn { player } => write!(f, "p{} pb", p(player)),
            Self::Discard { player, cards } if cards.is_empty() => write!(f, "p{} sd", p(player)),
            Self::Discard { player, cards } => write!(f, "p{} sd {cards}", p(player)),
            Self::Show { player, cards: None } => write!(f, "p{} sm", p(player)),
            Self::Show { player, cards: Some(cards) } if cards.is_empty() => {
                write!(f, "p{} sm -", p(player))
            }
            Self::Show { player, cards: Some(cards) } => write!(f, "p{} sm {cards}", p(player)),
        }
    }
}

impl Serialize for Line {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Line {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        let text = Cow::<'de, str>::deserialize(d)?;
        Self::read(&text).map_err(|why| D::Error::custom(format!("{text:?}: {why}")))
    }
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.comment {
            Some(comment) => write!(f, "{} # {comment}", self.action),
            None => self.action.fmt(f),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn actions_are_written_as_they_are_read() {
        for text in [
            "d dh p1 AsKd",
            "d dh p10 ????",
            "d db 2d7cJh",
            "p3 f",
            "p3 cc",
            "p3 cbr 225",
            "p3 cbr 0.5 # half a chip",
            "p3 sm AsKd",
            "p3 sm",
            "p3 pb",
            "p3 sd",
            "p3 sd JcAs",
            "p3 sd ????",
        ] {
            assert_eq!(Line::read(text).unwrap().to_string(), text);
        }
        assert_eq!(Line::read(" p3  sm #so be it ").unwrap().to_string(), "p3 sm # so be it");
        assert_eq!(Line::read("p3 sm -").unwrap().to_string(), "p3 sm -");
        assert_eq!(Line::read("p3 cbr 1_0").unwrap_err().to_string().split(' ').next(), Some("an"));
    }

    #[test]
    fn rubbish_is_no_action() {
        for text in [
            "",
            "p1",
            "d",
            "d dh",
            "d dh p1",
            "d dh p0 As",
            "d dh p11 As",
            "d db",
            "d dx As",
            "p1 x",
            "p1 cbr",
            "p1 cbr x",
            "p1 cbr -",
            "p1 cc 5",
            "p1 f f",
            "x f",
            "p f",
            "pp f",
            "p1 pb 2",
            "p1 sd A",
            "d db AsA",
            "p1 sm Asx",
            "p99 f",
            "ä f",
            "# only a comment",
        ] {
            assert!(Line::read(text).is_err(), "{text}");
        }
    }
}
