//! What has happened.

use crate::card::{Slot, Slots};
use crate::state::{SEATS, other};
use parlor_rules::Seat;
use serde::{Deserialize, Deserializer, Serialize};

/// A fact of a match.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub enum Event {
    /// Both have put their stake into the pot.
    MatchFound {},
    /// A round begins.
    PrepStarted {
        /// Its number, from 1.
        round: u32,
        /// Whether the next difference in HP ends the match.
        sudden_death: bool,
    },
    /// A seat has laid cards and may still change them.
    Drafted {
        /// Who.
        seat: Seat,
        /// What lies now.
        layout: Slots,
        /// There if something of the draft was no card left in the hand.
        #[serde(default, deserialize_with = "tag", skip_serializing_if = "Option::is_none")]
        tag: Option<Tag>,
    },
    /// A seat has laid its cards for good.
    Confirmed {
        /// Who.
        seat: Seat,
        /// What lies.
        layout: Slots,
    },
    /// A seat wanted to confirm what it cannot lay. What lay before stays, and can be changed.
    ConfirmRefused {
        /// Who.
        seat: Seat,
        /// Why, in a word; the sender is also told in a sentence.
        #[serde(deserialize_with = "parlor_rules::doc::word")]
        code: Mistaken,
        /// The first slot that is wrong, from 1.
        slot: u8,
    },
    /// A seat's own clock has run out: what it has drafted stays.
    TimeUp {
        /// Who.
        seat: Seat,
    },
    /// The layouts of a round are what they are.
    Finalized {
        /// What lies on each side.
        layouts: [Slots; 2],
        /// Who has said nothing in this round.
        afk: [bool; 2],
    },
    /// A pair of cards is shown and has done what it does.
    StepRevealed {
        /// Its number, from 1.
        step: u8,
        /// The cards.
        cards: [Slot; 2],
        /// What both have after it.
        hp: [u8; 2],
    },
    /// All pairs of a round are shown.
    RoundEnded {
        /// Its number.
        round: u32,
    },
    /// The match is over.
    MatchEnded(End),
}

/// The mark of a message with a card that the hand does not hold.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Tag {
    /// As the contract writes it.
    #[serde(rename = "[INVALID_CARD_FROM_CLIENT]")]
    InvalidCard,
}

/// A tag that is there.
fn tag<'de, D: Deserializer<'de>>(d: D) -> Result<Option<Tag>, D::Error> {
    parlor_rules::doc::word(d).map(Some)
}

/// What was wrong with a confirm that was refused.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mistaken {
    /// A card that is not left in the hand.
    InvalidCard,
}

/// How a match ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(try_from = "Written", into = "Written")]
pub enum End {
    /// By HP: somebody is down, or behind when it counts.
    Beaten {
        /// Who won.
        winner: Seat,
    },
    /// One has said nothing for two rounds.
    Afk {
        /// Who.
        loser: Seat,
    },
    /// Both have said nothing for two rounds.
    BothAfk,
    /// One is gone.
    Gone {
        /// Who.
        loser: Seat,
    },
    /// Both are gone, and the table was closed.
    BothGone,
    /// Equal HP, and no round to come.
    Draw,
    /// The table was closed before the match began.
    Closed,
}

/// Why a match ended, in a word.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// By HP.
    Normal,
    /// By saying nothing.
    Timeout,
    /// By being gone.
    Disconnect,
    /// With equal HP.
    Draw,
    /// Before it began.
    Closed,
}

/// What becomes of the pot.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Settlement {
    /// The winner takes it.
    WinnerTakes,
    /// Nobody gets it.
    Burned,
    /// Everyone gets the own stake back.
    Returned,
}

impl End {
    /// Every end there is.
    pub const ALL: [End; 10] = [
        Self::Beaten { winner: SEATS[0] },
        Self::Beaten { winner: SEATS[1] },
        Self::Afk { loser: SEATS[0] },
        Self::Afk { loser: SEATS[1] },
        Self::BothAfk,
        Self::Gone { loser: SEATS[0] },
        Self::Gone { loser: SEATS[1] },
        Self::BothGone,
        Self::Draw,
        Self::Closed,
    ];

    /// Why.
    pub fn reason(self) -> Reason {
        match self {
            Self::Beaten { .. } => Reason::Normal,
            Self::Afk { .. } | Self::BothAfk => Reason::Timeout,
            Self::Gone { .. } | Self::BothGone => Reason::Disconnect,
            Self::Draw => Reason::Draw,
            Self::Closed => Reason::Closed,
        }
    }

    /// Who won, if one did; the other lost.
    pub fn winner(self) -> Option<Seat> {
        match self {
            Self::Beaten { winner } => Some(winner),
            Self::Afk { loser } | Self::Gone { loser } => Some(other(loser)),
            Self::BothAfk | Self::BothGone | Self::Draw | Self::Closed => None,
        }
    }

    /// What becomes of the pot.
    pub fn settlement(self) -> Settlement {
        match self {
            Self::Beaten { .. } | Self::Afk { .. } | Self::Gone { .. } => Settlement::WinnerTakes,
            Self::BothAfk | Self::BothGone => Settlement::Burned,
            Self::Draw | Self::Closed => Settlement::Returned,
        }
    }
}

/// An end in the fields of the contract.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Written {
    #[serde(deserialize_with = "parlor_rules::doc::word")]
    reason: Reason,
    winner: Option<Seat>,
    loser: Option<Seat>,
    pot_burn: bool,
    both_lose: bool,
}

impl From<End> for Written {
    fn from(end: End) -> Self {
        let burned = end.settlement() == Settlement::Burned;
        Self {
            reason: end.reason(),
            winner: end.winner(),
            loser: end.winner().map(other),
            pot_burn: burned,
            both_lose: burned,
        }
    }
}

impl TryFrom<Written> for End {
    type Error = &'static str;

    fn try_from(written: Written) -> Result<Self, Self::Error> {
        let found = Self::ALL.into_iter().find(|end| Written::from(*end) == written);
        found.ok_or("no match ends like this")
    }
}
