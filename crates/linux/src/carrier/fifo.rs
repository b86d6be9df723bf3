//! Carries out decisions by priorities of SCHED_FIFO (decision 0008): a granted thread has the highest, then comes the fence of its
//! processor, then threads that are ready and not granted.
//!
//! All threads that must step down do so before any is raised. A thread that is raised on a fence's own processor preempts the
//! fence at once, perhaps for ever, so that is done last: after all threads behind opened gates were woken.

mod classes;
mod held;

use crate::carrier::fifo::held::{Freezing, Held};
use crate::carrier::wakes::Wakes;
use crate::carrier::{Caller, Carrier, Found, Member, Moment, Switch};
use crate::restore::log::{self, Former};
use crate::supervise::work::{WorkItem, WorkQueue};
use std::io;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use windfall_observe::fifo_priorities;
use windfall_os::freezer::Brake;
use windfall_os::futex::Gate;
use windfall_time::Instant;

/// The carrier's state: processors with their fences, and threads with their priorities and freezers.
pub(super) struct Fifo {
    cpus: Vec<Fenced>,
    held: Vec<Held>,
    /// External threads that woke: they may run where they are not granted until they step back.
    risen: Vec<u32>,
    /// Queue of the /proc worker, which makes control groups.
    work: WorkQueue,
}

/// A processor and its fence.
struct Fenced {
    /// Its number in the machine.
    number: u16,
    /// The gate where its fence sleeps while nothing is granted, and whether the fence is awake.
    fence: Arc<Gate>,
    awake: bool,
    granted: Option<u32>,
}

impl Fifo {
    pub(super) fn new(cpus: &[u16], work: WorkQueue) -> Fifo {
        let fenced = |number: &u16| Fenced {
            number: *number,
            fence: Arc::default(),
            awake: false,
            granted: None,
        };
        let cpus = cpus.iter().map(fenced).collect();
        Fifo { cpus, held: Vec::new(), risen: Vec::new(), work }
    }

    /// Holds back a thread that woke and is not granted a processor. It may not run on a resting processor either.
    fn step_back(&mut self, thread: u32, wakes: &mut Wakes) {
        let held = &mut self.held[thread as usize];
        if held.priority > fifo_priorities::HELD {
            held.lower(false, true);
        }
        let rests = |cpu: usize| !self.cpus[cpu].awake && self.cpus[cpu].granted.is_none();
        if !held.frozen && held.place.is_some_and(rests) {
            self.hold_off(thread, wakes);
        }
    }

    /// Holds off all threads that could run on a processor.
    fn hold_all_off(&mut self, cpu: usize, moment: &mut Moment<'_>) {
        for (number, thread) in (0..).zip(moment.threads) {
            let held = &self.held[number as usize];
            if thread.is_ready() && held.place == Some(cpu) && !held.parked && !held.frozen {
                self.hold_off(number, moment.wakes);
            }
        }
    }

    /// Holds off a thread, which would otherwise run if its processor had nothing else to do.
    fn hold_off(&mut self, thread: u32, wakes: &mut Wakes) {
        let held = &mut self.held[thread as usize];
        if let Some(own) = &held.own {
            own.hold.store(true, Ordering::Relaxed);
            held.parked = true;
            return;
        }
        match &held.freezer {
            Freezing::Group(brake) => {
                let brake = brake.clone();
                held.set_priority(fifo_priorities::FROZEN);
                held.frozen = brake.set(true).is_ok();
            }
            Freezing::Never => {
                held.freezer = Freezing::Asked;
                self.work.send(WorkItem::Group(thread), wakes);
            }
            Freezing::Asked => {}
        }
    }

    /// Notes the group that freezes a thread, and holds the thread off if it still has to be.
    fn has_brake(&mut self, thread: u32, brake: Brake, moment: Moment<'_>) {
        let held = &mut self.held[thread as usize];
        held.freezer = Freezing::Group(Arc::new(brake));
        let ready = moment.threads[thread as usize].is_ready();
        if ready && held.place.is_some_and(|cpu| !self.cpus[cpu].awake) {
            self.hold_off(thread, moment.wakes);
        }
    }

    /// Switches a processor to the thread that is granted it.
    fn take_up(&mut self, switch: &Switch, caller: Caller, moment: &mut Moment<'_>) {
        let Some(thread) = switch.granted else { return };
        let cpu = &mut self.cpus[switch.cpu];
        if !std::mem::replace(&mut cpu.awake, true) {
            moment.wakes.open(&cpu.fence);
        }
        if switch.rises {
            self.raise(thread, switch.cpu, caller, moment);
        }
    }

    /// Lets a thread run on a processor.
    fn raise(&mut self, thread: u32, cpu: usize, caller: Caller, moment: &mut Moment<'_>) {
        let held = &mut self.held[thread as usize];
        held.bind(cpu, self.cpus[cpu].number);
        if let Some(own) = &held.own {
            own.hold.store(false, Ordering::Relaxed);
            let parked = std::mem::replace(&mut held.parked, false);
            let to_wake = (parked && caller != Caller::InProcess(thread)).then(|| own.clone());
            held.set_priority(fifo_priorities::OWN);
            if let Some(own) = to_wake {
                moment.wakes.open_in_process(own);
            }
        } else {
            held.thaw(|| moment.clock.time());
            held.set_priority(fifo_priorities::GRANTED);
        }
    }
}

