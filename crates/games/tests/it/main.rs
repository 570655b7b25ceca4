//! What every game in the list has to have and to obey.

mod arrows;
mod complete;
mod configs;
mod dialect;
mod laws;
mod stakes;
