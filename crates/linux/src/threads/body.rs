//! A thread under supervision, as the kernel has it. What the hierarchy knows of it is with the host.

use crate::restore::log::Former;
use crate::threads::starts::Heard;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};
use windfall_os::freezer::Brake;
use windfall_os::futex::Gate;
use windfall_time::Instant;

/// What an own program's thread shares with its supervisor.
#[derive(Default)]
pub(crate) struct InProcess {
    /// Where it waits while it may not run.
    pub(crate) gate: Gate,
    /// Whether it is to go to its gate although it computes.
    pub(crate) hold: AtomicBool,
    /// Whether it is to leave the work that it is at and ask anew.
    pub(crate) give_up: AtomicBool,
    /// Whether it is to keep the stretches in which it sees itself running; and those, once it has ended.
    pub(crate) keeps: bool,
    pub(crate) kept: Mutex<Vec<(Instant, Instant)>>,
}

/// Who a member is to the kernel.
#[derive(Clone)]
pub(crate) enum Kind {
    /// A thread of our own process, which decides in its own calls.
    InProcess(Arc<InProcess>),
    /// A thread that knows nothing of us: its process, and the entry of its program.
    External { pid: i32, program: usize },
}

/// What freezes a thread.
pub(crate) enum Freezing {
    /// It never had to be frozen.
    Never,
    /// A group is being made, or cannot be.
    Asked,
    /// Its group.
    Group(Arc<Brake>),
}

/// A thread under supervision.
pub(crate) struct Body {
    pub(crate) kind: Kind,
    /// What the kernel knows it as.
    pub(crate) tid: i32,
    /// What a foreign thread was before us, and is to be after us.
    pub(crate) former: Option<Former>,
    /// What was heard of where a foreign thread starts.
    pub(crate) start: Heard,
    /// The priority that it has.
    pub(crate) fifo_priority: u32,
    /// The processor (of the scenario) that it is pinned to.
    pub(crate) place: Option<usize>,
    /// An own program that waits at its gate, or is about to.
    pub(crate) parked: bool,
    /// The group that freezes it, once it has one; and whether it is frozen.
    pub(crate) freezer: Freezing,
    pub(crate) frozen: bool,
    /// When the kernel's last word about it was spoken; older ones are not believed.
    pub(crate) heard: Instant,
    /// What a trace calls it, once it has been declared.
    pub(crate) traced: Option<windfall_trace::ThreadId>,
}

impl Body {
    pub(crate) fn new(kind: Kind, tid: i32) -> Body {
        let parked = matches!(kind, Kind::InProcess(_));
        Body {
            kind,
            tid,
            former: None,
            start: Heard::BEFORE,
            fifo_priority: 0,
            place: None,
            parked,
            freezer: Freezing::Never,
            frozen: false,
            heard: Instant::ZERO,
            traced: None,
        }
    }

    pub(crate) const fn is_external(&self) -> bool {
        matches!(self.kind, Kind::External { .. })
    }

    /// The process that it belongs to.
    pub(crate) fn pid(&self) -> i32 {
        match self.kind {
            Kind::InProcess(_) => std::process::id().cast_signed(),
            Kind::External { pid, .. } => pid,
        }
    }
}
