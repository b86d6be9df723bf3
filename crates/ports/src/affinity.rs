//! Where a task goes whose state lies on one processor (section 4): home, unless that lacks idle time and another has it, also for refilling a cache there.

use crate::{Processor, Request, SubmitError};
use windfall_time::Span;

/// How memory makes a task dear that runs away from its state, and by how much: its work is longer there by the time that its cache takes to be filled again.
///
/// `windfall measure -o costs.toml` measures that for a KiB (`refill` of `cache`). A task pays it for each KiB of its state that the cache holds:
/// `Cache::refill_of` of a scenario that inherits from the file, or of one machine's `cache` line, is the price.
///
/// ```
/// use windfall_ports::{Affinity, EarliestDeadline, Place, Processor, Request, Share};
/// use windfall_scenario::Scenario;
/// use windfall_time::{Instant, Span};
///
/// let measured = "schema = 2\n[machine]\ncache = { size = \"1024KB\", refill = \"104ns\" }\n";
/// # let own = "schema = 2\ninherits = \"costs.toml\"\nseed = 1\nlength = \"1s\"\n[schedulers.rr]\nscheduler = \"round-robin\"\nparent = \"top\"\n[threads.a]\nparent = \"rr\"\nrun = \"spin\"\n";
/// let file = |_: &str| Ok(("costs.toml".to_owned(), measured.to_owned()));
/// let scenario = Scenario::parse_with("own.toml", own, file).map_err(|wrong| wrong.to_json())?;
/// let cache = scenario.machine.cache.ok_or("no cache was measured")?;
/// let affinity = Affinity::CcNuma { refill: cache.refill_of(256) };
/// assert_eq!(affinity.refill(), Span::from_nanos(26_624));
///
/// let processor = || -> Result<Processor, Box<dyn std::error::Error>> {
///     let mut one = Processor::new(Instant::ZERO, 10);
///     let edf: EarliestDeadline = EarliestDeadline::new(Share::WHOLE, Instant::ZERO, 10)?;
///     one.add(edf)?;
///     Ok(one)
/// };
/// let (mut home, away) = (processor()?, processor()?);
/// let request = Request::by(Span::from_millis(6), Instant::ZERO + Span::from_millis(10)).using(1);
/// home.submit(0, request)?;
/// let place = affinity.place(0, &request, &home, &away)?;
/// assert_eq!(place, Place::Away(Span::from_nanos(6_026_624)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Affinity {
    /// Caches are kept coherent, and memory stays where it is: away only if home lacks idle time and the other has it.
    CcNuma {
        /// How much longer the task takes away from home.
        refill: Span,
    },
    /// Memory moves to whoever writes it: besides, no task at home may use the same state, which would move to and fro. All tasks that are there count, since each
    /// may run during or shortly after this one.
    CcComa {
        /// How much longer the task takes away from home.
        refill: Span,
    },
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
    /// How much longer a task takes away from home.
    #[must_use]
    pub const fn refill(self) -> Span {
        match self {
            Affinity::CcNuma { refill } | Affinity::CcComa { refill } => refill,
        }
    }

    /// Whether a task that home has no time for may go away.
    pub(crate) fn lets_go(self, request: &Request, home: &Processor) -> bool {
        match self {
            Affinity::CcNuma { .. } => true,
            Affinity::CcComa { .. } => !request.state.is_some_and(|state| home.touches(state)),
        }
    }

    /// Where to submit to, of two processors' schedulers with this number. It
    /// changes nothing, so by the time of the submission another may have taken that place.
    ///
    /// # Errors
    /// When a processor has no such scheduler, or that promises no deadlines, or none was asked for.
    pub fn place(
        self,
        scheduler: usize,
        request: &Request,
        home: &Processor,
        away: &Processor,
    ) -> Result<Place, SubmitError> {
        let deadline = request.deadline.ok_or(SubmitError::NeedsDeadline)?;
        let here = home.idle_before(scheduler, deadline)?;
        if request.work <= here {
            return Ok(Place::Home);
        }
        let there = away.idle_before(scheduler, deadline)?;
        let work = request.work.saturating_add(self.refill());
        Ok(match self.lets_go(request, home) {
            true if work <= there => Place::Away(work),
            true => Place::Nowhere(here.max(there.saturating_sub(self.refill()))),
            false => Place::Nowhere(here),
        })
    }
}
