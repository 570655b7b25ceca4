//! A hand as a PHH file has it.

use crate::terms;
use crate::toml::{Field, Section, Value, Wrong, read};
use crate::write::json;
use parlor_rules::{Chips, Reject as _};
use parlor_rules_poker::bets::{Bets, Sizes};
use parlor_rules_poker::hand::{Action, Hand, Next, OddChips, PLAYERS, Rake, Setup};
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
    /// How large bets are.
    pub bets: Bets,
    /// Chips in front at the start.
    pub starting_stacks: Vec<Chips>,
    /// Chips in front at the end.
    pub finishing_stacks: Option<Vec<Chips>>,
    /// Chips in the pot that are nobody's.
    pub dead: Chips,
    /// The smallest chip a pot is divided into.
    pub chip: Chips,
    /// How often the rest of the board is dealt once betting is over.
    pub runs: u8,
    /// What the house takes.
    pub rake: Option<Rake>,
    /// What happened.
    pub actions: Vec<Line>,
    /// Everything as it was written.
    pub fields: Vec<Field<'a>>,
    /// Comments behind the last field.
    pub(crate) tail: Vec<&'a str>,
    /// The text it was read from: what stands above its name, and what stands below.
    pub(crate) text: [&'a str; 2],
}

/// Reads all hands of a text: one, or many under names of their own. A hand that cannot be read
/// does not keep the others from being read.
pub fn hands(text: &str) -> Result<Vec<Result<History<'_>, Wrong>>, Wrong> {
    let mut sections = read(text)?;
    let mut above = "";
    if sections.len() > 1 {
        let top = sections.remove(0);
        if let Some(field) = top.fields.first() {
            let why = "a file holds one hand, or many that all stand under names of their own";
            return Err(Wrong { line: field.line, why: why.to_owned() });
        }
        above = top.text;
    } else if sections[0].fields.is_empty() {
        return Err(Wrong { line: 1, why: "there is no hand in this file".to_owned() });
    }
    let hand = |section| History::of(std::mem::take(&mut above), section);
    Ok(sections.into_iter().map(hand).collect())
}

/// A field of a hand, for reading.
struct Found<'t, 'a> {
    key: &'static str,
    field: &'t Field<'a>,
}

