//! Tables that run, without a socket: people are accounts with an outbox.

mod house_players;
mod seating;
mod support;
mod telling;
