//! A real server on a real socket, with clients that know only what it tells them.

mod client;
mod games;
mod golden;
mod lobby;
