//! Golden sessions: `conformance/protocol/*.jsonl`, both directions, and what the protocol's page
//! shows of them.
//!
//! A line is something a client does (`connects`, `hangs_up`, `says`, `posts`, `gets`), that the
//! server starts anew (`restarts`), a `note`, or what a client hears (`told`, `answered`, `got`). The
//! frames of one client come in this order and no others come; those of two clients may come in any
//! order. Times are 0. With `PARLOR_BLESS=1` what is heard is written down anew; then a `says` may have
//! `$anna.token`, `$anna.seat`, `$anna.key`, `$anna.ask` and `$table1` in it, for what was told so far.

use crate::client::{Answered, Server, always_the_same};
use futures_util::{SinkExt as _, StreamExt as _};
use parlor_journal::Memory;
use parlor_server::{Chance, Settings};
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;
use std::collections::{BTreeMap, VecDeque};
use std::fmt::Write as _;
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async};

/// Longer than anything takes on the slowest of machines.
const LONG: Duration = Duration::from_secs(60);

/// After how long without a word nothing more is expected, when sessions are written down.
const QUIET: Duration = Duration::from_millis(700);

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn files() -> Vec<PathBuf> {
    let folder = root().join("conformance/protocol");
    let entries = std::fs::read_dir(folder).expect("the folder");
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    files.retain(|path| path.extension().is_some_and(|end| end == "jsonl"));
    files.sort();
    files
}

#[derive(Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Line {
    note: Option<String>,
    /// How long nothing is said, when the session is written down.
    waits_ms: u64,
    restarts: bool,
    who: String,
    connects: Option<String>,
    hangs_up: bool,
    says: Option<Box<RawValue>>,
    told: Option<Box<RawValue>>,
    /// To `/api/say`.
    posts: Option<Box<RawValue>>,
    answered: Option<Box<RawValue>>,
    gets: Option<String>,
    got: Option<Box<RawValue>>,
    token: Option<String>,
    status: Option<u16>,
}

impl Line {
    fn heard(&self) -> Option<String> {
        let heard = self.told.as_ref().or(self.answered.as_ref()).or(self.got.as_ref())?;
        Some(heard.get().to_owned())
    }
}

/// A frame with its times taken out.
fn timeless(text: &str) -> String {
    let mut out = text.to_owned();
    for name in ["now_ms", "until_ms", "at_ms", "deadlineTs", "serverNow"] {
        out = each(&out, &format!("\"{name}\":"), |value| {
            let number = value.bytes().take_while(u8::is_ascii_digit).count();
            (number > 0).then(|| ("0".to_owned(), number))
        });
    }
    out = each(&out, "\"timestamp\":\"", |value| {
        value.find('"').map(|end| ("1970-01-01T00:00:00.000Z".to_owned(), end))
    });
    // It grows with every moment.
    each(&out, "\"deviation\":", |value| {
        let number = value.bytes().take_while(|b| b.is_ascii_digit() || *b == b'.').count();
        let deviation: f64 = value[..number].parse().ok()?;
        Some((format!("{deviation:.1}"), number))
    })
}

/// What stands behind a name, replaced: by what, and how much of it.
fn each(text: &str, name: &str, with: impl Fn(&str) -> Option<(String, usize)>) -> String {
    let (mut out, mut rest) = (String::new(), text);
    while let Some(at) = rest.find(name) {
        let (before, value) = rest.split_at(at + name.len());
        out += before;
        let (new, length) = with(value).unwrap_or_default();
        out += &new;
        rest = &value[length..];
    }
    out + rest
}

type Socket = WebSocketStream<MaybeTlsStream<TcpStream>>;

async fn connect(server: &Server, to: &str) -> Socket {
    connect_async(format!("ws://{}{to}", server.address)).await.expect("a socket").0
}

/// The next frame; none when the server closes.
async fn hears(socket: &mut Socket) -> Option<String> {
    loop {
        match socket.next().await {
            Some(Ok(Message::Text(text))) => return Some(timeless(&text)),
            Some(Ok(Message::Ping(_) | Message::Pong(_))) => {}
            Some(Ok(Message::Close(_)) | Err(_)) | None => return None,
            Some(Ok(other)) => panic!("{other:?}"),
        }
    }
}

