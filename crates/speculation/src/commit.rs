//! What is certain is given away, in order; what must not be certain ends the run.

use crate::history::Certain;
use crate::sequential::said;
use crate::{Key, Model, ProcessNumber, RunError};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Counts how many events would wait in order, and gives outputs away.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Committer {
    waiting: usize,
    /// The most that may wait.
    most: usize,
    committed: u64,
}

impl Committer {
    pub(crate) const fn new(most: usize) -> Self {
        Committer::after(0, 0, most)
    }

    /// So many events were committed before, and so many wait.
    pub(crate) const fn after(committed: u64, waiting: usize, most: usize) -> Self {
        Committer { waiting, most, committed }
    }

    /// So many events come without a cause: at the beginning of a process, or from outside. If that is too much, nothing has changed.
    pub(crate) fn comes(&mut self, from: ProcessNumber, events: usize) -> Result<(), RunError> {
        self.wait(self.waiting + events, None, from)
    }

    /// How many events were.
    pub(crate) const fn committed(&self) -> u64 {
        self.committed
    }

    /// So many wait now, if they may.
    fn wait(
        &mut self,
        events: usize,
        cause: Option<Key>,
        from: ProcessNumber,
    ) -> Result<(), RunError> {
        if events > self.most {
            return Err(RunError::Full { cause, from, events: self.most });
        }
        self.waiting = events;
        Ok(())
    }

    /// The next event of all is certain.
    pub(crate) fn commit<M: Model>(
        &mut self,
        event: Key,
        certain: Certain<M>,
        take: &mut impl FnMut(Key, M::Output),
    ) -> Result<(), RunError> {
        let Certain { sent, outputs, failed } = certain;
        failed.map_or(Ok(()), |error| Err(*error))?;
        self.wait((self.waiting + sent).saturating_sub(1), Some(event), event.to)?;
        self.committed += 1;
        let taken = catch_unwind(AssertUnwindSafe(|| {
            outputs.into_iter().for_each(|output| take(event, output));
        }));
        taken.map_err(|panic| RunError::CommitPanicked { event, message: said(panic.as_ref()) })
    }
}
