//! Several games as one: score, history, the next game after a deadline of the table.
//!
//! [`Series<G>`] is itself a [`Rules`], over any game that is [`Serial`]. A single game is a series
//! of one. Its document is the game's, with `match` beside it.

use crate::{
    Chips, Draws, Faults, Fields, Flow, House, Input, Object, Owner, Pending, Rules, Seat, Viewer,
    limits,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::marker::PhantomData;
use std::ops::RangeInclusive;

/// A game that can be played as a series.
pub trait Serial: Rules {
    /// What stands beside the game in its document: options and whatever outlives one game.
    type Beside: Serialize;

    /// How the series stood when this game began.
    fn standing(state: &Self::State) -> &Standing;
    /// The same, to be set.
    fn standing_mut(state: &mut Self::State) -> &mut Standing;
    /// When the series is over.
    fn target(state: &Self::State) -> Target;
    /// What an outcome counts.
    fn credit(outcome: &Self::Outcome) -> Credit;
    /// The next game, not yet begun, after a finished one.
    fn next(finished: &Self::State, standing: Standing) -> Self::State;
    /// What stands beside the game in its document.
    fn beside(state: &Self::State) -> Self::Beside;
    /// Reads a game and what stands beside it.
    fn load_beside(
        config: &Self::Config,
        doc: Value,
        beside: &mut Fields,
        standing: Standing,
        faults: &mut Faults,
    ) -> Option<Self::State>;
}

/// How a series stands.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Standing {
    /// Points of each seat.
    pub score: Vec<u32>,
    /// Games finished.
    pub games: u32,
    /// How many of them without a winner.
    pub draws: u32,
}

impl Standing {
    /// Nothing played yet.
    pub fn new(seats: u8) -> Self {
        Self { score: vec![0; usize::from(seats)], games: 0, draws: 0 }
    }

    fn with(&self, credit: &Credit) -> Self {
        let mut next = self.clone();
        next.games += 1;
        match credit.winner.and_then(|seat| next.score.get_mut(seat.index())) {
            Some(score) => *score = score.saturating_add(credit.points),
            None => next.draws += 1,
        }
        next
    }
}

/// When a series is over.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Target {
    /// After one game.
    Single,
    /// When a seat has so many points, or after more drawn games than allowed.
    Points {
        /// Points to win.
        points: u32,
        /// Drawn games that are played again; one more and the series is drawn.
        draws: u32,
    },
}

/// What the outcome of one game counts in a series.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Credit {
    /// Who won; none if nobody did.
    pub winner: Option<Seat>,
    /// How much.
    pub points: u32,
    /// Whether this outcome ends the whole series, as when a clock ran out.
    pub decides: bool,
}

/// Games of `G`, one after the other.
pub struct Series<G>(PhantomData<fn() -> G>);

/// The state of a series.
pub struct State<G: Serial> {
    game: G::State,
    history: Vec<Credit>,
    stopped: Option<Stopped>,
}

/// A series that ended between two games.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Stopped {
    winner: Option<Seat>,
}

impl<G: Serial> Clone for State<G> {
    fn clone(&self) -> Self {
        Self { game: self.game.clone(), history: self.history.clone(), stopped: self.stopped }
    }
}

impl<G: Serial> PartialEq for State<G> {
    fn eq(&self, other: &Self) -> bool {
        self.game == other.game && self.history == other.history && self.stopped == other.stopped
    }
}

impl<G: Serial> std::fmt::Debug for State<G> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Series")
            .field("game", &self.game)
            .field("history", &self.history)
            .field("stopped", &self.stopped)
            .finish()
    }
}

impl<G: Serial> State<G> {
    /// The game in play, or the last one played.
    pub fn game(&self) -> &G::State {
        &self.game
    }

    /// How the series stands, a finished game counted.
    pub fn standing(&self) -> Standing {
        let before = G::standing(&self.game);
        match self.credit() {
            Some(credit) => before.with(&credit),
            None => before.clone(),
        }
    }

    fn credit(&self) -> Option<Credit> {
        G::outcome(&self.game).map(|outcome| G::credit(&outcome))
    }

    /// Who won the series, once it is over.
    fn verdict(&self) -> Option<Stopped> {
        if self.stopped.is_some() {
            return self.stopped;
        }
        let credit = self.credit()?;
        let Target::Points { points, draws } = G::target(&self.game) else {
            return Some(Stopped { winner: credit.winner });
        };
        if credit.decides {
            return Some(Stopped { winner: credit.winner });
        }
        let standing = self.standing();
        let first = Seat::all(G::seats(&self.game)).find(|s| standing.score[s.index()] >= points);
        if first.is_none() && standing.draws <= draws {
            return None;
        }
        Some(Stopped { winner: first })
    }

    /// Whether one game is over and another will follow.
    fn between(&self) -> bool {
        G::outcome(&self.game).is_some() && self.verdict().is_none()
    }

    fn next(&self) -> G::State {
        G::next(&self.game, self.standing())
    }

