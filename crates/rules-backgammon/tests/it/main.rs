//! Backgammon, tested from outside.
mod notation;
mod oracle;
mod plays;
mod support;
