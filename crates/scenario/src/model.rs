//! The content of a scenario: plain data, names instead of numbers, no positions.
//!
//! Invariant: a value that [`parse`](crate::Scenario) returned has been checked; one that was made in code is
//! checked by [`check`](crate::Scenario::check) and again by [`build`](crate::Scenario::build).
//! Read next: `model/thread.rs`, `model/external.rs`, `model/request.rs`, `model/expect.rs`, then `build.rs`.

mod expect;
mod external;
mod lock;
mod machine;
mod own;
mod request;
mod requirements;
mod scheduler;
mod station;
mod thread;

pub use expect::{Bound, Expectation, Level, Quantity, Statistic, Subject, Whole};
pub use external::{External, ExternalProgram, Start, ThreadMatch};
pub use lock::Lock;
pub use machine::{Cache, Claim, Costs, Interrupts, Machine, Pattern, Timer};
pub(crate) use own::{parameter_of, request_for};
pub use request::{Change, Request, Whom};
pub use requirements::Requirements;
pub use scheduler::{Attachment, Parent, Scheduler, Setting};
pub use station::{Station, StationCall};
pub use thread::{Activation, Jobs, Phase, Run, Step, Thread};

use crate::processors::AtTop;
use crate::source::Origin;
use windfall_programs::LockProtocol;
use windfall_programs::catalogue::Catalogue as Programs;
use windfall_schedulers::catalogue::{Catalogue, Kind};
use windfall_time::{Instant, Span};

/// The seed of a scenario that names none. A constant, so that equal files mean equal runs.
pub(crate) const SEED: u64 = 1;

/// A machine, its schedulers, its threads, the events during a run, and the expected results.
// Fields: one for each part of a file; a user finds each under its key.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Scenario {
    /// The question that the scenario answers.
    pub question: Option<String>,
    /// The answer that its author found.
    pub answer: Option<String>,
    /// The seed of all random numbers.
    pub seed: u64,
    /// The clock's value at the beginning; all other times count from there.
    pub epoch: Instant,
    /// How long it lasts; above zero.
    pub length: Span,
    /// The machine.
    pub machine: Machine,
    /// Sources of interrupts, which take processor time without being threads.
    pub interrupts: Vec<Interrupts>,
    /// The schedulers, parents before or after children.
    pub schedulers: Vec<Scheduler>,
    /// The parent of threads that name none; the first scheduler when absent.
    pub default: Option<String>,
    /// The threads.
    pub threads: Vec<Thread>,
    /// The protocols of locks that the threads' steps take.
    pub locks: Vec<Lock>,
    /// Requests of users while it runs, in any order.
    pub requests: Vec<Request>,
    /// Expectations, judged at the end.
    pub expectations: Vec<Expectation>,
    /// Whether this is the state of a run: the phase of its reservations' periods is then unknown.
    pub under_way: bool,
    /// In the state of a run: the processor of each own virtual processor at the top, by scheduler and
    /// number.
    pub(crate) at_top: AtTop,
    /// The kinds of schedulers, by name.
    pub catalogue: Catalogue,
    /// The kinds of programs, by name.
    pub programs: Programs,
    /// The position of each part in its file. Any two maps are equal.
    pub origin: Origin,
}

impl Scenario {
    /// An ideal machine of one processor without threads: the starting point of a scenario that is made in code.
    #[must_use]
    pub fn new(length: Span) -> Scenario {
        Scenario {
            question: None,
            answer: None,
            seed: SEED,
            epoch: Instant::ZERO,
            length,
            machine: Machine::ideal(1),
            interrupts: Vec::new(),
            schedulers: Vec::new(),
            default: None,
            threads: Vec::new(),
            locks: Vec::new(),
            requests: Vec::new(),
            expectations: Vec::new(),
            under_way: false,
            at_top: AtTop::new(),
            catalogue: Catalogue::default(),
            programs: crate::Catalogues::default().programs,
            origin: Origin::default(),
        }
    }

    /// The same, on this machine.
    #[must_use]
    pub fn machine(mut self, machine: Machine) -> Scenario {
        self.machine = machine;
        self
    }

