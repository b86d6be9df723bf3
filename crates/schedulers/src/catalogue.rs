//! Every scheduler by name, with its settings: what a scenario may write and a catalogue prints.

use crate::parameters::Parameter;
use crate::parts::best_effort::BestEffort;
use alloc::boxed::Box;
use alloc::vec::Vec;
use core::fmt;
use windfall_guarantees::Conversion;
use windfall_hierarchy::Scheduler;
pub use windfall_settings::{Chosen, Form, Setting, SettingError, Settings, Value};

/// A kind of scheduler: one of [`kinds`](crate::kinds), or one of one's own, which [`Kind::new`] makes and a [`Catalogue`] takes in.
pub struct Kind {
    /// The name in scenarios: lower case, words joined by `-`.
    pub name: &'static str,
    /// One line: what it does.
    pub summary: &'static str,
    /// The source of its file, whose head says what it takes, gives, admits and assumes; empty without the feature `sources`.
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
    /// A kind of one's own without settings, whose children are told nothing and promised nothing.
    #[must_use]
    pub const fn new(
        name: &'static str,
        summary: &'static str,
        build: fn(&Chosen<'_>) -> Result<Box<dyn Scheduler>, SettingError>,
    ) -> Kind {
        Kind {
            name,
            summary,
            source: "",
            settings: &[],
            takes: &[],
            properties: Properties::NONE,
            build,
            conversion: |_| Ok(Box::new(BestEffort)),
        }
    }

    /// The same with these settings, in alphabetical order.
    #[must_use]
    pub const fn with_settings(self, settings: &'static [Setting]) -> Kind {
        Kind { settings, ..self }
    }

    /// The same, whose children may be told this.
    #[must_use]
    pub const fn with_parameters(self, takes: &'static [&'static Parameter]) -> Kind {
        Kind { takes, ..self }
    }

    /// The same, which makes this of guarantees; the checker goes by it, and laws hold a run to it.
    #[must_use]
    pub const fn with_conversion(
        self,
        conversion: fn(&Chosen<'_>) -> Result<Box<dyn Conversion>, SettingError>,
    ) -> Kind {
        Kind { conversion, ..self }
    }

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

/// Kinds by name, as a value: those of this crate, and whatever kinds of one's own are registered.
///
/// ```
/// use windfall_schedulers::catalogue::{Catalogue, CatalogueError, Kind, Settings};
/// use windfall_schedulers::kinds;
///
/// static MINE: Kind = Kind::new("mine", "as round robin", |_| {
///     kinds::ROUND_ROBIN.build(&Settings::default())
/// });
///
/// let mut catalogue = Catalogue::default();
/// catalogue.register(&MINE)?;
/// assert_eq!(catalogue.find("mine"), Some(&MINE));
/// assert_eq!(catalogue.find("edf"), Some(kinds::EDF));
/// assert_eq!(catalogue.register(&MINE), Err(CatalogueError::Taken("mine")));
/// # Ok::<(), CatalogueError>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Catalogue {
    known: &'static [&'static Kind],
    registered: Vec<&'static Kind>,
}

impl Default for Catalogue {
    /// All kinds of this crate.
    fn default() -> Catalogue {
        Catalogue::of(KINDS)
    }
}

impl Catalogue {
    /// These kinds alone, whose names differ.
    #[must_use]
    pub const fn of(kinds: &'static [&'static Kind]) -> Catalogue {
        Catalogue { known: kinds, registered: Vec::new() }
    }

    /// Takes one more in.
    ///
    /// # Errors
    /// When its name is taken.
    pub fn register(&mut self, kind: &'static Kind) -> Result<(), CatalogueError> {
        if self.find(kind.name).is_some() {
            return Err(CatalogueError::Taken(kind.name));
        }
        self.registered.push(kind);
        Ok(())
    }

    /// The kind of that name.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<&'static Kind> {
        self.kinds().find(|kind| kind.name == name)
    }

    /// All kinds: the given ones, then the registered ones in order.
    pub fn kinds(&self) -> impl Iterator<Item = &'static Kind> + Clone {
        self.known.iter().chain(&self.registered).copied()
    }
}

impl fmt::Debug for Catalogue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} kinds and {:?}", self.known.len(), self.registered)
    }
}

/// Why a kind is not taken into a catalogue.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum CatalogueError {
    /// Another has its name.
    Taken(&'static str),
}

impl fmt::Display for CatalogueError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CatalogueError::Taken(name) => {
                write!(f, "the catalogue has a kind `{name}` already; give this one another name")
            }
        }
    }
}

impl core::error::Error for CatalogueError {}
