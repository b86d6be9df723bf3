//! Waiting of threads for each other: locks, conditions, barriers, wake-ups.
//!
//! Invariant: a waiting thread is in one queue, or awaits a wake-up, and stops waiting by being woken.

use super::{Condition, ProgramError, ProgramRuntime, RuntimeHost};
use crate::action::Resource;
use crate::urgency::LockProtocol;

impl ProgramRuntime {
    pub(super) fn lock<S: RuntimeHost>(host: &mut S, number: u32, lock: Resource) {
        if host.programs().syncs.at(lock).lock(number) {
            ProgramRuntime::has_taken(host, number, lock);
        } else {
            ProgramRuntime::waits_for(host, number, lock);
            ProgramRuntime::block(host, number, Condition::Held(None));
        }
    }

    pub(super) fn unlock<S: RuntimeHost>(host: &mut S, number: u32, lock: Resource) {
        if host.programs().syncs.at(lock).protocol != LockProtocol::None {
            return ProgramRuntime::give_back(host, number, lock);
        }
        match host.programs().syncs.at(lock).unlock(number) {
            Ok(Some(next)) => ProgramRuntime::wake(host, next, Some(number)),
            Ok(None) => {}
            Err(_) => host.program_failed(number, ProgramError::NotOwner),
        }
    }

    pub(super) fn wait<S: RuntimeHost>(
        host: &mut S,
        number: u32,
        condition: Resource,
        lock: Resource,
    ) {
        ProgramRuntime::unlock(host, number, lock);
        host.programs().syncs.at(condition).wait(number);
        ProgramRuntime::block(host, number, Condition::Held(Some(lock)));
    }

    /// Wakes the thread that has waited longest for a condition. Returns whether there was one.
    pub(super) fn signal<S: RuntimeHost>(host: &mut S, number: u32, condition: Resource) -> bool {
        let threads = host.programs();
        let Some(waiter) = threads.syncs.at(condition).signal() else { return false };
        // The thread continues when it has its lock again.
        if let Condition::Held(Some(lock)) = threads.at(waiter).condition {
            threads.at(waiter).condition = Condition::Held(None);
            if threads.syncs.at(lock).protocol != LockProtocol::None {
                ProgramRuntime::wake_for(host, waiter, lock, number);
            } else if threads.syncs.at(lock).lock(waiter) {
                ProgramRuntime::wake(host, waiter, Some(number));
            }
        }
        true
    }

    pub(super) fn arrive<S: RuntimeHost>(host: &mut S, number: u32, barrier: Resource) {
        match host.programs().syncs.at(barrier).arrive(number) {
            Some(others) => {
                others
                    .into_iter()
                    .for_each(|other| ProgramRuntime::wake(host, other, Some(number)));
            }
            None => ProgramRuntime::block(host, number, Condition::Held(None)),
        }
    }

    /// Wakes a thread that awaits a wake-up; otherwise it will not wait next time.
    pub(super) fn wake_other<S: RuntimeHost>(host: &mut S, number: u32, other: usize) {
        let Some(thread) = host.programs().list.get_mut(other) else { return };
        match thread.condition {
            Condition::AwaitingWake => {
                let other = u32::try_from(other).expect("programs are numbered by 32 bits");
                ProgramRuntime::wake(host, other, Some(number));
            }
            Condition::Gone => {}
            _ => thread.wakes += 1,
        }
    }

    pub(super) fn await_wake<S: RuntimeHost>(host: &mut S, number: u32) {
        let thread = host.programs().at(number);
        if thread.wakes > 0 {
            thread.wakes -= 1;
        } else {
            ProgramRuntime::block(host, number, Condition::AwaitingWake);
        }
    }
}
