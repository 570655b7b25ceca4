//! The lines of one hand, each by itself.

use super::{GAMES, VOICE};
use crate::toml::Wrong;
use parlor_rules::Chips;
use parlor_rules_poker::card::{Card, Cards};
use parlor_rules_poker::notation::Line as Noted;
use parlor_rules_poker::variant::Variant;

/// The most lines a hand may have.
const LINES: usize = 10_000;

/// What the first two lines tell, and the seats.
pub(super) struct Head<'a> {
    /// The number of the hand, as it is written.
    pub number: &'a str,
    pub variant: &'static Variant,
    /// What stands before the name of the game: a tournament, a club.
    pub event: Option<&'a str>,
    pub level: Option<&'a str>,
    /// Small and big blind, or bet.
    pub stakes: [Chips; 2],
    /// The sign of the currency, if it is no play money.
    pub sign: Option<char>,
    pub currency: Option<&'a str>,
    /// Year, month, day; hour, minute, second; zone.
    pub date: Option<[u32; 6]>,
    pub zone: Option<&'a str>,
    pub table: Option<&'a str>,
    pub max: Option<u8>,
    pub button: Option<u8>,
    pub seats: Vec<Place<'a>>,
}

/// Somebody at the table.
pub(super) struct Place<'a> {
    pub line: usize,
    pub chair: u8,
    pub name: &'a str,
    pub stack: Chips,
}

/// What is posted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Post {
    Ante,
    Small,
    Big,
    /// Both, of which the small one is dead.
    Both,
    Dead,
    Straddle,
}

/// What happens; players are numbered as they stand among the seats.
#[derive(Clone, Debug)]
pub(super) enum Event {
    Post {
        who: usize,
        post: Post,
        chips: Chips,
        all_in: bool,
    },
    /// A heading, and the new cards of the board.
    Street {
        board: Cards,
    },
    /// Cards to a player: those the player has by then, or the new ones.
    Dealt {
        who: usize,
        cards: Cards,
    },
    /// The same, said by ourselves.
    Noted {
        player: usize,
        cards: Cards,
        comment: Option<Box<str>>,
    },
    /// Cards may be shown at once.
    Fold {
        who: usize,
        cards: Vec<Card>,
    },
    Check {
        who: usize,
    },
    Call {
        who: usize,
        chips: Chips,
    },
    Bet {
        who: usize,
        chips: Chips,
    },
    Raise {
        who: usize,
        by: Chips,
        to: Chips,
    },
    BringIn {
        who: usize,
        chips: Chips,
    },
    Discard {
        who: usize,
        count: usize,
        cards: Option<Cards>,
    },
    Show {
        who: usize,
        cards: Vec<Card>,
    },
    Muck {
        who: usize,
    },
    Uncalled {
        who: usize,
        chips: Chips,
    },
    Collected {
        who: usize,
        chips: Chips,
    },
    /// A comment on what stands above.
    Comment(Box<str>),
}

/// What stands below the last heading.
#[derive(Default)]
pub(super) struct Summary {
    pub line: usize,
    pub total: Option<(usize, Chips)>,
    /// The main pot and the others, where they are told apart.
    pub pots: Vec<Chips>,
    pub rake: Chips,
    /// The board, or both.
    pub boards: Vec<(usize, Vec<Card>)>,
    /// What is said of players: the line, who, their cards, what they won.
    pub seats: Vec<(usize, usize, Vec<Card>, Option<Chips>)>,
}

/// One hand as its lines tell it.
pub(super) struct Lines<'a> {
    /// The first line.
    pub line: usize,
    pub head: Head<'a>,
    /// What happens, and in which line.
    pub events: Vec<(usize, Event)>,
    pub summary: Summary,
    /// Whether the rest of the board is dealt a second time.
    pub twice: bool,
    /// Fields of a PHH file, said in chat: a key and a value, or one that is not there.
    pub fields: Vec<(String, Option<String>)>,
    /// The text without these lines.
    pub plain: String,
}

