//! Backgammon with the doubling cube.
pub mod board;
pub mod perft;
pub mod plays;
pub mod position_id;
