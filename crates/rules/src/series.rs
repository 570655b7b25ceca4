//! Several games as one: score, history, the next game after a deadline of the table.
//!
//! [`Series<G>`] is itself a [`Rules`], over any game that is [`Serial`]. A single game is a series
//! of one. Its document is the game's, with `match` beside it.

use crate::{
    Chips, Closed, Draws, Faults, Fields, Flow, FlowKind, House, Input, Owner, Pending, Rated,
    Rules, Seat, Stay, Unit, Verdict, Viewer, Wager, limits,
};
use serde::de::{DeserializeOwned, Error as _};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};
use smallvec::{SmallVec, smallvec};
use std::marker::PhantomData;
use std::ops::RangeInclusive;

/// A game that can be played as a series.
pub trait Serial: Rules {
    /// What stands beside the game in its document: options and whatever outlives one game.
    type Beside: Serialize;

    /// How the series stood when this game began.
    fn standing(state: &Self::State) -> &Standing;
    /// When the series is over.
    fn target(state: &Self::State) -> Target;
    /// What the series is played for.
    fn wager(_: &Self::State) -> Wager {
        Wager::default()
    }
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
        written: &Written,
        faults: &mut Faults,
    ) -> Loaded<Self::State>;
}

/// What could be read of a game. The series is held against all of it, also where the game as a
/// whole could not be read.
pub struct Loaded<S> {
    /// The game, if it has no fault.
    pub game: Option<S>,
    /// When the series is over.
    pub target: Option<Target>,
    /// What the game counts; `Some(None)` while it goes on.
    pub credit: Option<Option<Credit>>,
}

impl<S> Loaded<S> {
    /// A game that was read, if only to be held against the series.
    pub fn whole<G: Serial<State = S>>(game: S) -> Self {
        let credit = G::outcome(&game).map(|outcome| G::credit(&outcome));
        Self { target: Some(G::target(&game)), credit: Some(credit), game: Some(game) }
    }

    /// Nothing could be read.
    pub fn nothing() -> Self {
        Self { game: None, target: None, credit: None }
    }
}

/// Points of each seat; most games have two.
pub type Score = SmallVec<[u32; 2]>;

/// Score and history as a document has them: a finished game is counted.
#[derive(Default)]
pub struct Written {
    /// None if it could not be read.
    score: Option<Score>,
    history: Option<Vec<Credit>>,
    /// Whether the document has either of them; without, a finished game is the first.
    given: bool,
}

impl Written {
    /// No score and no history, at a table for so many.
    pub fn none(seats: u8) -> Self {
        let score = Some(smallvec![0; usize::from(seats)]);
        Self { score, history: Some(Vec::new()), given: false }
    }

    fn read(seats: u8, fields: &mut Fields, faults: &mut Faults) -> Self {
        let given = fields.has("score") || fields.has("history");
        let history = match fields.has("history") {
            true => fields.list::<Credit>("history", "a list of finished games", faults),
            false => Some(Vec::new()),
        };
        let seated = |credit: &Credit| {
            credit.winner.is_none_or(|seat| seat.index() < usize::from(seats))
                && (credit.winner.is_some() || credit.points == 0)
        };
        let history = history.filter(|history| {
            let known = history.iter().all(seated);
            faults.check(known, "match.history", || {
                "a game is won by a seat of this table, or by nobody and pays nothing".to_owned()
            });
            known
        });
        let score = match fields.has("score") {
            true => fields.take::<Score>("score", "a number for each seat", faults),
            false => history.as_ref().map(|history| sum(seats, history)),
        };
        let score = score.filter(|score| {
            let fits = score.len() == usize::from(seats);
            faults.check(fits, "match.score", || format!("needs {seats} numbers"));
            fits
        });
        Self { score, history, given }
    }

    /// How the series stood before a game that counts this, and the games until then; none if it
    /// cannot be told. Points without a history are carried over as one game a seat.
    fn split(&self, credit: Option<&Credit>) -> Option<(Standing, Vec<Credit>)> {
        let (mut score, mut history) = (self.score.clone()?, self.history.clone()?);
        if let Some(credit) = credit.filter(|_| self.given) {
            if history.pop().is_some_and(|last| last != *credit) {
                return None;
            }
            if let Some(winner) = credit.winner {
                let points = score.get_mut(winner.index())?;
                *points = points.checked_sub(credit.points)?;
            }
        }
        if history.is_empty() {
            let carried = score.iter().enumerate().filter(|(_, points)| **points > 0);
            history.extend(carried.map(|(seat, points)| Credit {
                winner: Some(Seat::new(seat as u8)),
                points: *points,
                decides: false,
            }));
        }
        let draws = history.iter().filter(|credit| credit.winner.is_none()).count() as u32;
        Some((Standing { score, games: history.len() as u32, draws }, history))
    }

