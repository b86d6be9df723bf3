//! Threads under the system's own scheduler, all on one processor.

use crate::experiment::LabError;
use rustix::io::Errno;
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};
use std::sync::Barrier;

fn refused(why: Errno) -> LabError {
    LabError::Machine { asked: "keep threads on one processor".to_owned(), why: why.to_string() }
}

/// The last processor that this process may use, because most interrupts go to the first one; and another one, if there is
/// any.
pub(crate) fn processors() -> Result<(usize, Option<usize>), LabError> {
    let allowed = sched_getaffinity(None).map_err(refused)?;
    let mut usable = (0..CpuSet::MAX_CPU).rev().filter(|cpu| allowed.is_set(*cpu));
    Ok((usable.next().unwrap_or(0), usable.next()))
}

/// Keeps the calling thread on a processor.
pub(crate) fn pin(cpu: usize) -> Result<(), LabError> {
    let mut only = CpuSet::new();
    only.set(cpu);
    sched_setaffinity(None, &only).map_err(refused)
}

/// Starts `count` threads of this process, all on the last processor, lets each run `body` with its
/// number, and returns when all are done. None begins before all are there.
///
/// # Errors
/// When they cannot be kept on one processor.
pub(crate) fn on_one_processor(
    count: usize,
    body: &(dyn Fn(usize) + Sync),
) -> Result<(), LabError> {
    let (last, _) = processors()?;
    let start = Barrier::new(count);
    let pinned = &|number: usize| {
        let pinned = pin(last);
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
            Ok(pinned) => pinned?,
            Err(panic) => std::panic::resume_unwind(panic),
        }
    }
    Ok(())
}
