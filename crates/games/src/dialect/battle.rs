//! The battle in the messages of its contract: over a WebSocket, and as a record.
//!
//! Rules know durations and seats. Here the instants and the names come in: `deadlineTs` and
//! `serverNow`, `yourNickname` and `oppNickname`.

use super::{Scene, until};
use parlor_rules::{Json, Refusal, Rules, Viewer, json};
use parlor_rules_battle::Battle;
use parlor_rules_battle::view::Both;
use parlor_wire::dialect::{
    self, File, FileWriter, Happened, Opened, Socket, StoryHead, Translator, Turn,
};
use parlor_wire::{Language, Level, Request, Say, Sitting, Tell, VERSION};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json as value};
use std::collections::HashMap;
use std::ops::{ControlFlow, Range};

/// The messages of the contract.
pub(super) const SOCKET: Socket = Socket {
    name: "battle",
    game: Battle::KEY,
    open: |connection| Box::new(Talk::new(connection)),
};

/// A match as the messages that were seen, one a line, each with its time.
pub(super) const RECORD: File =
    File { name: "jsonl", game: Battle::KEY, media_type: "application/x-ndjson", open: record };

/// What a client says.
#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
enum Word {
    /// Who is there: a new guest by a name, or who was given a token before.
    Hello {
        #[serde(default)]
        name: Option<String>,
        #[serde(default)]
        token: Option<String>,
        #[serde(default)]
        language: Option<Language>,
    },
    /// Waits for an opponent.
    QueueJoin {
        #[serde(default)]
        config: Map<String, Value>,
    },
    /// Waits no more.
    QueueLeave {},
    /// Lays cards.
    LayoutDraft { layout: Value },
    /// Lays cards for good.
    LayoutConfirm { layout: Value },
    /// Asks how it stands.
    Resume {},
    /// Gives the match up.
    Leave {},
}

/// What was asked of the server, and so what its answer means.
#[derive(Clone, Copy, PartialEq)]
enum Asked {
    Hello,
    QueueJoin,
    QueueLeave,
    Draft,
    /// What comes of it is seen.
    Seen,
    Leave,
}

/// What the client is yet to be told about a match.
#[derive(Clone, Copy, PartialEq)]
enum Owed {
    /// That it was found.
    Found,
    /// How it stands.
    Stand,
    Nothing,
}

/// The match a client is in.
struct Match {
    table: String,
    names: [String; 2],
    viewer: Viewer,
    owed: Owed,
}

impl Match {
    fn new(table: &str, owed: Owed) -> Self {
        let (names, viewer) = (Default::default(), Viewer::Watcher);
        Self { table: table.to_owned(), names, viewer, owed }
    }
}

/// One connection.
struct Talk {
    connection: String,
    said: u64,
    asked: HashMap<String, Asked>,
    game: Option<Match>,
}

fn send(message: &impl Serialize) -> Vec<Turn> {
    vec![Turn::Send(json(message))]
}

fn error(code: &str, text: &str) -> Vec<Turn> {
    send(&value!({ "type": "error_msg", "code": code, "text": text }))
}

impl Talk {
    fn new(connection: &str) -> Self {
        Self { connection: connection.to_owned(), said: 0, asked: HashMap::new(), game: None }
    }

    fn say(&mut self, asked: Asked, say: Say) -> Vec<Turn> {
        self.said += 1;
        let id = format!("{}-{}", self.connection, self.said);
        self.asked.insert(id.clone(), asked);
        vec![Turn::Say(Request { id, say })]
    }

    fn watch(&mut self, table: String) -> Vec<Turn> {
        self.say(Asked::Seen, Say::Watch { table, key: None, epoch: None, seq: None })
    }

    fn play(&mut self, asked: Asked, word: &str, layout: Value) -> Vec<Turn> {
        let Some(Match { table, .. }) = &self.game else { return no_match() };
        // Which round it is for the contract leaves to the time it comes at.
        let (table, ask) = (table.clone(), None);
        let command = json(&value!({ "type": word, "layout": layout }));
        self.say(asked, Say::Play { table, ask, command, link: None })
    }

    /// What the server has done, where that is not seen.
    fn done(&mut self, id: &str) -> Vec<Turn> {
        let word = match self.asked.remove(id) {
            Some(Asked::QueueJoin) => "queue_ok",
            Some(Asked::QueueLeave) => "queue_left",
            Some(Asked::Draft) => "draft_ok",
            Some(Asked::Leave) => "left",
            Some(Asked::Hello | Asked::Seen) | None => return Vec::new(),
        };
        send(&value!({ "type": word }))
    }
}

