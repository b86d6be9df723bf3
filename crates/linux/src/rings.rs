//! What the kernel has seen on all processors, in order of time.
//!
//! By BPF programs where they load, and by perf events otherwise, which cost a microsecond more at
//! each switch (decision 0010). Both tell the same; each event says how much time interrupts have
//! taken on its processor until then.

mod bpf;
mod perf;

#[cfg(test)]
mod tests;

use crate::error::LinuxError;
use crate::routines;
use crate::tracepoints::Seen;
use crate::wakers::Certain;
use bpf::Told;
use perf::Events;
use std::collections::BTreeSet;
use std::path::PathBuf;
use windfall_os::clock;
use windfall_os::events::{Poll, Timer};
use windfall_time::{Instant, Span};

/// Where something was seen.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Where {
    /// On this supervised processor.
    Here(usize),
    /// On a processor that is not supervised.
    Elsewhere,
}

impl Where {
    fn of(cpu: u16, supervised: &[u16]) -> Where {
        supervised.iter().position(|own| *own == cpu).map_or(Where::Elsewhere, Where::Here)
    }
}

/// What was taken of a processor: by interrupts, and by a hypervisor. What interrupts another interrupt is part of that.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct Taken {
    pub(crate) all: Span,
    /// Of that, what softirqs have.
    pub(crate) soft: Span,
    /// Of that, for how long the processor stood still.
    pub(crate) steal: Span,
}

/// Something that was seen.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Event {
    pub(crate) at: Instant,
    pub(crate) place: Where,
    /// What was taken on this processor until then, since we began to listen.
    pub(crate) taken: Taken,
    pub(crate) seen: Seen,
}

/// Listens to all processors.
pub(crate) struct Rings {
    source: Source,
    /// By what it listens, and why not by something better.
    pub(crate) by: String,
    /// Which wake-ups' wakers are known.
    pub(crate) wakers: Certain,
    /// What was read and not yet handed out.
    batch: Vec<Event>,
    /// Where events were lost since the last look, and how many.
    pub(crate) lost: Vec<(Where, u64)>,
}

enum Source {
    Bpf(Box<Told>),
    Perf(Events),
}

/// Whether BPF could be listened to, or why not; and why it would not tell of a processor that stands still.
pub(crate) fn by_bpf() -> Result<Option<String>, String> {
    Told::load(&[]).map(|mut told| told.programs.deaf_to_steal.take())
}

impl Rings {
    /// Listens to all processors: what happens to supervised threads, and interrupts on the
    /// processors that are supervised.
    pub(crate) fn open(supervised: &[u16], online: &[u16]) -> Result<Rings, LinuxError> {
        let mut rings = match Told::load(supervised) {
            Ok(told) => {
                let by = told.programs.by();
                Rings::from(Source::Bpf(Box::new(told)), by)
            }
            Err(why) => {
                let events = Events::open(supervised, online)?;
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

    /// Has the event loop wait for wake-ups of foreign threads.
    pub(crate) fn join(&self, poll: &Poll, name: u64) -> std::io::Result<()> {
        match &self.source {
            Source::Bpf(told) => told.join(poll, name),
            Source::Perf(events) => events.join(poll, name),
        }
    }

    /// Hears what becomes of a thread, and of whatever it makes from now on; or why not. Of others that is not heard.
    pub(crate) fn follow(&mut self, tid: i32) -> Result<(), String> {
        match &mut self.source {
            Source::Bpf(told) => told.programs.follow(tid),
            Source::Perf(_) => Ok(()), // which tell of all
        }
    }

    /// Hears, too, which routine each thread starts with that one of these files makes, or says why that cannot be heard.
    pub(crate) fn hear_starts(&mut self, makers: &BTreeSet<PathBuf>) -> Result<(), String> {
        match &mut self.source {
            Source::Bpf(told) => told.programs.tell_starts(makers),
            Source::Perf(_) => Err(routines::BY_BPF.to_owned()),
        }
    }

    /// Everything that was seen since the last call, in order of time.
    pub(crate) fn take(&mut self) -> Vec<Event> {
        let Rings { source, batch, lost, .. } = self;
        match source {
            Source::Bpf(told) => told.read(batch, lost),
            Source::Perf(events) => events.read(batch, lost),
        }
        if !batch.is_sorted_by_key(|event| event.at) {
            batch.sort_by_key(|event| event.at);
        }
        std::mem::take(batch)
    }

    /// Takes a batch back, so that its memory is used again.
    pub(crate) fn reuse(&mut self, mut batch: Vec<Event>) {
        batch.clear();
        self.batch = batch;
    }

    /// Sets the alarm, or stops it. Where it was set in time, that it goes off late tells that the processor stood still.
    pub(crate) fn set_alarm(&self, timer: &Timer, at: Option<Instant>) {
        let expect = |at| {
            if let Source::Bpf(told) = &self.source {
                told.expect(at);
            }
        };
        expect(None); // not even one that was due at the same time
        timer.set(at);
        expect(at.filter(|at| clock::now() < *at));
    }

    /// Whether it would have been heard that a supervised processor stands still.
    pub(crate) fn sees_steal(&self) -> bool {
        match &self.source {
            Source::Bpf(told) => told.sees_steal(),
            Source::Perf(_) => false,
        }
    }

    /// What was taken on a supervised processor since we began to listen.
    pub(crate) fn taken(&self, cpu: usize) -> Taken {
        match &self.source {
            Source::Bpf(told) => told.taken(cpu),
            Source::Perf(events) => events.taken(cpu),
        }
    }
}
