//! eXtreme Gammon's XGIDs: a whole situation in one line.
//!
//! ```
//! use parlor_rules_backgammon::xgid;
//!
//! let opening = "XGID=-b----E-C---eE---c-e----B-:0:0:1:00:0:0:0:0:10";
//! let state = xgid::read(opening).unwrap();
//! assert_eq!(xgid::write(&state).unwrap(), opening);
//! ```
//!
//! The player at the bottom is seat 1, the one at the top seat 0. Ten fields: 26 places (the top
//! player's bar, points 1 to 24 of the bottom player, the bottom player's bar; `-` is empty, `A` to
//! `O` are 1 to 15 men of the bottom player, `a` to `o` of the top player), the logarithm of the
//! cube, its owner (1 bottom, 0 nobody, -1 top), whose turn (1, -1), the dice, the scores of bottom
//! and top, the rules, the length of the match (0 is money), the logarithm of the highest cube.
//!
//! The dice are `00` before the roll, `D` when the player on turn has doubled and the other must
//! answer, `B` when that one has beavered and the doubler must answer; the cube is then written as
//! it was before the double. The rules of a match are 1 in the Crawford game, those of money 1 for
//! Jacoby and 2 for beavers. A highest cube of 0 means that there is none; otherwise 10 is written
//! as XG does, though a cube never goes above 64 here. An XGID cannot tell an open resignation, a
//! finished game or automatic doubles.

use crate::board::{BAR, Board, BoardFault, MEN, OFF, PLACES, Side};
use crate::situation::{IdError, at_the_roll, checked, number, standing};
use crate::state::{Config, Phase, SEATS, Stakes, State, other};
use parlor_rules::Seat;

/// The player at the bottom.
pub const BOTTOM: Seat = SEATS[1];
/// The player at the top.
pub const TOP: Seat = SEATS[0];

/// What an XGID says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Xgid {
    /// The men, as the player at the bottom sees them.
    pub board: Board,
    /// How often the cube was doubled.
    pub cube_log2: u8,
    /// Who owns the cube; none while it is in the middle.
    pub owner: Option<Seat>,
    /// Whose turn it is.
    pub turn: Seat,
    /// What this player has done in it.
    pub action: Action,
    /// Points of each seat.
    pub score: [u32; 2],
    /// In a match 1 for the Crawford game; for money 1 for Jacoby plus 2 for beavers.
    pub rules: u8,
    /// Points to win the match; 0 is money.
    pub length: u32,
    /// How often the cube may be doubled.
    pub max_cube_log2: u8,
}

/// What the player on turn has done.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Action {
    /// Nothing yet.
    ToRoll,
    /// Rolled.
    Rolled([u8; 2]),
    /// Doubled.
    Doubled,
    /// Doubled, and was beavered.
    Beavered,
}

/// Writes a situation.
pub fn write(state: &State) -> Result<String, IdError> {
    Xgid::of(state).map(|id| id.encode())
}

/// Reads a situation.
pub fn read(text: &str) -> Result<State, IdError> {
    Xgid::decode(text)?.state()
}

impl Xgid {
    /// Writes the line.
    pub fn encode(&self) -> String {
        let men: String = (0..PLACES as u8).map(|place| self.men(place)).collect();
        let side = |seat| if seat == BOTTOM { "1" } else { "-1" };
        let action = match self.action {
            Action::ToRoll => "00".to_owned(),
            Action::Rolled([a, b]) => format!("{a}{b}"),
            Action::Doubled => "D".to_owned(),
            Action::Beavered => "B".to_owned(),
        };
        format!(
            "XGID={men}:{}:{}:{}:{action}:{}:{}:{}:{}:{}",
            self.cube_log2,
            self.owner.map_or("0", side),
            side(self.turn),
            self.score[BOTTOM.index()],
            self.score[TOP.index()],
            self.rules,
            self.length,
            self.max_cube_log2
        )
    }

    /// The character of a place.
    fn men(&self, place: u8) -> char {
        let bottom = if place == OFF { 0 } else { self.board.men(Side::Own, place) };
        let top = if place == BAR { 0 } else { self.board.men(Side::Other, BAR - place) };
        match (bottom, top) {
            (0, 0) => '-',
            (0, men) => char::from(b'a' + men - 1),
            (men, _) => char::from(b'A' + men - 1),
        }
    }

    /// Reads the line, with or without `XGID=` before it.
    pub fn decode(text: &str) -> Result<Self, IdError> {
        let body = match text.get(..5) {
            Some(prefix) if prefix.eq_ignore_ascii_case("XGID=") => &text[5..],
            _ => text,
        };
        let fields: Vec<&str> = body.split(':').collect();
        let &[men, cube, owner, turn, action, bottom, top, rules, length, max_cube] = &fields[..]
        else {
            let text = format!("an xgid has 10 fields with colons between, not {}", fields.len());
            return Err(IdError::new(text));
        };
        let bad = |what: &str, field: &str| IdError::new(format!("{field:?} is no {what}"));
        let count = |what, field| number(field).ok_or_else(|| bad(what, field));
        let log2 = |what, field| {
            let small = number(field).filter(|log2| *log2 <= 30);
            small.map(|log2| log2 as u8).ok_or_else(|| bad(what, field))
        };
        let side = |field| match field {
            "1" => Some(BOTTOM),
            "-1" => Some(TOP),
            _ => None,
        };
        let action = match action.as_bytes() {
            b"00" => Action::ToRoll,
            b"D" => Action::Doubled,
            b"B" => Action::Beavered,
            [a @ b'1'..=b'6', b @ b'1'..=b'6'] => Action::Rolled([a - b'0', b - b'0']),
            b"R" => return Err(IdError::new("there are no raccoons here")),
            _ => return Err(bad("roll: 00, two dice, D or B", action)),
        };
        let mut score = [0; 2];
        score[BOTTOM.index()] = count("score", bottom)?;
        score[TOP.index()] = count("score", top)?;
        Ok(Self {
            board: read_men(men)?,
            cube_log2: log2("logarithm of a cube", cube)?,
            owner: match owner {
                "0" => None,
                owner => Some(side(owner).ok_or_else(|| bad("owner: 1, 0 or -1", owner))?),
            },
            turn: side(turn).ok_or_else(|| bad("turn: 1 or -1", turn))?,
            action,
            score,
            rules: log2("number of rules", rules)?,
            length: count("length of a match", length)?,
            max_cube_log2: log2("logarithm of a cube", max_cube)?,
        })
    }

