//! Wrong values on the command line: the first line of the output is the reason.

use crate::run;
use std::net::TcpListener;
use std::path::PathBuf;

/// The first line that a command prints. It fails, prints nothing else of its own before, and does
/// not panic.
fn reason(args: &[&str]) -> String {
    let output = run(args);
    let text = String::from_utf8(output.stderr).expect("the binary speaks UTF-8");
    assert!(!output.status.success(), "{args:?} succeeded");
    assert!(output.stdout.is_empty(), "{args:?}: {}", String::from_utf8_lossy(&output.stdout));
    assert!(!text.contains("panicked"), "{args:?}: {text}");
    text.lines().next().unwrap_or_default().to_owned()
}

/// A file that is not there.
fn missing(name: &str) -> PathBuf {
    let file = std::env::temp_dir().join(format!("parlor-{name}-{}.db", std::process::id()));
    assert!(!file.exists());
    file
}

#[test]
fn a_wrong_value_is_the_first_thing_that_is_printed() {
    let cases: [(&[&str], &str); 22] = [
        (
            &["serve", "--listen", "rubbish"],
            "'rubbish' for '--listen <ADDRESS>': an IP address and a",
        ),
        (
            &["serve", "--listen", "127.0.0.1"],
            "an IP address and a port are needed, as 127.0.0.1:7766",
        ),
        (&["serve", "--listen", "127.0.0.1:99999"], "an IP address and a port are needed"),
        (&["serve", "--proxy", "rubbish"], "'--proxy <ADDRESS>': an IP address is needed, as"),
        (&["serve", "--origin", "example.org"], "an origin is needed, without a path, as https://"),
        (&["serve", "--origin", "https://example.org/"], "an origin is needed, without a path"),
        (&["serve", "--admin", "0.0.0.0:7767"], "an address of this machine alone is needed"),
        (
            &["serve", "--admin", "127.0.0.1:0"],
            "parlor: --admin needs PARLOR_ADMIN_TOKEN, of at least",
        ),
        (&["serve", "--durability", "none"], "invalid value 'none' for '--durability"),
        (
            &["play", "chess"],
            "there is no game \"chess\"; there is backgammon, battle, gomoku, poker",
        ),
        (&["play", "gomoku", "--match", "two"], "two is not in 0..=4294967295; a whole number"),
        (&["play", "gomoku", "--level", "best"], "a level is easy, medium or hard"),
        (&["play", "poker", "--chips", "many"], "chips are a plain decimal of at most four places"),
        (
            &["load", "--tables", "few"],
            "few is not in 1..=4294967295; a whole number in that range",
        ),
        (&["load", "--tables", "5,0"], "0 is not in 1..=4294967295"),
        (&["load", "--think", "-1"], "'-1'"),
        (
            &["load", "--seconds", "86401"],
            "86401 is not in 1..=86400; a whole number in that range",
        ),
        (&["load", "--game", "chess"], "there is no game \"chess\""),
        (&["load", "--server", "127.0.0.1:1"], "parlor: 127.0.0.1:1: "),
        (&["equity", "AsKs", "QQ", "--samples", "many"], "many is not in 1..=4294967296"),
        (&["perft", "backgammon", "--depth", "deep"], "deep is not in 0..=255; a whole number"),
        (&["phh", "convert", "--to", "pdf", "-"], "invalid value 'pdf' for '--to <TO>'"),
    ];
    for (args, wanted) in cases {
        let first = reason(args);
        assert!(first.contains(wanted), "{args:?}: {first}");
    }
}

#[test]
fn a_port_in_use_is_told_before_anything_is_begun() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let journal = missing("in-use");
    let journal_name = journal.to_str().unwrap();
    for form in ["text", "json"] {
        let args = ["serve", "--listen", &address, "--journal", journal_name, "--log", form];
        let wanted = format!("parlor: --listen {address}: the port is in use; stop what listens");
        assert!(reason(&args).starts_with(&wanted), "{}", reason(&args));
    }
    assert!(!journal.exists(), "no journal is made");
}

#[test]
fn a_journal_that_cannot_be_opened_is_told_first() {
    let nowhere = missing("nowhere").join("house.db");
    let nowhere = nowhere.to_str().unwrap();
    let cases: [&[&str]; 3] = [
        &["serve", "--listen", "127.0.0.1:0", "--journal", nowhere],
        &["play", "gomoku", "--journal", nowhere],
        &["tables", "--journal", nowhere],
    ];
    for args in cases {
        let wanted = format!("parlor: the journal {nowhere} cannot be opened: ");
        assert!(reason(args).starts_with(&wanted), "{args:?}: {}", reason(args));
    }
}
