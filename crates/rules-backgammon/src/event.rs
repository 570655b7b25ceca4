//! What has happened.

use crate::command::{Level, Move};
use parlor_rules::Seat;
use serde::{Deserialize, Serialize};

/// A fact of a game.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Event {
    /// The game begins with a named seat, dice not yet rolled.
    Opened {
        /// Who begins.
        up: Seat,
    },
    /// One die each. The higher begins with both; equal dice are thrown again.
    OpeningRolled {
        /// Seat 0's die, then seat 1's.
        dice: [u8; 2],
    },
    /// Equal opening dice doubled the stakes.
    AutomaticDouble {},
    /// A turn's dice.
    Rolled {
        /// Who rolled.
        seat: Seat,
        /// As thrown.
        dice: [u8; 2],
    },
    /// A step, not yet committed.
    Moved {
        /// Who moved.
        seat: Seat,
        /// The point it left; none from the bar.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        from: Option<u8>,
        /// The point it reached; none when borne off.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        to: Option<u8>,
        /// The die it used.
        die: u8,
        /// Whether it hit.
        hit: bool,
    },
    /// The last step was taken back.
    Undone {
        /// Who took it back.
        seat: Seat,
    },
    /// The turn is over.
    Committed {
        /// Whose turn.
        seat: Seat,
    },
    /// The dice allow no step, so the turn is over.
    Passed {
        /// Whose turn.
        seat: Seat,
    },
    /// A double is open.
    DoubleProposed {
        /// Who offers it.
        seat: Seat,
    },
    /// It was taken.
    Accepted {
        /// Who took it.
        seat: Seat,
    },
    /// It was taken and doubled again.
    Beavered {
        /// Who did so.
        seat: Seat,
    },
    /// A resignation is open.
    ResignOffered {
        /// Who offers it.
        seat: Seat,
        /// At which level.
        value: Level,
    },
    /// It was refused.
    ResignRefused {
        /// Who refused.
        seat: Seat,
    },
    /// The game is over.
    Finished {
        /// Who won; none if the table was closed.
        winner: Option<Seat>,
        /// How many points.
        payout: u32,
        /// How it came about.
        #[serde(deserialize_with = "parlor_rules::doc::word")]
        reason: Reason,
    },
}

impl Event {
    /// A step as an event.
    pub fn moved(seat: Seat, step: Move, hit: bool) -> Self {
        Self::Moved { seat, from: step.from, to: step.to, die: step.die, hit }
    }
}

/// How a game came to its end.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reason {
    /// All men borne off.
    BorneOff,
    /// A double was dropped.
    Forfeit,
    /// A resignation was accepted.
    Resigned,
    /// A clock ran out.
    Timeout,
    /// A player was gone for good.
    Left,
    /// The table was closed.
    Closed,
}
