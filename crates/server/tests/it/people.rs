//! People who sit at one table, each with a mind of its own.

use crate::client::{Client, Server, mind};
use futures_util::future::select_all;
use serde_json::{Value, json, value::to_raw_value};

/// Somebody at a table.
pub(crate) struct Person {
    pub(crate) client: Client,
    mind: Box<dyn parlor_bots::Player>,
    /// The last update of the table.
    pub(crate) last: Value,
    /// All updates, the last one too.
    pub(crate) seen: Vec<Value>,
    /// The last question that was answered.
    answered: Value,
    pub(crate) over: bool,
    pub(crate) left: bool,
}

impl Person {
    pub(crate) fn new(client: Client, game: &str, seat: u8) -> Self {
        let mind = mind(game, seat, &format!("{game} {seat}"));
        Self {
            client,
            mind,
            last: Value::Null,
            seen: Vec::new(),
            answered: Value::Null,
            over: false,
            left: false,
        }
    }

    fn learns(&mut self, news: Value) {
        match news["type"].as_str() {
            Some("update") => {
                self.seen.push(news.clone());
                self.last = news;
            }
            Some("table") => self.over = news["over"] == true,
            Some("left") => self.left = true,
            _ => {}
        }
    }

    /// Takes in all that was told on the way to an answer.
    pub(crate) fn catches_up(&mut self) {
        for news in std::mem::take(&mut self.client.told) {
            self.learns(news);
        }
    }

    /// Whether somebody has won all there is, where people bring chips: nothing more will happen.
    fn is_won(&self) -> bool {
        let view = &self.last["view"];
        let Some(players) = view["players"].as_array() else { return false };
        // Who has nothing left is shown with it first, and then not at all.
        let rich = players.iter().filter(|player| player["stack"] != 0).count();
        view["hand"] != 0 && rich < 2 && view["actor"].is_null()
    }

    pub(crate) fn is_asked(&self) -> bool {
        !self.last["ask"].is_null() && self.last["ask"] != self.answered && !self.over
    }

    /// What the mind would say.
    pub(crate) fn thinks(&mut self) -> Value {
        let view = to_raw_value(&self.last["view"]).expect("JSON");
        let legal = to_raw_value(&self.last["legal"]).expect("JSON");
        let command = self.mind.choose(&view, &legal).expect("who is asked has something to say");
        serde_json::from_str(command.get()).expect("JSON")
    }

    /// Answers the question; the server's answer.
    pub(crate) async fn answers(&mut self) -> Value {
        let (table, ask, command) =
            (self.last["table"].clone(), self.last["ask"].clone(), self.thinks());
        self.answered = ask.clone();
        let play = json!({"type":"play","table":table,"ask":ask,"command":command});
        let answer = self.client.ask(play).await;
        let code = answer["code"].as_str().unwrap_or_default();
        let late = ["stale_ask", "too_late", "table_closed"].contains(&code);
        assert!(answer["type"] == "done" || late, "{answer} {}", self.last);
        if late {
            self.answered = Value::Null;
        }
        self.catches_up();
        answer
    }

    /// Loses the connection and takes up the seat again, with what it has seen or without.
    pub(crate) async fn comes_back(&mut self, server: &Server, table: &str, remembers: bool) {
        let token = self.client.token.clone();
        let (back, welcome) = Client::back(server, &token).await;
        // The old connection is there until the new one is.
        self.client = back;
        let mut watch = json!({"type":"watch","table":table});
        if remembers {
            watch["epoch"] = self.last["epoch"].clone();
            watch["seq"] = self.last["seq"].clone();
        }
        self.client.done(watch).await;
        self.catches_up();
        assert!(self.over || welcome["tables"] == json!([table]), "{welcome}");
    }
}

/// A table of a game that is about to begin, with as many people as it takes.
pub(crate) async fn gathered(
    server: &Server,
    game: &str,
    config: Value,
    options: Value,
) -> (String, Vec<Person>) {
    let mut people = Vec::new();
    let mut anna = Client::guest(server, "Anna").await;
    let create = json!({"type":"create","game":game,"config":config,"options":options});
    let created = anna.done(create).await;
    let table = created["table"].as_str().expect("a name").to_owned();
    for (seat, mut client) in [anna, Client::guest(server, "Boris").await].into_iter().enumerate() {
        let mut sit = json!({"type":"sit","table":table,"seat":seat});
        if game == "poker" {
            sit["chips"] = 100.into();
        }
        let seated = client.done(sit).await;
        assert_eq!(seated["seat"], seat);
        let mut person = Person::new(client, game, seat as u8);
        person.catches_up();
        people.push(person);
    }
    (table, people)
}

/// Waits until somebody is asked, or all know that it is over; who is.
pub(crate) async fn somebody_asked(people: &mut [Person]) -> Option<usize> {
    loop {
        if let Some(asked) = people.iter().position(Person::is_asked) {
            return Some(asked);
        }
        if people.iter().all(|person| person.over || person.left || person.is_won()) {
            return None;
        }
        let hears = people.iter_mut().map(|person| Box::pin(person.client.hears()));
        let (news, who, _) = select_all(hears).await;
        people[who].learns(news);
    }
}

/// The next news of a kind.
pub(crate) async fn told(client: &mut Client, kind: &str) -> Value {
    loop {
        let news = client.news().await;
        if news["type"] == kind {
            return news;
        }
    }
}

/// Waits until all know that it is over.
pub(crate) async fn until_over(people: &mut [Person]) {
    for person in people {
        while !person.over {
            let news = person.client.hears().await;
            person.learns(news);
        }
    }
}
