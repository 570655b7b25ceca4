//! TOML as far as hand histories need it: every value as it was written, numbers as text.

use std::borrow::Cow;
use std::fmt;
use toml_parser::decoder::{Encoding, ScalarKind};
use toml_parser::parser::{EventReceiver, RecursionGuard, parse_document};
use toml_parser::{ErrorSink, ParseError, Source, Span};

/// A value.
#[derive(Clone, PartialEq, Debug)]
pub enum Value<'a> {
    /// A string.
    Text(Cow<'a, str>),
    /// A number, a date or a time, as written.
    Plain(&'a str),
    /// True or false.
    Truth(bool),
    /// An array.
    List(Vec<Value<'a>>),
    /// An inline table, as written.
    Table(&'a str),
}

/// A key with its value, and the comments above it and beside it.
#[derive(Clone, PartialEq, Debug)]
pub struct Field<'a> {
    /// The key.
    pub key: Cow<'a, str>,
    /// The value.
    pub value: Value<'a>,
    /// Comments on lines of their own before it, and behind it on its line.
    pub comments: Vec<&'a str>,
    /// Where the value begins.
    pub at: usize,
}

/// Fields under a name; without one, those at the top.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct Section<'a> {
    /// The name.
    pub name: Option<Cow<'a, str>>,
    /// The fields, in the order they were written.
    pub fields: Vec<Field<'a>>,
}

/// What is wrong with a text, and where.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Wrong {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong.
    pub why: String,
}

impl fmt::Display for Wrong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.why)
    }
}

impl std::error::Error for Wrong {}

/// The line a byte is in, from 1.
pub(crate) fn line_of(text: &str, at: usize) -> usize {
    text.as_bytes()[..at.min(text.len())].iter().filter(|byte| **byte == b'\n').count() + 1
}

/// Reads a text, section by section.
pub(crate) fn read(text: &str) -> Result<Vec<Section<'_>>, Wrong> {
    let source = Source::new(text);
    let mut tokens = Vec::with_capacity(text.len() / 4);
    tokens.extend(source.lex());
    let mut builder = Builder::new(source);
    let mut first = First(None);
    // Lists within lists are no deeper in any hand history.
    parse_document(&tokens, &mut RecursionGuard::new(&mut builder, 8), &mut first);
    match first.0.or(builder.wrong) {
        None => Ok(builder.sections),
        Some((at, why)) => Err(Wrong { line: line_of(text, at), why }),
    }
}

/// Keeps the first error.
struct First(Option<(usize, String)>);

impl ErrorSink for First {
    fn report_error(&mut self, error: ParseError) {
        if self.0.is_none() {
            let at = error.unexpected().or(error.context()).map_or(0, |span| span.start());
            self.0 = Some((at, error.description().to_owned()));
        }
    }
}

struct Builder<'a> {
    source: Source<'a>,
    sections: Vec<Section<'a>>,
    comments: Vec<&'a str>,
    /// The key that waits for its value.
    key: Option<Cow<'a, str>>,
    /// Whether the name of a section is being read.
    naming: bool,
    /// Lists that are open.
    lists: Vec<Vec<Value<'a>>>,
    /// Where the value being read begins.
    at: usize,
    /// How deep in inline tables.
    tables: usize,
    table_at: usize,
    /// Whether the last field ended on this line.
    beside: bool,
    wrong: Option<(usize, String)>,
}

impl<'a> Builder<'a> {
    fn new(source: Source<'a>) -> Self {
        Self {
            source,
            sections: vec![Section::default()],
            comments: Vec::new(),
            key: None,
            naming: false,
            lists: Vec::new(),
            at: 0,
            tables: 0,
            table_at: 0,
            beside: false,
            wrong: None,
        }
    }

    fn fail(&mut self, at: usize, why: &str) {
        if self.wrong.is_none() {
            self.wrong = Some((at, why.to_owned()));
        }
    }

