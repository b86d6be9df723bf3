//! A text, or a table that says the same at length.

use core::fmt;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserialize, Deserializer, Error, MapAccess, Visitor};
use serde::{Serialize, Serializer};
use std::marker::PhantomData;

use super::lax::Raw;

/// A text (or another scalar, which is most likely a mistake), or a table.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum TextOr<T> {
    Text(Raw),
    Table(T),
}

struct TextOrVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for TextOrVisitor<T> {
    type Value = TextOr<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a text or a table")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<TextOr<T>, E> {
        Ok(TextOr::Text(Raw::Text(text.to_owned())))
    }

    fn visit_i64<E: Error>(self, n: i64) -> Result<TextOr<T>, E> {
        Ok(TextOr::Text(Raw::Integer(n)))
    }

    fn visit_f64<E: Error>(self, x: f64) -> Result<TextOr<T>, E> {
        Ok(TextOr::Text(Raw::Float(x)))
    }

    fn visit_bool<E: Error>(self, b: bool) -> Result<TextOr<T>, E> {
        Ok(TextOr::Text(Raw::Bool(b)))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<TextOr<T>, A::Error> {
        T::deserialize(MapAccessDeserializer::new(map)).map(TextOr::Table)
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for TextOr<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<TextOr<T>, D::Error> {
        deserializer.deserialize_any(TextOrVisitor(PhantomData))
    }
}

impl<T: Serialize> Serialize for TextOr<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            TextOr::Text(raw) => raw.serialize(serializer),
            TextOr::Table(table) => table.serialize(serializer),
        }
    }
}
