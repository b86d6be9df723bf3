//! A thread as the carrier knows it: its class, priority and affinity, and its freezer.

use crate::carrier::{Found, Member, OwnChange};
use crate::threads::body::InProcess;
use std::io;
use std::sync::Arc;
use windfall_observe::fifo_priorities::{HELD, OWN};
use windfall_os::freezer::Brake;
use windfall_os::sched::{Affinity, Attributes, is_real_time, nice_of, set_fifo, set_nice};
use windfall_time::Instant;

/// The state by which a thread is kept from running or let run.
pub(super) struct Held {
    pub(super) tid: i32,
    /// Set for a thread of ours.
    pub(super) own: Option<Arc<InProcess>>,
    /// The priority that it has been given.
    pub(super) priority: u32,
    /// The processor that it is bound to.
    pub(super) place: Option<usize>,
    /// Whether it is a thread of ours that waits at its gate, or is about to.
    pub(super) parked: bool,
    /// Its freezer group, once it has one; and whether it is frozen.
    pub(super) freezer: Freezing,
    pub(super) frozen: bool,
    /// When it last left the freezer.
    pub(super) thawed: Instant,
    /// The nice value that an external thread is known to have.
    nice: Option<i32>,
}

/// The freezer of a thread.
pub(super) enum Freezing {
    /// None was needed yet.
    Never,
    /// A group has been requested. It stays so if none can be made.
    Asked,
    /// The group that freezes it.
    Group(Arc<Brake>),
}

impl Held {
    /// The state of a thread that joins.
    pub(super) fn of(member: Member) -> Held {
        let (tid, priority, place, own) = match member {
            Member::InProcess(own) => (0, 0, None, Some(own)),
            Member::External { tid, cpu } => (tid, HELD, Some(cpu), None),
            Member::Entry => (0, 0, None, None),
        };
        let nice = if tid > 0 { nice_of(tid).ok() } else { None };
        Held {
            tid,
            parked: own.is_some(),
            own,
            priority,
            place,
            freezer: Freezing::Never,
            frozen: false,
            thawed: Instant::ZERO,
            nice,
        }
    }

    /// Lets a frozen thread run again; does nothing for another.
    pub(super) fn thaw(&mut self, now: impl FnOnce() -> Instant) {
        if !std::mem::replace(&mut self.frozen, false) {
            return;
        }
        self.thawed = now();
        if let Freezing::Group(brake) = &self.freezer {
            let _ = brake.set(false); // fails if the thread has ended
        }
    }

    /// Takes its processor. `calls`: it is in its own call; `ready`: it could still run.
    pub(super) fn lower(&mut self, calls: bool, ready: bool) {
        match &self.own {
            Some(_) if self.parked => {}
            // It goes to its gate at the end of its call.
            Some(_) if calls => self.parked = true,
            // It waits. On waking it preempts no thread of its own priority, and the next `carry_out` lowers it.
            None if !ready => {}
            _ => self.set_priority(HELD),
        }
    }

    /// Sets its priority. This fails, and is ignored, if the thread has just ended.
    pub(super) fn set_priority(&mut self, priority: u32) {
        if self.priority != priority && set_fifo(self.tid, priority).is_ok() {
            self.priority = priority;
        }
    }

    /// Binds it to processor `cpu`, whose number in the machine is `number`.
    pub(super) fn bind(&mut self, cpu: usize, number: u16) {
        if self.place != Some(cpu) {
            let _ = Affinity::one(number).give(self.tid); // fails if the thread has just ended
            self.place = Some(cpu);
        }
    }

    /// Binds the calling thread, which this state belongs to, to a processor and raises it to its priority.
    pub(super) fn arrive(&mut self, tid: i32, cpu: usize, number: u16) {
        self.tid = tid;
        if Affinity::one(number).give(0).is_ok() {
            self.place = Some(cpu);
        }
        if set_fifo(0, OWN).is_ok() {
            self.priority = OWN;
        }
    }

    /// Restores the class and affinity if they were changed from outside. `number` gives a processor's number in the machine.
    pub(super) fn put_right(&mut self, number: impl Fn(usize) -> u16) -> io::Result<Found> {
        let attributes = Attributes::of(self.tid)?;
        let mut found = Found::default();
        let (fifo, nice) = (libc::SCHED_FIFO.cast_unsigned(), nice_of(self.tid)?);
        let changed = self.nice.is_some_and(|before| before != nice);
        found.own_change = changed.then_some(OwnChange::Nice(nice));
        if (attributes.policy, attributes.priority) != (fifo, self.priority) {
            let real_time = is_real_time(attributes.policy);
            found.own_change = Some(match real_time {
                true => OwnChange::RealTime(attributes.priority),
                false => OwnChange::Nice(nice),
            });
            found.class = Some(Attributes::fifo(HELD).give(self.tid));
            self.priority = HELD;
        }
        let place = self.place.map(|cpu| Affinity::one(number(cpu)));
        let moved = place.filter(|place| Affinity::of(self.tid).is_ok_and(|of| of != *place));
        found.place = moved.map(|place| place.give(self.tid));
        Ok(found)
    }

    /// Keeps the nice value that it has, or gives it back the one before.
    pub(super) fn keep_nice(&mut self, keep: bool) {
        match (keep, self.nice) {
            (false, Some(before)) => drop(set_nice(self.tid, before)), // fails if it has ended
            _ => self.nice = nice_of(self.tid).ok(),
        }
    }
}
