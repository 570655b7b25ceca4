//! Match files, `.mat`: a match or a session for money as two columns of rolls and moves.
//!
//! ```
//! use parlor_rules_backgammon::mat;
//!
//! let text = " 1 point match
//!
//!  Game 1
//!  Ada : 0                        Bob : 0
//!   1)                             31: 8/5 6/5
//!   2) 65: 24/13                   64: 24/14
//!                                   Wins 1 point and the match
//! ";
//! let record = mat::read(text).unwrap();
//! assert_eq!(record.names, ["Ada", "Bob"]);
//! assert_eq!(mat::read(&mat::write(&record)).unwrap(), record);
//! ```
//!
//! The first name and the left column are seat 0, the right column is seat 1. Reading plays every
//! game through the rules, with the dice of the file, so what comes out is legal and complete.
//! Writing uses plain steps with 25 for the bar and 0 for off, which every program reads.
//!
//! A file does not say everything. A game is taken to open with a roll of one die each, unless that
//! cannot be. A win that no man borne off and no drop explains was resigned, or, where it decides a
//! match whose points it does not reach, lost on time. `Crawford`, `Jacoby`, `Beaver`, `CubeLimit`
//! and `AutomaticDoubles` are read from tags `; [Key "value"]`; without a tag the Crawford rule
//! holds, and the Jacoby rule only if the points of a game ask for it.

use crate::Backgammon;
use crate::command::{Action, Command, Level, Move};
use crate::event::{Event, Reason};
use crate::notation;
use crate::situation::number;
use crate::state::{Config, Opening, Phase, SEATS, Start, State, other};
use parlor_rules::series::{Own, Told};
use parlor_rules::{
    Draws, House, Input, Owner, Reject, Rules, Seat, Series, Standing, Tape, series,
};
use std::fmt;

type Match = Series<Backgammon>;

/// What a file holds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Record {
    /// Tags that say nothing about the rules, in order.
    pub tags: Vec<(String, String)>,
    /// The names of seat 0 and seat 1.
    pub names: [String; 2],
    /// The options.
    pub config: Config,
    /// What happened in each game. Only the last may be unfinished.
    pub games: Vec<Vec<Event>>,
}

impl Record {
    /// A record of what a table has told, in order.
    pub fn of_series(names: [String; 2], config: Config, told: &[Told<Event>]) -> Self {
        let mut games = vec![Vec::new()];
        for event in told {
            match event {
                Told::Game(event) => {
                    games.last_mut().into_iter().for_each(|g| g.push(event.clone()))
                }
                Told::Series(Own::NextGame { .. }) => games.push(Vec::new()),
                // Between games there is nowhere to write that somebody left.
                Told::Series(Own::MatchForfeited { .. } | Own::MatchClosed {}) => {}
            }
        }
        Self { tags: Vec::new(), names, config, games }
    }

    /// What a table that played this would have told; for money a table plays only one game.
    pub fn told(&self) -> Vec<Told<Event>> {
        let mut told = Vec::new();
        for (i, game) in self.games.iter().enumerate() {
            if i > 0 {
                told.push(Told::Series(Own::NextGame { game: i as u32 + 1 }));
            }
            told.extend(game.iter().cloned().map(Told::Game));
        }
        told
    }
}

/// Why a text is no match file.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub struct MatError {
    /// The number of the game; 0 before the first.
    pub game: u32,
    /// The number of the line, from 1.
    pub line: usize,
    /// What is wrong.
    pub text: String,
}

impl fmt::Display for MatError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.game {
            0 => write!(f, "line {}: {}", self.line, self.text),
            game => write!(f, "game {game}, line {}: {}", self.line, self.text),
        }
    }
}

// Writing.

