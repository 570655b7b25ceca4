//! Backgammon, tested from outside.
mod oracle;
mod plays;