    fn text(&self, span: Span) -> &'a str {
        self.source.input().get(span.start()..span.end()).unwrap_or_default()
    }

    fn begin(&mut self, span: Span) {
        if self.lists.is_empty() && self.tables == 0 {
            self.at = span.start();
        }
    }

    fn value(&mut self, value: Value<'a>) {
        if let Some(list) = self.lists.last_mut() {
            return list.push(value);
        }
        let Some(key) = self.key.take() else { return };
        let (comments, at) = (std::mem::take(&mut self.comments), self.at);
        let section = self.sections.last_mut().expect("there is one from the start");
        if section.fields.iter().any(|field| field.key == key) {
            let why = format!("{key} stands there twice");
            return self.fail(at, &why);
        }
        section.fields.push(Field { key, value, comments, at });
        self.beside = true;
    }
}

impl EventReceiver for Builder<'_> {
    fn std_table_open(&mut self, _: Span, _: &mut dyn ErrorSink) {
        self.naming = true;
    }

    fn std_table_close(&mut self, _: Span, _: &mut dyn ErrorSink) {
        self.naming = false;
    }

    fn array_table_open(&mut self, span: Span, _: &mut dyn ErrorSink) {
        self.fail(span.start(), "a hand stands under a name of its own, not in a list of tables");
    }

    fn inline_table_open(&mut self, span: Span, _: &mut dyn ErrorSink) -> bool {
        self.begin(span);
        if self.tables == 0 {
            self.table_at = span.start();
        }
        self.tables += 1;
        true
    }

    fn inline_table_close(&mut self, span: Span, _: &mut dyn ErrorSink) {
        self.tables -= 1;
        if self.tables == 0 {
            let whole = self.source.input().get(self.table_at..span.end()).unwrap_or_default();
            self.value(Value::Table(whole));
        }
    }

    fn array_open(&mut self, span: Span, _: &mut dyn ErrorSink) -> bool {
        self.begin(span);
        if self.tables == 0 {
            self.lists.push(Vec::new());
        }
        true
    }

    fn array_close(&mut self, _: Span, _: &mut dyn ErrorSink) {
        if self.tables == 0
            && let Some(list) = self.lists.pop()
        {
            self.value(Value::List(list));
        }
    }

    fn simple_key(&mut self, span: Span, kind: Option<Encoding>, errors: &mut dyn ErrorSink) {
        if self.tables > 0 {
            return;
        }
        let Some(raw) = self.source.get(span) else { return };
        let raw = toml_parser::Raw::new_unchecked(raw.as_str(), kind, span);
        let mut key = Cow::Borrowed("");
        raw.decode_key(&mut key, errors);
        if self.naming {
            self.sections.push(Section { name: Some(key), fields: Vec::new() });
            self.beside = false;
        } else {
            self.key = Some(key);
        }
    }

    fn key_sep(&mut self, span: Span, _: &mut dyn ErrorSink) {
        if self.tables == 0 {
            self.fail(span.start(), "keys have no dots here");
        }
    }

    fn scalar(&mut self, span: Span, kind: Option<Encoding>, errors: &mut dyn ErrorSink) {
        if self.tables > 0 {
            return;
        }
        self.begin(span);
        let text = self.text(span);
        if kind.is_none() {
            let value = match text {
                "true" => Value::Truth(true),
                "false" => Value::Truth(false),
                _ => Value::Plain(text),
            };
            return self.value(value);
        }
        let raw = toml_parser::Raw::new_unchecked(text, kind, span);
        let mut decoded = Cow::Borrowed("");
        match raw.decode_scalar(&mut decoded, errors) {
            ScalarKind::String => self.value(Value::Text(decoded)),
            _ => self.value(Value::Plain(text)),
        }
    }

    fn comment(&mut self, span: Span, _: &mut dyn ErrorSink) {
        let text = self.text(span);
        let last = self.sections.last_mut().and_then(|section| section.fields.last_mut());
        match last {
            Some(field) if self.beside => field.comments.push(text),
            _ => self.comments.push(text),
        }
    }

    fn newline(&mut self, _: Span, _: &mut dyn ErrorSink) {
        self.beside = false;
    }
}