/// Writes a match file. What cannot be told in one is left out: take-backs, refused resignations,
/// steps of a turn that is not finished.
pub fn write(record: &Record) -> String {
    let Record { tags, names, config, games } = record;
    let doubles =
        |game: &Vec<Event>| game.iter().filter(|e| **e == Event::AutomaticDouble {}).count();
    let automatic_doubles: Vec<usize> = games.iter().map(doubles).collect();
    let mut text = Head { tags, config, automatic_doubles: &automatic_doubles }.text();
    let mut sheet = Sheet::new(config.clone(), [0; 2]);
    for (number, game) in (1..).zip(games) {
        game.iter().for_each(|event| sheet.add(event));
        text += &sheet.text(number, names);
        sheet = sheet.next();
    }
    text
}

/// What stands above the games.
pub struct Head<'a> {
    /// Tags that say nothing about the rules, in order.
    pub tags: &'a [(String, String)],
    /// The options.
    pub config: &'a Config,
    /// How many automatic doubles each game had.
    pub automatic_doubles: &'a [usize],
}

impl Head<'_> {
    /// As the file has it.
    pub fn text(&self) -> String {
        let mut text = String::new();
        for (key, value) in self.tags {
            text += &format!("; [{} \"{}\"]\n", without(key, "\"").trim(), without(value, ""));
        }
        for (key, value) in self.rule_tags() {
            text += &format!("; [{key} \"{value}\"]\n");
        }
        text + &format!("\n {} point match\n", self.config.r#match)
    }

    /// The options as tags, where they are not what a reader takes them to be.
    fn rule_tags(&self) -> Vec<(&'static str, String)> {
        let config = self.config;
        let mut tags = Vec::new();
        let mut on = |key, on: bool| tags.push((key, if on { "On" } else { "Off" }.to_owned()));
        match config.r#match {
            0 => {
                on("Jacoby", config.jacoby);
                on("Beaver", config.beavers);
            }
            _ => on("Crawford", config.crawford),
        }
        if !config.cube {
            tags.push(("CubeLimit", "1".to_owned()));
        }
        if let Some(start) = config.position {
            tags.push(("Position", start.into()));
        }
        if self.automatic_doubles.iter().any(|count| *count > 0) {
            let counts: Vec<String> = self.automatic_doubles.iter().map(usize::to_string).collect();
            tags.push(("AutomaticDoubles", counts.join(" ")));
        }
        tags
    }
}

/// A text with nothing in it that would end it.
fn without(text: &str, enders: &str) -> String {
    text.chars().map(|c| if c.is_control() || enders.contains(c) { '_' } else { c }).collect()
}

/// One game as it is written, event by event.
pub struct Sheet {
    state: State,
    /// The score before it.
    before: [u32; 2],
    /// The score after it, as far as it was played.
    score: [u32; 2],
    automatic_doubles: usize,
    columns: Columns,
    /// What was rolled, if the turn is not over.
    rolled: Option<(Seat, [u8; 2])>,
    /// The line below the columns.
    win: String,
}

impl Sheet {
    /// A game before its first event, at this score.
    pub fn new(config: Config, score: [u32; 2]) -> Self {
        Self {
            state: State::fresh(config, Standing::new(2), false),
            before: score,
            score,
            automatic_doubles: 0,
            columns: Columns::default(),
            rolled: None,
            win: String::new(),
        }
    }

    /// The game after this one.
    pub fn next(&self) -> Self {
        Self::new(self.state.config.clone(), self.score)
    }

    /// How many automatic doubles it has had.
    pub fn automatic_doubles(&self) -> usize {
        self.automatic_doubles
    }

