//! Keeps some of the learned threads.
//!
//! Invariant: R2 and R3 of `replay.rs` hold for the threads that are kept. A wait that a removed thread ended ends
//! at its recorded time; a wake of a removed thread is left out.

use super::gather::add;
use super::replay::{Cause, Learned, LearnedThread};
use crate::program::RecordedStep;

impl Learned {
    /// Keeps the threads for which `keep` is true. The others become part of the environment, which wakes the
    /// threads they woke at the recorded times.
    pub fn retain(&mut self, mut keep: impl FnMut(&LearnedThread) -> bool) {
        let kept: Vec<bool> = self.threads.iter().map(&mut keep).collect();
        let mut next = 0;
        let numbers: Vec<Option<usize>> = kept
            .iter()
            .map(|kept| {
                next += usize::from(*kept);
                kept.then(|| next - 1)
            })
            .collect();
        let number = |old: usize| numbers.get(old).copied().flatten();
        let mut place = 0;
        self.threads.retain(|_| {
            place += 1;
            kept[place - 1]
        });
        for thread in &mut self.threads {
            renumber(thread, number);
        }
    }
}

fn renumber(thread: &mut LearnedThread, number: impl Fn(usize) -> Option<usize>) {
    let woken = |cause: &Cause| matches!(cause, Cause::Thread(_));
    let mut wakers = thread.activations.iter().filter(|a| woken(&a.by)).map(|a| (a.at, a.by));
    let mut steps = Vec::with_capacity(thread.recorded.steps.len());
    for step in &thread.recorded.steps {
        let step = match *step {
            RecordedStep::Wake(target) => match number(target) {
                Some(target) => RecordedStep::Wake(target),
                None => continue,
            },
            RecordedStep::Woken => match wakers.next() {
                Some((at, Cause::Thread(waker))) if number(waker).is_none() => {
                    RecordedStep::Until(at)
                }
                _ => RecordedStep::Woken,
            },
            step => step,
        };
        add(&mut steps, step);
    }
    thread.recorded.steps = steps;
    for activation in &mut thread.activations {
        if let Cause::Thread(waker) = activation.by {
            activation.by = number(waker).map_or(Cause::Other, Cause::Thread);
        }
    }
}
