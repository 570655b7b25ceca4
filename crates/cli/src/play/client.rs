//! A connection to a server, kept up through lost lines and restarts.

use super::ear::Heard;
use super::line::Line;
use super::people::People;
use super::session::{News, Shown};
use super::tokens::Token;
use super::{Options, now_ms};
use crate::address::socket_of;
use anyhow::anyhow;
use parlor_bots::Level;
use parlor_rules::{Chips, Json, Seat};
use parlor_wire::{Clock, Listed, NAME_LENGTH, Offer, Request, Say, Sitting, VERSION, fits_a_name};
use serde::Deserialize;
use std::collections::HashMap;
use std::convert::Infallible;
use std::sync::Arc;
use std::sync::mpsc::Sender;
use std::time::Duration;
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::sync::oneshot;
use tokio_tungstenite::tungstenite::Utf8Bytes;

/// How long to wait before a server is tried again, at first and at most.
const AGAIN: Duration = Duration::from_millis(200);
const LONGEST: Duration = Duration::from_secs(5);

/// How often a name is tried with another number, for who has not asked for one.
const NUMBERS: u64 = 20;

/// What is wanted of a server.
pub(super) enum Aim {
    /// To see what is open.
    List,
    /// A chair at a table.
    Sit { table: String, key: Option<String> },
    /// To look at one.
    Watch { table: String, key: Option<String> },
    /// Somebody to play with.
    Queue(Say),
    /// The same, by who waits for it already: a lost line ends the waiting, and it begins anew.
    Requeue(Say),
    /// A table of one's own, with so many house players.
    Open { create: Say, game: String, house: u8, level: Level },
}

impl Aim {
    /// The game that a table one sits at already must have, to be the one that is meant.
    fn game(&self) -> Option<&str> {
        match self {
            Self::Queue(Say::Queue { game, .. }) | Self::Requeue(Say::Queue { game, .. }) => {
                Some(game)
            }
            // Whoever opens a table for friends means a new one.
            Self::Open { game, house: 1.., .. } => Some(game),
            _ => None,
        }
    }
}

/// What the player wants to be said at the table.
pub(super) enum Order {
    Play { command: Json, ask: Option<u64> },
    Chat(String),
    Leave,
    Again(bool),
    House(Level),
    Add(Chips),
}

/// The fields of all that a server says; what a message does not have is not there.
#[derive(Deserialize, Default)]
#[serde(default)]
struct Told {
    r#type: String,
    id: Option<String>,
    code: String,
    text: String,
    table: String,
    key: Option<String>,
    token: Option<String>,
    /// Names of tables, or tables.
    tables: Option<Json>,
    game: String,
    chairs: Vec<Sitting>,
    you: Option<Seat>,
    over: bool,
    epoch: u32,
    seq: u64,
    sights: Arc<[Json]>,
    view: Option<Json>,
    legal: Option<Json>,
    ask: Option<u64>,
    clocks: Vec<Clock>,
    until_ms: Option<u64>,
    paused: bool,
    now_ms: u64,
    from: String,
    by: u8,
}

/// Why it does not go on.
enum Trouble {
    /// The line is lost.
    Lost(String),
    /// The server does not want what has to be.
    Refused { code: String, text: String },
    /// There is nothing more to say.
    Quit,
}

/// The table that is looked at.
struct At {
    table: String,
    key: Option<String>,
    chairs: Vec<Sitting>,
    me: Option<Seat>,
    /// The number of the last update.
    seen: Option<(u32, u64)>,
}

/// Something that was said and not answered yet.
struct Open {
    id: String,
    /// What may be said again, where nobody knows whether it was heard.
    again: Option<String>,
}

pub(super) struct Client {
    url: String,
    server: String,
    name: Option<String>,
    token: Token,
    aim: Aim,
    /// What is brought along, where people bring chips.
    chips: Chips,
    /// Nobody else's: ids begin with it.
    run: String,
    said: u64,
    at: Option<At>,
    /// The games of tables that were heard of.
    games: HashMap<String, String>,
    open: Vec<Open>,
    /// How long a line may be silent.
    patience: Duration,
    line: Option<Line>,
    orders: UnboundedReceiver<Order>,
    mouth: Sender<Heard>,
}

fn lost(why: impl ToString) -> Trouble {
    Trouble::Lost(why.to_string())
}

fn closed() -> Trouble {
    lost("it is closed")
}

/// Whether it is the name that a server does not want.
fn is_of_a_name(code: &str) -> bool {
    matches!(code, "bad_name" | "name_reserved" | "name_taken")
}

