//! Tells a parent the earliest deadline whenever it changes, as a uniformly slower processor needs.

use crate::parts::pool::{Policy, Pool};
use windfall_hierarchy::{Context, Message, OwnVp};
use windfall_time::Instant;

/// What the parent has been told about own VP 0.
#[derive(Default)]
pub(crate) struct DeadlineReporter {
    reports: bool,
    told: Option<Instant>,
}

impl DeadlineReporter {
    /// One that tells, or one that does not.
    pub(crate) const fn new(reports: bool) -> DeadlineReporter {
        DeadlineReporter { reports, told: None }
    }

    /// Tells the earliest of the deadlines of those who run or are ready, and of one that comes.
    /// `deadline` is what a key says about it, if anything.
    pub(crate) fn announce<P: Policy>(
        &mut self,
        (pool, policy): (&Pool<P>, &P),
        deadline: impl Fn(&P::Key) -> Option<Instant>,
        coming: Option<Instant>,
        context: &mut Context<'_>,
    ) {
        if !self.reports {
            return;
        }
        let running = pool.own_vps().filter_map(|own| context.held_by(own));
        let keys = running.map(|child| policy.key(child)).chain(pool.best_key());
        let earliest = keys.filter_map(|key| deadline(&key)).chain(coming).min();
        if let Some(deadline) = earliest.filter(|_| earliest != self.told) {
            self.told = earliest;
            context
                .message(OwnVp(0), Message::Job { release: context.now(), deadline, work: None });
        }
    }
}
