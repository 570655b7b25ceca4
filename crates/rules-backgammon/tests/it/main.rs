//! Backgammon, tested from outside.
mod ids;
mod legal;
mod mat;
mod notation;
mod oracle;
mod plays;
mod support;
