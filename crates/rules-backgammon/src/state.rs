//! All there is to know about a game of backgammon.

use crate::board::{BAR, Board, MEN, OFF, Side, Step};
use crate::command::{LEVEL, Level, Move};
use crate::event::{Event, Reason};
use crate::position_id::{self, PositionIdError};
use crate::reject::Reject;
use parlor_rules::doc::{self, Count};
use parlor_rules::{Closed, Credit, Faults, Fields, Seat, Standing, Target, Wager};
use serde::{Deserialize, Deserializer, Serialize};

/// The two seats. Seat 0 moves from point 0 to 23, seat 1 from 23 to 0.
pub const SEATS: [Seat; 2] = [Seat::new(0), Seat::new(1)];

/// The seat across the board.
pub fn other(seat: Seat) -> Seat {
    if seat == SEATS[0] { SEATS[1] } else { SEATS[0] }
}

/// The options of a table.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Config {
    /// Who begins.
    pub opening: Opening,
    /// Whether the cube is used.
    pub cube: bool,
    /// Points to win the match; 0 is a single game for money.
    pub r#match: u32,
    /// In a match: no cube in the first game after someone is one point away.
    pub crawford: bool,
    /// For money: gammons count only when the cube was turned.
    pub jacoby: bool,
    /// For money: who is doubled may double back at once and keep the cube.
    pub beavers: bool,
    /// For money: how many equal opening throws double the stakes.
    pub automatic_doubles: u8,
    /// What every game begins from, if not from the usual position.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub position: Option<Start>,
    /// What the game or the match is played for.
    #[serde(flatten)]
    pub wager: Wager,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            opening: Opening::Roll,
            cube: true,
            r#match: 0,
            crawford: true,
            jacoby: false,
            beavers: false,
            automatic_doubles: 0,
            position: None,
            wager: Wager::default(),
        }
    }
}

impl Closed for Config {
    fn take(fields: &mut Fields, faults: &mut Faults) -> Option<Self> {
        let usual = Self::default();
        let length = fields.optional("match", "a number of points", faults);
        let count = "a number from 0 to 6, true or false";
        let doubles = fields.optional("automatic_doubles", count, faults);
        let opening = fields.optional("opening", "\"roll\", 0 or 1", faults);
        let position = fields.optional("position", "a position ID", faults);
        let mut switch =
            |key, usual| fields.optional(key, "true or false", faults).unwrap_or(usual);
        Some(Self {
            opening: opening.unwrap_or(usual.opening),
            cube: switch("cube", usual.cube),
            r#match: length.map_or(usual.r#match, |Count(points)| points),
            crawford: switch("crawford", usual.crawford),
            jacoby: switch("jacoby", usual.jacoby),
            beavers: switch("beavers", usual.beavers),
            wager: Wager::take(fields, faults).unwrap_or_default(),
            position,
            automatic_doubles: match doubles {
                None => usual.automatic_doubles,
                Some(CountOrSwitch::Count(Count(count))) => count.min(255) as u8,
                // The usual single automatic double.
                Some(CountOrSwitch::Switch(on)) => u8::from(on),
            },
        })
    }
}

impl<'de> Deserialize<'de> for Config {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        doc::closed(d)
    }
}

#[derive(Deserialize)]
#[serde(untagged)]
enum CountOrSwitch {
    Count(Count),
    Switch(bool),
}

impl Config {
    /// When the match is over.
    pub fn target(&self) -> Target {
        match self.r#match {
            0 => Target::Single,
            // Only a closed table gives no winner, and then there is nothing to play again.
            points => Target::Points { points, draws: 0 },
        }
    }

    /// The longest match the formats can write.
    pub const LONGEST_MATCH: u32 = 32_767;

    /// What is out of range or does not go together.
    pub(crate) fn faults(&self) -> impl Iterator<Item = &'static str> {
        let is_match = self.r#match > 0;
        let doubles = self.automatic_doubles;
        let opens = match self.opening {
            Opening::Roll => true,
            Opening::Seat(seat) => SEATS.contains(&seat),
        };
        let faults = [
            (!opens, "opening is \"roll\", 0 or 1"),
            (self.r#match > Self::LONGEST_MATCH, "match is for 0 to 32767 points"),
            (doubles > 6, "automatic_doubles is 0 to 6: six reach 64"),
            (is_match && self.jacoby, "jacoby is for money play, not for a match"),
            (is_match && self.beavers, "beavers are for money play, not for a match"),
            (is_match && doubles > 0, "automatic_doubles are for money play, not for a match"),
            (!self.cube && doubles > 0, "automatic_doubles need the cube"),
            (self.starts_done(), "position is one to play on from: no side has all men off"),
            (self.starts_stuck(), "position has men of one side at most on the bar"),
        ];
        let faults = faults.into_iter().filter_map(|(wrong, text)| wrong.then_some(text));
        faults.chain(self.wager.faults())
    }

    /// What every game begins from, as seat 0 sees it.
    pub fn start(&self) -> Board {
        self.position.map_or(Board::OPENING, |Start(board)| board)
    }

    fn starts_done(&self) -> bool {
        Side::BOTH.iter().any(|&side| self.start().men(side, OFF) == MEN)
    }

    /// Two closed homes with men on the bar would be a game without end.
    fn starts_stuck(&self) -> bool {
        Side::BOTH.iter().all(|&side| self.start().men(side, BAR) > 0)
    }

    /// Refuses options that are out of range or do not go together.
    pub fn check(&self) -> Result<(), Reject> {
        let why = self.faults().collect::<Vec<_>>().join("; ");
        if why.is_empty() { Ok(()) } else { Err(Reject::BadConfig { why }) }
    }
}