    /// Takes the next event.
    pub fn add(&mut self, event: &Event) {
        match event {
            Event::AutomaticDouble {} => self.automatic_doubles += 1,
            Event::OpeningRolled { dice: [a, b] } if a != b => {
                self.rolled = Some((if a > b { SEATS[0] } else { SEATS[1] }, [*a, *b]));
            }
            Event::Rolled { seat, dice } => self.rolled = Some((*seat, *dice)),
            Event::Committed { .. } | Event::Passed { .. } => {
                if let Some((seat, dice)) = self.rolled.take() {
                    self.columns.put(seat, roll_cell(dice, &self.state));
                }
            }
            Event::DoubleProposed { seat } => {
                let stakes = self.state.stakes.doubled();
                self.columns.put(*seat, format!(" Doubles => {}", stakes.get()));
            }
            Event::Beavered { seat } => {
                let stakes = self.state.stakes.doubled().doubled();
                self.columns.put(*seat, format!(" Beavers => {}", stakes.get()));
            }
            Event::Accepted { seat } => self.columns.put(*seat, " Takes".to_owned()),
            Event::Finished { winner: Some(winner), payout, reason } => {
                self.finish(*winner, *payout, *reason);
            }
            _ => {}
        }
        self.state.apply(event);
    }

    fn finish(&mut self, winner: Seat, payout: u32, reason: Reason) {
        if reason == Reason::Forfeit {
            self.columns.put(other(winner), " Drops".to_owned());
        }
        if let Some((seat, dice)) = self.rolled.take() {
            self.columns.put(seat, dice_cell(dice));
        }
        let points = &mut self.score[winner.index().min(1)];
        *points = points.saturating_add(payout);
        let decides = matches!(reason, Reason::Timeout | Reason::Left);
        let length = self.state.config.r#match;
        let the_match = length > 0 && (decides || *points >= length);
        let wins = format!(
            "Wins {payout} point{}{}",
            if payout == 1 { "" } else { "s" },
            if the_match { " and the match" } else { "" },
        );
        // Beside a drop, below anything else.
        match (winner.index(), reason) {
            (1, Reason::Forfeit) => self.columns.put(winner, format!(" {wins}")),
            (1, _) => self.win = format!("{:34}{wins}\n", ""),
            _ => self.win = format!("{:6}{wins}\n", ""),
        }
    }

    /// The game with its number and who plays it.
    pub fn text(&self, number: u32, names: &[String; 2]) -> String {
        let names = [0, 1].map(|i| match without(&names[i], ":;").trim() {
            "" => format!("Player {}", i + 1),
            name => name.to_owned(),
        });
        let [a, b] = self.before;
        let first = format!("{} : {a}", names[0]);
        let mut text = format!("\n Game {number}\n {first:<30} {} : {b}\n", names[1]);
        let mut columns = self.columns.clone();
        // The last turn is not over.
        if let Some((seat, dice)) = self.rolled {
            columns.put(seat, dice_cell(dice));
        }
        text += &columns.text();
        text + &self.win
    }
}

fn dice_cell([a, b]: [u8; 2]) -> String {
    format!("{}{}:", a.max(b), a.min(b))
}

/// A roll and the steps made with it, in the state before they are committed.
fn roll_cell(dice: [u8; 2], state: &State) -> String {
    let mut cell = dice_cell(dice);
    if let Phase::Moving { played, .. } = &state.phase {
        for played in played {
            if let Some(step) = played.step().seen_by(state.up) {
                let mark = if played.hit { "*" } else { "" };
                cell += &format!(" {}/{}{mark}", step.from, step.to());
            }
        }
    }
    cell
}

/// Cells put into two columns, each behind the one before.
#[derive(Clone, Default)]
struct Columns {
    rows: Vec<[String; 2]>,
}

impl Columns {
    fn put(&mut self, seat: Seat, cell: String) {
        let column = seat.index().min(1);
        match self.rows.last_mut() {
            Some([_, right]) if column == 1 && right.is_empty() => *right = cell,
            _ if column == 0 => self.rows.push([cell, String::new()]),
            _ => self.rows.push([String::new(), cell]),
        }
    }

    fn text(&self) -> String {
        let mut text = String::new();
        for (i, [left, right]) in self.rows.iter().enumerate() {
            // The left column is filled up even before nothing: not all readers look where a line
            // ends.
            text += &format!("{:3}) {left:<27} {right}\n", i + 1);
        }
        text
    }
}

// Reading: first what stands in the file, then what it means.

