//! This machine as the host sees it: processors, threads, kernel events about them, and the records of a run.

use crate::account::cpu::Cpu;
use crate::carrier::wakes::Wakes;
use crate::carrier::{self, Caller, Carrier, Moment, Switch};
use crate::restore::log::RestoreLog;
use crate::supervise::clock::{Alarm, Clock};
use crate::supervise::records::Trace;
use crate::supervise::work::{WorkItem, WorkQueue};
use crate::threads::body::Body;
use crate::threads::programs::Programs;
use rustc_hash::FxHashMap;
use std::collections::VecDeque;
use std::sync::Arc;
use windfall_host::{Event, Thread};
use windfall_observe::rings::{self, Rings};
use windfall_os::LinuxError;
use windfall_os::events::{EventFd, Timer};
use windfall_scenario::outcome::Claimed;
use windfall_time::{Instant, Span};

/// State of the machine during a run.
// Fields: a host of a live machine has much state, and each part is used by itself. Grouping would hide nothing.
pub(crate) struct Linux {
    pub(crate) clock: Clock,
    pub(crate) alarm: Alarm,
    pub(crate) cpus: Vec<Cpu>,
    pub(crate) carrier: Box<dyn Carrier>,
    pub(crate) rings: Rings,
    pub(crate) heard: Heard,
    pub(crate) threads: Threads,
    pub(crate) external: External,
    pub(crate) step: Step,
    pub(crate) log: Log,
    pub(crate) trace: Trace,
    pub(crate) restore_log: Arc<RestoreLog>,
    /// Is readable when notices wait for clients of the control socket.
    pub(crate) noticed: Arc<EventFd>,
}

/// Kernel events that have been read and not yet passed to the host.
#[derive(Default)]
pub(crate) struct Heard {
    /// Whether a batch is being passed to the host.
    pub(crate) under_way: bool,
    /// Events of the kernel, and how many of them have been applied.
    pub(crate) batch: Vec<rings::Event>,
    pub(crate) applied: usize,
    /// Events of the host that the last applied one has caused.
    pub(crate) events: VecDeque<Event>,
}

/// The threads of a run, by the host's numbers.
#[derive(Default)]
pub(crate) struct Threads {
    pub(crate) bodies: Vec<Body>,
    /// Maps the kernel's thread ids to the host's numbers.
    pub(crate) tids: FxHashMap<i32, u32>,
    /// Whether in-process programs record the stretches in which they ran.
    pub(crate) keeps: bool,
}

/// External programs, and the threads of this process that serve the run.
#[derive(Default)]
pub(crate) struct External {
    pub(crate) programs: Programs,
    pub(crate) round: Round,
    pub(crate) work: WorkQueue,
    /// Kernel ids of our threads that serve the run, and of the guardian.
    pub(crate) agents: Vec<i32>,
}

/// The periodic audit of external threads: which one is next, and the time of the last.
#[derive(Default)]
pub(crate) struct Round {
    pub(crate) next: usize,
    pub(crate) pending: i32,
    pub(crate) last: Instant,
}

/// State of the settling that is under way.
#[derive(Default)]
pub(crate) struct Step {
    /// Whether the run's clock has started.
    pub(crate) started: bool,
    /// The thread that holds the lock.
    pub(crate) caller: Caller,
    /// Gates that were opened; their threads are woken before the lock is given up.
    pub(crate) wakes: Wakes,
    /// Switches of processors, while they are collected.
    pub(crate) switches: Vec<Switch>,
}

/// Facts about the run itself, for its outcome.
#[derive(Default)]
pub(crate) struct Log {
    pub(crate) remarks: Vec<(Instant, String)>,
    /// Why the run ended early, if it did.
    pub(crate) cut_short: Option<String>,
    /// Longest delay with which the supervisor served something that was due.
    pub(crate) lag: Span,
    /// The same, without the time in which the processor was stolen from us.
    pub(crate) lag_without_steal: Span,
    /// Number of kernel events that were lost.
    pub(crate) lost: u64,
    /// The claim of processors: threads and settings that were moved off, or stayed.
    pub(crate) claimed: Claimed,
}

impl Linux {
    pub(crate) fn new(
        cpus: &[u16],
        rings: Rings,
        restore_log: Arc<RestoreLog>,
    ) -> Result<Linux, LinuxError> {
        let timer =
            Timer::new().map_err(|e| LinuxError::of("cannot make a timer", &e, "free some"))?;
        let noticed = EventFd::new()
            .map_err(|e| LinuxError::of("cannot make an event descriptor", &e, "free some"))?;
        let external = External::default();
        let carrier = carrier::make(cpus, external.work.clone());
        Ok(Linux {
            clock: Clock::begin(),
            alarm: Alarm::new(timer),
            cpus: cpus.iter().map(|number| Cpu::new(*number)).collect(),
            carrier,
            rings,
            heard: Heard::default(),
            threads: Threads::default(),
            external,
            step: Step::default(),
            log: Log::default(),
            trace: Trace::default(),
            restore_log,
            noticed: Arc::new(noticed),
        })
    }

    /// Starts the clock and discards earlier kernel events.
    pub(crate) fn start(&mut self, trace: Trace) {
        let seen = self.rings.take();
        self.rings.reuse(seen);
        self.step.started = true;
        self.clock = Clock::begin();
        for cpu in 0..self.cpus.len() {
            let stolen = self.rings.taken(cpu);
            self.cpus[cpu].restart(stolen);
        }
        self.cpus[0].occupant = crate::account::cpu::Running::Supervisor; // the event loop, which is the caller
        self.trace = trace;
    }

    /// Calls the carrier with the state of this moment.
    pub(crate) fn carry<T>(
        &mut self,
        threads: &[Thread],
        act: impl FnOnce(&mut dyn Carrier, Moment<'_>) -> T,
    ) -> T {
        let moment = Moment { wakes: &mut self.step.wakes, threads, clock: &self.clock };
        act(self.carrier.as_mut(), moment)
    }

    /// Whether a thread is granted the processor that it is bound to.
    pub(crate) fn is_granted(&self, number: u32) -> bool {
        let place = self.carrier.place(number);
        place.is_some_and(|cpu| self.cpus[cpu].actual == Some(number))
    }

    /// Kernel events of a thread up to this instant are out of date. `None` while it is frozen: then we cause them ourselves.
    pub(crate) fn heard(&self, number: u32) -> Option<Instant> {
        let thawed = self.carrier.thawed(number)?;
        Some(thawed.max(self.threads.bodies[number as usize].heard))
    }

    /// Queues an item for the /proc worker.
    pub(crate) fn send(&mut self, item: WorkItem) {
        self.external.work.send(item, &mut self.step.wakes);
    }

    /// The body of a thread.
    pub(crate) fn body(&mut self, number: u32) -> &mut Body {
        &mut self.threads.bodies[number as usize]
    }
}
