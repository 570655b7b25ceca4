//! `parlor load`: a real server under a small load.

use crate::{parlor, stdout};
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
    let mut load = parlor(&["load", "--tables", "1"]);
    let mut load = load.env("TMPDIR", &folder).stdout(Stdio::null()).spawn().unwrap();
    while left() == 0 {
        assert!(load.try_wait().unwrap().is_none(), "it runs");
        std::thread::yield_now();
    }
    let stop = Command::new("kill").args(["-INT", &load.id().to_string()]).status().unwrap();
    assert!(stop.success() && !load.wait().unwrap().success());
    assert_eq!(left(), 0);
    std::fs::remove_dir(&folder).unwrap();
}
