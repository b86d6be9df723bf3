//! The catalogue: every kind of program by name, with its settings, as scenarios use it and the command line prints it.
//!
//! A kind makes a [`Program`] from its settings. Most are event-driven processes, whose bodies a file cannot express.

pub use crate::kinds::ALL as KINDS;
use crate::process::Node;
use crate::program::Program;
use core::fmt;
pub use windfall_settings::{
    CatalogueError, Chosen, Form, Setting, SettingError, Settings, Value, words,
};

/// A kind of program. The project's own are listed in [`KINDS`]; [`Kind::new`] makes others, which a [`Catalogue`]
/// accepts.
pub struct Kind {
    /// The name in scenarios: lower case, words joined by `-`.
    pub name: &'static str,
    /// One line that says what the program does, and where it comes from.
    pub summary: &'static str,
    /// The settings of a program.
    pub settings: &'static [Setting],
    build: fn(&Chosen<'_>, Node) -> Result<Program, SettingError>,
}

impl Kind {
    /// Creates a kind without settings. `build` makes a program from its settings and the node on which
    /// a process runs.
    #[must_use]
    pub const fn new(
        name: &'static str,
        summary: &'static str,
        build: fn(&Chosen<'_>, Node) -> Result<Program, SettingError>,
    ) -> Kind {
        Kind { name, summary, settings: &[], build }
    }

    /// The same kind with these settings, which are in alphabetical order.
    #[must_use]
    pub const fn with_settings(self, settings: &'static [Setting]) -> Kind {
        Kind { settings, ..self }
    }

    /// Builds a program, whose processes run on a node.
    ///
    /// # Errors
    /// A setting that the kind does not have, of the wrong form, or out of range.
    pub fn build(&self, settings: &Settings<'_>, node: Node) -> Result<Program, SettingError> {
        (self.build)(&settings.check(self.settings)?, node)
    }
}

impl PartialEq for Kind {
    fn eq(&self, other: &Kind) -> bool {
        self.name == other.name
    }
}

impl Eq for Kind {}

impl fmt::Debug for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

/// A set of kinds by name: those of this crate, and others that are registered.
///
/// ```
/// use windfall_programs::catalogue::{Catalogue, CatalogueError, Kind};
/// use windfall_programs::{Code, Process, ProcessError, Program};
///
/// #[derive(Clone)]
/// struct Robot;
///
/// impl Code for Robot {
///     const NAME: &'static str = "robot";
///
///     async fn run(self, mut me: impl Process) -> Result<(), ProcessError> {
///         me.block().await;
///         Ok(())
///     }
/// }
///
/// static ROBOT: Kind = Kind::new("robot", "waits to be woken", |_, node| {
///     Ok(Program::process(node, Robot))
/// });
///
/// let mut catalogue = Catalogue::default();
/// catalogue.register(&ROBOT)?;
/// assert_eq!(catalogue.find("robot"), Some(&ROBOT));
/// assert_eq!(catalogue.register(&ROBOT), Err(CatalogueError::Taken("robot")));
/// # Ok::<(), CatalogueError>(())
/// ```
pub type Catalogue = windfall_settings::Catalogue<Kind>;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn law_every_kind_is_built_of_its_defaults_and_refuses_what_it_does_not_declare() {
        assert!(KINDS.is_sorted_by(|a, b| a.name < b.name));
        for kind in KINDS {
            let built = kind.build(&Settings::default(), Node(3)).unwrap();
            assert!(
                matches!(built, Program::Process(start) if start.node() == Node(3)),
                "{kind:?}"
            );
            assert!(kind.settings.is_sorted_by(|a, b| a.name < b.name), "{kind:?}");
            for setting in kind.settings {
                let default = setting.form.parse(setting.default);
                assert_eq!(
                    default.is_none(),
                    setting.default.is_empty(),
                    "{kind:?} {}",
                    setting.name
                );
                assert!(!setting.help.is_empty(), "{kind:?} {}", setting.name);
                let other =
                    if setting.form == Form::Bool { Value::Integer(1) } else { Value::Bool(true) };
                let wrong = [(setting.name, other)];
                assert!(
                    kind.build(&Settings(&wrong), Node(0)).is_err(),
                    "{kind:?} {}",
                    setting.name
                );
            }
            let unknown = kind.build(&Settings(&[("nothing", Value::Integer(1))]), Node(0));
            let text = unknown.unwrap_err().to_string();
            assert!(text.starts_with("setting `nothing` is unknown; allowed: "), "{text}");
        }
    }
}
