//! Every scheduler by name, with its settings: what a scenario may write and a catalogue prints.

#[cfg(test)]
mod requested;

use crate::parameters::Parameter;
use alloc::borrow::{Cow, ToOwned};
use alloc::boxed::Box;
use alloc::vec::Vec;
use core::fmt;
use windfall_guarantees::Conversion;
use windfall_hierarchy::Scheduler;
use windfall_time::Span;

/// A kind of scheduler.
pub struct Kind {
    /// The name in scenarios: lower case, words joined by `-`.
    pub name: &'static str,
    /// One line: what it does.
    pub summary: &'static str,
    /// The source of its file, whose head says what it takes, gives, admits and assumes.
    pub source: &'static str,
    /// The settings of an instance.
    pub settings: &'static [Setting],
    /// What its children may be told.
    pub takes: &'static [&'static Parameter],
    /// What else it says of itself.
    pub properties: Properties,
    /// See [`Kind::build`].
    pub(crate) build: fn(&Settings<'_>) -> Result<Box<dyn Scheduler>, BadSetting>,
    /// See [`Kind::conversion`].
    pub(crate) conversion: fn(&Settings<'_>) -> Result<Box<dyn Conversion>, BadSetting>,
}

impl PartialEq for Kind {
    fn eq(&self, other: &Kind) -> bool {
        self.name == other.name
    }
}

impl Eq for Kind {}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

impl fmt::Debug for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

impl Kind {
    /// Whether its children may be told this.
    #[must_use]
    pub fn takes(&self, parameter: &Parameter) -> bool {
        self.takes.contains(&parameter)
    }

    /// Makes an instance.
    ///
    /// # Errors
    /// A setting that the kind does not have, of the wrong form, or out of range.
    pub fn build(&self, settings: &Settings<'_>) -> Result<Box<dyn Scheduler>, BadSetting> {
        self.knows(settings)?;
        (self.build)(settings)
    }

    /// What an instance makes of guarantees.
    ///
    /// # Errors
    /// As [`build`](Self::build).
    pub fn conversion(&self, settings: &Settings<'_>) -> Result<Box<dyn Conversion>, BadSetting> {
        self.knows(settings)?;
        (self.conversion)(settings)
    }

    /// What an instance ranks its ready children by.
    ///
    /// # Errors
    /// As [`build`](Self::build).
    pub fn ranks_by(&self, settings: &Settings<'_>) -> Result<RanksBy, BadSetting> {
        self.knows(settings)?;
        (self.properties.ranks_by)(settings)
    }

    fn knows(&self, settings: &Settings<'_>) -> Result<(), BadSetting> {
        let known = |name: &str| self.settings.iter().any(|setting| setting.name == name);
        match settings.0.iter().find(|(name, _)| !known(name)) {
            Some((name, _)) => Err(BadSetting::unknown(name, self)),
            None => Ok(()),
        }
    }
}

/// What a kind says of itself, for those who have to know without knowing kinds.
pub struct Properties {
    /// See [`Kind::ranks_by`].
    pub(crate) ranks_by: fn(&Settings<'_>) -> Result<RanksBy, BadSetting>,
    /// Whether what a child tells of its jobs and its rate goes on to the instance's parents.
    pub passes_on: bool,
    /// Whether a child that has reserved an amount in a period has a hard reservation of that.
    pub reserves: bool,
    /// Whether it has one child at most.
    pub one_child: bool,
    /// How many parents it needs.
    pub least_parents: usize,
}

impl Properties {
    /// Of most kinds.
    pub(crate) const NONE: Properties = Properties {
        ranks_by: |_| Ok(RanksBy::Nothing),
        passes_on: false,
        reserves: false,
        one_child: false,
        least_parents: 1,
    };
}

/// What decides alone, with preemption, who of the ready children runs: what response times can be told from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RanksBy {
    /// The shorter period first.
    Period,
    /// The shorter relative deadline first.
    RelativeDeadline,
    /// The earlier deadline first.
    Deadline,
    /// The larger of the priorities that are told first.
    Told,
    /// None of these.
    Nothing,
}

/// A setting of an instance.
pub struct Setting {
    /// Its name.
    pub name: &'static str,
    /// What may be written.
    pub form: Form,
    /// What holds when it is not written, as text.
    pub default: &'static str,
    /// One line.
    pub help: &'static str,
}

/// What may be written for a setting.
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
}

