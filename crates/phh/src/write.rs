//! Hands on their way between a PHH file and a document.
//!
//! Neither can tell all that the other can. A document keeps the text of its file under `_phh`, a
//! file keeps under `_document` what of a document it cannot tell, each only where something would
//! be lost. Both are used only as long as they agree with what stands beside them.

use crate::document::{Document, FILE, SECTION};
use crate::history::{History, hands};
use crate::terms;
use crate::toml::{Field, Value as Toml};
use parlor_rules::{Chips, Refusal};
use parlor_rules_poker::bets::Sizes;
use parlor_rules_poker::notation::Line;
use serde::Serialize;
use serde_json::{Map, Number, Value};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// What of a document a file cannot tell, as JSON.
const DOCUMENT: &str = "_document";

/// What no file tells: the cards to come follow from it.
const SECRET: &str = "seed";

/// The fields of a file in the order they are written; all others stand behind.
const ORDER: [&str; 40] = [
    "variant",
    "ante_trimming_status",
    "antes",
    "blinds_or_straddles",
    "bring_in",
    "small_bet",
    "big_bet",
    "min_bet",
    "starting_stacks",
    "actions",
    "author",
    "event",
    "url",
    "venue",
    "address",
    "city",
    "region",
    "postal_code",
    "country",
    "time",
    "time_zone",
    "time_zone_abbreviation",
    "day",
    "month",
    "year",
    "hand",
    "level",
    "seats",
    "seat_count",
    "table",
    "players",
    "finishing_stacks",
    "winnings",
    "currency",
    "currency_symbol",
    "time_limit",
    "time_banks",
    "_chip",
    "_runs",
    "_rake",
];

/// The line above the hands of a file of many: its name.
pub fn header(name: &str) -> String {
    format!("[{}]\n", key(name))
}

impl<'a> History<'a> {
    fn field(&self, key: &str) -> Option<&Field<'a>> {
        self.fields.iter().find(|field| field.key == key)
    }

    /// The hand as its file has it, without the name.
    pub fn to_phh(&self) -> String {
        let mut text = String::new();
        if self.field(SECRET).is_none() {
            for part in self.text.iter().map(|part| part.trim()).filter(|part| !part.is_empty()) {
                let _ = writeln!(text, "{part}");
            }
            return text;
        }
        for Field { key, value, comments, .. } in self.fields.iter().filter(|f| f.key != SECRET) {
            write_field(&mut text, comments, key, &toml(value));
        }
        write_comments(&mut text, &self.tail);
        text
    }

    /// The hand as a document. Who posts what stands in its own column there.
    pub fn to_document(&self) -> Result<Document, Refusal> {
        let mut document = self.document()?;
        let text = self.to_phh();
        if document.to_phh().ok().as_deref() != Some(&text) {
            document.keep(FILE, text);
        }
        if let Some(name) = &self.name {
            document.keep(SECTION, name.as_ref());
        }
        Ok(document)
    }

    /// What the file tells, with what it keeps of a document.
    fn document(&self) -> Result<Document, Refusal> {
        let plain = self.plain()?;
        Ok(self.whole(&plain).unwrap_or(plain))
    }

    fn plain(&self) -> Result<Document, Refusal> {
        let mut map = Map::new();
        for Field { key, value, .. } in self.fields.iter().filter(|field| field.key != DOCUMENT) {
            if map.insert(camel(key), json(value)).is_some() {
                return Err(Refusal::malformed(format!("{key} stands there twice")));
            }
        }
        map.insert("antes".to_owned(), value_of(&self.antes));
        if self.variant.has_blinds() {
            map.insert("blindsOrStraddles".to_owned(), value_of(&self.blinds));
        }
        if !map.contains_key("players") {
            map.insert("players".to_owned(), numbered(self.starting_stacks.len()));
        }
        // What holds for a document anyway is not said there.
        map.remove("anteTrimmingStatus");
        if !self.ante_trimming {
            map.insert("anteTrimmingStatus".to_owned(), false.into());
        }
        map.remove("_chip");
        if self.chip != terms::CHIP {
            map.insert("_chip".to_owned(), value_of(&self.chip));
        }
        Document::read(Value::Object(map))
    }

    /// The document this file was written from, if it is still the same hand.
    fn whole(&self, plain: &Document) -> Option<Document> {
        let Toml::Text(lost) = &self.field(DOCUMENT)?.value else { return None };
        let mut map = plain.told();
        map.extend(serde_json::from_str::<Map<String, Value>>(lost).ok()?);
        map.retain(|_, value| !value.is_null());
        let whole = Document::read(Value::Object(map)).ok()?;
        let fields = self.fields.iter().filter(|field| field.key != DOCUMENT);
        let written: BTreeMap<_, _> =
            fields.map(|field| (field.key.to_string(), toml_of(&json(&field.value)))).collect();
        let fields = whole.fields().ok()?.into_iter();
        let told: BTreeMap<_, _> = fields.map(|(key, value)| (key, toml_of(&value))).collect();
        (told == written).then_some(whole)
    }
}

