//! Every scheduler by name, with its settings: what a scenario may write and a catalogue prints.

use crate::parameters::Parameter;
use alloc::boxed::Box;
use core::fmt;
use windfall_guarantees::Conversion;
use windfall_hierarchy::Scheduler;
pub use windfall_settings::{Chosen, Form, Setting, SettingError, Settings, Value};

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
    pub(crate) build: fn(&Chosen<'_>) -> Result<Box<dyn Scheduler>, SettingError>,
    /// See [`Kind::conversion`].
    pub(crate) conversion: fn(&Chosen<'_>) -> Result<Box<dyn Conversion>, SettingError>,
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
    pub fn build(&self, settings: &Settings<'_>) -> Result<Box<dyn Scheduler>, SettingError> {
        (self.build)(&settings.check(self.settings)?)
    }

    /// What an instance makes of guarantees.
    ///
    /// # Errors
    /// As [`build`](Self::build).
    pub fn conversion(&self, settings: &Settings<'_>) -> Result<Box<dyn Conversion>, SettingError> {
        (self.conversion)(&settings.check(self.settings)?)
    }

    /// What an instance ranks its ready children by.
    ///
    /// # Errors
    /// As [`build`](Self::build).
    pub fn ranks_by(&self, settings: &Settings<'_>) -> Result<RanksBy, SettingError> {
        Ok((self.properties.ranks_by)(&settings.check(self.settings)?))
    }
}

/// What a kind says of itself, for those who have to know without knowing kinds.
pub struct Properties {
    /// See [`Kind::ranks_by`].
    pub(crate) ranks_by: fn(&Chosen<'_>) -> RanksBy,
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
        ranks_by: |_| RanksBy::Nothing,
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
    Priority,
    /// None of these.
    Nothing,
}

/// All kinds, in alphabetical order.
pub use crate::kinds::ALL as KINDS;

/// The kind of that name.
#[must_use]
pub fn find(name: &str) -> Option<&'static Kind> {
    KINDS.iter().copied().find(|kind| kind.name == name)
}
