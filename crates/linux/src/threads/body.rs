//! A supervised thread as the kernel knows it. The host has the hierarchy's view of it, the carrier what lets it run.

use crate::restore::log::Former;
use crate::threads::heard::Heard;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};
use windfall_os::futex::Gate;
use windfall_time::Instant;

/// State that an in-process program's thread shares with the supervisor.
#[derive(Default)]
pub(crate) struct InProcess {
    /// The gate where it waits while it may not run.
    pub(crate) gate: Gate,
    /// Whether it must go to its gate although it computes.
    pub(crate) hold: AtomicBool,
    /// Whether it must stop its present work and ask for its next step.
    pub(crate) give_up: AtomicBool,
    /// Whether it records the stretches in which it sees itself running; and those, once it has ended.
    pub(crate) keeps: bool,
    pub(crate) kept: Mutex<Vec<(Instant, Instant)>>,
}

/// The two kinds of supervised threads.
#[derive(Clone)]
pub(crate) enum Kind {
    /// A thread of this process, which decides in its own calls.
    InProcess(Arc<InProcess>),
    /// A thread of another process: the process, and the entry of its program.
    External { pid: i32, program: usize },
}

/// A supervised thread.
pub(crate) struct Body {
    pub(crate) kind: Kind,
    /// Its id in the kernel; 0 before it exists.
    pub(crate) tid: i32,
    /// An external thread's settings before the run, to be restored after it.
    pub(crate) former: Option<Former>,
    /// Where an external thread starts, as far as that is known.
    pub(crate) start: Heard,
    /// Time of the latest information about it; older events are ignored.
    pub(crate) heard: Instant,
    /// Its number in the trace, once it is declared there.
    pub(crate) traced: Option<windfall_trace::ThreadId>,
}

impl Body {
    pub(crate) fn new(kind: Kind, tid: i32) -> Body {
        Body { kind, tid, former: None, start: Heard::BEFORE, heard: Instant::ZERO, traced: None }
    }

    pub(crate) const fn is_external(&self) -> bool {
        matches!(self.kind, Kind::External { .. })
    }

    /// Its process.
    pub(crate) fn pid(&self) -> i32 {
        match self.kind {
            Kind::InProcess(_) => std::process::id().cast_signed(),
            Kind::External { pid, .. } => pid,
        }
    }
}