/// What was written for a setting.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
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

/// What was written for an instance: names and values, each name at most once.
#[derive(Clone, Copy, Debug, Default)]
pub struct Settings<'a>(pub &'a [(&'a str, Value<'a>)]);

/// A setting that is unknown, of the wrong form or out of range.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BadSetting {
    /// Which.
    pub name: Cow<'static, str>,
    /// Whether it is one of the kind's.
    pub known: bool,
    /// What is allowed.
    pub allowed: Cow<'static, str>,
}

impl BadSetting {
    /// One of the kind's, with a value that is not.
    pub(crate) const fn value(name: &'static str, allowed: &'static str) -> BadSetting {
        let (name, allowed) = (Cow::Borrowed(name), Cow::Borrowed(allowed));
        BadSetting { name, known: true, allowed }
    }

    fn unknown(name: &str, kind: &Kind) -> BadSetting {
        let names: Vec<&str> = kind.settings.iter().map(|setting| setting.name).collect();
        let allowed = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
        BadSetting { name: name.to_owned().into(), known: false, allowed: allowed.into() }
    }
}

impl fmt::Display for BadSetting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = if self.known { "is out of range" } else { "is unknown" };
        write!(f, "setting `{}` {what}; allowed: {}", self.name, self.allowed)
    }
}

impl Settings<'_> {
    fn find(&self, name: &str) -> Option<Value<'_>> {
        self.0.iter().find(|(n, _)| *n == name).map(|(_, value)| *value)
    }

    /// A length of time, or `default`.
    pub(crate) fn span(&self, name: &'static str, default: Span) -> Result<Span, BadSetting> {
        #[cfg(test)]
        requested::note(name, Form::Span, &default);
        match self.find(name) {
            None => Ok(default),
            Some(Value::Span(span)) if !span.is_zero() => Ok(span),
            Some(_) => Err(BadSetting::value(name, "a length of time above zero, as `10ms`")),
        }
    }

    /// A length of time, if one is written.
    pub(crate) fn optional_span(&self, name: &'static str) -> Result<Option<Span>, BadSetting> {
        #[cfg(test)]
        requested::note(name, Form::Span, &"");
        match self.find(name) {
            None => Ok(None),
            Some(_) => self.span(name, Span::ZERO).map(Some),
        }
    }

    /// A whole number within bounds, or `default`.
    pub(crate) fn integer(
        &self,
        name: &'static str,
        bounds: (i64, i64),
        allowed: &'static str,
        default: i64,
    ) -> Result<i64, BadSetting> {
        #[cfg(test)]
        requested::note(name, Form::Integer(bounds.0, bounds.1), &default);
        match self.find(name) {
            None => Ok(default),
            Some(Value::Integer(n)) if (bounds.0..=bounds.1).contains(&n) => Ok(n),
            Some(_) => Err(BadSetting::value(name, allowed)),
        }
    }

    /// `true` or `false`, or `default`.
    pub(crate) fn bool(&self, name: &'static str, default: bool) -> Result<bool, BadSetting> {
        #[cfg(test)]
        requested::note(name, Form::Bool, &default);
        match self.find(name) {
            None => Ok(default),
            Some(Value::Bool(answer)) => Ok(answer),
            Some(_) => Err(BadSetting::value(name, "true or false")),
        }
    }

    /// A word, or the first.
    pub(crate) fn word<T: Copy>(
        &self,
        name: &'static str,
        words: &[(&'static str, T)],
        allowed: &'static str,
    ) -> Result<T, BadSetting> {
        #[cfg(test)]
        requested::note_words(name, words);
        match (self.find(name), words.first()) {
            (None, Some((_, default))) => Ok(*default),
            (Some(Value::Word(word)), _) => words
                .iter()
                .find(|(w, _)| *w == word)
                .map(|(_, value)| *value)
                .ok_or(BadSetting::value(name, allowed)),
            _ => Err(BadSetting::value(name, allowed)),
        }
    }
}

/// All kinds, in alphabetical order.
pub use crate::kinds::ALL as KINDS;

/// The kind of that name.
#[must_use]
pub fn find(name: &str) -> Option<&'static Kind> {
    KINDS.iter().copied().find(|kind| kind.name == name)
}
