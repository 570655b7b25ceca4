//! A battle in the messages of its contract.

use super::{Life, value};
use parlor_games::{DIALECTS, find};
use parlor_rules::{Chips, House, Input, Refusal, Seat, Viewer, json};
use parlor_table::{
    Act, Desk, Keys, NewTable, Options, Stamp, Submitted, Table, TableId, Update, Who,
};
use parlor_wire::dialect::{Translator, Turn};
use parlor_wire::{Access, Language, Listed, Me, Request, Say, Sitting, Tell, VERSION};
use serde_json::{Value, json as value_of};
use std::collections::{BTreeSet, VecDeque};

const NAMES: [&str; 2] = ["Ann", "Bob"];
/// When the match begins.
const BEGIN: u64 = 1_000_000;

/// Somebody who speaks the dialect.
struct Client {
    talk: Box<dyn Translator>,
    /// What the server has to say to it.
    tells: VecDeque<Tell>,
    /// What it was sent and has not looked at.
    sent: VecDeque<Value>,
    hello: bool,
    queued: bool,
    watches: bool,
}

impl Client {
    fn new(connection: &str) -> Self {
        let socket = DIALECTS.socket("battle").expect("the dialect");
        Self {
            talk: (socket.open)(connection),
            tells: VecDeque::new(),
            sent: VecDeque::new(),
            hello: false,
            queued: false,
            watches: false,
        }
    }
}

/// A server of one match, with a real table.
struct Stub {
    clients: Vec<Client>,
    table: Option<Table>,
    now_ms: u64,
    ids: BTreeSet<String>,
    /// Whether the match waits for somebody to say that it begins.
    waits: bool,
    /// The options that were asked for.
    wanted: Value,
}

impl Stub {
    fn new() -> Self {
        let clients = ["c0", "c1"].map(Client::new).into();
        let (ids, wanted) = (BTreeSet::new(), Value::Null);
        Self { clients, table: None, now_ms: BEGIN, ids, waits: false, wanted }
    }

    /// Both have said who they are and have found each other.
    fn matched(config: &Value) -> Self {
        let mut stub = Self::new();
        stub.match_up(config);
        stub
    }

    fn match_up(&mut self, config: &Value) {
        for (side, name) in NAMES.into_iter().enumerate() {
            self.says(side, &value_of!({"type": "hello", "name": name}));
            let welcome = value_of!({"type": "welcome", "nickname": name, "token": name});
            assert_eq!(self.takes(side), Some(welcome));
        }
        for side in [0, 1] {
            self.says(side, &value_of!({"type": "queue_join", "config": config}));
            assert_eq!(self.takes(side), Some(value_of!({"type": "queue_ok"})));
        }
    }

    /// A client says something; all that follows is said.
    fn says(&mut self, side: usize, message: &Value) {
        self.says_text(side, &message.to_string());
    }

    fn says_text(&mut self, side: usize, text: &str) {
        let turns = self.clients[side].talk.hear(text);
        self.turns(side, turns);
        self.settle();
    }

    fn takes(&mut self, side: usize) -> Option<Value> {
        self.clients[side].sent.pop_front()
    }

    fn took_all(&mut self, side: usize) -> Vec<Value> {
        self.clients[side].sent.drain(..).collect()
    }

    fn turns(&mut self, side: usize, turns: Vec<Turn>) {
        for turn in turns {
            match turn {
                Turn::Send(message) => self.clients[side].sent.push_back(value(&message)),
                Turn::Say(Request { id, say }) => {
                    assert!(id.len() <= 64 && self.ids.insert(id.clone()), "{id}");
                    let answer = match self.answer(side, &id, say) {
                        Ok(Some(answer)) => answer,
                        Ok(None) => Tell::Done { id },
                        Err(Refusal { code, text, facts }) => {
                            Tell::Refused { id: Some(id), code: code.to_owned(), text, facts }
                        }
                    };
                    self.clients[side].tells.push_back(answer);
                    if self.table.is_none() && self.clients.iter().all(|client| client.queued) {
                        self.open();
                    }
                }
            }
        }
    }

    /// Tells everyone everything.
    fn settle(&mut self) {
        while let Some(side) = (0..2).find(|side| !self.clients[*side].tells.is_empty()) {
            let tell = self.clients[side].tells.pop_front().expect("something to tell");
            let turns = self.clients[side].talk.told(&tell);
            self.turns(side, turns);
        }
    }

