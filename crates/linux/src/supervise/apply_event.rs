//! What the kernel has seen of supervised threads, and what that means.
//!
//! Events are levels: what is older than the last word about a thread is not believed. Own programs
//! have told the hierarchy themselves what they do; of them only the time is taken here.

use crate::account::cpu::{Passed, Running};
use crate::supervise::procfs_worker::WorkItem;
use crate::supervise::supervisor::Supervisor;
use windfall_hierarchy::Processor;
use windfall_observe::KernelEvent;
use windfall_observe::rings::{Event, Taken, Where};
use windfall_time::{Instant, Span};
use windfall_trace::Stop;

/// So long is what a thread does on its way into the freezer our doing, which takes a few microseconds; from then on it leaks.
const FREEZING: Span = Span::from_nanos(100_000);

impl Supervisor {
    /// Takes what the kernel has seen.
    pub(crate) fn listen(&mut self) {
        let batch = self.rings.take();
        for event in &batch {
            self.apply_event(event);
        }
        self.rings.reuse(batch);
        if !self.rings.lost.is_empty() {
            self.recover();
        }
    }

    fn apply_event(&mut self, event: &Event) {
        let at = self.since_epoch(event.at);
        match (event.seen, event.place) {
            (KernelEvent::Switch { prev, stop, next }, Where::Here(cpu)) => {
                self.account_for(cpu, at, event.taken);
                if let Some(number) = self.threads.tids.get(&prev).copied() {
                    self.left(number, stop, at);
                }
                self.cpus[cpu].freezing = None;
                self.cpus[cpu].occupant = match self.threads.tids.get(&next).copied() {
                    Some(number) => self.entered(number, cpu, at),
                    None if self.external.agents.contains(&next) => Running::Supervisor,
                    None => Running::Other,
                };
                self.trace_switch(cpu, at, (prev, stop), next);
            }
            (KernelEvent::Wake { tid, by }, place) => {
                if let Some(number) = self.threads.tids.get(&tid).copied() {
                    let home = self.threads.members[number as usize].place.map(Where::Here);
                    let by = self.rings.wakers.waker(tid, by, home == Some(place));
                    self.woken_by_kernel(number, at, by);
                }
            }
            (KernelEvent::Steal { since }, Where::Here(cpu)) => {
                let since = self.since_epoch(since);
                self.cpus[cpu].stood_still(since, at, event.taken);
                self.account_for(cpu, at, event.taken);
            }
            (KernelEvent::Interrupted { since }, Where::Here(cpu)) => {
                let since = self.since_epoch(since);
                self.cpus[cpu].away.add(since, at);
            }
            (KernelEvent::Starts { tid, routine, .. }, _) => self.will_start(tid, routine),
            (KernelEvent::Fork { parent, child }, _) => self.forked(parent, child),
            (KernelEvent::Named { tid, .. } | KernelEvent::Executed { tid, .. }, _) => {
                self.renamed(tid)
            }
            _ => {}
        }
    }

    /// Brings a processor's accounts, and its thread's, up to an instant.
    pub(crate) fn account(&mut self, cpu: usize, at: Instant) {
        self.account_for(cpu, at, self.rings.taken(cpu));
    }

    /// As `account`, when `total` is what was taken until then.
    fn account_for(&mut self, cpu: usize, at: Instant, total: Taken) {
        if let Some((number, until)) = self.cpus[cpu].freezing.filter(|(_, until)| *until < at) {
            self.cpus[cpu].freezing = None;
            self.account_for(cpu, until, total);
            self.cpus[cpu].occupant = Running::Member(number);
            self.trace_thread_goes_on(cpu, number);
        }
        let from = self.cpus[cpu].since();
        let Passed { received, stolen, taken } = self.cpus[cpu].account(at, total);
        let processor = Processor::at(cpu);
        if !stolen.is_zero() {
            let told = self.hierarchy.report_stolen(processor, stolen);
            debug_assert!(told.is_ok(), "the hierarchy has as many processors");
        }
        // A thread is granted the processor and has not got it yet: we decide, or are about to switch.
        let waits = !matches!(self.cpus[cpu].occupant, Running::Member(_));
        let since = self.cpus[cpu].granted.map_or(at, |granted| granted.max(from));
        let overhead = at.saturating_since(since).saturating_sub(stolen);
        if waits && !overhead.is_zero() {
            let told = self.hierarchy.report_overhead(processor, overhead);
            debug_assert!(told.is_ok(), "the hierarchy has as many processors");
        }
        if let Some((number, span)) = received {
            self.threads.members[number as usize].outcome.received += span;
        }
        self.put_down(cpu, from, at, (received, stolen));
        self.trace_taken(cpu, taken);
    }

    /// What was taken is told before a scheduler is asked (decision 0006).
    pub(crate) fn account_overheads(&mut self) {
        for cpu in 0..self.cpus.len() {
            let total = self.rings.taken(cpu);
            if self.cpus[cpu].misses(total) {
                let now = self.time();
                self.account_for(cpu, now, total);
            }
        }
    }

    /// A thread has left a processor.
    fn left(&mut self, number: u32, stop: Stop, at: Instant) {
        let member = &mut self.threads.members[number as usize];
        member.on = None;
        if stop == Stop::Preempted {
            if member.ready {
                member.unserved.get_or_insert(at);
            }
            return;
        }
        if !member.is_external() {
            return;
        }
        if stop == Stop::Exited {
            self.becomes_gone(number, at);
        } else if at > member.heard && !member.frozen {
            member.heard = at;
            self.becomes_blocked(number, at);
        }
    }

    /// A thread has got a processor; as what its time counts.
    fn entered(&mut self, number: u32, cpu: usize, at: Instant) -> Running {
        let member = &mut self.threads.members[number as usize];
        member.on = Some(cpu);
        member.outcome.migrations += u64::from(member.last.is_some_and(|last| last != cpu));
        member.last = Some(cpu);
        if member.frozen {
            self.cpus[cpu].freezing = Some((number, at + FREEZING));
            return Running::Supervisor;
        }
        if let Some(since) = member.unserved.take() {
            member.outcome.gap = member.outcome.gap.max(at.saturating_since(since));
        }
        if !member.ready {
            self.woken_by_kernel(number, at, None); // its wake-up was not seen
        }
        Running::Member(number)
    }

    fn woken_by_kernel(&mut self, number: u32, at: Instant, by: Option<i32>) {
        let member = &mut self.threads.members[number as usize];
        if member.is_external() && !member.frozen && at > member.heard {
            member.heard = at;
            let by = by.and_then(|tid| self.trace_waker(tid, at));
            self.becomes_ready(number, at, by);
        }
    }

    /// Events were lost: what threads do is read from /proc.
    fn recover(&mut self) {
        for (place, count) in std::mem::take(&mut self.rings.lost) {
            let now = self.time();
            self.log.lost += count;
            if let Where::Here(cpu) = place {
                self.account(cpu, now);
                self.cpus[cpu].forget();
            }
            self.trace_lost(place, count);
        }
        self.send(WorkItem::LookAtAll);
    }
}
