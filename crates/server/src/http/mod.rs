//! What is asked over HTTP.

mod admin;
mod api;
mod download;
mod error;
mod extract;
mod files;
pub(crate) mod listen;
mod openapi;
mod page;
mod tables;
mod upgrade;

use crate::app::AppState;
use aide::axum::ApiRouter;
use aide::openapi::OpenApi;
use axum::Router;
use axum::extract::DefaultBodyLimit;
use std::sync::Arc;

pub(crate) use download::Downloads;

/// The longest document that may be sent.
pub(crate) const LONGEST_DOCUMENT: usize = 64 * 1024;

/// All addresses for clients.
pub(crate) fn routes(app: &Arc<AppState>) -> Router {
    let mut description = OpenApi::default();
    let documented: Router<Arc<AppState>> = ApiRouter::new()
        .merge(api::routes())
        .merge(tables::routes())
        .merge(files::routes())
        .finish_api_with(&mut description, openapi::describe);
    documented
        .merge(upgrade::routes())
        .merge(openapi::routes(&description))
        .fallback(page::page)
        .method_not_allowed_fallback(error::wrong_method)
        .layer(DefaultBodyLimit::max(LONGEST_DOCUMENT))
        .with_state(app.clone())
}

/// All addresses for whoever runs the server: another listener, only from the machine itself, and only
/// with the admin's token.
pub(crate) fn admin_routes(app: &Arc<AppState>) -> Router {
    admin::routes()
        .fallback(async || error::ApiError::nothing_here())
        .method_not_allowed_fallback(error::wrong_method)
        .with_state(app.clone())
}
