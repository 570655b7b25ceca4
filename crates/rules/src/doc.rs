//! Reading documents: every fault is found, not only the first.

use serde::de::{DeserializeOwned, Error as _, IntoDeserializer as _};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Number, Value};
use std::fmt;

/// One thing wrong with a document.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Fault {
    /// Where, as a path of field names.
    pub path: String,
    /// What.
    pub text: String,
}

/// All that is wrong with a document.
#[derive(Clone, PartialEq, Eq, Debug, Default, thiserror::Error)]
pub struct Faults(Vec<Fault>);

impl Faults {
    /// Adds a fault.
    pub fn add(&mut self, path: impl Into<String>, text: impl Into<String>) {
        self.0.push(Fault { path: path.into(), text: text.into() });
    }

    /// Adds a fault unless a condition holds.
    pub fn check(&mut self, holds: bool, path: &str, text: impl FnOnce() -> String) {
        if !holds {
            self.add(path, text());
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// The list.
    pub fn iter(&self) -> impl Iterator<Item = &Fault> {
        self.0.iter()
    }

    pub(crate) fn to_json(&self) -> Value {
        serde_json::to_value(&self.0).unwrap_or_default()
    }
}

impl fmt::Display for Faults {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, fault) in self.0.iter().enumerate() {
            let gap = if i == 0 { "" } else { "; " };
            match fault.path.as_str() {
                "" => write!(f, "{gap}{}", fault.text)?,
                path => write!(f, "{gap}{path}: {}", fault.text)?,
            }
        }
        Ok(())
    }
}

/// The fields of a closed object, taken one by one. What is missing, of a wrong type or left over
/// becomes a fault.
pub struct Fields {
    map: Map<String, Value>,
    path: String,
    known: Vec<&'static str>,
    /// Whether there is an object at all; otherwise nothing can be missing from it.
    object: bool,
}

impl Fields {
    /// The fields of this value; a fault if it is no object. `path` names the object, or is empty.
    pub fn of(value: Value, path: &str, faults: &mut Faults) -> Self {
        let (map, object) = match value {
            Value::Object(map) => (map, true),
            other => {
                faults.add(path, format!("needs an object, not {}", shown(&other)));
                (Map::new(), false)
            }
        };
        Self { map, path: path.to_owned(), known: Vec::new(), object }
    }

    /// The fields of an empty object.
    pub fn none(path: &str) -> Self {
        Self { map: Map::new(), path: path.to_owned(), known: Vec::new(), object: true }
    }

    /// What names the object.
    pub fn path(&self) -> &str {
        &self.path
    }

    fn full(&self, key: &str) -> String {
        if self.path.is_empty() { key.to_owned() } else { format!("{}.{key}", self.path) }
    }

    /// Takes a field as it is, if it is there.
    pub fn raw(&mut self, key: &'static str) -> Option<Value> {
        self.known.push(key);
        self.map.remove(key)
    }

    /// Takes a field that must be there. `wanted` says what it is to be.
    pub fn take<T: DeserializeOwned>(
        &mut self,
        key: &'static str,
        wanted: &str,
        faults: &mut Faults,
    ) -> Option<T> {
        match self.raw(key) {
            Some(value) => read(value, || self.full(key), wanted, faults),
            None => {
                faults
                    .check(!self.object, &self.full(key), || format!("is missing, needs {wanted}"));
                None
            }
        }
    }

    /// Whether a field is there.
    pub fn has(&self, key: &str) -> bool {
        self.map.contains_key(key)
    }

    /// Takes a field that may be absent; none also if it cannot be read.
    pub fn optional<T: DeserializeOwned>(
        &mut self,
        key: &'static str,
        wanted: &str,
        faults: &mut Faults,
    ) -> Option<T> {
        let value = self.raw(key)?;
        read(value, || self.full(key), wanted, faults)
    }

    /// Takes a field that may be absent and is `usual` then; none if it cannot be read.
    pub fn or<T: DeserializeOwned>(
        &mut self,
        key: &'static str,
        usual: T,
        wanted: &str,
        faults: &mut Faults,
    ) -> Option<T> {
        match self.raw(key) {
            Some(value) => read(value, || self.full(key), wanted, faults),
            None => Some(usual),
        }
    }

    /// Takes a list of closed objects; each of them reports its own faults.
    pub fn list<T: Closed>(
        &mut self,
        key: &'static str,
        wanted: &str,
        faults: &mut Faults,
    ) -> Option<Vec<T>> {
        let items: Vec<Value> = self.take(key, wanted, faults)?;
        let path = self.full(key);
        let read = |(i, item)| T::read(item, &format!("{path}.{i}"), faults);
        // All are read before one that is none stops it.
        let read: Vec<Option<T>> = items.into_iter().enumerate().map(read).collect();
        read.into_iter().collect()
    }

