//! Threads and what they run, by name.

use super::external::External;
use super::requirements::Requirements;
use super::scheduler::Setting;
use windfall_programs::catalogue::Kind;
use windfall_programs::{self as programs, Interaction};
use windfall_time::{Instant, Span};

/// A thread, or several that are alike.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Thread {
    /// Its name; no scheduler and no other thread has it.
    pub name: String,
    /// `None`: one thread NAME. `Some(n)`: NAME-1 to NAME-n, where NAME refers to all of them.
    pub count: Option<u32>,
    /// The scheduler above it; `None`: the default.
    pub parent: Option<String>,
    /// Its requirements there.
    pub requires: Requirements,
    /// The program of a real machine whose threads this stands for, if any.
    pub external: Option<External>,
    /// Its program; for an external program, the model that simulation and analysis use.
    pub run: Run,
    /// When it is created.
    pub start: Instant,
    /// How much of the cache it uses.
    pub working_set_kib: u64,
}

/// The work of a thread.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Run {
    /// Computes for ever from an instant on.
    Spin {
        /// From when.
        from: Instant,
    },
    /// Jobs.
    Jobs(Jobs),
    /// Phases in order, the whole `loops` times; `None`: for ever.
    Phases {
        /// How often.
        loops: Option<u64>,
        /// The phases; at least one.
        phases: Vec<Phase>,
    },
    /// The behaviour of a thread in a recording.
    Recorded {
        /// The trace, relative to the scenario's folder.
        file: String,
        /// The thread's name in it, or `#TID`.
        thread: String,
    },
    /// A program of a kind, by its name in the scenario's catalogue.
    OfKind {
        /// The kind.
        kind: String,
        /// Its settings, in alphabetical order.
        settings: Vec<(String, Setting)>,
    },
    /// The behaviour in the stored profile of that name. Only for an external program.
    Profile(String),
    /// Unknown. Only for an external program.
    Unknown,
}

/// A sequence of jobs, which may follow those of another thread by name.
pub type Jobs = programs::Jobs<programs::Names>;

/// When jobs are released.
pub type Activation = programs::Activation<programs::Names>;

/// A phase whose steps refer to others by name.
pub type Phase = programs::Phase<programs::Names>;

/// A step that refers to others by name. A name is that of a lock, of a condition or of a barrier, never of two kinds.
pub type Step = programs::Step<programs::Names>;

impl Thread {
    /// One thread below a scheduler, from the beginning on.
    #[must_use]
    pub fn new(name: &str, parent: &str, requires: Requirements, run: Run) -> Thread {
        Thread {
            name: name.to_owned(),
            count: None,
            parent: Some(parent.to_owned()),
            requires,
            external: None,
            run,
            start: Instant::ZERO,
            working_set_kib: 0,
        }
    }

    /// This number of threads, called NAME-1 and so on.
    #[must_use]
    pub const fn count(mut self, count: u32) -> Thread {
        self.count = Some(count);
        self
    }

    /// The same, created at that time.
    #[must_use]
    pub const fn start(mut self, start: Instant) -> Thread {
        self.start = start;
        self
    }

    /// The same, with this working set.
    #[must_use]
    pub const fn working_set_kib(mut self, kib: u64) -> Thread {
        self.working_set_kib = kib;
        self
    }

    /// The same, for threads of a program of a real machine.
    #[must_use]
    pub fn external(mut self, external: External) -> Thread {
        self.external = Some(external);
        self
    }

    /// The names of the threads that this stands for, in order.
    pub fn names(&self) -> impl Iterator<Item = String> + '_ {
        let alone = self.count.is_none().then(|| self.name.clone());
        let many = (1..=self.count.unwrap_or(0)).map(|n| format!("{}-{n}", self.name));
        alone.into_iter().chain(many)
    }
}

impl Run {
    /// Computes for ever.
    #[must_use]
    pub const fn spin() -> Run {
        Run::Spin { from: Instant::ZERO }
    }

    /// A program of a kind, with its default settings.
    #[must_use]
    pub fn of_kind(kind: &Kind) -> Run {
        Run::OfKind { kind: kind.name.to_owned(), settings: Vec::new() }
    }

    /// This work in every period, due at the next release.
    #[must_use]
    pub const fn periodic(work: Span, period: Span) -> Run {
        Run::Jobs(Jobs::periodic(work, period))
    }

    /// All its steps, in order; none if the program does not consist of steps.
    pub fn all_steps(&self) -> impl Iterator<Item = &Step> {
        let phases = match self {
            Run::Phases { phases, .. } => phases.as_slice(),
            _ => &[],
        };
        phases.iter().flat_map(|phase| &phase.steps)
    }

    /// Whether its steps take this lock.
    #[must_use]
    pub fn takes(&self, lock: &str) -> bool {
        self.all_steps()
            .any(|step| matches!(step.interaction(), Interaction::Takes(taken) if taken == lock))
    }

    /// Whether its steps request something for itself.
    pub(crate) fn requests(&self) -> bool {
        self.all_steps().any(|step| matches!(step.interaction(), Interaction::Requests(_)))
    }

    /// Repeats these steps for ever.
    #[must_use]
    pub fn steps(steps: Vec<Step>) -> Run {
        Run::Phases { loops: None, phases: vec![Phase::new("main", steps)] }
    }
}
