//! The log of a machine: its starts, how each ended, and the incidents in between.
//!
//! Invariants: incidents of a start are in order and lie within it. Spans between incidents count the time in which the system ran, so time between a shutdown and the next start is no part of any, and neither is a clock that was set.

use super::Subject;
use crate::{Kind, Sample};
use windfall_time::{Instant, Span};

/// An end without a shutdown that follows a panic within this time is the panic's, and no failure of its own.
const OF_PANIC: Span = Span::from_secs(120);

/// An incident of a start.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Logged {
    /// After the kernel's start.
    pub since: Span,
    /// When, by the clock of that time, since 1970.
    pub at: Instant,
    /// Its subject.
    pub subject: Subject,
    /// The kernel's text; empty if there is none.
    pub text: String,
}

/// How a start of the system ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Ending {
    /// It goes on.
    Running,
    /// By a shutdown.
    Shutdown,
    /// Without one: a failure.
    Unexpected,
}

/// A start of the system, as far as it is logged.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Boot {
    /// Its number (`_BOOT_ID`); empty where there is none.
    pub id: String,
    /// From when on it is logged, after the kernel's start.
    pub begin: Span,
    /// Until when, after the kernel's start.
    pub end: Span,
    /// How it ended.
    pub ending: Ending,
    /// In order.
    pub incidents: Vec<Logged>,
}

impl Boot {
    /// A start whose messages may be in any order. An unexpected end becomes an incident; `ends_at` is when, by the clock.
    pub(super) fn new(
        id: String,
        (begin, end): (Span, Span),
        ending: Ending,
        ends_at: Instant,
        mut incidents: Vec<Logged>,
    ) -> Boot {
        incidents.sort_by_key(|one| one.since);
        let is_of_panic = |one: &Logged| {
            one.subject == Subject::Panic && one.since.saturating_add(OF_PANIC) >= end
        };
        if ending == Ending::Unexpected && !incidents.iter().any(is_of_panic) {
            let (since, subject) = (end, Subject::UnexpectedEnd);
            incidents.push(Logged { since, at: ends_at, subject, text: String::new() });
        }
        Boot { id, begin, end, ending, incidents }
    }

    fn length(&self) -> Span {
        self.end.saturating_sub(self.begin)
    }
}

/// All starts that are logged, the oldest first.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Log {
    pub(super) boots: Vec<Boot>,
}

impl Log {
    /// The starts.
    #[must_use]
    pub fn boots(&self) -> &[Boot] {
        &self.boots
    }

    /// How long the system ran while it was logged.
    #[must_use]
    pub fn observed(&self) -> Span {
        self.boots.iter().fold(Span::ZERO, |all, boot| all.saturating_add(boot.length()))
    }

    /// All incidents, in order.
    pub fn incidents(&self) -> impl Iterator<Item = &Logged> {
        self.boots.iter().flat_map(|boot| &boot.incidents)
    }

    /// How many of each subject; those without any are left out.
    #[must_use]
    pub fn counts(&self) -> Vec<(Subject, usize)> {
        let of = |subject| self.incidents().filter(|one| one.subject == subject).count();
        let counts = Subject::ALL.iter().map(|(subject, _)| (*subject, of(*subject)));
        counts.filter(|(_, count)| *count > 0).collect()
    }

    /// The same, without those that follow one of their subject, in the same start, by at most `within`: several lines of one cause are one incident.
    #[must_use]
    pub fn merged(mut self, within: Span) -> Log {
        for boot in &mut self.boots {
            let mut last: Vec<(Subject, Span)> = Vec::new();
            boot.incidents.retain(|one| {
                let known = last.iter_mut().find(|(subject, _)| *subject == one.subject);
                let Some((_, before)) = known else {
                    last.push((one.subject, one.since));
                    return true;
                };
                let apart = one.since.saturating_sub(*before);
                *before = one.since;
                apart > within
            });
        }
        self
    }

    /// How many of a kind.
    #[must_use]
    pub fn count(&self, kind: Kind) -> usize {
        self.incidents().filter(|one| one.subject.kind() == kind).count()
    }

    /// The spans of operation from the first start's begin to the first incident of a kind, from each to the next, and from the last until now, which is cut off. A shutdown and a start in between do not make a system as new; an incident does.
    ///
    /// An incident at the time of another, or where the log begins, ends no span and is none of the sample's events.
    #[must_use]
    pub fn sample(&self, kind: Kind) -> Sample {
        let (mut ended, mut so_far) = (Vec::new(), Span::ZERO);
        for boot in &self.boots {
            let mut from = boot.begin;
            for one in boot.incidents.iter().filter(|one| one.subject.kind() == kind) {
                let span = so_far.saturating_add(one.since.saturating_sub(from));
                if !span.is_zero() {
                    ended.push(span);
                }
                (so_far, from) = (Span::ZERO, one.since.max(from));
            }
            so_far = so_far.saturating_add(boot.end.saturating_sub(from));
        }
        Sample::new(ended, vec![so_far])
    }
}
