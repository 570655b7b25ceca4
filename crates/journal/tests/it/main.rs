//! The journal: one contract for every kind, what only a file can suffer, and whole houses.

mod contract;
mod disk;
mod driver;
// Faults are put before libc, which is done in this way on Linux only.
#[cfg(target_os = "linux")]
mod faults;
mod file;
mod house;
mod kill;
mod sim;
mod support;
mod transfer;
mod wake;
