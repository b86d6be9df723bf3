//! How players wait for each other: locks, conditions, barriers, wake-ups.
//!
//! Invariant: whoever waits stands in one queue, or is said to await a wake-up, and leaves it by being
//! woken.

use super::{Condition, Mishap, Players, Stage};
use crate::action::Resource;

impl Players {
    pub(super) fn lock<S: Stage>(stage: &mut S, number: u32, lock: Resource) {
        if !stage.players().syncs.at(lock).lock(number) {
            Players::block(stage, number, Condition::Held(None));
        }
    }

    pub(super) fn unlock<S: Stage>(stage: &mut S, number: u32, lock: Resource) {
        match stage.players().syncs.at(lock).unlock(number) {
            Ok(Some(next)) => Players::wake(stage, next, Some(number)),
            Ok(None) => {}
            Err(_) => stage.mishap(number, Mishap::NotOwner),
        }
    }

    pub(super) fn wait<S: Stage>(stage: &mut S, number: u32, condition: Resource, lock: Resource) {
        Players::unlock(stage, number, lock);
        stage.players().syncs.at(condition).wait(number);
        Players::block(stage, number, Condition::Held(Some(lock)));
    }

    /// Wakes whoever has waited longest for a condition; whether there was somebody.
    pub(super) fn signal<S: Stage>(stage: &mut S, number: u32, condition: Resource) -> bool {
        let players = stage.players();
        let Some(waiter) = players.syncs.at(condition).signal() else { return false };
        // It goes on when it has its lock again.
        let waiting = &mut players.at(waiter).condition;
        if let Condition::Held(Some(lock)) = *waiting {
            *waiting = Condition::Held(None);
            if players.syncs.at(lock).lock(waiter) {
                Players::wake(stage, waiter, Some(number));
            }
        }
        true
    }

    pub(super) fn arrive<S: Stage>(stage: &mut S, number: u32, barrier: Resource) {
        match stage.players().syncs.at(barrier).arrive(number) {
            Some(others) => {
                others.into_iter().for_each(|other| Players::wake(stage, other, Some(number)));
            }
            None => Players::block(stage, number, Condition::Held(None)),
        }
    }

    /// Wakes a player that waits for that; else it will not wait next time.
    pub(super) fn wake_other<S: Stage>(stage: &mut S, number: u32, other: usize) {
        let Some(player) = stage.players().list.get_mut(other) else { return };
        match player.condition {
            Condition::AwaitingWake => {
                let other = u32::try_from(other).expect("programs are numbered by 32 bits");
                Players::wake(stage, other, Some(number));
            }
            Condition::Gone => {}
            _ => player.wakes += 1,
        }
    }

    pub(super) fn await_wake<S: Stage>(stage: &mut S, number: u32) {
        let player = stage.players().at(number);
        if player.wakes > 0 {
            player.wakes -= 1;
        } else {
            Players::block(stage, number, Condition::AwaitingWake);
        }
    }
}
