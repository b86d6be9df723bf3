//! In-process programs: threads of this process that make scheduling decisions in their own calls.
//!
//! A program computes for an amount of processor time, which it measures by reading the clock continuously: if the clock advances
//! by more than a reading takes, another thread or an interrupt had the processor meanwhile (HLS 11.6.2).

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

/// Longest step of the clock that counts as our own time, in ns: six readings, a sixth of the shortest interrupt.
const OURS: u64 = 1_000;

/// Advances an in-process program under the lock until it computes or waits.
pub(crate) fn step(supervisor: &mut Supervisor, number: u32) -> Progress {
    supervisor.host.machine.step.caller = Caller::InProcess(number);
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
                // It may have been woken and granted again by what was due meanwhile.
                if supervisor.host.machine.carrier.is_parked(number) {
                    break doing;
                }
            }
            Progress::Acted if supervisor.host.has_chosen() => settle(supervisor),
            // Kernel events can wait until the program computes or waits.
            Progress::Acted => supervisor.host.set_alarm(),
        }
    };
    supervisor.host.machine.step.caller = Caller::EventLoop;
    doing
}

/// Whether an in-process program has ended.
pub(crate) fn has_ended(supervisor: &Supervisor, number: u32) -> bool {
    supervisor.is_over() || supervisor.host.threads.list[number as usize].id().is_none()
}

/// Body of an in-process program's thread.
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

/// Registers the thread of an in-process program, which then goes to its gate.
fn arrives(supervisor: &mut Supervisor, number: u32, tid: i32) {
    let machine = &mut supervisor.host.machine;
    machine.threads.tids.insert(tid, number);
    machine.body(number).tid = tid;
    machine.carrier.arrive(number, tid);
    // Threads of the scenario enter the hierarchy at their start time.
    if supervisor.host.threads.list[number as usize].id().is_some() && !supervisor.is_over() {
        supervisor.host.begin_made(number);
        settle(supervisor);
    }
}

/// The in-process programs, by number.
pub(crate) fn owns(supervisor: &Supervisor) -> impl Iterator<Item = (u32, Arc<InProcess>)> + '_ {
    let bodies = supervisor.host.machine.threads.bodies.iter();
    bodies.zip(0..).filter_map(|(body, number)| match &body.kind {
        Kind::InProcess(own) => Some((number, own.clone())),
        Kind::External { .. } => None,
    })
}

/// The stretches of time in which a thread saw itself running, if they are recorded.
struct Stretches(Option<Vec<(Instant, Instant)>>);

impl Stretches {
    /// Starts an empty record. It reserves room for many stretches, since allocating later takes time.
    fn new(keeps: bool) -> Stretches {
        Stretches(keeps.then(|| Vec::with_capacity(1 << 16)))
    }

    fn end(&mut self, from: Instant, to: Instant) {
        if let Stretches(Some(kept)) = self {
            kept.push((from, to));
        }
    }
}

/// Computes for `work` of processor time, or until the host cancels the work.
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
