//! The path of one move, and what a log keeps.

mod audit;
mod desk;
mod path;
mod room;
