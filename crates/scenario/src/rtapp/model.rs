//! The content of an rt-app file, field for field, with rt-app's defaults if it has any.

use std::fmt;
use windfall_time::Span;

/// A file.
#[derive(Clone, PartialEq, Debug, Default)]
#[non_exhaustive]
pub struct RtApp {
    /// Properties of the whole run.
    pub global: Global,
    /// The tasks in order.
    pub tasks: Vec<Task>,
    /// Names of the resources that older files declare.
    pub resources: Vec<String>,
    /// Doubtful parts that were accepted.
    pub warnings: Vec<EntryError>,
}

/// `global`.
// Fields: keys of an rt-app file, which stand beside each other there.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct Global {
    /// How long to run; `None` until every task is done.
    pub duration: Option<Span>,
    /// `CPU0`, or nanoseconds per loop as digits.
    pub calibration: Option<String>,
    /// The policy of tasks that name none.
    pub default_policy: Policy,
    /// Whether mutexes inherit priorities.
    pub pi_enabled: bool,
    /// Whether memory is locked; rt-app's code defaults to yes, its manual states both.
    pub lock_pages: bool,
    /// Where logs go.
    pub logdir: String,
    /// How logs are called.
    pub log_basename: String,
    /// Megabytes, or `file`, `disable`, `auto`.
    pub log_size: Option<String>,
    /// The events marked in the kernel's trace: `none`, or some of `main,task,run,loop,stats`.
    pub ftrace: String,
    /// Whether plots are prepared.
    pub gnuplot: bool,
    /// Where `iorun` writes to.
    pub io_device: Option<String>,
    /// Bytes of the buffer of `mem` and `iorun`.
    pub mem_buffer_size: u64,
    /// Whether slack adds up over the events of a loop.
    pub cumulative_slack: bool,
    /// The line of `pi_enabled`; 0 where it is not written.
    pub pi_line: u32,
}

impl Default for Global {
    fn default() -> Global {
        Global {
            duration: None,
            calibration: None,
            default_policy: Policy::Other,
            pi_enabled: false,
            lock_pages: true,
            logdir: "./".to_owned(),
            log_basename: "rt-app".to_owned(),
            log_size: None,
            ftrace: "none".to_owned(),
            gnuplot: false,
            io_device: None,
            mem_buffer_size: 4_194_304,
            cumulative_slack: false,
            pi_line: 0,
        }
    }
}

/// One entry of `tasks`.
#[derive(Clone, PartialEq, Debug, Default)]
#[non_exhaustive]
pub struct Task {
    /// Its key.
    pub name: String,
    /// How many threads it makes; 0 when it only starts by `fork`.
    pub instance: u32,
    /// The line of that; the task's where it is not written.
    pub instance_line: u32,
    /// How long after the start its threads begin.
    pub delay: Span,
    /// How often it goes through its phases; `None` for ever.
    pub loops: Option<u64>,
    /// Its line in the file.
    pub line: u32,
    /// How it is scheduled.
    pub scheduling: Scheduling,
    /// Its phases; events directly in the task are one phase without a name.
    pub phases: Vec<Phase>,
}

impl Task {
    /// The phases that its threads reach: none after one that loops for ever.
    #[must_use]
    pub fn reached(&self) -> &[Phase] {
        let endless = self.phases.iter().position(|phase| phase.loops.is_none());
        &self.phases[..endless.map_or(self.phases.len(), |last| last + 1)]
    }
}

/// One entry of `phases`.
#[derive(Clone, PartialEq, Debug, Default)]
#[non_exhaustive]
pub struct Phase {
    /// Its key.
    pub name: String,
    /// How often it is done before the next; `None` for ever.
    pub loops: Option<u64>,
    /// Its line in the file.
    pub line: u32,
    /// The changes of its scheduling from here on.
    pub scheduling: Scheduling,
    /// Its events, in order.
    pub events: Vec<Event>,
}

/// How a task is scheduled; what is `None` stays as it was.
// Fields: keys of an rt-app file, which stand beside each other there.
#[derive(Clone, PartialEq, Debug, Default)]
#[non_exhaustive]
pub struct Scheduling {
    /// The class.
    pub policy: Option<Policy>,
    /// Nice value, or real-time priority (10 if a real-time class names none).
    pub priority: Option<i32>,
    /// Budget; under `SCHED_OTHER` a request for a slice.
    pub dl_runtime: Option<Span>,
    /// Period.
    pub dl_period: Option<Span>,
    /// Deadline.
    pub dl_deadline: Option<Span>,
    /// The processors it may use.
    pub cpus: Option<Vec<u32>>,
    /// Utilisation clamp from below, at most 1024.
    pub util_min: Option<u16>,
    /// Utilisation clamp from above, at most 1024.
    pub util_max: Option<u16>,
    /// The memory nodes it may use.
    pub nodes_membind: Option<Vec<u32>>,
    /// Its control group.
    pub taskgroup: Option<String>,
    /// The written keys, by their present names, each with its line.
    pub lines: Vec<(&'static str, u32)>,
}

/// A reservation of SCHED_DEADLINE.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Reservation {
    /// Budget of a period.
    pub runtime: Span,
    /// Period; the budget, if not given.
    pub period: Span,
    /// Deadline; the period, if not given.
    pub deadline: Span,
}

