//! Decisions carried out by priorities of SCHED_FIFO (decision 0008): a granted thread has the highest, then comes the fence of its
//! processor, then threads that could run and may not.
//!
//! Everybody who must step down does so before anybody is raised. A thread that is raised on the
//! processor of a fence preempts it at once, perhaps for ever, so that is done last: after everybody else was told what he waits for.

mod classes;
mod freeze;

use crate::carrier::wakes::Wakes;
use crate::carrier::{Caller, Carrier, Found, Member, Moment, Switch};
use crate::restore::log::Former;
use crate::supervise::procfs_worker::WorkQueue;
use crate::threads::body::InProcess;
use std::io;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use windfall_observe::fifo_priorities;
use windfall_os::freezer::Brake;
use windfall_os::futex::Gate;
use windfall_time::Instant;

/// Priorities, fences and freezers.
pub(crate) struct Fifo {
    cpus: Vec<Fenced>,
    held: Vec<Held>,
    /// Threads that know nothing of us and woke: they run where they may not until they step back.
    risen: Vec<u32>,
    /// Who makes control groups.
    work: WorkQueue,
}

/// A processor.
struct Fenced {
    /// Its number in the machine.
    number: u16,
    /// Where its fence sleeps while nothing is granted, and whether it does not.
    fence: Arc<Gate>,
    awake: bool,
    granted: Option<u32>,
}

/// A thread, as far as it is kept from running or let run.
struct Held {
    tid: i32,
    /// A thread of ours.
    own: Option<Arc<InProcess>>,
    /// The priority that it has.
    priority: u32,
    /// The processor that it is bound to.
    place: Option<usize>,
    /// A thread of ours that waits at its gate, or is about to.
    parked: bool,
    /// The group that freezes it, once it has one; and whether it is frozen.
    freezer: Freezing,
    frozen: bool,
    /// When it was last let run.
    thawed: Instant,
}

/// What freezes a thread.
enum Freezing {
    /// It never had to be frozen.
    Never,
    /// A group is being made, or cannot be.
    Asked,
    /// Its group.
    Group(Arc<Brake>),
}

impl Fifo {
    /// For these processors of the machine, in the scenario's order.
    pub(crate) fn new(cpus: &[u16], work: WorkQueue) -> Fifo {
        let fenced = |number: &u16| Fenced {
            number: *number,
            fence: Arc::default(),
            awake: false,
            granted: None,
        };
        let cpus = cpus.iter().map(fenced).collect();
        Fifo { cpus, held: Vec::new(), risen: Vec::new(), work }
    }

    /// A thread has woken that is not granted a processor: it may not run on one that rests either.
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

    /// A processor takes up the thread that it is granted to.
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

    /// A thread gets a processor.
    fn raise(&mut self, thread: u32, cpu: usize, caller: Caller, moment: &mut Moment<'_>) {
        let held = &mut self.held[thread as usize];
        held.bind(cpu, self.cpus[cpu].number);
        if let Some(own) = held.own.clone() {
            own.hold.store(false, Ordering::Relaxed);
            let parked = std::mem::replace(&mut held.parked, false);
            held.set_priority(fifo_priorities::OWN);
            if parked && caller != Caller::Own(thread) {
                moment.wakes.open_own(own);
            }
        } else {
            held.thaw(|| moment.clock.time());
            held.set_priority(fifo_priorities::GRANTED);
        }
    }
}

impl Held {
    /// It loses its processor: perhaps in its own call, and perhaps it is still ready.
    fn lower(&mut self, calls: bool, ready: bool) {
        match &self.own {
            Some(_) if self.parked => {}
            // It will go to its gate when it has told us what it does.
            Some(_) if calls => self.parked = true,
            // It waits, and preempts nobody of its own priority when it wakes; the next `carry_out` sees to it then.
            None if !ready => {}
            _ => self.set_priority(fifo_priorities::HELD),
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

    fn give_back(&mut self, tid: i32, former: &Former) {
        classes::give_back(tid, former);
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
                self.held[thread as usize].lower(caller == Caller::Own(thread), ready);
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
            moment.wakes.tell();
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
        self.put_right(thread)
    }

    fn answered(&mut self, thread: u32, brake: Brake, moment: Moment<'_>) {
        self.has_brake(thread, brake, moment);
    }

    fn fence(&self, cpu: usize) -> Arc<Gate> {
        self.cpus[cpu].fence.clone()
    }
}
