//! Pennies obeys every law, and a game that breaks one is caught.

mod laws;
mod planted;
