//! The secrets of a table.

use crate::log::{Bytes32, TableId};
use hmac::{Hmac, Mac};
use serde::{Deserialize, Serialize};
use sha2::Sha256;

/// The secrets of a table. They are given from outside: a table makes none of its own.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Keys {
    /// Makes the dice. It is published when the game is over.
    pub dice: Bytes32,
    /// Makes the decks. It is never published, since it would show what was mucked.
    pub deck: Bytes32,
    /// Makes the salts of sealed parts. It is never published.
    pub seal: Bytes32,
}

impl Keys {
    /// Keys from one secret, for tests and for play in the terminal.
    pub fn from_secret(secret: &str) -> Self {
        let key = |name: &str| Bytes32::hash(&[name.as_bytes(), secret.as_bytes()]);
        Self { dice: key("dice "), deck: key("deck "), seal: key("seal ") }
    }

    /// The salt of an entry's sealed part.
    pub(crate) fn salt(&self, table: &TableId, seq: u64) -> Bytes32 {
        let mut mac = Hmac::<Sha256>::new_from_slice(&self.seal.0).expect("any key will do");
        mac.update(table.as_str().as_bytes());
        mac.update(&seq.to_be_bytes());
        Bytes32(mac.finalize().into_bytes().into())
    }
}
