//! Backgammon.
mod plays;
