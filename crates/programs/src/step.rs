//! Steps of a program and their phases, with names or numbers for locks, timers and threads.
//!
//! A step is the same in a file, where everything has a name, and in a running program, where everything has a
//! number: [`Step<N>`] says what it does, [`Naming`] how it refers to other things.
//!
//! A new step has three places, and the compiler names each of them. Here it is declared, with its translation and its [`Effect`], from
//! which checks and analyses take what they ask. `body.rs` has what it does at run time. `scenario/src/file/steps.rs` has its keys, how
//! it is written, and how it is read. Tests beside both have a list of steps, to which the compiler leads: one compares effects with
//! actions, the other fails for a step that is not read as it was written.
//!
//! A step whose effect is like that of no other adds to [`Interaction`]; then the compiler asks whether its thread pauses in it, and
//! names `scenario/src/waiting.rs`.

use crate::action::{Resource, Station, Tick};
use crate::program::Work;
use crate::request::OwnRequest;
use windfall_time::Span;

mod effect;
mod naming;

pub use effect::{Effect, Interaction, Pause, Sharing};
pub use naming::{Names, Naming};

/// Everything has a number: programs that run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Numbers {}

impl Naming for Numbers {
    type Shared = Resource;
    type Timer = usize;
    type Thread = usize;
    type Station = Station;
}

/// A named sequence of steps.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Phase<N: Naming = Numbers> {
    /// Its name.
    pub name: String,
    /// How often its steps are run before the next phase.
    pub loops: u64,
    /// The steps; at least one.
    pub steps: Vec<Step<N>>,
}

impl<N: Naming> Phase<N> {
    /// These steps, once.
    #[must_use]
    pub fn new(name: impl Into<String>, steps: Vec<Step<N>>) -> Phase<N> {
        Phase { name: name.into(), loops: 1, steps }
    }

    /// The same, so often before the next phase.
    #[must_use]
    pub fn loops(mut self, loops: u64) -> Phase<N> {
        self.loops = loops;
        self
    }
}

/// One step of a phase.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Step<N: Naming = Numbers> {
    /// Computes.
    Run(Work),
    /// Waits for this long.
    Sleep(Span),
    /// Waits for the next tick of a timer, which also ends one job and begins the next, due a period later. Ticks
    /// count from the thread's start, as in rt-app, not from the first use.
    Timer {
        /// The timer.
        timer: N::Timer,
        /// Time between ticks; above zero.
        period: Span,
        /// The effect of a late arrival on later ticks.
        tick: Tick,
    },
    /// Ends one job and begins the next at once. Such jobs have response times and intervals, but no deadline.
    Job,
    /// Takes a lock; waits while another thread has it.
    Lock(N::Shared),
    /// Unlocks a lock.
    Unlock(N::Shared),
    /// Unlocks a lock, waits for a signal, and takes the lock again.
    Wait {
        /// The condition.
        condition: N::Shared,
        /// The lock, held.
        lock: N::Shared,
    },
    /// Wakes the thread that has waited longest for a condition, if there is one.
    Signal(N::Shared),
    /// Wakes all threads that wait for a condition.
    Broadcast(N::Shared),
    /// Waits until all threads that use this barrier have arrived.
    Barrier(N::Shared),
    /// Lets other threads run first.
    Yield,
    /// Suspends itself until another thread resumes it.
    Suspend,
    /// Resumes a suspended thread. If it is not suspended, that is remembered.
    Resume(N::Thread),
    /// Requests something for its own thread; goes on whatever the answer is.
    OwnRequest(OwnRequest),
    /// Visits a station of the machine, so many times one after the other (decision 0044).
    Visit {
        /// The station.
        station: N::Station,
        /// How often.
        times: u64,
    },
    /// Computes, and visits a station whenever it has computed for so long.
    RunVisiting {
        /// Its computation.
        work: Work,
        /// The station.
        station: N::Station,
        /// Computed time from one visit to the next, at speed 1; above zero.
        every: Span,
    },
}

/// Translates the references of steps from one naming to another.
///
/// ```
/// use windfall_programs::{Names, Numbers, Phase, Resource, Station, Step, Translate};
///
/// /// Numbers the locks in the order in which they are met; there is one thread, and one timer.
/// #[derive(Default)]
/// struct Numbered(Vec<String>);
///
/// impl Translate<Names, Numbers> for Numbered {
///     fn shared(&mut self, name: &String) -> Resource {
///         Resource(self.0.iter().position(|known| known == name).unwrap_or_else(|| {
///             self.0.push(name.clone());
///             self.0.len() - 1
///         }))
///     }
///     fn timer(&mut self, _: &String) -> usize {
///         0
///     }
///     fn threads(&mut self, _: &String) -> Vec<usize> {
///         vec![0]
///     }
///     fn station(&mut self, _: &String) -> Station {
///         Station(0)
///     }
/// }
///
/// let lock = |name: &str| Step::Lock(name.to_owned());
/// let named: Phase<Names> = Phase::new("both", vec![lock("disk"), lock("card"), lock("disk")]);
/// let numbered: Phase<Numbers> = named.translated(&mut Numbered::default());
/// assert_eq!(numbered.steps, [0, 1, 0].map(|lock| Step::Lock(Resource(lock))));
/// ```
pub trait Translate<N: Naming, M: Naming> {
    /// A lock, a condition or a barrier.
    fn shared(&mut self, shared: &N::Shared) -> M::Shared;
    /// A timer of the thread.
    fn timer(&mut self, timer: &N::Timer) -> M::Timer;
    /// Threads; a name may stand for several.
    fn threads(&mut self, thread: &N::Thread) -> Vec<M::Thread>;
    /// A station of the machine.
    fn station(&mut self, station: &N::Station) -> M::Station;
}

