//! `parlor load`: a real server under a small load.

use crate::server::Server;
use crate::{complaint, parlor, stdout};
use std::process::{Command, Stdio};

/// What is printed for one count of tables: its numbers, and what follows them.
fn measured(game: &str, seconds: &str) -> (Vec<f64>, Vec<String>) {
    let args = ["load", "--tables", "2", "--think", "0", "--game", game, "--seconds", seconds];
    let text = stdout(&parlor(&args).output().expect("the binary runs"));
    let mut lines = text.lines().map(str::to_owned);
    let head = lines.next().unwrap();
    let names =
        ["tables", "connections", "moves/s", "p50 ms", "p99 ms", "CPU µs/move", "KiB/table"];
    let mut rest = head.as_str();
    for name in names.into_iter().chain(["refused", "still"]) {
        rest = rest.split_once(name).unwrap_or_else(|| panic!("{name}: {head}")).1;
    }
    let row = lines.next().expect("a line for the count");
    let row = row.split_whitespace().map(|number| number.parse().expect("a number")).collect();
    (row, lines.collect())
}

/// Two tables are played at, nothing stands still, and nothing is refused but a chair to who has lost all.
fn plays(game: &str, seconds: &str) {
    let (row, rest) = measured(game, seconds);
    let [tables, connections, moves, p50, p99, cpu, _memory, refused, still] = row[..] else {
        panic!("{row:?}")
    };
    assert_eq!([tables, connections, still], [2.0, 4.0, 0.0], "{row:?}");
    // The system counts CPU time in hundredths of a second: few moves may take none.
    assert!(moves > 0.0 && cpu >= 0.0 && 0.0 < p50 && p50 <= p99, "{row:?}");
    assert_eq!(refused > 0.0, !rest.is_empty(), "{row:?} {rest:?}");
    assert!(rest.iter().all(|line| line.contains("x too_few_chips")), "{rest:?}");
}

#[test]
fn backgammon_is_played_under_load() {
    plays("backgammon", "1");
}

#[test]
fn battles_are_fought_under_load() {
    // A round takes two seconds to be shown.
    plays("battle", "4");
}

#[test]
fn gomoku_is_played_under_load() {
    plays("gomoku", "1");
}

#[test]
fn poker_is_played_under_load() {
    plays("poker", "1");
}

#[test]
fn what_cannot_be_measured_is_told_at_once() {
    for (args, why) in [
        (&["--tables", "0"][..], "0 is not in 1.."),
        (&["--seconds", "0"], "0 is not in 1.."),
        (&["--think", "18446744073709551615"], "is not in"),
        (&["--game", "chess"], "chess"),
        (&["--server", "ws://127.0.0.1:1/ws"], "ws://127.0.0.1:1/ws: "),
        (&["--server", "nonsense"], "nonsense: "),
        (&["--server", "https://127.0.0.1:1"], "https://127.0.0.1:1: "),
    ] {
        let output = parlor(&["load"]).args(args).output().unwrap();
        let told = String::from_utf8(output.stderr).unwrap();
        assert!(!output.status.success() && told.contains(why), "{args:?}: {told}");
    }
}

#[test]
fn who_stops_it_finds_nothing_left_behind() {
    let folder = std::env::temp_dir().join(format!("parlor-stopped-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let left = || std::fs::read_dir(&folder).unwrap().count();
    for signal in ["INT", "TERM", "HUP"] {
        // Whoever runs the tests may want them to outlive a terminal.
        let mut load = Command::new("env");
        load.args([&format!("--default-signal={signal}"), env!("CARGO_BIN_EXE_parlor")]);
        load.args(["load", "--tables", "1"]).env("TMPDIR", &folder);
        let mut load = load.stdout(Stdio::null()).spawn().unwrap();
        while left() == 0 {
            assert!(load.try_wait().unwrap().is_none(), "it runs");
            std::thread::yield_now();
        }
        let signal = format!("-{signal}");
        let stop = Command::new("kill").args([&signal, &load.id().to_string()]).status().unwrap();
        assert!(stop.success() && !load.wait().unwrap().success());
        assert_eq!(left(), 0, "{signal}");
    }
    std::fs::remove_dir(&folder).unwrap();
}

#[test]
fn a_server_that_runs_already_is_measured() {
    let server = Server::start("measured");
    let args = ["load", "--tables", "1", "--think", "0", "--seconds", "1", "--server"];
    let output = parlor(&args).arg(format!("http://{}", server.address)).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    assert_eq!(stdout(&output).lines().count(), 2, "{output:?}");
}

#[test]
fn a_server_with_limits_says_why_it_is_not_measured() {
    let server = Server::start_with("limited", &[]);
    let args = ["load", "--tables", "100", "--server", &format!("ws://{}", server.address)];
    let said = complaint(&args);
    assert!(said.contains("many new guests come from where you are; wait a minute (slow_down)"));
    assert!(said.contains("started with --no-limits") && !said.contains('{'), "{said}");
}
