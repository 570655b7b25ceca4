//! What handlers take, with our own refusals.

use super::error::{Answer, ApiError};
use crate::app::AppState;
use crate::network;
use aide::OperationInput;
use aide::generate::GenContext;
use aide::openapi::{Operation, SecurityRequirement};
use axum::body::Bytes;
use axum::extract::{ConnectInfo, FromRequest, FromRequestParts, Request};
use axum::http::HeaderMap;
use axum::http::header::AUTHORIZATION;
use axum::http::request::Parts;
use parlor_accounts::Authenticated;
use parlor_host::secret;
use parlor_rules::{Refusal, refuse};
use schemars::JsonSchema;
use serde::Deserialize;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::timeout;

/// The names in an address.
#[derive(FromRequestParts)]
#[from_request(via(axum::extract::Path), rejection(ApiError))]
pub(crate) struct Path<T>(pub(crate) T);

/// What stands behind the question mark.
#[derive(FromRequestParts)]
#[from_request(via(axum::extract::Query), rejection(ApiError))]
pub(crate) struct Query<T>(pub(crate) T);

/// The body of a request. It has to come in time.
pub(crate) struct Body(pub(crate) Bytes);

impl FromRequest<Arc<AppState>> for Body {
    type Rejection = ApiError;

    async fn from_request(request: Request, app: &Arc<AppState>) -> Answer<Self> {
        let limit = Duration::from_millis(app.settings.ask_ms);
        match timeout(limit, Bytes::from_request(request, app)).await {
            Ok(body) => Ok(Self(body?)),
            Err(_) => {
                Err(ApiError::new("too_slow", "the body of the request did not come in time"))
            }
        }
    }
}

impl<T: JsonSchema> OperationInput for Path<T> {
    fn operation_input(ctx: &mut GenContext, operation: &mut Operation) {
        axum::extract::Path::<T>::operation_input(ctx, operation);
    }
}

impl<T: JsonSchema> OperationInput for Query<T> {
    fn operation_input(ctx: &mut GenContext, operation: &mut Operation) {
        axum::extract::Query::<T>::operation_input(ctx, operation);
    }
}

impl OperationInput for Body {}

/// The key of a private table.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct Key {
    /// What lets into a private table
    pub(crate) key: Option<String>,
}

/// Who asks, and from where.
pub(crate) struct Caller {
    pub(crate) address: IpAddr,
    pub(crate) signed_in: Option<Authenticated>,
}

impl Caller {
    fn nobody() -> Refusal {
        Refusal::new("hello_first", "send your token: authorization: Bearer …")
    }

    /// The account, if its token is not only for a seat.
    pub(crate) fn account(&self) -> Result<u64, Refusal> {
        let signed_in = self.signed_in.as_ref().ok_or_else(Self::nobody)?;
        if signed_in.table.is_some() {
            return refuse("seat_only", "this token is for one chair at one table");
        }
        Ok(signed_in.account.number)
    }

    /// The account, if there is one and its token is good for this table.
    pub(crate) fn at(&self, table: &str) -> Result<Option<u64>, Refusal> {
        match &self.signed_in {
            Some(Authenticated { table: Some(only), .. }) if only != table => {
                refuse("seat_only", "this token is for one chair at another table")
            }
            signed_in => Ok(signed_in.as_ref().map(|own| own.account.number)),
        }
    }

    /// Whoever has a token that is good for this table.
    pub(crate) fn signed_in_at(self, table: &str) -> Result<Authenticated, Refusal> {
        self.at(table)?;
        self.signed_in.ok_or_else(Self::nobody)
    }
}

fn bearer(headers: &HeaderMap) -> Option<String> {
    let text = headers.get(AUTHORIZATION)?.to_str().ok()?;
    let (scheme, token) = text.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim().to_owned())
}

impl FromRequestParts<Arc<AppState>> for Caller {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &Arc<AppState>) -> Answer<Self> {
        let peer = parts.extensions.get::<ConnectInfo<SocketAddr>>();
        let peer = peer.map_or(IpAddr::from([0, 0, 0, 0]), |ConnectInfo(peer)| peer.ip());
        let address = network::client_network(&app.settings, peer, &parts.headers);
        network::check_origin(&app.settings, &parts.headers)?;
        if !app.limits.requests.allows(&address) {
            return Err(ApiError::new("slow_down", "too many requests; wait a second"));
        }
        let signed_in = match bearer(&parts.headers) {
            Some(token) => Some(app.accounts.by_token(&token).await?),
            None => None,
        };
        Ok(Self { address, signed_in })
    }
}

/// The name of the token in the description of the interface.
pub(super) const TOKEN: &str = "token";

impl OperationInput for Caller {
    /// A token helps; what needs one says so itself.
    fn operation_input(_: &mut GenContext, operation: &mut Operation) {
        if operation.security.is_empty() {
            let token = SecurityRequirement::from_iter([(TOKEN.to_owned(), Vec::new())]);
            operation.security = vec![SecurityRequirement::default(), token];
        }
    }
}

/// Somebody who has shown the admin's token.
pub(crate) struct Admin;

impl FromRequestParts<Arc<AppState>> for Admin {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &Arc<AppState>) -> Answer<Self> {
        match (&app.admin_token, bearer(&parts.headers)) {
            (Some(own), Some(given)) if secret::same(own, &given) => Ok(Self),
            _ => Err(ApiError::new("bad_token", "this is not the admin's token")),
        }
    }
}