impl<N: Naming> Phase<N> {
    /// The same phase with another naming.
    pub fn translated<M: Naming>(&self, by: &mut impl Translate<N, M>) -> Phase<M> {
        let steps = self.steps.iter().flat_map(|step| step.translated(by)).collect();
        Phase { name: self.name.clone(), loops: self.loops, steps }
    }
}

impl<N: Naming> Step<N> {
    /// The same step with another naming, once for each thread that it names.
    fn translated<M: Naming>(&self, by: &mut impl Translate<N, M>) -> Vec<Step<M>> {
        vec![match self {
            Step::Run(work) => Step::Run(*work),
            Step::Sleep(span) => Step::Sleep(*span),
            Step::Timer { timer, period, tick } => {
                Step::Timer { timer: by.timer(timer), period: *period, tick: *tick }
            }
            Step::Job => Step::Job,
            Step::Lock(lock) => Step::Lock(by.shared(lock)),
            Step::Unlock(lock) => Step::Unlock(by.shared(lock)),
            Step::Wait { condition, lock } => {
                Step::Wait { condition: by.shared(condition), lock: by.shared(lock) }
            }
            Step::Signal(condition) => Step::Signal(by.shared(condition)),
            Step::Broadcast(condition) => Step::Broadcast(by.shared(condition)),
            Step::Barrier(barrier) => Step::Barrier(by.shared(barrier)),
            Step::Yield => Step::Yield,
            Step::Suspend => Step::Suspend,
            Step::OwnRequest(request) => Step::OwnRequest(request.clone()),
            Step::Visit { station, times } => {
                Step::Visit { station: by.station(station), times: *times }
            }
            Step::RunVisiting { work, station, every } => {
                Step::RunVisiting { work: *work, station: by.station(station), every: *every }
            }
            Step::Resume(thread) => {
                return by.threads(thread).into_iter().map(Step::Resume).collect();
            }
        }]
    }

    /// Its meaning to checks and analyses.
    #[must_use]
    pub fn effect(&self) -> Effect<'_, N> {
        match self {
            Step::Run(work) => Effect { computes: work.most(), ..Effect::none() },
            Step::Sleep(span) => Effect { pause: Pause::of(*span), ..Effect::none() },
            Step::Timer { period, .. } => Effect {
                pause: Pause::Time,
                begins_job: true,
                due: Some(*period),
                ..Effect::none()
            },
            Step::Job => Effect { begins_job: true, ..Effect::none() },
            Step::Lock(lock) => Effect::of(Interaction::Takes(lock)),
            Step::Unlock(lock) => Effect::of(Interaction::Releases(lock)),
            Step::Wait { condition, lock } => {
                Effect::of(Interaction::AwaitsSignal { condition, lock })
            }
            Step::Signal(condition) | Step::Broadcast(condition) => {
                Effect::of(Interaction::Signals(condition))
            }
            Step::Barrier(barrier) => Effect::of(Interaction::AwaitsAll(barrier)),
            Step::Yield => Effect::none(),
            Step::Suspend => Effect::of(Interaction::AwaitsResume),
            Step::Resume(thread) => Effect::of(Interaction::Resumes(thread)),
            Step::OwnRequest(request) => Effect::of(Interaction::Requests(request)),
            Step::Visit { station, times: 0 } => Effect::of(Interaction::Visits(station)),
            Step::Visit { station, .. } => {
                Effect { pause: Pause::Time, ..Effect::of(Interaction::Visits(station)) }
            }
            Step::RunVisiting { work, station, .. } => {
                Effect { computes: work.most(), ..Effect::of(Interaction::Visits(station)) }
            }
        }
    }

    /// Its dealings with others.
    #[must_use]
    pub fn interaction(&self) -> Interaction<'_, N> {
        self.effect().interaction
    }

    /// The station that it visits, if it visits one.
    #[must_use]
    pub fn station(&self) -> Option<&N::Station> {
        match self.interaction() {
            Interaction::Visits(station) => Some(station),
            _ => None,
        }
    }

    /// The things that it shares with other threads, and how it uses them.
    pub fn shared(&self) -> impl Iterator<Item = (&N::Shared, Sharing)> {
        let (first, second) = match self.interaction() {
            Interaction::Takes(lock) | Interaction::Releases(lock) => {
                (Some((lock, Sharing::Lock)), None)
            }
            Interaction::AwaitsSignal { condition, lock } => {
                (Some((condition, Sharing::Condition)), Some((lock, Sharing::Lock)))
            }
            Interaction::Signals(condition) => (Some((condition, Sharing::Condition)), None),
            Interaction::AwaitsAll(barrier) => (Some((barrier, Sharing::Barrier)), None),
            Interaction::Nothing
            | Interaction::AwaitsResume
            | Interaction::Resumes(_)
            | Interaction::Visits(_)
            | Interaction::Requests(_) => (None, None),
        };
        first.into_iter().chain(second)
    }
}

#[cfg(test)]
mod tests;
