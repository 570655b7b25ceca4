//! A table gone through again, for who asks.

use crate::hall::Hall;
use crate::http::{Answer, Asker, name_of};
use crate::{Front, blocking, now_ms, room};
use axum::Json as Body;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Path, Query, State};
use axum::response::{IntoResponse, Response};
use parlor_journal::entries;
use parlor_rules::{Refusal, Viewer};
use parlor_table::{Eyes, Replay as Seen};
use parlor_wire::{Listed, Replay, Scene};
use serde::Deserialize;
use std::sync::Arc;

/// How many scenes are told at once.
const SCENES: u32 = 500;

#[derive(Deserialize)]
pub(crate) struct Part {
    key: Option<String>,
    #[serde(default)]
    from: u32,
    to: Option<u32>,
}

pub(crate) async fn replay(
    State(front): State<Arc<Front>>,
    Path(table): Path<String>,
    part: Result<Query<Part>, QueryRejection>,
    asker: Asker,
) -> Answer<Response> {
    let malformed = |why: QueryRejection| Refusal::malformed(why.body_text());
    let Query(Part { key, from, to }) = part.map_err(malformed)?;
    let who = asker.at(&table)?;
    let listed = front.hall.look(&table, who, key).await?.listed;
    let most = from.saturating_add(SCENES);
    let to = to.unwrap_or(most).min(most);
    let hall = front.hall.clone();
    Ok(Body(blocking(move || hall.replay(listed, who, from, to)).await?).into_response())
}

impl Hall {
    /// The scenes with these numbers, as an account has seen them, or a watcher.
    fn replay(
        &self,
        listed: Listed,
        who: Option<u64>,
        from: u32,
        to: u32,
    ) -> Result<Replay, Refusal> {
        let name = name_of(&listed.table)?;
        let found = parlor_journal::hall::find(&*self.journal, self.games, &name)?;
        let header = found.created.header().map_err(|why| Refusal::new("bad_log", why))?;
        let keys = found.keys.ok_or_else(|| Refusal::new("erased", "its secrets are erased"))?;
        let until_ms = now_ms().saturating_sub(header.options.watch_delay_ms);
        let mut seen = Seen::open(found.game, &found.created.header, keys, Eyes::of(who))?;
        let (mut count, mut scenes) = (0, Vec::new());
        for stored in entries(&*self.journal, &name, 0) {
            let Some(scene) = seen.next(&stored?)? else { continue };
            // Watchers who are behind have not seen it yet.
            if scene.viewer == Viewer::Watcher && scene.at_ms > until_ms {
                continue;
            }
            if (from..to).contains(&count) {
                scenes.push(self.scene(scene));
            }
            count += 1;
        }
        let Listed { table, game, config, over, .. } = listed;
        Ok(Replay { table, game, config, over, from, count, scenes })
    }

    fn scene(&self, scene: parlor_table::Scene) -> Scene {
        let name = |number: u64| self.accounts.name(number).to_string();
        Scene {
            at_ms: scene.at_ms,
            you: match scene.viewer {
                Viewer::Seat(seat) => Some(seat.index() as u8),
                Viewer::Watcher => None,
            },
            chairs: scene.chairs.iter().map(|chair| room::sitting(chair, true, name)).collect(),
            sights: scene.sights,
            view: scene.view,
        }
    }
}
