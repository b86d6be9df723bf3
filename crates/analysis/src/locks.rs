//! How long critical sections of jobs of lower rank delay a job: blocking, by the protocol of the locks.
//!
//! A job of lower rank delays one of higher rank, or of those that this one waits for, by a section in which it is
//! when their busy period begins: afterwards it runs only with inherited urgency, until that section ends.
//! - [`Protocol::Ceiling`] (all locks): one section at most, the longest on a lock that a higher rank uses, too.
//! - [`Protocol::Inherit`]: one section of each job of lower rank, and one on each lock; so at most the heaviest
//!   matching of tasks and locks. A lock that is taken inside such a section delays as well, even if no other task uses it.
//! - [`Protocol::None`]: no bound, since ranks between the two run instead of the section (HLS 4.3.8).
//!
//! A1 One processor, or what a supply leaves of it; the tasks are all that use the locks.
//! A2 No job waits inside a section but for a lock; a lock is passed to the most urgent, when that runs.
//! A3 A section lies inside another one or beside it; its length holds those inside it.
//! A4 Under [`Protocol::Ceiling`] a job takes the rank of the highest user with the lock: its priority, or its
//!    relative deadline counted from then (Burns and others 2015), or an earlier deadline that it has.
//!
//! Sources: Sha, Rajkumar and Lehoczky 1990 (both protocols); Baker 1991 (preemption levels); HLS 4.3.8, 13.2.1.

mod matching;

use core::fmt;
use windfall_time::Span;

/// The rank of a job that holds a lock.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[non_exhaustive]
pub enum Protocol {
    /// Its own rank.
    #[default]
    None,
    /// The highest rank among the jobs that wait for it.
    Inherit,
    /// The highest rank among the jobs that use the lock.
    Ceiling,
}

/// A critical section of a task: from taking a lock to releasing it.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Section {
    /// The lock, by number.
    pub lock: usize,
    /// Its longest work, with that of the sections in it.
    pub length: Span,
    /// The sections in it.
    pub inner: Vec<Section>,
}

impl Section {
    /// A section of this lock that is at most so long, without others in it.
    #[must_use]
    pub const fn new(lock: usize, length: Span) -> Section {
        Section { lock, length, inner: Vec::new() }
    }

    /// The same, with others in it.
    #[must_use]
    pub fn with(mut self, inner: Vec<Section>) -> Section {
        self.inner = inner;
        self
    }

    /// Whether this section, or one in it, is of this lock.
    #[must_use]
    pub fn takes(&self, lock: usize) -> bool {
        self.lock == lock || self.inner.iter().any(|inner| inner.takes(lock))
    }

    /// Calls `each` with this section and all in it, and the locks that are held around each.
    fn walk(&self, around: &mut Vec<usize>, each: &mut impl FnMut(&Section, &[usize])) {
        each(self, around);
        around.push(self.lock);
        self.inner.iter().for_each(|inner| inner.walk(around, each));
        around.pop();
    }
}

/// Why locks leave a task without a bound.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum LockError {
    /// A job that holds this lock keeps its own rank, so that others run while a higher rank waits.
    NoProtocol(usize),
    /// This lock is taken inside a section of itself, or in two orders: jobs may wait for each other for ever.
    Cycle(usize),
    /// The sections together are too long to be counted.
    OutOfRange,
}

impl fmt::Display for LockError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LockError::NoProtocol(lock) => {
                write!(f, "lock {lock} has no protocol: its holder keeps its own rank")
            }
            LockError::Cycle(lock) => {
                write!(f, "lock {lock} is taken in two orders: jobs may wait for each other")
            }
            LockError::OutOfRange => f.write_str("the sections are too long to be counted"),
        }
    }
}

impl std::error::Error for LockError {}

/// The locks of some tasks, and their sections.
#[derive(Clone, Debug)]
pub struct Locks<'a> {
    protocols: &'a [Protocol],
    /// By task.
    sections: &'a [Vec<Section>],
    /// By lock: whether more than one task uses it. A lock of a single task delays no other.
    shared: Vec<bool>,
}