impl Trouble {
    /// The same; where it is the name, with what to do about it.
    fn of_a_name(self) -> Self {
        match self {
            Self::Refused { code, text } if is_of_a_name(&code) => {
                Self::Refused { code, text: format!("{text}; say another with --name") }
            }
            other => other,
        }
    }
}

/// A name for who has none that goes.
const GUEST: &str = "Guest";

/// What of a user's name may be the name of a player.
fn fit(user: &str) -> String {
    let kept: String = user.chars().filter(|c| fits_a_name(*c)).collect();
    kept.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A name with its number, the first without; no longer than a name may be.
fn numbered(name: &str, number: u64) -> String {
    let number = if number == 1 { String::new() } else { format!(" {number}") };
    let cut: String = name.chars().take(NAME_LENGTH.end() - number.len()).collect();
    cut.trim_end().to_owned() + &number
}

impl Client {
    pub(super) fn new(
        options: &Options,
        server: &str,
        aim: Aim,
        seed: &str,
        orders: UnboundedReceiver<Order>,
        mouth: Sender<Heard>,
    ) -> Self {
        let (url, host) = socket_of(server);
        let name = options.there.name.as_deref();
        Self {
            url,
            token: Token::of(&host, name),
            server: server.to_owned(),
            name: name.map(str::to_owned),
            aim,
            chips: options.chips,
            run: seed.chars().take(16).collect(),
            said: 0,
            at: None,
            games: HashMap::new(),
            open: Vec::new(),
            patience: Duration::from_secs(options.there.patience),
            line: None,
            orders,
            mouth,
        }
    }

    /// Talks with the server until there is nothing more to say, or the player is not `here` any more.
    pub(super) async fn live(mut self, mut here: oneshot::Receiver<Infallible>) {
        let mouth = self.mouth.clone();
        tokio::spawn(async move {
            while tokio::signal::ctrl_c().await.is_ok() && mouth.send(Heard::Stop).is_ok() {}
        });
        let mut pause = AGAIN;
        loop {
            let trouble = tokio::select! {
                // What was ordered before the player went is said first.
                biased;
                Err(trouble) = self.stay() => trouble,
                _ = &mut here => Trouble::Quit,
            };
            match trouble {
                Trouble::Quit => break,
                Trouble::Refused { code, text } => {
                    return self.news(News::Failed(anyhow!("{text} ({code})")));
                }
                Trouble::Lost(why) if !self.is_somewhere() => {
                    return self.news(News::Failed(anyhow!("{}: {why}", self.server)));
                }
                Trouble::Lost(why) => {
                    // What was lost with the first line is told once.
                    if self.line.take().is_some() {
                        self.news(News::Lost(why));
                        pause = AGAIN;
                    }
                }
            }
            let wait = tokio::time::sleep(pause);
            pause = (2 * pause).min(LONGEST);
            tokio::pin!(wait);
            loop {
                tokio::select! {
                    () = &mut wait => break,
                    order = self.orders.recv() => match order {
                        None => return,
                        Some(_) => self.news(News::Refused("there is no line".to_owned())),
                    }
                }
            }
        }
        if let Some(line) = self.line.take() {
            line.ends().await;
        }
    }

    /// Whether there is something to come back to.
    fn is_somewhere(&self) -> bool {
        self.at.is_some() || matches!(self.aim, Aim::Requeue(_))
    }

    fn news(&self, news: News) {
        // Who does not listen any more has gone.
        let _ = self.mouth.send(Heard::News(news));
    }

    fn note(&self, text: String) {
        self.news(News::Note(text));
    }

    /// One connection, from its beginning to its end.
    async fn stay(&mut self) -> Result<Infallible, Trouble> {
        self.line = Some(Line::call(&self.url, self.patience).await.map_err(lost)?);
        let tables = self.hello().await?;
        let patience = self.patience;
        self.line()?.is_up(patience);
        match &self.at {
            Some(At { table, key, .. }) => {
                let (table, key) = (table.clone(), key.clone());
                self.comes_back(&table, key.as_deref()).await?;
            }
            None => self.arrives(tables).await?,
        }
        loop {
            let line = self.line.as_mut().ok_or_else(closed)?;
            tokio::select! {
                text = line.next() => {
                    let told = read(text)?;
                    self.hears(told);
                }
                order = self.orders.recv() => {
                    let order = order.ok_or(Trouble::Quit)?;
                    self.gives(order).await?;
                }
            }
        }
    }

    fn line(&mut self) -> Result<&mut Line, Trouble> {
        self.line.as_mut().ok_or_else(closed)
    }

    /// Something to say with an id of its own.
    fn request(&mut self, say: Say) -> (String, String) {
        self.said += 1;
        let id = format!("{}-{}", self.run, self.said);
        let text = parlor_rules::json(&Request { id: id.clone(), say }).get().to_owned();
        (id, text)
    }

    /// Says something whose answer is heard some time.
    async fn send(&mut self, say: Say) -> Result<(), Trouble> {
        let again = matches!(say, Say::Play { .. });
        let (id, text) = self.request(say);
        self.open.push(Open { id, again: again.then(|| text.clone()) });
        self.writes(text).await
    }

    async fn writes(&mut self, text: String) -> Result<(), Trouble> {
        self.line()?.says(text).await.map_err(lost)
    }

    /// Says something, and waits for its answer.
    async fn ask(&mut self, say: Say) -> Result<Told, Trouble> {
        let (id, text) = self.request(say);
        self.writes(text).await?;
        loop {
            let told = read(self.line()?.next().await)?;
            if told.id.as_ref() != Some(&id) {
                self.hears(told);
                continue;
            }
            return match told.r#type.as_str() {
                "refused" => Err(Trouble::Refused { code: told.code, text: told.text }),
                _ => Ok(told),
            };
        }
    }

    /// Says who is there; the tables one sits at.
    async fn hello(&mut self) -> Result<Vec<String>, Trouble> {
        if let Some(token) = self.token.get() {
            match self.comes_as(Some(token), None).await {
                Err(Trouble::Refused { code, .. }) if code == "bad_token" => {
                    self.token.forget().map_err(lost)?;
                }
                welcome => return Ok(names(welcome?)),
            }
        }
        let welcome = match self.name.clone() {
            Some(name) => self.comes_as(None, Some(name)).await.map_err(Trouble::of_a_name),
            None => self.finds_a_name().await,
        }?;
        if let Some(token) = &welcome.token
            && let Err(error) = self.token.put(token)
        {
            self.note(format!("Who you are here cannot be kept: {error}."));
        }
        Ok(names(welcome))
    }

    async fn comes_as(
        &mut self,
        token: Option<String>,
        name: Option<String>,
    ) -> Result<Told, Trouble> {
        let (version, language, views) = (VERSION, None, None);
        self.ask(Say::Hello { version, token, name, language, views }).await
    }

    /// Comes by the first name that goes, for who has not asked for one.
    async fn finds_a_name(&mut self) -> Result<Told, Trouble> {
        let user = std::env::var("USER").unwrap_or_default();
        for name in [fit(&user), GUEST.to_owned()] {
            for number in 1..=NUMBERS {
                match self.comes_as(None, Some(numbered(&name, number))).await {
                    Err(Trouble::Refused { code, .. }) if code == "name_taken" => {}
                    Err(Trouble::Refused { code, .. }) if is_of_a_name(&code) => break,
                    welcome => return welcome,
                }
            }
        }
        let (code, text) = ("name_taken".to_owned(), "all names that were tried are taken");
        Err(Trouble::Refused { code, text: text.to_owned() }.of_a_name())
    }

    /// Takes up a table again, and says again what was not answered.
    async fn comes_back(&mut self, table: &str, key: Option<&str>) -> Result<(), Trouble> {
        match self.watch(table, key).await {
            Err(Trouble::Refused { text, .. }) => self.news(News::Left(format!("{text}."))),
            watched => watched?,
        }
        // Only now is it known what is asked.
        self.news(News::Back);
        let done = self.open.extract_if(.., |open| open.again.is_none()).count();
        (0..done).for_each(|_| self.news(News::Done));
        // What is said again is open until it is answered, should this line be lost too.
        let again: Vec<String> = self.open.iter().filter_map(|open| open.again.clone()).collect();
        for text in again {
            self.writes(text).await?;
        }
        Ok(())
    }

    /// Looks at a table, from where it was last seen.
    async fn watch(&mut self, table: &str, key: Option<&str>) -> Result<(), Trouble> {
        let at = self.at.as_ref().filter(|at| at.table == table);
        let (epoch, seq) = at.and_then(|at| at.seen).unzip();
        let (table, key) = (table.to_owned(), key.map(str::to_owned));
        self.ask(Say::Watch { table, key, epoch, seq }).await.map(drop)
    }

    /// What is brought to a table.
    fn brings(&self, table: &str) -> Option<Chips> {
        let game = self.games.get(table).and_then(|game| parlor_games::find(game));
        game.is_some_and(|game| game.comes_and_goes()).then_some(self.chips)
    }

    /// The game of a table.
    async fn game(&mut self, table: &str, key: Option<&str>) -> Result<String, Trouble> {
        self.watch(table, key).await?;
        Ok(self.games.get(table).cloned().unwrap_or_default())
    }

    fn looks_at(&mut self, table: &str, key: Option<String>) {
        let table = table.to_owned();
        self.at = Some(At { table, key, chairs: Vec::new(), me: None, seen: None });
    }

    async fn sit(&mut self, table: String, key: Option<String>) -> Result<(), Trouble> {
        self.looks_at(&table, key.clone());
        let chips = self.brings(&table);
        self.ask(Say::Sit { table, seat: None, chips, key, tip: None }).await.map(drop)
    }

    /// Gets what was wanted, or goes back to where one sits already.
    async fn arrives(&mut self, own: Vec<String>) -> Result<(), Trouble> {
        if self.is_somewhere() {
            self.news(News::Back);
        }
        if let Some(game) = self.aim.game().map(str::to_owned) {
            for table in &own {
                if self.game(table, None).await? == game {
                    self.note(format!("You sit at table {table} already."));
                    self.looks_at(table, None);
                    return self.watch(table, None).await;
                }
            }
        }
        match std::mem::replace(&mut self.aim, Aim::List) {
            Aim::List => {
                let told = self.ask(Say::Lobby { watch: false }).await?;
                self.lists(&told);
                return Err(Trouble::Quit);
            }
            Aim::Watch { table, key } => {
                self.looks_at(&table, key.clone());
                self.watch(&table, key.as_deref()).await?;
            }
            Aim::Sit { table, .. } if own.contains(&table) => {
                self.looks_at(&table, None);
                self.watch(&table, None).await?;
            }
            Aim::Sit { table, key } => {
                // What is brought along depends on the game; who looks does not sit yet.
                self.game(&table, key.as_deref()).await?;
                self.ask(Say::Leave { table: table.clone() }).await?;
                self.sit(table, key).await?;
            }
            Aim::Queue(queue) => {
                self.aim = Aim::Requeue(queue.clone());
                self.queues(queue).await?;
            }
            Aim::Requeue(queue) => {
                self.aim = Aim::Requeue(queue.clone());
                let queued = match self.queues(queue.clone()).await {
                    // By the lost line, of which the server knows nothing yet.
                    Err(Trouble::Refused { code, .. }) if code == "queued" => {
                        self.waits_no_more().await?;
                        self.queues(queue).await
                    }
                    queued => queued,
                };
                match queued {
                    // Somebody was found just now: who comes again is told of the table.
                    Err(Trouble::Refused { code, text })
                        if matches!(&*code, "queued" | "in_game") =>
                    {
                        return Err(lost(text));
                    }
                    queued => queued?,
                }
            }
            Aim::Open { create, game, house, level } => {
                let Told { table, key, .. } = self.ask(create).await?;
                self.games.insert(table.clone(), game);
                self.sit(table.clone(), key.clone()).await?;
                if let Some(key) = key {
                    let server = &self.server;
                    self.note(format!(
                        "Who is to join you runs\n  parlor play --server {server} --table {table} --key {key}"
                    ));
                }
                let chips = self.brings(&table);
                for _ in 0..house {
                    let table = table.clone();
                    self.ask(Say::House { table, level, seat: None, chips }).await?;
                }
            }
        }
        Ok(())
    }

    /// Waits for somebody to play with.
    async fn queues(&mut self, queue: Say) -> Result<(), Trouble> {
        self.ask(queue).await?;
        // Where people come and go there is a chair at once.
        if self.at.is_none() {
            self.note("Waiting for somebody to play with.".to_owned());
        }
        Ok(())
    }

    /// Waits no more, by whatever line; that it was over already is as well.
    async fn waits_no_more(&mut self) -> Result<(), Trouble> {
        match self.ask(Say::Unqueue {}).await {
            Err(Trouble::Refused { .. }) => Ok(()),
            answered => answered.map(drop),
        }
    }

    fn lists(&self, told: &Told) {
        let games = parlor_games::GAMES.iter().map(|game| game.key()).collect::<Vec<_>>();
        let mut lines = vec![format!("Games: {}", games.join(", "))];
        let tables = told.tables.as_ref().and_then(|text| serde_json::from_str(text.get()).ok());
        let tables: Vec<Listed> = tables.unwrap_or_default();
        lines.push(match tables.is_empty() {
            true => "No table is open.".to_owned(),
            false => "Open tables, to join with --table or to look at with --watch too:".to_owned(),
        });
        for Listed { table, game, chairs, watchers, .. } in tables {
            let chair = |chair: &Sitting| match chair {
                Sitting::Open {} => "free".to_owned(),
                Sitting::Kept {} => "kept".to_owned(),
                Sitting::Taken { name, .. } => name.clone(),
                Sitting::House { level } => format!("house ({level})"),
            };
            let chairs = chairs.iter().map(chair).collect::<Vec<_>>().join(", ");
            lines.push(format!("  {table}  {game:11} {chairs}; {watchers} watching"));
        }
        self.news(News::Left(lines.join("\n")));
    }

    /// Says what the player wants.
    async fn gives(&mut self, order: Order) -> Result<(), Trouble> {
        let Some(At { table, .. }) = &self.at else {
            self.news(News::Refused("there is no table yet".to_owned()));
            return Ok(());
        };
        let (table, what, chips) = (table.clone(), Offer::Rematch, self.brings(table));
        let say = match order {
            Order::Play { command, ask } => Say::Play { table, ask, command, link: None },
            Order::Chat(text) => Say::Chat { table, text },
            Order::Leave => Say::Leave { table },
            Order::Again(true) => Say::Offer { table, what },
            Order::Again(false) => Say::Answer { table, what, accept: false },
            Order::House(level) => Say::House { table, level, seat: None, chips },
            Order::Add(chips) => Say::TopUp { table, chips },
        };
        self.send(say).await
    }

    /// Hears what the server says by itself, and answers that nobody waits for here.
    fn hears(&mut self, told: Told) {
        if let Some(id) = &told.id {
            self.open.retain(|open| open.id != *id);
        }
        match told.r#type.as_str() {
            "done" => self.news(News::Done),
            "refused" => self.news(News::Refused(told.text)),
            "bye" => self.note(format!("The server says: {}.", told.text)),
            "matched" => self.looks_at(&told.table, None),
            kind => {
                if kind == "table" {
                    self.games.insert(told.table.clone(), told.game.clone());
                }
                if let Some(at) = self.at.as_mut().filter(|at| at.table == told.table) {
                    let news = at.hears(told);
                    news.into_iter().for_each(|news| self.news(news));
                }
            }
        }
    }
}

