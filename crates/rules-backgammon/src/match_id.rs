//! GNU Backgammon's match IDs: all but the board in 12 characters. Behind a position ID and a colon
//! they make a whole situation.
//!
//! ```
//! use parlor_rules_backgammon::match_id;
//!
//! let state = match_id::read("4HPwATDgc/ABMA:cAngADAAEAAE").unwrap();
//! assert_eq!((state.config.r#match, &state.standing.score[..]), (7, &[3, 2][..]));
//! assert_eq!(match_id::write(&state).unwrap(), "4HPwATDgc/ABMA:cAngADAAEAAE");
//! ```
//!
//! Player 0 is seat 0, player 1 is seat 1. The position ID is that of the player on roll, also
//! while a double is open. Bits from the lowest: 4 logarithm of the cube, 2 owner (3 is nobody), 1
//! on roll, 1 Crawford, 3 state of the game, 1 who decides, 1 double offered, 2 resignation offered,
//! 3 and 3 dice, 15 length, 15 and 15 scores, and 1 that is set unless the Jacoby rule holds. The
//! last came with later versions; where it is clear in a match it means nothing.
//!
//! A match ID cannot tell beavers (but that a beaver is open), automatic doubles, or that no cube is
//! used. A game that somebody lost on time or by leaving is written as a resigned single game.

use crate::Backgammon;
use crate::board::Board;
use crate::command::Level;
use crate::event::Reason;
use crate::position_id::{self, DigitFault, read_bits, write_bits};
use crate::situation::{IdError, at_the_roll, checked, standing};
use crate::state::{Config, End, Phase, Resignation, SEATS, Stakes, State, other};
use parlor_rules::{Seat, Serial};

const BYTES: u32 = 9;

/// What a match ID says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MatchId {
    /// How often the cube was doubled, up to 15.
    pub cube_log2: u8,
    /// Who owns the cube; none while it is in the middle.
    pub owner: Option<Seat>,
    /// Who is on roll, or has rolled.
    pub on_roll: Seat,
    /// Whether this is the Crawford game.
    pub crawford: bool,
    /// Where the game is.
    pub game: Game,
    /// Who has to decide.
    pub turn: Seat,
    /// Whether a double is open.
    pub doubled: bool,
    /// The level of an open resignation, or of an accepted one.
    pub resigned: Option<Level>,
    /// The dice, once rolled.
    pub dice: Option<[u8; 2]>,
    /// Points to win the match; 0 is money.
    pub length: u16,
    /// Points of each seat; a finished game is counted.
    pub score: [u16; 2],
    /// Whether the Jacoby rule holds.
    pub jacoby: bool,
}

/// Where a game is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Game {
    /// Not begun.
    None,
    /// In play.
    Playing,
    /// Won by bearing off.
    Over,
    /// Resigned.
    Resigned,
    /// A double was dropped.
    Dropped,
}

const GAMES: [Game; 5] = [Game::None, Game::Playing, Game::Over, Game::Resigned, Game::Dropped];

/// Writes a situation: position ID, colon, match ID.
pub fn write(state: &State) -> Result<String, IdError> {
    let id = MatchId::of(state)?;
    let (board, _) = at_the_roll(state, id.on_roll)?;
    Ok(format!("{}:{}", position_id::encode(&board), id.encode()))
}

/// Reads a situation: position ID, colon, match ID.
pub fn read(text: &str) -> Result<State, IdError> {
    let (board, id) = text
        .split_once(':')
        .ok_or_else(|| IdError::new("a position id, a colon and a match id are needed"))?;
    let board = position_id::decode(board).map_err(|error| IdError::new(error.to_string()))?;
    MatchId::decode(id)?.state(board)
}