    fn answer(&mut self, side: usize, id: &str, say: Say) -> Result<Option<Tell>, Refusal> {
        if !self.clients[side].hello && !matches!(say, Say::Hello { .. }) {
            return Err(Refusal::new("hello_first", "say hello or login first"));
        }
        match say {
            Say::Hello { version, token, name, .. } => {
                assert_eq!(version, VERSION);
                let new = name.is_some();
                let name = name.or(token).ok_or_else(|| Refusal::malformed("a name or a token"))?;
                self.clients[side].hello = true;
                let me = Me {
                    account: side as u64,
                    name: name.clone(),
                    guest: true,
                    language: Language::En,
                    chips: Chips::whole(1_000),
                    tokens: Chips::whole(10),
                    ratings: Vec::new(),
                };
                let tables = self.table.iter().map(|table| table.header().table.to_string());
                return Ok(Some(Tell::Welcome {
                    id: id.to_owned(),
                    version,
                    me,
                    token: new.then_some(name),
                    // One of another game, too.
                    tables: tables.flat_map(|table| ["t-other".to_owned(), table]).collect(),
                    now_ms: self.now_ms,
                }));
            }
            Say::Queue { game, config, .. } => {
                assert_eq!(game, "battle");
                self.clients[side].queued = true;
                self.wanted = Value::Object(config);
            }
            Say::Unqueue {} => self.clients[side].queued = false,
            Say::Watch { table, .. } => {
                self.clients[side].watches = true;
                self.greet(side, &table);
            }
            Say::Play { table, ask, command, .. } => {
                assert_eq!((table.as_str(), ask), ("t-1", None));
                let input = Input::Play { seat: Seat::new(side as u8), command };
                self.enter(Act::Game(input))?;
            }
            Say::Leave { .. } => {
                let seat = Seat::new(side as u8);
                self.enter(Act::Game(Input::House(House::Left { seat })))?;
                self.clients[side].watches = false;
            }
            other => panic!("{other:?}"),
        }
        Ok(None)
    }

    fn open(&mut self) {
        let new = NewTable {
            table: "t-1".parse::<TableId>().expect("a name"),
            game: find("battle").expect("the game"),
            config: json(&self.wanted),
            seats: 2,
            options: Options::default(),
            keys: Keys::from_secret(""),
            now_ms: self.now_ms,
        };
        self.table = Some(Table::open(new).expect("a right config").0);
        for (seat, client) in self.clients.iter_mut().enumerate() {
            let seat = seat as u8;
            let token = "".to_owned();
            client.tells.push_back(Tell::Matched { table: "t-1".to_owned(), seat, token });
            client.watches = true;
        }
        for side in [0, 1] {
            let who = Who::Account(u64::from(side));
            self.enter(Act::Desk(Desk::Sit { seat: Seat::new(side), who, tip: None }))
                .expect("a chair");
            self.greet(usize::from(side), "t-1");
        }
        if !self.waits {
            self.begin();
        }
    }

    fn begin(&mut self) {
        self.enter(Act::Game(Input::House(House::Begin {}))).expect("a match");
    }

    fn greet(&mut self, side: usize, table: &str) {
        let game = if table == "t-other" { "gomoku" } else { "battle" };
        let chair = |name: &&str| Sitting::Taken { name: (*name).to_owned(), here: true };
        let listed = Listed {
            table: table.to_owned(),
            game: game.to_owned(),
            config: json(&value_of!({})),
            access: Access::Open,
            chairs: NAMES.iter().map(chair).collect(),
            watchers: 0,
            over: false,
        };
        let about = Tell::Table { listed, you: Some(side as u8) };
        let viewer = Viewer::Seat(Seat::new(side as u8));
        let current = self.table.as_ref().and_then(|table| table.current(viewer));
        let update = self.update(table, current.expect("how it stands"));
        self.clients[side].tells.extend([about, update]);
    }

    fn update(&self, table: &str, update: Update) -> Tell {
        Tell::Update {
            table: table.into(),
            epoch: update.epoch,
            seq: update.seq,
            sights: update.sights,
            view: Some(update.view.json().clone()),
            legal: update.legal,
            ask: update.ask,
            clocks: Default::default(),
            until_ms: update.until_ms,
            paused: update.paused,
            root: None,
            now_ms: self.now_ms,
        }
    }

