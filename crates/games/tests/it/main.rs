//! What every game in the list has to have and to obey.

mod anything;
mod arrows;
mod complete;
mod configs;
mod dialect;
mod fuzz;
mod laws;
mod stakes;
