//! A machine with a processor for every thread, on which recorded programs run.

use crate::action::{Action, Body};
use crate::learn::Learned;
use crate::program::Program;
use std::collections::BTreeSet;
use windfall_time::Instant;

/// Runs all threads to their ends. Returns those that wait for a wake-up that never comes.
pub(crate) fn run(learned: &Learned) -> Vec<usize> {
    let start =
        |thread: &crate::learn::LearnedThread| Program::Recorded(thread.recorded.clone()).start(0);
    let mut bodies: Vec<Box<dyn Body>> = learned.threads.iter().map(start).collect();
    let mut wakes = vec![0_u64; bodies.len()];
    let mut waiting = BTreeSet::new();
    let mut due: BTreeSet<(Instant, usize)> =
        (0..bodies.len()).map(|thread| (Instant::ZERO, thread)).collect();
    while let Some((now, thread)) = due.pop_first() {
        match bodies[thread].next(now) {
            Action::Compute(work) => {
                due.insert((now + work, thread));
            }
            Action::SleepUntil(at) => {
                due.insert((at.max(now), thread));
            }
            Action::Wake(target) => {
                if waiting.remove(&target) {
                    due.insert((now, target));
                } else {
                    wakes[target] += 1;
                }
                due.insert((now, thread));
            }
            Action::AwaitWake if wakes[thread] > 0 => {
                wakes[thread] -= 1;
                due.insert((now, thread));
            }
            Action::AwaitWake => {
                waiting.insert(thread);
            }
            Action::Exit => assert_eq!(wakes[thread], 0, "thread {thread} left wake-ups unused"),
            action => panic!("a recorded program does not {action:?}"),
        }
    }
    waiting.into_iter().collect()
}
