//! How players wait for each other: locks, conditions, barriers, wake-ups.
//!
//! Invariant: whoever waits stands in one queue, or is said to await a wake-up, and leaves it by being
//! woken.

use super::{Condition, ProgramError, ProgramRuntime, RuntimeHost};
use crate::action::Resource;

impl ProgramRuntime {
    pub(super) fn lock<S: RuntimeHost>(stage: &mut S, number: u32, lock: Resource) {
        if !stage.programs().syncs.at(lock).lock(number) {
            ProgramRuntime::block(stage, number, Condition::Held(None));
        }
    }

    pub(super) fn unlock<S: RuntimeHost>(stage: &mut S, number: u32, lock: Resource) {
        match stage.programs().syncs.at(lock).unlock(number) {
            Ok(Some(next)) => ProgramRuntime::wake(stage, next, Some(number)),
            Ok(None) => {}
            Err(_) => stage.program_failed(number, ProgramError::NotOwner),
        }
    }

    pub(super) fn wait<S: RuntimeHost>(
        stage: &mut S,
        number: u32,
        condition: Resource,
        lock: Resource,
    ) {
        ProgramRuntime::unlock(stage, number, lock);
        stage.programs().syncs.at(condition).wait(number);
        ProgramRuntime::block(stage, number, Condition::Held(Some(lock)));
    }

    /// Wakes whoever has waited longest for a condition; whether there was somebody.
    pub(super) fn signal<S: RuntimeHost>(stage: &mut S, number: u32, condition: Resource) -> bool {
        let players = stage.programs();
        let Some(waiter) = players.syncs.at(condition).signal() else { return false };
        // It goes on when it has its lock again.
        let waiting = &mut players.at(waiter).condition;
        if let Condition::Held(Some(lock)) = *waiting {
            *waiting = Condition::Held(None);
            if players.syncs.at(lock).lock(waiter) {
                ProgramRuntime::wake(stage, waiter, Some(number));
            }
        }
        true
    }

    pub(super) fn arrive<S: RuntimeHost>(stage: &mut S, number: u32, barrier: Resource) {
        match stage.programs().syncs.at(barrier).arrive(number) {
            Some(others) => {
                others
                    .into_iter()
                    .for_each(|other| ProgramRuntime::wake(stage, other, Some(number)));
            }
            None => ProgramRuntime::block(stage, number, Condition::Held(None)),
        }
    }

    /// Wakes a player that waits for that; else it will not wait next time.
    pub(super) fn wake_other<S: RuntimeHost>(stage: &mut S, number: u32, other: usize) {
        let Some(player) = stage.programs().list.get_mut(other) else { return };
        match player.condition {
            Condition::AwaitingWake => {
                let other = u32::try_from(other).expect("programs are numbered by 32 bits");
                ProgramRuntime::wake(stage, other, Some(number));
            }
            Condition::Gone => {}
            _ => player.wakes += 1,
        }
    }

    pub(super) fn await_wake<S: RuntimeHost>(stage: &mut S, number: u32) {
        let player = stage.programs().at(number);
        if player.wakes > 0 {
            player.wakes -= 1;
        } else {
            ProgramRuntime::block(stage, number, Condition::AwaitingWake);
        }
    }
}
