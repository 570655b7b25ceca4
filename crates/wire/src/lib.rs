//! What a client and the server say to each other: JSON texts, one a WebSocket frame.
//!
//! Every type is closed: what is not named here is refused. A client's message is a [`Request`]: it
//! carries an `id` of the client's own, and exactly one answer comes back with the same `id`. All
//! else comes by itself. [`schema`] and [`typescript`] give the same types to other languages.
//!
//! ```
//! use parlor_wire::{Request, Say};
//!
//! let text = r#"{"id":"1","type":"play","table":"t-1","ask":7,"command":{"type":"roll"}}"#;
//! let request = Request::read(text)?;
//! assert_eq!(request.id, "1");
//! assert!(matches!(request.say, Say::Play { ask: Some(7), .. }));
//! # Ok::<(), parlor_rules::Refusal>(())
//! ```

#![warn(clippy::too_many_lines)]

pub mod dialect;
mod level;
mod listed;
mod people;
mod replay;
mod request;
mod say;
mod schema;
mod tell;

pub use level::{Level, NoLevel};
pub use listed::{Clock, Game, Listed, Sitting};
pub use people::{Change, Counted, Ended, Leader, Me, Played, Player, Rated};
pub use replay::{Replay, Scene};
pub use request::Request;
pub use say::{Access, Language, Offer, Say, VERSION};
pub use schema::{schema, typescript};
pub use tell::Tell;

/// The longest message a client may send, in bytes.
pub const LONGEST: usize = 4 * 1024;

/// How many letters a name has.
pub const NAME_LENGTH: std::ops::RangeInclusive<usize> = 2..=24;

/// Whether a name may hold this letter. Some letters are nothing to look at.
pub fn fits_a_name(c: char) -> bool {
    let unseen = matches!(c, '\u{115f}' | '\u{1160}' | '\u{3164}' | '\u{ffa0}');
    (c.is_alphanumeric() && !unseen) || matches!(c, ' ' | '-' | '_' | '.')
}
