//! A voter on its processor, with a buffer for each subtask (figure 1-3).

use super::{REPLICAS, Trial};
use std::collections::VecDeque;
use windfall_nmr::{Iteration, Majority, ReplicaNumber, Report, Search, Settings, Voter};

pub(super) struct Station<S> {
    voter: Voter<u64, Majority, S>,
    buffers: [VecDeque<u64>; REPLICAS],
    /// The replica whose buffer is read first.
    turn: usize,
    is_busy: bool,
    /// The last iteration that a row was opened for.
    newest: u64,
    /// The queue's length with the row that the message in work opens, if it does.
    opens: Option<u32>,
    /// The vote that the message in work leads to, if it does.
    votes: Option<u64>,
    voted: u64,
}

/// The rows of a voter of these runs: as many as there are votes, or fewer, none of which is refused as too far ahead.
pub(super) fn settings(queue: Option<u32>, votes: usize) -> Settings {
    let rows = u32::try_from(votes + 1).expect("at most as many votes as a queue has rows");
    let queue = queue.unwrap_or(rows);
    Settings::new(3).queue(queue).ahead(queue).lag(u64::from(rows) + 1)
}

impl<S: Search> Station<S> {
    pub(super) fn new(trial: &Trial) -> Station<S> {
        let voter = Voter::new(&settings(trial.queue, trial.votes), Majority::EXACT);
        Station {
            voter: voter.expect("three replicas, and at least a row"),
            buffers: std::array::from_fn(|_| VecDeque::new()),
            turn: 0,
            is_busy: false,
            newest: 0,
            opens: None,
            votes: None,
            voted: 0,
        }
    }

    pub(super) const fn is_busy(&self) -> bool {
        self.is_busy
    }

    /// The last iteration whose vote it has sent.
    pub(super) const fn voted(&self) -> u64 {
        self.voted
    }

    pub(super) fn late(&self) -> u64 {
        self.voter.record(ReplicaNumber(0)).map_or(0, |record| record.late)
    }

    pub(super) fn arrives(&mut self, subtask: usize, iteration: u64) {
        self.buffers[subtask].push_back(iteration);
    }

    /// Takes the next message, round robin; how many operations it costs. Nothing if there is none.
    pub(super) fn takes(&mut self, trial: &Trial, voter: usize) -> Option<u64> {
        let order = (0..REPLICAS).map(|next| (self.turn + next) % REPLICAS);
        let next = order.into_iter().find(|subtask| !self.buffers[*subtask].is_empty());
        self.is_busy = next.is_some();
        let subtask = next?;
        let iteration = self.buffers[subtask].pop_front()?;
        self.turn = (subtask + 1) % REPLICAS;
        let from = ReplicaNumber(u8::try_from(subtask).expect("there are three"));
        let votes = &mut self.votes;
        // All subtasks compute the same value.
        self.voter.receive(from, Iteration(iteration), iteration, |report| {
            if let Report::Voted { iteration, .. } = report {
                *votes = Some(iteration.0);
            }
        });
        // A row that is not there yet is looked at when it has been put in.
        let looked = u64::from(self.voter.looked()).max(1);
        let is_new = iteration > self.newest;
        let recording = if is_new { trial.recording[voter] } else { 0 };
        if is_new {
            (self.newest, self.opens) = (iteration, Some(self.voter.length()));
        }
        Some(trial.cost.message + trial.cost.row * looked + recording)
    }

    /// The message in work has been handled. The queue's length if it opened a row.
    pub(super) fn handled(&mut self) -> Option<u32> {
        self.voted = self.votes.take().map_or(self.voted, |vote| self.voted.max(vote));
        self.opens.take()
    }
}
