//! Hands on their way between a PHH file and a document.

use crate::document::Document;
use crate::history::History;
use crate::toml::{Field, Value as Toml};
use parlor_rules::{Chips, Refusal};
use parlor_rules_poker::notation::Line;
use serde_json::{Map, Number, Value};
use std::fmt::Write as _;

impl History<'_> {
    /// The hand as a file has it: everything that was read, comments included.
    pub fn to_phh(&self) -> String {
        let mut text = String::new();
        if let Some(name) = &self.name {
            let _ = writeln!(text, "[{name}]");
        }
        for Field { key, value, comments, .. } in &self.fields {
            for comment in comments {
                let _ = writeln!(text, "{comment}");
            }
            let _ = writeln!(text, "{key} = {}", toml(value));
        }
        text
    }

    /// The hand as a document. Who posts what stands in its own column there.
    pub fn to_document(&self) -> Result<Document, Refusal> {
        let mut map = Map::new();
        for Field { key, value, .. } in &self.fields {
            map.insert(camel(key), json(value));
        }
        let chips = |list: &[Chips]| serde_json::to_value(list).unwrap_or_default();
        map.insert("antes".to_owned(), chips(&self.antes));
        map.insert("blindsOrStraddles".to_owned(), chips(&self.blinds));
        if !map.contains_key("players") {
            let names = (1..=self.starting_stacks.len()).map(|i| Value::from(format!("p{i}")));
            map.insert("players".to_owned(), names.collect());
        }
        map.insert("anteTrimmingStatus".to_owned(), self.ante_trimming.into());
        Document::read(Value::Object(map))
    }
}

impl Document {
    /// The hand as a PHH file: those who play, the first to act first.
    pub fn to_phh(&self) -> Result<String, Refusal> {
        let order = self.order()?;
        let posted = self.posted()?;
        let count = order.len();
        let pick = |list: &[Chips]| order.iter().map(|i| list[*i]).collect::<Vec<_>>();
        let sum = |one: &[Chips], other: &[Chips]| {
            order.iter().map(|i| one[*i] + other[*i]).collect::<Vec<_>>()
        };
        let dead = self.dead_money.iter().any(|dead| *dead > Chips::ZERO);
        // Dead money is in the pot for all, as an ante is that nobody has to match.
        let mut antes = sum(self.antes(), &self.dead_money);
        let mut blinds = pick(&posted);
        if count == 2 {
            antes.reverse();
            blinds.reverse();
        }
        let mut text = String::new();
        let mut field = |key: &str, value: String| {
            let _ = writeln!(text, "{key} = {value}");
        };
        field("variant", format!("'{}'", self.variant().code));
        field("ante_trimming_status", (self.ante_trimming() && !dead).to_string());
        field("antes", list(&antes));
        field("blinds_or_straddles", list(&blinds));
        field("min_bet", self.min_bet().to_string());
        field("starting_stacks", list(&sum(&self.starting_stacks, &self.dead_money)));
        let lines = self.actions.iter().map(|line| {
            let place = |old: u8| order.iter().position(|i| *i == usize::from(old));
            let action = line.action.renumbered(|old| place(old).map(|new| new as u8))?;
            Some(Line { action, comment: line.comment.clone() })
        });
        let lines: Option<Vec<Line>> = lines.collect();
        let Some(lines) = lines else {
            return Err(Refusal::new("no_such_player", "actions: somebody acts who does not play"));
        };
        let lines: Vec<String> = lines.iter().map(|line| quoted(&line.to_string())).collect();
        field("actions", format!("[{}]", lines.join(", ")));
        field("hand", self.hand.to_string());
        if let Some(count) = self.seat_count() {
            field("seat_count", count.to_string());
        }
        if let Some(chairs) = self.chairs() {
            let chairs: Vec<String> = order.iter().map(|i| chairs[*i].to_string()).collect();
            field("seats", format!("[{}]", chairs.join(", ")));
        }
        let names: Vec<String> = order.iter().map(|i| quoted(&self.players[*i])).collect();
        field("players", format!("[{}]", names.join(", ")));
        if let Some(finishing) = &self.finishing_stacks {
            field("finishing_stacks", list(&pick(finishing)));
        }
        for (key, value) in self.rest().iter().filter(|(key, _)| *key != "anteTrimmingStatus") {
            if let Some(value) = toml_of(value) {
                field(&snake(key), value);
            }
        }
        Ok(text)
    }
}

fn list(amounts: &[Chips]) -> String {
    let amounts: Vec<String> = amounts.iter().map(Chips::to_string).collect();
    format!("[{}]", amounts.join(", "))
}

/// A text between quotes; what JSON escapes, TOML reads.
fn quoted(text: &str) -> String {
    let plain = |c: char| c != '\'' && !c.is_control();
    if text.chars().all(plain) { format!("'{text}'") } else { Value::from(text).to_string() }
}

fn toml(value: &Toml<'_>) -> String {
    match value {
        Toml::Text(text) => quoted(text),
        Toml::Plain(text) | Toml::Table(text) => (*text).to_owned(),
        Toml::Truth(truth) => truth.to_string(),
        Toml::List(items) => {
            let items: Vec<String> = items.iter().map(toml).collect();
            format!("[{}]", items.join(", "))
        }
    }
}

/// A value of a document in TOML; nothing for null, which TOML does not have.
fn toml_of(value: &Value) -> Option<String> {
    Some(match value {
        Value::Null => return None,
        Value::Bool(truth) => truth.to_string(),
        Value::Number(number) => number.to_string(),
        Value::String(text) => quoted(text),
        Value::Array(items) => {
            let items: Vec<String> = items.iter().filter_map(toml_of).collect();
            format!("[{}]", items.join(", "))
        }
        Value::Object(map) => {
            let fields = map.iter().filter_map(|(key, value)| {
                Some(format!("{} = {}", Value::from(key.as_str()), toml_of(value)?))
            });
            format!("{{ {} }}", fields.collect::<Vec<_>>().join(", "))
        }
    })
}

/// A value of a file in JSON; dates and times as texts.
fn json(value: &Toml<'_>) -> Value {
    match value {
        Toml::Text(text) => Value::from(text.as_ref()),
        Toml::Truth(truth) => Value::from(*truth),
        Toml::List(items) => items.iter().map(json).collect(),
        Toml::Table(text) => Value::from(*text),
        Toml::Plain(text) => {
            let plain = text.replace('_', "");
            let number = plain.strip_prefix('+').unwrap_or(&plain).parse::<Number>();
            number.map_or_else(|_| Value::from(*text), Value::Number)
        }
    }
}

/// `starting_stacks` as documents write it; what begins with `_` is free and stays.
fn camel(key: &str) -> String {
    if key.starts_with('_') {
        return key.to_owned();
    }
    let mut words = key.split('_');
    let mut name = words.next().unwrap_or_default().to_owned();
    for word in words {
        let mut letters = word.chars();
        name.extend(letters.next().map(|letter| letter.to_ascii_uppercase()));
        name.push_str(letters.as_str());
    }
    name
}

/// The same back; what is no plain key is quoted.
fn snake(key: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    if key.is_empty() || !key.chars().all(plain) {
        return Value::from(key).to_string();
    }
    if key.starts_with('_') {
        return key.to_owned();
    }
    let mut name = String::new();
    for letter in key.chars() {
        if letter.is_ascii_uppercase() {
            name.push('_');
        }
        name.push(letter.to_ascii_lowercase());
    }
    name
}
