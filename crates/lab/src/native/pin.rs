//! Threads under the system's own scheduler, all on one processor.

use super::{Starter, Under};
use crate::experiment::Trouble;
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};
use std::sync::Barrier;

/// The system's own scheduler, on the last processor that this process may use: the first one is where
/// most interrupts go.
#[derive(Clone, Copy, Debug, Default)]
pub struct Native;

impl Starter for Native {
    fn run(
        &self,
        under: Under<'_>,
        count: usize,
        body: &(dyn Fn(usize) + Sync),
    ) -> Result<(), Trouble> {
        if let Under::Hierarchy(_) = under {
            return Err(Trouble::Machine {
                asked: "threads under a hierarchy".to_owned(),
                why: "only the system's own scheduler is at hand".to_owned(),
            });
        }
        let refused = |why: rustix::io::Errno| Trouble::Machine {
            asked: "keep threads on one processor".to_owned(),
            why: why.to_string(),
        };
        let allowed = sched_getaffinity(None).map_err(refused)?;
        let last = (0..CpuSet::MAX_CPU).rev().find(|cpu| allowed.is_set(*cpu)).unwrap_or(0);
        let mut only = CpuSet::new();
        only.set(last);
        let start = Barrier::new(count);
        let pinned = &|number: usize| {
            let pinned = sched_setaffinity(None, &only);
            start.wait();
            if pinned.is_ok() {
                body(number);
            }
            pinned
        };
        let outcomes: Vec<_> = std::thread::scope(|scope| {
            let threads: Vec<_> =
                (0..count).map(|number| scope.spawn(move || pinned(number))).collect();
            threads.into_iter().map(std::thread::ScopedJoinHandle::join).collect()
        });
        for outcome in outcomes {
            match outcome {
                Ok(pinned) => pinned.map_err(refused)?,
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        Ok(())
    }
}
