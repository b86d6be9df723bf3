//! The catalogue: every kind of scheduler by name, with its settings, as scenarios use it and the command line prints it.

use crate::parameters::Parameter;
use crate::parts::best_effort::BestEffort;
use alloc::boxed::Box;
use alloc::vec::Vec;
use core::fmt;
use windfall_guarantees::Conversion;
use windfall_hierarchy::Scheduler;
pub use windfall_settings::{Chosen, Form, Setting, SettingError, Settings, Value};

/// A kind of scheduler. The project's own are listed in [`kinds`](crate::kinds); [`Kind::new`] makes others, which a
/// [`Catalogue`] accepts.
#[derive(Clone)]
pub struct Kind {
    /// The name in scenarios: lower case, words joined by `-`.
    pub name: &'static str,
    /// One line that says what the scheduler does.
    pub summary: &'static str,
    /// The source code of its file, whose head says what it takes, gives, admits and assumes. Empty without the feature
    /// `sources`.
    pub source: &'static str,
    /// The settings of an instance.
    pub settings: &'static [Setting],
    /// The parameters that its children may have.
    pub takes: &'static [&'static Parameter],
    /// Properties that other crates ask for.
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
    /// Creates a kind without settings, whose children have no parameters and get no guarantee.
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

    /// The same kind with these settings, which are in alphabetical order.
    #[must_use]
    pub const fn with_settings(self, settings: &'static [Setting]) -> Kind {
        Kind { settings, ..self }
    }

    /// The same kind with these parameters for its children.
    #[must_use]
    pub const fn with_parameters(self, takes: &'static [&'static Parameter]) -> Kind {
        Kind { takes, ..self }
    }

    /// The same kind with this conversion of guarantees. The checker applies it, and the laws compare runs with it.
    #[must_use]
    pub const fn with_conversion(
        self,
        conversion: fn(&Chosen<'_>) -> Result<Box<dyn Conversion>, SettingError>,
    ) -> Kind {
        Kind { conversion, ..self }
    }

    /// Whether its children may have this parameter.
    #[must_use]
    pub fn takes(&self, parameter: &Parameter) -> bool {
        self.takes.contains(&parameter)
    }

    /// Builds an instance.
    ///
    /// # Errors
    /// A setting that the kind does not have, of the wrong form, or out of range.
    pub fn build(&self, settings: &Settings<'_>) -> Result<Box<dyn Scheduler>, SettingError> {
        (self.build)(&settings.check(self.settings)?)
    }

    /// The conversion from an instance's guarantees to its children's.
    ///
    /// # Errors
    /// As for [`build`](Self::build).
    pub fn conversion(&self, settings: &Settings<'_>) -> Result<Box<dyn Conversion>, SettingError> {
        (self.conversion)(&settings.check(self.settings)?)
    }

    /// The value by which an instance ranks its ready children.
    ///
    /// # Errors
    /// As for [`build`](Self::build).
    pub fn ranks_by(&self, settings: &Settings<'_>) -> Result<RanksBy, SettingError> {
        Ok((self.properties.ranks_by)(&settings.check(self.settings)?))
    }

    /// Whether a child of an instance may be given another rank while it works, of which its place in the order is
    /// the only consequence. Locks that inherit need it.
    ///
    /// # Errors
    /// As for [`build`](Self::build).
    pub fn lends_ranks(&self, settings: &Settings<'_>) -> Result<bool, SettingError> {
        Ok((self.properties.lends_ranks)(&settings.check(self.settings)?))
    }
}

/// Properties of a kind, for code that must not depend on particular kinds.
#[derive(Clone)]
pub struct Properties {
    /// See [`Kind::ranks_by`].
    pub(crate) ranks_by: fn(&Chosen<'_>) -> RanksBy,
    /// See [`Kind::lends_ranks`].
    pub(crate) lends_ranks: fn(&Chosen<'_>) -> bool,
    /// Whether a child's messages about its jobs and its rate are passed on to the instance's parents.
    pub passes_on: bool,
    /// Whether a child's `reserve` parameter gives it a hard reservation of that amount and period.
    pub reserves: bool,
    /// Whether an instance has at most one child.
    pub one_child: bool,
    /// The least number of parents.
    pub least_parents: usize,
}

impl Properties {
    /// The properties of most kinds.
    pub(crate) const NONE: Properties = Properties {
        ranks_by: |_| RanksBy::Nothing,
        lends_ranks: |_| false,
        passes_on: false,
        reserves: false,
        one_child: false,
        least_parents: 1,
    };
}

/// The value that alone decides, with preemption, which ready child runs. Response times can be computed from it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RanksBy {
    /// The shorter period first.
    Period,
    /// The shorter relative deadline first.
    RelativeDeadline,
    /// The earlier deadline first.
    Deadline,
    /// The larger `priority` parameter first.
    Priority,
    /// None of these.
    Nothing,
}

/// All kinds, in alphabetical order.
pub use crate::kinds::ALL as KINDS;

/// The kind with this name, of this crate's.
#[must_use]
pub fn find(name: &str) -> Option<&'static Kind> {
    KINDS.iter().copied().find(|kind| kind.name == name)
}

/// A set of kinds by name: those of this crate, and others that are registered.
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
    /// A catalogue of exactly these kinds, whose names must differ.
    #[must_use]
    pub const fn of(kinds: &'static [&'static Kind]) -> Catalogue {
        Catalogue { known: kinds, registered: Vec::new() }
    }

    /// Adds a kind.
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

    /// The kind with this name.
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

/// Why a catalogue refuses a kind.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum CatalogueError {
    /// Another kind has this name.
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
