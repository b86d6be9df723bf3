//! The lowest level: what to run now, for how long at most, and what became of the time (section 2.4).
//!
//! It knows no deadline, no scheduler and no other task.

use crate::{ClockError, TaskId};
use windfall_time::{Instant, Span};

/// The task that a processor is to run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Running {
    /// The task.
    pub task: TaskId,
    /// For how long at most, counted in what it receives: then the timer interrupts it.
    pub at_most: Span,
}

/// Where time went.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Passed {
    /// The task that was to run, and what it received.
    pub(crate) ran: Option<(TaskId, Span)>,
    /// The time that it received beyond its share, because the timer was late: another should have had that.
    pub(crate) overrun: Span,
    /// The time that it did not receive.
    pub(crate) stolen: Span,
}

#[derive(Clone, Debug)]
pub(crate) struct Dispatcher {
    now: Instant,
    running: Option<Running>,
}

impl Dispatcher {
    pub(crate) const fn new(now: Instant) -> Dispatcher {
        Dispatcher { now, running: None }
    }

    pub(crate) const fn now(&self) -> Instant {
        self.now
    }

    pub(crate) const fn running(&self) -> Option<Running> {
        self.running
    }

    pub(crate) fn run(&mut self, task: Option<(TaskId, Span)>) {
        self.running = task.map(|(task, at_most)| Running { task, at_most });
    }

    /// Time has passed, of which the running task received a part.
    pub(crate) fn pass(&mut self, now: Instant, received: Span) -> Result<Passed, ClockError> {
        let passed = now.since(self.now).ok_or(ClockError::Backwards { to: now, now: self.now })?;
        let most = if self.running.is_some() { passed } else { Span::ZERO };
        if received > most {
            return Err(ClockError::MoreThanPassed { received, most });
        }
        self.now = now;
        let Some(running) = &mut self.running else { return Ok(Passed::default()) };
        let overrun = received.saturating_sub(running.at_most);
        running.at_most = running.at_most.saturating_sub(received);
        let ran = Some((running.task, received));
        Ok(Passed { ran, overrun, stolen: passed.saturating_sub(received) })
    }
}
