//! Tables as somebody sees them, and as documents.

use super::error::Answer;
use super::extract::{Body, Caller, Key, Path, Query};
use super::openapi::needs_token;
use crate::app::AppState;
use crate::ended;
use aide::axum::ApiRouter;
use aide::axum::routing::get_with;
use axum::Json;
use axum::extract::State;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use parlor_accounts::Authenticated;
use parlor_host::{Overview, SeatRequest, TableDocument};
use parlor_rules::{Json as Written, Refusal, refuse};
use parlor_table::Stamp;
use parlor_wire::dialect::{Stand, Wanted};
use parlor_wire::{Listed, Tell};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;
use std::sync::Arc;

pub(super) fn routes() -> ApiRouter<Arc<AppState>> {
    ApiRouter::new()
        .api_route(
            "/api/tables",
            get_with(tables, |op| {
                op.summary("The tables of the lobby").response::<200, Json<Vec<Listed>>>()
            }),
        )
        .api_route("/api/tables/{table}", get_with(table, |op| op.summary("A table as you see it")))
        .api_route(
            "/api/tables/{table}/{document}",
            get_with(document, |op| {
                needs_token(op)
                    .summary("A table as a document, as you may see it")
                    .response::<200, Json<Value>>()
            })
            .post_with(merge, |op| {
                needs_token(op)
                    .summary("The document as you have changed it; the merged one comes back")
                    .input::<Json<Value>>()
                    .response::<200, Json<Value>>()
            }),
        )
}

/// JSON that is written already.
fn written(json: &Written) -> Response {
    ([(CONTENT_TYPE, "application/json")], json.get().to_owned()).into_response()
}

async fn tables(State(app): State<Arc<AppState>>, _caller: Caller) -> Response {
    written(&app.lobby.page())
}

#[derive(Deserialize, JsonSchema)]
pub(super) struct TablePath {
    pub(super) table: String,
}

/// A table as somebody sees it.
#[derive(Serialize, JsonSchema)]
struct Shown {
    #[serde(flatten)]
    listed: Listed,
    /// The own chair; none for a watcher
    you: Option<u8>,
    /// How it stands
    update: Option<Tell>,
}

async fn table(
    State(app): State<Arc<AppState>>,
    Path(TablePath { table }): Path<TablePath>,
    Query(Key { key }): Query<Key>,
    caller: Caller,
) -> Answer<Json<Shown>> {
    let account = caller.at(&table)?;
    let handle = app.tables.find(&table).await?;
    let (Overview { seat, listed }, update) = handle.shown(account, key).await?;
    Ok(Json(Shown { listed, you: seat.map(|seat| seat.index() as u8), update }))
}

#[derive(Deserialize, JsonSchema)]
struct DocumentPath {
    table: String,
    document: String,
}

/// The table as a document is given it, and the key of its game.
async fn stand(
    app: &AppState,
    table: &str,
    me: &Authenticated,
) -> Result<(String, Stand), Refusal> {
    let handle = app.tables.find(table).await?;
    let TableDocument { doc, names } = handle.document(me.account.number).await?;
    let (table, config) = (table.to_owned(), handle.info.config.clone());
    let stand = Stand { table, config, doc, names, who: me.account.name.clone() };
    Ok((handle.info.game.clone(), stand))
}

async fn document(
    State(app): State<Arc<AppState>>,
    Path(DocumentPath { table, document }): Path<DocumentPath>,
    caller: Caller,
) -> Answer<Response> {
    let me = caller.signed_in_at(&table)?;
    let (game, stand) = stand(&app, &table, &me).await?;
    let document = app.games.document(&game, &document)?;
    Ok(written(&(document.view)(&stand)?))
}

/// Takes a changed document: what its author wants is entered, and the document as it is then is the
/// answer.
async fn merge(
    State(app): State<Arc<AppState>>,
    Path(DocumentPath { table, document }): Path<DocumentPath>,
    caller: Caller,
    Body(body): Body,
) -> Answer<Response> {
    let me = caller.signed_in_at(&table)?;
    let incoming: Box<RawValue> =
        serde_json::from_slice(&body).map_err(|error| Refusal::malformed(error.to_string()))?;
    // What was begun is done to its end, also when the client hangs up.
    let merging =
        tokio::spawn(async move { merged(&app, &table, &document, &me, &incoming).await });
    Ok(written(&ended(merging).await?))
}

async fn merged(
    app: &AppState,
    table: &str,
    document: &str,
    me: &Authenticated,
    incoming: &RawValue,
) -> Result<Written, Refusal> {
    let (game, before) = stand(app, table, me).await?;
    let document = app.games.document(&game, document)?;
    let account = me.account.number;
    let balance = app.bank.balance(app.games.rules(&game)?.unit(), account).await?;
    for wanted in (document.merge)(&before, incoming, balance)? {
        match wanted {
            Wanted::Join { .. } if me.table.is_some() => {
                let text = "this token is for one chair: it brings no chips to another";
                return refuse("seat_only", text);
            }
            Wanted::Join { seat, chips } => {
                let seat = seat.map(|seat| seat.index() as u8);
                let request = SeatRequest { seat, chips: Some(chips), ..SeatRequest::default() };
                app.seats.sit(table, account, request).await?;
            }
            Wanted::Command(command) => {
                app.tables.find(table).await?.play(account, command, Stamp::default()).await?;
            }
        }
    }
    let (_, after) = stand(app, table, me).await?;
    (document.view)(&after)
}
