//! A table gone through again, as one person has seen it.

use crate::act::{Chair, Who};
use crate::log::Stored;
use crate::table::{Keys, Table};
use parlor_rules::{AnyGame, Json, Refusal, Seat, Viewer};

/// What a person saw at one moment.
#[derive(Clone, Debug)]
pub struct Scene {
    /// When, in milliseconds since 1970.
    pub at_ms: u64,
    /// With which eyes: those of the chair the person had then, or a watcher's.
    pub viewer: Viewer,
    /// Who sat where.
    pub chairs: Vec<Chair>,
    /// What was seen to happen.
    pub sights: Vec<Json>,
    /// All there was to see then.
    pub view: Json,
}

/// Goes through a log with the eyes of one person, or of a watcher.
pub struct Replay {
    table: Table,
    who: Option<u64>,
    last: Json,
}

impl Replay {
    /// At the beginning of a log. `who` is the account of the person; none: nobody with a chair.
    pub fn open(
        game: &dyn AnyGame,
        header: &str,
        keys: Keys,
        who: Option<u64>,
    ) -> Result<Self, Refusal> {
        let table = Table::at_header(game, header, keys, 0)?;
        let last = table.view(Viewer::Watcher);
        Ok(Self { table, who, last })
    }

    /// Goes on by an entry. Nothing if the person saw nothing of it: that it is there at all may
    /// be a secret.
    pub fn next(&mut self, stored: &Stored) -> Result<Option<Scene>, Refusal> {
        let flight = self.table.read(stored)?;
        let sights = self.table.land(flight);
        let viewer = self.viewer();
        let seen = Viewer::all(self.table.header().seats).position(|other| other == viewer);
        let sights = seen.and_then(|at| sights.into_iter().nth(at)).unwrap_or_default();
        let sights: Vec<Json> = sights.into_iter().flatten().collect();
        let view = self.table.view(viewer);
        if sights.is_empty() && view.get() == self.last.get() {
            return Ok(None);
        }
        self.last = view.clone();
        let chairs = self.table.chairs().to_vec();
        Ok(Some(Scene { at_ms: stored.at_ms, viewer, chairs, sights, view }))
    }

    fn viewer(&self) -> Viewer {
        let mine = |chair: &Chair| match chair {
            Chair::Taken(Who::Account(number)) => Some(*number) == self.who,
            _ => false,
        };
        let at = self.table.chairs().iter().position(mine);
        at.map_or(Viewer::Watcher, |at| Viewer::Seat(Seat::new(at as u8)))
    }
}
