//! Snapshots of a table: a cache of what its log says.

use super::{Table, corrupt};
use crate::act::Chair;
use crate::fair::{Chance, ChanceState};
use crate::ids::Ids;
use crate::keys::Keys;
use crate::log::{Stored, Tail};
use crate::position::Position;
use crate::time::Times;
use parlor_rules::{AnyGame, Json, Refusal, text};
use serde::{Deserialize, Serialize};

/// A position and the ids that led there, as written.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Snapshot {
    tail: Tail,
    state: Json,
    chance: ChanceState,
    chairs: Vec<Chair>,
    times: Times,
    at_ms: u64,
    ids: Ids,
}

impl Table {
    /// Everything that is needed to go on from here without the entries so far.
    pub fn snapshot(&self) -> String {
        let snapshot = Snapshot {
            tail: self.now.tail,
            state: self.now.state.doc(),
            chance: self.now.chance.state().clone(),
            chairs: self.now.chairs.to_vec(),
            times: self.now.times.clone(),
            at_ms: self.now.at_ms,
            ids: self.ids.clone(),
        };
        text(&snapshot)
    }

    /// A table from a snapshot, the end of the log it must belong to, and the entries after it; see
    /// [`Table::recover`].
    pub fn restore<'a>(
        game: &dyn AnyGame,
        header: &str,
        keys: Keys,
        snapshot: (&str, Tail),
        entries: impl IntoIterator<Item = &'a Stored>,
        epoch: u32,
        now_ms: u64,
    ) -> Result<Self, Refusal> {
        let mut table = Self::at_header(game, header, keys, epoch)?.with_its_secret()?;
        let (text, tail) = snapshot;
        let snapshot: Snapshot = serde_json::from_str(text).map_err(corrupt)?;
        if snapshot.tail != tail {
            return Err(Refusal::new("bad_log", "the snapshot is of another log"));
        }
        let state = game.load(&table.header.config, &snapshot.state)?;
        let (name, deck) = (table.header.table.clone(), state.deck());
        table.now = Box::new(Position {
            chance: Chance::resume(name, keys, deck, snapshot.chance),
            tail: snapshot.tail,
            chairs: snapshot.chairs.into(),
            times: snapshot.times,
            at_ms: snapshot.at_ms,
            pending: state.pending(),
            state: state.into(),
        });
        table.ids = snapshot.ids;
        table.replay(entries, now_ms)
    }
}
