//! Gomoku, tested from outside.
mod oracle;
mod renju;
mod rules;
mod swap2;
