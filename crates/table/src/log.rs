//! What is written down: a header once, then entries, each chained to the one before.
//!
//! An entry has an open part, which anyone may read once the game is over, and a sealed part: what
//! was hidden, the draws, the sender's id. Its digest is
//! `SHA-256(previous digest ‖ open ‖ SHA-256(salt ‖ sealed))` over the bytes as written; the digest
//! before the first entry is that of the header. So a log can be published with its sealed parts
//! left out, and still checks.

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

/// The name of a table: lower-case letters, digits and dashes.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct TableId(Arc<str>);

/// The longest name a table may have.
pub const TABLE_ID_BYTES: usize = 64;

impl TableId {
    /// As text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// As text that is shared.
    pub fn shared(&self) -> Arc<str> {
        self.0.clone()
    }
}

impl fmt::Display for TableId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl FromStr for TableId {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let inner = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-';
        let ends = !text.starts_with('-') && !text.ends_with('-');
        let long = (1..=TABLE_ID_BYTES).contains(&text.len());
        if long && ends && text.bytes().all(inner) {
            Ok(Self(text.into()))
        } else {
            Err("a table's name is 1 to 64 lower-case letters, digits and dashes within")
        }
    }
}

impl TryFrom<String> for TableId {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

impl From<TableId> for String {
    fn from(id: TableId) -> Self {
        id.as_str().to_owned()
    }
}

/// Thirty-two bytes of a hash, a secret or a salt; 64 hex digits in JSON.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Bytes32(pub [u8; 32]);

impl Bytes32 {
    /// The SHA-256 of these parts, one after the other.
    pub fn hash(parts: &[&[u8]]) -> Self {
        let mut hash = Sha256::new();
        for part in parts {
            hash.update(part);
        }
        Self(hash.finalize().into())
    }
}

impl fmt::Display for Bytes32 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(const_hex::Buffer::<32>::new().format(&self.0))
    }
}

impl fmt::Debug for Bytes32 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for Bytes32 {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let fail = "64 hex digits are needed";
        // The decoder also takes capitals and a leading 0x. Bytes have one text only.
        if !text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f')) {
            return Err(fail);
        }
        const_hex::decode_to_array(text).map(Self).map_err(|_| fail)
    }
}

impl TryFrom<String> for Bytes32 {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

impl From<Bytes32> for String {
    fn from(bytes: Bytes32) -> Self {
        bytes.to_string()
    }
}

/// An entry as it is stored and moved between machines.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Stored {
    /// Its number, from 0 without a gap.
    pub seq: u64,
    /// When it was decided, in milliseconds since 1970.
    pub at_ms: u64,
    /// The open part, JSON as written.
    pub open: String,
    /// The sealed part.
    pub sealed: Sealed,
    /// The digest of the log up to here.
    pub digest: Bytes32,
}

/// The sealed part of an entry: there, or erased.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Sealed {
    /// As written.
    Kept {
        /// Makes the hash tell nothing about the text.
        salt: Bytes32,
        /// JSON as written.
        text: String,
    },
    /// Left out; the hash remains.
    Erased {
        /// `SHA-256(salt ‖ text)`.
        hash: Bytes32,
    },
}

impl Sealed {
    /// What the digest sees of it.
    pub fn hash(&self) -> Bytes32 {
        match self {
            Self::Kept { salt, text } => Bytes32::hash(&[&salt.0, text.as_bytes()]),
            Self::Erased { hash } => *hash,
        }
    }

    /// The same with its content left out.
    pub fn erased(&self) -> Self {
        Self::Erased { hash: self.hash() }
    }
}

/// Where a log ends: what its next entry must follow from.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tail {
    /// How many entries there are, and so the number of the next.
    pub seq: u64,
    /// The digest of all so far.
    pub digest: Bytes32,
}

/// Why an entry does not follow.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Unchained {
    /// It has another number than is due.
    #[error("entry {came} came where entry {due} belongs")]
    Number {
        /// The one it has.
        came: u64,
        /// The one that is due.
        due: u64,
    },
    /// Its digest is not that of the log with it.
    #[error("the digest of entry {seq} does not follow from the log")]
    Digest {
        /// Its number.
        seq: u64,
    },
}

impl Tail {
    /// Of a log that has only its header.
    pub fn of_header(header: &str) -> Self {
        Self { seq: 0, digest: Bytes32::hash(&[header.as_bytes()]) }
    }

    /// The next entry of this log.
    pub fn write(&self, at_ms: u64, open: String, sealed: Sealed) -> Stored {
        let digest = self.with(&open, &sealed);
        Stored { seq: self.seq, at_ms, open, sealed, digest }
    }

    /// Where the log ends with this entry, if it follows.
    pub fn after(&self, entry: &Stored) -> Result<Self, Unchained> {
        if entry.seq != self.seq {
            return Err(Unchained::Number { came: entry.seq, due: self.seq });
        }
        if self.with(&entry.open, &entry.sealed) != entry.digest {
            return Err(Unchained::Digest { seq: entry.seq });
        }
        Ok(Self::of_last(entry))
    }

    /// Of a log that is known to be whole and has this entry as its last.
    pub fn of_last(entry: &Stored) -> Self {
        Self { seq: entry.seq + 1, digest: entry.digest }
    }

    fn with(&self, open: &str, sealed: &Sealed) -> Bytes32 {
        Bytes32::hash(&[&self.digest.0, open.as_bytes(), &sealed.hash().0])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_erased_entry_has_the_digest_it_had() {
        let kept = Sealed::Kept { salt: Bytes32([7; 32]), text: "{}".to_owned() };
        let tail = Tail::of_header("{}");
        let entry = tail.write(0, "{}".to_owned(), kept);
        assert_eq!(tail.after(&entry), Ok(Tail::of_last(&entry)));
        let erased = Stored { sealed: entry.sealed.erased(), ..entry.clone() };
        assert_eq!(tail.after(&erased), Ok(Tail::of_last(&entry)));
        let text = "{ }".to_owned();
        let other = Stored { sealed: Sealed::Kept { salt: Bytes32([7; 32]), text }, ..entry };
        assert_eq!(tail.after(&other), Err(Unchained::Digest { seq: 0 }));
    }

    #[test]
    fn names_of_tables_are_plain() {
        for good in ["a", "t-1", "0a9"] {
            assert!(good.parse::<TableId>().is_ok(), "{good}");
        }
        for bad in ["", "-a", "a-", "A", "a/b", "..", "ä", &"a".repeat(65)] {
            assert!(bad.parse::<TableId>().is_err(), "{bad}");
        }
    }

    #[test]
    fn bytes_are_64_hex_digits() {
        let bytes = Bytes32([0xab; 32]);
        assert_eq!(bytes.to_string().parse(), Ok(bytes));
        assert_eq!(bytes.to_string(), "ab".repeat(32));
        let prefixed = format!("0x{}", "ab".repeat(32));
        for bad in ["", "ab", &"ab".repeat(33), &"AB".repeat(32), &"ü".repeat(32), &prefixed] {
            assert_eq!(bad.parse::<Bytes32>(), Err("64 hex digits are needed"), "{bad}");
        }
    }
}
