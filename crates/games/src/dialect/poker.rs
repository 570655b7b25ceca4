//! The hand document of a live table, and its hand histories.

use super::{PLAIN, Scene, read, until};
use parlor_phh::document::{self, Act, Join, Wishes};
use parlor_phh::{Document as Hand, Wrong, hands, header, stars};
use parlor_rules::utc::rfc3339;
use parlor_rules::{Chips, Json, Refusal, Rules, Seat, json};
use parlor_rules_poker::card::Cards;
use parlor_rules_poker::hand::Action;
use parlor_rules_poker::seats::Intent;
use parlor_rules_poker::{Command, Event, Poker};
use parlor_wire::dialect::{
    self, Document, File, FileWriter, Happened, Opened, Stand, StoryHead, Wanted,
};
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use std::mem;
use std::ops::{ControlFlow, Range};

/// The hand in play, or the last one, as documents have it.
pub(super) const HAND: Document = Document { name: "hand", game: Poker::KEY, view, merge };

/// All hands that are over, as a person has seen them.
pub(super) const PHHS: File = File {
    name: "phhs",
    game: Poker::KEY,
    media_type: "application/toml",
    open: |head, who, wanted| {
        Hands::open(head, who, wanted, Format { hand: section, between: "\n" })
    },
};

/// The same as PokerStars would tell it.
pub(super) const STARS: File = File {
    name: "pokerstars",
    game: Poker::KEY,
    media_type: PLAIN,
    open: |head, who, wanted| {
        Hands::open(head, who, wanted, Format { hand: pokerstars, between: "\n\n\n" })
    },
};

/// Puts the names of people into a document of the rules, which knows chairs. A name that nobody can
/// have stands for the house.
fn name(mut doc: Map<String, Value>, names: &[Option<String>]) -> Map<String, Value> {
    let chairs = doc.get("seats").and_then(Value::as_array).cloned().unwrap_or_default();
    let name = |chair: &Value| {
        let at = chair.as_u64().and_then(|chair| usize::try_from(chair).ok()?.checked_sub(1));
        let name = at.and_then(|at| names.get(at)?.clone());
        name.unwrap_or_else(|| format!("Seat #{chair}"))
    };
    doc.insert("players".to_owned(), chairs.iter().map(name).collect());
    doc
}

fn hand(stand: &Stand) -> Result<Hand, Refusal> {
    Hand::read_live(name(read("document", &stand.doc)?, &stand.names).into())
}

fn view(stand: &Stand) -> Result<Json, Refusal> {
    document::view(&hand(stand)?, &stand.who).map(|view| json(&view))
}

fn merge(stand: &Stand, incoming: &RawValue, balance: Chips) -> Result<Vec<Wanted>, Refusal> {
    let incoming = dialect::value(incoming.get())?;
    let wishes = document::wishes(&hand(stand)?, &incoming, &stand.who, Some(balance))?;
    let Wishes { join, acts, intent } = wishes;
    let mut wanted = Vec::new();
    let mut intent = intent;
    if let Some(Join { chair, stack, intent: wished }) = join {
        let seat = chair.and_then(|chair| chair.checked_sub(1)).map(Seat::new);
        wanted.push(Wanted::Join { seat, chips: stack });
        intent = Some(wished).filter(|wished| *wished != Intent::Play);
    }
    // What goes before an own action without a word, a live table has played by itself.
    for act in acts.iter().filter(|act| act.own) {
        wanted.push(Wanted::Command(json(&command(act)?)));
    }
    wanted.extend(intent.map(|intent| Wanted::Command(json(&Command::Intent { intent }))));
    Ok(wanted)
}

/// What a player says who writes this into the log.
fn command(act: &Act) -> Result<Command, Refusal> {
    Ok(match act.line.action {
        Action::Fold { .. } => Command::Fold {},
        Action::Call { .. } if act.call == Chips::ZERO => Command::Check {},
        Action::Call { .. } => Command::Call {},
        Action::Raise { to, .. } => Command::Raise { to },
        Action::BringIn { .. } => Command::BringIn {},
        Action::Discard { cards, .. } => Command::Discard { cards },
        Action::Show { cards: Some(cards), .. } if cards.all_known() => {
            Command::Show { cards: None }
        }
        Action::Show { cards: Some(cards), .. } => {
            Command::Show { cards: Some(cards.known().collect::<Cards>()) }
        }
        Action::Show { cards: None, .. } => {
            let text = format!("{}: a live table mucks by itself", act.line);
            return Err(Refusal::new("mucked", text));
        }
        Action::Hole { .. } | Action::Board { .. } => {
            let text = format!("{}: this is not yours to do", act.line);
            return Err(Refusal::new("not_yours", text));
        }
    })
}

