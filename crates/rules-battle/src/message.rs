//! The messages of the contract, whole: what the rules do not know, names and instants, is put in
//! by whoever sends them.

use crate::view::{Both, Sight};
use parlor_rules::Viewer;
use serde::Serialize;

/// A message with the fields that need a name or an instant: the nicknames in `match_found` and
/// `prep_start`, and in the latter `deadlineTs` and `serverNow`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Message<'a> {
    #[serde(flatten)]
    sight: &'a Sight,
    #[serde(flatten)]
    names: Option<Both<&'a str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    deadline_ts: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    server_now: Option<u64>,
}

/// The message of a sight for this viewer, of an entry at this time, with the names of both seats.
pub fn message<'a>(
    sight: &'a Sight,
    viewer: Viewer,
    at_ms: u64,
    names: [&'a str; 2],
) -> Message<'a> {
    let begins = matches!(sight, Sight::MatchFound { .. } | Sight::PrepStart { .. });
    let within_ms = match sight {
        Sight::PrepStart { within_ms, .. } => Some(*within_ms),
        _ => None,
    };
    Message {
        sight,
        names: begins.then(|| Both::new("Nickname", names, viewer)),
        deadline_ts: within_ms.map(|within_ms| at_ms.saturating_add(within_ms)),
        server_now: within_ms.map(|_| at_ms),
    }
}