impl MatchId {
    /// Writes the 12 characters.
    pub fn encode(&self) -> String {
        let (mut bits, mut at) = (0u128, 0);
        let mut put = |value: u32, width: u32| {
            bits |= u128::from(value & ((1 << width) - 1)) << at;
            at += width;
        };
        let seat = |seat: Seat| seat.index() as u32;
        put(self.cube_log2.into(), 4);
        put(self.owner.map_or(3, seat), 2);
        put(seat(self.on_roll), 1);
        put(self.crawford.into(), 1);
        put(GAMES.iter().position(|game| *game == self.game).unwrap_or_default() as u32, 3);
        put(seat(self.turn), 1);
        put(self.doubled.into(), 1);
        put(self.resigned.map_or(0, |level| level as u32), 2);
        for die in self.dice.unwrap_or_default() {
            put(die.into(), 3);
        }
        for points in [self.length, self.score[0], self.score[1]] {
            put(points.into(), 15);
        }
        put((!self.jacoby).into(), 1);
        write_bits(bits, BYTES)
    }

    /// Reads the 12 characters.
    pub fn decode(text: &str) -> Result<Self, IdError> {
        let mut bits = read_bits(text, BYTES).map_err(|fault| match fault {
            DigitFault::Length(length) => {
                IdError::new(format!("a match id has 12 characters, not {length}"))
            }
            DigitFault::Character(c) => IdError::new(format!("{c:?} cannot be part of a match id")),
            DigitFault::Trailing => IdError::new("there is more than a match in the id"),
        })?;
        let mut take = |width: u32| {
            let value = bits as u32 & ((1 << width) - 1);
            bits >>= width;
            value
        };
        let bad = |what: &str| Err(IdError::new(format!("the match id holds {what}")));
        let cube_log2 = take(4) as u8;
        let owner = match take(2) {
            3 => None,
            2 => return bad("an owner of the cube that is neither of the players"),
            player => Some(SEATS[player as usize]),
        };
        let on_roll = SEATS[take(1) as usize];
        let crawford = take(1) == 1;
        let Some(&game) = GAMES.get(take(3) as usize) else {
            return bad("no state of a game");
        };
        let turn = SEATS[take(1) as usize];
        let doubled = take(1) == 1;
        let resigned = Level::try_from(take(2) as u8).ok();
        let dice = match [take(3) as u8, take(3) as u8] {
            [0, 0] => None,
            dice if dice.iter().all(|die| (1..=6).contains(die)) => Some(dice),
            _ => return bad("dice that do not exist"),
        };
        let length = take(15) as u16;
        let score = [take(15) as u16, take(15) as u16];
        let jacoby = take(1) == 0;
        if bits != 0 {
            return bad("more than a match");
        }
        Ok(Self {
            cube_log2,
            owner,
            on_roll,
            crawford,
            game,
            turn,
            doubled,
            resigned,
            dice,
            length,
            score,
            jacoby,
        })
    }

    /// All of a state but its board.
    pub fn of(state: &State) -> Result<Self, IdError> {
        let up = state.up;
        let end = match state.phase {
            Phase::Over(end) => Some(end),
            _ => None,
        };
        let resigned = state.resignation.map(|offer| offer.value);
        let decides = state.resignation.map_or(up, |offer| other(offer.seat));
        let (game, on_roll, turn, resigned) = match (&state.phase, end.and_then(|end| end.winner)) {
            (Phase::Fresh, _) => (Game::None, up, up, None),
            (Phase::ToRoll | Phase::Moving { .. }, _) => (Game::Playing, up, decides, resigned),
            (Phase::Doubled { beaver: false }, _) => (Game::Playing, other(up), up, None),
            (Phase::Doubled { beaver: true }, _) => (Game::Playing, up, up, None),
            (Phase::Over(End { reason: Reason::BorneOff, .. }), Some(winner)) => {
                (Game::Over, other(winner), other(winner), None)
            }
            (Phase::Over(End { reason: Reason::Forfeit, .. }), Some(winner)) => {
                (Game::Dropped, winner, other(winner), None)
            }
            (Phase::Over(end), Some(winner)) => {
                let level =
                    Level::ALL.into_iter().find(|l| *l as u32 * state.stakes.get() == end.payout);
                (Game::Resigned, other(winner), winner, level.or(Some(Level::Single)))
            }
            (Phase::Over(_), None) => {
                return Err(IdError::new("a match id cannot tell of a game without a winner"));
            }
        };
        // Behind a finished game the bit may be that of the next one.
        let next = end.map(|end| Backgammon::next(state, state.standing.with(&end.credit())));
        let points = |seat: Seat| {
            let before = state.standing.score.get(seat.index()).copied().unwrap_or_default();
            let won = end.filter(|end| end.winner == Some(seat)).map_or(0, |end| end.payout);
            let score = u16::try_from(before.saturating_add(won)).ok().filter(|s| *s < 1 << 15);
            score.ok_or_else(|| IdError::new("a match id cannot hold scores above 32767"))
        };
        Ok(Self {
            cube_log2: state.stakes.log2(),
            owner: state.holder,
            on_roll,
            crawford: state.crawford || next.is_some_and(|next| next.crawford),
            game,
            turn,
            doubled: matches!(state.phase, Phase::Doubled { .. }),
            resigned,
            dice: at_the_roll(state, on_roll)?.1,
            length: state.config.r#match.min(Config::LONGEST_MATCH) as u16,
            score: [points(SEATS[0])?, points(SEATS[1])?],
            jacoby: state.config.jacoby,
        })
    }

