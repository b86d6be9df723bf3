//! This machine, as the host of a hierarchy is given it: processors, threads, what the kernel has seen of them, and what
//! is written down of a run.

use crate::account::cpu::Cpu;
use crate::carrier::fifo::Fifo;
use crate::carrier::wakes::Wakes;
use crate::carrier::{Caller, Carrier, Moment, Switch};
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
use windfall_os::events::Timer;
use windfall_scenario::outcome::Claimed;
use windfall_time::{Instant, Span};

/// The machine.
// Fields: what a host of a live machine has to know is much, and each part is used by itself: behind fewer names it would be no less.
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
}

/// What the kernel has seen, and the host has not been told.
#[derive(Default)]
pub(crate) struct Heard {
    /// Whether the host is being told.
    pub(crate) under_way: bool,
    /// Events of the kernel, and how many of them were applied.
    pub(crate) batch: Vec<rings::Event>,
    pub(crate) applied: usize,
    /// What the last of them means to the host.
    pub(crate) events: VecDeque<Event>,
}

/// The threads of a run, by the host's numbers.
#[derive(Default)]
pub(crate) struct Threads {
    pub(crate) bodies: Vec<Body>,
    /// From the kernel's numbers to ours.
    pub(crate) tids: FxHashMap<i32, u32>,
    /// Whether own programs keep their stretches.
    pub(crate) keeps: bool,
}

/// Programs of the machine, and who looks after them.
#[derive(Default)]
pub(crate) struct External {
    pub(crate) programs: Programs,
    pub(crate) round: Round,
    pub(crate) work: WorkQueue,
    /// Threads of ours that serve the run, our guardian among them.
    pub(crate) agents: Vec<i32>,
}

/// Whose turn it is to be looked at, and since when.
#[derive(Default)]
pub(crate) struct Round {
    pub(crate) next: usize,
    pub(crate) pending: i32,
    pub(crate) last: Instant,
}

/// The instant of settling that is under way.
#[derive(Default)]
pub(crate) struct Step {
    /// Whether the clock runs.
    pub(crate) started: bool,
    /// Who has the lock.
    pub(crate) caller: Caller,
    /// Gates that were opened, to be told of before the lock is given up.
    pub(crate) wakes: Wakes,
    /// What processors are to do, while that is put together.
    pub(crate) switches: Vec<Switch>,
}

/// What is to be said of the run itself.
#[derive(Default)]
pub(crate) struct Log {
    pub(crate) remarks: Vec<(Instant, String)>,
    /// Why it ended before its time.
    pub(crate) cut_short: Option<String>,
    /// The longest that something was seen to after it was due.
    pub(crate) lag: Span,
    /// The same, without the time for which the processor was not ours.
    pub(crate) lag_without_steal: Span,
    /// How many events of the kernel were lost.
    pub(crate) lost: u64,
    /// What was moved off the processors for this run.
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
        let external = External::default();
        let carrier = Box::new(Fifo::new(cpus, external.work.clone()));
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
        })
    }

    /// The clock starts; what was seen before does not count.
    pub(crate) fn start(&mut self, trace: Trace) {
        let seen = self.rings.take();
        self.rings.reuse(seen);
        self.step.started = true;
        self.clock = Clock::begin();
        for cpu in 0..self.cpus.len() {
            let stolen = self.rings.taken(cpu);
            self.cpus[cpu].restart(stolen);
        }
        self.cpus[0].occupant = crate::account::cpu::Running::Supervisor; // the event loop, which calls us
        self.trace = trace;
    }

    /// Has the carrier do something, as of this moment.
    pub(crate) fn carry<T>(
        &mut self,
        threads: &[Thread],
        act: impl FnOnce(&mut dyn Carrier, Moment<'_>) -> T,
    ) -> T {
        let moment = Moment { wakes: &mut self.step.wakes, threads, clock: &self.clock };
        act(self.carrier.as_mut(), moment)
    }

    /// Whether a thread has the processor that it is bound to from the hierarchy.
    pub(crate) fn is_granted(&self, number: u32) -> bool {
        let place = self.carrier.place(number);
        place.is_some_and(|cpu| self.cpus[cpu].actual == Some(number))
    }

    /// Up to when all is known that the kernel had to say of a thread; `None` while it is frozen, when that is our doing.
    pub(crate) fn heard(&self, number: u32) -> Option<Instant> {
        let thawed = self.carrier.thawed(number)?;
        Some(thawed.max(self.threads.bodies[number as usize].heard))
    }

    /// Leaves something for the /proc worker.
    pub(crate) fn send(&mut self, item: WorkItem) {
        self.external.work.send(item, &mut self.step.wakes);
    }

    /// The body of a thread.
    pub(crate) fn body(&mut self, number: u32) -> &mut Body {
        &mut self.threads.bodies[number as usize]
    }
}
