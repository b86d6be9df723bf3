//! What a run came to, on whatever host, and whether that is what was promised and expected.
//!
//! A host counts into these while it runs. Nothing here knows how a host works.
//! Read next: `outcome/thread.rs` (what is counted), `outcome/watch.rs` (promises, judged while they
//! are kept), `outcome/judge.rs` (expectations). Crate `report` says how it is told.

mod accounts;
mod failure;
mod figures;
mod group;
mod judge;
mod promise;
mod requested;
mod response;
mod thread;
mod watch;

pub use crate::check::EARLIER;
pub use accounts::Accounts;
pub use failure::RunError;
pub use figures::{Figures, plain};
pub use group::{Group, groups};
pub use judge::{Verdict, holds, judge};
pub use promise::{Promise, PromiseStatus, PromiseVerdict};
pub(crate) use requested::requested_promises;
pub use requested::{Refused, all_promises, broken_bounds, promises, refusals};
pub use response::Response;
pub use thread::ThreadOutcome;
pub use watch::{Use, Watch};

use windfall_time::{Instant, Span};

/// Everything that was counted.
// Fields: one for each part of an outcome; most are keys of its JSON document, too.
#[derive(Default, Debug)]
#[non_exhaustive]
pub struct Outcome {
    /// What the run was carried out on, in words: `1 processor, precise timer, simulated, seed 7`.
    pub machine: String,
    /// How long it lasted.
    pub length: Span,
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
    pub not_admitted: Vec<String>,
    /// The threads that are left at the end of a simulation in which nothing could happen any more: each
    /// waits for another of them, or for nobody. Empty where anything could happen, and on real threads.
    pub waiting: Vec<String>,
    /// How each promise fared that was to be judged, in the order of asking.
    pub promises: Vec<PromiseVerdict>,
    /// What was counted of event-driven processes.
    pub processes: windfall_programs::Counts,
    /// What ended the run early.
    pub failure: Option<RunError>,
    /// How well real threads were kept to what was decided; `None` on a simulated machine.
    pub supervision: Option<Supervision>,
}

/// How well real threads were kept to what was decided.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
#[non_exhaustive]
pub struct Supervision {
    /// Where the host heard of what threads do, in words.
    pub events: String,
    /// How many of these events were lost.
    pub lost: u64,
    /// The longest that a timer or a job's release was seen to after it was due.
    pub lag: Span,
    /// The same, without the time in which the processor is known to have stood still, or to have been had by an interrupt for
    /// 0.2 ms and more, or by threads that outrank all of ours (the kernel's, and ordinary ones that its fair server serves).
    pub lag_without_steal: Span,
    /// For how long processors stood still, all together: a hypervisor had them, whether it says so or not. `None`: such is
    /// not seen.
    pub steal: Option<Span>,
    /// Processor time that supervised threads had while it was not granted to them.
    pub leaked: Span,
    /// What was moved off the processors for the run, and what was not.
    pub claimed: Claimed,
    /// What its user should know of the run itself, and when it was so.
    pub remarks: Vec<(Instant, String)>,
    /// Why the run ended before its time, where nobody had asked for that.
    pub cut_short: Option<String>,
}

/// What a run on a real machine has moved off its processors; all of it is given back when the run ends.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
#[non_exhaustive]
pub struct Claimed {
    /// The machine's processors that it has claimed.
    pub processors: Vec<u16>,
    /// How many threads it has moved to others when it began.
    pub threads: usize,
    /// How many interrupts.
    pub interrupts: usize,
    /// What has stayed there, and what it takes to move that.
    pub stays: Vec<String>,
    /// What follows where a supervised processor could not be claimed.
    pub remark: Option<String>,
}

/// What the threads below one scheduler got.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
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
    /// What it counted of itself, while it was.
    pub stats: Figures,
}

/// Where one processor's time went; the parts add up to the length of the run.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
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
