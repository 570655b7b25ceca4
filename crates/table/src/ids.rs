//! The ids of submissions: what is sent twice is decided once.

use crate::act::{Act, Chair, Desk, Who};
use crate::log::Bytes32;
use parlor_rules::text;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

/// Identifies a submission by its sender and id, and what was submitted. Both are the first eight
/// bytes of a SHA-256. A sender who makes two of their own ids collide is answered as if they had
/// used the first again.
#[derive(Clone, Copy)]
pub(crate) struct IdempotencyKey {
    id: u64,
    body: u64,
}

impl IdempotencyKey {
    /// The key of an act that is submitted with this id.
    pub(crate) fn new(act: &Act, id: &str, chairs: &[Chair]) -> Self {
        Self { id: scoped(act, id, chairs), body: short_hash(&[text(act).as_bytes()]) }
    }
}

/// The hash of an id together with its sender. Senders have their ids to themselves: two may use the
/// same, even one after the other on one chair.
fn scoped(act: &Act, id: &str, chairs: &[Chair]) -> u64 {
    let of = |sender: &str, number: u64| {
        short_hash(&[sender.as_bytes(), &number.to_be_bytes(), id.as_bytes()])
    };
    let account = |number: u64| of("account", number);
    let seat = match act {
        Act::Desk(Desk::Reserve { account: n, .. } | Desk::Sit { who: Who::Account(n), .. }) => {
            return account(*n);
        }
        Act::Desk(Desk::Rise { seat } | Desk::Release { seat, .. }) => Some(*seat),
        act => act.author(),
    };
    match seat.map(|seat| (seat, chairs.get(seat.index()))) {
        Some((_, Some(Chair::Taken(Who::Account(n)) | Chair::Reserved(n)))) => account(*n),
        Some((seat, _)) => of("seat", seat.index() as u64),
        None => of("house", 0),
    }
}

/// The first eight bytes of the SHA-256 of these parts.
fn short_hash(parts: &[&[u8]]) -> u64 {
    let [a, b, c, d, e, f, g, h, ..] = Bytes32::hash(parts).0;
    u64::from_be_bytes([a, b, c, d, e, f, g, h])
}

/// The ids in use: the entry that each became, and what was submitted with it.
#[derive(Clone, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct Ids(HashMap<u64, (u64, u64)>);

/// An entry that was made with an id.
pub(crate) struct Used {
    /// The entry's number.
    pub(crate) seq: u64,
    /// Whether the same was submitted.
    pub(crate) same: bool,
}

impl Ids {
    /// The entry that this id became; none if it is new.
    pub(crate) fn find(&self, key: IdempotencyKey) -> Option<Used> {
        let (seq, body) = self.0.get(&key.id)?;
        Some(Used { seq: *seq, same: *body == key.body })
    }

    /// Notes the entry that an id became.
    pub(crate) fn insert(&mut self, key: IdempotencyKey, seq: u64) {
        self.0.insert(key.id, (seq, key.body));
    }
}
