//! The repository as a table, with real repositories.

mod contract;
mod cost;
mod forms;
mod history;
mod support;
mod vectors;
mod verify;
