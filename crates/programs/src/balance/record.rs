//! The record of a process: its use in the current window, the part of its need that it used, and the time for which it is left alone.

use super::{NodeReading, PROCESSOR, ProcessReading, State};
use std::collections::{BTreeMap, VecDeque};
use windfall_time::Span;

/// The use of a process in a window.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Window {
    /// Epochs that were seen.
    pub(super) epochs: u64,
    /// The sum of their lengths.
    pub(super) passed: Span,
    /// The time that it would use with a processor to itself: in an epoch in which it waited, the time that it ran; otherwise all of the time that it was ready or ran.
    pub(super) demand: Span,
    /// The most of its need that it used in an epoch.
    pub(super) most_used: Span,
    /// The most that it ran in an epoch.
    pub(super) most_ran: Span,
    /// Whether it left some of its need unused in an epoch.
    pub(super) left_some: bool,
    /// Whether it waited for something other than a processor in an epoch.
    pub(super) waited: bool,
}

/// The record of a process.
// Fields: one row of the monitor's memory.
#[derive(Clone, Debug)]
pub(super) struct Record {
    node: String,
    last: ProcessReading,
    last_epochs: u64,
    pub(super) window: Window,
    /// Its load in the last window in which something was seen of it, perhaps below another node.
    known: Option<u64>,
    /// The most used of its need in each of the last windows, the latest last.
    pub(super) uses: VecDeque<Span>,
    /// The need that it was first seen with.
    pub(super) claim: Span,
    /// How often it was moved, or a request for it was refused.
    times: u32,
    /// It is left alone before this round.
    pub(super) rests_until: u64,
    seen: bool,
}

impl Record {
    fn new(node: &NodeReading, process: &ProcessReading) -> Record {
        Record {
            node: node.name.clone(),
            last: process.clone(),
            last_epochs: node.epochs,
            window: Window::default(),
            known: None,
            uses: VecDeque::new(),
            claim: process.need,
            times: 0,
            rests_until: 0,
            seen: true,
        }
    }

    /// Leaves the process alone for twice as many rounds as the last time.
    pub(super) fn rest(&mut self, round: u64) {
        self.times = (self.times + 1).min(20);
        self.rests_until = round + (1 << self.times);
    }

    pub(super) fn begin_window(&mut self) {
        if self.window.epochs > 0 {
            self.known = Some(self.load(self.window.passed));
        }
        self.window = Window::default();
    }

    /// Its load in millionths of a processor: in this window, or else in the last one, or else what it declares. So a process that has moved does not
    /// look like another one before anything was seen of it.
    pub(super) fn load(&self, epoch: Span) -> u64 {
        let (part, whole) = match (self.window.epochs, self.known) {
            (0, Some(known)) => return known,
            (0, None) => (self.last.need, epoch),
            _ => (self.window.demand, self.window.passed),
        };
        let load = u128::from(part.as_nanos()) * u128::from(PROCESSOR)
            / u128::from(whole.as_nanos().max(1));
        u64::try_from(load).unwrap_or(PROCESSOR).min(PROCESSOR)
    }

    /// Takes in a reading. Time between two readings of one epoch counts in the next epoch.
    fn take_in(&mut self, node: &NodeReading, process: &ProcessReading) {
        self.seen = true;
        let last = &self.last;
        let is_continued = self.node == node.name
            && last.need == process.need
            && self.last_epochs <= node.epochs
            && last.ran <= process.ran
            && last.given <= process.given
            && last.runnable <= process.runnable;
        if !is_continued {
            if self.node != node.name || last.need != process.need {
                self.uses.clear();
            }
            self.begin_window();
            self.node = node.name.clone();
            (self.last, self.last_epochs) = (process.clone(), node.epochs);
            return;
        }
        let epochs = node.epochs - self.last_epochs;
        if epochs == 0 {
            return;
        }
        let given = process.given.saturating_sub(last.given);
        let ran = process.ran.saturating_sub(last.ran);
        let runnable = process.runnable.saturating_sub(last.runnable);
        let passed = node.epoch.saturating_mul(epochs);
        // Of several epochs together it is not known how much was used in each.
        let used = if epochs == 1 { process.need.saturating_sub(given) } else { process.need };
        let window = &mut self.window;
        window.epochs += epochs;
        window.passed = window.passed.saturating_add(passed);
        window.most_used = window.most_used.max(used);
        window.most_ran = window.most_ran.max(Span::from_nanos(ran.as_nanos() / epochs));
        window.left_some |= !given.is_zero();
        let waited = runnable.saturating_add(node.useful) < passed;
        window.waited |= waited;
        window.demand = window.demand.saturating_add(if waited { ran } else { runnable });
        (self.last, self.last_epochs) = (process.clone(), node.epochs);
    }

    /// Keeps the use of the window that ends, of `memory` windows at most. Returns the largest, once there are as many.
    pub(super) fn keep_use(&mut self, memory: usize) -> Option<Span> {
        self.uses.push_back(self.window.most_used);
        while self.uses.len() > memory {
            self.uses.pop_front();
        }
        let largest = self.uses.iter().copied().max();
        largest.filter(|_| self.uses.len() == memory)
    }
}

impl State {
    /// Takes in a reading of all nodes. Processes that are below none of them are forgotten.
    pub(super) fn take_in(&mut self, nodes: &[NodeReading]) {
        let records: &mut BTreeMap<String, Record> = &mut self.records;
        records.values_mut().for_each(|record| record.seen = false);
        for node in nodes {
            for process in &node.processes {
                match records.get_mut(&process.name) {
                    Some(record) => record.take_in(node, process),
                    None => {
                        records.insert(process.name.clone(), Record::new(node, process));
                    }
                }
            }
        }
        records.retain(|_, record| record.seen);
    }

    /// The record of a process that may be changed in this round.
    pub(super) fn changeable(&mut self, process: &ProcessReading) -> Option<&mut Record> {
        let record = self.records.get_mut(&process.name)?;
        (!process.fixed && record.rests_until <= self.round).then_some(record)
    }
}
