//! Tasks that were admitted and can no longer be done, by name.

use windfall_time::{Instant, Span};

/// How many are kept for a thread.
const KEPT: usize = 100;

/// An admitted task, or that of a job, which its scheduler could no longer promise (PORTS 2.2).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct LostTask {
    /// Its number among those of its thread.
    pub task: u32,
    /// When it was lost.
    pub at: Instant,
    /// When it should have been done by.
    pub deadline: Instant,
    /// How much of its work was left; `None` if its thread left the scheduler.
    pub left: Option<Span>,
    /// Time that was stolen from its thread's processor since it was submitted.
    pub stolen: Span,
}

impl LostTask {
    /// One that was lost now.
    #[must_use]
    pub const fn new(
        task: u32,
        at: Instant,
        deadline: Instant,
        left: Option<Span>,
        stolen: Span,
    ) -> LostTask {
        LostTask { task, at, deadline, left, stolen }
    }
}

/// The first of a thread's lost tasks. A trace has all.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct LostTasks(Vec<LostTask>);

impl LostTasks {
    /// One more is lost; after the first hundred it is only counted.
    pub fn push(&mut self, lost: LostTask) {
        if self.0.len() < KEPT {
            self.0.push(lost);
        }
    }

    /// Those that are kept, in order of time.
    #[must_use]
    pub fn kept(&self) -> &[LostTask] {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limit_the_first_hundred_are_kept() {
        let mut lost = LostTasks::default();
        for task in 0..150 {
            lost.push(LostTask::new(task, Instant::ZERO, Instant::ZERO, None, Span::ZERO));
        }
        assert_eq!((lost.kept().len(), lost.kept()[99].task), (100, 99));
    }
}