    fn enter(&mut self, act: Act) -> Result<(), Refusal> {
        let table = self.table.as_mut().expect("a table");
        let Submitted::Entry(pending) = table.submit(act, &Stamp::default(), self.now_ms)? else {
            return Ok(());
        };
        for update in table.commit(*pending)? {
            let Viewer::Seat(seat) = update.audience else { continue };
            let update = self.update("t-1", update);
            let client = &mut self.clients[seat.index()];
            if client.watches {
                client.tells.push_back(update);
            }
        }
        Ok(())
    }

    /// Time passes, and what it brings is told.
    fn pass(&mut self, ms: u64) {
        self.now_ms += ms;
        while let Some((act, _)) = self.table.as_ref().and_then(|table| table.due(self.now_ms)) {
            self.enter(act).expect("what is due");
        }
        self.settle();
    }

    /// The connection of a client is lost, and it comes back.
    fn reconnect(&mut self, side: usize) {
        self.clients[side] = Client::new(&format!("again{}", self.ids.len()));
        self.says(side, &value_of!({"type": "hello", "token": NAMES[side]}));
        let welcome = value_of!({"type": "welcome", "nickname": NAMES[side]});
        assert_eq!(self.takes(side), Some(welcome));
    }
}

fn draft(layout: Value) -> Value {
    value_of!({"type": "layout_draft", "layout": layout})
}

fn confirm(layout: Value) -> Value {
    value_of!({"type": "layout_confirm", "layout": layout})
}

fn hand() -> Value {
    value_of!(["attack", "defense", "heal", "counter"])
}

fn found(seat: u8) -> Value {
    let [you, opp] = if seat == 0 { NAMES } else { [NAMES[1], NAMES[0]] };
    value_of!({
        "type": "match_found", "yourSeat": seat, "yourHand": hand(), "oppHand": hand(),
        "yourHp": 4, "oppHp": 4, "stake": 1, "pot": 2,
        "yourNickname": you, "oppNickname": opp,
    })
}

fn prep(seat: u8, round: u32, hp: [u8; 2], now_ms: u64) -> Value {
    let [you, opp] = if seat == 0 { NAMES } else { [NAMES[1], NAMES[0]] };
    value_of!({
        "type": "prep_start", "roundIndex": round, "suddenDeath": false, "within_ms": 20_000,
        "deadlineTs": now_ms + 20_000, "serverNow": now_ms,
        "yourNickname": you, "oppNickname": opp, "yourHp": hp[0], "oppHp": hp[1], "pot": 2,
        "yourHand": hand(), "oppHand": hand(), "cards": hand(),
    })
}

fn step(round: u32, step: u8, cards: [Value; 2], hp: [u8; 2]) -> Value {
    let [yours, theirs] = cards;
    value_of!({
        "type": "step_reveal", "roundIndex": round, "step": step,
        "yourCard": yours, "oppCard": theirs, "yourHp": hp[0], "oppHp": hp[1],
    })
}

fn round_end(round: u32, hp: [u8; 2]) -> Value {
    value_of!({"type": "round_end", "roundIndex": round, "yourHp": hp[0], "oppHp": hp[1]})
}

/// Four HP each and at most: two attacks that hit are enough.
fn short() -> Value {
    value_of!({"hp": 4, "max_hp": 4})
}

