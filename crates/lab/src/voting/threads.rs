//! The same structure on real threads: a thread for each subtask and for each voter, with rings between them.
//!
//! All are kept on one processor, among which the kernel's scheduler shares it evenly: six processors, each a part as fast. Measurements are therefore in processor time and not in time, and are out by
//! what a thread runs at a stretch, some milliseconds; an operation must take so long that this is a small part of an iteration.

use super::{Cost, Pace, REPLICAS, WHOLE, station};
use crate::experiment::LabError;
use crate::native::on_one_processor;
use std::hint::black_box;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread::Thread;
use windfall_exchange::{Reader, Writer, ring};
use windfall_nmr::{Iteration, Linear, Majority, ReplicaNumber, Report, Voter};
use windfall_time::Instant;

/// The trial.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Measured {
    /// Operations of a subtask for a value.
    pub(crate) granularity: u64,
    /// Of the first subtask. Not by time, which the threads do not read.
    pub(crate) pace: Pace,
    pub(crate) cost: Cost,
    pub(crate) votes: usize,
    /// Steps of counted work in an operation, about a nanosecond each where the build is optimised.
    pub(crate) steps: u64,
}

impl Measured {
    /// Does so many operations, with parts of [`WHOLE`] in each.
    fn works(&self, operations: u64, parts: u64) {
        for step in 0..operations * self.steps * parts / WHOLE {
            black_box(step);
        }
    }
}

/// The handle by which others wake a thread.
#[derive(Default)]
struct Bell(Mutex<Option<Thread>>);

impl Bell {
    fn is_here(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(std::thread::current());
    }

    fn rings(&self) {
        if let Some(thread) = &*self.0.lock().unwrap_or_else(PoisonError::into_inner) {
            thread.unpark();
        }
    }
}

/// The data that all threads share.
#[derive(Default)]
struct Shared {
    /// The last iteration that each voter has voted.
    voted: [AtomicU64; REPLICAS],
    subtasks: [Bell; REPLICAS],
    voters: [Bell; REPLICAS],
    is_over: AtomicBool,
    lengths: Mutex<Vec<u32>>,
}

impl Shared {
    /// Sleeps until it is over or this is so; whoever makes it so rings the bell. Whether it is not over.
    fn waits(&self, mut until: impl FnMut() -> bool) -> bool {
        loop {
            if self.is_over.load(Ordering::Acquire) {
                return false;
            }
            if until() {
                return true;
            }
            std::thread::park();
        }
    }

    fn ends(&self) {
        self.is_over.store(true, Ordering::Release);
        self.subtasks.iter().chain(&self.voters).for_each(Bell::rings);
    }
}

/// Each thread's own ends of the rings, which it takes when it begins.
struct Ends {
    to: [Mutex<Vec<Writer<1>>>; REPLICAS],
    from: [Mutex<Vec<Reader<1>>>; REPLICAS],
}

impl Ends {
    fn new(votes: usize) -> Ends {
        let ends = Ends { to: Default::default(), from: Default::default() };
        let capacity = u32::try_from(votes + 1).expect("at most as many votes as a queue has rows");
        for to in &ends.to {
            for from in &ends.from {
                let (writer, reader) = ring(capacity);
                to.lock().unwrap_or_else(PoisonError::into_inner).push(writer);
                from.lock().unwrap_or_else(PoisonError::into_inner).push(reader);
            }
        }
        ends
    }
}

fn taken<T>(ends: &Mutex<Vec<T>>) -> Vec<T> {
    std::mem::take(&mut *ends.lock().unwrap_or_else(PoisonError::into_inner))
}

/// Rows of the first voter's queue, whenever a new iteration came.
///
/// # Errors
/// When the threads cannot be kept on one processor.
pub(crate) fn measure(measured: &Measured) -> Result<Vec<u32>, LabError> {
    let (shared, ends) = (Shared::default(), Ends::new(measured.votes));
    on_one_processor(2 * REPLICAS, &|number| match number.checked_sub(REPLICAS) {
        None => subtask(measured, &shared, taken(&ends.to[number]), number),
        Some(number) => voter(measured, &shared, taken(&ends.from[number]), number),
    })?;
    Ok(shared.lengths.into_inner().unwrap_or_else(PoisonError::into_inner))
}

fn subtask(measured: &Measured, shared: &Shared, mut to: Vec<Writer<1>>, number: usize) {
    shared.subtasks[number].is_here();
    let voted = || shared.voted[number].load(Ordering::Acquire);
    for iteration in 1..=measured.votes as u64 {
        let parts = match number {
            0 => measured.pace.parts(iteration, voted(), Instant::ZERO, measured.granularity),
            _ => WHOLE,
        };
        measured.works(measured.granularity, parts);
        for (writer, voter) in to.iter_mut().zip(&shared.voters) {
            // There is room for all.
            writer.write(&[[iteration]]);
            voter.rings();
        }
        if !shared.waits(|| voted() >= iteration) {
            return;
        }
    }
}

fn voter(measured: &Measured, shared: &Shared, mut from: Vec<Reader<1>>, number: usize) {
    shared.voters[number].is_here();
    let settings = station::settings(None, measured.votes);
    let made = Voter::new(&settings, Majority::EXACT);
    let mut voter: Voter<u64, Majority, Linear> = made.expect("three replicas, and at least a row");
    let (mut turn, mut newest) = (0, 0);
    let mut message = [[0]];
    loop {
        let mut whose = None;
        let comes = || {
            let order = (0..REPLICAS).map(|next| (turn + next) % REPLICAS);
            whose = order.into_iter().find(|subtask| from[*subtask].read(&mut message) == 1);
            whose.is_some()
        };
        if !shared.waits(comes) {
            return;
        }
        let Some(subtask) = whose else { return };
        turn = (subtask + 1) % REPLICAS;
        let [[iteration]] = message;
        let mut vote = None;
        let replica = ReplicaNumber(u8::try_from(subtask).expect("there are three"));
        voter.receive(replica, Iteration(iteration), iteration, |report| {
            if let Report::Voted { iteration, .. } = report {
                vote = Some(iteration.0);
            }
        });
        let looked = u64::from(voter.looked()).max(1);
        measured.works(measured.cost.message + measured.cost.row * looked, WHOLE);
        if let Some(vote) = vote {
            shared.voted[number].fetch_max(vote, Ordering::Release);
            shared.subtasks[number].rings();
        }
        if iteration > newest {
            newest = iteration;
            if number == 0 && records(shared, measured, voter.length()) {
                shared.ends();
            }
        }
    }
}

/// Notes a length. Whether all are there.
fn records(shared: &Shared, measured: &Measured, length: u32) -> bool {
    let mut lengths = shared.lengths.lock().unwrap_or_else(PoisonError::into_inner);
    lengths.push(length);
    lengths.len() == measured.votes
}
