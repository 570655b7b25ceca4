//! The dialects of the games.

mod battle;
mod files;
mod hand;

use parlor_games::{DIALECTS, find};
use parlor_rules::{Json, Refusal, Seat, json};
use parlor_wire::dialect::{ALL, Happened, StoryHead};
use serde::Serialize;
use serde_json::Value;
use std::ops::Range;

#[test]
fn every_dialect_is_of_a_game_and_is_found_by_its_name() {
    for socket in DIALECTS.sockets {
        assert!(find(socket.game).is_some(), "{}", socket.name);
        assert_eq!(DIALECTS.socket(socket.name).map(|found| found.game), Some(socket.game));
    }
    for document in DIALECTS.documents {
        assert!(find(document.game).is_some(), "{}", document.name);
        assert!(DIALECTS.document(document.game, document.name).is_some());
    }
    for file in DIALECTS.files {
        assert!(find(file.game).is_some(), "{}", file.name);
        let found = DIALECTS.file(file.game, file.name);
        assert_eq!(found.map(|found| found.media_type), Some(file.media_type));
    }
    assert!(DIALECTS.socket("chess").is_none());
    assert!(DIALECTS.document("battle", "hand").is_none());
    assert!(DIALECTS.file("poker", "mat").is_none());
}

fn value(json: &Json) -> Value {
    serde_json::from_str(json.get()).expect("JSON")
}

/// A story that is being lived through.
#[derive(Clone)]
struct Life {
    head: StoryHead,
    /// All that has happened, in the order of the log, each with its time.
    happened: Vec<(u64, Happened)>,
    now_ms: u64,
}

impl Life {
    fn new(config: &str, seats: u8) -> Self {
        let config = serde_json::from_str(config).expect("JSON");
        let head = StoryHead { table: "t-1".to_owned(), config, seats };
        // 14 July 2025, 10:00 in UTC.
        Self { head, happened: Vec::new(), now_ms: 1_752_487_200_000 }
    }

    fn sits(&mut self, seat: u8, name: &str) {
        let (seat, name) = (Seat::new(seat), Some(name.to_owned()));
        self.happened.push((self.now_ms, Happened::Sits { seat, name }));
    }

    fn rises(&mut self, seat: Seat) {
        self.happened.push((self.now_ms, Happened::Rises { seat }));
    }

    /// What happens together, a second later.
    fn add(&mut self, events: &[impl Serialize]) {
        self.now_ms += 1_000;
        let events = events.iter().map(|event| (self.now_ms, Happened::Event(json(event))));
        self.happened.extend(events);
    }

    /// A file, piece by piece: what each thing that happened has appended, and at last the end.
    fn pieces(
        &self,
        game: &str,
        name: &str,
        who: Option<&str>,
        units: Range<u32>,
    ) -> Result<Vec<String>, Refusal> {
        let file = DIALECTS.file(game, name).expect("a file");
        let mut writer = (file.open)(&self.head, who, units)?;
        let mut pieces = Vec::new();
        for (at_ms, what) in &self.happened {
            let mut piece = String::new();
            let flow = writer.happened(*at_ms, what.clone(), &mut piece)?;
            pieces.push(piece);
            if flow.is_break() {
                break;
            }
        }
        let mut rest = String::new();
        writer.end(&mut rest)?;
        pieces.push(rest);
        Ok(pieces)
    }

    /// A part of a file.
    fn part(&self, game: &str, name: &str, who: Option<&str>, units: Range<u32>) -> String {
        self.pieces(game, name, who, units).unwrap_or_else(|refusal| panic!("{refusal}")).concat()
    }

    /// A whole file.
    fn file(&self, game: &str, name: &str, who: Option<&str>) -> String {
        self.part(game, name, who, ALL)
    }
}
