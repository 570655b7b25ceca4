//! TOML as far as hand histories need it: every value as it was written, numbers as text.
//!
//! It stands on `toml_parser`, the lexer of the `toml` crate. The values are our own: `toml` turns
//! amounts into floating-point numbers, and `toml_edit`, which keeps their text, is about half as fast.

use std::borrow::Cow;
use std::collections::HashSet;
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
    /// An inline table, in the order it was written.
    Table(Vec<(Cow<'a, str>, Value<'a>)>),
}

/// A key with its value, and the comments that belong to it.
#[derive(Clone, PartialEq, Debug)]
pub struct Field<'a> {
    /// The key.
    pub key: Cow<'a, str>,
    /// The value.
    pub value: Value<'a>,
    /// Comments on lines of their own before it, within it, and behind it on its line.
    pub comments: Vec<&'a str>,
    /// The line the value begins in, from 1.
    pub line: usize,
}

/// Fields under a name; without one, those at the top.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct Section<'a> {
    /// The name.
    pub name: Option<Cow<'a, str>>,
    /// The fields, in the order they were written.
    pub fields: Vec<Field<'a>>,
    /// Comments behind the last field.
    pub tail: Vec<&'a str>,
    /// All of it as it was written, without the name.
    pub text: &'a str,
}

/// What is wrong with a text, and where.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("line {line}: {why}")]
pub struct Wrong {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong.
    pub why: String,
}

/// The bytes of a file as text; a byte order mark is passed over.
pub fn text_of(bytes: &[u8]) -> Result<&str, Wrong> {
    let text = str::from_utf8(bytes).map_err(|error| Wrong {
        line: lines(&bytes[..error.valid_up_to()]) + 1,
        why: "this is no text in UTF-8".to_owned(),
    })?;
    Ok(text.strip_prefix('\u{feff}').unwrap_or(text))
}

fn lines(bytes: &[u8]) -> usize {
    bytes.iter().filter(|byte| **byte == b'\n').count()
}

/// How deep lists and tables may lie in each other: as deep as what JSON can hold.
const DEPTH: u32 = 160;

/// Reads a text, section by section.
pub(crate) fn read(text: &str) -> Result<Vec<Section<'_>>, Wrong> {
    let source = Source::new(text);
    let mut tokens = Vec::with_capacity(text.len() / 4);
    tokens.extend(source.lex());
    let mut builder = Builder::new(source);
    let mut first = First(None);
    parse_document(&tokens, &mut RecursionGuard::new(&mut builder, DEPTH), &mut first);
    builder.end_section(text.len());
    match first.0.or(builder.wrong) {
        None => Ok(builder.sections),
        Some((at, why)) => {
            Err(Wrong { line: lines(&text.as_bytes()[..at.min(text.len())]) + 1, why })
        }
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

/// A list or a table that is not closed yet.
enum Open<'a> {
    List(Vec<Value<'a>>),
    Table { fields: Vec<(Cow<'a, str>, Value<'a>)>, seen: HashSet<Cow<'a, str>> },
}

struct Builder<'a> {
    source: Source<'a>,
    sections: Vec<Section<'a>>,
    /// The names of the sections so far.
    names: HashSet<Cow<'a, str>>,
    /// The keys of this section so far.
    seen: HashSet<Cow<'a, str>>,
    /// Where the text of this section begins.
    from: usize,
    comments: Vec<&'a str>,
    /// The keys that wait for their values, the innermost last.
    keys: Vec<(Cow<'a, str>, usize)>,
    /// Whether the name of a section is being read.
    naming: bool,
    open: Vec<Open<'a>>,
    /// A place, and its line: where the last field began.
    at: (usize, usize),
    /// Whether the last field ended on this line.
    beside: bool,
    wrong: Option<(usize, String)>,
}

impl<'a> Builder<'a> {
    fn new(source: Source<'a>) -> Self {
        Self {
            source,
            sections: vec![Section::default()],
            names: HashSet::new(),
            seen: HashSet::new(),
            from: 0,
            comments: Vec::new(),
            keys: Vec::new(),
            naming: false,
            open: Vec::new(),
            at: (0, 1),
            beside: false,
            wrong: None,
        }
    }

    fn fail(&mut self, at: usize, why: impl Into<String>) {
        if self.wrong.is_none() {
            self.wrong = Some((at, why.into()));
        }
    }

    fn text(&self, from: usize, to: usize) -> &'a str {
        self.source.input().get(from..to).unwrap_or_default()
    }

    fn section(&mut self) -> &mut Section<'a> {
        self.sections.last_mut().expect("there is one from the start")
    }

    fn end_section(&mut self, at: usize) {
        let (text, tail) = (self.text(self.from, at), std::mem::take(&mut self.comments));
        let section = self.section();
        (section.text, section.tail) = (text, tail);
    }

    fn begin(&mut self, span: Span) {
        if self.open.is_empty() {
            let passed = self.text(self.at.0, span.start());
            self.at = (span.start(), self.at.1 + lines(passed.as_bytes()));
        }
    }

    fn value(&mut self, value: Value<'a>) {
        if let Some(Open::List(list)) = self.open.last_mut() {
            return list.push(value);
        }
        let Some((key, at)) = self.keys.pop() else { return };
        let seen = match self.open.last_mut() {
            Some(Open::Table { seen, .. }) => seen,
            _ => &mut self.seen,
        };
        if !seen.insert(key.clone()) {
            return self.fail(at, format!("{key} stands there twice"));
        }
        if let Some(Open::Table { fields, .. }) = self.open.last_mut() {
            return fields.push((key, value));
        }
        let (comments, line) = (std::mem::take(&mut self.comments), self.at.1);
        self.section().fields.push(Field { key, value, comments, line });
        self.beside = true;
    }

    fn close(&mut self) {
        match self.open.pop() {
            Some(Open::List(list)) => self.value(Value::List(list)),
            Some(Open::Table { fields, .. }) => self.value(Value::Table(fields)),
            None => {}
        }
    }
}

