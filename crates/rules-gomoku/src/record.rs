//! A game as its stones in order: what the formats of gomoku have in common.

use crate::board::{Board, Colour, Point, Size};
use crate::decide::judge;
use crate::event::Reason;
use crate::notation;
use crate::rule::Rule;
use crate::state::{End, Stage, State};
use parlor_rules::Reject as _;
use std::fmt;

/// A game as its stones in order.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Record {
    /// The board.
    pub size: Size,
    /// The rule, if it is told.
    pub rule: Option<Rule>,
    /// Every stone, those of the opening first.
    pub stones: Vec<(Colour, Point)>,
    /// How many of them belong to the opening.
    pub opening: usize,
    /// The colour that is to move, where a form tells it; otherwise it is the other's turn.
    pub to_move: Option<Colour>,
    /// Who played black, and who white, if it is told.
    pub names: [Option<String>; 2],
    /// How it ended, in the words of SGF.
    pub result: Option<String>,
}

/// Why something is not in the format it is said to be in, or cannot be told in it.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{0}")]
pub struct FormatError(String);

impl FormatError {
    /// A sentence.
    pub fn new(why: impl Into<String>) -> Self {
        Self(why.into())
    }

    /// The same with the place where it is.
    pub fn at(self, place: impl fmt::Display) -> Self {
        Self(format!("{place}: {}", self.0))
    }
}

/// How a game stands.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// It goes on.
    Open,
    /// No point is left to play.
    Draw,
    /// Somebody has won, by this row.
    Won(Colour, Vec<Point>),
}

impl Record {
    /// A game without a stone.
    pub fn new(size: Size) -> Self {
        let (stones, names) = (Vec::new(), [None, None]);
        Self { size, rule: None, stones, opening: 0, to_move: None, names, result: None }
    }

    /// The game of a state.
    pub fn of(state: &State) -> Self {
        let opening = state.opening().into_iter().flat_map(|opening| opening.stones());
        let opening: Vec<_> = opening.enumerate().map(|(i, p)| (Colour::after(i), p)).collect();
        let players = &state.config().players;
        let name = |colour| state.seat_of(colour).map(|seat| players.id(seat).to_owned());
        let result = match state.stage() {
            Stage::Over(End { winner: Some(seat), reason }) => {
                let side = match state.colour_of(seat) {
                    Some(Colour::Black) => "B+",
                    Some(Colour::White) => "W+",
                    None => "?",
                };
                let how = match reason {
                    Reason::Resigned => "R",
                    Reason::Timeout => "T",
                    Reason::Left => "F",
                    _ => "",
                };
                Some(if side == "?" { "?".to_owned() } else { format!("{side}{how}") })
            }
            Stage::Over(End { winner: None, reason: Reason::Closed }) => Some("Void".to_owned()),
            Stage::Over(End { winner: None, .. }) => Some("0".to_owned()),
            Stage::Fresh | Stage::Live => None,
        };
        Self {
            size: state.board().size(),
            rule: Some(state.config().rule),
            opening: opening.len(),
            to_move: None,
            stones: opening.into_iter().chain(state.moves()).collect(),
            names: Colour::ALL.map(name),
            result,
        }
    }

    /// The colour that is to move: as it is told, and otherwise not that of the last stone.
    pub fn next(&self) -> Colour {
        let last = self.stones.last().map(|(colour, _)| *colour);
        self.to_move.unwrap_or_else(|| last.map_or(Colour::Black, |last| !last))
    }

    /// Whether black and white were laid in turn, black first.
    pub fn in_turn(&self) -> bool {
        self.stones.iter().enumerate().all(|(i, (colour, _))| *colour == Colour::after(i))
    }

    /// Refuses a format that knows no colours, unless they were laid in turn.
    pub(crate) fn check_turns(&self, format: &str) -> Result<(), FormatError> {
        if self.in_turn() {
            return Ok(());
        }
        let why = "tells no colours, and here black and white were not laid in turn; sgf can";
        Err(FormatError::new(format!("{format} {why}")))
    }

    /// The stones on a board, however they came there.
    pub fn board(&self) -> Result<Board, FormatError> {
        let mut board = Board::new(self.size);
        for (i, (colour, point)) in self.stones.iter().enumerate() {
            if !board.is_free(*point) {
                let taken = FormatError::new("a stone lies there already, or it is off the board");
                return Err(taken.at(self.place(i)));
            }
            board.lay(*colour, *point);
        }
        Ok(board)
    }

    fn place(&self, i: usize) -> String {
        let name = self.stones.get(i).map(|(_, point)| notation::name(*point, self.size));
        format!("move {} ({})", i + 1, name.unwrap_or_default())
    }

    /// How the game stands by a rule, or what is wrong with its first bad move.
    pub fn judge(&self, rule: Rule) -> Result<Verdict, FormatError> {
        let mut board = Board::new(self.size);
        let mut verdict = Verdict::Open;
        for (i, (colour, point)) in self.stones.iter().enumerate() {
            let wrong = |why: String| FormatError::new(why).at(self.place(i));
            if verdict != Verdict::Open {
                return Err(wrong("the game was over before".to_owned()));
            }
            if !self.size.contains(*point) {
                return Err(wrong("is off the board".to_owned()));
            }
            // Nobody wins by the opening.
            let rule = if i < self.opening { Rule::Standard } else { rule };
            let end = judge(rule, &board, *colour, *point);
            let end = end.map_err(|reject| wrong(reject.text()))?;
            board.lay(*colour, *point);
            verdict = match end.filter(|_| i >= self.opening) {
                None => Verdict::Open,
                Some((Reason::Row, row)) => Verdict::Won(*colour, row),
                Some(_) => Verdict::Draw,
            };
        }
        Ok(verdict)
    }
}
