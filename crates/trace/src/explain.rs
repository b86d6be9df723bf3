//! Why a thread was late: when it was ready, how much it ran, and who ran instead.
//!
//! [`Explainer`] takes records one by one, from a file or from a running host, and divides the time
//! of each job (from its release to its completion) of the threads asked about. Where a thread has
//! no jobs in the trace, a *burst* takes their place: from when it is woken until it waits again.
//!
//! Invariant: the [`Part`]s of an [`Episode`] add up to its length exactly. A moment in which events
//! are missing is a part of its own. Memory grows with threads, processors and the episodes that
//! are kept, not with records.
//!
//! A thread that is ready waits on the processor that it runs on next; where an episode ends before
//! that, on the one that it ran on last. Its waiting is attributed to the thread that ran there.
//!
//! Read next: `explain/watch.rs` (one thread), `explain/findings.rs` (what counts as a miss).

mod account;
mod antagonists;
mod explainer;
mod findings;
mod holds;
mod jobs;
mod marks;
mod pattern;
mod period_rule;
mod tasks;
mod watch;

pub use account::{Account, Part};
pub use antagonists::Antagonist;
pub use explainer::Explainer;
pub use marks::Marks;
pub use pattern::Pattern;
pub use tasks::{TaskFinding, TaskFindings, Tasks};

use crate::escape::escaped;
use crate::timeline::LostCount;
use crate::{Figure, NodeId, ThreadId};
use std::collections::BTreeMap;
use windfall_time::{Instant, Span};

/// A question to the [`Explainer`].
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Question {
    /// The threads asked about.
    pub thread: Pattern,
    /// A job or burst that takes longer counts as a miss, whatever its deadline.
    pub longer_than: Option<Span>,
    /// Which episodes are kept whole.
    pub keep: Keep,
}

impl Question {
    /// About these threads, of which these episodes are kept.
    #[must_use]
    pub const fn new(thread: Pattern, keep: Keep) -> Question {
        Question { thread, longer_than: None, keep }
    }

    /// The same, where what takes longer counts as a miss.
    #[must_use]
    pub fn longer_than(mut self, limit: impl Into<Option<Span>>) -> Question {
        self.longer_than = limit.into();
        self
    }
}

/// Which episodes are kept whole; the longest always is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Keep {
    /// The worst misses, this many.
    Worst(usize),
    /// All misses.
    All,
    /// The miss of this number, from 1.
    Miss(u64),
    /// The job or burst of this number, from 1.
    Job(u64),
}

/// The kind of an episode.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// From a job's release to its completion.
    Job,
    /// From a wake-up until the thread waits again.
    Burst,
    /// A window in which something was promised, and in which the thread was always runnable.
    Period,
}

/// How an episode ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ending {
    /// It is done, in time as far as anybody said.
    Done,
    /// It is done, after its deadline.
    Late,
    /// It was given up at its deadline.
    GivenUp,
    /// It was not done when the trace or the thread ended, and its deadline had passed.
    Overdue,
    /// It was not done when the trace or the thread ended.
    Open,
    /// Events were lost, its end among them; its account goes up to the next wake-up.
    Lost,
    /// A period in which it received so much less than promised.
    Short(Span),
}

/// When a thread was woken, and by which thread, if by any.
pub type Wake = (Instant, Option<ThreadId>);

/// One job, burst or period, and where its time went.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Episode {
    /// Its kind.
    pub kind: Kind,
    /// Which of the thread's, from 1, in order of their beginnings.
    pub number: u64,
    /// Which of the thread's misses, from 1, in order of their ends; `None` for no miss.
    pub miss: Option<u64>,
    /// When it began.
    pub from: Instant,
    /// When it ended, or the trace did.
    pub to: Instant,
    /// When it should have been done by.
    pub deadline: Option<Instant>,
    /// How it ended.
    pub ending: Ending,
    /// By how much it was late, too long, or short.
    pub by: Span,
    /// The first wake-up in it.
    pub wake: Option<Wake>,
    /// Where its time went.
    pub account: Account,
}

impl Episode {
    /// How long it took.
    #[must_use]
    pub fn span(&self) -> Span {
        self.to.saturating_since(self.from)
    }

    /// By how much it was missed, and of what was given up at its deadline how long it took: the largest is the worst.
    #[must_use]
    pub fn badness(&self) -> (Span, Span) {
        (self.by, self.span())
    }
}

/// A thread as it was called last.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct Person {
    /// Its name.
    pub name: String,
    /// Thread number of the source, 0 when there is none.
    pub tid: u32,
    /// Process number of the source, 0 when there is none.
    pub pid: u32,
    /// The scheduler that it is under, if known.
    pub node: Option<NodeId>,
    /// Its promise, in words.
    pub promise: Option<String>,
}

/// A scheduler instance.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Scheduler {
    /// Its name.
    pub name: String,
    /// The kind of scheduler.
    pub kind: String,
    /// Its first parent; `None` for a root.
    pub parent: Option<NodeId>,
}

