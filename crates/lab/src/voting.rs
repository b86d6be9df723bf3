//! The structure of the voter experiments (CMU 1982, 1.2 to 1.4): three subtasks and three voters, each on a processor of its own.
//!
//! A subtask computes, sends iteration and value to each voter, and takes the voted value of its own voter before it goes on. A voter takes messages from its three buffers round robin; a message costs a + b for each row
//! looked at. Rows and votes are those of [`windfall_nmr::Voter`].
//!
//! A model of its own and not processes on the simulated machine: at most six events wait at a time, a run of 20,000 votes takes milliseconds, and it is the shorter one. As processes it would need a first process, six
//! nodes with their schedulers, nine queues and a wait at three of them in turn.
//!
//! Invariant: all times are whole. An operation takes [`OPERATION`], so that any per cent of any granularity is exact.

mod curves;
mod pace;
mod station;
#[cfg(test)]
mod tests;
mod threads;

pub(crate) use curves::{Curve, Drawn, figure, least_and_most, lengths_table, records};
pub(crate) use pace::{Counted, Pace, WHOLE};
pub(crate) use threads::{Measured, measure};

use station::Station;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use windfall_nmr::{Constant, Linear, Search};
use windfall_time::{Instant, Span};

/// Subtasks, and voters.
pub(crate) const REPLICAS: usize = 3;
/// An operation of the simulated processors.
pub(crate) const OPERATION: Span = Span::from_nanos(WHOLE);
/// The time of so many operations.
pub(crate) const fn operations_last(operations: u64) -> Span {
    Span::from_nanos(OPERATION.as_nanos() * operations)
}

/// The granularities of the experiments.
pub(crate) const GRANULARITIES: [u64; 4] = [256, 1_024, 4_096, 16_384];
/// The number of votes until the last of the paper's figures ends.
pub(crate) const DRAWN: usize = 200;

/// The cost of a message to a voter, in operations.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Cost {
    /// Each message: a.
    pub(crate) message: u64,
    /// Each row that is looked at: b.
    pub(crate) row: u64,
}

/// The linear search whose queue lengths are those that 1.5 tells of granularities 256 and 1,024.
pub(crate) const LINEAR: Cost = Cost { message: 40, row: 5 };
/// A voter that finds a row at once: a message costs what it does a linear one that looks at 18 rows.
pub(crate) const CONSTANT: Cost = Cost { message: 130, row: 0 };
/// A voter that takes no time.
pub(crate) const FREE: Cost = Cost { message: 0, row: 0 };

/// An experiment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Trial {
    /// Operations of a subtask for a value.
    pub(crate) granularity: u64,
    /// How the first subtask is slower or faster.
    pub(crate) pace: Pace,
    pub(crate) cost: Cost,
    /// Further operations of each voter for each row that it opens, as for recording the queue's length.
    pub(crate) recording: [u64; REPLICAS],
    /// At most so many rows; `None`: never full.
    pub(crate) queue: Option<u32>,
    pub(crate) votes: usize,
}

impl Trial {
    /// With the linear voter, whose queue is never full.
    pub(crate) const fn new(granularity: u64, pace: Pace, votes: usize) -> Trial {
        Trial { granularity, pace, cost: LINEAR, recording: [0; REPLICAS], queue: None, votes }
    }

    /// The same, with another voter.
    pub(crate) const fn cost(self, cost: Cost) -> Trial {
        Trial { cost, ..self }
    }

    /// Runs it. A voter whose cost does not depend on rows finds them at once.
    pub(crate) fn run(&self) -> Run {
        if self.cost.row == 0 {
            Machine::<Constant>::new(self).run()
        } else {
            Machine::<Linear>::new(self).run()
        }
    }
}

/// The outcome.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Run {
    /// Rows of the first voter's queue, whenever a new iteration came.
    pub(crate) lengths: Vec<u32>,
    /// Values of the first subtask that came for rows that were gone.
    pub(crate) late: u64,
    /// When the last of these iterations came.
    pub(crate) took: Span,
}

impl Run {
    /// The queue's length when this vote began, counted from 1.
    pub(crate) fn at(&self, vote: usize) -> u32 {
        self.lengths[vote - 1]
    }
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    /// A subtask has computed.
    Computed(usize),
    /// A voter has handled a message.
    Handled(usize),
}

struct Machine<'a, S> {
    trial: &'a Trial,
    /// By time, then in the order in which they were scheduled.
    events: BinaryHeap<Reverse<(Instant, u64, Event)>>,
    scheduled: u64,
    stations: Vec<Station<S>>,
    /// The iteration that each subtask computes, or waits for the vote of.
    iterations: [u64; REPLICAS],
    waits: [bool; REPLICAS],
    lengths: Vec<u32>,
}

impl<'a, S: Search> Machine<'a, S> {
    fn new(trial: &'a Trial) -> Machine<'a, S> {
        let stations = (0..REPLICAS).map(|_| Station::new(trial)).collect();
        let (events, iterations) = (BinaryHeap::new(), [1; REPLICAS]);
        let (waits, lengths) = ([false; REPLICAS], Vec::with_capacity(trial.votes));
        Machine { trial, events, scheduled: 0, stations, iterations, waits, lengths }
    }

    fn run(mut self) -> Run {
        (0..REPLICAS).for_each(|subtask| self.computes(Instant::ZERO, subtask));
        let mut now = Instant::ZERO;
        while self.lengths.len() < self.trial.votes
            && let Some(Reverse((at, _, event))) = self.events.pop()
        {
            now = at;
            match event {
                Event::Computed(subtask) => self.sends(now, subtask),
                Event::Handled(voter) => self.hears(now, voter),
            }
        }
        let late = self.stations[0].late();
        Run { lengths: self.lengths, late, took: now.saturating_since(Instant::ZERO) }
    }

    fn schedule(&mut self, at: Instant, event: Event) {
        self.scheduled += 1;
        self.events.push(Reverse((at, self.scheduled, event)));
    }

    fn computes(&mut self, now: Instant, subtask: usize) {
        let voted = self.stations.iter().map(Station::voted).max().unwrap_or(0);
        let parts = match subtask {
            0 => self.trial.pace.parts(self.iterations[0], voted, now, self.trial.granularity),
            _ => WHOLE,
        };
        let work = Span::from_nanos(self.trial.granularity * parts);
        self.schedule(now + work, Event::Computed(subtask));
    }

    fn sends(&mut self, now: Instant, subtask: usize) {
        let iteration = self.iterations[subtask];
        for voter in 0..REPLICAS {
            self.stations[voter].arrives(subtask, iteration);
            if !self.stations[voter].is_busy() {
                self.serves(now, voter);
            }
        }
        self.goes_on(now, subtask);
    }

    /// A subtask goes on as soon as its own voter has voted.
    fn goes_on(&mut self, now: Instant, subtask: usize) {
        self.waits[subtask] = self.stations[subtask].voted() < self.iterations[subtask];
        if !self.waits[subtask] {
            self.iterations[subtask] += 1;
            self.computes(now, subtask);
        }
    }

    fn serves(&mut self, now: Instant, voter: usize) {
        if let Some(operations) = self.stations[voter].takes(self.trial, voter) {
            self.schedule(now + operations_last(operations), Event::Handled(voter));
        }
    }

    fn hears(&mut self, now: Instant, voter: usize) {
        let opened = self.stations[voter].handled();
        if voter == 0 {
            self.lengths.extend(opened);
        }
        if self.waits[voter] {
            self.goes_on(now, voter);
        }
        self.serves(now, voter);
    }
}