/// The hands that are over. What is shown afterwards belongs to a hand, so each is written when the
/// next begins.
struct Hands {
    scene: Scene<Poker>,
    table: String,
    who: Option<String>,
    /// Which hands are wanted.
    wanted: Range<u32>,
    /// How many are over.
    over: u32,
    /// When the hand in play began.
    begun_ms: u64,
    /// The last hand that is over, if it is wanted and yet to be written.
    last: Option<Value>,
    /// Whether a hand has been written.
    written: bool,
    format: Format,
}

/// How hands stand in a file.
struct Format {
    /// A hand with all its secrets as the person of this name has seen it.
    hand: fn(Hand, who: Option<&str>) -> Result<String, Refusal>,
    /// What stands between two of them.
    between: &'static str,
}

impl Hands {
    fn open(head: &StoryHead, who: Option<&str>, wanted: Range<u32>, format: Format) -> Opened {
        Ok(Box::new(Self {
            scene: Scene::open(head)?,
            table: head.table.clone(),
            who: who.map(str::to_owned),
            wanted,
            over: 0,
            begun_ms: 0,
            last: None,
            written: false,
            format,
        }))
    }

    /// Appends the last hand, which is complete.
    fn put(&mut self, out: &mut String) -> Result<(), Refusal> {
        let Some(hand) = self.last.take() else { return Ok(()) };
        if mem::replace(&mut self.written, true) {
            *out += self.format.between;
        }
        *out += &(self.format.hand)(Hand::read(hand)?, self.who.as_deref())?;
        Ok(())
    }
}

impl FileWriter for Hands {
    fn happened(
        &mut self,
        at_ms: u64,
        what: Happened,
        out: &mut String,
    ) -> Result<ControlFlow<()>, Refusal> {
        let event = self.scene.next(at_ms, what)?;
        match (event, &mut self.last) {
            (Some(Event::HandBegun(_)), _) => {
                self.put(out)?;
                self.begun_ms = at_ms;
            }
            (Some(Event::HandEnded { .. }), _) => {
                if self.wanted.contains(&self.over) {
                    self.last = Some(written(&self.scene, &self.table, self.begun_ms));
                }
                self.over += 1;
            }
            (Some(Event::Act { act }), Some(hand)) => {
                if let Some(lines) = hand["actions"].as_array_mut() {
                    lines.push(act.to_string().into());
                }
            }
            (Some(Event::Rabbit { cards }), Some(hand)) => {
                hand["_rabbit"] = cards.to_string().into();
            }
            _ => {}
        }
        Ok(until(self.over >= self.wanted.end && self.last.is_none()))
    }

    fn end(mut self: Box<Self>, out: &mut String) -> Result<(), Refusal> {
        self.put(out)
    }
}

/// The hand of a moment as a document, with what only the house knows.
fn written(scene: &Scene<Poker>, table: &str, begun_ms: u64) -> Value {
    let doc = serde_json::to_value(Poker::doc(&scene.state)).unwrap_or_default();
    let doc = doc.as_object().cloned().unwrap_or_default();
    let mut doc = Value::Object(name(doc, &scene.names));
    let time = rfc3339(begun_ms);
    let part = |range: Range<usize>| time.get(range).unwrap_or_default();
    let number = |range: Range<usize>| part(range).parse::<u32>().unwrap_or_default();
    doc["table"] = table.into();
    doc["time"] = part(11..19).into();
    doc["timeZoneAbbreviation"] = "UTC".into();
    doc["day"] = number(8..10).into();
    doc["month"] = number(5..7).into();
    doc["year"] = number(0..4).into();
    doc
}

/// A hand as a file of the person of this name.
fn seen(hand: &Hand, who: Option<&str>) -> Result<String, Refusal> {
    let mut seen = document::seen_by(hand, who);
    seen.author = who.map(str::to_owned);
    seen.to_phh()
}

/// A hand with its number above it.
fn section(hand: Hand, who: Option<&str>) -> Result<String, Refusal> {
    Ok(header(&hand.hand.to_string()) + &seen(&hand, who)?)
}

fn pokerstars(hand: Hand, who: Option<&str>) -> Result<String, Refusal> {
    let of_hand = |no: Refusal| Refusal { text: format!("hand {}: {}", hand.hand, no.text), ..no };
    let wrong = |wrong: Wrong| of_hand(Refusal::new("no_history", wrong.to_string()));
    let text = seen(&hand, who)?;
    let history = hands(&text).map_err(wrong)?.remove(0).map_err(wrong)?;
    stars::write(&history, None).map_err(of_hand)
}
