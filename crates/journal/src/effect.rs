//! What an entry does to records beside its own log.

use crate::{JournalError, Outcome};

/// A change of a record, stored with an entry or with other changes, or not at all.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Effect {
    /// Gives a record this value, or takes it away.
    Put {
        /// What the record is about: accounts, ratings, matches.
        kind: String,
        /// Which of that kind.
        key: String,
        /// Its new value; none if there is to be no such record.
        value: Option<String>,
    },
    /// Adds to a number; a record that is not there counts as 0.
    Add {
        /// What the record is about.
        kind: String,
        /// Which of that kind.
        key: String,
        /// What is added.
        amount: i64,
        /// The least the sum may be.
        floor: Option<i64>,
    },
}

/// A record that is changed, with the value it has afterwards.
pub(crate) struct Change<'a> {
    pub(crate) kind: &'a str,
    pub(crate) key: &'a str,
    pub(crate) value: Option<String>,
}

/// Works out all values before any is written, so that an entry that is left out leaves no trace.
/// The inner error is the answer to the entry's sender.
pub(crate) fn changes<'a, E>(
    effects: &'a [Effect],
    mut read: impl FnMut(&str, &str) -> Result<Option<String>, E>,
) -> Result<Result<Vec<Change<'a>>, Result<Outcome, JournalError>>, E> {
    let mut changes: Vec<Change<'a>> = Vec::with_capacity(effects.len());
    for effect in effects {
        let (Effect::Put { kind, key, .. } | Effect::Add { kind, key, .. }) = effect;
        let before = changes.iter().position(|c| c.kind == kind && c.key == key);
        let value = match effect {
            Effect::Put { value, .. } => value.clone(),
            Effect::Add { amount, floor, .. } => {
                let now = match before {
                    Some(at) => changes[at].value.clone(),
                    None => read(kind, key)?,
                };
                let now = now.map_or(Ok(0), |text| text.parse::<i64>());
                let Some(sum) = now.ok().and_then(|now| now.checked_add(*amount)) else {
                    let (kind, key) = (kind.clone(), key.clone());
                    return Ok(Err(Err(JournalError::NoSum { kind, key })));
                };
                if floor.is_some_and(|floor| sum < floor) {
                    let (kind, key) = (kind.clone(), key.clone());
                    return Ok(Err(Ok(Outcome::Overdrawn { kind, key })));
                }
                Some(sum.to_string())
            }
        };
        match before {
            Some(at) => changes[at].value = value,
            None => changes.push(Change { kind, key, value }),
        }
    }
    Ok(Ok(changes))
}