fn wrong<T>(line: usize, why: impl Into<String>) -> Result<T, Wrong> {
    Err(Wrong { line, why: why.into() })
}

/// An amount with or without the sign of a currency.
fn chips(text: &str) -> Option<Chips> {
    let digits = text.trim_start_matches(|c: char| !c.is_ascii_digit() && c != '-' && c != '.');
    let sign = &text[..text.len() - digits.len()];
    if sign.chars().count() > 1 {
        return None;
    }
    digits.parse().ok().filter(|chips| *chips >= Chips::ZERO)
}

/// Cards with spaces between.
fn cards(text: &str) -> Option<Vec<Card>> {
    text.split_ascii_whitespace().map(|card| card.parse().ok()).collect()
}

/// What stands between the brackets of a text, one pair after the other.
fn brackets(text: &str) -> Option<Vec<Vec<Card>>> {
    let mut all = Vec::new();
    let mut rest = text.trim();
    while !rest.is_empty() {
        let (inside, behind) = rest.strip_prefix('[')?.split_once(']')?;
        all.push(cards(inside)?);
        rest = behind.trim();
    }
    Some(all)
}

fn row(cards: &[Card]) -> Option<Cards> {
    (cards.len() <= Cards::MOST).then(|| cards.iter().copied().collect())
}

/// Whether a line is the first of a hand.
pub(super) fn is_header(line: &str) -> bool {
    let Some(rest) = line.strip_prefix(super::SITE) else { return false };
    let kind = rest.split_once('#').map_or("", |(kind, _)| kind.trim_end());
    kind.ends_with(" Hand") || kind.ends_with(" Game")
}

impl<'a> Head<'a> {
    /// Reads the first line.
    fn read(line: usize, text: &'a str) -> Result<Self, Wrong> {
        let parts = text.split_once('#').and_then(|(_, rest)| rest.split_once(':'));
        let Some((number, rest)) = parts else {
            return wrong(line, "a number of the hand and a colon are needed");
        };
        let number = number.trim();
        if number.is_empty() || number.len() > 30 || !number.bytes().all(|b| b.is_ascii_digit()) {
            return wrong(line, format!("{number:?} is no number of a hand"));
        }
        let rest = rest.trim();
        // The longest name, where one ends with another.
        let found = GAMES
            .iter()
            .filter_map(|(name, game)| rest.find(name).map(|at| (at, *name, *game)))
            .filter(|(at, name, _)| {
                rest[at + name.len()..].starts_with([' ', ',', ')'])
                    && (*at == 0 || rest[..*at].ends_with([' ', '(']))
                    // Five or six cards are another game.
                    && !rest[..*at].ends_with("Card ")
            })
            .min_by_key(|(at, _, _)| *at);
        let Some((at, name, variant)) = found else {
            return wrong(line, format!("no game that is played here: {rest:?}"));
        };
        let before = rest[..at].trim().trim_end_matches([',', '(']).trim();
        let behind = &rest[at + name.len()..];
        let level = behind.split_once("Level ").and_then(|(_, text)| text.split_once(" ("));
        let inside = match behind.strip_prefix(", ") {
            Some(inside) => inside.split_once(')'),
            None => behind.split_once('(').and_then(|(_, inside)| inside.split_once(')')),
        };
        let no_stakes = || Wrong { line, why: "the stakes are needed, as in (1/2)".to_owned() };
        let (inside, behind) = inside.ok_or_else(no_stakes)?;
        let (small, big) = inside.split_once('/').ok_or_else(no_stakes)?;
        let first = |text: &'a str| text.split_ascii_whitespace().next().unwrap_or_default();
        let stakes = chips(first(small)).zip(chips(first(big))).ok_or_else(no_stakes)?;
        let sign = first(big).chars().next().filter(|sign| !sign.is_ascii_digit());
        let currency = big.split_ascii_whitespace().last();
        let currency = currency
            .filter(|code| code.len() == 3 && code.bytes().all(|byte| byte.is_ascii_uppercase()));
        let time = behind.split_once("- ").map(|(_, time)| time.split('[').next().unwrap_or(time));
        let (date, zone) = time.map_or((None, None), when);
        Ok(Self {
            number,
            variant,
            event: Some(before).filter(|event| !event.is_empty()),
            level: level.map(|(level, _)| level),
            stakes: [stakes.0, stakes.1],
            sign,
            currency,
            date,
            zone,
            table: None,
            max: None,
            button: None,
            seats: Vec::new(),
        })
    }

