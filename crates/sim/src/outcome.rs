//! What a simulation found.

use crate::cpu::theft_index;
use crate::promises::PromiseVerdict;
use crate::run::Sim;
use crate::stats::Response;
use crate::thread::Condition;
use core::fmt;
use windfall_time::{Instant, Span};
use windfall_trace::Theft;

/// Everything that was counted.
#[derive(Debug)]
pub struct Outcome {
    /// How long was simulated.
    pub simulated: Span,
    /// Notifications delivered to schedulers.
    pub notifications: u64,
    /// Events told to the hierarchy.
    pub decisions: u64,
    /// Records written to the trace.
    pub records: u64,
    /// By thread, in order of adding.
    pub threads: Vec<ThreadOutcome>,
    /// By scheduler, in order of creation; destroyed ones included.
    pub nodes: Vec<NodeOutcome>,
    /// By processor.
    pub cpus: Vec<CpuOutcome>,
    /// Schedulers that broke the protocol: name and how.
    pub quarantined: Vec<(String, String)>,
    /// Requests of threads and users that were refused: when and why.
    pub refused: Vec<(Instant, String)>,
    /// Threads that no scheduler would have, the default included.
    pub unborn: Vec<String>,
    /// How each promise fared that was to be judged, in the order of asking.
    pub promises: Vec<PromiseVerdict>,
    /// What ended the simulation early.
    pub failure: Option<Failure>,
}

/// What one thread got.
#[derive(Debug)]
pub struct ThreadOutcome {
    /// Its name.
    pub name: String,
    /// The scheduler above it at the end, its own or the simulation's, by name; `None` when it
    /// never was.
    pub parent: Option<String>,
    /// What it was promised.
    pub promised: Option<String>,
    /// Processor time received.
    pub received: Span,
    /// Time that it was ready or running.
    pub runnable: Span,
    /// How often it became runnable.
    pub wakeups: u64,
    /// How often it was put on a processor.
    pub dispatches: u64,
    /// How often it lost a processor that it could have used.
    pub preemptions: u64,
    /// How often it was put on another processor than before.
    pub migrations: u64,
    /// Jobs released; 0 for programs without jobs.
    pub released: u64,
    /// Jobs done; for programs without jobs, bursts from wake-up to wait.
    pub completed: u64,
    /// Jobs given up at their deadline.
    pub aborted: u64,
    /// Jobs not done by their deadline, unfinished ones included.
    pub missed: u64,
    /// Whether any of its jobs had a deadline.
    pub due: bool,
    /// Response times of jobs done.
    pub response: Response,
    /// The first ten of them.
    pub first: Vec<Span>,
    /// Longest stretch ready without running.
    pub gap: Span,
    /// Longest interval between two completions.
    pub interval: Span,
    /// Intervals between completions longer than the limit that was watched for.
    pub intervals_above: u64,
}

/// What the threads below one scheduler got.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NodeOutcome {
    /// Its name.
    pub name: String,
    /// Its kind.
    pub kind: String,
    /// Its parents, each once; none when it stands at the top.
    pub parents: Vec<String>,
    /// Processor time that threads received while they stood below it, through whatever parent.
    pub received: Span,
    /// Whether it was alive at the end.
    pub alive: bool,
}

/// Where one processor's time went; the parts add up to the simulated time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CpuOutcome {
    /// Threads.
    pub received: Span,
    /// Nobody.
    pub idle: Span,
    /// Switching.
    pub switching: Span,
    /// Scheduling.
    pub scheduling: Span,
    /// Interrupts of all kinds.
    pub stolen: Span,
}

/// Why a simulation could not go on, or begin.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Failure {
    /// The machine and the hierarchy differ in their processors.
    Processors {
        /// The machine's.
        machine: usize,
        /// The hierarchy's.
        hierarchy: usize,
    },
    /// The speeds have no common measure that fits 64 bits.
    Speeds,
    /// A program acts for ever without time passing.
    Stuck {
        /// Whose.
        thread: String,
        /// When.
        at: Instant,
    },
    /// A thread's jobs wait for it in ever greater numbers.
    Backlog {
        /// Whose.
        thread: String,
        /// How many wait.
        jobs: usize,
        /// When.
        at: Instant,
    },
    /// So many notes of schedulers were lost, and with them jobs to be given up; a defect of ours.
    Journal(u64),
    /// A program unlocks what it has not locked.
    NotOwner {
        /// Whose.
        thread: String,
        /// When.
        at: Instant,
    },
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Processors { machine, hierarchy } => write!(
                f,
                "the machine has {machine} processors and the hierarchy {hierarchy}; give both the \
                 same number, at least 1"
            ),
            Failure::Speeds => f.write_str(
                "the processors' speeds have no common measure that fits; use fractions with \
                 small denominators, above 0",
            ),
            Failure::Stuck { thread, at } => write!(
                f,
                "thread `{thread}` acts for ever at {at} without computing or waiting; add a `run` \
                 or `sleep` step to its loop"
            ),
            Failure::Backlog { thread, jobs, at } => write!(
                f,
                "{jobs} jobs of thread `{thread}` wait for it at {at}; give it less work, a longer \
                 period, or `late = \"abort\"`"
            ),
            Failure::Journal(lost) => write!(f, "{lost} notes of schedulers were lost"),
            Failure::NotOwner { thread, at } => {
                write!(f, "thread `{thread}` unlocks a lock at {at} that it has not locked")
            }
        }
    }
}