    fn beside(&self) -> Match<G::Beside> {
        let verdict = self.verdict();
        Match {
            beside: G::beside(&self.game),
            score: self.standing().score,
            history: self.history.clone(),
            over: verdict.is_some(),
            winner: verdict.and_then(|v| v.winner),
        }
    }
}

/// Something of the game, with `match` beside it.
#[derive(Serialize)]
pub struct Beside<T, B> {
    #[serde(flatten)]
    game: T,
    r#match: Match<B>,
}

/// How the series stands, as it is written.
#[derive(Serialize)]
struct Match<B> {
    #[serde(flatten)]
    beside: B,
    score: Vec<u32>,
    history: Vec<Credit>,
    over: bool,
    winner: Option<Seat>,
}

/// How a series ended: the last game's outcome, with the series beside it.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Outcome<O> {
    /// The last game's.
    #[serde(flatten)]
    pub game: O,
    /// The series'.
    pub r#match: Final,
}

/// How a series ended.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Final {
    /// Who won it; none if nobody did.
    pub winner: Option<Seat>,
    /// Points of each seat.
    pub score: Vec<u32>,
    /// Games played.
    pub games: u32,
}

/// Something told by the series itself or by the game in play.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Told<T> {
    /// By the series.
    Series(Own),
    /// By the game.
    Game(T),
}

/// What happens between games.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Own {
    /// The next game is laid out.
    NextGame {
        /// Its number, from 1.
        game: u32,
    },
    /// Someone left for good between two games, and so gave up the series.
    MatchForfeited {
        /// Who.
        seat: Seat,
    },
    /// The table was closed between two games.
    MatchClosed {},
}

impl<G: Serial> Rules for Series<G> {
    const KEY: &'static str = G::KEY;
    const EDITION: u16 = G::EDITION;
    const SEATS: RangeInclusive<u8> = G::SEATS;

    type Config = G::Config;
    type State = State<G>;
    type Command = G::Command;
    type Event = Told<G::Event>;
    type Legal = G::Legal;
    type View = Beside<G::View, G::Beside>;
    type Sight = Told<G::Sight>;
    type Outcome = Outcome<G::Outcome>;
    type Doc = Beside<G::Doc, G::Beside>;
    type Reject = G::Reject;

    fn open(config: &G::Config, seats: u8) -> Result<State<G>, G::Reject> {
        Ok(State { game: G::open(config, seats)?, history: Vec::new(), stopped: None })
    }

    fn decide(
        state: &State<G>,
        input: &Input<G::Command>,
        draws: &mut Draws<'_>,
    ) -> Result<Vec<Told<G::Event>>, G::Reject> {
        let own = match input {
            _ if !state.between() => None,
            Input::Expire { seat: Owner::Table } => {
                Some(Own::NextGame { game: state.standing().games + 1 })
            }
            Input::House(House::Left { seat }) => Some(Own::MatchForfeited { seat: *seat }),
            Input::House(House::Close {}) => Some(Own::MatchClosed {}),
            _ => None,
        };
        let game = match own {
            None => G::decide(&state.game, input, draws)?,
            Some(Own::NextGame { .. }) => {
                G::decide(&state.next(), &Input::House(House::Begin {}), draws)?
            }
            Some(_) => Vec::new(),
        };
        Ok(own.into_iter().map(Told::Series).chain(game.into_iter().map(Told::Game)).collect())
    }

    fn apply(state: &mut State<G>, event: &Told<G::Event>) {
        match event {
            Told::Game(event) => {
                let was_over = G::outcome(&state.game).is_some();
                G::apply(&mut state.game, event);
                if !was_over && let Some(credit) = state.credit() {
                    state.history.push(credit);
                }
            }
            Told::Series(_) if !state.between() => {}
            Told::Series(Own::NextGame { .. }) => state.game = state.next(),
            Told::Series(Own::MatchForfeited { seat }) => {
                let seats = G::seats(&state.game);
                let mut others = Seat::all(seats).filter(|other| other != seat);
                let winner = others.next().filter(|_| seats == 2);
                state.stopped = Some(Stopped { winner });
            }
            Told::Series(Own::MatchClosed {}) => state.stopped = Some(Stopped { winner: None }),
        }
    }

    fn pending(state: &State<G>) -> Pending {
        if state.verdict().is_some() {
            return Pending::Over;
        }
        if state.between() {
            let games = u64::from(state.standing().games);
            return Pending::table(games, limits::BETWEEN_GAMES_MS);
        }
        G::pending(&state.game)
    }

    fn legal(state: &State<G>, seat: Seat) -> G::Legal {
        G::legal(&state.game, seat)
    }

    fn permits(legal: &G::Legal, command: &G::Command) -> bool {
        G::permits(legal, command)
    }

    fn pick(legal: &G::Legal, draws: &mut Draws<'_>) -> Option<G::Command> {
        G::pick(legal, draws)
    }

