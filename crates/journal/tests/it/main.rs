//! The journal: one contract for every kind, and what only a file can suffer.

mod contract;
// Faults are put before libc, which is done in this way on Linux only.
#[cfg(target_os = "linux")]
mod faults;
mod file;
mod kill;
mod support;
mod transfer;
