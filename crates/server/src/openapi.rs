//! The interface over HTTP, described for programs (OpenAPI) and for people.

use axum::response::{Html, IntoResponse, Response};
use axum::{Json as Body, http::StatusCode};
use schemars::{JsonSchema, SchemaGenerator, generate::SchemaSettings};
use serde_json::{Map, Value, json};

/// What an address takes or gives.
enum What {
    Nothing,
    /// One of the types of the protocol.
    Json(fn(&mut SchemaGenerator) -> Value),
    /// Something else.
    Text(&'static str),
}

fn of<T: JsonSchema>(generator: &mut SchemaGenerator) -> Value {
    generator.subschema_for::<T>().to_value()
}

/// Whose token is needed.
enum Token {
    None,
    /// With one, what only its owner may see.
    Helps,
    Needed,
}

struct Address {
    method: &'static str,
    path: &'static str,
    summary: &'static str,
    token: Token,
    takes: What,
    gives: What,
}

/// All addresses; a test asks each of them.
fn addresses() -> Vec<Address> {
    use parlor_wire::{Game, Leader, Listed, Me, Played, Player, Replay, Request, Tell};
    use {Token::*, What::*};
    let get = |path, summary, token, gives| Address {
        method: "get",
        path,
        summary,
        token,
        takes: Nothing,
        gives,
    };
    let any: fn(&mut SchemaGenerator) -> Value = of::<Value>;
    vec![
        get("/healthz", "Whether the server runs", None, Text("text/plain")),
        get("/readyz", "Whether moves can be stored", None, Text("text/plain")),
        get("/metrics", "Counts for Prometheus", None, Text("application/openmetrics-text")),
        get("/api/games", "The games that are hosted", None, Json(of::<Vec<Game>>)),
        get("/api/tables", "The tables of the lobby", Helps, Json(of::<Vec<Listed>>)),
        get("/api/tables/{table}", "A table as you see it", Helps, Json(any)),
        get(
            "/api/tables/{table}/replay",
            "What you have seen of it, scene by scene",
            Helps,
            Json(of::<Replay>),
        ),
        get(
            "/api/tables/{table}/log",
            "The log of a table that is over",
            Helps,
            Text("application/jsonl"),
        ),
        get(
            "/api/tables/{table}/proof",
            "What proves its dice and cards, once it is over",
            Helps,
            Json(any),
        ),
        get(
            "/api/tables/{table}/files/{name}",
            "A file of a table: its hands, its games",
            Helps,
            Text("text/plain"),
        ),
        get(
            "/api/tables/{table}/{document}",
            "A table as a document, as you may see it",
            Needed,
            Json(any),
        ),
        Address {
            method: "post",
            path: "/api/tables/{table}/{document}",
            summary: "The document as you have changed it; the merged one comes back",
            token: Needed,
            takes: Json(any),
            gives: Json(any),
        },
        Address {
            method: "post",
            path: "/api/say",
            summary: "Anything a WebSocket can say and that needs none to be answered, with an `id`",
            token: Helps,
            takes: Json(of::<Request>),
            gives: Json(of::<Tell>),
        },
        get("/api/me", "Your account", Needed, Json(of::<Me>)),
        get("/api/me/history", "The tables you have played", Needed, Json(of::<Vec<Played>>)),
        get("/api/players/{name}", "What everyone may know of somebody", Helps, Json(of::<Player>)),
        get(
            "/api/leaderboards/{game}/{set}",
            "The best under a rule set",
            Helps,
            Json(of::<Vec<Leader>>),
        ),
    ]
}

fn content(what: &What, generator: &mut SchemaGenerator) -> Option<Value> {
    match what {
        What::Nothing => None,
        What::Json(schema) => Some(json!({"application/json": {"schema": schema(generator)}})),
        What::Text(kind) => Some(json!({*kind: {"schema": {"type": "string"}}})),
    }
}

/// The whole description.
pub(crate) fn openapi() -> Value {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.definitions_path = "/components/schemas".into();
        settings.meta_schema = None;
    });
    let mut generator = settings.into_generator();
    let refused = of::<parlor_wire::Tell>(&mut generator);
    let mut paths: Map<String, Value> = Map::new();
    for address in addresses() {
        let names = address.path.split('/').filter_map(|part| {
            let name = part.strip_prefix('{')?.strip_suffix('}')?;
            Some(
                json!({"name": name, "in": "path", "required": true, "schema": {"type": "string"}}),
            )
        });
        let mut parameters: Vec<Value> = names.collect();
        if address.path.starts_with("/api/tables/{table}") && address.method == "get" {
            parameters.push(json!({"name": "key", "in": "query", "required": false,
                "description": "what lets into a private table", "schema": {"type": "string"}}));
        }
        if address.path.ends_with("/replay") {
            for name in ["from", "to"] {
                parameters.push(json!({"name": name, "in": "query", "required": false,
                    "description": "the number of a scene", "schema": {"type": "integer"}}));
            }
        }
        let mut operation = json!({
            "summary": address.summary,
            "parameters": parameters,
            "responses": {
                "200": {"description": "it is so"},
                "default": {
                    "description": "it is refused: a code and a text",
                    "content": {"application/json": {"schema": refused}},
                },
            },
            "security": match address.token {
                Token::None => json!([]),
                Token::Helps => json!([{}, {"token": []}]),
                Token::Needed => json!([{"token": []}]),
            },
        });
        if let Some(content) = content(&address.gives, &mut generator) {
            operation["responses"]["200"]["content"] = content;
        }
        if let Some(content) = content(&address.takes, &mut generator) {
            operation["requestBody"] = json!({"required": true, "content": content});
        }
        let path = paths.entry(address.path).or_insert_with(|| json!({}));
        path[address.method] = operation;
    }
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Parlor",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "Tables of Parlor over HTTP. Moves come live over a WebSocket at /ws.",
            "license": {"name": "MIT OR Apache-2.0"},
        },
        "paths": paths,
        "components": {
            "schemas": generator.take_definitions(true),
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
    })
}

/// For programs.
pub(crate) async fn document() -> Response {
    Body(openapi()).into_response()
}

/// For people.
pub(crate) async fn page() -> Response {
    (StatusCode::OK, Html(include_str!("api.html"))).into_response()
}
