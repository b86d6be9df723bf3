//! A JSON reader that keeps order, duplicates and places, and accepts the deviations of rt-app's files.
//!
//! Accepted silently: `/* */` and `//` comments, single quotes, a superfluous comma. Accepted with
//! a warning: a missing comma, a key without a value, text after the end. Nesting is limited, so
//! no input can exhaust the stack.

use super::{EntryError, limits};

/// rt-app needs six levels.
const DEEPEST: u32 = 64;

/// A value and where it stands.
#[derive(Clone, Debug)]
pub(super) struct Node {
    pub(super) place: Place,
    pub(super) value: Value,
}

/// Line and column, from 1.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Place {
    pub(super) line: u32,
    pub(super) column: u32,
}

/// A value; a number keeps its text.
#[derive(Clone, Debug)]
pub(super) enum Value {
    /// `null`, or nothing at all.
    Nothing,
    Bool(bool),
    Number(String),
    Text(String),
    List(Vec<Node>),
    Object(Vec<Member>),
}

/// A key with its value.
#[derive(Clone, Debug)]
pub(super) struct Member {
    pub(super) key: String,
    pub(super) place: Place,
    pub(super) node: Node,
}

impl Place {
    pub(super) fn problem(self, text: impl Into<String>) -> EntryError {
        EntryError { line: self.line, column: self.column, text: text.into() }
    }
}

impl Value {
    /// The kind of the value, for messages.
    pub(super) fn kind(&self) -> &'static str {
        match self {
            Value::Nothing => "nothing",
            Value::Bool(_) => "true or false",
            Value::Number(_) => "a number",
            Value::Text(_) => "a text",
            Value::List(_) => "a list",
            Value::Object(_) => "an object",
        }
    }
}

/// Reads the first value of `text`.
pub(super) fn parse(text: &str, warnings: &mut Vec<EntryError>) -> Result<Node, EntryError> {
    let place = Place { line: 1, column: 1 };
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut parser = Parser { rest: text, place, warnings };
    parser.skip()?;
    let node = parser.value(0)?;
    parser.skip()?;
    if !parser.rest.is_empty() {
        parser.warn(parser.place, "what follows the file's end is ignored".to_owned())?;
    }
    Ok(node)
}

struct Parser<'a> {
    rest: &'a str,
    place: Place,
    warnings: &'a mut Vec<EntryError>,
}