    /// Reads the line of the table.
    fn table(&mut self, text: &'a str) -> Option<()> {
        let rest = text.strip_prefix("Table '")?;
        let end = rest.rfind('\'')?;
        let (name, rest) = (&rest[..end], &rest[end + 1..]);
        let max = rest.split_ascii_whitespace().find_map(|word| word.strip_suffix("-max"));
        let seat = rest.split_once("Seat #").and_then(|(_, seat)| seat.split_once(' '));
        self.table = Some(name);
        self.max = max.and_then(|max| max.parse().ok());
        self.button = seat.and_then(|(seat, _)| seat.parse().ok());
        Some(())
    }

    /// Reads the line of a seat: `Seat 1: name ($10 in chips) is sitting out`.
    fn seat(&mut self, line: usize, text: &'a str) -> Result<(), Wrong> {
        let read = || {
            let (chair, rest) = text.strip_prefix("Seat ")?.split_once(": ")?;
            let end = rest.rfind(" in chips")?;
            let begin = rest[..end].rfind(" (")?;
            let stack = chips(&rest[begin + 2..end])?;
            let name = rest[..begin].trim();
            let chair = chair.parse().ok()?;
            (!name.is_empty()).then_some(Place { line, chair, name, stack })
        };
        let Some(seat) = read() else {
            return wrong(line, "a seat is Seat NUMBER: NAME (AMOUNT in chips)");
        };
        if self.seats.iter().any(|other| other.chair == seat.chair) {
            return wrong(line, format!("seat {} is taken twice", seat.chair));
        }
        if self.seats.iter().any(|other| other.name == seat.name) {
            return wrong(line, format!("{} sits at two seats", seat.name));
        }
        self.seats.push(seat);
        Ok(())
    }

    /// The player a text begins with, by the longest name, and what follows.
    fn who<'t>(&self, text: &'t str, behind: &str) -> Option<(usize, &'t str)> {
        let seats = self.seats.iter().enumerate();
        let found = seats.filter_map(|(i, seat)| {
            let rest = text.strip_prefix(seat.name)?.strip_prefix(behind)?;
            Some((i, rest))
        });
        found.min_by_key(|(_, rest)| rest.len())
    }
}

/// A date, a time and a zone: `2023/12/28 22:34:00 ET`.
fn when(text: &str) -> (Option<[u32; 6]>, Option<&str>) {
    let mut words = text.split_ascii_whitespace();
    let (Some(date), Some(time)) = (words.next(), words.next()) else { return (None, None) };
    // Old files have a dash between.
    let time = if time == "-" { words.next().unwrap_or_default() } else { time };
    let zone = words.next().map(|zone| zone.trim_matches(['(', ')']));
    let numbers = |text: &str, between: char| -> Option<[u32; 3]> {
        let all: Option<Vec<u32>> = text.split(between).map(|part| part.parse().ok()).collect();
        all?.try_into().ok()
    };
    let date = numbers(date, '/')
        .zip(numbers(time, ':'))
        .map(|([y, m, d], [h, min, s])| [y, m, d, h, min, s]);
    let valid = |[y, m, d, h, min, s]: &[u32; 6]| {
        (1..=9999).contains(y)
            && (1..=12).contains(m)
            && (1..=31).contains(d)
            && *h < 24
            && *min < 60
            && *s < 60
    };
    (date.filter(valid), zone)
}

