//! A table gone through again, as one person has seen it.

use crate::act::{Chair, Who};
use crate::keys::Keys;
use crate::log::Stored;
use crate::table::Table;
use parlor_rules::{AnyGame, Json, Refusal, Seat, Viewer};

/// With whose eyes a table is gone through again.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Eyes {
    /// Those of a chair, whoever sits there, or a watcher's.
    Of(Viewer),
    /// Those of the chair that an account has at each moment: no chair shows what was there before
    /// the person came. A watcher's while it has none.
    Account(u64),
}

impl Eyes {
    /// Those of somebody with this account; of a watcher without one.
    pub fn of(account: Option<u64>) -> Self {
        account.map_or(Self::Of(Viewer::Watcher), Self::Account)
    }

    /// Which of its audiences these eyes are in, as a table stands.
    pub(crate) fn at(self, table: &Table) -> Viewer {
        let own = match self {
            Self::Of(viewer) => return viewer,
            Self::Account(number) => Chair::Taken(Who::Account(number)),
        };
        let at = table.chairs().iter().position(|chair| *chair == own);
        at.map_or(Viewer::Watcher, |at| Viewer::Seat(Seat::new(at as u8)))
    }
}

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

/// Goes through a log with somebody's eyes.
pub struct Replay {
    table: Table,
    eyes: Eyes,
    last: Json,
}

impl Replay {
    /// At the beginning of a log.
    pub fn open(game: &dyn AnyGame, header: &str, keys: Keys, eyes: Eyes) -> Result<Self, Refusal> {
        let table = Table::at_header(game, header, keys, 0)?;
        let last = table.state().view(Viewer::Watcher);
        Ok(Self { table, eyes, last })
    }

    /// Goes on by an entry. Nothing if the person saw nothing of it: that it is there at all may
    /// be a secret.
    pub fn next(&mut self, stored: &Stored) -> Result<Option<Scene>, Refusal> {
        let mut decision = self.table.read(stored)?;
        let sights = std::mem::take(&mut decision.entered.sights);
        self.table.land(decision);
        let viewer = self.eyes.at(&self.table);
        let seen = Viewer::all(self.table.header().seats).position(|other| other == viewer);
        // Where all see the same, it is there once.
        let own = |at| sights.by_viewer().nth(at).unwrap_or(sights.watched());
        let own = seen.map(own).unwrap_or_default();
        let sights: Vec<Json> = own.iter().flatten().cloned().collect();
        let view = self.table.state().view(viewer);
        if sights.is_empty() && view.get() == self.last.get() {
            return Ok(None);
        }
        self.last = view.clone();
        let chairs = self.table.chairs().to_vec();
        Ok(Some(Scene { at_ms: stored.at_ms, viewer, chairs, sights, view }))
    }
}
