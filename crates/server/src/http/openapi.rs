//! The description of the interface, for programs (OpenAPI) and for people.
//!
//! It comes from the handlers' types, by aide: the types of the protocol have schemas by schemars
//! already, which utoipa would have to be told once more.

use super::error::ApiError;
use super::extract::TOKEN;
use crate::app::AppState;
use aide::openapi::{License, OpenApi, SecurityScheme};
use aide::transform::{TransformOpenApi, TransformOperation};
use axum::Router;
use axum::http::header::CONTENT_TYPE;
use axum::response::Html;
use axum::routing::get;
use std::sync::Arc;

/// What stands above the addresses.
pub(super) fn describe(api: TransformOpenApi<'_>) -> TransformOpenApi<'_> {
    let license = License { name: "MIT OR Apache-2.0".to_owned(), ..License::default() };
    let bearer = SecurityScheme::Http {
        scheme: "bearer".to_owned(),
        bearer_format: None,
        description: None,
        extensions: Default::default(),
    };
    api.title("Parlor")
        .version(env!("CARGO_PKG_VERSION"))
        .description("Tables of Parlor over HTTP. Moves come live over a WebSocket at /ws.")
        .license(license)
        .security_scheme(TOKEN, bearer)
        .default_response::<ApiError>()
}

/// Marks an operation that needs a token.
pub(super) fn needs_token(operation: TransformOperation<'_>) -> TransformOperation<'_> {
    operation.security_requirement(TOKEN)
}

/// The description for programs, written once, and the page for people.
pub(super) fn routes(description: &OpenApi) -> Router<Arc<AppState>> {
    let description: Arc<str> = parlor_rules::json(description).get().into();
    let document = move || {
        let text = description.to_string();
        async move { ([(CONTENT_TYPE, "application/json")], text) }
    };
    Router::new()
        .route("/api/openapi.json", get(document))
        .route("/api", get(async || Html(include_str!("api.html"))))
}
