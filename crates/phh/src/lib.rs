//! Hand histories: PHH files and PokerStars text read, replayed, checked, written and counted.
//!
//! ```
//! let text = "
//! variant = 'NT'
//! antes = [0, 0, 0]
//! blinds_or_straddles = [1, 2, 0]
//! min_bet = 2
//! starting_stacks = [100, 100, 100]
//! actions = ['d dh p1 ????', 'd dh p2 ????', 'd dh p3 AsKs', 'p3 cbr 6', 'p1 f', 'p2 f']
//! finishing_stacks = [99, 98, 103]
//! ";
//! let hands = parlor_phh::hands(text)?;
//! assert_eq!(hands[0].as_ref().map(|hand| hand.check()), Ok(Ok(true)));
//! # Ok::<(), parlor_phh::Wrong>(())
//! ```

pub mod document;
mod encoding;
mod history;
pub mod ledger;
pub mod stars;
pub mod stats;
mod terms;
mod toml;
mod write;

pub use document::Document;
pub use encoding::decoded;
pub use history::{Failure, History, hands};
pub use toml::{Field, Value, Wrong, text_of};
pub use write::header;
