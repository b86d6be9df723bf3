//! Threads that could run on a processor where nothing is granted: priorities do not keep them from it, so they are frozen.

use crate::carrier::fifo::{Fifo, Freezing, Held};
use crate::carrier::wakes::Wakes;
use crate::carrier::{Member, Moment};
use crate::supervise::procfs_worker::WorkItem;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use windfall_observe::fifo_priorities;
use windfall_os::freezer::Brake;
use windfall_time::Instant;

impl Fifo {
    /// Holds off all that could run on a processor.
    pub(super) fn hold_all_off(&mut self, cpu: usize, moment: &mut Moment<'_>) {
        for (number, thread) in (0..).zip(moment.threads) {
            let held = &self.held[number as usize];
            if thread.is_ready() && held.place == Some(cpu) && !held.parked && !held.frozen {
                self.hold_off(number, moment.wakes);
            }
        }
    }

    /// Holds a thread off that would run if its processor had nothing else to do.
    pub(super) fn hold_off(&mut self, thread: u32, wakes: &mut Wakes) {
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

    /// A thread has a group that freezes it; it is held off if it still has to be.
    pub(super) fn has_brake(&mut self, thread: u32, brake: Brake, moment: Moment<'_>) {
        let held = &mut self.held[thread as usize];
        held.freezer = Freezing::Group(Arc::new(brake));
        let ready = moment.threads[thread as usize].is_ready();
        if ready && held.place.is_some_and(|cpu| !self.cpus[cpu].awake) {
            self.hold_off(thread, moment.wakes);
        }
    }
}

impl Held {
    /// What is known of a thread that joins.
    pub(super) fn of(member: Member) -> Held {
        let (tid, priority, place, own) = match member {
            Member::Own(own) => (0, 0, None, Some(own)),
            Member::External { tid, cpu } => (tid, fifo_priorities::HELD, Some(cpu), None),
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
}