/// A game as it stands in the file.
struct Raw<'a> {
    number: u32,
    line: usize,
    names: [&'a str; 2],
    score: [u32; 2],
    entries: Vec<(usize, Seat, Entry<'a>)>,
}

/// One cell.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Entry<'a> {
    Roll { dice: [u8; 2], moves: &'a str },
    Double { to: Option<u32> },
    Beaver { to: Option<u32> },
    Take,
    Drop,
    Win { points: u32, the_match: bool },
}

/// Reads a match file.
pub fn read(text: &str) -> Result<Record, MatError> {
    let mut tags: Vec<(&str, &str)> = Vec::new();
    let mut length = None;
    let mut games: Vec<Raw<'_>> = Vec::new();
    let mut awaits_names = false;
    for (i, line) in text.trim_start_matches('\u{feff}').lines().enumerate() {
        let game = games.len() as u32;
        let fail = |text: String| Err(MatError { game, line: i + 1, text });
        let trimmed = line.trim();
        if let Some(comment) = trimmed.strip_prefix(';') {
            tags.extend(tag(comment));
        } else if trimmed.is_empty() {
        } else if length.is_none() {
            length = trimmed.split_once(' ').and_then(|(n, rest)| {
                let title = rest.trim_start().to_ascii_lowercase().starts_with("point match");
                number(n).filter(|_| title)
            });
            if length.is_none() {
                return fail(format!("{} is not like \"7 point match\"", quoted(trimmed)));
            }
        } else if let Some(n) = trimmed.strip_prefix("Game ").filter(|_| !awaits_names) {
            let Some(number) = number(n.trim()) else {
                return fail(format!("{} is no number of a game", quoted(n)));
            };
            awaits_names = true;
            let (names, score, entries) = ([""; 2], [0; 2], Vec::new());
            games.push(Raw { number, line: i + 1, names, score, entries });
        } else {
            let Some(game) = games.last_mut() else {
                return fail(format!("{} stands before the first game", quoted(trimmed)));
            };
            if awaits_names {
                let Some((names, score)) = names(trimmed) else {
                    return fail(format!("{} is not like \"Ada : 0   Bob : 0\"", quoted(trimmed)));
                };
                (game.names, game.score, awaits_names) = (names, score, false);
            } else {
                match entries(line) {
                    Ok(found) => game.entries.extend(found.into_iter().map(|(s, e)| (i + 1, s, e))),
                    Err(text) => return fail(text),
                }
            }
        }
    }
    let end = text.lines().count().max(1);
    let fail =
        |text: &str| Err(MatError { game: games.len() as u32, line: end, text: text.to_owned() });
    let Some(length) = length else { return fail("there is no line like \"7 point match\"") };
    let Some(first) = games.first() else { return fail("there is no game") };
    if awaits_names {
        return fail("the names of the players are missing");
    }
    let names = first.names.map(str::to_owned);
    let rules = RuleTags::of(&tags);
    let config = config(length, &rules, &games);
    let known = |key: &str| RULE_TAGS.iter().any(|known| known.eq_ignore_ascii_case(key));
    let tags = tags
        .iter()
        .filter(|(key, _)| !known(key))
        .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()))
        .collect();
    let (config, games) = match replay(&config, &rules, &games) {
        Ok(events) => (config, events),
        // The file does not say whether the Jacoby rule holds, but the points may.
        Err(error) if length == 0 && rules.jacoby.is_none() => {
            let config = Config { jacoby: true, ..config };
            (config.clone(), replay(&config, &rules, &games).map_err(|_| error)?)
        }
        Err(error) => return Err(error),
    };
    Ok(Record { tags, names, config, games })
}

/// At most the beginning of a text, in quotes.
fn quoted(text: &str) -> String {
    format!("{:?}", text.chars().take(60).collect::<String>())
}