impl At {
    /// What is new at this table.
    fn hears(&mut self, told: Told) -> Vec<News> {
        let people = |at: &Self| People::new(at.me, &at.chairs);
        match told.r#type.as_str() {
            "table" => {
                (self.chairs, self.me) = (told.chairs, told.you);
                let (table, game, people) = (told.table, told.game, people(self));
                let over = told.over.then_some(News::Over);
                [News::Table { table, game, people }].into_iter().chain(over).collect()
            }
            "update" => {
                self.seen = Some((told.epoch, told.seq));
                let until_ms = told.until_ms(self.me);
                let Told { sights, view: Some(view), legal, ask, .. } = told else {
                    return Vec::new();
                };
                vec![News::Shown(Shown { sights, view, legal, ask, until_ms })]
            }
            "chat" => vec![News::Note(format!("{}: {}", told.from, told.text))],
            "offered" if self.me != Some(Seat::new(told.by)) => {
                let wants = people(self).does(Seat::new(told.by), "want");
                vec![News::Note(format!("{wants} a rematch: yes or no?"))]
            }
            "declined" => {
                let declines = people(self).does(Seat::new(told.by), "decline");
                vec![News::Note(format!("{declines} a rematch."))]
            }
            "left" => vec![News::Left(format!("\nThe server says: {}.", told.text))],
            _ => Vec::new(),
        }
    }
}

impl Told {
    /// When the time of a seat is up, by the clock of this machine.
    fn until_ms(&self, seat: Option<Seat>) -> Option<u64> {
        let own = self.clocks.iter().filter(|clock| Some(Seat::new(clock.seat)) == seat);
        let all = own.filter_map(|clock| clock.until_ms).chain(self.until_ms);
        let until_ms = all.min().filter(|_| !self.paused)?;
        Some(now_ms().saturating_add(until_ms.saturating_sub(self.now_ms)))
    }
}

fn names(welcome: Told) -> Vec<String> {
    let names = welcome.tables.and_then(|names| serde_json::from_str(names.get()).ok());
    names.unwrap_or_default()
}

/// What a text of the server says.
fn read(text: Result<Utf8Bytes, String>) -> Result<Told, Trouble> {
    serde_json::from_str(&text.map_err(lost)?).map_err(lost)
}
