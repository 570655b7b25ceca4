//! What has happened at a table: its log, its replay, its proof, its files.

use super::download::{Names, Next, Piecewise, from_log, whole, working};
use super::error::{Answer, ApiError};
use super::extract::{Caller, Key, Path, Query};
use super::tables::TablePath;
use crate::app::AppState;
use crate::table::{LookedAt, Part, seat_view};
use crate::{now_ms, refuse};
use aide::axum::ApiRouter;
use aide::axum::routing::get_with;
use axum::Json;
use axum::body::Body;
use axum::extract::State;
use axum::http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};
use parlor_journal::{Share, all_entries, entry_line, first_line, store};
use parlor_rules::{Refusal, Seat, Viewer};
use parlor_table::act::Entry;
use parlor_table::{Act, Chair, Desk, Eyes, Replay, Stored, TableId, Who};
use parlor_wire::dialect::{FileWriter, Happened, StoryHead};
use parlor_wire::{Listed, Scene};
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
    ) -> Result<LookedAt, Refusal> {
        let account = caller.at(table)?;
        self.tables.find(table).await?.look(account, key, Part::Summary).await
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

fn download(media_type: &str, name: &str, body: Body) -> Response {
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
    let id = app.finished(&caller, &table, key).await?;
    let range = units.range();
    let first = match range.start {
        0 => first_line(&*app.log, &id, Share::Public).await.map_err(journal)?,
        _ => String::new(),
    };
    let writer = Box::new(LogWriter { to: u64::from(range.end) });
    let from = u64::from(range.start);
    let body = from_log(app, caller.address, id, from, first, writer).await?;
    Ok(download("application/jsonl", &format!("{table}.jsonl"), body))
}

fn journal(error: parlor_journal::TransferError) -> Refusal {
    Refusal::new("journal", error.to_string())
}

/// Writes the public part of a log, line by line.
struct LogWriter {
    to: u64,
}

impl Piecewise for LogWriter {
    fn take(&mut self, entry: &Stored, _: &Names, out: &mut String) -> Result<Next, Refusal> {
        if entry.seq >= self.to {
            return Ok(Next::Nothing);
        }
        out.push_str(&entry_line(entry.clone(), Share::Public).map_err(journal)?);
        Ok(Next::Entries)
    }

    fn end(self: Box<Self>, _: &mut String) -> Result<(), Refusal> {
        Ok(())
    }
}

async fn proof(
    State(app): State<Arc<AppState>>,
    Path(TablePath { table }): Path<TablePath>,
    Query(Key { key }): Query<Key>,
    caller: Caller,
) -> Answer<Response> {
    let id = app.finished(&caller, &table, key).await?;
    let eyes = Eyes::of(caller.at(&table)?);
    let (proving, address) = (app.clone(), caller.address);
    let prove = async move {
        let app = proving;
        let found = store::find(&*app.log, app.games.find, &id).await?;
        let entries = all_entries(&*app.log, &id, 0).await?;
        let keys = found.keys.ok_or_else(erased)?;
        working(&app, move || {
            let header = &found.created.header;
            let proof = parlor_table::proof::prove(found.game, header, keys, &entries, eyes)?;
            Ok(parlor_rules::json(&proof).get().to_owned())
        })
        .await
    };
    Ok(json(whole(app, address, prove).await?))
}

fn erased() -> Refusal {
    Refusal::new("erased", "its secrets are erased")
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
    let id = id_of(&table)?;
    let found = store::find(&*app.log, app.games.find, &id).await?;
    let header = found.created.header().map_err(bad_log)?;
    let who = caller.signed_in.as_ref().map(|own| own.account.name.clone());
    let watches = who.is_none() || looked.seat.is_none();
    let delay_ms = if watches { header.options.watch_delay_ms } else { 0 };
    let head = StoryHead { table: table.clone(), config: header.config, seats: header.seats };
    let writer = StoryWriter {
        file: (file.open)(&head, who.as_deref(), units.range())?,
        until_ms: now_ms().saturating_sub(delay_ms),
    };
    let body = from_log(app, caller.address, id, 0, String::new(), Box::new(writer)).await?;
    Ok(download(file.media_type, &format!("{table}.{name}"), body))
}

/// Tells a file's writer what has happened; delayed spectators, as far as they have seen it.
struct StoryWriter {
    file: Box<dyn FileWriter>,
    until_ms: u64,
}

impl Piecewise for StoryWriter {
    fn take(&mut self, stored: &Stored, names: &Names, out: &mut String) -> Result<Next, Refusal> {
        let at_ms = stored.at_ms;
        if at_ms > self.until_ms {
            return Ok(Next::Nothing);
        }
        let Some(entry) = Entry::read(stored).map_err(bad_log)? else { return Ok(Next::Entries) };
        let seated = match entry.act {
            Act::Desk(Desk::Sit { seat, who: Who::Account(account), .. }) => {
                let Some(name) = names.get(&account) else { return Ok(Next::Name(account)) };
                Some(Happened::Sits { seat, name: Some(name.to_string()) })
            }
            Act::Desk(Desk::Sit { seat, who: Who::Bot(_), .. }) => {
                Some(Happened::Sits { seat, name: None })
            }
            Act::Desk(Desk::Rise { seat }) => Some(Happened::Rises { seat }),
            _ => None,
        };
        for happened in seated.into_iter().chain(entry.events.into_iter().map(Happened::Event)) {
            if let ControlFlow::Break(()) = self.file.happened(at_ms, happened, out)? {
                return Ok(Next::Nothing);
            }
        }
        Ok(Next::Entries)
    }

    fn end(self: Box<Self>, out: &mut String) -> Result<(), Refusal> {
        self.file.end(out)
    }
}

async fn replay(
    State(app): State<Arc<AppState>>,
    Path(TablePath { table }): Path<TablePath>,
    Query(Key { key }): Query<Key>,
    Query(units): Query<Units>,
    caller: Caller,
) -> Answer<Response> {
    let looked = app.look(&caller, &table, key).await?;
    let eyes = Eyes::of(caller.at(&table)?);
    let id = id_of(&table)?;
    let found = store::find(&*app.log, app.games.find, &id).await?;
    let header = found.created.header().map_err(bad_log)?;
    let keys = found.keys.ok_or_else(erased)?;
    let writer = ReplayWriter {
        replay: Replay::open(found.game, &found.created.header, keys, eyes)?,
        until_ms: now_ms().saturating_sub(header.options.watch_delay_ms),
        range: units.range(),
        count: 0,
        scene: None,
    };
    let first = replay_head(&looked.listed, writer.range.start);
    let body = from_log(app, caller.address, id, 0, first, Box::new(writer)).await?;
    Ok(json(body))
}

/// The fields of a replay before its scenes.
fn replay_head(listed: &Listed, from: u32) -> String {
    let Listed { table, game, config, over, .. } = listed;
    let (table, game) = (parlor_rules::json(table), parlor_rules::json(game));
    format!(
        r#"{{"table":{table},"game":{game},"config":{config},"over":{over},"from":{from},"scenes":["#
    )
}

/// Writes the scenes of a replay. Behind them stands how many there are, as far as was read: one more
/// than was asked for, if there are more.
struct ReplayWriter {
    replay: Replay,
    /// Until when delayed spectators have seen it.
    until_ms: u64,
    range: Range<u32>,
    count: u32,
    /// The scene of the entry that is taken again for the sake of a name.
    scene: Option<parlor_table::Scene>,
}

impl Piecewise for ReplayWriter {
    fn take(&mut self, entry: &Stored, names: &Names, out: &mut String) -> Result<Next, Refusal> {
        let scene = match self.scene.take() {
            Some(scene) => Some(scene),
            None => self.replay.next(entry)?,
        };
        let Some(scene) = scene else { return Ok(Next::Entries) };
        if scene.viewer == Viewer::Watcher && scene.at_ms > self.until_ms {
            return Ok(Next::Entries);
        }
        if self.range.contains(&self.count) {
            let unknown = scene.chairs.iter().find_map(|chair| match chair {
                Chair::Taken(Who::Account(account)) => {
                    (!names.contains_key(account)).then_some(*account)
                }
                _ => None,
            });
            if let Some(account) = unknown {
                self.scene = Some(scene);
                return Ok(Next::Name(account));
            }
            if self.count > self.range.start {
                out.push(',');
            }
            out.push_str(parlor_rules::json(&shown(scene, names)).get());
        }
        self.count += 1;
        Ok(if self.count > self.range.end { Next::Nothing } else { Next::Entries })
    }

    fn end(self: Box<Self>, out: &mut String) -> Result<(), Refusal> {
        out.push_str(&format!(r#"],"count":{}}}"#, self.count));
        Ok(())
    }
}

/// A scene as it is told.
fn shown(scene: parlor_table::Scene, names: &Names) -> Scene {
    let seat = |seat: Seat| seat.index() as u8;
    let name = |chair: &Chair| match chair {
        Chair::Taken(Who::Account(account)) => names.get(account).map(|name| &**name),
        _ => None,
    };
    Scene {
        at_ms: scene.at_ms,
        you: match scene.viewer {
            Viewer::Seat(own) => Some(seat(own)),
            Viewer::Watcher => None,
        },
        chairs: scene.chairs.iter().map(|chair| seat_view(chair, name(chair), true)).collect(),
        sights: scene.sights,
        view: scene.view,
    }
}
