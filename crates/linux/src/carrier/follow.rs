//! From the desired to the actual: processors take up the threads that the hierarchy has chosen.
//!
//! Everybody who must step down does so before anybody is raised. A thread that is raised on the
//! processor of a fence preempts it at once, perhaps for ever, so that is done last: after everybody else was told what he waits for.

use crate::supervise::linux::{DeferredWake, Linux};
use crate::supervise::procfs_worker::WorkItem;
use crate::threads::body::{Freezing, Kind};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use windfall_host::Thread;
use windfall_observe::fifo_priorities;
use windfall_os::freezer::Brake;
use windfall_os::sched::Affinity;

impl Linux {
    /// Lets the processors follow what the hierarchy has chosen. What the kernel has seen has been taken.
    pub(crate) fn follow(&mut self, threads: &mut [Thread]) {
        for cpu in 0..self.cpus.len() {
            let slot = &self.cpus[cpu];
            let (dirty, desired, actual) = (slot.dirty, slot.desired, slot.actual);
            if let (true, Some(number)) = (dirty && actual != desired, actual) {
                self.account_up_to(cpu, self.clock.last());
                self.cpus[cpu].actual = None;
                self.lower(number, &mut threads[number as usize]);
            }
        }
        while let Some(number) = self.step.risen.pop() {
            let granted = self.cpus.iter().any(|cpu| cpu.desired == Some(number));
            if !granted && threads[number as usize].is_ready() {
                self.steps_back(number, &mut threads[number as usize]);
            }
        }
        let fencing = self.step.fencing;
        let others = (0..self.cpus.len()).filter(|cpu| Some(*cpu) != fencing);
        for cpu in others.chain(fencing) {
            if !std::mem::take(&mut self.cpus[cpu].dirty) {
                continue;
            }
            if Some(cpu) == fencing {
                self.wake_deferred();
            }
            let Some(number) = self.cpus[cpu].desired else { continue };
            if !std::mem::replace(&mut self.cpus[cpu].fenced, true) {
                let fence = self.cpus[cpu].fence.clone();
                if fence.open() {
                    self.step.wakes.push(DeferredWake::Agent(fence));
                }
            }
            if self.cpus[cpu].actual != Some(number) || self.body(number).parked {
                self.account_up_to(cpu, self.clock.last());
                self.cpus[cpu].actual = Some(number);
                self.trace_granted(cpu);
                threads[number as usize].is_granted();
                self.raise(number, cpu);
            }
        }
    }

    /// A thread has woken that is not granted a processor: it may not run on one that rests either.
    fn steps_back(&mut self, number: u32, thread: &mut Thread) {
        if self.body(number).fifo_priority > fifo_priorities::HELD {
            self.lower(number, thread);
        }
        let body = &self.threads.bodies[number as usize];
        let rests = |cpu: usize| !self.cpus[cpu].fenced && self.cpus[cpu].desired.is_none();
        if !body.frozen && body.place.is_some_and(rests) {
            self.hold(number);
        }
    }

    /// A thread loses its processor.
    fn lower(&mut self, number: u32, thread: &mut Thread) {
        thread.is_displaced();
        let caller = self.step.caller;
        let body = self.body(number);
        match &body.kind {
            Kind::InProcess(_) if body.parked => {}
            // It will go to its gate when it has told us what it does.
            Kind::InProcess(_) if caller == Some(number) => body.parked = true,
            // It waits, and preempts nobody of its own priority when it wakes; `follow` sees to it then.
            Kind::External { .. } if !thread.is_ready() => {}
            _ => body.set_fifo_priority(fifo_priorities::HELD),
        }
    }

    /// A thread gets a processor.
    fn raise(&mut self, number: u32, cpu: usize) {
        let linux = self.cpus[cpu].number;
        let caller = self.step.caller == Some(number);
        let body = self.body(number);
        if body.place != Some(cpu) {
            let _ = Affinity::one(linux).give(body.tid); // a thread that has just ended has none
            body.place = Some(cpu);
        }
        match body.kind.clone() {
            Kind::InProcess(own) => {
                own.hold.store(false, Ordering::Relaxed);
                let parked = std::mem::replace(&mut body.parked, false);
                body.set_fifo_priority(fifo_priorities::OWN);
                if parked && !caller && own.gate.open() {
                    self.step.wakes.push(DeferredWake::InProcess(own));
                }
            }
            Kind::External { .. } => {
                self.thaw(number);
                self.body(number).set_fifo_priority(fifo_priorities::GRANTED);
            }
        }
    }

    /// A thread may run again, if it was frozen.
    pub(crate) fn thaw(&mut self, number: u32) {
        let now = self.clock.time();
        let body = self.body(number);
        if !std::mem::replace(&mut body.frozen, false) {
            return;
        }
        if let Freezing::Group(brake) = &body.freezer {
            let _ = brake.set(false); // or it has ended
        }
        body.heard = now;
    }

    /// Whether a thread has the processor that it is on from the hierarchy.
    pub(crate) fn is_granted(&self, number: u32) -> bool {
        let place = self.threads.bodies[number as usize].place;
        place.is_some_and(|cpu| self.cpus[cpu].actual == Some(number))
    }

    /// Nothing is granted on a processor; threads that could run there are held off, and its fence
    /// may sleep. Whether it may.
    pub(crate) fn rests(&mut self, cpu: usize, threads: &[Thread]) -> bool {
        if self.cpus[cpu].desired.is_some() {
            return false;
        }
        for (number, thread) in (0..).zip(threads) {
            let body = self.body(number);
            if thread.is_ready() && body.place == Some(cpu) && !body.parked && !body.frozen {
                self.hold(number);
            }
        }
        self.cpus[cpu].fenced = false;
        true
    }

    /// Holds a thread off that would run if its processor had nothing else to do.
    fn hold(&mut self, number: u32) {
        let body = self.body(number);
        match body.kind.clone() {
            Kind::InProcess(own) => {
                own.hold.store(true, Ordering::Relaxed);
                body.parked = true;
            }
            Kind::External { .. } => match &body.freezer {
                Freezing::Group(brake) => {
                    let brake = brake.clone();
                    body.set_fifo_priority(fifo_priorities::FROZEN);
                    body.frozen = brake.set(true).is_ok();
                }
                Freezing::Never => {
                    body.freezer = Freezing::Asked;
                    self.send(WorkItem::Group(number));
                }
                Freezing::Asked => {}
            },
        }
    }

    /// A thread has a group that freezes it; it is held off if it still has to be.
    pub(crate) fn has_brake(&mut self, number: u32, brake: Brake, thread: &Thread) {
        let body = self.body(number);
        body.freezer = Freezing::Group(Arc::new(brake));
        let place = body.place;
        if thread.is_ready() && place.is_some_and(|cpu| !self.cpus[cpu].fenced) {
            self.hold(number);
        }
    }
}