/// One request over HTTP: the status and the body.
async fn request(server: &Server, line: &Line) -> (u16, String) {
    let (method, path, body) = match (&line.posts, &line.gets) {
        (Some(body), _) => ("POST", "/api/say", body.get().to_owned()),
        (None, path) => ("GET", path.as_deref().expect("a path"), String::new()),
    };
    let token = line.token.as_ref().map(|token| format!("authorization: Bearer {token}\r\n"));
    let text = format!(
        "{method} {path} HTTP/1.1\r\nhost: {}\r\nconnection: close\r\n{}content-length: {}\r\n\r\n{body}",
        server.address,
        token.unwrap_or_default(),
        body.len(),
    );
    let address = server.address;
    let talk = move || {
        let mut stream = std::net::TcpStream::connect(address).expect("a connection");
        stream.set_read_timeout(Some(LONG)).expect("a limit");
        stream.write_all(text.as_bytes()).expect("it is sent");
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).expect("an answer");
        let Answered { status, head, body } = Answered::read(&answer);
        let json = head.contains("content-type: application/json");
        let body = if json { body } else { Value::from(body).to_string() };
        (status, timeless(&body))
    };
    tokio::task::spawn_blocking(talk).await.expect("it talks")
}

/// A session in play.
struct Stage {
    server: Server,
    chance: Chance,
    sockets: BTreeMap<String, (String, Socket)>,
}

impl Stage {
    async fn new(seed: &str) -> Self {
        let chance = always_the_same(seed);
        let journal = Arc::new(Memory::default());
        let server = Server::with(journal, Settings::without_limits(), chance.clone()).await;
        Self { server, chance, sockets: BTreeMap::new() }
    }

    /// Does what a line says; what HTTP answers.
    async fn act(&mut self, line: &Line) -> Option<(u16, String)> {
        if line.note.is_some() {
            return None;
        }
        if line.restarts {
            self.stamped().await;
            let journal = self.server.journal.clone();
            let chance = self.chance.clone();
            self.server.stop().await;
            self.server = Server::with(journal, Settings::without_limits(), chance).await;
            return None;
        }
        self.counted().await;
        let who = &line.who;
        if let Some(to) = &line.connects {
            let socket = connect(&self.server, to).await;
            self.sockets.insert(who.clone(), (to.clone(), socket));
        } else if line.hangs_up {
            let (_, mut socket) = self.sockets.remove(who).expect("a connection");
            // The server may have closed it.
            let _ = socket.close(None).await;
            while hears(&mut socket).await.is_some() {}
        } else if let Some(says) = &line.says {
            let (_, socket) = self.sockets.get_mut(who).expect("who speaks is connected");
            socket.send(Message::text(says.get())).await.expect("it is sent");
        } else if line.posts.is_some() || line.gets.is_some() {
            return Some(request(&self.server, line).await);
        }
        None
    }

