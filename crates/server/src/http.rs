//! What a script wants over HTTP: the same things, through the same door.

use crate::accounts::Signed;
use crate::guard::same;
use crate::hall::{Hall, refuse};
use crate::room::{Message, Name};
use crate::session::{Session, refused};
use crate::{Front, bank, blocking, now_ms};
use axum::body::Bytes;
use axum::extract::{ConnectInfo, FromRequestParts, Path, Query, State};
use axum::http::header::{ALLOW, AUTHORIZATION, CONTENT_DISPOSITION, CONTENT_TYPE};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::{Json as Body, Router};
use parlor_journal::{Share, entries, export};
use parlor_rules::{Refusal, Seat};
use parlor_table::act::Entry;
use parlor_table::{Act, Desk, Eyes, Who};
use parlor_wire::dialect::{Happened, Stand, Story, Wanted as Wish};
use parlor_wire::{Game, Level, Request, Tell};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

/// The longest document that may be sent.
pub(crate) const LONGEST_DOCUMENT: usize = 64 * 1024;

/// How many places a leaderboard has, and how many tables a page of a history.
const LEADERS: usize = 100;
const TABLES: usize = 100;

/// A refusal, as HTTP tells it.
pub(crate) struct Refused(Refusal);

impl From<Refusal> for Refused {
    fn from(refusal: Refusal) -> Self {
        Self(refusal)
    }
}

/// The status of a refusal.
fn status(code: &str) -> StatusCode {
    match code {
        "malformed" | "bad_name" | "bad_password" | "bad_chat" | "bad_seats" => {
            StatusCode::BAD_REQUEST
        }
        "too_long" => StatusCode::PAYLOAD_TOO_LARGE,
        "no_such_method" => StatusCode::METHOD_NOT_ALLOWED,
        "hello_first" | "bad_token" | "bad_login" => StatusCode::UNAUTHORIZED,
        "private" | "seat_only" | "foreign_origin" | "not_seated" => StatusCode::FORBIDDEN,
        "no_such_table" | "unknown_game" | "no_account" | "no_such_file" | "no_such_document" => {
            StatusCode::NOT_FOUND
        }
        "slow_down" | "too_many_connections" | "too_many_tables" => StatusCode::TOO_MANY_REQUESTS,
        "journal" | "paused" | "stopping" | "broken" => StatusCode::SERVICE_UNAVAILABLE,
        _ => StatusCode::CONFLICT,
    }
}

impl IntoResponse for Refused {
    fn into_response(self) -> Response {
        let status = status(self.0.code);
        (status, Body(refused(None, self.0))).into_response()
    }
}

/// What stands at an address of nothing.
pub(crate) fn nothing() -> Response {
    Refused(Refusal::new("no_such_file", "there is nothing here")).into_response()
}

/// A refusal to whoever has not even asked yet.
pub(crate) fn refused_at_once(refusal: Refusal) -> String {
    let (status, body) = (status(refusal.code), parlor_rules::json(&refused(None, refusal)));
    format!(
        "HTTP/1.1 {status}\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\
         connection: close\r\n\r\n{body}",
        body.get().len()
    )
}

/// What is refused before our own code is asked, said as everything else is.
pub(crate) async fn in_our_words(response: Response) -> Response {
    let code = match response.status() {
        StatusCode::BAD_REQUEST => "malformed",
        StatusCode::METHOD_NOT_ALLOWED => "no_such_method",
        StatusCode::PAYLOAD_TOO_LARGE => "too_long",
        _ => return response,
    };
    let ours = |kind: &HeaderValue| kind.as_bytes().starts_with(b"application/json");
    if response.headers().get(CONTENT_TYPE).is_some_and(ours) {
        return response;
    }
    let (head, body) = response.into_parts();
    let text = match axum::body::to_bytes(body, LONGEST_DOCUMENT).await {
        Ok(text) if !text.is_empty() => String::from_utf8_lossy(&text).into_owned(),
        _ => format!("{}: see /api for what can be asked", head.status),
    };
    let told = Body(refused(None, Refusal::new(code, text)));
    let mut answer = (head.status, told).into_response();
    if let Some(allow) = head.headers.get(ALLOW) {
        answer.headers_mut().insert(ALLOW, allow.clone());
    }
    answer
}

pub(crate) type Answer<T> = Result<T, Refused>;

/// Who asks, and from where.
pub(crate) struct Asker {
    pub(crate) address: IpAddr,
    signed: Option<Signed>,
}