    /// The same, with random numbers from this seed.
    #[must_use]
    pub const fn seed(mut self, seed: u64) -> Scenario {
        self.seed = seed;
        self
    }

    /// The same, with one more source of interrupts.
    #[must_use]
    pub fn interrupts(mut self, source: Interrupts) -> Scenario {
        self.interrupts.push(source);
        self
    }

    /// The same, with one more scheduler.
    #[must_use]
    pub fn scheduler(mut self, scheduler: Scheduler) -> Scenario {
        self.schedulers.push(scheduler);
        self
    }

    /// The same, with one more thread.
    #[must_use]
    pub fn thread(mut self, thread: Thread) -> Scenario {
        self.threads.push(thread);
        self
    }

    /// The same, with this protocol for a lock.
    #[must_use]
    pub fn lock(mut self, name: &str, protocol: LockProtocol) -> Scenario {
        self.locks.push(Lock::new(name, protocol));
        self
    }

    /// The protocol of the lock of this name.
    #[must_use]
    pub fn protocol_of(&self, lock: &str) -> LockProtocol {
        let said = self.locks.iter().find(|other| other.name == lock);
        said.map_or(LockProtocol::None, |said| said.protocol)
    }

    /// The same, with this request at that time.
    #[must_use]
    pub fn request(mut self, time: Instant, change: Change) -> Scenario {
        self.requests.push(Request { time, change });
        self
    }

    /// All requests, with the parts of transactions one by one.
    pub(crate) fn changes(&self) -> impl Iterator<Item = &Change> {
        self.requests.iter().flat_map(|request| request.change.parts())
    }

    /// The same, with this expectation.
    #[must_use]
    pub fn expect(mut self, expectation: Expectation) -> Scenario {
        self.expectations.push(expectation);
        self
    }

    /// The same, with programs of these kinds.
    #[must_use]
    pub fn programs(mut self, programs: Programs) -> Scenario {
        self.programs = programs;
        self
    }

    /// The same, with schedulers of these kinds.
    #[must_use]
    pub fn catalogue(mut self, catalogue: Catalogue) -> Scenario {
        self.catalogue = catalogue;
        self
    }

    /// Finds the way from scheduler `from` down to `to`, directly or through schedulers that pass time on: the name of
    /// the scheduler directly below `from` on that way, and the number of its own virtual processor there.
    pub(crate) fn way_between(&self, from: &str, to: &str) -> Option<(String, u16)> {
        let (mut here, mut left) = (vec![to], windfall_hierarchy::LEVELS);
        while let Some(name) = here.pop() {
            let scheduler = self.scheduler_named(name)?;
            for (own, place) in (0..=u16::MAX).zip(&scheduler.owns) {
                let Some(parent) = place.parent.name() else { continue };
                if parent == from {
                    return Some((name.to_owned(), own));
                }
                let kind = self.scheduler_named(parent).and_then(|parent| self.kind_of(parent));
                here.extend(kind.is_some_and(|kind| kind.properties.adds_up).then_some(parent));
            }
            left = left.checked_sub(1)?;
        }
        None
    }

    /// Whether one of its schedulers admits jobs by their deadlines.
    pub(crate) fn admits(&self, scheduler: &Scheduler) -> bool {
        self.kind_of(scheduler).is_some_and(|kind| kind.properties.admits)
    }

    /// The kinds of its catalogue that have a property, for remedies.
    pub(crate) fn kinds_with(&self, has: impl Fn(&Kind) -> bool) -> String {
        let kinds = self.catalogue.kinds().filter(|kind| has(kind)).map(|kind| kind.name);
        kinds.collect::<Vec<_>>().join(", ")
    }

    /// Its catalogue has a kind of that name from now on: this one, if it had none.
    pub(crate) fn know(&mut self, kind: &'static Kind) {
        if self.catalogue.find(kind.name).is_none() {
            self.catalogue.register(kind).expect("no other kind has its name");
        }
    }

    /// The kind of one of its schedulers, if its catalogue has that.
    #[must_use]
    pub fn kind_of(&self, scheduler: &Scheduler) -> Option<&'static Kind> {
        self.catalogue.find(&scheduler.kind)
    }
}
