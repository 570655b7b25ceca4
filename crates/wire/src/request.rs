//! A message of a client and how it is read.

use crate::Say;
use parlor_rules::{Refusal, strict};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Serialize;
use serde_json::Value;
use std::borrow::Cow;

/// A message of a client.
#[derive(Clone, Debug, Serialize)]
pub struct Request {
    /// The client's own name for it, at most 64 bytes.
    pub id: String,
    /// What it says.
    #[serde(flatten)]
    pub say: Say,
}

impl Request {
    /// Reads a message. No object in it may name a field twice.
    pub fn read(text: &str) -> Result<Self, Refusal> {
        let value = strict::value(text).map_err(|error| Refusal::malformed(error.to_string()))?;
        let Value::Object(mut map) = value else {
            return Err(Refusal::malformed("a message is an object"));
        };
        let id = match map.remove("id") {
            Some(Value::String(id)) if (1..=64).contains(&id.len()) => id,
            _ => return Err(Refusal::malformed("id: needs a text of 1 to 64 bytes")),
        };
        match serde_json::from_value(Value::Object(map)) {
            Ok(say) => Ok(Self { id, say }),
            Err(error) => {
                let mut refusal = Refusal::malformed(error.to_string());
                refusal.facts.insert("id".to_owned(), id.into());
                Err(refusal)
            }
        }
    }
}

impl JsonSchema for Request {
    fn schema_name() -> Cow<'static, str> {
        "Request".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let mut schema = Say::json_schema(generator);
        let says = schema.get_mut("oneOf").and_then(Value::as_array_mut);
        for say in says.into_iter().flatten() {
            say["properties"]["id"] = serde_json::json!({
                "description": "The client's own name for it.",
                "type": "string",
                "minLength": 1,
                "maxLength": 64,
            });
            if let Some(required) = say["required"].as_array_mut() {
                required.push("id".into());
            }
        }
        schema.insert("description".to_owned(), "A message of a client.".into());
        schema
    }
}
