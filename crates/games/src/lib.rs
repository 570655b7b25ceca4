//! games.
