//! Hand histories, from files and from rubbish.

mod live;
mod merge;
mod real;
mod round;
mod scenes;
mod stars;
mod stats;
mod text;
