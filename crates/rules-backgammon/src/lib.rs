//! Backgammon with the doubling cube, for money or as a match.
//!
//! ```
//! use parlor_rules::{Draws, Input, Rules, Seat, Seeded, Series};
//! use parlor_rules_backgammon::Backgammon;
//!
//! type Match = Series<Backgammon>;
//! let mut chance = Seeded::new("a game");
//! let mut draws = Draws::new(&mut chance);
//! let mut state = Match::begin(&Default::default(), 2, &mut draws).unwrap();
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
pub mod legal;
pub mod mat;
pub mod match_id;
pub mod notation;
pub mod perft;
pub mod plays;
pub mod position_id;
pub mod reject;
pub mod situation;
pub mod state;
pub mod view;
pub mod xgid;

use command::Command;
use event::Event;
use legal::Legal;
use parlor_rules::{
    Credit, Draws, Faults, Fields, Input, Loaded, Pending, Rated, Rules, Scale, Seat, Serial,
    Standing, Target, Verdict, Viewer, Wager, Written,
};
use reject::Reject;
use serde::Serialize;
use serde_json::Value;
use state::{Config, End, Opening, Phase, SEATS, State};
use std::ops::RangeInclusive;

/// The rules of backgammon: one game. A match, and a single game at a table, is
/// [`parlor_rules::Series`] over it.
pub struct Backgammon;

/// How a game ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct Outcome {
    /// Who won, how much, and why.
    #[serde(flatten)]
    pub end: End,
    /// How high.
    pub result: &'static str,
}

impl Rules for Backgammon {
    const KEY: &'static str = "backgammon";
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
        Ok(State::fresh(config.clone(), Standing::new(seats), false))
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

    fn pending(state: &State) -> Pending {
        match (&state.phase, decide::asked(state)) {
            (_, Some(seat)) => Pending::seat(seat),
            (Phase::Fresh, None) => Pending::Rest,
            (_, None) => Pending::Over,
        }
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
        let Phase::Over(end) = state.phase else { return None };
        let result = match end.payout / state.stakes.get() {
            0 => "void",
            1 => "single",
            2 => "gammon",
            _ => "backgammon",
        };
        Some(Outcome { end, result })
    }

    /// Without a winner the table was closed: there are no draws.
    fn verdict(state: &State) -> Option<Verdict> {
        let Phase::Over(end) = state.phase else { return None };
        Some(end.winner.map_or(Verdict::Void, Verdict::Won))
    }

    /// Matches as on FIBS; games for money by themselves. A table that names the seat that begins,
    /// or the position, is not rated.
    fn rated(config: &Config) -> Option<Rated> {
        let rated = match config.r#match {
            0 => Rated::glicko2("money"),
            length => Rated { set: "match".to_owned(), scale: Scale::Fibs { length } },
        };
        (config.opening == Opening::Roll && config.position.is_none()).then_some(rated)
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

impl Serial for Backgammon {
    type Beside = doc::Beside;

    fn standing(state: &State) -> &Standing {
        &state.standing
    }

    fn target(state: &State) -> Target {
        state.config.target()
    }

    fn wager(state: &State) -> Wager {
        state.config.wager
    }

    fn credit(outcome: &Outcome) -> Credit {
        outcome.end.credit()
    }

    /// The Crawford game is the first one after somebody comes within a point of the match.
    fn next(finished: &State, standing: Standing) -> State {
        let config = finished.config.clone();
        let one_away = |s: &Standing| s.score.iter().any(|score| score + 1 == config.r#match);
        let crawford = config.crawford && one_away(&standing) && !one_away(&finished.standing);
        State::fresh(config, standing, crawford)
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
