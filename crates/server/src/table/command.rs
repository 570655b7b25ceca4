//! What a table can be asked: plain data, which could cross a network.

use crate::ConnectionId;
use parlor_rules::{Chips, Json, Refusal, Seat};
use parlor_table::{Bytes32, Stamp, Who};
use parlor_wire::{Listed, Tell};
use serde::{Deserialize, Serialize};
use tokio::sync::oneshot;

/// Something a table is asked or told.
#[derive(Debug)]
pub(crate) enum TableCommand {
    /// Somebody takes a seat, with chips at a cash game.
    Sit {
        who: Who,
        /// The name of a person.
        name: Option<String>,
        /// The account that asks the house to sit down.
        by: Option<u64>,
        seat: Option<u8>,
        chips: Option<Chips>,
        tip: Option<Bytes32>,
        key: Option<String>,
    },
    /// An account gives a command of the game.
    Play { account: u64, command: Json, stamp: Stamp },
    /// An account adds chips.
    TopUp { account: u64, chips: Chips },
    /// An account contributes to the next shuffle.
    Release { account: u64, link: Bytes32 },
    /// An account gets up, or stops watching by this connection.
    Leave { account: u64, connection: Option<ConnectionId> },
    /// A connection watches, in the audience of the account's seat if it has one. What it has seen
    /// already (epoch and number of an update) is not repeated.
    Subscribe {
        account: u64,
        connection: ConnectionId,
        key: Option<String>,
        seen: Option<(u32, u64)>,
    },
    /// Connections are over, or watch no more.
    Unsubscribe { connections: Vec<ConnectionId> },
    /// An account wants a rematch, or does not.
    Rematch { account: u64, accept: bool, connection: Option<ConnectionId> },
    /// The rematch could not be opened; it may be asked for again.
    RematchFailed,
    /// Somebody says something.
    Chat { account: u64, from: String, connection: Option<ConnectionId>, text: String },
    /// Somebody asks how the table stands, in the audience of the account's seat if it has one.
    Look { account: Option<u64>, key: Option<String>, part: Part },
    /// A house player has decided on a command.
    BotMove { seat: Seat, question: Option<u64>, command: Json },
    /// The house closes the table.
    Close,
}

/// A part of a table that can be looked at. Only what is asked for is built.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) enum Part {
    /// Only who sits there and how far the game is.
    Summary,
    /// The update that shows how it stands.
    Update,
    /// The state as a document, with all its secrets.
    Document,
    /// What is needed to check dice and cards.
    Proof,
}

/// The part that was asked for.
#[derive(Debug)]
pub(crate) enum Looked {
    Summary,
    Update(Option<Tell>),
    Document {
        doc: Json,
        /// The names of the people on the seats.
        names: Vec<Option<String>>,
    },
    Proof {
        dice: String,
        root: Option<String>,
        hand: Json,
    },
}

/// What a table answers.
#[derive(Debug)]
pub(crate) enum TableAnswer {
    Done,
    Seated(Seat),
    Rematch(Rematch),
    Looked(Box<LookedAt>),
}

/// What somebody has looked at.
#[derive(Debug)]
pub(crate) struct LookedAt {
    pub(crate) seat: Option<Seat>,
    pub(crate) listed: Listed,
    pub(crate) part: Looked,
}

/// Whether everybody wants a rematch.
#[derive(Debug)]
pub(crate) enum Rematch {
    /// Others have still to answer.
    Waiting,
    /// Everybody does.
    Agreed(Vec<Pairing>),
}

/// Somebody who is to sit at a new table, and the connections that are told.
#[derive(Clone, Debug)]
pub(crate) struct Pairing {
    pub(crate) who: Who,
    pub(crate) connections: Vec<ConnectionId>,
}

/// Where the answer goes.
pub(super) type Reply = oneshot::Sender<Result<TableAnswer, Refusal>>;

/// A command on its way to a table.
pub(super) struct Envelope {
    /// When it came: a move counts from then.
    pub(super) received_ms: u64,
    /// Boxed: a mailbox has room for dozens.
    pub(super) command: Box<TableCommand>,
    /// None where nobody waits for an answer.
    pub(super) reply: Option<Reply>,
}
