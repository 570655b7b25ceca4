//! The page for people, from inside the binary.

use super::error::{ApiError, wrong_method};
use axum::body::Body;
use axum::http::header::{
    ACCEPT_ENCODING, ALLOW, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_SECURITY_POLICY, CONTENT_TYPE,
    VARY, X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderMap, HeaderValue, Method, Uri};
use axum::response::{Html, IntoResponse, Response};
use rust_embed::{EmbeddedFile, RustEmbed};
use std::borrow::Cow;

/// What `make web` has built, as it was when the binary was.
#[derive(RustEmbed)]
#[folder = "../../web/dist"]
#[allow_missing = true]
struct Dist;

/// Where files have names that change with what is in them.
const HASHED: &str = "assets/";

/// Addresses that are for programs: nothing there is a page.
const PROGRAMS: [&str; 3] = ["api", "ws", "admin"];

const POLICY: &str =
    "default-src 'self'; base-uri 'none'; object-src 'none'; frame-ancestors 'none'";

/// A file of the page; every other address is a place in it.
pub(crate) async fn page(method: Method, uri: Uri, headers: HeaderMap) -> Response {
    let path = uri.path().trim_start_matches('/');
    let first = path.split('/').next().unwrap_or_default();
    if PROGRAMS.contains(&first) {
        return ApiError::nothing_here().into_response();
    }
    if !matches!(method, Method::GET | Method::HEAD) {
        return ([(ALLOW, "GET, HEAD")], wrong_method().await).into_response();
    }
    let mut response = match found(path, &headers) {
        Some(response) => response,
        None if path.starts_with(HASHED) => ApiError::nothing_here().into_response(),
        None => found("index.html", &headers)
            .unwrap_or_else(|| Html(include_str!("unbuilt.html")).into_response()),
    };
    let headers = response.headers_mut();
    headers.insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY));
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    response
}

fn found(path: &str, headers: &HeaderMap) -> Option<Response> {
    let kind = kind(path)?;
    let plain = Dist::get(path)?;
    let (file, coding) = packed(path, headers).unwrap_or((plain, None));
    let keep = if path.starts_with(HASHED) { "max-age=31536000, immutable" } else { "no-cache" };
    let bytes = match file.data {
        Cow::Borrowed(bytes) => Body::from(bytes),
        Cow::Owned(bytes) => Body::from(bytes),
    };
    let said = [(CONTENT_TYPE, kind), (CACHE_CONTROL, keep), (VARY, "accept-encoding")];
    let mut response = (said, bytes).into_response();
    if let Some(coding) = coding {
        response.headers_mut().insert(CONTENT_ENCODING, HeaderValue::from_static(coding));
    }
    Some(response)
}

/// The file as it was packed when it was built, the smallest that is understood.
fn packed(path: &str, headers: &HeaderMap) -> Option<(EmbeddedFile, Option<&'static str>)> {
    let accepted = headers.get(ACCEPT_ENCODING)?.to_str().ok()?;
    let takes = |coding: &str| {
        accepted.split(',').any(|one| {
            let mut parts = one.split(';').map(str::trim);
            parts.next() == Some(coding) && !parts.any(|part| part == "q=0")
        })
    };
    [("br", "br"), ("gzip", "gz")]
        .into_iter()
        .filter(|(coding, _)| takes(coding))
        .find_map(|(coding, ending)| Some((Dist::get(&format!("{path}.{ending}"))?, Some(coding))))
}

/// What a file is, by its ending; others are not part of the page.
fn kind(path: &str) -> Option<&'static str> {
    Some(match path.rsplit_once('.')?.1 {
        "html" => "text/html; charset=utf-8",
        "js" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "webmanifest" => "application/manifest+json",
        _ => return None,
    })
}
