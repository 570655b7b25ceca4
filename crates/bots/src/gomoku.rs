//! A simple player of gomoku: it completes and stops rows, makes two threats at once where it can,
//! and else builds where it and the other have most to hope for. It opens with stones that favour
//! nobody, and chooses the side it takes to be ahead.

use crate::Player;
use parlor_rules::{Json, Rules, Seat, Series, json};
use parlor_rules_gomoku::Gomoku;
use parlor_rules_gomoku::board::{Board, Colour, Point, Way};
use parlor_rules_gomoku::command::Command;
use parlor_rules_gomoku::event::Offer;
use parlor_rules_gomoku::state::State;
use parlor_rules_gomoku::swap2::{Choice, Phase, Swap2};
use serde_json::value::RawValue;

/// The house's player.
pub struct House {
    seat: Seat,
}

/// What five points in a line are worth that hold so many stones of one colour and none of the
/// other.
const HOPES: [i32; 6] = [1, 6, 30, 150, 800, 5_000];
/// What it is worth to threaten five in two ways at once.
const TWO_WAYS: i32 = 20_000;
/// A row completed, and one stopped.
const WINS: i32 = 1_000_000;
const STOPS: i32 = 200_000;
/// What it is worth to be the next to move.
const TEMPO: i32 = 25;
/// How far ahead a side must be for the choice to be clear.
const CLEAR: i32 = 30;
/// How far behind a draw is welcome.
const LOST: i32 = 400;

impl House {
    /// A player for this seat.
    pub fn new(seat: Seat) -> Self {
        Self { seat }
    }

    fn command(&self, state: &State) -> Option<Command> {
        if state.answers() == Some(self.seat) {
            return state.offers().open.map(|(_, offer)| self.answer(state, offer));
        }
        if state.up() != Some(self.seat) {
            return None;
        }
        match state.in_opening() {
            None => {
                let Point { x, y } = best(state)?;
                Some(Command::Move { x: x.into(), y: y.into() })
            }
            Some(opening) if opening.phase().places() => {
                let Point { x, y } = balanced(state)?;
                Some(Command::PlaceStone { x: x.into(), y: y.into() })
            }
            Some(opening) => {
                let choice = choice(state, opening).name().to_owned();
                Some(Command::MakeChoice { choice })
            }
        }
    }

    /// A stone is given back; a draw is taken by the one who is clearly behind.
    fn answer(&self, state: &State, offer: Offer) -> Command {
        match offer {
            Offer::Takeback => Command::AnswerTakeback { accept: true },
            Offer::Draw => {
                let ahead = lead(state.board(), state.to_move());
                let mine = match state.colour_of(self.seat) {
                    Some(Colour::White) => -ahead,
                    _ => ahead,
                };
                Command::AnswerDraw { accept: mine < -LOST }
            }
        }
    }
}

impl Player for House {
    fn choose(&mut self, view: &RawValue, _: &RawValue) -> Option<Json> {
        let view = serde_json::from_str(view.get()).ok()?;
        let state = Series::<Gomoku>::load(&Default::default(), view).ok()?;
        self.command(state.game()).map(|command| json(&command))
    }
}

/// Every five points in a line that hold this point, as the stones of each colour in them.
fn fives(board: &Board, point: Point) -> impl Iterator<Item = [usize; 2]> + '_ {
    let size = board.size();
    Way::ALL.into_iter().flat_map(move |way| {
        (-4..=0).filter_map(move |first| {
            let mut stones = [0; 2];
            for at in first..first + 5 {
                let point = way.step(point, at).filter(|point| size.contains(*point))?;
                if let Some(colour) = board.at(point) {
                    stones[colour as usize] += 1;
                }
            }
            Some(stones)
        })
    })
}

/// What a stone of this colour on a free point is worth to it.
fn worth(board: &Board, colour: Colour, point: Point) -> i32 {
    let (mine, theirs) = (colour as usize, !colour as usize);
    let (mut hopes, mut fours) = (0, 0);
    for stones in fives(board, point).filter(|stones| stones[theirs] == 0) {
        hopes += HOPES[stones[mine] + 1] - HOPES[stones[mine]];
        fours += u32::from(stones[mine] == 3);
    }
    hopes + if fours >= 2 { TWO_WAYS } else { 0 }
}

/// The best point to play; none if there is none.
fn best(state: &State) -> Option<Point> {
    let (board, mine, rule) = (state.board(), state.to_move(), state.config().rule);
    let middle = i32::from(board.size().get()) / 2;
    let playable = state.playable();
    playable.iter().max_by_key(|point| {
        let wins = i32::from(rule.wins(board, mine, *point)) * WINS;
        let stops = i32::from(rule.wins(board, !mine, *point)) * STOPS;
        let hopes = worth(board, mine, *point) * 5 / 4 + worth(board, !mine, *point);
        let far = |at: u8| (i32::from(at) - middle).abs();
        wins + stops + hopes - far(point.x).max(far(point.y))
    })
}

/// How far black is ahead, with this colour to move.
fn lead(board: &Board, to_move: Colour) -> i32 {
    let mut lead = if to_move == Colour::Black { TEMPO } else { -TEMPO };
    for point in board.size().all() {
        // Every five is counted at its first point.
        for way in Way::ALL {
            let mut stones = [0; 2];
            let whole = (0..5).all(|at| {
                let next = way.step(point, at).filter(|next| board.size().contains(*next));
                if let Some(colour) = next.and_then(|next| board.at(next)) {
                    stones[colour as usize] += 1;
                }
                next.is_some()
            });
            lead += match stones {
                _ if !whole => 0,
                [0, 0] => 0,
                [black, 0] => HOPES[black],
                [0, white] => -HOPES[white],
                _ => 0,
            };
        }
    }
    lead
}

/// The point for the next stone of an opening that leaves the sides most equal. Black has a stone
/// more, and mostly the move, so the first one stands near the edge, where it is worth little.
fn balanced(state: &State) -> Option<Point> {
    let (board, first) = (state.board(), state.first_mover());
    if board.stones() == 0 {
        return Some(Point::new(2, 3));
    }
    let colour = Colour::after(board.stones().into());
    let free = board.free();
    free.iter().min_by_key(|point| {
        let mut board = board.clone();
        board.lay(colour, *point);
        lead(&board, first).abs()
    })
}

fn choice(state: &State, opening: &Swap2) -> Choice {
    let lead = lead(state.board(), state.first_mover());
    match opening.phase() {
        Phase::Choice if lead.abs() < CLEAR => Choice::PlaceMore,
        _ if lead >= 0 => Choice::Black,
        _ => Choice::White,
    }
}