/// A position to begin from: the position ID of seat 0 on roll.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Start(pub Board);

impl TryFrom<String> for Start {
    type Error = PositionIdError;

    fn try_from(id: String) -> Result<Self, PositionIdError> {
        position_id::decode(&id).map(Self)
    }
}

impl From<Start> for String {
    fn from(Start(board): Start) -> String {
        position_id::encode(&board)
    }
}

/// Who begins: `"roll"`, or the number of a seat.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Opening {
    /// The higher of one die each, with both dice.
    Roll,
    /// This seat, which then rolls both dice itself.
    Seat(Seat),
}

impl Serialize for Opening {
    fn serialize<S: serde::Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Roll => s.serialize_str("roll"),
            Self::Seat(seat) => seat.serialize(s),
        }
    }
}

impl<'de> Deserialize<'de> for Opening {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Read {
            Seat(Count),
            Word(String),
        }
        match Read::deserialize(d)? {
            Read::Seat(Count(seat)) => Ok(Self::Seat(Seat::new(seat.min(255) as u8))),
            Read::Word(word) if word == "roll" => Ok(Self::Roll),
            Read::Word(_) => Err(serde::de::Error::custom("the only word is \"roll\"")),
        }
    }
}

/// What a game is played for: a power of two from 1 to 64.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(try_from = "u32", into = "u32")]
pub struct Stakes(u8);

impl Stakes {
    /// The stakes of a new game.
    pub const ONE: Self = Self(0);
    /// The highest.
    pub const CAP: Self = Self(6);

    /// How often they were doubled.
    pub fn log2(self) -> u8 {
        self.0
    }

    /// As a number.
    pub fn get(self) -> u32 {
        1 << self.0
    }

    /// Twice as much; stays at the cap.
    pub fn doubled(self) -> Self {
        Self(self.0 + 1).min(Self::CAP)
    }
}

impl TryFrom<u32> for Stakes {
    type Error = &'static str;

    fn try_from(stakes: u32) -> Result<Self, Self::Error> {
        let power = stakes.is_power_of_two() && stakes <= Self::CAP.get();
        let log2 = stakes.checked_ilog2().filter(|_| power);
        log2.map(|log2| Self(log2 as u8)).ok_or("a power of two from 1 to 64")
    }
}

impl From<Stakes> for u32 {
    fn from(stakes: Stakes) -> u32 {
        stakes.get()
    }
}

/// A game of backgammon.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct State {
    /// The options.
    pub config: Config,
    /// How the match stood when this game began.
    pub standing: Standing,
    /// Whether this is the Crawford game.
    pub crawford: bool,
    /// The men, as seat 0 sees them.
    pub board: Board,
    /// Whose action is next.
    pub up: Seat,
    /// What a single win pays.
    pub stakes: Stakes,
    /// Who owns the cube; none while it is in the middle.
    pub holder: Option<Seat>,
    /// An open resignation.
    pub resignation: Option<Resignation>,
    /// Where the game is.
    pub phase: Phase,
}

/// An offer to lose.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct Resignation {
    /// Who offers.
    pub seat: Seat,
    /// At which level.
    pub value: Level,
}

impl Closed for Resignation {
    fn take(fields: &mut Fields, faults: &mut Faults) -> Option<Self> {
        let seat = fields.take("seat", "0 or 1", faults);
        let value = fields.take("value", LEVEL, faults);
        Some(Self { seat: seat?, value: value? })
    }
}