impl Asker {
    fn account(&self) -> Result<u64, Refusal> {
        if self.signed.as_ref().is_some_and(|signed| signed.table.is_some()) {
            return refuse("seat_only", "this token is for one chair at one table");
        }
        self.signed.as_ref().map(|signed| signed.account.number).ok_or_else(Self::nobody)
    }

    /// Who has a token that is good for this table.
    fn signed_at(self, table: &str) -> Result<Signed, Refusal> {
        self.at(table)?;
        self.signed.ok_or_else(Self::nobody)
    }

    fn nobody() -> Refusal {
        Refusal::new("hello_first", "send your token: authorization: Bearer …")
    }

    /// The account, if the token is good for this table.
    pub(crate) fn at(&self, table: &str) -> Result<Option<u64>, Refusal> {
        match &self.signed {
            Some(Signed { table: Some(only), .. }) if only != table => {
                refuse("seat_only", "this token is for one chair at another table")
            }
            signed => Ok(signed.as_ref().map(|signed| signed.account.number)),
        }
    }
}

fn bearer(headers: &HeaderMap) -> Option<String> {
    let text = headers.get(AUTHORIZATION)?.to_str().ok()?;
    text.strip_prefix("Bearer ").map(|token| token.trim().to_owned())
}

impl FromRequestParts<Arc<Front>> for Asker {
    type Rejection = Refused;

    async fn from_request_parts(parts: &mut Parts, front: &Arc<Front>) -> Answer<Self> {
        let peer = parts.extensions.get::<ConnectInfo<SocketAddr>>();
        let peer = peer.map_or(IpAddr::from([0, 0, 0, 0]), |ConnectInfo(peer)| peer.ip());
        let address = front.guard.settings.address(peer, &parts.headers);
        front.guard.settings.check_origin(&parts.headers)?;
        if !front.guard.requests.take(address) {
            return Err(Refusal::new("slow_down", "too many requests; wait a second").into());
        }
        let signed = match bearer(&parts.headers) {
            Some(token) => {
                let hall = front.hall.clone();
                Some(blocking(move || hall.accounts.by_token(&token)).await?)
            }
            None => None,
        };
        Ok(Self { address, signed })
    }
}

#[derive(Deserialize)]
struct Key {
    key: Option<String>,
}

/// All addresses of the interface.
pub(crate) fn routes() -> Router<Arc<Front>> {
    use axum::routing::{get, post};
    Router::new()
        .route("/healthz", get(|| async { "ok\n" }))
        .route("/readyz", get(ready))
        .route("/metrics", get(metrics))
        .route("/api", get(crate::openapi::page))
        .route("/api/openapi.json", get(crate::openapi::document))
        .route("/api/games", get(games))
        .route("/api/say", post(say))
        .route("/api/me", get(me))
        .route("/api/me/history", get(history))
        .route("/api/players/{name}", get(player))
        .route("/api/leaderboards/{game}/{set}", get(leaders))
        .route("/api/tables", get(tables))
        .route("/api/tables/{table}", get(table))
        .route("/api/tables/{table}/replay", get(crate::replay::replay))
        .route("/api/tables/{table}/log", get(log))
        .route("/api/tables/{table}/proof", get(proof))
        .route("/api/tables/{table}/files/{name}", get(file))
        .route("/api/tables/{table}/{document}", get(document).post(merge))
        .fallback(crate::page::page)
}

async fn ready(State(front): State<Arc<Front>>) -> Response {
    if front.hall.is_ready() {
        return "ready\n".into_response();
    }
    (StatusCode::SERVICE_UNAVAILABLE, "moves cannot be stored just now\n").into_response()
}

async fn metrics(State(front): State<Arc<Front>>) -> Response {
    let hall = &front.hall;
    hall.metrics.tables.set(hall.count() as i64);
    hall.metrics.waiting.set(hall.queue.len() as i64);
    let kind = "application/openmetrics-text; version=1.0.0; charset=utf-8";
    ([(CONTENT_TYPE, kind)], hall.metrics.text()).into_response()
}

async fn games(State(front): State<Arc<Front>>, _asker: Asker) -> Answer<Body<Vec<Game>>> {
    let game = |game: &&'static dyn parlor_rules::AnyGame| {
        let nothing = parlor_rules::json(&serde_json::Map::new());
        Ok(Game {
            game: game.key().to_owned(),
            edition: game.edition(),
            seats: [*game.seats().start(), *game.seats().end()],
            comes_and_goes: game.comes_and_goes(),
            unit: game.unit(),
            house: (front.hall.players)(game.key(), Level::default(), Seat::new(0), "").is_some(),
            codes: game.codes().iter().map(|code| (*code).to_owned()).collect(),
            config: game.options(&nothing)?,
            files: front.files(game.key()),
            documents: front.documents(game.key()),
        })
    };
    let games: Result<Vec<Game>, Refusal> = front.list.iter().map(game).collect();
    Ok(Body(games?))
}

