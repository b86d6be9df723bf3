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
        Committer { waiting: 0, most, committed: 0 }
    }

    /// A process has sent so many events at its beginning.
    pub(crate) fn starts(&mut self, from: ProcessNumber, sent: usize) -> Result<(), RunError> {
        self.waiting += sent;
        self.fits(None, from)
    }

    /// One more event comes from outside.
    pub(crate) fn input(&mut self, from: ProcessNumber) -> Result<(), RunError> {
        let more = Committer { waiting: self.waiting + 1, ..*self };
        more.fits(None, from)?;
        *self = more;
        Ok(())
    }

    /// How many events were.
    pub(crate) const fn committed(&self) -> u64 {
        self.committed
    }

    fn fits(&self, cause: Option<Key>, from: ProcessNumber) -> Result<(), RunError> {
        match self.waiting <= self.most {
            true => Ok(()),
            false => Err(RunError::Full { cause, from, events: self.most }),
        }
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
        self.waiting = (self.waiting + sent).saturating_sub(1);
        self.fits(Some(event), event.to)?;
        self.committed += 1;
        let taken = catch_unwind(AssertUnwindSafe(|| {
            outputs.into_iter().for_each(|output| take(event, output));
        }));
        taken.map_err(|panic| RunError::CommitPanicked { event, message: said(panic.as_ref()) })
    }
}
