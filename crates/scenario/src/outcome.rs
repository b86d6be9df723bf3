//! The outcome of a run on any host, compared with promises and expectations.
//!
//! A host counts into these while it runs. Nothing here knows how a host works.
//! Read next: `outcome/thread.rs` (what is counted), `outcome/watch.rs` (promises, judged while they
//! are kept), `outcome/judge.rs` (expectations). Crate `report` presents it.

mod accounts;
mod failure;
mod figures;
mod group;
mod judge;
mod late_tasks;
mod lost_tasks;
mod promise;
mod refused;
mod requested;
mod response;
mod tasks;
mod thread;
mod watch;

pub use crate::check::EARLIER;
pub use accounts::Accounts;
pub use failure::RunError;
pub use figures::{Figures, count, plain};
pub use group::{Group, groups};
pub use judge::{Verdict, holds, judge};
pub use late_tasks::LateTasks;
pub use lost_tasks::{LostTask, LostTasks};
pub use promise::{Promise, PromiseStatus, PromiseVerdict};
pub use refused::Refused;
pub use requested::{all_promises, broken_bounds, promises, refusals};
pub(crate) use requested::{held_promises, promises_and_refusals, requested_promises};
pub use response::Response;
pub use tasks::TaskCounts;
pub use thread::{Refusals, ThreadOutcome};
pub use watch::{Use, Watch};

use windfall_time::{Instant, Span};

/// Everything that was counted.
// Fields: one for each part of an outcome; most are keys of its JSON document, too.
#[derive(Default, Debug)]
#[non_exhaustive]
pub struct Outcome {
    /// The machine of the run as text: `1 processor, precise timer, simulated, seed 7`.
    pub machine: String,
    /// How long it lasted.
    pub length: Span,
    /// Notifications delivered to schedulers.
    pub notifications: u64,
    /// Events sent to the hierarchy.
    pub decisions: u64,
    /// Records written to the trace.
    pub records: u64,
    /// By thread, in order of adding.
    pub threads: Vec<ThreadOutcome>,
    /// By scheduler, in order of creation; destroyed ones included.
    pub nodes: Vec<NodeOutcome>,
    /// By processor.
    pub cpus: Vec<CpuOutcome>,
    /// By station of a simulated machine.
    pub stations: Vec<StationOutcome>,
    /// Schedulers that broke the protocol: name and how.
    pub quarantined: Vec<(String, String)>,
    /// Requests of threads and users that were refused: when and why.
    pub refused: Vec<(Instant, String)>,
    /// Threads that no scheduler admitted, the default included, and those that did not start.
    pub not_admitted: Vec<String>,
    /// Of these, the ones that did not start: a program that cannot be executed, or a process that is not there.
    pub not_started: Vec<String>,
    /// The threads that are left at the end of a simulation without further events: each
    /// waits for another of them, or for no thread. Empty if events were still possible, and on real threads.
    pub waiting: Vec<String>,
    /// The verdict on each judged promise, in the order of the requests.
    pub promises: Vec<PromiseVerdict>,
    /// The counts of event-driven processes.
    pub processes: windfall_programs::Counts,
    /// The error that ended the run early.
    pub failure: Option<RunError>,
    /// How closely real threads followed the decisions; `None` on a simulated machine.
    pub supervision: Option<Supervision>,
}

/// How closely real threads followed the decisions.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
#[non_exhaustive]
pub struct Supervision {
    /// The source of the host's events of threads, as text.
    pub events: String,
    /// How many of these events were lost.
    pub lost: u64,
    /// The largest delay with which a timer or a job's release was handled.
    pub lag: Span,
    /// The same, without the time in which the processor is known to have stood still, or to have been had by an interrupt for
    /// 0.2 ms and more, or by threads that outrank all of ours (the kernel's, and ordinary ones that its fair server serves).
    pub lag_without_steal: Span,
    /// The total time for which processors stood still: a hypervisor had them, whether it reports that or not. `None`: such is
    /// not seen.
    pub steal: Option<Span>,
    /// Processor time that supervised threads used without a grant.
    pub leaked: Span,
    /// The threads and interrupts that were moved off the processors for the run, and those that were not.
    pub claimed: Claimed,
    /// Notes about the run itself for its user, with their times.
    pub remarks: Vec<(Instant, String)>,
    /// Why the run ended early without a request.
    pub cut_short: Option<String>,
}

/// Threads and interrupts that a run on a real machine has moved off its processors; all are restored when the run ends.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
#[non_exhaustive]
pub struct Claimed {
    /// The machine's processors that it has claimed.
    pub processors: Vec<u16>,
    /// How many threads it has moved to others when it began.
    pub threads: usize,
    /// How many interrupts.
    pub interrupts: usize,
    /// The rest that has stayed there, and the means to move it.
    pub stays: Vec<String>,
    /// The consequence if a supervised processor could not be claimed.
    pub remark: Option<String>,
}

/// The time that the threads below one scheduler received.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct NodeOutcome {
    /// Its name.
    pub name: String,
    /// Its kind.
    pub kind: String,
    /// Its parents, each once; none when it is at the top.
    pub parents: Vec<String>,
    /// Processor time that threads received while they were below it, through any parent.
    pub received: Span,
    /// Whether it was alive at the end.
    pub alive: bool,
    /// The figures that it kept while it existed.
    pub stats: Figures,
}

/// The uses of one processor's time; the parts add up to the length of the run.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct CpuOutcome {
    /// Threads.
    pub received: Span,
    /// Idle time.
    pub idle: Span,
    /// Switching.
    pub switching: Span,
    /// Scheduling.
    pub scheduling: Span,
    /// Interrupts of all kinds.
    pub stolen: Span,
    /// Standing still while a visit waits at a station.
    pub station_wait: Span,
    /// Standing still while a station serves it.
    pub station_service: Span,
}

/// The result for one station of a simulated machine.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
#[non_exhaustive]
pub struct StationOutcome {
    /// Its name.
    pub name: String,
    /// The visits that have begun, and their time up to the end of the run.
    pub visits: Visits,
    /// The longest wait of a visit.
    pub longest_wait: Span,
}

impl StationOutcome {
    /// A station that nobody has visited.
    #[must_use]
    pub fn new(name: &str) -> StationOutcome {
        StationOutcome { name: name.to_owned(), ..StationOutcome::default() }
    }
}

/// Visits of stations, and the time that processors stood still for them.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
#[non_exhaustive]
pub struct Visits {
    /// How many have begun.
    pub count: u64,
    /// Time spent waiting for a turn.
    pub waited: Span,
    /// Time spent being served.
    pub served: Span,
}
