//! Gomoku, tested from outside.
mod formats;
mod oracle;
mod recover;
mod renju;
mod rules;
mod support;
mod swap2;
