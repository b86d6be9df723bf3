//! How long locks delay the threads below a scheduler while threads of lower rank hold them.

use super::{Beside, BoundError};
use crate::build::{parent_of, ranks_by};
use crate::model::{Scenario, Thread};
use crate::promises::Promises;
use crate::sections::LockNumbers;
use windfall_analysis::{LockError, Locks, Section};
use windfall_schedulers::catalogue::RanksBy;
use windfall_time::{Ratio, Span};

/// The effect of locks on the children of a scheduler.
pub(super) struct Blocking<'a> {
    numbers: LockNumbers<'a>,
    sections: Vec<Vec<Section>>,
    /// By child; the smaller goes first. Threads elsewhere, which are the last entry of `sections`, go last.
    ranks: Vec<i128>,
}

impl<'a> Blocking<'a> {
    /// `None` where no child shares a lock.
    ///
    /// # Errors
    /// A lock is held for an unknown time.
    pub(super) fn of(
        promises: &Promises,
        scenario: &'a Scenario,
        (node, all): (usize, &[Beside]),
        speed: Ratio,
    ) -> Result<Option<Blocking<'a>>, BoundError> {
        let numbers = LockNumbers::of(scenario);
        if numbers.names.is_empty() {
            return Ok(None);
        }
        let parent = &promises.tree.nodes[node].name;
        let below = |thread: &&Thread| parent_of(scenario, thread) == Some(parent);
        let here: Vec<&Thread> = scenario.threads.iter().filter(below).collect();
        let shared = shared(scenario, &numbers, &here);
        if shared.is_empty() {
            return Ok(None);
        }
        let mut sections = Vec::new();
        for (vp, _) in all {
            let name = &promises.tree.vps[*vp].name;
            let thread = here.iter().find(|thread| crate::check::means(name, thread));
            let own = thread.map(|thread| (thread, numbers.sections(&thread.run, speed)));
            match own {
                Some((thread, Err(lock))) if shared.iter().any(|name| thread.run.takes(name)) => {
                    let (thread, lock) = (thread.name.clone(), lock.to_owned());
                    return Err(BoundError::EndlessSection { thread, lock });
                }
                Some((_, Ok(own))) => sections.push(own),
                _ => sections.push(Vec::new()),
            }
        }
        let elsewhere = scenario.threads.iter().filter(|thread| !below(thread));
        let taken = |name: &str| elsewhere.clone().any(|thread| thread.run.takes(name));
        let outside = (0..numbers.names.len()).filter(|lock| taken(numbers.names[*lock]));
        sections.push(outside.map(|lock| Section::new(lock, Span::ZERO)).collect());
        let by = scenario.scheduler_named(parent).map(|scheduler| ranks_by(scenario, scheduler));
        let by = by.unwrap_or(RanksBy::Nothing);
        let ranks = all.iter().map(|child| rank(promises, by, child)).collect();
        Ok(Some(Blocking { numbers, sections, ranks }))
    }

    /// How long children of lower rank delay child number `at`.
    ///
    /// # Errors
    /// Why the time is unknown.
    pub(super) fn before(&self, at: usize) -> Result<Span, BoundError> {
        let locks = Locks::new(&self.numbers.protocols, &self.sections);
        let lower = |other: usize| self.ranks.get(other).is_none_or(|rank| *rank > self.ranks[at]);
        let name = |lock: usize| self.numbers.names[lock].to_owned();
        locks.beyond(lower).map_err(|why| match why {
            LockError::NoProtocol(lock) => BoundError::NoProtocol { lock: name(lock) },
            LockError::Cycle(lock) => BoundError::LockCycle { lock: name(lock) },
            _ => BoundError::TooMuchTogether,
        })
    }

    /// The first lock that a child shares.
    pub(super) fn shares(&self, at: usize) -> Option<String> {
        let own = self.sections.get(at)?;
        let taken = |lock: usize| {
            let others = self.sections.iter().enumerate().filter(|(other, _)| *other != at);
            others.flat_map(|(_, sections)| sections).any(|section| section.takes(lock))
        };
        let names = self.numbers.names.iter().enumerate();
        let mut shared = names
            .filter(|(lock, _)| own.iter().any(|section| section.takes(*lock)) && taken(*lock));
        shared.next().map(|(_, name)| (*name).to_owned())
    }
}

/// The locks that these threads take and that more than one thread takes.
fn shared<'a>(scenario: &Scenario, numbers: &LockNumbers<'a>, here: &[&Thread]) -> Vec<&'a str> {
    let users = |lock: &str| {
        let threads = scenario.threads.iter().filter(|thread| thread.run.takes(lock));
        threads.map(|thread| thread.names().count()).sum::<usize>()
    };
    let mine = |lock: &&str| here.iter().any(|thread| thread.run.takes(lock));
    numbers.names.iter().copied().filter(mine).filter(|lock| users(lock) > 1).collect()
}

/// The smaller goes first; none of its own goes last.
fn rank(promises: &Promises, by: RanksBy, (vp, worker): &Beside) -> i128 {
    let params = &promises.tree.vps[*vp].params;
    let long = |length: Option<Span>| length.map_or(i128::MAX, |length| length.as_nanos().into());
    match by {
        RanksBy::Priority => params.priority.map_or(i128::MAX, |priority| -i128::from(priority)),
        RanksBy::Period => long(params.rate.map(|(_, period, _)| period)),
        RanksBy::RelativeDeadline => long(params.rate.map(|(_, _, deadline)| deadline)),
        RanksBy::Deadline => long(worker.as_ref().and_then(|worker| worker.due)),
        RanksBy::Nothing => i128::MAX,
    }
}
