//! What is read of the server's messages.

use serde::Deserialize;
use serde_json::value::RawValue;
use std::borrow::Cow;
use tokio_tungstenite::tungstenite::Error;

/// The fields of a message that matter here.
#[derive(Deserialize)]
pub(super) struct ServerMessage<'a> {
    pub(super) r#type: &'a str,
    #[serde(borrow, default)]
    pub(super) table: Option<&'a str>,
    #[serde(default)]
    pub(super) ask: Option<u64>,
    #[serde(borrow, default)]
    pub(super) view: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub(super) legal: Option<&'a RawValue>,
    #[serde(default)]
    pub(super) over: bool,
    #[serde(borrow, default)]
    pub(super) code: Option<&'a str>,
    #[serde(borrow, default)]
    pub(super) text: Cow<'a, str>,
}

/// The players have been given a table.
#[derive(Deserialize)]
pub(super) struct Matched<'a> {
    pub(super) table: &'a str,
    pub(super) seat: u8,
}

/// What may be said at a table of gomoku: the free points, a bit each.
#[derive(Deserialize)]
pub(super) struct FreePoints {
    pub(super) rows: Vec<u32>,
}

/// The text of a refusal, for people; `None` if the message is none.
pub(super) fn refusal(message: &str) -> Option<String> {
    let message: ServerMessage<'_> = serde_json::from_str(message).ok()?;
    let (code, text) = (message.code.filter(|_| message.r#type == "refused")?, message.text);
    let hint = match code {
        "slow_down" | "too_many_connections" | "too_many_tables" => {
            "; a server that is to be measured is started with --no-limits"
        }
        _ => "",
    };
    Some(format!("the server refuses: {text} ({code}){hint}"))
}

/// Why a connection could not be made.
pub(super) fn unconnected(error: &Error) -> String {
    let body = match error {
        Error::Http(response) => response.body().as_deref(),
        _ => None,
    };
    let refused = body.and_then(|body| refusal(std::str::from_utf8(body).ok()?));
    refused.unwrap_or_else(|| error.to_string())
}
