//! Poker: cards, ranking, betting, pots, showdown.
//!
//! ```
//! use parlor_rules::Chips;
//! use parlor_rules_poker::hand::{Action, Hand, Next, Setup};
//! use parlor_rules_poker::variant::NT;
//!
//! let chips = |amounts: [i64; 2]| amounts.map(Chips::whole);
//! let mut hand = Hand::new(&Setup {
//!     variant: &NT,
//!     stacks: &chips([100, 100]),
//!     antes: &chips([0, 0]),
//!     ante_trimming: true,
//!     blinds: &chips([1, 2]),
//!     dead: Chips::ZERO,
//!     min_bet: Chips::whole(2),
//!     first: 1,
//!     active: 0b11,
//!     chip: Chips::whole(1),
//!     rake: None,
//! })
//! .unwrap();
//! hand.act(&Action::Hole { player: 0, cards: "AsKs".parse().unwrap() }).unwrap();
//! hand.act(&Action::Hole { player: 1, cards: "7c2d".parse().unwrap() }).unwrap();
//! assert_eq!(hand.next(), Next::Act { player: 0 });
//! hand.act(&Action::Raise { player: 0, to: Chips::whole(6) }).unwrap();
//! hand.act(&Action::Fold { player: 1 }).unwrap();
//! assert_eq!(hand.next(), Next::Over);
//! assert_eq!(hand.players()[0].stack, Chips::whole(102));
//! ```

pub mod card;
pub mod hand;
pub mod notation;
pub mod pots;
pub mod rank;
pub mod seats;
pub mod variant;
