//! Experiments, the hosts that they run on, and the refusal of a missing host.

use crate::findings::Findings;
use core::fmt;
use windfall_hierarchy::HierarchyError;
use windfall_linux::control::ControlError;
use windfall_os::LinuxError;
use windfall_scenario::Diagnostics;
use windfall_sim::UnsupportedPlan;

/// Where an experiment runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Host {
    /// The simulated machine: equal runs, no rights needed.
    Sim,
    /// This process on this machine, without supervised threads: no rights needed. `table-10-1` begins a run there, with the rights,
    /// and leaves out its user-level part without them.
    Here,
    /// Supervised threads of this machine.
    Linux,
}

impl Host {
    /// Its name on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Host::Sim => "sim",
            Host::Here => "here",
            Host::Linux => "linux",
        }
    }
}

/// How an experiment is to be run.
#[derive(Clone, Copy)]
pub struct Settings<'a> {
    /// The only host to use; `None`: each host on which the experiment needs no rights.
    pub host: Option<Host>,
    /// Whether to finish within seconds: fewer and shorter runs.
    pub quick: bool,
    /// Receives a description of the current measurement.
    pub progress: &'a dyn Fn(&str),
}

impl Settings<'_> {
    /// Whether the experiment is to run on this host. A host that needs rights, and takes the processors from others, is
    /// used only on request.
    pub(crate) fn on(&self, host: Host) -> bool {
        self.host.map_or(host != Host::Linux, |only| only == host)
    }

    /// The first of two values for a quick run, else the second.
    pub(crate) fn either<T>(&self, long: T, quick: T) -> T {
        if self.quick { quick } else { long }
    }
}

/// A table or figure of a paper that can be measured again.
pub struct Experiment {
    /// Its name: the table or figure.
    pub name: &'static str,
    /// Further tables and figures that the same runs give.
    pub also: &'static [&'static str],
    /// Its subject, in a few words.
    pub title: &'static str,
    /// The paper and the section.
    pub source: &'static str,
    /// Its question.
    pub question: &'static str,
    /// The claim that it can refute.
    pub claim: &'static str,
    /// Where it runs.
    pub hosts: &'static [Host],
    /// Why it does not run elsewhere; and where it would, if that is known.
    pub absent: &'static str,
    pub(crate) run: fn(&Settings<'_>) -> Result<Findings, LabError>,
}

impl Experiment {
    /// Its name and those of its further tables and figures.
    pub fn names(&self) -> impl Iterator<Item = &'static str> + '_ {
        std::iter::once(self.name).chain(self.also.iter().copied())
    }

    /// Runs it.
    ///
    /// # Errors
    /// When it does not run on the requested host, or the error of that host.
    pub fn run(&self, settings: &Settings<'_>) -> Result<Findings, LabError> {
        if !self.hosts.iter().any(|host| settings.on(*host)) {
            let hosts: Vec<_> = self.hosts.iter().map(|host| host.name()).collect();
            let asked = settings.host.unwrap_or(Host::Sim);
            let (name, absent) = (self.name, self.absent);
            return Err(LabError::NoHost { name, asked, hosts: hosts.join(", "), absent });
        }
        (self.run)(settings)
    }
}

/// The experiments by name, in the order of the papers.
///
/// ```
/// use windfall_lab::{Catalogue, find};
///
/// let all = Catalogue::default();
/// assert_eq!(all.find("table-10-1").map(|one| one.name), Some("table-10-1"));
/// assert!(all.kinds().all(|one| one.names().all(|name| find(name).is_some())));
/// ```
pub type Catalogue = windfall_settings::Catalogue<Experiment>;

/// The experiment of that name, or with that figure or table among its own.
#[must_use]
pub fn find(name: &str) -> Option<&'static Experiment> {
    Catalogue::default().kinds().find(|one| one.names().any(|other| other == name))
}

/// Why an experiment could not be run.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum LabError {
    /// The experiment does not run on the requested host.
    NoHost {
        /// The experiment.
        name: &'static str,
        /// Where it was to run.
        asked: Host,
        /// Where it does run.
        hosts: String,
        /// Why not there.
        absent: &'static str,
    },
    /// A scenario that was made here is wrong.
    Scenario(String),
    /// A run ended early or did not follow the scenario.
    Run(String),
    /// The machine refused.
    Machine {
        /// The request.
        asked: String,
        /// Its reason.
        why: String,
    },
}

impl fmt::Display for LabError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LabError::NoHost { name, asked, hosts, absent } => {
                let asked = asked.name();
                write!(
                    f,
                    "{name} does not run on the host `{asked}`: {absent}; it runs on: {hosts}"
                )
            }
            LabError::Scenario(why) => write!(f, "the experiment's own scenario: {why}"),
            LabError::Run(why) => f.write_str(why),
            LabError::Machine { asked, why } => write!(f, "{asked}: {why}"),
        }
    }
}

impl std::error::Error for LabError {}

impl From<Diagnostics> for LabError {
    fn from(wrong: Diagnostics) -> LabError {
        LabError::Scenario(wrong.render(false))
    }
}

/// Errors of a run on any host.
macro_rules! of_a_run {
    ($($error:ty),*) => {
        $(impl From<$error> for LabError {
            fn from(why: $error) -> LabError {
                LabError::Run(why.to_string())
            }
        })*
    };
}

of_a_run!(
    HierarchyError,
    UnsupportedPlan,
    LinuxError,
    ControlError,
    windfall_clocks::SimulatedError
);
