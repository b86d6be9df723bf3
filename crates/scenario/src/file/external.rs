//! The values of `exec` and `match` in `[threads.NAME]`.

use super::lax::Lax;
use core::fmt;
use serde::de::{Deserializer, Error, SeqAccess, Visitor};
use serde::{Deserialize, Serialize};

/// Patterns for threads of a program; `*` stands for any text.
#[derive(Serialize, Deserialize, Clone, Default, Debug)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
#[cfg_attr(feature = "schema", schemars(rename = "Match"))]
pub(crate) struct MatchFile {
    /// The thread's name, as `data-loop*`.
    pub(crate) comm: Option<Lax<String>>,
    /// The path of the file that it executes, as `*/ffmpeg`.
    pub(crate) exe: Option<Lax<String>>,
    /// The routine that it starts with, as `windfall calibrate` writes it: `*:decode`. Where that is not known, the name alone
    /// tells, if there is a `comm`.
    pub(crate) routine: Option<Lax<String>>,
}

/// The words of a command.
#[derive(Serialize, Clone, Debug)]
#[serde(transparent)]
pub(crate) struct Command(pub(crate) Vec<Lax<String>>);

struct CommandVisitor;

impl<'de> Visitor<'de> for CommandVisitor {
    type Value = Command;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of words, as `[\"ffmpeg\", \"-i\", \"film.mkv\"]`")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Command, A::Error> {
        let mut words = Vec::new();
        while let Some(word) = list.next_element()? {
            words.push(word);
        }
        if words.is_empty() {
            return Err(A::Error::invalid_length(0, &self));
        }
        Ok(Command(words))
    }
}

impl<'de> Deserialize<'de> for Command {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Command, D::Error> {
        deserializer.deserialize_any(CommandVisitor)
    }
}
