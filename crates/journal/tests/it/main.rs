//! The journal: one contract for every kind, what only a file can suffer, and whole houses.

mod contract;
mod disk;
mod faults;
mod file;
mod house;
mod kill;
mod sim;
mod support;
mod transfer;
