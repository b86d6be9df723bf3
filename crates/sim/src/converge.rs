//! From the desired to the actual: processors take up the threads that the hierarchy has chosen.
//!
//! All decisions of an instant are made before a processor switches, so a thread that was chosen
//! and displaced within it never runs, and one that was displaced and chosen again is not switched
//! (HLS 4.3.7.1).

use crate::cpu::{Overhead, is_stolen};
use crate::events::Due;
use crate::run::Sim;
use windfall_hierarchy::Processor;
use windfall_programs::Condition;
use windfall_scenario::outcome::Use;
use windfall_time::Span;
use windfall_trace::{OverheadKind, Stop, ThreadId};

impl Sim<'_> {
    /// Lets the processors follow; whether anything more may happen at this instant.
    pub(crate) fn converge(&mut self) -> bool {
        while let Some(number) = self.expired.pop() {
            self.give_up(number);
        }
        self.changed.clear();
        while let Some(processor) = self.hierarchy.next_changed() {
            self.changed.push(processor);
        }
        let changed = std::mem::take(&mut self.changed);
        for processor in &changed {
            self.close_path(*processor);
            self.take_off(*processor);
        }
        for processor in &changed {
            self.put_on(*processor);
            self.open_path(*processor);
        }
        self.look_at_promises();
        let busy = !changed.is_empty() || !self.eager.is_empty();
        self.changed = changed;
        while let Some(cpu) = self.eager.pop() {
            self.drive(usize::from(cpu));
        }
        busy || !self.expired.is_empty() || self.events.next_at() == Some(self.now)
    }

    fn desired(&self, processor: Processor) -> Option<u32> {
        let thread = self.hierarchy.running(processor)?;
        self.number(thread)
    }

    /// A processor whose thread is no longer wanted lets go of it.
    fn take_off(&mut self, processor: Processor) {
        let cpu = processor.index();
        let desired = self.desired(processor);
        let Some(number) = self.cpus[cpu].thread.filter(|number| Some(*number) != desired) else {
            return;
        };
        self.account(cpu);
        let now = self.now;
        self.cpus[cpu].thread = None;
        self.cpus[cpu].last = Some(number);
        let thread = &mut self.threads[number as usize];
        thread.cpu = None;
        let stop = match self.players.condition(number) {
            Condition::Runnable => Stop::Preempted,
            Condition::Gone => Stop::Exited,
            _ => Stop::Blocked,
        };
        if stop == Stop::Preempted {
            // Between two actions (it yielded, or its next job ranks lower) it loses nothing.
            thread.stats.preemptions += u64::from(!thread.asks);
            thread.unserved = Some(now);
        }
        // One record says who leaves and who comes, unless the latter still has to leave another
        // processor.
        let next = desired.filter(|next| self.threads[*next as usize].cpu.is_none());
        self.cpus[cpu].announced = next;
        self.tracer.switch(now, cpu, Some((ThreadId(number), stop)), next.map(ThreadId));
        self.rearm(cpu);
    }

    /// A processor takes up the thread that is wanted.
    fn put_on(&mut self, processor: Processor) {
        let cpu = processor.index();
        let Some(number) = self.desired(processor) else {
            return;
        };
        if self.cpus[cpu].thread == Some(number) {
            // Displaced and chosen again, or it has waited and was woken: it may have an action due.
            if self.threads[number as usize].asks {
                self.eager.push(processor.0);
            }
            return;
        }
        self.account(cpu);
        let now = self.now;
        let was_idle = self.cpus[cpu].thread.is_none();
        debug_assert!(was_idle, "a processor takes up a thread before it has let go of another");
        let fresh = self.cpus[cpu].last != Some(number);
        let rate = self.cpus[cpu].rate;
        let refill = self.machine.cache;
        self.cpus[cpu].thread = Some(number);
        let thread = &mut self.threads[number as usize];
        let moved = thread.last_cpu.is_some_and(|last| last != processor.0);
        thread.stats.dispatches += 1;
        thread.stats.migrations += u64::from(moved);
        if let Some(since) = thread.unserved.take() {
            thread.stats.gap = thread.stats.gap.max(now - since);
        }
        thread.cpu = Some(processor.0);
        thread.last_cpu = Some(processor.0);
        if let Some(refill) = refill.filter(|_| fresh || moved) {
            let kib = thread.spec.working_set_kib.min(refill.size_kib);
            let span = refill.refill.saturating_mul(kib);
            thread.refill = span.as_nanos().saturating_mul(rate);
        }
        let asks = thread.asks;
        if self.cpus[cpu].announced.take() != Some(number) {
            self.tracer.switch(now, cpu, None, Some(ThreadId(number)));
        }
        let switch = match &self.interval_timers {
            Some(timers) if fresh => timers.costs.registers,
            Some(_) => Span::ZERO,
            None => self.machine.costs.switch,
        };
        if !switch.is_zero() {
            self.charge_overhead(cpu, OverheadKind::Switching, 0, switch);
        }
        if asks {
            self.eager.push(processor.0);
        } else {
            self.rearm(cpu);
        }
    }

    /// Brings a processor's accounts, and its thread's, up to now.
    #[inline]
    pub(crate) fn account(&mut self, cpu: usize) {
        let (since, first) = (self.cpus[cpu].since, self.cpus[cpu].overheads.front());
        let first = first.map(|overhead| overhead.kind);
        let received = self.cpus[cpu].account(self.now);
        let by = match first {
            None => Use::Own,
            Some(kind) if is_stolen(kind) => Use::Stolen,
            Some(_) => Use::Overhead,
        };
        self.promises_passed(cpu, since, by);
        self.tell_lost(cpu, self.now - since, by);
        if let (Some(number), false) = (self.cpus[cpu].thread, received.is_zero()) {
            let rate = self.cpus[cpu].rate;
            self.threads[number as usize].progress(received, rate);
        }
    }

    /// Tells the hierarchy what was taken of a processor, and how; it costs nothing.
    fn tell_lost(&mut self, cpu: usize, span: Span, by: Use) {
        let processor = Processor::at(cpu);
        let told = match by {
            Use::Own => return,
            Use::Stolen => {
                self.promises_robbed();
                self.hierarchy.report_stolen(processor, span)
            }
            Use::Overhead => self.hierarchy.report_overhead(processor, span),
        };
        debug_assert!(told.is_ok(), "the hierarchy has not as many processors as the machine");
    }

    /// Takes time from a processor, after what is being taken already.
    pub(crate) fn charge_overhead(
        &mut self,
        cpu: usize,
        kind: OverheadKind,
        number: u16,
        cost: Span,
    ) {
        if cost.is_zero() || cpu >= self.cpus.len() {
            return;
        }
        self.account(cpu);
        let queue = &mut self.cpus[cpu].overheads;
        // One entry for each first, however often it comes while others are served.
        let waiting = queue.iter_mut().skip(1).find(|r| (r.kind, r.number) == (kind, number));
        if let Some(waiting) = waiting {
            waiting.left = waiting.left.saturating_add(cost);
            return;
        }
        queue.push_back(Overhead { kind, number, left: cost });
        if self.cpus[cpu].overheads.len() == 1 {
            self.tracer.overhead(self.now, cpu, kind, number);
            self.rearm(cpu);
        }
    }

    /// An overhead ends, or a thread's work is done.
    pub(crate) fn cpu_due(&mut self, cpu: usize) {
        self.account(cpu);
        if let Some(overhead) = self.cpus[cpu].overheads.front() {
            if overhead.left.is_zero() {
                self.cpus[cpu].overheads.pop_front();
                self.tracer.overhead_end(self.now, cpu);
                if let Some(next) = self.cpus[cpu].overheads.front().copied() {
                    self.tracer.overhead(self.now, cpu, next.kind, next.number);
                }
            }
            self.rearm(cpu);
            return;
        }
        if let Some(number) = self.cpus[cpu].thread {
            self.threads[number as usize].asks = true;
            self.drive(cpu);
        }
    }

    /// Sets when something happens on a processor by itself.
    #[inline]
    pub(crate) fn rearm(&mut self, cpu: usize) {
        let due = Due::Cpu(number_of(cpu));
        let now = self.now;
        let slot = &self.cpus[cpu];
        let at = if let Some(overhead) = slot.overheads.front() {
            now.checked_add(overhead.left)
        } else if let Some(number) = slot.thread {
            let thread = &self.threads[number as usize];
            if thread.asks {
                Some(now)
            } else {
                thread.time_left(slot.rate).and_then(|span| now.checked_add(span))
            }
        } else {
            None
        };
        match at {
            Some(at) => self.events.set(due, at),
            None => self.events.cancel(due),
        }
    }
}

pub(crate) fn number_of(cpu: usize) -> u32 {
    u32::from(Processor::at(cpu).0)
}
