//! Certain outputs are given away, in order; an event that must not be certain ends the run.

use crate::panics::said;
use crate::{Key, Model, ProcessNumber, RunError};
use std::collections::{TryReserveError, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The effects of an event that is certain.
#[derive(Debug)]
pub(crate) struct Fact {
    pub(crate) event: Key,
    /// How many events it has sent.
    pub(crate) sent: usize,
    /// How many outputs it has.
    pub(crate) outputs: usize,
    /// Why the run ends here.
    pub(crate) failed: Option<Box<RunError>>,
}

impl Fact {
    /// Whether nothing came of it but one other event: in order as many wait then as before.
    pub(crate) const fn is_plain(&self) -> bool {
        self.sent == 1 && self.outputs == 0 && self.failed.is_none()
    }
}

/// Certain effects that are not yet given away, in order.
#[derive(Debug)]
pub(crate) struct Certain<M: Model> {
    pub(crate) events: VecDeque<Fact>,
    pub(crate) outputs: VecDeque<M::Output>,
}

impl<M: Model> Certain<M> {
    pub(crate) const fn new() -> Self {
        Certain { events: VecDeque::new(), outputs: VecDeque::new() }
    }

    /// Takes room for so many events with an output each.
    pub(crate) fn reserve(&mut self, room: usize) -> Result<(), TryReserveError> {
        self.events.try_reserve_exact(room)?;
        self.outputs.try_reserve_exact(room)
    }

    /// Takes all of another, which comes after this.
    pub(crate) fn append(&mut self, other: &mut Certain<M>) {
        self.events.extend(other.events.drain(..));
        self.outputs.extend(other.outputs.drain(..));
    }
}

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

    /// The next event of all is certain and [plain](Fact::is_plain).
    pub(crate) const fn plain(&mut self) {
        self.committed += 1;
    }

    /// The next event of all is certain, and the first of these.
    pub(crate) fn commit<M: Model>(
        &mut self,
        certain: &mut Certain<M>,
        take: &mut impl FnMut(Key, M::Output),
    ) -> Result<(), RunError> {
        let Some(Fact { event, sent, outputs, failed }) = certain.events.pop_front() else {
            return Ok(());
        };
        failed.map_or(Ok(()), |error| Err(*error))?;
        self.wait((self.waiting + sent).saturating_sub(1), Some(event), event.to)?;
        self.committed += 1;
        if outputs == 0 {
            return Ok(());
        }
        let taken = catch_unwind(AssertUnwindSafe(|| {
            certain.outputs.drain(..outputs).for_each(|output| take(event, output));
        }));
        taken.map_err(|panic| RunError::CommitPanicked { event, message: said(panic.as_ref()) })
    }
}