impl<'a> Locks<'a> {
    /// Locks with these protocols, and the sections of each task. A lock without a protocol in the list has
    /// [`Protocol::None`].
    #[must_use]
    pub fn new(protocols: &'a [Protocol], sections: &'a [Vec<Section>]) -> Locks<'a> {
        let mut users: Vec<Option<usize>> = Vec::new();
        let mut shared = Vec::new();
        for (task, own) in sections.iter().enumerate() {
            for_all(own, |section, _| {
                let count = users.len().max(section.lock + 1);
                users.resize(count, None);
                shared.resize(count, false);
                shared[section.lock] |= users[section.lock].is_some_and(|other| other != task);
                users[section.lock] = Some(task);
            });
        }
        Locks { protocols, sections, shared }
    }

    /// The blocking of each task, in the order of the list; a smaller rank goes first. Under earliest deadline
    /// first ranks are relative deadlines, and a window is blocked as the task of the longest deadline in it.
    ///
    /// # Errors
    /// For a task: why it has no bound.
    pub fn blocking<R: Ord>(&self, ranks: &[R]) -> Vec<Result<Span, LockError>> {
        (0..self.sections.len())
            .map(|task| self.beyond(|other| ranks.get(other) > ranks.get(task)))
            .collect()
    }

    /// How long tasks of rank `lower` delay the others.
    ///
    /// # Errors
    /// Why there is no bound.
    pub fn beyond(&self, lower: impl Fn(usize) -> bool) -> Result<Span, LockError> {
        self.ordered()?;
        let mut blocks = vec![false; self.shared.len()];
        let all = || self.sections.iter().enumerate();
        for (_, own) in all().filter(|(task, _)| !lower(*task)) {
            for_all(own, |section, _| blocks[section.lock] |= self.shared[section.lock]);
        }
        let lower: Vec<&Vec<Section>> =
            all().filter(|(task, _)| lower(*task)).map(|(_, own)| own).collect();
        if self.all_have_ceilings() {
            let longest = lower.iter().flat_map(|own| topmost(own, &blocks)).map(|s| s.length);
            return Ok(longest.max().unwrap_or(Span::ZERO));
        }
        self.spread(&lower, &mut blocks);
        let weights: Vec<Vec<u64>> =
            lower.iter().map(|own| self.weights(own, &blocks)).collect::<Result<_, _>>()?;
        matching::heaviest(&weights).map(Span::from_nanos).ok_or(LockError::OutOfRange)
    }

    fn protocol(&self, lock: usize) -> Protocol {
        self.protocols.get(lock).copied().unwrap_or_default()
    }

    fn all_have_ceilings(&self) -> bool {
        let mut shared = self.shared.iter().enumerate().filter(|(_, shared)| **shared);
        shared.all(|(lock, _)| self.protocol(lock) == Protocol::Ceiling)
    }

    /// Adds the locks that are taken inside sections that delay: jobs also wait for their holders.
    fn spread(&self, lower: &[&Vec<Section>], blocks: &mut [bool]) {
        loop {
            let before = blocks.to_vec();
            for own in lower {
                for_all(own, |section, around| {
                    let inside = around.iter().any(|lock| before[*lock]);
                    blocks[section.lock] |= inside && self.shared[section.lock];
                });
            }
            if *blocks == *before {
                return;
            }
        }
    }

    /// By lock: the longest section of a task that delays with it.
    fn weights(&self, own: &[Section], blocks: &[bool]) -> Result<Vec<u64>, LockError> {
        let mut without = None;
        for_all(own, |section, _| {
            if blocks[section.lock] && self.protocol(section.lock) == Protocol::None {
                without = without.or(Some(section.lock));
            }
        });
        if let Some(lock) = without {
            return Err(LockError::NoProtocol(lock));
        }
        let mut weights = vec![0; blocks.len()];
        for section in topmost(own, blocks) {
            weights[section.lock] = section.length.as_nanos().max(weights[section.lock]);
        }
        Ok(weights)
    }

    /// Whether some order of the locks is that in which all tasks take them; where all have ceilings, none waits for
    /// another, and it is enough that none waits for itself.
    fn ordered(&self) -> Result<(), LockError> {
        let ceilings = self.all_have_ceilings();
        let mut before = vec![Vec::new(); self.shared.len()];
        for own in self.sections {
            for_all(own, |section, around| {
                let waits = |other: &&usize| {
                    **other == section.lock
                        || (!ceilings && self.shared[**other] && self.shared[section.lock])
                };
                before[section.lock].extend(around.iter().filter(waits));
            });
        }
        // Locks that come after none that is left are taken away, until none is left.
        let mut left: Vec<usize> = (0..before.len()).collect();
        while let Some(first) = left.first().copied() {
            let count = left.len();
            let stays = |lock: &usize| before[*lock].iter().any(|other| left.contains(other));
            left = left.iter().copied().filter(stays).collect();
            if left.len() == count {
                return Err(LockError::Cycle(on_cycle(first, &before, &left)));
            }
        }
        Ok(())
    }
}

/// A lock of the cycle that going back from one comes to, among those of which each comes after another one.
fn on_cycle(from: usize, before: &[Vec<usize>], left: &[usize]) -> usize {
    let mut reached = Vec::new();
    let mut last = from;
    while !reached.contains(&last) {
        reached.push(last);
        last = before[last].iter().copied().find(|lock| left.contains(lock)).unwrap_or(last);
    }
    last
}

/// Calls `each` with all sections, and the locks that are held around each.
fn for_all(sections: &[Section], mut each: impl FnMut(&Section, &[usize])) {
    let mut around = Vec::new();
    sections.iter().for_each(|section| section.walk(&mut around, &mut each));
}

/// The sections of locks that delay, without those inside another of them.
fn topmost<'s>(sections: &'s [Section], blocks: &[bool]) -> Vec<&'s Section> {
    let mut found = Vec::new();
    for section in sections {
        if blocks[section.lock] {
            found.push(section);
        } else {
            found.extend(topmost(&section.inner, blocks));
        }
    }
    found
}

#[cfg(test)]
mod tests;
