//! What has happened at a table: its log, its replay, its proof, its files.

use super::download::{Download, download};
use super::error::{Answer, ApiError};
use super::extract::{Caller, Key, Path, Query};
use super::tables::TablePath;
use crate::app::AppState;
use crate::now_ms;
use aide::axum::ApiRouter;
use aide::axum::routing::get_with;
use axum::Json;
use axum::body::Body;
use axum::extract::State;
use axum::http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};
use parlor_host::{Overview, seat_view};
use parlor_journal::{Share, TransferError, all_entries, entry_line, first_line, store};
use parlor_rules::{Refusal, Viewer, refuse};
use parlor_table::act::Entry;
use parlor_table::{Act, Chair, Desk, Eyes, Replay, Scene, TableId, Who};
use parlor_wire::Listed;
use parlor_wire::dialect::{Happened, StoryHead};
use schemars::JsonSchema;
use serde::Deserialize;
use std::ops::{ControlFlow, Range};
use std::sync::Arc;

pub(super) fn routes() -> ApiRouter<Arc<AppState>> {
    ApiRouter::new()
        .api_route(
            "/api/tables/{table}/replay",
            get_with(replay, |op| {
                op.summary("What you have seen of it, scene by scene")
                    .response::<200, Json<parlor_wire::Replay>>()
            }),
        )
        .api_route(
            "/api/tables/{table}/log",
            get_with(log, |op| {
                op.summary("The log of a table that is over").response::<200, String>()
            }),
        )
        .api_route(
            "/api/tables/{table}/proof",
            get_with(proof, |op| {
                op.summary("What proves its dice and cards, once it is over")
                    .response::<200, Json<serde_json::Value>>()
            }),
        )
        .api_route(
            "/api/tables/{table}/files/{name}",
            get_with(file, |op| {
                op.summary("A file of a table: its hands, its games").response::<200, String>()
            }),
        )
}

/// The part of an answer that is asked for.
#[derive(Deserialize, JsonSchema)]
struct Units {
    /// The first scene, entry, hand, game or round, from 0
    #[serde(default)]
    from: u32,
    /// The one behind the last; all if it is not said
    to: Option<u32>,
}

impl Units {
    fn range(&self) -> Range<u32> {
        self.from..self.to.unwrap_or(u32::MAX)
    }
}

impl AppState {
    async fn look(
        &self,
        caller: &Caller,
        table: &str,
        key: Option<String>,
    ) -> Result<Overview, Refusal> {
        let account = caller.at(table)?;
        self.tables.find(table).await?.overview(account, key).await
    }

    /// The name of a table that is over, for whoever may see it.
    async fn finished(
        &self,
        caller: &Caller,
        table: &str,
        key: Option<String>,
    ) -> Result<TableId, Refusal> {
        let looked = self.look(caller, table, key).await?;
        if !looked.listed.over {
            return refuse("not_over", "this can be had when the game is over");
        }
        id_of(table)
    }
}

fn id_of(table: &str) -> Result<TableId, Refusal> {
    table.parse().map_err(|why: &str| Refusal::malformed(why.to_owned()))
}

fn bad_log(why: String) -> Refusal {
    Refusal::new("bad_log", why)
}

fn erased() -> Refusal {
    Refusal::new("erased", "its secrets are erased")
}

fn unwritten(error: TransferError) -> Refusal {
    Refusal::new("journal", error.to_string())
}

fn named(media_type: &str, name: &str, body: Body) -> Response {
    let named = format!("attachment; filename=\"{name}\"");
    ([(CONTENT_TYPE, media_type), (CONTENT_DISPOSITION, &named)], body).into_response()
}

fn json(body: Body) -> Response {
    ([(CONTENT_TYPE, "application/json")], body).into_response()
}

async fn log(
    State(app): State<Arc<AppState>>,
    Path(TablePath { table }): Path<TablePath>,
    Query(Key { key }): Query<Key>,
    Query(units): Query<Units>,
    caller: Caller,
) -> Answer<Response> {
    let (id, range) = (app.finished(&caller, &table, key).await?, units.range());
    let body = download(app, caller.address, move |out| {
        if range.start == 0 {
            let first = out.wait(first_line(&*out.app.log, &id, Share::Public));
            out.text.push_str(&first.map_err(unwritten)?);
        }
        out.each_entry(&id, range.start.into(), |out, entry| {
            if entry.seq >= range.end.into() {
                return Ok(ControlFlow::Break(()));
            }
            out.text.push_str(&entry_line(entry, Share::Public).map_err(unwritten)?);
            Ok(ControlFlow::Continue(()))
        })
    });
    Ok(named("application/jsonl", &format!("{table}.jsonl"), body.await?))
}

async fn proof(
    State(app): State<Arc<AppState>>,
    Path(TablePath { table }): Path<TablePath>,
    Query(Key { key }): Query<Key>,
    caller: Caller,
) -> Answer<Response> {
    let id = app.finished(&caller, &table, key).await?;
    let eyes = Eyes::of(caller.at(&table)?);
    let body = download(app, caller.address, move |out| {
        let found = out.wait(store::find(&*out.app.log, out.app.games.find, &id))?;
        let entries = out.wait(all_entries(&*out.app.log, &id, 0))?;
        let keys = found.keys.ok_or_else(erased)?;
        let _turn = out.turn();
        let header = &found.created.header;
        let proof = parlor_table::proof::prove(found.game, header, keys, &entries, eyes)?;
        out.text.push_str(parlor_rules::json(&proof).get());
        Ok(())
    });
    Ok(json(body.await?))
}

