//! The form of a setting, and its value as written.
//!
//! A new form is here in every function, for which the compiler asks; beside that, `sim/src/law/tree.rs` draws it, for which it asks, too.
//! A form with a value of its own adds to [`Value`], to [`Chosen`](crate::Chosen), and to `Setting` of crate `scenario`.

use alloc::{borrow::ToOwned, format, string::String};
use core::fmt;
use windfall_time::Span;

/// The form of a setting's value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// A length of time with a unit, above zero.
    Span,
    /// A whole number within these bounds, both included.
    Integer(i64, i64),
    /// `true` or `false`.
    Bool,
    /// One of these words.
    Word(&'static [&'static str]),
    /// A name: 1 to 64 letters, digits, `-`, `_` and `.`.
    Name,
}

/// The value written for a setting.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Value<'a> {
    /// A length of time.
    Span(Span),
    /// A whole number.
    Integer(i64),
    /// `true` or `false`.
    Bool(bool),
    /// A word.
    Word(&'a str),
}

impl fmt::Display for Value<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Span(span) => write!(f, "{span}"),
            Value::Integer(number) => write!(f, "{number}"),
            Value::Bool(answer) => write!(f, "{answer}"),
            Value::Word(word) => write!(f, "`{word}`"),
        }
    }
}

impl Form {
    /// Whether this may be written.
    #[must_use]
    pub fn allows(self, value: Value<'_>) -> bool {
        match (self, value) {
            (Form::Span, Value::Span(span)) => !span.is_zero(),
            (Form::Integer(least, most), Value::Integer(n)) => (least..=most).contains(&n),
            (Form::Bool, Value::Bool(_)) => true,
            (Form::Word(words), Value::Word(word)) => words.contains(&word),
            (Form::Name, Value::Word(name)) => is_name(name),
            _ => false,
        }
    }

    /// A text of this form as a value, if it is one.
    #[must_use]
    pub fn parse(self, text: &str) -> Option<Value<'_>> {
        let value = match self {
            Form::Span => Value::Span(text.parse().ok()?),
            Form::Integer(..) => Value::Integer(text.parse().ok()?),
            Form::Bool => Value::Bool(text.parse().ok()?),
            Form::Word(_) | Form::Name => Value::Word(text),
        };
        self.allows(value).then_some(value)
    }

    /// The allowed values, for a cell of a table.
    #[must_use]
    pub fn brief(self) -> String {
        match self {
            Form::Span => "time".to_owned(),
            Form::Integer(least, most) => format!("{least} to {most}"),
            Form::Bool => "true, false".to_owned(),
            Form::Word(words) => words.join(", "),
            Form::Name => "a name".to_owned(),
        }
    }
}

/// Whether this is a name.
fn is_name(text: &str) -> bool {
    let kept = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    (1..=64).contains(&text.len()) && text.chars().all(kept)
}

impl fmt::Display for Form {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Form::Span => f.write_str(
                "a length of time above zero in `ns`, `us`, `ms`, `s`, `min` or `h`, as `10ms`",
            ),
            Form::Integer(least, most) => write!(f, "a whole number from {least} to {most}"),
            Form::Bool => f.write_str("`true` or `false`"),
            Form::Name => f.write_str("a name of letters, digits, `-`, `_` and `.`"),
            Form::Word(words) => {
                f.write_str("one of ")?;
                for (number, word) in words.iter().enumerate() {
                    let before = if number == 0 { "" } else { ", " };
                    write!(f, "{before}`{word}`")?;
                }
                Ok(())
            }
        }
    }
}
