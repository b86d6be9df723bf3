//! Tells a parent the earliest deadline whenever it changes, as a uniformly slower processor needs.

use crate::parts::policy::Policy;
use crate::parts::pool::Pool;
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

    /// Whether it tells.
    pub(crate) const fn reports(&self) -> bool {
        self.reports
    }

    /// Tells the earliest deadline, if it is another than the last one that was told.
    pub(crate) fn announce(&mut self, earliest: Option<Instant>, context: &mut Context<'_>) {
        if let Some(deadline) = earliest.filter(|_| earliest != self.told) {
            self.told = earliest;
            context
                .message(OwnVp(0), Message::Job { release: context.now(), deadline, work: None });
        }
    }
}

/// The earliest of the deadlines of those who run or are ready, and of one that comes.
/// `deadline` is what a key says about it, if anything.
pub(crate) fn earliest<P: Policy>(
    (pool, policy): (&Pool<P>, &P),
    deadline: impl Fn(&P::Key) -> Option<Instant>,
    coming: Option<Instant>,
    context: &Context<'_>,
) -> Option<Instant> {
    let running = pool.own_vps().filter_map(|own| context.held_by(own));
    let keys = running.map(|child| policy.key(child)).chain(pool.best_key());
    keys.filter_map(|key| deadline(&key)).chain(coming).min()
}