#[derive(Deserialize, JsonSchema)]
struct FilePath {
    table: String,
    name: String,
}

async fn file(
    State(app): State<Arc<AppState>>,
    Path(FilePath { table, name }): Path<FilePath>,
    Query(Key { key }): Query<Key>,
    Query(units): Query<Units>,
    caller: Caller,
) -> Answer<Response> {
    let looked = app.look(&caller, &table, key).await?;
    let Some(file) = app.games.dialects.file(&looked.listed.game, &name) else {
        return Err(ApiError::new("no_such_file", "tables of this game have no such file"));
    };
    let (id, told) = (id_of(&table)?, table.clone());
    let who = caller.signed_in.as_ref().map(|own| own.account.name.clone());
    let spectator = who.is_none() || looked.seat.is_none();
    let body = download(app, caller.address, move |out| {
        let found = out.wait(store::find(&*out.app.log, out.app.games.find, &id))?;
        let header = found.created.header().map_err(bad_log)?;
        let delay_ms = if spectator { header.options.watch_delay_ms } else { 0 };
        let until_ms = now_ms().saturating_sub(delay_ms);
        let head = StoryHead { table: told, config: header.config, seats: header.seats };
        let mut writer = (file.open)(&head, who.as_deref(), units.range())?;
        out.each_entry(&id, 0, |out, stored| {
            if stored.at_ms > until_ms {
                return Ok(ControlFlow::Break(()));
            }
            let Some(entry) = Entry::read(&stored).map_err(bad_log)? else {
                return Ok(ControlFlow::Continue(()));
            };
            let seated = seated(out, &entry.act);
            let events = entry.events.into_iter().map(Happened::Event);
            for happened in seated.into_iter().chain(events) {
                if writer.happened(stored.at_ms, happened, &mut out.text)?.is_break() {
                    return Ok(ControlFlow::Break(()));
                }
            }
            Ok(ControlFlow::Continue(()))
        })?;
        Ok(writer.end(&mut out.text)?)
    });
    Ok(named(file.media_type, &format!("{table}.{name}"), body.await?))
}

/// What an entry says of the seats, as files are told it.
fn seated(out: &Download, act: &Act) -> Option<Happened> {
    match act {
        Act::Desk(Desk::Sit { seat, who, .. }) => {
            let name = match who {
                Who::Account(account) => Some(out.name(*account).to_string()),
                Who::Bot(_) => None,
            };
            Some(Happened::Sits { seat: *seat, name })
        }
        Act::Desk(Desk::Rise { seat }) => Some(Happened::Rises { seat: *seat }),
        _ => None,
    }
}

/// The scenes of a table, and behind them how many there are, as far as was read: one more than was
/// asked for, if there are more.
async fn replay(
    State(app): State<Arc<AppState>>,
    Path(TablePath { table }): Path<TablePath>,
    Query(Key { key }): Query<Key>,
    Query(units): Query<Units>,
    caller: Caller,
) -> Answer<Response> {
    let looked = app.look(&caller, &table, key).await?;
    let (id, eyes) = (id_of(&table)?, Eyes::of(caller.at(&table)?));
    let body = download(app, caller.address, move |out| {
        let found = out.wait(store::find(&*out.app.log, out.app.games.find, &id))?;
        let delay_ms = found.created.header().map_err(bad_log)?.options.watch_delay_ms;
        let until_ms = now_ms().saturating_sub(delay_ms);
        let keys = found.keys.ok_or_else(erased)?;
        let mut replay = Replay::open(found.game, &found.created.header, keys, eyes)?;
        let (range, mut count) = (units.range(), 0);
        out.text.push_str(&replay_head(&looked.listed, range.start));
        out.each_entry(&id, 0, |out, stored| {
            let Some(scene) = replay.next(&stored)? else {
                return Ok(ControlFlow::Continue(()));
            };
            if scene.viewer == Viewer::Watcher && scene.at_ms > until_ms {
                return Ok(ControlFlow::Continue(()));
            }
            if range.contains(&count) {
                out.text.push_str(if count > range.start { "," } else { "" });
                let shown = shown(out, scene);
                out.text.push_str(parlor_rules::json(&shown).get());
            }
            count += 1;
            Ok(if count > range.end { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
        })?;
        out.text.push_str(&format!(r#"],"count":{count}}}"#));
        Ok(())
    });
    Ok(json(body.await?))
}

/// The fields of a replay before its scenes.
fn replay_head(listed: &Listed, from: u32) -> String {
    let Listed { table, game, config, over, .. } = listed;
    let (table, game) = (parlor_rules::json(table), parlor_rules::json(game));
    format!(
        r#"{{"table":{table},"game":{game},"config":{config},"over":{over},"from":{from},"scenes":["#
    )
}

/// A scene as it is told.
fn shown(out: &Download, scene: Scene) -> parlor_wire::Scene {
    let Scene { at_ms, viewer, chairs, sights, view } = scene;
    let chair = |chair: &Chair| {
        let name = match chair {
            Chair::Taken(Who::Account(account)) => Some(out.name(*account)),
            _ => None,
        };
        seat_view(chair, name.as_deref(), true)
    };
    let you = match viewer {
        Viewer::Seat(own) => Some(own.index() as u8),
        Viewer::Watcher => None,
    };
    parlor_wire::Scene { at_ms, you, chairs: chairs.iter().map(chair).collect(), sights, view }
}
