//! `match.json`: what stands beside the state.

use crate::color::{Color, Pair};
use crate::doc::{Read, json_of, text};
use crate::moves::FileName;
use parlor_rules::doc::Word;
use parlor_rules::{Closed, Faults, Fields, Rules, Standing};
use parlor_rules_backgammon::Backgammon;
use parlor_rules_backgammon::command::Level;
use parlor_rules_backgammon::event::Reason;
use parlor_rules_backgammon::state::Config;
use parlor_table::{Bytes32, TableId};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What `match.json` holds.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Match {
    /// The table's name.
    pub table: TableId,
    /// The edition of the rules it is played by.
    pub edition: u16,
    /// The position its games open from.
    pub layout: Layout,
    /// Points that win the match; 0 is a single game.
    pub length: u32,
    /// The number of the game in play, from 1.
    pub game: u32,
    /// Points so far.
    pub score: Pair<u32>,
    /// The games that are over.
    pub games: Vec<Played>,
    /// The files of the moves of the game in play, in order.
    pub moves: Vec<String>,
    /// How the dice can be checked.
    pub fairness: Fairness,
}

/// The position a game opens from.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Layout {
    /// Backgammon's own.
    #[default]
    Standard,
    /// The array as the contract prints it: the same with the colours exchanged.
    Printed,
}

/// A game that is over.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Played {
    /// Who won.
    pub winner: Color,
    /// How many points.
    pub points: u32,
    /// single, gammon or backgammon.
    pub result: String,
    /// How it came about.
    pub reason: Reason,
}

/// How the dice can be checked.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Fairness {
    /// `SHA-256(table ‖ S)`; null where the dice are merely recorded.
    pub commitment: Option<Bytes32>,
    /// S, once the match is over.
    pub secret: Option<Bytes32>,
}

impl Closed for Played {
    fn take(fields: &mut Fields, faults: &mut Faults) -> Option<Self> {
        let winner = fields.take::<Word<Color>>("winner", "white or black", faults);
        let points = fields.take("points", "a number of points", faults);
        let known = |text: &str| Level::ALL.iter().any(|level| level.name() == text);
        let result = text(fields, "result", "single, gammon or backgammon", known, faults);
        let reason = fields.take::<Word<Reason>>("reason", "borne-off or resigned", faults);
        Some(Self { winner: winner?.0, points: points?, result: result?, reason: reason?.0 })
    }
}

impl Closed for Fairness {
    fn take(fields: &mut Fields, faults: &mut Faults) -> Option<Self> {
        let hex = "64 hex digits or null";
        let commitment = fields.take("commitment", hex, faults);
        let secret = fields.take("secret", hex, faults);
        Some(Self { commitment: commitment?, secret: secret? })
    }
}

impl Closed for Match {
    fn take(fields: &mut Fields, faults: &mut Faults) -> Option<Self> {
        let table = fields.take("table", "the table's name", faults);
        let edition = fields.take("edition", "a number", faults);
        let layout = fields.take::<Word<Layout>>("layout", "standard or printed", faults);
        let length = fields.take("length", "a number of points", faults);
        let game = fields.take::<u32>("game", "a number from 1", faults);
        let score = fields.take("score", "points of white and black", faults);
        let games = fields.list("games", "a list of games", faults);
        let moves = fields.take::<Vec<String>>("moves", "a list of the names of moves", faults);
        let fairness = fields.take::<Value>("fairness", "commitment and secret", faults);
        let fairness = fairness.and_then(|value| Fairness::read(value, "fairness", faults));

        faults.check(game != Some(0), "game", || "counts from 1".to_owned());
        for (i, name) in moves.iter().flatten().enumerate() {
            let fits = FileName::loose(name).is_some();
            faults.check(fits, &format!("moves.{i}"), || FileName::NONE.to_owned());
        }
        Some(Self {
            table: table?,
            edition: edition?,
            layout: layout?.0,
            length: length?,
            game: game?,
            score: score?,
            games: games?,
            moves: moves?,
            fairness: fairness?,
        })
    }
}

impl Match {
    /// A match that has not begun.
    pub fn new(table: TableId, layout: Layout, length: u32, commitment: Option<Bytes32>) -> Self {
        Self {
            table,
            edition: Backgammon::EDITION,
            layout,
            length,
            game: 1,
            score: Pair::default(),
            games: Vec::new(),
            moves: Vec::new(),
            fairness: Fairness { commitment, secret: None },
        }
    }

    /// The options of the rules: the next dice come with every commit, so there is no moment in
    /// which the cube could be offered.
    pub fn config(&self) -> Config {
        Config { cube: false, r#match: self.length, ..Config::default() }
    }

    /// How the match stood before the game in play, for the rules.
    pub fn standing(&self) -> Standing {
        let mut standing = Standing::new(2);
        for color in Color::BOTH {
            standing.score[color.seat().index()] = *self.score.of(color);
        }
        standing.games = self.games.len() as u32;
        standing
    }

    /// The file.
    pub fn write(&self) -> String {
        serde_json::to_string_pretty(self).unwrap_or_default() + "\n"
    }

    /// Reads the file, with every fault.
    pub fn read(text: &str) -> Read<Self> {
        let mut faults = Faults::default();
        let read = match json_of(text) {
            Ok(value) => <Self as Closed>::read(value, "", &mut faults),
            Err(why) => {
                faults.add("", format!("is not JSON: {why}"));
                None
            }
        };
        Read {
            found: read.filter(|_| faults.is_empty()).ok_or(faults),
            warnings: Faults::default(),
        }
    }
}
