//! rules-backgammon.
