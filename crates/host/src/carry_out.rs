//! Has the processors follow the hierarchy's decisions.
//!
//! All decisions of an instant are made before a processor switches. So a thread that was chosen and displaced within the
//! instant never runs, and one that was displaced and chosen again is not switched (HLS 4.3.7.1).

use crate::host::Host;
use crate::machine::{Change, Machine};
use windfall_hierarchy::Processor;
use windfall_programs::{Condition, ProgramRuntime, Progress};
use windfall_trace::Stop;

impl<M: Machine> Host<M> {
    /// Has the processors follow. Returns whether anything more may happen at this instant.
    pub(crate) fn follow(&mut self) -> bool {
        while let Some(number) = self.step.expired.pop() {
            self.give_up(number);
        }
        self.post_notices();
        let mut changes = std::mem::take(&mut self.step.changes);
        changes.clear();
        while let Some(processor) = self.hierarchy.next_changed() {
            changes.push(self.change(processor));
        }
        let changed = !changes.is_empty();
        self.look_at_promises();
        if M::LIVE {
            self.set_alarm();
        }
        if changed || M::LIVE {
            self.carry_out(&changes);
        }
        self.step.changes = changes;
        if M::LIVE {
            return false; // threads act in their own calls
        }
        let busy = changed || !self.step.eager.is_empty();
        while let Some(cpu) = self.step.eager.pop() {
            self.act(usize::from(cpu));
        }
        busy || !self.step.expired.is_empty()
            || !self.step.notices.is_empty()
            || self.agenda.next_at() == Some(self.machine.now())
    }

    /// The change of a processor that the hierarchy has decided on.
    fn change(&self, processor: Processor) -> Change {
        let cpu = processor.index();
        let takes = self.hierarchy.running(processor).and_then(|thread| self.number(thread));
        let leaves = self.step.on[cpu].filter(|number| Some(*number) != takes);
        let leaves = leaves.map(|number| (number, self.stop_of(number)));
        Change { cpu, leaves, takes }
    }

    /// Why a thread stops that leaves its processor now.
    fn stop_of(&self, number: u32) -> Stop {
        match self.programs.condition(number) {
            Condition::Runnable => Stop::Preempted,
            Condition::Gone => Stop::Exited,
            _ => Stop::Blocked,
        }
    }

    fn carry_out(&mut self, changes: &[Change]) {
        for change in changes {
            self.machine.decided(change, self.step.last_call);
            self.account_until(change.cpu, self.step.now);
            self.close_path(change.cpu);
            self.open_path(change.cpu);
            let (given, before) = (change.takes, self.step.on[change.cpu]);
            if let (true, Some(number)) = (M::LIVE && given != before, given) {
                self.promise_decided(number, (self.step.last_call, self.step.now));
            }
            self.step.on[change.cpu] = change.takes;
        }
        self.machine.carry_out(changes, &mut self.threads.list);
        if M::LIVE {
            return; // the caller may have lost its processor meanwhile; threads act in their own calls
        }
        for change in changes {
            // The thread was displaced and chosen again, or is new here, or has waited and was woken: it may have an action due.
            if change.takes.is_some_and(|number| !self.machine.has_work(number)) {
                self.step.eager.push(Processor::at(change.cpu).0);
            }
        }
    }

    /// Has the thread on a processor act until it computes, waits, or loses the processor.
    pub(crate) fn act(&mut self, cpu: usize) {
        let processor = Processor::at(cpu);
        self.step.payer = processor.0;
        loop {
            let Some(number) = self.step.on[cpu] else {
                return;
            };
            let granted =
                self.hierarchy.running(processor) == self.threads.list[number as usize].id;
            if !granted || self.machine.has_work(number) || self.machine.is_taken(cpu) {
                return; // it acts once the processor is its own again
            }
            match ProgramRuntime::step(self, number) {
                Progress::Work(work) => return self.machine.compute(number, Some(work)),
                Progress::Acted if !self.has_failed() => {}
                Progress::Acted | Progress::Waits => return,
            }
        }
    }

    /// Gives up a thread's job.
    pub(crate) fn give_up(&mut self, number: u32) {
        if let Some(cpu) = self.threads.list[number as usize].cpu {
            self.account(usize::from(cpu));
        }
        if !ProgramRuntime::abort(self, number) {
            return;
        }
        self.machine.give_up(number);
        if let Some(cpu) = self.threads.list[number as usize].cpu {
            self.step.eager.push(cpu);
        }
    }
}