/// Where a game is. Dice exist only where there are dice.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Phase {
    /// Not yet begun.
    Fresh,
    /// `up` may double or must roll.
    ToRoll,
    /// `up` plays its dice.
    Moving {
        /// The dice as they were thrown.
        thrown: [u8; 2],
        /// Those still to play, in the order they were thrown.
        dice: Vec<u8>,
        /// The uncommitted steps.
        played: Vec<Played>,
    },
    /// `up` must answer a double.
    Doubled {
        /// Whether the double is a beaver, whose giver keeps the cube.
        beaver: bool,
    },
    /// Over.
    Over(End),
}

impl Phase {
    /// Dice were thrown, and none is played.
    pub fn rolled(thrown: [u8; 2]) -> Self {
        Self::Moving { thrown, dice: Self::dice(thrown), played: Vec::new() }
    }

    /// The dice of a throw one by one.
    pub fn dice([a, b]: [u8; 2]) -> Vec<u8> {
        if a == b { vec![a; 4] } else { vec![a, b] }
    }
}

/// An uncommitted step.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct Played {
    /// The point it left; none from the bar.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<u8>,
    /// The point it reached; none when borne off.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<u8>,
    /// The die it used.
    pub die: u8,
    /// Whether it hit.
    pub hit: bool,
}

impl Closed for Played {
    fn take(fields: &mut Fields, faults: &mut Faults) -> Option<Self> {
        let step = Move::take(fields, faults);
        let hit = fields.take("hit", "true or false", faults);
        let Move { from, to, die } = step?;
        Some(Self { from, to, die, hit: hit? })
    }
}

impl Played {
    /// The step without its consequence.
    pub fn step(self) -> Move {
        Move { from: self.from, to: self.to, die: self.die }
    }
}

/// How a game ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct End {
    /// Who won; none if the table was closed.
    pub winner: Option<Seat>,
    /// How many points.
    pub payout: u32,
    /// How it came about.
    pub reason: Reason,
}

impl End {
    /// What this counts in a match.
    pub fn credit(self) -> Credit {
        let decides = matches!(self.reason, Reason::Timeout | Reason::Left | Reason::Closed);
        Credit { winner: self.winner, points: self.payout, decides }
    }
}

/// What a win at this level pays.
pub fn pays(stakes: Stakes, level: Level, config: &Config, holder: Option<Seat>) -> u32 {
    let counts = !config.jacoby || holder.is_some();
    stakes.get() * if counts { level as u32 } else { 1 }
}

impl State {
    /// A game that has not begun.
    pub fn fresh(config: Config, standing: Standing, crawford: bool) -> Self {
        Self {
            board: config.start(),
            config,
            standing,
            crawford,
            up: SEATS[0],
            stakes: Stakes::ONE,
            holder: None,
            resignation: None,
            phase: Phase::Fresh,
        }
    }

    /// The board as a seat sees it.
    pub fn seen_by(&self, seat: Seat) -> Board {
        self.board.seen_by(seat)
    }

    fn set_seen_by(&mut self, seat: Seat, board: Board) {
        self.board = board.seen_by(seat);
    }

    /// Whether the cube is in use in this game.
    pub fn cube_in_use(&self) -> bool {
        self.config.cube && !self.crawford
    }

