//! Refusals over HTTP.

use super::LONGEST_DOCUMENT;
use crate::session::refused;
use aide::OperationOutput;
use aide::generate::GenContext;
use aide::openapi::{Operation, Response as Documented, StatusCode as DocumentedStatus};
use axum::Json;
use axum::extract::rejection::{BytesRejection, PathRejection, QueryRejection};
use axum::http::StatusCode;
use axum::http::header::{HeaderValue, SEC_WEBSOCKET_VERSION, UPGRADE};
use axum::response::{IntoResponse, Response};
use parlor_rules::Refusal;
use parlor_wire::Tell;

/// A refusal, as HTTP tells it.
pub(crate) struct ApiError(pub(crate) Refusal);

impl ApiError {
    pub(crate) fn new(code: &'static str, text: impl Into<String>) -> Self {
        Self(Refusal::new(code, text))
    }

    fn malformed(text: String) -> Self {
        Self(Refusal::malformed(text))
    }

    /// The address leads nowhere.
    pub(crate) fn nothing_here() -> Self {
        Self::new("no_such_file", "there is nothing here")
    }
}

impl From<Refusal> for ApiError {
    fn from(refusal: Refusal) -> Self {
        Self(refusal)
    }
}

impl From<PathRejection> for ApiError {
    fn from(rejection: PathRejection) -> Self {
        Self::malformed(rejection.body_text())
    }
}

impl From<QueryRejection> for ApiError {
    fn from(rejection: QueryRejection) -> Self {
        Self::malformed(rejection.body_text())
    }
}

impl From<BytesRejection> for ApiError {
    fn from(rejection: BytesRejection) -> Self {
        match rejection.status() {
            StatusCode::PAYLOAD_TOO_LARGE => {
                Self::new("too_long", format!("a body has at most {LONGEST_DOCUMENT} bytes"))
            }
            _ => Self::malformed(rejection.body_text()),
        }
    }
}

/// The status of a refusal.
pub(crate) fn status(code: &str) -> StatusCode {
    match code {
        "malformed" | "bad_name" | "bad_password" | "bad_chat" | "bad_seats" => {
            StatusCode::BAD_REQUEST
        }
        "too_long" => StatusCode::PAYLOAD_TOO_LARGE,
        "too_slow" => StatusCode::REQUEST_TIMEOUT,
        "no_such_method" => StatusCode::METHOD_NOT_ALLOWED,
        "other_websocket" => StatusCode::UPGRADE_REQUIRED,
        "hello_first" | "bad_token" | "bad_login" => StatusCode::UNAUTHORIZED,
        "private" | "seat_only" | "foreign_origin" | "not_seated" => StatusCode::FORBIDDEN,
        "no_such_table" | "unknown_game" | "no_account" | "no_such_file" | "no_such_document" => {
            StatusCode::NOT_FOUND
        }
        "slow_down" | "too_many_connections" | "too_many_tables" | "too_many_downloads" => {
            StatusCode::TOO_MANY_REQUESTS
        }
        "journal" | "paused" | "undecided" | "stopping" | "broken" => {
            StatusCode::SERVICE_UNAVAILABLE
        }
        _ => StatusCode::CONFLICT,
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let status = status(self.0.code);
        let mut response = (status, Json(refused(None, self.0))).into_response();
        if status == StatusCode::UPGRADE_REQUIRED {
            let headers = response.headers_mut();
            headers.insert(UPGRADE, HeaderValue::from_static("websocket"));
            headers.insert(SEC_WEBSOCKET_VERSION, HeaderValue::from_static("13"));
        }
        response
    }
}

impl OperationOutput for ApiError {
    type Inner = Tell;

    fn operation_response(ctx: &mut GenContext, operation: &mut Operation) -> Option<Documented> {
        let mut response = Json::<Tell>::operation_response(ctx, operation)?;
        response.description = "it is refused: a code and a text".to_owned();
        Some(response)
    }

    fn inferred_responses(
        ctx: &mut GenContext,
        operation: &mut Operation,
    ) -> Vec<(Option<DocumentedStatus>, Documented)> {
        Self::operation_response(ctx, operation)
            .map(|response| (None, response))
            .into_iter()
            .collect()
    }
}

/// What handlers give.
pub(crate) type Answer<T> = Result<T, ApiError>;

/// Answers a method that an address does not have. The header `allow` names those it has.
pub(crate) async fn wrong_method() -> ApiError {
    ApiError::new("no_such_method", "this address has no such method: see /api")
}

/// A refusal to a connection that has not asked anything yet.
pub(crate) fn refused_at_once(refusal: Refusal) -> String {
    let (status, body) = (status(refusal.code), parlor_rules::json(&refused(None, refusal)));
    format!(
        "HTTP/1.1 {status}\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\
         connection: close\r\n\r\n{body}",
        body.get().len()
    )
}
