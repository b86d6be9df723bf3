//! The kinds that a scenario may name.

use windfall_programs::catalogue as programs;
use windfall_schedulers::catalogue as schedulers;

/// The kinds of schedulers and of programs that a scenario may name; by default those of the project.
///
/// One catalogue alone can be given; the other one then has the project's kinds.
///
/// ```
/// use windfall_scenario::{Catalogues, Scenario};
///
/// let mut catalogues = Catalogues::default();
/// // catalogues.programs.register(&MINE)?; catalogues.schedulers.register(&MINE)?;
/// let text = r#"
/// schema = 2
/// length = "1s"
/// schedulers.root = { scheduler = "round-robin", parent = "top" }
/// threads.sender = { program = { kind = "bsat-generator", work = "1ms" } }
/// threads.receiver = { program = "bsat-sink" }
/// "#;
/// assert!(Scenario::parse_in(&catalogues, "example.toml", text).is_ok());
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Catalogues {
    /// Kinds of schedulers.
    pub schedulers: schedulers::Catalogue,
    /// Kinds of programs.
    pub programs: programs::Catalogue,
}

/// Kinds of programs of crates above `programs`.
#[cfg(feature = "applications")]
const APPLICATIONS: &[&programs::Kind] = &[&windfall_robot::KIND, &windfall_nmr::process::KIND];
#[cfg(not(feature = "applications"))]
const APPLICATIONS: &[&programs::Kind] = &[];

impl Default for Catalogues {
    /// The project's kinds: those of crates `schedulers` and `programs`, and with feature `applications` the robot and voting.
    fn default() -> Catalogues {
        let mut programs = programs::Catalogue::default();
        for kind in APPLICATIONS {
            programs.register(kind).expect("no other kind has its name");
        }
        Catalogues { schedulers: schedulers::Catalogue::default(), programs }
    }
}

impl From<&Catalogues> for Catalogues {
    fn from(both: &Catalogues) -> Catalogues {
        both.clone()
    }
}

impl From<&schedulers::Catalogue> for Catalogues {
    fn from(schedulers: &schedulers::Catalogue) -> Catalogues {
        Catalogues { schedulers: schedulers.clone(), ..Catalogues::default() }
    }
}

impl From<&programs::Catalogue> for Catalogues {
    fn from(programs: &programs::Catalogue) -> Catalogues {
        Catalogues { programs: programs.clone(), ..Catalogues::default() }
    }
}