impl EventReceiver for Builder<'_> {
    fn std_table_open(&mut self, span: Span, _: &mut dyn ErrorSink) {
        self.end_section(span.start());
        self.naming = true;
    }

    fn std_table_close(&mut self, span: Span, _: &mut dyn ErrorSink) {
        self.from = span.end();
        self.naming = false;
    }

    fn array_table_open(&mut self, span: Span, _: &mut dyn ErrorSink) {
        self.fail(span.start(), "a hand stands under a name of its own, not in a list of tables");
    }

    fn inline_table_open(&mut self, span: Span, _: &mut dyn ErrorSink) -> bool {
        self.begin(span);
        self.open.push(Open::Table { fields: Vec::new(), seen: HashSet::new() });
        true
    }

    fn inline_table_close(&mut self, _: Span, _: &mut dyn ErrorSink) {
        self.close();
    }

    fn array_open(&mut self, span: Span, _: &mut dyn ErrorSink) -> bool {
        self.begin(span);
        self.open.push(Open::List(Vec::new()));
        true
    }

    fn array_close(&mut self, _: Span, _: &mut dyn ErrorSink) {
        self.close();
    }

    fn simple_key(&mut self, span: Span, kind: Option<Encoding>, errors: &mut dyn ErrorSink) {
        let Some(raw) = self.source.get(span) else { return };
        let raw = toml_parser::Raw::new_unchecked(raw.as_str(), kind, span);
        let mut key = Cow::Borrowed("");
        raw.decode_key(&mut key, errors);
        if !self.naming {
            return self.keys.push((key, span.start()));
        }
        if !self.names.insert(key.clone()) {
            self.fail(span.start(), format!("a hand named {key} stands there twice"));
        }
        self.sections.push(Section { name: Some(key), ..Section::default() });
        self.seen.clear();
        self.beside = false;
    }

    fn key_sep(&mut self, span: Span, _: &mut dyn ErrorSink) {
        self.fail(span.start(), "keys have no dots here");
    }

    fn scalar(&mut self, span: Span, kind: Option<Encoding>, errors: &mut dyn ErrorSink) {
        self.begin(span);
        let text = self.text(span.start(), span.end());
        if text.bytes().all(|byte| byte.is_ascii_digit()) {
            return self.value(Value::Plain(text));
        }
        let raw = toml_parser::Raw::new_unchecked(text, kind, span);
        let mut decoded = Cow::Borrowed("");
        let value = match raw.decode_scalar(&mut decoded, errors) {
            ScalarKind::String => Value::Text(decoded),
            ScalarKind::Boolean(truth) => Value::Truth(truth),
            _ => Value::Plain(text),
        };
        self.value(value);
    }

    fn comment(&mut self, span: Span, _: &mut dyn ErrorSink) {
        let text = self.text(span.start(), span.end());
        let beside = self.beside;
        match self.section().fields.last_mut() {
            Some(field) if beside => field.comments.push(text),
            _ => self.comments.push(text),
        }
    }

    fn newline(&mut self, _: Span, _: &mut dyn ErrorSink) {
        self.beside = false;
    }
}