impl<'a> Found<'_, 'a> {
    fn wrong(&self, why: impl fmt::Display) -> Wrong {
        Wrong { line: self.field.line, why: format!("{}: {why}", self.key) }
    }

    fn list(&self) -> Result<&[Value<'a>], Wrong> {
        match &self.field.value {
            Value::List(list) => Ok(list),
            _ => Err(self.wrong("a list is needed")),
        }
    }

    /// An amount for every player.
    fn column(&self, count: usize) -> Result<Vec<Chips>, Wrong> {
        let all = self.all_chips()?;
        if all.len() != count {
            return Err(self.wrong(format!("{count} amounts are needed, one a player")));
        }
        Ok(all)
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
            _ => Err(self.wrong(format!("action {}: a text is needed", i + 1))),
        };
        // A comment alone is no action.
        let says = |(_, value): &(usize, &Value<'a>)| !matches!(value, Value::Text(text) if text.trim_start().starts_with('#'));
        self.list()?.iter().enumerate().filter(says).map(line).collect()
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
    fn of(above: &'a str, section: Section<'a>) -> Result<Self, Wrong> {
        let Section { name, fields, tail, text } = section;
        let find = |key: &'static str| {
            fields.iter().find(|field| field.key == key).map(|field| Found { key, field })
        };
        let need = |key: &'static str| {
            let line = fields.first().map_or(1, |field| field.line);
            find(key).ok_or_else(|| Wrong { line, why: format!("{key} is missing") })
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
        let posted = |key| {
            let mut all = need(key)?.column(count)?;
            if count == 2 {
                all.reverse();
            }
            Ok(all)
        };
        let [min_bet, small_bet, big_bet, bring_in] =
            Sizes::IN_FILES.map(|key| find(key).map(|found| found.chips()).transpose());
        let sizes = Sizes {
            min_bet: min_bet?,
            small_bet: small_bet?,
            big_bet: big_bet?,
            bring_in: bring_in?,
        };
        let bets = match sizes.bets(variant, None) {
            Ok(bets) => bets,
            Err(name) => {
                let why = "an amount above 0 is needed, and big bets are not below small ones";
                return Err(need(Sizes::IN_FILES[name])?.wrong(why));
            }
        };
        let column = |key| find(key).map(|found| found.column(count)).transpose();
        let mut hand = Self {
            variant,
            ante_trimming,
            antes: posted("antes")?,
            blinds: match variant.has_blinds() {
                true => posted("blinds_or_straddles")?,
                false => vec![Chips::ZERO; count],
            },
            bets,
            starting_stacks,
            finishing_stacks: column("finishing_stacks")?,
            dead: column("_deadMoney")?.into_iter().flatten().sum(),
            chip: Chips::ZERO,
            runs: 1,
            rake: None,
            actions: need("actions")?.lines()?,
            name,
            tail,
            text: [above, text],
            fields: Vec::new(),
        };
        hand.chip = match find("_chip") {
            Some(found) => terms::chip(json(&found.field.value)).map_err(|why| found.wrong(why))?,
            None => hand.usual_chip(),
        };
        if let Some(found) = find("_runs") {
            hand.runs = terms::runs(json(&found.field.value)).map_err(|why| found.wrong(why))?;
        }
        if let Some(found) = find("_rake") {
            let rake = terms::rake(json(&found.field.value)).map_err(|why| found.wrong(why))?;
            hand.rake = Some(rake);
        }
        hand.fields = fields;
        Ok(hand)
    }

    /// The smallest chip where the file does not say: a whole one where all amounts are whole.
    pub(crate) fn usual_chip(&self) -> Chips {
        let raises = self.actions.iter().filter_map(|line| match line.action {
            Action::Raise { to, .. } => Some(to),
            _ => None,
        });
        let finishing = self.finishing_stacks.iter().flatten();
        let lists = [&self.antes, &self.blinds, &self.starting_stacks].into_iter().flatten();
        let mut all = lists.chain(finishing).copied().chain(raises).chain([
            self.bets.small,
            self.bets.big,
            self.bets.bring_in,
        ]);
        if all.all(Chips::is_whole) { Chips::whole(1) } else { terms::CHIP }
    }

    /// The hand before its first action.
    pub fn begin(&self) -> Result<Hand, Failure> {
        let setup = Setup {
            variant: self.variant,
            stacks: &self.starting_stacks,
            antes: &self.antes,
            ante_trimming: self.ante_trimming,
            blinds: &self.blinds,
            dead: self.dead,
            bets: self.bets,
            first: 0,
            active: u16::MAX,
            runs: self.runs,
            chip: self.chip,
            rake: self.rake,
        };
        Hand::new(&setup).map_err(|no| Failure { action: None, why: no.text() })
    }

    /// Plays all actions.
    pub fn replay(&self) -> Result<Hand, Failure> {
        self.play(self.begin()?)
    }

    fn play(&self, mut hand: Hand) -> Result<Hand, Failure> {
        for (i, line) in self.actions.iter().enumerate() {
            if let Err(fault) = hand.act(&line.action) {
                let action = Some((i + 1, line.to_string()));
                return Err(Failure { action, why: fault.text() });
            }
        }
        Ok(hand)
    }

    /// Plays all actions and compares what the players have then; false if the file does not say.
    /// Odd chips may have gone to the winners one by one, or all to the first of them.
    pub fn check(&self) -> Result<bool, Failure> {
        let hand = self.replay()?;
        let fail = |why| Err(Failure { action: None, why });
        if hand.next() != Next::Over {
            return fail(format!("the hand is not played to its end: {}", hand.next()));
        }
        let Some(finishing) = &self.finishing_stacks else { return Ok(false) };
        let Some((i, stack, written)) = first_other(&hand, finishing) else { return Ok(true) };
        let other = self.play(self.begin()?.with_odd_chips(OddChips::First))?;
        if first_other(&other, finishing).is_none() {
            return Ok(true);
        }
        fail(format!("p{i} has {stack} at the end, the file says {written}"))
    }
}

/// The first player who has something else than what is written, and both amounts.
fn first_other(hand: &Hand, written: &[Chips]) -> Option<(usize, Chips, Chips)> {
    let stacks = hand.players().iter().map(|player| player.stack);
    let mut all = (1..).zip(stacks).zip(written).map(|((i, stack), written)| (i, stack, *written));
    all.find(|(_, stack, written)| stack != written)
}

/// Why a hand does not replay.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
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
