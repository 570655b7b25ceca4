//! The battle beside slow and simple versions of itself, and sentence by sentence.

mod solver;
