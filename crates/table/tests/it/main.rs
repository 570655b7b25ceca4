//! The path of one move, and what a log keeps.

mod audit;
mod chance;
mod desk;
mod fair;
mod path;
mod room;
