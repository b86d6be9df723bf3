//! The event loop: waits for timers, kernel events, calls, signals and the guardian's end.

use crate::carrier::audit;
use crate::restore::guardian::Guardian;
use crate::supervise::calls;
use crate::supervise::locked::Locked;
use crate::supervise::own;
use crate::supervise::supervisor::Supervisor;
use crate::threads::begin;
use crate::threads::body::InProcess;
use std::os::fd::AsRawFd;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use windfall_os::LinuxError;
use windfall_os::events::Poll;
use windfall_os::futex::Gate;
use windfall_os::process::{StopSignal, StopSignals};
use windfall_os::sched::own_tid;
use windfall_time::{Instant, Span};

/// Longest sleep of the event loop, in ms. Each round is a heartbeat, so this is also the longest time between two.
const BEAT: i32 = 50;

/// The reason why a run ends.
#[derive(Clone, Copy)]
pub(crate) enum Ending {
    /// Its length.
    Length,
    /// A signal.
    Signal(StopSignal),
    /// A request, or a failure that the outcome names.
    Request,
    /// All its programs had ended.
    Programs,
}

/// Runs the event loop until `end`, the end of all programs, or a signal.
pub(crate) fn run(
    locked: &Locked,
    end: Instant,
    signals: &StopSignals,
    guardian: &mut Guardian,
) -> std::io::Result<Ending> {
    let stopped = hear(locked, end, signals, guardian);
    locked.hears_calls(false);
    stopped
}

fn hear(
    locked: &Locked,
    end: Instant,
    signals: &StopSignals,
    guardian: &mut Guardian,
) -> std::io::Result<Ending> {
    const LOOK: u64 = 0;
    const ALARM: u64 = 1;
    const BELL: u64 = 2;
    const SIGNAL: u64 = 3;
    const GUARDIAN: u64 = 4;
    let poll = Poll::new()?;
    let tid = own_tid();
    locked.enter(|s| {
        s.host.machine.external.agents.push(tid);
        s.host.machine.rings.join(&poll, LOOK)?;
        poll.add(s.host.machine.alarm.timer.as_raw_fd(), ALARM)
    })?;
    poll.add(locked.bell.as_raw_fd(), BELL)?;
    poll.add(signals.fd().as_raw_fd(), SIGNAL)?;
    poll.add(guardian.ended().as_raw_fd(), GUARDIAN)?;
    let mut ready = Vec::new();
    loop {
        if ready.contains(&BELL) {
            locked.bell.clear(); // a later ring shows in the next poll
        }
        let left = locked.enter(|s| round(s, ready.contains(&ALARM), end));
        if ready.contains(&SIGNAL)
            && let Some(signal) = signals.next()
        {
            signals.take(); // those that came with it, as SIGHUP with SIGTERM, are no second request
            return Ok(Ending::Signal(signal));
        }
        if ready.contains(&GUARDIAN) {
            // The next guardian holds a copy of this descriptor until it first runs, so a poll would still report the former one.
            poll.remove(guardian.ended().as_raw_fd())?;
            if let Err(fault) = guardian.renew() {
                locked.enter(|s| is_unguarded(s, &fault));
                return Ok(Ending::Request);
            }
            poll.add(guardian.ended().as_raw_fd(), GUARDIAN)?;
            locked.enter(|s| is_guarded_by(s, guardian.pid()));
        }
        let left = match left {
            Ok(left) => left,
            Err(ending) => return Ok(ending),
        };
        let ms = i32::try_from(left.as_nanos() / 1_000_000 + 1).unwrap_or(BEAT);
        poll.wait(ms.min(BEAT), &mut ready);
    }
}

/// One round under the lock. Returns the time that is left, or why the run is over.
fn round(s: &mut Supervisor, alarm: bool, end: Instant) -> Result<Span, Ending> {
    s.host.machine.restore_log.beat();
    if alarm {
        s.host.machine.alarm.has_gone_off();
    }
    begin::hear_children(s);
    audit::audit(s);
    calls::carry_out(s);
    match s.is_over() {
        true => Err(Ending::Request),
        false if begin::nothing_left(s) => Err(Ending::Programs),
        false => end.since(s.time()).filter(|left| !left.is_zero()).ok_or(Ending::Length),
    }
}

/// Records that the guardian ended and was replaced by this one.
fn is_guarded_by(supervisor: &mut Supervisor, guardian: i32) {
    let now = supervisor.time();
    supervisor.host.machine.external.agents.push(guardian);
    supervisor
        .host
        .machine
        .log
        .remarks
        .push((now, "the guardian had ended; another was posted".to_owned()));
}

/// Records that the guardian ended and could not be replaced, which ends the run.
fn is_unguarded(supervisor: &mut Supervisor, why: &LinuxError) {
    supervisor.host.machine.log.cut_short =
        Some(format!("the guardian had ended, and no other could be posted: {why}"));
}

/// Tells every thread of this process that the run is over.
pub(crate) fn end(locked: &Locked) {
    let (agents, owns): (Vec<Arc<Gate>>, Vec<Arc<InProcess>>) = locked.enter(|s| {
        s.ending = true;
        s.host.machine.external.work.close();
        let machine = &s.host.machine;
        let fences = (0..machine.cpus.len()).map(|cpu| machine.carrier.fence(cpu));
        (
            fences.chain([s.host.machine.external.work.gate.clone()]).collect(),
            own::owns(s).map(|(_, own)| own).collect(),
        )
    });
    agents.iter().for_each(|gate| gate.open_and_wake());
    for own in owns {
        own.give_up.store(true, Ordering::Relaxed);
        own.hold.store(false, Ordering::Relaxed);
        own.gate.open_and_wake();
    }
}