    /// Points a seat still needs to win the match; none for money.
    pub fn away(&self, seat: Seat) -> Option<u32> {
        let score = self.standing.score.get(seat.index()).copied().unwrap_or(0);
        (self.config.r#match > 0).then(|| self.config.r#match.saturating_sub(score))
    }

    /// Whether doubling could not win the seat more than it plays for already.
    pub fn cube_is_dead_for(&self, seat: Seat) -> bool {
        self.away(seat).is_some_and(|away| self.stakes.get() >= away)
    }

    /// What a win at this level pays.
    pub fn payout(&self, level: Level) -> u32 {
        pays(self.stakes, level, &self.config, self.holder)
    }

    /// Makes a fact part of the state. What does not fit changes nothing.
    pub fn apply(&mut self, event: &Event) {
        match (event, &mut self.phase) {
            (Event::Opened { up }, Phase::Fresh) if SEATS.contains(up) => {
                (self.up, self.phase) = (*up, Phase::ToRoll);
            }
            (Event::OpeningRolled { dice: [a, b] }, Phase::Fresh) if a != b => {
                self.up = if a > b { SEATS[0] } else { SEATS[1] };
                self.phase = Phase::rolled([*a, *b]);
            }
            (Event::AutomaticDouble {}, Phase::Fresh) => self.stakes = self.stakes.doubled(),
            (Event::Rolled { seat, dice }, Phase::ToRoll) if *seat == self.up => {
                self.phase = Phase::rolled(*dice);
            }
            (Event::Moved { seat, from, to, die, hit }, Phase::Moving { dice, played, .. })
                if *seat == self.up =>
            {
                let step = Move { from: *from, to: *to, die: *die };
                let place = dice.iter().position(|left| left == die);
                let Some((place, step_seen)) = place.zip(step.seen_by(*seat)) else { return };
                dice.remove(place);
                played.push(Played { from: *from, to: *to, die: *die, hit: *hit });
                if let Some((board, _)) = self.seen_by(*seat).step(step_seen) {
                    self.set_seen_by(*seat, board);
                }
            }
            (Event::Undone { seat }, Phase::Moving { thrown, dice, played })
                if *seat == self.up =>
            {
                let Some(last) = played.pop() else { return };
                // Back to where it was thrown.
                let place = if last.die == thrown[0] { 0 } else { dice.len() };
                dice.insert(place, last.die);
                let undone = last
                    .step()
                    .seen_by(*seat)
                    .and_then(|step| self.seen_by(*seat).undo(step, last.hit));
                if let Some(board) = undone {
                    self.set_seen_by(*seat, board);
                }
            }
            (Event::Committed { seat } | Event::Passed { seat }, Phase::Moving { .. })
                if *seat == self.up =>
            {
                self.phase = Phase::ToRoll;
                if !self.board.over() {
                    self.up = other(*seat);
                }
            }
            (Event::DoubleProposed { seat }, Phase::ToRoll) if *seat == self.up => {
                (self.up, self.phase) = (other(*seat), Phase::Doubled { beaver: false });
            }
            (Event::Accepted { seat }, Phase::Doubled { beaver }) if *seat == self.up => {
                if *beaver {
                    // The beaver's giver keeps the cube, and it is the doubler, now accepting,
                    // whose turn it still is.
                    self.holder = Some(other(*seat));
                } else {
                    (self.holder, self.up) = (Some(*seat), other(*seat));
                }
                (self.stakes, self.phase) = (self.stakes.doubled(), Phase::ToRoll);
            }
            (Event::Beavered { seat }, Phase::Doubled { beaver: false }) if *seat == self.up => {
                (self.stakes, self.holder) = (self.stakes.doubled(), Some(*seat));
                (self.up, self.phase) = (other(*seat), Phase::Doubled { beaver: true });
            }
            (Event::ResignOffered { seat, value }, Phase::ToRoll | Phase::Moving { .. }) => {
                self.resignation = Some(Resignation { seat: *seat, value: *value });
            }
            (Event::ResignRefused { .. }, _) => self.resignation = None,
            (Event::Finished { .. }, Phase::Over(_)) => {}
            (Event::Finished { winner, payout, reason }, _) => {
                self.resignation = None;
                let end = End { winner: *winner, payout: *payout, reason: *reason };
                self.phase = Phase::Over(end);
            }
            _ => {}
        }
    }
}

/// A document's point number as this seat counts its points (1 to 24, the home is 1 to 6).
pub fn own_point(seat: Seat, point: u8) -> Option<u8> {
    (point < 24).then(|| if seat == SEATS[0] { 24 - point } else { point + 1 })
}

/// The document's number of a seat's own point.
pub fn doc_point(seat: Seat, own: u8) -> Option<u8> {
    (1..=24).contains(&own).then(|| if seat == SEATS[0] { 24 - own } else { own - 1 })
}

impl Move {
    /// The step as its mover sees it; none if its die does not lead from start to end, or it has
    /// neither.
    pub fn seen_by(self, seat: Seat) -> Option<Step> {
        let from = match self.from {
            Some(point) => own_point(seat, point)?,
            None => crate::board::BAR,
        };
        let step = Step { from, die: self.die };
        let reaches = match self.to {
            Some(point) => own_point(seat, point)? == step.to(),
            None => self.from.is_some() && step.to() == crate::board::OFF,
        };
        ((1..=6).contains(&self.die) && reaches).then_some(step)
    }

    /// A mover's step in the document's numbers.
    pub fn of(seat: Seat, step: Step) -> Self {
        Self { from: doc_point(seat, step.from), to: doc_point(seat, step.to()), die: step.die }
    }
}

impl Board {
    /// Seat 0's board as a seat sees it; the same the other way.
    pub fn seen_by(self, seat: Seat) -> Board {
        if seat == SEATS[0] { self } else { self.swapped() }
    }
}

/// The side of seat 0's board that a seat's men stand on.
pub fn side(seat: Seat) -> Side {
    if seat == SEATS[0] { Side::Own } else { Side::Other }
}
