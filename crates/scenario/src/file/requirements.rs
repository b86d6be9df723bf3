//! The keys of requirements at a parent: the same wherever there is a parent, made from the table of parameters.
//!
//! [`WithRequirements`] takes them out while a table is read, so that places are kept (serde's `flatten` would lose them).

use super::lax::Lax;
use super::parameter;
use super::scheduler::SchedulerFile;
use crate::Guarantee;
use core::fmt;
use serde::de::value::MapAccessDeserializer;
use serde::de::{
    Deserialize, DeserializeSeed, Deserializer, Error, IntoDeserializer, MapAccess, Visitor,
};
use serde::ser::{Serialize, SerializeMap, Serializer};
use std::marker::PhantomData;
use windfall_schedulers::parameters::{ALL, Parameter, ParameterValue};

/// The key of a guarantee, which stands beside those of parameters.
pub(super) const GUARANTEE: &str = "guarantee";

/// The requirements that a table states of its parent, as read.
#[derive(Clone, Default, Debug)]
pub(crate) struct RequirementsFile {
    pub(crate) guarantee: Option<Lax<Guarantee>>,
    pub(crate) parameters: Vec<(&'static Parameter, Lax<ParameterValue>)>,
}

/// A table with keys of its own, and those that request something of a parent.
#[derive(serde::Serialize, Clone, Default, Debug)]
pub(crate) struct WithRequirements<T> {
    #[serde(flatten)]
    pub(crate) own: T,
    #[serde(flatten)]
    pub(crate) requirements: RequirementsFile,
}

/// A table with such keys.
pub(crate) trait HasRequirements {
    /// Whether it may be about a thread, so that it has the keys that only threads have.
    const OF_THREADS: bool;

    /// The parameters that it may have.
    fn parameters() -> impl Iterator<Item = &'static Parameter> + Clone {
        let all = ALL.iter().copied();
        all.filter(|parameter| Self::OF_THREADS || !parameter.of_threads)
    }
}

/// The keys by which a scheduler may request something of a parent.
pub(crate) fn scheduler_requirement_keys() -> impl Iterator<Item = &'static str> + Clone {
    let parameters = SchedulerFile::parameters();
    [GUARANTEE].into_iter().chain(parameters.map(|parameter| parameter.key))
}

/// The keys by which a thread or a scheduler may request something of a parent.
pub(crate) fn requirement_keys() -> impl Iterator<Item = &'static str> + Clone {
    [GUARANTEE].into_iter().chain(ALL.iter().map(|parameter| parameter.key))
}

impl Serialize for RequirementsFile {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        if let Some(guarantee) = &self.guarantee {
            map.serialize_entry(GUARANTEE, guarantee)?;
        }
        for (parameter, value) in &self.parameters {
            let value = value.0.as_ref().map_err(serde::ser::Error::custom)?;
            map.serialize_entry(parameter.key, &Written(*value))?;
        }
        map.end()
    }
}

/// A value as it is written.
struct Written(ParameterValue);

impl Serialize for Written {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        parameter::serialize(self.0, serializer)
    }
}

/// Hands the entries of a table on, but for those that ask something of a parent.
struct Own<'r, A, T> {
    entries: A,
    requirements: &'r mut RequirementsFile,
    table: PhantomData<T>,
}

/// A key of a table.
enum Key<K, V> {
    Own(V),
    Guarantee(K),
    Parameter(&'static Parameter, K),
}

struct KeySeed<K, T>(K, PhantomData<T>);

impl<'de, K: DeserializeSeed<'de>, T: HasRequirements> DeserializeSeed<'de> for KeySeed<K, T> {
    type Value = Key<K, K::Value>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        let key = String::deserialize(deserializer)?;
        if key == GUARANTEE {
            return Ok(Key::Guarantee(self.0));
        }
        if let Some(parameter) = T::parameters().find(|parameter| parameter.key == key) {
            return Ok(Key::Parameter(parameter, self.0));
        }
        let own = self.0.deserialize(IntoDeserializer::<D::Error>::into_deserializer(key));
        // What else would be allowed here.
        let keys = [GUARANTEE].into_iter().chain(T::parameters().map(|parameter| parameter.key));
        let others = || keys.clone().map(|key| format!(", `{key}`")).collect::<String>();
        let error = |error: D::Error| {
            D::Error::custom(format!("{}{}", error.to_string().trim_end(), others()))
        };
        own.map(Key::Own).map_err(error)
    }
}

impl<'de, A: MapAccess<'de>, T: HasRequirements> MapAccess<'de> for Own<'_, A, T> {
    type Error = A::Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, A::Error> {
        let mut seed = seed;
        loop {
            seed = match self.entries.next_key_seed(KeySeed(seed, self.table))? {
                None => return Ok(None),
                Some(Key::Own(key)) => return Ok(Some(key)),
                Some(Key::Guarantee(seed)) => {
                    self.requirements.guarantee = Some(self.entries.next_value()?);
                    seed
                }
                Some(Key::Parameter(parameter, seed)) => {
                    let value = parameter::next(parameter.form, &mut self.entries)?;
                    self.requirements.parameters.push((parameter, value));
                    seed
                }
            };
        }
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, A::Error> {
        self.entries.next_value_seed(seed)
    }
}

struct TableVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de> + HasRequirements> Visitor<'de> for TableVisitor<T> {
    type Value = WithRequirements<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a table")
    }

    fn visit_map<A: MapAccess<'de>>(self, entries: A) -> Result<Self::Value, A::Error> {
        let mut requirements = RequirementsFile::default();
        let table = Own { entries, requirements: &mut requirements, table: PhantomData::<T> };
        let own = T::deserialize(MapAccessDeserializer::new(table))?;
        Ok(WithRequirements { own, requirements })
    }
}

impl<'de, T: Deserialize<'de> + HasRequirements> Deserialize<'de> for WithRequirements<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(TableVisitor(PhantomData))
    }
}
