//! Where a task goes whose state lies on one processor (section 4): home, unless that lacks idle time and another has it.

use crate::{Processor, Request, SubmitError};
use windfall_time::Span;

/// How memory makes a task dear that runs away from its state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Affinity {
    /// Caches are kept coherent, and memory stays where it is: away only if home lacks idle time and the other has it.
    CcNuma,
    /// Memory moves to whoever writes it: besides, no task at home may use the same state, which would move to and fro. All tasks that are there count, since each
    /// may run during or shortly after this one.
    CcComa,
}

/// Where a task is to be submitted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Place {
    /// Where its state is.
    Home,
    /// To the other, with this work: the refill of its cache included.
    Away(Span),
    /// Nowhere: at most so much work would be done before its deadline, the refill not counted.
    Nowhere(Span),
}

impl Affinity {
    /// Where to submit to, of two processors' schedulers with this number. `refill` is what it costs to run away from the state, as `windfall measure` measures it. It
    /// changes nothing, so by the time of the submission another may have taken that place.
    ///
    /// # Errors
    /// When a processor has no such scheduler, or that promises no deadlines, or none was asked for.
    pub fn place(
        self,
        scheduler: usize,
        asked: &Request,
        refill: Span,
        home: &Processor,
        away: &Processor,
    ) -> Result<Place, SubmitError> {
        let deadline = asked.deadline.ok_or(SubmitError::NeedsDeadline)?;
        let here = home.idle_before(scheduler, deadline)?;
        if asked.work <= here {
            return Ok(Place::Home);
        }
        let there = away.idle_before(scheduler, deadline)?;
        let moves = match self {
            Affinity::CcNuma => true,
            Affinity::CcComa => !asked.state.is_some_and(|state| home.touches(state)),
        };
        let work = asked.work.saturating_add(refill);
        Ok(match moves {
            true if work <= there => Place::Away(work),
            true => Place::Nowhere(here.max(there.saturating_sub(refill))),
            false => Place::Nowhere(here),
        })
    }
}
