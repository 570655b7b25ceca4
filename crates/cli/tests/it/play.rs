use crate::{parlor, stdout};
use parlor_testkit::count;
use std::io::{Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

/// Someone at the terminal.
struct Person {
    child: Child,
    keys: ChildStdin,
    screen: ChildStdout,
    seen: String,
}

impl Person {
    fn sits_down(args: &[&str]) -> Self {
        let mut command = parlor(&[&["play", "backgammon"], args].concat());
        let spawned = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
        let mut child = spawned.expect("the binary runs");
        let (keys, screen) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        let mut person = Self { child, keys, screen, seen: String::new() };
        person.reads();
        person
    }

    /// Reads up to the next prompt; false if the game has ended.
    fn reads(&mut self) -> bool {
        self.seen.clear();
        let mut byte = [0];
        while self.screen.read(&mut byte).unwrap() == 1 {
            self.seen.push(char::from(byte[0]));
            if self.seen.ends_with(" > ") {
                return true;
            }
        }
        false
    }

    fn says(&mut self, line: &str) -> bool {
        writeln!(self.keys, "{line}").unwrap();
        self.reads()
    }

    /// The line before the prompt.
    fn last_line(&self) -> &str {
        self.seen.trim_end().lines().rev().nth(1).unwrap_or_default()
    }

    /// Follows the hints until the end; what stood on the screen last.
    fn follows_the_hints(mut self) -> String {
        for _ in 0..5_000 {
            let on = if self.seen.contains("for the next game") {
                self.says("")
            } else {
                assert!(self.says("hint"));
                let hint = self.last_line().to_owned();
                self.says(&hint)
            };
            assert!(!self.seen.contains("Not understood"), "{}", self.seen);
            if !on {
                assert!(self.child.wait().unwrap().success());
                return self.seen;
            }
        }
        panic!("no end: {}", self.seen)
    }
}

#[test]
fn a_game_with_doubling_is_played_to_its_end() {
    for i in 0..count(5, 100) {
        let end = Person::sits_down(&["--seed", &i.to_string()]).follows_the_hints();
        let last = end.trim_end().lines().last().unwrap();
        assert!(last.contains("You win") || last.contains("The house wins"), "{end}");
    }
}

#[test]
fn a_match_goes_on_from_game_to_game() {
    let end = Person::sits_down(&["--seed", "m", "--match", "3"]).follows_the_hints();
    assert!(end.contains("the match, "), "{end}");
}

#[test]
fn a_turn_can_be_played_step_by_step_and_taken_back() {
    // The seat is named, so the first thing to do is to roll.
    let mut person = Person::sits_down(&["--seed", "a", "--config", r#"{"opening":0}"#]);
    assert!(person.seen.contains("roll or double?"));
    person.says("roll");
    assert!(person.seen.contains("You roll 4 and 3."), "the seed gives 43: {}", person.seen);
    person.says("99");
    assert!(person.seen.contains("no such number"), "{}", person.seen);
    person.says("24/20");
    assert!(person.seen.contains("You to play: [3]\n"), "{}", person.seen);
    person.says("commit");
    assert!(person.seen.contains("as many dice as you can"), "{}", person.seen);
    person.says("undo");
    assert!(person.seen.contains("You to play: [4] [3]\n"), "{}", person.seen);
    person.says("24/20");
    person.says("13/10");
    assert!(person.seen.contains("You play 13/10"), "{}", person.seen);
    assert!(person.seen.contains("The house rolls"), "{}", person.seen);
}

#[test]
fn rubbish_is_answered_and_changes_nothing() {
    let mut person = Person::sits_down(&["--seed", "a", "--config", r#"{"opening":0}"#]);
    for line in ["fly", "8/5", "-3", "99999999999999999999", "take", "resign triple", "ü/off", "\t"]
    {
        assert!(person.says(line), "{line} ended the game");
        assert!(person.seen.contains("roll or double?"), "{line}: {}", person.seen);
    }
}

#[test]
fn the_end_of_input_leaves_the_table() {
    let output = parlor(&["play", "backgammon", "--seed", "a"]).output().unwrap();
    assert!(output.status.success());
    assert!(stdout(&output).ends_with("You leave the table.\n"));
}
