//! Poker, checked from outside.

mod hands;
mod rank;
mod seats;
