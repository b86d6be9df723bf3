//! A thread under supervision, as the kernel has it. What the hierarchy knows of it is with the host, and what lets it run with the carrier.

use crate::restore::log::Former;
use crate::threads::heard::Heard;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};
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

/// A thread under supervision.
pub(crate) struct Body {
    pub(crate) kind: Kind,
    /// What the kernel knows it as.
    pub(crate) tid: i32,
    /// What a foreign thread was before us, and is to be after us.
    pub(crate) former: Option<Former>,
    /// What was heard of where a foreign thread starts.
    pub(crate) start: Heard,
    /// When the kernel's last word about it was spoken; older ones are not believed.
    pub(crate) heard: Instant,
    /// What a trace calls it, once it has been declared.
    pub(crate) traced: Option<windfall_trace::ThreadId>,
}

impl Body {
    pub(crate) fn new(kind: Kind, tid: i32) -> Body {
        Body { kind, tid, former: None, start: Heard::BEFORE, heard: Instant::ZERO, traced: None }
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