fn no_match() -> Vec<Turn> {
    error("no_match", "you are in no match; say queue_join")
}

impl Translator for Talk {
    fn hear(&mut self, text: &str) -> Vec<Turn> {
        let word = match dialect::read(text) {
            Ok(word) => word,
            Err(Refusal { code, text, .. }) => return error(code, &text),
        };
        match word {
            Word::Hello { name, token, language } => {
                let (version, views) = (VERSION, None);
                self.say(Asked::Hello, Say::Hello { version, token, name, language, views })
            }
            Word::QueueJoin { config } => {
                let (game, ranked, level) = (Battle::KEY.to_owned(), false, Level::default());
                let queue =
                    Say::Queue { game, config, ranked, chips: None, house_after_s: None, level };
                self.say(Asked::QueueJoin, queue)
            }
            Word::QueueLeave {} => self.say(Asked::QueueLeave, Say::Unqueue {}),
            Word::LayoutDraft { layout } => self.play(Asked::Draft, "layout_draft", layout),
            Word::LayoutConfirm { layout } => self.play(Asked::Seen, "layout_confirm", layout),
            Word::Resume {} => {
                let Some(game) = &mut self.game else { return no_match() };
                game.owed = Owed::Stand;
                let table = game.table.clone();
                self.watch(table)
            }
            Word::Leave {} => match &self.game {
                Some(Match { table, .. }) => {
                    let table = table.clone();
                    self.say(Asked::Leave, Say::Leave { table })
                }
                None => no_match(),
            },
        }
    }

    fn told(&mut self, tell: &Tell) -> Vec<Turn> {
        match tell {
            Tell::Welcome { id, me, token, tables, .. } => {
                self.asked.remove(id);
                let mut welcome = value!({ "type": "welcome", "nickname": me.name });
                if let Some(token) = token {
                    welcome["token"] = token.as_str().into();
                }
                let mut turns = send(&welcome);
                // Which of them are battles is told with the first look at them.
                turns.extend(tables.iter().flat_map(|table| self.watch(table.clone())));
                turns
            }
            Tell::Done { id } => self.done(id),
            Tell::Refused { id, code, text, .. } => {
                if let Some(id) = id {
                    self.asked.remove(id);
                }
                error(code, text)
            }
            Tell::Matched { table, .. } => {
                self.game = Some(Match::new(table, Owed::Found));
                Vec::new()
            }
            Tell::Table { listed, you: Some(you), .. } if listed.game == Battle::KEY => {
                let game = self.game.get_or_insert_with(|| Match::new(&listed.table, Owed::Stand));
                if game.table == listed.table {
                    game.viewer = Viewer::Seat(parlor_rules::Seat::new(*you));
                    for (name, chair) in game.names.iter_mut().zip(&listed.chairs) {
                        *name = nickname(chair);
                    }
                }
                Vec::new()
            }
            Tell::Update { table, sights, view, until_ms, now_ms, .. } => {
                let Some(game) = self.game.as_mut().filter(|game| game.table == **table) else {
                    return Vec::new();
                };
                let moment = Moment {
                    viewer: game.viewer,
                    names: &game.names,
                    until_ms: *until_ms,
                    now_ms: *now_ms,
                };
                let mut messages = match view {
                    Some(view) if sights.is_empty() => owed(&mut game.owed, fields(view)),
                    _ => Vec::new(),
                };
                messages.extend(sights.iter().map(fields));
                if messages.iter().any(|message| message.get("type") == Some(&"match_found".into()))
                {
                    game.owed = Owed::Nothing;
                }
                let send = |message| Turn::Send(json(&moment.complete(message)));
                messages.into_iter().map(send).collect()
            }
            Tell::Left { table, code, text } => {
                let own = self.game.take_if(|game| game.table == *table).is_some();
                // Who wanted to leave is answered.
                if own && code != "left" { error(code, text) } else { Vec::new() }
            }
            Tell::Bye { code, text } => error(code, text),
            Tell::Account { .. }
            | Tell::Proof { .. }
            | Tell::Offered { .. }
            | Tell::Declined { .. }
            | Tell::Created { .. }
            | Tell::Seated { .. }
            | Tell::Tables { .. }
            | Tell::Table { .. }
            | Tell::Chat { .. } => Vec::new(),
        }
    }
}

/// What the house is called.
const HOUSE: &str = "House";

/// What a player is called to the other.
fn nickname(chair: &Sitting) -> String {
    match chair {
        Sitting::Taken { name, .. } => name.clone(),
        Sitting::House { .. } => HOUSE.to_owned(),
        Sitting::Open {} | Sitting::Kept {} => String::new(),
    }
}