/// Says anything that a socket can, and that needs none to be answered.
async fn say(State(front): State<Arc<Front>>, asker: Asker, body: Bytes) -> Answer<Response> {
    if body.len() > parlor_wire::LONGEST {
        return Err(Refusal::new("too_long", "a message has at most 4096 bytes").into());
    }
    let text = std::str::from_utf8(&body).map_err(|e| Refusal::malformed(e.to_string()))?;
    let request = Request::read(text)?;
    if let Ok(account) = asker.account()
        && !front.guard.messages.take(account)
    {
        return Err(Refusal::new("slow_down", "too many messages; wait a second").into());
    }
    let mut session = Session::new(front, asker.address, None, None);
    if let Some(signed) = asker.signed {
        session.sign(signed);
    }
    let tell = session.answered(request).await;
    let status = match &tell {
        Tell::Refused { code, .. } => status(code),
        _ => StatusCode::OK,
    };
    Ok((status, Body(tell)).into_response())
}

async fn me(State(front): State<Arc<Front>>, asker: Asker) -> Answer<Response> {
    let account = asker.account()?;
    let hall = front.hall.clone();
    let me = blocking(move || hall.me(&hall.accounts.account(account)?));
    Ok(Body(me.await?).into_response())
}

async fn history(State(front): State<Arc<Front>>, asker: Asker) -> Answer<Response> {
    let account = asker.account()?;
    let hall = front.hall.clone();
    Ok(Body(blocking(move || hall.history(account, TABLES)).await?).into_response())
}

async fn player(
    State(front): State<Arc<Front>>,
    Path(name): Path<String>,
    _asker: Asker,
) -> Answer<Response> {
    let hall = front.hall.clone();
    Ok(Body(blocking(move || hall.known(&name, TABLES)).await?).into_response())
}

async fn leaders(
    State(front): State<Arc<Front>>,
    Path((game, set)): Path<(String, String)>,
    _asker: Asker,
) -> Answer<Response> {
    front.hall.known_game(&game)?;
    let hall = front.hall.clone();
    let leaders = blocking(move || hall.leaders(&game, &set, LEADERS, now_ms()));
    Ok(Body(leaders.await?).into_response())
}

async fn tables(State(front): State<Arc<Front>>, _asker: Asker) -> Response {
    written(front.hall.lobby().get().to_owned())
}

/// A table as somebody sees it.
#[derive(Serialize)]
struct Shown {
    #[serde(flatten)]
    listed: parlor_wire::Listed,
    you: Option<u8>,
    update: Option<Tell>,
}

async fn table(
    State(front): State<Arc<Front>>,
    Path(table): Path<String>,
    Query(Key { key }): Query<Key>,
    asker: Asker,
) -> Answer<Response> {
    let looked = front.hall.look(&table, asker.at(&table)?, key).await?;
    let you = looked.seat.map(|seat| seat.index() as u8);
    Ok(Body(Shown { listed: looked.listed, you, update: looked.update }).into_response())
}

/// The name of a table that is over, as somebody sees it.
async fn over(
    front: &Front,
    table: &str,
    key: Option<String>,
    asker: &Asker,
) -> Result<Name, Refusal> {
    let looked = front.hall.look(table, asker.at(table)?, key).await?;
    if !looked.listed.over {
        return refuse("not_over", "this can be had when the game is over");
    }
    name_of(table)
}

pub(crate) fn name_of(table: &str) -> Result<Name, Refusal> {
    table.parse().map_err(|why: &str| Refusal::malformed(why.to_owned()))
}

async fn log(
    State(front): State<Arc<Front>>,
    Path(table): Path<String>,
    Query(Key { key }): Query<Key>,
    asker: Asker,
) -> Answer<Response> {
    let name = over(&front, &table, key, &asker).await?;
    let hall = front.hall.clone();
    let file = format!("{table}.jsonl");
    let written = blocking(move || {
        let mut out = Vec::new();
        export(&*hall.journal, &name, Share::Public, &mut out)
            .map_err(|error| Refusal::new("journal", error.to_string()))?;
        Ok(out)
    });
    Ok(download("application/jsonl", &file, written.await?))
}

