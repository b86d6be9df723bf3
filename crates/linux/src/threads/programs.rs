//! The programs of a run that are not ours, and which of their threads are known.

use crate::restore::log::Former;
use crate::threads::child::Child;
use crate::threads::heard::Heard;
use std::collections::{BTreeMap, VecDeque};
use windfall_scenario::model::ExternalProgram;

/// So many ended threads are kept one by one.
const KEPT: usize = 1_024;

/// A program that a real machine runs.
pub(crate) struct Program {
    /// Which one.
    pub(crate) what: ExternalProgram,
    /// The entries that are asked for its threads, in order.
    pub(crate) claims: Vec<usize>,
}

/// All programs of a run, and what belongs to which.
#[derive(Default)]
pub(crate) struct Programs {
    /// By the number of their entry.
    pub(crate) by_entry: BTreeMap<usize, Program>,
    /// Threads of programs that are not supervised: nobody accepts them, or they have not been looked at.
    pub(crate) pending: BTreeMap<i32, PendingThread>,
    /// How many are about to begin.
    pub(crate) beginning: usize,
    /// Those that we start, by the number of their entry.
    pub(crate) children: BTreeMap<usize, Child>,
    /// How many threads each entry has got.
    pub(crate) counts: BTreeMap<usize, usize>,
    /// How many threads of each program had ended before they were met, by the number of its entry.
    pub(crate) unmet: BTreeMap<usize, usize>,
    /// Threads that have ended and are kept for the outcome, the oldest first.
    pub(crate) ended: VecDeque<u32>,
    /// Where the next thread that a thread makes will start.
    pub(crate) starting: BTreeMap<i32, u64>,
    /// Why nobody hears where threads start, though an entry asks.
    pub(crate) no_starts: Option<String>,
}

/// A thread of a program that is not supervised: the program's entry, where it starts, and what it is to be afterwards,
/// when it has inherited something of ours.
#[derive(Clone, Copy)]
pub(crate) struct PendingThread {
    pub(crate) program: usize,
    pub(crate) start: Heard,
    pub(crate) former: Option<Former>,
}

impl Programs {
    /// Whether a thread that is not supervised is of a program.
    pub(crate) fn knows(&self, tid: i32) -> bool {
        self.pending.contains_key(&tid)
    }

    /// A thread of a program that is not supervised.
    pub(crate) fn pending(&self, tid: i32) -> Option<PendingThread> {
        self.pending.get(&tid).copied()
    }

    /// The oldest of the threads that have ended, if more are kept than need be.
    pub(crate) fn oldest_ended(&mut self) -> Option<u32> {
        if self.ended.len() > KEPT { self.ended.pop_front() } else { None }
    }

    /// A thread has ended before it could be taken.
    pub(crate) fn ended_unmet(&mut self, tid: i32, pending: PendingThread) {
        self.forget(tid);
        self.pending.insert(tid, PendingThread { former: None, ..pending });
    }

    /// A thread's number is free. If it was a pending thread with something of ours, that thread has run before it was met.
    pub(crate) fn forget(&mut self, tid: i32) {
        self.starting.remove(&tid);
        if let Some(PendingThread { program, former: Some(_), .. }) = self.pending.remove(&tid) {
            *self.unmet.entry(program).or_default() += 1;
        }
    }
}