#[test]
fn a_match_is_told_from_its_first_message_to_its_last() {
    let mut stub = Stub::matched(&short());
    let nothing = Value::Null;
    let word = |word: &str| Value::from(word);
    for side in [0, 1] {
        let seat = side as u8;
        assert_eq!(stub.took_all(side), [found(seat), prep(seat, 1, [4, 4], BEGIN)]);
    }

    // Round 1. The second confirm ends the PREP.
    stub.now_ms += 5_000;
    stub.says(0, &confirm(value_of!(["attack", null, "heal"])));
    let layout = value_of!(["attack", null, "heal"]);
    let ok = value_of!({"type": "confirm_ok", "roundIndex": 1, "layout": layout});
    assert_eq!(stub.took_all(0), [ok]);
    assert!(stub.took_all(1).is_empty(), "nobody is told that the other has confirmed");
    stub.says(1, &confirm(value_of!(["heal", "attack", null])));
    let layout = value_of!(["heal", "attack", null]);
    let ok = value_of!({"type": "confirm_ok", "roundIndex": 1, "layout": layout});
    assert_eq!(stub.took_all(1), [ok]);
    assert!(stub.took_all(0).is_empty());
    stub.pass(250);
    // A heal at the most HP heals nothing, and the attack hits.
    assert_eq!(stub.took_all(0), [step(1, 1, [word("attack"), word("heal")], [4, 2])]);
    stub.pass(900);
    assert_eq!(stub.took_all(0), [step(1, 2, [nothing.clone(), word("attack")], [2, 2])]);
    stub.pass(900);
    let now = BEGIN + 5_000 + 250 + 2 * 900;
    assert_eq!(
        stub.took_all(0),
        [
            step(1, 3, [word("heal"), nothing.clone()], [3, 2]),
            round_end(1, [3, 2]),
            prep(0, 2, [3, 2], now)
        ]
    );
    assert_eq!(
        stub.took_all(1),
        [
            step(1, 1, [word("heal"), word("attack")], [2, 4]),
            step(1, 2, [word("attack"), nothing.clone()], [2, 2]),
            step(1, 3, [nothing.clone(), word("heal")], [2, 3]),
            round_end(1, [2, 3]),
            prep(1, 2, [2, 3], now)
        ]
    );

    // Round 2: a wrong confirm, a draft of which a card is left out; the other only drafts.
    stub.says(0, &confirm(value_of!(["attack", "attack", null])));
    let wrong = stub.takes(0).expect("an answer");
    assert_eq!((&wrong["type"], &wrong["code"]), (&word("error_msg"), &word("invalid_card")));
    assert!(wrong["text"].as_str().is_some_and(|text| text.starts_with("slot 2 asks")), "{wrong}");
    stub.says(0, &draft(value_of!(["attack", "sword", null])));
    let wrong = stub.takes(0).expect("an answer");
    assert_eq!((&wrong["type"], &wrong["code"]), (&word("error_msg"), &word("invalid_card")));
    assert_eq!(stub.took_all(0), [value_of!({"type": "draft_ok"})]);
    stub.says(1, &draft(value_of!([null, null, "heal"])));
    assert_eq!(stub.took_all(1), [value_of!({"type": "draft_ok"})]);
    stub.now_ms += 100;
    stub.says(0, &value_of!({"type": "resume"}));
    let stands = value_of!({
        "type": "resume", "phase": "PREP", "roundIndex": 2, "suddenDeath": false,
        "deadlineTs": now + 20_000, "serverNow": now + 100,
        "yourNickname": "Ann", "oppNickname": "Bob", "yourSeat": 0, "yourHp": 3, "oppHp": 2,
        "pot": 2, "yourHand": hand(), "oppHand": hand(),
        "yourDraft": ["attack", null, null], "yourConfirmed": false, "yourAfkStreak": 0,
        "revealed": [], "end": null,
    });
    assert_eq!(stub.took_all(0), std::slice::from_ref(&stands));
    // Whoever loses the connection and comes back is told the same.
    stub.reconnect(0);
    assert_eq!(stub.took_all(0), [stands]);
    stub.says(0, &confirm(value_of!(["attack", "defense", null])));
    assert_eq!(stub.took_all(0).len(), 1);
    stub.says(0, &confirm(value_of!(["attack", "defense", null])));
    assert_eq!(stub.takes(0).expect("an answer")["code"], "already_confirmed");
    stub.says(0, &draft(value_of!([null, null, null])));
    assert_eq!(stub.takes(0).expect("an answer")["code"], "already_confirmed");
    assert!(stub.took_all(1).is_empty());
    // The deadline passes, and the cards are shown.
    stub.now_ms = now;
    stub.pass(20_000);
    stub.pass(250);
    assert_eq!(stub.took_all(0), [step(2, 1, [word("attack"), nothing.clone()], [3, 0])]);
    stub.says(0, &draft(value_of!([null, null, null])));
    assert_eq!(stub.takes(0).expect("an answer")["code"], "not_in_prep");
    stub.reconnect(0);
    let stands = value_of!({
        "type": "resume", "phase": "REVEAL", "roundIndex": 2, "suddenDeath": false,
        "deadlineTs": now + 20_250 + 900, "serverNow": now + 20_250,
        "yourNickname": "Ann", "oppNickname": "Bob", "yourSeat": 0, "yourHp": 3, "oppHp": 0,
        "pot": 2, "yourHand": hand(), "oppHand": hand(),
        "yourDraft": ["attack", "defense", null], "yourConfirmed": false, "yourAfkStreak": 0,
        "revealed": [{"yourCard": "attack", "oppCard": null}], "end": null,
    });
    assert_eq!(stub.took_all(0), [stands]);
    stub.pass(900);
    stub.pass(900);
    let now = now + 20_250 + 2 * 900;
    assert_eq!(
        stub.took_all(0),
        [
            step(2, 2, [word("defense"), nothing.clone()], [3, 0]),
            // Who is down and heals in the same round is alive.
            step(2, 3, [nothing.clone(), word("heal")], [3, 1]),
            round_end(2, [3, 1]),
            prep(0, 3, [3, 1], now)
        ]
    );

    // Round 3 ends the match.
    stub.took_all(1);
    stub.says(0, &confirm(value_of!(["attack", null, null])));
    stub.says(1, &confirm(value_of!([null, null, null])));
    stub.pass(250);
    stub.pass(900);
    stub.pass(900);
    let end = |hp: [u8; 2]| {
        value_of!({
            "type": "match_end", "reason": "normal", "winner": 0, "loser": 1, "potBurn": false,
            "bothLose": false, "yourHp": hp[0], "oppHp": hp[1], "pot": 2,
        })
    };
    let told = stub.took_all(0);
    assert_eq!(told[4..], [round_end(3, [3, 0]), end([3, 0])]);
    let told = stub.took_all(1);
    assert_eq!(told[4..], [round_end(3, [0, 3]), end([0, 3])]);
    stub.says(1, &confirm(value_of!([null, null, null])));
    assert_eq!(stub.takes(1).expect("an answer")["code"], "match_over");
    stub.says(1, &value_of!({"type": "resume"}));
    let stands = stub.takes(1).expect("an answer");
    assert_eq!((&stands["phase"], &stands["end"]["winner"]), (&word("END"), &0.into()));
    assert_eq!(stands["deadlineTs"], Value::Null);
}

