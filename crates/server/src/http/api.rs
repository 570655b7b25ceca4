//! Games, players, and everything that can be said without a socket.

use super::error::{Answer, ApiError, status};
use super::extract::{Body, Caller, Path};
use super::openapi::needs_token;
use crate::app::AppState;
use crate::session::Session;
use crate::{ended, now_ms};
use aide::axum::ApiRouter;
use aide::axum::routing::{get_with, post_with};
use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use parlor_rules::Refusal;
use parlor_wire::{Game, Leader, Me, Played, Player, Request, Tell};
use schemars::JsonSchema;
use serde::Deserialize;
use std::sync::Arc;

/// How many places a leaderboard has, and how many games a page of a history.
const LEADERS: usize = 100;
const GAMES: usize = 100;

pub(super) fn routes() -> ApiRouter<Arc<AppState>> {
    ApiRouter::new()
        .api_route(
            "/healthz",
            get_with(async || "ok\n", |op| op.summary("Whether the server runs")),
        )
        .api_route(
            "/readyz",
            get_with(ready, |op| {
                op.summary("Whether moves can be stored").response::<200, String>()
            }),
        )
        .api_route(
            "/metrics",
            get_with(metrics, |op| op.summary("Counts for Prometheus").response::<200, String>()),
        )
        .api_route("/api/games", get_with(games, |op| op.summary("The games that are hosted")))
        .api_route(
            "/api/say",
            post_with(say, |op| {
                op.summary(
                    "Anything a WebSocket can say and that needs none to be answered, with an `id`",
                )
                .input::<Json<Request>>()
                .response::<200, Json<Tell>>()
            }),
        )
        .api_route("/api/me", get_with(me, |op| needs_token(op).summary("Your account")))
        .api_route(
            "/api/me/history",
            get_with(history, |op| needs_token(op).summary("The tables you have played")),
        )
        .api_route(
            "/api/players/{name}",
            get_with(player, |op| op.summary("What everyone may know of somebody")),
        )
        .api_route(
            "/api/leaderboards/{game}/{set}",
            get_with(leaders, |op| op.summary("The best under a rule set")),
        )
}

async fn ready(State(app): State<Arc<AppState>>) -> Response {
    match app.log.health() {
        parlor_journal::Health::Healthy => "ready\n".into_response(),
        parlor_journal::Health::Paused { .. } => {
            (StatusCode::SERVICE_UNAVAILABLE, "moves cannot be stored just now\n").into_response()
        }
    }
}

async fn metrics(State(app): State<Arc<AppState>>) -> Response {
    app.metrics.tables.set(app.tables.count() as i64);
    app.metrics.waiting.set(app.queue.len() as i64);
    let kind = "application/openmetrics-text; version=1.0.0; charset=utf-8";
    ([(CONTENT_TYPE, kind)], app.metrics.text()).into_response()
}

async fn games(State(app): State<Arc<AppState>>, _caller: Caller) -> Answer<Json<Vec<Game>>> {
    Ok(Json(app.games.listed()?))
}

/// Answers anything that can be said over a socket and needs none to be answered.
async fn say(
    State(app): State<Arc<AppState>>,
    caller: Caller,
    Body(body): Body,
) -> Answer<Response> {
    if body.len() > parlor_wire::LONGEST {
        return Err(ApiError::new("too_long", "a message has at most 4096 bytes"));
    }
    let text = std::str::from_utf8(&body).map_err(|e| Refusal::malformed(e.to_string()))?;
    let request = Request::read(text)?;
    if let Ok(account) = caller.account()
        && !app.limits.messages.allows(&account)
    {
        return Err(ApiError::new("slow_down", "too many messages; wait a second"));
    }
    let mut session = Session::new(app, caller.address, None, None);
    if let Some(signed_in) = caller.signed_in {
        session.sign_in(signed_in);
    }
    // What was begun is done to its end, also when the client hangs up.
    let answering = tokio::spawn(async move { Ok(session.answer(request).await) });
    let tell = ended(answering).await?;
    let status = match &tell {
        Tell::Refused { code, .. } => status(code),
        _ => StatusCode::OK,
    };
    Ok((status, Json(tell)).into_response())
}

async fn me(State(app): State<Arc<AppState>>, caller: Caller) -> Answer<Json<Me>> {
    let account = app.accounts.account(caller.account()?).await?;
    Ok(Json(app.results.me(&account, now_ms()).await?))
}

async fn history(State(app): State<Arc<AppState>>, caller: Caller) -> Answer<Json<Vec<Played>>> {
    Ok(Json(app.results.history(caller.account()?, GAMES).await?))
}

#[derive(Deserialize, JsonSchema)]
struct PlayerPath {
    name: String,
}

async fn player(
    State(app): State<Arc<AppState>>,
    Path(PlayerPath { name }): Path<PlayerPath>,
    _caller: Caller,
) -> Answer<Json<Player>> {
    Ok(Json(app.results.known(&name, GAMES, now_ms()).await?))
}

#[derive(Deserialize, JsonSchema)]
struct LeadersPath {
    game: String,
    set: String,
}

async fn leaders(
    State(app): State<Arc<AppState>>,
    Path(LeadersPath { game, set }): Path<LeadersPath>,
    _caller: Caller,
) -> Answer<Json<Vec<Leader>>> {
    app.games.rules(&game)?;
    Ok(Json(app.results.leaders(&game, &set, LEADERS, now_ms()).await?))
}
