//! Backgammon, tested from outside.
mod ids;
mod notation;
mod oracle;
mod plays;
mod support;