fn fields(json: &Json) -> Map<String, Value> {
    serde_json::from_str(json.get()).unwrap_or_default()
}

/// What is owed, from what there is to see: the messages that would have come, had somebody been
/// there, or how it stands. Before the match begins it stays owed.
fn owed(owed: &mut Owed, mut view: Map<String, Value>) -> Vec<Map<String, Value>> {
    let phase = view.get("phase").cloned().unwrap_or_default();
    let found = *owed == Owed::Found;
    if *owed == Owed::Nothing || phase.is_null() {
        return Vec::new();
    }
    *owed = Owed::Nothing;
    let config = view.remove("config").unwrap_or_default();
    let message = |kind: &str, keys: &[&str]| {
        let kept = |key: &&str| Some(((*key).to_owned(), view.get(*key)?.clone()));
        let mut message: Map<String, Value> = keys.iter().filter_map(kept).collect();
        message.insert("type".to_owned(), kind.into());
        message
    };
    let mut messages = Vec::new();
    if found {
        let keys = ["yourSeat", "yourHand", "oppHand", "yourHp", "oppHp", "pot"];
        let mut found = message("match_found", &keys);
        found.insert("stake".to_owned(), config["stake"].clone());
        messages.push(found);
    }
    if found && phase == "PREP" && view.get("roundIndex") == Some(&1.into()) {
        let keys = [
            "roundIndex",
            "suddenDeath",
            "within_ms",
            "yourHp",
            "oppHp",
            "pot",
            "yourHand",
            "oppHand",
        ];
        let mut prep = message("prep_start", &keys);
        prep.insert("cards".to_owned(), view.get("yourHand").cloned().unwrap_or_default());
        messages.push(prep);
    } else {
        view.remove("within_ms");
        view.insert("type".to_owned(), "resume".into());
        messages.push(view);
    }
    messages
}

/// What is put into messages by whoever sends them.
struct Moment<'a> {
    viewer: Viewer,
    names: &'a [String; 2],
    until_ms: Option<u64>,
    now_ms: u64,
}

impl Moment<'_> {
    /// A message with the names and instants that belong into it.
    fn complete(&self, mut message: Map<String, Value>) -> Map<String, Value> {
        let kind = message.get("type").and_then(Value::as_str).unwrap_or_default();
        let (named, timed) = match kind {
            "match_found" => (true, false),
            "prep_start" | "resume" => (true, true),
            _ => (false, false),
        };
        if named {
            let names = Both::new("Nickname", self.names.each_ref(), self.viewer);
            message.extend(fields(&json(&names)));
        }
        if timed {
            message.insert("deadlineTs".to_owned(), self.until_ms.into());
            message.insert("serverNow".to_owned(), self.now_ms.into());
        }
        message
    }
}

/// A record as it is written: each line as soon as it was seen.
struct Lines {
    scene: Scene<Battle>,
    who: Option<String>,
    rounds: Range<u32>,
}

fn record(head: &StoryHead, who: Option<&str>, rounds: Range<u32>) -> Opened {
    Ok(Box::new(Lines { scene: Scene::open(head)?, who: who.map(str::to_owned), rounds }))
}

impl FileWriter for Lines {
    fn happened(
        &mut self,
        at_ms: u64,
        what: Happened,
        out: &mut String,
    ) -> Result<ControlFlow<()>, Refusal> {
        let event = self.scene.next(at_ms, what)?;
        let scene = &self.scene;
        let round = scene.state.stage.round.saturating_sub(1);
        if let Some(event) = event.filter(|_| self.rounds.contains(&round)) {
            let viewer = scene.seat_of(self.who.as_deref()).map_or(Viewer::Watcher, Viewer::Seat);
            if let Some(sight) = Battle::sight(&scene.state, &event, viewer) {
                *out += &line(scene, viewer, &json(&sight));
            }
        }
        Ok(until(round >= self.rounds.end))
    }

    fn end(self: Box<Self>, _: &mut String) -> Result<(), Refusal> {
        Ok(())
    }
}

fn line(scene: &Scene<Battle>, viewer: Viewer, sight: &Json) -> String {
    let name = |side: usize| scene.names.get(side).cloned().flatten();
    let names = [0, 1].map(|side| name(side).unwrap_or_else(|| HOUSE.to_owned()));
    let within_ms = scene.state.within_ms();
    let until_ms = within_ms.map(|within_ms| scene.at_ms.saturating_add(within_ms));
    let moment = Moment { viewer, names: &names, until_ms, now_ms: scene.at_ms };
    let mut message = moment.complete(fields(sight));
    message.insert("at_ms".to_owned(), scene.at_ms.into());
    format!("{}\n", json(&message))
}
