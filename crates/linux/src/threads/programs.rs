//! The external programs of a run, and which of their threads are known.

use crate::restore::log::Former;
use crate::threads::child::Child;
use crate::threads::heard::Heard;
use std::collections::{BTreeMap, VecDeque};
use windfall_scenario::model::ExternalProgram;

/// Number of ended threads that are kept one by one.
const KEPT: usize = 1_024;

/// An external program.
pub(crate) struct Program {
    /// How it is found or started.
    pub(crate) what: ExternalProgram,
    /// The entries that may claim its threads, in order.
    pub(crate) claims: Vec<usize>,
}

/// All external programs of a run, and their threads that are not supervised.
#[derive(Default)]
pub(crate) struct Programs {
    /// The programs, by number of their entry.
    pub(crate) by_entry: BTreeMap<usize, Program>,
    /// Threads of programs that are not supervised: no entry accepts them, or they have not been looked at.
    pub(crate) pending: BTreeMap<i32, PendingThread>,
    /// Number of programs that are about to begin.
    pub(crate) beginning: usize,
    /// The commands that we start, by number of their entry.
    pub(crate) children: BTreeMap<usize, Child>,
    /// Number of threads that each entry has got.
    pub(crate) counts: BTreeMap<usize, usize>,
    /// Number of threads of each program that ended before they could be taken, by number of its entry.
    pub(crate) unmet: BTreeMap<usize, usize>,
    /// Ended threads that are kept for the outcome, the oldest first.
    pub(crate) ended: VecDeque<u32>,
    /// By thread: the address where the next thread that it makes will start.
    pub(crate) starting: BTreeMap<i32, u64>,
    /// Why start routines are not reported, although an entry needs them.
    pub(crate) no_starts: Option<String>,
}

/// A thread of a program that is not supervised: the program's entry, where the thread starts, and its former settings if it has
/// inherited any of ours.
#[derive(Clone, Copy)]
pub(crate) struct PendingThread {
    pub(crate) program: usize,
    pub(crate) start: Heard,
    pub(crate) former: Option<Former>,
}

impl Programs {
    /// Whether `tid` is a thread of a program that is not supervised.
    pub(crate) fn knows(&self, tid: i32) -> bool {
        self.pending.contains_key(&tid)
    }

    /// The entry of a thread of a program that is not supervised.
    pub(crate) fn pending(&self, tid: i32) -> Option<PendingThread> {
        self.pending.get(&tid).copied()
    }

    /// Takes the oldest ended thread, if more are kept than need be.
    pub(crate) fn oldest_ended(&mut self) -> Option<u32> {
        if self.ended.len() > KEPT { self.ended.pop_front() } else { None }
    }

    /// Notes that a thread ended before it could be taken.
    pub(crate) fn ended_unmet(&mut self, tid: i32, pending: PendingThread) {
        self.forget(tid);
        self.pending.insert(tid, PendingThread { former: None, ..pending });
    }

    /// Forgets a number that is free. A pending thread with settings of ours that had it counts as ended before it could be taken.
    pub(crate) fn forget(&mut self, tid: i32) {
        self.starting.remove(&tid);
        if let Some(PendingThread { program, former: Some(_), .. }) = self.pending.remove(&tid) {
            *self.unmet.entry(program).or_default() += 1;
        }
    }
}
