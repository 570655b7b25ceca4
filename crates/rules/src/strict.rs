//! JSON without ambiguity.
//!
//! This is our own: serde_json's `Value` keeps the last of two fields of one name and says nothing.

use serde::de::{self, Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::map::Entry;
use serde_json::{Map, Value};
use std::fmt;

/// Reads JSON in which no object names a field twice: readers differ in which one counts.
///
/// ```
/// use parlor_rules::strict::value;
/// assert!(value(r#"{"a":{"b":1,"c":1}}"#).is_ok());
/// assert!(value(r#"{"a":[{"b":1,"b":1}]}"#).is_err());
/// let text = r#"{"a":[null,true,-1,18446744073709551615,0.5,"b"],"c":{}}"#;
/// assert_eq!(value(text).unwrap(), serde_json::from_str::<serde_json::Value>(text).unwrap());
/// ```
pub fn value(text: &str) -> Result<Value, serde_json::Error> {
    serde_json::from_str::<Strict>(text).map(|Strict(value)| value)
}

/// A value that is read like this.
struct Strict(Value);

impl<'de> Deserialize<'de> for Strict {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        d.deserialize_any(Reader).map(Self)
    }
}

struct Reader;

impl<'de> Visitor<'de> for Reader {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Value, A::Error> {
        let mut map = Map::new();
        while let Some(key) = fields.next_key::<String>()? {
            let Strict(value) = fields.next_value()?;
            match map.entry(key) {
                Entry::Vacant(place) => drop(place.insert(value)),
                Entry::Occupied(twice) => {
                    let text = format_args!("field `{}` stands twice", twice.key());
                    return Err(de::Error::custom(text));
                }
            }
        }
        Ok(Value::Object(map))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Value, A::Error> {
        let mut values = Vec::new();
        while let Some(Strict(value)) = list.next_element()? {
            values.push(value);
        }
        Ok(Value::Array(values))
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }
}
