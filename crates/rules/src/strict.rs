//! JSON without ambiguity.

use serde::de::{self, Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use std::collections::BTreeSet;
use std::fmt;

/// Refuses JSON in which an object names a field twice: readers differ in which one counts.
///
/// ```
/// use parlor_rules::strict::no_field_twice;
/// assert!(no_field_twice(r#"{"a":{"b":1,"c":1}}"#).is_ok());
/// assert!(no_field_twice(r#"{"a":[{"b":1,"b":1}]}"#).is_err());
/// ```
pub fn no_field_twice(text: &str) -> Result<(), serde_json::Error> {
    serde_json::from_str::<Walked>(text).map(|Walked| ())
}

/// Some JSON that was walked through.
struct Walked;

impl<'de> Deserialize<'de> for Walked {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        d.deserialize_any(Walked)
    }
}

impl<'de> Visitor<'de> for Walked {
    type Value = Walked;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Walked, A::Error> {
        let mut seen = BTreeSet::new();
        while let Some(key) = map.next_key::<String>()? {
            map.next_value::<Walked>()?;
            if let Some(twice) = seen.replace(key) {
                return Err(de::Error::custom(format_args!("field `{twice}` stands twice")));
            }
        }
        Ok(Walked)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Walked, A::Error> {
        while list.next_element::<Walked>()?.is_some() {}
        Ok(Walked)
    }

    fn visit_bool<E>(self, _: bool) -> Result<Walked, E> {
        Ok(Walked)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Walked, E> {
        Ok(Walked)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Walked, E> {
        Ok(Walked)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Walked, E> {
        Ok(Walked)
    }

    fn visit_str<E>(self, _: &str) -> Result<Walked, E> {
        Ok(Walked)
    }

    fn visit_unit<E>(self) -> Result<Walked, E> {
        Ok(Walked)
    }
}
