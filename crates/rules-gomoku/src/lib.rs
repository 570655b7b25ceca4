//! Gomoku and caro: five in a row, opened by Swap 2, alone or as a series.
//!
//! ```
//! use parlor_rules::{Draws, Input, Rules, Seeded, Series};
//! use parlor_rules_gomoku::Gomoku;
//! use parlor_rules_gomoku::state::{Config, Mode};
//!
//! type Match = Series<Gomoku>;
//! let mut chance = Seeded::new("a game");
//! let mut draws = Draws::new(&mut chance);
//! let mut state = Match::begin(&Config::of(Mode::Custom), 2, &mut draws).unwrap();
//! while Match::outcome(&state).is_none() {
//!     let seat = Match::pending(&state).asked()[0].seat;
//!     let command = Match::pick(&Match::legal(&state, seat), &mut draws).unwrap();
//!     Match::play(&mut state, &Input::Play { seat, command }, &mut draws).unwrap();
//! }
//! ```

pub mod board;
pub mod command;
pub mod decide;
pub mod doc;
pub mod event;
pub mod gomocup;
pub mod legal;
pub mod manager;
pub mod notation;
pub mod psq;
pub mod record;
pub mod recover;
pub mod reject;
pub mod renju;
pub mod rule;
pub mod sgf;
pub mod state;
pub mod swap2;
pub mod view;

use board::{Colour, Point, Size};
use command::Command;
use event::{Event, Reason};
use legal::Legal;
use parlor_rules::{
    Asked, Credit, Draws, Faults, Fields, Input, Loaded, Pending, Rated, Rules, Seat, Serial,
    Standing, Target, Verdict, Viewer, Wager, Written,
};
use reject::Reject;
use serde::Serialize;
use serde_json::{Map, Value};
use state::{Clock, Config, End, SEATS, Stage, State};
use std::ops::RangeInclusive;
use std::sync::Arc;
use swap2::History;

/// The rules of gomoku: one game. A series, and a single game at a table, is
/// [`parlor_rules::Series`] over it.
pub struct Gomoku;

/// How a game ended.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Outcome {
    /// Who won; none if nobody did.
    pub winner: Option<Seat>,
    /// The colour that seat played, if that was known.
    pub color: Option<Colour>,
    /// How it came about.
    pub reason: Reason,
    /// The winning row; empty if it was not won by one.
    pub line: Vec<Point>,
    /// How the game was opened; none if it had no such opening.
    pub swap2_history: Option<History>,
}

impl Rules for Gomoku {
    const KEY: &'static str = "gomoku";
    const EDITION: u16 = 1;
    const SEATS: RangeInclusive<u8> = 2..=2;
    const HIDES: bool = false;

    type Config = Config;
    type State = State;
    type Command = Command;
    type Event = Event;
    type Legal = Legal;
    type View = doc::Doc;
    type Sight = Event;
    type Outcome = Outcome;
    type Doc = doc::Doc;
    type Reject = Reject;

    fn open(config: &Config, seats: u8) -> Result<State, Reject> {
        config.check()?;
        Ok(State::fresh(Arc::new(config.clone()), Standing::new(seats)))
    }

    fn decide(
        state: &State,
        input: &Input<Command>,
        draws: &mut Draws<'_>,
    ) -> Result<Vec<Event>, Reject> {
        decide::decide(state, input, draws)
    }

    fn apply(state: &mut State, event: &Event) {
        state.apply(event);
    }

    fn stamp(state: &mut State, event: &Event, at_ms: u64) {
        state.stamp(event, at_ms);
    }

    /// Beside the seat whose action it is, the one who has an offer to answer is asked.
    fn pending(state: &State) -> Pending {
        match (state.stage(), state.up()) {
            (Stage::Fresh, _) => return Pending::Rest,
            (Stage::Over(_), _) | (_, None) => return Pending::Over,
            (Stage::Live, Some(_)) => {}
        }
        let within_ms = match state.config().clock {
            Clock::None => None,
            Clock::PerMove { per_move_ms } => Some(per_move_ms),
        };
        let (up, answers) = (state.up(), state.answers());
        // An answer is another question than the move that may follow it.
        let of = state.count() as u64;
        let answer = answers.filter(|_| answers != up).map(|seat| (seat, of | 1 << 32));
        let asked = answer.into_iter().chain(up.map(|seat| (seat, of)));
        let seats = asked.map(|(seat, of)| Asked { seat, of, within_ms }).collect();
        Pending::Waiting { seats, table: None, secret: false }
    }

    fn legal(state: &State, seat: Seat) -> Legal {
        legal::legal(state, seat)
    }

    fn permits(legal: &Legal, command: &Command) -> bool {
        legal.permits(command)
    }

    fn pick(legal: &Legal, draws: &mut Draws<'_>) -> Option<Command> {
        legal.pick(draws)
    }

    fn view(state: &State, _: Viewer) -> doc::Doc {
        view::view(state)
    }

    fn sight(_: &State, event: &Event, _: Viewer) -> Option<Event> {
        Some(view::sight(event))
    }

    fn outcome(state: &State) -> Option<Outcome> {
        let Stage::Over(End { winner, reason }) = state.stage() else { return None };
        Some(Outcome {
            winner,
            color: winner.and_then(|seat| state.colour_of(seat)),
            reason,
            line: doc::line(state, reason),
            swap2_history: doc::history(state),
        })
    }

    /// Without a stone nothing was played; with one, a table that nobody has won is a draw.
    fn verdict(state: &State) -> Option<Verdict> {
        let Stage::Over(End { winner, .. }) = state.stage() else { return None };
        Some(match winner {
            Some(seat) => Verdict::Won(seat),
            None if state.count() == 0 => Verdict::Void,
            None => Verdict::Drawn,
        })
    }

    /// Every rule by itself, and on another board than the usual one by itself again.
    fn rated(config: &Config) -> Option<Rated> {
        let (rule, size) = (config.rule.name(), config.board_size);
        Some(Rated::glicko2(match size {
            Size::USUAL => rule.to_owned(),
            size => format!("{rule}-{}", size.get()),
        }))
    }

    fn ranked(config: &mut Map<String, Value>) {
        config.insert("mode".to_owned(), "ranked".into());
    }

    fn doc(state: &State) -> doc::Doc {
        doc::doc(state)
    }

    fn load(config: &Config, doc: Value) -> Result<State, Faults> {
        let mut faults = Faults::default();
        let (mut beside, written) = (Fields::none("match"), Written::none(2));
        doc::load(config, doc, &mut beside, &written, &mut faults).game.ok_or(faults)
    }

    fn seats(_: &State) -> u8 {
        SEATS.len() as u8
    }
}

impl Serial for Gomoku {
    type Beside = doc::Beside;

    fn standing(state: &State) -> &Standing {
        state.standing()
    }

    fn target(state: &State) -> Target {
        state.config().target()
    }

    fn wager(state: &State) -> Wager {
        state.config().wager
    }

    fn credit(outcome: &Outcome) -> Credit {
        End { winner: outcome.winner, reason: outcome.reason }.credit()
    }

    fn next(finished: &State, standing: Standing) -> State {
        State::fresh(finished.config().clone(), standing)
    }

    fn beside(state: &State) -> doc::Beside {
        doc::beside(state)
    }

    fn load_beside(
        config: &Config,
        doc: Value,
        beside: &mut Fields,
        written: &Written,
        faults: &mut Faults,
    ) -> Loaded<State> {
        doc::load(config, doc, beside, written, faults)
    }
}
