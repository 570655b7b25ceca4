//! Every limit of this crate in one place.

/// The longest line a referee reads, in bytes.
pub const LINE_BYTES: usize = 1 << 20;
/// The most draws one tape may carry.
pub const TAPE_DRAWS: usize = 100_000;
/// The largest amount of chips a document or a command may name.
pub const CHIPS: i64 = 10_000_000_000;
/// The most whole chips that one seat puts on a table when a game begins.
pub const DEPOSIT: i64 = 1_000_000_000;
/// How long a finished game of a series stays on the table before the next one begins.
pub const BETWEEN_GAMES_MS: u64 = 5_000;
