//! The hand document of a live table, and its hand histories.

use super::{PLAIN, Scene, read, retell};
use parlor_phh::document::{self, Act, Join, Wishes};
use parlor_phh::{Document as Hand, Wrong, hands, header, stars};
use parlor_rules::utc::rfc3339;
use parlor_rules::{Chips, Json, Refusal, Rules, Seat, json};
use parlor_rules_poker::card::Cards;
use parlor_rules_poker::hand::Action;
use parlor_rules_poker::seats::Intent;
use parlor_rules_poker::{Command, Event, Poker};
use parlor_wire::dialect::{self, Document, File, Stand, Story, Wanted};
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use std::ops::Range;

/// The hand in play, or the last one, as documents have it.
pub(super) const HAND: Document = Document { name: "hand", game: Poker::KEY, view, merge };

/// All hands that are over, as a person has seen them.
pub(super) const PHHS: File =
    File { name: "phhs", game: Poker::KEY, media_type: "application/toml", write: phhs };

/// The same as PokerStars would tell it.
pub(super) const STARS: File =
    File { name: "pokerstars", game: Poker::KEY, media_type: PLAIN, write: pokerstars };

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

/// All hands that are over, in order, with all their secrets.
fn finished(story: &Story) -> Result<Vec<Hand>, Refusal> {
    let mut over: Vec<Value> = Vec::new();
    let (mut begun_ms, mut shows) = (0, false);
    retell::<Poker>(story, |scene, event| match event {
        Event::HandBegun(_) => (begun_ms, shows) = (scene.at_ms, false),
        Event::HandEnded { .. } => {
            shows = true;
            over.push(written(scene, &story.table, begun_ms));
        }
        // What is shown afterwards belongs to the hand.
        Event::Act { act } if shows => {
            if let Some(lines) = over.last_mut().and_then(|hand| hand["actions"].as_array_mut()) {
                lines.push(act.to_string().into());
            }
        }
        Event::Rabbit { cards } if shows => {
            if let Some(hand) = over.last_mut() {
                hand["_rabbit"] = cards.to_string().into();
            }
        }
        _ => {}
    })?;
    over.into_iter().map(Hand::read).collect()
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

/// All hands that are over as files of the person of this name, each with its number.
fn seen(story: &Story, who: Option<&str>) -> Result<Vec<(u64, String)>, Refusal> {
    let file = |hand: Hand| {
        let mut seen = document::seen_by(&hand, who);
        seen.author = who.map(str::to_owned);
        Ok((hand.hand, seen.to_phh()?))
    };
    finished(story)?.into_iter().map(file).collect()
}

fn phhs(story: &Story, who: Option<&str>) -> Result<String, Refusal> {
    let hands = seen(story, who)?;
    let hands = hands.iter().map(|(number, text)| header(&number.to_string()) + text);
    Ok(hands.collect::<Vec<_>>().join("\n"))
}

fn pokerstars(story: &Story, who: Option<&str>) -> Result<String, Refusal> {
    let text = |(number, text): &(u64, String)| {
        let of_hand = |no: Refusal| Refusal { text: format!("hand {number}: {}", no.text), ..no };
        let wrong = |wrong: Wrong| of_hand(Refusal::new("no_history", wrong.to_string()));
        let history = hands(text).map_err(wrong)?.remove(0).map_err(wrong)?;
        stars::write(&history, None).map_err(of_hand)
    };
    let hands: Result<Vec<String>, Refusal> = seen(story, who)?.iter().map(text).collect();
    Ok(hands?.join("\n\n\n"))
}
