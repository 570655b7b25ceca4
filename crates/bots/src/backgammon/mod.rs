//! The house's player of backgammon: it counts what a position offers both sides, and at its best
//! looks at every reply to its play; it doubles, takes and drops by its estimate of the chances and
//! by the score of the match.

mod cube;
mod worth;

use crate::Level;
use crate::pace::Thought;
use cube::{Cube, Purse};
use parlor_rules::{Json, Rules, Seat, Series, json};
use parlor_rules_backgammon::Backgammon;
use parlor_rules_backgammon::board::{Board, OFF, Side};
use parlor_rules_backgammon::command::{Action, Command, Level as Height, Move};
use parlor_rules_backgammon::plays::{Dice, Plays, for_each_rest};
use parlor_rules_backgammon::state::{Phase, State, other};
use serde_json::value::RawValue;
use worth::{Chances, Weights, chances, contact};

/// Plays backgammon.
pub(crate) struct Mind {
    level: Level,
    seat: Seat,
    weights: Weights,
    /// Where it offered to resign last: it does not ask twice.
    resigned: Option<Board>,
}

/// How many plays are looked into.
const PLAYS: usize = 6;
/// How much worse a play may look, in points, to be looked into.
const WORSE: f32 = 0.12;
/// Below this chance a race is given up.
const HOPE: f32 = 0.002;

impl Mind {
    pub(crate) fn new(level: Level, seat: Seat) -> Self {
        let weights = worth::weights(level);
        Self { level, seat, weights, resigned: None }
    }

    fn action(&mut self, state: &State, may: &Commands) -> Option<(Action, Thought)> {
        let board = state.seen_by(self.seat);
        if let Some(offer) = state.resignation {
            // The other is up to move or to roll, or I am: the difference is small.
            let accept = chances(&board, &self.weights).equity() <= f32::from(offer.value as u8);
            let answer = Action::AnswerResign { accept };
            return may.has("answer-resign").then_some((answer, Thought::Plain));
        }
        match &state.phase {
            Phase::Doubled { .. } if may.has("accept") => {
                Some((self.answer(state, &board, may), Thought::Hard))
            }
            Phase::ToRoll if may.has("roll") => Some(self.before_roll(state, board, may)),
            Phase::Moving { dice, .. } if state.up == self.seat => {
                let (moves, thought) = self.best(&board, dice);
                let done = moves.is_empty();
                Some((if done { Action::Commit {} } else { Action::Play { moves } }, thought))
            }
            _ => None,
        }
    }

    fn before_roll(&mut self, state: &State, board: Board, may: &Commands) -> (Action, Thought) {
        let chances = chances(&board, &self.weights);
        if let Some(value) = lost(&board, chances)
            && may.has("offer-resign")
            && self.resigned != Some(board)
        {
            self.resigned = Some(board);
            return (Action::OfferResign { value }, Thought::Hard);
        }
        let doubles = may.has("propose-double")
            && match self.level {
                // Who has just learnt the rules does not dare.
                Level::Easy => false,
                Level::Medium | Level::Hard => {
                    let theirs = self.cube(state, other(self.seat));
                    self.cube(state, self.seat).doubles(chances, &theirs)
                }
            };
        match doubles {
            true => (Action::ProposeDouble {}, Thought::Hard),
            false => (Action::Roll {}, Thought::Forced),
        }
    }

    /// The answer to a double: the other is on roll.
    fn answer(&self, state: &State, board: &Board, may: &Commands) -> Action {
        let chances = chances(&board.swapped(), &self.weights).swapped();
        let takes = match self.level {
            // And drops too seldom.
            Level::Easy => chances.win >= 0.1,
            Level::Medium | Level::Hard => self.cube(state, self.seat).takes(chances),
        };
        match takes {
            true if chances.equity() > 0.0 && may.has("beaver") => Action::Beaver {},
            true => Action::Accept {},
            false => Action::Forfeit {},
        }
    }

    /// The cube as a seat sees it. Only at its best the house looks at the score.
    fn cube(&self, state: &State, seat: Seat) -> Cube {
        let purse = match self.level {
            Level::Hard => Purse::of(state, seat),
            Level::Easy | Level::Medium => Purse::Money,
        };
        let jacoby = state.config.jacoby && state.holder.is_none();
        Cube { purse, stakes: state.stakes.get() as i32, jacoby }
    }

    /// The steps of the best way to end the turn. The house plays whole rolls; an adviser may be
    /// asked in the middle of a turn.
    fn best(&self, board: &Board, dice: &[u8]) -> (Vec<Move>, Thought) {
        let mut plays = Vec::new();
        for_each_rest(board, dice, |steps, after| {
            let worth = -chances(&after.swapped(), &self.weights).equity();
            plays.push((worth, *after, steps.to_vec()));
        });
        plays.sort_by(|a, b| b.0.total_cmp(&a.0));
        let close = plays.iter().take_while(|play| play.0 > plays[0].0 - WORSE).count();
        if self.level == Level::Hard && close > 1 {
            plays.truncate(close.min(PLAYS));
            for (worth, after, _) in &mut plays {
                *worth = -self.replied(&after.swapped());
            }
            plays.sort_by(|a, b| b.0.total_cmp(&a.0));
        }
        let thought = match (plays.len(), close) {
            (0..=1, _) => Thought::Forced,
            (_, 0..=2) => Thought::Plain,
            _ => Thought::Hard,
        };
        let steps = plays.into_iter().next().map(|(_, _, steps)| steps).unwrap_or_default();
        (steps.into_iter().map(|step| Move::of(self.seat, step)).collect(), thought)
    }

    /// What a position is worth to the player on roll, over all rolls and the best play of each.
    fn replied(&self, board: &Board) -> f32 {
        if board.over() {
            return chances(board, &self.weights).equity();
        }
        let plays = Plays::of(board);
        let sum: f32 = Dice::ALL
            .into_iter()
            .map(|dice| {
                let mut best = f32::NEG_INFINITY;
                plays.for_each_position(dice, |after| {
                    best = best.max(-chances(&after.swapped(), &self.weights).equity());
                });
                best * dice.weight() as f32
            })
            .sum();
        sum / 36.0
    }
}

impl crate::Mind for Mind {
    fn think(&mut self, view: &RawValue, legal: &RawValue) -> Option<(Json, Thought)> {
        let view = serde_json::from_str(view.get()).ok()?;
        let state = Series::<Backgammon>::load(&Default::default(), view).ok()?;
        let may: Commands = serde_json::from_str(legal.get()).ok()?;
        let (action, thought) = self.action(state.game(), &may)?;
        Some((json(&Command { action, seat: self.seat }), thought))
    }
}

/// The part of what is legal that the house reads.
#[derive(serde::Deserialize)]
struct Commands {
    commands: Vec<String>,
}

impl Commands {
    fn has(&self, name: &str) -> bool {
        self.commands.iter().any(|command| command == name)
    }
}

/// How high a game is lost that cannot be won any more; none while there is hope, or a gammon to be
/// saved.
fn lost(board: &Board, chances: Chances) -> Option<Height> {
    let met = contact(&board.places(Side::Own), &board.places(Side::Other));
    if met || chances.win > HOPE {
        return None;
    }
    match board.men(Side::Own, OFF) > 0 || chances.gammoned < HOPE {
        true => Some(Height::Single),
        false => None,
    }
}
