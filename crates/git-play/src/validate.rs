//! A file of a table, checked by itself: every fault with its place.

use crate::doc::{Doc, json_of};
use crate::history::read_table;
use crate::judge::{self, What};
use crate::matches::Match;
use crate::moves::FileName;
use crate::reject::Reject;
use parlor_rules::{Faults, Reject as _};
use serde_json::Value;

/// What a file of a table can be.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sort {
    State,
    Match,
    Legal,
    Move,
}

impl Sort {
    const ALL: [Self; 4] = [Self::State, Self::Match, Self::Legal, Self::Move];

    fn shown(self) -> &'static str {
        match self {
            Self::State => "a state",
            Self::Match => "a match",
            Self::Legal => "a list of plays",
            Self::Move => "a move",
        }
    }

    /// What a name says; none if it says nothing.
    fn named(name: &str) -> Option<Self> {
        match name {
            "state.json" => Some(Self::State),
            "match.json" => Some(Self::Match),
            "legal.json" => Some(Self::Legal),
            name => FileName::loose(name).map(|_| Self::Move),
        }
    }

    /// Fields that nothing else has.
    fn own(self) -> &'static [&'static str] {
        match self {
            Self::State => &["turn", "activePlayer", "board", "bar", "home", "status", "messages"],
            Self::Match => &["table", "edition", "layout", "length", "games", "fairness"],
            Self::Legal => &["plays"],
            Self::Move => &["player", "timestamp", "diceRoll", "commitSha"],
        }
    }

    /// What a content is: that of which it has the most fields.
    fn of(value: &Value) -> Option<Self> {
        let count = |sort: &Self| sort.own().iter().filter(|key| value.get(key).is_some()).count();
        Self::ALL.into_iter().max_by_key(count).filter(|sort| count(sort) > 0)
    }
}

/// All that is wrong with a file, and what is odd about it. What it is says its content, and its
/// name where that says nothing. `beside` reads the files in the same folder.
pub fn validate(
    name: &str,
    bytes: Vec<u8>,
    beside: impl Fn(&str) -> Option<String>,
) -> (Faults, Faults) {
    let (mut faults, warnings) = (Faults::default(), Faults::default());
    let Ok(text) = String::from_utf8(bytes) else {
        faults.add("", "is not UTF-8");
        return (faults, warnings);
    };
    let by_name = Sort::named(name);
    let by_content = json_of(&text).ok().and_then(|value| Sort::of(&value));
    if let (Some(said), Some(is)) = (by_name, by_content)
        && said != is
    {
        faults.add("", format!("is {}, and its name is that of {}", is.shown(), said.shown()));
    }
    let more = match by_content.or(by_name) {
        Some(Sort::State) => {
            let read = Doc::read(&text);
            (read.found.err(), read.warnings)
        }
        Some(Sort::Match) => {
            let read = Match::read(&text);
            (read.found.err(), read.warnings)
        }
        Some(Sort::Legal) => (Some(legal(&text, beside)), warnings),
        Some(Sort::Move) => (a_move(name, text), warnings),
        None => {
            let why = json_of(&text).err().map(|why| format!("is not JSON: {why}"));
            let text = || "is no file of a table: no state, match, plays or move".to_owned();
            faults.add("", why.unwrap_or_else(text));
            (None, warnings)
        }
    };
    for fault in more.0.iter().flat_map(Faults::iter) {
        faults.add(&fault.path, &fault.text);
    }
    (faults, more.1)
}

fn a_move(name: &str, text: String) -> Option<Faults> {
    let named = FileName::read(name);
    let checked = judge::read(&What::File(text.into_bytes())).and_then(|file| match &named {
        Some(name) => file.is_named(name),
        None => {
            let why = format!("a move is NNNN-{}-{}.json", file.player, file.hash());
            Err(Reject::LyingName { why })
        }
    });
    match checked.err()? {
        Reject::Malformed { faults } => Some(faults),
        reject => {
            let mut faults = Faults::default();
            faults.add("", format!("{} ({})", reject.text(), reject.code()));
            Some(faults)
        }
    }
}

/// Holds the list of plays against the state beside it.
fn legal(text: &str, beside: impl Fn(&str) -> Option<String>) -> Faults {
    let mut faults = Faults::default();
    let found = json_of(text).map_err(|why| format!("is not JSON: {why}"));
    let game = read_table(beside("state.json").as_deref(), beside("match.json").as_deref());
    let due = game.and_then(|game| json_of(&game.legal()));
    let (found, due) = match (found, due) {
        (Ok(Value::Object(found)), Ok(Value::Object(due))) => (found, due),
        (Err(why), _) | (_, Err(why)) => {
            faults.add("", why);
            return faults;
        }
        _ => {
            faults.add("", "needs an object");
            return faults;
        }
    };
    for key in due.keys() {
        faults
            .check(found.get(key) == due.get(key), key, || "is not that of state.json".to_owned());
    }
    for key in found.keys().filter(|key| !due.contains_key(*key)) {
        faults.add(key, "is no field here");
    }
    faults
}
