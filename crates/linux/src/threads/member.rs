//! A thread under supervision.

use crate::restore::log::Former;
use crate::threads::starts::Heard;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};
use windfall_hierarchy::{Message, NodeId, ThreadId};
use windfall_os::freezer::Brake;
use windfall_os::futex::Gate;
use windfall_scenario::model::ThreadMatch;
use windfall_scenario::outcome::ThreadOutcome;
use windfall_time::Instant;

/// What a thread of the scenario asks for, and every thread of its program with it.
#[derive(Clone)]
pub(crate) struct ThreadSpec {
    pub(crate) name: String,
    pub(crate) parent: NodeId,
    pub(crate) messages: Vec<Message>,
    pub(crate) promised: Option<String>,
    /// Which threads of its program are meant.
    pub(crate) threads: ThreadMatch,
}

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
    /// A thread that knows nothing of us: its process, the entry of its program, and the entry that it belongs to.
    External { pid: i32, program: usize, spec: usize },
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
pub(crate) struct Member {
    pub(crate) kind: Kind,
    /// What the hierarchy knows it as; `None` before its birth and after its end.
    pub(crate) id: Option<ThreadId>,
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
    /// Whether the hierarchy has been told that it can run.
    pub(crate) ready: bool,
    /// An own program that waits at its gate, or is about to.
    pub(crate) parked: bool,
    /// The group that freezes it, once it has one; and whether it is frozen.
    pub(crate) freezer: Freezing,
    pub(crate) frozen: bool,
    /// When the kernel's last word about it was spoken; older ones are not believed.
    pub(crate) heard: Instant,
    /// The processor that it is on.
    pub(crate) on: Option<usize>,
    /// Since when it could run, and since when it could and does not.
    pub(crate) awake: Instant,
    pub(crate) unserved: Option<Instant>,
    /// The processor that it was last on.
    pub(crate) last: Option<usize>,
    /// The job that it is at: its release and its deadline.
    pub(crate) job: Option<(Instant, Option<Instant>)>,
    /// Whether its scheduler has a use for messages about jobs.
    pub(crate) tells: bool,
    /// What a trace calls it, once it has been told of.
    pub(crate) traced: Option<windfall_trace::ThreadId>,
    /// Whether nothing is known of its work but bursts, from wake-up to wait.
    pub(crate) bursts: bool,
    pub(crate) outcome: ThreadOutcome,
}

impl Member {
    pub(crate) fn new(kind: Kind, tid: i32, name: &str, promised: Option<&str>) -> Member {
        let parked = matches!(kind, Kind::InProcess(_));
        Member {
            kind,
            id: None,
            tid,
            former: None,
            start: Heard::BEFORE,
            fifo_priority: 0,
            place: None,
            ready: false,
            parked,
            freezer: Freezing::Never,
            frozen: false,
            heard: Instant::ZERO,
            on: None,
            awake: Instant::ZERO,
            unserved: None,
            last: None,
            job: None,
            tells: true,
            traced: None,
            bursts: true,
            outcome: ThreadOutcome::new(name, promised),
        }
    }

    /// Whether it is a thread of the program of that entry.
    pub(crate) fn belongs_to(&self, entry: usize) -> bool {
        matches!(self.kind, Kind::External { spec, .. } if spec == entry)
    }

    pub(crate) const fn is_external(&self) -> bool {
        matches!(self.kind, Kind::External { .. })
    }
}
