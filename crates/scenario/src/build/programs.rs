//! Programs with numbers for the names of threads, locks, conditions, barriers and timers.

use super::processes;
use crate::check::{means, number_in};
use crate::model::{Run, Scenario, Setting, Thread};
use std::collections::{BTreeMap, BTreeSet};
use windfall_programs::catalogue::Settings;
use windfall_programs::{self as programs, Program, Resource, Sharing, Station, Translate};

/// The numbers of all named things.
pub(super) struct Numbers<'a> {
    scenario: &'a Scenario,
    /// The number of the first thread of each entry.
    first: BTreeMap<&'a str, usize>,
    resources: BTreeMap<&'a str, Resource>,
}

impl<'a> Numbers<'a> {
    pub(super) fn of(scenario: &'a Scenario) -> Numbers<'a> {
        let mut first = BTreeMap::new();
        let mut next = 0;
        for thread in &scenario.threads {
            first.insert(thread.name.as_str(), next);
            next += thread.count.map_or(1, |count| count as usize);
        }
        Numbers { scenario, first, resources: resources(scenario) }
    }

    /// The number of an entry's first thread.
    pub(super) fn first(&self, thread: &Thread) -> usize {
        self.first.get(thread.name.as_str()).copied().unwrap_or(0)
    }

    /// The number of a lock, condition or barrier.
    pub(super) fn resource(&self, name: &str) -> Option<Resource> {
        self.resources.get(name).copied()
    }

    /// The threads that a name refers to when thread number `at` of `own` uses it: of entries with the
    /// same count, the one with the same number.
    pub(super) fn threads(&self, name: &str, own: Option<(&Thread, usize)>) -> Vec<usize> {
        let Some(thread) = self.scenario.threads.iter().find(|thread| means(name, thread)) else {
            return Vec::new();
        };
        let first = self.first(thread);
        if let Some(number) = number_in(name, thread) {
            return vec![first + usize::try_from(number).unwrap_or(1) - 1];
        }
        match (thread.count, own) {
            (None, _) => vec![first],
            (count, Some((own, at))) if own.count == count => vec![first + at],
            (Some(count), _) => (0..count as usize).map(|number| first + number).collect(),
        }
    }

    /// The declared program of thread number `at` of an entry; recorded ones are made elsewhere.
    pub(super) fn program(&self, thread: &Thread, at: usize) -> Option<Program> {
        let mut named = Named { numbers: self, thread, at, timers: Vec::new() };
        Some(match &thread.run {
            Run::Spin { from } => Program::Spin { from: *from },
            Run::Jobs(jobs) => Program::Jobs(jobs.translated(&mut named)?),
            Run::Phases { loops, phases } => {
                let phases = phases.iter().map(|phase| phase.translated(&mut named));
                Program::Phases { loops: *loops, phases: phases.collect() }
            }
            Run::Recorded { .. } => Program::Recorded(programs::Recorded::default()),
            Run::OfKind { kind, settings } => {
                let settings = Setting::values(settings);
                let node = processes::node(self.scenario, thread);
                // The checks have built it, too.
                let kind = self.scenario.programs.find(kind)?;
                kind.build(&Settings(&settings), node).ok()?
            }
            Run::Profile(_) | Run::Unknown => return None,
        })
    }
}

/// The objects that the program of one thread refers to, by number.
struct Named<'n, 'a> {
    numbers: &'n Numbers<'a>,
    thread: &'n Thread,
    at: usize,
    /// Its timers so far.
    timers: Vec<String>,
}

impl Translate<programs::Names, programs::Numbers> for Named<'_, '_> {
    fn shared(&mut self, name: &String) -> Resource {
        self.numbers.resources.get(name.as_str()).copied().unwrap_or(Resource(0))
    }

    fn timer(&mut self, timer: &String) -> usize {
        self.timers.iter().position(|other| other == timer).unwrap_or_else(|| {
            self.timers.push(timer.clone());
            self.timers.len() - 1
        })
    }

    fn station(&mut self, name: &String) -> Station {
        let mut all = self.numbers.scenario.machine.stations.iter();
        Station(all.position(|station| station.name == *name).unwrap_or(usize::MAX))
    }

    fn threads(&mut self, name: &String) -> Vec<usize> {
        self.numbers.threads(name, Some((self.thread, self.at)))
    }
}

/// All locks, conditions and barriers, numbered in the order in which the file first has them.
fn resources(scenario: &Scenario) -> BTreeMap<&str, Resource> {
    let mut resources = BTreeMap::new();
    for thread in &scenario.threads {
        for step in thread.run.all_steps() {
            for (name, _) in step.shared() {
                let next = Resource(resources.len());
                resources.entry(name.as_str()).or_insert(next);
            }
        }
    }
    resources
}

/// Each barrier, and how many threads use it.
pub(super) fn barriers(scenario: &Scenario) -> Vec<(Resource, usize)> {
    let resources = resources(scenario);
    let mut users: BTreeMap<Resource, usize> = BTreeMap::new();
    for thread in &scenario.threads {
        let mine: BTreeSet<Resource> = thread
            .run
            .all_steps()
            .flat_map(|step| step.shared())
            .filter(|(_, sharing)| *sharing == Sharing::Barrier)
            .filter_map(|(name, _)| resources.get(name.as_str()).copied())
            .collect();
        for barrier in mine {
            *users.entry(barrier).or_default() += thread.count.map_or(1, |count| count as usize);
        }
    }
    users.into_iter().collect()
}
