//! Events of supervised threads, on all processors and in order of time, as a supervisor needs them.
//!
//! By BPF programs where they load, and by perf events otherwise, which cost a microsecond more at
//! each switch (decision 0010). Both report the same; each event says how much time interrupts have
//! taken on its processor until then.

mod bpf;
mod event;
mod perf;

#[cfg(test)]
mod tests;

pub use event::{Event, Taken, Where};

use crate::error::ObserveError;
use crate::wakers::Certain;
use bpf::BpfEvents;
use perf::PerfEvents;
use std::collections::BTreeSet;
use std::path::PathBuf;
use windfall_os::LinuxError;
use windfall_os::clock;
use windfall_os::events::{Poll, Timer};
use windfall_time::Instant;

/// Observes all processors.
pub struct Rings {
    source: Source,
    /// The source of events, and why no better one is used.
    pub by: String,
    /// Which wake-ups' wakers are known.
    pub wakers: Certain,
    /// Events that were read and not yet handed out.
    batch: Vec<Event>,
    /// Where events were lost since the last look, and how many.
    pub lost: Vec<(Where, u64)>,
}

enum Source {
    Bpf(Box<BpfEvents>),
    Perf(PerfEvents),
}

/// Whether BPF programs load here, or why not; and why they would not see that a processor stands still (`None` where they do).
///
/// # Errors
/// Why they do not load.
pub fn by_bpf() -> Result<Option<String>, ObserveError> {
    BpfEvents::load(&[]).map(|mut events| events.programs.steal_unseen.take())
}

impl Rings {
    /// Observes all processors of `online`: what happens to threads at [priorities of supervision](crate::fifo_priorities), and
    /// interrupts on the processors that are supervised.
    ///
    /// # Errors
    /// When neither BPF programs nor perf events may be used: what is missing, and what would help.
    pub fn open(supervised: &[u16], online: &[u16]) -> Result<Rings, LinuxError> {
        let mut rings = match BpfEvents::load(supervised) {
            Ok(events) => {
                let by = events.programs.by();
                Rings::from(Source::Bpf(Box::new(events)), by)
            }
            Err(why) => {
                let events = PerfEvents::open(supervised, online)?;
                let by = format!("perf tracepoints (BPF did not load: {why})");
                Rings::from(Source::Perf(events), by)
            }
        };
        rings.wakers = Certain::of(online);
        Ok(rings)
    }

    fn from(source: Source, by: String) -> Rings {
        Rings { source, by, wakers: Certain::Elsewhere, batch: Vec::new(), lost: Vec::new() }
    }

    /// Has a poll wait for wake-ups of external threads, under this name.
    ///
    /// # Errors
    /// As [`Poll::add`].
    pub fn join(&self, poll: &Poll, name: u64) -> std::io::Result<()> {
        match &self.source {
            Source::Bpf(events) => events.join(poll, name),
            Source::Perf(events) => events.join(poll, name),
        }
    }

    /// Observes what becomes of a thread, and of all threads that it makes from now on.
    ///
    /// # Errors
    /// Why it cannot.
    pub fn follow(&mut self, tid: i32) -> Result<(), ObserveError> {
        match &mut self.source {
            Source::Bpf(events) => events.programs.follow(tid),
            Source::Perf(_) => Ok(()), // which report all
        }
    }

    /// Observes, too, which routine each thread starts with that is made by one of these files ([`makers`](crate::routines::makers)).
    ///
    /// # Errors
    /// Why it cannot.
    pub fn report_starts(&mut self, makers: &BTreeSet<PathBuf>) -> Result<(), ObserveError> {
        match &mut self.source {
            Source::Bpf(events) => events.programs.report_starts(makers),
            Source::Perf(_) => Err(ObserveError::NeedsBpf),
        }
    }

    /// Everything that was seen since the last call, in order of time.
    #[must_use]
    pub fn take(&mut self) -> Vec<Event> {
        let Rings { source, batch, lost, .. } = self;
        match source {
            Source::Bpf(events) => events.read(batch, lost),
            Source::Perf(events) => events.read(batch, lost),
        }
        if !batch.is_sorted_by_key(|event| event.at) {
            batch.sort_by_key(|event| event.at);
        }
        std::mem::take(batch)
    }

    /// Takes a batch back, so that its memory is used again.
    pub fn reuse(&mut self, mut batch: Vec<Event>) {
        batch.clear();
        self.batch = batch;
    }

    /// Sets a timer, or stops it. If it was set in time and goes off late, the processor stood still.
    pub fn set_alarm(&self, timer: &Timer, at: Option<Instant>) {
        let expect = |at| {
            if let Source::Bpf(events) = &self.source {
                events.expect(at);
            }
        };
        expect(None); // not even one that was due at the same time
        timer.set(at);
        expect(at.filter(|at| clock::now() < *at));
    }

    /// Whether it would have been seen that a supervised processor stands still.
    #[must_use]
    pub fn sees_steal(&self) -> bool {
        match &self.source {
            Source::Bpf(events) => events.sees_steal(),
            Source::Perf(_) => false,
        }
    }

    /// Time taken on a supervised processor (by its place in `supervised`) since observation began.
    #[must_use]
    pub fn taken(&self, cpu: usize) -> Taken {
        match &self.source {
            Source::Bpf(events) => events.taken(cpu),
            Source::Perf(events) => events.taken(cpu),
        }
    }
}
