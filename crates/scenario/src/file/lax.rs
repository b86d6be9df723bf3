//! A value that is read leniently: its error is kept, and reading goes on.

use super::value_error::ValueError;
use core::fmt;
use serde::de::{Deserialize, Deserializer, Error, Visitor};
use serde::ser::{Serialize, Serializer};

/// A value as TOML has it.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Raw {
    Text(String),
    Integer(i64),
    Float(f64),
    Bool(bool),
}

/// A value with a text form or a number form.
pub(crate) trait Scalar: Sized {
    /// Its name in the schema.
    #[cfg_attr(not(feature = "schema"), expect(dead_code, reason = "the schema names it"))]
    const NAME: &'static str;

    /// The expected form, for messages: `a length of time, as `10ms``.
    fn wanted() -> String;

    /// Reads it; on failure says what is wrong, without what would be right.
    fn read(raw: &Raw) -> Result<Self, ValueError>;

    /// Writes it.
    fn write(&self) -> Raw;

    /// Which JSON types it has.
    #[cfg_attr(not(feature = "schema"), expect(dead_code, reason = "the schema lists them"))]
    fn json() -> &'static [&'static str] {
        &["string"]
    }
}

/// A value that may be wrong.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Lax<T>(pub(crate) Result<T, ValueError>);

impl<T> Lax<T> {
    pub(crate) fn good(value: T) -> Option<Lax<T>> {
        Some(Lax(Ok(value)))
    }
}

impl<T: Scalar> Lax<T> {
    /// From a value as TOML has it.
    pub(crate) fn from_raw(raw: &Raw) -> Lax<T> {
        Lax(T::read(raw))
    }
}

impl Raw {
    /// The value in words, for messages.
    pub(crate) fn show(&self) -> String {
        match self {
            Raw::Text(text) if text.chars().count() > 40 => {
                format!("`{}...`", text.chars().take(40).collect::<String>())
            }
            Raw::Text(text) => format!("`{text}`"),
            Raw::Integer(n) => format!("`{n}`"),
            Raw::Float(x) => format!("`{x}`"),
            Raw::Bool(b) => format!("`{b}`"),
        }
    }
}

struct RawVisitor;

impl Visitor<'_> for RawVisitor {
    type Value = Raw;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a text or a number")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Raw, E> {
        Ok(Raw::Text(text.to_owned()))
    }

    fn visit_i64<E: Error>(self, n: i64) -> Result<Raw, E> {
        Ok(Raw::Integer(n))
    }

    fn visit_u64<E: Error>(self, n: u64) -> Result<Raw, E> {
        Ok(i64::try_from(n).map_or_else(|_| Raw::Text(n.to_string()), Raw::Integer))
    }

    fn visit_i128<E: Error>(self, n: i128) -> Result<Raw, E> {
        Ok(Raw::Text(n.to_string()))
    }

    fn visit_u128<E: Error>(self, n: u128) -> Result<Raw, E> {
        Ok(Raw::Text(n.to_string()))
    }

    fn visit_f64<E: Error>(self, x: f64) -> Result<Raw, E> {
        Ok(Raw::Float(x))
    }

    fn visit_bool<E: Error>(self, b: bool) -> Result<Raw, E> {
        Ok(Raw::Bool(b))
    }
}

impl<'de> Deserialize<'de> for Raw {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Raw, D::Error> {
        deserializer.deserialize_any(RawVisitor)
    }
}

impl<'de, T: Scalar> Deserialize<'de> for Lax<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Lax<T>, D::Error> {
        Raw::deserialize(deserializer).map(|raw| Lax::from_raw(&raw))
    }
}

impl Serialize for Raw {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Raw::Text(text) => serializer.serialize_str(text),
            Raw::Integer(n) => serializer.serialize_i64(*n),
            Raw::Float(x) => serializer.serialize_f64(*x),
            Raw::Bool(b) => serializer.serialize_bool(*b),
        }
    }
}

impl<T: Scalar> Serialize for Lax<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match &self.0 {
            Ok(value) => value.write().serialize(serializer),
            Err(why) => Err(serde::ser::Error::custom(why)),
        }
    }
}
