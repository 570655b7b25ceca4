//! From a written situation to a legal state: what position IDs, match IDs and XGIDs share.
//!
//! ```
//! use parlor_rules_backgammon::{match_id, xgid};
//!
//! let state = xgid::read("XGID=-b----E-C---eE---c-e----B-:1:1:1:63:2:3:0:7:10").unwrap();
//! assert_eq!(match_id::write(&state).unwrap(), "4HPwATDgc/ABMA:UQnvADAAEAAE");
//! ```
//!
//! Seats: seat 0 is GNU Backgammon's player 0 (`O`, the first name) and XG's player at the top;
//! seat 1 is player 1 (`X`) and XG's player at the bottom. So point `n` of an XGID is point `n - 1`
//! of a document.
//!
//! A situation is how things stood when the dice fell: steps not yet committed are not written.

use crate::Backgammon;
use crate::board::Board;
use crate::doc;
use crate::state::{Config, End, Phase, State};
use parlor_rules::{Faults, Rules, Seat, Series, Standing, series};
use serde_json::{Value, json};

/// Why a text is no situation, or a situation cannot be written.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{0}")]
pub struct IdError(String);

impl IdError {
    pub(crate) fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }
}

impl From<Faults> for IdError {
    fn from(faults: Faults) -> Self {
        Self(faults.to_string())
    }
}

/// The series a game stands in, with no games before it but what its score says. Goes by way of
/// the document, so that a situation is held to the same rules as any document.
pub fn series(state: &State) -> Result<series::State<Backgammon>, Faults> {
    let mut document = value(doc::doc(state));
    let mut beside = value(doc::beside(state));
    let mut score = state.standing.score.clone();
    if let Phase::Over(End { winner: Some(winner), payout, .. }) = state.phase
        && let Some(score) = score.get_mut(winner.index())
    {
        *score = score.saturating_add(payout);
    }
    beside["score"] = json!(score);
    document["match"] = beside;
    Series::<Backgammon>::load(&state.config, document)
}

fn value(document: impl serde::Serialize) -> Value {
    serde_json::to_value(document).unwrap_or_default()
}

/// A score as an ID has it. For money it is that of a session, of which a table plays one game, so
/// it is left out.
pub(crate) fn standing(config: &Config, score: [u32; 2]) -> Standing {
    let mut standing = Standing::new(2);
    if config.r#match > 0 {
        standing.score = score.into();
    }
    standing
}

/// The state, if it is a legal one.
pub(crate) fn checked(state: State) -> Result<State, IdError> {
    let length = state.config.r#match;
    let over = state.standing.score.iter().any(|score| length > 0 && *score >= length);
    if over && !matches!(state.phase, Phase::Over(_)) {
        return Err(IdError::new("a player already has the points of the match"));
    }
    Ok(series(&state)?.game().clone())
}

/// The board as a seat saw it when the dice fell, and the dice, the higher first.
pub(crate) fn at_the_roll(state: &State, seat: Seat) -> Result<(Board, Option<[u8; 2]>), IdError> {
    let Phase::Moving { dice, played, .. } = &state.phase else {
        return Ok((state.seen_by(seat), None));
    };
    let mut board = state.seen_by(state.up);
    let mut all = dice.clone();
    for step in played.iter().rev() {
        let undone = step.step().seen_by(state.up).and_then(|seen| board.undo(seen, step.hit));
        board = undone.ok_or_else(|| IdError::new("the steps of this turn cannot be undone"))?;
        all.push(step.die);
    }
    all.sort_unstable();
    let dice = all.last().copied().zip(all.first().copied());
    let (high, low) = dice.ok_or_else(|| IdError::new("a turn without dice"))?;
    Ok((if seat == state.up { board } else { board.swapped() }, Some([high, low])))
}

/// A plain number, no sign, no blanks.
pub(crate) fn number(text: &str) -> Option<u32> {
    let plain = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    text.parse().ok().filter(|_| plain)
}