impl Document {
    /// The name of the hand in a file of many.
    pub fn section(&self) -> Option<&str> {
        self.rest().get(SECTION)?.as_str()
    }

    /// Everything but secrets, what is kept of a file, and what is nothing.
    fn told(&self) -> Map<String, Value> {
        let Value::Object(mut map) = value_of(self) else { return Map::new() };
        map.retain(|key, value| {
            !value.is_null() && ![FILE, SECTION, SECRET].contains(&key.as_str())
        });
        map
    }

    /// The hand as a PHH file: those who play, the first to act first.
    pub fn to_phh(&self) -> Result<String, Refusal> {
        let file = self.rest().get(FILE).and_then(Value::as_str);
        let file = file.and_then(|text| the_one(text).ok());
        let told = self.told();
        if let Some(file) = &file
            && file.document().is_ok_and(|document| document.told() == told)
        {
            return Ok(file.to_phh());
        }
        let mut fields = self.fields()?;
        let plain = the_one(&text_of(&fields))?.plain()?.told();
        // Null stands for what the document does not have.
        let mut lost: Map<String, Value> =
            plain.keys().map(|key| (key.clone(), Value::Null)).collect();
        lost.extend(told);
        lost.retain(|key, value| plain.get(key) != Some(value));
        if !lost.is_empty() {
            fields.push((DOCUMENT.to_owned(), Value::Object(lost).to_string().into()));
        }
        let Some(file) = file else { return Ok(text_of(&fields)) };
        let mut text = String::new();
        for (key, value) in &fields {
            let old = file.field(key);
            let comments = old.map_or(&[][..], |old| &old.comments);
            // What has not changed is spelled as it was.
            let same = old.filter(|old| json(&old.value) == *value);
            let value = same.map_or_else(|| spelled(key, value), |old| toml(&old.value));
            write_field(&mut text, comments, key, &value);
        }
        write_comments(&mut text, &file.tail);
        Ok(text)
    }

