//! A thread as the carrier has it: its class, priority and affinity, and what freezes it.

use crate::carrier::{Found, Member};
use crate::threads::body::InProcess;
use std::io;
use std::sync::Arc;
use windfall_observe::fifo_priorities::{HELD, OWN};
use windfall_os::freezer::Brake;
use windfall_os::sched::{Affinity, Attributes, set_fifo};
use windfall_time::Instant;

/// A thread, as far as it is kept from running or let run.
pub(super) struct Held {
    pub(super) tid: i32,
    /// A thread of ours.
    pub(super) own: Option<Arc<InProcess>>,
    /// The priority that it has.
    pub(super) priority: u32,
    /// The processor that it is bound to.
    pub(super) place: Option<usize>,
    /// A thread of ours that waits at its gate, or is about to.
    pub(super) parked: bool,
    /// The group that freezes it, once it has one; and whether it is frozen.
    pub(super) freezer: Freezing,
    pub(super) frozen: bool,
    /// When it was last let run.
    pub(super) thawed: Instant,
}

/// What freezes a thread.
pub(super) enum Freezing {
    /// It never had to be frozen.
    Never,
    /// A group is being made, or cannot be.
    Asked,
    /// Its group.
    Group(Arc<Brake>),
}

impl Held {
    /// What is known of a thread that joins.
    pub(super) fn of(member: Member) -> Held {
        let (tid, priority, place, own) = match member {
            Member::Own(own) => (0, 0, None, Some(own)),
            Member::External { tid, cpu } => (tid, HELD, Some(cpu), None),
            Member::Entry => (0, 0, None, None),
        };
        Held {
            tid,
            parked: own.is_some(),
            own,
            priority,
            place,
            freezer: Freezing::Never,
            frozen: false,
            thawed: Instant::ZERO,
        }
    }

    /// It may run again, if it was frozen.
    pub(super) fn thaw(&mut self, now: impl FnOnce() -> Instant) {
        if !std::mem::replace(&mut self.frozen, false) {
            return;
        }
        self.thawed = now();
        if let Freezing::Group(brake) = &self.freezer {
            let _ = brake.set(false); // or it has ended
        }
    }

    /// It loses its processor: perhaps in its own call, and perhaps it is still ready.
    pub(super) fn lower(&mut self, calls: bool, ready: bool) {
        match &self.own {
            Some(_) if self.parked => {}
            // It will go to its gate when it has told us what it does.
            Some(_) if calls => self.parked = true,
            // It waits, and preempts nobody of its own priority when it wakes; the next `carry_out` sees to it then.
            None if !ready => {}
            _ => self.set_priority(HELD),
        }
    }

    /// Moves it to another priority. One that has just ended has none.
    pub(super) fn set_priority(&mut self, priority: u32) {
        if self.priority != priority && set_fifo(self.tid, priority).is_ok() {
            self.priority = priority;
        }
    }

    /// Binds it to a processor, of which this is Linux' number.
    pub(super) fn bind(&mut self, cpu: usize, number: u16) {
        if self.place != Some(cpu) {
            let _ = Affinity::one(number).give(self.tid); // a thread that has just ended has none
            self.place = Some(cpu);
        }
    }

    /// The calling thread is this one: it goes to a processor and to its priority.
    pub(super) fn arrive(&mut self, tid: i32, cpu: usize, number: u16) {
        self.tid = tid;
        if Affinity::one(number).give(0).is_ok() {
            self.place = Some(cpu);
        }
        if set_fifo(0, OWN).is_ok() {
            self.priority = OWN;
        }
    }

    /// Puts back what the thread, or somebody else, has changed of it. `number` is Linux' number of a processor.
    pub(super) fn put_right(&mut self, number: impl Fn(usize) -> u16) -> io::Result<Found> {
        let attributes = Attributes::of(self.tid)?;
        let mut found = Found::default();
        let fifo = libc::SCHED_FIFO.cast_unsigned();
        if (attributes.policy, attributes.priority) != (fifo, self.priority) {
            found.class = Some(Attributes::fifo(HELD).give(self.tid));
            self.priority = HELD;
        }
        let place = self.place.map(|cpu| Affinity::one(number(cpu)));
        let moved = place.filter(|place| Affinity::of(self.tid).is_ok_and(|of| of != *place));
        found.place = moved.map(|place| place.give(self.tid));
        Ok(found)
    }
}
