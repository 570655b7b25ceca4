//! One connection: frames in, frames out.

use crate::accounts::Account;
use crate::hall::Hall;
use crate::now_ms;
use crate::room::{Out, frame};
use axum::extract::ws::{Message, WebSocket};
use futures_util::{SinkExt as _, StreamExt as _};
use parlor_rules::Refusal;
use parlor_wire::{Me, Request, Say, Tell, VERSION};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc;

/// How many frames may wait for a client that does not read.
const QUEUE: usize = 256;

/// How long a connection may be silent, and how often it is asked whether it is still there.
const IDLE: Duration = Duration::from_secs(75);
const PING: Duration = Duration::from_secs(25);

/// Who is on the other end.
struct Client {
    hall: Arc<Hall>,
    connection: u64,
    out: Out,
    account: Option<(Account, String)>,
    tables: BTreeSet<String>,
    lobby: Option<tokio::task::JoinHandle<()>>,
}

/// Serves a connection until it ends.
pub(crate) async fn serve(hall: Arc<Hall>, socket: WebSocket, connection: u64) {
    let (mut sink, mut stream) = socket.split();
    let (out, mut frames) = mpsc::channel::<Arc<str>>(QUEUE);
    let writer = tokio::spawn(async move {
        let mut ping = tokio::time::interval(PING);
        loop {
            let message = tokio::select! {
                frame = frames.recv() => match frame {
                    Some(frame) => Message::Text(frame.as_ref().into()),
                    None => break,
                },
                _ = ping.tick() => Message::Ping(Vec::new().into()),
            };
            if sink.send(message).await.is_err() {
                break;
            }
        }
        // It may be closed already.
        let _ = sink.close().await;
    });
    let mut client =
        Client { hall, connection, out, account: None, tables: BTreeSet::new(), lobby: None };
    while let Ok(Some(Ok(message))) = tokio::time::timeout(IDLE, stream.next()).await {
        match message {
            Message::Text(text) => {
                let answer = client.hear(text.as_str()).await;
                if client.out.send(frame(&answer)).await.is_err() {
                    break;
                }
            }
            Message::Binary(_) => {
                let refusal = Refusal::malformed("messages are texts".to_owned());
                if client.out.send(frame(&refused(None, refusal))).await.is_err() {
                    break;
                }
            }
            Message::Close(_) => break,
            Message::Ping(_) | Message::Pong(_) => {}
        }
    }
    client.leaves();
    drop(client);
    // The writer ends when the last sender is gone, or the connection is.
    let _ = tokio::time::timeout(Duration::from_secs(5), writer).await;
}

fn refused(id: Option<String>, refusal: Refusal) -> Tell {
    let Refusal { code, text, mut facts } = refusal;
    let id = id.or_else(|| facts.remove("id").and_then(|id| id.as_str().map(str::to_owned)));
    Tell::Refused { id, code: code.to_owned(), text, facts }
}

impl Client {
    async fn hear(&mut self, text: &str) -> Tell {
        let Request { id, say } = match Request::read(text) {
            Ok(request) => request,
            Err(refusal) => return refused(None, refusal),
        };
        match self.answer(&id, say).await {
            Ok(tell) => tell,
            Err(refusal) => refused(Some(id), refusal),
        }
    }

    fn me(&self) -> Result<Account, Refusal> {
        let hello = || Refusal::new("hello_first", "say hello or login first");
        self.account.as_ref().map(|(account, _)| account.clone()).ok_or_else(hello)
    }

    async fn welcome(
        &mut self,
        id: &str,
        account: Account,
        token: String,
        new: bool,
    ) -> Result<Tell, Refusal> {
        let me = Me {
            account: account.number,
            name: account.name.clone(),
            guest: account.is_guest(),
            chips: self.hall.accounts.chips(account.number),
        };
        let tables = self.hall.tables_of(account.number).await;
        self.account = Some((account, token.clone()));
        Ok(Tell::Welcome {
            id: id.to_owned(),
            version: VERSION,
            me,
            token: new.then_some(token),
            tables,
            now_ms: now_ms(),
        })
    }

