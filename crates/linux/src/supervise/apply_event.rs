//! What the kernel has seen of supervised threads, and what that means.
//!
//! Events are levels: what is older than the last word about a thread is not believed. Own programs
//! have told the hierarchy themselves what they do; of them only the time is taken here.

use crate::account::cpu::Running;
use crate::supervise::linux::Linux;
use crate::supervise::procfs_worker::WorkItem;
use windfall_host::{Event, Thread};
use windfall_observe::KernelEvent;
use windfall_observe::rings::{self, Taken, Where};
use windfall_time::{Instant, Span};
use windfall_trace::Stop;

/// So long is what a thread does on its way into the freezer our doing, which takes a few microseconds; from then on it leaks.
const FREEZING: Span = Span::from_nanos(100_000);

impl Linux {
    /// The next thing that the kernel has seen, as far as the host has a use for it; `None` when all has been said that was
    /// there when this was first asked, and from then on the next time.
    pub(crate) fn next_heard(&mut self, threads: &[Thread]) -> Option<Event> {
        if !std::mem::replace(&mut self.heard.under_way, true) {
            self.read();
        }
        loop {
            if let Some(event) = self.heard.events.pop_front() {
                return Some(event);
            }
            if let Some(event) = self.heard.batch.get(self.heard.applied).copied() {
                self.heard.applied += 1;
                self.apply_event(&event, threads);
                continue;
            }
            self.clock.set_event(None);
            self.heard.under_way = false;
            return None;
        }
    }

    /// Takes what the kernel has seen.
    fn read(&mut self) {
        let before = std::mem::take(&mut self.heard.batch);
        self.rings.reuse(before);
        (self.heard.batch, self.heard.applied) = (self.rings.take(), 0);
        if !self.rings.lost.is_empty() {
            self.recover();
        }
    }

    fn apply_event(&mut self, event: &rings::Event, threads: &[Thread]) {
        let at = self.clock.since_epoch(event.at);
        self.clock.set_event(Some(at));
        match (event.seen, event.place) {
            (KernelEvent::Switch { prev, stop, next }, Where::Here(cpu)) => {
                self.account_for(cpu, at, event.taken);
                let left = self.threads.tids.get(&prev).copied();
                let waits = left.is_some_and(|number| self.left(number, (cpu, stop), at));
                self.cpus[cpu].freezing = None;
                self.cpus[cpu].occupant = match self.threads.tids.get(&next).copied() {
                    Some(number) => self.entered(number, cpu, at, threads),
                    None if self.external.agents.contains(&next) => Running::Supervisor,
                    None => Running::Other,
                };
                self.trace_switch((cpu, at), (prev, stop, waits), next, threads);
            }
            (KernelEvent::Wake { tid, by }, place) => {
                if let Some(number) = self.threads.tids.get(&tid).copied() {
                    let home = self.carrier.place(number).map(Where::Here);
                    let by = self.rings.wakers.waker(tid, by, home == Some(place));
                    self.woken_by_kernel(number, at, by, threads);
                }
            }
            (KernelEvent::Steal { since }, Where::Here(cpu)) => {
                let since = self.clock.since_epoch(since);
                self.cpus[cpu].stood_still(since, at, event.taken);
                self.account_for(cpu, at, event.taken);
            }
            (KernelEvent::Interrupted { since }, Where::Here(cpu)) => {
                let since = self.clock.since_epoch(since);
                self.cpus[cpu].away.add(since, at);
            }
            (KernelEvent::Starts { tid, routine, .. }, _) => self.will_start(tid, routine),
            (KernelEvent::Fork { parent, child, .. }, _) => self.forked(parent, child),
            (KernelEvent::Named { tid, .. } | KernelEvent::Executed { tid, .. }, _) => {
                self.renamed(tid);
            }
            _ => {}
        }
    }

    /// Accounts for a processor's time up to an instant.
    pub(crate) fn account_up_to(&mut self, cpu: usize, at: Instant) {
        if self.cpus[cpu].since() < at {
            self.account_for(cpu, at, self.rings.taken(cpu));
        }
    }

    /// As `account_up_to`, when `total` is what was taken until then.
    fn account_for(&mut self, cpu: usize, at: Instant, total: Taken) {
        if let Some((number, until)) = self.cpus[cpu].freezing.filter(|(_, until)| *until < at) {
            self.cpus[cpu].freezing = None;
            self.account_for(cpu, until, total);
            self.cpus[cpu].occupant = Running::Member(number);
            self.trace_thread_goes_on(cpu, number);
        }
        let taken = self.cpus[cpu].account(at, total);
        self.trace_taken(cpu, taken);
    }

    /// What was taken is accounted for before a scheduler is asked (decision 0006).
    pub(crate) fn account_overheads(&mut self) {
        for cpu in 0..self.cpus.len() {
            let total = self.rings.taken(cpu);
            if self.cpus[cpu].misses(total) {
                let now = self.clock.time();
                self.account_for(cpu, now, total);
            }
        }
    }

    /// A thread has left a processor; whether it is believed to wait from then on.
    fn left(&mut self, thread: u32, (cpu, stop): (usize, Stop), at: Instant) -> bool {
        self.heard.events.push_back(Event::Leaves { thread, cpu, stop });
        if stop == Stop::Preempted || !self.body(thread).is_external() {
            return false;
        }
        if stop == Stop::Exited {
            self.heard.events.push_back(Event::Ended { thread });
        } else if self.heard(thread).is_some_and(|heard| at > heard) {
            self.body(thread).heard = at;
            self.heard.events.push_back(Event::Waits { thread });
        } else {
            return false;
        }
        true
    }

    /// A thread has got a processor; as what its time counts.
    fn entered(&mut self, thread: u32, cpu: usize, at: Instant, threads: &[Thread]) -> Running {
        let runs = self.carrier.thawed(thread).is_some();
        self.heard.events.push_back(Event::Enters { thread, cpu, runs });
        if !runs {
            self.cpus[cpu].freezing = Some((thread, at + FREEZING));
            return Running::Supervisor;
        }
        if !threads[thread as usize].is_ready() {
            self.woken_by_kernel(thread, at, None, threads); // its wake-up was not seen
        }
        Running::Member(thread)
    }

    fn woken_by_kernel(&mut self, thread: u32, at: Instant, by: Option<i32>, threads: &[Thread]) {
        let news = self.heard(thread).is_some_and(|heard| at > heard);
        if news && self.body(thread).is_external() {
            self.body(thread).heard = at;
            let by = by.and_then(|tid| self.trace_waker(tid, at));
            if !threads[thread as usize].is_ready() {
                self.carrier.woken(thread);
            }
            self.heard.events.push_back(Event::Wakes { thread, by });
        }
    }

    /// Events were lost: what threads do is read from /proc.
    fn recover(&mut self) {
        for (place, count) in std::mem::take(&mut self.rings.lost) {
            let now = self.clock.time();
            self.log.lost += count;
            if let Where::Here(cpu) = place {
                self.account_up_to(cpu, now);
                self.cpus[cpu].forget();
            }
            self.trace_lost(place, count);
        }
        self.send(WorkItem::LookAtAll);
    }
}
