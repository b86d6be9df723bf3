//! Mistakes that no single value shows: names without an object, cycles, loops and waits without an end.
//!
//! Invariant: an empty name stands for one that could not be read and has been reported; it is not reported
//! again. Read next: one file for each part of a scenario.

mod admission;
mod controls;
mod expectations;
mod externals;
mod limits;
mod locks;
mod machine;
mod names;
mod own;
mod programs;
mod requests;
mod schedulers;
mod stations;
mod threads;

pub(crate) use limits::entries;
pub use names::EARLIER;
pub(crate) use names::{is_of_program, means, number_in, numbered};
pub(crate) use programs::MOST_NODES;
pub(crate) use schedulers::{parent_paths, requirement_paths};

use crate::diagnostic::{Code, Diagnostics, ScenarioError};
use crate::model::Scenario;
use crate::parameters::ParameterWriter;
use crate::source::{Origin, Path};
use names::Names;

/// State shared by the checks.
pub(crate) struct Checker<'a> {
    pub(crate) scenario: &'a Scenario,
    pub(crate) mistakes: &'a mut Vec<ScenarioError>,
    pub(crate) names: Names<'a>,
}

impl Checker<'_> {
    pub(crate) fn origin(&self) -> &Origin {
        &self.scenario.origin
    }

    /// A mistake at the first of these paths that the file contains.
    pub(crate) fn wrong(
        &mut self,
        code: Code,
        paths: &[Path],
        message: impl Into<String>,
        help: &str,
    ) {
        let place = self.origin().find(paths);
        self.mistakes.push(ScenarioError::new(code, message, place).help(help));
    }

    /// A mistake at a key.
    pub(crate) fn wrong_key(
        &mut self,
        code: Code,
        path: &Path,
        message: impl Into<String>,
        help: &str,
    ) {
        let place = self.origin().key(path);
        self.mistakes.push(ScenarioError::new(code, message, place).help(help));
    }
}

impl Scenario {
    /// Finds what is wrong with a scenario that was made in code.
    ///
    /// # Errors
    /// Every mistake.
    pub fn check(&self) -> Result<(), Diagnostics> {
        let mut mistakes = Vec::new();
        check(self, &mut mistakes);
        Diagnostics::of(&self.origin, mistakes).map_or(Ok(()), Err)
    }
}

pub(crate) fn check(scenario: &Scenario, mistakes: &mut Vec<ScenarioError>) {
    let names = Names::of(scenario);
    let mut checker = Checker { scenario, mistakes, names };
    if !limits::check(&mut checker) {
        return;
    }
    names::check(&mut checker);
    machine::check(&mut checker);
    stations::check(&mut checker);
    let writer = ParameterWriter::of(scenario);
    schedulers::check(&mut checker, &writer);
    threads::check(&mut checker, &writer);
    admission::check(&mut checker);
    programs::check(&mut checker, &writer);
    locks::check(&mut checker);
    externals::check(&mut checker);
    requests::check(&mut checker, &writer);
    expectations::check(&mut checker);
}

/// Checks the requests alone.
pub(crate) fn check_requests(
    scenario: &Scenario,
    writer: &ParameterWriter<'_>,
    mistakes: &mut Vec<ScenarioError>,
) {
    let names = Names::of(scenario);
    requests::check(&mut Checker { scenario, mistakes, names }, writer);
}
