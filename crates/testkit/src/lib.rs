//! What every game is tested by: the laws, golden transcripts, and two small games of its own.
//!
//! [`laws::hold`] plays random games of any game in its erased form and checks every law at every
//! step. [`bytes::obeys`] plays whatever bytes say. [`transcripts::run`] plays the vectors of `conformance/`. [`pennies::Pennies`] and
//! [`highcard::HighCard`] are the games on which all of this is proved first: one for hidden
//! choices, one for cards.

pub mod bytes;
pub mod highcard;
pub mod laws;
pub mod pennies;
pub mod transcripts;

/// Whether the large counts are asked for (`make proof`).
pub fn proof() -> bool {
    std::env::var_os("PARLOR_PROOF").is_some_and(|value| value != "0")
}

/// One count for `make test`, another for `make proof`.
pub fn count(test: u32, in_proof: u32) -> u32 {
    if proof() { in_proof } else { test }
}
