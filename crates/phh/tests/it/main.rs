//! Hand histories, from files and from rubbish.

mod real;
mod scenes;
mod text;
