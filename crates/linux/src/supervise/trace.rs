//! Writes the trace of a run, under the lock and into memory that is reserved beforehand.
//!
//! Invariant: the trace follows the accounts of the processors, so that it shows for each thread the processor time of its outcome,
//! to the nanosecond. Within a stretch of time it is known how much interrupts took, but not when: they are put at its end. If nobody
//! wants a trace, nothing is built. `trace_reader.rs` takes the records out of memory.

use crate::account::cpu::Running;
use crate::supervise::linux::Linux;
use crate::supervise::records::{OTHERS, Occupancy};
use windfall_hierarchy::NodeId;
use windfall_host::Thread;
use windfall_observe::rings::{Taken, Where};
use windfall_time::{Instant, Span};
use windfall_trace::{OverheadKind, Stop, ThreadId};

/// The longest that a thread can be on a supervised processor before an event says so. A reader waits longer than this until it takes
/// records to be in order (`trace_reader.rs`).
const LATELY: Span = Span::from_millis(100);

/// Begins the trace: all processors are idle, except the event loop's.
pub(crate) fn begin(linux: &mut Linux) {
    if !linux.trace.tracer.is_on() {
        return;
    }
    for cpu in 0..linux.cpus.len() {
        let to = match linux.cpus[cpu].occupant {
            Running::Supervisor => Occupancy::Decides,
            _ => Occupancy::Nothing,
        };
        linux.trace.turns(cpu, Instant::ZERO, Stop::Preempted, to);
    }
}

/// Notes that a member is granted a processor from here on.
pub(crate) fn granted(linux: &mut Linux, cpu: usize) {
    if let Some(granted) = linux.trace.granted.get_mut(cpu) {
        *granted = linux.clock.last();
    }
}

/// Returns the trace's number of a thread that wakes another.
pub(crate) fn waker(linux: &mut Linux, tid: i32, at: Instant) -> Option<ThreadId> {
    if !linux.trace.tracer.is_on() {
        return None;
    }
    match linux.threads.tids.get(&tid) {
        Some(number) => linux.threads.bodies[*number as usize].traced,
        // Not all are remembered: threads such as clients may come and go in great number.
        None if linux.trace.others.len() < OTHERS || linux.trace.others.contains_key(&tid) => {
            // A later event may show that it was on a processor before this, but not for longer than `LATELY`.
            let before = Instant::ZERO + (at - Instant::ZERO).saturating_sub(LATELY);
            Some(linux.trace.other(tid, before))
        }
        None => None,
    }
}

/// Declares a thread that is new, or whose name or scheduler has changed.
pub(crate) fn declare(linux: &mut Linux, number: u32, thread: &Thread, parent: Option<NodeId>) {
    if !linux.trace.tracer.is_on() {
        return;
    }
    let now = linux.clock.now();
    let body = &mut linux.threads.bodies[number as usize];
    let at = if body.traced.is_none() && body.is_external() { body.heard } else { now };
    let called = *body.traced.get_or_insert_with(|| linux.trace.fresh());
    let numbers = (body.tid.cast_unsigned(), body.pid().cast_unsigned());
    linux.trace.tracer.thread(at, called, numbers, &thread.outcome.name, parent);
}

/// Records that a processor has gone from one thread to another. Its accounts must have been brought up to that instant, and its
/// occupant must be the next thread.
#[inline]
pub(crate) fn switch(
    linux: &mut Linux,
    (cpu, at): (usize, Instant),
    (prev, stop, waits): (i32, Stop, bool),
    next: i32,
    threads: &[Thread],
) {
    if !linux.trace.tracer.is_on() {
        return;
    }
    let left = linux.threads.tids.get(&prev).copied();
    let supervised = linux.trace.runs_supervised(cpu);
    let stop = match left {
        None if supervised => Stop::Exited, // or it is not supervised any more
        Some(number) if supervised && !waits => why(&threads[number as usize], stop, at),
        _ => stop,
    };
    let since = linux.cpus[cpu].since();
    let actual = linux.cpus[cpu].actual;
    let goes_on = actual.filter(|number| !(waits && left == Some(*number)));
    let granted = goes_on.is_some_and(|number| threads[number as usize].is_ready());
    let others = left.is_none() && !linux.external.agents.contains(&prev);
    if granted && others && prev != 0 {
        linux.trace.was_held_by(prev, cpu, since);
    }
    let to = match linux.cpus[cpu].occupant {
        Running::Member(number) => occupancy(linux, number),
        Running::Supervisor => Occupancy::Decides,
        Running::Other if next != 0 && granted => Occupancy::Other(linux.trace.other(next, since)),
        Running::Other => Occupancy::Nothing,
    };
    linux.trace.turns(cpu, since, stop, to);
}

fn occupancy(linux: &Linux, number: u32) -> Occupancy {
    let traced = linux.threads.bodies[number as usize].traced;
    traced.map_or(Occupancy::Nothing, Occupancy::Thread)
}

/// Records that a member which was on its way into the freezer runs on.
pub(crate) fn thread_goes_on(linux: &mut Linux, cpu: usize, number: u32) {
    if linux.trace.tracer.is_on() {
        let to = occupancy(linux, number);
        linux.trace.turns(cpu, linux.cpus[cpu].since(), Stop::Preempted, to);
    }
}

/// Records the overheads in the stretch that was accounted for last.
#[inline]
pub(crate) fn taken(linux: &mut Linux, cpu: usize, Taken { all, soft, steal }: Taken) {
    if !linux.trace.tracer.is_on() {
        return;
    }
    let to = linux.cpus[cpu].since();
    let before = |span| Instant::ZERO + (to - Instant::ZERO).saturating_sub(span);
    // The kernel does not report when interrupts came; it reports a standstill when that is over.
    let [softly, still] = [before(soft + steal), before(steal)];
    let pieces = [
        (OverheadKind::Interrupt, before(all), softly),
        (OverheadKind::Softirq, softly, still),
        (OverheadKind::Steal, still, to),
    ];
    for (kind, from, to) in pieces.into_iter().filter(|(_, from, to)| from < to) {
        linux.trace.overhead(cpu, kind, from, to);
    }
}

/// Records that kernel events were lost.
pub(crate) fn lost(linux: &mut Linux, place: Where, count: u64) {
    if !linux.trace.tracer.is_on() {
        return;
    }
    let (at, cpu) = match place {
        Where::Here(cpu) => (linux.cpus[cpu].since(), Some(cpu)),
        Where::Elsewhere => (linux.clock.time(), None),
    };
    linux.trace.lose(cpu, at, count);
}

/// Returns why a thread left a processor at `at`, if the kernel says `stop`. The kernel sees threads that wait for a grant, or are
/// frozen, as blocked.
fn why(thread: &Thread, stop: Stop, at: Instant) -> Stop {
    match stop {
        _ if thread.id().is_none() => Stop::Exited,
        _ if thread.is_ready() && thread.awake() <= at => Stop::Preempted,
        Stop::Preempted => Stop::Blocked, // it has reported that it waits, and is about to
        other => other,
    }
}