    /// The state of this and a board, as the player on roll sees it.
    pub fn state(&self, board: Board) -> Result<State, IdError> {
        let fail = |text: &str| Err(IdError::new(text));
        let beaver = self.doubled && self.turn == self.on_roll;
        let config = Config {
            r#match: self.length.into(),
            jacoby: self.jacoby && self.length == 0,
            beavers: beaver,
            ..Config::default()
        };
        let standing = standing(&config, self.score.map(u32::from));
        let mut state = State::fresh(config, standing, self.crawford);
        let Ok(stakes) = Stakes::try_from(1 << self.cube_log2) else {
            return fail("the cube is above 64");
        };
        state.board = if self.on_roll == SEATS[0] { board } else { board.swapped() };
        (state.stakes, state.holder, state.up) = (stakes, self.owner, self.on_roll);
        if self.game == Game::Playing {
            if self.doubled && (self.resigned.is_some() || self.dice.is_some()) {
                return fail("a double is open beside a resignation or dice");
            }
            if !self.doubled && self.resigned.is_none() && self.turn != self.on_roll {
                return fail(
                    "the player not on roll has to decide, but there is nothing to decide",
                );
            }
            state.phase = match self.dice {
                Some(dice) => Phase::rolled(dice),
                None => Phase::ToRoll,
            };
            if self.doubled {
                (state.up, state.phase) = (self.turn, Phase::Doubled { beaver });
            }
            let offer = |value| Resignation { seat: other(self.turn), value };
            state.resignation = self.resigned.map(offer);
        }
        let ended = match (self.game, self.resigned) {
            (Game::None | Game::Playing, _) => None,
            (Game::Over, _) => match state.board.win_level() {
                Some((side, level)) => {
                    let winner = SEATS.into_iter().find(|seat| crate::state::side(*seat) == side);
                    let level = Level::ALL[usize::from(level) - 1];
                    Some((winner, state.payout(level), Reason::BorneOff))
                }
                None => return fail("the game is said to be over, but nobody has borne off"),
            },
            (Game::Resigned, Some(level)) => {
                // Who decides is not always kept, but the loser is left on roll.
                let winner = other(self.on_roll);
                Some((Some(winner), stakes.get() * level as u32, Reason::Resigned))
            }
            (Game::Resigned, None) => return fail("a game was resigned, but at no level"),
            (Game::Dropped, _) => {
                state.up = self.turn;
                Some((Some(other(self.turn)), stakes.get(), Reason::Forfeit))
            }
        };
        if let Some((winner, payout, reason)) = ended {
            state.phase = Phase::Over(End { winner, payout, reason });
        }
        if let Phase::Over(End { winner, payout, .. }) = state.phase
            && self.length > 0
        {
            let score = winner.and_then(|winner| state.standing.score.get_mut(winner.index()));
            match score.and_then(|score| Some((score.checked_sub(payout)?, score))) {
                Some((before, score)) => *score = before,
                None => return fail("the score does not count the game that is over"),
            }
            state.crawford &= SEATS.iter().any(|seat| state.away(*seat) == Some(1));
        }
        checked(state)
    }
}
