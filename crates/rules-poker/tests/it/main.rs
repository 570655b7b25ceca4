//! Poker, checked from outside.

mod hands;
mod laws;
mod rank;
mod seats;
mod table;