    async fn answer(&mut self, id: &str, say: Say) -> Result<Tell, Refusal> {
        let done = || Ok(Tell::Done { id: id.to_owned() });
        if let Say::Hello { version, .. } | Say::Login { version, .. } = &say {
            if *version != VERSION {
                let text = format!("this server speaks version {VERSION}");
                return Err(Refusal::new("other_version", text));
            }
            if self.account.is_some() {
                return Err(Refusal::new("hello_twice", "you have said hello already"));
            }
        }
        match say {
            Say::Hello { token: Some(token), .. } => {
                let account = self.hall.accounts.by_token(&token)?;
                self.welcome(id, account, token, false).await
            }
            Say::Hello { token: None, name, .. } => {
                let name = name.ok_or_else(|| {
                    Refusal::malformed(
                        "hello: needs a token, or the name of a new guest".to_owned(),
                    )
                })?;
                let hall = self.hall.clone();
                let (account, token) = blocking(move || hall.accounts.guest(&name)).await?;
                self.welcome(id, account, token, true).await
            }
            Say::Login { name, password, .. } => {
                let hall = self.hall.clone();
                let login = blocking(move || hall.accounts.login(&name, &password)).await;
                let (account, token) = login?;
                self.welcome(id, account, token, true).await
            }
            Say::Ping {} => done(),
            say => {
                let me = self.me()?;
                self.act(id, &me, say).await
            }
        }
    }

    async fn act(&mut self, id: &str, me: &Account, say: Say) -> Result<Tell, Refusal> {
        let hall = self.hall.clone();
        match say {
            Say::Claim { password } => {
                let number = me.number;
                blocking(move || hall.accounts.claim(number, &password)).await?;
            }
            Say::Logout {} => {
                if let Some((_, token)) = self.account.take() {
                    hall.accounts.revoke(&token)?;
                }
                self.leaves();
            }
            Say::Lobby { watch } => {
                self.follow_lobby(watch);
                let tables = hall.lobby().await;
                return Ok(Tell::Tables { id: Some(id.to_owned()), tables });
            }
            Say::Create { game, seats, config, options, access } => {
                let created =
                    blocking(move || hall.create(&game, seats, &config, &options, access)).await;
                let (table, key) = created?;
                return Ok(Tell::Created { id: id.to_owned(), table: table.to_string(), key });
            }
            Say::Sit { table, seat, chips, key } => {
                let seat = hall.sit(&table, me, seat, chips, key.as_deref()).await?;
                self.watch(me, &table, None, None).await?;
                let seat = seat.index() as u8;
                return Ok(Tell::Seated { id: id.to_owned(), table, seat });
            }
            Say::House { table, seat, chips } => drop(hall.house(&table, seat, chips).await?),
            Say::Watch { table, key, epoch, seq } => {
                self.watch(me, &table, key.as_deref(), epoch.zip(seq)).await?;
            }
            Say::Play { table, ask, command } => hall.play(&table, me, id, ask, &command).await?,
            Say::Leave { table } => {
                hall.leave(&table, me, self.connection).await?;
                self.tables.remove(&table);
            }
            Say::Chat { table, text } => hall.chat(&table, me, &text).await?,
            Say::Queue { game, config } => hall.queue(me, &game, &config, &self.out).await?,
            Say::Unqueue {} => {
                if !hall.unqueue(me.number) {
                    return Err(Refusal::new("not_queued", "you do not wait"));
                }
            }
            Say::Hello { .. } | Say::Login { .. } | Say::Ping {} => {}
        }
        Ok(Tell::Done { id: id.to_owned() })
    }

    async fn watch(
        &mut self,
        me: &Account,
        table: &str,
        key: Option<&str>,
        seen: Option<(u32, u64)>,
    ) -> Result<(), Refusal> {
        self.hall.watch(table, me, key, self.connection, &self.out, seen).await?;
        self.tables.insert(table.to_owned());
        Ok(())
    }

    fn follow_lobby(&mut self, watch: bool) {
        if let Some(task) = self.lobby.take() {
            task.abort();
        }
        if !watch {
            return;
        }
        let (hall, out) = (self.hall.clone(), self.out.clone());
        self.lobby = Some(tokio::spawn(async move {
            let mut changes = hall.changes();
            while changes.changed().await.is_ok() {
                let tables = hall.lobby().await;
                let told = frame(&Tell::Tables { id: None, tables });
                // Who does not read keeps nobody waiting.
                if out.try_send(told).is_err() {
                    return;
                }
                tokio::time::sleep(Duration::from_millis(200)).await;
            }
        }));
    }

    /// The connection is over.
    fn leaves(&mut self) {
        for table in std::mem::take(&mut self.tables) {
            self.hall.detach(&table, self.connection);
        }
        if let Some((account, _)) = &self.account {
            self.hall.unqueue(account.number);
        }
        self.follow_lobby(false);
    }
}

/// Does what takes long in a thread that may wait.
async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Refusal> + Send + 'static,
) -> Result<T, Refusal> {
    match tokio::task::spawn_blocking(work).await {
        Ok(done) => done,
        Err(_) => Err(Refusal::new("broken", "this went wrong here; try again")),
    }
}
