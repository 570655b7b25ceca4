//! What a table can be asked: plain data, which could cross a network.

use crate::ConnectionId;
use parlor_rules::{Chips, Json, Refusal, Seat};
use parlor_table::{Bytes32, Stamp, Who};
use parlor_wire::{Listed, Tell};
use tokio::sync::oneshot;

/// Something a table is to do, which is stored in its log.
#[derive(Debug)]
pub(crate) enum TableCommand {
    /// Somebody takes a seat, with chips at a cash game.
    Sit {
        who: Who,
        /// The name of a person.
        name: Option<String>,
        /// The account that asks a house player to sit down.
        by: Option<u64>,
        request: SeatRequest,
    },
    /// An account gives a command of the game.
    Play { account: u64, command: Json, stamp: Stamp },
    /// An account adds chips.
    TopUp { account: u64, chips: Chips },
    /// An account contributes to the next shuffle.
    Release { account: u64, link: Bytes32 },
    /// An account gets up, or stops watching by this connection.
    Leave { account: u64, connection: Option<ConnectionId> },
    /// A house player has decided on a command.
    BotMove { seat: Seat, question: Option<u64>, command: Json },
    /// The house closes the table.
    Close,
}

/// Something a table answers at once, also while an append is under way. It changes nothing in the log.
#[derive(Debug)]
pub(crate) enum TableQuery {
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
}

/// A request for a seat.
#[derive(Clone, Default, Debug)]
pub struct SeatRequest {
    /// The seat; any that is free if it is not said.
    pub seat: Option<u8>,
    /// The chips brought to a cash game.
    pub chips: Option<Chips>,
    /// The end of a hash chain, whose links contribute to chance.
    pub tip: Option<Bytes32>,
    /// The key of a private table.
    pub key: Option<String>,
}

/// A part of a table that can be looked at. Only what is asked for is built.
#[derive(Clone, Copy, Debug)]
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
    Document(TableDocument),
    Proof(TableProof),
}

/// What a table answers.
#[derive(Debug)]
pub(crate) enum TableAnswer {
    Done,
    Seated(Seat),
    Rematch(Rematch),
    Looked(Box<(Overview, Looked)>),
}

/// A table as one account may know it.
#[derive(Debug)]
pub struct Overview {
    /// The own seat.
    pub seat: Option<Seat>,
    /// The table as lists show it.
    pub listed: Listed,
}

/// The data needed to check dice and cards.
#[derive(Debug)]
pub struct TableProof {
    /// The commitment to the secret of the dice.
    pub dice: String,
    /// The root of the next deck.
    pub root: Option<String>,
    /// The proof of the cards of this hand.
    pub hand: Json,
}

/// A state as a document.
#[derive(Debug)]
pub struct TableDocument {
    /// The state, with all its secrets.
    pub doc: Json,
    /// The names of the people on the seats.
    pub names: Vec<Option<String>>,
}

/// Whether everybody wants a rematch.
#[derive(Debug)]
pub enum Rematch {
    /// Others have still to answer.
    Waiting,
    /// Everybody does.
    Agreed(Vec<Pairing>),
}

/// Somebody who is to sit at a new table, and the connections that are told.
#[derive(Clone, Debug)]
pub struct Pairing {
    /// The person or house player.
    pub who: Who,
    /// The connections that are told.
    pub connections: Vec<ConnectionId>,
}

/// Where the answer goes.
pub(crate) type Reply = oneshot::Sender<Result<TableAnswer, Refusal>>;

/// A query or a command. Boxed, because tokio allocates a mailbox in blocks of 32 envelopes.
pub(crate) enum Asked {
    Query(Box<TableQuery>),
    Command(Box<TableCommand>),
}

impl From<TableQuery> for Asked {
    fn from(query: TableQuery) -> Self {
        Self::Query(Box::new(query))
    }
}

impl From<TableCommand> for Asked {
    fn from(command: TableCommand) -> Self {
        Self::Command(Box::new(command))
    }
}

/// A query or a command on its way to a table.
pub(crate) struct Envelope {
    /// When it came: a move counts from then.
    pub(crate) received_ms: u64,
    pub(crate) asked: Asked,
    /// None where nobody waits for an answer.
    pub(crate) reply: Option<Reply>,
}