impl Carrier for Fifo {
    fn take(&mut self, tid: i32, cpu: usize) -> io::Result<()> {
        classes::take(tid, self.cpus[cpu].number)
    }

    fn hold(&mut self, tid: i32) {
        classes::hold(tid);
    }

    fn give_back(&mut self, tid: i32, former: &Former, trouble: &mut Vec<String>) {
        log::give(tid, former, trouble);
    }

    fn join(&mut self, thread: u32, member: Member) {
        let held = Held::of(member);
        match self.held.get_mut(thread as usize) {
            Some(before) => *before = held,
            None => self.held.push(held),
        }
    }

    fn arrive(&mut self, thread: u32, tid: i32) {
        self.held[thread as usize].arrive(tid, 0, self.cpus[0].number);
    }

    fn carry_out(&mut self, switches: &[Switch], caller: Caller, mut moment: Moment<'_>) {
        for switch in switches {
            self.cpus[switch.cpu].granted = switch.granted;
            if let Some(thread) = switch.leaves {
                let ready = moment.threads[thread as usize].is_ready();
                self.held[thread as usize].lower(caller == Caller::InProcess(thread), ready);
            }
        }
        while let Some(thread) = self.risen.pop() {
            let granted = self.cpus.iter().any(|cpu| cpu.granted == Some(thread));
            if !granted && moment.threads[thread as usize].is_ready() {
                self.step_back(thread, moment.wakes);
            }
        }
        let is_last = |switch: &&Switch| caller == Caller::Fence(switch.cpu);
        for switch in switches.iter().filter(|switch| !is_last(switch)) {
            self.take_up(switch, caller, &mut moment);
        }
        if let Some(switch) = switches.iter().find(is_last) {
            moment.wakes.wake_all();
            self.take_up(switch, caller, &mut moment);
        }
    }

    fn woken(&mut self, thread: u32) {
        self.risen.push(thread);
    }

    fn park(&mut self, thread: u32) {
        self.held[thread as usize].parked = true;
    }

    fn is_parked(&self, thread: u32) -> bool {
        self.held[thread as usize].parked
    }

    fn rest(&mut self, cpu: usize, mut moment: Moment<'_>) -> bool {
        if self.cpus[cpu].granted.is_some() {
            return false;
        }
        self.hold_all_off(cpu, &mut moment);
        self.cpus[cpu].awake = false;
        true
    }

    fn release(&mut self, thread: u32, now: Instant) {
        self.held[thread as usize].thaw(|| now);
    }

    fn place(&self, thread: u32) -> Option<usize> {
        self.held[thread as usize].place
    }

    fn thawed(&self, thread: u32) -> Option<Instant> {
        let held = &self.held[thread as usize];
        (!held.frozen).then_some(held.thawed)
    }

    fn audit(&mut self, thread: u32) -> io::Result<Found> {
        self.held[thread as usize].put_right(|cpu| self.cpus[cpu].number)
    }

    fn keep_nice(&mut self, thread: u32, keep: bool) {
        self.held[thread as usize].keep_nice(keep);
    }

    fn answered(&mut self, thread: u32, brake: Brake, moment: Moment<'_>) {
        self.has_brake(thread, brake, moment);
    }

    fn fence(&self, cpu: usize) -> Arc<Gate> {
        self.cpus[cpu].fence.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use windfall_os::sched::{Affinity, Attributes, own_tid};

    /// The errors that the carrier reports.
    fn given_back(tid: i32, former: Former) -> Vec<String> {
        let mut trouble = Vec::new();
        Fifo::new(&[], WorkQueue::default()).give_back(tid, &former, &mut trouble);
        trouble
    }

    /// A class that no kernel has.
    fn no_class() -> Attributes {
        let mut attributes = Attributes::ordinary();
        attributes.policy = 99;
        attributes
    }

    #[test]
    fn law_an_affinity_is_given_back_where_the_class_cannot_be_and_each_error_is_reported() {
        let thread = || {
            let tid = own_tid();
            let before = Affinity::of(tid).expect("it lives");
            let cpu = (0..1_024).find(|cpu| before.has(*cpu)).expect("it runs somewhere");
            let one = Affinity::one(cpu);
            one.give(tid).expect("it may run there");
            let trouble = given_back(tid, (no_class(), before));
            assert_eq!(Affinity::of(tid).expect("it lives").words(), before.words());
            let [said] = &trouble[..] else { panic!("{trouble:?}") };
            assert!(
                said.starts_with(&format!("thread {tid} did not get its class back: ")),
                "{said}"
            );
            let nowhere = one.without(&one);
            let trouble = given_back(tid, (no_class(), nowhere));
            let [class, affinity] = &trouble[..] else { panic!("{trouble:?}") };
            assert!(class.contains("its class back") && affinity.contains("its affinity back"));
            let trouble = given_back(tid, (Attributes::ordinary(), before));
            assert!(trouble.is_empty(), "{trouble:?}");
        };
        std::thread::spawn(thread).join().expect("it does not panic");
    }

    #[test]
    fn accepts_a_thread_that_has_ended() {
        let ended = std::thread::spawn(own_tid).join().expect("it does not panic");
        let trouble = given_back(ended, (Attributes::ordinary(), Affinity::one(0)));
        assert!(trouble.is_empty(), "{trouble:?}");
    }
}
