//! Own programs: threads of this process that decide in their own calls.
//!
//! A program computes for so much processor time, seen by a clock that it reads all the while: a
//! step of the clock that is longer than reading it takes was somebody else's (HLS 11.6.2).

use crate::carrier::Caller;
use crate::supervise::locked::Locked;
use crate::supervise::settle::settle;
use crate::supervise::supervisor::Supervisor;
use crate::threads::body::{InProcess, Kind};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use windfall_os::sched::own_tid;
use windfall_os::{clock, process};
use windfall_programs::{ProgramRuntime, Progress};
use windfall_time::{Instant, Span};

/// A step of the clock longer than this was not ours: six readings of it, a sixth of the shortest
/// interrupt.
const OURS: u64 = 1_000;

/// What an own program does next, as far as that needs the lock.
pub(crate) fn step(supervisor: &mut Supervisor, number: u32) -> Progress {
    supervisor.host.machine.step.caller = Caller::Own(number);
    let doing = loop {
        if supervisor.is_over() {
            break Progress::Waits;
        }
        if !supervisor.host.machine.is_granted(number) {
            settle(supervisor);
            if !supervisor.host.machine.is_granted(number) {
                supervisor.host.machine.carrier.park(number);
                break Progress::Waits;
            }
        }
        let doing = ProgramRuntime::step(&mut supervisor.host, number);
        match doing {
            Progress::Work(_) => break doing,
            Progress::Waits => {
                supervisor.host.machine.carrier.park(number);
                settle(supervisor);
                // It may have been woken, and chosen again, by what was due meanwhile.
                if supervisor.host.machine.carrier.is_parked(number) {
                    break doing;
                }
            }
            Progress::Acted if supervisor.host.has_chosen() => settle(supervisor),
            // What the kernel has seen can wait until it computes or waits.
            Progress::Acted => supervisor.host.set_alarm(),
        }
    };
    supervisor.host.machine.step.caller = Caller::EventLoop;
    doing
}

/// Whether an own program has ended.
pub(crate) fn has_ended(supervisor: &Supervisor, number: u32) -> bool {
    supervisor.is_over() || supervisor.host.threads.list[number as usize].id().is_none()
}

/// The life of an own program's thread.
pub(crate) fn live(host: &Locked, number: u32, own: &Arc<InProcess>) {
    process::name_thread(
        &host.enter(|s| s.host.threads.list[number as usize].outcome.name.clone()),
    );
    let tid = own_tid();
    host.enter(|s| arrives(s, number, tid));
    let mut stretches = Stretches::new(own.keeps);
    loop {
        own.gate.pass();
        loop {
            match host.enter(|s| step(s, number)) {
                Progress::Work(work) => compute(work, own, &mut stretches),
                Progress::Acted => {}
                Progress::Waits => break,
            }
        }
        if host.enter(|s| has_ended(s, number)) {
            if let (Stretches(Some(stretches)), Ok(mut kept)) = (stretches, own.kept.lock()) {
                *kept = stretches;
            }
            return;
        }
    }
}

/// An own program's thread exists, and goes to its gate.
fn arrives(supervisor: &mut Supervisor, number: u32, tid: i32) {
    let machine = &mut supervisor.host.machine;
    machine.threads.tids.insert(tid, number);
    machine.body(number).tid = tid;
    machine.carrier.arrive(number, tid);
    // Those of the scenario have their place when their time comes.
    if supervisor.host.threads.list[number as usize].id().is_some() && !supervisor.is_over() {
        supervisor.host.begin_made(number);
        settle(supervisor);
    }
}

/// The own programs, by number.
pub(crate) fn owns(supervisor: &Supervisor) -> impl Iterator<Item = (u32, Arc<InProcess>)> + '_ {
    let bodies = supervisor.host.machine.threads.bodies.iter();
    bodies.zip(0..).filter_map(|(body, number)| match &body.kind {
        Kind::InProcess(own) => Some((number, own.clone())),
        Kind::External { .. } => None,
    })
}

/// The stretches of time in which a thread saw itself running, where they are to be kept.
struct Stretches(Option<Vec<(Instant, Instant)>>);

impl Stretches {
    /// None, with room for many: to make room takes time.
    fn new(keeps: bool) -> Stretches {
        Stretches(keeps.then(|| Vec::with_capacity(1 << 16)))
    }

    fn end(&mut self, from: Instant, to: Instant) {
        if let Stretches(Some(kept)) = self {
            kept.push((from, to));
        }
    }
}

/// Computes for so much processor time, or until the work is given up.
fn compute(work: Span, own: &InProcess, stretches: &mut Stretches) {
    let mut left = work.as_nanos();
    let mut last = clock::now();
    let mut from = last;
    while left > 0 && !own.give_up.swap(false, Ordering::Relaxed) {
        for _ in 0..4 {
            let now = clock::now();
            let step = now.saturating_since(last).as_nanos();
            if step < OURS {
                left = left.saturating_sub(step);
            } else {
                stretches.end(from, last);
                from = now;
            }
            last = now;
        }
        if own.hold.load(Ordering::Relaxed) {
            own.gate.pass();
        }
    }
    stretches.end(from, last);
}