impl Parser<'_> {
    fn peek(&self) -> Option<char> {
        self.rest.chars().next()
    }

    fn take(&mut self) -> Option<char> {
        let next = self.peek()?;
        self.rest = &self.rest[next.len_utf8()..];
        if next == '\n' {
            self.place = Place { line: self.place.line.saturating_add(1), column: 1 };
        } else {
            self.place.column = self.place.column.saturating_add(1);
        }
        Some(next)
    }

    fn warn(&mut self, place: Place, text: String) -> Result<(), EntryError> {
        if self.warnings.len() >= limits::MOST_WARNINGS {
            return Err(place.problem(limits::too_doubtful()));
        }
        self.warnings.push(place.problem(text));
        Ok(())
    }

    /// White space and comments.
    fn skip(&mut self) -> Result<(), EntryError> {
        loop {
            if self.rest.starts_with("/*") {
                let place = self.place;
                let Some(end) = self.rest.find("*/") else {
                    return Err(place.problem("comment without an end; write `*/`"));
                };
                let end = self.rest.len() - end - 2;
                while self.rest.len() > end {
                    self.take();
                }
            } else if self.rest.starts_with("//") {
                while self.peek().is_some_and(|next| next != '\n') {
                    self.take();
                }
            } else if self.peek().is_some_and(char::is_whitespace) {
                self.take();
            } else {
                return Ok(());
            }
        }
    }

    fn value(&mut self, depth: u32) -> Result<Node, EntryError> {
        let place = self.place;
        if depth > DEEPEST {
            return Err(place.problem(format!("nested deeper than {DEEPEST} levels")));
        }
        let value = match self.peek() {
            Some('{') => Value::Object(self.object(depth)?),
            Some('[') => Value::List(self.list(depth)?),
            Some('"' | '\'') => Value::Text(self.text()?),
            Some(_) => self.word()?,
            None => return Err(place.problem("the file ends where a value should be")),
        };
        Ok(Node { place, value })
    }

    fn object(&mut self, depth: u32) -> Result<Vec<Member>, EntryError> {
        let open = self.place;
        self.take();
        let mut members = Vec::new();
        while let Some(place) = self.next_entry(open, '}')? {
            if !matches!(self.peek(), Some('"' | '\'')) {
                return Err(place.problem("not a key; write it in quotes: \"run\""));
            }
            let key = self.text()?;
            self.skip()?;
            let colon = self.peek() == Some(':');
            if colon {
                self.take();
                self.skip()?;
            }
            let node = if !colon || matches!(self.peek(), Some(',' | '}')) {
                self.warn(place, format!("`{key}` has no value"))?;
                Node { place, value: Value::Nothing }
            } else {
                self.value(depth + 1)?
            };
            members.push(Member { key, place, node });
            self.comma('}')?;
        }
        Ok(members)
    }

    fn list(&mut self, depth: u32) -> Result<Vec<Node>, EntryError> {
        let open = self.place;
        self.take();
        let mut nodes = Vec::new();
        while self.next_entry(open, ']')?.is_some() {
            nodes.push(self.value(depth + 1)?);
            self.comma(']')?;
        }
        Ok(nodes)
    }

    /// The beginning of the next entry; `None` after the closing bracket, which is consumed.
    fn next_entry(&mut self, open: Place, close: char) -> Result<Option<Place>, EntryError> {
        self.skip()?;
        match self.peek() {
            None => {
                let text = format!("opened here and never closed; write `{close}`");
                Err(open.problem(text))
            }
            Some(next) if next == close => {
                self.take();
                Ok(None)
            }
            Some(_) => Ok(Some(self.place)),
        }
    }

    fn comma(&mut self, close: char) -> Result<(), EntryError> {
        self.skip()?;
        match self.peek() {
            Some(',') => {
                // Several count as one.
                while self.peek() == Some(',') {
                    self.take();
                    self.skip()?;
                }
            }
            Some(next) if next == close => {}
            Some(_) => self.warn(self.place, "a comma is missing before this".to_owned())?,
            None => {}
        }
        Ok(())
    }

    fn text(&mut self) -> Result<String, EntryError> {
        let open = self.place;
        let quote = self.take();
        let mut text = String::new();
        loop {
            let place = self.place;
            match self.take() {
                None => return Err(open.problem("text without a closing quote")),
                next if next == quote => return Ok(text),
                Some('\\') => match self.take() {
                    Some('n') => text.push('\n'),
                    Some('t') => text.push('\t'),
                    Some('r') => text.push('\r'),
                    Some('b') => text.push('\u{8}'),
                    Some('f') => text.push('\u{c}'),
                    Some('u') => text.push(self.escape(place)?),
                    Some(next) => text.push(next),
                    None => return Err(open.problem("text without a closing quote")),
                },
                Some(next) => text.push(next),
            }
        }
    }

    /// Four hexadecimal digits; half of a pair becomes U+FFFD.
    fn escape(&mut self, place: Place) -> Result<char, EntryError> {
        let mut code = 0;
        for _ in 0..4 {
            let Some(digit) = self.peek().and_then(|next| next.to_digit(16)) else {
                return Err(place.problem("`\\u` without four hexadecimal digits"));
            };
            self.take();
            code = code * 16 + digit;
        }
        Ok(char::from_u32(code).unwrap_or('\u{fffd}'))
    }

    /// A number, `true`, `false` or `null`.
    fn word(&mut self) -> Result<Value, EntryError> {
        let place = self.place;
        let mut word = String::new();
        let part = |c: &char| c.is_alphanumeric() || matches!(c, '.' | '+' | '-' | '_');
        while let Some(next) = self.peek().filter(part) {
            word.push(next);
            self.take();
        }
        let number = word.starts_with(|c: char| c.is_ascii_digit() || c == '-' || c == '+');
        match word.to_ascii_lowercase().as_str() {
            "true" => Ok(Value::Bool(true)),
            "false" => Ok(Value::Bool(false)),
            "null" => Ok(Value::Nothing),
            _ if number => Ok(Value::Number(word)),
            "" => {
                let next = self.peek().unwrap_or(' ');
                Err(place.problem(format!("`{next}` is no beginning of a value")))
            }
            _ => Err(place.problem(format!("`{word}` is no value; write texts in quotes"))),
        }
    }
}
