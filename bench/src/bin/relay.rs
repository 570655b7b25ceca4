//! The least a server of tables can do: a message is stored, then told to both sides. It knows no
//! rules, no accounts and no clocks, and says just enough for `parlor load --game gomoku` to play.
//! What a move costs here is what sockets and disk cost; the rest of a real one is its work.
//!
//! `relay 127.0.0.1:9000 FILE` stores in a new SQLite file.

use futures_util::{SinkExt as _, StreamExt as _};
use rusqlite::Connection;
use serde::Deserialize;
use std::collections::HashMap;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio_tungstenite::accept_async_with_config;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;

#[global_allocator]
static GLOBAL: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// A side of a table: where its messages go.
type Side = UnboundedSender<String>;

/// The two sides of each table, and how many moves it has seen.
type Tables = Arc<Mutex<HashMap<String, (Vec<Side>, u64)>>>;

/// A message to store, and whom to tell afterwards.
type Job = (String, u64, String, Vec<(Side, String)>);

/// What is read of a message.
#[derive(Deserialize)]
struct Said {
    id: String,
    r#type: String,
    #[serde(default)]
    table: String,
}

/// Stores what comes, with all that came meanwhile in one commit, and passes it on.
fn store(db: &mut Connection, jobs: &mpsc::Receiver<Job>) -> rusqlite::Result<()> {
    while let Ok(first) = jobs.recv() {
        let batch: Vec<Job> = std::iter::once(first).chain(jobs.try_iter()).collect();
        let transaction = db.transaction()?;
        for (table, n, text, _) in &batch {
            transaction
                .prepare_cached("INSERT INTO said (t, n, text) VALUES (?1, ?2, ?3)")?
                .execute((table, n.cast_signed(), text))?;
        }
        transaction.commit()?;
        for (side, text) in batch.into_iter().flat_map(|(.., tell)| tell) {
            // Who is gone hears no more.
            let _ = side.send(text);
        }
    }
    Ok(())
}

fn open(path: &Path) -> rusqlite::Result<Connection> {
    let db = Connection::open(path)?;
    db.pragma_update(None, "journal_mode", "wal")?;
    db.pragma_update(None, "synchronous", "full")?;
    db.execute_batch(
        "CREATE TABLE said (row INTEGER PRIMARY KEY, t TEXT, n INTEGER, text TEXT);
         CREATE UNIQUE INDEX place ON said (t, n);",
    )?;
    Ok(db)
}

/// Every point of a board is free.
const FREE: &str = "[32767,32767,32767,32767,32767,32767,32767,32767,32767,32767,32767,32767,32767,\
                    32767,32767]";

/// What a read takes at once.
const READ: usize = 4096;

/// What a side is told: all points are free, and it is asked if it is its turn.
fn update(table: &str, side: usize, moves: u64) -> String {
    let ask = if moves as usize % 2 == side { (moves + 1).to_string() } else { "null".to_owned() };
    format!(
        r#"{{"type":"update","table":"{table}","ask":{ask},"view":{{}},"legal":{{"rows":{FREE}}}}}"#
    )
}

async fn serve(stream: TcpStream, tables: Tables, journal: mpsc::Sender<Job>) -> Option<()> {
    stream.set_nodelay(true).ok()?;
    let config = WebSocketConfig::default().read_buffer_size(READ);
    let socket = accept_async_with_config(stream, Some(config)).await.ok()?;
    let (mut sink, mut stream) = socket.split();
    let (own, mut frames): (Side, UnboundedReceiver<String>) = unbounded_channel();
    loop {
        tokio::select! {
            frame = frames.recv() => {
                sink.feed(Message::text(frame?)).await.ok()?;
                while let Ok(frame) = frames.try_recv() {
                    sink.feed(Message::text(frame)).await.ok()?;
                }
                sink.flush().await.ok()?;
            }
            message = stream.next() => {
                let message = message?.ok()?;
                let Message::Text(text) = message else { continue };
                let said: Said = serde_json::from_str(&text).ok()?;
                let mut tables = tables.lock().unwrap_or_else(PoisonError::into_inner);
                let done = |kind: &str, table: &str| {
                    format!(r#"{{"type":"{kind}","id":"{}","table":"{table}"}}"#, said.id)
                };
                match said.r#type.as_str() {
                    "hello" => own.send(done("welcome", "")).ok()?,
                    "create" => {
                        let name = format!("t{}", tables.len());
                        own.send(done("created", &name)).ok()?;
                        tables.insert(name, (Vec::new(), 0));
                    }
                    "sit" => {
                        let (sides, moves) = tables.get_mut(&said.table)?;
                        sides.push(own.clone());
                        if sides.len() == 2 {
                            for (n, side) in sides.iter().enumerate() {
                                let text = update(&said.table, n, *moves);
                                let _ = side.send(text);
                            }
                        }
                    }
                    _ => {
                        let (sides, moves) = tables.get_mut(&said.table)?;
                        *moves += 1;
                        let told = |(n, side): (usize, &Side)| {
                            (side.clone(), update(&said.table, n, *moves))
                        };
                        let mut tell: Vec<_> = sides.iter().enumerate().map(told).collect();
                        tell.push((own.clone(), done("done", &said.table)));
                        let text = text.as_str().to_owned();
                        journal.send((said.table, *moves, text, tell)).ok()?;
                    }
                }
            }
        }
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [address, file] = arguments.as_slice() else {
        return Err("relay ADDRESS FILE".into());
    };
    let address: SocketAddr = address.parse()?;
    let mut db = open(Path::new(file))?;
    let (journal, jobs) = mpsc::channel();
    std::thread::spawn(move || store(&mut db, &jobs).expect("the file can be written"));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let listener = TcpListener::bind(address).await?;
        let tables = Tables::default();
        loop {
            let (stream, _) = listener.accept().await?;
            tokio::spawn(serve(stream, tables.clone(), journal.clone()));
        }
    })
}
