//! What is read.

use parlor_rules::{Refusal, strict};
use serde_json::Value;
use std::fmt::Display;
use std::io::Read as _;
use std::path::Path;

/// A sentence about a file.
pub(super) fn at(file: &Path, why: &dyn Display) -> String {
    format!("{}: {why}", file.display())
}

pub(super) fn malformed(why: impl Display) -> Refusal {
    Refusal::malformed(why.to_string())
}

/// The text of a file, or of standard input for `-`.
pub(super) fn text_of(file: &Path) -> Result<String, Refusal> {
    let bytes = if file.as_os_str() == "-" {
        let mut bytes = Vec::new();
        std::io::stdin().read_to_end(&mut bytes).map(|_| bytes)
    } else {
        std::fs::read(file)
    };
    let bytes = bytes.map_err(|error| Refusal::new("unreadable", at(file, &error)))?;
    let text = parlor_phh::decoded(&bytes).map_err(|wrong| malformed(at(file, &wrong)))?;
    Ok(text.into_owned())
}

/// Reads JSON in which no object has a field twice.
pub(super) fn value_of(text: &str) -> Result<Value, Refusal> {
    strict::value(text).map_err(malformed)
}

/// The JSON in a file.
pub(super) fn json_of(file: &Path) -> Result<Value, Refusal> {
    value_of(&text_of(file)?).map_err(|no| malformed(at(file, &no.text)))
}
