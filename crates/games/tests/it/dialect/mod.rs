//! The dialects of the games.

mod battle;
mod files;
mod hand;

use parlor_games::{DIALECTS, find};
use parlor_rules::{Json, Seat, json};
use parlor_wire::dialect::{Happened, Story};
use serde::Serialize;
use serde_json::Value;

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
struct Life {
    story: Story,
    now_ms: u64,
}

impl Life {
    fn new(config: &str, seats: u8) -> Self {
        let config = serde_json::from_str(config).expect("JSON");
        let story = Story { table: "t-1".to_owned(), config, seats, happened: Vec::new() };
        // 14 July 2025, 10:00 in UTC.
        Self { story, now_ms: 1_752_487_200_000 }
    }

    fn sits(&mut self, seat: u8, name: &str) {
        let (seat, name) = (Seat::new(seat), Some(name.to_owned()));
        self.story.happened.push((self.now_ms, Happened::Sits { seat, name }));
    }

    fn rises(&mut self, seat: Seat) {
        self.story.happened.push((self.now_ms, Happened::Rises { seat }));
    }

    /// What happens together, a second later.
    fn add(&mut self, events: &[impl Serialize]) {
        self.now_ms += 1_000;
        let events = events.iter().map(|event| (self.now_ms, Happened::Event(json(event))));
        self.story.happened.extend(events);
    }

    fn file(&self, game: &str, name: &str, who: Option<&str>) -> String {
        let file = DIALECTS.file(game, name).expect("a file");
        (file.write)(&self.story, who).unwrap_or_else(|refusal| panic!("{refusal}"))
    }
}
