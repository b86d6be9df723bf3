//! From a scenario to a plan: numbers for names, and a hierarchy that has admitted everything.
//!
//! Parents are created before their children. Requirements are sent one message at a time, so that
//! a refusal points at the line of the requirement. Threads are rehearsed in a second hierarchy, which is
//! thrown away: hosts create theirs when they arrive.

mod locks;
mod processes;
mod programs;
mod recordings;
mod requests;
mod threads;
mod ticks;
mod trees;

pub(crate) use locks::rank;
pub(crate) use processes::roots;
pub use recordings::{NoRecordings, Numbers, Recordings};
pub(crate) use threads::parent_of;
pub(crate) use trees::{conversion, lends_ranks, ranks_by};

use crate::check::check;
use crate::diagnostic::{Code, Diagnostics, ScenarioError};
use crate::live::Live;
use crate::model::{Pattern, Quantity, Scenario, Subject};
use crate::outcome::promises_and_refusals;
use crate::parameters::ParameterWriter;
use crate::plan::{Plan, PlannedInterrupts, PlannedPattern, PlannedRequest};
use crate::recording::RecordingError;
use crate::source::Path;
use crate::together;
use std::collections::{BTreeMap, BTreeSet};
use windfall_time::{Instant, Span};
use windfall_trace::glob::fits;

/// The state that the parts of building share.
pub(crate) struct Builder<'a> {
    pub(crate) scenario: &'a Scenario,
    pub(crate) mistakes: Vec<ScenarioError>,
    pub(crate) writer: &'a ParameterWriter<'a>,
}

impl Builder<'_> {
    fn wrong(
        &mut self,
        code: Code,
        paths: &[Path],
        message: impl Into<String>,
        help: Option<&str>,
    ) {
        let mut mistake = ScenarioError::new(code, message, self.scenario.origin.find(paths));
        mistake.help = help.map(str::to_owned);
        self.mistakes.push(mistake);
    }

    /// A recording cannot be used: a mistake where it is named first.
    fn unread(&mut self, file: &str, path: &Path, why: &RecordingError) {
        let message = format!("`{file}`: {why}");
        if !self.mistakes.iter().any(|mistake| mistake.message == message) {
            self.wrong(Code::Recording, std::slice::from_ref(path), message, None);
        }
    }
}

/// Where to read what a scheduler would admit instead of a guarantee that it refuses.
fn what_fits(key: &str) -> Option<&'static str> {
    (key == "guarantee").then_some("`windfall check` says what would fit, and without whom")
}

/// The requests of a scenario that has been checked, with numbers for the names of threads.
pub(crate) fn requests(
    scenario: &Scenario,
    writer: &ParameterWriter<'_>,
) -> Result<Vec<(Instant, PlannedRequest)>, Diagnostics> {
    let mut builder = Builder { scenario, mistakes: Vec::new(), writer };
    let requests = builder.requests();
    Diagnostics::of(&scenario.origin, builder.mistakes).map_or(Ok(requests), Err)
}

impl Scenario {
    /// The same, in which the threads of each program of a real machine have the reservation of its entry together, as those of a
    /// file do.
    #[must_use]
    pub fn reserved_together(mut self) -> Scenario {
        together::share(&mut self);
        self
    }

    /// Makes the plan that a host carries out; recordings are refused.
    ///
    /// # Errors
    /// Every mistake of [`check`](Scenario::check), and every refusal of a scheduler.
    pub fn build(&self) -> Result<Plan, Diagnostics> {
        self.build_with(&mut NoRecordings)
    }