    /// All an XGID can tell of a state.
    pub fn of(state: &State) -> Result<Self, IdError> {
        let cannot = |what: &str| Err(IdError::new(format!("an xgid cannot tell {what}")));
        if state.resignation.is_some() {
            return cannot("an open resignation");
        }
        let (board, dice) = at_the_roll(state, BOTTOM)?;
        let mut id = Self {
            board,
            cube_log2: state.stakes.log2(),
            owner: state.holder,
            turn: state.up,
            action: dice.map_or(Action::ToRoll, Action::Rolled),
            score: [TOP, BOTTOM]
                .map(|seat| state.standing.score.get(seat.index()).copied().unwrap_or(0)),
            rules: match state.config.r#match {
                0 => u8::from(state.config.jacoby) + 2 * u8::from(state.config.beavers),
                _ => state.crawford.into(),
            },
            length: state.config.r#match,
            max_cube_log2: if state.config.cube { 10 } else { 0 },
        };
        match state.phase {
            Phase::Over(_) => return cannot("a finished game"),
            Phase::Doubled { beaver: false } => {
                (id.turn, id.action) = (other(state.up), Action::Doubled);
            }
            Phase::Doubled { beaver: true } => {
                id.action = Action::Beavered;
                id.cube_log2 = id.cube_log2.saturating_sub(1);
                id.owner = (id.cube_log2 > 0).then_some(state.up);
            }
            Phase::Fresh | Phase::ToRoll | Phase::Moving { .. } => {}
        }
        Ok(id)
    }

    /// The state this tells of.
    pub fn state(&self) -> Result<State, IdError> {
        let money = self.length == 0;
        if self.rules > if money { 3 } else { 1 } {
            return Err(IdError::new(format!("there are no rules with the number {}", self.rules)));
        }
        let beavered = self.action == Action::Beavered;
        if beavered && self.owner == Some(other(self.turn)) {
            return Err(IdError::new("the owner of the cube was doubled"));
        }
        let config = Config {
            r#match: self.length,
            cube: self.max_cube_log2 > 0,
            jacoby: money && self.rules & 1 == 1,
            beavers: self.rules & 2 == 2 || beavered,
            ..Config::default()
        };
        let standing = standing(&config, self.score);
        let mut state = State::fresh(config, standing, !money && self.rules == 1);
        let cube = self.cube_log2 + u8::from(beavered);
        state.stakes = Stakes::try_from(1u32.checked_shl(cube.into()).unwrap_or_default())
            .map_err(|_| IdError::new("the cube is above 64"))?;
        state.board = self.board.swapped();
        state.holder = if beavered { Some(other(self.turn)) } else { self.owner };
        (state.up, state.phase) = match self.action {
            Action::ToRoll => (self.turn, Phase::ToRoll),
            Action::Rolled(dice) => (self.turn, Phase::rolled(dice)),
            Action::Doubled => (other(self.turn), Phase::Doubled { beaver: false }),
            Action::Beavered => (self.turn, Phase::Doubled { beaver: true }),
        };
        checked(state)
    }
}

/// Reads the 26 places.
fn read_men(text: &str) -> Result<Board, IdError> {
    let (mut bottom, mut top) = ([0; PLACES], [0; PLACES]);
    let length = text.chars().count();
    if length != PLACES {
        return Err(IdError::new(format!("an xgid has 26 places, not {length}")));
    }
    for (place, c) in text.chars().enumerate() {
        match c {
            '-' => {}
            'A'..='O' if place != usize::from(OFF) => bottom[place] = c as u8 - b'A' + 1,
            'a'..='o' if place != usize::from(BAR) => {
                top[usize::from(BAR) - place] = c as u8 - b'a' + 1;
            }
            _ => return Err(IdError::new(format!("{c:?} cannot stand at place {place}"))),
        }
    }
    for (men, who) in [(&mut bottom, "bottom"), (&mut top, "top")] {
        let seen = men.iter().map(|&n| u32::from(n)).sum::<u32>();
        let off = u32::from(MEN).checked_sub(seen);
        let many = || IdError::new(format!("the player at the {who} has {seen} men, not {MEN}"));
        men[usize::from(OFF)] = off.ok_or_else(many)? as u8;
    }
    Board::new(bottom, top).map_err(|faults| {
        let faults: Vec<String> = faults.iter().map(BoardFault::to_string).collect();
        IdError::new(faults.join("; "))
    })
}
