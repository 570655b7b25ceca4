//! Backgammon, tested from outside.
mod faults;
mod ids;
mod legal;
mod mat;
mod notation;
mod oracle;
mod plays;
mod support;
