//! What enters a table, and what an entry says about it.

use crate::fair::Mark;
use crate::log::{Bytes32, Sealed, Stored};
use parlor_rules::{Input, Json, Seat};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// Something that changes a table: an input to its game, or something about the table itself.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Act {
    /// For the rules to decide.
    Game(Input<Json>),
    /// Not the rules' business.
    Desk(Desk),
}

/// What happens at a table beside the game.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Desk {
    /// A chair is kept for someone.
    Reserve {
        /// The chair.
        seat: Seat,
        /// For whom.
        account: u64,
    },
    /// Someone takes a chair.
    Sit {
        /// The chair.
        seat: Seat,
        /// Who.
        who: Who,
        /// The end of the hash chain from which this seat will contribute to chance.
        tip: Option<Bytes32>,
    },
    /// A chair becomes free.
    Rise {
        /// The chair.
        seat: Seat,
    },
    /// A seat adds to chance before a deal; with dice it does so by its own command.
    Release {
        /// The seat.
        seat: Seat,
        /// The next link of its hash chain.
        link: Bytes32,
    },
    /// Everyone is gone: clocks stand still.
    Pause {},
    /// Someone is back: clocks go on.
    GoOn {},
    /// The table goes on after a time in which nothing could be played; nobody is charged for it.
    Resume {
        /// Until when all was well, in milliseconds since 1970.
        alive_ms: u64,
    },
}

/// Who sits on a chair. Names never enter a log.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Who {
    /// A person's account.
    Account(u64),
    /// A house player, by its kind.
    Bot(String),
}

/// A chair.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Chair {
    /// For anybody.
    Open,
    /// Kept for an account.
    Reserved(u64),
    /// Taken.
    Taken(Who),
}

/// The open part of an entry.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Open<'a> {
    /// When it was decided, in milliseconds since 1970.
    pub at_ms: u64,
    /// What came in; left out where it is hidden.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub act: Option<Cow<'a, Act>>,
    /// What everyone saw of each event; null where nothing.
    #[serde(default, skip_serializing_if = "<[_]>::is_empty")]
    pub events: Cow<'a, [Option<Json>]>,
    /// What the sender added to chance.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contribution: Option<(Seat, Bytes32)>,
    /// The root of the hand after this one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub root: Option<Bytes32>,
    /// What the deck of this hand was committed to, place by place, where it is shuffled.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub commitments: Vec<Bytes32>,
    /// The secret of the dice, once the game is over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub secret: Option<Bytes32>,
}

/// The sealed part of an entry.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Hidden<'a> {
    /// The sender's name for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<Cow<'a, str>>,
    /// What came in, where the open part leaves it out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub act: Option<Cow<'a, Act>>,
    /// The numbers drawn.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub draws: Vec<u32>,
    /// How far chance has come by it, where it was used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chance: Option<Mark>,
    /// The events that everyone saw less of; null where the open part has the whole.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub events: Vec<Option<Json>>,
}

/// An entry as it was decided, both parts put together.
#[derive(Debug)]
pub struct Entry {
    /// What came in.
    pub act: Act,
    /// What followed.
    pub events: Vec<Json>,
    /// What everyone saw of each event.
    pub shown: Vec<Option<Json>>,
    /// What the sender added to chance.
    pub contribution: Option<(Seat, Bytes32)>,
    /// The sender's name for it.
    pub id: Option<String>,
    /// The numbers drawn.
    pub draws: Vec<u32>,
    /// How far chance has come by it, where it was used.
    pub chance: Option<Mark>,
}

impl Entry {
    /// Puts a stored entry together; none if its sealed part is erased.
    pub fn read(stored: &Stored) -> Result<Option<Self>, String> {
        let open: Open<'_> = serde_json::from_str(&stored.open).map_err(|e| e.to_string())?;
        let Sealed::Kept { text, .. } = &stored.sealed else { return Ok(None) };
        let hidden: Hidden<'_> = serde_json::from_str(text).map_err(|e| e.to_string())?;
        let act = open.act.or(hidden.act).ok_or("nothing came in")?;
        if open.at_ms != stored.at_ms {
            return Err("its time is not the one that was written".to_owned());
        }
        let mut kept = hidden.events.into_iter();
        let both = |shown: &Option<Json>| kept.next().flatten().or_else(|| shown.clone());
        let events: Option<Vec<Json>> = open.events.iter().map(both).collect();
        if matches!(*act, Act::Desk(_)) && !(open.events.is_empty() && hidden.draws.is_empty()) {
            return Err("only the game has events and draws".to_owned());
        }
        Ok(Some(Self {
            act: act.into_owned(),
            events: events.ok_or("an event is missing")?,
            shown: open.events.into_owned(),
            contribution: open.contribution,
            id: hidden.id.map(Cow::into_owned),
            draws: hidden.draws,
            chance: hidden.chance,
        }))
    }
}

impl Act {
    /// The seat that says it, if a seat does.
    pub fn author(&self) -> Option<Seat> {
        match self {
            Self::Game(Input::Play { seat, .. }) => Some(*seat),
            _ => None,
        }
    }
}