/// `[Key "value"]`.
fn tag(comment: &str) -> Option<(&str, &str)> {
    let inner = comment.trim().strip_prefix('[')?.strip_suffix(']')?;
    let (key, rest) = inner.split_once('"')?;
    Some((key.trim(), rest.trim_end().strip_suffix('"')?))
}

/// `name1 : s1   name2 : s2`. The first colon that is followed by a number ends the first name.
fn names(line: &str) -> Option<([&str; 2], [u32; 2])> {
    let (rest, score2) = line.rsplit_once(':')?;
    let score2 = number(score2.trim())?;
    rest.match_indices(':').find_map(|(colon, _)| {
        let after = rest[colon + 1..].trim_start();
        let (score1, name2) = after.split_once(char::is_whitespace)?;
        let names = [rest[..colon].trim(), name2.trim()];
        names.iter().all(|name| !name.is_empty()).then_some(())?;
        Some((names, [number(score1)?, score2]))
    })
}

/// The cells of a line, with their columns.
fn entries(line: &str) -> Result<Vec<(Seat, Entry<'_>)>, String> {
    // A lone cell this far from the beginning stands in the right column.
    const RIGHT: usize = 17;
    let unreadable = || format!("{} is no row of a game", quoted(line.trim()));
    let bracket = line.find(')').filter(|at| number(line[..*at].trim()).is_some());
    let body = bracket.map_or(0, |at| at + 1);
    let mut starts: Vec<(usize, &str)> =
        words(line, body).filter(|(_, w)| begins_cell(w)).collect();
    if starts.is_empty() {
        let blank = bracket.is_some() && line[body..].trim().is_empty();
        return if blank { Ok(Vec::new()) } else { Err(unreadable()) };
    }
    if !line[body..starts[0].0].trim().is_empty() {
        return Err(unreadable());
    }
    let far = line[..starts[0].0].chars().count() >= RIGHT;
    let first = usize::from(starts.len() == 1 && far);
    starts.push((line.len(), ""));
    let mut found = Vec::new();
    for (i, pair) in starts.windows(2).enumerate() {
        let cell = line[pair[0].0..pair[1].0].trim();
        let seat = SEATS[(first + i).min(1)];
        found.push((seat, entry(cell).ok_or_else(|| format!("{} cannot be read", quoted(cell)))?));
    }
    match found[..] {
        // Only a win may follow both columns.
        [_, _, (_, Entry::Win { .. })] | [_] | [_, _] => Ok(found),
        _ => Err(unreadable()),
    }
}

/// The words of a line from a place on, with where they begin.
fn words(line: &str, from: usize) -> impl Iterator<Item = (usize, &str)> {
    let base = line.as_ptr() as usize;
    line[from..].split_whitespace().map(move |word| (word.as_ptr() as usize - base, word))
}

fn begins_cell(word: &str) -> bool {
    dice(word).is_some() || keyword(word).is_some()
}

/// `63:`, and what follows.
fn dice(word: &str) -> Option<([u8; 2], &str)> {
    match word.as_bytes() {
        [a @ b'1'..=b'6', b @ b'1'..=b'6', b':', ..] => Some(([a - b'0', b - b'0'], &word[3..])),
        _ => None,
    }
}

fn keyword(word: &str) -> Option<Entry<'static>> {
    Some(match word.to_ascii_lowercase().as_str() {
        "doubles" | "redoubles" => Entry::Double { to: None },
        "beavers" => Entry::Beaver { to: None },
        "takes" | "accepts" => Entry::Take,
        "drops" | "passes" | "rejects" => Entry::Drop,
        "wins" => Entry::Win { points: 0, the_match: false },
        _ => return None,
    })
}

