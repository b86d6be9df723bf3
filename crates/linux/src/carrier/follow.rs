//! From the desired to the actual: processors take up the threads that the hierarchy has chosen.
//!
//! Everybody who must step down does so before anybody is raised. A thread that is raised on the
//! processor of a fence preempts it at once, perhaps for ever, so that is done last: after everybody else was told what he waits for.

use crate::supervise::procfs_worker::WorkItem;
use crate::supervise::supervisor::{DeferredWake, Supervisor};
use crate::threads::member::{Freezing, Kind, Member};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use windfall_observe::fifo_priorities;
use windfall_os::freezer::Brake;
use windfall_os::sched::{self, Affinity};

impl Supervisor {
    /// Whether the hierarchy has chosen anew, somewhere.
    pub(crate) fn has_changed(&mut self) -> bool {
        while let Some(processor) = self.hierarchy.next_changed() {
            let granted = self.hierarchy.running(processor).is_some();
            if let Some(cpu) = self.cpus.get_mut(processor.index()) {
                cpu.dirty = true;
                cpu.granted = granted.then(|| cpu.granted.unwrap_or(self.agenda.last_call()));
            }
        }
        self.cpus.iter().any(|cpu| cpu.dirty)
    }

    /// Lets the processors follow what the hierarchy has chosen. What the kernel has seen has been taken:
    /// time is put to accounts here.
    pub(crate) fn follow(&mut self) {
        self.has_changed();
        self.open_paths();
        for cpu in 0..self.cpus.len() {
            let desired = self.desired(cpu);
            let actual = self.cpus[cpu].actual;
            if self.cpus[cpu].dirty
                && let Some(number) = actual.filter(|_| actual != desired)
            {
                self.account(cpu, self.agenda.last_call());
                self.cpus[cpu].actual = None;
                self.lower(number);
            }
        }
        while let Some(number) = self.step.risen.pop() {
            let granted = (0..self.cpus.len()).any(|cpu| self.desired(cpu) == Some(number));
            if !granted && self.threads.members[number as usize].ready {
                self.steps_back(number);
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
            let Some(number) = self.desired(cpu) else { continue };
            if !std::mem::replace(&mut self.cpus[cpu].fenced, true) {
                let fence = self.cpus[cpu].fence.clone();
                if fence.open() {
                    self.step.wakes.push(DeferredWake::Agent(fence));
                }
            }
            if self.cpus[cpu].actual != Some(number) || self.threads.members[number as usize].parked
            {
                self.account(cpu, self.agenda.last_call());
                self.cpus[cpu].actual = Some(number);
                self.trace_granted(cpu);
                self.raise(number, cpu);
            }
        }
    }

    /// A thread has woken that is not granted a processor: it may not run on one that rests either.
    fn steps_back(&mut self, number: u32) {
        let member = &self.threads.members[number as usize];
        if member.fifo_priority > fifo_priorities::HELD {
            self.lower(number);
        }
        let member = &self.threads.members[number as usize];
        let rests = |cpu: usize| !self.cpus[cpu].fenced && self.desired(cpu).is_none();
        if !member.frozen && member.place.is_some_and(rests) {
            self.hold(number as usize);
        }
    }

    /// A thread loses its processor.
    fn lower(&mut self, number: u32) {
        let (caller, number_of) = (self.step.caller, number);
        let member = &mut self.threads.members[number as usize];
        member.outcome.preemptions += u64::from(member.ready);
        match &member.kind {
            Kind::InProcess(_) if member.parked => {}
            // It will go to its gate when it has told us what it does.
            Kind::InProcess(_) if caller == Some(number_of) => member.parked = true,
            // It waits, and preempts nobody of its own priority when it wakes; `follow` sees to it then.
            Kind::External { .. } if !member.ready => {}
            _ => member.set_fifo_priority(fifo_priorities::HELD),
        }
    }

    /// A thread gets a processor.
    fn raise(&mut self, number: u32, cpu: usize) {
        let linux = self.cpus[cpu].number;
        let caller = self.step.caller == Some(number);
        let member = &mut self.threads.members[number as usize];
        member.outcome.dispatches += 1;
        if member.place != Some(cpu) {
            let _ = Affinity::one(linux).give(member.tid); // a thread that has just ended has none
            member.place = Some(cpu);
        }
        match member.kind.clone() {
            Kind::InProcess(own) => {
                own.hold.store(false, Ordering::Relaxed);
                let parked = std::mem::replace(&mut member.parked, false);
                member.set_fifo_priority(fifo_priorities::OWN);
                if parked && !caller && own.gate.open() {
                    self.step.wakes.push(DeferredWake::InProcess(own));
                }
            }
            Kind::External { .. } => {
                self.thaw(number);
                self.threads.members[number as usize].set_fifo_priority(fifo_priorities::GRANTED);
            }
        }
    }

    /// A thread may run again, if it was frozen.
    pub(crate) fn thaw(&mut self, number: u32) {
        let member = &mut self.threads.members[number as usize];
        if !std::mem::replace(&mut member.frozen, false) {
            return;
        }
        if let Freezing::Group(brake) = &member.freezer {
            let _ = brake.set(false); // or it has ended
        }
        let now = self.time();
        self.threads.members[number as usize].heard = now;
    }

    /// Nothing is granted on a processor; threads that could run there are held off, and its fence
    /// may sleep. Whether it may.
    pub(crate) fn rests(&mut self, cpu: usize) -> bool {
        if self.desired(cpu).is_some() {
            return false;
        }
        for number in 0..self.threads.members.len() {
            let member = &self.threads.members[number];
            if member.ready && member.place == Some(cpu) && !member.parked && !member.frozen {
                self.hold(number);
            }
        }
        self.cpus[cpu].fenced = false;
        true
    }

    /// Holds a thread off that would run if its processor had nothing else to do.
    fn hold(&mut self, number: usize) {
        let member = &mut self.threads.members[number];
        match member.kind.clone() {
            Kind::InProcess(own) => {
                own.hold.store(true, Ordering::Relaxed);
                member.parked = true;
            }
            Kind::External { .. } => match &member.freezer {
                Freezing::Group(brake) => {
                    let brake = brake.clone();
                    member.set_fifo_priority(fifo_priorities::FROZEN);
                    member.frozen = brake.set(true).is_ok();
                }
                Freezing::Never => {
                    member.freezer = Freezing::Asked;
                    self.send(WorkItem::Group(
                        u32::try_from(number).expect("threads are numbered by 32 bits"),
                    ));
                }
                Freezing::Asked => {}
            },
        }
    }

    /// A thread has a group that freezes it, or why not; it is held off if it still has to be.
    pub(crate) fn has_group(&mut self, number: u32, tid: i32, group: std::io::Result<Brake>) {
        let number = number as usize;
        let member = &mut self.threads.members[number];
        if member.tid != tid || member.id.is_none() {
            return;
        }
        match group {
            Ok(brake) => {
                member.freezer = Freezing::Group(Arc::new(brake));
                let idle = |cpu: usize| !self.cpus[cpu].fenced;
                if member.ready && member.place.is_some_and(idle) {
                    self.hold(number);
                }
            }
            Err(error) => self.cannot_hold(number, &error),
        }
    }

    /// A thread leaks; it is told once.
    fn cannot_hold(&mut self, number: usize, error: &std::io::Error) {
        let name = &self.threads.members[number].outcome.name;
        let why = format!("`{name}` cannot be held off while its processor idles: {error}");
        self.tell_once(why);
    }
}

impl Member {
    /// Moves it to another priority. One that has just ended has none.
    pub(crate) fn set_fifo_priority(&mut self, priority: u32) {
        if self.fifo_priority != priority && sched::set_fifo(self.tid, priority).is_ok() {
            self.fifo_priority = priority;
        }
    }
}

impl Supervisor {
    /// Tells whoever waits at gates that were opened.
    pub(crate) fn wake_deferred(&mut self) {
        self.step.wakes.drain(..).for_each(|wake| wake.wake());
    }
}

impl DeferredWake {
    /// Tells whoever waits that the gate is open.
    fn wake(&self) {
        match self {
            DeferredWake::InProcess(own) => own.gate.wake(),
            DeferredWake::Agent(gate) => gate.wake(),
        }
    }
}
