//! A hand as a PHH file has it.

use crate::toml::{Field, Section, Value, Wrong, line_of, read};
use parlor_rules::{Chips, Reject as _};
use parlor_rules_poker::hand::{Hand, Next, PLAYERS, Setup};
use parlor_rules_poker::notation::Line;
use parlor_rules_poker::variant::{self, Variant};
use std::borrow::Cow;
use std::fmt;

/// A hand: what was agreed before, what happened, and all else that is written about it.
#[derive(Clone, Debug)]
pub struct History<'a> {
    /// The name it stands under, in a file of many.
    pub name: Option<Cow<'a, str>>,
    /// What is played.
    pub variant: &'static Variant,
    /// Whether an ante that others cannot match is given back.
    pub ante_trimming: bool,
    /// What each posts before the cards.
    pub antes: Vec<Chips>,
    /// What each posts as a blind or straddle: the number in its own column is its own. In the file
    /// the two columns of a heads-up hand stand the other way round.
    pub blinds: Vec<Chips>,
    /// The smallest bet.
    pub min_bet: Chips,
    /// Chips in front at the start.
    pub starting_stacks: Vec<Chips>,
    /// Chips in front at the end.
    pub finishing_stacks: Option<Vec<Chips>>,
    /// What happened.
    pub actions: Vec<Line>,
    /// Everything as it was written.
    pub fields: Vec<Field<'a>>,
}

/// Reads all hands of a text: one, or many under names of their own. A hand that cannot be read
/// does not keep the others from being read.
pub fn hands(text: &str) -> Result<Vec<Result<History<'_>, Wrong>>, Wrong> {
    let mut sections = read(text)?;
    if sections.len() > 1 && sections[0].fields.is_empty() {
        sections.remove(0);
    } else if sections.len() > 1 {
        let why = "a file holds one hand, or many that all stand under names of their own";
        return Err(Wrong { line: 1, why: why.to_owned() });
    }
    Ok(sections.into_iter().map(|section| History::of(text, section)).collect())
}

/// A field of a hand, for reading.
struct Found<'t, 'a> {
    text: &'t str,
    key: &'static str,
    field: &'t Field<'a>,
}

impl<'a> Found<'_, 'a> {
    fn wrong(&self, why: impl fmt::Display) -> Wrong {
        Wrong { line: line_of(self.text, self.field.at), why: format!("{}: {why}", self.key) }
    }

    fn list(&self) -> Result<&[Value<'a>], Wrong> {
        match &self.field.value {
            Value::List(list) => Ok(list),
            _ => Err(self.wrong("a list is needed")),
        }
    }

    fn chips(&self) -> Result<Chips, Wrong> {
        chips(&self.field.value).map_err(|why| self.wrong(why))
    }

    fn all_chips(&self) -> Result<Vec<Chips>, Wrong> {
        let all: Result<Vec<_>, _> = self.list()?.iter().map(chips).collect();
        all.map_err(|why| self.wrong(why))
    }

    fn lines(&self) -> Result<Vec<Line>, Wrong> {
        let line = |(i, value): (usize, &Value<'a>)| match value {
            Value::Text(text) => {
                let no = |why| self.wrong(format!("action {}, {text:?}: {why}", i + 1));
                Line::read(text).map_err(no)
            }
            _ => Err(self.wrong(format!("action {} is no text", i + 1))),
        };
        self.list()?.iter().enumerate().map(line).collect()
    }
}