/// The findings about one thread.
// Fields: a list of findings, each independent of the others; most are counts and keys of a JSON document.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Explained {
    /// The thread.
    pub thread: ThreadId,
    /// [`Kind::Job`] when the trace has jobs of this thread, else [`Kind::Burst`].
    pub kind: Kind,
    /// Jobs that had a deadline.
    pub due: u64,
    /// Jobs or bursts that were done in time.
    pub done: u64,
    /// Jobs that were done too late.
    pub late: u64,
    /// Jobs that were given up.
    pub given_up: u64,
    /// Jobs that should have been done before the trace ended.
    pub overdue: u64,
    /// Jobs or bursts that were under way when the trace ended, with time left.
    pub open: u64,
    /// Bursts whose end is among lost events.
    pub unclear: u64,
    /// Jobs of which the trace has the end and not the beginning, or which began after the thread
    /// had ended; they are only counted.
    pub unopened: u64,
    /// Jobs or bursts that took longer than was asked.
    pub too_long: u64,
    /// Bursts that took longer than was asked only if they went on while events were lost; they are
    /// no misses.
    pub unsure: u64,
    /// Periods in which it was always runnable, and something was promised.
    pub periods: u64,
    /// Periods among them in which it received too little.
    pub short: u64,
    /// Periods of which it is not known enough to judge.
    pub periods_unclear: u64,
    /// All misses: jobs or bursts ([`Explained::missed_episodes`]) and periods (`short`).
    pub misses: u64,
    /// Tasks submitted to a scheduler with admission control.
    pub tasks: Tasks,
    /// Those that were refused, lost or late, one by one.
    pub task_findings: TaskFindings,
    /// The figures that it reported of itself, with their last values.
    pub figures: Vec<(String, Figure)>,
    /// The marks that it set.
    pub marks: Marks,
    /// The most that one job or burst ran, what was stolen from it included.
    pub longest_run: Span,
    /// All jobs or bursts together; where jobs overlap, their common time counts for each, as [`Part::Earlier`] for those whose turn had
    /// not come while the thread ran.
    pub all: Account,
    /// All misses together.
    pub missed: Account,
    /// The longest job or burst; of a burst, time that is not known counts for nothing here.
    pub longest: Option<Episode>,
    /// The length by which it is the longest.
    pub most: Span,
    /// The job or burst that waited longest for a processor; `None` where none waited.
    pub longest_wait: Option<Episode>,
    /// The episodes kept, in order of their ends.
    pub kept: Vec<Episode>,
}

impl Explained {
    pub(crate) fn new(thread: ThreadId) -> Explained {
        Explained {
            thread,
            kind: Kind::Burst,
            due: 0,
            done: 0,
            late: 0,
            given_up: 0,
            overdue: 0,
            open: 0,
            unclear: 0,
            unopened: 0,
            too_long: 0,
            unsure: 0,
            periods: 0,
            short: 0,
            periods_unclear: 0,
            misses: 0,
            tasks: Tasks::default(),
            task_findings: TaskFindings::default(),
            figures: Vec::new(),
            marks: Marks::default(),
            longest_run: Span::ZERO,
            all: Account::default(),
            missed: Account::default(),
            longest: None,
            most: Span::ZERO,
            longest_wait: None,
            kept: Vec::new(),
        }
    }

    /// All jobs or bursts whose beginning was seen.
    #[must_use]
    pub const fn episodes(&self) -> u64 {
        let ended = self.done + self.late + self.given_up;
        ended + self.overdue + self.open + self.unclear
    }

    /// The misses that are jobs or bursts; the others are periods. Never more than [`Explained::episodes`].
    #[must_use]
    pub const fn missed_episodes(&self) -> u64 {
        self.misses.saturating_sub(self.short)
    }
}

impl Explanation {
    /// Leaves the thread with the worst miss that is kept, or without misses the one with the longest wait, and keeps
    /// that wait. Of equals the first stays.
    pub fn keep_worst(&mut self) {
        let missed = self.threads.iter().any(|thread| thread.misses > 0);
        let badly = |thread: &Explained| {
            let waited = |episode: &Episode| (episode.account.waited(), Span::ZERO);
            match missed {
                true => {
                    thread.kept.iter().filter(|one| one.miss.is_some()).map(Episode::badness).max()
                }
                false => thread.longest_wait.as_ref().map(waited),
            }
        };
        let worst = self.threads.iter().rev().max_by_key(|thread| badly(thread));
        let worst = worst.map(|thread| thread.thread);
        self.threads.retain(|thread| Some(thread.thread) == worst);
        for thread in self.threads.iter_mut().filter(|_| !missed) {
            thread.kept = thread.longest_wait.iter().cloned().collect();
        }
    }

    /// Names and promises for eyes, as [`escaped`] writes them.
    pub fn escape(&mut self) {
        let replace = |text: &mut String| *text = escaped(text).into_owned();
        for person in self.people.values_mut() {
            replace(&mut person.name);
            person.promise.iter_mut().for_each(replace);
        }
        for scheduler in self.schedulers.values_mut() {
            replace(&mut scheduler.name);
            replace(&mut scheduler.kind);
        }
    }
}

/// The answer.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Explanation {
    /// The threads asked about, in order of declaration.
    pub threads: Vec<Explained>,
    /// Every thread of the trace.
    pub people: BTreeMap<ThreadId, Person>,
    /// Every scheduler instance of the trace.
    pub schedulers: BTreeMap<NodeId, Scheduler>,
    /// When the first record happened.
    pub from: Instant,
    /// When the last record happened.
    pub to: Instant,
    /// Events that are missing.
    pub lost: LostCount,
    /// Records that contradict each other, as [`Timeline::conflicts`](crate::Timeline::conflicts).
    pub conflicts: u64,
}

#[cfg(test)]
mod tests;