    /// The fields of a file, and their values.
    fn fields(&self) -> Result<Vec<(String, Value)>, Refusal> {
        let order = self.order()?;
        if order.len() < 2 {
            return Err(Refusal::new("no_history", "a file has two players who play"));
        }
        let posted = self.posted()?;
        let pick = |list: &[Chips]| order.iter().map(|i| list[*i]).collect::<Vec<_>>();
        let mut antes = pick(self.antes());
        let mut stacks = pick(&self.starting_stacks);
        let mut dead = pick(&self.dead_money);
        let absent = self.dead_money.iter().copied().sum::<Chips>() - dead.iter().copied().sum();
        let mut trimming = self.ante_trimming();
        // Dead money is in the pot for all, as an ante is that nobody has to match. That is the same
        // unless there are antes to trim.
        let can = |i: usize| antes[i].min(stacks[i]);
        let level = (1..order.len()).all(|i| can(i) == can(0));
        let paid = dead.iter().any(|dead| *dead > Chips::ZERO);
        if paid && absent == Chips::ZERO && (level || !trimming) {
            for (i, dead) in dead.iter_mut().enumerate() {
                antes[i] += *dead;
                stacks[i] += *dead;
                *dead = Chips::ZERO;
            }
            trimming = false;
        }
        // It is nobody's, so it may stand with anybody.
        dead[0] += absent;
        let mut blinds = pick(&posted);
        if order.len() == 2 {
            antes.reverse();
            blinds.reverse();
        }
        let lines = self.whole_log().into_iter().map(|line| {
            let place = |old: u8| order.iter().position(|i| *i == usize::from(old));
            let action = line.action.renumbered(|old| place(old).map(|new| new as u8))?;
            Some(Line { action, ..line })
        });
        let Some(lines) = lines.collect::<Option<Vec<Line>>>() else {
            return Err(Refusal::new("no_such_player", "actions: somebody acts who does not play"));
        };

        let mut fields = Vec::new();
        let mut field = |key: &str, value: Value| fields.push((key.to_owned(), value));
        field("variant", self.variant().code.into());
        field("ante_trimming_status", trimming.into());
        field("antes", value_of(&antes));
        if self.variant().has_blinds() {
            field("blinds_or_straddles", value_of(&blinds));
        }
        let Sizes { min_bet, small_bet, big_bet, bring_in } = self.sizes();
        field("bring_in", value_of(&bring_in));
        field("small_bet", value_of(&small_bet));
        field("big_bet", value_of(&big_bet));
        field("min_bet", value_of(&min_bet));
        field("starting_stacks", value_of(&stacks));
        field("actions", value_of(&lines));
        field("author", value_of(&self.author));
        field("hand", self.hand.into());
        field("seat_count", value_of(&self.seat_count()));
        let chairs = self.chairs().map(|all| order.iter().map(|i| all[*i]).collect::<Vec<u8>>());
        field("seats", value_of(&chairs));
        let names: Value = order.iter().map(|i| self.players[*i].as_str()).collect();
        if names != numbered(order.len()) {
            field("players", names);
        }
        field("finishing_stacks", value_of(&self.finishing_stacks.as_deref().map(pick)));
        let each = |of: &dyn Fn(usize) -> Value| order.iter().map(|i| of(*i)).collect::<Value>();
        for (key, list) in [
            ("_inactive", each(&|i| self.inactive[i].into())),
            ("_intents", each(&|i| self.intents[i].number().into())),
            ("_deadBlinds", each(&|i| value_of(&self.dead_blinds[i]))),
            ("_deadMoney", value_of(&dead)),
        ] {
            let zero = |entry: &Value| *entry == 0;
            if !list.as_array().is_some_and(|list| list.iter().all(zero)) {
                field(key, list);
            }
        }
        for (name, value) in self.rest_of(&order) {
            let key = snake(&name);
            let own = ["anteTrimmingStatus", "_chip", DOCUMENT, SECRET].contains(&name.as_str());
            // What would come back under another name is not told as a field.
            if !own && camel(&key) == name {
                field(&key, value);
            }
        }
        fields.retain(|(_, value)| !value.is_null());
        if the_one(&text_of(&fields))?.usual_chip() != self.chip() {
            fields.push(("_chip".to_owned(), value_of(&self.chip())));
        }
        let place = |key: &str| ORDER.iter().position(|known| *known == key);
        fields.sort_by_key(|(key, _)| place(key).unwrap_or(ORDER.len()));
        Ok(fields)
    }
}

/// The names of players who have none.
fn numbered(count: usize) -> Value {
    (1..=count).map(|i| format!("p{i}")).collect()
}

