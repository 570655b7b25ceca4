//! The games that are hosted, and what belongs to them.

use parlor_bots::Player;
use parlor_journal::store::Find;
use parlor_rules::{AnyGame, Json, Refusal, Seat};
use parlor_wire::dialect::{Dialects, Document};
use parlor_wire::{Game, Level};
use serde_json::{Map, Value};

/// Makes the house player of a game, by its key, of a level, for a seat, playing by this seed.
pub type Players = fn(&str, Level, Seat, &str) -> Option<Box<dyn Player>>;

/// The games that are hosted. Nothing else here names one.
pub struct Games {
    /// All games, in the order in which they are listed.
    pub list: &'static [&'static dyn AnyGame],
    /// The games by their keys.
    pub find: Find,
    /// Other ways to speak with their tables.
    pub dialects: &'static Dialects,
    /// The house players.
    pub players: Players,
}

impl Games {
    /// The rules of a game.
    pub fn rules(&self, key: &str) -> Result<&'static dyn AnyGame, Refusal> {
        let unknown = || Refusal::new("unknown_game", format!("there is no game {key:?}"));
        (self.find)(key).ok_or_else(unknown)
    }

    /// Returns whether the house plays a game.
    pub fn has_players(&self, key: &str) -> bool {
        (self.players)(key, Level::default(), Seat::new(0), "").is_some()
    }

    /// A document that tables of a game have.
    pub fn document(&self, game: &str, name: &str) -> Result<&'static Document, Refusal> {
        let none = || Refusal::new("no_such_document", "tables of this game have no such document");
        self.dialects.document(game, name).ok_or_else(none)
    }

    /// All games, as clients are told of them.
    pub fn listed(&self) -> Result<Vec<Game>, Refusal> {
        let game = |game: &&'static dyn AnyGame| {
            let key = game.key();
            let files = self.dialects.files.iter().filter(|file| file.game == key);
            let documents = self.dialects.documents.iter().filter(|document| document.game == key);
            Ok(Game {
                game: key.to_owned(),
                edition: game.edition(),
                seats: [*game.seats().start(), *game.seats().end()],
                comes_and_goes: game.comes_and_goes(),
                unit: game.unit(),
                house: self.has_players(key),
                codes: game.codes().iter().map(|code| (*code).to_owned()).collect(),
                config: game.options(&parlor_rules::json(&Map::new()))?,
                files: files.map(|file| file.name.to_owned()).collect(),
                documents: documents.map(|document| document.name.to_owned()).collect(),
            })
        };
        self.list.iter().map(game).collect()
    }
}

/// The options of a game in full, as they are played for ratings or not.
pub fn full_config(
    game: &dyn AnyGame,
    config: &Map<String, Value>,
    ranked: bool,
) -> Result<Json, Refusal> {
    let config = parlor_rules::json(config);
    if ranked { game.ranked(&config) } else { game.options(&config) }
}
