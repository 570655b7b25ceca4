//! The repository as a table, with real repositories.

mod contract;
mod cost;
mod forms;
mod history;
mod hostile;
mod support;
mod validate;
mod vectors;
mod verify;