/// An amount of chips, never by way of a float.
fn chips(value: &Value<'_>) -> Result<Chips, &'static str> {
    let no = "an amount is a plain decimal of at most four places, and not negative";
    let Value::Plain(text) = value else { return Err(no) };
    let read = if text.contains('_') {
        text.replace('_', "").parse::<Chips>()
    } else {
        text.strip_prefix('+').unwrap_or(text).parse()
    };
    read.ok().filter(|chips| *chips >= Chips::ZERO).ok_or(no)
}

impl<'a> History<'a> {
    fn of(text: &str, section: Section<'a>) -> Result<Self, Wrong> {
        let Section { name, fields } = section;
        let top = fields.first().map_or(1, |field| line_of(text, field.at));
        let find = |key: &'static str| {
            let field = fields.iter().find(|field| field.key == key);
            field.map(|field| Found { text, key, field })
        };
        let need = |key: &'static str| {
            find(key).ok_or_else(|| Wrong { line: top, why: format!("{key} is missing") })
        };
        let found = need("variant")?;
        let variant = match &found.field.value {
            Value::Text(code) => {
                variant::find(code).ok_or_else(|| found.wrong(format!("{code} is not played here")))
            }
            _ => Err(found.wrong("a text is needed")),
        }?;
        let ante_trimming = match find("ante_trimming_status") {
            None => false,
            Some(found) => match found.field.value {
                Value::Truth(truth) => truth,
                _ => return Err(found.wrong("true or false is needed")),
            },
        };
        let starting_stacks = need("starting_stacks")?.all_chips()?;
        let count = starting_stacks.len();
        if !(2..=PLAYERS).contains(&count) {
            return Err(need("starting_stacks")?.wrong(format!("2 to {PLAYERS} players play")));
        }
        let column = |found: Found<'_, 'a>| {
            let mut all = found.all_chips()?;
            if all.len() != count {
                return Err(found.wrong(format!("{count} amounts are needed, one a player")));
            }
            if count == 2 {
                all.reverse();
            }
            Ok(all)
        };
        let finishing_stacks = match find("finishing_stacks") {
            None => None,
            Some(found) => {
                let all = found.all_chips()?;
                if all.len() != count {
                    return Err(found.wrong(format!("{count} amounts are needed, one a player")));
                }
                Some(all)
            }
        };
        Ok(Self {
            variant,
            ante_trimming,
            antes: column(need("antes")?)?,
            blinds: column(need("blinds_or_straddles")?)?,
            min_bet: need("min_bet")?.chips()?,
            starting_stacks,
            finishing_stacks,
            actions: need("actions")?.lines()?,
            name,
            fields,
        })
    }

    /// The hand before its first action.
    pub fn begin(&self) -> Result<Hand, Failure> {
        let setup = Setup {
            variant: self.variant,
            stacks: &self.starting_stacks,
            antes: &self.antes,
            ante_trimming: self.ante_trimming,
            blinds: &self.blinds,
            dead: Chips::ZERO,
            min_bet: self.min_bet,
            big_bet: self.min_bet,
            bring_in: Chips::ZERO,
            first: 0,
            active: u16::MAX,
            chip: Chips::from_ten_thousandths(1),
            rake: None,
        };
        Hand::new(&setup).map_err(|no| Failure { action: None, why: no.text() })
    }

    /// Plays all actions.
    pub fn replay(&self) -> Result<Hand, Failure> {
        let mut hand = self.begin()?;
        for (i, line) in self.actions.iter().enumerate() {
            if let Err(fault) = hand.act(&line.action) {
                let action = Some((i + 1, line.to_string()));
                return Err(Failure { action, why: fault.text() });
            }
        }
        Ok(hand)
    }

    /// Plays all actions and compares what the players have then; false if the file does not say.
    pub fn check(&self) -> Result<bool, Failure> {
        let hand = self.replay()?;
        let fail = |why| Err(Failure { action: None, why });
        if hand.next() != Next::Over {
            return fail(format!("the hand is not played to its end: {}", hand.next()));
        }
        let Some(finishing) = &self.finishing_stacks else { return Ok(false) };
        let stacks = hand.players().iter().map(|player| player.stack);
        for ((i, stack), written) in (1..).zip(stacks).zip(finishing) {
            if stack != *written {
                return fail(format!("p{i} has {stack} at the end, the file says {written}"));
            }
        }
        Ok(true)
    }
}

/// Why a hand does not replay.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Failure {
    /// The number of the action, from 1, and the action, if it is one.
    pub action: Option<(usize, String)>,
    /// What is wrong.
    pub why: String,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.action {
            Some((number, action)) => write!(f, "action {number}, {action}: {}", self.why),
            None => f.write_str(&self.why),
        }
    }
}

impl std::error::Error for Failure {}
