//! What whoever runs the server can ask.

use super::error::Answer;
use super::extract::{Admin, Body, Path};
use super::tables::TablePath;
use crate::app::AppState;
use axum::extract::State;
use axum::http::StatusCode;
use axum::routing::{get, post};
use axum::{Json, Router};
use parlor_rules::{Chips, Refusal, Unit};
use parlor_wire::Listed;
use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::Arc;

pub(super) fn routes() -> Router<Arc<AppState>> {
    Router::new()
        .route("/admin/status", get(status))
        .route("/admin/tables", get(tables))
        .route("/admin/tables/{table}/close", post(close))
        .route("/admin/accounts/{name}/revoke", post(revoke))
        .route("/admin/accounts/{name}/grant", post(grant))
}

async fn status(State(app): State<Arc<AppState>>, _: Admin) -> Json<Value> {
    Json(json!({
        "ready": app.log.health() == parlor_journal::Health::Healthy,
        "accounts": app.accounts.count().await,
        "tables": app.tables.count(),
        "waiting": app.queue.len(),
        "connections": app.metrics.connections.get(),
    }))
}

async fn tables(State(app): State<Arc<AppState>>, _: Admin) -> Json<Vec<Listed>> {
    Json(app.tables.filter_map(|table| Some(table.summary().listed(&table.info))))
}

async fn close(
    State(app): State<Arc<AppState>>,
    Path(TablePath { table }): Path<TablePath>,
    _: Admin,
) -> Answer<StatusCode> {
    app.tables.find(&table).await?.close().await?;
    tracing::info!(table, "closed by the admin");
    Ok(StatusCode::NO_CONTENT)
}

#[derive(Deserialize)]
struct AccountPath {
    name: String,
}

async fn revoke(
    State(app): State<Arc<AppState>>,
    Path(AccountPath { name }): Path<AccountPath>,
    _: Admin,
) -> Answer<Json<Value>> {
    let account = app.accounts.by_name(&name).await?.number;
    let tokens = app.accounts.revoke_all(account).await?;
    app.connections.revoke_account(account);
    tracing::info!(account, tokens, "revoked by the admin");
    Ok(Json(json!({ "tokens": tokens })))
}

/// What the house gives.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Grant {
    unit: Unit,
    amount: Chips,
}

async fn grant(
    State(app): State<Arc<AppState>>,
    Path(AccountPath { name }): Path<AccountPath>,
    _: Admin,
    Body(body): Body,
) -> Answer<Json<Value>> {
    let Grant { unit, amount } =
        serde_json::from_slice(&body).map_err(|error| Refusal::malformed(error.to_string()))?;
    let account = app.accounts.by_name(&name).await?.number;
    app.bank.grant(unit, account, amount).await?;
    tracing::info!(account, ?unit, %amount, "granted by the admin");
    Ok(Json(json!({ "balance": app.bank.balance(unit, account).await? })))
}