    /// Makes what a host carries out.
    ///
    /// # Errors
    /// Every mistake of [`check`](Scenario::check), every refusal of a scheduler, and what
    /// `recordings` could not read.
    pub fn build_with(&self, recordings: &mut dyn Recordings) -> Result<Plan, Diagnostics> {
        let mut mistakes = Vec::new();
        check(self, &mut mistakes);
        if let Some(diagnostics) = Diagnostics::of(&self.origin, mistakes) {
            return Err(diagnostics);
        }
        let writer = ParameterWriter::of(self);
        let mut builder = Builder { scenario: self, mistakes: Vec::new(), writer: &writer };
        let (mut hierarchy, nodes) = builder.tree();
        let mut threads = builder.threads(&nodes, recordings);
        let (promises, refused) = promises_and_refusals(self);
        let owners: BTreeSet<(&str, Option<u16>)> =
            refused.iter().map(|refused| (refused.owner.as_str(), refused.own)).collect();
        for thread in &mut threads {
            if owners.contains(&(&thread.name, None)) {
                thread.promised = None;
            }
        }
        builder.supplies(&mut hierarchy, &nodes, &owners);
        if builder.mistakes.is_empty() {
            builder.rehearse();
        }
        let interrupts = builder.interrupts(recordings);
        let requests = builder.requests();
        let watched = builder.watched();
        let barriers = programs::barriers(self);
        let locks = locks::planned(self);
        let processes = processes::homes(self, &nodes);
        if let Some(diagnostics) = Diagnostics::of(&self.origin, builder.mistakes) {
            return Err(diagnostics);
        }
        Ok(Plan {
            machine: self.machine.clone(),
            seed: self.seed,
            length: self.length,
            hierarchy,
            nodes: nodes.into_iter().map(|(name, node)| (name.to_owned(), node)).collect(),
            processes,
            threads,
            interrupts,
            live: Live::new(self.clone()),
            shares: writer.shares(),
            requests,
            barriers,
            locks,
            watched,
            promises,
            refused,
        })
    }
}

impl Builder<'_> {
    /// Each source on each of its processors.
    fn interrupts(&mut self, recordings: &mut dyn Recordings) -> Vec<PlannedInterrupts> {
        let all = u16::try_from(self.scenario.machine.speeds.len())
            .expect("a scenario that was checked has at most 1,024 processors");
        let mut planned = Vec::new();
        for (number, source) in self.scenario.interrupts.iter().enumerate() {
            let processors = match source.processors.as_slice() {
                [] => (0..all).collect(),
                some => some.to_vec(),
            };
            for processor in processors {
                let pattern = match &source.pattern {
                    Pattern::Periodic { offset, period, cost } => {
                        PlannedPattern::Periodic { offset: *offset, period: *period, cost: *cost }
                    }
                    Pattern::Random { gap, cost } => {
                        PlannedPattern::Random { gap: *gap, cost: *cost }
                    }
                    Pattern::Recorded(file) => match recordings.interrupts(file, processor) {
                        Ok(strikes) => PlannedPattern::Recorded(strikes),
                        Err(why) => {
                            let path = Path::of(&["interrupts"]).item(number).key("recorded");
                            self.unread(file, &path, &why);
                            break;
                        }
                    },
                };
                let (kind, number) = (source.kind, source.number);
                let device = source.device.map(|device| (device, source.datum));
                planned.push(PlannedInterrupts { processor, kind, number, pattern, device });
            }
        }
        planned
    }

    /// Threads whose intervals are counted; each has one limit.
    fn watched(&mut self) -> Vec<(usize, Span)> {
        let mut watched: BTreeMap<usize, Span> = BTreeMap::new();
        for (number, expectation) in self.scenario.expectations.iter().enumerate() {
            let (&Quantity::IntervalsAbove(limit), Subject::Threads(pattern)) =
                (&expectation.quantity, &expectation.subject)
            else {
                continue;
            };
            let names = self.scenario.threads.iter().flat_map(|thread| {
                thread.names().map(|name| {
                    (name == *pattern || fits(pattern, &name) || thread.name == *pattern, name)
                })
            });
            let numbers: Vec<usize> =
                names.enumerate().filter(|(_, (meant, _))| *meant).map(|(at, _)| at).collect();
            for at in numbers {
                let other = *watched.entry(at).or_insert(limit);
                if other != limit {
                    let path = Path::of(&["expect"]).item(number).key("above");
                    let message = format!("intervals above {other} are counted already");
                    self.wrong(
                        Code::ConflictingLimits,
                        &[path],
                        message,
                        Some("expect one limit for a thread"),
                    );
                    break;
                }
            }
        }
        watched.into_iter().collect()
    }
}
