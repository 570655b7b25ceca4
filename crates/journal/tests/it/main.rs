//! The journal: one contract for every kind, and what only a file can suffer.

mod contract;
mod faults;
mod file;
mod kill;
mod support;
mod transfer;
