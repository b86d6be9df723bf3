//! Thread states as Perfetto wants them: at most one change of a thread at any one instant.
//!
//! Its importer counts an error when a thread runs twice in a row, or changes state twice at the
//! same time (`generic_task_state_invalid_order`). So the changes of an instant are collected and
//! only what is left of them is written, first the threads that stop, then those that start. A
//! thread that goes from one processor to another within an instant starts a nanosecond later.
//!
//! Perfetto has no state for "unknown". On a processor with lost events a thread of ours, named so,
//! runs instead: the importer then gives the thread before it an empty state.

use super::out::Out;
use super::proto::{TaskState, state};
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use windfall_time::{Instant, Span};
use windfall_trace::Cpu;

/// The state of a thread as written for Perfetto.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Task {
    Running(Cpu),
    Ready,
    Sleep,
    Uninterruptible,
    Stopped,
    Dead,
    /// Never written: another task is written as running in its place.
    Unknown,
}

#[derive(Debug)]
struct WrittenTask {
    name: String,
    written: Task,
    wanted: Task,
}

/// Threads by the number that Perfetto knows them by.
#[derive(Debug, Default)]
pub(super) struct States {
    now: Instant,
    tasks: BTreeMap<i64, WrittenTask>,
    dirty: BTreeSet<i64>,
}

impl States {
    /// Declares or renames.
    pub(super) fn name(&mut self, tid: i64, name: &str) {
        let unknown =
            WrittenTask { name: String::new(), written: Task::Unknown, wanted: Task::Unknown };
        name.clone_into(&mut self.tasks.entry(tid).or_insert(unknown).name);
    }

    /// From now on `tid` is `task`. Nothing follows [`Task::Dead`].
    pub(super) fn set(&mut self, tid: i64, task: Task) {
        if let Some(told) = self.tasks.get_mut(&tid)
            && told.wanted != Task::Dead
        {
            told.wanted = task;
            self.dirty.insert(tid);
        }
    }

    /// Goes on to `at`, writing what was collected until then.
    pub(super) fn advance(&mut self, out: &mut Out<impl Write>, at: Instant) {
        if at <= self.now {
            return;
        }
        self.flush(out);
        // What is still dirty has changed processors; it starts later, unless more happens then.
        let later = self.now.saturating_add(Span::from_nanos(1));
        if !self.dirty.is_empty() && later < at {
            self.now = later;
            self.flush(out);
        }
        self.now = at;
    }

    /// Writes everything.
    pub(super) fn finish(&mut self, out: &mut Out<impl Write>) {
        self.advance(out, self.now.saturating_add(Span::from_nanos(2)));
    }

    fn flush(&mut self, out: &mut Out<impl Write>) {
        let changed = std::mem::take(&mut self.dirty);
        for pass in [Pass::Stop, Pass::Start] {
            for &tid in &changed {
                let Some(told) = self.tasks.get_mut(&tid) else {
                    continue;
                };
                let Some((cpu, task)) = pass.step(told.written, told.wanted) else {
                    continue;
                };
                if pass == Pass::Start && self.dirty.contains(&tid) {
                    continue;
                }
                if pass == Pass::Stop && matches!(told.wanted, Task::Running(_)) {
                    self.dirty.insert(tid);
                }
                told.written = task;
                if let Some(state) = number(task) {
                    let comm = Some(told.name.clone());
                    let (cpu, tid, state) = (Some(i32::from(cpu.0)), Some(tid), Some(state));
                    out.state(self.now, TaskState { cpu, comm, tid, state });
                }
            }
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Pass {
    Stop,
    Start,
}

impl Pass {
    /// The processor and state to write in this pass, to get from `from` towards `to`.
    fn step(self, from: Task, to: Task) -> Option<(Cpu, Task)> {
        match (self, from, to) {
            _ if from == to => None,
            (Pass::Stop, Task::Running(cpu), Task::Running(_)) => Some((cpu, Task::Ready)),
            (Pass::Stop, Task::Running(cpu), _) => Some((cpu, to)),
            (Pass::Stop, _, Task::Running(_)) => None,
            (Pass::Stop, _, _) => Some((Cpu(0), to)),
            (Pass::Start, _, Task::Running(cpu)) => Some((cpu, to)),
            (Pass::Start, _, _) => None,
        }
    }
}

fn number(task: Task) -> Option<i32> {
    match task {
        Task::Running(_) => Some(state::RUNNING),
        Task::Ready => Some(state::RUNNABLE),
        Task::Sleep => Some(state::SLEEP),
        Task::Uninterruptible => Some(state::UNINTERRUPTIBLE),
        Task::Stopped => Some(state::STOPPED),
        Task::Dead => Some(state::DEAD),
        Task::Unknown => None,
    }
}
