//! Reading documents: every fault is found, not only the first.

use serde::de::{DeserializeOwned, Error as _};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};
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
#[derive(Clone, PartialEq, Eq, Debug, Default)]
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
}

impl Fields {
    /// The fields of this value; a fault if it is no object. `path` names the object, or is empty.
    pub fn of(value: Value, path: &str, faults: &mut Faults) -> Self {
        let map = match value {
            Value::Object(map) => map,
            other => {
                faults.add(path, format!("an object is needed, not {}", kind(&other)));
                Map::new()
            }
        };
        Self { map, path: path.to_owned() }
    }

    fn full(&self, key: &str) -> String {
        if self.path.is_empty() { key.to_owned() } else { format!("{}.{key}", self.path) }
    }

    /// Takes a field that must be there.
    pub fn take<T: DeserializeOwned>(&mut self, key: &str, faults: &mut Faults) -> Option<T> {
        if !self.map.contains_key(key) {
            faults.add(self.full(key), "is missing");
            return None;
        }
        self.optional(key, faults)
    }

    /// Takes a field that may be absent.
    pub fn optional<T: DeserializeOwned>(&mut self, key: &str, faults: &mut Faults) -> Option<T> {
        let value = self.map.remove(key)?;
        match serde_json::from_value(value) {
            Ok(read) => Some(read),
            Err(error) => {
                faults.add(self.full(key), error.to_string());
                None
            }
        }
    }

    /// Takes a field as it is.
    pub fn raw(&mut self, key: &str) -> Option<Value> {
        self.map.remove(key)
    }

    /// Whatever was not taken is unknown.
    pub fn finish(self, faults: &mut Faults) {
        for key in self.map.keys() {
            faults.add(self.full(key), "is not a field of this document");
        }
    }
}

/// A value that is written as an object. Without this serde also reads a list of the fields'
/// values, in an order that is no part of the contract.
pub struct Object<T>(pub T);

impl<'de, T: DeserializeOwned> Deserialize<'de> for Object<T> {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        let map = Map::deserialize(d)?;
        T::deserialize(Value::Object(map)).map(Self).map_err(D::Error::custom)
    }
}

/// Reads a list of [`Object`]s: for `#[serde(deserialize_with)]`.
pub fn objects<'de, D: Deserializer<'de>, T: DeserializeOwned>(d: D) -> Result<Vec<T>, D::Error> {
    let read = Vec::<Object<T>>::deserialize(d)?;
    Ok(read.into_iter().map(|Object(value)| value).collect())
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