fn entry(cell: &str) -> Option<Entry<'_>> {
    if let Some((dice, moves)) = dice(cell) {
        return Some(Entry::Roll { dice, moves: moves.trim() });
    }
    let (word, rest) = cell.split_once(char::is_whitespace).unwrap_or((cell, ""));
    let rest = rest.trim();
    let doubled = || match rest.strip_prefix("=>") {
        None if rest.is_empty() => Some(None),
        stakes => number(stakes?.trim()).map(Some),
    };
    Some(match keyword(word)? {
        Entry::Double { .. } => Entry::Double { to: doubled()? },
        Entry::Beaver { .. } => Entry::Beaver { to: doubled()? },
        Entry::Win { .. } => {
            let (points, rest) = rest.split_once(char::is_whitespace)?;
            let rest = rest.to_ascii_lowercase();
            let the_match =
                match rest.trim_start_matches("points").trim_start_matches("point").trim() {
                    "" => false,
                    "and the match" => true,
                    _ => return None,
                };
            Entry::Win { points: number(points)?, the_match }
        }
        other if rest.is_empty() => other,
        _ => return None,
    })
}

/// The tags that tell the rules.
const RULE_TAGS: [&str; 6] =
    ["Crawford", "Jacoby", "Beaver", "CubeLimit", "AutomaticDoubles", "Position"];

struct RuleTags {
    crawford: Option<bool>,
    jacoby: Option<bool>,
    beavers: bool,
    cube: bool,
    automatic_doubles: Vec<u8>,
    position: Option<Start>,
}

impl RuleTags {
    fn of(tags: &[(&str, &str)]) -> Self {
        let value = |key: &str| {
            let found = tags.iter().find(|(known, _)| known.eq_ignore_ascii_case(key));
            found.map(|(_, value)| value.trim())
        };
        let on = |key| {
            value(key)
                .map(|value| ["on", "true", "yes", "1"].contains(&&*value.to_ascii_lowercase()))
        };
        let counts = value("AutomaticDoubles").unwrap_or_default().split_whitespace();
        let count = |text| number(text).map_or(0, |n| n.min(6) as u8);
        Self {
            crawford: on("Crawford"),
            jacoby: on("Jacoby"),
            beavers: on("Beaver").unwrap_or(false),
            cube: value("CubeLimit") != Some("1"),
            automatic_doubles: counts.map(count).collect(),
            position: value("Position").and_then(|id| Start::try_from(id.to_owned()).ok()),
        }
    }
}