#[test]
fn who_is_there_when_the_match_begins_is_told_the_same() {
    let mut stub = Stub { waits: true, ..Stub::new() };
    stub.match_up(&short());
    assert!(stub.took_all(0).is_empty(), "nothing has begun");
    stub.begin();
    stub.settle();
    for side in [0, 1] {
        let seat = side as u8;
        assert_eq!(stub.took_all(side), [found(seat), prep(seat, 1, [4, 4], BEGIN)]);
    }
}

#[test]
fn who_comes_late_is_told_that_a_match_was_found_and_how_it_stands() {
    let mut stub = Stub { waits: true, ..Stub::new() };
    stub.match_up(&short());
    stub.clients[1].watches = false;
    stub.begin();
    stub.pass(20_250);
    stub.took_all(0);
    // What the server would have told at once, it tells now.
    let (table, token) = ("t-1".to_owned(), String::new());
    stub.clients[1].tells.push_back(Tell::Matched { table, seat: 1, token });
    stub.greet(1, "t-1");
    stub.settle();
    let told = stub.took_all(1);
    assert_eq!(told[0], found(1));
    assert_eq!((&told[1]["type"], &told[1]["phase"]), (&"resume".into(), &"REVEAL".into()));
    assert_eq!(told.len(), 2);
}

#[test]
fn who_leaves_loses_and_both_are_told() {
    let mut stub = Stub::matched(&short());
    stub.took_all(0);
    stub.took_all(1);
    stub.says(1, &value_of!({"type": "leave"}));
    let end = value_of!({
        "type": "match_end", "reason": "disconnect", "winner": 0, "loser": 1, "potBurn": false,
        "bothLose": false, "yourHp": 4, "oppHp": 4, "pot": 2,
    });
    assert_eq!(stub.took_all(0), std::slice::from_ref(&end));
    assert_eq!(stub.took_all(1), [end, value_of!({"type": "left"})]);
    stub.says(1, &value_of!({"type": "resume"}));
    assert_eq!(stub.takes(1).expect("an answer")["phase"], "END");
}

#[test]
fn whoever_says_nothing_twice_is_out() {
    let mut stub = Stub::matched(&short());
    for _ in 0..2 {
        stub.says(0, &draft(value_of!([null, null, null])));
        stub.pass(20_000);
        for ms in [250, 900, 900] {
            stub.pass(ms);
        }
    }
    let end = stub.took_all(0).pop().expect("an end");
    assert_eq!((&end["reason"], &end["winner"]), (&"timeout".into(), &0.into()));
    assert_eq!((&end["potBurn"], &end["bothLose"]), (&false.into(), &false.into()));
}

