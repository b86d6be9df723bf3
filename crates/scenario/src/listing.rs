//! A run as it is under way: its processors, its tree, its threads and how their promises stand, as a host reports it
//! to clients. Times are in nanoseconds.

use serde::{Deserialize, Serialize};

/// A run, its processors, its tree and its threads.
// Fields: keys of a JSON document, which stand beside each other there.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Listing {
    /// The process that supervises.
    pub pid: u32,
    /// What the run is called: its file.
    pub name: String,
    /// How long it has run, and how long it is to.
    pub now_ns: u64,
    /// How long it is to run in all.
    pub end_ns: u64,
    /// Over how long `last_ns` is counted: a second, less when the run is younger.
    pub last_ns: u64,
    /// How often timers go off; `None`: at any time.
    pub tick_ns: Option<u64>,
    /// The default scheduler.
    pub default: Option<String>,
    /// Events told to the hierarchy.
    pub decisions: u64,
    /// The longest that a timer or a job's release was served after it was due, so far.
    #[serde(default)]
    pub lag_ns: u64,
    /// The same, without the time for which the processor was not the run's.
    #[serde(default)]
    pub lag_without_steal_ns: u64,
    /// Whether events of the kernel were lost: what was found since is not sure.
    pub lost: bool,
    /// The processors.
    pub cpus: Vec<Processor>,
    /// The schedulers that there are.
    pub nodes: Vec<Node>,
    /// The threads, ended ones included.
    pub threads: Vec<Thread>,
}

/// How much, since the run began and lately.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Account {
    /// Since the run began.
    pub ns: u64,
    /// Lately: over the run's `last_ns`.
    pub last_ns: u64,
}

/// One processor and where its time went.
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
    /// The rest of the system, and nobody.
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
    /// What the threads below it got while they stood there.
    pub received: Account,
    /// What it counts of itself: `epochs`, `windfall_ns`.
    pub counted: Vec<(String, u64)>,
    /// Whether it broke the protocol and was replaced.
    pub quarantined: bool,
    /// What it was promised, and how that fares.
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
    /// The scheduler above it; `None` when it is not there yet, or no longer.
    pub parent: Option<String>,
    /// `waiting`, `ready`, `running`, `frozen`, `ended` or `not-started`.
    pub state: String,
    /// The processor that it is on.
    pub cpu: Option<u16>,
    /// What it got.
    pub received: Account,
    /// How long it could run.
    pub runnable_ns: u64,
    /// Jobs done.
    pub completed: u64,
    /// Deadlines missed.
    pub missed: u64,
    /// The longest time that it could run and did not.
    pub gap_ns: u64,
    /// What the scheduler above it counts of it.
    pub counted: Vec<(String, u64)>,
    /// What it was promised, and how that fares.
    pub promises: Vec<Promised>,
}

/// How a promise stands.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LiveStatus {
    /// Kept in all windows.
    Met,
    /// Its owner is not runnable, or has not been for long enough.
    #[default]
    NotAsking,
    /// Its owner got more than a hard reservation allows.
    Over,
    /// Broken.
    Missed,
    /// Nobody judges it: the tree has changed, or events were lost.
    Unknown,
}

/// A promise and how it fares.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Promised {
    /// What is promised.
    pub guarantee: String,
    /// Which share of a processor that is in the long run, in millionths; `None` where it says none.
    pub share_ppm: Option<u64>,
    /// Whether the checker has granted it.
    pub granted: bool,
    /// How it stands.
    pub standing: LiveStatus,
    /// What was found, in words, when it is not met: `1.2ms short in 20ms from 3s`.
    pub why: Option<String>,
}