    /// How the series stood before a game that counts this.
    pub fn before(&self, credit: Option<&Credit>) -> Option<Standing> {
        self.split(credit).map(|(standing, _)| standing)
    }

    /// Holds score and history against each other and against the game.
    fn check<S>(&self, loaded: &Loaded<S>, faults: &mut Faults) {
        if let (Some(score), Some(history)) = (&self.score, &self.history) {
            let adds_up = history.is_empty() || sum(score.len() as u8, history) == *score;
            faults.check(adds_up, "match.history", || {
                "the games do not add up to the score".to_owned()
            });
        }
        let Some(credit) = &loaded.credit else { return };
        let mut earlier = self.history.as_deref().unwrap_or_default();
        if credit.is_some() && self.given {
            earlier = earlier.split_last().map_or(earlier, |(_, earlier)| earlier);
            let untold = self.score.is_none() || self.history.is_none();
            faults.check(untold || self.split(credit.as_ref()).is_some(), "match", || {
                "the finished game is missing from score or history".to_owned()
            });
        }
        faults.check(earlier.iter().all(|game| !game.decides), "match.history", || {
            "a game that decided the match is the last one".to_owned()
        });
        let Some((target, before)) = loaded.target.zip(self.before(credit.as_ref())) else {
            return;
        };
        let (points, draws) = match target {
            Target::Single => (1, 0),
            Target::Points { points, draws } => (points, draws),
        };
        faults.check(before.score.iter().all(|score| *score < points), "match.score", || {
            match target {
                Target::Single => "a single game has no score before it",
                Target::Points { .. } => "was enough before this game began",
            }
            .to_owned()
        });
        faults.check(before.draws <= draws, "match.history", || {
            "too many games without a winner for another one".to_owned()
        });
    }
}

fn sum(seats: u8, history: &[Credit]) -> Score {
    let none = Standing::new(seats);
    history.iter().fold(none, |standing, credit| standing.with(credit)).score
}

/// How a series stands.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Standing {
    /// Points of each seat.
    pub score: Score,
    /// Games finished.
    pub games: u32,
    /// How many of them without a winner.
    pub draws: u32,
}

impl Standing {
    /// Nothing played yet.
    pub fn new(seats: u8) -> Self {
        Self { score: smallvec![0; usize::from(seats)], games: 0, draws: 0 }
    }

