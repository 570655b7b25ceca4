//! Hand histories, from files and from rubbish.

mod live;
mod real;
mod scenes;
mod text;
