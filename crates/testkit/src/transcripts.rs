//! Golden transcripts: vectors any language can run.
//!
//! `conformance/GAME/KIND/NAME.jsonl` is a talk with a referee. A line is `{"ask": …, "answer": …}`
//! or `{"note": "…"}`. The answer given must hold everything the answer written holds: an object
//! may have further fields, a list must have the same length.

use parlor_rules::{AnyGame, Referee};
use serde::Deserialize;
use serde_json::{Map, Value};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// The kinds of vectors every game has.
pub const KINDS: [&str; 3] = ["transcripts", "rejects", "documents"];

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    note: Option<String>,
    ask: Option<Value>,
    answer: Option<Value>,
}

/// What a folder of vectors holds.
#[derive(Default)]
pub struct Found {
    /// How many files of each kind, in the order of [`KINDS`].
    pub files: [usize; 3],
    /// How many questions were asked.
    pub asked: usize,
    /// The codes of all refusals in them.
    pub codes: BTreeSet<String>,
    /// What went wrong: file, line, and how.
    pub failures: Vec<String>,
}

/// The folder of all vectors.
pub fn conformance() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../conformance")
}

/// Plays all vectors of a game.
pub fn run(game: &'static dyn AnyGame) -> Found {
    let mut found = Found::default();
    for (i, kind) in KINDS.iter().enumerate() {
        let folder = conformance().join(game.key()).join(kind);
        let Ok(entries) = fs::read_dir(&folder) else { continue };
        let mut paths: Vec<_> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
        paths.sort();
        for path in paths {
            found.files[i] += 1;
            found.play(game, &path);
        }
    }
    found
}

impl Found {
    fn play(&mut self, game: &'static dyn AnyGame, path: &Path) {
        let text = fs::read_to_string(path).unwrap_or_default();
        let mut referee = Referee::new(game);
        let mut asked = 0;
        for (number, line) in text.lines().enumerate() {
            let mut fail = |why: String| {
                self.failures.push(format!("{}:{}: {why}", path.display(), number + 1));
            };
            match serde_json::from_str(line) {
                Ok(Line { note: Some(_), ask: None, answer: None }) => {}
                Ok(Line { ask: Some(ask), answer: Some(answer), .. }) => {
                    asked += 1;
                    // A text is sent as it is, so that lines that are no JSON can be vectors too.
                    let ask = ask.as_str().map_or_else(|| ask.to_string(), str::to_owned);
                    let given: Value = serde_json::from_str(&referee.answer(&ask))
                        .expect("a referee answers JSON");
                    if let Err(why) = holds(&given, &answer, "") {
                        fail(format!("{why}\n  ask {ask}\n  got {given}"));
                    }
                    let code = answer.pointer("/error/code").and_then(Value::as_str);
                    self.codes.extend(code.map(str::to_owned));
                }
                Ok(_) => fail("a line is a note, or an ask with its answer".to_owned()),
                Err(error) => fail(error.to_string()),
            }
        }
        if asked == 0 {
            self.failures.push(format!("{}: asks nothing", path.display()));
        }
        self.asked += asked;
    }
}

/// Whether `given` holds everything that `wanted` holds.
fn holds(given: &Value, wanted: &Value, path: &str) -> Result<(), String> {
    match (given, wanted) {
        (Value::Object(given), Value::Object(wanted)) => {
            let inner = |(key, wanted): (&String, &Value)| match given.get(key) {
                Some(given) => holds(given, wanted, &format!("{path}/{key}")),
                None => Err(format!("{path}/{key} is missing")),
            };
            Map::iter(wanted).try_for_each(inner)
        }
        (Value::Array(given), Value::Array(wanted)) if given.len() == wanted.len() => given
            .iter()
            .zip(wanted)
            .enumerate()
            .try_for_each(|(i, (given, wanted))| holds(given, wanted, &format!("{path}/{i}"))),
        _ if given == wanted => Ok(()),
        _ => Err(format!("{path} is {given}, wanted {wanted}")),
    }
}