/// Lines that say nothing of the hand: who comes and goes, chat, prizes.
fn is_aside(text: &str) -> bool {
    const ENDS: &[&str] = &[
        " sits out",
        " is sitting out",
        " leaves the table",
        " is disconnected",
        " is connected",
        " has returned",
        " has timed out",
        " has timed out while disconnected",
        " has timed out while being disconnected",
        " will be allowed to play after the button",
        " was removed from the table for failing to post",
        ": doesn't show hand",
        " has requested TIME",
        " is low hand",
        " wins the tournament",
        " didn't post big blind",
    ];
    const WITHIN: &[&str] = &[
        " said, \"",
        " joins the table at seat #",
        " finished the tournament",
        " wins the tournament",
        " wins $",
        " wins €",
        " wins £",
        " the bounty",
        " re-buys and receives ",
        " takes the add-on",
        " adds $",
        " adds €",
        " cashed out the hand",
        " has been eliminated",
        " was moved from table",
        " receives ",
    ];
    let text = text.trim_end();
    ENDS.iter().any(|end| text.ends_with(end))
        || WITHIN.iter().any(|part| text.contains(part))
        || text.starts_with("The deck is reshuffled")
        || text.starts_with("Betting is capped")
        || text.starts_with("Pair on board")
}

/// What stands in quotes behind a chat line of our own.
fn said(text: &str) -> Option<String> {
    let quoted = text.strip_prefix(VOICE)?.strip_prefix(" said, ")?;
    serde_json::from_str(quoted).ok()
}

