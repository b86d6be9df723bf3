//! Translates kernel events about supervised threads into events of the host.
//!
//! Events are levels: an event older than the latest information about its thread is ignored. In-process programs report to the
//! hierarchy themselves; their kernel events serve only to account for time.

use crate::account::cpu::Running;
use crate::supervise::linux::Linux;
use crate::supervise::trace;
use crate::supervise::work::WorkItem;
use crate::threads::adopt;
use crate::threads::starts;
use windfall_host::{Event, Thread};
use windfall_observe::KernelEvent;
use windfall_observe::rings::{self, Taken, Where};
use windfall_time::{Instant, Span};
use windfall_trace::Stop;

/// A thread that is being frozen may run this long at our expense (a few microseconds are usual); longer counts as leaked.
const FREEZING: Span = Span::from_nanos(100_000);

/// Returns the next kernel event that matters to the host. `None` ends the batch that was there at the first call; the next call
/// reads a new one.
pub(crate) fn next_heard(linux: &mut Linux, threads: &[Thread]) -> Option<Event> {
    if !std::mem::replace(&mut linux.heard.under_way, true) {
        read(linux);
    }
    loop {
        if let Some(event) = linux.heard.events.pop_front() {
            return Some(event);
        }
        if let Some(event) = linux.heard.batch.get(linux.heard.applied).copied() {
            linux.heard.applied += 1;
            apply_event(linux, &event, threads);
            continue;
        }
        linux.clock.set_event(None);
        linux.heard.under_way = false;
        return None;
    }
}

/// Reads the kernel events that have arrived.
fn read(linux: &mut Linux) {
    let before = std::mem::take(&mut linux.heard.batch);
    linux.rings.reuse(before);
    (linux.heard.batch, linux.heard.applied) = (linux.rings.take(), 0);
    if !linux.rings.lost.is_empty() {
        recover(linux);
    }
}

fn apply_event(linux: &mut Linux, event: &rings::Event, threads: &[Thread]) {
    let at = linux.clock.since_epoch(event.at);
    linux.clock.set_event(Some(at));
    match (event.seen, event.place) {
        (KernelEvent::Switch { prev, stop, next }, Where::Here(cpu)) => {
            account_for(linux, cpu, at, event.taken);
            let left = linux.threads.tids.get(&prev).copied();
            let waits = left.is_some_and(|number| leaves(linux, number, (cpu, stop), at));
            linux.cpus[cpu].freezing = None;
            linux.cpus[cpu].occupant = match linux.threads.tids.get(&next).copied() {
                Some(number) => entered(linux, number, cpu, at, threads),
                None if linux.external.agents.contains(&next) => Running::Supervisor,
                None => Running::Other,
            };
            trace::switch(linux, (cpu, at), (prev, stop, waits), next, threads);
        }
        (KernelEvent::Wake { tid, by }, place) => {
            if let Some(number) = linux.threads.tids.get(&tid).copied() {
                let home = linux.carrier.place(number).map(Where::Here);
                let by = linux.rings.wakers.waker(tid, by, home == Some(place));
                woken_by_kernel(linux, number, at, by, threads);
            }
        }
        (KernelEvent::Steal { since }, Where::Here(cpu)) => {
            let since = linux.clock.since_epoch(since);
            linux.cpus[cpu].stood_still(since, at, event.taken);
            account_for(linux, cpu, at, event.taken);
        }
        (KernelEvent::Interrupted { since }, Where::Here(cpu)) => {
            let since = linux.clock.since_epoch(since);
            linux.cpus[cpu].away.add(since, at);
        }
        (KernelEvent::Starts { tid, routine, .. }, _) => starts::will_start(linux, tid, routine),
        (KernelEvent::Fork { parent, child, .. }, _) => adopt::forked(linux, parent, child),
        (KernelEvent::Named { tid, .. } | KernelEvent::Executed { tid, .. }, _) => {
            adopt::renamed(linux, tid);
        }
        _ => {}
    }
}

/// Accounts for a processor's time up to `at`.
pub(crate) fn account_up_to(linux: &mut Linux, cpu: usize, at: Instant) {
    if linux.cpus[cpu].since() < at {
        account_for(linux, cpu, at, linux.rings.taken(cpu));
    }
}

/// Does the same as `account_up_to`, with `total` as the time taken until then.
fn account_for(linux: &mut Linux, cpu: usize, at: Instant, total: Taken) {
    if let Some((number, until)) = linux.cpus[cpu].freezing.filter(|(_, until)| *until < at) {
        linux.cpus[cpu].freezing = None;
        account_for(linux, cpu, until, total);
        linux.cpus[cpu].occupant = Running::Member(number);
        trace::thread_goes_on(linux, cpu, number);
    }
    let taken = linux.cpus[cpu].account(at, total);
    trace::taken(linux, cpu, taken);
}

/// Accounts for overheads before a scheduler is called (decision 0006).
pub(crate) fn account_overheads(linux: &mut Linux) {
    for cpu in 0..linux.cpus.len() {
        let total = linux.rings.taken(cpu);
        if linux.cpus[cpu].misses(total) {
            let now = linux.clock.time();
            account_for(linux, cpu, now, total);
        }
    }
}

/// Reports that a thread has left a processor. Returns whether it counts as waiting (or ended) from then on.
fn leaves(linux: &mut Linux, thread: u32, (cpu, stop): (usize, Stop), at: Instant) -> bool {
    linux.heard.events.push_back(Event::Leaves { thread, cpu, stop });
    if stop == Stop::Preempted || !linux.body(thread).is_external() {
        return false;
    }
    if stop == Stop::Exited {
        linux.heard.events.push_back(Event::Ended { thread });
    } else if linux.heard(thread).is_some_and(|heard| at > heard) {
        linux.body(thread).heard = at;
        linux.heard.events.push_back(Event::Waits { thread });
    } else {
        return false;
    }
    true
}

/// Reports that a thread has got a processor. Returns what its time there counts as.
fn entered(linux: &mut Linux, thread: u32, cpu: usize, at: Instant, threads: &[Thread]) -> Running {
    let runs = linux.carrier.thawed(thread).is_some();
    linux.heard.events.push_back(Event::Enters { thread, cpu, runs });
    if !runs {
        linux.cpus[cpu].freezing = Some((thread, at + FREEZING));
        return Running::Supervisor;
    }
    if !threads[thread as usize].is_ready() {
        woken_by_kernel(linux, thread, at, None, threads); // its wake-up event was missed
    }
    Running::Member(thread)
}

fn woken_by_kernel(
    linux: &mut Linux,
    thread: u32,
    at: Instant,
    by: Option<i32>,
    threads: &[Thread],
) {
    let is_new = linux.heard(thread).is_some_and(|heard| at > heard);
    if is_new && linux.body(thread).is_external() {
        linux.body(thread).heard = at;
        let by = by.and_then(|tid| trace::waker(linux, tid, at));
        if !threads[thread as usize].is_ready() {
            linux.carrier.woken(thread);
        }
        linux.heard.events.push_back(Event::Wakes { thread, by });
    }
}

/// Events were lost: has the state of all threads read from /proc.
fn recover(linux: &mut Linux) {
    for (place, count) in std::mem::take(&mut linux.rings.lost) {
        let now = linux.clock.time();
        linux.log.lost += count;
        if let Where::Here(cpu) = place {
            account_up_to(linux, cpu, now);
            linux.cpus[cpu].forget();
        }
        trace::lost(linux, place, count);
    }
    linux.send(WorkItem::LookAtAll);
}
