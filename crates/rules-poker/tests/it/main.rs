//! Poker, checked from outside.

mod equity;
mod hands;
mod judges;
mod laws;
mod quick;
mod rank;
mod seats;
mod table;
