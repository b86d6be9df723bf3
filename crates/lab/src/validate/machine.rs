//! The machine that the suite measures: processors that read clocks, sleep until a time, and compute.
//!
//! Invariant: a part that measures through these alone finds on a simulated machine what was planted there.

mod gate;
mod load;
mod real;
mod simulated;
mod spin;
mod topology;

pub(crate) use load::{Load, LoadKind};
pub(crate) use real::{OwnAffinity, Real};
pub(crate) use simulated::{Planted, Simulated, Taken};
pub(crate) use spin::Spin;
pub(crate) use topology::Distance;

use crate::experiment::LabError;
use std::sync::{Arc, Mutex, PoisonError};
use windfall_cores::Check;
use windfall_time::{Instant, Span};

/// One processor, as a thread sees it that is kept there.
pub(crate) trait Core {
    /// The machine's clock, by which it sleeps.
    fn now(&mut self) -> Instant;
    /// The processor's own counter, at its own rate.
    fn counter(&mut self) -> Instant;
    /// Sleeps until the machine's clock shows this.
    fn sleep_until(&mut self, at: Instant);
    /// The same task on every processor: so many rounds of integer work in registers.
    fn compute(&mut self, rounds: u64) -> u64;
}

/// How the threads of a measurement ran.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Class {
    /// Above all ordinary threads.
    RealTime,
    /// Among them, for want of rights.
    Ordinary,
}

impl Class {
    /// In a circumstance of a measurement.
    pub(crate) const fn words(self) -> &'static str {
        match self {
            Class::RealTime => "at a real-time priority",
            Class::Ordinary => "at an ordinary priority",
        }
    }
}

/// A round trip from one processor to another: a look at its counter before, one at the other's when it came, and one after.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct RoundTrip {
    pub(crate) sent: Instant,
    pub(crate) seen: Instant,
    pub(crate) back: Instant,
}

/// The work of a thread on a processor.
pub(crate) type Body<'a> = dyn Fn(u16, &mut dyn Core) + Sync + 'a;

/// A machine.
pub(crate) trait Machine: Send + Sync {
    /// It, in a line.
    fn line(&self) -> String;
    /// The processors that may be used, in order.
    fn processors(&self) -> &[u16];
    /// How far two processors are from each other.
    fn distance(&self, one: u16, other: u16) -> Distance;
    /// Runs this on each of these processors at once, above all ordinary threads if that is allowed, and says whether it was.
    ///
    /// # Errors
    /// When a thread cannot be kept on its processor.
    fn on_each(&self, processors: &[u16], body: &Body<'_>) -> Result<Class, LabError>;
    /// Round trips from the first processor to the second.
    ///
    /// # Errors
    /// As [`Machine::on_each`].
    fn round_trips(&self, from: u16, to: u16, count: u32) -> Result<Vec<RoundTrip>, LabError>;
    /// Keeps all processors busy at an ordinary priority, in these ways, until it is dropped; `None` where nothing can.
    fn load(&self, kinds: &[LoadKind]) -> Option<Load>;
    /// For how long each processor was stolen from it so far, as it counts itself; `None` where it does not.
    fn stolen(&self) -> Option<Vec<(u16, Span)>>;
    /// A check of what its processors compute, and of whether they answer.
    fn cores(&self) -> Check;
    /// It without these processors: they are not among its [`Machine::processors`], and no thread that the caller starts runs there.
    ///
    /// # Errors
    /// When threads cannot be kept away from them.
    fn without(&self, processors: &[u16]) -> Result<Arc<dyn Machine>, LabError>;
    /// How many threads have ended their part of a measurement so far.
    fn measured(&self) -> u64;
    /// No measurement takes longer on processors that answer, where the longest is to take that.
    fn deadline(&self, length: Span) -> Span;
    /// Whether this process runs on it.
    fn is_here(&self) -> bool;
}

impl dyn Machine + '_ {
    /// The result of this on each of these processors, in the order of their numbers; run as by [`Machine::on_each`].
    ///
    /// # Errors
    /// As [`Machine::on_each`].
    pub(crate) fn gather<T: Send>(
        &self,
        processors: &[u16],
        body: impl Fn(u16, &mut dyn Core) -> T + Sync,
    ) -> Result<(Vec<T>, Class), LabError> {
        let all = Mutex::new(Vec::new());
        let class = self.on_each(processors, &|processor, core| {
            let yielded = body(processor, core);
            all.lock().unwrap_or_else(PoisonError::into_inner).push((processor, yielded));
        })?;
        let mut all = all.into_inner().unwrap_or_else(PoisonError::into_inner);
        all.sort_by_key(|(processor, _)| *processor);
        Ok((all.into_iter().map(|(_, yielded)| yielded).collect(), class))
    }
}
