//! Hands in any form.

use super::Form;
use super::convert::Converted;
use super::input::{malformed, value_of};
use parlor_phh::stars::{self, Told};
use parlor_phh::{Document, History, hands};
use parlor_rules::{Refusal, json};
use serde_json::Value;
use serde_json::value::RawValue;

/// One hand of a file.
pub(super) enum Found<'t> {
    Phh(Box<History<'t>>),
    Stars(Told),
    Json(Box<Document>),
}

/// Hands one after the other, each as far as it can be read.
pub(super) type All<'t> = Box<dyn ExactSizeIterator<Item = Result<Found<'t>, Refusal>> + 't>;

/// All hands of a text. A text that is no list of hands is one refusal.
pub(super) fn found(text: &str, from: Option<Form>) -> Result<All<'_>, Refusal> {
    let from = from.unwrap_or_else(|| match text {
        text if is_json(text) => Form::Json,
        text if stars::is_stars(text) => Form::Pokerstars,
        _ => Form::Phh,
    });
    match from {
        Form::Phh => {
            let all = hands(text).map_err(malformed)?.into_iter();
            Ok(Box::new(all.map(|hand| hand.map(Box::new).map(Found::Phh).map_err(malformed))))
        }
        Form::Pokerstars => {
            let all = stars::each(text).map_err(malformed)?;
            Ok(Box::new(all.map(|told| told.map(Found::Stars).map_err(malformed))))
        }
        Form::Json => {
            let mut all = Vec::new();
            for piece in serde_json::Deserializer::from_str(text).into_iter::<&RawValue>() {
                match value_of(piece.map_err(malformed)?.get())? {
                    Value::Array(list) => all.extend(list),
                    document => all.push(document),
                }
            }
            let many = all.len() > 1;
            let read = move |(i, value)| {
                let numbered = |no: Refusal| match many {
                    true => Refusal { text: format!("document {i}: {}", no.text), ..no },
                    false => no,
                };
                Document::read(value).map(Box::new).map(Found::Json).map_err(numbered)
            };
            let all: Vec<_> = (1..).zip(all).collect();
            Ok(Box::new(all.into_iter().map(read)))
        }
    }
}

impl Found<'_> {
    /// Which one of its file it is; nothing for the only one.
    pub(super) fn label(&self, number: usize, many: bool) -> Option<String> {
        match self {
            Self::Phh(hand) => hand.name.as_ref().map(|name| format!("hand {name}")),
            Self::Stars(told) => Some(format!("line {}: hand {}", told.line, told.number)),
            Self::Json(_) => many.then(|| format!("document {number}")),
        }
    }

    /// Plays the hand and compares what is said about it; false if nothing is.
    pub(super) fn check(&self) -> Result<bool, String> {
        match self {
            Self::Phh(hand) => hand.check().map_err(|no| no.to_string()),
            Self::Stars(told) => told.check().map_err(|no| no.to_string()),
            Self::Json(_) => self.with(|hand| hand.check().map_err(|no| no.to_string())),
        }
    }

    /// Does something with the hand as a history.
    pub(super) fn with<T>(
        &self,
        work: impl FnOnce(&History<'_>) -> Result<T, String>,
    ) -> Result<T, String> {
        match self {
            Self::Phh(hand) => work(hand),
            Self::Stars(told) => work(&told.history().map_err(|no| no.to_string())?),
            Self::Json(document) => {
                let text = document.to_phh().map_err(|no| no.text)?;
                let hand = hands(&text).map(|mut all| all.remove(0));
                let hand = hand.and_then(|hand| hand).map_err(|no| no.to_string())?;
                work(&hand)
            }
        }
    }

    /// The hand in another form, and the name it has in a file of many.
    pub(super) fn to(&self, to: Form, hero: Option<&str>) -> Result<Converted, Refusal> {
        match self {
            Self::Phh(hand) => {
                let text = match to {
                    Form::Phh => hand.to_phh(),
                    Form::Json => json(&hand.to_document()?).to_string(),
                    Form::Pokerstars => stars::write(hand, hero)?,
                };
                Ok((hand.name.as_ref().map(ToString::to_string), text))
            }
            Self::Stars(told) => {
                let hand = told.history().map_err(malformed)?;
                let text = match to {
                    Form::Phh => told.phh().to_owned(),
                    Form::Json => json(&hand.to_document()?).to_string(),
                    Form::Pokerstars => stars::write(&hand, hero)?,
                };
                Ok((None, text))
            }
            Self::Json(document) => {
                let text = match to {
                    Form::Phh => document.to_phh()?,
                    Form::Json => json(document).to_string(),
                    Form::Pokerstars => {
                        let text = document.to_phh()?;
                        let hand = hands(&text).map_err(malformed)?.remove(0).map_err(malformed)?;
                        stars::write(&hand, hero)?
                    }
                };
                Ok((document.section().map(str::to_owned), text))
            }
        }
    }
}

/// A list of documents and the name of a hand both begin with a bracket.
fn is_json(text: &str) -> bool {
    let text = text.trim_start();
    let behind = text.strip_prefix('[').map(str::trim_start);
    text.starts_with('{') || behind.is_some_and(|text| text.starts_with(['{', ']']))
}
