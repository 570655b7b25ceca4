//! The binary as its users meet it.

mod git;
mod load;
mod log;
mod person;
mod phh;
mod play;
mod server;
mod tools;
mod wrong;

use std::process::{Command, Output, Stdio};

/// The binary with these arguments.
fn parlor(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_parlor"));
    command.args(args).stdin(Stdio::null());
    command
}

fn run(args: &[&str]) -> Output {
    parlor(args).output().expect("the binary runs")
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).expect("the binary speaks UTF-8")
}

/// What the binary says against its arguments: an exit code of failure and a sentence, no panic.
fn complaint(args: &[&str]) -> String {
    let output = run(args);
    let text = String::from_utf8(output.stderr).expect("the binary speaks UTF-8");
    assert!(!output.status.success(), "{args:?} succeeded");
    assert!(!text.contains("panicked"), "{args:?}: {text}");
    text
}
