//! Where the time of a job went: parts that add up to the whole.
//!
//! Invariant: [`Account::total`] is the length of the time that was recorded, to the nanosecond.
//! Time on processors where the thread neither ran nor waited is kept apart and is no part of the
//! sum.

use crate::{Cpu, NodeId, OverheadKind, ThreadId};
use std::collections::BTreeMap;
use windfall_time::Span;

/// A part of a thread's time.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[non_exhaustive]
pub enum Part {
    /// It had a processor, and no time of it was stolen.
    Ran,
    /// It had a processor, whose time was stolen, or which stood still at a station.
    Stolen(OverheadKind),
    /// It had a processor, and ran an earlier job of its own that was not done yet; of jobs. Time that was stolen from that
    /// job is part of this.
    Earlier,
    /// It was ready, and another thread ran on the processor where it waited.
    Behind(ThreadId),
    /// It was ready, and an interrupt or a hypervisor used the processor that it waited for.
    BehindOverhead(OverheadKind),
    /// It was ready, and the processor where it waited had nothing to run.
    Idle,
    /// It was ready, a reservation was used up, and it ran no more until that was replenished: its
    /// own, or that of a scheduler above it.
    Held(Option<NodeId>),
    /// It was ready; on which processor is not known.
    Unplaced,
    /// It waited for something itself.
    Blocked,
    /// It waited in the kernel, as a rule for a device.
    Device,
    /// It was stopped by a signal or a debugger.
    Stopped,
    /// Events were lost: its state, or who ran where it waited, is not known.
    Unknown,
}

impl Part {
    /// Whether it was ready to run and did not, for whatever reason.
    #[must_use]
    pub const fn is_wait(self) -> bool {
        matches!(
            self,
            Part::Behind(_) | Part::BehindOverhead(_) | Part::Idle | Part::Held(_) | Part::Unplaced
        )
    }
}

/// How a stretch of a thread's time divides up.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct Account {
    /// The parts; none is empty.
    pub parts: BTreeMap<Part, Span>,
    /// How long it waited on each processor, held by its own reservation apart.
    pub waited_on: BTreeMap<Cpu, Span>,
    /// How long each other processor was idle while it waited.
    pub idle_elsewhere: BTreeMap<Cpu, Span>,
    /// How many times it was given a processor.
    pub dispatches: u64,
    /// How many times that was another one than before.
    pub migrations: u64,
}

impl Account {
    /// The sum of all parts.
    #[must_use]
    pub fn total(&self) -> Span {
        self.sum(|_| true)
    }

    /// The sum of some parts.
    #[must_use]
    pub fn sum(&self, which: impl Fn(Part) -> bool) -> Span {
        let parts = self.parts.iter().filter(|(part, _)| which(**part));
        parts.fold(Span::ZERO, |sum, (_, span)| sum.saturating_add(*span))
    }

    /// One part; zero when it is not there.
    #[must_use]
    pub fn of(&self, part: Part) -> Span {
        self.parts.get(&part).copied().unwrap_or(Span::ZERO)
    }

    /// Processor time that it was granted, what was stolen from that included.
    #[must_use]
    pub fn received(&self) -> Span {
        self.sum(|part| matches!(part, Part::Ran | Part::Stolen(_)))
    }

    /// How long it was ready and did not run.
    #[must_use]
    pub fn waited(&self) -> Span {
        self.sum(Part::is_wait)
    }

    pub(super) fn put(&mut self, part: Part, span: Span) {
        raise(&mut self.parts, part, span);
    }

    /// Puts down all that another account has.
    pub fn add(&mut self, other: &Account) {
        let pairs = |map: &mut BTreeMap<Cpu, Span>, other: &BTreeMap<Cpu, Span>| {
            other.iter().for_each(|(cpu, span)| raise(map, *cpu, *span));
        };
        other.parts.iter().for_each(|(part, span)| self.put(*part, *span));
        pairs(&mut self.waited_on, &other.waited_on);
        pairs(&mut self.idle_elsewhere, &other.idle_elsewhere);
        self.dispatches += other.dispatches;
        self.migrations += other.migrations;
    }

    /// Counts all that it received so far as time of earlier jobs.
    pub(super) fn received_for_earlier(&mut self) {
        let received = self.received();
        self.parts.retain(|part, _| !matches!(part, Part::Ran | Part::Stolen(_)));
        self.put(Part::Earlier, received);
    }

    /// Takes away what was added before.
    pub(super) fn remove(&mut self, other: &Account) {
        other.parts.iter().for_each(|(part, span)| lower(&mut self.parts, *part, *span));
        other.waited_on.iter().for_each(|(cpu, span)| lower(&mut self.waited_on, *cpu, *span));
        let idle = &mut self.idle_elsewhere;
        other.idle_elsewhere.iter().for_each(|(cpu, span)| lower(idle, *cpu, *span));
        self.dispatches -= other.dispatches;
        self.migrations -= other.migrations;
    }
}

/// Adds a span to a key's; nothing for an empty one.
pub(super) fn raise<K: Ord>(map: &mut BTreeMap<K, Span>, key: K, span: Span) {
    if !span.is_zero() {
        let sum = map.entry(key).or_insert(Span::ZERO);
        *sum = sum.saturating_add(span);
    }
}

fn lower<K: Ord>(map: &mut BTreeMap<K, Span>, key: K, span: Span) {
    if let Some(sum) = map.get_mut(&key) {
        *sum = sum.saturating_sub(span);
        if sum.is_zero() {
            map.remove(&key);
        }
    }
}