async fn proof(
    State(front): State<Arc<Front>>,
    Path(table): Path<String>,
    Query(Key { key }): Query<Key>,
    asker: Asker,
) -> Answer<Response> {
    let name = over(&front, &table, key, &asker).await?;
    let (hall, eyes) = (front.hall.clone(), Eyes::of(asker.at(&table)?));
    let proof = blocking(move || {
        let found = parlor_journal::hall::find(&*hall.journal, hall.games, &name)?;
        let log = entries(&*hall.journal, &name, 0).collect::<Result<Vec<_>, _>>()?;
        let keys = found.keys.ok_or_else(|| Refusal::new("erased", "its secrets are erased"))?;
        parlor_table::proof::prove(found.game, &found.created.header, keys, &log, eyes)
    });
    Ok(Body(proof.await?).into_response())
}

fn download(kind: &str, name: &str, bytes: impl Into<axum::body::Body>) -> Response {
    let named = format!("attachment; filename=\"{name}\"");
    ([(CONTENT_TYPE, kind), (CONTENT_DISPOSITION, &named)], bytes.into()).into_response()
}

async fn file(
    State(front): State<Arc<Front>>,
    Path((table, name)): Path<(String, String)>,
    Query(Key { key }): Query<Key>,
    asker: Asker,
) -> Answer<Response> {
    let looked = front.hall.look(&table, asker.at(&table)?, key).await?;
    let Some(file) = front.dialects.file(&looked.listed.game, &name) else {
        return Err(Refusal::new("no_such_file", "tables of this game have no such file").into());
    };
    let (hall, signed) = (front.hall.clone(), asker.signed);
    let named = format!("{table}.{name}");
    let written = blocking(move || {
        let who = signed.map(|signed| signed.account.name);
        let story = hall.story(&table, who.is_none() || looked.seat.is_none())?;
        (file.write)(&story, who.as_deref())
    });
    Ok(download(file.media_type, &named, written.await?))
}

/// The table as a document is given it, for who asks.
async fn stand(front: &Front, table: &str, signed: &Signed) -> Result<(String, Stand), Refusal> {
    let door = front.hall.find(table).await?;
    let looked = front.hall.look(table, Some(signed.account.number), None).await?;
    if looked.behind {
        return refuse("behind", "who watches this table is behind, and sees no document of it");
    }
    let stand = Stand {
        table: table.to_owned(),
        config: door.config.clone(),
        doc: looked.doc,
        names: looked.names,
        who: signed.account.name.clone(),
    };
    Ok((door.game.clone(), stand))
}

async fn document(
    State(front): State<Arc<Front>>,
    Path((table, name)): Path<(String, String)>,
    asker: Asker,
) -> Answer<Response> {
    let signed = asker.signed_at(&table)?;
    let (game, stand) = stand(&front, &table, &signed).await?;
    let document = front.document(&game, &name)?;
    Ok(written((document.view)(&stand)?.get().to_owned()))
}

/// JSON that is written already.
fn written(json: String) -> Response {
    ([(CONTENT_TYPE, "application/json")], json).into_response()
}

/// Takes a changed document: what its author wants is entered, and the document as it is then is
/// the answer.
async fn merge(
    State(front): State<Arc<Front>>,
    Path((table, name)): Path<(String, String)>,
    asker: Asker,
    body: Bytes,
) -> Answer<Response> {
    let signed = asker.signed_at(&table)?;
    let (game, before) = stand(&front, &table, &signed).await?;
    let document = front.document(&game, &name)?;
    let incoming: Box<RawValue> =
        serde_json::from_slice(&body).map_err(|error| Refusal::malformed(error.to_string()))?;
    let (hall, me) = (&front.hall, &signed.account);
    let balance = hall.balance(hall.known_game(&game)?.unit(), me.number).await?;
    for wish in (document.merge)(&before, &incoming, balance)? {
        match wish {
            Wish::Join { seat, chips } => {
                if signed.table.is_some() {
                    let text = "this token is for one chair: it brings no chips to another";
                    return Err(Refusal::new("seat_only", text).into());
                }
                let seat = seat.map(|seat| seat.index() as u8);
                hall.sit(&table, me.number, seat, Some(chips), None, None).await?;
            }
            Wish::Command(command) => {
                let stamp = parlor_table::Stamp::default();
                hall.find(&table).await?.play(me.number, command, stamp).await?;
            }
        }
    }
    let (_, after) = stand(&front, &table, &signed).await?;
    Ok(written((document.view)(&after)?.get().to_owned()))
}