impl Scheduling {
    /// The line of a key; `None` where it is not written.
    #[must_use]
    pub fn line(&self, key: &str) -> Option<u32> {
        self.lines.iter().find(|(name, _)| *name == key).map(|(_, line)| *line)
    }

    /// The reservation with rt-app's defaults filled in; `None` without `dl-runtime`.
    #[must_use]
    pub fn reservation(&self) -> Option<Reservation> {
        let runtime = self.dl_runtime?;
        let period = self.dl_period.unwrap_or(runtime);
        Some(Reservation { runtime, period, deadline: self.dl_deadline.unwrap_or(period) })
    }
}

/// A scheduling class.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Policy {
    /// `SCHED_OTHER`.
    Other,
    /// `SCHED_BATCH`.
    Batch,
    /// `SCHED_IDLE`.
    Idle,
    /// `SCHED_RR`.
    RoundRobin,
    /// `SCHED_FIFO`.
    Fifo,
    /// `SCHED_DEADLINE`.
    Deadline,
}

impl Policy {
    /// Whether it is one of the policies of the fair scheduler.
    #[must_use]
    pub const fn is_fair(self) -> bool {
        matches!(self, Policy::Other | Policy::Batch | Policy::Idle)
    }
}

/// One thing that a phase does.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Event {
    /// Its key (`run`, `run2`, `timer_a`).
    pub name: String,
    /// Its line in the file.
    pub line: u32,
    /// Its action.
    pub action: Action,
}

/// The action of an event.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Action {
    /// Work that takes this long on the calibrated processor.
    Run(Span),
    /// Work until this much time has passed on the processor.
    Runtime(Span),
    /// Wait this long.
    Sleep(Span),
    /// Wait for the next period.
    Timer {
        /// The timer's name; one that starts with `unique` is the thread's own.
        reference: String,
        /// The period.
        period: Span,
        /// Whether a late period leaves the grid where it was, so that lateness carries over.
        absolute: bool,
    },
    /// Write so many bytes to memory.
    Memory(u64),
    /// Write this number of bytes to the device.
    Io(u64),
    /// Go through memory in a pattern.
    MemoryRun {
        /// `read`, `write` or `chase`.
        kind: String,
        /// Bytes of the buffer.
        size: u64,
        /// How many accesses.
        count: u64,
        /// Bytes between two of them.
        stride: u64,
        /// `random` or `sequential`.
        pattern: String,
        /// The buffer's name.
        reference: Option<String>,
    },
    /// Take a mutex.
    Lock(String),
    /// Give a mutex back.
    Unlock(String),
    /// Wake one that waits.
    Signal(String),
    /// Wake all that wait.
    Broadcast(String),
    /// Wait on a condition.
    Wait {
        /// The condition.
        reference: String,
        /// The mutex that is released meanwhile.
        mutex: String,
    },
    /// Signal a condition, then wait on it.
    Sync {
        /// The condition.
        reference: String,
        /// The mutex.
        mutex: String,
    },
    /// Wait until all that use the barrier are there.
    Barrier(String),
    /// Raise a semaphore.
    SemaphorePost(String),
    /// Lower a semaphore, waiting if it is 0.
    SemaphoreWait(String),
    /// Wait for a resume of one's own task; rt-app ignores the value.
    Suspend,
    /// Resume a suspended thread of the named task.
    Resume(String),
    /// Start an instance of a task.
    Fork(String),
    /// Let others go first.
    Yield,
}

/// How keys that are given twice in an object are read.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub enum Duplicates {
    /// Each in its place, as `workgen` does.
    #[default]
    InOrder,
    /// The last value in the first place, as rt-app's own parser does.
    JsonC,
}

/// An error or a doubtful part, and its place.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct EntryError {
    /// From 1.
    pub line: u32,
    /// From 1, in characters.
    pub column: u32,
    /// The mistake, and a correction.
    pub text: String,
}

impl fmt::Display for EntryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.line, self.column, self.text)
    }
}

impl std::error::Error for EntryError {}

/// Why a file was not read: all problems, in order.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct RtAppError {
    /// At least one.
    pub problems: Vec<EntryError>,
}

impl fmt::Display for RtAppError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, problem) in self.problems.iter().enumerate() {
            let separator = if number == 0 { "" } else { "\n" };
            write!(f, "{separator}rt-app: {problem}")?;
        }
        Ok(())
    }
}

impl std::error::Error for RtAppError {}
