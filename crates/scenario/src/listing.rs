//! A run in progress: its processors, its tree, its threads and the status of their promises, as a host reports it
//! to clients. Times are in nanoseconds.

use crate::outcome::PromiseStatus;
use serde::{Deserialize, Serialize};

/// A run, its processors, its tree and its threads.
// Fields: keys of a JSON document, which stand beside each other there.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Listing {
    /// The process that supervises.
    pub pid: u32,
    /// The name of the run: its file.
    pub name: String,
    /// How long it has run, and its planned length.
    pub now_ns: u64,
    /// How long it is to run in all.
    pub end_ns: u64,
    /// The length over which `last_ns` is counted: a second, or less when the run is younger.
    pub last_ns: u64,
    /// The frequency at which timers expire; `None`: at any time.
    pub tick_ns: Option<u64>,
    /// The default scheduler.
    pub default: Option<String>,
    /// Events sent to the hierarchy.
    pub decisions: u64,
    /// The longest that a timer or a job's release was served after it was due, so far.
    #[serde(default)]
    pub lag_ns: u64,
    /// The same, without the time for which the processor was not available to the run.
    #[serde(default)]
    pub lag_without_steal_ns: u64,
    /// Whether events of the kernel were lost: findings since then are uncertain.
    pub lost: bool,
    /// The processors.
    pub cpus: Vec<Processor>,
    /// The schedulers that there are.
    pub nodes: Vec<Node>,
    /// The threads, ended ones included.
    pub threads: Vec<Thread>,
}

/// Processor time since the run began, and in the last interval.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Account {
    /// Since the run began.
    pub ns: u64,
    /// In the last interval: the run's `last_ns`.
    pub last_ns: u64,
}

/// One processor and the uses of its time.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Processor {
    /// Its number in the machine.
    pub number: u16,
    /// The thread that it is granted to.
    pub granted: Option<String>,
    /// Threads.
    pub received: Account,
    /// Deciding: the agents of supervision.
    pub scheduling: Account,
    /// Interrupts.
    pub stolen: Account,
    /// The rest of the system, and idle time.
    pub rest: Account,
    /// Threads while they were not granted; it is part of `received`.
    pub leaked: Account,
}

/// A scheduler.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Node {
    /// Its name.
    pub name: String,
    /// Its kind.
    pub kind: String,
    /// Its own virtual processors.
    pub owns: Vec<OwnVp>,
    /// The time that threads received while they were below it.
    pub received: Account,
    /// Its own figures: `epochs`, `windfall_ns`.
    pub counted: Vec<(String, u64)>,
    /// Whether it broke the protocol and was replaced.
    pub quarantined: bool,
    /// Its promises and their status.
    pub promises: Vec<Promised>,
}

/// An own virtual processor of a scheduler.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct OwnVp {
    /// Its parent; `None` for the top.
    pub parent: Option<String>,
    /// `waiting`, `ready` or `running`.
    pub state: String,
}

/// A thread.
// Fields: keys of a JSON document, which stand beside each other there.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Thread {
    /// Its name.
    pub name: String,
    /// Its number in the kernel.
    pub tid: i32,
    /// The scheduler above it; `None` before it starts and after it ends.
    pub parent: Option<String>,
    /// `waiting`, `ready`, `running`, `frozen`, `ended` or `not-started`.
    pub state: String,
    /// The processor that it is granted.
    pub cpu: Option<u16>,
    /// The time that it received.
    pub received: Account,
    /// How long it could run.
    pub runnable_ns: u64,
    /// Jobs done.
    pub completed: u64,
    /// Deadlines missed.
    pub missed: u64,
    /// The longest time that it was ready without running.
    pub gap_ns: u64,
    /// The figures that the scheduler above it keeps for it.
    pub counted: Vec<(String, u64)>,
    /// Its promises and their status.
    pub promises: Vec<Promised>,
}

/// How a promise stands.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LiveStatus {
    /// Kept in all windows.
    Met,
    /// Its owner was never runnable.
    #[default]
    #[serde(rename = "not-asking")]
    Unused,
    /// Its owner was never runnable for long enough.
    NotTested,
    /// Its owner got more than a hard reservation allows.
    Over,
    /// Broken by stolen time.
    Stolen,
    /// Broken by the cost of switching and deciding.
    Overhead,
    /// Broken by the schedulers.
    Missed,
    /// It is not judged: the tree has changed, or events were lost.
    Unknown,
}

impl From<PromiseStatus> for LiveStatus {
    fn from(status: PromiseStatus) -> LiveStatus {
        match status {
            PromiseStatus::Unused => LiveStatus::Unused,
            PromiseStatus::NotTested => LiveStatus::NotTested,
            PromiseStatus::Kept => LiveStatus::Met,
            PromiseStatus::Exceeded => LiveStatus::Over,
            PromiseStatus::Stolen => LiveStatus::Stolen,
            PromiseStatus::Overhead => LiveStatus::Overhead,
            PromiseStatus::Missed => LiveStatus::Missed,
        }
    }
}

/// A promise and how it fares.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Promised {
    /// The guarantee.
    pub guarantee: String,
    /// The share of a processor in the long run, in millionths; `None` if it implies none.
    pub share_ppm: Option<u64>,
    /// Whether the checker has granted it.
    pub granted: bool,
    /// How it stands.
    pub standing: LiveStatus,
    /// The finding as text, when it is not met: `1.2ms short in 20ms from 3s`.
    pub why: Option<String>,
}
