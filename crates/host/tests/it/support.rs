//! A server's tables, and people at them.

use parlor_accounts::{Accounts, Chance};
use parlor_host::{
    BotScheduler, Epochs, Games, Limit, Outbox, Outgoing, Settings, TableContext, TableDirectory,
    TableFactory, TableHandle, TableRequest,
};
use parlor_journal::{Journal, Memory};
use parlor_rules::{Json, Refusal, json};
use parlor_table::{Bytes32, Stamp};
use parlor_wire::{Access, Language, Tell};
use serde_json::{Map, Value};
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{mpsc, watch};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// How long anything may take.
const LONG: Duration = Duration::from_secs(15);

/// All tables, and how they are opened.
pub(crate) struct Tables {
    pub(crate) context: Arc<TableContext>,
    directory: Arc<TableDirectory>,
    factory: TableFactory,
}

impl Tables {
    pub(crate) async fn new() -> Self {
        let log: Arc<dyn Journal> = Arc::new(Memory::default());
        let chance = Chance::of_the_system();
        let games = Games {
            list: parlor_games::GAMES,
            find: parlor_games::find,
            dialects: &parlor_games::DIALECTS,
            players: parlor_bots::player,
        };
        let context = Arc::new(TableContext {
            games: Arc::new(games),
            accounts: Arc::new(Accounts::new(log.clone(), chance.clone()).await.expect("accounts")),
            connections: Arc::default(),
            settings: Settings::without_limits(),
            scheduler: BotScheduler::new(Limit::NONE),
            epochs: Epochs::new(log.clone()).await.expect("epochs"),
            lobby_changes: watch::channel(1).0,
            finished: mpsc::unbounded_channel().0,
            stored: Box::new(|_, _| {}),
            stop: CancellationToken::new(),
            tasks: TaskTracker::new(),
            chance,
            log,
        });
        let directory = TableDirectory::new(context.clone());
        let factory = TableFactory::new(context.clone(), directory.clone());
        Self { context, directory, factory }
    }

    /// Opens a table; gives its key too, if it is private.
    pub(crate) async fn open(&self, game: &str, access: Access) -> (TableHandle, Option<String>) {
        let mut config = Map::new();
        if game == "gomoku" {
            config.insert("swap2Enabled".to_owned(), Value::Bool(false));
        }
        let (options, from) = (Map::new(), IpAddr::from([127, 0, 0, 1]));
        let game = game.to_owned();
        let request = TableRequest { game, seats: None, config, options, access, by: None, from };
        let opened = self.factory.open(request).await.expect("a table");
        (self.directory.find(opened.table.as_str()).await.expect("it is there"), opened.key)
    }
}

/// A person with a connection.
pub(crate) struct Person {
    pub(crate) account: u64,
    pub(crate) name: String,
    pub(crate) outbox: Outbox,
    messages: mpsc::UnboundedReceiver<Outgoing>,
}

impl Person {
    pub(crate) async fn new(tables: &Tables, name: &str) -> Self {
        let TableContext { accounts, connections, stop, .. } = &*tables.context;
        let guest = accounts.guest(name, Language::default()).await.expect("a guest");
        let (outbox, messages) = Outbox::new(connections.next_id(), stop);
        let account = guest.account.number;
        connections.add(account, &guest.token, &outbox);
        Self { account, name: name.to_owned(), outbox, messages }
    }

    /// Takes a seat, and watches from it.
    pub(crate) async fn sits(&self, table: &TableHandle, seat: u8) -> Result<(), Refusal> {
        let request = parlor_host::SeatRequest { seat: Some(seat), ..Default::default() };
        table.sit(self.account, &self.name, request).await?;
        self.watches(table, None).await
    }

    pub(crate) async fn watches(
        &self,
        table: &TableHandle,
        key: Option<String>,
    ) -> Result<(), Refusal> {
        table.subscribe(self.account, self.outbox.connection(), key, None).await
    }

    /// Lays a stone.
    pub(crate) async fn plays(&self, table: &TableHandle, x: u8, y: u8) -> Result<(), Refusal> {
        let stamp =
            Stamp { id: Some(format!("{x} {y}")), ask: None, contribution: None::<Bytes32> };
        table.play(self.account, stone(x, y), stamp).await
    }

    /// The messages that wait in the outbox.
    pub(crate) fn told(&mut self) -> Vec<Tell> {
        let mut told = Vec::new();
        while let Ok(Outgoing::Message(message, _)) = self.messages.try_recv() {
            told.push(message.tell().clone());
        }
        told
    }

    /// The next message.
    pub(crate) async fn hears(&mut self) -> Tell {
        let next = tokio::time::timeout(LONG, self.messages.recv()).await.expect("in time");
        match next {
            Some(Outgoing::Message(message, _)) => message.tell().clone(),
            Some(Outgoing::End) | None => panic!("a message is there"),
        }
    }
}

pub(crate) fn stone(x: u8, y: u8) -> Json {
    json(&serde_json::json!({"type":"move","x":x,"y":y}))
}

/// How many updates are among these messages.
pub(crate) fn updates(told: &[Tell]) -> usize {
    told.iter().filter(|tell| matches!(tell, Tell::Update { .. })).count()
}
