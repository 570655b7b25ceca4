//! How a game, or the house, says no.

use crate::{Faults, Seat};
use serde::Serialize;
use serde_json::{Map, Value};
use std::fmt;

/// What else a program may want to know of a refusal.
pub type Facts = Map<String, Value>;

/// Why a game refuses. Made by [`rejects!`](crate::rejects), so that code and text stand together
/// once, in order of precedence.
pub trait Reject: fmt::Debug + Clone + PartialEq + Send + Sync + 'static {
    /// All codes, in order of precedence.
    const CODES: &'static [&'static str];
    /// A stable name for programs.
    fn code(&self) -> &'static str;
    /// A sentence for people: what is wrong and what to do.
    fn text(&self) -> String;
    /// What else a program may want to know, beside the text.
    fn facts(&self) -> Facts {
        Facts::new()
    }
}

/// A refusal as it leaves the house: a code, a text, and facts beside them.
#[derive(Clone, PartialEq, Debug, Serialize, thiserror::Error)]
#[error("{text} ({code})")]
pub struct Refusal {
    /// A stable name for programs.
    pub code: &'static str,
    /// A sentence for people.
    pub text: String,
    /// What else a program may want to know.
    #[serde(flatten)]
    pub facts: Facts,
}

/// A refusal without further facts, as a result.
pub fn refuse<T>(code: &'static str, text: impl Into<String>) -> Result<T, Refusal> {
    Err(Refusal::new(code, text))
}

/// The codes that come from the house and not from a game.
pub const HOUSE_CODES: &[&str] =
    &["malformed", "not_open", "no_such_seat", "no_deadline", "bad_tape", "invalid_document"];

impl Refusal {
    /// A refusal without further facts.
    pub fn new(code: &'static str, text: impl Into<String>) -> Self {
        Self { code, text: text.into(), facts: Facts::new() }
    }

    /// Something that is not what the contract says.
    pub fn malformed(text: impl Into<String>) -> Self {
        Self::new("malformed", text)
    }

    /// A fault of the program. Whoever asked is told so, and may try again.
    pub fn broken() -> Self {
        Self::new("broken", "this went wrong here; try again")
    }

    /// JSON that could not be read, and what it was to be. Where in a piece of a line a value was
    /// of the wrong kind helps nobody.
    pub(crate) fn unread(what: &str, error: &serde_json::Error) -> Self {
        let text = error.to_string();
        let text = match text.rsplit_once(" at line ") {
            Some((text, _)) if error.is_data() => text,
            _ => &text,
        };
        Self::malformed(format!("{what}: {text}"))
    }

    /// A seat that is not at this table.
    pub fn no_such_seat(seat: Seat, seats: u8) -> Self {
        let last = seats.saturating_sub(1);
        Self::new("no_such_seat", format!("there is no {seat}: the seats are 0 to {last}"))
    }

    /// A document with all its faults.
    pub fn document(faults: &Faults) -> Self {
        let mut refusal = Self::new("invalid_document", faults.to_string());
        refusal.facts.insert("faults".into(), faults.to_json());
        refusal
    }
}

impl<R: Reject> From<R> for Refusal {
    fn from(reject: R) -> Self {
        Self { code: reject.code(), text: reject.text(), facts: reject.facts() }
    }
}

/// A fact as it stands beside a text; for [`rejects!`](crate::rejects).
#[doc(hidden)]
pub fn fact(value: &impl Serialize) -> Value {
    serde_json::to_value(value).unwrap_or_default()
}

/// States the refusals of a game, each with its code and its text, in order of precedence, and
/// with facts for programs where there are any.
///
/// ```
/// parlor_rules::rejects! {
///     /// Why this game says no.
///     pub enum Reject {
///         /// Somebody else is asked.
///         NotYourTurn => "not_your_turn", "Not your turn";
///         /// The die is used up.
///         NoSuchDie { die: u8 } => "no_such_die", "there is no {die} left to play", {"die": die};
///     }
/// }
/// # use parlor_rules::Reject as _;
/// assert_eq!(Reject::NoSuchDie { die: 3 }.text(), "there is no 3 left to play");
/// assert_eq!(Reject::NoSuchDie { die: 3 }.facts()["die"], 3);
/// ```
#[macro_export]
macro_rules! rejects {
    (
        $(#[$meta:meta])*
        $vis:vis enum $name:ident {
            $(
                $(#[$doc:meta])*
                $variant:ident $({ $($field:ident : $type:ty),* })? => $code:literal, $text:literal
                    $(, { $($fact:literal : $value:expr),* })?;
            )*
        }
    ) => {
        $(#[$meta])*
        #[derive(Clone, PartialEq, Eq, Debug)]
        #[allow(missing_docs)]
        $vis enum $name {
            $($(#[$doc])* $variant $({ $($field: $type),* })?,)*
        }

        impl $crate::Reject for $name {
            const CODES: &'static [&'static str] = &[$($code),*];

            fn code(&self) -> &'static str {
                match self {
                    $(Self::$variant $({ $($field: _),* })? => $code,)*
                }
            }

            #[allow(unused_variables)]
            fn text(&self) -> String {
                match self {
                    $(Self::$variant $({ $($field),* })? => format!($text),)*
                }
            }

            #[allow(unused_variables, unused_mut)]
            fn facts(&self) -> $crate::refusal::Facts {
                let mut facts = $crate::refusal::Facts::new();
                match self {
                    $(Self::$variant $({ $($field),* })? => {
                        $($(facts.insert($fact.to_owned(), $crate::refusal::fact(&$value));)*)?
                    })*
                }
                facts
            }
        }
    };
}
