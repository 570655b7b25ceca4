//! A real server on a real socket, with clients that know only what it tells them.

mod bank;
mod client;
mod games;
mod golden;
mod http;
mod lobby;
mod people;
mod ranked;
mod replay;
mod restart;
mod returning;
mod safety;
mod secrecy;
mod waiting;