    fn view(state: &State<G>, viewer: Viewer) -> Self::View {
        Beside { game: G::view(&state.game, viewer), r#match: state.beside() }
    }

    fn sight(state: &State<G>, event: &Told<G::Event>, viewer: Viewer) -> Option<Told<G::Sight>> {
        match event {
            Told::Series(own) => Some(Told::Series(*own)),
            Told::Game(event) => G::sight(&state.game, event, viewer).map(Told::Game),
        }
    }

    fn outcome(state: &State<G>) -> Option<Self::Outcome> {
        let verdict = state.verdict()?;
        let standing = state.standing();
        Some(Outcome {
            game: G::outcome(&state.game)?,
            r#match: Final { winner: verdict.winner, score: standing.score, games: standing.games },
        })
    }

    fn doc(state: &State<G>) -> Self::Doc {
        Beside { game: G::doc(&state.game), r#match: state.beside() }
    }

    fn load(config: &G::Config, mut doc: Value) -> Result<State<G>, Faults> {
        let mut faults = Faults::default();
        let beside = doc.as_object_mut().and_then(|doc| doc.remove("match"));
        let given = beside.is_some();
        let empty = || Value::Object(serde_json::Map::new());
        let mut fields = Fields::of(beside.unwrap_or_else(empty), "match", &mut faults);
        let score = fields.optional::<Vec<u32>>("score", &mut faults);
        let history =
            fields.optional::<Vec<Object<Credit>>>("history", &mut faults).unwrap_or_default();
        let history: Vec<_> = history.into_iter().map(|Object(credit)| credit).collect();
        let known = |credit: &Credit| {
            credit.winner.is_none_or(|seat| seat.index() < usize::from(*G::SEATS.end()))
        };
        faults.check(history.iter().all(known), "match.history", || "names no seat".to_owned());
        let over = fields.optional::<bool>("over", &mut faults);
        let winner = fields.optional::<Option<Seat>>("winner", &mut faults);

        let standing = Standing {
            score: score.unwrap_or_else(|| vec![0; usize::from(*G::SEATS.end())]),
            games: history.len() as u32,
            draws: history.iter().filter(|credit| credit.winner.is_none()).count() as u32,
        };
        let game = G::load_beside(config, doc, &mut fields, standing, &mut faults);
        fields.finish(&mut faults);
        let Some(game) = game.filter(|_| faults.is_empty()) else { return Err(faults) };

        let mut state = State { game, history, stopped: None };
        state.take_back_credit(given, &mut faults);
        if let Target::Points { points, .. } = G::target(&state.game) {
            let open = G::standing(&state.game).score.iter().all(|score| *score < points);
            faults.check(open, "match.score", || "was enough before this game began".to_owned());
        }
        if over == Some(true) && state.verdict().is_none() && state.between() {
            state.stopped = Some(Stopped { winner: winner.flatten() });
        }
        let verdict = state.verdict();
        faults.check(over.is_none_or(|over| over == verdict.is_some()), "match.over", || {
            "does not fit the score and the game".to_owned()
        });
        let found = verdict.and_then(|v| v.winner);
        faults.check(winner.is_none_or(|winner| winner == found), "match.winner", || {
            "does not fit the score and the game".to_owned()
        });
        if faults.is_empty() { Ok(state) } else { Err(faults) }
    }

    fn seats(state: &State<G>) -> u8 {
        G::seats(&state.game)
    }

    fn stake(state: &State<G>) -> Chips {
        G::stake(&state.game)
    }

    fn flows(state: &State<G>, event: &Told<G::Event>) -> Vec<Flow> {
        match event {
            Told::Series(_) => Vec::new(),
            Told::Game(event) => G::flows(&state.game, event),
        }
    }

    fn grace_ms(state: &State<G>) -> Option<u64> {
        G::grace_ms(&state.game)
    }

    fn deck(state: &State<G>) -> u32 {
        G::deck(&state.game)
    }

    fn dealt(state: &State<G>, viewer: Viewer) -> Vec<u32> {
        G::dealt(&state.game, viewer)
    }

    fn resample(state: &State<G>, viewer: Viewer, draws: &mut Draws<'_>) -> State<G> {
        State { game: G::resample(&state.game, viewer, draws), ..state.clone() }
    }
}

impl<G: Serial> State<G> {
    /// A written score counts a finished game; a standing is from before it.
    fn take_back_credit(&mut self, given: bool, faults: &mut Faults) {
        let Some(credit) = self.credit() else { return };
        if !given {
            self.history.push(credit);
            return;
        }
        let fits = self.history.last() == Some(&credit);
        let standing = G::standing_mut(&mut self.game);
        let score = credit.winner.and_then(|seat| standing.score.get_mut(seat.index()));
        let counted = score.is_none_or(|score| match score.checked_sub(credit.points) {
            Some(before) => {
                *score = before;
                true
            }
            None => false,
        });
        standing.games = standing.games.saturating_sub(1);
        standing.draws -= u32::from(credit.winner.is_none()).min(standing.draws);
        faults.check(fits && counted, "match", || {
            "the finished game is missing from score or history".to_owned()
        });
    }
}
