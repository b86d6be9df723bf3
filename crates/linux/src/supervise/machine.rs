//! Implements [`Machine`] for this machine, which a host drives.

use crate::carrier::{Member, Switch};
use crate::supervise::apply_event;
use crate::supervise::linux::Linux;
use crate::supervise::trace;
use crate::supervise::work::WorkItem;
use crate::threads::adopt;
use crate::threads::begin;
use crate::threads::body::{Body, InProcess, Kind};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use windfall_hierarchy::{JournalEntry, NodeId, ThreadId};
use windfall_host::{Change, Charge, Event, Machine, Passed, Thread};
use windfall_scenario::{PlannedProgram, PlannedThread, Tracer};
use windfall_time::{Instant, Span};
use windfall_trace::Ring;

impl Machine for Linux {
    type Sink = Ring;
    // An action takes far less than a ten-thousandth of a second, settling included, so a program that makes no progress is
    // detected within this time.
    const MOMENT: Span = Span::from_secs(10);
    const LIVE: bool = true;
    const PRECISION: Span = Span::from_nanos(100_000);

    fn begin(&mut self) {
        trace::begin(self);
    }

    fn now(&self) -> Instant {
        self.clock.now()
    }

    fn next_event(&mut self, threads: &[Thread]) -> Option<Event> {
        apply_event::next_heard(self, threads)
    }

    fn account_until(&mut self, cpu: usize, at: Instant) {
        apply_event::account_up_to(self, cpu, at);
    }

    fn account(&mut self, cpu: usize) {
        apply_event::account_up_to(self, cpu, self.clock.at());
    }

    fn next_passed(&mut self, cpu: usize) -> Option<Passed> {
        self.cpus[cpu].pieces.pop_front()
    }

    fn account_taken(&mut self) {
        apply_event::account_overheads(self);
    }

    fn takes_time(&self) -> bool {
        true
    }

    fn is_taken(&self, cpu: usize) -> bool {
        !self.cpus[cpu].pieces.is_empty()
    }

    fn alarm(&mut self, at: Option<Instant>) {
        self.alarm.set(at, &self.clock, &self.rings);
    }

    fn is_late(&mut self, at: Instant) {
        let now = self.clock.time();
        let lag = now.saturating_since(at);
        self.log.lag = self.log.lag.max(lag);
        if lag > self.log.lag_without_steal {
            // The event loop's processor, which usually has its alarm, too. A standstill that still lasts is not known yet.
            apply_event::account_up_to(self, 0, now);
            let away = self.cpus[0].away.between(at, now);
            self.log.lag_without_steal = self.log.lag_without_steal.max(lag.saturating_sub(away));
        }
    }

    fn make(&mut self, number: u32, thread: &PlannedThread) -> bool {
        let kind = match &thread.program {
            PlannedProgram::Declared(_) => {
                let keeps = self.threads.keeps;
                Kind::InProcess(Arc::new(InProcess { keeps, ..InProcess::default() }))
            }
            // Each thread of an external program has a body of its own.
            PlannedProgram::External { .. } => Kind::External { pid: 0, program: number as usize },
        };
        let ready = !(self.step.started && matches!(kind, Kind::InProcess(_)));
        self.carrier.join(
            number,
            match &kind {
                Kind::InProcess(own) => Member::InProcess(own.clone()),
                Kind::External { .. } => Member::Entry,
            },
        );
        let body = Body::new(kind, 0);
        match self.threads.bodies.get_mut(number as usize) {
            Some(former) => *former = body,
            None => self.threads.bodies.push(body),
        }
        if !ready {
            self.send(WorkItem::Make(number));
        }
        ready
    }

    fn begin_program(&mut self, number: u32) {
        begin::begin_entry(self, number as usize);
    }

    fn compute(&mut self, _thread: u32, _work: Option<Span>) {} // an in-process program computes in its own call

    fn has_work(&self, _thread: u32) -> bool {
        true
    }

    fn give_up(&mut self, thread: u32) {
        if let Kind::InProcess(own) = &self.body(thread).kind {
            own.give_up.store(true, Ordering::Relaxed);
        }
    }

    fn ended(&mut self, thread: u32) {
        adopt::has_ended(self, thread);
    }

    fn decided(&mut self, change: &Change, at: Instant) {
        let cpu = &mut self.cpus[change.cpu];
        cpu.desired = change.takes;
        cpu.dirty = true;
        cpu.granted = change.takes.map(|_| cpu.granted.unwrap_or(at));
    }

    fn carry_out(&mut self, _changes: &[Change], threads: &mut [Thread]) {
        let mut switches = std::mem::take(&mut self.step.switches);
        switches.clear();
        for cpu in 0..self.cpus.len() {
            switches.extend(self.leaves(cpu, threads));
        }
        for switch in &mut switches {
            self.rises(switch, threads);
        }
        let caller = self.step.caller;
        self.carry(threads, |carrier, moment| carrier.carry_out(&switches, caller, moment));
        self.step.switches = switches;
    }

    fn charges(&self) -> bool {
        false
    }

    fn charge(&mut self, _cpu: usize, _what: Charge) -> bool {
        false
    }

    fn held_up(&mut self, _cpu: usize) -> Option<Instant> {
        None
    }

    fn tracer(&mut self) -> &mut Tracer<Ring> {
        &mut self.trace.tracer
    }

    fn traced(&self, thread: u32) -> Option<windfall_trace::ThreadId> {
        self.threads.bodies[thread as usize].traced
    }

    fn declare(&mut self, number: u32, thread: &Thread, parent: Option<NodeId>) {
        trace::declare(self, number, thread, parent);
    }

    fn note(&mut self, entry: &JournalEntry, number: impl Fn(ThreadId) -> Option<u32>) {
        let bodies = &self.threads.bodies;
        self.trace.tracer.entry(entry, |id| bodies[number(id)? as usize].traced);
    }
}

impl Linux {
    /// Returns the switch of a processor that something was decided for. The thread that loses it holds it up to this moment.
    fn leaves(&mut self, cpu: usize, threads: &mut [Thread]) -> Option<Switch> {
        let slot = &mut self.cpus[cpu];
        let (granted, actual) = (slot.desired, slot.actual);
        if !std::mem::take(&mut slot.dirty) {
            return None;
        }
        let leaves = actual.filter(|_| actual != granted);
        if let Some(number) = leaves {
            apply_event::account_up_to(self, cpu, self.clock.last());
            self.cpus[cpu].actual = None;
            threads[number as usize].is_displaced();
        }
        Some(Switch { cpu, leaves, granted, rises: false })
    }

    /// Records that the granted thread has the processor from this moment on.
    fn rises(&mut self, switch: &mut Switch, threads: &mut [Thread]) {
        let Switch { cpu, granted: Some(number), .. } = *switch else { return };
        if self.cpus[cpu].actual != Some(number) || self.carrier.is_parked(number) {
            apply_event::account_up_to(self, cpu, self.clock.last());
            self.cpus[cpu].actual = Some(number);
            trace::granted(self, cpu);
            threads[number as usize].is_granted();
            switch.rises = true;
        }
    }
}
