//! Openings by the names of their games and players, without a table.

use crate::board::{Colour, Size};
use crate::command::Coordinate;
use crate::reject::Reject;
use crate::state::SEATS;
use crate::swap2::{ColorAssignment, Deed, Phase, Players, Swap2, Swap2State};
use parlor_rules::Seat;
use std::collections::HashMap;

/// Openings in play. The names of the contract in our spelling: `initializeSwap2` is
/// [`initialize_swap2`](Self::initialize_swap2), and so on.
///
/// ```
/// use parlor_rules_gomoku::manager::Swap2Manager;
///
/// let mut manager = Swap2Manager::new(|| "2026-01-01T00:00:00Z".to_owned());
/// manager.initialize_swap2("g", "ada", "bob").unwrap();
/// for (x, y) in [(7, 7), (8, 8), (9, 7)] {
///     manager.place_stone("g", "ada", x, y).unwrap();
/// }
/// let state = manager.make_choice("g", "bob", "white").unwrap();
/// assert!(Swap2Manager::is_complete(&state));
/// let assignment = Swap2Manager::get_final_assignments(&state).unwrap();
/// assert_eq!((&*assignment.black_player_id, &*assignment.first_mover), ("ada", "ada"));
/// ```
pub struct Swap2Manager {
    size: Size,
    games: HashMap<String, (Players, Swap2)>,
    now: Box<dyn Fn() -> String + Send>,
}

/// The first player opens, and black moves first.
const OPENER: Seat = SEATS[0];
const FIRST: Colour = Colour::Black;

/// Why the manager says no.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
pub enum ManagerError {
    /// No opening goes by this name.
    #[error("there is no game {0:?}")]
    NoSuchGame(String),
    /// There is one already.
    #[error("there is a game {0:?} already")]
    GameExists(String),
    /// The two players are the same, or one has no name.
    #[error("a game needs two different players")]
    SamePlayers,
    /// The rules say no.
    #[error("{}", parlor_rules::Reject::text(.0))]
    Refused(Reject),
}

impl From<Reject> for ManagerError {
    fn from(reject: Reject) -> Self {
        Self::Refused(reject)
    }
}

type Answer = Result<Swap2State, ManagerError>;

impl Swap2Manager {
    /// A manager of openings on 15 by 15; `now` tells the time as documents have it.
    pub fn new(now: impl Fn() -> String + Send + 'static) -> Self {
        Self { size: Size::USUAL, games: HashMap::new(), now: Box::new(now) }
    }

    /// Begins an opening.
    pub fn initialize_swap2(&mut self, game: &str, player1: &str, player2: &str) -> Answer {
        let players = Players::new(player1, player2).ok_or(ManagerError::SamePlayers)?;
        if self.games.contains_key(game) {
            return Err(ManagerError::GameExists(game.to_owned()));
        }
        let opening = Swap2::new(OPENER);
        let state = opening.document(&players, FIRST);
        self.games.insert(game.to_owned(), (players, opening));
        Ok(state)
    }

    /// Lays a stone.
    pub fn place_stone(
        &mut self,
        game: &str,
        player: &str,
        x: impl Into<Coordinate>,
        y: impl Into<Coordinate>,
    ) -> Answer {
        let (at, size) = ((x.into(), y.into()), self.size);
        self.act(game, player, |opening, by, players| opening.may_place(by, at, size, players))
    }

    /// Makes a choice.
    pub fn make_choice(&mut self, game: &str, player: &str, choice: &str) -> Answer {
        self.act(game, player, |opening, by, players| opening.may_choose(by, choice, players))
    }

    fn act(
        &mut self,
        game: &str,
        player: &str,
        may: impl FnOnce(&Swap2, Seat, &Players) -> Result<Deed, Reject>,
    ) -> Answer {
        let found = self.games.get_mut(game);
        let (players, opening) = found.ok_or_else(|| ManagerError::NoSuchGame(game.to_owned()))?;
        // A stranger is no seat at all, and so never the one who is asked.
        let by = players.seat(player).unwrap_or(Seat::new(u8::MAX));
        let deed = may(opening, by, players)?;
        opening.push(deed, Some((self.now)()));
        Ok(opening.document(players, FIRST))
    }

    /// How an opening stands.
    pub fn get_state(&self, game: &str) -> Option<Swap2State> {
        self.games.get(game).map(|(players, opening)| opening.document(players, FIRST))
    }

    /// Whether both have their colours.
    pub fn is_complete(state: &Swap2State) -> bool {
        state.phase == Phase::Complete
    }

    /// Who plays which colour, once that is known.
    pub fn get_final_assignments(state: &Swap2State) -> Option<ColorAssignment> {
        let players = state.players(OPENER)?;
        let opening = state.replay(OPENER, &players, Size::ALL[2]).ok()?;
        opening.assignment(&players, FIRST)
    }
}
