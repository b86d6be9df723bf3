#![doc = include_str!("../README.md")]
//!
//! # Inside
//!
//! Crate `exchange` carries data between processes, without a lock; here are handles, errors, clocks and threads.
//! `process_thread.rs` is a process as its body sees it, `system.rs` what all share, `node.rs` a node and the messages to it, `controller.rs` the thread of a node
//! that posts what is due later or comes from elsewhere, `devices.rs` the thread of a node that waits for its devices. A
//! node is a set of processors. Templates, and making processes, are under a lock.
//!
//! When all is to end, a process that waits is woken and never answered: its body is dropped where it stands.
//!
//! The kernel decides among the threads: they are ordinary ones, or real-time ones by priority. Where a hierarchy is to decide, the
//! same bodies are programs of a scenario (crate `linux`), or a run supervises the process that calls [`run`].
//!
//! Read next: `system.rs`, `process_thread.rs`, then the crate `exchange`.
#![forbid(unsafe_code)]

mod controller;
mod devices;
mod ended;
mod node;
mod process_thread;
mod sleep;
mod system;
mod watch;

pub use devices::Arrivals;
pub use ended::{Failed, Lateness};

use devices::{Devices, NodeDevice};
use std::sync::Arc;
use system::System;
use windfall_os::clock;
use windfall_os::sched::{Affinity, Attributes};
pub use windfall_os::{LinuxError, LinuxErrorKind};
use windfall_programs::{Code, Counts, Device, Node, ProcessParams};
use windfall_time::{Instant, Span};

/// How processes are to run.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Settings {
    /// The processors of each node; none: one node, with all that this process may use.
    pub nodes: Vec<Vec<u16>>,
    /// The seed of handles.
    pub seed: u64,
    /// After this all ends; `None`: when the last process has exited.
    pub length: Option<Span>,
    /// The real-time priority (SCHED_FIFO) of processes of priority 0 in their [`ProcessParams`]; the others follow above, and then the nodes'
    /// controllers. `None`: all are ordinary threads, and priorities say nothing.
    pub real_time: Option<u32>,
    devices: Vec<NodeDevice>,
}

impl Settings {
    /// The same, with a device of a node, whose posts bring the number of the arrival.
    #[must_use]
    pub fn device(self, node: Node, device: Device, arrivals: Arrivals) -> Settings {
        self.with(NodeDevice { node, device, arrivals, datum: None })
    }

    /// The same, with a device of a node, whose posts bring this datum.
    #[must_use]
    pub fn device_with(
        self,
        node: Node,
        device: Device,
        arrivals: Arrivals,
        datum: u64,
    ) -> Settings {
        self.with(NodeDevice { node, device, arrivals, datum: Some(datum) })
    }

    fn with(mut self, device: NodeDevice) -> Settings {
        self.devices.push(device);
        self
    }

    /// The same, with one more node, which has these processors.
    #[must_use]
    pub fn node(mut self, processors: impl Into<Vec<u16>>) -> Settings {
        self.nodes.push(processors.into());
        self
    }

    /// The same, with handles made of this.
    #[must_use]
    pub const fn seed(mut self, seed: u64) -> Settings {
        self.seed = seed;
        self
    }

    /// The same, for so long at most.
    #[must_use]
    pub const fn length(mut self, length: Span) -> Settings {
        self.length = Some(length);
        self
    }

    /// The same, with real-time threads from this priority on.
    #[must_use]
    pub const fn real_time(mut self, priority: u32) -> Settings {
        self.real_time = Some(priority);
        self
    }
}

/// The result of a run.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Ended {
    /// When time began for the processes, on the machine's clock (CLOCK_MONOTONIC).
    pub began: Instant,
    /// Counters.
    pub counts: Counts,
    /// Processes that ended otherwise than by returning, and why.
    pub failures: Vec<Failed>,
    /// How late timers were.
    pub lateness: Lateness,
    /// Processes that had not ended by themselves.
    pub unfinished: u32,
}

/// Runs a first process on node 0, and all that it makes, until all have exited or the time is over.
///
/// # Errors
/// When a node has no processor or one that this process may not use, or a thread cannot be made.
pub fn run<C: Code>(settings: &Settings, first: C) -> Result<Ended, LinuxError> {
    let mut nodes = Vec::new();
    for cpus in &settings.nodes {
        nodes.push(processors(cpus)?);
    }
    if nodes.is_empty() {
        let all =
            Affinity::of(0).map_err(|e| LinuxError::of("cannot read the affinity", &e, ""))?;
        nodes.push(all);
    }
    if let Some(lowest) = settings.real_time {
        let highest = node::controller_priority(lowest);
        let tried = std::thread::spawn(move || Attributes::fifo(highest).give(0)).join();
        let advice = "run it as root, with a lowest priority from 1 to 95";
        tried.unwrap_or(Ok(())).map_err(|e| {
            LinuxError::of(format!("cannot take the real-time priority {highest}"), &e, advice)
        })?;
    }
    let devices = Devices::of(&settings.devices, nodes.len())?;
    let system = Arc::new(System::new(settings.seed, nodes, devices, settings.real_time));
    let controllers = controller::begin(&system)?;
    let watching = devices::begin(&system);
    let watching = match watching {
        Ok(watching) => watching,
        Err(why) => {
            controller::end(&system, controllers);
            return Err(why);
        }
    };
    let begun = process_thread::begin(&system, Node(0), ProcessParams::default(), first);
    let unfinished = match &begun {
        Ok(_) => system.wait_for_end(settings.length.map(|length| clock::now() + length)),
        Err(_) => 0,
    };
    let lateness = controller::end(&system, controllers);
    devices::end(&system, watching);
    begun.map_err(|error| {
        LinuxError::new("cannot start the first process", error.to_string(), "look at `ulimit -u`")
    })?;
    let (counts, failures) = system.close_books();
    Ok(Ended { began: system.epoch, counts, failures, lateness, unfinished })
}

/// The processors of a node.
fn processors(cpus: &[u16]) -> Result<Affinity, LinuxError> {
    let all = Affinity::of(0).map_err(|e| LinuxError::of("cannot read the affinity", &e, ""))?;
    let mut node = Affinity::default();
    for cpu in cpus {
        if !all.has(*cpu) {
            let what = format!("cannot use processor {cpu} for a node");
            let why = "this process may not run there";
            return Err(LinuxError::unavailable(what, why, "choose another"));
        }
        node.add(*cpu);
    }
    if cpus.is_empty() {
        return Err(LinuxError::new(
            "a node has no processor",
            "none is named",
            "name one at least",
        ));
    }
    Ok(node)
}
