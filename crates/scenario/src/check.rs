//! Mistakes that no single value shows: names without an object, cycles, loops and waits without an end.
//!
//! Invariant: a mistake is left out only where the reader has reported one at the same place; an empty name stands
//! for one that could not be read, as long as the reader has reported anything. A scenario that was made or edited in
//! code has no such mistakes. Read next: one file for each part of a scenario.

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
use std::collections::BTreeSet;
use std::ops::Range;

/// State shared by the checks.
pub(crate) struct Checker<'a> {
    pub(crate) scenario: &'a Scenario,
    pub(crate) mistakes: &'a mut Vec<ScenarioError>,
    pub(crate) names: Names<'a>,
    /// The places of the mistakes that the reader has reported.
    reported: BTreeSet<Option<(usize, usize)>>,
}

impl<'a> Checker<'a> {
    /// A check after the reader, which has reported these mistakes.
    fn after_reader(scenario: &'a Scenario, mistakes: &'a mut Vec<ScenarioError>) -> Checker<'a> {
        let place = |one: &ScenarioError| one.place.as_ref().map(|at| (at.start, at.end));
        let reported = mistakes.iter().map(place).collect();
        Checker { scenario, mistakes, names: Names::of(scenario), reported }
    }

    /// Whether the reader has reported a mistake at this path or below it.
    fn is_reported(&self, path: &Path) -> bool {
        let is_at = |at: &Range<usize>| self.reported.contains(&Some((at.start, at.end)));
        let mut places = self.scenario.origin.at_and_below(path);
        !self.reported.is_empty() && places.any(|place| is_at(&place.key) || is_at(&place.value))
    }

    /// Whether the reader has reported what is written for a key of a table, or that the key is missing.
    fn is_key_reported(&self, table: &Path, key: &str) -> bool {
        let path = table.key(key);
        if self.origin().has(&path) {
            return self.is_reported(&path);
        }
        let place = self.origin().value(table);
        place.is_some_and(|at| self.reported.contains(&Some((at.start, at.end))))
    }

    /// Whether a name stands for one that the reader could not read, and has reported.
    fn is_unread(&self, name: &str) -> bool {
        name.is_empty() && !self.reported.is_empty()
    }

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
    /// Finds what is wrong with a scenario that was made in code, or edited after it was read.
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
    let mut checker = Checker::after_reader(scenario, mistakes);
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

/// Checks the machine and its interrupts alone.
pub(crate) fn check_machine(scenario: &Scenario, mistakes: &mut Vec<ScenarioError>) {
    let mut checker = Checker::after_reader(scenario, mistakes);
    machine::check(&mut checker);
    stations::check(&mut checker);
}

/// Checks the requests alone.
pub(crate) fn check_requests(
    scenario: &Scenario,
    writer: &ParameterWriter<'_>,
    mistakes: &mut Vec<ScenarioError>,
) {
    requests::check(&mut Checker::after_reader(scenario, mistakes), writer);
}
