//! The battle beside a slow and simple version of itself, sentence by sentence, under the laws, and
//! at a table.

mod laws;
mod oracle;
mod sentences;
mod solver;
mod support;
mod table;
