//! Phases and steps of a thread, as rt-app has them: how each step is written. `resolve/steps.rs` reads it.

use super::lax::{Lax, Raw};
use super::own::{Priority, Reservation, Share};
use super::scalar::Range;
use super::text_or::TextOr;
use crate::Guarantee;
use crate::model::Step;
use serde::{Deserialize, Serialize};
use windfall_programs::{OwnRequest, Tick};
use windfall_time::Span;

/// Steps that are a word.
pub(crate) const WORDS: [(&str, Step); 4] = [
    ("job", Step::Job),
    ("yield", Step::Yield),
    ("suspend", Step::Suspend),
    ("unreserve", Step::OwnRequest(OwnRequest::Unreserve)),
];

/// Steps with a name, repeated before the next phase.
#[derive(Serialize, Deserialize, Clone, Default, Debug)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
#[cfg_attr(feature = "schema", schemars(rename = "Phase"))]
pub(crate) struct PhaseFile {
    /// Its name.
    pub(crate) name: Option<Lax<String>>,
    /// The number of repetitions; once when absent.
    pub(crate) loops: Option<Lax<u64>>,
    /// The steps.
    pub(crate) steps: Option<Vec<TextOr<StepFile>>>,
}

/// One step: exactly one of these keys (`wait` with `lock`; `visit` with `times`, or with `run` and `every`; `timer` with `name` and `mode`; `reserve` and `guarantee` with `to`), or one of
/// the words `job`, `yield`, `suspend` and `unreserve`.
// Fields: keys of a table of the file, which stand beside each other there.
#[derive(Serialize, Deserialize, Clone, Default, Debug)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
#[cfg_attr(feature = "schema", schemars(rename = "Step"))]
pub(crate) struct StepFile {
    /// Computes.
    pub(crate) run: Option<Lax<Range>>,
    /// Visits a station of the machine, while the processor stands still; with `run`, whenever it has computed `every`.
    pub(crate) visit: Option<Lax<String>>,
    /// Without `run`: the number of visits; one when absent.
    pub(crate) times: Option<Lax<u64>>,
    /// With `run` and `visit`: computed time from one visit to the next.
    pub(crate) every: Option<Lax<Span>>,
    /// Waits for this time.
    pub(crate) sleep: Option<Lax<Span>>,
    /// Waits for the next tick of a timer with this period, counted from when the thread began; a job
    /// ends and the next begins.
    pub(crate) timer: Option<Lax<Span>>,
    /// The name of the timer; `timer` when absent.
    pub(crate) name: Option<Lax<String>>,
    /// The timer's grid after a late arrival: `relative` (when absent) or `absolute`.
    pub(crate) mode: Option<Lax<Tick>>,
    /// Takes a lock.
    pub(crate) lock: Option<Lax<String>>,
    /// Gives a lock back.
    pub(crate) unlock: Option<Lax<String>>,
    /// Waits for a condition, with `lock`.
    pub(crate) wait: Option<Lax<String>>,
    /// Wakes the longest waiting thread of a condition.
    pub(crate) signal: Option<Lax<String>>,
    /// Wakes all threads that wait for a condition.
    pub(crate) broadcast: Option<Lax<String>>,
    /// Waits until all threads that use this barrier have arrived.
    pub(crate) barrier: Option<Lax<String>>,
    /// Resumes a suspended thread.
    pub(crate) resume: Option<Lax<String>>,
    /// Begins or changes a reservation of this thread.
    pub(crate) reserve: Option<Lax<Reservation>>,
    /// Requests a guarantee for this thread, which the run judges.
    pub(crate) guarantee: Option<Lax<Guarantee>>,
    /// The scheduler that is to give the reservation or the guarantee, to which the thread moves; the one above it when absent.
    pub(crate) to: Option<Lax<String>>,
    /// Sets the share of this thread.
    pub(crate) share: Option<Lax<Share>>,
    /// Sets the priority of this thread.
    pub(crate) priority: Option<Lax<Priority>>,
    /// Moves this thread to a scheduler at or below the one that it began at.
    pub(crate) r#move: Option<Lax<String>>,
}

impl StepFile {
    /// A step as it is written.
    pub(crate) fn of(step: &Step) -> TextOr<StepFile> {
        if let Some((word, _)) = WORDS.iter().find(|(_, known)| known == step) {
            return TextOr::Text(Raw::Text((*word).to_owned()));
        }
        let none = StepFile::default();
        let name = |name: &String| Lax::good(name.clone());
        TextOr::Table(match step {
            // These are words.
            Step::Job | Step::Yield | Step::Suspend => none,
            Step::Run(work) => StepFile { run: Lax::good(Range::of(*work)), ..none },
            Step::Visit { station, times } => StepFile {
                visit: name(station),
                times: (*times != 1).then_some(Lax(Ok(*times))),
                ..none
            },
            Step::RunVisiting { work, station, every } => StepFile {
                run: Lax::good(Range::of(*work)),
                visit: name(station),
                every: Lax::good(*every),
                ..none
            },
            Step::Sleep(span) => StepFile { sleep: Lax::good(*span), ..none },
            Step::Timer { timer, period, tick } => StepFile {
                timer: Lax::good(*period),
                name: (timer != "timer").then_some(Lax(Ok(timer.clone()))),
                mode: (*tick != Tick::Relative).then_some(Lax(Ok(*tick))),
                ..none
            },
            Step::Lock(lock) => StepFile { lock: name(lock), ..none },
            Step::Unlock(lock) => StepFile { unlock: name(lock), ..none },
            Step::Wait { condition, lock } => {
                StepFile { wait: name(condition), lock: name(lock), ..none }
            }
            Step::Signal(condition) => StepFile { signal: name(condition), ..none },
            Step::Broadcast(condition) => StepFile { broadcast: name(condition), ..none },
            Step::Barrier(barrier) => StepFile { barrier: name(barrier), ..none },
            Step::Resume(thread) => StepFile { resume: name(thread), ..none },
            Step::OwnRequest(request) => StepFile::own_request(request),
        })
    }

    /// A request in its written form, for requests that are more than a word.
    fn own_request(request: &OwnRequest) -> StepFile {
        let none = StepFile::default();
        match request {
            OwnRequest::Reserve { amount, period, at } => StepFile {
                reserve: Lax::good(Reservation(*amount, *period)),
                to: at.clone().map(|at| Lax(Ok(at))),
                ..none
            },
            OwnRequest::Guarantee { guarantee, at } => StepFile {
                guarantee: Lax::good(*guarantee),
                to: at.clone().map(|at| Lax(Ok(at))),
                ..none
            },
            OwnRequest::Share(share) => StepFile { share: Lax::good(Share(*share)), ..none },
            OwnRequest::Priority(priority) => {
                StepFile { priority: Lax::good(Priority(*priority)), ..none }
            }
            OwnRequest::Move(to) => StepFile { r#move: Lax::good(to.clone()), ..none },
            _ => none,
        }
    }
}
