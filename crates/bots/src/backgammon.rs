//! A simple player of backgammon: it looks one roll ahead and likes safe men, blocked points and
//! a good home; it doubles and takes by its own estimate of the chances.

use crate::Player;
use parlor_rules::{Json, Rules, Seat, Series, json};
use parlor_rules_backgammon::Backgammon;
use parlor_rules_backgammon::board::{BAR, Board, OFF, Side};
use parlor_rules_backgammon::command::{Action, Command, Level, Move};
use parlor_rules_backgammon::plays::for_each_rest;
use parlor_rules_backgammon::state::{Phase, State};
use serde_json::value::RawValue;

/// The house's player.
pub struct House {
    seat: Seat,
}

/// From here on a double is offered.
const DOUBLE_FROM: f64 = 0.72;
/// Above this the game is worth more played on for a gammon than cashed.
const TOO_GOOD_FROM: f64 = 0.97;
/// Below this a double is dropped.
const TAKE_FROM: f64 = 0.24;

impl House {
    /// A player for this seat.
    pub fn new(seat: Seat) -> Self {
        Self { seat }
    }

    fn action(&self, state: &State, may: &Commands) -> Option<Action> {
        let board = state.seen_by(self.seat);
        if let Some(offer) = state.resignation {
            // More than a single game is refused only while it can still be won.
            let accept = offer.value >= likely_level(&board);
            return may.has("answer-resign").then_some(Action::AnswerResign { accept });
        }
        match &state.phase {
            Phase::Doubled { .. } if may.has("accept") => {
                let taken = 1.0 - chances(&board.swapped()) >= TAKE_FROM;
                Some(if taken { Action::Accept {} } else { Action::Forfeit {} })
            }
            Phase::ToRoll if may.has("propose-double") => {
                let wins = chances(&board);
                let doubles = (DOUBLE_FROM..TOO_GOOD_FROM).contains(&wins);
                Some(if doubles { Action::ProposeDouble {} } else { Action::Roll {} })
            }
            Phase::ToRoll if may.has("roll") => Some(Action::Roll {}),
            Phase::Moving { dice, .. } if state.up == self.seat => {
                let moves = self.best(&board, dice);
                let done = moves.is_empty();
                Some(if done { Action::Commit {} } else { Action::Play { moves } })
            }
            _ => None,
        }
    }

    /// The steps of the best way to end the turn. The house plays whole rolls; an adviser may be
    /// asked in the middle of a turn.
    fn best(&self, board: &Board, dice: &[u8]) -> Vec<Move> {
        let mut best = (f64::NEG_INFINITY, Vec::new());
        for_each_rest(board, dice, |steps, after| {
            let worth = worth(after);
            if worth > best.0 {
                best = (worth, steps.to_vec());
            }
        });
        best.1.into_iter().map(|step| Move::of(self.seat, step)).collect()
    }
}

impl Player for House {
    fn choose(&mut self, view: &RawValue, legal: &RawValue) -> Option<Json> {
        let view = serde_json::from_str(view.get()).ok()?;
        let state = Series::<Backgammon>::load(&Default::default(), view).ok()?;
        let may: Commands = serde_json::from_str(legal.get()).ok()?;
        let action = self.action(state.game(), &may)?;
        Some(json(&Command { action, seat: self.seat }))
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

/// How high the mover's win would be if the game were stopped here.
fn likely_level(board: &Board) -> Level {
    if board.men(Side::Other, OFF) > 0 {
        return Level::Single;
    }
    let behind = (19..=BAR).any(|place| board.men(Side::Other, place) > 0);
    let nearly = board.men(Side::Own, OFF) >= 10;
    match (nearly, behind) {
        (true, true) => Level::Backgammon,
        (true, false) => Level::Gammon,
        (false, _) => Level::Single,
    }
}

/// Whether men of the two sides can still meet.
fn contact(board: &Board) -> bool {
    let rearmost = |side| (1..=BAR).rev().find(|place| board.men(side, *place) > 0).unwrap_or(0);
    rearmost(Side::Own) + rearmost(Side::Other) > 24
}

/// The mover's chance to win; it is on roll. The weights are those of a logistic fit to 337,000
/// positions of 6,000 games that this player played against itself.
fn chances(board: &Board) -> f64 {
    let (own, theirs) = (f64::from(board.pips(Side::Own)), f64::from(board.pips(Side::Other)));
    let lead = theirs - own;
    let odds = if contact(board) {
        0.184 - 0.0219 * lead + 0.0266 * (worth(board) - worth(&board.swapped()))
    } else {
        (2.32 + 1.076 * lead) / own.max(4.0).sqrt()
    };
    1.0 / (1.0 + (-odds).exp())
}

/// How the mover likes a position it leaves behind, in pips.
fn worth(board: &Board) -> f64 {
    let off = f64::from(board.men(Side::Own, OFF));
    let race = f64::from(board.pips(Side::Other)) - f64::from(board.pips(Side::Own));
    let mut worth = race + 2.0 * off;
    if !contact(board) {
        // Fewer gaps, and men off rather than moved within the home.
        let stacked = (1..=6).map(|p| f64::from(board.men(Side::Own, p)).powi(2)).sum::<f64>();
        return worth + 6.0 * off - 0.05 * stacked;
    }
    let home = (1..=6).filter(|p| board.men(Side::Own, *p) >= 2).count() as f64;
    let on_bar = f64::from(board.men(Side::Other, BAR));
    worth += on_bar * (6.0 + 2.5 * home) + home * 2.5;
    let mut run = 0;
    for point in 1..=24 {
        let men = board.men(Side::Own, point);
        // A blot costs what it has come so far, by the chance to be hit.
        if men == 1 {
            worth -= hit_chance(board, point) * (f64::from(25 - point) * 0.9 + 4.0);
        }
        run = if men >= 2 { run + 1 } else { 0 };
        if run >= 3 && point <= 12 {
            worth += f64::from(run);
        }
        worth -= f64::from(men.saturating_sub(4)) * 1.2;
        if men >= 2 && (18..=22).contains(&point) {
            worth += 4.0;
        }
    }
    worth
}

/// How likely a blot is to be hit, by the number of direct and near indirect shots.
fn hit_chance(board: &Board, point: u8) -> f64 {
    let mut missed = 1.0;
    for distance in 1..=12u8 {
        // The other side moves towards higher points of the mover's numbering.
        let Some(from) = point.checked_sub(distance) else { break };
        // The mover's place 0 is where the other side's bar lies.
        if board.men(Side::Other, BAR - from) > 0 {
            let shots = if distance <= 6 { 10.0 + f64::from(distance) } else { 3.0 };
            missed *= 1.0 - shots / 36.0;
        }
    }
    1.0 - missed
}