#[test]
fn every_message_is_answered() {
    let mut stub = Stub::new();
    for text in [
        "",
        "x",
        "[]",
        "{}",
        "null",
        r#"{"type":"prep_start"}"#,
        r#"{"type":"queue_join","x":1}"#,
        r#"{"type":"queue_join","config":1}"#,
        r#"{"type":"queue_leave","type":"queue_leave"}"#,
        r#"{"type":"layout_draft"}"#,
        r#"{"type":"hello","name":1}"#,
        r#"{"type":"hello","id":"1"}"#,
        "\u{0}",
    ] {
        stub.says_text(0, text);
        let told = stub.took_all(0);
        let codes: Vec<_> = told.iter().map(|told| (&told["type"], &told["code"])).collect();
        assert_eq!(codes, [(&"error_msg".into(), &"malformed".into())], "{text}");
    }
    for (message, code) in [
        (value_of!({"type": "hello"}), "malformed"),
        (value_of!({"type": "queue_join"}), "hello_first"),
        (value_of!({"type": "queue_leave"}), "hello_first"),
        (value_of!({"type": "resume"}), "no_match"),
        (value_of!({"type": "leave"}), "no_match"),
        (draft(value_of!([null, null, null])), "no_match"),
        (confirm(value_of!([null, null, null])), "no_match"),
    ] {
        stub.says(0, &message);
        assert_eq!(stub.took_all(0).pop().expect("an answer")["code"], code, "{message}");
    }
    stub.says(0, &value_of!({"type": "hello", "name": "Ann", "language": "vi"}));
    assert_eq!(stub.took_all(0).len(), 1);
    stub.says(0, &value_of!({"type": "queue_join"}));
    stub.says(0, &value_of!({"type": "queue_leave"}));
    let words = [value_of!({"type": "queue_ok"}), value_of!({"type": "queue_left"})];
    assert_eq!(stub.took_all(0), words);
    // A layout that is none is refused by the rules.
    let mut stub = Stub::matched(&short());
    stub.took_all(0);
    for layout in [value_of!(null), value_of!([]), value_of!(["attack"]), value_of!([1, 2, 3])] {
        stub.says(0, &draft(layout.clone()));
        let told = stub.took_all(0);
        assert_eq!(told.len(), 1);
        assert_eq!(told[0]["code"], "malformed", "{layout}");
    }
}

#[test]
fn a_record_is_what_was_seen_and_no_more() {
    let play = |draft: [Option<&str>; 3]| {
        let mut life = Life::new(r#"{"hp":4,"max_hp":4}"#, 2);
        life.sits(0, "Ann");
        life.sits(1, "Bob");
        life.add(&[
            value_of!({"type": "match_found"}),
            value_of!({"type": "prep_started", "round": 1, "sudden_death": false}),
        ]);
        life.add(&[value_of!({"type": "drafted", "seat": 0, "layout": draft})]);
        life.add(&[value_of!({"type": "confirmed", "seat": 1, "layout": [null, "heal", null]})]);
        life.add(&[value_of!({"type": "confirmed", "seat": 0, "layout": draft})]);
        life
    };
    let lines = |text: &str| -> Vec<Value> {
        text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
    };
    let one = play([Some("attack"), None, None]);
    let other = play([None, Some("heal"), None]);
    for who in [None, Some("Bob"), Some("Eve")] {
        let record = one.file("battle", "jsonl", who);
        assert_eq!(record, other.file("battle", "jsonl", who), "{who:?}");
    }
    let record = lines(&one.file("battle", "jsonl", Some("Bob")));
    let types: Vec<&Value> = record.iter().map(|line| &line["type"]).collect();
    assert_eq!(types, ["match_found", "prep_start", "confirm_ok"]);
    let at = one.now_ms - 3_000;
    let mut start = prep(1, 1, [4, 4], at);
    start["at_ms"] = at.into();
    assert_eq!(record[1], start);
    let record = lines(&one.file("battle", "jsonl", Some("Ann")));
    assert_eq!(record[2]["layout"], value_of!(["attack", null, null]));
    let record = lines(&one.file("battle", "jsonl", None));
    assert_eq!((record.len(), &record[0]["aNickname"]), (2, &"Ann".into()));
}
