//! The ends of the tasks that were admitted for a thread.

use super::{LateTasks, ThreadOutcome};

/// Tasks of a thread, submitted by itself as a process does or by others, and what became of those that were admitted (decision 0033). Jobs are not among them.
///
/// Invariant: at the end of a run, each task that was admitted is counted once: [`submitted`](Self::submitted) is [`refused`](Self::refused) and
/// [`admitted`](ThreadOutcome::tasks_admitted), which is the sum of all others and of those that were [late](LateTasks::count).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct TaskCounts {
    /// How many were submitted.
    pub submitted: u64,
    /// How many of those were refused.
    pub refused: u64,
    /// Done by their deadlines.
    pub in_time: u64,
    /// Lost and never finished: their scheduler could no longer promise them, because time was not supplied, or their thread left it.
    pub lost: u64,
    /// Taken back by a client, or by the end of their thread before their deadlines.
    pub withdrawn: u64,
    /// How many of those were taken back after their deadlines.
    pub withdrawn_late: u64,
    /// Tasks of clients whose time has passed. Nobody says of these that they are done.
    pub used_up: u64,
    /// Under way at the end, before their deadlines.
    pub open: u64,
    /// Of unknown end: more were open at a time than a host keeps.
    pub unknown: u64,
    /// How many of those in time and late had been lost: they were done all the same.
    pub done_though_lost: u64,
}

impl TaskCounts {
    /// These and those of another thread.
    #[must_use]
    pub const fn and(self, other: TaskCounts) -> TaskCounts {
        TaskCounts {
            submitted: self.submitted + other.submitted,
            refused: self.refused + other.refused,
            in_time: self.in_time + other.in_time,
            lost: self.lost + other.lost,
            withdrawn: self.withdrawn + other.withdrawn,
            withdrawn_late: self.withdrawn_late + other.withdrawn_late,
            used_up: self.used_up + other.used_up,
            open: self.open + other.open,
            unknown: self.unknown + other.unknown,
            done_though_lost: self.done_though_lost + other.done_though_lost,
        }
    }

    /// How many were admitted, by what became of them.
    const fn ended(&self, late: &LateTasks) -> u64 {
        let by_themselves = self.in_time + late.count + self.withdrawn + self.used_up;
        by_themselves + self.lost + self.open + self.unknown
    }
}

impl ThreadOutcome {
    /// How many of its tasks were admitted: in time, late, lost, withdrawn, used up, open at the end, or of unknown end.
    #[must_use]
    pub const fn tasks_admitted(&self) -> u64 {
        self.tasks.ended(&self.late_tasks)
    }
}