    /// Takes an object that may be null.
    pub fn nullable<T: Closed>(
        &mut self,
        key: &'static str,
        wanted: &str,
        faults: &mut Faults,
    ) -> Option<Option<T>> {
        match self.take(key, wanted, faults)? {
            Value::Null => Some(None),
            value => T::read(value, &self.full(key), faults).map(Some),
        }
    }

    /// Whatever was not taken is unknown.
    pub fn finish(self, faults: &mut Faults) {
        for key in self.map.keys() {
            let known = self.known.join(", ");
            faults.add(self.full(key), format!("is no field here; there can be {known}"));
        }
    }
}

/// What is written as an object with certain fields and no others, and reports all its faults.
pub trait Closed: Sized {
    /// Takes its fields. Where one of them cannot be read it may give what can be said without it.
    fn take(fields: &mut Fields, faults: &mut Faults) -> Option<Self>;

    /// Reads an object that stands at this path, as far as it can be read.
    fn draft(value: Value, path: &str, faults: &mut Faults) -> Option<Self> {
        let mut fields = Fields::of(value, path, faults);
        let taken = Self::take(&mut fields, faults);
        fields.finish(faults);
        taken
    }

    /// Reads an object that stands at this path; none if it has faults.
    fn read(value: Value, path: &str, faults: &mut Faults) -> Option<Self> {
        let before = faults.len();
        Self::draft(value, path, faults).filter(|_| faults.len() == before)
    }
}

/// Reads what is [`Closed`]; the error names all its faults.
pub fn closed<'de, D: Deserializer<'de>, T: Closed>(d: D) -> Result<T, D::Error> {
    let mut faults = Faults::default();
    let read = T::read(Value::deserialize(d)?, "", &mut faults);
    read.ok_or_else(|| D::Error::custom(faults))
}

/// A value that is written as an object. Without this serde also reads a list of the fields'
/// values, in an order that is no part of the contract.
pub struct Object<T>(pub T);

impl<'de, T: DeserializeOwned> Deserialize<'de> for Object<T> {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        match Value::deserialize(d)? {
            Value::Object(map) => {
                T::deserialize(Value::Object(map)).map(Self).map_err(D::Error::custom)
            }
            other => Err(D::Error::custom(format!("needs an object, not {}", shown(&other)))),
        }
    }
}

/// Reads an enum that is written as a word: for `#[serde(deserialize_with)]`. Without this serde
/// also reads an object with the word as its one field.
pub fn word<'de, D: Deserializer<'de>, T: Deserialize<'de>>(d: D) -> Result<T, D::Error> {
    T::deserialize(String::deserialize(d)?.into_deserializer())
}

/// An enum that is written as a word; see [`word`].
pub struct Word<T>(pub T);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Word<T> {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        word(d).map(Self)
    }
}

/// A whole number. One that is out of all bounds is kept as the largest, for a check of ranges to
/// refuse: it has the right type.
#[derive(Deserialize)]
#[serde(try_from = "Number")]
pub struct Count(pub u32);

impl TryFrom<Number> for Count {
    type Error = &'static str;

    fn try_from(number: Number) -> Result<Self, Self::Error> {
        match (number.as_u64(), number.as_i64()) {
            (None, None) => Err("a whole number"),
            (count, _) => Ok(Self(count.and_then(|n| n.try_into().ok()).unwrap_or(u32::MAX))),
        }
    }
}

fn read<T: DeserializeOwned>(
    value: Value,
    path: impl FnOnce() -> String,
    wanted: &str,
    faults: &mut Faults,
) -> Option<T> {
    let read = T::deserialize(&value).ok();
    if read.is_none() {
        faults.add(path(), format!("needs {wanted}, not {}", shown(&value)));
    }
    read
}

/// Reads what a name stands for, or says what it needs.
pub(crate) fn named<T: DeserializeOwned>(
    name: &str,
    value: Value,
    wanted: &str,
) -> Result<T, Faults> {
    let mut faults = Faults::default();
    read(value, || name.to_owned(), wanted, &mut faults).ok_or(faults)
}

/// What a value is, in few words.
fn shown(value: &Value) -> String {
    let text = value.to_string();
    if text.chars().count() <= 40 { text } else { kind(value).to_owned() }
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}
