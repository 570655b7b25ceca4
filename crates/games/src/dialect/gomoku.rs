//! The files of a game: SGF and Piskvork's.

use super::{PLAIN, Scene, retell};
use parlor_rules::series::Told;
use parlor_rules::{Refusal, Rules, Series};
use parlor_rules_gomoku::board::Colour;
use parlor_rules_gomoku::event::Event;
use parlor_rules_gomoku::record::Record;
use parlor_rules_gomoku::{Gomoku, psq, sgf};
use parlor_wire::dialect::{File, Story};

type Match = Series<Gomoku>;

/// All games, one behind the other.
pub(super) const SGF: File = File {
    name: "sgf",
    game: Match::KEY,
    media_type: "application/x-go-sgf",
    write: |story, _| Ok(records(story)?.iter().map(sgf::write).collect()),
};

/// The last game: such a file holds one.
pub(super) const PSQ: File =
    File { name: "psq", game: Match::KEY, media_type: PLAIN, write: |story, _| last(story) };

fn last(story: &Story) -> Result<String, Refusal> {
    let last = records(story)?.pop();
    let none = || Refusal::new("no_record", "no game was played here");
    let no = |error: parlor_rules_gomoku::record::FormatError| {
        Refusal::new("no_record", error.to_string())
    };
    psq::write(&last.ok_or_else(none)?).map_err(no)
}

/// All games so far, the last as far as it was played.
fn records(story: &Story) -> Result<Vec<Record>, Refusal> {
    let mut records = Vec::new();
    let mut open = None;
    retell::<Match>(story, |scene, event| match event {
        Told::Game(Event::Finished { .. }) => {
            open = None;
            records.push(record(scene));
        }
        Told::Game(_) => open = Some(record(scene)),
        Told::Series(_) => {}
    })?;
    Ok(records.into_iter().chain(open).collect())
}

/// The game of a moment, with the names of those who play it.
fn record(scene: &Scene<Match>) -> Record {
    let game = scene.state.game();
    let mut record = Record::of(game);
    for (kept, colour) in record.names.iter_mut().zip(Colour::ALL) {
        let seat = game.seat_of(colour);
        let name = seat.and_then(|seat| scene.names.get(seat.index())?.clone());
        *kept = name.or(kept.take());
    }
    record
}
