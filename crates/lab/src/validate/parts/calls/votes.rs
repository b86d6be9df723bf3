//! The time of a vote (AIRLAB, 3: "in SIFT, particular attention will be paid to the software voting mechanism"): in a voter that one thread runs, and among replicas on threads.

use crate::experiment::LabError;
use crate::validate::machine::Machine;
use std::sync::{Arc, Mutex, PoisonError};
use windfall_clocks::{Samples, SystemClock};
use windfall_nmr::redundant::{Redundant, Replica, VoteError};
use windfall_nmr::{Iteration, Majority, ReplicaNumber, Settings, Voter};
use windfall_time::Span;

/// How many replicas vote.
const REPLICAS: [u8; 3] = [3, 5, 7];
/// Votes of a batch in one thread.
const VOTES: u64 = 1_000;
/// Votes on threads before it is measured, while these begin.
const BEFORE: u64 = 50;

/// A vote among so many.
pub(super) struct Votes {
    pub(super) replicas: u8,
    /// In a voter that one thread runs, in picoseconds.
    pub(super) voter: u64,
    /// Among replicas on a thread each.
    pub(super) threads: Samples,
}

/// Each number of replicas: batches in one thread on this processor, then so many runs of so many votes on threads.
///
/// # Errors
/// When a thread cannot be made or kept on its processor, or replicas lose each other.
pub(super) fn votes(
    machine: &dyn Machine,
    on: u16,
    batches: u32,
    (runs, votes): (u32, u64),
) -> Result<Vec<Votes>, LabError> {
    let of = |replicas: u8| {
        let voter = in_one_thread(machine, on, replicas, batches)?;
        let runs: Result<Vec<Span>, LabError> =
            (0..runs).map(|_| on_threads(replicas, votes)).collect();
        Ok(Votes { replicas, voter, threads: Samples::of(runs?) })
    };
    REPLICAS.into_iter().map(of).collect()
}

fn refused(why: &dyn std::fmt::Display) -> LabError {
    LabError::Run(format!("votes: {why}"))
}

fn in_one_thread(
    machine: &dyn Machine,
    on: u16,
    replicas: u8,
    batches: u32,
) -> Result<u64, LabError> {
    let made = Voter::<u64, Majority>::new(&Settings::new(replicas), Majority::EXACT);
    let voter = Mutex::new(made.map_err(|why| refused(&why))?);
    let (mut times, _) = machine.gather(&[on], |_, core| {
        let mut voter = voter.lock().unwrap_or_else(PoisonError::into_inner);
        let (mut iteration, mut times) = (0, Vec::new());
        for _ in 0..batches {
            let begun = core.now();
            for _ in 0..VOTES {
                iteration += 1;
                for replica in 0..replicas {
                    voter.receive(
                        ReplicaNumber(replica),
                        Iteration(iteration),
                        iteration,
                        |report| {
                            std::hint::black_box(&report);
                        },
                    );
                }
            }
            let ended = core.now();
            let took = ended.saturating_since(begun);
            times.push(took);
            core.sleep_until(ended + Span::from_nanos(took.as_nanos() / 2));
        }
        Samples::of(times)
    })?;
    let times = times.pop().unwrap_or_default();
    Ok(times.quantile(1, 4).as_nanos().saturating_mul(1_000) / VOTES)
}

/// A vote of a run, as its first replica sees it.
fn on_threads(replicas: u8, votes: u64) -> Result<Span, LabError> {
    let took = Arc::new(Mutex::new(None));
    let of_first = took.clone();
    let body = move |replica: &mut Replica<u64, Majority>| -> Result<(), VoteError> {
        let mut begun = (replica.iteration(), SystemClock::Monotonic.now());
        while replica.iteration().0 <= BEFORE + votes {
            let iteration = replica.iteration();
            replica.vote(iteration.0)?;
            if iteration.0 <= BEFORE {
                begun = (replica.iteration(), SystemClock::Monotonic.now());
            }
        }
        if replica.number() == ReplicaNumber(0) {
            let span = SystemClock::Monotonic.now().saturating_since(begun.1);
            let count = replica.iteration().0.saturating_sub(begun.0.0).max(1);
            let each = Span::from_nanos(span.as_nanos() / count);
            *of_first.lock().unwrap_or_else(PoisonError::into_inner) = Some(each);
        }
        Ok(())
    };
    Redundant::<u64>::run(replicas, body).map_err(|why| refused(&why))?;
    let took = *took.lock().unwrap_or_else(PoisonError::into_inner);
    took.ok_or_else(|| refused(&"the first replica did not return"))
}
