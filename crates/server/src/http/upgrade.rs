//! How a request becomes a WebSocket.

use super::LONGEST_DOCUMENT;
use super::error::{Answer, ApiError};
use super::extract::{Caller, Path};
use crate::app::AppState;
use crate::connection;
use axum::Router;
use axum::extract::State;
use axum::extract::ws::WebSocketUpgrade;
use axum::extract::ws::rejection::WebSocketUpgradeRejection;
use axum::response::Response;
use axum::routing::get;
use parlor_wire::dialect::Socket;
use serde::Deserialize;
use std::sync::Arc;

/// What a connection reads at once: most messages are a move. The library fills so much with zeros
/// before every read; its own size would cost 128 KiB a connection.
const READ: usize = 512;

/// What a connection writes at once.
const WRITE: usize = 4 * 1024;

/// What waits for a client that does not read, beside its outbox: the longest message.
const MOST_UNSENT: usize = 1024 * 1024;

pub(super) fn routes() -> Router<Arc<AppState>> {
    Router::new().route("/ws", get(native)).route("/ws/{dialect}", get(in_dialect))
}

type Upgrade = Result<WebSocketUpgrade, WebSocketUpgradeRejection>;

async fn native(
    State(app): State<Arc<AppState>>,
    caller: Caller,
    upgrade: Upgrade,
) -> Answer<Response> {
    upgraded(app, &caller, upgrade, None)
}

#[derive(Deserialize)]
struct DialectPath {
    dialect: String,
}

async fn in_dialect(
    State(app): State<Arc<AppState>>,
    Path(DialectPath { dialect }): Path<DialectPath>,
    caller: Caller,
    upgrade: Upgrade,
) -> Answer<Response> {
    let Some(dialect) = app.games.dialects.socket(&dialect) else {
        return Err(ApiError::new("no_such_file", "there is no such dialect"));
    };
    upgraded(app, &caller, upgrade, Some(dialect))
}

fn upgraded(
    app: Arc<AppState>,
    caller: &Caller,
    upgrade: Upgrade,
    dialect: Option<&'static Socket>,
) -> Answer<Response> {
    let upgrade = upgrade.map_err(|rejection| match rejection {
        WebSocketUpgradeRejection::InvalidWebSocketVersionHeader(_) => {
            ApiError::new("other_websocket", "this server speaks version 13 of WebSocket")
        }
        rejection => ApiError::new("malformed", rejection.body_text()),
    })?;
    let address = caller.address;
    let of_address = app.limits.connections_by_address.try_acquire(address);
    let of_all = app.limits.connections.clone().try_acquire_owned().ok();
    let (Some(of_address), Some(of_all)) = (of_address, of_all) else {
        let text = "too many connections; close some";
        return Err(ApiError::new("too_many_connections", text));
    };
    let id = app.connections.next_id();
    // The server waits for its connections when it stops.
    let token = app.tasks.token();
    let upgrade = upgrade
        .read_buffer_size(READ)
        .write_buffer_size(WRITE)
        .max_write_buffer_size(MOST_UNSENT)
        // What is too long for a message is still read, and refused; beyond this the connection ends.
        .max_message_size(LONGEST_DOCUMENT)
        .max_frame_size(LONGEST_DOCUMENT);
    Ok(upgrade.on_upgrade(move |socket| async move {
        // A task of its own, without what the upgrade needed.
        Box::pin(connection::serve(app, socket, id, address, dialect)).await;
        drop((of_address, of_all, token));
    }))
}