impl std::error::Error for Failure {}

impl Sim<'_> {
    /// Closes the books.
    ///
    /// # Panics
    /// When a processor's time does not add up, which would be a defect of this crate.
    pub(crate) fn finish(mut self) -> Outcome {
        let (now, end) = (self.now, self.now);
        if self.hierarchy.journal_lost() > 0 {
            self.failure.get_or_insert(Failure::Journal(self.hierarchy.journal_lost()));
        }
        for cpu in 0..self.cpus.len() {
            self.account(cpu);
            let accounted = self.cpus[cpu].accounted();
            assert_eq!(accounted, now - Instant::ZERO, "time of processor {cpu} is not conserved");
        }
        let nodes = self.nodes();
        let promises = self.promise_verdicts();
        let parents: Vec<Option<String>> = self.threads.iter().map(|t| self.parent(t.id)).collect();
        let quarantined = self.hierarchy.quarantined().iter();
        let quarantined = quarantined.map(|(_, name, defect)| (name.clone(), defect.to_string()));
        let received: Span = self.threads.iter().fold(Span::ZERO, |sum, t| sum + t.stats.received);
        let worked = self.cpus.iter().fold(Span::ZERO, |sum, cpu| sum + cpu.work);
        assert_eq!(received, worked, "what threads received is not what processors gave");

        let threads = self.threads.drain(..).zip(parents).map(|(mut thread, parent)| {
            if thread.condition == Condition::Runnable {
                thread.stats.runnable += now - thread.awake;
                if let Some(since) = thread.unserved {
                    thread.stats.gap = thread.stats.gap.max(now - since);
                }
            }
            let open = thread.job.iter().chain(&thread.backlog);
            let late = open.filter(|job| job.deadline.is_some_and(|deadline| deadline <= end));
            thread.stats.missed += u64::try_from(late.count()).unwrap_or(u64::MAX);
            let (spec, stats) = (thread.spec, thread.stats);
            ThreadOutcome {
                name: spec.name,
                parent: parent.or(thread.last_parent),
                promised: spec.promised,
                received: stats.received,
                runnable: stats.runnable,
                wakeups: stats.wakeups,
                dispatches: stats.dispatches,
                preemptions: stats.preemptions,
                migrations: stats.migrations,
                released: stats.released,
                completed: stats.completed,
                aborted: stats.aborted,
                missed: stats.missed,
                due: stats.due,
                response: stats.response,
                first: stats.first,
                gap: stats.gap,
                interval: stats.interval,
                intervals_above: stats.intervals_above,
            }
        });
        let cpus = self.cpus.iter().map(|cpu| CpuOutcome {
            received: cpu.work,
            idle: cpu.idle,
            switching: cpu.stolen[theft_index(Theft::Switching)],
            scheduling: cpu.stolen[theft_index(Theft::Scheduling)],
            stolen: cpu.stolen[..3].iter().fold(Span::ZERO, |sum, part| sum + *part),
        });
        Outcome {
            simulated: now - Instant::ZERO,
            notifications: self.hierarchy.notifications(),
            decisions: self.decisions,
            records: self.tracer.records,
            threads: threads.collect(),
            nodes,
            cpus: cpus.collect(),
            quarantined: quarantined.collect(),
            refused: std::mem::take(&mut self.refused),
            unborn: std::mem::take(&mut self.unborn),
            promises,
            failure: self.failure.take(),
        }
    }

    pub(crate) fn parent(&self, thread: Option<windfall_hierarchy::ThreadId>) -> Option<String> {
        let parent = self.hierarchy.parent_of(thread?).ok()?;
        self.hierarchy.name(parent).map(str::to_owned)
    }
}