    /// Waits until all tables that are over are counted.
    async fn counted(&self) {
        let counted = async {
            while !self
                .server
                .journal
                .records("finished", None, 1)
                .await
                .expect("records")
                .is_empty()
            {
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
        };
        tokio::time::timeout(LONG, counted).await.expect("tables are counted");
    }

    /// Waits until the server has noted that it ran after everything so far.
    async fn stamped(&self) {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).expect("after 1970").as_millis();
        let stamp =
            async || self.server.journal.last_alive().await.expect("a stamp").unwrap_or_default();
        let stamped = async {
            while u128::from(stamp().await) <= since {
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
        };
        tokio::time::timeout(LONG, stamped).await.expect("the server stamps");
    }

    /// The next frame of a client.
    async fn next(&mut self, who: &str) -> String {
        let (_, socket) = self.sockets.get_mut(who).unwrap_or_else(|| panic!("{who} is there"));
        let frame = tokio::time::timeout(LONG, hears(socket)).await;
        let frame = frame.unwrap_or_else(|_| panic!("{who} waits for a frame"));
        frame.unwrap_or_else(|| "the server has closed the connection".to_owned())
    }

    /// Nobody is told anything more.
    async fn end(&mut self) {
        let all: Vec<(String, String)> =
            self.sockets.iter().map(|(who, (to, _))| (who.clone(), to.clone())).collect();
        for (who, to) in all {
            let (says, answer) = match to.as_str() {
                "/ws" => (r#"{"id":"end","type":"ping"}"#, r#"{"type":"done","id":"end"}"#),
                _ => ("end", r#""code":"malformed""#),
            };
            let (_, socket) = self.sockets.get_mut(&who).expect("it is there");
            if socket.send(Message::text(says)).await.is_ok() {
                let last = self.next(&who).await;
                assert!(last.contains(answer), "{who} is told more: {last}");
            }
        }
    }
}

/// Plays a file, and finds in it what was heard.
async fn plays(path: &Path) {
    let name = path.file_stem().and_then(|name| name.to_str()).expect("a name");
    let text = std::fs::read_to_string(path).expect("a file");
    let mut stage = Stage::new(name).await;
    let mut answer = None;
    for (number, text) in text.lines().enumerate() {
        let number = number + 1;
        let line: Line =
            serde_json::from_str(text).unwrap_or_else(|error| panic!("{name}:{number}: {error}"));
        let Some(written) = line.heard() else {
            answer = stage.act(&line).await;
            continue;
        };
        let heard = match line.told.is_some() {
            true => loop {
                let heard = stage.next(&line.who).await;
                // How often a lobby is shown on the way depends on how long it takes.
                if heard == written || !heard.starts_with(r#"{"type":"tables","tables":"#) {
                    break heard;
                }
            },
            false => {
                let (status, body) = answer.take().expect("a request before its answer");
                assert_eq!(Some(status), line.status, "{name}:{number}: {body}");
                body
            }
        };
        assert_eq!(heard, written, "{name}:{number}: {} hears something else", line.who);
    }
    stage.end().await;
}

/// What was told so far, by names that a session being written may use.
#[derive(Default)]
struct Names {
    values: BTreeMap<String, String>,
    tables: Vec<String>,
    /// What was told in the file as it was, frame by frame, for each client.
    old: BTreeMap<String, VecDeque<String>>,
    /// What stands there now for what stood there then.
    renamed: BTreeMap<String, String>,
}

impl Names {
    fn hear(&mut self, who: &str, text: &str) {
        let told: Value = serde_json::from_str(text).expect("JSON");
        if let Some(table) = told["table"].as_str()
            && !self.tables.iter().any(|known| known == table)
        {
            self.tables.push(table.to_owned());
        }
        let kinds = [("welcome", "token", "token"), ("created", "key", "key")];
        let kinds =
            kinds.into_iter().chain([("seated", "token", "seat"), ("matched", "token", "seat")]);
        for (kind, field, name) in kinds {
            if told["type"] == kind
                && let Some(value) = told[field].as_str()
            {
                self.values.insert(format!("${who}.{name}"), value.to_owned());
            }
        }
        if let Some(ask) = told["ask"].as_u64() {
            self.values.insert(format!("\"${who}.ask\""), ask.to_string());
        }
        let old = self.old.get_mut(who).and_then(VecDeque::pop_front);
        if let Some(old) = old.and_then(|old| serde_json::from_str::<Value>(&old).ok()) {
            self.compare(&old, &told);
        }
    }

    fn compare(&mut self, old: &Value, new: &Value) {
        match (old, new) {
            (Value::Object(old), Value::Object(new)) => {
                for (name, old) in old {
                    self.compare(old, new.get(name).unwrap_or(&Value::Null));
                }
            }
            (Value::Array(old), Value::Array(new)) => {
                old.iter().zip(new).for_each(|(old, new)| self.compare(old, new));
            }
            (Value::String(old), Value::String(new)) if old.len() >= 14 && old != new => {
                self.renamed.insert(old.clone(), new.clone());
            }
            _ => {}
        }
    }

    fn resolve(&self, text: &str) -> String {
        let mut text = text.to_owned();
        for (at, table) in self.tables.iter().enumerate().rev() {
            text = text.replace(&format!("$table{}", at + 1), table);
        }
        for (name, value) in self.values.iter().chain(&self.renamed) {
            text = text.replace(name, value);
        }
        text
    }
}

/// Plays a file and writes down what is heard.
async fn writes(path: &Path) {
    let name = path.file_stem().and_then(|name| name.to_str()).expect("a name");
    let text = std::fs::read_to_string(path).expect("a file");
    let mut stage = Stage::new(name).await;
    let (mut names, mut out) = (Names::default(), String::new());
    for text in text.lines() {
        let line: Line = serde_json::from_str(text).unwrap_or_else(|e| panic!("{text}: {e}"));
        if let Some(heard) = line.heard() {
            names.old.entry(line.who.clone()).or_default().push_back(heard);
        }
    }
    for text in text.lines() {
        let line: Line = serde_json::from_str(text).expect("as above");
        if line.heard().is_some() {
            continue;
        }
        let text = names.resolve(text);
        let line: Line = serde_json::from_str(&text).expect("as above");
        writeln!(out, "{text}").expect("a text");
        if line.note.is_some() && line.waits_ms == 0 {
            continue;
        }
        if let Some((status, body)) = stage.act(&line).await {
            names.hear(&line.who, &body);
            let kind = if line.posts.is_some() { "answered" } else { "got" };
            writeln!(out, "{{\"who\":\"{}\",\"{kind}\":{body},\"status\":{status}}}", line.who)
                .expect("a text");
        }
        // Who has spoken first, then the others.
        let mut order: Vec<String> = stage.sockets.keys().cloned().collect();
        order.sort_by_key(|who| *who != line.who);
        let mut last = std::time::Instant::now();
        let short = Duration::from_millis(20);
        let quiet = QUIET.max(Duration::from_millis(line.waits_ms));
        while last.elapsed() < quiet {
            for who in &order {
                let (_, socket) = stage.sockets.get_mut(who).expect("a socket");
                while let Ok(Some(told)) = tokio::time::timeout(short, hears(socket)).await {
                    names.hear(who, &told);
                    writeln!(out, "{{\"who\":\"{who}\",\"told\":{told}}}").expect("a text");
                    last = std::time::Instant::now();
                }
            }
        }
    }
    std::fs::write(path, out).expect("it is written");
}

#[test]
fn sessions_are_as_they_are_written() {
    let bless = std::env::var_os("PARLOR_BLESS").is_some();
    let only = std::env::var("PARLOR_BLESS_ONLY").unwrap_or_default();
    let session = |path: PathBuf| {
        std::thread::spawn(move || {
            // One thread for everybody: what follows from a message is told in one order.
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            let runtime = runtime.expect("a runtime");
            match bless {
                true => runtime.block_on(writes(&path)),
                false => runtime.block_on(plays(&path)),
            }
            runtime.shutdown_background();
        })
    };
    let files = files().into_iter().filter(|path| path.to_string_lossy().contains(&only));
    let threads: Vec<_> = files.map(session).collect();
    assert!(!threads.is_empty());
    let failed = threads.into_iter().filter_map(|thread| thread.join().err()).count();
    assert_eq!(failed, 0, "sessions are told otherwise; look at each, then PARLOR_BLESS=1");
}

/// Every line of JSON that the page shows, and every session in the pages of the games, was said:
/// a message, or a part of one.
#[test]
fn the_pages_show_what_was_said() {
    let mut said = Vec::new();
    for path in files() {
        for text in std::fs::read_to_string(path).expect("a file").lines() {
            let line: Line = serde_json::from_str(text).expect("a line");
            let own = [&line.says, &line.posts].into_iter().flatten();
            said.extend(own.map(|raw| raw.get().to_owned()).chain(line.heard()));
        }
    }
    let pages = [
        ("protocol", "```json", 40),
        ("backgammon", "```jsonl", 4),
        ("gomoku", "```jsonl", 4),
        ("battle", "```jsonl", 4),
        ("poker", "```jsonl", 4),
    ];
    for (page, fence, least) in pages {
        let text = std::fs::read_to_string(root().join(format!("docs/{page}.md"))).expect("a page");
        let (mut inside, mut shown) = (false, 0);
        for line in text.lines() {
            if line.starts_with("```") {
                inside = line == fence;
            } else if inside {
                serde_json::from_str::<Value>(line)
                    .unwrap_or_else(|e| panic!("{page}: {line}: {e}"));
                let was_said = said.iter().any(|said| said.contains(line));
                assert!(was_said, "{page}.md shows what nobody said: {line}");
                shown += 1;
            }
        }
        assert!(shown >= least, "{page}.md shows only {shown} lines");
    }
}
