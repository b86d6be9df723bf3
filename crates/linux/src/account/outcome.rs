//! Makes the outcome of a run: what every thread, scheduler and processor received, and how precise the supervision was.

use crate::account::cpu::Cpu;
use crate::supervise::linux::Linux;
use crate::supervise::own;
use crate::supervise::supervisor::Supervisor;
use crate::threads::adopt;
use crate::threads::begin;
use windfall_scenario::outcome::{Outcome, Supervision};
use windfall_time::{Instant, Span};

/// Adds the stretches in which in-process programs, which must have ended, saw themselves running until the end of the run.
pub(crate) fn add_stretches(supervisor: &Supervisor, outcome: &mut Outcome) {
    let end = Instant::ZERO + outcome.length;
    let clock = &supervisor.host.machine.clock;
    for (number, own) in own::owns(supervisor) {
        let name = &supervisor.host.threads.list[number as usize].outcome.name;
        let thread = outcome.threads.iter_mut().find(|thread| thread.name == *name);
        let (Some(thread), Ok(kept)) = (thread, own.kept.lock()) else { continue };
        let seen = kept.iter().map(|(from, to)| (clock.since_epoch(*from), clock.since_epoch(*to)));
        let seen = seen.take_while(|(from, _)| *from < end);
        thread.stretches = seen.map(|(from, to)| (from, to.min(end))).collect();
    }
}

/// Closes all accounts and makes the outcome.
///
/// # Panics
/// When time is not conserved, which would be a defect of this crate.
pub(crate) fn outcome(supervisor: &mut Supervisor) -> Outcome {
    begin::hear_children(supervisor);
    supervisor.host.hear();
    supervisor.ending = true;
    let now = supervisor.time();
    adopt::report_entries_without_threads(supervisor, now);
    adopt::report_threads_that_ended_before(supervisor, now);
    supervisor.host.machine.clock.set_event(Some(now)); // all accounts are closed at the same instant
    let mut outcome = supervisor.host.finish("linux".to_owned());
    supervisor.host.machine.clock.set_event(None);
    let leaked = supervisor.host.accounts.read().iter().map(|(_, leaked)| *leaked);
    let leaked = leaked.fold(Span::ZERO, |sum, part| sum + part);
    outcome.supervision = Some(supervision(&mut supervisor.host.machine, leaked));
    outcome
}

/// Makes the part of the outcome that is about supervision: events, delays, leaked and stolen time.
fn supervision(linux: &mut Linux, leaked: Span) -> Supervision {
    let steal = linux.cpus.iter().map(Cpu::steal).fold(Span::ZERO, |sum, part| sum + part);
    let mut supervision = Supervision::default();
    supervision.events = linux.rings.by.clone();
    supervision.lost = linux.log.lost;
    supervision.lag = linux.log.lag;
    supervision.lag_without_steal = linux.log.lag_without_steal;
    supervision.steal = linux.rings.sees_steal().then_some(steal);
    supervision.leaked = leaked;
    supervision.claimed = std::mem::take(&mut linux.log.claimed);
    supervision.remarks = std::mem::take(&mut linux.log.remarks);
    supervision.cut_short = linux.log.cut_short.take();
    supervision
}
