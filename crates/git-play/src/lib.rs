//! Backgammon in a git repository: players push move files, a referee answers with commits.
//!
//! A table is a folder, `tables/ID`. [`Doc`] is its `state.json`, [`Match`] its `match.json`,
//! [`MoveFile`] a turn somebody has pushed. [`Game`] puts them through the rules; [`judge`] says
//! what becomes of a push; [`Repo`] is the repository, and [`apply`] and [`verify`] read its
//! history. Nothing here reads a clock or a generator: both come from outside.

pub mod apply;
pub mod chance;
mod changes;
pub mod color;
pub mod doc;
pub mod event;
pub mod game;
pub mod git;
pub mod history;
pub mod judge;
pub mod matches;
pub mod moves;
pub mod picture;
pub mod reject;
mod remote;
pub mod validate;
pub mod verify;
mod why;

pub use chance::{Dice, Key};
pub use color::Color;
pub use doc::Doc;
pub use game::Game;
pub use git::{GitError, Repo};
pub use matches::Match;
pub use moves::MoveFile;
