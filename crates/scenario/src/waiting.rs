//! Threads that wait for ever: every thread that could end their wait waits for ever itself, or none could.
//!
//! Assumes the best case: a signal that could come is taken to come in time, however often it is
//! needed, and locks are taken to be released. So a thread that is named here does wait for ever, and others may.

use crate::check::means;
use crate::model::{Run, Scenario, Step, Thread};
use std::collections::{BTreeMap, BTreeSet};
use windfall_programs::{Interaction, Pause};

/// A thread that never gets beyond a step.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Endless {
    /// Its entry among the threads.
    pub(crate) thread: usize,
    /// The phase in which it waits, and the step of that.
    pub(crate) phase: usize,
    pub(crate) step: usize,
}

impl Scenario {
    /// The threads that wait for ever from some step on, and why, in words.
    #[must_use]
    pub fn waits_for_ever(&self) -> Vec<String> {
        let words = |endless: Endless| {
            let thread = &self.threads[endless.thread];
            let Run::Phases { phases, .. } = &thread.run else { return None };
            let step = phases.get(endless.phase)?.steps.get(endless.step)?;
            let why = match step.interaction() {
                Interaction::AwaitsSignal { condition, .. } => {
                    format!("no other thread gets as far as to signal `{condition}`")
                }
                Interaction::AwaitsAll(name) => {
                    format!("not all that use the barrier `{name}` get there")
                }
                Interaction::AwaitsResume => {
                    "no other thread gets as far as to resume it".to_owned()
                }
                _ => "it sleeps for ever".to_owned(),
            };
            Some(format!("`{}` comes to wait for ever: {why}", thread.name))
        };
        endless(&self.threads).into_iter().filter_map(words).collect()
    }
}

/// The event that ends a wait.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Needs<'a> {
    Nothing,
    Signal(&'a str),
    Resume(usize),
    Arrivals(&'a str),
}

/// The threads that reach such a step: the first, and whether another one does as well.
#[derive(Clone, Copy)]
struct Does {
    first: usize,
    others: bool,
}

struct Walk<'a> {
    threads: &'a [Thread],
    steps: Vec<Vec<(usize, usize, &'a Step)>>,
    at: Vec<usize>,
    does: BTreeMap<Needs<'a>, Does>,
    waits: BTreeMap<Needs<'a>, Vec<usize>>,
    /// How many entries use a barrier, and how many get there.
    users: BTreeMap<&'a str, u64>,
    /// Entries by name, for resumes.
    names: BTreeMap<&'a str, usize>,
    ready: Vec<usize>,
}

/// All threads that wait for ever, and where.
pub(crate) fn endless(threads: &[Thread]) -> Vec<Endless> {
    let mut walk = Walk {
        threads,
        steps: threads.iter().map(reachable).collect(),
        at: vec![0; threads.len()],
        does: BTreeMap::new(),
        waits: BTreeMap::new(),
        users: BTreeMap::new(),
        names: threads.iter().enumerate().map(|(n, thread)| (thread.name.as_str(), n)).collect(),
        ready: (0..threads.len()).rev().collect(),
    };
    for (number, steps) in walk.steps.iter().enumerate() {
        let mine: BTreeSet<&str> = steps.iter().filter_map(|(_, _, step)| barrier(step)).collect();
        for name in mine {
            *walk.users.entry(name).or_default() += u64::from(threads[number].count.unwrap_or(1));
        }
    }
    while let Some(thread) = walk.ready.pop() {
        walk.go(thread);
    }
    let waiting = walk.waits.into_values().flatten();
    let mut endless: Vec<Endless> = waiting
        .map(|thread| {
            let (phase, step, _) = walk.steps[thread][walk.at[thread]];
            Endless { thread, phase, step }
        })
        .collect();
    endless.sort_by_key(|endless| endless.thread);
    endless
}

fn barrier(step: &Step) -> Option<&str> {
    if let Interaction::AwaitsAll(name) = step.interaction() { Some(name) } else { None }
}

/// The steps that a thread reaches if no wait is for ever.
fn reachable(thread: &Thread) -> Vec<(usize, usize, &Step)> {
    let Run::Phases { loops, phases } = &thread.run else { return Vec::new() };
    let mut steps = Vec::new();
    for (number, phase) in phases.iter().enumerate().filter(|_| *loops != Some(0)) {
        steps.extend(phase.steps.iter().enumerate().map(|(at, step)| (number, at, step)));
        if phase.loops == u64::MAX {
            break;
        }
    }
    steps
}

impl<'a> Walk<'a> {
    /// Advances a thread as far as possible.
    fn go(&mut self, thread: usize) {
        while let Some((_, _, step)) = self.steps[thread].get(self.at[thread]).copied() {
            let effect = step.effect();
            let needs = match effect.interaction {
                Interaction::Signals(name) => {
                    self.done(Needs::Signal(name), thread);
                    None
                }
                Interaction::Resumes(name) => {
                    if let Some(other) = self.meant(name) {
                        self.done(Needs::Resume(other), thread);
                    }
                    None
                }
                Interaction::AwaitsSignal { condition, .. } => Some(Needs::Signal(condition)),
                Interaction::AwaitsResume => Some(Needs::Resume(thread)),
                Interaction::AwaitsAll(name) => Some(Needs::Arrivals(name)),
                Interaction::Nothing
                | Interaction::Takes(_)
                | Interaction::Releases(_)
                | Interaction::Visits(_)
                | Interaction::Requests(_) => {
                    (effect.pause == Pause::ForEver).then_some(Needs::Nothing)
                }
            };
            if let Some(needs) = needs.filter(|needs| !self.ends(*needs, thread)) {
                self.waits.entry(needs).or_default().push(thread);
                return;
            }
            self.at[thread] += 1;
        }
    }

    fn meant(&self, name: &str) -> Option<usize> {
        let exact = self.names.get(name).copied();
        exact.or_else(|| self.threads.iter().position(|thread| means(name, thread)))
    }

    /// Whether a wait that a thread reaches ends.
    fn ends(&mut self, needs: Needs<'a>, thread: usize) -> bool {
        let Needs::Arrivals(name) = needs else {
            let several = self.threads[thread].count.is_some_and(|count| count > 1);
            let does = self.does.get(&needs);
            return does.is_some_and(|does| does.first != thread || does.others || several);
        };
        let users = self.users.get(name).copied().unwrap_or(0);
        let threads = self.threads;
        let several = |thread: &usize| u64::from(threads[*thread].count.unwrap_or(1));
        let there = self.waits.get(&needs).map_or(0, |waiting| waiting.iter().map(several).sum());
        let met = self.does.contains_key(&needs) || there + several(&thread) >= users;
        if met {
            self.done(needs, thread);
        }
        met
    }

    /// Records that a thread reaches this step; threads that wait for it continue.
    fn done(&mut self, what: Needs<'a>, thread: usize) {
        let mut is_new = false;
        let does = self.does.entry(what).or_insert_with(|| {
            is_new = true;
            Does { first: thread, others: false }
        });
        if does.first != thread && !does.others {
            (does.others, is_new) = (true, true);
        }
        if is_new {
            self.ready.extend(self.waits.remove(&what).into_iter().flatten());
        }
    }
}

#[cfg(test)]
mod tests;
