//! The results of one thread, counted while it runs.

use super::{Figures, LateTasks, LostTasks, Response, TaskCounts, Visits};
use windfall_hierarchy::Count;
use windfall_time::{Instant, Span};

/// Why jobs and tasks were not admitted, and how many (PORTS 2.2).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct Refusals {
    /// They could not have been done by their deadlines.
    pub no_time: u64,
    /// All slots of the scheduler were taken.
    pub full: u64,
    /// For another reason, which is among the refused requests.
    pub other: u64,
}

impl Refusals {
    /// How many in all.
    #[must_use]
    pub const fn all(&self) -> u64 {
        self.no_time + self.full + self.other
    }
}

/// The result of one thread.
// Fields: a list of figures, each independent of the others; most are keys of a JSON document, too.
#[derive(Clone, Debug, Default)]
pub struct ThreadOutcome {
    /// Its name.
    pub name: String,
    /// The scheduler above it at the end, its own or the run's, by name; `None` when it never was.
    pub parent: Option<String>,
    /// Its promise, as text.
    pub promised: Option<String>,
    /// Processor time received.
    pub received: Span,
    /// Its visits of stations, whose time is not among what it received.
    pub visits: Visits,
    /// Time that it was ready or running.
    pub runnable: Span,
    /// How often it became runnable.
    pub wakeups: u64,
    /// How often it was dispatched to a processor.
    pub dispatches: u64,
    /// How often it lost a processor that it could have used.
    pub preemptions: u64,
    /// How often it was dispatched to another processor than before.
    pub migrations: u64,
    /// Jobs released; 0 for programs without jobs.
    pub released: u64,
    /// Jobs done; for programs without jobs, bursts from wake-up to wait.
    pub completed: u64,
    /// Jobs aborted at their deadline.
    pub aborted: u64,
    /// Jobs not done by their deadline, unfinished ones included.
    pub missed: u64,
    /// Jobs and tasks that were submitted for it to its scheduler, which admits or refuses each; 0 for a thread without tasks whose jobs are not admitted.
    pub submitted: u64,
    /// Those that its scheduler refused to admit, by reason; such jobs are not among those released.
    pub refusals: Refusals,
    /// Admitted jobs and tasks that its scheduler named as lost, whether they were done all the same or not.
    pub lost: u64,
    /// The first of those, by name.
    pub lost_tasks: LostTasks,
    /// Its tasks by their ends.
    pub tasks: TaskCounts,
    /// Tasks that it submitted, as a process does, and did not finish by their deadlines.
    pub late_tasks: LateTasks,
    /// Whether any of its jobs had a deadline.
    pub due: bool,
    /// Response times of jobs done.
    pub response: Response,
    /// The first ten of them, in order, for comparison with other tools.
    pub first: Vec<Span>,
    /// Longest stretch ready without running.
    pub gap: Span,
    /// Longest interval between two completions.
    pub interval: Span,
    /// Intervals between completions longer than the counted limit.
    pub intervals_above: u64,
    /// How often that limit fits into intervals between two completions as a whole.
    pub limits_in_intervals: u64,
    /// The figures that the scheduler above it kept for it, until it ended, and those that it told of itself.
    pub stats: Figures,
    /// The figures that it told of itself.
    reported: Figures,
    /// The stretches in which it saw itself running, in order, if a host keeps them: each from its
    /// first reading of the clock to the last one before a gap.
    pub stretches: Vec<(Instant, Instant)>,
    interval_limit: Option<Span>,
    /// When it completed last.
    completion: Option<Instant>,
}

impl ThreadOutcome {
    /// The results of a thread that has received nothing so far.
    #[must_use]
    pub fn new(name: &str, promised: Option<&str>) -> ThreadOutcome {
        let (name, promised) = (name.to_owned(), promised.map(str::to_owned));
        ThreadOutcome { name, promised, ..ThreadOutcome::default() }
    }

    /// Adds the results of another thread, as if both were one. Response times are left out, since those of
    /// different threads do not add up to anything.
    pub fn add(&mut self, other: &ThreadOutcome) {
        self.received += other.received;
        self.visits.count += other.visits.count;
        self.visits.waited += other.visits.waited;
        self.visits.served += other.visits.served;
        self.runnable += other.runnable;
        self.wakeups += other.wakeups;
        self.dispatches += other.dispatches;
        self.preemptions += other.preemptions;
        self.migrations += other.migrations;
        self.released += other.released;
        self.completed += other.completed;
        self.aborted += other.aborted;
        self.missed += other.missed;
        self.submitted += other.submitted;
        self.refusals.no_time += other.refusals.no_time;
        self.refusals.full += other.refusals.full;
        self.refusals.other += other.refusals.other;
        self.lost += other.lost;
        self.tasks = self.tasks.and(other.tasks);
        self.late_tasks.add(other.late_tasks);
        self.gap = self.gap.max(other.gap);
    }

    /// Sets a figure that it reports about itself; this replaces the earlier value.
    pub fn report(&mut self, name: &'static str, count: Count) {
        match self.reported.iter_mut().find(|(known, _)| *known == name) {
            Some((_, before)) => *before = count,
            None => self.reported.push((name, count)),
        }
    }

    /// The figures that it reported about itself, each as it reported it last.
    #[must_use]
    pub fn reported(&self) -> &[(&'static str, Count)] {
        &self.reported
    }

    /// The figures of the scheduler above it are these; its own come after them.
    pub fn counted(&mut self, mut stats: Figures) {
        stats.extend(self.reported.iter().copied());
        self.stats = stats;
    }

    /// Counts intervals between completions that exceed `limit`.
    pub const fn watch_intervals(&mut self, limit: Span) {
        self.interval_limit = Some(limit);
    }

    /// Counts a released job, which may have a deadline.
    #[inline]
    pub const fn release(&mut self, due: bool) {
        self.released += 1;
        self.due |= due;
    }

    /// A job was given up.
    pub const fn abort(&mut self) {
        self.aborted += 1;
        self.missed += 1;
    }

    /// Counts the completion of a job that was released at `release`, which may be `late`.
    #[inline]
    pub fn complete(&mut self, release: Instant, now: Instant, late: bool) {
        let response = now - release;
        self.completed += 1;
        self.missed += u64::from(late);
        self.response.record(response);
        if self.first.len() < 10 {
            self.first.push(response);
        }
        if let Some(last) = self.completion {
            let interval = now - last;
            self.interval = self.interval.max(interval);
            self.intervals_above +=
                u64::from(self.interval_limit.is_some_and(|limit| interval > limit));
            self.limits_in_intervals +=
                self.interval_limit.and_then(|limit| interval.checked_div(limit)).unwrap_or(0);
        }
        self.completion = Some(now);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn law_intervals_are_between_completions() {
        let at = |ms| Instant::ZERO + Span::from_millis(ms);
        let mut thread = ThreadOutcome::new("a", None);
        thread.watch_intervals(Span::from_millis(10));
        for (release, now, late) in [(0, 3, false), (10, 14, true), (20, 24, false)] {
            thread.complete(at(release), at(now), late);
        }
        assert_eq!((thread.completed, thread.missed, thread.intervals_above), (3, 1, 1));
        assert_eq!(thread.limits_in_intervals, 2);
        assert_eq!(thread.interval, Span::from_millis(11));
        assert_eq!(thread.first, [3, 4, 4].map(Span::from_millis));
    }
}
