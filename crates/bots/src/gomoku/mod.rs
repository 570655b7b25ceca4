//! The house's player of gomoku: it knows what a stone makes on every line, follows the threats of
//! both sides, and looks a few moves ahead. It opens with stones that favour nobody, and chooses
//! the side it takes to be ahead.

mod search;
mod shape;

use crate::Level;
use crate::pace::Thought;
use parlor_rules::{Draws, Json, Rules, Seat, Seeded, Series, json};
use parlor_rules_gomoku::Gomoku;
use parlor_rules_gomoku::board::{Colour, Point};
use parlor_rules_gomoku::command::Command;
use parlor_rules_gomoku::event::Offer;
use parlor_rules_gomoku::state::State;
use parlor_rules_gomoku::swap2::{Choice, Phase, Swap2};
use search::{Effort, Field, SAME, SURE};
use serde_json::value::RawValue;
use shape::{FIVE, FOUR};

/// Plays gomoku.
pub(crate) struct Mind {
    level: Level,
    seat: Seat,
    chance: Seeded,
}

/// How far ahead a side must be for the choice to be clear.
const CLEAR: i32 = 200;
/// How far behind a draw is welcome.
const LOST: i32 = 1_500;
/// How many places for a stone of the opening are held against each other.
const PLACES: usize = 24;
/// How an opening is looked at.
const GLANCE: Effort = Effort { depth: 2, width: 6, budget: 400, fours: 0 };

impl Mind {
    pub(crate) fn new(level: Level, seat: Seat, chance: Seeded) -> Self {
        Self { level, seat, chance }
    }

    fn below(&mut self, n: usize) -> usize {
        Draws::new(&mut self.chance).below(n.max(1) as u32) as usize
    }

    fn command(&mut self, state: &State) -> Option<(Command, Thought)> {
        if state.answers() == Some(self.seat) {
            let offer = state.offers().open.map(|(_, offer)| offer)?;
            return Some((self.answer(state, offer), Thought::Plain));
        }
        if state.up() != Some(self.seat) {
            return None;
        }
        match state.in_opening() {
            None => {
                let (Point { x, y }, thought) = self.stone(state)?;
                Some((Command::Move { x: x.into(), y: y.into() }, thought))
            }
            Some(opening) if opening.phase().places() => {
                let Point { x, y } = self.place(state)?;
                Some((Command::PlaceStone { x: x.into(), y: y.into() }, Thought::Plain))
            }
            Some(opening) => {
                let choice = self.choice(state, opening).name().to_owned();
                Some((Command::MakeChoice { choice }, Thought::Hard))
            }
        }
    }

    /// A stone is given back; a draw is taken by the one who is clearly behind.
    fn answer(&self, state: &State, offer: Offer) -> Command {
        match offer {
            Offer::Takeback => Command::AnswerTakeback { accept: true },
            Offer::Draw => {
                let to_move = state.to_move();
                let mut field = Field::new(state.board(), state.config().rule);
                let ahead = ahead(&mut field, to_move, GLANCE);
                let mine = state.colour_of(self.seat) == Some(to_move);
                Command::AnswerDraw { accept: if mine { ahead } else { -ahead } < -LOST }
            }
        }
    }

    /// The stone to lay; none if there is nowhere to.
    fn stone(&mut self, state: &State) -> Option<(Point, Thought)> {
        let (board, mine) = (state.board(), state.to_move());
        let mut field = Field::new(board, state.config().rule);
        let stopped = field.open().any(|point| field.rated(!mine, point).best == FIVE);
        let found = match self.level {
            Level::Easy => self.at_a_glance(&field, state, mine),
            Level::Medium => self.looked_ahead(&mut field, mine, MEDIUM),
            Level::Hard => self.looked_ahead(&mut field, mine, HARD),
        };
        let thought = if stopped { Thought::Plain } else { Thought::Hard };
        let playable = state.playable();
        let found = found.filter(|point| playable.contains(*point));
        let found = found.or_else(|| {
            let middle = board.size().get() / 2;
            let far = |point: &Point| point.x.abs_diff(middle).max(point.y.abs_diff(middle));
            playable.iter().min_by_key(far)
        });
        found.map(|point| (point, thought))
    }

