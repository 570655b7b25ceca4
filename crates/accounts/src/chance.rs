//! Where tokens, names of tables and secrets come from.

use parlor_rules::Refusal;
use std::sync::Arc;

/// Fills bytes that nobody can guess; false if there are none.
pub type Fill = Arc<dyn Fn(&mut [u8]) -> bool + Send + Sync>;

/// A source of what nobody can guess.
#[derive(Clone)]
pub struct Chance(Fill);

impl Chance {
    /// The system's own.
    pub fn of_the_system() -> Self {
        Self(Arc::new(|bytes| getrandom::fill(bytes).is_ok()))
    }

    /// Another one: for tests, whose sessions are to be the same every time.
    pub fn from_fill(fill: Fill) -> Self {
        Self(fill)
    }

    /// So many bytes.
    pub fn bytes<const N: usize>(&self) -> Result<[u8; N], Refusal> {
        let mut bytes = [0; N];
        match (self.0)(&mut bytes) {
            true => Ok(bytes),
            false => Err(Refusal::new("no_chance", "the system has no chance left; try again")),
        }
    }

    /// So many bytes as hex digits.
    pub fn hex<const N: usize>(&self) -> Result<String, Refusal> {
        self.bytes::<N>().map(const_hex::encode)
    }
}
