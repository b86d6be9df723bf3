//! The catalogue: every kind of scheduler by name, with its settings, as scenarios use it and the command line prints it.

use crate::parameters::Parameter;
use crate::parts::best_effort::BestEffort;
use alloc::boxed::Box;
use core::fmt;
use windfall_guarantees::Conversion;
use windfall_hierarchy::Scheduler;
use windfall_settings::Listed;
pub use windfall_settings::{CatalogueError, Chosen, Form, Setting, SettingError, Settings, Value};
use windfall_time::Span;

/// Builds an instance with settings that were checked.
pub type Build = fn(&Chosen<'_>) -> Result<Box<dyn Scheduler>, SettingError>;

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
    pub(crate) build: Build,
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
    pub const fn new(name: &'static str, summary: &'static str, build: Build) -> Kind {
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

    /// The same kind with these properties, on which analyses and hosts rely.
    #[must_use]
    pub const fn with_properties(self, properties: Properties) -> Kind {
        Kind { properties, ..self }
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

    /// How long a child of an instance runs at most until it is another's turn; `None` if children have no turns.
    ///
    /// # Errors
    /// As for [`build`](Self::build).
    pub fn quantum(&self, settings: &Settings<'_>) -> Result<Option<Span>, SettingError> {
        Ok((self.properties.quantum)(&settings.check(self.settings)?))
    }

    /// Why no laxity can be moved from an instance that admits tasks, as the rest of a sentence about it; `None` if it can be.
    ///
    /// # Errors
    /// As for [`build`](Self::build).
    pub fn keeps_laxity(
        &self,
        settings: &Settings<'_>,
    ) -> Result<Option<&'static str>, SettingError> {
        Ok((self.properties.keeps_laxity)(&settings.check(self.settings)?))
    }
}

/// Properties of a kind, for code that must not depend on particular kinds. A kind that says more than it does makes analyses wrong.
///
/// ```
/// use windfall_schedulers::catalogue::{Kind, Properties, RanksBy, Settings};
/// use windfall_schedulers::kinds;
///
/// static MINE: Kind = Kind::new("mine", "as EDF", |_| kinds::EDF.build(&Settings::default()))
///     .with_properties(Properties::NONE.ranks_by(|_| RanksBy::Deadline));
/// assert_eq!(MINE.ranks_by(&Settings::default()), Ok(RanksBy::Deadline));
/// ```
// Fields: each is a question that code outside of `schedulers` asks of any kind, and most kinds answer one of them.
#[derive(Clone)]
#[non_exhaustive]
pub struct Properties {
    /// See [`Kind::ranks_by`].
    pub ranks_by: fn(&Chosen<'_>) -> RanksBy,
    /// See [`Kind::lends_ranks`].
    pub lends_ranks: fn(&Chosen<'_>) -> bool,
    /// See [`Kind::quantum`].
    pub quantum: fn(&Chosen<'_>) -> Option<Span>,
    /// See [`Kind::keeps_laxity`].
    pub keeps_laxity: fn(&Chosen<'_>) -> Option<&'static str>,
    /// Whether a child's messages about its jobs and its rate are passed on to the instance's parents.
    pub passes_on: bool,
    /// Whether a child's `reserve` parameter gives it a hard reservation of that amount and period.
    pub reserves: bool,
    /// Whether it admits tasks by their deadlines; such an instance must hold a guarantee that bounds its supply in every window.
    pub admits: bool,
    /// Whether its child receives what each of its parents gives, if all serve from one processor.
    pub adds_up: bool,
    /// Whether it keeps accounts of needs by epochs, which a monitor of several nodes reads and tunes.
    pub keeps_epochs: bool,
    /// Whether an instance may leave a processor idle while a child is ready, or change which child runs at times that only it
    /// knows. The laws of the protocol expect of all others that they do neither.
    pub holds_back: bool,
    /// Whether a reservation that is asked for in a run may begin later than it is granted, and is kept from then on. The law of all trees
    /// expects all others to be kept from the grant.
    pub begins_late: bool,
    /// Whether its own virtual processors may have different parents, each for its child.
    pub joins: bool,
    /// Whether an instance has at most one child.
    pub one_child: bool,
    /// The least number of parents.
    pub least_parents: usize,
}

impl Properties {
    /// The properties of most kinds.
    pub const NONE: Properties = Properties {
        ranks_by: |_| RanksBy::Nothing,
        lends_ranks: |_| false,
        quantum: |_| None,
        keeps_laxity: |_| None,
        passes_on: false,
        reserves: false,
        admits: false,
        adds_up: false,
        keeps_epochs: false,
        holds_back: false,
        begins_late: false,
        joins: false,
        one_child: false,
        least_parents: 1,
    };

    /// See [`Kind::ranks_by`].
    #[must_use]
    pub const fn ranks_by(mut self, ranks_by: fn(&Chosen<'_>) -> RanksBy) -> Properties {
        self.ranks_by = ranks_by;
        self
    }

    /// See [`Kind::lends_ranks`].
    #[must_use]
    pub const fn lends_ranks(mut self, lends_ranks: fn(&Chosen<'_>) -> bool) -> Properties {
        self.lends_ranks = lends_ranks;
        self
    }

    /// See [`Kind::quantum`].
    #[must_use]
    pub const fn quantum(mut self, quantum: fn(&Chosen<'_>) -> Option<Span>) -> Properties {
        self.quantum = quantum;
        self
    }

    /// A child's messages about its jobs and its rate are passed on to the instance's parents.
    #[must_use]
    pub const fn passes_on(mut self) -> Properties {
        self.passes_on = true;
        self
    }

    /// A child's `reserve` parameter gives it a hard reservation of that amount and period.
    #[must_use]
    pub const fn reserves(mut self) -> Properties {
        self.reserves = true;
        self
    }

    /// An instance may leave a processor idle while a child is ready, or change which child runs at times that only it knows.
    #[must_use]
    pub const fn holds_back(mut self) -> Properties {
        self.holds_back = true;
        self
    }

    /// A reservation that is asked for in a run may begin later than it is granted.
    #[must_use]
    pub const fn begins_late(mut self) -> Properties {
        self.begins_late = true;
        self
    }

    /// It admits tasks by their deadlines.
    #[must_use]
    pub const fn admits(mut self) -> Properties {
        self.admits = true;
        self
    }

    /// Its child receives what each of its parents gives, if all serve from one processor.
    #[must_use]
    pub const fn adds_up(mut self) -> Properties {
        self.adds_up = true;
        self
    }

    /// It keeps accounts of needs by epochs.
    #[must_use]
    pub const fn keeps_epochs(mut self) -> Properties {
        self.keeps_epochs = true;
        self
    }

    /// An instance has at most one child.
    #[must_use]
    pub const fn one_child(mut self) -> Properties {
        self.one_child = true;
        self
    }

    /// An instance has so many parents at least.
    #[must_use]
    pub const fn least_parents(mut self, least_parents: usize) -> Properties {
        self.least_parents = least_parents;
        self
    }
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

impl Listed for Kind {
    fn name(&self) -> &'static str {
        self.name
    }

    fn known() -> &'static [&'static Kind] {
        KINDS
    }
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
pub type Catalogue = windfall_settings::Catalogue<Kind>;
