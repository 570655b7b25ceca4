//! Other ways to speak with a table: dialects. Each is a translation at the edge, in to what a
//! client may say, out from what is told; no rule lives in one. Games register theirs as
//! [`Dialects`]; a server mounts what it finds there and names none.

use crate::{Request, Tell};
use parlor_rules::{Chips, Json, Refusal, Seat, strict};
use serde::de::DeserializeOwned;
use serde_json::Value;
use serde_json::value::RawValue;
use std::ops::{ControlFlow, Range};

/// All dialects of a house.
pub struct Dialects {
    /// Messages of their own over a WebSocket.
    pub sockets: &'static [Socket],
    /// Tables as documents that are fetched, changed and sent back.
    pub documents: &'static [Document],
    /// What has happened at a table, as files.
    pub files: &'static [File],
}

impl Dialects {
    /// The socket dialect of this name.
    pub fn socket(&self, name: &str) -> Option<&'static Socket> {
        self.sockets.iter().find(|socket| socket.name == name)
    }

    /// The document of this name that tables of this game have.
    pub fn document(&self, game: &str, name: &str) -> Option<&'static Document> {
        self.documents.iter().find(|document| (document.game, document.name) == (game, name))
    }

    /// The file of this name that tables of this game have.
    pub fn file(&self, game: &str, name: &str) -> Option<&'static File> {
        self.files.iter().find(|file| (file.game, file.name) == (game, name))
    }
}

/// Messages of their own over a WebSocket.
pub struct Socket {
    /// Its name in addresses.
    pub name: &'static str,
    /// The key of the game it is for.
    pub game: &'static str,
    /// A translator for a new connection. Its requests have ids that begin with the given text,
    /// which no other connection has had: ids of one account are never used twice.
    pub open: fn(connection: &str) -> Box<dyn Translator>,
}

/// Translates for one connection, as long as it lasts.
pub trait Translator: Send {
    /// The client says something.
    fn hear(&mut self, text: &str) -> Vec<Turn>;
    /// The server says something.
    fn told(&mut self, tell: &Tell) -> Vec<Turn>;
}

/// What a translator does with what it was told.
#[derive(Clone, Debug)]
pub enum Turn {
    /// It says this to the server, for the client.
    Say(Request),
    /// It sends this to the client.
    Send(Json),
}

/// A table as a document that is fetched, changed and sent back.
pub struct Document {
    /// Its name in addresses.
    pub name: &'static str,
    /// The key of the game whose tables have it.
    pub game: &'static str,
    /// The document as the asker may see it.
    pub view: fn(&Stand) -> Result<Json, Refusal>,
    /// What the asker wants who has sent this and can pay so much. Nothing has been done then: all
    /// of it is yet to be entered, in this order, up to the first that is refused.
    pub merge: fn(&Stand, incoming: &RawValue, balance: Chips) -> Result<Vec<Wanted>, Refusal>,
}

/// A table as it stands, and who asks.
#[derive(Clone, Debug)]
pub struct Stand {
    /// Its name.
    pub table: String,
    /// The options of the game.
    pub config: Json,
    /// The state as a document, with all its secrets.
    pub doc: Json,
    /// The names of those who sit there, chair by chair; none for the house and for nobody.
    pub names: Vec<Option<String>>,
    /// The name of the one who asks, as the connection knows it.
    pub who: String,
}

/// Something that somebody wants.
#[derive(Clone, Debug)]
pub enum Wanted {
    /// To sit down.
    Join {
        /// The chair; any if it is not said.
        seat: Option<Seat>,
        /// What is brought along.
        chips: Chips,
    },
    /// To say this to the rules, from the own chair; behind a `Join` that is the new one.
    Command(Json),
}

/// What has happened at a table, as a file.
pub struct File {
    /// Its name in addresses, which is also how such files end.
    pub name: &'static str,
    /// The key of the game whose tables have it.
    pub game: &'static str,
    /// What it is, for who fetches it.
    pub media_type: &'static str,
    /// Begins the file as the person of this name may see it, or, without a name, anyone. A person
    /// sees the secrets of the seat that was their own at the time.
    ///
    /// A file has units: hands of poker, games of backgammon and gomoku, rounds of the battle. Of
    /// these the file holds the given ones, counted from 0.
    pub open: fn(&StoryHead, who: Option<&str>, units: Range<u32>) -> Opened,
}

/// A file that has been begun, or why there is none.
pub type Opened = Result<Box<dyn FileWriter>, Refusal>;

/// All units of a file.
pub const ALL: Range<u32> = 0..u32::MAX;

/// Writes a file piece by piece. It holds no more than the unit that is not complete.
pub trait FileWriter: Send {
    /// Takes the next thing that has happened, with its time in milliseconds since 1970, in the
    /// order of the log. Appends the text that is complete now.
    ///
    /// `Break` means that nothing which follows belongs to this file. Then, as at the end of the
    /// log, [`FileWriter::end`] is to be called.
    fn happened(
        &mut self,
        at_ms: u64,
        what: Happened,
        out: &mut String,
    ) -> Result<ControlFlow<()>, Refusal>;

    /// Appends what is left at the end.
    fn end(self: Box<Self>, out: &mut String) -> Result<(), Refusal>;
}

/// What is known of a table before anything has happened at it.
#[derive(Clone, Debug)]
pub struct StoryHead {
    /// Its name.
    pub table: String,
    /// The options of the game.
    pub config: Json,
    /// How many seats it has.
    pub seats: u8,
}

/// Something that has happened at a table.
#[derive(Clone, Debug)]
pub enum Happened {
    /// Somebody takes a chair.
    Sits {
        /// The chair.
        seat: Seat,
        /// The name; none for the house.
        name: Option<String>,
    },
    /// A chair becomes free.
    Rises {
        /// The chair.
        seat: Seat,
    },
    /// An event of the game, with all its secrets.
    Event(Json),
}

/// Reads a message in which no field stands twice.
pub fn read<T: DeserializeOwned>(text: &str) -> Result<T, Refusal> {
    value(text)?;
    // From the text once more: an error names the place.
    serde_json::from_str(text).map_err(|error| Refusal::malformed(error.to_string()))
}

/// The same, whatever it says.
pub fn value(text: &str) -> Result<Value, Refusal> {
    strict::value(text).map_err(|error| Refusal::malformed(error.to_string()))
}