impl Hall {
    /// What has happened at a table so far; for watchers, as far as they have seen it.
    fn story(&self, table: &str, watches: bool) -> Result<Story, Refusal> {
        let name = name_of(table)?;
        let found = parlor_journal::hall::find(&*self.journal, self.games, &name)?;
        let bad = |why: String| Refusal::new("bad_log", why);
        let header = found.created.header().map_err(bad)?;
        let delay_ms = if watches { header.options.watch_delay_ms } else { 0 };
        let until_ms = now_ms().saturating_sub(delay_ms);
        let mut happened = Vec::new();
        for stored in entries(&*self.journal, &name, 0) {
            let stored = stored?;
            let at_ms = stored.at_ms;
            if at_ms > until_ms {
                break;
            }
            let Some(entry) = Entry::read(&stored).map_err(bad)? else { continue };
            match entry.act {
                Act::Desk(Desk::Sit { seat, who, .. }) => {
                    let name = match who {
                        Who::Account(number) => Some(self.accounts.name(number).to_string()),
                        Who::Bot(_) => None,
                    };
                    happened.push((at_ms, Happened::Sits { seat, name }));
                }
                Act::Desk(Desk::Rise { seat }) => happened.push((at_ms, Happened::Rises { seat })),
                _ => {}
            }
            happened.extend(entry.events.into_iter().map(|event| (at_ms, Happened::Event(event))));
        }
        Ok(Story { table: table.to_owned(), config: header.config, seats: header.seats, happened })
    }
}

// The admin's side: another listener, only from the machine itself, and only with its token.

/// All addresses for who runs the house.
pub(crate) fn admin_routes() -> Router<Arc<Front>> {
    use axum::routing::{get, post};
    Router::new()
        .route("/admin/status", get(admin_status))
        .route("/admin/tables", get(admin_tables))
        .route("/admin/tables/{table}/close", post(admin_close))
        .route("/admin/accounts/{name}/revoke", post(admin_revoke))
        .route("/admin/accounts/{name}/grant", post(admin_grant))
        .fallback(|| async { nothing() })
}

/// Somebody who has the admin's token.
struct Admin;

impl FromRequestParts<Arc<Front>> for Admin {
    type Rejection = Refused;

    async fn from_request_parts(parts: &mut Parts, front: &Arc<Front>) -> Answer<Self> {
        let given = bearer(&parts.headers);
        match (&front.admin_token, given) {
            (Some(own), Some(given)) if same(own, &given) => Ok(Self),
            _ => Err(Refusal::new("bad_token", "this is not the admin's token").into()),
        }
    }
}

async fn admin_status(State(front): State<Arc<Front>>, _: Admin) -> Answer<Response> {
    let hall = &front.hall;
    let counting = hall.clone();
    let status = serde_json::json!({
        "ready": hall.is_ready(),
        // Whoever becomes a guest just now is waited for.
        "accounts": blocking(move || Ok(counting.accounts.count())).await?,
        "tables": hall.count(),
        "waiting": hall.queue.len(),
        "connections": hall.metrics.connections.get(),
    });
    Ok(Body(status).into_response())
}

async fn admin_tables(State(front): State<Arc<Front>>, _: Admin) -> Response {
    Body(front.hall.all()).into_response()
}

async fn admin_close(
    State(front): State<Arc<Front>>,
    Path(table): Path<String>,
    _: Admin,
) -> Answer<Response> {
    front.hall.ask(&table, |answer| Message::Close { answer }).await?;
    tracing::info!(table, "closed by the admin");
    Ok(StatusCode::NO_CONTENT.into_response())
}

async fn admin_revoke(
    State(front): State<Arc<Front>>,
    Path(name): Path<String>,
    _: Admin,
) -> Answer<Response> {
    let hall = front.hall.clone();
    let revoked = blocking(move || {
        let account = hall.accounts.by_name(&name)?;
        let tokens = hall.accounts.revoke_all(account.number)?;
        hall.cut(|other, _| other == account.number, None);
        tracing::info!(account = account.number, tokens, "revoked by the admin");
        Ok(serde_json::json!({ "tokens": tokens }))
    });
    Ok(Body(revoked.await?).into_response())
}

/// What the house gives.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Grant {
    unit: parlor_rules::Unit,
    amount: parlor_rules::Chips,
}

async fn admin_grant(
    State(front): State<Arc<Front>>,
    Path(name): Path<String>,
    _: Admin,
    body: Bytes,
) -> Answer<Response> {
    let Grant { unit, amount } =
        serde_json::from_slice(&body).map_err(|error| Refusal::malformed(error.to_string()))?;
    let hall = front.hall.clone();
    let granted = blocking(move || {
        let account = hall.accounts.by_name(&name)?;
        hall.accounts.grant(account.number, unit, amount)?;
        tracing::info!(account = account.number, ?unit, %amount, "granted by the admin");
        bank::balance(&*hall.journal, unit, account.number)
    });
    Ok(Body(serde_json::json!({ "balance": granted.await? })).into_response())
}
