//! The path of one move, and what a log keeps.

mod audit;
mod chance;
mod desk;
mod path;
mod room;