    /// The best point by what it makes at once. Who has just learnt the rules prefers the own rows,
    /// looks where the other has just played, and overlooks what was built elsewhere before.
    fn at_a_glance(&mut self, field: &Field, state: &State, mine: Colour) -> Option<Point> {
        let last = state.moves().next_back().map(|(_, point)| point);
        let minds = |point: Point| {
            last.is_none_or(|last| point.x.abs_diff(last.x).max(point.y.abs_diff(last.y)) <= 2)
        };
        let open = field.open().filter(|point| field.allows(mine, *point));
        let worth = |point: Point| {
            let (own, theirs) = (field.rated(mine, point), field.rated(!mine, point));
            let seen = match minds(point) {
                true => theirs.worth / 3,
                false if theirs.best >= FOUR => theirs.worth / 32,
                false => 0,
            };
            (own.worth + seen, point)
        };
        let mut points: Vec<(i32, Point)> = open.map(worth).collect();
        points.sort_unstable_by_key(|(worth, point)| (std::cmp::Reverse(*worth), *point));
        self.one_of(&points)
    }

    fn looked_ahead(&mut self, field: &mut Field, mine: Colour, effort: Effort) -> Option<Point> {
        let points = field.search(mine, effort);
        self.one_of(&points)
    }

    /// One of the best points, which come first.
    fn one_of(&mut self, points: &[(i32, Point)]) -> Option<Point> {
        let best = points.first()?.0;
        let same = if best.abs() >= SURE { 0 } else { SAME };
        let count = points.iter().take_while(|(value, _)| *value >= best - same).count();
        points.get(self.below(count)).map(|(_, point)| *point)
    }

    /// The point for the next stone of an opening: some place for the first ones, and for the last
    /// one that which leaves the sides most equal. Black has a stone more, and mostly the move, so
    /// the first one stands near the edge, where it is worth little.
    fn place(&mut self, state: &State) -> Option<Point> {
        let (board, rule) = (state.board(), state.config().rule);
        let size = usize::from(board.size().get());
        if board.stones() == 0 {
            let (along, across) = (self.below(size - 6) + 3, self.below(2) + 1);
            let across = if self.below(2) == 0 { across } else { size - 1 - across };
            let (x, y) = if self.below(2) == 0 { (along, across) } else { (across, along) };
            return Some(Point::new(x as u8, y as u8));
        }
        let colour = Colour::after(board.stones().into());
        let free: Vec<Point> = board.free().iter().collect();
        let tried: Vec<Point> = (0..PLACES).map(|_| free[self.below(free.len())]).collect();
        let mut field = Field::new(board, rule);
        tried.into_iter().min_by_key(|point| {
            field.lay(colour, *point);
            let ahead = ahead(&mut field, state.first_mover(), GLANCE).abs();
            field.lift(colour, *point);
            ahead
        })
    }

    fn choice(&self, state: &State, opening: &Swap2) -> Choice {
        let first = state.first_mover();
        let effort = if self.level == Level::Hard { HARD } else { GLANCE };
        let ahead = ahead(&mut Field::new(state.board(), state.config().rule), first, effort);
        let better = if ahead >= 0 { first } else { !first };
        match (opening.phase(), better) {
            (Phase::Choice, _) if ahead.abs() < CLEAR => Choice::PlaceMore,
            (_, Colour::Black) => Choice::Black,
            (_, Colour::White) => Choice::White,
        }
    }
}

const MEDIUM: Effort = Effort { depth: 2, width: 8, budget: 1_000, fours: 0 };
const HARD: Effort = Effort { depth: 8, width: 12, budget: 12_000, fours: 10 };

/// How far a colour that is to move is ahead, as far as this effort sees.
fn ahead(field: &mut Field, to_move: Colour, effort: Effort) -> i32 {
    field.search(to_move, effort).first().map_or(0, |(value, _)| *value)
}

impl crate::Mind for Mind {
    fn think(&mut self, view: &RawValue, _: &RawValue) -> Option<(Json, Thought)> {
        let view = serde_json::from_str(view.get()).ok()?;
        let state = Series::<Gomoku>::load(&Default::default(), view).ok()?;
        self.command(state.game()).map(|(command, thought)| (json(&command), thought))
    }
}