/// Reads a text of one hand, as it was just written.
fn the_one(text: &str) -> Result<History<'_>, Refusal> {
    let wrong = |wrong| Refusal::new("no_history", format!("a file cannot hold this: {wrong}"));
    let mut all = hands(text).map_err(wrong)?;
    all.remove(0).map_err(wrong)
}

fn value_of(value: &impl Serialize) -> Value {
    serde_json::to_value(value).unwrap_or_default()
}

fn text_of(fields: &[(String, Value)]) -> String {
    let mut text = String::new();
    for (key, value) in fields {
        write_field(&mut text, &[], key, &spelled(key, value));
    }
    text
}

/// A value as it stands behind its key: a time of day is no text there.
fn spelled(key: &str, value: &Value) -> String {
    match value {
        Value::String(time) if key == "time" && is_time(time) => time.clone(),
        value => toml_of(value).unwrap_or_default(),
    }
}

/// Whether a text is a time of day, as `22:34:00`.
fn is_time(text: &str) -> bool {
    let below = |part: &str, most: u8| {
        let digits = part.len() == 2 && part.bytes().all(|byte| byte.is_ascii_digit());
        digits && part.parse::<u8>().is_ok_and(|number| number < most)
    };
    matches!(text.split(':').collect::<Vec<_>>()[..],
        [hour, minute, second] if below(hour, 24) && below(minute, 60) && below(second, 60))
}

fn write_field(text: &mut String, comments: &[&str], name: &str, value: &str) {
    write_comments(text, comments);
    let _ = writeln!(text, "{} = {value}", key(name));
}

fn write_comments(text: &mut String, comments: &[&str]) {
    for comment in comments {
        let _ = writeln!(text, "{comment}");
    }
}

/// A text between quotes; what JSON escapes, TOML reads.
pub(crate) fn quoted(text: &str) -> String {
    let plain = |c: char| c != '\'' && !c.is_control();
    if text.chars().all(plain) { format!("'{text}'") } else { escaped(text) }
}

fn escaped(text: &str) -> String {
    // JSON leaves this one as it is.
    Value::from(text).to_string().replace('\u{7f}', "\\u007f")
}

/// A key or a name; what is no plain one is quoted.
pub(crate) fn key(name: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    if !name.is_empty() && name.chars().all(plain) { name.to_owned() } else { escaped(name) }
}

fn list<T>(items: &[T], text: impl FnMut(&T) -> Option<String>) -> String {
    format!("[{}]", items.iter().filter_map(text).collect::<Vec<_>>().join(", "))
}

fn table(fields: impl Iterator<Item = String>) -> String {
    format!("{{ {} }}", fields.collect::<Vec<_>>().join(", "))
}

/// A value of a file as it was spelled.
pub(crate) fn toml(value: &Toml<'_>) -> String {
    match value {
        Toml::Text(text) => quoted(text),
        Toml::Plain(text) => (*text).to_owned(),
        Toml::Truth(truth) => truth.to_string(),
        Toml::List(items) => list(items, |item| Some(toml(item))),
        Toml::Table(fields) => {
            table(fields.iter().map(|(name, value)| format!("{} = {}", key(name), toml(value))))
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
        Value::Array(items) => list(items, toml_of),
        Value::Object(map) => table(
            map.iter()
                .filter_map(|(name, value)| Some(format!("{} = {}", key(name), toml_of(value)?))),
        ),
    })
}

/// A value of a file in JSON; dates and times as texts.
pub(crate) fn json(value: &Toml<'_>) -> Value {
    match value {
        Toml::Text(text) => Value::from(text.as_ref()),
        Toml::Truth(truth) => Value::from(*truth),
        Toml::List(items) => items.iter().map(json).collect(),
        Toml::Table(fields) => {
            fields.iter().map(|(key, value)| (key.to_string(), json(value))).collect()
        }
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

/// The same back.
fn snake(key: &str) -> String {
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

/// Where a field of a file is written.
pub(crate) fn place(key: &str) -> usize {
    ORDER.iter().position(|known| *known == key).unwrap_or(ORDER.len())
}
