//! The journal: one contract for every kind, and what only a file can suffer.

mod contract;
mod disk;
mod house;
mod sim;
mod support;
