//! The files of a game: SGF and Piskvork's.

use super::{PLAIN, Scene, until};
use parlor_rules::series::Told;
use parlor_rules::{Refusal, Rules, Series};
use parlor_rules_gomoku::board::Colour;
use parlor_rules_gomoku::event::Event;
use parlor_rules_gomoku::record::{FormatError, Record};
use parlor_rules_gomoku::{Gomoku, psq, sgf};
use parlor_wire::dialect::{File, FileWriter, Happened, StoryHead};
use std::ops::{ControlFlow, Range};

type Match = Series<Gomoku>;

/// All games, one behind the other.
pub(super) const SGF: File = File {
    name: "sgf",
    game: Match::KEY,
    media_type: "application/x-go-sgf",
    open: |head, _, games| Ok(Box::new(All(Games::open(head, games)?))),
};

/// The last game: such a file holds one.
pub(super) const PSQ: File = File {
    name: "psq",
    game: Match::KEY,
    media_type: PLAIN,
    open: |head, _, games| Ok(Box::new(Last { games: Games::open(head, games)?, last: None })),
};

/// Each game as soon as it is over, at the end the one in play.
struct All(Games);

impl FileWriter for All {
    fn happened(
        &mut self,
        at_ms: u64,
        what: Happened,
        out: &mut String,
    ) -> Result<ControlFlow<()>, Refusal> {
        out.extend(self.0.next(at_ms, what)?.as_ref().map(sgf::write));
        Ok(self.0.flow())
    }

    fn end(self: Box<Self>, out: &mut String) -> Result<(), Refusal> {
        out.extend(self.0.in_play().as_ref().map(sgf::write));
        Ok(())
    }
}

/// Which game is the last is known at the end; until then the last that is over is kept.
struct Last {
    games: Games,
    last: Option<Record>,
}

impl FileWriter for Last {
    fn happened(
        &mut self,
        at_ms: u64,
        what: Happened,
        _: &mut String,
    ) -> Result<ControlFlow<()>, Refusal> {
        self.last = self.games.next(at_ms, what)?.or(self.last.take());
        Ok(self.games.flow())
    }

    fn end(self: Box<Self>, out: &mut String) -> Result<(), Refusal> {
        let none = || Refusal::new("no_record", "no game was played here");
        let no = |error: FormatError| Refusal::new("no_record", error.to_string());
        let last = self.games.in_play().or(self.last).ok_or_else(none)?;
        *out += &psq::write(&last).map_err(no)?;
        Ok(())
    }
}

/// The games of a table, one after the other.
struct Games {
    scene: Scene<Match>,
    /// Which of them are wanted.
    wanted: Range<u32>,
    /// How many are over.
    over: u32,
    /// Who sat where at the last event of the game in play; none if there is no such game.
    names: Option<Vec<Option<String>>>,
}

impl Games {
    fn open(head: &StoryHead, wanted: Range<u32>) -> Result<Self, Refusal> {
        Ok(Self { scene: Scene::open(head)?, wanted, over: 0, names: None })
    }

    /// Takes the next thing that has happened; the game that is over with it, if it is wanted.
    fn next(&mut self, at_ms: u64, what: Happened) -> Result<Option<Record>, Refusal> {
        let Some(Told::Game(event)) = self.scene.next(at_ms, what)? else { return Ok(None) };
        self.names.get_or_insert_default().clone_from(&self.scene.names);
        if !matches!(event, Event::Finished { .. }) {
            return Ok(None);
        }
        let record = self.in_play();
        self.names = None;
        self.over += 1;
        Ok(record)
    }

    /// The game in play, if it is wanted, with the names of those who play it.
    fn in_play(&self) -> Option<Record> {
        let names = self.names.as_ref().filter(|_| self.wanted.contains(&self.over))?;
        let game = self.scene.state.game();
        let mut record = Record::of(game);
        for (kept, colour) in record.names.iter_mut().zip(Colour::ALL) {
            let seat = game.seat_of(colour);
            let name = seat.and_then(|seat| names.get(seat.index())?.clone());
            *kept = name.or(kept.take());
        }
        Some(record)
    }

    fn flow(&self) -> ControlFlow<()> {
        until(self.over >= self.wanted.end)
    }
}