    /// The same after a game that counts this.
    pub fn with(&self, credit: &Credit) -> Self {
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
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct Credit {
    /// Who won; none if nobody did.
    pub winner: Option<Seat>,
    /// How much.
    pub points: u32,
    /// Whether this outcome ends the whole series, as when a clock ran out.
    pub decides: bool,
}

impl Closed for Credit {
    fn take(fields: &mut Fields, faults: &mut Faults) -> Option<Self> {
        let winner = fields.take("winner", "a seat or null", faults);
        let points = fields.take("points", "a number", faults);
        let decides = fields.take("decides", "true or false", faults);
        Some(Self { winner: winner?, points: points?, decides: decides? })
    }
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

/// Who has won a series, if this game after that standing ends it.
fn ending(target: Target, before: &Standing, credit: Credit) -> Option<Stopped> {
    let Target::Points { points, draws } = target else {
        return Some(Stopped { winner: credit.winner });
    };
    if credit.decides {
        return Some(Stopped { winner: credit.winner });
    }
    let after = before.with(&credit);
    let first = after.score.iter().position(|score| *score >= points);
    let winner = first.map(|seat| Seat::new(seat as u8));
    (winner.is_some() || after.draws > draws).then_some(Stopped { winner })
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
    fn ending(&self) -> Option<Stopped> {
        let before = G::standing(&self.game);
        self.stopped.or_else(|| ending(G::target(&self.game), before, self.credit()?))
    }

    /// Whether one game is over and another will follow.
    fn between(&self) -> bool {
        G::outcome(&self.game).is_some() && self.ending().is_none()
    }

    fn next(&self) -> G::State {
        G::next(&self.game, self.standing())
    }

    /// Whether the deposits lie on the table: from the beginning of the first game to the end.
    fn in_play(&self) -> bool {
        let begun = self.standing().games > 0 || G::pending(&self.game) != Pending::Rest;
        begun && self.ending().is_none()
    }

    /// The deposits on the table.
    fn pot(&self) -> Chips {
        let deposit = G::wager(&self.game).deposit();
        match deposit > Chips::ZERO && self.in_play() {
            true => deposit * u32::from(G::seats(&self.game)),
            false => Chips::ZERO,
        }
    }

    /// How many points the series pays: those of a single game, or those that win it.
    fn points(&self) -> u32 {
        match G::target(&self.game) {
            Target::Single => self.credit().map_or(0, |credit| credit.points),
            Target::Points { points, .. } => points,
        }
    }

    /// What a seat gets of the deposits. The others pay the winner; without one everyone gets back
    /// the own.
    fn share(&self, seat: Seat) -> Chips {
        let wager = G::wager(&self.game);
        let (deposit, cost) = (wager.deposit(), wager.cost(self.points()));
        match self.ending().and_then(|ending| ending.winner) {
            None => deposit,
            Some(winner) if winner == seat => deposit + cost * u32::from(G::seats(&self.game) - 1),
            Some(_) => deposit - cost,
        }
    }

    /// How the deposits flow by this event.
    fn deposits(&self, event: &Told<G::Event>) -> Vec<Flow> {
        let deposit = G::wager(&self.game).deposit();
        if deposit == Chips::ZERO {
            return Vec::new();
        }
        let mut after = self.clone();
        Series::<G>::apply(&mut after, event);
        let each = |kind, chips: &dyn Fn(Seat) -> Chips| {
            let flow = |seat| Flow { seat, kind, chips: chips(seat) };
            Seat::all(G::seats(&self.game)).map(flow).filter(|f| f.chips > Chips::ZERO).collect()
        };
        match (self.in_play(), after.in_play()) {
            (false, true) => each(FlowKind::In, &|_| deposit),
            (true, false) => each(FlowKind::Out, &|seat| after.share(seat)),
            _ => Vec::new(),
        }
    }

    fn beside(&self) -> Match<G::Beside> {
        let ending = self.ending();
        Match {
            beside: G::beside(&self.game),
            score: self.standing().score,
            history: self.history.clone(),
            over: ending.is_some(),
            winner: ending.and_then(|ending| ending.winner),
            stake: (G::wager(&self.game).deposit() > Chips::ZERO).then(|| self.pot()),
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
    score: Score,
    history: Vec<Credit>,
    over: bool,
    winner: Option<Seat>,
    /// What lies on the table; none where the series is for nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    stake: Option<Chips>,
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
    pub score: Score,
    /// Games played.
    pub games: u32,
    /// Points to win it; none for a single game.
    pub points: Option<u32>,
}

/// Something told by the series itself or by the game in play.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[serde(untagged)]
pub enum Told<T> {
    /// By the series.
    Series(Own),
    /// By the game.
    Game(T),
}

impl<'de, T: DeserializeOwned> Deserialize<'de> for Told<T> {
    /// The type tells who speaks, so that what is wrong is told by the one it is wrong for.
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(d)?;
        let own =
            value.get("type").and_then(Value::as_str).is_some_and(|t| Own::TYPES.contains(&t));
        let told = match own {
            true => Own::deserialize(value).map(Self::Series),
            false => T::deserialize(value).map(Self::Game),
        };
        told.map_err(D::Error::custom)
    }
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

impl Own {
    const TYPES: [&'static str; 3] = ["next-game", "match-forfeited", "match-closed"];
}

impl<G: Serial> Rules for Series<G> {
    const KEY: &'static str = G::KEY;
    const EDITION: u16 = G::EDITION;
    const SEATS: RangeInclusive<u8> = G::SEATS;
    const COMES_AND_GOES: bool = G::COMES_AND_GOES;
    const HIDES: bool = G::HIDES;
    const UNIT: Unit = G::UNIT;

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
        if state.ending().is_some() {
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
        let ending = state.ending()?;
        let standing = state.standing();
        Some(Outcome {
            game: G::outcome(&state.game)?,
            r#match: Final {
                winner: ending.winner,
                score: standing.score,
                games: standing.games,
                points: match G::target(&state.game) {
                    Target::Single => None,
                    Target::Points { points, .. } => Some(points),
                },
            },
        })
    }

    fn doc(state: &State<G>) -> Self::Doc {
        Beside { game: G::doc(&state.game), r#match: state.beside() }
    }

    fn load(config: &G::Config, mut doc: Value) -> Result<State<G>, Faults> {
        let mut faults = Faults::default();
        let seats = *G::SEATS.end();
        let beside = doc.as_object_mut().and_then(|doc| doc.remove("match"));
        let mut fields = match beside {
            Some(beside) => Fields::of(beside, "match", &mut faults),
            None => Fields::none("match"),
        };
        let written = Written::read(seats, &mut fields, &mut faults);
        let over = fields.optional::<bool>("over", "true or false", &mut faults);
        let winner = fields.optional::<Option<Seat>>("winner", "a seat or null", &mut faults);
        let stake = fields.optional::<Chips>("stake", "an amount of chips", &mut faults);

        let loaded = G::load_beside(config, doc, &mut fields, &written, &mut faults);
        fields.finish(&mut faults);
        written.check(&loaded, &mut faults);

        let Loaded { game, target, credit } = loaded;
        let split = credit.and_then(|credit| written.split(credit.as_ref()));
        // The outer is none where it cannot be told.
        let ending = match credit {
            Some(Some(credit)) => {
                let known = target.zip(split.as_ref());
                known.map(|(target, (before, _))| ending(target, before, credit))
            }
            Some(None) => Some(None),
            None => None,
        };
        let between = ending == Some(None) && credit.flatten().is_some();
        let stopped = Stopped { winner: winner.flatten() };
        let stopped = Some(stopped).filter(|_| between && over == Some(true));
        if let Some(ending) = ending.map(|ending| ending.or(stopped)) {
            let text = || "does not fit the score and the game".to_owned();
            let fits = over.is_none_or(|over| over == ending.is_some());
            faults.check(fits, "match.over", text);
            let won = ending.and_then(|ending| ending.winner);
            let seated = won.is_none_or(|seat| seat.index() < usize::from(seats));
            let fits = winner.is_none_or(|winner| winner == won);
            faults.check(seated && fits, "match.winner", text);
        }
        let whole = game.zip(split).filter(|_| faults.is_empty());
        let (game, (_, mut history)) = whole.ok_or(faults)?;
        history.extend(credit.flatten());
        let state = State { game, history, stopped };
        let mut faults = Faults::default();
        faults.check(stake.is_none_or(|stake| stake == state.pot()), "match.stake", || {
            format!("is {}", state.pot())
        });
        if faults.is_empty() { Ok(state) } else { Err(faults) }
    }

    fn seats(state: &State<G>) -> u8 {
        G::seats(&state.game)
    }

    /// A series that nobody has won is what its last game is; left between two games it is void.
    fn verdict(state: &State<G>) -> Option<Verdict> {
        let last = G::verdict(&state.game)?;
        Some(match (state.ending()?.winner, last) {
            (Some(winner), _) => Verdict::Won(winner),
            (None, Verdict::Drawn) => Verdict::Drawn,
            (None, Verdict::Won(_) | Verdict::Void) => Verdict::Void,
        })
    }

    fn rated(config: &G::Config) -> Option<Rated> {
        G::rated(config)
    }

    fn ranked(config: &mut Map<String, Value>) {
        G::ranked(config);
    }

    fn deposit(state: &State<G>) -> Chips {
        G::deposit(&state.game) + G::wager(&state.game).deposit()
    }

    fn stake(state: &State<G>) -> Chips {
        G::stake(&state.game) + state.pot()
    }

    fn flows(state: &State<G>, event: &Told<G::Event>) -> Vec<Flow> {
        let mut flows = match event {
            Told::Series(_) => Vec::new(),
            Told::Game(event) => G::flows(&state.game, event),
        };
        flows.extend(state.deposits(event));
        flows
    }

    fn stamp(state: &mut State<G>, event: &Told<G::Event>, at_ms: u64) {
        if let Told::Game(event) = event {
            G::stamp(&mut state.game, event, at_ms);
        }
    }

    fn grace_ms(state: &State<G>) -> Option<u64> {
        G::grace_ms(&state.game)
    }

    fn stay(state: &State<G>, seat: Seat) -> Stay {
        G::stay(&state.game, seat)
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