/// The options of a table where these games can have been played.
fn config(length: u32, rules: &RuleTags, games: &[Raw<'_>]) -> Config {
    let money = length == 0;
    let firsts = || games.iter().filter_map(|game| game.entries.first());
    let rolled = firsts().all(|(_, _, e)| matches!(e, Entry::Roll { dice: [a, b], .. } if a != b));
    // Who gives up a game before it is under way need not have begun it.
    let mut begin = firsts().filter(|(_, _, e)| !matches!(e, Entry::Win { .. })).map(|e| e.1);
    let seat = begin.next().unwrap_or(SEATS[0]);
    let opening = match !rolled && begin.all(|other| other == seat) {
        true => Opening::Seat(seat),
        false => Opening::Roll,
    };
    let beaver = |game: &Raw<'_>| game.entries.iter().any(|e| matches!(e.2, Entry::Beaver { .. }));
    Config {
        opening,
        cube: rules.cube,
        r#match: length,
        crawford: rules.crawford.unwrap_or(true),
        jacoby: money && rules.jacoby.unwrap_or(false),
        beavers: money && (rules.beavers || games.iter().any(beaver)),
        automatic_doubles: match money {
            true => rules.automatic_doubles.iter().copied().max().unwrap_or(0),
            false => 0,
        },
        position: rules.position,
        ..Config::default()
    }
}

/// Plays all games through the rules.
fn replay(
    config: &Config,
    rules: &RuleTags,
    games: &[Raw<'_>],
) -> Result<Vec<Vec<Event>>, MatError> {
    let mut all: Vec<Vec<Event>> = Vec::new();
    let mut table: Option<Table> = None;
    let mut score = [0; 2];
    for (i, game) in games.iter().enumerate() {
        let at = |line: usize| move |text: String| MatError { game: i as u32 + 1, line, text };
        let fail = |text: String| Err(at(game.line)(text));
        if game.number as usize != i + 1 {
            return fail(format!("this is game {}, not {}", i + 1, game.number));
        }
        if game.score != score {
            let [a, b] = game.score;
            return fail(format!("the score is {} to {}, not {a} to {b}", score[0], score[1]));
        }
        let mut now = match table.take() {
            // A table plays one game for money, and all games of a match.
            Some(table) if config.r#match > 0 => table,
            _ => Table::open(config).map_err(at(game.line))?,
        };
        let doubles =
            rules.automatic_doubles.get(i).copied().unwrap_or(0).min(config.automatic_doubles);
        for (line, seat, entry) in &game.entries {
            now.enter(*seat, entry, doubles).map_err(at(*line))?;
        }
        if game.entries.is_empty() && i + 1 < games.len() {
            return fail("the game is empty".to_owned());
        }
        let over = matches!(now.game().phase, Phase::Over(_));
        if !over && i + 1 < games.len() {
            return fail("the game has no end, but another one follows".to_owned());
        }
        if let Some(Event::Finished { winner: Some(winner), payout, .. }) = now.events.last() {
            score[winner.index()] += payout;
        }
        all.push(std::mem::take(&mut now.events));
        now.begun = false;
        table = Some(now);
    }
    Ok(all)
}

/// A table where the games of a file are played again.
struct Table {
    state: series::State<Backgammon>,
    /// Whether the game in hand has begun.
    begun: bool,
    /// What happened in the game in hand.
    events: Vec<Event>,
}

impl Table {
    fn open(config: &Config) -> Result<Self, String> {
        let state = Match::open(config, SEATS.len() as u8).map_err(|reject| reject.text())?;
        Ok(Self { state, begun: false, events: Vec::new() })
    }

    fn game(&self) -> &State {
        self.state.game()
    }

    /// One input through the rules, with the dice it throws.
    fn input(&mut self, input: Input<Command>, dice: &[u8]) -> Result<(), String> {
        let mut tape = Tape::new(dice.iter().map(|die| u32::from(*die) - 1));
        let mut draws = Draws::new(&mut tape);
        let told = Match::play(&mut self.state, &input, &mut draws).map_err(|r| r.text())?;
        draws.finish().map_err(|fault| fault.to_string())?;
        self.events.extend(told.into_iter().filter_map(|told| match told {
            Told::Game(event) => Some(event),
            Told::Series(_) => None,
        }));
        Ok(())
    }

    fn say(&mut self, seat: Seat, action: Action, dice: &[u8]) -> Result<(), String> {
        self.input(Input::Play { seat, command: Command { action, seat } }, dice)
    }

    /// Begins a game; `dice` are thrown at once where the first roll decides who begins.
    fn begin(&mut self, seat: Seat, dice: Option<[u8; 2]>, doubles: u8) -> Result<(), String> {
        if Match::outcome(&self.state).is_some() {
            return Err("the match is already over".to_owned());
        }
        let mut thrown = vec![1; 2 * usize::from(doubles)];
        match (self.game().config.opening, dice) {
            (Opening::Seat(_), _) => thrown.clear(),
            (Opening::Roll, Some([a, b])) if a != b => {
                let (high, low) = (a.max(b), a.min(b));
                thrown.extend(if seat == SEATS[0] { [high, low] } else { [low, high] });
            }
            (Opening::Roll, Some(_)) => return Err("a game cannot open with a double".to_owned()),
            (Opening::Roll, None) => return Err("a game opens with a roll".to_owned()),
        }
        let input = match self.game().phase {
            Phase::Over(_) => Input::Expire { seat: Owner::Table },
            _ => Input::House(House::Begin {}),
        };
        self.begun = true;
        self.input(input, &thrown)
    }

    fn enter(&mut self, seat: Seat, entry: &Entry<'_>, doubles: u8) -> Result<(), String> {
        let opening = !self.begun;
        if opening {
            let dice = match entry {
                Entry::Roll { dice, .. } => Some(*dice),
                _ => None,
            };
            self.begin(seat, dice, doubles)?;
        }
        let stakes = self.game().stakes;
        match *entry {
            Entry::Roll { dice, moves } => {
                // A beaver that is played on was taken.
                if self.game().phase == (Phase::Doubled { beaver: true }) {
                    self.say(seat, Action::Accept {}, &[])?;
                }
                if self.game().phase == Phase::ToRoll {
                    self.say(seat, Action::Roll {}, &dice)?;
                } else if !opening {
                    return Err(match self.game().phase {
                        Phase::Moving { .. } => "the roll before this one was not played",
                        Phase::Doubled { .. } => "a double has to be answered first",
                        _ => "the game is already over",
                    }
                    .to_owned());
                }
                self.moves(seat, dice, moves)
            }
            Entry::Double { to } => {
                fits(to, stakes.doubled().get())?;
                self.say(seat, Action::ProposeDouble {}, &[])
            }
            Entry::Beaver { to } => {
                fits(to, stakes.doubled().doubled().get())?;
                self.say(seat, Action::Beaver {}, &[])
            }
            Entry::Take => self.say(seat, Action::Accept {}, &[]),
            Entry::Drop => self.say(seat, Action::Forfeit {}, &[]),
            Entry::Win { points, the_match } => self.win(seat, points, the_match),
        }
    }

    fn moves(&mut self, seat: Seat, dice: [u8; 2], moves: &str) -> Result<(), String> {
        let rolled = matches!(self.game().phase, Phase::Moving { .. });
        let unplayed = moves.is_empty() || moves.bytes().all(|b| b == b'?');
        let board = self.game().seen_by(seat);
        if !rolled || !unplayed {
            // What the rules have passed already has to be a dance here, too.
            let moves = if unplayed { "" } else { moves };
            let read = notation::read(moves, &board, &Phase::dice(dice));
            let steps =
                read.map_err(|error| format!("{}{}: {error}", dice_cell(dice), spaced(moves)))?;
            if rolled {
                let moves = steps.into_iter().map(|step| Move::of(seat, step)).collect();
                return self.say(seat, Action::Play { moves }, &[]);
            }
        }
        Ok(())
    }

    /// The line that ends a game. Where the rules have not ended it yet, somebody gave up.
    fn win(&mut self, seat: Seat, points: u32, the_match: bool) -> Result<(), String> {
        let state = self.game();
        let stakes = state.stakes.get();
        if let Phase::Over(end) = state.phase {
            let paid = end.payout == points;
            let wrong = || format!("the game was won with {} points, not {points}", end.payout);
            return if paid { Ok(()) } else { Err(wrong()) };
        }
        let loser = other(seat);
        let length = state.config.r#match;
        let short = state.away(seat).is_some_and(|away| points < away);
        let answers = matches!(state.phase, Phase::Doubled { .. }) && state.up == loser;
        if the_match && length > 0 && short && points == stakes {
            return self.input(Input::Expire { seat: Owner::Seat(loser) }, &[]);
        }
        if answers && points == stakes {
            return self.say(loser, Action::Forfeit {}, &[]);
        }
        let level = Level::ALL.into_iter().find(|level| *level as u32 * stakes == points);
        let value =
            level.ok_or_else(|| format!("{points} points cannot be won at stakes of {stakes}"))?;
        self.say(loser, Action::OfferResign { value }, &[])?;
        self.say(seat, Action::AnswerResign { accept: true }, &[])
    }
}

fn fits(said: Option<u32>, stakes: u32) -> Result<(), String> {
    match said {
        Some(said) if said != stakes => Err(format!("the cube goes to {stakes}, not {said}")),
        _ => Ok(()),
    }
}

fn spaced(moves: &str) -> String {
    if moves.is_empty() { String::new() } else { format!(" {}", &quoted(moves).replace('"', "")) }
}