impl<'a> Lines<'a> {
    /// Reads the lines of a hand, the first of which is its header.
    pub(super) fn read(all: &[(usize, &'a str)]) -> Result<Self, Wrong> {
        let Some(((first, text), rest)) = all.split_first() else {
            return wrong(1, "there is no hand in this file");
        };
        if rest.len() > LINES {
            return wrong(*first, format!("a hand has at most {LINES} lines"));
        }
        let head = Head::read(*first, text)?;
        let plain = format!("{}\n", text.trim_end());
        let (events, fields) = (Vec::new(), Vec::new());
        let mut hand = Self {
            line: *first,
            head,
            events,
            summary: Summary::default(),
            twice: false,
            fields,
            plain,
        };
        for (line, text) in rest {
            hand.line(*line, text.trim_end())?;
        }
        if hand.summary.line == 0 {
            let last = rest.last().map_or(*first, |(line, _)| *line);
            return wrong(last, "the hand is cut off: there is no *** SUMMARY ***");
        }
        Ok(hand)
    }

    fn line(&mut self, line: usize, text: &'a str) -> Result<(), Wrong> {
        if text.trim().is_empty() || text.starts_with("*****") {
            return Ok(());
        }
        if let Some(said) = said(text)
            && self.said(line, &said)?
        {
            return Ok(());
        }
        self.plain.push_str(text);
        self.plain.push('\n');
        if self.summary.line > 0 {
            return self.below(line, text);
        }
        if text.starts_with("Table '") {
            let read = self.head.table(text);
            return read.ok_or_else(|| Wrong { line, why: "no table can be read".to_owned() });
        }
        if let Some(rest) = text.strip_prefix("*** ") {
            return self.heading(line, rest);
        }
        if self.events.is_empty() && text.starts_with("Seat ") && text.contains(" in chips") {
            return self.head.seat(line, text);
        }
        match self.event(text) {
            Some(event) => self.events.push((line, event)),
            None if is_aside(text) => {}
            None if text.contains("Hand cancelled") => {
                return wrong(line, "the hand was cancelled");
            }
            None => return wrong(line, format!("this line is not known: {text:?}")),
        }
        Ok(())
    }

    /// What we say in chat ourselves; whether it was that.
    fn said(&mut self, line: usize, text: &str) -> Result<bool, Wrong> {
        if let Some(comment) = text.strip_prefix('#') {
            self.events.push((line, Event::Comment(comment.trim().into())));
        } else if text.starts_with("d dh ") {
            let noted = Noted::read(text).map_err(|why| Wrong { line, why: why.to_string() })?;
            let parlor_rules_poker::hand::Action::Hole { player, cards } = noted.action else {
                return Ok(false);
            };
            let (player, comment) = (usize::from(player), noted.comment);
            self.events.push((line, Event::Noted { player, cards, comment }));
        } else if let Some(keys) = text.strip_prefix("without ") {
            self.fields.extend(keys.split(", ").map(|key| (key.to_owned(), None)));
            return Ok(true);
        } else if let Some((key, value)) = text.split_once(" = ") {
            self.fields.push((key.to_owned(), Some(value.to_owned())));
            return Ok(true);
        } else {
            return Ok(false);
        }
        // These are part of the hand.
        self.plain.push_str(&format!("{VOICE} said, {}\n", serde_json::Value::from(text)));
        Ok(true)
    }

    fn heading(&mut self, line: usize, text: &str) -> Result<(), Wrong> {
        let (name, rest) = text.split_once(" ***").unwrap_or((text, ""));
        // A board that is run twice; a draw is no board.
        let name = match name.split_once(' ') {
            Some(("FIRST" | "SECOND", "DRAW")) | None => name,
            Some((run @ ("FIRST" | "SECOND"), name)) => {
                self.twice |= run == "SECOND";
                name
            }
            Some(_) => name,
        };
        let street = |cards: Vec<Card>| Event::Street { board: row(&cards).unwrap_or(Cards::NONE) };
        match name {
            "SUMMARY" => self.summary.line = line,
            "SHOW DOWN" => {}
            "HOLE CARDS" | "DEALING HANDS" | "FIRST DRAW" | "SECOND DRAW" | "THIRD DRAW"
            | "3rd STREET" | "4th STREET" | "5th STREET" | "6th STREET" | "7th STREET" => {
                self.events.push((line, street(Vec::new())));
            }
            "FLOP" | "TURN" | "RIVER" => match brackets(rest) {
                Some(mut all) => self.events.push((line, street(all.pop().unwrap_or_default()))),
                None => return wrong(line, format!("no cards can be read: {rest:?}")),
            },
            _ => return wrong(line, format!("this heading is not known: {name:?}")),
        }
        Ok(())
    }

    fn event(&self, text: &str) -> Option<Event> {
        if let Some(rest) = text.strip_prefix("Dealt to ") {
            let (who, _) = self.head.who(rest, " [")?;
            let all = brackets(&rest[self.head.seats[who].name.len()..])?;
            let cards = row(all.last()?)?;
            return Some(Event::Dealt { who, cards });
        }
        if let Some(rest) = text.strip_prefix("Uncalled bet (") {
            let (amount, name) = rest.split_once(") returned to ")?;
            let (who, _) = self.head.who(name, "").filter(|(_, rest)| rest.trim().is_empty())?;
            return Some(Event::Uncalled { who, chips: chips(amount)? });
        }
        if let Some((who, rest)) = self.head.who(text, " collected ") {
            let (amount, from) = rest.split_once(" from ")?;
            return from.contains("pot").then_some(Event::Collected { who, chips: chips(amount)? });
        }
        let (who, rest) = self.head.who(text, ": ")?;
        act(who, rest.trim_end())
    }

    /// What stands below the last heading.
    fn below(&mut self, line: usize, text: &str) -> Result<(), Wrong> {
        if let Some(rest) = text.strip_prefix("Total pot ") {
            let no =
                || Wrong { line, why: "the pots are Total pot AMOUNT | Rake AMOUNT".to_owned() };
            let (pots, rake) = rest.split_once('|').unwrap_or((rest, ""));
            let mut words = pots.split_ascii_whitespace();
            let total = words.next().and_then(chips).ok_or_else(no)?;
            self.summary.total = Some((line, total));
            let amounts = words.filter(|word| word.contains(|c: char| c.is_ascii_digit()));
            for word in amounts.filter(|word| !word.starts_with("pot-")) {
                let amount = chips(word.trim_end_matches('.')).ok_or_else(no)?;
                self.summary.pots.push(amount);
            }
            let rake = rake
                .trim()
                .strip_prefix("Rake ")
                .map(|rake| chips(rake.split_ascii_whitespace().next().unwrap_or_default()));
            self.summary.rake = rake.unwrap_or(Some(Chips::ZERO)).ok_or_else(no)?;
        } else if let Some(rest) = ["Board ", "FIRST Board ", "SECOND Board "]
            .iter()
            .find_map(|board| text.strip_prefix(board))
        {
            let Some(all) = brackets(rest) else { return wrong(line, "the board cannot be read") };
            self.summary.boards.push((line, all.concat()));
        } else if let Some((_, rest)) = text.strip_prefix("Seat ").and_then(|t| t.split_once(": "))
        {
            let Some((who, rest)) = self.head.who(rest, " ") else { return Ok(()) };
            let part = |open: &str, close: char| {
                let at = rest.find(open)? + open.len();
                rest[at..].split_once(close).map(|(inside, _)| inside)
            };
            let shown = part("ed [", ']').and_then(cards).unwrap_or_default();
            // Somebody may win the two halves of a pot apart.
            let mut won = None;
            for word in ["won (", "collected ("] {
                for (at, _) in rest.match_indices(word) {
                    let inside = rest[at + word.len()..].split_once(')');
                    if let Some(chips) = inside.and_then(|(inside, _)| chips(inside)) {
                        *won.get_or_insert(Chips::ZERO) += chips;
                    }
                }
            }
            self.summary.seats.push((line, who, shown, won));
        } else if !is_aside(text) && !text.starts_with("Hand #") && text != "Hand was run twice" {
            return wrong(line, format!("this line is not known: {text:?}"));
        }
        Ok(())
    }
}

/// What a player does.
fn act(who: usize, text: &str) -> Option<Event> {
    let (text, all_in) = match text.strip_suffix(" and is all-in") {
        Some(text) => (text, true),
        None => (text, false),
    };
    // In games with a cap.
    let text = text.find(" and has reached the ").map_or(text, |at| &text[..at]);
    if let Some(rest) = text.strip_prefix("posts ") {
        let (what, amount) = rest.rsplit_once(' ')?;
        let post = match what {
            "the ante" | "ante" => Post::Ante,
            "small blind" | "button blind" => Post::Small,
            "big blind" => Post::Big,
            "small & big blinds" => Post::Both,
            "dead blind" | "dead" | "small blind (dead)" | "missed blind" => Post::Dead,
            "straddle" | "a straddle" | "the straddle" => Post::Straddle,
            _ => return None,
        };
        return Some(Event::Post { who, post, chips: chips(amount)?, all_in });
    }
    let (verb, rest) = text.split_once(' ').unwrap_or((text, ""));
    Some(match verb {
        "folds" => Event::Fold { who, cards: brackets(rest)?.pop().unwrap_or_default() },
        "checks" if rest.is_empty() => Event::Check { who },
        "calls" => Event::Call { who, chips: chips(rest)? },
        "bets" => Event::Bet { who, chips: chips(rest)? },
        "raises" => {
            let (by, to) = rest.split_once(" to ")?;
            Event::Raise { who, by: chips(by)?, to: chips(to)? }
        }
        "brings" => {
            let amount = rest.strip_prefix("in for ")?.trim_start_matches("low ");
            Event::BringIn { who, chips: chips(amount)? }
        }
        "shows" => {
            let inside = rest.strip_prefix('[')?.split_once(']')?.0;
            Event::Show { who, cards: cards(inside)? }
        }
        "mucks" => Event::Muck { who },
        "stands" => Event::Discard { who, count: 0, cards: Some(Cards::NONE) },
        "discards" => {
            let (count, rest) = rest.split_once(" card")?;
            let count = count.parse().ok().filter(|count| *count <= Cards::MOST)?;
            let given = brackets(rest.trim_start_matches('s'))?.pop();
            let cards = match given {
                Some(given) => Some(row(&given)?),
                None => None,
            };
            Event::Discard { who, count, cards }
        }
        _ => return None,
    })
}
